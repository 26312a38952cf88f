/// core/game_api.h - all that a game module and the engine know of each other: one versioned table
/// each way. A game can be written from this page alone.
//
// Floor:   core. server/game includes this, math and state, and nothing else.
// Units:   qu, qu/s, degrees, ms of world time.
// Memory:  an edict pointer is good inside one call; keep an edict_ref_t across calls. The game has
//          no variables of its own: what it remembers lies in edict->game, client->game and
//          world->game, so that it is saved, hashed and replayed.
// Repeat:  no clock, no randomness, no files: time and random numbers come from the engine.
//
// How a map entity comes to life: the engine reads the entity text, finds the class in `spawns`,
// spawns an edict, fills origin, angles, model, targetname, target and the game's own fields from
// the keys (see game_field_t), then calls the spawn function. It sets solid, movetype, box and
// callbacks and links the edict. An unknown class is logged once and counted.

#ifndef EDICTD_CORE_GAME_API_H
#define EDICTD_CORE_GAME_API_H

#include "world/world.h"

#define GAME_API_VERSION 1

/// How the text of a map key becomes a value of edict->game.
typedef enum {
    FIELD_INT,    ///< int32_t
    FIELD_FLOAT,  ///< float
    FIELD_VECTOR, ///< vec3_t, "x y z"
    FIELD_STRING, ///< int32_t, a string id
    FIELD_REF     ///< edict_ref_t; not settable from a map
} game_field_type_t;

/// A field of the game in every edict: `offset` into edict->game. `key` is the map key; keys that
/// no field takes are ignored (maps carry keys of editors and compilers).
typedef struct {
    const char *key;
    game_field_type_t type;
    uint32_t offset;
} game_field_t;

/// A class of map entities.
typedef struct {
    const char *classname;
    void (*spawn)(sv_context_t *sv, edict_t *self); ///< NULL: known, makes nothing
} game_spawn_t;

/// What the engine does for the game. Every function is safe inside any callback.
typedef struct game_import_s {
    /// World time in ms: inside a think the think's own time, else the end of the tick.
    int64_t (*time_ms)(const sv_context_t *sv);
    /// A random float in [0, 1), from the world's own numbers.
    float (*random)(sv_context_t *sv);
    /// The id of a function of the game's table, for edict->think, touch, use. 0 = no such name.
    int32_t (*callback)(const sv_context_t *sv, const char *name);

    /// A new edict, or NULL when all are taken. It acts from the next tick on.
    edict_t *(*spawn)(sv_context_t *sv);
    /// Takes an edict out at the end of the tick; at once it neither stops nor touches anything.
    void (*remove)(sv_context_t *sv, edict_t *edict);
    edict_t *(*deref)(const sv_context_t *sv, edict_ref_t ref); ///< NULL when gone
    edict_ref_t (*ref)(const sv_context_t *sv, const edict_t *edict);
    edict_t *(*edict)(const sv_context_t *sv, int32_t number); ///< NULL when not in use
    int32_t (*number)(const sv_context_t *sv, const edict_t *edict);
    /// The client that plays an edict, or NULL.
    client_t *(*client)(const sv_context_t *sv, const edict_t *edict);
    /// The next living edict after `after` (NULL = from the start) with that targetname, or NULL.
    edict_t *(*find_target)(const sv_context_t *sv, const edict_t *after, const char *name);
    /// The next living edict after `after` with that classname, or NULL.
    edict_t *(*find_class)(const sv_context_t *sv, const edict_t *after, const char *name);

    /// Calls the use function of an edict: `other` fires it for `activator` (NULL = nobody). Nothing
    /// happens when it has none.
    void (*use)(sv_context_t *sv, edict_t *edict, edict_t *other, edict_t *activator);

    /// Tells the engine that origin, box or solid changed.
    void (*link)(sv_context_t *sv, edict_t *edict, bool touch_triggers);
    /// Gives it brush model `model` of the map: box and solid shape. False for a bad number.
    bool (*set_model)(sv_context_t *sv, edict_t *edict, int32_t model);
    /// Sets when it thinks next; 0 = never.
    void (*next_think)(sv_context_t *sv, edict_t *edict, int64_t time_ms);
    /// Puts it elsewhere, view and velocity included; clients do not interpolate across. A place
    /// outside the world is refused and logged.
    void (*teleport)(sv_context_t *sv, edict_t *edict, vec3_t origin, vec3_t angles,
                     vec3_t velocity);
    /// Changes what a client is: PM_NORMAL, PM_DEAD, PM_FROZEN.
    void (*set_pm_type)(sv_context_t *sv, edict_t *edict, int32_t pm_type);

    /// Sweeps a box; `pass` and what it owns are not hit. monsters = false: only map and brushes.
    trace_t (*trace)(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                     bool monsters, const edict_t *pass);
    contents_t (*contents)(const sv_context_t *sv, vec3_t point);
    /// Numbers of solid edicts that touch a box, in index order; at most max.
    int32_t (*area)(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max);

    int32_t (*string)(sv_context_t *sv, const char *text); ///< interned: a string id
    const char *(*text)(const sv_context_t *sv, int32_t id);
    /// Text for one client's screen (slot), or all (EVENT_TO_ALL).
    void (*print)(sv_context_t *sv, int32_t client, const char *text);
    /// Something happened at a place: clients get the name.
    void (*effect)(sv_context_t *sv, const edict_t *edict, vec3_t origin, const char *name);
    /// A line for the server's log.
    void (*log)(sv_context_t *sv, log_level_t level, const char *text);
} game_import_t;

/// What the game does for the engine.
typedef struct {
    int32_t api_version; ///< GAME_API_VERSION
    const char *name;
    const callback_t *callbacks;
    int32_t num_callbacks;
    const game_field_t *fields;
    int32_t num_fields;
    const game_spawn_t *spawns;
    int32_t num_spawns;
    /// After all map entities were spawned.
    void (*map_started)(sv_context_t *sv);
    /// A client joined: place his edict (spawn point, box, health). Linked by the engine after.
    void (*client_join)(sv_context_t *sv, edict_t *player, client_t *client);
    /// He leaves; his edict goes after this call.
    void (*client_leave)(sv_context_t *sv, edict_t *player, client_t *client);
    /// After each sub-step of his, after touches.
    void (*client_step)(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                        int32_t step_ms);
    /// He typed a command. False: unknown, the engine tells him so.
    bool (*client_command)(sv_context_t *sv, edict_t *player, client_t *client, const char *text);
} game_export_t;

#endif
