/// world/unlag.h - lag compensation: where the client of a shooter showed other edicts.
//
// The view of the shooter's running usercmd names a time between two snapshots. Edicts are judged
// at their poses of that time, from the history; the world itself does not change. Pushers and
// brush models are judged at their current poses, because clients predict them. A rider is judged
// where its pusher has carried it since: at its place on the pusher at the time of the view.
//
// Limits:  a view is at most sv_maxunlag_ms old.

#ifndef EDICTD_WORLD_UNLAG_H
#define EDICTD_WORLD_UNLAG_H

#include "world/history.h"

#define UNLAG_EFFECT "unlag"

/// A time between two snapshots, which a client shows.
typedef struct unlag_view_s {
    int64_t from, to; ///< ticks of the snapshots
    int64_t time_ms;  ///< on the clock of snapshots
    float share;      ///< position between them, [0, 1]
} unlag_view_t;

/// How a client shows an edict.
typedef struct {
    int32_t number;
    pose_t pose;  ///< of its skeleton: a player's is upright
    bounds_t box; ///< in the world
    shown_bones_t bones;
} unlag_shown_t;

/// Returns false if the shots of `shooter` meet the present: `shooter` is NULL or no client, its
/// client has shown nothing yet, or sv_maxunlag_ms is 0.
bool Unlag_View(const world_t *world, const edict_t *shooter, unlag_view_t *view);

/// Returns the age of a view, ms.
int64_t Unlag_Age(const world_t *world, const unlag_view_t *view);

/// Sets a view to an age: edicts are judged where they were then on the server.
void Unlag_SetAge(const world_t *world, unlag_view_t *view, int64_t age_ms);

/// Returns true for an edict that is judged in a view: solid, and neither pusher nor brush model.
bool Unlag_Rewinds(const edict_t *edict);

/// Returns false if the view does not show the edict, or if the edict was not solid at some time
/// since: it has died. `near`: with HISTORY_MARGIN; returns false as well if the sweep does not
/// touch the shown box. NULL = any place. Unlag_Rewinds must be true.
bool Unlag_Show(const world_t *world, const unlag_view_t *view, const edict_t *edict,
                const sweep_bounds_t *near, unlag_shown_t *shown);

/// Sweeps a box against the hitboxes of an edict in a view, or against its box if there are none.
/// Does not set entnum.
trace_t Unlag_HitboxTrace(const sv_context_t *sv, const unlag_view_t *view,
                          const unlag_shown_t *shown, vec3_t start, vec3_t end, bounds_t swept);

/// Emits the effect UNLAG_EFFECT, if the game has registered it: a shot has hit `edict` at a pose
/// of the view. The effect's entity is `edict`, its origin the edict's origin in the view. Its
/// arguments are the number of `shooter`, and the current origin less that one, in
/// ENTITY_ORIGIN_SCALE.
void Unlag_Emit(sv_context_t *sv, const unlag_view_t *view, const edict_t *shooter, int32_t edict);

/// Like SV_AreaEdicts for solid edicts, at the boxes in a view.
int32_t Unlag_AreaEdicts(const world_t *world, const unlag_view_t *view, bounds_t box,
                         int32_t *list, int32_t max);

#endif
