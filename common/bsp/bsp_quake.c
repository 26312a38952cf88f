/// bsp/bsp_quake.c - loads Quake's and Half-Life's maps.

#include "bsp/bsp_local.h"
#include "bsp/tree.h"
#include "collide/hull/cells.h"

#include <stdlib.h>

enum { LOWEST_CONTENTS = CONTENTS_LADDER, AT_VISIBLE_LEAFS = 52 };

typedef struct {
    cnode_t *clipnodes; // the clipnodes lump; a negative child is a contents_t
    int32_t *order;     // order[n] = new number of node or clipnode n
    int32_t *roots; // roots[hull * models + model]: root of a hull; in hull 0 a node, or -1 - leaf
    int32_t num_clipnodes;
} raw_t;

static bool read_planes(cmap_t *map, const bsp_file_t *file) {
    for (int32_t i = 0; i < map->num_planes; i++) {
        plane_t *plane = &map->planes[i];
        if (!Bsp_ReadPlane(file, LUMP_PLANES, i, &plane->normal, &plane->dist)) {
            return false;
        }
        // Compute the type, because a wrong type in the file would select the wrong axis.
        plane->type = PlaneType(plane->normal);
    }
    return true;
}

static bool read_leafs(cmap_t *map, const bsp_file_t *file) {
    const lump_t *lump = &file->lumps[LUMP_LEAFS];
    if (lump->count < 1) {
        return Lumps_Fail(file, LUMP_LEAFS, "expected at least 1 leaf, found none");
    }
    int32_t lie = -1;
    for (int32_t i = 0; i < lump->count; i++) {
        const uint8_t *at = lump->data + (size_t)i * (size_t)lump->record_bytes;
        cleaf_t *leaf = &map->leafs[i];
        leaf->contents = Lumps_I32(at);
        int32_t row = Lumps_I32(at + 4);
        if (leaf->contents > CONTENTS_EMPTY || leaf->contents < LOWEST_CONTENTS) {
            return Lumps_Fail(file, LUMP_LEAFS, "leaf %d: expected contents %d..%d, found %d", i,
                              LOWEST_CONTENTS, CONTENTS_EMPTY, leaf->contents);
        }
        // Leaf 0 is solid. The leafs after the clusters belong to submodels.
        leaf->cluster = i <= map->num_clusters ? i - 1 : CM_NO_CLUSTER;
        if (leaf->cluster >= 0) {
            map->vis_rows[leaf->cluster] = row;
            lie = row < -1 || row >= (int32_t)map->visdata_bytes ? i : lie;
        }
    }
    if (lie >= 0) {
        Lumps_Remark(file, "leafs",
                     "leaf %d: expected -1 or an offset in the %zu bytes of "
                     "visibility, found others: no visibility",
                     lie, map->visdata_bytes);
        map->num_clusters = 0;
    }
    return true;
}

/// Decodes a child. A 16-bit value below the number of nodes is a node, any other a negative
/// number. So maps may have more than 32,767 nodes.
static int32_t read_child(const uint8_t *at, bool wide, int32_t num_nodes) {
    if (wide) {
        return Lumps_I32(at);
    }
    int32_t number = Lumps_U16(at);
    return number < num_nodes ? number : number - 65536;
}

/// Reads the nodes or clipnodes. `lowest`: minimum of a valid child.
static bool read_nodes(cnode_t *nodes, const cmap_t *map, const bsp_file_t *file, bsp_lump_t which,
                       int32_t lowest) {
    const lump_t *lump = &file->lumps[which];
    bool wide = file->format->wide;
    for (int32_t i = 0; i < lump->count; i++) {
        const uint8_t *at = lump->data + (size_t)i * (size_t)lump->record_bytes;
        nodes[i].plane = Lumps_I32(at);
        if (nodes[i].plane < 0 || nodes[i].plane >= map->num_planes) {
            return Lumps_Fail(file, (int32_t)which, "node %d: expected a plane 0..%d, found %d", i,
                              map->num_planes - 1, nodes[i].plane);
        }
        for (int side = 0; side < 2; side++) {
            int32_t child = read_child(at + 4 + side * (wide ? 4 : 2), wide, lump->count);
            if (child < lowest || child >= lump->count) {
                return Lumps_Fail(file, (int32_t)which,
                                  "node %d: expected a child %d..%d, found %d", i, lowest,
                                  lump->count - 1, child);
            }
            nodes[i].children[side] = child;
        }
    }
    return true;
}

static bool read_roots(const bsp_file_t *file, int32_t model, const uint8_t *at, const cmap_t *map,
                       raw_t *raw) {
    for (int32_t hull = 0; hull < CM_NumHulls(map->hullset); hull++) {
        int32_t root = Lumps_I32(at + hull * 4);
        int32_t count = hull == 0 ? map->num_nodes : raw->num_clipnodes;
        int32_t lowest = hull == 0 ? -map->num_leafs : LOWEST_CONTENTS;
        if (hull > 0 && !map->has_clip_hulls) {
            root = CONTENTS_EMPTY; // without clipnodes the hull is empty
        }
        if (root < lowest || root >= count) {
            return Lumps_Fail(file, LUMP_MODELS,
                              "model %d: expected the root of hull %d in %d..%d, found %d", model,
                              hull, lowest, count - 1, root);
        }
        raw->roots[hull * map->num_models + model] = root;
    }
    return true;
}

static bool read_models(cmap_t *map, const bsp_file_t *file, raw_t *raw) {
    const lump_t *lump = &file->lumps[LUMP_MODELS];
    for (int32_t i = 0; i < lump->count; i++) {
        const uint8_t *at = lump->data + (size_t)i * (size_t)lump->record_bytes;
        cmodel_t *model = &map->models[i];
        vec3_t mins = Lumps_Vector(at);
        vec3_t maxs = Lumps_Vector(at + 12);
        vec3_t origin = Lumps_Vector(at + 24);
        if (!Bsp_CheckModel(file, LUMP_MODELS, i, (bounds_t){mins, maxs}, origin)) {
            return false;
        }
        // Ignore inverted bounds, which compilers write for a model without faces.
        if (mins.x <= maxs.x && mins.y <= maxs.y && mins.z <= maxs.z) {
            model->bounds = (bounds_t){mins, maxs};
        }
        if (!read_roots(file, i, at + 36, map, raw)) {
            return false;
        }
    }
    map->leaf_root = raw->roots[0];
    return true;
}

/// Appends the nodes reachable from `roots` to the hulls' nodes, and renumbers the roots. A
/// negative child is a leaf in the nodes lump, contents_t in clipnodes.
static bool append_trees(cmap_t *map, const bsp_file_t *file, const raw_t *raw, bsp_lump_t which,
                         int32_t *roots, int32_t num_roots) {
    bool leafs = which == LUMP_NODES;
    const cnode_t *nodes = leafs ? map->nodes : raw->clipnodes;
    int32_t count = leafs ? map->num_nodes : raw->num_clipnodes;
    int32_t base = map->num_clipnodes;
    int32_t ordered = 0;
    int32_t culprit = 0;
    const tree_t tree = {nodes, roots, count, num_roots};
    switch (Tree_Order(&tree, raw->order, &ordered, &culprit)) {
    case TREE_LOOP:
        return Lumps_Fail(file, (int32_t)which, "node %d: expected a tree, found a loop", culprit);
    case TREE_TOO_DEEP:
        return Lumps_Fail(file, (int32_t)which,
                          "node %d: expected a depth of at most %d nodes, found more", culprit,
                          MAX_HULL_DEPTH);
    case TREE_NO_MEMORY:
        return Lumps_Fail(file, (int32_t)which, "no memory for %d nodes", count);
    case TREE_GOOD:
        break;
    }
    for (int32_t i = 0; i < count; i++) {
        if (raw->order[i] < 0) {
            continue; // not reachable from any root
        }
        int32_t children[2];
        for (int side = 0; side < 2; side++) {
            int32_t child = nodes[i].children[side];
            children[side] = child >= 0 ? base + raw->order[child]
                             : leafs    ? map->leafs[-1 - child].contents
                                        : child;
        }
        map->clipnodes[base + raw->order[i]] =
            CM_ClipNode(map->planes, nodes[i].plane, children[0], children[1]);
    }
    for (int32_t i = 0; i < num_roots; i++) {
        roots[i] = roots[i] >= 0 ? base + raw->order[roots[i]]
                   : leafs       ? map->leafs[-1 - roots[i]].contents
                                 : roots[i];
    }
    map->num_clipnodes += ordered;
    return true;
}

static void make_hulls(cmap_t *map, const raw_t *raw) {
    for (int32_t hull = 0; hull < CM_NumHulls(map->hullset); hull++) {
        bounds_t size = CM_HullSize(map->hullset, hull);
        for (int32_t model = 0; model < map->num_models; model++) {
            map->models[model].hulls[hull] =
                (hull_t){.nodes = map->clipnodes,
                         .planes = map->planes,
                         .root = raw->roots[hull * map->num_models + model],
                         .clip_mins = size.mins,
                         .clip_maxs = size.maxs};
        }
    }
}

static bool read_trees(cmap_t *map, const bsp_file_t *file, raw_t *raw) {
    const int32_t num_models = map->num_models;
    const int32_t num_clip_roots = (CM_NumHulls(map->hullset) - 1) * num_models;
    if (!read_nodes(map->nodes, map, file, LUMP_NODES, -map->num_leafs) ||
        !read_nodes(raw->clipnodes, map, file, LUMP_CLIPNODES, LOWEST_CONTENTS) ||
        !read_models(map, file, raw) ||
        !append_trees(map, file, raw, LUMP_NODES, raw->roots, num_models) ||
        !append_trees(map, file, raw, LUMP_CLIPNODES, raw->roots + num_models, num_clip_roots)) {
        return false;
    }
    make_hulls(map, raw);
    return true;
}

static bool read_hulls(cmap_t *map, const bsp_file_t *file) {
    raw_t raw = {.num_clipnodes = file->lumps[LUMP_CLIPNODES].count};
    map->has_clip_hulls = raw.num_clipnodes > 0;
    size_t clipnodes = (size_t)raw.num_clipnodes;
    size_t most = (size_t)Q_MaxI(raw.num_clipnodes, map->num_nodes);
    raw.clipnodes = calloc(clipnodes + 1, sizeof *raw.clipnodes);
    raw.order = calloc(most + 1, sizeof *raw.order);
    raw.roots = calloc((size_t)map->num_models * MAX_MAP_HULLS, sizeof *raw.roots);
    bool good = raw.clipnodes && raw.order && raw.roots
                    ? read_trees(map, file, &raw)
                    : Lumps_Fail(file, LUMP_MODELS, "no memory for %zu nodes", most);
    free(raw.clipnodes);
    free(raw.order);
    free(raw.roots);
    return good;
}

/// With fewer nodes, a tree walk is as fast as a cell.
#define CELLS_LEAST_NODES 64

static bool build_cells(cmap_t *map, const bsp_file_t *file) {
    cmodel_t *world = &map->models[0];
    if (map->num_clipnodes < CELLS_LEAST_NODES) {
        return true;
    }
    hull_t *hulls[MAX_MAP_HULLS];
    int32_t num_hulls = CM_NumHulls(map->hullset);
    for (int32_t i = 0; i < num_hulls; i++) {
        hulls[i] = &world->hulls[i];
    }
    return CM_BuildCells(&map->cells_arena, hulls, num_hulls, world->bounds) ||
           Lumps_Fail(file, LUMP_MODELS, "no memory for the cells of %d hulls", num_hulls);
}

/// Returns the number of leafs in a row of the visibility, or 0 if the map has none.
static int32_t count_clusters(const bsp_file_t *file) {
    int32_t most = Q_MinI(file->lumps[LUMP_LEAFS].count - 1, CM_MAX_CLUSTERS);
    int32_t count = Lumps_I32(file->lumps[LUMP_MODELS].data + AT_VISIBLE_LEAFS);
    if (file->lumps[LUMP_VISIBILITY].bytes == 0 || (count >= 0 && count <= most)) {
        return file->lumps[LUMP_VISIBILITY].bytes == 0 ? 0 : count;
    }
    Lumps_Remark(file, "models", "model 0: expected 0..%d visible leafs, found %d: no visibility",
                 most, count);
    return 0;
}

bool Bsp_ParseQuake(cmap_t *map, const bsp_file_t *file) {
    int32_t num_models = file->lumps[LUMP_MODELS].count;
    if (num_models < 1 || num_models > MAX_MAP_MODELS) {
        return Lumps_Fail(file, LUMP_MODELS, "expected 1..%d models, found %d", MAX_MAP_MODELS,
                          num_models);
    }
    const map_sizes_t sizes = {.planes = file->lumps[LUMP_PLANES].count,
                               .nodes = file->lumps[LUMP_NODES].count,
                               .clipnodes = file->lumps[LUMP_NODES].count +
                                            file->lumps[LUMP_CLIPNODES].count,
                               .leafs = file->lumps[LUMP_LEAFS].count,
                               .models = num_models,
                               .clusters = count_clusters(file),
                               .visibility = LUMP_VISIBILITY};
    brushes_t brushes = {0};
    bspx_list_t *lists = calloc((size_t)num_models, sizeof *lists);
    if (!lists) {
        return Lumps_Fail(file, LUMP_MODELS, "no memory for %d models", num_models);
    }
    bool good = Bspx_ReadBrushes(file, num_models, &brushes, lists) &&
                Bsp_Allocate(map, file, &sizes, &brushes) && read_planes(map, file) &&
                read_leafs(map, file) && read_hulls(map, file) && build_cells(map, file);
    if (good) {
        map->is_vis_packed = true;
        Bsp_CheckVis(map, file, LUMP_VISIBILITY);
        Bsp_SetBrushLists(map, lists);
    }
    free(lists);
    Brushes_Free(&brushes);
    return good;
}
