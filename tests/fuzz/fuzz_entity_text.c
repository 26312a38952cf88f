// fuzz_entity_text.c - any bytes as the entity text of a map.
//
// Input:      the text.
// Invariants: the parser always advances; a refusal names a line; an entity written again reads
//             back equal.

#include "base/assert.h"
#include "bsp/entity_text.h"

#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TEXT = MAX_ENTITY_KEYS * (MAX_KEY_BYTES + MAX_VALUE_BYTES + 8) + 8 };

static void check_entity(const entity_def_t *entity) {
    static entity_def_t again;
    static char text[MAX_TEXT];
    size_t used = (size_t)snprintf(text, sizeof text, "{\n");
    for (int32_t i = 0; i < entity->num_pairs; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "\"%s\" \"%s\"\n",
                                 entity->pairs[i].key, entity->pairs[i].value);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "}");
    ASSERT(used < sizeof text);
    entity_parser_t parser = {text, text + used, 1};
    ASSERT(BSP_ParseEntity(&parser, &again, NULL) == ENTITY_PARSED);
    ASSERT(parser.at == parser.end && again.num_pairs == entity->num_pairs);
    for (int32_t i = 0; i < entity->num_pairs; i++) {
        ASSERT(strcmp(again.pairs[i].key, entity->pairs[i].key) == 0);
        ASSERT(strcmp(again.pairs[i].value, entity->pairs[i].value) == 0);
        const char *value = BSP_EntityValue(entity, entity->pairs[i].key);
        ASSERT(value && (value == entity->pairs[i].value || i > 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static entity_def_t entity;
    const char *text = (const char *)data;
    entity_parser_t parser = {text, text + size, 1};
    err_t err = {""};
    for (;;) {
        const char *before = parser.at;
        int32_t line = parser.line;
        entity_parse_t got = BSP_ParseEntity(&parser, &entity, &err);
        ASSERT(parser.at >= before && parser.at <= parser.end && parser.line >= line);
        if (got == ENTITY_ERROR) {
            ASSERT(strncmp(err.text, "line ", 5) == 0);
            return 0;
        }
        if (got == ENTITY_END) {
            ASSERT(parser.at == parser.end);
            return 0;
        }
        ASSERT(parser.at > before && entity.num_pairs <= MAX_ENTITY_KEYS);
        check_entity(&entity);
    }
}
