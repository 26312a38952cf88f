/// physics/pusher.c - step 2 of the tick: runs the pushers that move or think, set by set.
//
// Units:   qu, degrees, ms. Local time is world time minus the ticks in which a pusher was blocked.
// Cost:    a pusher at rest costs nothing: its bit is not set until its timer or the game wakes it.

#include "physics/actions.h"
#include "physics/push_local.h"
#include "world/bits.h"
#include "world/events.h"
#include "world/faults.h"
#include "world/running.h"
#include "world/tick_time.h"

#include <string.h>

#define MAX_MOTION_ANGLE 1048576.0f // degrees; 2^20
#define MAX_MOTION_COORD (4.0f * MAX_WORLD_COORD)
#define MAX_LAG_MS       (INT64_MAX / 2)
#define MAX_TAKEN_OUT    64 // edicts removed from one set in a tick; others follow in the next

// ---- time and pose ----

int64_t SV_PusherTime(const sv_context_t *sv, const edict_t *edict) {
    return SV_Time(sv) - World_PusherLag(edict);
}

pose_t Pusher_PoseAt(const sv_context_t *sv, const edict_t *edict, int64_t ltime_ms) {
    pose_t here = {edict->origin, edict->angles};
    const edict_t *parent = Pushers_Parent(sv->world, edict);
    if (parent && (parent->flags & FL_QUARANTINED)) {
        return here; // the parent's pose is invalid
    }
    if (!parent) {
        return edict->motion.kind == MOTION_NONE ? here
                                                 : PM_PusherPose(&edict->motion, ltime_ms, NULL);
    }
    const pose_t parent_pose = {parent->origin, parent->angles};
    return PM_PusherPose(&edict->motion, ltime_ms, &parent_pose);
}

pose_t SV_PusherPose(const sv_context_t *sv, const edict_t *edict) {
    return Pusher_PoseAt(sv, edict, SV_PusherTime(sv, edict));
}

bool Pusher_IsMoved(const sv_context_t *sv, const edict_t *edict) {
    return World_IsLive(edict) && edict->movetype == MOVETYPE_PUSH &&
           !World_SpawnedNow(sv->world, edict);
}

// ---- motions ----

static bool is_possible(const motion_t *motion) {
    return VectorWithin(motion->base.origin, MAX_MOTION_COORD) &&
           VectorWithin(motion->base.angles, MAX_MOTION_ANGLE) &&
           VectorWithin(motion->delta, MAX_MOTION_COORD) &&
           VectorWithin(motion->delta_angles, MAX_MOTION_ANGLE) &&
           VectorWithin(motion->bend, MAX_MOTION_COORD) && motion->kind >= MOTION_NONE &&
           motion->kind < MOTION_COUNT && (motion->kind == MOTION_NONE || motion->duration_ms > 0);
}

// Returns true if a motion that starts now is the one that clients were sent as the next.
static bool is_announced(const sv_context_t *sv, const edict_t *edict, const motion_t *motion) {
    const leg_t *next = &edict->next;
    return next->wait_ms > 0 && motion->kind == MOTION_MOVE && edict->pusher_up == 0 &&
           SV_PusherTime(sv, edict) == edict->motion.start_ms + next->wait_ms &&
           motion->duration_ms == next->duration_ms && VectorCompare(motion->delta, next->delta) &&
           VectorCompare(motion->delta_angles, next->delta_angles) &&
           VectorCompare(motion->bend, next->bend);
}

bool SV_PusherStart(sv_context_t *sv, edict_t *edict, const motion_t *motion) {
    if (!Pusher_CanBe(sv->world, edict) || !is_possible(motion)) {
        SV_ReportFault(
            sv, "",
            "edict %d (%s): refused a motion of kind %d in %d ms; expected a live edict that "
            "is no client, kinds %d..%d, durations of at least 1 ms and finite numbers",
            World_EdictNumber(sv->world, edict), World_Text(sv->world, edict->classname),
            motion->kind, motion->duration_ms, MOTION_NONE, MOTION_COUNT - 1);
        return false;
    }
    motion_t started = *motion;
    if (is_announced(sv, edict, motion)) {
        started = PM_NextMotion(&edict->motion, &edict->next); // to the bit, as clients
    }
    started.start_ms = SV_PusherTime(sv, edict);
    started.parent = edict->pusher_up;
    started.parent_base = edict->motion.parent_base;
    edict->motion = started;
    edict->next = (leg_t){0};
    SV_WakeEdict(sv, edict);
    World_MarkWritten(sv->world, edict);
    return true;
}

bool SV_PusherNext(sv_context_t *sv, edict_t *edict, const motion_t *motion, int32_t wait_ms) {
    if (motion->kind != MOTION_MOVE || edict->motion.kind != MOTION_MOVE || wait_ms <= 0 ||
        !is_possible(motion)) {
        SV_ReportFault(
            sv, "",
            "edict %d (%s): refused to announce a motion of kind %d after one of kind %d, in "
            "%d ms; expected kind %d twice, times of at least 1 ms and finite numbers",
            World_EdictNumber(sv->world, edict), World_Text(sv->world, edict->classname),
            motion->kind, edict->motion.kind, wait_ms, MOTION_MOVE);
        return false;
    }
    edict->next = (leg_t){.wait_ms = wait_ms,
                          .duration_ms = motion->duration_ms,
                          .delta = motion->delta,
                          .delta_angles = motion->delta_angles,
                          .bend = motion->bend};
    World_MarkWritten(sv->world, edict);
    return true;
}

// Returns the pose of the pusher's own motion, as if the parent had never moved.
static pose_t own_pose(const sv_context_t *sv, const edict_t *edict) {
    if (!Pushers_Parent(sv->world, edict) && edict->motion.kind == MOTION_NONE) {
        return (pose_t){edict->origin, edict->angles};
    }
    return PM_PusherPose(&edict->motion, SV_PusherTime(sv, edict), NULL);
}

bool SV_PusherMoveTo(sv_context_t *sv, edict_t *edict, pose_t to, int32_t duration_ms) {
    pose_t from = own_pose(sv, edict);
    motion_t motion = {.kind = MOTION_MOVE,
                       .duration_ms = Q_MaxI(duration_ms, 1),
                       .base = from,
                       .delta = VectorSubtract(to.origin, from.origin),
                       .delta_angles = VectorSubtract(to.angles, from.angles)};
    if (!SV_PusherStart(sv, edict, &motion)) {
        return false;
    }
    edict->motion.start_ms -= duration_ms <= 0 ? 1 : 0; // no duration: the motion has already ended
    return true;
}

void SV_PusherStop(sv_context_t *sv, edict_t *edict) {
    bool is_free = !Pushers_Parent(sv->world, edict);
    motion_t motion = {.kind = MOTION_NONE,
                       .base =
                           is_free ? (pose_t){edict->origin, edict->angles} : own_pose(sv, edict)};
    SV_PusherStart(sv, edict, &motion);
}

// ---- sets in a tick ----

// Returns the edict whose blocked callback is called. That is `part` or its nearest parent with
// such a callback, otherwise `root`.
static edict_t *blocked_edict(sv_context_t *sv, edict_t *root, edict_t *part) {
    for (int32_t i = 0; part && part->blocked == 0 && i < sv->world->max_edicts; i++) {
        part = Pushers_Parent(sv->world, part);
    }
    return part && World_IsLive(part) ? part : root;
}

static void call_blocked(sv_context_t *sv, edict_t *part, edict_t *obstacle) {
    if (part->blocked == 0 || !World_IsLive(part)) {
        return;
    }
    const callback_t *callback = Callbacks_Get(sv->callbacks, part->blocked);
    if (!callback || !callback->blocked) {
        SV_QuarantineEdict(sv, part, "its blocked is not a blocked callback");
        return;
    }
    edict_ref_t ref = World_Ref(sv->world, obstacle);
    sv_running_t outer = SV_EnterGame(sv, "blocked", callback->name, part);
    callback->blocked(sv, part, obstacle);
    SV_LeaveGame(sv, outer);
    World_MarkWritten(sv->world, part);
    if (World_Deref(sv->world, ref) == obstacle) {
        World_MarkWritten(sv->world, obstacle);
        SV_WakeEdict(sv, obstacle);
    }
}

// Delays the local time of a blocked set by this tick.
static void delay(sv_context_t *sv, edict_t *root) {
    for (edict_t *part = root; part; part = Pushers_Next(sv->world, part)) {
        if (Pusher_IsMoved(sv, part)) {
            if (World_PusherLag(part) < MAX_LAG_MS) {
                part->lag_ms = World_PusherLag(part) + World_TickMs(sv->world);
            }
            World_SyncTimer(sv->world, part);
            World_MarkWritten(sv->world, part);
        }
    }
}

static void set_speeds(world_t *world, edict_t *part, vec3_t velocity, vec3_t avelocity) {
    part->velocity = part->pushed_velocity = velocity;
    part->avelocity = part->pushed_avelocity = avelocity;
    World_MarkWritten(world, part);
}

// Replaces velocities that the game has written into a pusher by those of its motion.
static void refuse_speeds(sv_context_t *sv, edict_t *part) {
    if (!Pusher_IsMoved(sv, part) || (VectorCompare(part->velocity, part->pushed_velocity) &&
                                      VectorCompare(part->avelocity, part->pushed_avelocity))) {
        return;
    }
    SV_ReportFaultOf(sv, part, "", "",
                     "a velocity does not move a pusher; use pusher_start or pusher_move_to");
    set_speeds(sv->world, part, part->pushed_velocity, part->pushed_avelocity);
}

void SV_RefuseSpeeds(sv_context_t *sv) {
    for (int32_t i = 0; i < sv->world->num_written; i++) {
        refuse_speeds(sv, World_Edict(sv->world, World_WrittenList(sv->world)[i]));
    }
}

// Zeroes the velocities of a set, because a pusher's velocity is valid for one tick only.
static void clear_speeds(sv_context_t *sv, edict_t *root) {
    for (edict_t *part = root; part; part = Pushers_Next(sv->world, part)) {
        refuse_speeds(sv, part);
        if (!Pusher_IsMoved(sv, part)) {
            part->pushed_velocity = part->pushed_avelocity = vec3_zero;
        } else if (!SV_IsStill(part)) {
            set_speeds(sv->world, part, vec3_zero, vec3_zero);
        }
    }
}

static bool push_set(sv_context_t *sv, edict_t *root, bool capped) {
    edict_t *part = NULL;
    edict_t *obstacle = NULL;
    if (SV_PushMove(sv, root, capped, &part, &obstacle)) {
        return true;
    }
    delay(sv, root);
    call_blocked(sv, blocked_edict(sv, root, part), obstacle);
    return false;
}

static bool is_due(const sv_context_t *sv, const edict_t *part) {
    int64_t time_ms = World_ThinkTime(sv->world, part);
    return Pusher_IsMoved(sv, part) && time_ms > 0 && time_ms <= sv->world->time_ms;
}

static bool any_due(const sv_context_t *sv, edict_t *root) {
    for (edict_t *part = root; part; part = Pushers_Next(sv->world, part)) {
        if (is_due(sv, part)) {
            return true;
        }
    }
    return false;
}

// Runs the due thinks of a set. A think may remove or glue any pusher. If the set has changed, the
// remaining thinks run in the next tick.
static void run_thinks(sv_context_t *sv, edict_t *root) {
    world_t *world = sv->world;
    for (edict_t *part = root; part; part = Pushers_Next(world, part)) {
        World_SyncTimer(world, part);
    }
    int32_t left = world->max_edicts;
    for (edict_t *part = root; part && left > 0; part = Pushers_Next(world, part), left--) {
        if (is_due(sv, part) && !SV_RunThink(sv, part, MAX_THINKS_TICK)) {
            return;
        }
    }
}

// Keeps the pushers awake that moved in this tick or whose motion continues.
static void keep_awake(sv_context_t *sv, edict_t *root) {
    for (edict_t *part = root; part; part = Pushers_Next(sv->world, part)) {
        if (part->movetype == MOVETYPE_PUSH &&
            (!SV_IsStill(part) || World_SpawnedNow(sv->world, part) ||
             PM_PusherGoesOn(&part->motion, SV_PusherTime(sv, part)))) {
            SV_WakeEdict(sv, part);
        }
    }
}

// Returns true if the edict is still the first of its set. If a think glued the edict to another
// set, that set runs in the next tick.
static bool is_root(const world_t *world, edict_ref_t ref) {
    edict_t *edict = World_Deref(world, ref);
    return edict && Pushers_Root(world, edict) == edict;
}

// Takes a quarantined part out of its set. The pushers that ride on it stop.
static void take_out(sv_context_t *sv, edict_t *part) {
    world_t *world = sv->world;
    uint64_t stranded = world->counters.pushers_stranded;
    Pushers_Leave(world, part);
    int32_t count = (int32_t)(world->counters.pushers_stranded - stranded);
    if (count > 0) {
        Events_Log(sv->events, LOG_WARN,
                   "edict %d (%s) was quarantined, so it left its team of pushers: %d pushers that "
                   "rode on it stopped",
                   World_EdictNumber(world, part), World_Text(world, part->classname), count);
    }
}

// Takes quarantined parts out of a set. Returns true if there were none. If false, the remaining
// pushers run in the next tick.
static bool is_sound(sv_context_t *sv, edict_t *root) {
    int32_t bad[MAX_TAKEN_OUT];
    int32_t count = 0;
    for (const edict_t *part = root; part && count < MAX_TAKEN_OUT;
         part = Pushers_Next(sv->world, part)) {
        if ((part->flags & FL_QUARANTINED) && part->pusher_set > 0) {
            bad[count++] = World_EdictNumber(sv->world, part);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        take_out(sv, World_Edict(sv->world, bad[i]));
    }
    return count == 0;
}

static void run_set(sv_context_t *sv, edict_t *root) {
    world_t *world = sv->world;
    if (!is_sound(sv, root)) {
        return;
    }
    edict_ref_t ref = World_Ref(world, root);
    bool thinks = any_due(sv, root);
    clear_speeds(sv, root);
    bool goes = push_set(sv, root, thinks);
    if (goes && thinks && World_Deref(world, ref) == root) {
        run_thinks(sv, root);
        for (edict_t *part = root; part && is_root(world, ref); part = Pushers_Next(world, part)) {
            refuse_speeds(sv, part); // before the second push adds to them
        }
        goes = !is_root(world, ref) || push_set(sv, root, false);
    }
    if (!is_root(world, ref)) {
        return; // the other pushers of the set were woken
    }
    keep_awake(sv, root);
    if (!goes) {
        SV_WakeEdict(sv, root);
    }
}

// Moves the awake sets to `roots`, a bit for the first pusher of each set. A pusher that wakes
// later runs in the next tick.
static void take_roots(world_t *world, uint64_t *roots) {
    uint64_t *awake = World_PusherBits(world);
    size_t bytes = (size_t)Bits_Words(world->num_edicts) * sizeof *roots;
    memset(roots, 0, bytes);
    for (int32_t i = -1; (i = Bits_Next(awake, i, world->num_edicts)) >= 0;) {
        edict_t *edict = World_Edict(world, i);
        World_SyncTimer(world, edict);
        if (edict->movetype == MOVETYPE_PUSH || edict->pusher_set > 0) {
            Bits_Set(roots, World_EdictNumber(world, Pushers_Root(world, edict)));
        } else if (World_IsLive(edict)) {
            Bits_Set(roots, i);
        }
    }
    memset(awake, 0, bytes);
}

void SV_Pushers(sv_context_t *sv) {
    world_t *world = sv->world;
    uint64_t roots[MAX_EDICTS / 64];
    World_WakeDue(sv);
    take_roots(world, roots);
    for (int32_t i = -1; (i = Bits_Next(roots, i, world->num_edicts)) >= 0;) {
        edict_t *root = World_Edict(world, i);
        if (!root->inuse) {
            continue;
        }
        if (root->movetype != MOVETYPE_PUSH && root->pusher_set <= 0) {
            root->pushed_velocity = root->pushed_avelocity = vec3_zero;
            SV_WakeEdict(sv, root); // no longer a pusher: step 4 runs it
        } else {
            run_set(sv, Pushers_Root(world, root));
        }
    }
}
