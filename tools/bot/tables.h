/// bot/tables.h - converts engine structs to Lua tables.
//
// Each Push function pushes one table. A vector has the keys x, y, z and 1, 2, 3.

#ifndef EDICTD_BOT_TABLES_H
#define EDICTD_BOT_TABLES_H

#include "base/err.h"
#include "base/limits.h"
#include "edict/client.h"

#include <lua.h>

/// Creates the metatable of vectors. Call once, before any other function.
void BotTable_Open(lua_State *lua);

/// Reads a vector: a table with the numbers x, y and z, or a list of three numbers. Returns false
/// for any other value.
bool BotTable_ReadVector(lua_State *lua, int index, lua_Number axes[3]);

/// Pushes and returns the text of the value at stack index `index` (above 0). The text of a vector
/// is "(1 2 3)".
const char *BotTable_PushText(lua_State *lua, int index);

/// Pushes the result of bot:self(): player state, slot (from 1), name and server tick.
void BotTable_PushSelf(lua_State *lua, const cl_t *cl, const cl_player_state_t *player);

/// Pushes a field of the match, or nil if there is none of this name.
void BotTable_PushWorldField(lua_State *lua, const cl_t *cl, const char *name);

/// Pushes the result of bot:player(): slot (from 1), name, ping, team, score and fields. Pushes nil
/// for an empty slot.
void BotTable_PushPlayer(lua_State *lua, const cl_t *cl, int32_t slot);

/// Pushes an element of bot:others() or bot:entities(). Players have a name and a slot.
void BotTable_PushEntity(lua_State *lua, const cl_t *cl, const cl_entity_state_t *entity);

/// Pushes the result of bot:shown(): a pose, and the box relative to its origin.
void BotTable_PushShown(lua_State *lua, cl_pose_t pose, cl_vec3_t mins, cl_vec3_t maxs);

/// Pushes an element of bot:events().
void BotTable_PushEvent(lua_State *lua, const cl_event_t *event);

/// Pushes the result of bot:stats().
void BotTable_PushStats(lua_State *lua, const cl_stats_t *stats, const cl_net_graph_t *graph);

#endif
