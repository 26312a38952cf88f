#include "world/unlag.h"

#include "collide/cmodel.h"
#include "move/pusher.h"
#include "world/area.h"
#include "world/client.h"
#include "world/events.h"
#include "world/hitboxes.h"
#include "world/link.h"
#include "world/tick_time.h"
#include "world/world_local.h"

#include <string.h>

// ---- the view ----

bool Unlag_View(const world_t *world, const edict_t *shooter, unlag_view_t *view) {
    const client_t *client = shooter ? World_ClientOf(world, shooter) : NULL;
    const usercmd_t *cmd = client ? &client->last_cmd : NULL;
    if (!cmd || cmd->view_tick <= 0 || world->cvars.sv_maxunlag_ms == 0) {
        return false;
    }
    const int32_t rate_mhz = World_TickRate(world);
    const int64_t now_ms = Ticks_EndMs(rate_mhz, world->tick);
    const int64_t oldest_ms = now_ms - world->cvars.sv_maxunlag_ms;
    // In a hostile block, the tick may be too large for a time.
    int64_t tick = cmd->view_tick < world->tick ? cmd->view_tick : world->tick;
    int64_t time_ms = Ticks_TimeMs(rate_mhz, tick, cmd->view_frac);
    uint16_t frac = cmd->view_frac;
    // Without a second snapshot, the client may have extrapolated. A longer age is forged.
    const bool is_between = (cmd->view_span & 15) < cmd->view_span >> 4;
    uint8_t span = is_between ? cmd->view_span : UserCmd_Span(0, 1);
    if (time_ms > now_ms || time_ms < oldest_ms) {
        time_ms = time_ms > now_ms ? now_ms : oldest_ms;
        tick = Ticks_At(rate_mhz, time_ms);
        frac = Ticks_Frac(rate_mhz, time_ms);
        span = UserCmd_Span(0, 1);
    }
    view->time_ms = time_ms;
    view->from = tick - (span & 15);
    view->to = view->from + (span >> 4);
    view->to = view->to < world->tick ? view->to : world->tick;
    view->share = Shown_Share(view->to - view->from, (tick - view->from) * 65536 + frac);
    return true;
}

int64_t Unlag_Age(const world_t *world, const unlag_view_t *view) {
    return Ticks_EndMs(World_TickRate(world), world->tick) - view->time_ms;
}

void Unlag_SetAge(const world_t *world, unlag_view_t *view, int64_t age_ms) {
    const int32_t rate_mhz = World_TickRate(world);
    const int64_t time_ms = Ticks_EndMs(rate_mhz, world->tick) - age_ms;
    const int64_t from = Ticks_At(rate_mhz, time_ms);
    *view = (unlag_view_t){.from = from,
                           .to = from < world->tick ? from + 1 : from,
                           .time_ms = time_ms,
                           .share = Shown_Share(1, Ticks_Frac(rate_mhz, time_ms))};
}

bool Unlag_Rewinds(const edict_t *edict) {
    return World_IsLive(edict) && edict->movetype != MOVETYPE_PUSH &&
           (edict->solid == SOLID_BBOX || edict->solid == SOLID_SLIDEBOX);
}

// Returns true if a snapshot may have the edict: it was spawned before.
static bool is_in_snapshot(const edict_t *edict, int64_t tick) {
    const uint32_t age = ((uint32_t)tick - (uint32_t)edict->spawn_tick_lo) & 0x7fffffffu;
    return age > 0 && age < 0x40000000u;
}

// ---- showing ----

// Returns a position or corner as clients receive it.
static vec3_t sent(vec3_t v) {
    int32_t rounded[3];
    Shown_RoundVector(v, (float)ENTITY_ORIGIN_SCALE, MAX_WORLD_COORD * ENTITY_ORIGIN_SCALE,
                      rounded);
    return Shown_Vector(rounded);
}

static pose_t sent_pose(const history_state_t *state) {
    const vec3_t angles = state->pose.angles;
    return (pose_t){sent(state->pose.origin), Vector(ShortToAngle(AngleToShort(angles.x)),
                                                     ShortToAngle(AngleToShort(angles.y)),
                                                     ShortToAngle(AngleToShort(angles.z)))};
}

// Returns the pose of a state. A rider is moved with its pusher from then to now.
static pose_t carried_pose(const world_t *world, const edict_t *edict,
                           const history_state_t *state) {
    const pose_t pose = sent_pose(state);
    const edict_t *ground = state->ground.index != 0 ? World_Deref(world, state->ground) : NULL;
    if (!ground || ground->movetype != MOVETYPE_PUSH || !History_MayCarry(ground)) {
        return pose;
    }
    const pm_carry_t carry = PM_Carry(state->ground_pose, (pose_t){ground->origin, ground->angles});
    return PM_CarryPose(&carry, pose, edict->flags & FL_CLIENT);
}

// The states of an edict in the snapshots of a view; if they are lost, the oldest one left.
typedef struct {
    const history_state_t *from, *to;
} states_t;

// Finds the states from the newest on. Returns false if one since `from` was not solid.
static bool find_states(const world_t *world, const history_state_t *newest, int64_t from,
                        int64_t to, states_t *states) {
    const history_state_t *state = newest;
    *states = (states_t){NULL, NULL};
    while (state) {
        if (state->solid == SOLID_NOT || state->solid == SOLID_TRIGGER ||
            (state->tick > from && state->older == HISTORY_BEGAN)) {
            return false;
        }
        states->from = state;
        states->to = states->to == NULL && state->tick <= to ? state : states->to;
        state = state->tick > from ? History_Before(world, state) : NULL;
    }
    states->to = states->to ? states->to : states->from;
    return true;
}

// Returns false if the view shows the edict away from a sweep: between two poses off all pushers.
static bool may_touch(const states_t *states, const sweep_bounds_t *sweep) {
    const history_state_t *from = states->from;
    const history_state_t *to = states->to;
    const bounds_t path = {VectorAdd(VectorMin(from->pose.origin, to->pose.origin), from->mins),
                           VectorAdd(VectorMax(from->pose.origin, to->pose.origin), from->maxs)};
    return from->ground.index != 0 || to->ground.index != 0 || Bounds_SweepTouches(sweep, path);
}

bool Unlag_Show(const world_t *world, const unlag_view_t *view, const edict_t *edict,
                const sweep_bounds_t *near, unlag_shown_t *shown) {
    const history_state_t *track = History_Track(world, edict);
    const int64_t from = is_in_snapshot(edict, view->from) ? view->from : view->to;
    history_state_t now;
    states_t states;
    if (!is_in_snapshot(edict, from) || History_IsNew(world, edict)) {
        return false;
    }
    if (!track) {
        now = History_Now(world, edict, world->tick, SV_ShownShift(world, world->tick));
        track = &now;
    }
    if (!find_states(world, track, from, view->to, &states) ||
        (near && !may_touch(&states, near))) {
        return false;
    }
    const history_state_t *at = states.from;
    const history_state_t *to = states.to;
    // After a teleport, the older state is shown until the newer one.
    const bool stays = at->teleports != to->teleports && view->share < 1.0f;
    const pose_t older = carried_pose(world, edict, at);
    const pose_t newer = stays || at == to ? older : carried_pose(world, edict, to);
    const pose_t pose = stays ? older : Shown_Pose(older, newer, view->share);
    const bool has_new_bones = !stays && memcmp(&at->bones, &to->bones, sizeof at->bones) != 0 &&
                               to->bones.skeleton > 0 && view->time_ms >= to->bones.start_ms[0];
    const vec3_t upright = {0.0f, pose.angles.y, 0.0f};
    shown->number = World_EdictNumber(world, edict);
    shown->pose = (pose_t){pose.origin, edict->flags & FL_CLIENT ? upright : pose.angles};
    shown->box =
        (bounds_t){VectorAdd(pose.origin, sent(at->mins)), VectorAdd(pose.origin, sent(at->maxs))};
    shown->bones = has_new_bones ? to->bones : at->bones;
    return !near || Bounds_SweepTouches(near, shown->box);
}

// ---- sweeps ----

trace_t Unlag_HitboxTrace(const sv_context_t *sv, const unlag_view_t *view,
                          const unlag_shown_t *shown, vec3_t start, vec3_t end, bounds_t swept) {
    const shown_bones_t *bones = &shown->bones;
    const model_t *model = SV_SkeletonModel(sv, bones->skeleton);
    trace_t trace = CM_BoxBoxTrace(shown->box, start, end, swept.mins, swept.maxs);
    if (!model || model->num_hitboxes == 0 || (trace.fraction == 1.0f && !trace.startsolid)) {
        return trace;
    }
    pose_request_t request = {.blend = (float)bones->blend / (float)ENTITY_BLEND_SCALE};
    for (int32_t i = 0; i < 2; i++) {
        request.animations[i] = bones->animations[i] - 1;
        request.times_ms[i] = Shown_Running(view->time_ms, bones->start_ms[i]);
    }
    for (int32_t i = 0; i < MAX_CONTROLLERS; i++) {
        request.controllers[i] = (float)bones->controllers[i] / (float)ENTITY_CONTROLLER_SCALE;
    }
    turned_box_t scratch[MAX_HITBOXES];
    const cm_object_t object = {.origin = shown->pose.origin, .angles = shown->pose.angles};
    const turned_box_t *boxes =
        Hitbox_PlaceAll(sv->poses, (uint32_t)shown->number, model, &request, &object, scratch);
    return CM_PlacedTrace(model, boxes, start, end, swept);
}

// ---- events ----

// Returns the number of the effect, 0 = the game has not registered it.
static int32_t find_effect(const world_t *world) {
    const int32_t id = World_FindString(world, UNLAG_EFFECT);
    int32_t number = id > 0 ? world->name_counts[NAMES_EFFECTS] : 0;
    while (number > 0 && world->name_ids[NAMES_EFFECTS][number] != id) {
        number--;
    }
    return number;
}

void Unlag_Emit(sv_context_t *sv, const unlag_view_t *view, const edict_t *shooter, int32_t edict) {
    const edict_t *target = World_Edict(sv->world, edict);
    const int32_t number = find_effect(sv->world);
    unlag_shown_t shown;
    if (number == 0 || !Unlag_Rewinds(target) ||
        !Unlag_Show(sv->world, view, target, NULL, &shown)) {
        return;
    }
    int32_t moved[3];
    Shown_RoundVector(VectorSubtract(target->origin, shown.pose.origin), (float)ENTITY_ORIGIN_SCALE,
                      2 * MAX_WORLD_COORD * ENTITY_ORIGIN_SCALE, moved);
    game_event_t event = SV_EffectOf(sv, target, shown.pose.origin, number);
    event.num_args = 4;
    event.args[0] = World_EdictNumber(sv->world, shooter);
    memcpy(&event.args[1], moved, sizeof moved);
    SV_Emit(sv, &event, NULL, false);
}

// ---- areas ----

typedef struct {
    const world_t *world;
    const unlag_view_t *view;
    bounds_t box;
    sweep_bounds_t sweep; // of length 0
    int32_t *list;
    int32_t count, max;
} area_query_t;

// Inserts a number into the sorted list. Drops the highest beyond `max`.
static void insert(area_query_t *query, int32_t number) {
    int32_t at = query->count < query->max ? query->count++ : query->max;
    if (at == query->max && (at == 0 || query->list[--at] < number)) {
        return;
    }
    for (; at > 0 && query->list[at - 1] > number; at--) {
        query->list[at] = query->list[at - 1];
    }
    query->list[at] = number;
}

static void collect_recent(void *context, int32_t number) {
    area_query_t *query = context;
    const edict_t *edict = World_Edict(query->world, number);
    unlag_shown_t shown;
    if (Unlag_Rewinds(edict) &&
        Unlag_Show(query->world, query->view, edict, &query->sweep, &shown) &&
        BoundsTouch(shown.box, query->box)) {
        insert(query, number);
    }
}

static void collect(void *context, int32_t number) {
    area_query_t *query = context;
    const edict_t *edict = World_Edict(query->world, number);
    if (!Unlag_Rewinds(edict)) {
        insert(query, number);
    } else if (!History_IsRecent(query->world, edict)) {
        collect_recent(query, number);
    }
}

int32_t Unlag_AreaEdicts(const world_t *world, const unlag_view_t *view, bounds_t box,
                         int32_t *list, int32_t max) {
    area_query_t query = {.world = world,
                          .view = view,
                          .box = box,
                          .sweep = Bounds_Sweep(vec3_zero, vec3_zero, box, HISTORY_MARGIN),
                          .list = list,
                          .max = max};
    Area_Visit(world, box, AREA_SOLID, collect, &query);
    History_Visit(world, view->from, view->to, &query.sweep, collect_recent, &query);
    return query.count;
}
