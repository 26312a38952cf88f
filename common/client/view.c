/// client/view.c - the shown time, poses and animations of entities.
//
// Units:   ms of world time, which is Ticks_EndMs after n ticks.

#include "base/assert.h"
#include "bsp/map.h"
#include "client/cl_local.h"
#include "model/pose.h"
#include "move/pusher.h"
#include "proto/entity_fields.h"
#include "state/shown.h"

#include <string.h>

#define RESYNC_MS     250    // if the shown time is off by more, it jumps
#define LATE_MS       500    // if all snapshots are OUTAGE_US late for so long, it jumps back
#define OUTAGE_US     250000 // snapshots that are later are not waited for
#define MAX_DELAY_US  250000 // of the adaptive delay: shots are judged so far back (sv_maxunlag_ms)
#define WANT_MORE_US  8000   // a late snapshot lengthens the delay by up to this; any other
#define WANT_LESS_US  40     // shortens it by this: about one of 200 snapshots is late
#define SPARE_US      1000   // times are rounded to ms
#define FOLLOW_US     62     // per snapshot; follows drift up to 3,000 ppm at 50 snapshots a second
#define DELAY_STEP_US 60     // per ms: the shown world runs at most 6 % slower or faster
#define MAX_GAP_TICKS 64

// ---- the shown time ----

void Client_ViewReset(cl_t *cl) {
    cl->view = (cl_view_t){0};
}

static void resync(cl_view_t *view, int64_t offset_us) {
    view->running = true;
    view->offset_us = offset_us;
    view->late_since_ms = INT64_MAX;
    view->jitter_us = 0;
    view->delay_us = Q_MinI(view->interval_us, MAX_DELAY_US);
}

// Notes the time from the snapshot before; `is_first`: there was none. Two long ones in a row are
// the server's choice, which may change (sv_snapshot_ticks). A single one is a lost snapshot.
static void note_gap(cl_view_t *view, int32_t gap_us, bool is_first) {
    view->interval_us = view->gap_us > 0 ? Q_MinI(view->gap_us, gap_us) : gap_us;
    view->gap_us = is_first ? 0 : gap_us;
}

// Notes a teleport of the own player. A followed player is shown in the past, as the others are.
static void note_arrival(cl_t *cl, int64_t tick, int64_t before) {
    const snapshot_t *from = before > 0 ? SnapshotRing_Find(cl->ring, before) : NULL;
    const snapshot_t *to = SnapshotRing_Find(cl->ring, tick);
    if (from && to && ((from->player.flags ^ to->player.flags) & PMF_TELEPORT) &&
        !(to->player.flags & PMF_WATCHED)) {
        cl->view.arrived = tick;
    }
}

void Client_ViewSnapshot(cl_t *cl, int64_t tick, int64_t before) {
    cl_view_t *view = &cl->view;
    note_arrival(cl, tick, before);
    const int32_t tick_us = Ticks_MaxMs(cl->map.rate_mhz) * 1000;
    const int64_t since = before > 0 ? tick - before : 1;
    const int64_t gap_ticks = since < MAX_GAP_TICKS ? since : MAX_GAP_TICKS;
    const int32_t gap_us = (int32_t)gap_ticks * tick_us;
    note_gap(view, gap_us, before <= 0);
    // A program that draws 60 pictures a second reads snapshots up to 16 ms after their arrival.
    const int64_t offset_us =
        (Ticks_EndMs(cl->map.rate_mhz, tick) - cl->now_ms) * 1000 + cl->waited_us;
    const int64_t early_us = offset_us - view->offset_us;
    bool is_late = early_us < -OUTAGE_US;
    view->late_since_ms = !is_late                           ? INT64_MAX
                          : view->late_since_ms < cl->now_ms ? view->late_since_ms
                                                             : cl->now_ms;
    if (!view->running || early_us > RESYNC_MS * 1000 ||
        cl->now_ms - view->late_since_ms > LATE_MS) {
        resync(view, offset_us);
        return;
    }
    if (is_late) {
        return; // after an outage; waiting for the next one would delay all the time between
    }
    view->offset_us += early_us > 0 ? FOLLOW_US : -FOLLOW_US;
    const int32_t over_us = gap_us - (int32_t)early_us - view->interval_us - view->jitter_us;
    view->jitter_us += over_us > 0 ? Q_MinI(over_us, WANT_MORE_US) : -WANT_LESS_US;
    view->jitter_us = Q_ClampI(view->jitter_us, 0, MAX_DELAY_US);
}

// Returns the delay of the shown world, us.
static int32_t wanted_delay(const cl_t *cl) {
    const int32_t fixed_ms = cl->config.interp_ms;
    const int32_t wanted_us = Q_MinI(cl->view.interval_us + cl->view.jitter_us, MAX_DELAY_US);
    return fixed_ms > 0 ? fixed_ms * 1000 : fixed_ms < 0 ? 0 : wanted_us + SPARE_US;
}

bool CL_ViewTime(const cl_t *cl, int64_t *tick, uint16_t *frac) {
    const cl_view_t *view = &cl->view;
    *tick = 0;
    *frac = 0;
    if (!view->running || cl->map.rate_mhz == 0) {
        return false;
    }
    *tick = Ticks_At(cl->map.rate_mhz, view->time_ms);
    *frac = Ticks_Frac(cl->map.rate_mhz, view->time_ms);
    return true;
}

// Snapshots around a time.
typedef struct {
    int64_t from_tick, to_tick;
    int64_t tick;
    uint16_t frac;
    int64_t time_ms;
    int64_t past;     ///< time since from_tick, in 1/65536 ticks
    int64_t now_ms;   ///< time to which pushers carry their riders; 0 = at->time_ms, without riders
    int32_t later_ms; ///< time since the newest snapshot, 0..ENTITY_EXPECT_MS; 0 = before it
} moment_t;

// Finds the snapshots around a tick. *from: the newest at or before it, otherwise the first. *to:
// the next after *from, or *from.
static bool find_ticks(const cl_t *cl, int64_t tick, int64_t *from, int64_t *to) {
    int64_t newest = SnapshotRing_Newest(cl->ring);
    *from = *to = 0;
    for (int64_t i = newest; i > 0 && i > newest - 2 * MAX_GAP_TICKS; i--) {
        if (!SnapshotRing_Find(cl->ring, i)) {
            continue;
        }
        *to = *from > 0 ? *from : i;
        *from = i;
        if (i <= tick) {
            break;
        }
    }
    return *from > 0;
}

// Stores what is shown for the next commands. A time before the first snapshot shows that one.
static void note_view(cl_t *cl) {
    cl_view_t *view = &cl->view;
    int64_t from, to;
    if (CL_ViewTime(cl, &view->cmd_tick, &view->cmd_frac) &&
        find_ticks(cl, view->cmd_tick, &from, &to)) {
        const bool is_before = from > view->cmd_tick;
        view->cmd_tick = is_before ? from : view->cmd_tick;
        view->cmd_frac = is_before ? 0 : view->cmd_frac;
        view->cmd_span = is_before ? 0 : UserCmd_Span(view->cmd_tick - from, to - from);
    }
}

void Client_ViewFrame(cl_t *cl) {
    cl_view_t *view = &cl->view;
    int64_t newest = SnapshotRing_Newest(cl->ring);
    if (!view->running || newest == 0) {
        return;
    }
    // The delay changes slowly, so that shown motion stays even.
    const int64_t passed_ms = cl->now_ms - view->frame_ms;
    const int32_t step_us = passed_ms < RESYNC_MS ? (int32_t)passed_ms * DELAY_STEP_US : INT32_MAX;
    const int32_t delay_us = wanted_delay(cl);
    view->frame_ms = cl->now_ms;
    view->delay_us += Q_ClampI(delay_us - view->delay_us, -step_us, step_us);
    int64_t time_ms = cl->now_ms + (view->offset_us - view->delay_us) / 1000;
    int64_t last_ms =
        Ticks_EndMs(cl->map.rate_mhz, newest) + (cl->config.interp_ms < 0 ? 0 : ENTITY_EXPECT_MS);
    time_ms = time_ms < last_ms ? time_ms : last_ms;
    time_ms = time_ms > 0 ? time_ms : 0;
    bool goes_on = time_ms > view->time_ms || view->time_ms - time_ms > RESYNC_MS;
    view->time_ms = goes_on ? time_ms : view->time_ms;
    note_view(cl);
}

static bool is_entity(int32_t number) {
    return number > 0 && number < MAX_EDICTS;
}

static int64_t clamp_tick(int64_t tick) {
    const int64_t last = (int64_t)MSG_MAX_TICK;
    return tick < 0 ? 0 : tick > last ? last : tick;
}

// Finds the snapshots around a time. Returns false before the first snapshot of a session.
static bool find_moment(const cl_t *cl, int64_t tick, uint16_t frac, moment_t *at) {
    tick = clamp_tick(tick);
    if (cl->state == CL_DISCONNECTED || !find_ticks(cl, tick, &at->from_tick, &at->to_tick)) {
        return false;
    }
    at->tick = tick;
    at->frac = frac;
    at->now_ms = 0;
    at->time_ms = Ticks_TimeMs(cl->map.rate_mhz, tick, frac);
    at->past = (tick - at->from_tick) * 65536 + frac;
    const int64_t last_ms = Ticks_EndMs(cl->map.rate_mhz, at->to_tick);
    const int64_t later_ms = at->time_ms > last_ms ? at->time_ms - last_ms : 0;
    bool is_newest = at->from_tick == SnapshotRing_Newest(cl->ring);
    at->later_ms = !is_newest                    ? 0
                   : later_ms > ENTITY_EXPECT_MS ? ENTITY_EXPECT_MS
                                                 : (int32_t)later_ms;
    return true;
}

// Finds the snapshots around a time for an entity. The own player is shown at the exit of a
// teleport at once: until the shown time has come there, entities that came into view by the
// teleport are where the first snapshot after it has them.
static bool find_entity(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, moment_t *at) {
    if (!is_entity(number) || !find_moment(cl, tick, frac, at)) {
        return false;
    }
    const int64_t arrived = cl->view.arrived;
    if (at->from_tick < arrived && cl->view.time_ms < Ticks_EndMs(cl->map.rate_mhz, arrived) &&
        SnapshotRing_Find(cl->ring, arrived) &&
        !SnapshotRing_Record(cl->ring, at->from_tick, number, NULL) &&
        !SnapshotRing_Record(cl->ring, at->to_tick, number, NULL)) {
        at->from_tick = at->to_tick = arrived;
        at->past = 0;
        at->later_ms = 0;
    }
    return true;
}

// ---- poses ----

static vec3_t angles_of(const entity_state_t *state) {
    return Vector(ShortToAngle((uint16_t)state->angles[0]),
                  ShortToAngle((uint16_t)state->angles[1]),
                  ShortToAngle((uint16_t)state->angles[2]));
}

// Returns the pose of an entity of the snapshot of `tick`.
static pose_t pose_at(const cl_t *cl, int64_t tick, const entity_state_t *state, int64_t time_ms) {
    pose_t pose = {Shown_Vector(state->origin), angles_of(state)};
    (void)Client_PoseOfRecord(cl->ring, tick, state, time_ms, &pose);
    return pose;
}

static bool moves_by_record(const entity_state_t *state) {
    return Entity_HasRecord(state) && (state->motion > 1 + MOTION_NONE || state->parent > 0);
}

// Returns the pose of an entity of the snapshot of `tick`. A rider is carried by its pusher from
// then to at->now_ms.
static pose_t carried_pose(const cl_t *cl, const moment_t *at, int64_t tick,
                           const entity_state_t *state) {
    const pose_t pose = pose_at(cl, tick, state, at->time_ms);
    const int64_t newest = SnapshotRing_Newest(cl->ring);
    if (at->now_ms == 0 || state->ground == 0) {
        return pose;
    }
    const entity_state_t *then = SnapshotRing_Record(cl->ring, tick, state->ground, NULL);
    const entity_state_t *now = SnapshotRing_Record(cl->ring, newest, state->ground, NULL);
    const int64_t then_ms = Ticks_EndMs(cl->map.rate_mhz, tick);
    pose_t from, to;
    if (!then || !now || then->generation != now->generation ||
        !Client_PoseOfRecord(cl->ring, tick, then, then_ms, &from) ||
        !Client_PoseOfRecord(cl->ring, newest, now, at->now_ms, &to)) {
        return pose;
    }
    const pm_carry_t carry = PM_Carry(from, to);
    return PM_CarryPose(&carry, pose, state->owner > 0);
}

// Writes the pose of an entity after the newest snapshot. Returns false if the snapshot lacks it.
static bool later_pose(const cl_t *cl, const moment_t *at, int32_t number, pose_t *pose) {
    entity_state_t moved;
    const entity_state_t *state = SnapshotRing_Later(cl->ring, number, at->later_ms, &moved);
    if (state) {
        *pose = carried_pose(cl, at, at->from_tick, state);
    }
    return state != NULL;
}

// Writes the pose at at->now_ms of a pusher that moves or has just stopped. Returns false for other
// entities.
static bool pusher_pose(const cl_t *cl, const moment_t *at, int32_t number, pose_t *pose) {
    const int64_t newest = SnapshotRing_Newest(cl->ring);
    const entity_state_t *now = SnapshotRing_Record(cl->ring, newest, number, NULL);
    const entity_state_t *then = SnapshotRing_Record(cl->ring, at->from_tick, number, NULL);
    return now && (moves_by_record(now) || (then && moves_by_record(then))) &&
           Client_PoseOfRecord(cl->ring, newest, now, at->now_ms, pose);
}

// Writes the pose of an entity that follows nothing. Returns false if both snapshots lack it.
static bool shown_pose(const cl_t *cl, const moment_t *at, int32_t number, pose_t *pose) {
    const int64_t from_tick = at->from_tick, to_tick = at->to_tick, time_ms = at->time_ms;
    if (at->now_ms > 0 && pusher_pose(cl, at, number, pose)) {
        return true;
    }
    if (at->later_ms > 0) {
        return later_pose(cl, at, number, pose);
    }
    entity_state_t moved[2];
    const entity_state_t *a = SnapshotRing_Record(cl->ring, from_tick, number, &moved[0]);
    const entity_state_t *b = SnapshotRing_Record(cl->ring, to_tick, number, &moved[1]);
    if (!a || !b || a->generation != b->generation || b->motion == ENTITY_FOLLOWS) {
        if (a || b) {
            *pose = carried_pose(cl, at, a ? from_tick : to_tick, a ? a : b);
        }
        return a || b;
    }
    if (moves_by_record(a) || moves_by_record(b)) {
        // A new motion applies from its start time.
        bool is_new = moves_by_record(b) && time_ms >= Entity_Motion(b).start_ms;
        bool is_later = is_new || !moves_by_record(a);
        *pose = pose_at(cl, is_later ? to_tick : from_tick, is_later ? b : a, time_ms);
        return true;
    }
    *pose = Shown_Pose(carried_pose(cl, at, from_tick, a), carried_pose(cl, at, to_tick, b),
                       Shown_Share(to_tick - from_tick, at->past));
    return true;
}

void Client_Followed(const cl_t *cl, player_state_t *player) {
    int64_t tick, from_tick, to_tick;
    uint16_t frac;
    *player = Client_Newest(cl)->player;
    if (!CL_ViewTime(cl, &tick, &frac) || !find_ticks(cl, tick, &from_tick, &to_tick)) {
        return;
    }
    const player_state_t *from = &SnapshotRing_Find(cl->ring, from_tick)->player;
    const player_state_t *to = &SnapshotRing_Find(cl->ring, to_tick)->player;
    bool is_same = (from->flags & to->flags & PMF_WATCHED) && from->carrier == to->carrier &&
                   !((from->flags ^ to->flags) & PMF_TELEPORT);
    if (is_same) {
        float share = Shown_Share(to_tick - from_tick, (tick - from_tick) * 65536 + frac);
        pose_t pose = Shown_Pose((pose_t){from->origin, from->angles},
                                 (pose_t){to->origin, to->angles}, share);
        *player = *from;
        player->origin = pose.origin;
        player->angles = Vector(AngleNormalize180(pose.angles.x), pose.angles.y, pose.angles.z);
    }
}

// ---- animations ----

static bool same_bones(const entity_state_t *a, const entity_state_t *b) {
    const size_t at = offsetof(entity_state_t, animations);
    return memcmp(a->animations, b->animations, offsetof(entity_state_t, fields) - at) == 0;
}

bool CL_EntityBones(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac,
                    cl_bones_t *bones) {
    moment_t at;
    if (!find_entity(cl, number, tick, frac, &at)) {
        return false;
    }
    const int64_t time_ms = at.time_ms;
    const entity_state_t *now = SnapshotRing_Record(cl->ring, at.from_tick, number, NULL);
    const entity_state_t *next = SnapshotRing_Record(cl->ring, at.to_tick, number, NULL);
    if (!now || (next && next->generation == now->generation && next->skeleton > 0 &&
                 !same_bones(now, next) && time_ms >= Entity_Bones(next).start_ms[0])) {
        now = next;
    }
    if (!now || now->skeleton == 0) {
        return false;
    }
    entity_bones_t sent = Entity_Bones(now);
    *bones = (cl_bones_t){.skeleton = sent.skeleton, .blend = sent.blend};
    for (int32_t i = 0; i < 2; i++) {
        bones->animations[i] = sent.animations[i];
        bones->times_ms[i] = Shown_Running(time_ms, sent.start_ms[i]);
    }
    memcpy(bones->controllers, sent.controllers, sizeof bones->controllers);
    return true;
}

// ---- followers ----

// Returns the pose of a player as its followers use it.
static pose_t pose_of_player(const player_state_t *player) {
    vec3_t driving = {0.0f, player->heading, 0.0f};
    return (pose_t){player->origin, player->pm_type == PM_DRIVING ? driving : player->angles};
}

// Returns the player as the client draws it.
static const player_state_t *drawn_player(const cl_t *cl) {
    const snapshot_t *newest = Client_Newest(cl);
    return cl->prediction.tick == newest->tick ? &cl->prediction.player : &newest->player;
}

static const model_t *find_skeleton(const cl_t *cl, int32_t skeleton) {
    uint64_t hash = 0;
    const char *name = CL_SkeletonName(cl, skeleton, &hash);
    const model_t *model = cl->cmap ? Map_Skeleton(cl->cmap, skeleton - FIRST_MAP_SKELETON) : NULL;
    if (!model && name[0] != '\0' && cl->config.find_skeleton) {
        model = cl->config.find_skeleton(cl->config.find_context, name, hash);
    }
    return model;
}

// Writes the pose of a bone of an entity with the pose *pose. Leaves it if the bone is unknown.
static void go_to_bone(const cl_t *cl, const entity_state_t *entity, const moment_t *at,
                       int32_t bone, pose_t *pose) {
    cl_bones_t bones;
    const model_t *model = find_skeleton(cl, entity->skeleton);
    if (!model || bone >= model->num_bones ||
        !CL_EntityBones(cl, entity->number, at->tick, at->frac, &bones)) {
        return;
    }
    pose_request_t request = {.animations = {bones.animations[0], bones.animations[1]},
                              .times_ms = {bones.times_ms[0], bones.times_ms[1]},
                              .blend = bones.blend};
    memcpy(request.controllers, bones.controllers, sizeof request.controllers);
    model_pose_t all;
    Pose_Evaluate(NULL, model, &request, &all);
    const cm_object_t object = {.origin = pose->origin, .angles = pose->angles};
    const cm_pose_t place = CM_MakePose(&object);
    *pose = Pose_OfBone(&all.bones[bone], &place);
}

// Moves *pose from a leader to its follower.
static void go_to_follower(const cl_t *cl, const entity_state_t *leader,
                           const entity_state_t *follower, const moment_t *at, pose_t *pose) {
    bool is_player = leader->owner > 0;
    if (follower->bone == 0 || leader->skeleton == 0) {
        *pose = PM_FollowerPose(*pose, is_player, follower->base);
        return;
    }
    pose->angles = is_player ? Vector(0.0f, pose->angles.y, 0.0f) : pose->angles;
    go_to_bone(cl, leader, at, follower->bone - 1, pose);
    *pose = PM_PoseOnBone(*pose, follower->base);
}

// Writes the pose of an entity. `own`: the player of the client, whose own entity has no pose.
// Returns the state of the entity that it follows, or its own; NULL without a pose.
static const entity_state_t *pose_of(const cl_t *cl, const moment_t *at, int32_t number,
                                     const player_state_t *own, pose_t *pose) {
    const entity_state_t *chain[CL_MAX_RIDING]; // each follows the next
    int32_t length = 0;
    do {
        chain[length] = SnapshotRing_Record(cl->ring, at->from_tick, number, NULL);
        if (!chain[length]) {
            chain[length] = SnapshotRing_Record(cl->ring, at->to_tick, number, NULL);
        }
        number = chain[length] ? chain[length]->parent : 0;
    } while (chain[length] && chain[length]->motion == ENTITY_FOLLOWS && ++length < CL_MAX_RIDING);
    const entity_state_t *root = length < CL_MAX_RIDING ? chain[length] : NULL; // NULL = a circle
    bool is_own = root && root->number == cl->slot + 1;
    if (!root || (is_own ? length == 0 : !shown_pose(cl, at, root->number, pose))) {
        return NULL; // not in the snapshots
    }
    *pose = is_own ? pose_of_player(own) : *pose;
    for (int32_t i = length - 1; i >= 0; i--) {
        go_to_follower(cl, chain[i + 1], chain[i], at, pose);
    }
    return root;
}

bool CL_EntityPose(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, pose_t *pose) {
    moment_t at;
    return find_entity(cl, number, tick, frac, &at) &&
           pose_of(cl, &at, number, drawn_player(cl), pose);
}

bool CL_ShownPose(const cl_t *cl, int32_t number, int64_t cmd_tick, pose_t *pose) {
    int64_t tick;
    uint16_t frac;
    moment_t at;
    if (!CL_ViewTime(cl, &tick, &frac) || !find_entity(cl, number, tick, frac, &at)) {
        return false;
    }
    at.now_ms = Ticks_EndMs(cl->map.rate_mhz, clamp_tick(cmd_tick) + 1);
    return pose_of(cl, &at, number, drawn_player(cl), pose);
}

int64_t CL_CmdTick(const cl_t *cl) {
    const cl_cmds_t *cmds = &cl->cmds;
    const cl_cmd_t *last = &cmds->list[(cmds->made - 1) % CL_MAX_CMDS];
    return cmds->made != cmds->first ? last->cmd.tick : CL_ServerTick(cl) - 1;
}

bool CL_EntityBox(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, vec3_t *mins,
                  vec3_t *maxs) {
    moment_t at;
    if (!find_entity(cl, number, tick, frac, &at)) {
        return false;
    }
    const entity_state_t *state = SnapshotRing_Record(cl->ring, at.from_tick, number, NULL);
    state = state ? state : SnapshotRing_Record(cl->ring, at.to_tick, number, NULL);
    if (state) {
        *mins = Shown_Vector(state->mins);
        *maxs = Shown_Vector(state->maxs);
    }
    return state != NULL;
}

// ---- the newest snapshot ----

static int32_t speed_of(float speed) {
    return Shown_Round(speed, 1.0f, -ENTITY_MAX_VELOCITY, ENTITY_MAX_VELOCITY);
}

// Writes a pusher's pose and velocity at the snapshot's tick. `next`: its pose 1 ms later. A longer
// step, or one back, could leave the motion record.
static void fill_in(entity_state_t *state, pose_t pose, pose_t next) {
    vec3_t speed = VectorScale(VectorSubtract(next.origin, pose.origin), 1000.0f);
    for (int32_t axis = 0; axis < 3; axis++) {
        state->origin[axis] = Shown_Round(VectorAxis(pose.origin, axis), (float)ENTITY_ORIGIN_SCALE,
                                          -ENTITY_MAX_ORIGIN, ENTITY_MAX_ORIGIN);
        state->angles[axis] = AngleToShort(VectorAxis(pose.angles, axis));
        if (moves_by_record(state)) {
            state->velocity[axis] = speed_of(VectorAxis(speed, axis));
        }
    }
}

static bool filled_state(const cl_t *cl, const moment_t *at, int32_t number, entity_state_t *state);

// Writes the pose of a follower at the snapshot's tick, and its leader's velocity.
static void fill_in_follower(const cl_t *cl, const moment_t *at, entity_state_t *state) {
    const player_state_t *own = &Client_Newest(cl)->player;
    pose_t pose;
    entity_state_t leader;
    const entity_state_t *root = pose_of(cl, at, state->number, own, &pose);
    if (!root || !filled_state(cl, at, root->number, &leader)) {
        return;
    }
    fill_in(state, pose, pose);
    for (int32_t axis = 0; axis < 3; axis++) {
        bool is_own = leader.number == cl->slot + 1;
        float own_speed = VectorAxis(own->velocity, axis);
        state->velocity[axis] = is_own ? speed_of(own_speed) : leader.velocity[axis];
    }
}

// Writes an entity of the newest snapshot with the pose of its motion record or leader. Returns
// false if the snapshot lacks it.
static bool filled_state(const cl_t *cl, const moment_t *at, int32_t number,
                         entity_state_t *state) {
    const int64_t tick = at->from_tick;
    const entity_state_t *found = SnapshotRing_Record(cl->ring, tick, number, state);
    pose_t pose, next;
    if (!found) {
        return false;
    }
    *state = *found;
    if (state->motion == ENTITY_FOLLOWS) {
        fill_in_follower(cl, at, state);
    } else if (Client_PoseOfRecord(cl->ring, tick, state, at->time_ms, &pose) &&
               Client_PoseOfRecord(cl->ring, tick, state, at->time_ms + 1, &next)) {
        fill_in(state, pose, next);
    }
    return true;
}

int32_t CL_NumEntities(const cl_t *cl) {
    const entity_state_t *all[MAX_SNAPSHOT_ENTS];
    const int64_t tick = CL_ServerTick(cl);
    const int32_t count = SnapshotRing_Entities(cl->ring, tick, all, NULL);
    return count - (SnapshotRing_Record(cl->ring, tick, cl->slot + 1, NULL) ? 1 : 0);
}

int32_t CL_Entities(const cl_t *cl, entity_state_t *list, int32_t max) {
    moment_t at;
    const entity_state_t *all[MAX_SNAPSHOT_ENTS];
    int32_t copied = 0;
    if (!find_moment(cl, CL_ServerTick(cl), 0, &at)) {
        return 0;
    }
    int32_t count = SnapshotRing_Entities(cl->ring, at.from_tick, all, NULL);
    for (int32_t i = 0; i < count && copied < max; i++) {
        if (all[i]->number != cl->slot + 1) {
            (void)filled_state(cl, &at, all[i]->number, &list[copied++]);
        }
    }
    return copied;
}

bool CL_Entity(const cl_t *cl, int32_t number, entity_state_t *entity) {
    moment_t at;
    return is_entity(number) && find_moment(cl, CL_ServerTick(cl), 0, &at) &&
           filled_state(cl, &at, number, entity);
}
