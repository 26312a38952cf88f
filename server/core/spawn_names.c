/// core/spawn_names.c - reports targets that match no entity of the map.
//
// Memory:  8 bytes per targetname during the check, at the start of a map only.

#include "base/hash.h"
#include "core/core_local.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEAD_NAMES 16 // reported one by one; more are only counted

typedef struct {
    sv_context_t *sv;
    const game_export_t *game;
    uint64_t *names; // hashes of all targetnames, in ascending order
    size_t num_names, capacity;
    int32_t num_dead;
} names_t;

static uint64_t hash_of(const char *name) {
    return Hash_Bytes(name, strlen(name), 0);
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool next_entity(const names_t *names, entity_parser_t *parser) {
    err_t err; // unused: SV_SpawnEntities already reported text that does not parse
    map_entity_t *entity = names->sv->map_entity;
    entity->number++;
    return BSP_ParseEntity(parser, &entity->def, &err) == ENTITY_PARSED;
}

static entity_parser_t first_entity(const names_t *names) {
    const cmap_t *map = names->sv->map;
    names->sv->map_entity->number = -1;
    const cm_info_t info = CM_Info(map);
    return (entity_parser_t){info.entities, info.entities + info.entities_bytes, 1};
}

static bool add_name(names_t *names, const char *name) {
    if (names->num_names == names->capacity) {
        size_t capacity = names->capacity ? names->capacity * 2 : 256;
        uint64_t *grown = realloc(names->names, capacity * sizeof *grown);
        if (!grown) {
            return false;
        }
        names->names = grown;
        names->capacity = capacity;
    }
    names->names[names->num_names++] = hash_of(name);
    return true;
}

static bool collect(names_t *names) {
    entity_parser_t parser = first_entity(names);
    while (next_entity(names, &parser)) {
        const char *name = BSP_EntityValue(&names->sv->map_entity->def, "targetname");
        if (name && !add_name(names, name)) {
            return false;
        }
    }
    if (names->num_names > 0) {
        qsort(names->names, names->num_names, sizeof *names->names, ascending);
    }
    return true;
}

static bool is_there(const names_t *names, const char *name) {
    uint64_t hash = hash_of(name);
    return names->num_names > 0 &&
           bsearch(&hash, names->names, names->num_names, sizeof hash, ascending) != NULL;
}

// Returns true for a key that names other entities: `target` of the engine, others of the game.
static bool is_reference(const game_export_t *game, const char *key) {
    const game_fields_t *fields = &game->edict_fields;
    for (int32_t f = 0; f < fields->count; f++) {
        const game_field_t *field = &fields->list[f];
        if ((field->flags & FIELD_NAMES) && strcmp(field->name, key) == 0) {
            return true;
        }
    }
    return strcmp(key, "target") == 0;
}

static void check_pair(names_t *names, const entity_pair_t *pair) {
    if (pair->value[0] == '\0' || !is_reference(names->game, pair->key) ||
        is_there(names, pair->value) || names->num_dead++ >= MAX_DEAD_NAMES) {
        return;
    }
    SV_WarnEntity(names->sv, "%s \"%s\" matches no entity's targetname", pair->key, pair->value);
}

static bool has_function(const game_export_t *game, const char *classname) {
    const game_spawn_t *spawn = SV_FindSpawn(game, classname);
    return spawn && spawn->spawn;
}

void SV_CheckNames(sv_context_t *sv, const game_export_t *game) {
    names_t names = {.sv = sv, .game = game};
    const entity_def_t *def = &sv->map_entity->def;
    if (!collect(&names)) {
        Events_Log(sv->events, LOG_WARN, "%s: no memory to check the targets of its entities",
                   CM_Info(sv->map).name);
        free(names.names);
        return;
    }
    for (entity_parser_t parser = first_entity(&names); next_entity(&names, &parser);) {
        const char *classname = BSP_EntityValue(def, "classname");
        for (int32_t i = 0; classname && has_function(game, classname) && i < def->num_pairs; i++) {
            check_pair(&names, &def->pairs[i]);
        }
    }
    if (names.num_dead > MAX_DEAD_NAMES) {
        Events_Log(sv->events, LOG_WARN, "%s: %d more keys match no entity's targetname",
                   CM_Info(sv->map).name, names.num_dead - MAX_DEAD_NAMES);
    }
    free(names.names);
}
