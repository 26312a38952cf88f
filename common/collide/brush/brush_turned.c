/// collide/brush/brush_turned.c - sweeps a box against a brush that is turned relative to it.
//
// Units:   qu, in model space, where only the box is turned.
// Source:  the faces of a Minkowski sum: all faces of both bodies, and one per pair of edges.

#include "collide/brush/brush_local.h"

/// Maximum squared sine of the angle between parallel edges.
#define PARALLEL 1e-10f

static bool cut_at_plane(const box_sweep_t *sweep, overlap_t *overlap, vec3_t n, float dist) {
    float grown = dist + CM_BoxReach(sweep, n);
    return Overlap_Cut(overlap, DotProduct(n, sweep->start) - grown,
                       DotProduct(n, sweep->end) - grown, n);
}

/// Cuts the overlap at the two outer planes with normals n and -n.
static bool cut_along(const box_sweep_t *sweep, const cbrush_t *brush, overlap_t *overlap,
                      vec3_t n) {
    const vec3_t *vertices = &sweep->list->vertices[brush->first_vertex];
    float most = DotProduct(vertices[0], n);
    float least = most;
    for (int32_t i = 1; i < brush->num_vertices; i++) {
        float d = DotProduct(vertices[i], n);
        most = d > most ? d : most;
        least = d < least ? d : least;
    }
    float reach = CM_BoxReach(sweep, n);
    float s = DotProduct(n, sweep->start);
    float e = DotProduct(n, sweep->end);
    vec3_t back = VectorSubtract(Vector(0.0f, 0.0f, 0.0f), n);
    return Overlap_Cut(overlap, s - (most + reach), e - (most + reach), n) &&
           Overlap_Cut(overlap, (least - reach) - s, (least - reach) - e, back);
}

bool CM_TurnedOverlap(const box_sweep_t *sweep, const cbrush_t *brush, overlap_t *overlap) {
    const brush_plane_t *planes = &sweep->list->planes[brush->first_plane];
    const vec3_t *edges = &sweep->list->edges[brush->first_edge];
    for (int32_t i = 0; i < brush->num_faces; i++) {
        if (!cut_at_plane(sweep, overlap, planes[i].normal, planes[i].dist)) {
            return false;
        }
    }
    for (int32_t j = 0; j < 3; j++) {
        if (!cut_along(sweep, brush, overlap, sweep->axes[j])) {
            return false;
        }
    }
    for (int32_t i = 0; i < brush->num_edges; i++) {
        for (int32_t j = 0; j < 3; j++) {
            vec3_t n = CrossProduct(edges[i], sweep->axes[j]);
            float length2 = DotProduct(n, n);
            if (length2 < PARALLEL) {
                continue;
            }
            if (!cut_along(sweep, brush, overlap, VectorScale(n, 1.0f / sqrtf(length2)))) {
                return false;
            }
        }
    }
    return true;
}
