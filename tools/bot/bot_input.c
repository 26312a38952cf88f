#include "bot/bot.h"

#include "math/angles.h"

#define STEER_SLOW_DIST 64.0f // qu; from here on it slows down, so as not to run past
#define STEER_MIN_SPEED 0.2f  // of full speed, at the very end

void Bot_ApplyMove(bot_t *bot) {
    const bot_move_t *move = &bot->move;
    cl_input_t input = {.forward = move->forward * BOT_MAX_SPEED,
                        .side = move->side * BOT_MAX_SPEED,
                        .up = move->up * BOT_MAX_SPEED,
                        .pitch = move->pitch,
                        .yaw = move->yaw};
    unsigned buttons = (move->jump ? BUTTON_JUMP : 0u) | (move->attack ? BUTTON_ATTACK : 0u) |
                       (move->use ? BUTTON_USE : 0u);
    input.buttons = (uint8_t)buttons;
    CL_SetInput(bot->cl, &input);
}

void Bot_Steer(bot_t *bot) {
    player_state_t self;
    if (!CL_Self(bot->cl, &self)) {
        return;
    }
    bool swims = self.waterlevel >= 2 || self.pm_type == PM_SPECTATOR;
    vec3_t way = VectorSubtract(bot->wait.point, self.origin);
    float height = fabsf(way.z);
    if (!swims) {
        way.z = 0.0f;
    }
    float distance = VectorLength(way);
    bot_move_t *move = &bot->move;
    move->side = 0.0f;
    move->up = 0.0f;
    if (distance <= BOT_ARRIVE_DIST && height <= BOT_ARRIVE_HEIGHT) {
        move->forward = 0.0f;
        move->pitch = 0.0f;
        bot->wait.arrived = true;
    } else {
        vec3_t angles = VectorAngles(way);
        move->yaw = angles.y - ShortToAngle((uint16_t)self.delta_yaw);
        move->pitch = swims ? angles.x : 0.0f;
        move->forward = Q_ClampF(distance / STEER_SLOW_DIST, STEER_MIN_SPEED, 1.0f);
    }
    Bot_ApplyMove(bot);
}
