/// move/meet.h - combines the hits of one box with several solids and volumes, for the
/// server and the client's prediction.
//
// Repeat:  the nearest hit wins. On a tie a start in solid wins, then the lowest edict number. The
//          order of calls does not matter.

#ifndef EDICTD_MOVE_MEET_H
#define EDICTD_MOVE_MEET_H

#include "move/pmove.h"
#include "state/trace_make.h"

/// Queries compare boxes before they test an edict: the box around the sweep plus the sweep margin,
/// and the edict's linked box, which is its box plus the link margin. Server and client need the
/// same margins, because a brush model may be larger than its bounds in the map file. Compilers
/// write those 1 qu smaller on each side, so a turned model exceeds them by up to 1.74 qu.
#define PM_SWEEP_MARGIN 1.0f // qu
#define PM_LINK_MARGIN  1.0f // qu

/// Returns the linked box of an edict with a box in the world.
static inline bounds_t PM_LinkedBox(bounds_t box) {
    return BoundsOfSweep(vec3_zero, vec3_zero, box.mins, box.maxs, PM_LINK_MARGIN);
}

/// The hits of one sweep so far.
typedef struct {
    trace_t nearest; ///< trace of the nearest solid
    bool any_startsolid;
} pm_nearest_t;

/// Starts a sweep to `end` that has hit nothing yet. `contents`: returned if it hits nothing.
static inline pm_nearest_t PM_NearestBegin(vec3_t end, contents_t contents) {
    return (pm_nearest_t){
        .nearest = {
            .fraction = 1.0f, .endpos = end, .contents = contents, .entnum = TRACE_NOTHING}};
}

static inline bool PM_IsNearer(const trace_t *a, const trace_t *b) {
    if (a->fraction != b->fraction) {
        return a->fraction < b->fraction;
    }
    if (a->startsolid != b->startsolid) {
        return a->startsolid;
    }
    if (a->entnum == TRACE_NOTHING || b->entnum == TRACE_NOTHING) {
        return a->entnum != TRACE_NOTHING && b->entnum == TRACE_NOTHING;
    }
    return a->entnum < b->entnum;
}

/// Adds the trace of the sweep against one more solid. `number`: its edict, 0 = the world.
static inline void PM_NearestAdd(pm_nearest_t *hits, trace_t trace, int32_t number) {
    Trace_SetEntnum(&trace, number);
    hits->any_startsolid |= trace.startsolid;
    if (PM_IsNearer(&trace, &hits->nearest)) {
        hits->nearest = trace;
    }
}

/// Returns the nearest trace. Its startsolid is set if any added trace has it.
static inline trace_t PM_NearestResult(const pm_nearest_t *hits) {
    trace_t trace = hits->nearest;
    trace.startsolid = hits->any_startsolid;
    return trace;
}

/// Contacts of a resting box so far, deepest first; on a tie, the lowest edict number first.
typedef struct {
    bounds_t box;
    cm_contact_t *contacts;
    int32_t *entnums; ///< edict of each contact
    int32_t count, max;
} pm_contacts_t;

/// Inserts a contact with edict `number`, 0 = the world. Drops the shallowest beyond `max`.
void PM_AddContact(pm_contacts_t *list, const cm_contact_t *contact, int32_t number);

/// Inserts the contact with another box, if any, along the axis with the smallest depth.
void PM_AddBoxContact(pm_contacts_t *list, bounds_t other, int32_t number);

/// Adds a volume that the box touches. The smallest friction factor counts. Returns true for the
/// first ladder: then set volume->ladder_normal.
static inline bool PM_AddVolume(pm_volume_t *volume, int32_t contents, vec3_t current,
                                float friction) {
    volume->current = VectorAdd(volume->current, current);
    if (friction > 0.0f && (volume->friction == 0.0f || friction < volume->friction)) {
        volume->friction = friction;
    }
    bool is_first = contents == CONTENTS_LADDER && !volume->ladder;
    volume->ladder |= is_first;
    return is_first;
}

#endif
