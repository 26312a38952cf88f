#include "client/world.h"

#include "math/angles.h"
#include "proto/entity_fields.h"
#include "state/movetype.h"

#define LINK_MARGIN  3.0f  // qu; the server looks so far around a pusher for what is in its way
#define RAISE_HEIGHT 18.0f // qu; what tilts into the player lifts him by at most so much

static vec3_t from_wire(const int32_t v[3]) {
    const float scale = 1.0f / (float)ENTITY_ORIGIN_SCALE;
    return Vector((float)v[0] * scale, (float)v[1] * scale, (float)v[2] * scale);
}

// ---- poses ----

int32_t Client_FindEntity(const entity_state_t *const *list, int32_t count, int32_t number) {
    int32_t lo = 0;
    int32_t hi = count;
    while (lo < hi) {
        int32_t middle = (lo + hi) / 2;
        if (list[middle]->number < number) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < count && list[lo]->number == number ? lo : -1;
}

bool Client_PoseOfRecord(const entity_state_t *const *list, int32_t count, int32_t index,
                         int64_t time_ms, pose_t *pose) {
    int32_t chain[CL_MAX_RIDING];
    int32_t length = 0;
    if (list[index]->motion == ENTITY_NO_MOTION) {
        return false;
    }
    int32_t at = index;
    while (at >= 0 && list[at]->motion != ENTITY_NO_MOTION && length < CL_MAX_RIDING) {
        chain[length++] = at;
        at = list[at]->parent > 0 ? Client_FindEntity(list, count, list[at]->parent) : -1;
    }
    bool is_circle = length == CL_MAX_RIDING;
    for (int32_t i = is_circle ? 0 : length - 1; i >= 0; i--) {
        motion_t motion = Entity_Motion(list[chain[i]]);
        bool rides = !is_circle && i < length - 1;
        *pose = PM_PusherPose(&motion, time_ms, rides ? pose : NULL);
    }
    return true;
}

static pose_t pose_in_world(const cl_world_t *world, int32_t index, int64_t time_ms) {
    int32_t chain[CL_MAX_RIDING];
    int32_t length = 0;
    for (int32_t at = index; at >= 0 && length < CL_MAX_RIDING; at = world->list[at].parent) {
        chain[length++] = at;
    }
    bool is_circle = length == CL_MAX_RIDING;
    pose_t pose = {0};
    for (int32_t i = is_circle ? 0 : length - 1; i >= 0; i--) {
        bool rides = !is_circle && i < length - 1;
        pose = PM_PusherPose(&world->list[chain[i]].motion, time_ms, rides ? &pose : NULL);
    }
    return pose;
}

static bool is_brush(const cl_world_t *world, const cl_solid_t *solid) {
    return solid->model >= 1 && solid->model < world->map->num_models;
}

static cm_place_t place_of(const cl_world_t *world, const cl_solid_t *solid) {
    return (cm_place_t){.model = solid->model,
                        .solids = world->vars->sv_solids,
                        .origin = solid->pose.origin,
                        .angles = solid->pose.angles};
}

static void find_box(const cl_world_t *world, cl_solid_t *solid) {
    const pose_t *pose = &solid->pose;
    if (is_brush(world, solid)) {
        const bounds_t *bounds = &world->map->models[solid->model].bounds;
        solid->box = CM_TurnedBounds(pose->origin, pose->angles, bounds->mins, bounds->maxs);
    } else {
        solid->box = (bounds_t){VectorAdd(pose->origin, solid->shape.mins),
                                VectorAdd(pose->origin, solid->shape.maxs)};
    }
}

// ---- from a snapshot ----

static bool is_met(const entity_state_t *state, int32_t own) {
    if (state->number == own) {
        return false;
    }
    return state->motion != ENTITY_NO_MOTION ||
           (state->type != ENTITY_PROJECTILE && state->solid >= SOLID_BBOX);
}

static void add(cl_world_t *world, const entity_state_t *state) {
    cl_solid_t *solid = &world->list[world->count++];
    *solid = (cl_solid_t){.number = state->number,
                          .solid = state->solid,
                          .model = state->solid == SOLID_BSP || state->contents ? state->model : 0,
                          .contents = state->contents,
                          .parent = -1,
                          .is_fixed = true,
                          .shape = {from_wire(state->mins), from_wire(state->maxs)},
                          .surface_velocity = state->surface_velocity,
                          .friction = state->friction};
    if (state->motion == ENTITY_NO_MOTION) {
        solid->motion.base.origin = from_wire(state->origin);
    } else {
        solid->motion = Entity_Motion(state);
        solid->is_fixed = solid->motion.kind == MOTION_NONE && solid->motion.parent == 0;
    }
}

static void find_parents(cl_world_t *world, const entity_state_t *const *met) {
    for (int32_t i = 0; i < world->count; i++) {
        if (world->list[i].motion.parent > 0) {
            world->list[i].parent =
                Client_FindEntity(met, world->count, world->list[i].motion.parent);
        }
    }
}

void Client_WorldSet(cl_world_t *world, const snapshot_ring_t *ring, int64_t tick, int32_t own) {
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    const entity_state_t *met[MAX_SNAPSHOT_ENTS];
    int32_t count = SnapshotRing_Entities(ring, tick, list);
    CM_GatherBegin(&world->gather, world->map, world->vars->sv_solids);
    world->tick = tick;
    world->count = 0;
    world->has_pushers = false;
    for (int32_t i = 0; i < count; i++) {
        if (is_met(list[i], own)) {
            met[world->count] = list[i];
            add(world, list[i]);
        }
    }
    find_parents(world, met);
    for (int32_t i = 0; i < world->count; i++) {
        cl_solid_t *solid = &world->list[i];
        solid->pose = pose_in_world(world, i, tick * world->tick_ms);
        solid->before = solid->pose;
        world->has_pushers = world->has_pushers || !solid->is_fixed;
        find_box(world, solid);
    }
}

// ---- what pmove asks ----

// The nearer one; at the same distance what the sweep starts in, then the lower number (the first
// one asked). The server decides the same way.
static void take_nearer(trace_t *nearest, const trace_t *next, int32_t number) {
    bool is_hit = next->fraction < 1.0f || next->startsolid;
    bool is_solid_first = next->startsolid && !nearest->startsolid;
    if (is_hit && (next->fraction < nearest->fraction ||
                   (next->fraction == nearest->fraction && is_solid_first))) {
        *nearest = *next;
        nearest->entnum = number;
    }
}

static trace_t trace_solid(const cl_world_t *world, const cl_solid_t *solid, vec3_t start,
                           const bounds_t *box, vec3_t end) {
    if (solid->solid == SOLID_BSP) {
        const cm_place_t place = place_of(world, solid);
        return CM_BoxTrace(world->map, &place, start, end, box->mins, box->maxs);
    }
    return CM_BoxBoxTrace(solid->box, start, end, box->mins, box->maxs);
}

static bool stops(const cl_world_t *world, const cl_solid_t *solid) {
    return solid->solid == SOLID_BSP ? is_brush(world, solid) : solid->solid > SOLID_TRIGGER;
}

static trace_t trace_world(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    cl_world_t *world = context;
    const bounds_t swept = {mins, maxs};
    const bounds_t around = BoundsOfSweep(start, end, mins, maxs, 1.0f);
    const trace_t first = CM_GatherTrace(&world->gather, start, end, mins, maxs);
    trace_t nearest = {
        .fraction = 1.0f, .endpos = end, .contents = first.contents, .entnum = TRACE_NOTHING};
    bool startsolid = first.startsolid;
    take_nearer(&nearest, &first, 0);
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *solid = &world->list[i];
        if (!BoundsTouch(solid->box, around) || !stops(world, solid)) {
            continue;
        }
        trace_t trace = trace_solid(world, solid, start, &swept, end);
        startsolid = startsolid || trace.startsolid;
        take_nearer(&nearest, &trace, solid->number);
    }
    nearest.startsolid = startsolid;
    return nearest;
}

static contents_t contents_of_world(void *context, vec3_t point) {
    const cl_world_t *world = context;
    const bounds_t at = {point, point};
    const vec3_t none = {0.0f, 0.0f, 0.0f};
    contents_t contents = CM_GatherContents(&world->gather, point);
    contents_t volume = CONTENTS_EMPTY;
    for (int32_t i = 0; i < world->count && contents != CONTENTS_SOLID; i++) {
        const cl_solid_t *solid = &world->list[i];
        bool is_solid = solid->solid == SOLID_BSP;
        if ((!is_solid && solid->contents == 0) || !is_brush(world, solid) ||
            !BoundsTouch(solid->box, at)) {
            continue;
        }
        const cm_place_t place = place_of(world, solid);
        if (is_solid && CM_Contents(world->map, &place, point) == CONTENTS_SOLID) {
            contents = CONTENTS_SOLID;
        } else if (!is_solid && volume == CONTENTS_EMPTY &&
                   CM_BoxTouches(world->map, &place, point, none, none)) {
            volume = (contents_t)solid->contents;
        }
    }
    return contents == CONTENTS_EMPTY ? volume : contents;
}

static const cl_solid_t *find_solid(const cl_world_t *world, int32_t number) {
    int32_t lo = 0;
    int32_t hi = world->count;
    while (lo < hi) {
        int32_t middle = (lo + hi) / 2;
        if (world->list[middle].number < number) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < world->count && world->list[lo].number == number ? &world->list[lo] : NULL;
}

static pm_volume_t volumes_of_world(void *context, vec3_t absmin, vec3_t absmax) {
    const cl_world_t *world = context;
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    const bounds_t box = {absmin, absmax};
    pm_volume_t volume = {.ladder = false};
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *solid = &world->list[i];
        if (solid->contents == 0 || !is_brush(world, solid) || !BoundsTouch(solid->box, box)) {
            continue;
        }
        const cm_place_t place = place_of(world, solid);
        if (!CM_BoxTouches(world->map, &place, zero, absmin, absmax)) {
            continue;
        }
        volume.current = VectorAdd(volume.current, solid->surface_velocity);
        if (solid->contents == CONTENTS_LADDER && !volume.ladder) {
            volume.ladder = true;
            volume.ladder_normal = CM_LadderNormal(world->map, &place, box);
        }
    }
    if (!volume.ladder) {
        volume.ladder = CM_WorldLadder(world->map, box, &volume.ladder_normal);
    }
    return volume;
}

static pm_surface_t surface_of_world(void *context, int32_t entnum, vec3_t at) {
    const cl_solid_t *solid = find_solid(context, entnum);
    if (!solid) {
        return (pm_surface_t){.friction = 0.0f};
    }
    pm_surface_t surface = {.velocity = solid->surface_velocity, .friction = solid->friction};
    if (!solid->is_fixed) {
        surface.moving_at = PM_PusherVelocity(solid->pose, solid->velocity, solid->avelocity, at);
    }
    return surface;
}

static void gather_map(void *context, vec3_t origin, vec3_t mins, vec3_t maxs) {
    cl_world_t *world = context;
    CM_Gather(&world->gather, world->map, world->vars->sv_solids, origin, mins, maxs);
}

pm_world_t Client_WorldForMove(cl_world_t *world) {
    return (pm_world_t){.context = world,
                        .trace = trace_world,
                        .point_contents = contents_of_world,
                        .gather = gather_map,
                        .volume = volumes_of_world,
                        .surface = surface_of_world};
}

// ---- a tick of the pushers ----

static float turn_speed(float from, float to, float dt) {
    float turn = to - from;
    return (fabsf(turn) <= 180.0f ? turn : AngleNormalize180(turn)) / dt;
}

static void move_solids(cl_world_t *world) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    const float dt = (float)world->tick_ms / 1000.0f;
    int64_t time_ms = world->tick * world->tick_ms;
    for (int32_t i = 0; i < world->count; i++) {
        cl_solid_t *solid = &world->list[i];
        if (solid->is_fixed) {
            continue;
        }
        solid->before = solid->pose;
        solid->pose = pose_in_world(world, i, time_ms);
        const pose_t *from = &solid->before;
        const pose_t *to = &solid->pose;
        solid->is_moved =
            !VectorCompare(from->origin, to->origin) || !VectorCompare(from->angles, to->angles);
        vec3_t way = VectorSubtract(to->origin, from->origin);
        solid->velocity = VectorMA(zero, 1.0f / dt, way);
        solid->avelocity = Vector(turn_speed(from->angles.x, to->angles.x, dt),
                                  turn_speed(from->angles.y, to->angles.y, dt),
                                  turn_speed(from->angles.z, to->angles.z, dt));
    }
}

// As far as the map lets him.
static void put_through_map(const cl_world_t *world, player_state_t *player, vec3_t from,
                            vec3_t to) {
    const cm_place_t map = {.model = 0, .solids = world->vars->sv_solids};
    trace_t trace = CM_BoxTrace(world->map, &map, from, to, player->mins, player->maxs);
    player->origin = trace.fraction < 1.0f && !trace.startsolid ? trace.endpos : to;
}

static bool is_free(const cl_world_t *world, const player_state_t *player, vec3_t origin) {
    trace_t trace =
        trace_world((void *)(uintptr_t)world, origin, player->mins, player->maxs, origin);
    return !trace.startsolid;
}

// The ground under him tilted: up onto it.
static void raise(const cl_world_t *world, player_state_t *player, const cl_solid_t *ground) {
    const bounds_t box = {player->mins, player->maxs};
    if (is_free(world, player, player->origin)) {
        return;
    }
    vec3_t up = VectorAdd(player->origin, Vector(0.0f, 0.0f, RAISE_HEIGHT));
    trace_t trace = trace_solid(world, ground, up, &box, player->origin);
    if (!trace.startsolid && trace.fraction < 1.0f && is_free(world, player, trace.endpos)) {
        player->origin = trace.endpos;
    }
}

static void carry(const cl_world_t *world, const cl_solid_t *ground, player_state_t *player) {
    const pm_carry_t motion = PM_Carry(ground->before, ground->pose);
    vec3_t from = player->origin;
    PM_CarryPlayer(&motion, player);
    put_through_map(world, player, from, player->origin);
    raise(world, player, ground);
}

// Swept back from where the pusher's rigid motion takes him: he is pushed just so far that it
// touches him.
static void push_away(const cl_world_t *world, const cl_solid_t *solid, player_state_t *player) {
    const pm_carry_t motion = PM_Carry(solid->before, solid->pose);
    const bounds_t box = {player->mins, player->maxs};
    vec3_t from = player->origin;
    vec3_t carried = PM_CarryPoint(&motion, from);
    vec3_t beyond = VectorAdd(carried, VectorNormalize(VectorSubtract(carried, from), NULL));
    trace_t trace = trace_solid(world, solid, beyond, &box, from);
    if ((trace.fraction >= 1.0f && !trace.startsolid) ||
        (trace.startsolid && is_free(world, player, from))) {
        return;
    }
    put_through_map(world, player, from, trace.startsolid ? carried : trace.endpos);
}

// Notes which pushers come near the player on their way, and where they are now.
static void find_near(cl_world_t *world, const player_state_t *player) {
    vec3_t at = player->origin;
    bounds_t around = BoundsOfSweep(at, at, player->mins, player->maxs, LINK_MARGIN);
    for (int32_t i = 0; i < world->count; i++) {
        cl_solid_t *solid = &world->list[i];
        solid->is_near = false;
        if (solid->is_moved) {
            bounds_t was = solid->box;
            find_box(world, solid);
            solid->is_near =
                stops(world, solid) && BoundsTouch(BoundsUnion(was, solid->box), around);
        }
    }
}

// What they ride on in the end.
static const cl_solid_t *root_of(const cl_world_t *world, const cl_solid_t *solid) {
    for (int32_t i = 0; i < CL_MAX_RIDING && solid->parent >= 0; i++) {
        solid = &world->list[solid->parent];
    }
    return solid;
}

void Client_WorldNextTick(cl_world_t *world, player_state_t *player) {
    world->tick++;
    move_solids(world);
    find_near(world, player);
    if (player->pm_type == PM_SPECTATOR) {
        return;
    }
    const cl_solid_t *ground = player->flags & PMF_ONGROUND && player->groundentity > 0
                                   ? find_solid(world, player->groundentity)
                                   : NULL;
    const cl_solid_t *root = NULL; // of what carried him and left him free
    if (ground && ground->is_moved && ground->is_near) {
        carry(world, ground, player);
        root = is_free(world, player, player->origin) ? root_of(world, ground) : NULL;
    }
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *solid = &world->list[i];
        if (solid->is_near && solid != ground && root_of(world, solid) != root) {
            push_away(world, solid, player);
        }
    }
}
