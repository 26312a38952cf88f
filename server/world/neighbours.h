/// world/neighbours.h - the edicts near one moving box, found once for the many queries of a move.
//
// Memory:  on the stack, until an edict is linked or unlinked that is not the one that moves.
// Repeat:  a query visits the same edicts as Area_Visit, in another order.

#ifndef EDICTD_WORLD_NEIGHBOURS_H
#define EDICTD_WORLD_NEIGHBOURS_H

#include "world/area_local.h"

#define MAX_NEIGHBOURS 48 // of each kind; if there are more, queries read the area tree

typedef struct neighbours_s {
    bounds_t region;            ///< queries outside read the area tree
    int32_t counts[AREA_KINDS]; ///< -1 = not found, or too many
    int32_t numbers[AREA_KINDS][MAX_NEIGHBOURS];
} neighbours_t;

/// Empties the list: every query reads the area tree.
static inline void Neighbours_Clear(neighbours_t *near) {
    near->counts[AREA_SOLID] = near->counts[AREA_TRIGGERS] = -1;
}

/// Finds the edicts whose boxes touch a region. Leaves out the solid edict `except`, 0 = none: one
/// that all queries pass through.
void Neighbours_Fill(neighbours_t *near, const world_t *world, bounds_t region, int32_t except);

/// Returns true if surely no edict of a kind touches a box.
static inline bool Neighbours_AreNone(const neighbours_t *near, const world_t *world, bounds_t box,
                                      area_kind_t kind) {
    if (!near || near->counts[kind] < 0 || !BoundsContain(near->region, box)) {
        return false;
    }
    const area_node_t *nodes = area_nodes(area_of(world));
    int32_t i = 0;
    while (i < near->counts[kind] && !BoundsTouch(nodes[near->numbers[kind][i]].box, box)) {
        i++;
    }
    return i == near->counts[kind];
}

/// Like SV_AreaEdicts for triggers, `max` at least MAX_NEIGHBOURS. `near`: NULL = none.
int32_t Neighbours_Triggers(const neighbours_t *near, const world_t *world, bounds_t box,
                            int32_t *list, int32_t max, int32_t *dropped);

/// Like Area_Visit. `near`: NULL = none.
static inline void Neighbours_Visit(const neighbours_t *near, const world_t *world, bounds_t box,
                                    area_kind_t kind, area_visit_fn visit, void *context) {
    if (!near || near->counts[kind] < 0 || !BoundsContain(near->region, box)) {
        Area_Visit(world, box, (int32_t)kind, visit, context);
        return;
    }
    const area_node_t *nodes = area_nodes(area_of(world));
    for (int32_t i = 0; i < near->counts[kind]; i++) {
        if (BoundsTouch(nodes[near->numbers[kind][i]].box, box)) {
            visit(context, near->numbers[kind][i]);
        }
    }
}

#endif
