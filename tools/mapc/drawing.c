#include "mapc/drawing.h"

#include <stdlib.h>

/// Width of the cubes by which vertices are found.
#define MC_CUBE 32.0 // qu
/// Coordinates this close to an integer become the integer.
#define MC_SNAP 1e-3 // qu
/// Maximum corners of a face. Engines reject faces with more than about 60.
#define MC_MAX_CORNERS 60
/// Above this, faces may have flat triangles, because the search for a better cut takes too long.
#define MC_MANY_CORNERS 512
#define MC_HASH_SIZE    4096

/// A vertex on the current edge, at a distance from its start.
typedef struct {
    double along;
    int32_t vertex;
} met_t;

/// The corners of one face, counter-clockwise. `is_corner` is false for a mended T-junction.
typedef struct {
    int32_t *vertices;
    bool *is_corner;
    int32_t count;
    size_t room, corner_room;
} outline_t;

typedef struct {
    mc_drawing_t *out;
    mc_pools_t *pools;
    int32_t first_vertex, first_edge; ///< of this model
    int32_t *vertex_next, *edge_next; ///< next of the same bucket, per vertex or edge of the
                                      ///< model; -1 = none
    size_t vertex_room, edge_room;
    int32_t vertex_buckets[MC_HASH_SIZE], edge_buckets[MC_HASH_SIZE];
    met_t *met; ///< vertices on the current edge
    size_t num_met, met_room;
    outline_t outline;
} artist_t;

void MC_InitDrawing(mc_drawing_t *drawing, mc_pool_t *pool) {
    *drawing = (mc_drawing_t){.pool = pool};
    drawing->edges = MC_Grow(pool, NULL, 0, &drawing->edge_room, sizeof *drawing->edges);
    drawing->num_edges = 1;
}

static int64_t cube_of(double coordinate) {
    return (int64_t)floor(coordinate / MC_CUBE);
}

static uint32_t hash_cube(int64_t x, int64_t y, int64_t z) {
    return (uint32_t)((uint64_t)x * 73856093u ^ (uint64_t)y * 19349663u ^ (uint64_t)z * 83492791u) %
           MC_HASH_SIZE;
}

static double snap(double x) {
    double whole = floor(x + 0.5);
    return fabs(x - whole) < MC_SNAP ? whole : x;
}

/// Returns the vertex of this model at a point, or -1.
static int32_t find_vertex(const artist_t *a, dvec_t p) {
    const double e = MC_WELD_EPSILON;
    for (int64_t x = cube_of(p.x - e); x <= cube_of(p.x + e); x++) {
        for (int64_t y = cube_of(p.y - e); y <= cube_of(p.y + e); y++) {
            for (int64_t z = cube_of(p.z - e); z <= cube_of(p.z + e); z++) {
                int32_t i = a->vertex_buckets[hash_cube(x, y, z)];
                for (; i >= 0; i = a->vertex_next[i - a->first_vertex]) {
                    dvec_t d = DV_Sub(a->out->vertices[i], p);
                    if (fabs(d.x) <= e && fabs(d.y) <= e && fabs(d.z) <= e) {
                        return i;
                    }
                }
            }
        }
    }
    return -1;
}

static int32_t add_vertex(artist_t *a, dvec_t p) {
    int32_t found = find_vertex(a, p);
    if (found >= 0) {
        return found;
    }
    mc_drawing_t *out = a->out;
    p = DV(snap(p.x), snap(p.y), snap(p.z));
    size_t local = out->num_vertices - (size_t)a->first_vertex;
    out->vertices = MC_Grow(out->pool, out->vertices, out->num_vertices, &out->vertex_room,
                            sizeof *out->vertices);
    a->vertex_next =
        MC_Grow(&a->pools->temp, a->vertex_next, local, &a->vertex_room, sizeof *a->vertex_next);
    int32_t *bucket = &a->vertex_buckets[hash_cube(cube_of(p.x), cube_of(p.y), cube_of(p.z))];
    a->vertex_next[local] = *bucket;
    *bucket = (int32_t)out->num_vertices;
    out->vertices[out->num_vertices] = p;
    return (int32_t)out->num_vertices++;
}

static int compare_met(const void *one, const void *two) {
    const met_t *a = one;
    const met_t *b = two;
    int by_place = (a->along > b->along) - (a->along < b->along);
    return by_place ? by_place : (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/// Takes the vertices of one cube that are on the edge from `from`, not at its ends.
static void meet_cube(artist_t *a, const int64_t cube[3], dvec_t from, dvec_t direction,
                      double length) {
    int32_t i = a->vertex_buckets[hash_cube(cube[0], cube[1], cube[2])];
    for (; i >= 0; i = a->vertex_next[i - a->first_vertex]) {
        dvec_t p = a->out->vertices[i];
        dvec_t to = DV_Sub(p, from);
        double along = DV_Dot(to, direction);
        dvec_t off = DV_MA(to, -along, direction);
        if (along <= MC_WELD_EPSILON || along >= length - MC_WELD_EPSILON ||
            DV_Dot(off, off) > MC_WELD_EPSILON * MC_WELD_EPSILON || cube_of(p.x) != cube[0] ||
            cube_of(p.y) != cube[1] || cube_of(p.z) != cube[2]) {
            continue;
        }
        a->met = MC_Grow(&a->pools->temp, a->met, a->num_met, &a->met_room, sizeof *a->met);
        a->met[a->num_met++] = (met_t){along, i};
    }
}

/// Finds the vertices on an edge, sorted. Visits the cubes along the edge, slice by slice.
static void meet_vertices(artist_t *a, dvec_t from, dvec_t to) {
    a->num_met = 0;
    dvec_t edge = DV_Sub(to, from);
    double length = DV_Length(edge);
    if (length <= 2.0 * MC_WELD_EPSILON) {
        return;
    }
    dvec_t direction = DV_Scale(edge, 1.0 / length);
    int32_t axis = fabs(edge.x) >= fabs(edge.y) && fabs(edge.x) >= fabs(edge.z) ? 0
                   : fabs(edge.y) >= fabs(edge.z)                               ? 1
                                                                                : 2;
    double start = DV_Axis(from, axis);
    double span = DV_Axis(edge, axis);
    double lo = fmin(start, start + span);
    double hi = fmax(start, start + span);
    const double e = MC_WELD_EPSILON;
    for (int64_t slice = cube_of(lo - e); slice <= cube_of(hi + e); slice++) {
        // The part of the edge in the slice.
        double first = fmin(fmax((double)slice * MC_CUBE, lo), hi);
        double last = fmin(fmax((double)(slice + 1) * MC_CUBE, lo), hi);
        dvec_t one = DV_MA(from, (first - start) / span, edge);
        dvec_t two = DV_MA(from, (last - start) / span, edge);
        int64_t low[3], high[3];
        for (int32_t i = 0; i < 3; i++) {
            low[i] = i == axis ? slice : cube_of(fmin(DV_Axis(one, i), DV_Axis(two, i)) - e);
            high[i] = i == axis ? slice : cube_of(fmax(DV_Axis(one, i), DV_Axis(two, i)) + e);
        }
        for (int64_t x = low[0]; x <= high[0]; x++) {
            for (int64_t y = low[1]; y <= high[1]; y++) {
                for (int64_t z = low[2]; z <= high[2]; z++) {
                    meet_cube(a, (const int64_t[]){x, y, z}, from, direction, length);
                }
            }
        }
    }
    if (a->num_met > 1) {
        qsort(a->met, a->num_met, sizeof *a->met, compare_met);
    }
}

static void add_corner(artist_t *a, int32_t vertex, bool is_corner) {
    outline_t *o = &a->outline;
    size_t count = (size_t)o->count;
    if (count > 0 && o->vertices[count - 1] == vertex) {
        return;
    }
    mc_pool_t *temp = &a->pools->temp;
    o->vertices = MC_Grow(temp, o->vertices, count, &o->room, sizeof *o->vertices);
    o->is_corner = MC_Grow(temp, o->is_corner, count, &o->corner_room, sizeof *o->is_corner);
    o->vertices[count] = vertex;
    o->is_corner[count] = is_corner;
    o->count++;
}

static void drop_corner(outline_t *o, int32_t number) {
    o->count--;
    for (int32_t i = number; i < o->count; i++) {
        o->vertices[i] = o->vertices[i + 1];
        o->is_corner[i] = o->is_corner[i + 1];
    }
}

/// Drops corners between two equal ones, and one of the two. Such a spike appears where an edge
/// passes its next corner but one.
static void drop_spikes(outline_t *o) {
    for (int32_t i = 0; i < o->count && o->count >= 3; i++) {
        int32_t next = (i + 2) % o->count;
        if (o->vertices[i] == o->vertices[next]) {
            o->is_corner[i] = o->is_corner[next] = o->is_corner[i] || o->is_corner[next];
            drop_corner(o, (i + 1) % o->count);
            drop_corner(o, i < o->count ? i : 0);
            i = -1;
        }
    }
}

/// Writes a polygon's corners and the vertices on its edges to the outline.
static void make_outline(artist_t *a, const int32_t *vertices, int32_t count) {
    a->outline.count = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t next = vertices[i + 1 < count ? i + 1 : 0];
        add_corner(a, vertices[i], true);
        meet_vertices(a, a->out->vertices[vertices[i]], a->out->vertices[next]);
        for (size_t k = 0; k < a->num_met; k++) {
            add_corner(a, a->met[k].vertex, false);
        }
    }
    outline_t *o = &a->outline;
    while (o->count > 1 && o->vertices[o->count - 1] == o->vertices[0]) {
        o->count--;
    }
    drop_spikes(o);
}

/// Returns the reference to an edge between two vertices. An edge is used once in each direction.
static int32_t find_edge(artist_t *a, int32_t from, int32_t to) {
    mc_drawing_t *out = a->out;
    uint32_t low = (uint32_t)(from < to ? from : to);
    uint32_t high = (uint32_t)(from < to ? to : from);
    int32_t *bucket = &a->edge_buckets[(low * 31u + high * 7919u) % MC_HASH_SIZE];
    for (int32_t *at = bucket; *at >= 0; at = &a->edge_next[*at - a->first_edge]) {
        int32_t edge = *at;
        if (out->edges[edge].vertices[0] == to && out->edges[edge].vertices[1] == from) {
            *at = a->edge_next[edge - a->first_edge]; // used in both directions now
            return -edge;
        }
    }
    out->edges =
        MC_Grow(out->pool, out->edges, out->num_edges, &out->edge_room, sizeof *out->edges);
    size_t local = out->num_edges - (size_t)a->first_edge;
    a->edge_next =
        MC_Grow(&a->pools->temp, a->edge_next, local, &a->edge_room, sizeof *a->edge_next);
    int32_t edge = (int32_t)out->num_edges++;
    out->edges[edge] = (mc_edge_t){{from, to}};
    a->edge_next[local] = *bucket;
    *bucket = edge;
    return edge;
}

/// Returns the corner where a fan of triangles can start, or -1. Its neighbours are true corners,
/// so that no triangle is flat and every vertex is in a triangle. Considers `count` corners of the
/// outline from `first`; the ends of a part are true corners.
static int32_t fan_start(const outline_t *o, int32_t first, int32_t count) {
    bool is_part = count < o->count;
    bool before = is_part || o->is_corner[(first + count - 1) % o->count];
    bool at = is_part || o->is_corner[first % o->count];
    for (int32_t i = 0; i < count; i++) {
        int32_t next = (i + 1) % count;
        bool is_end = is_part && (next == 0 || next == count - 1);
        bool after = is_end || o->is_corner[(first + next) % o->count];
        if (before && after) {
            return i;
        }
        before = at;
        at = after;
    }
    return -1;
}

/// Writes a face of the first `count` corners of the outline. Engines draw a face as a fan of
/// triangles around its first corner.
static void put_face(artist_t *a, const mc_polygon_t *polygon, int32_t count) {
    mc_drawing_t *out = a->out;
    int32_t start = fan_start(&a->outline, 0, count);
    start = start < 0 ? 0 : start;
    out->faces =
        MC_Grow(out->pool, out->faces, out->num_faces, &out->face_room, sizeof *out->faces);
    out->faces[out->num_faces++] =
        (mc_outface_t){polygon->plane, polygon->texinfo, (int32_t)out->num_surfedges, count};
    for (int32_t i = count; i > 0; i--) { // clockwise: from each corner to the one before it
        const int32_t *v = a->outline.vertices;
        int32_t ref = find_edge(a, v[(start + i) % count], v[(start + i - 1) % count]);
        out->surfedges = MC_Grow(out->pool, out->surfedges, out->num_surfedges, &out->surfedge_room,
                                 sizeof *out->surfedges);
        out->surfedges[out->num_surfedges++] = ref;
    }
}

/// Turns the outline so that corner `first` becomes corner 0.
static void turn_outline(outline_t *o, mc_pool_t *temp, int32_t first) {
    size_t count = (size_t)o->count;
    outline_t turned = {.vertices = MC_Alloc(temp, count, sizeof *o->vertices),
                        .is_corner = MC_Alloc(temp, count, sizeof *o->is_corner),
                        .count = o->count,
                        .room = count,
                        .corner_room = count};
    for (int32_t i = 0; i < o->count; i++) {
        turned.vertices[i] = o->vertices[(first + i) % o->count];
        turned.is_corner[i] = o->is_corner[(first + i) % o->count];
    }
    *o = turned;
}

/// Finds the longest part of at most MC_MAX_CORNERS corners that a straight cut separates, and that
/// a fan can draw: true corners are on both sides of the cut. Writes its first corner, and returns
/// its corners; 0 = none.
static int32_t find_part(const outline_t *o, mc_pool_t *temp, int32_t *first) {
    // sums[i]: true corners before corner i, over two rounds.
    int32_t *sums = MC_Alloc(temp, (size_t)o->count * 2 + 1, sizeof *sums);
    for (int32_t i = 0; i < o->count * 2; i++) {
        sums[i + 1] = sums[i] + o->is_corner[i % o->count];
    }
    int32_t most = o->count - 1 < MC_MAX_CORNERS ? o->count - 1 : MC_MAX_CORNERS;
    for (int32_t last = most - 1; last >= 2; last--) {
        for (int32_t i = 0; i < o->count; i++) {
            int32_t inside = sums[i + last] - sums[i + 1];
            int32_t outside = sums[i + o->count] - sums[i + last + 1];
            if (inside > 0 && outside > 0 &&
                (o->count > MC_MANY_CORNERS || fan_start(o, i, last + 1) >= 0)) {
                *first = i;
                return last + 1;
            }
        }
    }
    return 0;
}

/// Writes the outline as one face, or as several if it has many corners or no fan can draw it.
static void put_outline(artist_t *a, const mc_polygon_t *polygon) {
    outline_t *o = &a->outline;
    while (o->count > MC_MAX_CORNERS || fan_start(o, 0, o->count) < 0) {
        int32_t first;
        int32_t part = find_part(o, &a->pools->temp, &first);
        if (part == 0) {
            break;
        }
        turn_outline(o, &a->pools->temp, first);
        o->is_corner[0] = o->is_corner[part - 1] = true;
        put_face(a, polygon, part);
        for (int32_t i = part - 1; i < o->count; i++) {
            o->vertices[i - part + 2] = o->vertices[i];
            o->is_corner[i - part + 2] = o->is_corner[i];
        }
        o->count -= part - 2;
    }
    put_face(a, polygon, o->count);
}

/// Welds the corners of a polygon. Returns how many vertices remain.
static int32_t weld(artist_t *a, const winding_t *w, int32_t *vertices) {
    int32_t count = 0;
    for (int32_t i = 0; i < w->num_points; i++) {
        int32_t vertex = add_vertex(a, w->points[i]);
        if (count == 0 ||
            (vertices[count - 1] != vertex && (i + 1 < w->num_points || vertices[0] != vertex))) {
            vertices[count++] = vertex;
        }
    }
    return count;
}

void MC_AddFaces(mc_drawing_t *drawing, mc_pools_t *pools, const mc_polygons_t *polygons,
                 int32_t *first) {
    mc_mark_t mark = MC_Mark(&pools->temp);
    artist_t *a = MC_Alloc(&pools->temp, 1, sizeof *a);
    a->out = drawing;
    a->pools = pools;
    a->first_vertex = (int32_t)drawing->num_vertices;
    a->first_edge = (int32_t)drawing->num_edges;
    for (int32_t i = 0; i < MC_HASH_SIZE; i++) {
        a->vertex_buckets[i] = a->edge_buckets[i] = -1;
    }
    size_t points = 0;
    for (size_t i = 0; i < polygons->count; i++) {
        points += (size_t)polygons->polygons[i].winding->num_points;
    }
    int32_t *vertices = MC_Alloc(&pools->temp, points, sizeof *vertices);
    int32_t *counts = MC_Alloc(&pools->temp, polygons->count, sizeof *counts);
    size_t at = 0;
    for (size_t i = 0; i < polygons->count; i++) {
        counts[i] = weld(a, polygons->polygons[i].winding, vertices + at);
        at += (size_t)counts[i];
    }
    at = 0;
    for (size_t i = 0; i < polygons->count; i++) {
        first[i] = (int32_t)drawing->num_faces;
        if (counts[i] >= 3) {
            make_outline(a, vertices + at, counts[i]);
        }
        if (counts[i] >= 3 && a->outline.count >= 3) {
            put_outline(a, &polygons->polygons[i]);
        }
        at += (size_t)counts[i];
    }
    first[polygons->count] = (int32_t)drawing->num_faces;
    MC_Release(&pools->temp, mark);
}
