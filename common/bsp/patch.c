#include "bsp/patch.h"

#include <stdlib.h>
#include <string.h>

/// Maximum halvings of a span; each divides the distance to the chord by 4.
enum { MAX_HALVINGS = 16 };

/// A quad is flat if its fourth corner is this close to the plane of the other corners.
#define FLAT_MESH 0.1 // qu

/// A row of spans during the cut. A column has `height` points.
typedef struct {
    int32_t height, count;
    dvec_t *columns; // the resulting columns, at most MAX_PATCH_GRID
    dvec_t *waiting; // spans to cut; a span is three columns
    int32_t num_waiting;
} cutter_t;

static dvec_t half(dvec_t a, dvec_t b) {
    return DV_Scale(DV_Add(a, b), 0.5);
}

static dvec_t *waiting_span(const cutter_t *cutter, int32_t number) {
    return &cutter->waiting[(size_t)number * 3 * (size_t)cutter->height];
}

static bool is_flat(const dvec_t *span, int32_t height) {
    for (int32_t i = 0; i < height; i++) {
        dvec_t a = span[i];
        dvec_t b = span[height + i];
        dvec_t c = span[2 * height + i];
        dvec_t off = DV_Sub(half(half(a, b), half(b, c)), half(a, c));
        if (DV_Dot(off, off) > PATCH_FLATNESS * PATCH_FLATNESS) {
            return false;
        }
    }
    return true;
}

static void halve(cutter_t *cutter) {
    int32_t n = cutter->height;
    dvec_t *second = waiting_span(cutter, cutter->num_waiting - 1);
    dvec_t *first = waiting_span(cutter, cutter->num_waiting++);
    for (int32_t i = 0; i < n; i++) {
        dvec_t ab = half(second[i], second[n + i]);
        dvec_t bc = half(second[n + i], second[2 * n + i]);
        first[i] = second[i];
        first[n + i] = ab;
        first[2 * n + i] = half(ab, bc);
        second[i] = first[2 * n + i];
        second[n + i] = bc;
    }
}

static bool append(cutter_t *cutter, const dvec_t *column) {
    if (cutter->count == MAX_PATCH_GRID) {
        return false;
    }
    size_t size = (size_t)cutter->height;
    memcpy(&cutter->columns[(size_t)cutter->count++ * size], column, size * sizeof *column);
    return true;
}

/// Cuts a span, and appends the last column of each part.
static bool cut_span(cutter_t *cutter) {
    while (cutter->num_waiting > 0) {
        const dvec_t *span = waiting_span(cutter, cutter->num_waiting - 1);
        if (is_flat(span, cutter->height)) {
            if (!append(cutter, span + 2 * cutter->height)) {
                return false;
            }
            cutter->num_waiting--;
        } else if (cutter->num_waiting == MAX_HALVINGS) {
            return false;
        } else {
            halve(cutter);
        }
    }
    return true;
}

/// Cuts a grid along its rows and transposes it.
static patch_cut_t cut_rows(patch_grid_t *grid) {
    size_t height = (size_t)grid->height;
    cutter_t cutter = {.height = grid->height};
    cutter.columns = malloc(MAX_PATCH_GRID * height * sizeof *cutter.columns);
    cutter.waiting = malloc((size_t)MAX_HALVINGS * 3 * height * sizeof *cutter.waiting);
    patch_cut_t result = cutter.columns && cutter.waiting ? PATCH_CUT : PATCH_NO_MEMORY;
    for (int32_t at = 0; at + 2 < grid->width && result == PATCH_CUT; at += 2) {
        dvec_t *span = waiting_span(&cutter, 0);
        for (int32_t i = 0; i < 3 * grid->height; i++) {
            span[i] = grid->points[i % grid->height * grid->width + at + i / grid->height];
        }
        cutter.num_waiting = 1;
        if ((at == 0 && !append(&cutter, span)) || !cut_span(&cutter)) {
            result = PATCH_TOO_FINE;
        }
    }
    free(cutter.waiting);
    free(grid->points);
    *grid = (patch_grid_t){cutter.columns, grid->height, cutter.count};
    return result;
}

patch_cut_t Patch_Cut(patch_grid_t *grid, const vec3_t *controls, int32_t width, int32_t height) {
    *grid = (patch_grid_t){NULL, width, height};
    grid->points = malloc((size_t)width * (size_t)height * sizeof *grid->points);
    if (!grid->points) {
        return PATCH_NO_MEMORY;
    }
    for (int32_t i = 0; i < width * height; i++) {
        grid->points[i] = DV_FromVector(controls[i]);
    }
    patch_cut_t result = cut_rows(grid);
    return result == PATCH_CUT ? cut_rows(grid) : result; // transposed back
}

void Patch_Free(patch_grid_t *grid) {
    free(grid->points);
    *grid = (patch_grid_t){0};
}

// ---- facets ----

/// Returns true if a quad is convex and within FLAT_MESH of a plane.
static bool is_flat_mesh(const dvec_t q[4]) {
    dvec_t n = DV_Cross(DV_Sub(q[1], q[0]), DV_Sub(q[2], q[0]));
    dvec_t m = DV_Cross(DV_Sub(q[2], q[0]), DV_Sub(q[3], q[0]));
    dvec_t k = DV_Cross(DV_Sub(q[1], q[0]), DV_Sub(q[3], q[0]));
    dvec_t l = DV_Cross(DV_Sub(q[2], q[1]), DV_Sub(q[3], q[1]));
    double off = DV_Dot(n, DV_Sub(q[3], q[0]));
    return DV_Dot(n, m) > 0.0 && DV_Dot(n, k) > 0.0 && DV_Dot(n, l) > 0.0 &&
           off * off <= FLAT_MESH * FLAT_MESH * DV_Dot(n, n);
}

static brush_added_t add_mesh(brushes_t *brushes, int32_t contents, const dvec_t q[4]) {
    if (is_flat_mesh(q)) {
        return Brushes_AddFacet(brushes, contents, q, 4);
    }
    const dvec_t second[3] = {q[0], q[2], q[3]};
    brush_added_t result = Brushes_AddFacet(brushes, contents, q, 3);
    return result > BRUSH_EMPTY ? result : Brushes_AddFacet(brushes, contents, second, 3);
}

brush_added_t Patch_AddFacets(const patch_grid_t *grid, int32_t contents, brushes_t *brushes) {
    for (int32_t row = 0; row + 1 < grid->height; row++) {
        for (int32_t column = 0; column + 1 < grid->width; column++) {
            const dvec_t *at = &grid->points[row * grid->width + column];
            const dvec_t q[4] = {at[0], at[1], at[grid->width + 1], at[grid->width]};
            brush_added_t result = add_mesh(brushes, contents, q);
            if (result > BRUSH_EMPTY) {
                return result;
            }
        }
    }
    return BRUSH_ADDED;
}
