/// world/area.c - the area tree: layout, link, unlink.

#include "world/area_local.h"

#include <math.h>

#define CELLS_PER_EDICT 8 // maximum, so that a small world has no large grid
#define MIN_CELLS       4096
#define MAX_CELLS       229376 // so that the largest world fits in 67 MiB
#define CELL_GROWTH     1.0625f

/// Cell size of each level as a multiple of the finest level's. The last level is a single cell.
static const float level_scale[AREA_LEVELS] = {1.0f, 2.0f, 4.0f, 8.0f, 16.0f, 32.0f, 0.0f};

/// Maximum side of a box on each level, as a fraction of the cell size. The finest level takes only
/// boxes as small as players and items, because a larger box widens every query. The last level
/// takes boxes of any size; its 0 is not used.
static const float level_limit[AREA_LEVELS] = {0.5625f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 0.0f};

// ---- layout ----

// Clamps bounds to the world and orders mins and maxs. A map may have any bounds.
static bounds_t sane_bounds(bounds_t bounds) {
    vec3_t lo = VectorClamp(bounds.mins, MAX_WORLD_COORD);
    vec3_t hi = VectorClamp(bounds.maxs, MAX_WORLD_COORD);
    return (bounds_t){VectorMin(lo, hi), VectorMax(lo, hi)};
}

// Returns the number of cells, rounded: the last cell also covers a remainder at the edge.
static int32_t cells_along(float length, float cell_size) {
    return Q_ToInt(length / cell_size + 0.5f, 1, 1 << 20);
}

static bool grid_fits(vec3_t size, float cell_size, int64_t max_cells) {
    int64_t nx = cells_along(size.x, cell_size);
    int64_t ny = cells_along(size.y, cell_size);
    int64_t nz = cells_along(size.z, cell_size);
    return nx <= AREA_MAX_ROW && nx * ny <= max_cells && nx * ny * nz <= max_cells;
}

static float finest_cell(vec3_t size, int32_t max_edicts) {
    float cell_size = AREA_CELL_SIZE;
    int64_t max_cells = Q_ClampI(CELLS_PER_EDICT * max_edicts, MIN_CELLS, MAX_CELLS);
    while (!grid_fits(size, cell_size, max_cells)) {
        cell_size *= CELL_GROWTH; // terminates: coordinates are bounded
    }
    return cell_size;
}

static int32_t log2_up(int32_t count) {
    int32_t shift = 0;
    while ((1 << shift) < count) {
        shift++;
    }
    return shift;
}

// Fills in the levels and the numbers of rows and cells.
static void make_levels(area_t *area, int32_t max_edicts) {
    vec3_t size = VectorSubtract(area->bounds.maxs, area->bounds.mins);
    float finest = finest_cell(size, max_edicts);
    for (int32_t i = 0; i < AREA_LEVELS; i++) {
        area_level_t *level = &area->levels[i];
        bool is_last = i == AREA_LEVELS - 1;
        float cell_size = finest * level_scale[i];
        level->cells_per_unit = is_last ? 0.0f : 1.0f / cell_size;
        level->limit = is_last ? INFINITY : cell_size * level_limit[i];
        level->nx = is_last ? 1 : cells_along(size.x, cell_size);
        level->ny = is_last ? 1 : cells_along(size.y, cell_size);
        level->nz = is_last ? 1 : cells_along(size.z, cell_size);
        level->shift = log2_up(level->nx);
        level->first_row = area->num_rows;
        level->first_cell = area->num_cells;
        area->num_rows += level->ny * level->nz;
        area->num_cells += (level->ny * level->nz) << level->shift;
    }
}

void Area_MakeLayout(area_t *area, int32_t max_edicts, bounds_t bounds) {
    *area = (area_t){.bounds = sane_bounds(bounds)};
    make_levels(area, max_edicts);
    uint64_t rows_bytes = (uint64_t)area->num_rows * AREA_KINDS * sizeof(uint64_t);
    uint64_t heads_bytes = (uint64_t)area->num_cells * AREA_KINDS * sizeof(int32_t);
    area->ofs_heads = area_align_up(area_align_up(sizeof(area_t)) + rows_bytes);
    area->ofs_nodes = area_align_up(area->ofs_heads + heads_bytes);
    area->ofs_cells = area->ofs_nodes + (uint64_t)max_edicts * sizeof(area_node_t);
    area->bytes = area->ofs_cells + (uint64_t)max_edicts * sizeof(int32_t);
}

uint64_t Area_Bytes(int32_t max_edicts, bounds_t bounds) {
    area_t area;
    Area_MakeLayout(&area, max_edicts, bounds);
    return area.bytes;
}

void Area_Init(area_t *area, int32_t max_edicts, bounds_t bounds) {
    Area_MakeLayout(area, max_edicts, bounds);
}

// ---- link and unlink ----

area_place_t Area_PlaceOfCell(const area_t *area, int32_t cell) {
    area_place_t place = {cell >= area->num_cells ? 1 : 0, 0, 0, 0};
    int32_t of_kind = cell - place.kind * area->num_cells;
    while (place.level < AREA_LEVELS - 1 && of_kind >= area->levels[place.level + 1].first_cell) {
        place.level++;
    }
    const area_level_t *level = &area->levels[place.level];
    int32_t in_level = of_kind - level->first_cell;
    place.row = place.kind * area->num_rows + level->first_row + (in_level >> level->shift);
    place.bit = in_level & ((1 << level->shift) - 1);
    return place;
}

static void insert(area_t *area, int32_t number, int32_t cell) {
    area_node_t *nodes = area_nodes(area);
    int32_t *head = &area_heads(area)[cell];
    area_place_t place = Area_PlaceOfCell(area, cell);
    nodes[number].next = *head;
    nodes[number].prev = 0;
    if (*head) {
        nodes[*head].prev = number;
    }
    *head = number;
    Bits_Set(&area_rows(area)[place.row], place.bit);
    area->stock[place.kind][place.level].count++;
}

static void take_out(area_t *area, int32_t number, int32_t cell) {
    area_node_t *nodes = area_nodes(area);
    int32_t *head = &area_heads(area)[cell];
    area_place_t place = Area_PlaceOfCell(area, cell);
    int32_t next = nodes[number].next;
    int32_t prev = nodes[number].prev;
    ASSERT(prev ? nodes[prev].next == number : *head == number);
    ASSERT(next == 0 || nodes[next].prev == number);
    if (next) {
        nodes[next].prev = prev;
    }
    if (prev) {
        nodes[prev].next = next;
    } else {
        *head = next;
    }
    if (*head == 0) {
        Bits_Clear(&area_rows(area)[place.row], place.bit);
    }
    area_stock_t *stock = &area->stock[place.kind][place.level];
    ASSERT(stock->count > 0);
    if (--stock->count == 0) {
        stock->extent = (vec3_t){0.0f, 0.0f, 0.0f};
    }
}

void Area_ChangeCell(world_t *world, int32_t number, int32_t cell) {
    area_t *area = area_of(world);
    int32_t *at = &area_cells(area)[number];
    ASSERT(cell >= 0 && cell < AREA_KINDS * area->num_cells);
    if (*at != 0) {
        take_out(area, number, *at - 1);
    }
    insert(area, number, cell);
    *at = cell + 1;
}

bool Area_IsLinked(const world_t *world, int32_t number) {
    return area_cells(area_of(world))[number] != 0;
}

void Area_Unlink(world_t *world, int32_t number) {
    area_t *area = area_of(world);
    int32_t *at = &area_cells(area)[number];
    if (*at != 0) {
        take_out(area, number, *at - 1);
        *at = 0;
        area_nodes(area)[number] = (area_node_t){0};
    }
}
