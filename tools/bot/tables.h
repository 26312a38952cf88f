/// bot/tables.h - what the engine knows, as Lua tables.
//
// Floor:   tools.
// Each pushes one table. A vector is {x=, y=, z=} and {[1]=, [2]=, [3]=} at once.

#ifndef EDICTD_BOT_TABLES_H
#define EDICTD_BOT_TABLES_H

#include "client/client.h"

#include <lua.h>

/// bot:self(): the player, with his slot (1-based), name and the tick of it.
void BotTable_PushSelf(lua_State *lua, const cl_t *cl, const player_state_t *player);

/// One of bot:others() or bot:entities(). Players have a name and a slot.
void BotTable_PushEntity(lua_State *lua, const cl_t *cl, const entity_state_t *entity);

/// One of bot:events().
void BotTable_PushEvent(lua_State *lua, const cl_t *cl, const cl_event_t *event);

/// bot:stats().
void BotTable_PushStats(lua_State *lua, const cl_stats_t *stats);

#endif
