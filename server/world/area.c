/// world/area.c - the area tree: layout, link, unlink, queries.
//
// Floor:   world.
// Units:   qu.

#include "world/area.h"

#include "world/bits.h"
#include "world/link.h"

#include <math.h>
#include <string.h>

#define CELLS_PER_EDICT 8 // at most; a small world does not carry a large grid
#define MIN_CELLS       4096
#define MAX_CELLS       262144
#define CELL_GROWTH     1.0625f
#define EXTENT_MARGIN   0.125f // qu; beyond what adding and subtracting coordinates can round
#define AREA_ALIGN      64u

/// Cell size of a level as a multiple of the finest; the last is one cell for all.
static const float level_scale[AREA_LEVELS] = {1.0f, 2.0f, 8.0f, 32.0f, 0.0f};

/// Longest side of a box, as a share of the cell size. The finest level is kept to boxes of players
/// and items, so that one larger thing does not widen every query.
static const float level_limit[AREA_LEVELS] = {0.5625f, 1.0f, 1.0f, 1.0f, 0.0f};

// ---- layout ----

static area_t *area_of(const world_t *world) {
    return (area_t *)((uintptr_t)world + world->ofs_area);
}

static uint64_t align_up(uint64_t bytes) {
    return (bytes + AREA_ALIGN - 1) & ~(uint64_t)(AREA_ALIGN - 1);
}

static uint64_t rows_offset(void) {
    return align_up(sizeof(area_t));
}

static inline uint64_t *area_rows(const area_t *area) {
    return (uint64_t *)((uintptr_t)area + align_up(sizeof(area_t)));
}

static inline int32_t *area_heads(const area_t *area) {
    return (int32_t *)((uintptr_t)area + area->ofs_heads);
}

static inline area_node_t *area_nodes(const area_t *area) {
    return (area_node_t *)((uintptr_t)area + area->ofs_nodes);
}

// Bounds come from a map: whatever they are, the grid covers something sane.
static bounds_t sane_bounds(bounds_t bounds) {
    const float limit = MAX_WORLD_COORD;
    vec3_t lo = {Q_ClampF(bounds.mins.x, -limit, limit), Q_ClampF(bounds.mins.y, -limit, limit),
                 Q_ClampF(bounds.mins.z, -limit, limit)};
    vec3_t hi = {Q_ClampF(bounds.maxs.x, -limit, limit), Q_ClampF(bounds.maxs.y, -limit, limit),
                 Q_ClampF(bounds.maxs.z, -limit, limit)};
    return (bounds_t){VectorMin(lo, hi), VectorMax(lo, hi)};
}

// Rounded: the rest of a cell at the edge belongs to the cell before it.
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
        cell_size *= CELL_GROWTH; // ends: coordinates are bounded
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

// Fills in all but the stock; false only tells that the parts do not fit 32 bits, which they do.
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

static void make_layout(area_t *area, int32_t max_edicts, bounds_t bounds) {
    *area = (area_t){.bounds = sane_bounds(bounds)};
    make_levels(area, max_edicts);
    uint64_t rows_bytes = (uint64_t)area->num_rows * AREA_KINDS * sizeof(uint64_t);
    uint64_t heads_bytes = (uint64_t)area->num_cells * AREA_KINDS * sizeof(int32_t);
    area->ofs_heads = align_up(rows_offset() + rows_bytes);
    area->ofs_nodes = align_up(area->ofs_heads + heads_bytes);
    area->bytes = area->ofs_nodes + (uint64_t)max_edicts * sizeof(area_node_t);
}

uint64_t Area_Bytes(int32_t max_edicts, bounds_t bounds) {
    area_t area;
    make_layout(&area, max_edicts, bounds);
    return area.bytes;
}

void Area_Init(area_t *area, int32_t max_edicts, bounds_t bounds) {
    make_layout(area, max_edicts, bounds);
}

// ---- cells ----

// Monotone in `at`: a corner between two others lies in a cell between theirs.
static inline int32_t cell_along(float at, float origin, float cells_per_unit, int32_t count) {
    return Q_ToInt((at - origin) * cells_per_unit, 0, count - 1);
}

static inline int32_t level_for(const area_t *area, vec3_t size) {
    float longest = size.x > size.y ? size.x : size.y;
    longest = size.z > longest ? size.z : longest;
    int32_t i = 0;
    while (i < AREA_LEVELS - 1 && !(longest <= area->levels[i].limit)) {
        i++;
    }
    return i;
}

static inline int32_t cell_for(const area_t *area, const area_level_t *level, vec3_t corner) {
    vec3_t origin = area->bounds.mins;
    float scale = level->cells_per_unit;
    int32_t x = cell_along(corner.x, origin.x, scale, level->nx);
    int32_t y = cell_along(corner.y, origin.y, scale, level->ny);
    int32_t z = cell_along(corner.z, origin.z, scale, level->nz);
    return level->first_cell + (((z * level->ny + y) << level->shift) + x);
}

/// A place in the tree: kind, level, row and bit of a cell of both kinds' cells.
typedef struct {
    int32_t kind, level, row, bit;
} area_place_t;

static area_place_t place_of_cell(const area_t *area, int32_t cell) {
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

// ---- link and unlink ----

static void insert(area_t *area, int32_t number, int32_t cell) {
    area_node_t *nodes = area_nodes(area);
    int32_t *head = &area_heads(area)[cell];
    area_place_t place = place_of_cell(area, cell);
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
    area_place_t place = place_of_cell(area, cell);
    int32_t next = nodes[number].next;
    int32_t prev = nodes[number].prev;
    ASSERT(prev ? nodes[prev].next == number : *head == number);
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
    if (--stock->count == 0) {
        stock->extent = (vec3_t){0.0f, 0.0f, 0.0f};
    }
}

void Area_Link(world_t *world, int32_t number, bounds_t box, int32_t kind) {
    area_t *area = area_of(world);
    edict_t *edict = World_Edict(world, number);
    vec3_t size = VectorSubtract(box.maxs, box.mins);
    int32_t at_level = level_for(area, size);
    int32_t cell = kind * area->num_cells + cell_for(area, &area->levels[at_level], box.mins);
    if (edict->area.cell != cell + 1) {
        if (edict->area.cell != 0) {
            take_out(area, number, edict->area.cell - 1);
        }
        insert(area, number, cell);
        edict->area.cell = cell + 1;
    }
    vec3_t margin = {EXTENT_MARGIN, EXTENT_MARGIN, EXTENT_MARGIN};
    area_stock_t *stock = &area->stock[kind][at_level];
    stock->extent = VectorMax(stock->extent, VectorAdd(size, margin));
    area_nodes(area)[number].box = box;
}

void Area_Unlink(world_t *world, int32_t number) {
    area_t *area = area_of(world);
    edict_t *edict = World_Edict(world, number);
    if (edict->area.cell != 0) {
        take_out(area, number, edict->area.cell - 1);
        edict->area.cell = 0;
        area_nodes(area)[number] = (area_node_t){0};
    }
}

// ---- queries ----

/// One query on one level: the cells that its box reaches.
typedef struct {
    int32_t y0, y1, z0, z1;
    uint64_t columns; ///< bits of a row
} cell_range_t;

static inline cell_range_t range_for(const area_t *area, const area_level_t *level,
                                     const area_stock_t *stock, bounds_t box) {
    vec3_t origin = area->bounds.mins;
    vec3_t from = VectorSubtract(box.mins, stock->extent);
    float scale = level->cells_per_unit;
    int32_t x0 = cell_along(from.x, origin.x, scale, level->nx);
    int32_t x1 = cell_along(box.maxs.x, origin.x, scale, level->nx);
    cell_range_t range = {
        .y0 = cell_along(from.y, origin.y, scale, level->ny),
        .y1 = cell_along(box.maxs.y, origin.y, scale, level->ny),
        .z0 = cell_along(from.z, origin.z, scale, level->nz),
        .z1 = cell_along(box.maxs.z, origin.z, scale, level->nz),
    };
    // x1 < x0 only for an inverted box, which touches nothing.
    range.columns = x1 < x0 ? 0 : (~UINT64_C(0) << x0) & (~UINT64_C(0) >> (63 - x1));
    return range;
}

// Inlined into each caller, so that the visit is inlined too.
static inline __attribute__((always_inline)) void
scan(const world_t *world, bounds_t box, int32_t kind, area_visit_fn visit, void *context) {
    const area_t *area = area_of(world);
    const area_node_t *nodes = area_nodes(area);
    for (int32_t i = 0; i < AREA_LEVELS; i++) {
        const area_stock_t *stock = &area->stock[kind][i];
        if (stock->count == 0) {
            continue;
        }
        const area_level_t *level = &area->levels[i];
        cell_range_t range = range_for(area, level, stock, box);
        const uint64_t *rows = area_rows(area) + kind * area->num_rows + level->first_row;
        const int32_t *heads = area_heads(area) + kind * area->num_cells + level->first_cell;
        for (int32_t z = range.z0; z <= range.z1; z++) {
            for (int32_t y = range.y0; y <= range.y1; y++) {
                int32_t row = z * level->ny + y;
                uint64_t bits = rows[row] & range.columns;
                for (; bits != 0; bits &= bits - 1) {
                    int32_t number = heads[(row << level->shift) + Bits_Lowest(bits)];
                    for (; number != 0; number = nodes[number].next) {
                        if (BoundsTouch(nodes[number].box, box)) {
                            visit(context, number);
                        }
                    }
                }
            }
        }
    }
}

void Area_Visit(const world_t *world, bounds_t box, int32_t kind, area_visit_fn visit,
                void *context) {
    scan(world, box, kind, visit, context);
}

/// Found numbers in order: few are kept sorted in a list, many become a set of bits.
#define FEW_FOUND 32

typedef struct {
    int32_t count; ///< found so far
    int32_t few[FEW_FOUND];
    uint64_t *many; ///< a bit per edict, filled once there are more than FEW_FOUND
    int32_t words;
} found_t;

static inline void collect(void *context, int32_t number) {
    found_t *found = context;
    int32_t at = found->count++;
    if (at < FEW_FOUND) {
        for (; at > 0 && found->few[at - 1] > number; at--) {
            found->few[at] = found->few[at - 1];
        }
        found->few[at] = number;
        return;
    }
    if (at == FEW_FOUND) {
        memset(found->many, 0, (size_t)found->words * sizeof(uint64_t));
        for (int32_t i = 0; i < FEW_FOUND; i++) {
            Bits_Set(found->many, found->few[i]);
        }
    }
    Bits_Set(found->many, number);
}

int32_t SV_AreaEdicts(const world_t *world, bounds_t box, area_kind_t kind, int32_t *list,
                      int32_t max, int32_t *dropped) {
    uint64_t many[MAX_EDICTS / 64]; // 8 KiB; touched only when many are found
    found_t found = {.count = 0, .many = many, .words = Bits_Words(world->num_edicts)};
    scan(world, box, (int32_t)kind, collect, &found);
    int32_t listed = Q_MinI(found.count, Q_MaxI(max, 0));
    if (found.count <= FEW_FOUND) {
        memcpy(list, found.few, (size_t)listed * sizeof *list);
    } else {
        int32_t number = -1;
        for (int32_t i = 0; i < listed; i++) {
            number = Bits_Next(many, number, world->num_edicts);
            list[i] = number;
        }
    }
    if (dropped) {
        *dropped = found.count - listed;
    }
    return listed;
}

// ---- check of a block from outside ----

static bool check_cell(const world_t *world, int32_t cell, int32_t *linked, err_t *err) {
    const area_t *area = area_of(world);
    const area_node_t *nodes = area_nodes(area);
    int32_t prev = 0;
    int32_t number = area_heads(area)[cell];
    area_place_t place = place_of_cell(area, cell);
    if ((number != 0) != Bits_Get(&area_rows(area)[place.row], place.bit)) {
        return Err_Set(err, "area tree: cell %d: bit and list disagree", cell);
    }
    while (number != 0) {
        if (number < 0 || number >= world->num_edicts || (*linked)++ >= world->num_edicts) {
            return Err_Set(err, "area tree: cell %d: edict %d of %d", cell, number,
                           world->num_edicts);
        }
        const area_node_t *node = &nodes[number];
        vec3_t size = VectorSubtract(node->box.maxs, node->box.mins);
        int32_t level = level_for(area, size);
        int32_t expected =
            place.kind * area->num_cells + cell_for(area, &area->levels[level], node->box.mins);
        if (node->prev != prev || World_Edict(world, number)->area.cell != cell + 1 ||
            expected != cell) {
            return Err_Set(err, "area tree: edict %d is not where its links say", number);
        }
        prev = number;
        number = node->next;
    }
    return true;
}

static bool check_stock(const world_t *world, err_t *err) {
    const area_t *area = area_of(world);
    int32_t counts[AREA_KINDS][AREA_LEVELS] = {{0}};
    for (int32_t i = 0; i < world->num_edicts; i++) {
        const edict_t *edict = World_Edict(world, i);
        if (edict->area.cell == 0) {
            continue;
        }
        area_place_t place = place_of_cell(area, edict->area.cell - 1);
        bounds_t box = area_nodes(area)[i].box;
        vec3_t size = VectorSubtract(box.maxs, box.mins);
        vec3_t extent = area->stock[place.kind][place.level].extent;
        counts[place.kind][place.level]++;
        if (!edict->inuse || !(size.x < extent.x && size.y < extent.y && size.z < extent.z)) {
            return Err_Set(err, "area tree: edict %d is free, or larger than its level knows", i);
        }
    }
    for (int32_t kind = 0; kind < AREA_KINDS; kind++) {
        for (int32_t level = 0; level < AREA_LEVELS; level++) {
            if (counts[kind][level] != area->stock[kind][level].count) {
                return Err_Set(err, "area tree: level %d: expected %d edicts, found %d", level,
                               area->stock[kind][level].count, counts[kind][level]);
            }
        }
    }
    return true;
}

bool Area_Check(const world_t *world, err_t *err) {
    const area_t *area = area_of(world);
    area_t expected;
    make_layout(&expected, world->max_edicts, area->bounds);
    memcpy(expected.stock, area->stock, sizeof expected.stock);
    if (memcmp(&expected, area, sizeof expected) != 0) {
        return Err_Set(err, "area tree: layout does not fit its bounds");
    }
    int32_t num_links = 0;
    for (int32_t i = 0; i < world->num_edicts; i++) {
        int32_t cell = World_Edict(world, i)->area.cell;
        if (cell < 0 || cell > AREA_KINDS * area->num_cells) {
            return Err_Set(err, "area tree: edict %d: cell %d", i, cell);
        }
        num_links += cell != 0 ? 1 : 0;
    }
    int32_t linked = 0;
    for (int32_t cell = 0; cell < AREA_KINDS * area->num_cells; cell++) {
        if (!check_cell(world, cell, &linked, err)) {
            return false;
        }
    }
    if (linked != num_links) {
        return Err_Set(err, "area tree: expected %d edicts in cells, found %d", num_links, linked);
    }
    return check_stock(world, err);
}
