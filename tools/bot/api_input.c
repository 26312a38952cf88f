/// bot/api_input.c - the Lua calls that send something: keys, texts, commands of the operator.

#include "bot/api.h"

#include "math/angles.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

/// Reads the value of one key of bot:move. Raises an error if it has the wrong type.
static void read_move_key(lua_State *lua, bot_t *bot, const char *key) {
    bot_move_t *move = &bot->move;
    const struct {
        const char *name;
        float *value;
    } speeds[] = {{"forward", &move->forward}, {"side", &move->side}, {"up", &move->up}};
    const struct {
        const char *name;
        bool *held;
    } buttons[] = {{"jump", &move->jump},
                   {"attack", &move->attack},
                   {"use", &move->use},
                   {"duck", &move->duck}};
    for (size_t i = 0; i < COUNTOF(speeds); i++) {
        if (strcmp(key, speeds[i].name) == 0) {
            float value = BotApi_CheckFinite(lua, -1, key);
            if (fabsf(value) > 1.0f) {
                luaL_error(lua, "bot:move: %s: expected -1..1 of full speed, found %f", key,
                           (lua_Number)value);
            }
            *speeds[i].value = value;
            return;
        }
    }
    for (size_t i = 0; i < COUNTOF(buttons); i++) {
        if (strcmp(key, buttons[i].name) == 0) {
            luaL_checktype(lua, -1, LUA_TBOOLEAN);
            *buttons[i].held = lua_toboolean(lua, -1);
            return;
        }
    }
    if (strcmp(key, "impulse") == 0) {
        lua_Integer value = luaL_checkinteger(lua, -1);
        if (value < 0 || value > UINT8_MAX) {
            luaL_error(lua, "bot:move: impulse: expected 0..%d, found %I", UINT8_MAX,
                       (LUAI_UACINT)value);
        }
        move->impulse = (uint8_t)value;
    } else if (strcmp(key, "yaw") == 0) {
        // Subtract the rotations of teleports, which the server adds to a client's yaw.
        cl_player_state_t self;
        float turned = CL_Self(bot->cl, &self) ? ShortToAngle((uint16_t)self.delta_yaw) : 0.0f;
        move->yaw = AngleMod(BotApi_CheckFinite(lua, -1, key) - turned);
        move->target = 0;
    } else if (strcmp(key, "pitch") == 0) {
        move->pitch = Q_ClampF(BotApi_CheckFinite(lua, -1, key), -90.0f, 90.0f);
        move->target = 0;
    } else {
        luaL_error(lua,
                   "bot:move: expected forward, side, up, yaw, pitch, jump, attack, use, duck or "
                   "impulse, found "
                   "\"%s\"",
                   key);
    }
}

int BotApi_Move(lua_State *lua) {
    bot_t *bot = BotApi_CheckJoined(lua);
    luaL_checktype(lua, 2, LUA_TTABLE);
    bool empty = true;
    lua_pushnil(lua);
    while (lua_next(lua, 2)) {
        if (lua_type(lua, -2) != LUA_TSTRING) {
            return luaL_error(lua, "bot:move: expected names, as in {forward=1}, found a list");
        }
        read_move_key(lua, bot, lua_tostring(lua, -2));
        lua_pop(lua, 1);
        empty = false;
    }
    if (empty) {
        bot->move = (bot_move_t){.yaw = bot->move.yaw,
                                 .pitch = bot->move.pitch,
                                 .target = bot->move.target,
                                 .target_height = bot->move.target_height};
    }
    Bot_ApplyMove(bot);
    return 0;
}

/// Implements bot:aim_at(x, y, z) and bot:aim_at(number [, height]): turns to a point, or follows
/// an entity. Pushes false if the entity is not shown now.
int BotApi_AimAt(lua_State *lua) {
    bot_t *bot = BotApi_CheckJoined(lua);
    const bool is_point = !lua_isnoneornil(lua, 4);
    bot->move.target = is_point ? 0 : BotApi_CheckNumber(lua, 2);
    if (is_point) {
        Bot_AimAt(bot, BotApi_CheckPoint(lua, 2));
    } else {
        bot->move.target_height =
            lua_isnoneornil(lua, 3) ? 0.0f : BotApi_CheckFinite(lua, 3, "bot:aim_at: height");
    }
    lua_pushboolean(lua, is_point || Bot_FollowTarget(bot));
    return 1;
}

int BotApi_Say(lua_State *lua) {
    bot_t *bot = BotApi_CheckJoined(lua);
    lua_pushboolean(lua, CL_Say(bot->cl, luaL_checkstring(lua, 2)));
    return 1;
}

int BotApi_SayTeam(lua_State *lua) {
    bot_t *bot = BotApi_CheckJoined(lua);
    lua_pushboolean(lua, CL_SayTeam(bot->cl, luaL_checkstring(lua, 2)));
    return 1;
}

int BotApi_Command(lua_State *lua) {
    bot_t *bot = BotApi_CheckJoined(lua);
    lua_pushboolean(lua, CL_Command(bot->cl, luaL_checkstring(lua, 2)));
    return 1;
}

/// Continues bot:console. Pushes the lines of the answer, and how many were lost.
static int answered(lua_State *lua, int status, lua_KContext context) {
    (void)status, (void)context;
    bot_t *bot = Sandbox_Of(lua)->owner;
    operator_t *console = bot->config.console;
    if (!bot->wait.arrived) {
        return luaL_error(lua, "bot:console: \"%s\": %s", bot->command, bot->reason);
    }
    lua_newtable(lua);
    lua_Integer count = 0;
    const char *error = NULL;
    for (const char *at = console->text; at < console->text + console->used; count++) {
        size_t length = strcspn(at, "\n");
        error = strncmp(at, "error: ", 7) == 0 ? at + 7 : NULL; // of the last line
        lua_pushlstring(lua, at, length);
        lua_rawseti(lua, -2, count + 1);
        at += length + 1;
    }
    if (error) {
        error = lua_pushlstring(lua, error, strcspn(error, "\n"));
    }
    lua_Integer lost = (lua_Integer)console->lost;
    Operator_Release(console, bot->config.index);
    if (error) {
        return luaL_error(lua, "bot:console: \"%s\": %s", bot->command, error);
    }
    lua_pushinteger(lua, lost);
    return 2;
}

/// Implements bot:console(command [, ticks]).
int BotApi_Console(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    size_t length = 0;
    const char *command = luaL_checklstring(lua, 2, &length);
    int64_t limit_ms =
        lua_isnoneornil(lua, 3) ? OPERATOR_ANSWER_MS : BotApi_CheckTicks(lua, 3) * Bot_TickMs(bot);
    if (!bot->config.console) {
        return luaL_error(lua, "bot:console: no control socket; give edict-bot one with --control, "
                               "or arguments of a server to start after the script");
    }
    if (length >= sizeof bot->command || strcspn(command, "\r\n") != length) {
        return luaL_error(lua, "bot:console: expected one line of at most %d bytes, found %d",
                          (int)sizeof bot->command - 1, (int)length);
    }
    Bot_AskConsole(bot, command, limit_ms);
    return BotApi_Yield(lua, bot, answered);
}
