/// world/area_local.h - private declarations of the area tree.

#ifndef EDICTD_WORLD_AREA_LOCAL_H
#define EDICTD_WORLD_AREA_LOCAL_H

#include "world/area.h"
#include "world/bits.h"
#include "world/link.h"

#define AREA_ALIGN         64u
#define AREA_EXTENT_MARGIN 0.125f // qu; more than the rounding error of coordinates

static inline area_t *area_of(const world_t *world) {
    return (area_t *)((uintptr_t)world + world->ofs_area);
}

static inline uint64_t area_align_up(uint64_t bytes) {
    return (bytes + AREA_ALIGN - 1) & ~(uint64_t)(AREA_ALIGN - 1);
}

static inline uint64_t *area_rows(const area_t *area) {
    return (uint64_t *)((uintptr_t)area + area_align_up(sizeof(area_t)));
}

static inline int32_t *area_heads(const area_t *area) {
    return (int32_t *)((uintptr_t)area + area->ofs_heads);
}

static inline area_node_t *area_nodes(const area_t *area) {
    return (area_node_t *)((uintptr_t)area + area->ofs_nodes);
}

/// Returns an array by edict number: the number of the edict's cell + 1, or 0 = not linked.
static inline int32_t *area_cells(const area_t *area) {
    return (int32_t *)((uintptr_t)area + area->ofs_cells);
}

// Returns the cell index of a coordinate along an axis. Monotone: if a <= b, cell(a) <= cell(b).
static inline int32_t area_cell_along(float at, float origin, float cells_per_unit, int32_t count) {
    return Q_ToInt((at - origin) * cells_per_unit, 0, count - 1);
}

static inline int32_t area_level_for(const area_t *area, vec3_t size) {
    float longest = size.x > size.y ? size.x : size.y;
    longest = size.z > longest ? size.z : longest;
    int32_t i = 0;
    while (i < AREA_LEVELS - 1 && !(longest <= area->levels[i].limit)) {
        i++;
    }
    return i;
}

static inline int32_t area_cell_for(const area_t *area, const area_level_t *level, vec3_t corner) {
    vec3_t origin = area->bounds.mins;
    float scale = level->cells_per_unit;
    int32_t x = area_cell_along(corner.x, origin.x, scale, level->nx);
    int32_t y = area_cell_along(corner.y, origin.y, scale, level->ny);
    int32_t z = area_cell_along(corner.z, origin.z, scale, level->nz);
    return level->first_cell + (((z * level->ny + y) << level->shift) + x);
}

/// A cell's position in the tree. `bit`: the cell's bit in the row.
typedef struct {
    int32_t kind, level, row, bit;
} area_place_t;

area_place_t Area_PlaceOfCell(const area_t *area, int32_t cell);

/// Initialises the sizes and offsets of an area_t. Adds no edicts.
void Area_MakeLayout(area_t *area, int32_t max_edicts, bounds_t bounds);

/// Puts an edict into a cell of the area tree. If it is in another cell, removes it there first.
void Area_ChangeCell(world_t *world, int32_t number, int32_t cell);

/// Adds an edict to the tree, or updates the box of a linked edict. `kind` is an area_kind_t.
static inline void area_link(world_t *world, int32_t number, vec3_t mins, vec3_t maxs,
                             int32_t kind) {
    area_t *area = area_of(world);
    vec3_t size = VectorSubtract(maxs, mins);
    int32_t at_level = area_level_for(area, size);
    int32_t cell = kind * area->num_cells + area_cell_for(area, &area->levels[at_level], mins);
    if (area_cells(area)[number] != cell + 1) {
        Area_ChangeCell(world, number, cell);
    }
    const vec3_t margin = {AREA_EXTENT_MARGIN, AREA_EXTENT_MARGIN, AREA_EXTENT_MARGIN};
    vec3_t extent = VectorAdd(size, margin);
    area_stock_t *stock = &area->stock[kind][at_level];
    // Rarely true. An unconditional store would make each link wait for the previous link.
    if (extent.x > stock->extent.x || extent.y > stock->extent.y || extent.z > stock->extent.z) {
        stock->extent = VectorMax(stock->extent, extent);
    }
    area_node_t *node = &area_nodes(area)[number];
    node->box.mins = mins;
    node->box.maxs = maxs;
}

#endif
