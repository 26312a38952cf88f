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

/// Returns true if the part of a box below a node is solid. Recursion as in walk_box.
static bool is_solid(const cmap_t *map, bounds_t box, int32_t num, int32_t *visits_left) {
    while (--*visits_left >= 0 && num >= 0) {
        const cnode_t *node = &map->nodes[num];
        const plane_t *plane = &map->planes[node->plane];
        float range[2];
        box_range(&box, plane, range);
        if (range[0] < 0.0f && range[1] > 0.0f) {
            bounds_t back = box;
            if (plane->type < PLANE_ANY) {
                VectorSetAxis(&back.maxs, plane->type, plane->dist);
                VectorSetAxis(&box.mins, plane->type, plane->dist);
            }
            if (!is_solid(map, back, node->children[1], visits_left)) {
                return false;
            }
        }
        num = node->children[range[1] > 0.0f ? 0 : 1];
    }
    return *visits_left >= 0 && map->leafs[-1 - num].contents == CONTENTS_SOLID;
}

bool CM_IsBoxSolid(const cmap_t *map, bounds_t box, int32_t *visits_left) {
    return is_solid(map, box, map->leaf_root, visits_left);
}
