/// move/carrier.c - what carries a player: conveyors, moving water, pushers.
//
// Floor:   move.
// Units:   qu/s.
// Source:  Half-Life's base velocity: what carries is added for the move only, and becomes one's
//          own on leaving.
//
// A conveyor and a current move the player here. A pusher does not: it carries him in its own step
// of the tick (common/move/pusher.h); here is only what he takes along when he leaves it. While he
// stands, his own speed is relative to it.

#include "move/pm_local.h"

#define IN_THE_AIR (-1)

static const vec3_t no_velocity = {0.0f, 0.0f, 0.0f};

// Map water that flows; stronger the deeper one is in it.
static vec3_t current_of(const pm_step_t *pm) {
    const player_state_t *player = pm->player;
    float speed = pm->vars->sv_currentspeed * (float)player->waterlevel;
    switch (player->watertype) {
    case CONTENTS_CURRENT_0:
        return Vector(speed, 0.0f, 0.0f);
    case CONTENTS_CURRENT_90:
        return Vector(0.0f, speed, 0.0f);
    case CONTENTS_CURRENT_180:
        return Vector(-speed, 0.0f, 0.0f);
    case CONTENTS_CURRENT_270:
        return Vector(0.0f, -speed, 0.0f);
    case CONTENTS_CURRENT_UP:
        return Vector(0.0f, 0.0f, speed);
    case CONTENTS_CURRENT_DOWN:
        return Vector(0.0f, 0.0f, -speed);
    default:
        return no_velocity;
    }
}

// The speed of what he left is his own now; not that of a lift that goes down, or nobody could jump
// off it.
static void keep_momentum(pm_step_t *pm) {
    player_state_t *player = pm->player;
    float up = player->basevelocity.z;
    player->velocity.x += player->basevelocity.x;
    player->velocity.y += player->basevelocity.y;
    player->velocity.z += up > 0.0f ? up : 0.0f;
    player->basevelocity = no_velocity;
}

void PM_LeaveCarrier(pm_step_t *pm) {
    player_state_t *player = pm->player;
    pm->carried = VectorSubtract(pm->carried, pm->surface.velocity);
    pm->surface = (pm_surface_t){.friction = 0.0f};
    player->carrier = IN_THE_AIR;
    keep_momentum(pm);
}

// From one thing onto another he keeps his speed through the world: it is relative to what he
// stands on. A conveyor takes hold at once of who walks onto it, but not of who lands on it: hop by
// hop its speed would add up.
static void change_carrier(pm_step_t *pm, bool lands) {
    player_state_t *player = pm->player;
    vec3_t has =
        lands ? VectorAdd(pm->surface.moving_at, pm->surface.velocity) : pm->surface.moving_at;
    player->velocity.x += player->basevelocity.x - has.x;
    player->velocity.y += player->basevelocity.y - has.y;
}

void PM_FindCarrier(pm_step_t *pm) {
    player_state_t *player = pm->player;
    const pm_world_t *world = pm->world;
    pm->surface = (pm_surface_t){.friction = 0.0f};
    pm->volume = (pm_volume_t){.ladder = false};
    if (world->volume) {
        pm->volume = world->volume(world->context, VectorAdd(player->origin, player->mins),
                                   VectorAdd(player->origin, player->maxs));
    }
    if (world->surface && PM_OnGround(pm) && player->groundentity > 0) {
        pm->surface = world->surface(world->context, player->groundentity, player->origin);
    }
    if (!pm->vars->sv_pushermomentum) {
        pm->surface.moving_at = no_velocity; // a conveyor's speed he keeps all the same
    }
    pm->carried = VectorAdd(VectorAdd(pm->surface.velocity, pm->volume.current), current_of(pm));
    int32_t carrier = PM_OnGround(pm) ? player->groundentity : IN_THE_AIR;
    bool is_other = carrier != player->carrier;
    bool lands = player->carrier == IN_THE_AIR;
    player->carrier = carrier;
    if (!PM_OnGround(pm)) {
        if (is_other) {
            keep_momentum(pm);
        }
        return;
    }
    if (is_other) {
        change_carrier(pm, lands);
    }
    player->basevelocity = VectorAdd(pm->surface.velocity, pm->surface.moving_at);
}
