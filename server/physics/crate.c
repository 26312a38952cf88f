/// physics/crate.c - players shove crates (FL_PUSHABLE).
//
// A shove sets a speed instead of adding one, so the number of sub-steps does not matter.

#include "physics/physics_local.h"

#include "math/angles.h"
#include "world/client.h"

#define SHOVE_SCALE 0.4f   // factor of the player's wished speed: a crate is heavy
#define MAX_SHOVE   120.0f // qu/s

// Returns the direction from the player to the crate, along the axis on which the boxes are
// farthest apart. Returns zero if the player is above or below the crate.
static vec3_t shove_direction(const edict_t *player, const edict_t *crate) {
    vec3_t d = VectorSubtract(VectorScale(VectorAdd(crate->absmin, crate->absmax), 0.5f),
                              VectorScale(VectorAdd(player->absmin, player->absmax), 0.5f));
    vec3_t reach = VectorScale(VectorAdd(VectorSubtract(crate->absmax, crate->absmin),
                                         VectorSubtract(player->absmax, player->absmin)),
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
static vec3_t wished_velocity(const client_t *client) {
    vec3_t forward, right;
    bool drives = client->player.pm_type == PM_DRIVING;
    float yaw = drives ? client->player.heading : client->player.angles.y;
    AngleVectors(Vector(0.0f, yaw, 0.0f), &forward, &right, NULL);
    vec3_t wish = VectorScale(forward, (float)client->last_cmd.forward);
    return VectorMA(wish, drives ? 0.0f : (float)client->last_cmd.side, right);
}

static bool speed_up(edict_t *edict, vec3_t direction, float speed) {
    float has = DotProduct(edict->velocity, direction);
    if (!(speed > has)) {
        return false;
    }
    edict->velocity = VectorMA(edict->velocity, speed - has, direction);
    return true;
}

void SV_ShoveCrate(sv_context_t *sv, edict_t *player, edict_t *crate) {
    const client_t *client = World_ClientOf(sv->world, player);
    if (crate->movetype != MOVETYPE_STEP || !client) {
        return;
    }
    vec3_t direction = shove_direction(player, crate);
    float wish = DotProduct(wished_velocity(client), direction);
    float limit = sv->world->cvars.move.sv_maxspeed;
    float friction = crate->friction > 0.0f ? crate->friction : 1.0f;
    float speed = SHOVE_SCALE * (wish < limit ? wish : limit) / friction;
    speed = speed < MAX_SHOVE ? speed : MAX_SHOVE;
    if (!(speed > 0.0f)) {
        return;
    }
    if (speed_up(crate, direction, speed)) {
        World_MarkWritten(sv->world, crate);
        SV_WakeEdict(sv, crate);
    }
    // Give the player the crate's speed. Otherwise the crate would stop the player every tick.
    if (speed_up(player, direction, speed)) {
        World_MarkWritten(sv->world, player);
    }
}
