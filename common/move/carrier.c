/// move/carrier.c - conveyors and moving water carry a player, who keeps the carrier's velocity on
/// leaving.
//
// Source:  Half-Life's base velocity, which is added for the move only.
//
// A pusher carries riders itself (move/push.h); a rider's velocity is relative to it. This file
// only adds the pusher's velocity on leaving.

#include "move/clip.h"
#include "move/pm_local.h"

#define IN_THE_AIR (-1)

vec3_t PM_CurrentVelocity(int32_t contents, float speed) {
    static const vec3_t directions[] = {{1, 0, 0},  {0, 1, 0}, {-1, 0, 0},
                                        {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    int32_t i = CONTENTS_CURRENT_0 - contents;
    bool flows = i >= 0 && i < (int32_t)COUNTOF(directions);
    return flows ? VectorScale(directions[i], speed) : vec3_zero;
}

// Adds the carrier's velocity, except a downward speed: players must be able to jump off a sinking
// lift.
static void keep_momentum(pm_step_t *pm) {
    player_state_t *player = pm->player;
    float up = player->basevelocity.z;
    player->velocity.x += player->basevelocity.x;
    player->velocity.y += player->basevelocity.y;
    player->velocity.z += up > 0.0f ? up : 0.0f;
    player->basevelocity = vec3_zero;
}

void PM_LeaveCarrier(pm_step_t *pm) {
    player_state_t *player = pm->player;
    pm->carried = VectorSubtract(pm->carried, pm->surface.velocity);
    pm->surface = (pm_surface_t){.friction = 0.0f};
    player->carrier = IN_THE_AIR;
    keep_momentum(pm);
}

// Keeps the velocity in the world when the carrier changes. Stepping onto a conveyor adds its
// velocity at once. Landing does not, because each hop would add it again.
static void change_carrier(pm_step_t *pm, bool lands) {
    player_state_t *player = pm->player;
    vec3_t relative_to =
        lands ? VectorAdd(pm->surface.moving_at, pm->surface.velocity) : pm->surface.moving_at;
    player->velocity.x += player->basevelocity.x - relative_to.x;
    player->velocity.y += player->basevelocity.y - relative_to.y;
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
        pm->surface.moving_at = vec3_zero; // only a conveyor's velocity is kept
    }
    float flow = pm->vars->sv_currentspeed * (float)player->waterlevel;
    pm->carried = VectorAdd(VectorAdd(pm->surface.velocity, pm->volume.current),
                            PM_CurrentVelocity(player->watertype, flow));
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
