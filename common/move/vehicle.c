#include "move/vehicle.h"

#include "math/angles.h"
#include "move/meet.h"

#define REACH      24.0f  // qu between the linked boxes within which a player can get in
#define ENTER_FALL 300.0f // qu/s; faster players cannot get in to break a fall
#define EXIT_GAP   1.0f   // qu between the box of the vehicle and that of the player beside it
#define EXIT_STEP  18.0f  // qu; a player steps this high when getting out
#define EXIT_FALL  72.0f  // qu; ground further down is avoided
#define LEFT_SHARE 0.5f   // fraction of its velocity that a vehicle keeps when the driver gets out

static bool may_use(const player_state_t *player) {
    return player->pm_type == PM_NORMAL || player->pm_type == PM_DRIVING;
}

bool PM_PressesUse(const player_state_t *player, uint32_t buttons) {
    return may_use(player) && (buttons & BUTTON_USE) && !(player->flags & PMF_USE_HELD);
}

void PM_NoteUse(player_state_t *player, uint32_t buttons) {
    if (may_use(player)) {
        player->flags &= ~PMF_USE_HELD;
        player->flags |= buttons & BUTTON_USE ? PMF_USE_HELD : 0;
    }
}

// ---- getting in ----

static bounds_t linked_box(vec3_t origin, vec3_t mins, vec3_t maxs, float margin) {
    return BoundsOfSweep(origin, origin, mins, maxs, margin);
}

bool PM_MayEnter(const player_state_t *player, const pm_vehicle_t *vehicle, const movevars_t *vars,
                 const pm_world_t *world) {
    const bounds_t around =
        linked_box(player->origin, player->mins, player->maxs, PM_LINK_MARGIN + REACH);
    const bounds_t box = linked_box(vehicle->origin, vehicle->mins, vehicle->maxs, PM_LINK_MARGIN);
    if (!BoundsTouch(around, box) || player->velocity.z < -ENTER_FALL) {
        return false;
    }
    vec3_t eyes = player->origin;
    eyes.z += PM_ViewHeight(player, vars);
    return world->trace_brushes(world->context, eyes, vec3_zero, vec3_zero, vehicle->origin)
               .fraction == 1.0f;
}

// Changes box and position. The next step finds the ground.
static void become(player_state_t *player, vec3_t mins, vec3_t maxs, vec3_t origin) {
    player->mins = mins;
    player->maxs = maxs;
    player->origin = origin;
    player->flags &= ~PMF_ONGROUND;
    player->groundentity = -1;
    player->steer = 0.0f;
}

void PM_Enter(player_state_t *player, const pm_vehicle_t *vehicle) {
    become(player, vehicle->mins, vehicle->maxs, vehicle->origin);
    player->pm_type = PM_DRIVING;
    player->movetype = MOVETYPE_WALK;
    player->velocity = vehicle->velocity;
    player->heading = AngleMod(vehicle->yaw);
    player->flags &= ~(PMF_DUCKED | PMF_DUCKING | PMF_ONLADDER); // a vehicle cannot duck
    player->duck_ms = 0;
}

// ---- getting out ----

/// The search for a place beside the vehicle.
typedef struct {
    const player_state_t *player;
    const pm_world_t *world;
    bounds_t box; ///< of a standing player
} exit_t;

static trace_t sweep(const exit_t *search, vec3_t from, bounds_t box, vec3_t to) {
    return search->world->trace(search->world->context, from, box.mins, box.maxs, to);
}

// Returns true if the position beside the vehicle is free and reachable. `step`: height, qu.
static bool is_exit(const exit_t *search, vec3_t aside, float step, vec3_t *place) {
    const player_state_t *player = search->player;
    const bounds_t box = search->box;
    const float widest = fabsf(aside.x) > fabsf(aside.y) ? fabsf(aside.x) : fabsf(aside.y);
    const float far = (player->maxs.x + box.maxs.x + EXIT_GAP) / widest;
    const vec3_t beside = VectorMA(player->origin, far, aside);
    // Sweeps the part of the player's box that is inside the vehicle's: no wall may be between.
    const bounds_t part = {{box.mins.x, box.mins.y, player->mins.z + step + EXIT_GAP},
                           {box.maxs.x, box.maxs.y, player->maxs.z}};
    const trace_t path = sweep(search, player->origin, part, beside);
    if (path.startsolid || path.fraction < 1.0f) {
        return false;
    }
    *place = beside;
    place->z = player->origin.z + player->mins.z + step + EXIT_GAP - box.mins.z;
    return !sweep(search, *place, box, *place).startsolid;
}

static bool has_ground(const exit_t *search, vec3_t place) {
    const vec3_t below = VectorSubtract(place, Vector(0.0f, 0.0f, EXIT_FALL));
    return sweep(search, place, search->box, below).fraction < 1.0f;
}

bool PM_FindExit(const player_state_t *player, const movevars_t *vars, const pm_world_t *world,
                 vec3_t *place) {
    const exit_t search = {player, world, PM_PlayerBox(vars, false)};
    vec3_t forward, right;
    AngleVectors(Vector(0.0f, player->heading, 0.0f), &forward, &right, NULL);
    const vec3_t sides[4] = {VectorNegate(right), right, VectorNegate(forward), forward};
    for (int32_t any = 0; any < 2; any++) {
        for (int32_t i = 0; i < 8; i++) {
            const float step = i < 4 ? 0.0f : EXIT_STEP;
            if (is_exit(&search, sides[i % 4], step, place) &&
                (any == 1 || has_ground(&search, *place))) {
                return true;
            }
        }
    }
    *place = player->origin;
    place->z += player->maxs.z + EXIT_GAP - search.box.mins.z;
    return !sweep(&search, *place, search.box, *place).startsolid;
}

vec3_t PM_ExitInside(const player_state_t *player, const movevars_t *vars) {
    vec3_t place = player->origin;
    place.z += player->mins.z - PM_PlayerBox(vars, false).mins.z;
    return place;
}

pm_vehicle_t PM_Leave(player_state_t *player, vec3_t place, const movevars_t *vars) {
    const bounds_t box = PM_PlayerBox(vars, false);
    const pm_vehicle_t left = {.origin = player->origin,
                               .velocity = VectorScale(player->velocity, LEFT_SHARE),
                               .mins = player->mins,
                               .maxs = player->maxs,
                               .yaw = player->heading};
    become(player, box.mins, box.maxs, place);
    player->pm_type = PM_NORMAL;
    player->heading = 0.0f;
    player->velocity = Vector(0.0f, 0.0f, player->velocity.z); // keeps the falling speed
    return left;
}

// ---- controls ----

bool PM_MayTakeControls(const player_state_t *player) {
    return player->pm_type == PM_NORMAL && player->movetype == MOVETYPE_WALK &&
           (player->flags & PMF_ONGROUND) && player->groundentity > 0;
}

void PM_TakeControls(player_state_t *player) {
    player->movetype = MOVETYPE_TOSS;
    player->velocity = vec3_zero;
}

bool PM_LeavesControls(const player_state_t *player, uint32_t buttons) {
    return PM_PressesUse(player, buttons) || (buttons & BUTTON_JUMP);
}

void PM_LeaveControls(player_state_t *player) {
    if (player->movetype == MOVETYPE_TOSS) {
        player->movetype = MOVETYPE_WALK;
    }
}
