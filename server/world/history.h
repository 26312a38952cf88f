/// world/history.h - the recent states of edicts as clients receive them, for shots that are judged
/// where the shooter's client showed the target (unlag.h).
//
// Memory:  part of the world block: a track for each client, and some for other edicts. A track is
//          a ring of the last changes of an edict. The head counts tracks; an array has the track
//          of each edict; the reaches let a query skip tracks.
//
//          +------+------------------+-----------------+-----------------+
//          | head | track per edict  | reach per track | tracks          |
//          +------+------------------+-----------------+-----------------+
//
// Limits:  a full ring loses the oldest change; counter history_short if a view of sv_maxunlag_ms
//          may still need it. If no track is free, an edict takes the track of
//          one that rests. If there is none, shots meet the edict where it is now.

#ifndef EDICTD_WORLD_HISTORY_H
#define EDICTD_WORLD_HISTORY_H

#include "base/err.h"
#include "state/shown.h"
#include "world/world.h"

#define HISTORY_ENTRIES    40  // changes of an edict; at 128 Hz 312 ms of constant movement
#define HISTORY_SHARE      8   // a track for every eighth edict that is no client
#define HISTORY_MAX_OTHERS 512 // tracks of edicts that are no clients
#define HISTORY_PERIOD     72  // ticks of a reach; two hold 400 ms at 128 Hz and a view_span before

/// The state of an edict from a tick on, until the next entry.
typedef struct {
    int64_t tick; ///< ticks that had run, as in a snapshot
    shown_bones_t bones;
    int32_t origin[3], mins[3], maxs[3]; ///< 1/16 qu
    uint16_t angles[3];
    int16_t solid;      ///< solid_t
    int32_t teleports;  ///< SV_Teleports
    edict_ref_t ground; ///< SV_ShownGround; zero = none
    pose_t ground_pose; ///< its pose in this tick
} history_entry_t;

_Static_assert(sizeof(history_entry_t) == 128, "no padding");

typedef struct {
    int32_t number; ///< edict, 0 = the track is free
    uint32_t generation;
    int32_t newest, count; ///< ring: entries[(newest - n) modulo HISTORY_ENTRIES] is n-th newest
    history_entry_t entries[HISTORY_ENTRIES];
} history_track_t;

/// Where an edict was in a period in which it changed, and in the period before.
typedef struct {
    bounds_t now, before;
    int64_t period; ///< period of the last change: tick / HISTORY_PERIOD
    /// First period that may ignore the last change on a pusher: it may carry the edict anywhere.
    int64_t ride_end;
} history_reach_t;

typedef struct {
    int32_t num_tracks; ///< tracks of the block
    int32_t used;       ///< tracks from here on were never used
    int32_t hand;       ///< track that is tried next, when all are in use
    int32_t is_empty;   ///< 1 = nothing was recorded since sv_maxunlag_ms became 0
} history_head_t;

_Static_assert(sizeof(history_track_t) == 16 + 128 * HISTORY_ENTRIES, "no padding");
_Static_assert(sizeof(history_reach_t) == 64 && sizeof(history_head_t) == 16, "no padding");

/// Records the edicts that were written in this tick, if sv_maxunlag_ms is not 0. Call after all
/// have moved, before the tick hash.
void SV_RecordHistory(sv_context_t *sv);

/// Marks an edict that is linked after a long rest as changed, so that History_Visit finds it where
/// it rested. Notes one that is not solid: no older view meets it from now on. Call on every link.
void History_Link(world_t *world, const edict_t *edict);

/// Returns the pusher that carries an edict, also if it rests on other riders. NULL = none, or not
/// all clients may see it.
const edict_t *SV_ShownGround(const world_t *world, const edict_t *edict);

/// Returns a bit that toggles at each teleport of an edict.
bool SV_Teleports(const world_t *world, const edict_t *edict);

/// Returns the track of a live edict; NULL = none.
const history_track_t *History_Track(const world_t *world, const edict_t *edict);

/// Returns the state of a track's edict in the snapshot of `tick`. Returns the oldest state if the
/// ring has lost that of `tick`.
const history_entry_t *History_At(const history_track_t *track, int64_t tick);

/// Returns true if the edict was solid from `tick` on in every tick.
bool History_WasSolidSince(const history_track_t *track, int64_t tick);

/// Returns the current state of an edict, as clients receive it. `shift_ms`: SV_ShownShift.
history_entry_t History_Now(const world_t *world, const edict_t *edict, int64_t tick,
                            int64_t shift_ms);

/// Calls `visit` for every edict that changed lately, if its boxes since then touch `box` or a
/// pusher carried it.
void History_Visit(const world_t *world, bounds_t box, void (*visit)(void *context, int32_t number),
                   void *context);

/// Returns true if History_Visit considers the edict: a query of the area tree must skip it.
bool History_IsRecent(const world_t *world, const history_track_t *track);

/// Returns the bytes of the history in a block.
uint64_t History_Bytes(int32_t max_edicts, int32_t max_clients);

/// Creates an empty history in a zeroed block.
void History_Init(world_t *world);

/// Checks the history of a block from an untrusted source. Returns false with the reason.
bool History_Check(const world_t *world, err_t *err);

#endif
