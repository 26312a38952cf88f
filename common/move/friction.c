/// move/friction.c - friction of ground and water.
//
// Source:  QuakeWorld: acts on all three axes, more at the edge of a drop. For Quake II and
//          Half-Life see sv_frictionmode.

#include "move/pm_local.h"

// values of sv_frictionmode
#define FRICTION_BOTH  1
#define FRICTION_PLAIN 2

#define MAX_WATERLEVEL 3 // a flying player brakes as deep in water

#define EDGE_AHEAD 16.0f // distance ahead, qu
#define EDGE_DEPTH 34.0f // minimum depth of a drop below the feet, qu

// Returns true if the ground ends ahead. Sweeps the box down from a point ahead; a start in solid
// is a wall or step, no edge.
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

static float ground_drop(const pm_step_t *pm, float speed) {
    const movevars_t *vars = pm->vars;
    float friction = vars->sv_friction;
    if (vars->sv_edgefriction > 1.0f && at_edge(pm, speed)) {
        friction *= vars->sv_edgefriction;
    }
    if (pm->surface.friction > 0.0f) {
        friction *= pm->surface.friction;
    }
    if (pm->volume.friction > 0.0f) {
        friction *= pm->volume.friction;
    }
    float control = speed < vars->sv_stopspeed ? vars->sv_stopspeed : speed;
    return control * friction * pm->dt;
}

static float rest_speed(const movevars_t *vars) {
    return vars->sv_frictionmode == FRICTION_PLAIN ? 0.1f : 1.0f;
}

void PM_Friction(pm_step_t *pm) {
    player_state_t *player = pm->player;
    const movevars_t *vars = pm->vars;
    if (player->waterjump_ms > 0) {
        return;
    }
    float speed = VectorLength(player->velocity);
    if (speed < rest_speed(vars)) {
        player->velocity.x = 0.0f;
        player->velocity.y = 0.0f;
        return;
    }
    float drop = 0.0f;
    const int32_t level = player->movetype == MOVETYPE_FLY ? MAX_WATERLEVEL : player->waterlevel;
    if (vars->sv_frictionmode == FRICTION_BOTH) {
        drop = speed * vars->sv_waterfriction * (float)level * pm->dt;
        drop += PM_OnGround(pm) ? ground_drop(pm, speed) : 0.0f;
    } else if (level >= 2) {
        float depth = vars->sv_frictionmode == FRICTION_PLAIN ? vars->sv_friction : (float)level;
        drop = speed * vars->sv_waterfriction * depth * pm->dt;
    } else if (PM_OnGround(pm)) {
        drop = ground_drop(pm, speed);
    }
    float left = speed - drop;
    player->velocity = VectorScale(player->velocity, left > 0.0f ? left / speed : 0.0f);
}
