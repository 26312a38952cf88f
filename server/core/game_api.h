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

#include "base/cvar.h"
#include "world/world.h"

#define GAME_API_VERSION 2

/// What lies in a field, and how the text of a map key becomes it.
typedef enum {
    FIELD_INT,    ///< int32_t; a map may write it as "1.0"
    FIELD_TIME,   ///< int64_t, ms; not settable from a map
    FIELD_FLOAT,  ///< float
    FIELD_VECTOR, ///< vec3_t, "x y z"
    FIELD_STRING, ///< int32_t, a string id
    FIELD_REF,    ///< edict_ref_t; not settable from a map
    FIELD_TYPE_COUNT
} game_field_type_t;

/// Who besides the game sees a field.
#define FIELD_KEY   (1u << 0) // edict: a map key of this name sets it
#define FIELD_OWNER (1u << 1) // client, FIELD_INT: sent to the player himself when it changes
#define FIELD_ALL   (1u << 2) // client, FIELD_INT: sent to everybody (scores)

/// A field of the game: one line here is all that saving, hashing, the wire, reload and the editor's
/// definitions need to know. Everything the game keeps has a line; bytes without one are zero.
typedef struct {
    const char *name; ///< also the map key, at most 31 bytes
    game_field_type_t type;
    uint32_t offset;  ///< into edict->game, client->game or world->game
    uint32_t flags;   ///< FIELD_*
    const char *help; ///< for the editor; NULL = none
} game_field_t;

typedef struct {
    const game_field_t *list;
    int32_t count;
} game_fields_t;

/// A class of map entities.
typedef struct {
    const char *classname;
    void (*spawn)(sv_context_t *sv, edict_t *self); ///< NULL: known, makes nothing
    const char *keys; ///< names of the edict fields it uses, with spaces between; NULL = none
    const char *help; ///< one line for the editor; NULL = none
} game_spawn_t;

/// A cvar of the game: its value lies in world->game at def.offset (int32_t or float).
typedef struct {
    const cvar_def_t *list;
    int32_t count;
} game_cvar_table_t;

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
    /// Sets when it thinks next; 0 = never. A mover's time is its own: mover_time.
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

    /// The same for triggers and volumes.
    int32_t (*area_triggers)(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max);
    /// True when the edict is inside something solid where it stands.
    bool (*is_stuck)(sv_context_t *sv, edict_t *edict);
    /// True when two edicts overlap by their true shapes (brush models turned as they are).
    bool (*touches)(const sv_context_t *sv, const edict_t *a, const edict_t *b);

    // Movers (MOVETYPE_PUSH); physics/physics.h says what each does in full.
    int64_t (*mover_time)(const sv_context_t *sv, const edict_t *edict);
    pose_t (*mover_pose)(const sv_context_t *sv, const edict_t *edict);
    bool (*mover_start)(sv_context_t *sv, edict_t *edict, const motion_t *motion);
    bool (*mover_move_to)(sv_context_t *sv, edict_t *edict, pose_t to, int32_t duration_ms);
    void (*mover_stop)(sv_context_t *sv, edict_t *edict);
    void (*mover_team)(sv_context_t *sv, edict_t *edict, edict_t *with);
    bool (*mover_glue)(sv_context_t *sv, edict_t *child, edict_t *parent);
    void (*mover_unglue)(sv_context_t *sv, edict_t *child);
    /// MOVETYPE_FOLLOW; leader NULL = free again.
    bool (*follow)(sv_context_t *sv, edict_t *edict, edict_t *leader, vec3_t offset, vec3_t angles);

    // Monsters; physics/physics.h.
    bool (*move_step)(sv_context_t *sv, edict_t *edict, vec3_t move, bool relink);
    bool (*walk_move)(sv_context_t *sv, edict_t *edict, float yaw, float dist);
    bool (*step_direction)(sv_context_t *sv, edict_t *edict, float yaw, float dist);
    void (*move_to_goal)(sv_context_t *sv, edict_t *edict, const edict_t *goal, float dist);
    bool (*check_bottom)(sv_context_t *sv, edict_t *edict);
    void (*change_yaw)(edict_t *edict);

    /// Makes a client a spectator, or a player again. The game places him.
    void (*set_spectator)(sv_context_t *sv, edict_t *edict, bool spectator);
    /// After this tick the server goes to another map ("" = the same one again).
    void (*change_map)(sv_context_t *sv, const char *name);
    /// The value of any gameplay cvar, the engine's or the game's; 0 when there is none.
    float (*cvar)(const sv_context_t *sv, const char *name);

    int32_t (*string)(sv_context_t *sv, const char *text); ///< interned: a string id
    const char *(*text)(const sv_context_t *sv, int32_t id);
    /// Text for one client's screen (slot), or all (EVENT_TO_ALL).
    void (*print)(sv_context_t *sv, int32_t client, const char *text);
    /// A line in the middle of the screen.
    void (*center_print)(sv_context_t *sv, int32_t client, const char *text);
    /// A sound of an edict: clients get "sound/" and the name as an effect where it is.
    void (*sound)(sv_context_t *sv, const edict_t *edict, const char *name);
    /// Something happened at a place: clients get the name.
    void (*effect)(sv_context_t *sv, const edict_t *edict, vec3_t origin, const char *name);
    /// A line for the server's log.
    void (*log)(sv_context_t *sv, log_level_t level, const char *text);
} game_import_t;

/// What the game does for the engine.
typedef struct game_export_s {
    int32_t api_version; ///< GAME_API_VERSION
    const char *name;
    const callback_t *callbacks;
    int32_t num_callbacks;
    game_fields_t edict_fields, client_fields, world_fields;
    game_cvar_table_t cvars;
    const game_spawn_t *spawns;
    int32_t num_spawns;
    /// After all map entities were spawned.
    void (*map_started)(sv_context_t *sv);
    /// A client joined: place his edict (spawn point, box, health). Linked by the engine after.
    void (*client_join)(sv_context_t *sv, edict_t *player, client_t *client);
    /// He leaves; his edict goes after this call.
    void (*client_leave)(sv_context_t *sv, edict_t *player, client_t *client);
    /// After each sub-step of his, after touches. The impulse of a command comes once, before its
    /// sub-steps, with step_ms 0 and no buttons.
    void (*client_step)(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                        int32_t step_ms);
    /// Once a tick for each client, before his commands. NULL = nothing to do.
    void (*client_think)(sv_context_t *sv, edict_t *player, client_t *client);
    /// Once a tick, after everything has moved. NULL = nothing to do.
    void (*frame)(sv_context_t *sv);
    /// He typed a command. False: unknown, the engine tells him so.
    bool (*client_command)(sv_context_t *sv, edict_t *player, client_t *client, const char *text);
} game_export_t;

#endif
