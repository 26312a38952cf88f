/// move/friction.c - slowing down by ground and water.
//
// Floor:   move.
// Source:  QuakeWorld's friction: over the whole 3-D velocity, and more at the edge of a drop.

#include "move/pm_local.h"

#define EDGE_AHEAD 16.0f // qu ahead along the velocity where ground is looked for
#define EDGE_DEPTH 34.0f // qu below the feet that count as ground there

// The box, its origin at foot height ahead of the player, meets nothing on its way down. A start in
// solid means a wall or a step up ahead: no edge.
static bool at_edge(const pm_step_t *pm, float speed) {
    const player_state_t *player = pm->player;
    vec3_t start = {
        player->origin.x + player->velocity.x / speed * EDGE_AHEAD,
        player->origin.y + player->velocity.y / speed * EDGE_AHEAD,
        player->origin.z + player->mins.z,
    };
    vec3_t stop = {start.x, start.y, start.z - EDGE_DEPTH};
    return PM_PlayerTrace(pm, start, stop).fraction >= 1.0f;
}

void PM_Friction(pm_step_t *pm) {
    player_state_t *player = pm->player;
    const movevars_t *vars = pm->vars;
    if (player->waterjump_ms > 0) {
        return;
    }
    float speed = VectorLength(player->velocity);
    if (speed < 1.0f) {
        player->velocity.x = 0.0f;
        player->velocity.y = 0.0f;
        return;
    }
    float drop = 0.0f;
    if (player->waterlevel >= 2) {
        drop = speed * vars->sv_waterfriction * (float)player->waterlevel * pm->dt;
    } else if (PM_OnGround(pm)) {
        float friction = vars->sv_friction;
        if (at_edge(pm, speed)) {
            friction *= vars->sv_edgefriction;
        }
        float control = speed < vars->sv_stopspeed ? vars->sv_stopspeed : speed;
        drop = control * friction * pm->dt;
    }
    float left = speed - drop;
    player->velocity = VectorScale(player->velocity, left > 0.0f ? left / speed : 0.0f);
}
