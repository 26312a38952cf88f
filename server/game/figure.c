/// game/figure.c - the animations of a player's model, which decide which hitbox a shot hits.
//
// Units:   qu/s, ms, degrees.
// Repeat:  evaluated once a tick, so how input is split into commands changes no result.

#include "game/figure_data.h"
#include "game/game.h"
#include "game/players.h"
#include "math/angles.h"

#define RUN_SPEED 40.0f // qu/s along the ground; a slower player stands
#define BLEND_MS  128   // duration of the blend from one animation to the next
#define FEET      24.0f // qu; height of a figure's origin above the ground

static int32_t doing_of(const edict_t *player, const client_t *client) {
    float x = player->velocity.x;
    float y = player->velocity.y;
    if (client->player.health <= 0) {
        return FIGURE_DO_DIE;
    }
    if (client->player.flags & PMF_DUCKED) {
        return FIGURE_DO_CROUCH;
    }
    return x * x + y * y > RUN_SPEED * RUN_SPEED ? FIGURE_DO_RUN : FIGURE_DO_STAND;
}

void Game_Animate(sv_context_t *sv, edict_t *player, client_t *client) {
    // A driver has the size of the vehicle; a spectator has no body.
    bool has_figure = !client->spectator && client->player.pm_type != PM_DRIVING;
    player->skeleton = has_figure ? FIGURE_MODEL : 0;
    if (!has_figure) {
        return;
    }
    int64_t now_ms = sv->engine->time_ms(sv);
    int32_t doing = doing_of(player, client);
    if (doing != player->animations[0] || player->anim_start_ms[0] == 0) {
        player->animations[1] = player->animations[0];
        player->anim_start_ms[1] = player->anim_start_ms[0];
        player->animations[0] = doing;
        player->anim_start_ms[0] = now_ms;
    }
    int32_t since_ms =
        (int32_t)(now_ms - player->anim_start_ms[0] < BLEND_MS ? now_ms - player->anim_start_ms[0]
                                                               : BLEND_MS);
    player->anim_blend = 1.0f - (float)since_ms / (float)BLEND_MS;
    player->controllers[0] = AngleNormalize180(client->player.angles.x);
    player->controllers[1] = client->player.flags & PMF_DUCKED ? player->mins.z + FEET : 0.0f;
}
