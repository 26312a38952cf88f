/// world/edict_timers.h - timers of edicts besides the think, each with a think callback.
//
// An edict has at most one timer for each callback. edict->timers is the first of its list.
// Units:   ms, in the time of nextthink_ms: for a pusher in its local time.
// Memory:  a pool of World_MaxTimers entries in the world block, after the timer heap.

#ifndef EDICTD_WORLD_EDICT_TIMERS_H
#define EDICTD_WORLD_EDICT_TIMERS_H

#include "world/world.h"

typedef struct {
    int64_t time_ms; ///< 0 = free
    int32_t think;   ///< callback id
    int32_t next;    ///< next timer of the edict, or free timer; 0 = none
} edict_timer_t;

_Static_assert(sizeof(edict_timer_t) == 16, "no padding");

/// Returns the number of timers in a world. Timer numbers start at 1.
static inline int32_t World_MaxTimers(int32_t max_edicts) {
    return Q_MinI(4 * max_edicts, MAX_EDICT_TIMERS);
}

edict_timer_t *World_EdictTimer(const world_t *world, int32_t timer);

/// Returns the edict's earliest timer, of equal times the one that was set first; 0 = none.
int32_t World_FirstTimer(const world_t *world, const edict_t *edict);

/// Removes a timer from its edict. Returns its callback id. Does not update the timer heap.
int32_t World_TakeTimer(world_t *world, edict_t *edict, int32_t timer);

/// Removes all timers of an edict. Does not update the timer heap.
void World_ClearTimers(world_t *world, edict_t *edict);

#endif
