/// collide/brush/brush_build.c - computes the corners, edges and bevels of brushes.

#include "collide/brush/brush_build.h"

#include "collide/brush/face.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_SIDES = MAX_BRUSH_SIDES + 6,
    MAX_CORNERS = 512,
    MAX_EDGES = 512,
    MAX_BEVELS = 2048,
    FACET_WORK = 100
};

#define SAME_CORNER   1e-3     // qu; corners within this distance are equal
#define SHORTEST_EDGE 0.015625 // qu; shorter edges are rounding errors
#define SAME_NORMAL   1e-10    // maximum squared distance of unit vectors that count as equal
#define SAME_DIST     0.01     // qu; maximum difference of plane distances that count as equal

_Static_assert(MAX_SIDES <= MAX_FACE_CUTS, "a face is cut by all sides of its brush");

/// A brush under construction; large, but used sparsely.
typedef struct brush_shape_s {
    side_t sides[MAX_SIDES]; // the six axial sides are first
    int32_t num_sides;
    bool is_face[MAX_SIDES];
    dvec_t corners[MAX_CORNERS];
    int32_t num_corners;
    uint32_t edge_ends[MAX_EDGES]; // the two corners; the higher number is in the upper 16 bits
    dvec_t edge_from[MAX_EDGES], edge_to[MAX_EDGES];
    int32_t num_edges;
    brush_plane_t planes[MAX_SIDES + MAX_BEVELS]; // the resulting planes: faces, then bevels
    int32_t num_faces, num_planes;
    vec3_t directions[MAX_EDGES];
    int32_t num_directions;
    uint16_t flags; // brush_flags_t
    bool overflow;
} shape_t;

// ---- vectors ----

static bool is_same_normal(dvec_t a, dvec_t b) {
    dvec_t d = DV_Sub(a, b);
    return DV_Dot(d, d) < SAME_NORMAL;
}

static bool is_axial(dvec_t n) {
    double x = n.x * n.x;
    double y = n.y * n.y;
    double z = n.z * n.z;
    return x + y < SAME_NORMAL || y + z < SAME_NORMAL || z + x < SAME_NORMAL;
}

// ---- faces ----

/// Writes a side of the bounding box, exactly.
static void box_face(face_t *face, const bounds_t *bounds, int32_t number) {
    int32_t i = number / 2;
    int32_t j = (i + 1) % 3;
    int32_t k = (i + 2) % 3;
    double lo[3] = {(double)bounds->mins.x, (double)bounds->mins.y, (double)bounds->mins.z};
    double hi[3] = {(double)bounds->maxs.x, (double)bounds->maxs.y, (double)bounds->maxs.z};
    face->count = 4;
    for (int32_t n = 0; n < 4; n++) {
        double p[3];
        p[i] = number % 2 == 0 ? hi[i] : lo[i];
        p[j] = n == 1 || n == 2 ? hi[j] : lo[j];
        p[k] = n >= 2 ? hi[k] : lo[k];
        face->at[n] = DV(p[0], p[1], p[2]);
    }
}

/// Returns the number of a corner; adds a new one.
static int32_t add_corner(shape_t *shape, dvec_t p) {
    for (int32_t i = 0; i < shape->num_corners; i++) {
        dvec_t d = DV_Sub(p, shape->corners[i]);
        if (fabs(d.x) < SAME_CORNER && fabs(d.y) < SAME_CORNER && fabs(d.z) < SAME_CORNER) {
            return i;
        }
    }
    if (shape->num_corners == MAX_CORNERS) {
        shape->overflow = true;
        return 0;
    }
    shape->corners[shape->num_corners] = p;
    return shape->num_corners++;
}

/// Returns true if the edge was already added; two faces share it.
static bool is_joined(const shape_t *shape, uint32_t ends) {
    for (int32_t i = 0; i < shape->num_edges; i++) {
        if (shape->edge_ends[i] == ends) {
            return true;
        }
    }
    return false;
}

/// Adds the edge between corners `a` and `b`. `from`, `to`: points near the corners.
static void add_edge(shape_t *shape, dvec_t from, int32_t a, dvec_t to, int32_t b) {
    dvec_t d = DV_Sub(to, from);
    uint32_t ends = (uint32_t)Q_MaxI(a, b) << 16 | (uint32_t)Q_MinI(a, b);
    if (DV_Dot(d, d) < SHORTEST_EDGE * SHORTEST_EDGE || is_joined(shape, ends)) {
        return;
    }
    if (shape->num_edges == MAX_EDGES) {
        shape->overflow = true;
        return;
    }
    shape->edge_ends[shape->num_edges] = ends;
    shape->edge_from[shape->num_edges] = from;
    shape->edge_to[shape->num_edges++] = to;
}

static void add_polygon(shape_t *shape, const dvec_t *at, int32_t count) {
    int32_t first = count > 0 ? add_corner(shape, at[0]) : 0;
    int32_t here = first;
    for (int32_t i = 0; i < count; i++) {
        int32_t next = i + 1 == count ? 0 : i + 1;
        int32_t there = next == 0 ? first : add_corner(shape, at[next]);
        add_edge(shape, at[i], here, at[next], there);
        here = there;
    }
}

static void make_faces(shape_t *shape, const bounds_t *bounds) {
    for (int32_t i = 0; i < shape->num_sides && !shape->overflow; i++) {
        face_t face;
        if (i < 6) {
            box_face(&face, bounds, i);
        } else {
            Face_OfPlane(&face, bounds, &shape->sides[i]);
        }
        for (int32_t j = 0; j < shape->num_sides && face.count > 0; j++) {
            if (j != i) {
                Face_Cut(&face, &shape->sides[j]);
            }
        }
        shape->is_face[i] = face.count > 0;
        add_polygon(shape, face.at, face.count);
    }
}

// ---- bevels ----

/// Computes the support along `n`. Returns false if it is clearly above `here`.
static bool reach_along(const shape_t *shape, dvec_t n, double here, double *most) {
    *most = here;
    for (int32_t i = 0; i < shape->num_corners; i++) {
        double d = DV_Dot(shape->corners[i], n);
        if (d - here > SAME_CORNER) {
            return false;
        }
        *most = d > *most ? d : *most;
    }
    return true;
}

static bool has_plane(const shape_t *shape, dvec_t n, double dist) {
    for (int32_t i = 0; i < shape->num_planes; i++) {
        const brush_plane_t *plane = &shape->planes[i];
        if (is_same_normal(n, DV_FromVector(plane->normal)) &&
            fabs(dist - (double)plane->dist) < SAME_DIST) {
            return true;
        }
    }
    return false;
}

/// Adds the plane with normal `n` through an edge, if it touches only that edge.
static void add_bevel(shape_t *shape, int32_t edge, dvec_t n) {
    if (is_axial(n)) {
        return;
    }
    // Use the normal as stored in floats: that plane must not cut the brush.
    n = DV_FromVector(DV_ToVector(n));
    double dist = 0.0;
    if (!reach_along(shape, n, DV_Dot(shape->edge_from[edge], n), &dist) ||
        has_plane(shape, n, dist)) {
        return;
    }
    if (shape->num_planes == (int32_t)COUNTOF(shape->planes)) {
        shape->overflow = true;
        return;
    }
    shape->planes[shape->num_planes++] = (brush_plane_t){DV_ToVector(n), (float)dist};
}

static void add_direction(shape_t *shape, dvec_t unit) {
    vec3_t v = DV_ToVector(unit);
    for (int32_t i = 0; i < shape->num_directions; i++) {
        dvec_t known = DV_FromVector(shape->directions[i]);
        if (is_same_normal(unit, known) || is_same_normal(DV_Sub(DV(0.0, 0.0, 0.0), unit), known)) {
            return;
        }
    }
    shape->directions[shape->num_directions++] = v;
}

static void make_bevels(shape_t *shape) {
    for (int32_t i = 0; i < shape->num_edges && !shape->overflow; i++) {
        dvec_t e = DV_Sub(shape->edge_to[i], shape->edge_from[i]);
        e = DV_MA(DV(0.0, 0.0, 0.0), 1.0 / sqrt(DV_Dot(e, e)), e);
        add_direction(shape, e);
        for (int32_t j = 0; j < 3; j++) {
            dvec_t n = DV_Cross(e, DV_AxisVector(j, 1.0));
            double length = sqrt(DV_Dot(n, n));
            if (length * length > SAME_NORMAL) {
                n = DV_MA(DV(0.0, 0.0, 0.0), 1.0 / length, n);
                add_bevel(shape, i, n);
                add_bevel(shape, i, DV_Sub(DV(0.0, 0.0, 0.0), n));
            }
        }
    }
}

// ---- brushes ----

void *Brushes_Grow(brush_array_t *array, int32_t more, size_t size) {
    if (!array->data || array->count + more > array->room) {
        int32_t room = Q_MaxI(array->count + more, Q_MaxI(256, array->room * 2));
        void *data = realloc(array->data, (size_t)room * size);
        if (!data) {
            return NULL;
        }
        array->data = data;
        array->room = room;
    }
    void *end = (uint8_t *)array->data + (size_t)array->count * size;
    array->count += more;
    return end;
}

/// Shrinks the bounds to the corners.
static bounds_t tight_bounds(const shape_t *shape, bounds_t bounds) {
    float lo[3] = {bounds.mins.x, bounds.mins.y, bounds.mins.z};
    float hi[3] = {bounds.maxs.x, bounds.maxs.y, bounds.maxs.z};
    for (int32_t i = 0; i < 3; i++) {
        double least = DV_Axis(shape->corners[0], i);
        double most = least;
        for (int32_t j = 1; j < shape->num_corners; j++) {
            double at = DV_Axis(shape->corners[j], i);
            least = at < least ? at : least;
            most = at > most ? at : most;
        }
        hi[i] = shape->is_face[2 * i] ? hi[i] : (float)most;
        lo[i] = shape->is_face[2 * i + 1] ? lo[i] : (float)least;
    }
    return (bounds_t){Vector(lo[0], lo[1], lo[2]), Vector(hi[0], hi[1], hi[2])};
}

static brush_added_t append(brushes_t *brushes, const shape_t *shape, bounds_t bounds,
                            int32_t contents) {
    cbrush_t brush = {.bounds = tight_bounds(shape, bounds),
                      .contents = (int16_t)contents,
                      .flags = shape->flags,
                      .first_plane = brushes->planes.count,
                      .first_vertex = brushes->vertices.count,
                      .first_edge = brushes->edges.count,
                      .num_faces = (uint16_t)shape->num_faces,
                      .num_planes = (uint16_t)shape->num_planes,
                      .num_vertices = (uint16_t)shape->num_corners,
                      .num_edges = (uint16_t)shape->num_directions};
    brush_plane_t *planes = Brushes_Grow(&brushes->planes, shape->num_planes, sizeof *planes);
    vec3_t *vertices = Brushes_Grow(&brushes->vertices, shape->num_corners, sizeof *vertices);
    vec3_t *edges = Brushes_Grow(&brushes->edges, shape->num_directions, sizeof *edges);
    cbrush_t *end = Brushes_Grow(&brushes->brushes, 1, sizeof *end);
    if (!planes || !vertices || !edges || !end) {
        return BRUSH_NO_MEMORY;
    }
    if (shape->num_planes > 0) {
        memcpy(planes, shape->planes, (size_t)shape->num_planes * sizeof *planes);
    }
    memcpy(edges, shape->directions, (size_t)shape->num_directions * sizeof *edges);
    for (int32_t i = 0; i < shape->num_corners; i++) {
        vertices[i] = DV_ToVector(shape->corners[i]);
    }
    *end = brush;
    return BRUSH_ADDED;
}

static void set_sides(shape_t *shape, const bounds_t *bounds, const brush_plane_t *planes,
                      int32_t num_planes) {
    for (int32_t i = 0; i < 3; i++) {
        dvec_t n = DV_AxisVector(i, 1.0);
        double hi = DV_Axis(DV_FromVector(bounds->maxs), i);
        double lo = DV_Axis(DV_FromVector(bounds->mins), i);
        shape->sides[2 * i] = (side_t){n, hi};
        shape->sides[2 * i + 1] = (side_t){DV_Sub(DV(0.0, 0.0, 0.0), n), -lo};
    }
    for (int32_t i = 0; i < num_planes; i++) {
        shape->sides[6 + i] = (side_t){DV_FromVector(planes[i].normal), (double)planes[i].dist};
    }
    shape->num_sides = 6 + num_planes;
}

/// Adds work to the total. Returns false if the map exceeds MAX_BRUSH_WORK.
static bool do_work(brushes_t *brushes, int32_t work) {
    brushes->work += work;
    return brushes->work <= MAX_BRUSH_WORK;
}

const char *Brushes_TooComplexText(const brushes_t *brushes) {
    return brushes->brushes.count >= MAX_MAP_BRUSHES ? "the map has too many brushes and facets"
           : brushes->work > MAX_BRUSH_WORK          ? "the map's brushes have too many sides"
                                                     : "the brush has too many sides or corners";
}

static shape_t *begin_shape(brushes_t *brushes) {
    shape_t *shape = brushes->shape ? brushes->shape : malloc(sizeof *shape);
    if (shape) {
        brushes->shape = shape;
        shape->num_corners = shape->num_edges = shape->num_directions = 0;
        shape->num_faces = shape->num_planes = 0;
        shape->flags = 0;
        shape->overflow = false;
    }
    return shape;
}

brush_added_t Brushes_Add(brushes_t *brushes, bounds_t bounds, int32_t contents,
                          const brush_plane_t *planes, int32_t num_planes) {
    if (num_planes > MAX_BRUSH_SIDES || brushes->brushes.count >= MAX_MAP_BRUSHES ||
        !do_work(brushes, (num_planes + 6) * (num_planes + 6))) {
        return BRUSH_TOO_COMPLEX;
    }
    if (!(bounds.mins.x < bounds.maxs.x) || !(bounds.mins.y < bounds.maxs.y) ||
        !(bounds.mins.z < bounds.maxs.z)) {
        return BRUSH_EMPTY;
    }
    shape_t *shape = begin_shape(brushes);
    if (!shape) {
        return BRUSH_NO_MEMORY;
    }
    set_sides(shape, &bounds, planes, num_planes);
    make_faces(shape, &bounds);
    brush_added_t result = BRUSH_EMPTY;
    if (shape->num_corners >= 4 && shape->num_edges >= 6 && !shape->overflow) {
        // Drop planes that do not touch the brush.
        for (int32_t i = 0; i < num_planes; i++) {
            if (shape->is_face[6 + i]) {
                shape->planes[shape->num_faces++] = planes[i];
            }
        }
        shape->num_planes = shape->num_faces;
        make_bevels(shape);
        result = shape->overflow ? BRUSH_TOO_COMPLEX : append(brushes, shape, bounds, contents);
    } else if (shape->overflow) {
        result = BRUSH_TOO_COMPLEX;
    }
    return result;
}

/// Computes a polygon's plane. Returns false if the polygon has no area.
static bool polygon_plane(const dvec_t *at, int32_t count, brush_plane_t *plane) {
    dvec_t n = DV_Cross(DV_Sub(at[1], at[0]), DV_Sub(at[2], at[0]));
    if (count == 4) {
        n = DV_Cross(DV_Sub(at[2], at[0]), DV_Sub(at[3], at[1]));
    }
    double length = sqrt(DV_Dot(n, n));
    if (!(length > SHORTEST_EDGE * SHORTEST_EDGE)) {
        return false;
    }
    vec3_t normal = DV_ToVector(DV_MA(DV(0.0, 0.0, 0.0), 1.0 / length, n));
    double most = DV_Dot(at[0], DV_FromVector(normal));
    for (int32_t i = 1; i < count; i++) {
        double d = DV_Dot(at[i], DV_FromVector(normal));
        most = d > most ? d : most;
    }
    *plane = (brush_plane_t){normal, (float)most};
    return true;
}

brush_added_t Brushes_AddFacet(brushes_t *brushes, int32_t contents, const dvec_t *corners,
                               int32_t count) {
    shape_t *shape = begin_shape(brushes);
    if (!shape) {
        return BRUSH_NO_MEMORY;
    }
    if (brushes->brushes.count >= MAX_MAP_BRUSHES || !do_work(brushes, FACET_WORK)) {
        return BRUSH_TOO_COMPLEX;
    }
    shape->flags = BRUSH_FACET;
    add_polygon(shape, corners, count);
    brush_plane_t front;
    if (shape->num_corners < 3 || !polygon_plane(shape->corners, shape->num_corners, &front)) {
        return BRUSH_EMPTY;
    }
    shape->planes[0] = front;
    shape->planes[1] = (brush_plane_t){VectorNegate(front.normal), -front.dist};
    shape->num_faces = shape->num_planes = 2;
    for (int32_t i = 0; i < 6; i++) {
        shape->is_face[i] = false;
    }
    make_bevels(shape);
    const bounds_t none = {Vector(0.0f, 0.0f, 0.0f), Vector(0.0f, 0.0f, 0.0f)};
    return append(brushes, shape, none, contents);
}

void Brushes_Free(brushes_t *brushes) {
    free(brushes->brushes.data);
    free(brushes->planes.data);
    free(brushes->vertices.data);
    free(brushes->edges.data);
    free(brushes->nodes.data);
    free(brushes->shape);
    memset(brushes, 0, sizeof *brushes);
}
