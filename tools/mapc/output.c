#include "mapc/output.h"

#include "base/assert.h"

#include <stdio.h>

void MC_InitOutput(mc_output_t *out, mc_pool_t *pool, const mc_planes_t *table) {
    *out = (mc_output_t){.pool = pool, .table = table, .vis.pool = pool};
    out->leafs = MC_Grow(pool, out->leafs, 0, &out->leaf_room, sizeof *out->leafs);
    out->leafs[0] = (mc_leaf_t){.contents = CONTENTS_SOLID, .vis_row = MC_SEES_ALL};
    out->num_leafs = 1;
    MC_InitDrawing(&out->drawing, pool);
}

void MC_AddModel(mc_output_t *out, const mc_model_t *model) {
    out->models =
        MC_Grow(out->pool, out->models, out->num_models, &out->model_room, sizeof *out->models);
    mc_outmodel_t *made = &out->models[out->num_models++];
    *made = (mc_outmodel_t){.bounds = DB_Empty()};
    for (int32_t i = 0; i < model->num_brushes; i++) {
        DB_AddBox(&made->bounds, &model->brushes[i].bounds);
    }
    if (DB_IsEmpty(&made->bounds)) {
        made->bounds = (dbounds_t){{0, 0, 0}, {0, 0, 0}};
    }
}

static mc_outnode_t *append_node(mc_pool_t *pool, mc_outnode_t **nodes, size_t *count,
                                 size_t *room) {
    *nodes = MC_Grow(pool, *nodes, *count, room, sizeof **nodes);
    return &(*nodes)[(*count)++];
}

/// Appends the nodes and leafs of hull 0. Leaf 0 is common to all models.
static void add_point_hull(mc_output_t *out, const mc_tree_t *tree) {
    mc_outmodel_t *model = &out->models[out->num_models - 1];
    int32_t node_base = (int32_t)out->num_nodes;
    int32_t leaf_base = (int32_t)out->num_leafs - 1;
    model->headnodes[0] = node_base;
    model->num_visleafs = (int32_t)tree->num_leafs - 1;
    for (size_t i = 1; i < tree->num_leafs; i++) {
        out->leafs =
            MC_Grow(out->pool, out->leafs, out->num_leafs, &out->leaf_room, sizeof *out->leafs);
        out->leafs[out->num_leafs++] = tree->leafs[i];
    }
    for (size_t i = 0; i < tree->num_nodes; i++) {
        const mc_node_t *from = &tree->nodes[i];
        mc_outnode_t *to = append_node(out->pool, &out->nodes, &out->num_nodes, &out->node_room);
        *to = (mc_outnode_t){.plane = from->plane, .bounds = from->bounds};
        for (int32_t h = 0; h < 2; h++) {
            int32_t child = from->children[h];
            to->children[h] = child >= 0 ? child + node_base : child < -1 ? child - leaf_base : -1;
        }
    }
    if (tree->root < 0) {
        // Engines start at a node, so a single leaf gets a node with that leaf on both sides.
        int32_t leaf = tree->root < -1 ? tree->root - leaf_base : -1;
        mc_outnode_t *to = append_node(out->pool, &out->nodes, &out->num_nodes, &out->node_room);
        *to = (mc_outnode_t){.children = {leaf, leaf}, .bounds = tree->bounds};
    }
}

static int32_t leaf_contents(const mc_tree_t *tree, int32_t child) {
    return (int32_t)tree->leafs[-1 - child].contents;
}

static void add_clip_hull(mc_output_t *out, const mc_tree_t *tree, int32_t hull) {
    int32_t base = (int32_t)out->num_clipnodes;
    out->models[out->num_models - 1].headnodes[hull] = base;
    for (size_t i = 0; i < tree->num_nodes; i++) {
        const mc_node_t *from = &tree->nodes[i];
        mc_outnode_t *to =
            append_node(out->pool, &out->clipnodes, &out->num_clipnodes, &out->clipnode_room);
        *to = (mc_outnode_t){.plane = from->plane};
        for (int32_t h = 0; h < 2; h++) {
            int32_t child = from->children[h];
            to->children[h] = child >= 0 ? child + base : leaf_contents(tree, child);
        }
    }
    if (tree->root < 0) {
        int32_t contents = leaf_contents(tree, tree->root);
        mc_outnode_t *to =
            append_node(out->pool, &out->clipnodes, &out->num_clipnodes, &out->clipnode_room);
        *to = (mc_outnode_t){.children = {contents, contents}};
    }
}

void MC_AddTree(mc_output_t *out, const mc_tree_t *tree, int32_t hull) {
    ASSERT(out->num_models > 0);
    if (hull == 0) {
        add_point_hull(out, tree);
    } else {
        add_clip_hull(out, tree, hull);
    }
}

/// Appends a row: runs of zeros become a zero and their length.
static void pack_row(mc_bytes_t *to, const uint8_t *row, size_t size) {
    for (size_t i = 0; i < size;) {
        size_t run = 1;
        MC_PutBytes(to, &row[i], 1);
        while (row[i] == 0 && run < 255 && i + run < size && row[i + run] == 0) {
            run++;
        }
        if (row[i] == 0) {
            MC_PutBytes(to, &(uint8_t){(uint8_t)run}, 1);
        }
        i += run;
    }
}

void MC_PackVis(mc_output_t *out, const mc_vis_t *vis, mc_tree_t *tree) {
    for (int32_t i = 0; i < vis->num_clusters; i++) {
        mc_leaf_t *leaf = &tree->leafs[i + 1];
        if (!MC_IsOpaque(leaf->contents)) {
            leaf->vis_row = (int32_t)out->vis.size;
            pack_row(&out->vis, vis->rows + (size_t)i * vis->row_bytes, vis->row_bytes);
        }
    }
}

const char *MC_FormatProblem(const mc_output_t *out, char *text, size_t size) {
    const size_t most = 32767; // children are signed 16-bit numbers
    const double coord = 32767.0;
    dbounds_t box = out->models[0].bounds;
    for (size_t i = 1; i < out->num_models; i++) {
        DB_AddBox(&box, &out->models[i].bounds);
    }
    double reach = fmax(fmax(fmax(-box.mins.x, -box.mins.y), fmax(-box.mins.z, box.maxs.x)),
                        fmax(box.maxs.y, box.maxs.z));
    const mc_drawing_t *drawn = &out->drawing;
    const size_t most_drawn = 65535; // vertices, faces and marks are unsigned 16-bit numbers
    if (drawn->num_vertices > most_drawn || drawn->num_faces > most_drawn ||
        drawn->num_marks > most_drawn || drawn->texinfos.count > most) {
        snprintf(text, size,
                 "%zu vertices, %zu faces, %zu marked faces and %zu texture axes (at "
                 "most %zu each, %zu axes)",
                 drawn->num_vertices, drawn->num_faces, drawn->num_marks, drawn->texinfos.count,
                 most_drawn, most);
        return text;
    }
    if (out->num_nodes > most || out->num_clipnodes > most || out->num_leafs > most) {
        snprintf(text, size, "%zu nodes, %zu clip nodes and %zu leafs (at most %zu each)",
                 out->num_nodes, out->num_clipnodes, out->num_leafs, most);
        return text;
    }
    if (reach > coord - 128.0) {
        snprintf(text, size, "a brush reaches to %.0f qu (at most %.0f)", reach, coord - 128.0);
        return text;
    }
    return NULL;
}
