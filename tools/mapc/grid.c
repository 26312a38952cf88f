#include "mapc/grid.h"

/// Maximum squares of a brush in the grid. Larger brushes are listed separately.
#define MC_MANY_SQUARES 64

/// A range of squares along x and y; both ends are included.
typedef struct {
    int32_t lo[2], hi[2];
} span_t;

static int32_t square_of(const mc_grid_t *grid, int32_t axis, double v) {
    double lo = DV_Axis(grid->bounds.mins, axis);
    double size = DV_Axis(grid->bounds.maxs, axis) - lo;
    double at = size > 0.0 ? (v - lo) / size * MC_GRID_SIZE : 0.0;
    return at <= 0.0 ? 0 : at >= MC_GRID_SIZE - 1 ? MC_GRID_SIZE - 1 : (int32_t)at;
}

static span_t span_of(const mc_grid_t *grid, const dbounds_t *box, double margin) {
    span_t span;
    for (int32_t axis = 0; axis < 2; axis++) {
        span.lo[axis] = square_of(grid, axis, DV_Axis(box->mins, axis) - margin);
        span.hi[axis] = square_of(grid, axis, DV_Axis(box->maxs, axis) + margin);
    }
    return span;
}

static bool is_large(const span_t *span) {
    int32_t squares = (span->hi[0] - span->lo[0] + 1) * (span->hi[1] - span->lo[1] + 1);
    return squares > MC_MANY_SQUARES;
}

bool MC_BoxesTouch(const dbounds_t *a, const dbounds_t *b, double margin) {
    return a->mins.x <= b->maxs.x + margin && a->maxs.x >= b->mins.x - margin &&
           a->mins.y <= b->maxs.y + margin && a->maxs.y >= b->mins.y - margin &&
           a->mins.z <= b->maxs.z + margin && a->maxs.z >= b->mins.z - margin;
}

/// Visits the squares of all small brushes. Enters the brushes, or only counts if !entries.
static void visit_squares(mc_grid_t *grid, int32_t *counts, int32_t *entries) {
    for (int32_t i = 0; i < grid->count; i++) {
        span_t span = span_of(grid, &grid->brushes[i].bounds, 0.0);
        if (is_large(&span)) {
            if (entries) {
                grid->large[grid->num_large++] = i;
            }
            continue;
        }
        for (int32_t y = span.lo[1]; y <= span.hi[1]; y++) {
            for (int32_t x = span.lo[0]; x <= span.hi[0]; x++) {
                int32_t *count = &counts[y * MC_GRID_SIZE + x];
                if (entries) {
                    entries[*count] = i;
                }
                (*count)++;
            }
        }
    }
}

void MC_MakeGrid(mc_grid_t *grid, mc_pool_t *pool, const mc_brush_t *brushes, int32_t count) {
    const size_t squares = (size_t)MC_GRID_SIZE * MC_GRID_SIZE;
    *grid = (mc_grid_t){.brushes = brushes, .count = count, .bounds = DB_Empty()};
    for (int32_t i = 0; i < count; i++) {
        DB_AddBox(&grid->bounds, &brushes[i].bounds);
    }
    grid->large = MC_Alloc(pool, (size_t)count, sizeof *grid->large);
    grid->seen = MC_Alloc(pool, (size_t)count, sizeof *grid->seen);
    // Count square s in starts[s + 2], so that the sums make starts[s + 1] its first entry.
    // Entering the numbers advances starts[s + 1] to the first entry of square s + 1.
    grid->starts = MC_Alloc(pool, squares + 2, sizeof *grid->starts);
    visit_squares(grid, grid->starts + 2, NULL);
    for (size_t i = 2; i < squares + 2; i++) {
        grid->starts[i] += grid->starts[i - 1];
    }
    grid->entries = MC_Alloc(pool, (size_t)grid->starts[squares + 1], sizeof *grid->entries);
    visit_squares(grid, grid->starts + 1, grid->entries);
}

int32_t MC_Neighbours(mc_grid_t *grid, int32_t own, double margin, const mc_brush_t **out) {
    const dbounds_t *box = &grid->brushes[own].bounds;
    span_t span = span_of(grid, box, margin);
    int32_t count = 0;
    grid->query++;
    grid->seen[own] = grid->query;
    for (int32_t i = 0; i < grid->num_large; i++) {
        const mc_brush_t *other = &grid->brushes[grid->large[i]];
        if (grid->large[i] != own && MC_BoxesTouch(box, &other->bounds, margin)) {
            out[count++] = other;
        }
    }
    for (int32_t y = span.lo[1]; y <= span.hi[1]; y++) {
        for (int32_t x = span.lo[0]; x <= span.hi[0]; x++) {
            int32_t square = y * MC_GRID_SIZE + x;
            for (int32_t i = grid->starts[square]; i < grid->starts[square + 1]; i++) {
                int32_t number = grid->entries[i];
                const mc_brush_t *other = &grid->brushes[number];
                if (grid->seen[number] != grid->query &&
                    MC_BoxesTouch(box, &other->bounds, margin)) {
                    out[count++] = other;
                }
                grid->seen[number] = grid->query;
            }
        }
    }
    return count;
}
