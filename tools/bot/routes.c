#include "bot/routes.h"

#include "bot/api.h"

#include <lauxlib.h>

#define MAX_CORNERS 256 // of a route; later calls return the rest

int Routes_Api(lua_State *lua) {
    static const char *const kinds[] = {"walk", "jump", "carried"};
    static const char *const keys[] = {"x", "y", "z", "yaw"};
    bot_t *bot = BotApi_Check(lua);
    cl_vec3_t to = BotApi_CheckPoint(lua, 2);
    cl_corner_t corners[MAX_CORNERS];
    cl_player_state_t self;
    int32_t count = 0;
    if (CL_Self(bot->cl, &self)) {
        count = CL_Route(bot->config.routes, bot->cl, self.origin, to, corners, MAX_CORNERS);
    }
    if (count <= 0) {
        lua_pushnil(lua);
        lua_pushstring(lua, count < 0 ? "exploring" : "no route");
        return 2;
    }
    lua_createtable(lua, count, 0);
    for (int32_t i = 0; i < count; i++) {
        const cl_corner_t *at = &corners[i];
        const float values[] = {at->origin.x, at->origin.y, at->origin.z, at->yaw};
        lua_createtable(lua, 0, 5);
        for (size_t k = 0; k < COUNTOF(keys); k++) {
            lua_pushnumber(lua, (lua_Number)values[k]);
            lua_setfield(lua, -2, keys[k]);
        }
        lua_pushstring(lua, kinds[at->kind]);
        lua_setfield(lua, -2, "kind");
        lua_rawseti(lua, -2, i + 1);
    }
    return 1;
}

int Routes_ApiSees(lua_State *lua) {
    bot_t *bot = BotApi_Check(lua);
    cl_vec3_t to = BotApi_CheckPoint(lua, 2);
    const cl_vec3_t zero = {0.0f, 0.0f, 0.0f};
    cl_player_state_t self;
    cl_trace_t trace;
    bool sees = CL_Self(bot->cl, &self);
    if (sees) {
        self.origin.z += CL_ViewHeight(bot->cl, &self);
        (void)CL_MapTrace(bot->cl, self.origin, to, zero, zero, &trace); // a miss without a map
        sees = trace.fraction == 1.0f;
    }
    lua_pushboolean(lua, sees);
    return 1;
}
