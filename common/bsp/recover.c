#include "bsp/recover.h"

#include "base/assert.h"
#include "base/str.h"
#include "bsp/bsp_local.h"
#include "bsp/recover_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool give_up(recover_t *r, const char *fault) {
    r->fault = r->fault ? r->fault : fault;
    return false;
}

bool Recover_Work(recover_t *r, int64_t work) {
    r->work_left -= work;
    return r->work_left >= 0 || give_up(r, "recovery needs more than 16384 steps a clip node");
}

bool Recover_Cut(recover_t *r, convex_t *shape, const side_t *plane, convex_t *parts[2]) {
    parts[0] = parts[1] = NULL;
    const convex_cut_t cut = Recover_Work(r, shape->num_points + shape->num_faces)
                                 ? Convex_Cut(shape, plane, parts)
                                 : CONVEX_TOO_COMPLEX;
    if (cut == CONVEX_FRONT || cut == CONVEX_BACK) {
        parts[cut == CONVEX_FRONT ? 0 : 1] = shape;
        return true;
    }
    free(shape);
    return cut == CONVEX_CUT ||
           give_up(r, cut == CONVEX_NO_MEMORY ? "no memory"
                                              : "a convex part of a hull has more than 128 faces");
}

bool Recover_Keep(recover_t *r, convex_t *shape, int32_t contents) {
    r->bytes += (int64_t)shape->bytes;
    if (r->bytes > MAX_RECOVER_MIB * 1024 * 1024) {
        free(shape);
        return give_up(r, "its convex parts need more than 64 MiB");
    }
    if (r->num_cells == r->room) {
        const int32_t room = Q_MaxI(256, 2 * r->room);
        cell_t *cells = realloc(r->cells, (size_t)room * sizeof *cells);
        if (!cells) {
            free(shape);
            return give_up(r, "no memory");
        }
        r->cells = cells;
        r->room = room;
    }
    r->cells[r->num_cells++] = (cell_t){shape, contents};
    return true;
}

void Recover_Forget(recover_t *r) {
    for (int32_t i = 0; i < r->num_cells; i++) {
        free(r->cells[i].shape);
    }
    r->num_cells = 0;
}

/// Removes the empty cells from `first` on.
static void close_gaps(recover_t *r, int32_t first) {
    int32_t count = first;
    for (int32_t i = first; i < r->num_cells; i++) {
        if (r->cells[i].shape) {
            r->cells[count++] = r->cells[i];
        }
    }
    r->num_cells = count;
}

/// Moves the cells that have a face on `plane` to the beginning of the range. Returns their end.
static int32_t gather(recover_t *r, int32_t first, int32_t end, const side_t *plane) {
    int32_t count = first;
    for (int32_t i = first; i < end; i++) {
        if (Convex_FaceOn(r->cells[i].shape, plane)) {
            const cell_t swap = r->cells[count];
            r->cells[count++] = r->cells[i];
            r->cells[i] = swap;
        }
    }
    return count;
}

bool Recover_JoinPair(recover_t *r, convex_t **a, convex_t **b, const side_t *plane) {
    convex_t *joined;
    if (!Recover_Work(r, (*a)->num_points + (*b)->num_points)) {
        return false;
    }
    if (!Convex_Join(*a, *b, plane, &joined)) {
        return give_up(r, "no memory");
    }
    if (joined) {
        r->bytes += (int64_t)joined->bytes - (int64_t)((*a)->bytes + (*b)->bytes);
        free(*a);
        free(*b);
        *a = joined;
        *b = NULL;
    }
    return true;
}

bool Recover_Join(recover_t *r, int32_t first, int32_t middle, const side_t *plane) {
    const side_t flipped = Side_Flip(plane);
    const int32_t front_end = gather(r, first, middle, &flipped);
    const int32_t back_end = gather(r, middle, r->num_cells, plane);
    const int64_t pairs = (int64_t)(front_end - first) * (back_end - middle);
    if (!Recover_Work(r, 8 * (int64_t)(r->num_cells - first) + pairs)) {
        return false;
    }
    for (int32_t i = first; i < front_end; i++) {
        for (int32_t j = middle; j < back_end; j++) {
            cell_t *a = &r->cells[i];
            cell_t *b = &r->cells[j];
            if (!b->shape || a->contents != b->contents ||
                !BoundsTouch(a->shape->bounds, b->shape->bounds)) {
                continue;
            }
            if (!Recover_JoinPair(r, &a->shape, &b->shape, plane)) {
                return false;
            }
            if (!b->shape) {
                break;
            }
        }
    }
    close_gaps(r, middle);
    return true;
}

bool Recover_AddBrush(recover_t *r, const cell_t *cell, const double *moves) {
    const brush_added_t added = Convex_AddBrush(&r->brushes, cell->shape, cell->contents, moves);
    return added == BRUSH_ADDED || added == BRUSH_EMPTY ||
           give_up(r, added == BRUSH_NO_MEMORY ? "no memory" : "a brush is too complex");
}

/// Keeps the cells of all leaves below `num` that are not empty, and joins neighbours. Takes the
/// shape. Recursion is at most MAX_HULL_DEPTH deep.
static bool walk(recover_t *r, int32_t num, convex_t *shape) {
    if (num < 0) {
        if (num != CONTENTS_EMPTY) {
            return Recover_Keep(r, shape, num);
        }
        free(shape);
        return true;
    }
    const clipnode_t *node = &r->hull->nodes[num];
    const side_t plane = Recover_Plane(r->hull, node);
    const int32_t first = r->num_cells;
    convex_t *parts[2];
    if (!Recover_Cut(r, shape, &plane, parts)) {
        return false;
    }
    if (parts[0] && !walk(r, node->children[0], parts[0])) {
        free(parts[1]);
        return false;
    }
    const int32_t middle = r->num_cells;
    if (parts[1] && !walk(r, node->children[1], parts[1])) {
        return false;
    }
    return middle == first || middle == r->num_cells || Recover_Join(r, first, middle, &plane);
}

static bool recover_model(recover_t *r, int32_t number, bspx_list_t *list) {
    const cmodel_t *model = &r->map->models[number];
    const int32_t first = r->brushes.brushes.count;
    const vec3_t margin = {RECOVER_MARGIN, RECOVER_MARGIN, RECOVER_MARGIN};
    convex_t *whole = Convex_Box((bounds_t){VectorSubtract(model->bounds.mins, margin),
                                            VectorAdd(model->bounds.maxs, margin)});
    r->hull = &model->hulls[0];
    bool good = whole ? walk(r, r->hull->root, whole) : give_up(r, "no memory");
    for (int32_t i = 0; i < r->num_cells && good; i++) {
        good = Recover_AddBrush(r, &r->cells[i], NULL);
    }
    Recover_Forget(r);
    good = good && (!r->map->has_clip_hulls || Recover_Clip(r, model, first));
    if (good && !Brushes_MakeTree(&r->brushes, first, &list->root)) {
        good = give_up(r, "no memory");
    }
    list->exists = true;
    return good;
}

static bool copy_array(brush_array_t *to, const void *from, int32_t count, size_t size) {
    void *copy = Brushes_Grow(to, count, size);
    if (copy && count > 0) {
        memcpy(copy, from, (size_t)count * size);
    }
    return copy != NULL;
}

/// Copies the brushes that the map has. Their numbers stay.
static bool copy_brushes(brushes_t *to, const cmap_t *map) {
    int32_t planes = 0;
    int32_t vertices = 0;
    int32_t edges = 0;
    for (int32_t i = 0; i < map->num_brushes; i++) {
        const cbrush_t *brush = &map->brushes[i];
        planes = Q_MaxI(planes, brush->first_plane + brush->num_planes);
        vertices = Q_MaxI(vertices, brush->first_vertex + brush->num_vertices);
        edges = Q_MaxI(edges, brush->first_edge + brush->num_edges);
    }
    return copy_array(&to->brushes, map->brushes, map->num_brushes, sizeof *map->brushes) &&
           copy_array(&to->planes, map->brush_planes, planes, sizeof *map->brush_planes) &&
           copy_array(&to->vertices, map->brush_vertices, vertices, sizeof *map->brush_vertices) &&
           copy_array(&to->edges, map->brush_edges, edges, sizeof *map->brush_edges) &&
           copy_array(&to->nodes, map->brush_nodes, map->num_brush_nodes, sizeof *map->brush_nodes);
}

void Map_RecoverBrushes(cmap_t *map) {
    recover_t r = {.map = map,
                   .work_left = map->num_clipnodes < MAX_RECOVER_WORK / RECOVER_WORK_PER_NODE
                                    ? RECOVER_WORK_PER_NODE * map->num_clipnodes
                                    : MAX_RECOVER_WORK};
    bool is_complete = true;
    for (int32_t i = 0; i < map->num_models; i++) {
        is_complete = is_complete && map->models[i].brushes.exists;
    }
    if (map->brushes_only || is_complete) {
        return;
    }
    const int32_t listed = map->num_brushes;
    bspx_list_t *lists = calloc((size_t)map->num_models, sizeof *lists);
    bool good = lists && copy_brushes(&r.brushes, map);
    good = good || give_up(&r, "no memory");
    for (int32_t i = 0; i < map->num_models && good; i++) {
        const brush_list_t *list = &map->models[i].brushes;
        lists[i] = (bspx_list_t){.exists = list->exists, .root = list->root};
        good = list->exists || recover_model(&r, i, &lists[i]);
    }
    if (good && r.brushes.brushes.count > listed && !Bsp_KeepBrushes(map, &r.brushes)) {
        good = give_up(&r, "no memory");
    }
    if (good && map->num_brushes > listed) {
        Bsp_SetBrushLists(map, lists);
        map->num_recovered = map->num_brushes - listed;
    } else if (!good) {
        snprintf(map->remark, sizeof map->remark,
                 "not all models have a brush list, and none was recovered, because %s: boxes of "
                 "other sizes than the hulls' collide inexactly; recompile it with a brush list",
                 r.fault);
    }
    Recover_Forget(&r);
    Brushes_Free(&r.brushes);
    free(r.cells);
    free(lists);
}
