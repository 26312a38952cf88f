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

static pose_t pose_of(const history_entry_t *entry) {
    return (pose_t){Shown_Vector(entry->origin),
                    Vector(ShortToAngle(entry->angles[0]), ShortToAngle(entry->angles[1]),
                           ShortToAngle(entry->angles[2]))};
}

// Returns the pose of an entry. A rider is moved with its pusher from then to now.
static pose_t carried_pose(const world_t *world, const edict_t *edict,
                           const history_entry_t *entry) {
    const pose_t pose = pose_of(entry);
    const edict_t *ground = entry->ground.index != 0 ? World_Deref(world, entry->ground) : NULL;
    if (!ground || ground->movetype != MOVETYPE_PUSH) {
        return pose;
    }
    const pm_carry_t carry = PM_Carry(entry->ground_pose, (pose_t){ground->origin, ground->angles});
    return PM_CarryPose(&carry, pose, edict->flags & FL_CLIENT);
}

bool Unlag_Show(const world_t *world, const unlag_view_t *view, const edict_t *edict,
                unlag_shown_t *shown) {
    const history_track_t *track = History_Track(world, edict);
    const int64_t from = is_in_snapshot(edict, view->from) ? view->from : view->to;
    if (!is_in_snapshot(edict, from) || (track && !History_WasSolidSince(track, from))) {
        return false;
    }
    const history_entry_t now =
        track ? *History_At(track, view->to)
              : History_Now(world, edict, world->tick, SV_ShownShift(world, world->tick));
    const history_entry_t *to = &now;
    const history_entry_t *at = track ? History_At(track, from) : to;
    // After a teleport, the older state is shown until the newer one.
    const bool stays = at->teleports != to->teleports && view->share < 1.0f;
    const pose_t older = carried_pose(world, edict, at);
    const pose_t pose =
        stays ? older : Shown_Pose(older, carried_pose(world, edict, to), view->share);
    const bool has_new_bones = !stays && memcmp(&at->bones, &to->bones, sizeof at->bones) != 0 &&
                               to->bones.skeleton > 0 && view->time_ms >= to->bones.start_ms[0];
    const vec3_t upright = {0.0f, pose.angles.y, 0.0f};
    shown->number = World_EdictNumber(world, edict);
    shown->pose = (pose_t){pose.origin, edict->flags & FL_CLIENT ? upright : pose.angles};
    shown->box = (bounds_t){VectorAdd(pose.origin, Shown_Vector(at->mins)),
                            VectorAdd(pose.origin, Shown_Vector(at->maxs))};
    shown->bones = has_new_bones ? to->bones : at->bones;
    return true;
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
    if (number == 0 || !Unlag_Rewinds(target) || !Unlag_Show(sv->world, view, target, &shown)) {
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
    if (Unlag_Rewinds(edict) && Unlag_Show(query->world, query->view, edict, &shown) &&
        BoundsTouch(shown.box, query->box)) {
        insert(query, number);
    }
}

static void collect(void *context, int32_t number) {
    area_query_t *query = context;
    const edict_t *edict = World_Edict(query->world, number);
    if (!Unlag_Rewinds(edict)) {
        insert(query, number);
    } else if (!Unlag_IsRecent(query->world, edict)) {
        collect_recent(query, number);
    }
}

bool Unlag_IsRecent(const world_t *world, const edict_t *edict) {
    const history_track_t *track = History_Track(world, edict);
    return track && History_IsRecent(world, track);
}

int32_t Unlag_AreaEdicts(const world_t *world, const unlag_view_t *view, bounds_t box,
                         int32_t *list, int32_t max) {
    area_query_t query = {.world = world, .view = view, .box = box, .list = list, .max = max};
    Area_Visit(world, box, AREA_SOLID, collect, &query);
    History_Visit(world, box, collect_recent, &query);
    return query.count;
}
