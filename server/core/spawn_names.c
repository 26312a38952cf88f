/// core/spawn_names.c - names that no entity of the map has: a button whose target has a typo does
/// nothing, and nobody would know why.
//
// Floor:   core.
// Memory:  8 bytes a targetname while it looks; at the start of a map only.

#include "base/hash.h"
#include "core/core_local.h"

#include <stdlib.h>
#include <string.h>

#define MAX_DEAD_NAMES 16 // told one by one; more are only counted

typedef struct {
    sv_context_t *sv;
    const game_export_t *game;
    entity_def_t *def;
    uint64_t *names; // hashes of all targetnames, ascending
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
    err_t err; // text that does not parse was told by who spawned from it
    return BSP_ParseEntity(parser, names->def, &err) == ENTITY_PARSED;
}

static entity_parser_t entities_of(const cmap_t *map) {
    return (entity_parser_t){map->entities, map->entities + map->entities_bytes, 1};
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
    entity_parser_t parser = entities_of(names->sv->map);
    while (next_entity(names, &parser)) {
        const char *name = BSP_EntityValue(names->def, "targetname");
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

// Does a key of an entity name others? `target` is the engine's, others are the game's.
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

static void check_pair(names_t *names, const char *classname, const entity_pair_t *pair) {
    if (pair->value[0] == '\0' || !is_reference(names->game, pair->key) ||
        is_there(names, pair->value) || names->num_dead++ >= MAX_DEAD_NAMES) {
        return;
    }
    Events_Log(names->sv->events, LOG_WARN,
               "%s: entities: line %d: %s \"%s\" of %s: no entity has that targetname",
               names->sv->map->name, pair->line, pair->key, pair->value, classname);
}

static bool has_function(const game_export_t *game, const char *classname) {
    const game_spawn_t *spawn = SV_FindSpawn(game, classname);
    return spawn && spawn->spawn;
}

void SV_CheckNames(sv_context_t *sv, const game_export_t *game, entity_def_t *scratch) {
    names_t names = {.sv = sv, .game = game, .def = scratch};
    entity_parser_t parser = entities_of(sv->map);
    if (!collect(&names)) {
        Events_Log(sv->events, LOG_WARN, "%s: entities: no memory to check their targets",
                   sv->map->name);
        free(names.names);
        return;
    }
    while (next_entity(&names, &parser)) {
        const char *classname = BSP_EntityValue(scratch, "classname");
        for (int32_t i = 0; classname && has_function(game, classname) && i < scratch->num_pairs;
             i++) {
            check_pair(&names, classname, &scratch->pairs[i]);
        }
    }
    if (names.num_dead > MAX_DEAD_NAMES) {
        Events_Log(sv->events, LOG_WARN, "%s: entities: %d more of names that no entity has",
                   sv->map->name, names.num_dead - MAX_DEAD_NAMES);
    }
    free(names.names);
}
