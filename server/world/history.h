/// world/history.h - the recent states of edicts as clients receive them, for shots that are judged
/// where the shooter's client showed the target (unlag.h).
//
// Memory:  part of the world block. A track is the newest state of an edict. A state that ends goes
//          to the log, in pages that all edicts share. A state names the one before it. Pages that
//          were never used cost address space only.
//
//          +------+---------------+---------+--------+-----+-------+------------+----------+
//          | head | boxes by      | changes | tracks | log | pages | recent,    | track by |
//          |      | period, track | a track |        |     |       | riding     | edict    |
//          |      |               |         |        |     |       | bits       | number   |
//          +------+---------------+---------+--------+-----+-------+------------+----------+
//
// Boxes:   a track has a box for each of the last HISTORY_PERIODS periods. The box contains all
//          states that the edict had in the period; everything, if a pusher may have carried it.
//
// Limits:  if no track is free, an edict takes the track of one that rests. If there is none, shots
//          meet the edict where it is now; counter history_full. If all pages are needed, the
//          oldest page is lost; counter history_short.

#ifndef EDICTD_WORLD_HISTORY_H
#define EDICTD_WORLD_HISTORY_H

#include "base/err.h"
#include "state/shown.h"
#include "world/tick_time.h"
#include "world/world.h"

#define HISTORY_MAX_OTHERS 6144 // tracks of edicts that are no clients
#define HISTORY_PAGE       64   // states of a page of the log
#define HISTORY_SHARE      32   // states for each edict
#define HISTORY_MAX_PAGES  864  // 55,296 states: at 62.5 Hz, 1,800 edicts that always move
#define HISTORY_MAX_MS     400  // maximum of sv_maxunlag_ms
#define HISTORY_VIEW_TICKS 16   // a view's first snapshot is less than this older than its time

#define HISTORY_PERIODS 5 // periods whose boxes are stored

/// Margin of quick tests, qu: clients receive boxes rounded by at most 1/16 qu.
#define HISTORY_MARGIN 0.25f

/// Value of history_state_t.older: the edict was not solid before.
#define HISTORY_BEGAN UINT32_MAX

/// The state of an edict from a tick on, until the next state.
typedef struct {
    int64_t tick;   ///< ticks that had run, as in a snapshot
    int32_t number; ///< edict; 0 = none
    uint32_t generation;
    uint32_t older;    ///< 1 + index in the log of the state before; 0 = unknown; or HISTORY_BEGAN
    int16_t solid;     ///< solid_t
    int16_t teleports; ///< SV_Teleports
    shown_bones_t bones;
    pose_t pose; ///< in the world; clients receive it rounded
    vec3_t mins, maxs;
    edict_ref_t ground; ///< SV_ShownGround; zero = none
    pose_t ground_pose; ///< its pose in this tick
} history_state_t;

_Static_assert(sizeof(history_state_t) == 144, "no padding");

/// Where the edicts of four tracks were in a period. [axis][track % 4]
typedef struct {
    float mins[3][4], maxs[3][4];
} history_boxes_t;

/// A page of the log. The pages in use form a circle, oldest after newest.
typedef struct {
    int64_t newest; ///< tick at which its last state ended
    int32_t next;
    int32_t zero;
} history_page_t;

typedef struct {
    /// Offsets of the parts from the head, bytes.
    uint64_t ofs_boxes, ofs_changes, ofs_tracks, ofs_log, ofs_pages, ofs_recent, ofs_riding;
    uint64_t ofs_numbers;
    int64_t period;     ///< of the last record
    int64_t lost;       ///< states that ended at this tick or before may be lost
    int32_t num_tracks; ///< tracks of the block
    int32_t used;       ///< tracks from here on were never used
    int32_t hand;       ///< track that is tried next, when all are in use
    int32_t is_empty;   ///< 1 = nothing was recorded since sv_maxunlag_ms became 0
    int32_t num_pages;  ///< pages of the block
    int32_t pages_used; ///< pages from here on were never used
    int32_t page;       ///< page that takes the next state
    int32_t filled;     ///< states in it
} history_head_t;

_Static_assert(sizeof(history_boxes_t) == 96 && sizeof(history_page_t) == 16, "no padding");
_Static_assert(sizeof(history_head_t) == 112, "no padding");

/// Returns the ticks of a period. The oldest view begins in the period HISTORY_PERIODS - 1 before
/// that of now.
static inline int32_t History_Period(const world_t *world) {
    const int32_t ticks = (int32_t)Ticks_At(World_TickRate(world), HISTORY_MAX_MS);
    return (ticks + HISTORY_VIEW_TICKS) / (HISTORY_PERIODS - 1) + 1;
}

/// Ends the teleports of this tick. If sv_maxunlag_ms is not 0, records the edicts that were
/// written in it, and those that rest on an edict if their pusher is another or has moved. Call
/// after all have moved, before the tick hash.
void SV_RecordHistory(sv_context_t *sv);

/// Marks an edict that is linked after a long rest as changed, so that History_Visit finds it where
/// it rested. Notes one that is not solid: no older view meets it from now on. Call on every link,
/// and for a rider that its pusher leaves behind.
void History_Link(world_t *world, const edict_t *edict);

/// Returns true if the pose of a pusher is finite and within the limits that Unlag_Show needs.
bool History_MayCarry(const edict_t *pusher);

/// Returns the pusher that carries an edict, also if it rests on other riders. NULL = none, not all
/// clients may see it, or History_MayCarry is false.
const edict_t *SV_ShownGround(const world_t *world, const edict_t *edict);

/// Notes that an edict is teleported. Further teleports of a tick count as the same one, because
/// clients see only its end.
void SV_NoteTeleport(world_t *world, edict_t *edict);

/// Ends the teleports of a tick, or of the spawning of a map. Call before the tick hash, which
/// forgets which edicts were written.
void SV_EndTeleports(world_t *world);

/// Returns the number of ticks with a teleport of an edict, modulo SHOWN_TELEPORTS.
static inline uint32_t SV_Teleports(const edict_t *edict) {
    return (edict->flags & FL_TELEPORT) / FL_TELEPORT_STEP;
}

/// Returns the newest recorded state of a live edict; NULL = none.
const history_state_t *History_Track(const world_t *world, const edict_t *edict);

/// Returns true if the edict was not solid in the last snapshot, nor in any before.
bool History_IsNew(const world_t *world, const edict_t *edict);

/// Returns the state before a state; NULL if there was none or it is lost.
const history_state_t *History_Before(const world_t *world, const history_state_t *state);

/// Returns the current state of an edict, as clients receive it. `shift_ms`: SV_ShownShift.
history_state_t History_Now(const world_t *world, const edict_t *edict, int64_t tick,
                            int64_t shift_ms);

/// Calls `visit` for every edict that changed lately, if it may touch the sweep in a view between
/// the snapshots `from` and `to`. `sweep`: with HISTORY_MARGIN.
void History_Visit(const world_t *world, int64_t from, int64_t to, const sweep_bounds_t *sweep,
                   void (*visit)(void *context, int32_t number), void *context);

/// Returns true if History_Visit considers the edict: a query of the area tree must skip it.
bool History_IsRecent(const world_t *world, const edict_t *edict);

/// Returns the bytes of the history in a block.
uint64_t History_Bytes(int32_t max_edicts, int32_t max_clients);

/// Creates an empty history in a zeroed block.
void History_Init(world_t *world);

/// Checks the history of a block from an untrusted source. Returns false with the reason.
bool History_Check(const world_t *world, err_t *err);

#endif
