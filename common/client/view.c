/// client/view.c - the shown time, poses and animations of entities.
//
// Units:   ms of world time, which is Ticks_EndMs after n ticks.

#include "base/assert.h"
#include "client/cl_local.h"
#include "math/angles.h"
#include "move/pusher.h"
#include "proto/entity_fields.h"

#include <string.h>

#define RESYNC_MS     250 // if the shown time is off by more, it jumps
#define MAX_JUMP      256 // qu between two snapshots; a longer distance is a teleport
#define MAX_GAP_TICKS 64
#define MAX_START_MS  (INT64_C(1) << 60) // animation start times beyond this are invalid

// ---- the shown time ----

void Client_ViewReset(cl_t *cl) {
    cl->view = (cl_view_t){0};
}

void Client_ViewSnapshot(cl_t *cl, int64_t tick, int64_t before) {
    cl_view_t *view = &cl->view;
    int64_t offset_ms = Ticks_EndMs(cl->map.rate_mhz, tick) - cl->now_ms;
    int64_t off_ms = offset_ms - view->offset_ms;
    if (!view->running || off_ms > RESYNC_MS || off_ms < -RESYNC_MS) {
        view->offset_ms = offset_ms;
        view->running = true;
    } else {
        // 1 ms per snapshot, so that the shown time does not follow jitter
        view->offset_ms += (off_ms > 0) - (off_ms < 0);
    }
    if (before > 0) {
        int64_t gap = tick - before;
        view->gap_ticks = gap < MAX_GAP_TICKS ? (int32_t)gap : MAX_GAP_TICKS;
    }
}

void Client_ViewFrame(cl_t *cl) {
    cl_view_t *view = &cl->view;
    int64_t newest = SnapshotRing_Newest(cl->ring);
    if (!view->running || newest == 0) {
        return;
    }
    int32_t delay_ms = cl->config.interp_ms > 0 ? cl->config.interp_ms
                       : cl->config.interp_ms < 0
                           ? 0
                           : Q_MaxI(view->gap_ticks, 1) * Ticks_MaxMs(cl->map.rate_mhz);
    int64_t time_ms = cl->now_ms + view->offset_ms - delay_ms;
    int64_t last_ms = Ticks_EndMs(cl->map.rate_mhz, newest);
    time_ms = time_ms < last_ms ? time_ms : last_ms;
    time_ms = time_ms > 0 ? time_ms : 0;
    bool goes_on = time_ms > view->time_ms || view->time_ms - time_ms > RESYNC_MS;
    view->time_ms = goes_on ? time_ms : view->time_ms;
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

// ---- poses ----

// A snapshot, and the requested entity in it.
typedef struct {
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    int32_t count;
    int32_t index; ///< -1 = not in the snapshot
} shown_t;

// The snapshots around a time.
typedef struct {
    shown_t from, to;
    int64_t from_tick, to_tick;
    int64_t time_ms;
    int64_t past; ///< time since from_tick, in 1/65536 ticks
} moment_t;

static const entity_state_t *shown_state(const shown_t *shown) {
    return shown->index < 0 ? NULL : shown->list[shown->index];
}

static void show(moment_t *at, int32_t number) {
    at->from.index = Client_FindEntity(at->from.list, at->from.count, number);
    at->to.index = Client_FindEntity(at->to.list, at->to.count, number);
}

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

// Finds the snapshots around a time. Returns false before the first snapshot.
static bool find_moment(const cl_t *cl, int64_t tick, uint16_t frac, moment_t *at) {
    if (cl->state == CL_DISCONNECTED || !find_ticks(cl, tick, &at->from_tick, &at->to_tick)) {
        return false;
    }
    at->from.count = SnapshotRing_Entities(cl->ring, at->from_tick, at->from.list);
    at->to.count = SnapshotRing_Entities(cl->ring, at->to_tick, at->to.list);
    at->time_ms = Ticks_TimeMs(cl->map.rate_mhz, tick, frac);
    at->past = (tick - at->from_tick) * 65536 + frac;
    return true;
}

static vec3_t origin_of(const entity_state_t *state) {
    const float scale = 1.0f / (float)ENTITY_ORIGIN_SCALE;
    return Vector((float)state->origin[0] * scale, (float)state->origin[1] * scale,
                  (float)state->origin[2] * scale);
}

static vec3_t angles_of(const entity_state_t *state) {
    return Vector(ShortToAngle((uint16_t)state->angles[0]),
                  ShortToAngle((uint16_t)state->angles[1]),
                  ShortToAngle((uint16_t)state->angles[2]));
}

static pose_t pose_at(const shown_t *shown, int64_t time_ms) {
    const entity_state_t *state = shown->list[shown->index];
    pose_t pose = {origin_of(state), angles_of(state)};
    (void)Client_PoseOfRecord(shown->list, shown->count, shown->index, time_ms, &pose);
    return pose;
}

static float angle_between(float from, float to, float share) {
    return AngleMod(from + AngleNormalize180(AngleMod(to - from)) * share);
}

static pose_t pose_between(pose_t from, pose_t to, float share) {
    vec3_t way = VectorSubtract(to.origin, from.origin);
    if (!VectorWithin(way, (float)MAX_JUMP)) {
        return to;
    }
    return (pose_t){VectorMA(from.origin, share, way),
                    Vector(angle_between(from.angles.x, to.angles.x, share),
                           angle_between(from.angles.y, to.angles.y, share),
                           angle_between(from.angles.z, to.angles.z, share))};
}

static bool moves_by_record(const entity_state_t *state) {
    return Entity_HasRecord(state) && (state->motion > 1 + MOTION_NONE || state->parent > 0);
}

// Returns the position of a time within `ticks` ticks, in [0, 1]. `past`: in 1/65536 ticks.
static float share_of(int64_t ticks, int64_t past) {
    int64_t span = ticks > 0 ? ticks * 65536 : 1;
    int64_t done = ticks <= 0 || past < 0 ? 0 : past > span ? span : past;
    return (float)done / (float)span;
}

// Writes the pose of the shown entity, which follows nothing. Returns false if both snapshots lack
// it.
static bool shown_pose(const moment_t *at, pose_t *pose) {
    const entity_state_t *a = shown_state(&at->from);
    const entity_state_t *b = shown_state(&at->to);
    if (!a || !b || a->generation != b->generation) {
        const shown_t *only = a ? &at->from : &at->to;
        if (a || b) {
            *pose = pose_at(only, at->time_ms);
        }
        return a || b;
    }
    if (moves_by_record(a) || moves_by_record(b)) {
        // A new motion applies from its start time.
        bool is_new = moves_by_record(b) && at->time_ms >= Entity_Motion(b).start_ms;
        *pose = pose_at(is_new || !moves_by_record(a) ? &at->to : &at->from, at->time_ms);
        return true;
    }
    *pose = pose_between(pose_at(&at->from, at->time_ms), pose_at(&at->to, at->time_ms),
                         share_of(at->to_tick - at->from_tick, at->past));
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
        float share = share_of(to_tick - from_tick, (tick - from_tick) * 65536 + frac);
        pose_t pose = pose_between((pose_t){from->origin, from->angles},
                                   (pose_t){to->origin, to->angles}, share);
        *player = *from;
        player->origin = pose.origin;
        player->angles = Vector(AngleNormalize180(pose.angles.x), pose.angles.y, pose.angles.z);
    }
}

// Returns the pose at which the client draws its own player.
static pose_t own_pose(const cl_t *cl) {
    const snapshot_t *newest = Client_Newest(cl);
    bool predicted = cl->prediction.tick == newest->tick;
    const player_state_t *player = predicted ? &cl->prediction.player : &newest->player;
    return (pose_t){player->origin, player->angles};
}

bool CL_EntityPose(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac, pose_t *pose) {
    moment_t at;
    pose_t offsets[CL_MAX_RIDING]; // of followers, each in the space of the next
    int32_t length = 0;
    if (!find_moment(cl, tick, frac, &at)) {
        return false;
    }
    const entity_state_t *state = NULL;
    for (;;) {
        show(&at, number);
        state = shown_state(at.from.index < 0 ? &at.to : &at.from);
        if (!state || state->motion != ENTITY_FOLLOWS) {
            break;
        }
        if (length == CL_MAX_RIDING) {
            return false; // a circle
        }
        offsets[length++] = state->base;
        number = state->parent;
    }
    bool is_own = number == cl->slot + 1;
    if (is_own && length > 0) {
        *pose = own_pose(cl);
    } else if (is_own || !shown_pose(&at, pose)) {
        return false;
    }
    bool is_player = is_own || state->owner > 0;
    while (length > 0) {
        *pose = PM_FollowerPose(*pose, is_player, offsets[--length]);
        is_player = false;
    }
    return true;
}

// ---- animations ----

static bool same_bones(const entity_state_t *a, const entity_state_t *b) {
    const size_t at = offsetof(entity_state_t, animations);
    return memcmp(a->animations, b->animations, offsetof(entity_state_t, fields) - at) == 0;
}

bool CL_EntityBones(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac,
                    cl_bones_t *bones) {
    moment_t at;
    if (!find_moment(cl, tick, frac, &at)) {
        return false;
    }
    show(&at, number);
    const int64_t time_ms = at.time_ms;
    const entity_state_t *now = shown_state(&at.from);
    const entity_state_t *next = shown_state(&at.to);
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
        int64_t start_ms = sent.start_ms[i];
        bool has_begun = start_ms >= -MAX_START_MS && start_ms < time_ms;
        bones->animations[i] = sent.animations[i];
        bones->times_ms[i] = has_begun ? time_ms - start_ms : 0;
    }
    memcpy(bones->controllers, sent.controllers, sizeof bones->controllers);
    return true;
}

// ---- the newest snapshot ----

static int32_t rounded(float value, float scale, int32_t limit) {
    return Q_ToInt(floorf(value * scale + 0.5f), -limit, limit);
}

// Writes a pusher's pose and velocity at the snapshot's tick.
static void fill_in(entity_state_t *state, pose_t pose, pose_t before, float dt) {
    vec3_t speed = VectorScale(VectorSubtract(pose.origin, before.origin), 1.0f / dt);
    for (int32_t axis = 0; axis < 3; axis++) {
        state->origin[axis] =
            rounded(VectorAxis(pose.origin, axis), (float)ENTITY_ORIGIN_SCALE, ENTITY_MAX_ORIGIN);
        state->angles[axis] = AngleToShort(VectorAxis(pose.angles, axis));
        if (moves_by_record(state)) {
            state->velocity[axis] = rounded(VectorAxis(speed, axis), 1.0f, ENTITY_MAX_VELOCITY);
        }
    }
}

// Returns all[index] with the pose of its motion record.
static entity_state_t filled_state(const cl_t *cl, const entity_state_t *const *all, int32_t count,
                                   int32_t index) {
    int64_t tick = CL_ServerTick(cl);
    int64_t end_ms = Ticks_EndMs(cl->map.rate_mhz, tick);
    int32_t tick_ms = Ticks_LengthMs(cl->map.rate_mhz, tick - 1);
    pose_t pose, before;
    entity_state_t state = *all[index];
    if (Client_PoseOfRecord(all, count, index, end_ms, &pose) &&
        Client_PoseOfRecord(all, count, index, end_ms - tick_ms, &before)) {
        fill_in(&state, pose, before, (float)tick_ms / 1000.0f);
    }
    return state;
}

int32_t CL_Entities(const cl_t *cl, entity_state_t *list, int32_t max) {
    const entity_state_t *all[MAX_SNAPSHOT_ENTS];
    int64_t tick = CL_ServerTick(cl);
    int32_t count = SnapshotRing_Entities(cl->ring, tick, all);
    int32_t copied = 0;
    for (int32_t i = 0; i < count && copied < max; i++) {
        if (all[i]->number != cl->slot + 1) {
            list[copied++] = filled_state(cl, all, count, i);
        }
    }
    return copied;
}

bool CL_Entity(const cl_t *cl, int32_t number, entity_state_t *entity) {
    const entity_state_t *all[MAX_SNAPSHOT_ENTS];
    int32_t count = SnapshotRing_Entities(cl->ring, CL_ServerTick(cl), all);
    int32_t index = Client_FindEntity(all, count, number);
    if (index >= 0) {
        *entity = filled_state(cl, all, count, index);
    }
    return index >= 0;
}
