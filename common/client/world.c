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
    const leg_t leg = {.wait_ms = state->next_wait_ms,
                       .duration_ms = state->next_duration_ms,
                       .delta = state->next_delta,
                       .delta_angles = state->next_delta_angles,
                       .bend = state->next_bend};
    return PM_NextMotion(motion, &leg);
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

bool Client_HasCorner(const cl_solid_t *solid, int64_t from_ms, int64_t to_ms) {
    const int64_t corner_ms = solid->next.start_ms;
    return solid->next.kind != MOTION_NONE && corner_ms > from_ms && corner_ms <= to_ms;
}

static link_t link_of(const cl_solid_t *solid, int64_t from_ms, int64_t to_ms) {
    if (Client_HasCorner(solid, from_ms, to_ms)) {
        return (link_t){solid->motion, solid->next.start_ms};
    }
    return (link_t){has_begun(&solid->next, to_ms) ? solid->next : solid->motion, to_ms};
}

pose_t Client_PoseInWorld(const cl_world_t *world, int32_t index, int64_t from_ms, int64_t to_ms) {
    link_t chain[CL_MAX_RIDING];
    int32_t length = 0;
    for (int32_t at = index; at >= 0 && length < CL_MAX_RIDING; at = world->list[at].parent) {
        chain[length++] = link_of(&world->list[at], from_ms, to_ms);
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

void Client_FindBox(const cl_world_t *world, cl_solid_t *solid) {
    const pose_t *pose = &solid->pose;
    if (is_brush(world, solid)) {
        const bounds_t bounds = CM_ModelBounds(world->map, solid->model);
        solid->box = CM_TurnedBounds(pose->origin, pose->angles, bounds.mins, bounds.maxs);
    } else {
        solid->box = (bounds_t){VectorAdd(pose->origin, solid->shape.mins),
                                VectorAdd(pose->origin, solid->shape.maxs)};
    }
    solid->linked = PM_LinkedBox(solid->box);
}

// ---- from a snapshot ----

// The player's own vehicle follows it, and is solid when the player gets out.
static bool is_listed(const entity_state_t *state, int32_t own) {
    if (state->motion == ENTITY_FOLLOWS) { // its place is an offset, so it must not stop anything
        return state->parent == own && (state->duration_ms & ENTITY_LOOSE_VEHICLE) &&
               state->solid <= SOLID_TRIGGER && state->contents == 0;
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
        solid->ground = state->ground;
    } else {
        solid->motion = Entity_Motion(state);
        solid->next = next_of(state, &solid->motion);
        solid->is_fixed = solid->motion.kind == MOTION_NONE && solid->motion.parent == 0;
    }
}

const cl_solid_t *Client_FindSolid(const cl_world_t *world, int32_t number) {
    int32_t first = 0;
    int32_t end = world->count;
    while (first < end) {
        const int32_t middle = (first + end) / 2;
        if (world->list[middle].number < number) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < world->count && world->list[first].number == number ? &world->list[first] : NULL;
}

static void find_parents(cl_world_t *world) {
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *parent = Client_FindSolid(world, world->list[i].motion.parent);
        world->list[i].parent = parent ? (int32_t)(parent - world->list) : -1;
    }
}

// Returns the index of the last pusher of a solid's chain.
static int32_t root_of(const cl_world_t *world, int32_t index) {
    for (int32_t i = 0; i < CL_MAX_RIDING && world->list[index].parent >= 0; i++) {
        index = world->list[index].parent;
    }
    return index;
}

// Links the solids that move as one, by rising number, to the list of their root.
static void find_sets(cl_world_t *world) {
    for (int32_t i = 0; i < world->count; i++) {
        world->list[i].first_of_set = world->list[i].next_of_set = -1;
    }
    for (int32_t i = world->count - 1; i >= 0; i--) {
        cl_solid_t *root = &world->list[root_of(world, i)];
        if (!world->list[i].is_fixed) {
            world->list[i].next_of_set = root->first_of_set;
            root->first_of_set = i;
        }
    }
}

void Client_WorldSet(cl_world_t *world, const snapshot_ring_t *ring, int64_t tick, int32_t own,
                     vec3_t own_origin) {
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    int32_t count = SnapshotRing_Entities(ring, tick, list, NULL);
    CM_CacheBegin(&world->cache, world->map, world->vars->sv_solids);
    world->tick = tick;
    world->count = 0;
    world->has_pushers = world->has_run = false;
    world->num_crates = world->left_out = 0;
    world->own = world->passed = own;
    world->own_origin = own_origin;
    const entity_state_t *self = SnapshotRing_Record(ring, tick, own, NULL);
    world->own_solid = self ? self->solid : SOLID_NOT;
    for (int32_t i = 0; i < count; i++) {
        if (is_listed(list[i], own)) {
            entity_state_t moved;
            add(world, SnapshotRing_Record(ring, tick, list[i]->number, &moved));
        }
    }
    Client_NumberCrates(world);
    find_parents(world);
    find_sets(world);
    for (int32_t i = 0; i < world->count; i++) {
        cl_solid_t *solid = &world->list[i];
        const int64_t now_ms = Ticks_EndMs(world->rate_mhz, tick);
        solid->pose = Client_PoseInWorld(world, i, now_ms, now_ms);
        solid->before = solid->pose;
        world->has_pushers = world->has_pushers || !solid->is_fixed;
        Client_FindBox(world, solid);
    }
}

// ---- the world for pmove ----

trace_t Client_TraceSolid(const cl_world_t *world, const cl_solid_t *solid, bounds_t box,
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

// Sweeps a box through the map and what stops it: brush models only, or all but the entity that is
// passed.
static pm_nearest_t sweep(cl_world_t *world, vec3_t start, vec3_t end, bounds_t box,
                          bool brushes_only) {
    const bounds_t around = BoundsOfSweep(start, end, box.mins, box.maxs, PM_SWEEP_MARGIN);
    const trace_t trace = CM_CacheTrace(&world->cache, start, end, box.mins, box.maxs);
    pm_nearest_t hits = PM_NearestBegin(end, trace.contents);
    PM_NearestAdd(&hits, trace, 0);
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *solid = &world->list[i];
        const bool is_met =
            brushes_only ? solid->solid == SOLID_BSP : solid->number != world->passed;
        if (is_met && BoundsTouch(solid->linked, around) && Client_Stops(world, solid)) {
            PM_NearestAdd(&hits, Client_TraceSolid(world, solid, box, start, end), solid->number);
        }
    }
    return hits;
}

static trace_t trace_world(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    cl_world_t *world = context;
    const bounds_t around = BoundsOfSweep(start, end, mins, maxs, PM_SWEEP_MARGIN);
    pm_nearest_t hits = sweep(world, start, end, (bounds_t){mins, maxs}, false);
    if (world->passed != world->own && world->own_solid > SOLID_TRIGGER &&
        BoundsTouch(PM_LinkedBox(world->own_box), around)) {
        PM_NearestAdd(&hits, CM_BoxBoxTrace(world->own_box, start, end, mins, maxs), world->own);
    }
    return PM_NearestResult(&hits);
}

static trace_t trace_brushes(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const pm_nearest_t hits = sweep(context, start, end, (bounds_t){mins, maxs}, true);
    return PM_NearestResult(&hits);
}

static bool is_volume(const cl_solid_t *solid) {
    return Contents_IsVolume(solid->contents);
}

static contents_t contents_of_world(void *context, vec3_t point) {
    cl_world_t *world = context;
    const bounds_t at = {point, point};
    contents_t contents = CM_CacheContents(&world->cache, point);
    contents_t volume = CONTENTS_EMPTY;
    for (int32_t i = 0; i < world->count && contents != CONTENTS_SOLID; i++) {
        const cl_solid_t *solid = &world->list[i];
        bool is_solid = solid->solid == SOLID_BSP;
        if ((!is_solid && !is_volume(solid)) || !is_brush(world, solid) ||
            !BoundsTouch(solid->linked, at)) {
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
        if (!is_volume(solid) || !is_brush(world, solid) || !BoundsTouch(solid->linked, box)) {
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
        if (!BoundsTouch(solid->linked, box) || !Client_Stops(world, solid)) {
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

// ---- push pads and controls ----

cl_solid_t *Client_FindControls(cl_world_t *world, int32_t contents, int32_t pusher, vec3_t at) {
    for (int32_t i = 0; i < world->count; i++) {
        cl_solid_t *solid = &world->list[i];
        if (solid->contents != contents || solid->motion.parent != pusher ||
            !is_brush(world, solid)) {
            continue;
        }
        const cm_object_t object = object_of(world, solid);
        if (CM_BoxTouches(world->map, &object, at, vec3_zero, vec3_zero)) {
            return solid;
        }
    }
    return NULL;
}

static bool touches(const cl_world_t *world, const cl_solid_t *pad, bounds_t box) {
    const cm_object_t object = object_of(world, pad);
    return is_brush(world, pad) && BoundsTouch(pad->linked, box) &&
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
