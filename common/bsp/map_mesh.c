/// bsp/map_mesh.c - makes a world of one mesh: its name, leaves and entities.

#include "base/file.h"
#include "base/hash.h"
#include "bsp/map_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Box of the largest player, for the default start.
static const vec3_t start_mins = {-16.0f, -16.0f, -36.0f};
static const vec3_t start_maxs = {16.0f, 16.0f, 36.0f};

enum { NUM_LEAFS = 2, OUTSIDE_LEAF = 0, INSIDE_LEAF = 1 };

static bool set_name(cmap_t *map, const char *path, err_t *err) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    if (length == 0 || length >= sizeof map->name) {
        return Err_Set(err, "%s: expected a file name of 1..%zu bytes before the ending, found %zu",
                       path, sizeof map->name - 1, length);
    }
    memcpy(map->name, name, length);
    strlcpy(map->format, "EMESH", sizeof map->format);
    return true;
}

static bool allocate(cmap_t *map, const char *path, const emesh_t *mesh, err_t *err) {
    size_t num_meshes = (size_t)mesh->num_parts;
    size_t size =
        3 * 16 + sizeof *map->models + NUM_LEAFS * sizeof *map->leafs + num_meshes * sizeof(mesh_t);
    if (!Arena_Init(&map->arena, size)) {
        return Err_Set(err, "%s: no memory for %zu bytes", path, size);
    }
    map->models = Arena_Alloc(&map->arena, 1, sizeof *map->models);
    map->leafs = Arena_Alloc(&map->arena, NUM_LEAFS, sizeof *map->leafs);
    mesh_t *meshes = Arena_Alloc(&map->arena, num_meshes, sizeof *meshes);
    map->num_models = 1;
    map->num_leafs = NUM_LEAFS;
    Map_SetMesh(&map->models[0], meshes, mesh);
    // One leaf contains all points, as there is no visibility. Leaf 0 is outside.
    map->leafs[OUTSIDE_LEAF] = (cleaf_t){.contents = CONTENTS_SOLID, .cluster = CM_NO_CLUSTER};
    map->leafs[INSIDE_LEAF] = (cleaf_t){.contents = CONTENTS_EMPTY, .cluster = CM_NO_CLUSTER};
    map->leaf_root = -1 - INSIDE_LEAF;
    return true;
}

// ---- entities ----

/// Drops a player's box at (x, y). Writes where it lands, or returns false.
static bool find_ground(const cmap_t *map, float x, float y, vec3_t *out) {
    const bounds_t *bounds = &map->models[0].bounds;
    const cm_object_t object = {.model = 0};
    vec3_t start = {x, y, bounds->maxs.z - start_mins.z + 1.0f};
    vec3_t end = {x, y, bounds->mins.z};
    trace_t trace = CM_BoxTrace(map, &object, start, end, start_mins, start_maxs);
    *out = trace.endpos;
    return !trace.startsolid && trace.fraction < 1.0f;
}

/// Returns the middle of the triangle whose middle is nearest to (x, y). Heights do not count.
static vec3_t nearest_triangle(const mesh_t *mesh, float x, float y) {
    vec3_t best = {x, y, 0.0f};
    float least = INFINITY;
    for (int32_t i = 0; i < mesh->num_triangles; i++) {
        const int32_t *index = mesh->indices[i];
        vec3_t sum = VectorAdd(VectorAdd(mesh->vertices[index[0]], mesh->vertices[index[1]]),
                               mesh->vertices[index[2]]);
        vec3_t middle = VectorScale(sum, 1.0f / 3.0f);
        float dx = middle.x - x;
        float dy = middle.y - y;
        if (dx * dx + dy * dy < least) {
            least = dx * dx + dy * dy;
            best = middle;
        }
    }
    return best;
}

/// Returns a worldspawn, and a start on top of the mesh's middle.
static char *default_entities(const cmap_t *map) {
    char text[256];
    const cmodel_t *model = &map->models[0];
    float x = (model->bounds.mins.x + model->bounds.maxs.x) * 0.5f;
    float y = (model->bounds.mins.y + model->bounds.maxs.y) * 0.5f;
    vec3_t start;
    if (!find_ground(map, x, y, &start)) {
        vec3_t near = nearest_triangle(model->mesh, x, y);
        find_ground(map, near.x, near.y, &start);
    }
    snprintf(text, sizeof text,
             "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"info_player_deathmatch\"\n"
             "\"origin\" \"%.3f %.3f %.3f\"\n}\n",
             (double)start.x, (double)start.y, (double)start.z);
    return strdup(text);
}

/// Writes the .ent path of an .emesh file. Returns false if it is too long.
static bool side_path(const char *path, char out[MAX_PATH_BYTES]) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(path, '.');
    int length = (int)(dot && dot > slash ? (size_t)(dot - path) : strlen(path));
    int written = snprintf(out, MAX_PATH_BYTES, "%.*s.ent", length, path);
    return written > 0 && written < MAX_PATH_BYTES;
}

/// Sets the entity text, from the .ent file or the default.
static bool read_entities(cmap_t *map, const file_reader_t *files, const char *path, err_t *err) {
    char side[MAX_PATH_BYTES];
    if (!side_path(path, side)) {
        return Err_Set(err, "%s: the path of its .ent file has more than %d bytes", path,
                       MAX_PATH_BYTES - 1);
    }
    size_t size = 0;
    char *text = NULL;
    if (files || File_Exists(side)) {
        text = (char *)File_ReadFrom(files, side, MAX_MAP_BYTES, &size, err);
        if (!text && !files) {
            return false;
        }
        if (text && strlen(text) != size) {
            size_t at = strlen(text);
            free(text);
            return Err_Set(err, "%s: byte %zu: expected text, found a zero byte", side, at);
        }
    }
    if (!text) {
        text = default_entities(map);
        size = text ? strlen(text) : 0;
    }
    if (!text || !Map_KeepBlock(map, text)) {
        free(text);
        return Err_Set(err, "%s: no memory for its entities", path);
    }
    map->entities = text;
    map->entities_bytes = size;
    return true;
}

bool Map_FromMesh(cmap_t *map, const file_reader_t *files, const char *path, emesh_t *mesh,
                  err_t *err) {
    if (mesh->num_parts == 0) {
        return Err_Set(err, "%s: expected a mesh to collide with, found none", path);
    }
    if (!set_name(map, path, err) || !allocate(map, path, mesh, err)) {
        return false;
    }
    if (!Map_KeepBlock(map, mesh->block)) {
        return Err_Set(err, "%s: no memory", path);
    }
    mesh->block = NULL; // the map owns it
    if (!read_entities(map, files, path, err)) {
        return false;
    }
    const uint64_t hashes[2] = {mesh->hash, Hash_Bytes(map->entities, map->entities_bytes, 0)};
    map->hash = Hash_Bytes(hashes, sizeof hashes, 0);
    return true;
}
