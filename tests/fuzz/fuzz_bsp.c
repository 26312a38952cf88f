// fuzz_bsp.c - any bytes as a map file; a loaded map must answer queries.
//
// Input:      the file.
// Invariants: a refusal has a reason; the same bytes give the same map; hull 0, which is reordered,
//             has the contents of the file's own nodes and leafs; sweeps end, within their segment,
//             also through brushes and turned models; a box starts in solid brushes if it touches
//             them; corners of a brush are behind its planes; recovered brushes are the same each
//             time, and have the contents of hull 0 inside; faces stay within the file; a
//             cluster sees itself; occluders contain their brushes.

#include "base/assert.h"
#include "base/rng.h"
#include "bsp/bsp.h"
#include "bsp/faces.h"
#include "bsp/recover.h"
#include "check_vis.h"
#include "collide/occluder.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// The contents of model 0 at a point, by the nodes as the file has them.
static int32_t walk_nodes(const cmap_t *map, vec3_t point) {
    int32_t num = map->leaf_root;
    while (num >= 0) {
        const cnode_t *node = &map->nodes[num];
        num = node->children[PlaneDiff(point, &map->planes[node->plane]) < 0.0f];
    }
    return map->leafs[-1 - num].contents;
}

static vec3_t random_point(rng_t *rng) {
    float size = Rng_Below(rng, 4) == 0 ? 100000.0f : 400.0f;
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

static float random_angle(rng_t *rng) {
    return Rng_Below(rng, 2) ? 0.0f : Rng_Range(rng, -200.0f, 200.0f);
}

static void ask_brushes(const cmap_t *map, rng_t *rng, vec3_t start, vec3_t end) {
    cm_object_t place = {.model = (int32_t)Rng_Below(rng, (uint32_t)map->num_models),
                         .solids = (int32_t)Rng_Below(rng, 3),
                         .origin = start};
    place.angles.y = random_angle(rng);
    place.angles.x = random_angle(rng);
    vec3_t half = {Rng_Range(rng, 0.0f, 40.0f), 16.0f, 28.0f};
    vec3_t mins = VectorNegate(half);
    trace_t trace = CM_BoxTrace(map, &place, start, end, mins, half);
    ASSERT(trace.fraction >= 0.0f && trace.fraction <= 1.0f);
    ASSERT(VectorWithin(trace.endpos, 100001.0f));
    ASSERT(!trace.allsolid || (trace.startsolid && trace.fraction == 0.0f));
    const brush_list_t *list = &map->models[place.model].brushes;
    const cm_pose_t pose = {.origin = place.origin};
    if (list->exists) {
        trace = CM_BrushTrace(list, &pose, start, end, mins, half);
        ASSERT(trace.startsolid == CM_BrushTouches(list, &pose, start, mins, half, true));
        ASSERT(trace.fraction >= 0.0f && trace.fraction <= 1.0f);
    }
}

static void check_brush(const cmap_t *map, const cbrush_t *brush) {
    for (int32_t i = 0; i < brush->num_vertices; i++) {
        vec3_t at = map->brush_vertices[brush->first_vertex + i];
        float size = 1.0f + fabsf(at.x) + fabsf(at.y) + fabsf(at.z);
        for (int32_t n = 0; n < brush->num_planes; n++) {
            const brush_plane_t *plane = &map->brush_planes[brush->first_plane + n];
            ASSERT(DotProduct(plane->normal, at) - plane->dist <= 0.01f + 1e-5f * size);
        }
    }
}

#define DEEP     0.25f    // qu; recovered brushes are exact but for less than this
#define MAX_DEEP 16384.0f // qu; farther out, floats are too coarse

/// Checks that a recovered brush has the contents of hull 0 in its middle.
static void check_recovered(const cmodel_t *model, const cbrush_t *brush) {
    const brush_list_t *list = &model->brushes;
    vec3_t middle = {0.0f, 0.0f, 0.0f};
    for (int32_t i = 0; i < brush->num_vertices; i++) {
        const vec3_t at = list->vertices[brush->first_vertex + i];
        middle = VectorMA(middle, 1.0f / (float)brush->num_vertices, at);
    }
    const vec3_t deep = {DEEP, DEEP, DEEP};
    const bounds_t box = {VectorSubtract(middle, deep), VectorAdd(middle, deep)};
    bool is_inside = VectorWithin(middle, MAX_DEEP) && brush->bounds.mins.x < box.mins.x &&
                     brush->bounds.mins.y < box.mins.y && brush->bounds.mins.z < box.mins.z &&
                     brush->bounds.maxs.x > box.maxs.x && brush->bounds.maxs.y > box.maxs.y &&
                     brush->bounds.maxs.z > box.maxs.z;
    for (int32_t i = 0; i < brush->num_faces; i++) {
        const brush_plane_t *plane = &list->planes[brush->first_plane + i];
        is_inside = is_inside && DotProduct(plane->normal, middle) - plane->dist < -DEEP;
    }
    ASSERT(!is_inside || brush->contents == CONTENTS_CLIP ||
           CM_HullPointContents(&model->hulls[0], middle) == (contents_t)brush->contents);
}

/// Recovers the brushes of the same map twice.
static void recover(cmap_t *map, cmap_t *again) {
    Map_RecoverBrushes(map);
    Map_RecoverBrushes(again);
    ASSERT(map->num_brushes == again->num_brushes && map->num_recovered == again->num_recovered);
    ASSERT(memcmp(map->brushes, again->brushes, (size_t)map->num_brushes * sizeof *map->brushes) ==
           0);
    if (map->num_recovered > 0 && map->num_models == 1) {
        for (int32_t i = 0; i < map->num_brushes; i++) {
            check_recovered(&map->models[0], &map->brushes[i]);
        }
    }
}

static void ask(const cmap_t *map, rng_t *rng) {
    vec3_t start = random_point(rng);
    vec3_t end = random_point(rng);
    ask_brushes(map, rng, start, end);
    check_vis(map, start);
    if (map->brushes_only) {
        CM_PointContents(map, 0, start);
        return;
    }
    ASSERT(CM_PointContents(map, 0, start) == (contents_t)walk_nodes(map, start));
    int32_t leaf = CM_PointLeaf(map, start);
    ASSERT(leaf >= 0 && leaf < map->num_leafs);
    const cmodel_t *model = &map->models[Rng_Below(rng, (uint32_t)map->num_models)];
    const hull_t *hull = &model->hulls[Rng_Below(rng, (uint32_t)CM_NumHulls(map->hullset))];
    trace_t trace = CM_HullTrace(hull, start, end);
    ASSERT(trace.fraction >= 0.0f && trace.fraction <= 1.0f);
    ASSERT(VectorWithin(trace.endpos, 100001.0f));
    ASSERT(trace.startsolid == (CM_HullPointContents(hull, start) == CONTENTS_SOLID));
    ASSERT(!trace.allsolid || (trace.startsolid && trace.fraction == 0.0f));
}

static void read_faces(const uint8_t *data, size_t size) {
    bsp_faces_t faces;
    err_t err = {""};
    if (!Faces_Parse(&faces, "fuzz.bsp", data, size, &err)) {
        ASSERT(strncmp(err.text, "fuzz.bsp: ", 10) == 0 && !faces.arena.base);
        return;
    }
    for (int32_t i = 0; i < faces.num_faces; i++) {
        const bsp_face_t *face = &faces.faces[i];
        ASSERT(face->num_vertices >= 3 && face->texinfo->texture >= faces.textures &&
               face->texinfo->texture < faces.textures + faces.num_textures);
        ASSERT(VectorWithin(face->vertices[face->num_vertices - 1], 1048576.0f));
    }
    for (int32_t i = 0; i < faces.num_textures; i++) {
        const bsp_texture_t *texture = &faces.textures[i];
        for (int32_t k = 0; k < TEXTURE_LEVELS; k++) {
            size_t texels = (size_t)(texture->width >> k) * (size_t)(texture->height >> k);
            const uint8_t *level = texture->levels[k];
            ASSERT(!level || (level >= data && level + texels <= data + size));
        }
        ASSERT(!texture->palette || texture->palette + 3 * 256 <= data + size);
    }
    for (int32_t i = 0; i < faces.num_models; i++) {
        const bsp_model_faces_t *model = &faces.models[i];
        ASSERT(model->num_faces == 0 || (model->first_face >= 0 && model->num_faces > 0 &&
                                         model->first_face + model->num_faces <= faces.num_faces));
    }
    Faces_Free(&faces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_faces(data, size);
    cmap_t map;
    cmap_t again;
    err_t err = {""};
    if (!BSP_Parse(&map, "fuzz.bsp", data, size, &err)) {
        ASSERT(strncmp(err.text, "fuzz.bsp: ", 10) == 0 && !map.arena.base);
        return 0;
    }
    bool good = BSP_Parse(&again, "fuzz.bsp", data, size, &err);
    ASSERT(good && again.hash == map.hash && again.num_clipnodes == map.num_clipnodes);
    ASSERT(memcmp(again.clipnodes, map.clipnodes,
                  (size_t)map.num_clipnodes * sizeof *map.clipnodes) == 0);
    ASSERT(again.num_brushes == map.num_brushes && again.num_brush_nodes == map.num_brush_nodes);
    ASSERT(memcmp(again.brushes, map.brushes, (size_t)map.num_brushes * sizeof *map.brushes) == 0);
    recover(&map, &again);
    CM_FreeMap(&again);
    rng_t rng = {map.hash};
    CM_GrowOccluders(&map);
    for (int32_t i = 0; i < map.num_brushes && map.occluders; i++) {
        ASSERT(BoundsContain(map.occluders[i], map.brushes[i].bounds));
    }
    for (int32_t i = 0; i < map.num_brushes; i++) {
        check_brush(&map, &map.brushes[i]);
    }
    for (int i = 0; i < 8; i++) {
        ask(&map, &rng);
    }
    CM_FreeMap(&map);
    return 0;
}
