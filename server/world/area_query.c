/// world/area_query.c - queries of the area tree.

#include "world/area_local.h"
#include "world/neighbours.h"
#include "world/shape.h"

#include <string.h>

/// The cells of one level that a query's box reaches.
typedef struct {
    int32_t y0, y1, z0, z1;
    uint64_t columns; ///< bits of the cells in each row
} cell_range_t;

static inline cell_range_t range_for(const area_t *area, const area_level_t *level,
                                     const area_stock_t *stock, bounds_t box) {
    vec3_t origin = area->bounds.mins;
    vec3_t from = VectorSubtract(box.mins, stock->extent);
    float scale = level->cells_per_unit;
    int32_t x0 = area_cell_along(from.x, origin.x, scale, level->nx);
    int32_t x1 = area_cell_along(box.maxs.x, origin.x, scale, level->nx);
    cell_range_t range = {
        .y0 = area_cell_along(from.y, origin.y, scale, level->ny),
        .y1 = area_cell_along(box.maxs.y, origin.y, scale, level->ny),
        .z0 = area_cell_along(from.z, origin.z, scale, level->nz),
        .z1 = area_cell_along(box.maxs.z, origin.z, scale, level->nz),
    };
    // x1 < x0 only for an inverted box, which touches nothing.
    range.columns = x1 < x0 ? 0 : (~UINT64_C(0) << x0) & (~UINT64_C(0) >> (63 - x1));
    return range;
}

/// Number of cells whose first edicts are prefetched before the first is read.
#define GATHER 32

typedef struct {
    int32_t firsts[GATHER];
    int32_t count;
} gather_t;

static inline __attribute__((always_inline)) void visit_gathered(const area_node_t *nodes,
                                                                 gather_t *gather, bounds_t box,
                                                                 area_visit_fn visit,
                                                                 void *context) {
    for (int32_t i = 0; i < gather->count; i++) {
        for (int32_t number = gather->firsts[i]; number != 0; number = nodes[number].next) {
            if (BoundsTouch(nodes[number].box, box)) {
                visit(context, number);
            }
        }
    }
    gather->count = 0;
}

// Like Area_Visit. Inlined into each caller, so that the calls of `visit` are inlined as well.
static inline __attribute__((always_inline)) void
scan(const world_t *world, bounds_t box, int32_t kind, area_visit_fn visit, void *context) {
    const area_t *area = area_of(world);
    const area_node_t *nodes = area_nodes(area);
    gather_t gather;
    gather.count = 0;
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
                    int32_t first = heads[(row << level->shift) + Bits_Lowest(bits)];
                    __builtin_prefetch(&nodes[first]);
                    gather.firsts[gather.count++] = first;
                    if (gather.count == GATHER) {
                        visit_gathered(nodes, &gather, box, visit, context);
                    }
                }
            }
        }
    }
    visit_gathered(nodes, &gather, box, visit, context);
}

void Area_Visit(const world_t *world, bounds_t box, int32_t kind, area_visit_fn visit,
                void *context) {
    scan(world, box, kind, visit, context);
}

// ---- neighbours ----

typedef struct {
    int32_t *numbers;
    int32_t count;
    int32_t except;
} list_t;

static inline void add_to_list(void *context, int32_t number) {
    list_t *list = context;
    if (list->count < MAX_NEIGHBOURS) {
        list->numbers[list->count] = number;
    }
    list->count += number != list->except;
}

void Neighbours_Fill(neighbours_t *near, const world_t *world, bounds_t region, int32_t except) {
    near->region = region;
    for (int32_t kind = 0; kind < AREA_KINDS; kind++) {
        list_t list = {near->numbers[kind], 0, kind == AREA_SOLID ? except : 0};
        scan(world, region, kind, add_to_list, &list);
        near->counts[kind] = list.count <= MAX_NEIGHBOURS ? list.count : -1;
    }
}

// ---- lists and radius ----

#define FEW_FOUND 32 // numbers sorted by insertion; more are sorted by a bit per edict

/// The edict numbers found so far, sorted.
typedef struct {
    int32_t count;
    int32_t *few;
    uint64_t *many; ///< a bit per edict, used instead of `few` if count > FEW_FOUND
    int32_t words;
} found_t;

static void collect_many(found_t *found, int32_t number) {
    if (found->count == FEW_FOUND) {
        memset(found->many, 0, (size_t)found->words * sizeof(uint64_t));
        for (int32_t i = 0; i < FEW_FOUND; i++) {
            Bits_Set(found->many, found->few[i]);
        }
    }
    Bits_Set(found->many, number);
    found->count++;
}

static inline void collect(void *context, int32_t number) {
    found_t *found = context;
    if (found->count >= FEW_FOUND) {
        collect_many(found, number);
        return;
    }
    int32_t at = found->count++;
    for (; at > 0 && found->few[at - 1] > number; at--) {
        found->few[at] = found->few[at - 1];
    }
    found->few[at] = number;
}

int32_t SV_AreaEdicts(const world_t *world, bounds_t box, area_kind_t kind, int32_t *list,
                      int32_t max, int32_t *dropped) {
    uint64_t many[MAX_EDICTS / 64]; // 8 KiB; only touched if many are found
    int32_t few[FEW_FOUND];
    found_t found = {.count = 0,
                     .few = max >= FEW_FOUND ? list : few,
                     .many = many,
                     .words = Bits_Words(world->num_edicts)};
    scan(world, box, (int32_t)kind, collect, &found);
    int32_t listed = Q_MinI(found.count, Q_MaxI(max, 0));
    if (found.count > FEW_FOUND) {
        int32_t number = -1;
        for (int32_t i = 0; i < listed; i++) {
            number = Bits_Next(many, number, world->num_edicts);
            list[i] = number;
        }
    } else if (found.few != list) {
        memcpy(list, few, (size_t)listed * sizeof *list);
    }
    if (dropped) {
        *dropped = found.count - listed;
    }
    return listed;
}

int32_t Neighbours_Triggers(const neighbours_t *near, const world_t *world, bounds_t box,
                            int32_t *list, int32_t max, int32_t *dropped) {
    ASSERT(max >= MAX_NEIGHBOURS);
    if (!near || near->counts[AREA_TRIGGERS] < 0 || !BoundsContain(near->region, box)) {
        return SV_AreaEdicts(world, box, AREA_TRIGGERS, list, max, dropped);
    }
    int32_t count = 0;
    const area_node_t *nodes = area_nodes(area_of(world));
    for (int32_t i = 0; i < near->counts[AREA_TRIGGERS]; i++) {
        const int32_t number = near->numbers[AREA_TRIGGERS][i];
        if (BoundsTouch(nodes[number].box, box)) {
            int32_t at = count++;
            for (; at > 0 && list[at - 1] > number; at--) {
                list[at] = list[at - 1];
            }
            list[at] = number;
        }
    }
    *dropped = 0;
    return count;
}

static void mark(void *context, int32_t number) {
    Bits_Set(context, number);
}

static bool is_within(const sv_context_t *sv, const edict_t *edict, vec3_t point, float radius) {
    bounds_t box = {VectorAdd(edict->origin, edict->mins), VectorAdd(edict->origin, edict->maxs)};
    box = edict->model != 0 ? World_Box(sv, edict) : box;
    vec3_t nearest = VectorMin(VectorMax(point, box.mins), box.maxs);
    return VectorLength(VectorSubtract(nearest, point)) <= radius;
}

int32_t SV_EdictsInRadius(const sv_context_t *sv, vec3_t point, float radius, int32_t *list,
                          int32_t max) {
    const world_t *world = sv->world;
    const int32_t *cells = area_cells(area_of(world));
    uint64_t near[MAX_EDICTS / 64] = {0};
    const vec3_t reach = {radius, radius, radius};
    const bounds_t box = {VectorSubtract(point, reach), VectorAdd(point, reach)};
    int32_t count = 0;
    if (!VectorWithin(point, MAX_WORLD_COORD) || !(radius >= 0.0f)) {
        return 0;
    }
    Area_Visit(world, box, AREA_SOLID, mark, near);
    Area_Visit(world, box, AREA_TRIGGERS, mark, near);
    for (int32_t i = 1; i < world->num_edicts && count < max; i++) {
        const edict_t *edict = World_Edict(world, i);
        if ((cells[i] == 0 || Bits_Get(near, i)) && World_IsLive(edict) &&
            is_within(sv, edict, point, radius)) {
            list[count++] = i;
        }
    }
    return count;
}
