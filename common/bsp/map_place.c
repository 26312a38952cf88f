/// bsp/map_place.c - loads the meshes that entities name, as models and skeletons.
//
// Memory:  names and files are kept in a list until all sizes are known.

#include "base/assert.h"
#include "base/hash.h"
#include "bsp/entity_text.h"
#include "bsp/map_local.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char name[MAX_VALUE_BYTES];
    emesh_t mesh;
    model_t model; // num_bones is 0 if the file has no bones
} placed_t;

/// The files that entities name, and their totals.
typedef struct {
    cmap_t *map;
    const file_reader_t *files;
    const char *path; // path of the map
    placed_t *list;
    int32_t count, room;
    int32_t num_models, num_skeletons; // number of files with triangles; with bones
    size_t bytes;                      // total size of the files
    entity_def_t entity;
    err_t *err;
} placer_t;

/// Sets an error with the line of the entity's key, and returns false.
static bool fail_at(const placer_t *placer, const entity_pair_t *pair, const char *reason) {
    bool beside = Map_IsMeshName(placer->path); // the entity text of hill.emesh is in hill.ent
    int length = (int)strlen(placer->path) - (beside ? (int)strlen("emesh") : 0);
    return Err_Set(placer->err, "%.*s%s: entities: line %d: model \"%s\": %s", length, placer->path,
                   beside ? "ent" : "", pair->line, pair->value, reason);
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

/// Adds a file to the totals. Returns false above a limit, or if nothing in the file collides.
static bool count_one(placer_t *placer, const entity_pair_t *pair, const placed_t *placed) {
    char reason[128];
    if (placed->mesh.num_parts == 0 && placed->model.num_hitboxes == 0) {
        return fail_at(placer, pair, "expected a mesh or hitboxes to collide with, found neither");
    }
    placer->num_models += placed->mesh.num_parts > 0 ? 1 : 0;
    placer->num_skeletons += placed->model.num_bones > 0 ? 1 : 0;
    placer->bytes += placed->mesh.size;
    if (placer->map->num_models + placer->num_models > MAX_MAP_MODELS) {
        snprintf(reason, sizeof reason, "expected at most %d models, found more", MAX_MAP_MODELS);
        return fail_at(placer, pair, reason);
    }
    if (placer->num_skeletons > MAX_MAP_SKELETONS) {
        snprintf(reason, sizeof reason, "expected at most %d files with bones, found more",
                 MAX_MAP_SKELETONS);
        return fail_at(placer, pair, reason);
    }
    if (placer->bytes > MAX_MESHES_BYTES) {
        snprintf(reason, sizeof reason, "expected at most %zu bytes of meshes, found more",
                 MAX_MESHES_BYTES);
        return fail_at(placer, pair, reason);
    }
    return true;
}

static bool add(placer_t *placer, const entity_pair_t *pair) {
    char path[MAX_PATH_BYTES];
    char reason[128];
    err_t why = {{0}};
    const char *fault = Map_PathFault(pair->value);
    if (fault) {
        return fail_at(placer, pair, fault);
    }
    if (placer->count == MAX_MAP_MESHES) {
        snprintf(reason, sizeof reason, "expected at most %d files, found more", MAX_MAP_MESHES);
        return fail_at(placer, pair, reason);
    }
    placed_t *placed = grow(placer);
    if (!placed || !make_path(placer, pair->value, path)) {
        return fail_at(placer, pair, placed ? "the path is too long" : "no memory");
    }
    if (!EMesh_LoadFrom(&placed->mesh, placer->files, path, &why)) {
        return fail_at(placer, pair, why.text);
    }
    placer->count++; // from here on, the list frees the file
    strlcpy(placed->name, pair->value, sizeof placed->name);
    return Model_Read(&placed->model, &placed->mesh, path, &why) ? count_one(placer, pair, placed)
                                                                 : fail_at(placer, pair, why.text);
}

/// Loads the files that entities name. The spawner reports syntax errors.
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

/// The map's arrays during the fill.
typedef struct {
    cmodel_t *models;
    mesh_t *meshes;
    model_t *skeletons;
    const char **skeleton_files;
} arrays_t;

static bool allocate(placer_t *placer, arrays_t *arrays) {
    cmap_t *map = placer->map;
    size_t num_models = (size_t)map->num_models + (size_t)placer->num_models;
    size_t num_skeletons = (size_t)placer->num_skeletons;
    size_t num_meshes = 0;
    size_t size = 4 * 16 + num_models * sizeof *arrays->models +
                  num_skeletons * (sizeof *arrays->skeletons + sizeof *arrays->skeleton_files);
    for (int32_t i = 0; i < placer->count; i++) {
        num_meshes += (size_t)placer->list[i].mesh.num_parts;
        size += 16 + strlen(placer->list[i].name) + 1;
    }
    size += num_meshes * sizeof *arrays->meshes;
    if (!Arena_Init(&map->meshes_arena, size)) {
        return Err_Set(placer->err, "%s: no memory for %d meshes", placer->path, placer->count);
    }
    arena_t *arena = &map->meshes_arena;
    arrays->models = Arena_Alloc(arena, num_models, sizeof *arrays->models);
    arrays->meshes = Arena_Alloc(arena, num_meshes, sizeof *arrays->meshes);
    arrays->skeletons = Arena_Alloc(arena, num_skeletons, sizeof *arrays->skeletons);
    arrays->skeleton_files = Arena_Alloc(arena, num_skeletons, sizeof *arrays->skeleton_files);
    return true;
}

/// Adds the triangles of a file as a model, the bones as a skeleton.
static void take_one(cmap_t *map, arrays_t *arrays, placed_t *placed) {
    size_t length = strlen(placed->name);
    char *name = Arena_Alloc(&map->meshes_arena, length + 1, 1);
    ASSERT(name); // allocate() reserved the space
    memcpy(name, placed->name, length + 1);
    if (placed->mesh.num_parts > 0) {
        cmodel_t *model = &arrays->models[map->num_models++];
        Map_SetMesh(model, arrays->meshes, &placed->mesh);
        model->file = name;
        arrays->meshes += placed->mesh.num_parts;
    }
    if (placed->model.num_bones > 0) {
        arrays->skeletons[map->num_skeletons] = placed->model;
        arrays->skeleton_files[map->num_skeletons++] = name;
    }
    map->hash = Hash_Bytes(&placed->mesh.hash, sizeof placed->mesh.hash, map->hash);
    placed->mesh.block = NULL; // the map owns it
}

/// Copies the own models, then appends placed meshes.
static bool take_all(placer_t *placer) {
    cmap_t *map = placer->map;
    arrays_t arrays = {0};
    if (!allocate(placer, &arrays)) {
        return false;
    }
    ASSERT(arrays.models);
    memcpy(arrays.models, map->models, (size_t)map->num_models * sizeof *arrays.models);
    map->models = arrays.models;
    map->skeletons = arrays.skeletons;
    map->skeleton_files = arrays.skeleton_files;
    for (int32_t i = 0; i < placer->count; i++) {
        if (!Map_KeepBlock(map, placer->list[i].mesh.block)) {
            return Err_Set(placer->err, "%s: no memory for %d meshes", placer->path, placer->count);
        }
        take_one(map, &arrays, &placer->list[i]);
    }
    return true;
}

bool Map_PlaceMeshes(cmap_t *map, const file_reader_t *files, const char *path, err_t *err) {
    if (!strstr(map->entities, ".emesh")) {
        return true; // most maps place no meshes
    }
    placer_t *placer = calloc(1, sizeof *placer);
    if (!placer) {
        return Err_Set(err, "%s: no memory", path);
    }
    placer->map = map;
    placer->files = files;
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
