#include "collide/vis.h"

#include "base/assert.h"
#include "collide/cmap.h"

#include <string.h>

/// Maximum nodes and leaves that a box may reach. A player reaches some dozens. The limit also ends
/// walks of trees with shared nodes.
#define MAX_BOX_VISITS 4096

bool CM_HasVis(const cmap_t *map) {
    return map->num_clusters > 0;
}

int32_t CM_NumClusters(const cmap_t *map) {
    return map->num_clusters;
}

size_t CM_PVSBytes(const cmap_t *map) {
    return ((size_t)map->num_clusters + 7) / 8;
}

int32_t CM_PointCluster(const cmap_t *map, vec3_t point) {
    return map->num_clusters > 0 ? map->leafs[CM_PointLeaf(map, point)].cluster : CM_NO_CLUSTER;
}

void CM_AddPVS(const cmap_t *map, int32_t cluster, uint8_t *row) {
    ASSERT(cluster >= CM_NO_CLUSTER && cluster < map->num_clusters);
    const size_t size = CM_PVSBytes(map);
    if (cluster == CM_NO_CLUSTER || map->vis_rows[cluster] < 0) {
        memset(row, 0xff, size);
        return;
    }
    const uint8_t *at = map->visdata + map->vis_rows[cluster];
    for (size_t n = 0; n < size;) { // the loader checked that runs of zeros end with the row
        if (*at == 0 && map->is_vis_packed) {
            n += at[1];
            at += 2;
        } else {
            row[n++] |= *at++;
        }
    }
    row[cluster / 8] = (uint8_t)(row[cluster / 8] | 1u << cluster % 8);
}

/// A walk of the leaves that a box reaches.
typedef struct {
    const cmap_t *map;
    bounds_t box;
    int32_t *clusters;
    int32_t max, count, visits;
} box_walk_t;

static bool add_cluster(box_walk_t *walk, int32_t cluster) {
    for (int32_t i = 0; i < walk->count; i++) {
        if (walk->clusters[i] == cluster) {
            return true;
        }
    }
    if (walk->count == walk->max) {
        return false;
    }
    walk->clusters[walk->count++] = cluster;
    return true;
}

/// Writes the smallest and largest distance of the box from a plane.
static void box_range(const bounds_t *box, const plane_t *plane, float range[2]) {
    vec3_t lo = box->mins;
    vec3_t hi = box->maxs;
    if (plane->normal.x < 0.0f) {
        lo.x = box->maxs.x;
        hi.x = box->mins.x;
    }
    if (plane->normal.y < 0.0f) {
        lo.y = box->maxs.y;
        hi.y = box->mins.y;
    }
    if (plane->normal.z < 0.0f) {
        lo.z = box->maxs.z;
        hi.z = box->mins.z;
    }
    range[0] = PlaneDiff(lo, plane);
    range[1] = PlaneDiff(hi, plane);
}

/// Adds the clusters below a node. Returns false if there are too many. The depth of the tree is
/// at most MAX_HULL_DEPTH, which the loader checks.
static bool walk_box(box_walk_t *walk, int32_t num) {
    while (num >= 0) {
        if (++walk->visits > MAX_BOX_VISITS) {
            return false;
        }
        const cnode_t *node = &walk->map->nodes[num];
        float range[2];
        box_range(&walk->box, &walk->map->planes[node->plane], range);
        if (range[0] <= 0.0f && range[1] >= 0.0f && !walk_box(walk, node->children[1])) {
            return false;
        }
        num = node->children[range[1] >= 0.0f ? 0 : 1];
    }
    int32_t cluster = walk->map->leafs[-1 - num].cluster;
    return cluster == CM_NO_CLUSTER || add_cluster(walk, cluster);
}

int32_t CM_BoxClusters(const cmap_t *map, bounds_t box, int32_t *clusters, int32_t max) {
    box_walk_t walk = {.map = map, .box = box, .clusters = clusters, .max = max};
    if (map->num_clusters == 0 || !walk_box(&walk, map->leaf_root)) {
        return CM_ALL_CLUSTERS;
    }
    return walk.count;
}

cm_occluder_t CM_OccluderAt(const cmap_t *map, const cm_object_t *object, vec3_t point) {
    const brush_list_t *list = CM_Brushes(map, object->model);
    cm_occluder_t found = {object->model, -1, CM_ModelPose(map, object).origin};
    if (list && !CM_IsTurned(object)) {
        const vec3_t at = VectorSubtract(point, found.origin);
        const vec3_t reach = {OCCLUDER_MARGIN, OCCLUDER_MARGIN, OCCLUDER_MARGIN};
        const bounds_t box = {VectorSubtract(at, reach), VectorAdd(at, reach)};
        const cbrush_t *brush = CM_BrushAround(list, box, CONTENTS_SOLID);
        found.brush = brush ? (int32_t)(brush - list->brushes) : -1;
    }
    return found;
}

/// Cuts the part of a line from t[0] to t[1] by a slab: between `low` and `high` on an axis.
static inline void cut_line(float t[2], float from, float to, float low, float high) {
    const float per = 1.0f / (to - from); // infinite if the line is parallel
    const float at_low = (low - from) * per;
    const float at_high = (high - from) * per;
    const float enter = at_low < at_high ? at_low : at_high;
    const float leave = at_low < at_high ? at_high : at_low;
    t[0] = enter > t[0] ? enter : t[0];
    t[1] = leave < t[1] ? leave : t[1];
}

bool CM_Hides(const cmap_t *map, const cm_occluder_t *occluder, vec3_t from, vec3_t to) {
    const brush_list_t *list = CM_Brushes(map, occluder->model);
    const cbrush_t *brush = &list->brushes[occluder->brush];
    const float in = OCCLUDER_MARGIN;
    from = VectorSubtract(from, occluder->origin);
    to = VectorSubtract(to, occluder->origin);
    float t[2] = {0.0f, 1.0f};
    cut_line(t, from.x, to.x, brush->bounds.mins.x + in, brush->bounds.maxs.x - in);
    cut_line(t, from.y, to.y, brush->bounds.mins.y + in, brush->bounds.maxs.y - in);
    cut_line(t, from.z, to.z, brush->bounds.mins.z + in, brush->bounds.maxs.z - in);
    for (int32_t i = 0; i < brush->num_faces && t[0] < t[1]; i++) {
        const brush_plane_t *plane = &list->planes[brush->first_plane + i];
        const float a = DotProduct(plane->normal, from) - plane->dist + in;
        const float b = DotProduct(plane->normal, to) - plane->dist + in;
        const float at = a / (a - b);
        t[0] = a > b && at > t[0] ? at : t[0];
        t[1] = a < b && at < t[1] ? at : t[1];
        t[1] = a == b && a > 0.0f ? -1.0f : t[1];
    }
    return t[0] < t[1];
}

int32_t CM_OccluderFaces(const cmap_t *map, const cm_occluder_t *occluder, brush_plane_t *faces,
                         int32_t max) {
    const brush_list_t *list = CM_Brushes(map, occluder->model);
    const cbrush_t *brush = &list->brushes[occluder->brush];
    const bounds_t box = {VectorAdd(brush->bounds.mins, occluder->origin),
                          VectorAdd(brush->bounds.maxs, occluder->origin)};
    if (6 + brush->num_faces > max) {
        return 0;
    }
    faces[0] = (brush_plane_t){{1.0f, 0.0f, 0.0f}, box.maxs.x};
    faces[1] = (brush_plane_t){{0.0f, 1.0f, 0.0f}, box.maxs.y};
    faces[2] = (brush_plane_t){{0.0f, 0.0f, 1.0f}, box.maxs.z};
    faces[3] = (brush_plane_t){{-1.0f, 0.0f, 0.0f}, -box.mins.x};
    faces[4] = (brush_plane_t){{0.0f, -1.0f, 0.0f}, -box.mins.y};
    faces[5] = (brush_plane_t){{0.0f, 0.0f, -1.0f}, -box.mins.z};
    for (int32_t i = 0; i < brush->num_faces; i++) {
        const brush_plane_t *plane = &list->planes[brush->first_plane + i];
        faces[6 + i] = (brush_plane_t){plane->normal,
                                       plane->dist + DotProduct(plane->normal, occluder->origin)};
    }
    return 6 + brush->num_faces;
}
