#include "collide/brush/convex.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CONVEX_FACES = MAX_BRUSH_SIDES };

#define JOIN_EPSILON 0.005 // qu; a joined cell bulges at most this far

static bool is_same(const side_t *a, const side_t *b) {
    return a->dist == b->dist && a->normal.x == b->normal.x && a->normal.y == b->normal.y &&
           a->normal.z == b->normal.z;
}

static convex_t *new_cell(int32_t faces, int32_t points) {
    size_t faces_bytes = (size_t)faces * sizeof(convex_face_t);
    size_t bytes = sizeof(convex_t) + faces_bytes + (size_t)points * sizeof(dvec_t);
    convex_t *cell = malloc(bytes);
    if (cell) {
        *cell = (convex_t){.faces = (convex_face_t *)(void *)(cell + 1), .bytes = bytes};
        cell->points = (dvec_t *)(void *)((uint8_t *)(cell + 1) + faces_bytes);
    }
    return cell;
}

static void add_face(convex_t *cell, const side_t *side, const dvec_t *points, int32_t count) {
    if (count >= 3) {
        cell->faces[cell->num_faces++] = (convex_face_t){*side, cell->num_points, count};
        memcpy(&cell->points[cell->num_points], points, (size_t)count * sizeof *points);
        cell->num_points += count;
    }
}

static void set_bounds(convex_t *cell) {
    for (int32_t i = 0; i < cell->num_points; i++) {
        const vec3_t p = DV_ToVector(cell->points[i]);
        cell->bounds = i == 0 ? (bounds_t){p, p} : BoundsUnion(cell->bounds, (bounds_t){p, p});
    }
}

convex_t *Convex_Box(bounds_t bounds) {
    convex_t *cell = new_cell(6, 24);
    side_t sides[6];
    for (int32_t i = 0; i < 6; i++) {
        const vec3_t corner = i % 2 == 0 ? bounds.maxs : bounds.mins;
        sides[i].normal = DV_AxisVector(i / 2, i % 2 == 0 ? 1.0 : -1.0);
        sides[i].dist = DV_Dot(sides[i].normal, DV_FromVector(corner));
    }
    for (int32_t i = 0; i < 6 && cell; i++) {
        face_t face;
        Face_OfPlane(&face, &bounds, &sides[i]);
        for (int32_t j = 0; j < 6; j++) {
            if (j != i) {
                Face_Cut(&face, &sides[j]);
            }
        }
        add_face(cell, &sides[i], face.at, face.count);
    }
    if (cell) {
        set_bounds(cell);
    }
    return cell;
}

void Convex_Span(const convex_t *cell, const side_t *plane, double *least, double *most) {
    *least = 1e30;
    *most = -1e30;
    for (int32_t i = 0; i < cell->num_points; i++) {
        double d = Side_Distance(plane, cell->points[i]);
        *least = d < *least ? d : *least;
        *most = d > *most ? d : *most;
    }
}

/// Returns the part of the cell behind a plane, closed by the face `lid`.
static convex_t *part_behind(const convex_t *cell, const side_t *plane, const face_t *lid) {
    convex_t *part = new_cell(cell->num_faces + 1, 2 * cell->num_points + lid->count);
    for (int32_t i = 0; i < cell->num_faces && part; i++) {
        const convex_face_t *from = &cell->faces[i];
        double deepest = 0.0;
        face_t face = {.count = 0};
        face.count = from->count;
        memcpy(face.at, &cell->points[from->first], (size_t)from->count * sizeof *face.at);
        for (int32_t n = 0; n < face.count; n++) {
            const double d = Side_Distance(plane, face.at[n]);
            deepest = d < deepest ? d : deepest;
        }
        if (deepest < -ON_PLANE) { // otherwise the lid takes its place
            Face_Cut(&face, plane);
            add_face(part, &from->side, face.at, face.count);
        }
    }
    if (part) {
        add_face(part, plane, lid->at, lid->count);
        set_bounds(part);
    }
    return part;
}

convex_cut_t Convex_Cut(const convex_t *cell, const side_t *plane, convex_t *parts[2]) {
    double least;
    double most;
    Convex_Span(cell, plane, &least, &most);
    const convex_cut_t larger = most > -least ? CONVEX_FRONT : CONVEX_BACK;
    if (most < CONVEX_THIN || least > -CONVEX_THIN) {
        return larger;
    }
    if (cell->num_faces >= MAX_CONVEX_FACES) {
        return CONVEX_TOO_COMPLEX;
    }
    face_t lid;
    Face_OfPlane(&lid, &cell->bounds, plane);
    for (int32_t i = 0; i < cell->num_faces; i++) {
        Face_Cut(&lid, &cell->faces[i].side);
    }
    if (lid.count < 3) {
        return larger;
    }
    const side_t flipped = Side_Flip(plane);
    parts[1] = part_behind(cell, plane, &lid);
    parts[0] = part_behind(cell, &flipped, &lid);
    if (parts[0] && parts[1]) {
        return CONVEX_CUT;
    }
    free(parts[0]);
    free(parts[1]);
    return CONVEX_NO_MEMORY;
}

const convex_face_t *Convex_FaceOn(const convex_t *cell, const side_t *plane) {
    for (int32_t i = 0; i < cell->num_faces; i++) {
        if (is_same(&cell->faces[i].side, plane)) {
            return &cell->faces[i];
        }
    }
    return NULL;
}

/// Returns true if `other` is behind all faces of the cell that are not on `plane`.
static bool is_behind(const convex_t *cell, const side_t *plane, const convex_t *other) {
    for (int32_t i = 0; i < cell->num_faces; i++) {
        const side_t *side = &cell->faces[i].side;
        double least;
        double most;
        Convex_Span(other, side, &least, &most);
        if (most > JOIN_EPSILON && !is_same(side, plane)) {
            return false;
        }
    }
    return true;
}

static void add_faces(convex_t *cell, const convex_t *from, const side_t *plane) {
    for (int32_t i = 0; i < from->num_faces; i++) {
        const convex_face_t *face = &from->faces[i];
        if (!is_same(&face->side, plane)) {
            add_face(cell, &face->side, &from->points[face->first], face->count);
        }
    }
}

bool Convex_Join(const convex_t *front, const convex_t *back, const side_t *plane,
                 convex_t **joined) {
    *joined = NULL;
    const side_t flipped = Side_Flip(plane);
    if (front->num_faces + back->num_faces > MAX_CONVEX_FACES ||
        !is_behind(front, &flipped, back) || !is_behind(back, plane, front)) {
        return true;
    }
    convex_t *cell =
        new_cell(front->num_faces + back->num_faces, front->num_points + back->num_points);
    if (cell) {
        add_faces(cell, front, &flipped);
        add_faces(cell, back, plane);
        set_bounds(cell);
    }
    *joined = cell;
    return cell != NULL;
}

// ---- brushes ----

static bool is_known(const brush_plane_t *planes, int32_t count, const brush_plane_t *plane) {
    for (int32_t i = 0; i < count; i++) {
        if (planes[i].dist == plane->dist && VectorCompare(planes[i].normal, plane->normal)) {
            return true;
        }
    }
    return false;
}

static void set_axis(vec3_t *v, int32_t axis, float value) {
    *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

brush_added_t Convex_AddBrush(brushes_t *brushes, const convex_t *cell, int32_t contents,
                              const double *moves) {
    brush_plane_t planes[MAX_CONVEX_FACES];
    int32_t count = 0;
    bounds_t bounds = cell->bounds;
    float reach = 0.0f;
    for (int32_t i = 0; i < cell->num_faces && moves; i++) {
        const float move = fabsf((float)moves[i]);
        reach = move > reach ? move : reach;
    }
    bounds.mins = VectorSubtract(bounds.mins, Vector(reach, reach, reach));
    bounds.maxs = VectorAdd(bounds.maxs, Vector(reach, reach, reach));
    for (int32_t i = 0; i < cell->num_faces; i++) {
        const side_t *side = &cell->faces[i].side;
        const double dist = side->dist + (moves ? moves[i] : 0.0);
        const brush_plane_t plane = {DV_ToVector(side->normal), (float)dist};
        int32_t axis = 0;
        while (axis < 3 && fabsf(VectorAxis(plane.normal, axis)) != 1.0f) {
            axis++;
        }
        if (axis < 3) {
            const bool is_upper = VectorAxis(plane.normal, axis) > 0.0f;
            set_axis(is_upper ? &bounds.maxs : &bounds.mins, axis,
                     (is_upper ? plane.dist : -plane.dist) + 0.0f);
        } else if (!is_known(planes, count, &plane)) {
            planes[count++] = plane;
        }
    }
    return Brushes_Add(brushes, bounds, contents, planes, count);
}
