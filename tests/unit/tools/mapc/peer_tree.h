/// peer_tree.h - the visibility of another compiler's map, found again on that map's own tree.

#ifndef EDICTD_TESTS_MAPC_PEER_TREE_H
#define EDICTD_TESTS_MAPC_PEER_TREE_H

#include "collide/cmap.h"
#include "lib/testing.h"
#include "mapc/vis.h"

#include <stdlib.h>
#include <string.h>

/// The other compiler joins the leafs around a detail brush to one cluster: leafs of one row. A
/// group is such a cluster: the smallest subtree with all its leafs, where detail is open.
typedef struct {
    const cmap_t *map;
    mc_tree_t tree; ///< leaf n + 1 is group n
    mc_pools_t pools;
    int32_t *group_of; ///< per leaf of the map; -1 = solid
    int32_t num_groups;
} peer_tree_t;

/// Returns the key of a leaf's cluster, or -1.
static inline int32_t Peer_Row(const cmap_t *map, int32_t leaf) {
    int32_t cluster = map->leafs[leaf].cluster;
    if (cluster < 0) {
        return -1;
    }
    return map->brushes_only ? cluster : map->vis_rows[cluster];
}

/// Counts the leafs below a child. *row: the key of all of them; -1 = none, -2 = several.
static inline int32_t Peer_Count(const cmap_t *map, int32_t child, int32_t *row) {
    if (child >= 0) {
        return Peer_Count(map, map->nodes[child].children[0], row) +
               Peer_Count(map, map->nodes[child].children[1], row);
    }
    int32_t key = Peer_Row(map, -1 - child);
    if (key >= 0) {
        *row = *row == -1 || *row == key ? key : -2;
    }
    return key >= 0;
}

static inline int32_t Peer_LeafsOfRow(const cmap_t *map, int32_t row) {
    int32_t count = 0;
    for (int32_t i = 1; i < map->num_leafs; i++) {
        count += Peer_Row(map, i) == row;
    }
    return count;
}

static inline void Peer_SetGroup(peer_tree_t *peer, int32_t child, int32_t group) {
    if (child >= 0) {
        Peer_SetGroup(peer, peer->map->nodes[child].children[0], group);
        Peer_SetGroup(peer, peer->map->nodes[child].children[1], group);
    } else if (Peer_Row(peer->map, -1 - child) >= 0) {
        peer->group_of[-1 - child] = group;
    }
}

/// Copies a subtree. A subtree that has all leafs of one row, and the row has several, is a leaf.
static inline int32_t Peer_Copy(peer_tree_t *peer, int32_t child) {
    const cmap_t *map = peer->map;
    int32_t row = -1;
    int32_t count = Peer_Count(map, child, &row);
    bool is_group = count > 1 && row >= 0 && count == Peer_LeafsOfRow(map, row);
    for (int32_t h = 0; is_group && child >= 0 && h < 2; h++) { // the smallest such subtree
        int32_t none = -1;
        is_group = Peer_Count(map, map->nodes[child].children[h], &none) < count;
    }
    if (child >= 0 && !is_group) {
        int32_t node = MC_AddNode(&peer->tree, &peer->pools.keep, map->nodes[child].plane);
        for (int32_t h = 0; h < 2; h++) {
            int32_t copy = Peer_Copy(peer, map->nodes[child].children[h]);
            peer->tree.nodes[node].children[h] = copy;
        }
        return node;
    }
    if (child < 0 && Peer_Row(map, -1 - child) < 0) {
        return -1; // solid
    }
    contents_t contents = is_group ? CONTENTS_EMPTY : (contents_t)map->leafs[-1 - child].contents;
    Peer_SetGroup(peer, child, peer->num_groups++);
    return MC_AddLeaf(&peer->tree, &peer->pools.keep, contents);
}

/// Makes the tree of groups. `table`: receives the map's planes.
static inline void Peer_MakeTree(peer_tree_t *peer, mc_planes_t *table, const cmap_t *map) {
    peer->map = map;
    MC_InitPlanes(table, &peer->pools.keep);
    table->planes = MC_Alloc(&peer->pools.keep, (size_t)map->num_planes, sizeof *table->planes);
    for (int32_t i = 0; i < map->num_planes; i++) {
        dvec_t normal = DV_FromVector(map->planes[i].normal);
        double length = DV_Length(normal);
        table->planes[i] =
            (dplane_t){DV_Scale(normal, 1.0 / length), (double)map->planes[i].dist / length};
    }
    table->count = (size_t)map->num_planes;
    size_t leafs = (size_t)map->num_leafs;
    peer->group_of = MC_Alloc(&peer->pools.keep, leafs, sizeof *peer->group_of);
    memset(peer->group_of, 0xff, leafs * sizeof *peer->group_of);
    peer->tree = (mc_tree_t){.table = table};
    const bounds_t box = map->models[0].bounds;
    const dvec_t margin = DV(64.0, 64.0, 64.0);
    peer->tree.bounds = (dbounds_t){DV_Sub(DV_FromVector(box.mins), margin),
                                    DV_Add(DV_FromVector(box.maxs), margin)};
    MC_AddLeaf(&peer->tree, &peer->pools.keep, CONTENTS_SOLID);
    peer->tree.root = Peer_Copy(peer, map->leaf_root);
}

/// Returns true if group `k` is visible from group `i`.
static inline bool Peer_Sees(const mc_vis_t *vis, int32_t i, int32_t k) {
    return vis->rows[(size_t)i * vis->row_bytes + (size_t)k / 8] >> k % 8 & 1;
}

/// Counts the pairs of leafs that see each other by the map, and by `vis`. Leafs of sky are left
/// out: the other compiler looks through them.
static inline void Peer_Totals(const peer_tree_t *peer, const mc_vis_t *vis, int64_t totals[2]) {
    static uint8_t row[CM_MAX_PVS_BYTES];
    const cmap_t *map = peer->map;
    totals[0] = totals[1] = 0;
    for (int32_t i = 1; i < map->num_leafs; i++) {
        if (peer->group_of[i] < 0 || map->leafs[i].contents == CONTENTS_SKY) {
            continue;
        }
        memset(row, 0, sizeof row);
        CM_AddPVS(map, map->leafs[i].cluster, row);
        for (int32_t k = 1; k < map->num_leafs; k++) {
            if (peer->group_of[k] >= 0 && map->leafs[k].contents != CONTENTS_SKY) {
                totals[0] += CM_InPVS(row, map->leafs[k].cluster);
                totals[1] += Peer_Sees(vis, peer->group_of[i], peer->group_of[k]);
            }
        }
    }
}

#endif
