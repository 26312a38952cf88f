/// move/shove.c - a player pushes a crate by walking into it; see loose.h.

#include "math/angles.h"
#include "move/loose.h"

#define SHOVE_SCALE 0.4f   // factor of the player's wished speed: a crate is heavy
#define MAX_SHOVE   120.0f // qu/s

// Returns the direction from the player to the crate, along the axis on which the boxes are
// farthest apart. Returns zero if the player is above or below the crate.
static vec3_t shove_direction(bounds_t player, bounds_t crate) {
    vec3_t d = VectorSubtract(VectorScale(VectorAdd(crate.mins, crate.maxs), 0.5f),
                              VectorScale(VectorAdd(player.mins, player.maxs), 0.5f));
    vec3_t reach = VectorScale(
        VectorAdd(VectorSubtract(crate.maxs, crate.mins), VectorSubtract(player.maxs, player.mins)),
        0.5f);
    float x = fabsf(d.x) - reach.x;
    float y = fabsf(d.y) - reach.y;
    float z = fabsf(d.z) - reach.z;
    if (z >= x && z >= y) {
        return vec3_zero;
    }
    return x > y ? Vector(d.x > 0.0f ? 1.0f : -1.0f, 0.0f, 0.0f)
                 : Vector(0.0f, d.y > 0.0f ? 1.0f : -1.0f, 0.0f);
}

// Returns the velocity that the player's input requests. The crate has clipped the real velocity.
// For a vehicle: along the heading, not the driver's view.
static vec3_t wished_velocity(const player_state_t *player, const usercmd_t *cmd) {
    vec3_t forward, right;
    bool drives = player->pm_type == PM_DRIVING;
    float yaw = drives ? player->heading : player->angles.y;
    AngleVectors(Vector(0.0f, yaw, 0.0f), &forward, &right, NULL);
    vec3_t wish = VectorScale(forward, (float)cmd->forward);
    return VectorMA(wish, drives ? 0.0f : (float)cmd->side, right);
}

static bool speed_up(vec3_t *velocity, vec3_t direction, float speed) {
    float has = DotProduct(*velocity, direction);
    if (!(speed > has)) {
        return false;
    }
    *velocity = VectorMA(*velocity, speed - has, direction);
    return true;
}

bool PM_Shove(const player_state_t *player, vec3_t *velocity, bounds_t box, const usercmd_t *cmd,
              float max_speed, pm_shoved_t *crate) {
    vec3_t direction = shove_direction(box, crate->box);
    float wish = DotProduct(wished_velocity(player, cmd), direction);
    float friction = crate->friction > 0.0f ? crate->friction : 1.0f;
    float speed = SHOVE_SCALE * (wish < max_speed ? wish : max_speed) / friction;
    speed = speed < MAX_SHOVE ? speed : MAX_SHOVE;
    if (!(speed > 0.0f)) {
        return false;
    }
    bool is_faster = speed_up(&crate->velocity, direction, speed);
    // Give the player the crate's speed. Otherwise the crate would stop the player every tick.
    (void)speed_up(velocity, direction, speed);
    return is_faster;
}
