/// bot/api.h - private declarations of the Lua calls of a bot.

#ifndef EDICTD_BOT_API_H
#define EDICTD_BOT_API_H

#include "bot/bot.h"
#include "math/vec3.h"

#include <lua.h>

/// Returns the bot of a method call. Raises an error if argument 1 is not the table `bot` (upvalue
/// 1). Upvalue 2 is the method's name.
bot_t *BotApi_Check(lua_State *lua);

/// Like BotApi_Check, but also raises an error if the bot has not joined.
bot_t *BotApi_CheckJoined(lua_State *lua);

/// Returns a number argument. Raises an error if the number is beyond +-1e30 or not finite.
float BotApi_CheckFinite(lua_State *lua, int arg, const char *what);

/// Returns a number of ticks. Raises an error if the number is out of range.
int64_t BotApi_CheckTicks(lua_State *lua, int arg);

/// Returns the point of three arguments from `arg` on. Raises an error if it is outside the world.
vec3_t BotApi_CheckPoint(lua_State *lua, int arg);

/// Returns the number of an entity, 0 if there can be none of this number.
int32_t BotApi_CheckNumber(lua_State *lua, int arg);

/// Suspends the script until the wait is over. `resumed` then ends the method. Raises an error if a
/// coroutine of the script calls the method.
int BotApi_Yield(lua_State *lua, bot_t *bot, lua_KFunction resumed);

// api_input.c: what a script sends.
int BotApi_Move(lua_State *lua);
int BotApi_AimAt(lua_State *lua);
int BotApi_Say(lua_State *lua);
int BotApi_SayTeam(lua_State *lua);
int BotApi_Command(lua_State *lua);
int BotApi_Console(lua_State *lua);

#endif
