#include "client/world_local.h"

#include "move/meet.h"
#include "proto/entity_fields.h"
#include "state/movetype.h"
#include "state/ticks.h"

static vec3_t from_wire(const int32_t v[3]) {
    const float scale = 1.0f / (float)ENTITY_ORIGIN_SCALE;
    return Vector((float)v[0] * scale, (float)v[1] * scale, (float)v[2] * scale);
}

// ---- poses ----

// Returns the leg that follows a motion record, with kind MOTION_NONE if there is none.
static motion_t next_of(const entity_state_t *state, const motion_t *motion) {
    if (state->next_wait_ms == 0) {
        return (motion_t){.kind = MOTION_NONE};
    }
    const int64_t start_ms = (int64_t)((uint64_t)motion->start_ms + (uint64_t)state->next_wait_ms);
    return (motion_t){.kind = MOTION_MOVE,
                      .start_ms = start_ms,
                      .duration_ms = state->next_duration_ms,
                      .base = PM_PusherPose(motion, start_ms, NULL),
                      .delta = state->next_delta,
                      .delta_angles = state->next_delta_angles,
                      .bend = state->next_bend};
}

static bool has_begun(const motion_t *next, int64_t time_ms) {
    return next->kind != MOTION_NONE && time_ms >= next->start_ms;
}

/// A motion at a time.
typedef struct {
    motion_t motion;
    int64_t time_ms;
} link_t;

// Returns the pose of chain[0]; each pusher rides on the next. A chain of CL_MAX_RIDING is a
// circle: chain[0] then rides on nothing.
static pose_t pose_of_chain(const link_t *chain, int32_t length) {
    if (length == CL_MAX_RIDING) {
        return PM_PusherPose(&chain[0].motion, chain[0].time_ms, NULL);
    }
    pose_t pose = {0};
    for (int32_t i = length - 1; i >= 0; i--) {
        pose = PM_PusherPose(&chain[i].motion, chain[i].time_ms, i < length - 1 ? &pose : NULL);
    }
    return pose;
}

bool Client_PoseOfRecord(const snapshot_ring_t *ring, int64_t tick, const entity_state_t *state,
                         int64_t time_ms, pose_t *pose) {
    link_t chain[CL_MAX_RIDING];
    int32_t length = 0;
    if (!Entity_HasRecord(state)) {
        return false;
    }
    while (state && Entity_HasRecord(state) && length < CL_MAX_RIDING) {
        const motion_t motion = Entity_Motion(state);
        const motion_t next = next_of(state, &motion);
        chain[length++] = (link_t){has_begun(&next, time_ms) ? next : motion, time_ms};
        state = state->parent > 0 ? SnapshotRing_Record(ring, tick, state->parent, NULL) : NULL;
    }
    *pose = pose_of_chain(chain, length);
    return true;
}

// Returns the time of a solid's next leg if it begins after from_ms and before to_ms, else to_ms.
static int64_t first_stop(const cl_solid_t *solid, int64_t from_ms, int64_t to_ms) {
    const int64_t corner_ms = solid->next.start_ms;
    bool is_between = solid->next.kind != MOTION_NONE && corner_ms > from_ms && corner_ms < to_ms;
    return is_between ? corner_ms : to_ms;
}

// Returns the pose at `to_ms`, or at the corners that lie between both times.
static pose_t pose_in_world(const cl_world_t *world, int32_t index, int64_t from_ms,
                            int64_t to_ms) {
    link_t chain[CL_MAX_RIDING];
    int32_t length = 0;
    for (int32_t at = index; at >= 0 && length < CL_MAX_RIDING; at = world->list[at].parent) {
        const cl_solid_t *solid = &world->list[at];
        const int64_t time_ms = first_stop(solid, from_ms, to_ms);
        chain[length++] =
            (link_t){has_begun(&solid->next, time_ms) ? solid->next : solid->motion, time_ms};
    }
    return pose_of_chain(chain, length);
}

static bool is_brush(const cl_world_t *world, const cl_solid_t *solid) {
    return solid->model >= 1 && solid->model < CM_NumModels(world->map);
}

static cm_object_t object_of(const cl_world_t *world, const cl_solid_t *solid) {
    return (cm_object_t){.model = solid->model,
                         .solids = world->vars->sv_solids,
                         .origin = solid->pose.origin,
                         .angles = solid->pose.angles};
}

static void find_box(const cl_world_t *world, cl_solid_t *solid) {
    const pose_t *pose = &solid->pose;
    if (is_brush(world, solid)) {
        const bounds_t bounds = CM_ModelBounds(world->map, solid->model);
        solid->box = CM_TurnedBounds(pose->origin, pose->angles, bounds.mins, bounds.maxs);
    } else {
        solid->box = (bounds_t){VectorAdd(pose->origin, solid->shape.mins),
                                VectorAdd(pose->origin, solid->shape.maxs)};
    }
}

// ---- from a snapshot ----

// The player's own vehicle follows it, and is solid when the player gets out.
static bool is_listed(const entity_state_t *state, int32_t own) {
    if (state->motion == ENTITY_FOLLOWS) {
        return state->parent == own && (state->duration_ms & ENTITY_LOOSE_VEHICLE);
    }
    if (state->number == own) {
        return false;
    }
    return Entity_HasRecord(state) ||
           (state->type != ENTITY_PROJECTILE && state->solid >= SOLID_BBOX);
}

static void add(cl_world_t *world, const entity_state_t *state) {
    cl_solid_t *solid = &world->list[world->count++];
    *solid = (cl_solid_t){.number = state->number,
                          .solid = state->solid,
                          .model = state->solid == SOLID_BSP || state->contents ? state->model : 0,
                          .contents = state->contents,
                          .is_fixed = true,
                          .shape = {from_wire(state->mins), from_wire(state->maxs)},
                          .surface_velocity = state->surface_velocity,
                          .friction = state->friction};
    if (state->motion == ENTITY_LOOSE || state->motion == ENTITY_FOLLOWS) {
        solid->motion.base.origin = state->base.origin;
        Client_AddCrate(world, state);
    } else if (state->motion == ENTITY_NO_MOTION) {
        solid->motion.base.origin = from_wire(state->origin);
    } else {
        solid->motion = Entity_Motion(state);
        solid->next = next_of(state, &solid->motion);
        solid->is_fixed = solid->motion.kind == MOTION_NONE && solid->motion.parent == 0;
    }
}

const cl_solid_t *Client_FindSolid(const cl_world_t *world, int32_t number) {
    int32_t i = 0;
    while (i < world->count && world->list[i].number < number) {
        i++;
    }
    return i < world->count && world->list[i].number == number ? &world->list[i] : NULL;
}

static void find_parents(cl_world_t *world) {
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *parent = Client_FindSolid(world, world->list[i].motion.parent);
        world->list[i].parent = parent ? (int32_t)(parent - world->list) : -1;
    }
}

void Client_WorldSet(cl_world_t *world, const snapshot_ring_t *ring, int64_t tick, int32_t own) {
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    int32_t count = SnapshotRing_Entities(ring, tick, list, NULL);
    CM_CacheBegin(&world->cache, world->map, world->vars->sv_solids);
    world->tick = tick;
    world->count = 0;
    world->has_pushers = world->has_run = false;
    world->num_crates = 0;
    world->own = world->passed = own;
    const entity_state_t *self = SnapshotRing_Record(ring, tick, own, NULL);
    world->own_solid = self ? self->solid : SOLID_NOT;
    for (int32_t i = 0; i < count; i++) {
        if (is_listed(list[i], own)) {
            entity_state_t moved;
            add(world, SnapshotRing_Record(ring, tick, list[i]->number, &moved));
        }
    }
    find_parents(world);
    for (int32_t i = 0; i < world->count; i++) {
        cl_solid_t *solid = &world->list[i];
        const int64_t now_ms = Ticks_EndMs(world->rate_mhz, tick);
        solid->pose = pose_in_world(world, i, now_ms, now_ms);
        solid->before = solid->pose;
        world->has_pushers = world->has_pushers || !solid->is_fixed;
        find_box(world, solid);
    }
}

// ---- the world for pmove ----

static trace_t trace_solid(const cl_world_t *world, const cl_solid_t *solid, bounds_t box,
                           vec3_t start, vec3_t end) {
    if (solid->solid == SOLID_BSP) {
        const cm_object_t object = object_of(world, solid);
        return CM_BoxTrace(world->map, &object, start, end, box.mins, box.maxs);
    }
    return CM_BoxBoxTrace(solid->box, start, end, box.mins, box.maxs);
}

bool Client_Stops(const cl_world_t *world, const cl_solid_t *solid) {
    return solid->solid == SOLID_BSP ? is_brush(world, solid) : solid->solid > SOLID_TRIGGER;
}

static trace_t trace_world(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    cl_world_t *world = context;
    const bounds_t around = BoundsOfSweep(start, end, mins, maxs, 1.0f);
    const trace_t trace = CM_CacheTrace(&world->cache, start, end, mins, maxs);
    pm_nearest_t hits = PM_NearestBegin(end, trace.contents);
    PM_NearestAdd(&hits, trace, 0);
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *solid = &world->list[i];
        if (BoundsTouch(solid->box, around) && Client_Stops(world, solid) &&
            solid->number != world->passed) {
            const bounds_t box = {mins, maxs};
            PM_NearestAdd(&hits, trace_solid(world, solid, box, start, end), solid->number);
        }
    }
    if (world->passed != world->own && world->own_solid > SOLID_TRIGGER &&
        BoundsTouch(world->own_box, around)) {
        PM_NearestAdd(&hits, CM_BoxBoxTrace(world->own_box, start, end, mins, maxs), world->own);
    }
    return PM_NearestResult(&hits);
}

static trace_t trace_brushes(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    cl_world_t *world = context;
    const bounds_t around = BoundsOfSweep(start, end, mins, maxs, 1.0f);
    const trace_t trace = CM_CacheTrace(&world->cache, start, end, mins, maxs);
    pm_nearest_t hits = PM_NearestBegin(end, trace.contents);
    PM_NearestAdd(&hits, trace, 0);
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *solid = &world->list[i];
        if (solid->solid == SOLID_BSP && BoundsTouch(solid->box, around) &&
            Client_Stops(world, solid)) {
            const bounds_t box = {mins, maxs};
            PM_NearestAdd(&hits, trace_solid(world, solid, box, start, end), solid->number);
        }
    }
    return PM_NearestResult(&hits);
}

// Returns true if the server tests a volume for a box: linking widens the volume's box by 1 qu.
static bool is_tested(const cl_solid_t *solid, bounds_t box) {
    return BoundsTouch(BoundsOfSweep(vec3_zero, vec3_zero, solid->box.mins, solid->box.maxs, 1.0f),
                       box);
}

static bool is_volume(const cl_solid_t *solid) {
    return solid->contents != 0 && !Contents_IsPad(solid->contents);
}

static contents_t contents_of_world(void *context, vec3_t point) {
    cl_world_t *world = context;
    const bounds_t at = {point, point};
    contents_t contents = CM_CacheContents(&world->cache, point);
    contents_t volume = CONTENTS_EMPTY;
    for (int32_t i = 0; i < world->count && contents != CONTENTS_SOLID; i++) {
        const cl_solid_t *solid = &world->list[i];
        bool is_solid = solid->solid == SOLID_BSP;
        if ((!is_solid && !is_volume(solid)) || !is_brush(world, solid) || !is_tested(solid, at)) {
            continue;
        }
        const cm_object_t object = object_of(world, solid);
        if (is_solid && CM_Contents(world->map, &object, point) == CONTENTS_SOLID) {
            contents = CONTENTS_SOLID;
        } else if (!is_solid && volume == CONTENTS_EMPTY &&
                   CM_BoxTouches(world->map, &object, point, vec3_zero, vec3_zero)) {
            volume = (contents_t)solid->contents;
        }
    }
    return contents == CONTENTS_EMPTY ? volume : contents;
}

static pm_volume_t volumes_of_world(void *context, vec3_t absmin, vec3_t absmax) {
    const cl_world_t *world = context;
    const bounds_t box = {absmin, absmax};
    pm_volume_t volume = {.ladder = false};
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *solid = &world->list[i];
        if (!is_volume(solid) || !is_brush(world, solid) || !is_tested(solid, box)) {
            continue;
        }
        const cm_object_t object = object_of(world, solid);
        if (!CM_BoxTouches(world->map, &object, vec3_zero, absmin, absmax)) {
            continue;
        }
        if (PM_AddVolume(&volume, solid->contents, solid->surface_velocity, solid->friction)) {
            volume.ladder_normal = CM_LadderNormal(world->map, &object, box);
        }
    }
    if (!volume.ladder) {
        volume.ladder = CM_WorldLadder(world->map, box, &volume.ladder_normal);
    }
    return volume;
}

static pm_surface_t surface_of_world(void *context, int32_t entnum, vec3_t at) {
    const cl_solid_t *solid = Client_FindSolid(context, entnum);
    if (!solid) {
        return (pm_surface_t){.friction = 0.0f};
    }
    return (pm_surface_t){
        .velocity = solid->surface_velocity,
        .friction = solid->friction,
        .is_pusher = !solid->is_fixed,
        .moving_at = PM_PusherVelocity(solid->pose, solid->velocity, solid->avelocity, at)};
}

static int32_t overlap_of_world(void *context, bounds_t box, cm_contact_t *contacts,
                                int32_t *entnums, int32_t max) {
    const cl_world_t *world = context;
    cm_contact_t met[MAX_CONTACTS];
    pm_contacts_t found = {.box = box, .contacts = contacts, .entnums = entnums, .max = max};
    int32_t count = CM_CacheOverlap(&world->cache, box, met, MAX_CONTACTS);
    for (int32_t c = 0; c < count; c++) {
        PM_AddContact(&found, &met[c], 0);
    }
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *solid = &world->list[i];
        if (!BoundsTouch(solid->box, box) || !Client_Stops(world, solid)) {
            continue;
        }
        if (solid->solid != SOLID_BSP) {
            PM_AddBoxContact(&found, solid->box, solid->number);
            continue;
        }
        const cm_object_t object = object_of(world, solid);
        count = CM_Overlap(world->map, &object, box, met, MAX_CONTACTS);
        for (int32_t c = 0; c < count; c++) {
            PM_AddContact(&found, &met[c], solid->number);
        }
    }
    return found.count;
}

static void prefetch(void *context, vec3_t origin, vec3_t mins, vec3_t maxs) {
    cl_world_t *world = context;
    CM_CacheFill(&world->cache, world->map, world->vars->sv_solids, origin, mins, maxs);
}

pm_world_t Client_WorldForMove(cl_world_t *world) {
    return (pm_world_t){.context = world,
                        .trace = trace_world,
                        .trace_brushes = trace_brushes,
                        .point_contents = contents_of_world,
                        .prefetch = prefetch,
                        .volume = volumes_of_world,
                        .surface = surface_of_world,
                        .overlap = overlap_of_world};
}

// ---- push pads ----

static bool touches(const cl_world_t *world, const cl_solid_t *pad, bounds_t box) {
    const cm_object_t object = object_of(world, pad);
    return is_brush(world, pad) && is_tested(pad, box) &&
           CM_BoxTouches(world->map, &object, vec3_zero, box.mins, box.maxs);
}

bool Client_TouchPads(cl_world_t *world, bounds_t box, vec3_t *velocity) {
    bool is_thrown = false;
    for (int32_t i = 0; i < world->count; i++) {
        cl_solid_t *pad = &world->list[i];
        if (Contents_IsPad(pad->contents) && touches(world, pad, box)) {
            *velocity = pad->surface_velocity;
            is_thrown = true;
            pad->contents = pad->contents == CONTENTS_PUSH_ONCE ? 0 : pad->contents;
        }
    }
    return is_thrown;
}

void Client_WorldTouch(cl_world_t *world, player_state_t *player) {
    const bounds_t box = {VectorAdd(player->origin, player->mins),
                          VectorAdd(player->origin, player->maxs)};
    if (world->own_solid != SOLID_NOT && MoveType_IsPushed(player->movetype) &&
        Client_TouchPads(world, box, &player->velocity)) {
        player->flags &= ~PMF_ONGROUND;
        player->groundentity = -1;
    }
}

// ---- a tick of the pushers ----

// Moves the solids from one time to another, but at most to a corner between both. Returns true if
// one stopped at a corner.
static bool move_solids(cl_world_t *world, int64_t from_ms, int64_t to_ms) {
    const float dt = (float)Ticks_LengthMs(world->rate_mhz, world->tick - 1) / 1000.0f;
    bool stops = false;
    for (int32_t i = 0; i < world->count; i++) {
        cl_solid_t *solid = &world->list[i];
        if (solid->is_fixed) {
            continue;
        }
        stops |= first_stop(solid, from_ms, to_ms) < to_ms;
        solid->before = solid->pose;
        solid->pose = pose_in_world(world, i, from_ms, to_ms);
        solid->is_moved = !VectorCompare(solid->before.origin, solid->pose.origin) ||
                          !VectorCompare(solid->before.angles, solid->pose.angles);
        if (solid->is_moved) {
            PM_AddPusherSpeed(solid->before, solid->pose, dt, &solid->velocity, &solid->avelocity);
        }
    }
    return stops;
}

static void clear_speeds(cl_world_t *world) {
    for (int32_t i = 0; i < world->count; i++) {
        world->list[i].velocity = world->list[i].avelocity = vec3_zero;
    }
}

// ---- pushers and the player ----

static trace_t push_trace_map(void *context, const pm_pushed_t *box, vec3_t start, vec3_t end) {
    const cl_world_t *world = context;
    const cm_object_t map = {.model = 0, .solids = world->vars->sv_solids};
    return CM_BoxTrace(world->map, &map, start, end, box->mins, box->maxs);
}

// Sweeps a box against list[index].
static trace_t push_trace_part(void *context, int32_t index, const pm_pushed_t *box, vec3_t start,
                               vec3_t end) {
    const cl_world_t *world = context;
    return trace_solid(world, &world->list[index], (bounds_t){box->mins, box->maxs}, start, end);
}

static bool push_is_free(void *context, const pm_pushed_t *box, vec3_t origin) {
    return !trace_world(context, origin, box->mins, box->maxs, origin).startsolid;
}

pm_push_world_t Client_WorldForPush(cl_world_t *world) {
    return (pm_push_world_t){world, push_trace_map, push_trace_part, push_is_free};
}

static pm_pushed_t pushed_at(const player_state_t *player, vec3_t origin) {
    return (pm_pushed_t){.origin = origin, .mins = player->mins, .maxs = player->maxs};
}

// Carries the player with its ground. Returns true if the new position is free.
static bool carry(const pm_push_world_t *push, int32_t ground, player_state_t *player) {
    const cl_world_t *world = push->context;
    const cl_solid_t *solid = &world->list[ground];
    const pm_carry_t motion = PM_Carry(solid->before, solid->pose);
    pm_pushed_t box = pushed_at(player, player->origin);
    PM_CarryPlayer(&motion, player);
    player->origin = PM_PushThroughMap(push, &box, player->origin, NULL);
    box.origin = player->origin;
    bool is_free = push_is_free(push->context, &box, box.origin) ||
                   PM_RaiseOnto(push, &box, ground, &player->origin);
    if (is_free && motion.is_tilted) {
        box.origin = player->origin;
        (void)PM_LowerOnto(push, &box, ground, &player->origin);
    }
    return is_free;
}

static void push_away(const pm_push_world_t *push, int32_t index, player_state_t *player) {
    const cl_world_t *world = push->context;
    const cl_solid_t *solid = &world->list[index];
    const pm_carry_t motion = PM_Carry(solid->before, solid->pose);
    pm_pushed_t box = pushed_at(player, player->origin);
    vec3_t to;
    if (!PM_PushAway(push, &box, index, &motion, &to)) {
        return;
    }
    box.origin = player->origin = PM_PushThroughMap(push, &box, to, NULL);
    if (!push_is_free(push->context, &box, box.origin)) {
        (void)PM_RaiseOnto(push, &box, index, &player->origin);
    }
}

// Updates boxes of moved pushers, and finds paths near the player.
static void find_near(cl_world_t *world, const player_state_t *player) {
    vec3_t at = player->origin;
    bounds_t around = BoundsOfSweep(at, at, player->mins, player->maxs, CL_PUSH_MARGIN);
    for (int32_t i = 0; i < world->count; i++) {
        cl_solid_t *solid = &world->list[i];
        solid->is_near = false;
        if (solid->is_moved) {
            bounds_t was = solid->box;
            find_box(world, solid);
            solid->path = BoundsUnion(was, solid->box);
            solid->is_near = Client_Stops(world, solid) && BoundsTouch(solid->path, around);
        }
    }
}

// Returns the last pusher of a solid's chain.
static const cl_solid_t *root_of(const cl_world_t *world, const cl_solid_t *solid) {
    for (int32_t i = 0; i < CL_MAX_RIDING && solid->parent >= 0; i++) {
        solid = &world->list[solid->parent];
    }
    return solid;
}

// Lets the pushers that moved carry and push the player.
static void push_player(cl_world_t *world, player_state_t *player) {
    if (player->pm_type == PM_SPECTATOR || !MoveType_IsPushed(player->movetype)) {
        return;
    }
    const pm_push_world_t push = Client_WorldForPush(world);
    const cl_solid_t *ground = player->flags & PMF_ONGROUND && player->groundentity > 0
                                   ? Client_FindSolid(world, player->groundentity)
                                   : NULL;
    const vec3_t start = player->origin;
    const cl_solid_t *root = NULL; // root of the pusher that carried the player to a free position
    if (ground && ground->is_moved && ground->is_near &&
        carry(&push, (int32_t)(ground - world->list), player)) {
        root = root_of(world, ground);
    }
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *solid = &world->list[i];
        if (solid->is_near && solid != ground && root_of(world, solid) != root) {
            push_away(&push, i, player);
        }
    }
    if (!VectorCompare(start, player->origin)) {
        Client_WorldTouch(world, player);
    }
}

static void push_all(cl_world_t *world, player_state_t *player) {
    find_near(world, player);
    Client_CarryCrates(world);
    push_player(world, player);
    Client_PushCrates(world, player);
}

void Client_WorldNextTick(cl_world_t *world, player_state_t *player) {
    if (world->has_run) {
        Client_RunCrates(world, player);
    }
    world->has_run = true;
    const int64_t from_ms = Ticks_EndMs(world->rate_mhz, world->tick);
    const int64_t to_ms = Ticks_EndMs(world->rate_mhz, ++world->tick);
    clear_speeds(world);
    bool is_at_corner = move_solids(world, from_ms, to_ms);
    push_all(world, player);
    if (is_at_corner) { // as on the server: one push to the corner, one beyond
        (void)move_solids(world, to_ms, to_ms);
        push_all(world, player);
    }
}
