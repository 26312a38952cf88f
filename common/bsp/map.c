#include "bsp/map.h"

#include "base/str.h"
#include "bsp/bsp.h"
#include "bsp/map_local.h"
#include "bsp/recover.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

bool Map_IsMeshName(const char *value) {
    const char *ending = ".emesh";
    size_t length = strlen(value);
    return length > strlen(ending) && strcmp(value + length - strlen(ending), ending) == 0;
}

int32_t Map_FindModel(const cmap_t *map, const char *value) {
    int64_t number = 0;
    if (value[0] == '*') {
        // Placed meshes have numbers too, but entities must refer to a mesh by its name.
        bool good =
            Str_ToInt(value + 1, 1, map->num_models - 1, &number) && !map->models[number].file;
        return good ? (int32_t)number : -1;
    }
    for (int32_t i = 1; i < map->num_models; i++) {
        if (map->models[i].file && strcmp(map->models[i].file, value) == 0) {
            return i;
        }
    }
    return -1;
}

int32_t Map_FindSkeleton(const cmap_t *map, const char *value) {
    for (int32_t i = 0; i < map->num_skeletons; i++) {
        if (strcmp(map->skeleton_files[i], value) == 0) {
            return i;
        }
    }
    return -1;
}

const model_t *Map_Skeleton(const cmap_t *map, int32_t skeleton) {
    return skeleton >= 0 && skeleton < map->num_skeletons ? &map->skeletons[skeleton] : NULL;
}

const char *Map_SkeletonFile(const cmap_t *map, int32_t skeleton) {
    return map->skeleton_files[skeleton];
}

const char *Map_PathFault(const char *path) {
    if (path[0] == '/' || strchr(path, '\\')) {
        return "expected a relative path below the map's folder, separated by /";
    }
    for (const char *at = path; *at != '\0';) {
        size_t length = strcspn(at, "/");
        if (length == 0 || at[0] == '.') {
            return "expected a path without empty names and without names that start with a dot";
        }
        at += length + (at[length] == '/' ? 1 : 0);
    }
    return NULL;
}

bool Map_KeepBlock(cmap_t *map, void *block) {
    void **blocks =
        realloc(map->mesh_blocks, ((size_t)map->num_mesh_blocks + 1) * sizeof *map->mesh_blocks);
    if (!blocks) {
        return false;
    }
    map->mesh_blocks = blocks;
    map->mesh_blocks[map->num_mesh_blocks++] = block;
    return true;
}

void Map_SetMesh(cmodel_t *model, mesh_t *meshes, const emesh_t *mesh) {
    memcpy(meshes, mesh->parts, (size_t)mesh->num_parts * sizeof *meshes);
    model->kind = MODEL_MESH;
    model->mesh = meshes;
    model->num_more_meshes = mesh->num_parts - 1;
    model->bounds = meshes[0].bounds;
    for (int32_t i = 1; i < mesh->num_parts; i++) {
        model->bounds.mins = VectorMin(model->bounds.mins, meshes[i].bounds.mins);
        model->bounds.maxs = VectorMax(model->bounds.maxs, meshes[i].bounds.maxs);
    }
}

static bool load_into(cmap_t *map, const file_reader_t *files, const char *path, err_t *err) {
    *map = (cmap_t){0};
    size_t size = 0;
    uint8_t *data = File_ReadFrom(files, path, MAX_EMESH_BYTES, &size, err);
    bool good = data != NULL;
    if (good && EMesh_IsOne(data, size)) {
        emesh_t mesh;
        good = EMesh_Parse(&mesh, path, data, size, err);
        mesh.block = data;
        good = good && Map_FromMesh(map, files, path, &mesh, err);
        EMesh_Free(&mesh); // frees only what the map did not take over
    } else if (good) {
        good = size <= MAX_MAP_BYTES ? BSP_Parse(map, path, data, size, err)
                                     : Err_Set(err, "%s: expected at most %d bytes, found %zu",
                                               path, MAX_MAP_BYTES, size);
        free(data);
        if (good) {
            Map_RecoverBrushes(map);
        }
    }
    good = good && Map_PlaceMeshes(map, files, path, err);
    if (!good) {
        CM_FreeMap(map);
    }
    return good;
}

bool Map_LoadInto(cmap_t *map, const char *path, err_t *err) {
    return load_into(map, NULL, path, err);
}

cmap_t *Map_LoadFrom(const file_reader_t *files, const char *path, err_t *err) {
    cmap_t *map = malloc(sizeof *map);
    if (!map) {
        Err_Set(err, "%s: no memory", path);
        return NULL;
    }
    if (!load_into(map, files, path, err)) {
        free(map);
        return NULL;
    }
    return map;
}

cmap_t *Map_Load(const char *path, err_t *err) {
    return Map_LoadFrom(NULL, path, err);
}

cmap_t *Map_MakeEmpty(const char *name, bounds_t bounds) {
    cmap_t *map = calloc(1, sizeof *map);
    cmodel_t *model = calloc(1, sizeof *model + 1); // + 1 for the entity text ""
    if (!map || !model || !Map_KeepBlock(map, model)) {
        free(map);
        free(model);
        return NULL;
    }
    strlcpy(map->name, name, sizeof map->name);
    *model = (cmodel_t){.kind = MODEL_BSP, .bounds = bounds};
    for (int32_t i = 0; i < MAX_MAP_HULLS; i++) {
        bool is_used = i < CM_NumHulls(HULLSET_QUAKE);
        bounds_t size = is_used ? CM_HullSize(HULLSET_QUAKE, i) : (bounds_t){0};
        model->hulls[i] =
            (hull_t){.root = CONTENTS_EMPTY, .clip_mins = size.mins, .clip_maxs = size.maxs};
    }
    map->models = model;
    map->num_models = 1;
    map->has_clip_hulls = true;
    map->entities = (char *)(model + 1);
    return map;
}

void Map_Free(cmap_t *map) {
    if (map) {
        CM_FreeMap(map);
        free(map);
    }
}
