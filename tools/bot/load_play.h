/// bot/load_play.h - the input of a player of the load program: walks, turns, jumps and shoots at
/// random. Benchmarks of the server play the same.

#ifndef EDICTD_BOT_LOAD_PLAY_H
#define EDICTD_BOT_LOAD_PLAY_H

#include "base/rng.h"
#include "edict/client.h"
#include "math/angles.h"

#define LOAD_PLAY_SPEED 320.0f // qu/s
#define LOAD_PLAY_CMDS  16     // a player does the same for 16 to 63 commands

/// Input of the next commands.
typedef struct {
    uint32_t cmds; ///< number of inputs so far
    int32_t cmds_left;
    float yaw, turn; ///< degrees; degrees per command
    float forward, side;
    uint8_t buttons;
} load_play_t;

/// Chooses what the player does next.
static inline void LoadPlay_Choose(load_play_t *play, rng_t *rng) {
    play->cmds_left = LOAD_PLAY_CMDS + (int32_t)Rng_Below(rng, 3 * LOAD_PLAY_CMDS);
    play->turn = Rng_Range(rng, -3.0f, 3.0f);
    play->forward = Rng_Below(rng, 8) > 0 ? LOAD_PLAY_SPEED : -LOAD_PLAY_SPEED;
    play->side = LOAD_PLAY_SPEED * ((float)Rng_Below(rng, 3) - 1.0f);
    play->buttons = (uint8_t)((Rng_Below(rng, 5) < 2 ? CL_BUTTON_ATTACK : 0) |
                              (Rng_Below(rng, 3) < 1 ? CL_BUTTON_JUMP : 0));
}

/// Returns the input of the next command.
static inline cl_input_t LoadPlay_Next(load_play_t *play, rng_t *rng) {
    if (play->cmds_left-- <= 0) {
        LoadPlay_Choose(play, rng);
    }
    play->yaw = AngleMod(play->yaw + play->turn);
    // A jump, and the respawn of a dead player, need a new press of the button.
    const uint8_t buttons = play->cmds++ % 16 < 12 ? play->buttons : 0;
    return (cl_input_t){
        .forward = play->forward, .side = play->side, .yaw = play->yaw, .buttons = buttons};
}

#endif
