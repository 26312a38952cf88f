#include "bot/api.h"
#include "bot/tables.h"

#include "base/limits.h"
#include "math/angles.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_WAIT_TICKS 1000000000 // limit of an argument; about half a year at 16 ms

bot_t *BotApi_Check(lua_State *lua) {
    if (!lua_rawequal(lua, 1, lua_upvalueindex(1))) {
        const char *name = lua_tostring(lua, lua_upvalueindex(2));
        luaL_error(lua, "expected a method call with a colon, bot:%s(...)", name);
    }
    return Sandbox_Of(lua)->owner;
}

bot_t *BotApi_CheckJoined(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    if (!bot->joined) {
        const char *name = lua_tostring(lua, lua_upvalueindex(2));
        luaL_error(lua, "bot:%s: not joined%s%s", name, bot->reason[0] ? ": " : "", bot->reason);
    }
    return bot;
}

float BotApi_CheckFinite(lua_State *lua, int arg, const char *what) {
    lua_Number n = luaL_checknumber(lua, arg);
    if (!isfinite(n) || fabs(n) > 1e30) {
        luaL_error(lua, "%s: expected a number within +-1e30, found %f", what, n);
    }
    return (float)n;
}

int BotApi_Yield(lua_State *lua, bot_t *bot, lua_KFunction resumed) {
    if (lua != bot->box.thread) {
        bot->wait.kind = BOT_WAITS_NOT;
        return luaL_error(lua, "bot:%s cannot wait inside a coroutine of the script",
                          lua_tostring(lua, lua_upvalueindex(2)));
    }
    return lua_yieldk(lua, 0, 0, resumed);
}

/// Raises an error if the connection was lost while the script waited.
static void check_dropped(lua_State *lua, bot_t *bot) {
    if (bot->drop_pending) {
        bot->drop_pending = false;
        luaL_error(lua, "dropped: %s", bot->reason);
    }
}

static int joined(lua_State *lua, int status, lua_KContext context) {
    (void)status, (void)context;
    bot_t *bot = Sandbox_Of(lua)->owner;
    lua_pushboolean(lua, bot->joined);
    if (bot->joined) {
        return 1;
    }
    lua_pushstring(lua, bot->reason);
    return 2;
}

static int api_join(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    const char *name = luaL_optstring(lua, 2, NULL);
    if (!name) {
        name = lua_pushfstring(lua, "bot%d", (int)bot->config.index);
    }
    bool spectator = false;
    const char *password = NULL;
    if (!lua_isnoneornil(lua, 3)) {
        luaL_checktype(lua, 3, LUA_TTABLE);
        lua_getfield(lua, 3, "spectator");
        spectator = lua_toboolean(lua, -1);
        lua_getfield(lua, 3, "password");
        password = luaL_optstring(lua, -1, NULL);
    }
    if (bot->joined) {
        return luaL_error(lua, "bot:join: already joined; call bot:leave() first");
    }
    if (lua != bot->box.thread) {
        return BotApi_Yield(lua, bot, joined); // raises the error if called in a coroutine
    }
    if (!Bot_Join(bot, name, spectator, password)) {
        return joined(lua, LUA_OK, 0);
    }
    return BotApi_Yield(lua, bot, joined);
}

static int api_leave(lua_State *lua) {
    Bot_Leave(BotApi_Check(lua));
    return 0;
}

static int waited(lua_State *lua, int status, lua_KContext context) {
    (void)status, (void)context;
    check_dropped(lua, Sandbox_Of(lua)->owner);
    return 0;
}

int64_t BotApi_CheckTicks(lua_State *lua, int arg) {
    lua_Integer ticks = luaL_checkinteger(lua, arg);
    if (ticks < 0 || ticks > MAX_WAIT_TICKS) {
        luaL_error(lua, "bot:%s: expected 0..%d ticks, found %I",
                   lua_tostring(lua, lua_upvalueindex(2)), MAX_WAIT_TICKS, (LUAI_UACINT)ticks);
    }
    return ticks;
}

vec3_t BotApi_CheckPoint(lua_State *lua, int arg) {
    const char *name = lua_tostring(lua, lua_upvalueindex(2));
    float axes[3];
    for (int i = 0; i < 3; i++) {
        char what[64];
        snprintf(what, sizeof what, "bot:%s: %c", name, 'x' + i);
        axes[i] = BotApi_CheckFinite(lua, arg + i, what);
    }
    vec3_t point = {axes[0], axes[1], axes[2]};
    if (!VectorWithin(point, (float)MAX_WORLD_COORD)) {
        luaL_error(lua, "bot:%s: expected a point within +-%d, found %f %f %f", name,
                   MAX_WORLD_COORD, (lua_Number)point.x, (lua_Number)point.y, (lua_Number)point.z);
    }
    return point;
}

int32_t BotApi_CheckNumber(lua_State *lua, int arg) {
    const lua_Integer number = luaL_checkinteger(lua, arg);
    return number > 0 && number < MAX_EDICTS ? (int32_t)number : 0;
}

static int api_wait(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    int64_t ticks = BotApi_CheckTicks(lua, 2);
    check_dropped(lua, bot);
    Bot_WaitTicks(bot, BOT_WAITS_TICKS, ticks);
    return BotApi_Yield(lua, bot, waited);
}

/// Continues bot:place and bot:meet after the wait. Raises an error if the wait timed out.
static int reached(lua_State *lua, int status, lua_KContext context) {
    (void)status, (void)context;
    bot_t *bot = Sandbox_Of(lua)->owner;
    const char *name = bot->wait.meeting ? "meet" : "place";
    check_dropped(lua, bot);
    if (!bot->wait.arrived) {
        return luaL_error(lua, "bot:%s: %s", name, bot->reason);
    }
    return 0;
}

/// Implements bot:place(x, y, z), which teleports the player. Needs sv_cheats 1.
static int api_place(lua_State *lua) {
    bot_t *bot = BotApi_CheckJoined(lua);
    vec3_t point = BotApi_CheckPoint(lua, 2);
    check_dropped(lua, bot);
    Bot_Place(bot, point);
    return BotApi_Yield(lua, bot, reached);
}

/// Implements bot:meet(name, count [, ticks]): waits until `count` bots of this process have called
/// it.
static int api_meet(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    const char *name = luaL_checkstring(lua, 2);
    lua_Integer needed = luaL_checkinteger(lua, 3);
    int64_t ticks =
        lua_isnoneornil(lua, 4) ? BOT_MEET_MS / Bot_TickMs(bot) : BotApi_CheckTicks(lua, 4);
    err_t err = {""};
    int32_t round = 0;
    if (needed < 1 || needed > bot->config.count) {
        return luaL_error(lua, "bot:meet: expected 1..%d bots (option -n), found %I",
                          (int)bot->config.count, (LUAI_UACINT)needed);
    }
    check_dropped(lua, bot);
    if (lua != bot->box.thread) {
        return BotApi_Yield(lua, bot, reached); // raises the error for coroutines
    }
    meeting_t *meeting = Meeting_Arrive(bot->config.meetings, name, (int32_t)needed, &round, &err);
    if (!meeting) {
        return luaL_error(lua, "bot:meet: %s", err.text);
    }
    Bot_WaitTicks(bot, BOT_WAITS_MEET, ticks);
    bot->wait.meeting = meeting;
    bot->wait.round = round;
    return BotApi_Yield(lua, bot, reached);
}

static int went(lua_State *lua, int status, lua_KContext context) {
    (void)status, (void)context;
    bot_t *bot = Sandbox_Of(lua)->owner;
    check_dropped(lua, bot);
    bot->move.forward = 0.0f;
    Bot_ApplyMove(bot);
    lua_pushboolean(lua, bot->wait.arrived);
    return 1;
}

static int api_goto_point(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    check_dropped(lua, bot);
    BotApi_CheckJoined(lua);
    vec3_t point = BotApi_CheckPoint(lua, 2);
    Bot_WaitTicks(bot, BOT_WAITS_GOTO, BotApi_CheckTicks(lua, 5));
    bot->wait.point = point;
    return BotApi_Yield(lua, bot, went);
}

/// Pushes the bot's own player: predicted, or from the newest snapshot.
static int push_self(lua_State *lua, bool predicted) {
    const bot_t *bot = BotApi_CheckJoined(lua);
    cl_player_state_t self;
    if (predicted ? !CL_Predicted(bot->cl, &self) : !CL_Self(bot->cl, &self)) {
        return luaL_error(lua, "bot:%s: no player yet, a new map is loading; wait and try again",
                          lua_tostring(lua, lua_upvalueindex(2)));
    }
    BotTable_PushSelf(lua, bot->cl, &self);
    return 1;
}

static int api_self(lua_State *lua) {
    return push_self(lua, false);
}

static int api_predicted(lua_State *lua) {
    return push_self(lua, true);
}

/// Pushes a list of the visible entities or players, without the bot's own player.
static int push_entities(lua_State *lua, const bot_t *bot, bool players_only) {
    cl_entity_state_t list[MAX_SNAPSHOT_ENTS];
    int32_t count = CL_Entities(bot->cl, list, MAX_SNAPSHOT_ENTS);
    int32_t self = CL_Slot(bot->cl) + 1;
    lua_newtable(lua);
    lua_Integer used = 0;
    for (int32_t i = 0; i < Q_MinI(count, MAX_SNAPSHOT_ENTS); i++) {
        bool player = list[i].type == CL_ENTITY_PLAYER;
        if (list[i].number == self || (players_only && !player)) {
            continue;
        }
        BotTable_PushEntity(lua, bot->cl, &list[i]);
        lua_rawseti(lua, -2, ++used);
    }
    return 1;
}

static int api_others(lua_State *lua) {
    return push_entities(lua, BotApi_CheckJoined(lua), true);
}

static int api_entities(lua_State *lua) {
    return push_entities(lua, BotApi_CheckJoined(lua), false);
}

/// Implements bot:events(): the events, and how many were lost since the last call.
static int api_events(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    lua_createtable(lua, bot->num_events, 0);
    for (lua_Integer i = 1; bot->num_events > 0; i++) {
        // Remove the event after the push, because the push can run out of memory.
        BotTable_PushEvent(lua, &bot->events[bot->first_event]);
        lua_rawseti(lua, -2, i);
        bot->first_event = (bot->first_event + 1) % BOT_MAX_EVENTS;
        bot->num_events--;
    }
    uint64_t lost = Bot_EventsLost(bot);
    lua_pushinteger(lua, (lua_Integer)(lost - bot->losses_reported));
    bot->losses_reported = lost;
    return 2;
}

/// Counts a call of bot:expect, with the script's current line.
static void expect(lua_State *lua, bool held, const char *text) {
    bot_t *bot = BotApi_Check(lua);
    char where[128];
    Sandbox_Where(&bot->box, lua, where, sizeof where);
    Bot_Expect(bot, held, where, text);
}

static int api_expect(lua_State *lua) {
    BotApi_Check(lua);
    luaL_checkany(lua, 2);
    const char *why = luaL_optstring(lua, 3, "(no reason given)");
    expect(lua, lua_toboolean(lua, 2), lua_pushfstring(lua, "expected: %s", why));
    lua_pushvalue(lua, 2);
    return 1;
}

/// Returns true if two values are equal: numbers and the axes of vectors within `tolerance`, other
/// values by ==.
static bool are_equal(lua_State *lua, int a, int b, lua_Number tolerance) {
    lua_Number one[3], two[3];
    bool is_number = lua_type(lua, a) == LUA_TNUMBER && lua_type(lua, b) == LUA_TNUMBER;
    if (is_number) {
        return fabs(lua_tonumber(lua, a) - lua_tonumber(lua, b)) <= tolerance;
    }
    bool equal = BotTable_ReadVector(lua, a, one) && BotTable_ReadVector(lua, b, two);
    for (int i = 0; i < 3 && equal; i++) {
        equal = fabs(one[i] - two[i]) <= tolerance;
    }
    return equal || lua_rawequal(lua, a, b);
}

/// Implements bot:expect_eq(found, expected [, what [, tolerance]]).
static int api_expect_eq(lua_State *lua) {
    BotApi_Check(lua);
    luaL_checkany(lua, 3);
    const char *what = luaL_optstring(lua, 4, "value");
    lua_Number tolerance = luaL_optnumber(lua, 5, 0.0);
    bool equal = are_equal(lua, 2, 3, tolerance);
    const char *found = BotTable_PushText(lua, 2);
    const char *expected = BotTable_PushText(lua, 3);
    expect(lua, equal, lua_pushfstring(lua, "%s: expected %s, found %s", what, expected, found));
    lua_pushboolean(lua, equal);
    return 1;
}

static int api_note(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    luaL_checkany(lua, 2);
    bot->config.note(bot->config.note_context, bot->config.index, luaL_tolstring(lua, 2, NULL));
    return 0;
}

static int api_random(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    if (lua_gettop(lua) == 1) {
        lua_pushnumber(lua, (lua_Number)Rng_Float(&bot->rng));
        return 1;
    }
    bool one = lua_gettop(lua) == 2;
    lua_Integer lo = one ? 1 : luaL_checkinteger(lua, 2);
    lua_Integer hi = luaL_checkinteger(lua, one ? 2 : 3);
    if (lo > hi) {
        return luaL_error(lua, "bot:random: expected a first number up to the last, found %I..%I",
                          (LUAI_UACINT)lo, (LUAI_UACINT)hi);
    }
    if (lo < INT32_MIN || hi > INT32_MAX || hi - lo >= INT32_MAX) {
        return luaL_error(lua,
                          "bot:random: expected numbers within -2^31..2^31-1 that are less than "
                          "2^31-1 apart, found %I..%I",
                          (LUAI_UACINT)lo, (LUAI_UACINT)hi);
    }
    lua_pushinteger(lua, lo + (lua_Integer)Rng_Below(&bot->rng, (uint32_t)(hi - lo + 1)));
    return 1;
}

static int api_tick(lua_State *lua) {
    lua_pushinteger(lua, CL_ServerTick(BotApi_Check(lua)->cl));
    return 1;
}

static int api_tick_ms(lua_State *lua) {
    int32_t rate_mhz = CL_TickRate(BotApi_Check(lua)->cl);
    lua_pushnumber(lua, rate_mhz > 0 ? 1e6 / rate_mhz : 0.0);
    return 1;
}

static int api_tickrate(lua_State *lua) {
    lua_pushnumber(lua, CL_TickRate(BotApi_Check(lua)->cl) / 1000.0);
    return 1;
}

/// Implements bot:time_left(): seconds until the time limit; infinite without one.
static int api_time_left(lua_State *lua) {
    const bot_t *bot = BotApi_Check(lua);
    int64_t left_ms = (int64_t)bot->config.limit_s * 1000 - (bot->now_ms - bot->start_ms);
    lua_pushnumber(lua, bot->config.limit_s > 0 ? (lua_Number)left_ms / 1000.0 : HUGE_VAL);
    return 1;
}

static int api_map(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    lua_pushstring(lua, CL_MapName(bot->cl));
    lua_pushboolean(lua, CL_HasMap(bot->cl));
    return 2;
}

static int api_joined(lua_State *lua) {
    lua_pushboolean(lua, BotApi_Check(lua)->joined);
    return 1;
}

static int api_stats(lua_State *lua) {
    cl_stats_t stats;
    cl_net_graph_t graph;
    const bot_t *bot = BotApi_Check(lua);
    CL_Stats(bot->cl, &stats);
    CL_NetGraph(bot->cl, &graph);
    stats.events_lost = Bot_EventsLost(bot);
    BotTable_PushStats(lua, &stats, &graph);
    return 1;
}

static int api_player(lua_State *lua) {
    const bot_t *bot = BotApi_Check(lua);
    lua_Integer slot = luaL_optinteger(lua, 2, CL_Slot(bot->cl) + 1);
    BotTable_PushPlayer(lua, bot->cl, slot >= 1 && slot <= MAX_CLIENTS ? (int32_t)slot - 1 : -1);
    return 1;
}

static int api_world(lua_State *lua) {
    BotTable_PushWorldField(lua, BotApi_Check(lua)->cl, luaL_checkstring(lua, 2));
    return 1;
}

static int api_set_info(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    err_t err;
    if (!CL_SetInfo(bot->cl, luaL_checkstring(lua, 2), luaL_checkstring(lua, 3), &err)) {
        return luaL_error(lua, "bot:set_info: %s", err.text);
    }
    return 0;
}

/// Implements bot:info(key [, slot]): a setting of a player.
static int api_info(lua_State *lua) {
    const bot_t *bot = BotApi_Check(lua);
    lua_Integer slot = luaL_optinteger(lua, 3, CL_Slot(bot->cl) + 1);
    bool is_slot = slot >= 1 && slot <= PROTO_MAX_CLIENTS;
    const char *key = luaL_checkstring(lua, 2);
    lua_pushstring(lua, CL_Info(bot->cl, is_slot ? (int32_t)slot - 1 : -1, key));
    return 1;
}

/// Implements bot:ground(). Pushes the entity that the player stands on, or nil.
static int api_ground(lua_State *lua) {
    const bot_t *bot = BotApi_Check(lua);
    cl_player_state_t self;
    cl_entity_state_t entities[MAX_SNAPSHOT_ENTS];
    int32_t count = CL_Entities(bot->cl, entities, MAX_SNAPSHOT_ENTS);
    if (CL_Self(bot->cl, &self) && self.groundentity > 0) {
        for (int32_t i = 0; i < count; i++) {
            if (entities[i].number == self.groundentity) {
                BotTable_PushEntity(lua, bot->cl, &entities[i]);
                return 1;
            }
        }
    }
    lua_pushnil(lua);
    return 1;
}

/// Implements bot:shown(number): pose and box of an entity, as the server judges a shot of the next
/// command. Pushes nil if the entity is not shown.
static int api_shown(lua_State *lua) {
    const bot_t *bot = BotApi_Check(lua);
    cl_pose_t pose;
    cl_vec3_t mins, maxs;
    if (Bot_Shown(bot, BotApi_CheckNumber(lua, 2), &pose, &mins, &maxs)) {
        BotTable_PushShown(lua, pose, mins, maxs);
    } else {
        lua_pushnil(lua);
    }
    return 1;
}

static int api_print(lua_State *lua) {
    bot_t *bot = Sandbox_Of(lua)->owner;
    luaL_Buffer buffer;
    int count = lua_gettop(lua);
    luaL_buffinit(lua, &buffer);
    for (int i = 1; i <= count; i++) {
        if (i > 1) {
            luaL_addchar(&buffer, ' ');
        }
        luaL_tolstring(lua, i, NULL);
        luaL_addvalue(&buffer);
    }
    luaL_pushresult(&buffer);
    bot->config.note(bot->config.note_context, bot->config.index, lua_tostring(lua, -1));
    return 0;
}

int BotApi_Open(lua_State *lua) {
    static const luaL_Reg methods[] = {
        {"join", api_join},           {"leave", api_leave},
        {"move", BotApi_Move},        {"aim_at", BotApi_AimAt},
        {"wait", api_wait},           {"goto_point", api_goto_point},
        {"route", Routes_Api},        {"sees", Routes_ApiSees},
        {"self", api_self},           {"predicted", api_predicted},
        {"others", api_others},       {"entities", api_entities},
        {"events", api_events},       {"expect", api_expect},
        {"expect_eq", api_expect_eq}, {"place", api_place},
        {"meet", api_meet},           {"time_left", api_time_left},
        {"say", BotApi_Say},          {"say_team", BotApi_SayTeam},
        {"command", BotApi_Command},  {"console", BotApi_Console},
        {"note", api_note},           {"random", api_random},
        {"tick", api_tick},           {"tick_ms", api_tick_ms},
        {"tickrate", api_tickrate},   {"map", api_map},
        {"joined", api_joined},       {"stats", api_stats},
        {"set_info", api_set_info},   {"info", api_info},
        {"player", api_player},       {"world", api_world},
        {"ground", api_ground},       {"shown", api_shown},
    };
    const bot_t *bot = Sandbox_Of(lua)->owner;
    BotTable_Open(lua);
    lua_newtable(lua);
    for (size_t i = 0; i < COUNTOF(methods); i++) {
        lua_pushvalue(lua, -1);
        lua_pushstring(lua, methods[i].name);
        lua_pushcclosure(lua, methods[i].func, 2);
        lua_setfield(lua, -2, methods[i].name);
    }
    lua_pushinteger(lua, bot->config.index);
    lua_setfield(lua, -2, "index");
    lua_pushinteger(lua, bot->config.count);
    lua_setfield(lua, -2, "count");
    lua_pushinteger(lua, bot->config.limit_s);
    lua_setfield(lua, -2, "seconds");
    lua_setglobal(lua, "bot");
    lua_pushcfunction(lua, api_print);
    lua_setglobal(lua, "print");
    return 0;
}
