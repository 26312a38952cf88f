/// move/ladder.c - climbing ladders.
//
// Source:  Half-Life: the wish into the ladder becomes upward speed. Quake II: the pitch selects up
//          or down.

#include "move/pm_local.h"

// values of sv_laddermode
#define LADDER_NONE     0
#define LADDER_BY_PITCH 2

#define JUMP_OFF    270.0f // speed of a jump away from the ladder, qu/s
#define STEEP_PITCH 15.0f  // minimum pitch for up or down, degrees
#define MAX_ASIDE   25.0f  // maximum sideways speed on a ladder in Quake II's mode, qu/s

static float sign_of(float wish) {
    return wish > 0.0f ? 1.0f : wish < 0.0f ? -1.0f : 0.0f;
}

static float climb_speed(const pm_step_t *pm) {
    float climb = pm->vars->sv_climbspeed;
    float run = pm->vars->sv_maxspeed;
    return (climb < run ? climb : run) * PM_PostureScale(pm);
}

// Splits the wish: along the ladder, and into it, which climbs.
static vec3_t along_view(const pm_step_t *pm, vec3_t normal) {
    float speed = climb_speed(pm);
    vec3_t wish = VectorScale(pm->forward, speed * sign_of(pm->input.forward));
    wish = VectorMA(wish, speed * sign_of(pm->input.side), pm->right);
    wish.z += speed * sign_of(pm->input.up);
    float away = DotProduct(wish, normal);
    vec3_t along = VectorMA(wish, -away, normal);
    vec3_t aside = VectorNormalize(CrossProduct(Vector(0.0f, 0.0f, 1.0f), normal), NULL);
    vec3_t up = CrossProduct(normal, aside);
    vec3_t velocity = VectorMA(along, -away, up);
    if (PM_OnGround(pm) && away > 0.0f) {
        velocity = VectorMA(velocity, pm->vars->sv_climbspeed, normal);
    }
    return velocity;
}

static vec3_t by_pitch(const pm_step_t *pm) {
    float speed = climb_speed(pm);
    float pitch = pm->input.angles.x; // negative = up
    bool goes = pm->input.forward > 0.0f;
    float up = sign_of(pm->input.up) * speed;
    up = goes && pitch <= -STEEP_PITCH ? speed : goes && pitch >= STEEP_PITCH ? -speed : up;
    vec3_t wish = VectorScale(pm->forward, pm->input.forward);
    wish = VectorMA(wish, pm->input.side, pm->right);
    return Vector(Q_ClampF(wish.x, -MAX_ASIDE, MAX_ASIDE), Q_ClampF(wish.y, -MAX_ASIDE, MAX_ASIDE),
                  up);
}

bool PM_LadderMove(pm_step_t *pm) {
    player_state_t *player = pm->player;
    player->flags &= ~PMF_ONLADDER;
    if (!pm->volume.ladder || pm->vars->sv_laddermode == LADDER_NONE ||
        player->pm_type != PM_NORMAL || player->waterjump_ms > 0) {
        return false;
    }
    vec3_t normal = pm->volume.ladder_normal;
    if (!PM_OnGround(pm) && DotProduct(player->velocity, normal) > pm->vars->sv_climbspeed) {
        return false; // jumped off or was thrown off
    }
    if (pm->input.buttons & BUTTON_JUMP) {
        if (!(player->flags & PMF_JUMP_HELD)) {
            player->velocity = VectorScale(normal, JUMP_OFF);
        }
        player->flags |= PMF_JUMP_HELD;
        return false;
    }
    player->flags = (player->flags & ~PMF_JUMP_HELD) | PMF_ONLADDER;
    bool walks = PM_OnGround(pm) && pm->vars->sv_laddermode == LADDER_BY_PITCH;
    player->velocity = pm->vars->sv_laddermode == LADDER_BY_PITCH && !walks
                           ? by_pitch(pm)
                           : along_view(pm, normal);
    player->jump_ms = 0;
    PM_SlideMove(pm, NULL);
    return true;
}
