/// move/spectator.c - spectators and noclip players fly through everything. With sv_spectatorclip,
/// spectators slide.
//
// Source:  QuakeWorld: moves as on the ground, but along the view.

#include "move/pm_local.h"

#define SPECTATOR_FRICTION 1.5f // factor of the ground's friction

static void slow_down(pm_step_t *pm) {
    player_state_t *player = pm->player;
    float speed = VectorLength(player->velocity);
    float control = speed < pm->vars->sv_stopspeed ? pm->vars->sv_stopspeed : speed;
    float left = speed - control * pm->vars->sv_friction * SPECTATOR_FRICTION * pm->dt;
    bool rest = speed < 1.0f || left <= 0.0f;
    player->velocity = VectorScale(player->velocity, rest ? 0.0f : left / speed);
}

void PM_SpectatorMove(pm_step_t *pm) {
    player_state_t *player = pm->player;
    PM_Float(pm);
    player->waterlevel = 0;
    player->watertype = CONTENTS_EMPTY;
    player->carrier = -1;
    player->basevelocity = vec3_zero;
    slow_down(pm);
    vec3_t wish = VectorAdd(VectorScale(pm->forward, pm->input.forward),
                            VectorScale(pm->right, pm->input.side));
    wish.z += pm->input.up;
    float wishspeed;
    vec3_t wishdir = PM_WishDirection(wish, pm->vars->sv_spectatormaxspeed, &wishspeed);
    PM_Accelerate(pm, wishdir, wishspeed, pm->vars->sv_accelerate);
    if (player->pm_type == PM_SPECTATOR && pm->vars->sv_spectatorclip) {
        PM_SlideMove(pm, NULL);
    } else {
        player->origin = VectorMA(player->origin, pm->dt, player->velocity);
    }
}
