#include "bot/routes.h"

#include "bot/api.h"
#include "client/maps.h"
#include "math/angles.h"

#include <lauxlib.h>
#include <stdlib.h>

#define MAX_CORNERS   256   // of a route; later calls return the rest
#define PLACES_A_CALL 1000  // about 10 ms, so that no command is late
#define EYES          22.0f // qu above the origin

/// Explores a part of a map. Returns the graph when it is complete, NULL before, and if out of
/// memory.
static const reach_t *graph_of(routes_t *routes, const cmap_t *map) {
    uint64_t hash = CM_Info(map).hash;
    if (routes->hash != hash || !routes->entities) {
        err_t ignored;
        Routes_Free(routes);
        routes->hash = hash;
        routes->entities = calloc(1, sizeof *routes->entities);
        if (!routes->entities) {
            return NULL;
        }
        (void)MapEntities_Read(routes->entities, map, &ignored); // a part of them is good enough
        if (!Reach_Begin(&routes->reach, map, routes->entities)) {
            Routes_Free(routes);
            return NULL;
        }
    }
    routes->reach.map = map; // the client may have loaded the same map again
    return Reach_Continue(&routes->reach, PLACES_A_CALL) ? &routes->reach : NULL;
}

void Routes_Free(routes_t *routes) {
    Reach_Free(&routes->reach);
    free(routes->entities);
    *routes = (routes_t){.entities = NULL};
}

static vec3_t check_point(lua_State *lua) {
    float axes[3];
    for (int i = 0; i < 3; i++) {
        lua_Number number = luaL_checknumber(lua, 2 + i);
        axes[i] = Q_ClampF((float)number, -MAX_WORLD_COORD, MAX_WORLD_COORD); // NaN: the lower end
    }
    return Vector(axes[0], axes[1], axes[2]);
}

int Routes_Api(lua_State *lua) {
    static const char *const kinds[] = {"walk", "jump", "carried"};
    static const char *const keys[] = {"x", "y", "z", "yaw"};
    bot_t *bot = BotApi_Check(lua);
    vec3_t to = check_point(lua);
    const cmap_t *map = CL_LoadedMap(bot->cl);
    const reach_t *reach = map ? graph_of(bot->config.routes, map) : NULL;
    reach_corner_t corners[MAX_CORNERS];
    cl_player_state_t self;
    int32_t count = reach && CL_Self(bot->cl, &self)
                        ? Reach_Route(reach, self.origin, to, corners, MAX_CORNERS)
                        : 0;
    if (count == 0) {
        lua_pushnil(lua);
        lua_pushstring(lua, map && !reach ? "exploring" : "no route");
        return 2;
    }
    lua_createtable(lua, count, 0);
    for (int32_t i = 0; i < count; i++) {
        const reach_corner_t *at = &corners[i];
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
    vec3_t to = check_point(lua);
    const cmap_t *map = CL_LoadedMap(bot->cl);
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    cl_player_state_t self;
    bool sees = CL_Self(bot->cl, &self);
    if (sees && map) {
        vec3_t eyes = {self.origin.x, self.origin.y, self.origin.z + EYES};
        sees = CM_BoxTrace(map, &(cm_object_t){.model = 0}, eyes, to, zero, zero).fraction == 1.0f;
    }
    lua_pushboolean(lua, sees);
    return 1;
}
