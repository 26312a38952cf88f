// Draws a model: from its surfaces to faces, and the lists of faces of nodes and leafs.
#include "mapc/output.h"
#include "mapc/portal.h"

/// A polygon that is in front of a leaf.
typedef struct {
    int32_t leaf;
    size_t polygon;
} mark_t;

typedef struct {
    mc_pools_t *pools;
    const mc_tree_t *tree;
    size_t polygon; ///< the current one
    mark_t *marks;
    size_t count, room;
} marker_t;

static void mark_leaf(void *context, int32_t leaf, const winding_t *winding) {
    (void)winding;
    marker_t *m = context;
    if (m->tree->leafs[leaf].contents != CONTENTS_SOLID) {
        m->marks = MC_Grow(&m->pools->keep, m->marks, m->count, &m->room, sizeof *m->marks);
        m->marks[m->count++] = (mark_t){leaf, m->polygon};
    }
}

/// Finds the leafs that each polygon is in front of.
static void find_marks(marker_t *m, const mc_polygons_t *list) {
    for (size_t i = 0; i < list->count; i++) {
        const mc_polygon_t *polygon = &list->polygons[i];
        mc_mark_t mark = MC_Mark(&m->pools->temp);
        mc_descent_t descent = {m->tree,
                                &m->pools->temp,
                                MC_PlaneOf(m->tree->table, polygon->plane).normal,
                                mark_leaf,
                                m,
                                MC_MIN_PORTAL_WIDTH};
        m->polygon = i;
        MC_Descend(&descent, m->tree->nodes[polygon->node].children[polygon->plane & 1],
                   polygon->winding);
        MC_Release(&m->pools->temp, mark);
    }
}

/// Writes the faces of each leaf. `leafs`: the tree's leafs in the output. `first`: the first face
/// of each polygon.
static void put_marks(mc_drawing_t *drawing, const marker_t *m, mc_leaf_t *leafs,
                      const int32_t *first) {
    size_t *starts = MC_Alloc(&m->pools->keep, m->tree->num_leafs + 1, sizeof *starts);
    size_t *sorted = MC_Alloc(&m->pools->keep, m->count, sizeof *sorted);
    for (size_t i = 0; i < m->count; i++) {
        starts[m->marks[i].leaf + 1]++;
    }
    for (size_t i = 1; i <= m->tree->num_leafs; i++) {
        starts[i] += starts[i - 1];
    }
    for (size_t i = 0; i < m->count; i++) {
        sorted[starts[m->marks[i].leaf]++] = i;
    }
    for (size_t i = 0; i < m->count; i++) {
        mc_leaf_t *leaf = &leafs[m->marks[sorted[i]].leaf];
        size_t polygon = m->marks[sorted[i]].polygon;
        leaf->first_mark = leaf->num_marks ? leaf->first_mark : (int32_t)drawing->num_marks;
        for (int32_t face = first[polygon]; face < first[polygon + 1]; face++) {
            drawing->marks = MC_Grow(drawing->pool, drawing->marks, drawing->num_marks,
                                     &drawing->mark_room, sizeof *drawing->marks);
            drawing->marks[drawing->num_marks++] = face;
            leaf->num_marks++;
        }
    }
}

void MC_DrawModel(mc_output_t *out, mc_pools_t *pools, const mc_solid_t *solid) {
    mc_drawing_t *drawing = &out->drawing;
    mc_outmodel_t *model = &out->models[out->num_models - 1];
    mc_polygons_t list;
    MC_FindPolygons(&list, pools, &drawing->texinfos, solid);
    MC_MergePolygons(&list, pools, out->table);
    MC_SubdividePolygons(&list, pools, &drawing->texinfos);
    int32_t *first = MC_Alloc(&pools->keep, list.count + 1, sizeof *first);
    MC_AddFaces(drawing, pools, &list, first);
    model->first_face = first[0];
    model->num_faces = first[list.count] - first[0];
    for (size_t i = 0; i < list.count; i++) {
        mc_outnode_t *node = &out->nodes[model->headnodes[0] + list.polygons[i].node];
        node->first_face = node->num_faces ? node->first_face : first[i];
        node->num_faces += first[i + 1] - first[i];
    }
    marker_t marker = {.pools = pools, .tree = solid->tree};
    find_marks(&marker, &list);
    put_marks(drawing, &marker, &out->leafs[out->num_leafs - solid->tree->num_leafs], first);
}
