/// entities_fixture.h - the entities of a compiled map, with the keys that map tests need.
//
// Memory:  a list of fixed size; owned by the caller.

#ifndef EDICTD_TESTS_ENTITIES_FIXTURE_H
#define EDICTD_TESTS_ENTITIES_FIXTURE_H

#include "base/err.h"
#include "collide/cmap.h"

#define TEST_MAX_ENTITIES 1024

typedef struct {
    char classname[MAX_KEY_BYTES], target[MAX_KEY_BYTES], targetname[MAX_KEY_BYTES];
    vec3_t origin;
    int32_t model;   ///< of the submodel, 0 = none
    bounds_t bounds; ///< the submodel's bounds at the entity's origin
    vec3_t throws;   ///< velocity given by a trigger_push: speed * 10 along angle or angles
    float damage;    ///< key dmg
} test_entity_t;

typedef struct {
    test_entity_t list[TEST_MAX_ENTITIES];
    int32_t count;
} test_entities_t;

/// Reads all entities. Returns false if the text is malformed, a submodel does not exist or the
/// list is full.
bool TestEntities_Read(test_entities_t *entities, const cmap_t *map, err_t *err);

/// Returns how many class names begin with `prefix`.
int32_t TestEntities_Count(const test_entities_t *entities, const char *prefix);

/// Returns the next entity after `after` (NULL = start) whose class name begins with `prefix`, or
/// NULL.
const test_entity_t *TestEntities_Next(const test_entities_t *entities, const test_entity_t *after,
                                       const char *prefix);

/// Returns the teleport destination of this name, or NULL.
const test_entity_t *TestEntities_Destination(const test_entities_t *entities, const char *name);

#endif
