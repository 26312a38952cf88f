#include "bot/bot.h"

#include "math/angles.h"

#define STEER_LOOKAHEAD_S 0.15f // s; steers by where the bot would slide to in this time
#define STEER_SLOW_DIST   32.0f // qu; a bot slows down within this distance of the target
#define STEER_CLOSE_DIST  8.0f  // qu; a bot has arrived within this distance, at any speed
#define STEER_REST_SPEED  16.0f // qu/s; below this speed a bot counts as stopped

void Bot_ApplyMove(bot_t *bot) {
    bot_move_t *move = &bot->move;
    float speed = CL_MaxSpeed(bot->cl);
    cl_input_t input = {.forward = move->forward * speed,
                        .side = move->side * speed,
                        .up = move->up * speed,
                        .pitch = move->pitch,
                        .yaw = move->yaw};
    unsigned buttons = (move->jump ? (unsigned)CL_BUTTON_JUMP : 0u) |
                       (move->attack ? (unsigned)CL_BUTTON_ATTACK : 0u) |
                       (move->use ? (unsigned)CL_BUTTON_USE : 0u) |
                       (move->duck ? (unsigned)CL_BUTTON_DUCK : 0u);
    input.buttons = (uint8_t)buttons;
    input.impulse = move->impulse;
    move->impulse = 0;
    CL_SetInput(bot->cl, &input);
}

bool Bot_Shown(const bot_t *bot, int32_t number, cl_pose_t *pose, cl_vec3_t *mins,
               cl_vec3_t *maxs) {
    int64_t tick;
    uint16_t frac;
    return CL_ViewTime(bot->cl, &tick, &frac) &&
           CL_EntityBox(bot->cl, number, tick, frac, mins, maxs) &&
           CL_ShownPose(bot->cl, number, CL_CmdTick(bot->cl) + 1, pose);
}

void Bot_AimAt(bot_t *bot, vec3_t point) {
    cl_player_state_t self;
    if (CL_Predicted(bot->cl, &self)) {
        self.origin.z += CL_ViewHeight(bot->cl, &self);
        const vec3_t angles = VectorAngles(VectorSubtract(point, self.origin));
        bot->move.yaw = AngleMod(angles.y - ShortToAngle((uint16_t)self.delta_yaw));
        bot->move.pitch = angles.x;
        Bot_ApplyMove(bot);
    }
}

bool Bot_FollowTarget(bot_t *bot) {
    cl_pose_t pose;
    vec3_t mins, maxs;
    if (!Bot_Shown(bot, bot->move.target, &pose, &mins, &maxs)) {
        return false;
    }
    pose.origin.z += bot->move.target_height;
    Bot_AimAt(bot, VectorMA(pose.origin, 0.5f, VectorAdd(mins, maxs)));
    return true;
}

void Bot_Steer(bot_t *bot) {
    cl_player_state_t self; // predicted if possible, because an older state makes the bot overshoot
    if (!CL_Predicted(bot->cl, &self)) {
        return;
    }
    bool wades = self.waterlevel == 2 && (self.flags & CL_FLAG_ONGROUND) != 0;
    bool swims = (self.waterlevel >= 2 && !wades) || self.pm_type == CL_PM_SPECTATOR ||
                 self.movetype == CL_MOVETYPE_FLY || self.movetype == CL_MOVETYPE_NOCLIP;
    vec3_t offset = VectorSubtract(bot->wait.point, self.origin);
    vec3_t velocity = self.velocity;
    float height = fabsf(offset.z);
    if (!swims) {
        offset.z = 0.0f;
        velocity.z = 0.0f;
    }
    float distance = VectorLength(offset);
    bool near = distance <= BOT_ARRIVE_DIST && height <= BOT_ARRIVE_HEIGHT;
    bool last = bot->wait.ticks_left <= 0 || VectorLength(velocity) < STEER_REST_SPEED;
    bot_move_t *move = &bot->move;
    move->target = 0;
    move->side = 0.0f;
    move->up = 0.0f;
    if (near && (last || distance <= STEER_CLOSE_DIST)) {
        move->forward = 0.0f;
        move->pitch = 0.0f;
        bot->wait.arrived = true;
    } else if (distance > 1.0f) { // nearer targets have no reliable direction
        vec3_t direction = VectorScale(offset, 1.0f / distance);
        vec3_t angles = VectorAngles(offset);
        float left = distance - DotProduct(velocity, direction) * STEER_LOOKAHEAD_S;
        move->yaw = angles.y - ShortToAngle((uint16_t)self.delta_yaw);
        move->pitch = swims ? angles.x : 0.0f;
        move->forward = Q_ClampF(left / STEER_SLOW_DIST, -1.0f, 1.0f);
    }
    Bot_ApplyMove(bot);
}
