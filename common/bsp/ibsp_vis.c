/// bsp/ibsp_vis.c - reads the visibility of Quake II's and III's maps, and the tree that finds a
/// point's cluster.
//
//   Quake II:  | clusters | offsets of two rows each (the second is for sound) | packed rows
//   Quake III: | clusters | bytes of a row | rows

#include "bsp/ibsp.h"
#include "bsp/tree.h"

#include <stdlib.h>

enum { AT_PLANE = 0, AT_CHILDREN = 4, AT_Q2_CLUSTER = 4, AT_Q2_HEADNODE = 36 };

/// Lumps and offsets of a family.
typedef struct {
    int32_t nodes, leafs, visibility, head_bytes;
} layout_t;

static const layout_t quake2 = {Q2_LUMP_NODES, Q2_LUMP_LEAFS, Q2_LUMP_VISIBILITY, 4};
static const layout_t quake3 = {Q3_LUMP_NODES, Q3_LUMP_LEAFS, Q3_LUMP_VISIBILITY, 8};

static const layout_t *layout_of(const bsp_file_t *file) {
    return file->format->family == FAMILY_QUAKE2 ? &quake2 : &quake3;
}

static const uint8_t *record(const bsp_file_t *file, int32_t lump, int32_t number) {
    const lump_t *l = &file->lumps[lump];
    return l->data + (size_t)number * (size_t)l->record_bytes;
}

void Ibsp_SizeVis(const ibsp_t *ibsp, map_sizes_t *sizes) {
    const bsp_file_t *file = ibsp->file;
    const layout_t *at = layout_of(file);
    const lump_t *lump = &file->lumps[at->visibility];
    if (lump->bytes < (size_t)at->head_bytes || file->lumps[at->leafs].count == 0) {
        return; // compiled without visibility
    }
    int32_t clusters = Lumps_I32(lump->data);
    int64_t row = at == &quake3 ? Lumps_I32(lump->data + 4) : 8; // Quake II: two offsets
    size_t rows = lump->bytes - (size_t)at->head_bytes;
    bool is_long_enough = at == &quake2 || row * 8 >= clusters;
    if (clusters < 1 || clusters > CM_MAX_CLUSTERS || row < 1 || !is_long_enough ||
        (size_t)clusters > rows / (size_t)row) {
        Lumps_Remark(file, file->format->lumps[at->visibility].name,
                     "expected rows of 1..%d clusters in %zu bytes, found %d clusters: no "
                     "visibility",
                     CM_MAX_CLUSTERS, lump->bytes, clusters);
        return;
    }
    sizes->planes = ibsp->num_planes;
    sizes->nodes = file->lumps[at->nodes].count;
    sizes->leafs = file->lumps[at->leafs].count;
    sizes->clusters = clusters;
    sizes->visibility = at->visibility;
}

/// Reads nodes. Returns false if a plane or child is wrong.
static bool read_nodes(const ibsp_t *ibsp, const layout_t *at, cmap_t *map) {
    for (int32_t i = 0; i < map->num_nodes; i++) {
        const uint8_t *from = record(ibsp->file, at->nodes, i);
        cnode_t *node = &map->nodes[i];
        *node = (cnode_t){
            .plane = Lumps_I32(from + AT_PLANE),
            .children = {Lumps_I32(from + AT_CHILDREN), Lumps_I32(from + AT_CHILDREN + 4)}};
        for (int32_t k = 0; k < 2; k++) {
            if (node->children[k] < -map->num_leafs || node->children[k] >= map->num_nodes) {
                return false;
            }
        }
        if (node->plane < 0 || node->plane >= map->num_planes) {
            return false;
        }
    }
    return true;
}

/// Returns true if the nodes below the root of model 0 are a tree of valid depth.
static bool check_tree(const cmap_t *map) {
    int32_t *order = calloc((size_t)map->num_nodes + 1, sizeof *order);
    const tree_t tree = {map->nodes, &map->leaf_root, map->num_nodes, 1};
    int32_t ordered = 0;
    int32_t culprit = 0;
    bool good = order && map->leaf_root >= -map->num_leafs && map->leaf_root < map->num_nodes &&
                Tree_Order(&tree, order, &ordered, &culprit) == TREE_GOOD;
    free(order);
    return good;
}

static bool read_leafs(const bsp_file_t *file, const layout_t *at, cmap_t *map) {
    for (int32_t i = 0; i < map->num_leafs; i++) {
        const uint8_t *from = record(file, at->leafs, i);
        int32_t cluster =
            at == &quake2 ? (int16_t)Lumps_U16(from + AT_Q2_CLUSTER) : Lumps_I32(from);
        if (cluster < CM_NO_CLUSTER || cluster >= map->num_clusters) {
            return false;
        }
        map->leafs[i] = (cleaf_t){.contents = CONTENTS_EMPTY, .cluster = cluster};
    }
    return true;
}

static bool read_rows(const bsp_file_t *file, const layout_t *at, cmap_t *map) {
    const uint8_t *data = file->lumps[at->visibility].data;
    int64_t heads = at->head_bytes + 8 * (int64_t)map->num_clusters;
    for (int32_t i = 0; i < map->num_clusters; i++) {
        int64_t start = at == &quake2 ? Lumps_I32(data + 4 + (size_t)i * 8)
                                      : 8 + (int64_t)Lumps_I32(data + 4) * i;
        if ((at == &quake2 && start < heads) || start >= (int64_t)map->visdata_bytes) {
            return false;
        }
        map->vis_rows[i] = (int32_t)start;
    }
    return true;
}

void Ibsp_ReadVis(const ibsp_t *ibsp, const map_sizes_t *sizes, cmap_t *map) {
    const bsp_file_t *file = ibsp->file;
    const layout_t *at = layout_of(file);
    if (sizes->clusters > 0) {
        for (int32_t i = 0; i < map->num_planes; i++) {
            const brush_plane_t *from = &ibsp->planes[i];
            map->planes[i] = (plane_t){from->normal, from->dist, PlaneType(from->normal)};
        }
        map->is_vis_packed = at == &quake2;
        map->leaf_root =
            at == &quake2 ? Lumps_I32(record(file, Q2_LUMP_MODELS, 0) + AT_Q2_HEADNODE) : 0;
        const char *lie = !read_nodes(ibsp, at, map)   ? "valid planes and children of nodes"
                          : !check_tree(map)           ? "a tree of nodes without a loop"
                          : !read_leafs(file, at, map) ? "valid clusters of leafs"
                          : !read_rows(file, at, map)  ? "valid offsets of rows"
                                                       : NULL;
        if (!lie) {
            Bsp_CheckVis(map, file, at->visibility);
            if (map->num_clusters > 0) {
                return;
            }
        } else {
            Lumps_Remark(file, file->format->lumps[at->visibility].name,
                         "expected %s, found others: no visibility", lie);
        }
    }
    map->num_clusters = 0;
    map->num_nodes = 0;
    map->leaf_root = -1;
    map->leafs[0] = (cleaf_t){.contents = CONTENTS_EMPTY, .cluster = CM_NO_CLUSTER};
}
