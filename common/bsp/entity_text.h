/// bsp/entity_text.h - parses the entity text of a map: blocks of { "key" "value" ... }.
//
// Memory:  buffers of the caller.

#ifndef EDICTD_BSP_ENTITY_TEXT_H
#define EDICTD_BSP_ENTITY_TEXT_H

#include "base/err.h"
#include "base/limits.h"
#include "math/vec3.h"

typedef struct {
    char key[MAX_KEY_BYTES];
    char value[MAX_VALUE_BYTES];
    int32_t line; ///< line of the key, from 1
} entity_pair_t;

typedef struct {
    entity_pair_t pairs[MAX_ENTITY_KEYS];
    int32_t num_pairs;
    int32_t line; ///< line of the opening brace
} entity_def_t;

/// A parser. Initialise it with {text, text + size, 1}.
typedef struct {
    const char *at, *end;
    int32_t line;
} entity_parser_t;

typedef enum { ENTITY_PARSED, ENTITY_END, ENTITY_ERROR } entity_parse_t;

/// Parses the next entity. For ENTITY_ERROR, err is "line N: expected X, found Y".
entity_parse_t BSP_ParseEntity(entity_parser_t *parser, entity_def_t *out, err_t *err);

/// Returns the first value of a key, or NULL.
const char *BSP_EntityValue(const entity_def_t *entity, const char *key);

/// Returns the number of a key, or `otherwise` if the key is missing or its value is no number.
float BSP_EntityNumber(const entity_def_t *entity, const char *key, float otherwise);

/// Returns the vector of a key; (0, 0, 0) if it is missing, malformed or outside the world.
vec3_t BSP_EntityVector(const entity_def_t *entity, const char *key);

/// Returns the direction of "angle" (-1 up, -2 down), or else of "angles". Its length is 1.
vec3_t BSP_EntityDirection(const entity_def_t *entity);

#endif
