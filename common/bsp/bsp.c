#include "bsp/bsp.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/hash.h"
#include "bsp/bsp_local.h"
#include "bsp/map_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *short_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool set_name(cmap_t *map, const bsp_file_t *file) {
    const char *name = short_name(file->name);
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    if (length == 0 || length >= sizeof map->name) {
        return Err_Set(file->err,
                       "%s: expected a file name of 1..%zu bytes before the ending, found %zu",
                       file->name, sizeof map->name - 1, length);
    }
    memcpy(map->name, name, length);
    strlcpy(map->format, file->format->name, sizeof map->format);
    map->hullset = file->format->hullset;
    return true;
}

/// Copies an array into the arena of the map.
static void *move_array(cmap_t *map, const brush_array_t *array, size_t size) {
    void *to = Arena_Alloc(&map->brush_arena, (size_t)array->count, size);
    if (array->count > 0) {
        memcpy(to, array->data, (size_t)array->count * size);
    }
    return to;
}

static size_t brushes_bytes(const brushes_t *brushes) {
    return 5 * 16 + (size_t)brushes->brushes.count * sizeof(cbrush_t) +
           (size_t)brushes->planes.count * sizeof(brush_plane_t) +
           (size_t)brushes->vertices.count * sizeof(vec3_t) +
           (size_t)brushes->edges.count * sizeof(vec3_t) +
           (size_t)brushes->nodes.count * sizeof(brush_node_t);
}

bool Bsp_KeepBrushes(cmap_t *map, const brushes_t *brushes) {
    arena_t old = map->brush_arena;
    if (!Arena_Init(&map->brush_arena, brushes_bytes(brushes))) {
        map->brush_arena = old;
        return false;
    }
    map->brush_nodes = move_array(map, &brushes->nodes, sizeof *map->brush_nodes);
    map->brushes = move_array(map, &brushes->brushes, sizeof *map->brushes);
    map->brush_planes = move_array(map, &brushes->planes, sizeof *map->brush_planes);
    map->brush_vertices = move_array(map, &brushes->vertices, sizeof *map->brush_vertices);
    map->brush_edges = move_array(map, &brushes->edges, sizeof *map->brush_edges);
    map->num_brushes = brushes->brushes.count;
    map->num_brush_nodes = brushes->nodes.count;
    Arena_Free(&old);
    return true;
}

bool Bsp_Allocate(cmap_t *map, const bsp_file_t *file, const map_sizes_t *sizes,
                  const brushes_t *brushes) {
    const lump_t *entities = &file->lumps[LUMP_ENTITIES];
    const lump_t none = {0};
    const lump_t *visibility = sizes->clusters ? &file->lumps[sizes->visibility] : &none;
    size_t entities_bytes = entities->bytes;
    while (entities_bytes > 0 && entities->data[entities_bytes - 1] == 0) {
        entities_bytes--; // leave out the NULs with which the text in a file ends
    }
    map->num_planes = sizes->planes;
    map->num_nodes = sizes->nodes;
    map->num_leafs = sizes->leafs;
    map->num_models = sizes->models;
    map->entities_bytes = entities_bytes;
    map->num_clusters = sizes->clusters;
    map->visdata_bytes = visibility->bytes;
    size_t clipnodes = (size_t)sizes->clipnodes;
    size_t size = 8 * 16 + (size_t)map->num_planes * sizeof *map->planes +
                  (size_t)map->num_nodes * sizeof *map->nodes + clipnodes * sizeof *map->clipnodes +
                  (size_t)map->num_leafs * sizeof *map->leafs +
                  (size_t)map->num_models * sizeof *map->models + entities_bytes + 1 +
                  map->visdata_bytes + (size_t)map->num_clusters * sizeof *map->vis_rows;
    if (!Arena_Init(&map->arena, size) || !Bsp_KeepBrushes(map, brushes)) {
        return Err_Set(file->err, "%s: header: no memory for %zu bytes", file->name, size);
    }
    map->clipnodes = Arena_Alloc(&map->arena, clipnodes, sizeof *map->clipnodes);
    map->planes = Arena_Alloc(&map->arena, (size_t)map->num_planes, sizeof *map->planes);
    map->nodes = Arena_Alloc(&map->arena, (size_t)map->num_nodes, sizeof *map->nodes);
    map->leafs = Arena_Alloc(&map->arena, (size_t)map->num_leafs, sizeof *map->leafs);
    map->models = Arena_Alloc(&map->arena, (size_t)map->num_models, sizeof *map->models);
    map->entities = Arena_Alloc(&map->arena, entities_bytes + 1, 1);
    map->visdata = Arena_Alloc(&map->arena, map->visdata_bytes, 1);
    map->vis_rows = Arena_Alloc(&map->arena, (size_t)map->num_clusters, sizeof *map->vis_rows);
    if (entities_bytes > 0) {
        memcpy(map->entities, entities->data, entities_bytes);
    }
    if (map->visdata_bytes > 0) {
        ASSERT(visibility->data); // an empty lump has none
        memcpy(map->visdata, visibility->data, map->visdata_bytes);
    }
    return true;
}

bool Bsp_ReadPlane(const bsp_file_t *file, int32_t lump, int32_t number, vec3_t *normal,
                   float *dist) {
    const lump_t *planes = &file->lumps[lump];
    const uint8_t *at = planes->data + (size_t)number * (size_t)planes->record_bytes;
    *normal = Lumps_Vector(at);
    *dist = Lumps_F32(at + 12);
    float error = fabsf(DotProduct(*normal, *normal) - 1.0f);
    if (!(error <= MAX_NORMAL_ERROR)) {
        return Lumps_Fail(file, lump, "plane %d: expected a normal of length 1, found (%g %g %g)",
                          number, (double)normal->x, (double)normal->y, (double)normal->z);
    }
    return fabsf(*dist) <= MAX_PLANE_DIST ||
           Lumps_Fail(file, lump, "plane %d: expected a distance within +-%g, found %g", number,
                      (double)MAX_PLANE_DIST, (double)*dist);
}

bool Bsp_CheckModel(const bsp_file_t *file, int32_t lump, int32_t number, bounds_t bounds,
                    vec3_t origin) {
    static const char *const names[3] = {"mins", "maxs", "origin"};
    const vec3_t points[3] = {bounds.mins, bounds.maxs, origin};
    for (int32_t i = 0; i < 3; i++) {
        if (!VectorWithin(points[i], MAX_PLANE_DIST)) {
            return Lumps_Fail(file, lump, "model %d: expected %s within +-%g, found (%g %g %g)",
                              number, names[i], (double)MAX_PLANE_DIST, (double)points[i].x,
                              (double)points[i].y, (double)points[i].z);
        }
    }
    return true;
}

void Bsp_SetBrushLists(cmap_t *map, const bspx_list_t *lists) {
    for (int32_t i = 0; i < map->num_models; i++) {
        map->models[i].brushes = (brush_list_t){
            .brushes = map->brushes,
            .planes = map->brush_planes,
            .vertices = map->brush_vertices,
            .edges = map->brush_edges,
            .nodes = map->brush_nodes,
            .root = lists[i].exists ? lists[i].root : BRUSH_NO_CHILD,
            .exists = lists[i].exists,
        };
    }
    map->has_brushes = lists[0].exists;
}

static void set_remark(cmap_t *map, const bsp_remarks_t *remarks) {
    if (remarks->count > 1) {
        snprintf(map->remark, sizeof map->remark, "%s (and %d more like it)", remarks->first,
                 remarks->count - 1);
    } else if (remarks->count == 1) {
        strlcpy(map->remark, remarks->first, sizeof map->remark);
    }
}

static bool (*const parsers[])(cmap_t *map, const bsp_file_t *file) = {
    [FAMILY_QUAKE] = Bsp_ParseQuake,
    [FAMILY_QUAKE2] = Ibsp_ParseQuake2,
    [FAMILY_QUAKE3] = Ibsp_ParseQuake3,
};

bool BSP_Parse(cmap_t *map, const char *name, const uint8_t *data, size_t size, err_t *err) {
    bsp_remarks_t remarks = {.count = 0};
    bsp_file_t file = {.remarks = &remarks};
    *map = (cmap_t){0};
    if (Lumps_Open(&file, name, data, size, err) && set_name(map, &file) &&
        parsers[file.format->family](map, &file) && Map_FindPivots(map, name, err)) {
        map->hash = Hash_Bytes(data, size, 0);
        map->has_ladders = CM_FindLadders(map);
        set_remark(map, &remarks);
        return true;
    }
    CM_FreeMap(map);
    return false;
}

bool BSP_Load(cmap_t *map, const char *path, err_t *err) {
    *map = (cmap_t){0};
    size_t size = 0;
    uint8_t *data = File_Read(path, MAX_MAP_BYTES, &size, err);
    if (!data) {
        return false;
    }
    bool good = BSP_Parse(map, path, data, size, err);
    free(data);
    return good;
}
