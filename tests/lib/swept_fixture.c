#include "lib/swept_fixture.h"

#include "lib/testing.h"

#include <math.h>

#define NEVER 2.0

enum { STACK_SIZE = 512 };

/// The interval in which a box is inside a brush, and the direction of entry.
typedef struct {
    double enter, leave, gap; // gap: distance at the end of the sweep
    double normal[3];
    bool apart;
} inside_t;

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

test_swept_t TestSwept_Of(bounds_t box, vec3_t start, vec3_t end, double least) {
    test_swept_t swept;
    for (int32_t i = 0; i < 3; i++) {
        double lo = (double)VectorAxis(box.mins, i);
        double hi = (double)VectorAxis(box.maxs, i);
        swept.start[i] = (double)VectorAxis(start, i) + 0.5 * (lo + hi);
        swept.delta[i] = (double)VectorAxis(end, i) - (double)VectorAxis(start, i);
        swept.half[i] = 0.5 * fmax(hi - lo, least);
    }
    return swept;
}

/// Clips the interval inside at both ends, by the extents of brush and box along a direction.
static void cut_along(const brush_list_t *list, const cbrush_t *brush, const test_swept_t *swept,
                      const double direction[3], double grow, inside_t *inside) {
    double length = sqrt(dot(direction, direction));
    if (length < 1e-4) {
        return;
    }
    double n[3] = {direction[0] / length, direction[1] / length, direction[2] / length};
    double most = -(double)INFINITY;
    double least = (double)INFINITY;
    for (int32_t i = 0; i < brush->num_vertices; i++) {
        vec3_t v = list->vertices[brush->first_vertex + i];
        double at = (double)v.x * n[0] + (double)v.y * n[1] + (double)v.z * n[2];
        most = fmax(most, at);
        least = fmin(least, at);
    }
    double reach = swept->half[0] * fabs(n[0]) + swept->half[1] * fabs(n[1]) +
                   swept->half[2] * fabs(n[2]) + grow;
    for (int32_t end = 0; end < 2; end++) {
        double side = end == 0 ? -1.0 : 1.0;
        double from = side * dot(n, swept->start) - (side > 0.0 ? most : -least) - reach;
        double to = from + side * dot(n, swept->delta);
        inside->gap = fmax(inside->gap, to);
        inside->apart |= from >= 0.0 && to >= 0.0;
        if (from >= 0.0 && to < 0.0 && from / (from - to) > inside->enter) {
            inside->enter = from / (from - to);
            for (int32_t i = 0; i < 3; i++) {
                inside->normal[i] = side * n[i];
            }
        } else if (from < 0.0 && to >= 0.0) {
            inside->leave = fmin(inside->leave, from / (from - to));
        }
    }
}

static inside_t meet_brush(const brush_list_t *list, const cbrush_t *brush,
                           const test_swept_t *swept, double grow) {
    inside_t inside = {.enter = -1.0, .leave = NEVER, .gap = -(double)INFINITY};
    for (int32_t i = 0; i < brush->num_faces; i++) {
        vec3_t n = list->planes[brush->first_plane + i].normal;
        const double direction[3] = {(double)n.x, (double)n.y, (double)n.z};
        cut_along(list, brush, swept, direction, grow, &inside);
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        double direction[3] = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
        cut_along(list, brush, swept, direction, grow, &inside);
        for (int32_t i = 0; i < brush->num_edges; i++) {
            vec3_t e = list->edges[brush->first_edge + i];
            const double edge[3] = {(double)e.x, (double)e.y, (double)e.z};
            for (int32_t k = 0; k < 3; k++) {
                direction[k] = edge[(k + 1) % 3] * (axis == (k + 2) % 3 ? 1.0 : 0.0) -
                               edge[(k + 2) % 3] * (axis == (k + 1) % 3 ? 1.0 : 0.0);
            }
            cut_along(list, brush, swept, direction, grow, &inside);
        }
    }
    return inside;
}

/// Returns true if a facet cannot stop the sweep: it comes from behind, or starts inside.
static bool is_behind(const brush_list_t *list, const cbrush_t *brush, const inside_t *inside) {
    vec3_t n = list->planes[brush->first_plane].normal;
    const double front[3] = {(double)n.x, (double)n.y, (double)n.z};
    return (brush->flags & BRUSH_FACET) && dot(front, inside->normal) < -1.0 + 1e-6;
}

/// Finds the first and the nearest of all solid brushes, without the tree.
static void look_at_all(const brush_list_t *list, const test_swept_t *swept, double grow,
                        double *enter, double *gap) {
    int32_t stack[STACK_SIZE];
    int32_t count = 0;
    stack[count++] = list->root;
    while (count > 0) {
        int32_t child = stack[--count];
        if (child >= 0) {
            assert_true(count + 4 <= STACK_SIZE);
            for (int32_t i = 0; i < 4; i++) {
                stack[count++] = list->nodes[child].children[i];
            }
            continue;
        }
        const cbrush_t *brush = child == BRUSH_NO_CHILD ? NULL : &list->brushes[-1 - child];
        if (!brush || !CM_IsBrushSolid(brush->contents, false)) {
            continue;
        }
        inside_t inside = meet_brush(list, brush, swept, grow);
        *gap = fmin(*gap, inside.gap);
        if (!inside.apart && inside.enter >= 0.0 && inside.enter < inside.leave &&
            !is_behind(list, brush, &inside)) {
            *enter = fmin(*enter, inside.enter);
        }
    }
}

double TestSwept_Enter(const brush_list_t *list, const test_swept_t *swept, double grow) {
    double enter = NEVER;
    double gap = (double)INFINITY;
    look_at_all(list, swept, grow, &enter, &gap);
    return enter;
}

double TestSwept_Gap(const brush_list_t *list, const test_swept_t *swept) {
    double enter = NEVER;
    double gap = (double)INFINITY;
    look_at_all(list, swept, 0.0, &enter, &gap);
    return gap;
}
