/// bot/routes.h - bot:route and bot:sees: what a bot knows of the map that it has loaded.

#ifndef EDICTD_BOT_ROUTES_H
#define EDICTD_BOT_ROUTES_H

#include <lua.h>

/// bot:route(x, y, z): the corners of the fastest route to a point, each with x, y, z, kind and
/// yaw. Returns nil and why without a route: "exploring" while the graph is not complete; each call
/// explores a part.
int Routes_Api(lua_State *lua);

/// bot:sees(x, y, z): true if no wall of the map is between the bot's eyes and the point.
int Routes_ApiSees(lua_State *lua);

#endif
