/// bsp/recover_clip.c - finds clip brushes: where hull 1 is solid without a brush of hull 0.
//
// Source:  hull 1 is solid in every brush expanded by the box. So the parts of hull 1 outside all
//          expanded brushes of hull 0, with their planes moved back by the box, are clip brushes.

#include "bsp/recover_local.h"

#include <stdlib.h>
#include <string.h>

enum {
    CLIP_HULL = 1,     ///< the hull nearest to most boxes
    MAX_FRAGMENTS = 64 ///< of a cell; one with more is no clip brush, but made of rounding errors
};

#define CLIP_SKIN    0.125 // qu; hull 1 may be this much larger than the brushes, by rounding
#define CLIP_THIN    0.25  // qu; thinner parts of hull 1 are rounding errors
#define PROBE_BEFORE 0.25  // qu; a face is a clip brush's own if hull 1 is empty this far before it

typedef struct {
    recover_t *r;
    const hull_t *hull;
    int32_t *near; // a stack of lists: numbers of the brushes near the cells of the path
    int32_t num_near, room;
    convex_t *fragments[MAX_FRAGMENTS];
    int32_t num_fragments;
} clip_t;

/// Returns the least of dot(n, p) over all points p of the hull's box.
static double least_of_box(const hull_t *hull, dvec_t n) {
    const dvec_t lo = DV_FromVector(hull->clip_mins);
    const dvec_t hi = DV_FromVector(hull->clip_maxs);
    return (n.x < 0.0 ? n.x * hi.x : n.x * lo.x) + (n.y < 0.0 ? n.y * hi.y : n.y * lo.y) +
           (n.z < 0.0 ? n.z * hi.z : n.z * lo.z);
}

/// Returns the bounds of a brush expanded by the hull's box and CLIP_SKIN.
static bounds_t expanded(const hull_t *hull, bounds_t box) {
    const vec3_t skin = {(float)CLIP_SKIN, (float)CLIP_SKIN, (float)CLIP_SKIN};
    return (bounds_t){VectorSubtract(box.mins, VectorAdd(hull->clip_maxs, skin)),
                      VectorSubtract(box.maxs, VectorSubtract(hull->clip_mins, skin))};
}

static const cbrush_t *brush_of(const clip_t *clip, int32_t number) {
    return (const cbrush_t *)clip->r->brushes.brushes.data + number;
}

/// Writes a plane of a brush, moved out by the hull's box. Returns false after the last plane.
static bool expanded_side(const clip_t *clip, const cbrush_t *brush, int32_t number, side_t *side) {
    if (number < 6) {
        const vec3_t corner = number % 2 == 0 ? brush->bounds.maxs : brush->bounds.mins;
        side->normal = DV_AxisVector(number / 2, number % 2 == 0 ? 1.0 : -1.0);
        side->dist = DV_Dot(side->normal, DV_FromVector(corner));
    } else if (number < 6 + brush->num_planes) {
        const brush_plane_t *planes = clip->r->brushes.planes.data;
        const brush_plane_t *plane = &planes[brush->first_plane + number - 6];
        *side = (side_t){DV_FromVector(plane->normal), (double)plane->dist};
    } else {
        return false;
    }
    side->dist += CLIP_SKIN - least_of_box(clip->hull, side->normal);
    return true;
}

/// Returns true if the cell is in front of one plane of an expanded brush.
static bool is_apart(const clip_t *clip, const cbrush_t *brush, const convex_t *cell) {
    side_t side;
    for (int32_t i = 0; expanded_side(clip, brush, i, &side); i++) {
        double least;
        double most;
        Convex_Span(cell, &side, &least, &most);
        clip->r->work_left -= cell->num_points;
        if (least > -CONVEX_THIN) {
            return true;
        }
    }
    return false;
}

/// Replaces fragment `index` by its parts outside an expanded brush. There may be none.
static bool subtract(clip_t *clip, int32_t index, const cbrush_t *brush) {
    convex_t *rest = clip->fragments[index];
    clip->fragments[index] = NULL;
    side_t side;
    for (int32_t i = 0; rest && expanded_side(clip, brush, i, &side); i++) {
        convex_t *parts[2];
        if (!Recover_Cut(clip->r, rest, &side, parts)) {
            return false;
        }
        rest = parts[1];
        if (parts[0] && clip->num_fragments == MAX_FRAGMENTS) {
            free(parts[0]); // keep() drops the cell
        } else if (parts[0]) {
            clip->fragments[clip->num_fragments++] = parts[0];
        }
    }
    free(rest);
    return true;
}

/// Removes the empty places of the list of fragments.
static void close_gaps(clip_t *clip) {
    int32_t count = 0;
    for (int32_t i = 0; i < clip->num_fragments; i++) {
        if (clip->fragments[i]) {
            clip->fragments[count++] = clip->fragments[i];
        }
    }
    clip->num_fragments = count;
}

static bool is_thin(const convex_t *cell) {
    for (int32_t i = 0; i < cell->num_faces; i++) {
        double least;
        double most;
        Convex_Span(cell, &cell->faces[i].side, &least, &most);
        if (least > -CLIP_THIN) {
            return true;
        }
    }
    return false;
}

/// Keeps the parts of a solid leaf of hull 1, which it takes, that no expanded brush explains.
static bool keep(clip_t *clip, convex_t *cell, int32_t first_near) {
    bool good = true;
    clip->fragments[0] = cell;
    clip->num_fragments = 1;
    for (int32_t i = first_near; i < clip->num_near && clip->num_fragments > 0 && good; i++) {
        const cbrush_t *brush = brush_of(clip, clip->near[i]);
        const int32_t count = clip->num_fragments;
        for (int32_t j = 0; j < count && good; j++) {
            if (!is_apart(clip, brush, clip->fragments[j])) {
                good = subtract(clip, j, brush);
            }
        }
        close_gaps(clip);
        good = good && Recover_Work(clip->r, count); // is_apart counted the corners
    }
    for (int32_t i = 0; i < clip->num_fragments; i++) {
        if (!good || clip->num_fragments == MAX_FRAGMENTS || is_thin(clip->fragments[i])) {
            free(clip->fragments[i]);
        } else {
            good = Recover_Keep(clip->r, clip->fragments[i], CONTENTS_CLIP);
        }
    }
    return good;
}

/// Appends the brushes of a list that are near the cell.
static bool narrow(clip_t *clip, int32_t first, int32_t end, const convex_t *cell) {
    if (clip->room < clip->num_near + end - first) {
        const int32_t room = 2 * (clip->num_near + end - first);
        int32_t *near = realloc(clip->near, (size_t)room * sizeof *near);
        if (!near) {
            clip->r->fault = "no memory";
            return false;
        }
        clip->near = near;
        clip->room = room;
    }
    for (int32_t i = first; i < end; i++) {
        const int32_t number = clip->near[i];
        if (BoundsTouch(cell->bounds, expanded(clip->hull, brush_of(clip, number)->bounds))) {
            clip->near[clip->num_near++] = number;
        }
    }
    return Recover_Work(clip->r, end - first);
}

/// Visits the solid leaves of hull 1 below `num`, and takes the cell. The list of brushes near the
/// parent's cell begins at `first`. Recursion is at most MAX_HULL_DEPTH deep.
static bool walk(clip_t *clip, int32_t num, convex_t *cell, int32_t first) {
    const int32_t end = clip->num_near;
    if ((num < 0 && num != CONTENTS_SOLID) || !narrow(clip, first, end, cell)) {
        free(cell);
        return !clip->r->fault;
    }
    convex_t *parts[2] = {NULL, NULL};
    bool good;
    if (num < 0) {
        good = keep(clip, cell, end);
    } else {
        const clipnode_t *node = &clip->hull->nodes[num];
        const side_t plane = Recover_Plane(clip->hull, node);
        good = Recover_Cut(clip->r, cell, &plane, parts);
        good = good && (!parts[0] || walk(clip, node->children[0], parts[0], end));
        if (!good) {
            free(parts[1]);
        }
        good = good && (!parts[1] || walk(clip, node->children[1], parts[1], end));
    }
    clip->num_near = end;
    return good;
}

// ---- from the hull's space to the model's ----

/// Joins what the hull's tree cut, so that few faces are cuts.
static bool join_all(recover_t *r) {
    for (int32_t i = 0; i < r->num_cells; i++) {
        for (int32_t face = 0; face < r->cells[i].shape->num_faces; face++) {
            cell_t *cell = &r->cells[i];
            const side_t front = cell->shape->faces[face].side;
            const side_t plane = Side_Flip(&front);
            for (int32_t j = i + 1; j < r->num_cells; j++) {
                const convex_t *other = r->cells[j].shape;
                if (!BoundsTouch(cell->shape->bounds, other->bounds) ||
                    !Convex_FaceOn(other, &plane)) {
                    continue;
                }
                if (!Recover_JoinPair(r, &r->cells[j].shape, &cell->shape, &front)) {
                    return false;
                }
                if (!cell->shape) {
                    cell->shape = r->cells[j].shape;
                    r->cells[j] = r->cells[--r->num_cells];
                    face = -1;
                    break;
                }
            }
            if (!Recover_Work(r, r->num_cells - i)) {
                return false;
            }
        }
    }
    return true;
}

/// Returns true if one of the brushes stops the hull's box at a point.
static bool is_explained(const clip_t *clip, dvec_t point, int32_t first) {
    for (int32_t i = first; i < clip->r->brushes.brushes.count; i++) {
        const cbrush_t *brush = brush_of(clip, i);
        side_t side;
        bool inside = CM_IsBrushSolid(brush->contents, false) && brush->contents != CONTENTS_CLIP;
        for (int32_t n = 0; inside && expanded_side(clip, brush, n, &side); n++) {
            inside = Side_Distance(&side, point) < 0.0;
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

/// Returns true if the face is where a brush was cut off, CLIP_SKIN before the brush's own plane.
static bool is_cut(const clip_t *clip, const convex_t *cell, const convex_face_t *face,
                   int32_t first) {
    for (int32_t i = first; i < clip->r->brushes.brushes.count; i++) {
        const cbrush_t *brush = brush_of(clip, i);
        side_t side;
        if (!BoundsTouch(cell->bounds, expanded(clip->hull, brush->bounds))) {
            continue;
        }
        for (int32_t n = 0; expanded_side(clip, brush, n, &side); n++) {
            side = Side_Flip(&side);
            if (Convex_FaceOn(cell, &side) == face) {
                return true;
            }
        }
    }
    return false;
}

/// Computes how far a face moves from the hull's space to the model's. A face with empty space
/// before it is the clip brush's own, and moves back. A face of another brush moves forth, up to
/// that brush. A cut through solid moves with the middle of the box. Sets *own for the first kind.
static double move_of_face(const clip_t *clip, const convex_t *cell, int32_t number, int32_t first,
                           bool *own) {
    const convex_face_t *face = &cell->faces[number];
    const dvec_t n = face->side.normal;
    const dvec_t *points = &cell->points[face->first];
    const double least = least_of_box(clip->hull, n);
    const double most = -least_of_box(clip->hull, DV_Scale(n, -1.0));
    dvec_t middle = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < face->count; i++) {
        middle = DV_MA(middle, 1.0 / (double)face->count, points[i]);
    }
    for (int32_t i = -1; i < face->count; i++) {
        dvec_t p = i < 0 ? middle : DV_Scale(DV_Add(middle, points[i]), 0.5);
        p = DV_MA(p, PROBE_BEFORE, n);
        if (CM_HullPointContents(clip->hull, DV_ToVector(p)) != CONTENTS_SOLID) {
            *own = true;
            return least + (is_cut(clip, cell, face, first) ? CLIP_SKIN : 0.0);
        }
    }
    const bool explained = is_explained(clip, DV_MA(middle, PROBE_BEFORE, n), first);
    return explained ? most + CLIP_SKIN : 0.5 * (least + most);
}

/// Adds the clip brushes that the kept cells are parts of.
static bool add_brushes(const clip_t *clip, int32_t first) {
    recover_t *r = clip->r;
    for (int32_t i = 0; i < r->num_cells; i++) {
        const convex_t *cell = r->cells[i].shape;
        double moves[MAX_BRUSH_SIDES];
        bool own = false;
        for (int32_t n = 0; n < cell->num_faces; n++) {
            moves[n] = move_of_face(clip, cell, n, first, &own);
        }
        // Without an own face, no box of the hull's size comes there: the hull is filled.
        if (!Recover_Work(r, 16 * (int64_t)cell->num_faces * (r->brushes.brushes.count - first)) ||
            (own && !Recover_AddBrush(r, &r->cells[i], moves))) {
            return false;
        }
    }
    return true;
}

bool Recover_Clip(recover_t *r, const cmodel_t *model, int32_t first) {
    clip_t *clip = calloc(1, sizeof *clip);
    const vec3_t half = {RECOVER_MARGIN / 2, RECOVER_MARGIN / 2, RECOVER_MARGIN / 2};
    const int32_t count = r->brushes.brushes.count - first;
    convex_t *cell = Convex_Box(
        (bounds_t){VectorSubtract(model->bounds.mins, half), VectorAdd(model->bounds.maxs, half)});
    bool good = clip && cell;
    if (good) {
        *clip = (clip_t){.r = r, .hull = &model->hulls[CLIP_HULL], .room = count};
        clip->near = calloc((size_t)count + 1, sizeof *clip->near);
        good = clip->near != NULL;
    }
    for (int32_t i = first; i < r->brushes.brushes.count && good; i++) {
        const int32_t contents = brush_of(clip, i)->contents;
        if (CM_IsBrushSolid(contents, false)) {
            clip->near[clip->num_near++] = i;
        }
    }
    if (good) {
        good = walk(clip, clip->hull->root, cell, 0) && join_all(r) && add_brushes(clip, first);
    } else {
        r->fault = "no memory";
        free(cell);
    }
    Recover_Forget(r);
    if (clip) {
        free(clip->near);
        free(clip);
    }
    return good;
}
