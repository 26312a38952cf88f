/// world/history_boxes.h - where the edicts of the history were in each period, for History_Visit.
//
// Private to history.c.
// Memory:  part of the history.

#ifndef EDICTD_WORLD_HISTORY_BOXES_H
#define EDICTD_WORLD_HISTORY_BOXES_H

#include "world/bits.h"
#include "world/history.h"

static inline history_head_t *History_Head(const world_t *world) {
    return (history_head_t *)((uintptr_t)world + world->ofs_history);
}

static inline history_state_t *History_Tracks(const world_t *world) {
    return (history_state_t *)((uintptr_t)History_Head(world) + History_Head(world)->ofs_tracks);
}

/// Returns a bit per track: 1 = the edict changed in one of the last HISTORY_PERIODS periods.
static inline uint64_t *History_Recent(const world_t *world) {
    return (uint64_t *)((uintptr_t)History_Head(world) + History_Head(world)->ofs_recent);
}

/// Begins a period if the last one is over. Call before the states of a tick are recorded.
void HistoryBoxes_Begin(world_t *world);

/// Adds a state to the boxes of a track in this period. Marks the track as recent. `last`: the
/// state before; NULL = none.
void HistoryBoxes_Add(world_t *world, int32_t index, const history_state_t *last,
                      const history_state_t *state);

#endif
