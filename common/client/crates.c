/// client/crates.c - crates and vehicles without driver in the world of prediction: shoved by the
/// player, moved by the tick.
//
// Source:  server/physics: step.c, crate.c, ground.c, push.c; server/world/link.c.
// Not predicted: a crate that other edicts than crates and pushers push, or that the game moves;
//          and a pusher that cannot push a crate away.

#include "client/world_local.h"

#include "move/loose.h"
#include "move/meet.h"
#include "proto/entity_fields.h"
#include "state/contents.h"
#include "state/ticks.h"

#define MARGIN    1.0f // qu; the server's linked boxes are larger by this on all sides
#define MAX_STACK 16   // crates on crates that a pusher carries

// ---- from a snapshot ----

void Client_AddCrate(cl_world_t *world, const entity_state_t *state) {
    cl_solid_t *solid = &world->list[world->count - 1];
    const bool is_driven = state->motion == ENTITY_FOLLOWS;
    const bool is_vehicle = (state->duration_ms & ENTITY_LOOSE_VEHICLE) != 0;
    if (world->num_crates == CL_MAX_CRATES || solid->solid == SOLID_BSP ||
        (solid->solid > SOLID_TRIGGER) == is_driven) {
        return; // stays where it is
    }
    solid->crate = ++world->num_crates;
    cl_crate_t *crate = &world->crates[solid->crate - 1];
    *crate = (cl_crate_t){.index = world->count - 1,
                          .carries = (state->duration_ms & ENTITY_LOOSE_CARRIES) != 0,
                          .is_vehicle = is_vehicle,
                          .yaw = state->base.angles.y,
                          .body = {.origin = state->base.origin,
                                   .velocity = state->delta,
                                   .mins = solid->shape.mins,
                                   .maxs = solid->shape.maxs,
                                   .gravity = state->bend.x,
                                   .friction = state->friction,
                                   .ground = -1,
                                   .is_crate = !is_vehicle}};
    if (state->duration_ms & ENTITY_LOOSE_STANDS) {
        crate->body.ground = state->parent;
    }
}

static cl_crate_t *find_crate(cl_world_t *world, int32_t number) {
    const cl_solid_t *solid = number > 0 ? Client_FindSolid(world, number) : NULL;
    return solid && solid->crate > 0 ? &world->crates[solid->crate - 1] : NULL;
}

static int32_t number_of(const cl_world_t *world, const cl_crate_t *crate) {
    return world->list[crate->index].number;
}

// ---- ground ----

static bounds_t widened(bounds_t box) {
    return BoundsOfSweep(vec3_zero, vec3_zero, box.mins, box.maxs, MARGIN);
}

static void set_ground(cl_world_t *world, cl_crate_t *crate, int32_t ground) {
    cl_crate_t *below = find_crate(world, ground);
    crate->body.ground = ground;
    if (below) {
        below->carries = true;
    }
}

// Takes the ground from what rests on a crate that moved from `was`.
static void wake_riders(cl_world_t *world, cl_crate_t *crate, player_state_t *player) {
    const int32_t number = number_of(world, crate);
    if (!crate->carries) {
        return;
    }
    crate->carries = false;
    for (int32_t i = 0; i < world->num_crates; i++) {
        pm_loose_t *body = &world->crates[i].body;
        body->ground = body->ground == number ? -1 : body->ground;
    }
    if (player->flags & PMF_ONGROUND && player->groundentity == number) {
        player->flags &= ~PMF_ONGROUND;
        player->groundentity = -1;
    }
}

// Puts the solid where the body is. Returns true if it moved.
static bool link_crate(cl_world_t *world, const cl_crate_t *crate) {
    cl_solid_t *solid = &world->list[crate->index];
    const bounds_t was = solid->box;
    solid->pose.origin = crate->body.origin;
    solid->box = (bounds_t){VectorAdd(crate->body.origin, crate->body.mins),
                            VectorAdd(crate->body.origin, crate->body.maxs)};
    return !VectorCompare(was.mins, solid->box.mins) || !VectorCompare(was.maxs, solid->box.maxs);
}

bool Client_CrateIsSolid(const cl_world_t *world, const cl_crate_t *crate) {
    return world->list[crate->index].solid > SOLID_TRIGGER;
}

void Client_PutCrate(cl_world_t *world, cl_crate_t *crate, bool is_solid, player_state_t *player) {
    world->list[crate->index].solid = is_solid ? SOLID_BBOX : SOLID_NOT;
    (void)link_crate(world, crate);
    wake_riders(world, crate, player);
}

static void touch_pads(cl_world_t *world, cl_crate_t *crate) {
    vec3_t velocity;
    if (Client_TouchPads(world, world->list[crate->index].box, &velocity)) {
        crate->body.velocity = velocity;
        crate->body.ground = -1;
    }
}

// Returns true if the ground still supports the crate, or the snapshot lacks it.
static bool is_supported(const cl_world_t *world, const pm_loose_t *body) {
    if (body->ground == world->own) {
        return world->own_solid > SOLID_TRIGGER;
    }
    const cl_solid_t *ground = body->ground > 0 ? Client_FindSolid(world, body->ground) : NULL;
    return body->ground >= 0 && (!ground || ground->solid > SOLID_TRIGGER);
}

// ---- a tick ----

static vec3_t carried_by_ground(const cl_world_t *world, const pm_loose_t *body) {
    const cl_solid_t *ground = body->ground > 0 ? Client_FindSolid(world, body->ground) : NULL;
    return ground ? VectorClamp(ground->surface_velocity, world->vars->sv_maxvelocity) : vec3_zero;
}

static bool rests(const cl_world_t *world, const pm_loose_t *body) {
    return body->ground >= 0 && VectorCompare(body->velocity, vec3_zero) &&
           VectorCompare(carried_by_ground(world, body), vec3_zero);
}

static void run_crate(cl_world_t *world, cl_crate_t *crate, player_state_t *player) {
    pm_loose_t *body = &crate->body;
    if (!Client_CrateIsSolid(world, crate) || !VectorWithin(body->origin, MAX_WORLD_COORD)) {
        return;
    }
    body->velocity = VectorClamp(body->velocity, world->vars->sv_maxvelocity);
    body->ground = is_supported(world, body) ? body->ground : -1;
    if (rests(world, body)) {
        return;
    }
    const pm_world_t move = Client_WorldForMove(world);
    const pm_loose_run_t run = {.world = &move,
                                .vars = world->vars,
                                .dt = (float)Ticks_LengthMs(world->rate_mhz, world->tick - 1) /
                                      1000.0f};
    PM_FindWater(body, &move);
    const int32_t had_ground = body->ground;
    PM_LooseForces(body, &run);
    const vec3_t by_ground = carried_by_ground(world, body);
    if (PM_LooseMove(body, had_ground, by_ground, &run) == PM_LOOSE_MOVED) {
        if (link_crate(world, crate)) {
            wake_riders(world, crate, player);
        }
        touch_pads(world, crate);
    }
    set_ground(world, crate, body->ground);
}

// Makes traces those of a crate among other edicts.
static void begin_as(cl_world_t *world, const cl_crate_t *crate, const player_state_t *player) {
    world->passed = number_of(world, crate);
    world->own_box = (bounds_t){VectorAdd(player->origin, player->mins),
                                VectorAdd(player->origin, player->maxs)};
}

static void end_as(cl_world_t *world) {
    world->passed = world->own;
}

void Client_RunCrates(cl_world_t *world, player_state_t *player) {
    for (int32_t i = 0; i < world->num_crates; i++) {
        begin_as(world, &world->crates[i], player);
        run_crate(world, &world->crates[i], player);
        end_as(world);
    }
}

// ---- the player ----

void Client_ShoveCrates(cl_world_t *world, player_state_t *player, const usercmd_t *cmd,
                        const pm_touch_t *touch) {
    const bounds_t own = {VectorAdd(player->origin, player->mins),
                          VectorAdd(player->origin, player->maxs)};
    for (int32_t i = 0; i < touch->count; i++) {
        cl_crate_t *crate = find_crate(world, touch->entnums[i]);
        if (!crate || !crate->body.is_crate) {
            continue;
        }
        pm_shoved_t shoved = {.box = widened(world->list[crate->index].box),
                              .velocity = crate->body.velocity,
                              .friction = crate->body.friction};
        (void)PM_Shove(player, &player->velocity, widened(own), cmd, world->vars->sv_maxspeed,
                       &shoved);
        crate->body.velocity = shoved.velocity;
    }
}

// ---- pushers ----

// Returns the moved pusher that carries a crate, maybe below other crates, or NULL.
static const cl_solid_t *carrier_of(cl_world_t *world, const cl_crate_t *crate) {
    const cl_solid_t *ground = NULL;
    for (int32_t i = 0; i < MAX_STACK && crate; i++) {
        const int32_t number = crate->body.ground;
        ground = number > 0 ? Client_FindSolid(world, number) : NULL;
        crate = find_crate(world, number);
    }
    return ground && ground->is_moved && ground->crate == 0 ? ground : NULL;
}

static pm_pushed_t pushed_of(const cl_world_t *world, const cl_crate_t *crate) {
    const pm_loose_t *body = &crate->body;
    return (pm_pushed_t){number_of(world, crate), body->origin, body->mins, body->maxs};
}

void Client_CarryCrates(cl_world_t *world) {
    const pm_push_world_t push = Client_WorldForPush(world);
    for (int32_t i = 0; i < world->num_crates; i++) {
        cl_crate_t *crate = &world->crates[i];
        const bool is_solid = Client_CrateIsSolid(world, crate);
        const cl_solid_t *carrier = is_solid ? carrier_of(world, crate) : NULL;
        crate->carrier = carrier ? (int32_t)(carrier - world->list) : -1;
        crate->before = crate->body.origin;
        if (carrier) {
            const pm_carry_t by = PM_Carry(carrier->before, carrier->pose);
            const pm_pushed_t box = pushed_of(world, crate);
            const vec3_t to = PM_CarryPoint(&by, box.origin);
            crate->body.origin = PM_PushThroughMap(&push, &box, to, NULL);
            crate->body.velocity = PM_CarryVector(&by, crate->body.velocity);
            crate->is_whole = VectorCompare(crate->body.origin, to);
            (void)link_crate(world, crate);
        }
    }
}

// Moves a carried crate to where there is room.
static void fit_carried(cl_world_t *world, const pm_push_world_t *push, cl_crate_t *crate) {
    const cl_solid_t *carrier = &world->list[crate->carrier];
    pm_pushed_t box = pushed_of(world, crate);
    if (!push->is_free(world, &box, box.origin) &&
        PM_RaiseOnto(push, &box, crate->carrier, &crate->body.origin)) {
        crate->is_whole = false;
    }
    if (PM_Carry(carrier->before, carrier->pose).is_tilted) {
        box.origin = crate->body.origin;
        crate->is_whole &= !PM_LowerOnto(push, &box, crate->carrier, &crate->body.origin);
    }
}

// Pushes a crate out of the pushers that moved into it.
static void push_crate(cl_world_t *world, const pm_push_world_t *push, cl_crate_t *crate) {
    const bounds_t around = BoundsOfSweep(vec3_zero, vec3_zero, world->list[crate->index].box.mins,
                                          world->list[crate->index].box.maxs, CL_PUSH_MARGIN);
    for (int32_t i = 0; i < world->count; i++) {
        const cl_solid_t *solid = &world->list[i];
        vec3_t to;
        if (!solid->is_moved || i == crate->carrier || !Client_Stops(world, solid) ||
            !BoundsTouch(solid->path, around)) {
            continue;
        }
        const pm_carry_t by = PM_Carry(solid->before, solid->pose);
        pm_pushed_t box = pushed_of(world, crate);
        if (PM_PushAway(push, &box, i, &by, &to)) {
            box.origin = crate->body.origin = PM_PushThroughMap(push, &box, to, NULL);
            crate->is_whole = false;
            if (!push->is_free(world, &box, box.origin)) {
                (void)PM_RaiseOnto(push, &box, i, &crate->body.origin);
            }
        }
    }
}

void Client_PushCrates(cl_world_t *world, player_state_t *player) {
    const pm_push_world_t push = Client_WorldForPush(world);
    for (int32_t i = 0; i < world->num_crates; i++) {
        cl_crate_t *crate = &world->crates[i];
        if (!Client_CrateIsSolid(world, crate)) {
            continue;
        }
        begin_as(world, crate, player);
        if (crate->carrier >= 0) {
            fit_carried(world, &push, crate);
        }
        push_crate(world, &push, crate);
        end_as(world);
        bool is_moved = !VectorCompare(crate->before, crate->body.origin);
        if (is_moved && (crate->carrier < 0 || !crate->is_whole)) {
            wake_riders(world, crate, player);
            crate->body.ground = -1;
        }
        (void)link_crate(world, crate);
        if (is_moved) {
            touch_pads(world, crate);
        }
    }
}
