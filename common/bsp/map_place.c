/// bsp/map_place.c - meshes that a map's entities name become further models of the map.
//
// Floor:   bsp.
// Memory:  the names and what is read wait in a list of its own until all of it is known.

#include "base/assert.h"
#include "base/hash.h"
#include "bsp/entity_text.h"
#include "bsp/map_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char name[MAX_VALUE_BYTES];
    emesh_t mesh;
} placed_t;

/// Placing under way.
typedef struct {
    cmap_t *map;
    const char *path; // of the map
    placed_t *list;
    int32_t count, room;
    size_t bytes; // of all files
    entity_def_t entity;
    err_t *err;
} placer_t;

/// Sets the error to where an entity names a mesh. Always false.
static bool fail_at(const placer_t *placer, const entity_pair_t *pair, const char *reason) {
    return Err_Set(placer->err, "%s: entities: line %d: model \"%s\": %s", placer->path, pair->line,
                   pair->value, reason);
}

/// Why a path does not lead to a file below the map's folder, or NULL.
static const char *path_fault(const char *name) {
    if (name[0] == '/' || strchr(name, '\\')) {
        return "expected a path from the map's folder, with / between its parts";
    }
    for (const char *at = name; *at != '\0';) {
        size_t length = strcspn(at, "/");
        if (length == 0 || at[0] == '.') {
            return "expected a path whose parts do not begin with a dot";
        }
        at += length + (at[length] == '/' ? 1 : 0);
    }
    return NULL;
}

static bool make_path(const placer_t *placer, const char *name, char path[MAX_PATH_BYTES]) {
    const char *slash = strrchr(placer->path, '/');
    int folder = slash ? (int)(slash - placer->path) + 1 : 0;
    int written = snprintf(path, MAX_PATH_BYTES, "%.*s%s", folder, placer->path, name);
    return written > 0 && written < MAX_PATH_BYTES;
}

static placed_t *grow(placer_t *placer) {
    if (placer->count == placer->room) {
        int32_t room = placer->room * 2 + 8;
        placed_t *list = realloc(placer->list, (size_t)room * sizeof *list);
        if (!list) {
            return NULL;
        }
        placer->list = list;
        placer->room = room;
    }
    placed_t *placed = &placer->list[placer->count];
    *placed = (placed_t){0};
    return placed;
}

static bool is_known(const placer_t *placer, const char *name) {
    for (int32_t i = 0; i < placer->count; i++) {
        if (strcmp(placer->list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool add(placer_t *placer, const entity_pair_t *pair) {
    char path[MAX_PATH_BYTES];
    char reason[128];
    err_t why = {{0}};
    const char *fault = path_fault(pair->value);
    if (fault) {
        return fail_at(placer, pair, fault);
    }
    if (placer->count == MAX_MAP_MESHES ||
        placer->map->num_models + placer->count >= MAX_MAP_MODELS) {
        snprintf(reason, sizeof reason, "expected at most %d meshes and %d models, found more",
                 MAX_MAP_MESHES, MAX_MAP_MODELS);
        return fail_at(placer, pair, reason);
    }
    placed_t *placed = grow(placer);
    if (!placed || !make_path(placer, pair->value, path)) {
        return fail_at(placer, pair, placed ? "the path is too long" : "no memory");
    }
    if (!EMesh_Load(&placed->mesh, path, &why)) {
        return fail_at(placer, pair, why.text);
    }
    strlcpy(placed->name, pair->value, sizeof placed->name);
    placer->count++;
    placer->bytes += placed->mesh.size;
    if (placer->bytes > MAX_MESHES_BYTES) {
        snprintf(reason, sizeof reason, "expected at most %zu bytes of meshes, found more",
                 MAX_MESHES_BYTES);
        return fail_at(placer, pair, reason);
    }
    return placed->mesh.num_parts > 0 ||
           fail_at(placer, pair, "expected a mesh to collide with, found none");
}

/// Loads what the entities name. Text that does not parse ends it: who spawns the entities says so.
static bool read_all(placer_t *placer) {
    const cmap_t *map = placer->map;
    entity_parser_t parser = {map->entities, map->entities + map->entities_bytes, 1};
    while (BSP_ParseEntity(&parser, &placer->entity, NULL) == ENTITY_PARSED) {
        for (int32_t i = 0; i < placer->entity.num_pairs; i++) {
            const entity_pair_t *pair = &placer->entity.pairs[i];
            if (strcmp(pair->key, "model") == 0 && Map_IsMeshName(pair->value) &&
                !is_known(placer, pair->value) && !add(placer, pair)) {
                return false;
            }
        }
    }
    return true;
}

// ---- into the map ----

static bool allocate(placer_t *placer, cmodel_t **models, mesh_t **meshes) {
    cmap_t *map = placer->map;
    size_t num_models = (size_t)map->num_models + (size_t)placer->count;
    size_t num_meshes = 0;
    size_t size = 2 * 16 + num_models * sizeof **models;
    for (int32_t i = 0; i < placer->count; i++) {
        num_meshes += (size_t)placer->list[i].mesh.num_parts;
        size += 16 + strlen(placer->list[i].name) + 1;
    }
    size += num_meshes * sizeof **meshes;
    if (!Arena_Init(&map->meshes_arena, size)) {
        return Err_Set(placer->err, "%s: no memory for %d meshes", placer->path, placer->count);
    }
    *models = Arena_Alloc(&map->meshes_arena, num_models, sizeof **models);
    *meshes = Arena_Alloc(&map->meshes_arena, num_meshes, sizeof **meshes);
    return true;
}

/// The map's own models are copied in front of the meshes.
static bool take_all(placer_t *placer) {
    cmap_t *map = placer->map;
    cmodel_t *models = NULL;
    mesh_t *meshes = NULL;
    uint64_t hash = map->hash;
    if (!allocate(placer, &models, &meshes)) {
        return false;
    }
    ASSERT(models && meshes);
    memcpy(models, map->models, (size_t)map->num_models * sizeof *models);
    for (int32_t i = 0; i < placer->count; i++) {
        placed_t *placed = &placer->list[i];
        cmodel_t *model = &models[map->num_models + i];
        size_t length = strlen(placed->name);
        char *name = Arena_Alloc(&map->meshes_arena, length + 1, 1);
        ASSERT(name); // allocate() counted it
        if (!Map_KeepBlock(map, placed->mesh.block)) {
            return Err_Set(placer->err, "%s: no memory for %d meshes", placer->path, placer->count);
        }
        memcpy(name, placed->name, length + 1);
        Map_SetMesh(model, meshes, &placed->mesh);
        model->file = name;
        meshes += placed->mesh.num_parts;
        placed->mesh.block = NULL; // the map's now
        hash = Hash_Bytes(&placed->mesh.hash, sizeof placed->mesh.hash, hash);
    }
    map->models = models;
    map->num_models += placer->count;
    map->hash = hash;
    return true;
}

bool Map_PlaceMeshes(cmap_t *map, const char *path, err_t *err) {
    if (!strstr(map->entities, ".emesh")) {
        return true; // most maps: no need to parse
    }
    placer_t *placer = calloc(1, sizeof *placer);
    if (!placer) {
        return Err_Set(err, "%s: no memory", path);
    }
    placer->map = map;
    placer->path = path;
    placer->err = err;
    bool good = read_all(placer) && (placer->count == 0 || take_all(placer));
    for (int32_t i = 0; i < placer->count; i++) {
        EMesh_Free(&placer->list[i].mesh);
    }
    free(placer->list);
    free(placer);
    return good;
}
