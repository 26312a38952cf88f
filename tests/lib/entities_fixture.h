/// test_entities.h - the entities of a compiled map, as far as tests of maps ask for them.
//
// Memory:  a list of fixed size; the caller's.

#ifndef EDICTD_TESTS_TEST_ENTITIES_H
#define EDICTD_TESTS_TEST_ENTITIES_H

#include "base/err.h"
#include "collide/cmodel.h"

#define TEST_MAX_ENTITIES 1024

typedef struct {
    char classname[MAX_KEY_BYTES], target[MAX_KEY_BYTES], targetname[MAX_KEY_BYTES];
    vec3_t origin;
    int32_t model;   ///< of the submodel, 0 = none
    bounds_t bounds; ///< of the submodel, where the entity stands
    vec3_t throws;   ///< of trigger_push: speed * 10 along angle or angles
    float damage;    ///< key dmg
} test_entity_t;

typedef struct {
    test_entity_t list[TEST_MAX_ENTITIES];
    int32_t count;
} test_entities_t;

/// Reads them all. False when the text is broken, a submodel is not there or they are too many.
bool TestEntities_Read(test_entities_t *entities, const cmap_t *map, err_t *err);

/// How many have a class name that begins with `prefix`.
int32_t TestEntities_Count(const test_entities_t *entities, const char *prefix);

/// The next after `after` (NULL = from the first) whose class name begins with `prefix`, or NULL.
const test_entity_t *TestEntities_Next(const test_entities_t *entities, const test_entity_t *after,
                                       const char *prefix);

/// The teleport destination of this name, or NULL.
const test_entity_t *TestEntities_Destination(const test_entities_t *entities, const char *name);

#endif
