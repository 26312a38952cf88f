/// client/crates.c - crates and vehicles without driver in the world of prediction: shoved by the
/// player, moved by the tick.
//
// Source:  server/physics: step.c, crate.c, ground.c, push.c; server/world/link.c.
// Not predicted: a crate that other edicts than crates and pushers push, or that the game moves.

#include "client/world_local.h"

#include "move/loose.h"
#include "move/meet.h"
#include "proto/entity_fields.h"
#include "state/contents.h"
#include "state/ticks.h"

// ---- from a snapshot ----

// Makes room for a crate. Returns false if all others are nearer.
static bool make_room(cl_world_t *world, float distance) {
    if (world->num_crates < CL_MAX_CRATES) {
        return true;
    }
    world->left_out++;
    int32_t furthest = 0;
    for (int32_t i = 1; i < world->num_crates; i++) {
        furthest = world->crates[i].distance > world->crates[furthest].distance ? i : furthest;
    }
    if (distance >= world->crates[furthest].distance) {
        return false;
    }
    world->num_crates--;
    for (int32_t i = furthest; i < world->num_crates; i++) {
        world->crates[i] = world->crates[i + 1];
    }
    return true;
}

static float distance_to(const cl_world_t *world, const entity_state_t *state) {
    if (state->motion == ENTITY_FOLLOWS) {
        return -1.0f;
    }
    const vec3_t offset = VectorSubtract(state->base.origin, world->own_origin);
    return DotProduct(offset, offset);
}

void Client_AddCrate(cl_world_t *world, const entity_state_t *state) {
    const cl_solid_t *solid = &world->list[world->count - 1];
    const bool is_driven = state->motion == ENTITY_FOLLOWS;
    const bool is_vehicle = (state->duration_ms & ENTITY_LOOSE_VEHICLE) != 0;
    const float distance = distance_to(world, state);
    if (solid->solid == SOLID_BSP || (solid->solid > SOLID_TRIGGER) == is_driven ||
        !make_room(world, distance)) {
        return; // stays where it is
    }
    cl_crate_t *crate = &world->crates[world->num_crates++];
    *crate = (cl_crate_t){.index = world->count - 1,
                          .carries = (state->duration_ms & ENTITY_LOOSE_CARRIES) != 0,
                          .is_vehicle = is_vehicle,
                          .yaw = state->base.angles.y,
                          .distance = distance,
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

void Client_NumberCrates(cl_world_t *world) {
    for (int32_t i = 0; i < world->num_crates; i++) {
        world->list[world->crates[i].index].crate = i + 1;
    }
}

cl_crate_t *Client_FindCrate(cl_world_t *world, int32_t number) {
    const cl_solid_t *solid = number > 0 ? Client_FindSolid(world, number) : NULL;
    return solid && solid->crate > 0 ? &world->crates[solid->crate - 1] : NULL;
}

static int32_t number_of(const cl_world_t *world, const cl_crate_t *crate) {
    return world->list[crate->index].number;
}

// ---- ground ----

static void set_ground(cl_world_t *world, cl_crate_t *crate, int32_t ground) {
    cl_crate_t *below = Client_FindCrate(world, ground);
    crate->body.ground = ground;
    if (below) {
        below->carries = true;
    }
}

static void wake_crates(cl_world_t *world, int32_t number) {
    for (int32_t i = 0; i < world->num_crates; i++) {
        pm_loose_t *body = &world->crates[i].body;
        body->ground = body->ground == number ? -1 : body->ground;
    }
}

void Client_WakeRiders(cl_world_t *world, int32_t number, player_state_t *player) {
    wake_crates(world, number);
    if (player->flags & PMF_ONGROUND && player->groundentity == number) {
        player->flags &= ~PMF_ONGROUND;
        player->groundentity = -1;
    }
}

// Takes the ground from crates that rest on a crate that moved. The player finds its ground in each
// step.
static void wake_riders(cl_world_t *world, cl_crate_t *crate) {
    if (crate->carries) {
        crate->carries = false;
        wake_crates(world, number_of(world, crate));
    }
}

bool Client_LinkCrate(cl_world_t *world, const cl_crate_t *crate) {
    cl_solid_t *solid = &world->list[crate->index];
    const bounds_t was = solid->box;
    solid->pose.origin = crate->body.origin;
    solid->box = (bounds_t){VectorAdd(crate->body.origin, crate->body.mins),
                            VectorAdd(crate->body.origin, crate->body.maxs)};
    solid->linked = PM_LinkedBox(solid->box);
    return !VectorCompare(was.mins, solid->box.mins) || !VectorCompare(was.maxs, solid->box.maxs);
}

bool Client_CrateIsSolid(const cl_world_t *world, const cl_crate_t *crate) {
    return world->list[crate->index].solid > SOLID_TRIGGER;
}

void Client_PutCrate(cl_world_t *world, cl_crate_t *crate, bool is_solid) {
    world->list[crate->index].solid = is_solid ? SOLID_BBOX : SOLID_NOT;
    (void)Client_LinkCrate(world, crate);
    wake_riders(world, crate);
}

void Client_TouchCratePads(cl_world_t *world, cl_crate_t *crate) {
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

static void run_crate(cl_world_t *world, cl_crate_t *crate) {
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
        if (Client_LinkCrate(world, crate)) {
            wake_riders(world, crate);
        }
        Client_TouchCratePads(world, crate);
    }
    set_ground(world, crate, body->ground);
}

void Client_BeginAs(cl_world_t *world, const cl_crate_t *crate, const player_state_t *player) {
    world->passed = number_of(world, crate);
    world->own_box = (bounds_t){VectorAdd(player->origin, player->mins),
                                VectorAdd(player->origin, player->maxs)};
}

void Client_EndAs(cl_world_t *world) {
    world->passed = world->own;
}

void Client_RunCrates(cl_world_t *world, player_state_t *player) {
    for (int32_t i = 0; i < world->num_crates; i++) {
        Client_BeginAs(world, &world->crates[i], player);
        run_crate(world, &world->crates[i]);
        Client_EndAs(world);
    }
}

// ---- the player ----

void Client_ShoveCrates(cl_world_t *world, player_state_t *player, const usercmd_t *cmd,
                        const pm_touch_t *touch) {
    const bounds_t own = {VectorAdd(player->origin, player->mins),
                          VectorAdd(player->origin, player->maxs)};
    for (int32_t i = 0; i < touch->count; i++) {
        cl_crate_t *crate = Client_FindCrate(world, touch->entnums[i]);
        if (!crate || !crate->body.is_crate) {
            continue;
        }
        pm_shoved_t shoved = {.box = world->list[crate->index].linked,
                              .velocity = crate->body.velocity,
                              .friction = crate->body.friction};
        (void)PM_Shove(player, &player->velocity, PM_LinkedBox(own), cmd, world->vars->sv_maxspeed,
                       &shoved);
        crate->body.velocity = shoved.velocity;
    }
}
