#include "bot/tables.h"

#include "math/angles.h"

#include <lauxlib.h>
#include <stdio.h>

static void set_number(lua_State *lua, const char *key, double value) {
    lua_pushnumber(lua, value);
    lua_setfield(lua, -2, key);
}

static void set_integer(lua_State *lua, const char *key, int64_t value) {
    lua_pushinteger(lua, value);
    lua_setfield(lua, -2, key);
}

static void set_bool(lua_State *lua, const char *key, bool value) {
    lua_pushboolean(lua, value);
    lua_setfield(lua, -2, key);
}

static void set_text(lua_State *lua, const char *key, const char *value) {
    lua_pushstring(lua, value);
    lua_setfield(lua, -2, key);
}

#define VECTOR_TYPE "vector" // key of the metatable in the registry

bool BotTable_ReadVector(lua_State *lua, int index, lua_Number axes[3]) {
    static const char *const names[3] = {"x", "y", "z"};
    bool is_vector = lua_istable(lua, index);
    bool is_list = is_vector && lua_rawlen(lua, index) == 3;
    for (int i = 0; i < 3 && is_vector; i++) {
        lua_pushstring(lua, names[i]);
        int type = is_list ? lua_rawgeti(lua, index, i + 1) : lua_rawget(lua, index);
        is_vector = type == LUA_TNUMBER;
        axes[i] = lua_tonumber(lua, -1) + 0.0; // adding 0 turns -0 into 0
        lua_pop(lua, is_list ? 2 : 1);
    }
    return is_vector;
}

const char *BotTable_PushText(lua_State *lua, int index) {
    lua_Number axes[3];
    if (!BotTable_ReadVector(lua, index, axes)) {
        return luaL_tolstring(lua, index, NULL);
    }
    char text[96];
    snprintf(text, sizeof text, "(%g %g %g)", axes[0], axes[1], axes[2]);
    return lua_pushstring(lua, text);
}

static int vector_tostring(lua_State *lua) {
    BotTable_PushText(lua, 1);
    return 1;
}

static int vector_concat(lua_State *lua) {
    BotTable_PushText(lua, 1);
    BotTable_PushText(lua, 2);
    lua_concat(lua, 2);
    return 1;
}

void BotTable_Open(lua_State *lua) {
    luaL_newmetatable(lua, VECTOR_TYPE);
    lua_pushcfunction(lua, vector_tostring);
    lua_setfield(lua, -2, "__tostring");
    lua_pushcfunction(lua, vector_concat);
    lua_setfield(lua, -2, "__concat");
    lua_pushstring(lua, VECTOR_TYPE);
    lua_setfield(lua, -2, "__metatable"); // hides the metatable from scripts
    lua_pop(lua, 1);
}

static void set_vector(lua_State *lua, const char *key, vec3_t v) {
    static const char *const names[3] = {"x", "y", "z"};
    lua_createtable(lua, 3, 3);
    for (int i = 0; i < 3; i++) {
        lua_pushnumber(lua, (lua_Number)VectorAxis(v, i));
        lua_pushvalue(lua, -1);
        lua_setfield(lua, -3, names[i]);
        lua_rawseti(lua, -2, i + 1);
    }
    luaL_setmetatable(lua, VECTOR_TYPE);
    lua_setfield(lua, -2, key);
}

static const char *contents_name(int32_t contents) {
    static const char *const names[] = {"empty", "solid", "water", "slime", "lava", "sky"};
    if (contents >= CL_CONTENTS_SKY && contents <= CL_CONTENTS_EMPTY) {
        return names[CL_CONTENTS_EMPTY - contents];
    }
    bool current = contents <= CL_CONTENTS_CURRENT_0 && contents >= CL_CONTENTS_CURRENT_DOWN;
    return current                                                              ? "water"
           : contents == CL_CONTENTS_LADDER                                     ? "ladder"
           : contents == CL_CONTENTS_CONTROLS || contents == CL_CONTENTS_MANNED ? "controls"
           : contents == CL_CONTENTS_PUSH || contents == CL_CONTENTS_PUSH_ONCE  ? "push"
                                                                                : "other";
}

void BotTable_PushSelf(lua_State *lua, const cl_t *cl, const cl_player_state_t *player) {
    static const char *const types[CL_PM_DRIVING + 1] = {"normal", "spectator", "dead", "frozen",
                                                         "driving"};
    static const char *const movetypes[CL_MOVETYPE_FOLLOW + 1] = {
        [CL_MOVETYPE_NONE] = "none", [CL_MOVETYPE_NOCLIP] = "noclip",
        [CL_MOVETYPE_WALK] = "walk", [CL_MOVETYPE_TOSS] = "toss",
        [CL_MOVETYPE_FLY] = "fly",   [CL_MOVETYPE_FOLLOW] = "follow"};
    lua_createtable(lua, 0, 28);
    set_vector(lua, "origin", player->origin);
    set_vector(lua, "velocity", player->velocity);
    set_vector(lua, "mins", player->mins);
    set_vector(lua, "maxs", player->maxs);
    set_number(lua, "pitch", (double)player->angles.x);
    set_number(lua, "yaw", (double)AngleMod(player->angles.y));
    vec3_t level = {player->velocity.x, player->velocity.y, 0.0f};
    set_number(lua, "speed", (double)VectorLength(level));
    set_number(lua, "heading", (double)player->heading);
    set_bool(lua, "onground", (player->flags & CL_FLAG_ONGROUND) != 0);
    set_integer(lua, "ground", player->groundentity);
    set_bool(lua, "ducked", (player->flags & CL_FLAG_DUCKED) != 0);
    set_bool(lua, "onladder", (player->flags & CL_FLAG_ONLADDER) != 0);
    set_integer(lua, "waterlevel", player->waterlevel);
    set_text(lua, "watertype", contents_name(player->watertype));
    set_integer(lua, "health", player->health);
    bool is_spectator = player->pm_type == CL_PM_SPECTATOR;
    set_bool(lua, "dead", player->pm_type == CL_PM_DEAD || (!is_spectator && player->health <= 0));
    bool known = player->pm_type >= 0 && player->pm_type < CL_PM_DRIVING + 1;
    set_text(lua, "type", known ? types[player->pm_type] : "?");
    known = player->movetype >= 0 && player->movetype < CL_MOVETYPE_FOLLOW + 1;
    const char *movetype = known ? movetypes[player->movetype] : NULL;
    set_text(lua, "movetype", movetype ? movetype : "?");
    set_integer(lua, "teleport", (player->flags & CL_FLAG_TELEPORT) >> 8);
    set_integer(lua, "slot", CL_Slot(cl) + 1);
    if (CL_Followed(cl) >= 0) {
        set_integer(lua, "follows", CL_Followed(cl) + 1);
    }
    set_text(lua, "name", CL_PlayerName(cl, CL_Slot(cl)));
    set_integer(lua, "tick", CL_ServerTick(cl));
}

static vec3_t from_wire(const int32_t v[3], float scale) {
    return Vector((float)v[0] * scale, (float)v[1] * scale, (float)v[2] * scale);
}

static void push_model(lua_State *lua, const cl_t *cl, const cl_entity_state_t *entity) {
    char brush[16];
    snprintf(brush, sizeof brush, "*%d", entity->model);
    set_text(lua, "model", CL_IsBrush(entity) ? brush : CL_ModelName(cl, entity));
}

// Pushes a number, a text, or the number of an entity.
static void push_value(lua_State *lua, const cl_value_t *value) {
    if (value->type == CL_VALUE_TEXT) {
        lua_pushstring(lua, value->text);
    } else if (value->type == CL_VALUE_FLOAT) {
        lua_pushnumber(lua, (lua_Number)value->real);
    } else {
        lua_pushinteger(lua, value->number);
    }
}

// Adds the fields of an entity or of a player to the table on the stack's top. `number`: of the
// entity, or slot of the player.
static void add_fields(lua_State *lua, const cl_t *cl, cl_scope_t scope, int32_t number) {
    for (int32_t i = 0; i < CL_NumFields(cl, scope); i++) {
        const char *name = CL_Field(cl, scope, i);
        cl_value_t value;
        bool known = scope == CL_SCOPE_PLAYER ? CL_PlayerField(cl, number, name, &value)
                                              : CL_EntityField(cl, number, name, &value);
        if (known) {
            push_value(lua, &value);
            lua_setfield(lua, -2, name);
        }
    }
}

void BotTable_PushWorldField(lua_State *lua, const cl_t *cl, const char *name) {
    cl_value_t value;
    if (CL_WorldField(cl, name, &value)) {
        push_value(lua, &value);
    } else {
        lua_pushnil(lua);
    }
}

void BotTable_PushPlayer(lua_State *lua, const cl_t *cl, int32_t slot) {
    cl_player_row_t row;
    if (!CL_Player(cl, slot, &row)) {
        lua_pushnil(lua);
        return;
    }
    lua_createtable(lua, 0, 6);
    set_integer(lua, "slot", slot + 1);
    set_text(lua, "name", row.name);
    set_integer(lua, "ping", row.ping_ms);
    set_integer(lua, "team", row.team);
    set_integer(lua, "score", row.score);
    lua_newtable(lua);
    add_fields(lua, cl, CL_SCOPE_PLAYER, slot);
    lua_setfield(lua, -2, "fields");
}

void BotTable_PushEntity(lua_State *lua, const cl_t *cl, const cl_entity_state_t *entity) {
    static const char *const types[CL_ENTITY_PROJECTILE + 1] = {"general", "player", "brush",
                                                                "projectile"};
    static const char *const solids[CL_SOLID_BSP + 1] = {"not", "trigger", "bbox", "slidebox",
                                                         "bsp"};
    const float scale = 1.0f / 16.0f;
    lua_createtable(lua, 0, 20);
    set_integer(lua, "number", entity->number);
    set_integer(lua, "generation", entity->generation & CL_GENERATION);
    bool known = entity->type >= 0 && entity->type < CL_ENTITY_PROJECTILE + 1;
    set_text(lua, "type", known ? types[entity->type] : "?");
    known = entity->solid >= 0 && entity->solid < CL_SOLID_BSP + 1;
    set_text(lua, "solid", known ? solids[entity->solid] : "?");
    set_text(lua, "class", CL_ClassName(cl, entity));
    push_model(lua, cl, entity);
    set_integer(lua, "effects", entity->effects);
    set_vector(lua, "origin", from_wire(entity->origin, scale));
    set_vector(lua, "velocity", from_wire(entity->velocity, 1.0f));
    set_vector(lua, "mins", from_wire(entity->mins, scale));
    set_vector(lua, "maxs", from_wire(entity->maxs, scale));
    set_number(lua, "pitch", (double)AngleNormalize180(ShortToAngle((uint16_t)entity->angles[0])));
    set_number(lua, "yaw", (double)ShortToAngle((uint16_t)entity->angles[1]));
    set_number(lua, "roll", (double)AngleNormalize180(ShortToAngle((uint16_t)entity->angles[2])));
    static const char *const motions[CL_MOTION_FOLLOWS] = {"stands", "moves", "spins", "swings",
                                                           "follows"};
    if (entity->motion != CL_MOTION_NONE) {
        known = entity->motion >= 1 && entity->motion <= CL_MOTION_FOLLOWS;
        set_text(lua, "motion", known ? motions[entity->motion - 1] : "?");
    }
    if (entity->parent > 0) {
        set_integer(lua, "parent", entity->parent);
    }
    if (entity->contents != 0) {
        set_text(lua, "contents", contents_name(entity->contents));
    }
    if (entity->owner > 0) {
        set_integer(lua, "slot", entity->owner);
        set_text(lua, "name", CL_PlayerName(cl, entity->owner - 1));
    }
    lua_newtable(lua);
    add_fields(lua, cl, CL_SCOPE_ENTITY, entity->number);
    if (entity->owner > 0) {
        add_fields(lua, cl, CL_SCOPE_PLAYER, entity->owner - 1);
    }
    lua_setfield(lua, -2, "fields");
}

void BotTable_PushShown(lua_State *lua, cl_pose_t pose, cl_vec3_t mins, cl_vec3_t maxs) {
    lua_createtable(lua, 0, 6);
    set_vector(lua, "origin", pose.origin);
    set_vector(lua, "mins", mins);
    set_vector(lua, "maxs", maxs);
    set_number(lua, "pitch", (double)pose.angles.x);
    set_number(lua, "yaw", (double)pose.angles.y);
    set_number(lua, "roll", (double)pose.angles.z);
}

static void push_game_event(lua_State *lua, const cl_event_t *event) {
    set_text(lua, "name", event->text);
    set_integer(lua, "entity", event->entity);
    set_integer(lua, "range", event->range);
    set_number(lua, "volume", (double)event->volume);
    if (event->has_origin) {
        set_vector(lua, "origin", event->origin);
    }
    lua_createtable(lua, event->num_args, 0);
    for (int32_t i = 0; i < event->num_args; i++) {
        lua_pushinteger(lua, event->args[i]);
        lua_rawseti(lua, -2, i + 1);
    }
    lua_setfield(lua, -2, "args");
}

void BotTable_PushEvent(lua_State *lua, const cl_event_t *event) {
    static const char *const types[] = {
        [CL_EVENT_CONNECTED] = "connected",
        [CL_EVENT_MAP] = "map",
        [CL_EVENT_ACTIVE] = "active",
        [CL_EVENT_PRINT] = "print",
        [CL_EVENT_CENTER] = "center",
        [CL_EVENT_CHAT] = "chat",
        [CL_EVENT_SOUND] = "sound",
        [CL_EVENT_EFFECT] = "effect",
        [CL_EVENT_JOINED] = "joined",
        [CL_EVENT_LEFT] = "left",
        [CL_EVENT_INFO] = "info",
        [CL_EVENT_TICKET] = "ticket",
        [CL_EVENT_LOST] = "lost",
        [CL_EVENT_BACK] = "back",
        [CL_EVENT_RECONNECTING] = "reconnecting",
        [CL_EVENT_RETURNED] = "returned",
        [CL_EVENT_DROPPED] = "dropped",
        [CL_EVENT_DOWNLOAD] = "download",
    };
    lua_createtable(lua, 0, 9);
    set_text(lua, "type", types[event->type]);
    set_text(lua, "text", event->text);
    set_integer(lua, "tick", event->tick);
    cl_event_type_t type = event->type;
    bool has_name = type == CL_EVENT_JOINED || type == CL_EVENT_LEFT || type == CL_EVENT_INFO ||
                    type == CL_EVENT_LOST || type == CL_EVENT_BACK;
    if (has_name || type == CL_EVENT_CHAT || type == CL_EVENT_CONNECTED ||
        type == CL_EVENT_RETURNED) {
        set_integer(lua, "slot", event->number + 1);
    }
    if (has_name) {
        set_text(lua, "name", event->text);
        if (type == CL_EVENT_INFO) {
            set_text(lua, "before", event->name);
        }
    } else if (type == CL_EVENT_CHAT) {
        set_text(lua, "name", event->name);
        set_bool(lua, "team", event->team);
    } else if (type == CL_EVENT_MAP) {
        set_bool(lua, "loaded", event->number == 1);
    } else if (type == CL_EVENT_SOUND || type == CL_EVENT_EFFECT) {
        push_game_event(lua, event);
    }
}

void BotTable_PushStats(lua_State *lua, const cl_stats_t *stats, const cl_net_graph_t *graph) {
    lua_createtable(lua, 0, 25);
    set_integer(lua, "jitter_ms", graph->jitter_ms);
    set_number(lua, "loss_up", (double)graph->loss_up);
    set_number(lua, "loss_down", (double)graph->loss_down);
    set_integer(lua, "queued_ms", graph->queued_ms);
    set_number(lua, "tick_worst_ms", (double)graph->tick_worst_ms);
    set_text(lua, "why", graph->why);
    set_integer(lua, "snapshots", (int64_t)stats->snapshots);
    set_integer(lua, "snapshots_stale", (int64_t)stats->snapshots_stale);
    set_integer(lua, "snapshots_missed", (int64_t)stats->snapshots_missed);
    set_integer(lua, "snapshot_bytes", (int64_t)stats->snapshot_bytes);
    set_integer(lua, "deferred_entities", (int64_t)stats->deferred_entities);
    set_integer(lua, "cmds", (int64_t)stats->cmds);
    set_integer(lua, "cmds_skipped", (int64_t)stats->cmds_skipped);
    set_integer(lua, "filled_ms", (int64_t)stats->filled_ms);
    set_integer(lua, "dropped_cmds", (int64_t)stats->dropped_cmds);
    set_integer(lua, "predictions", (int64_t)stats->predictions);
    set_integer(lua, "mispredictions", (int64_t)stats->mispredictions);
    set_number(lua, "error_max", (double)stats->error_max);
    set_integer(lua, "crates_left_out", (int64_t)stats->crates_left_out);
    set_integer(lua, "events_lost", (int64_t)stats->events_lost);
    set_integer(lua, "rtt_ms", stats->rtt_ms);
    set_integer(lua, "lead_ms", stats->lead_ms);
    set_integer(lua, "bytes_in", (int64_t)stats->net.bytes_in);
    set_integer(lua, "bytes_out", (int64_t)stats->net.bytes_out);
}
