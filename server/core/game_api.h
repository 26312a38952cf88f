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
// ---- how the engine finds a game ----
//
// The game that is linked in and one that is loaded (edictd -g game.so) are found by the same
// function, with default visibility when all else of a module is hidden:
//
//     const game_export_t *Game_Export(void);
//
// It gives a constant table; the table, all it points to and every text in it stay as they are
// until the module is unloaded. The engine keeps pointers to them, copies what goes into the world,
// and checks the table before it uses it: api_version first (of another version it reads nothing
// else), then names, offsets, overlaps, types, flags, defaults. A table with a fault is refused
// with the reason, and the game that runs goes on.
//
// ---- how a map begins ----
//
// A new world, all zero: world->game with the game's cvars in it, no client, tick 0, time 0. Then,
// in the order of the map: the engine reads an entity, finds its class in `spawns`, spawns an edict
// (worldspawn: edict 0), fills origin, angles, model, targetname, target and the game's own fields
// from the keys (see game_field_t), then calls the spawn function. It sets solid, movetype, box and
// callbacks and links the edict. Left out are classes without a spawn function, unknown ones
// (logged once, counted) and what the spawnflag 2048 keeps out of deathmatch. After the last:
// map_started. Other entities may not be there yet in a spawn function: what looks for them does so
// in map_started or in a think. A change of the map frees the old world as it is (client_leave is
// not called); who is there joins the new one when his client has loaded the map.
//
// ---- a tick, and who is called in it ----
//
//     1  inputs in the order they came   client_join, client_leave, client_command
//     2  pushers (MOVETYPE_PUSH)          think, touch of what was moved; blocked of the one part
//                                        that could not go on, after all went back to where it was
//     3  each client in slot order       his edict's think, client_think, and for each sub-step of
//                                        his commands: touch, then client_step. An impulse is told
//                                        at the start of its command by a client_step of 0 ms
//     4  all other edicts, by number     think (at most 8 an edict), then it moves: touch
//     5  frame                           then followers are put beside their leaders
//     6  what was removed is freed
//
// Nothing is called between ticks. An edict that was spawned in this tick neither thinks nor moves
// before the next one, but is touched as soon as it is linked. A use is called by the game alone.
// Calls nest: a touch may fire a use that removes an edict or teleports it, which touches others.
// Nested touches end at a depth and a number in a tick that are counted (touches_dropped); nested
// uses are the game's own to limit.
//
// ---- what lives how long ----
//
// An edict that was removed, by whomever, keeps its slot and its fields until the end of the tick:
// pointers to it stay good inside the call, it is just not found, touched, used or moved any more.
// After that its slot may be another's, so that across ticks only an edict_ref_t tells (deref gives
// NULL when the slot is free or another's). A client_t * is good while he plays. A text is copied
// by whom it is given to; one that is given out lasts as long as the world, as string ids do. There
// is no way to give a string back: intern names, not sentences that change.
//
// What the game keeps in variables of its own (static or allocated) is neither saved, hashed nor
// replayed, and gone after a reload; `make lint` refuses such variables in modules of this tree.
// `game reload` calls nothing: the world stays, callbacks are bound again by name. Fields and cvars
// must be of the same names, types and offsets, models the same, and each callback that the world
// knows must be there; else it is refused, or begins the map anew with `game reload restart`.
//
// ---- what is wrong in a game's values ----
//
// Origin, velocity, angles, box, solid, movetype, model and callback ids of an edict may be
// anything: a value that is impossible where it is used takes the edict out (quarantine: it keeps
// its slot, but is not linked, does not move or think), logged and counted. A motion or an offset
// that is impossible makes its function refuse. The game leaves alone what the engine keeps:
// generation, inuse, FL_KILLME, FL_QUARANTINED, absmin, absmax, pusher_set, pusher_up, chain_prev,
// chain_next, aiment, next_free, spawn_tick_lo, lag_ms, motion, and of a client all but game and
// player.health.
// nextthink_ms is set by next_think, never directly. Pointers that it gives to the engine must be
// good and texts not NULL: those are not checked. Functions say by false, NULL or 0 that they did
// nothing.
//
// ---- a whole game ----
//
//     #include "core/game_api.h"
//     typedef struct { int32_t coins; } wallet_t; // in client->game
//
//     static void coin_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *hit) {
//         client_t *client = hit ? NULL : sv->engine->client(sv, other); // NULL: by overlap
//         if (client) {
//             ((wallet_t *)(void *)client->game)->coins++;
//             sv->engine->remove(sv, self);
//         }
//     }
//     static void coin(sv_context_t *sv, edict_t *self) {
//         self->solid = SOLID_TRIGGER;
//         self->mins = Vector(-8.0f, -8.0f, -8.0f);
//         self->maxs = Vector(8.0f, 8.0f, 8.0f);
//         self->touch = sv->engine->callback(sv, "coin_touch");
//         sv->engine->link(sv, self, false);
//     }
//     static void spot(sv_context_t *sv, edict_t *self) {
//         (void)sv; // without a function there would be no edict to be found
//         self->hidden = 1;
//     }
//     static void join(sv_context_t *sv, edict_t *player, client_t *client) {
//         const edict_t *start = sv->engine->find_class(sv, NULL, "info_player_start");
//         player->origin = start ? start->origin : player->origin;
//         client->player.health = 100;
//     }
//     static const callback_t callbacks[] = {{.name = "coin_touch", .touch = coin_touch}};
//     static const game_field_t wallet[] = {
//         {"coins", FIELD_INT, offsetof(wallet_t, coins), FIELD_ALL, "told to everybody"}};
//     static const game_spawn_t spawns[] = {
//         {.classname = "item_coin", .spawn = coin, .help = "a coin", .box = "-8 -8 -8, 8 8 8"},
//         {.classname = "info_player_start", .spawn = spot, .help = "players start here"}};
//     __attribute__((visibility("default"))) const game_export_t *Game_Export(void);
//     const game_export_t *Game_Export(void) {
//         static const game_export_t table = {.api_version = GAME_API_VERSION, .name = "coins",
//             .callbacks = callbacks, .num_callbacks = 1, .client_fields = {wallet, 1},
//             .spawns = spawns, .num_spawns = 2, .client_join = join};
//         return &table;
//     }
//
// A longer one, with a cvar and world_fields: server/game/koth/koth.c. `make modules` builds each
// folder of server/game; elsewhere, for a checkout in DIR:
//
//     CFLAGS="-std=c17 -O2 -ffp-contract=off -fPIC -fvisibility=hidden -IDIR/common -IDIR/server"
//     gcc $CFLAGS -shared my.c DIR/common/math/*.c DIR/common/base/assert.c -lm -o my.so
//
// What is not on this page: edict_t in world/edict.h, client_t (and its player_state_t) in
// world/client.h, callback_t in world/callbacks.h, pm_mover_t (how an edict with MOVETYPE_STEP gets
// along: edict->mover) in move/body.h, cvar_def_t in base/cvar.h (a cvar needs a default as text, a
// unit, which may be "", and a help text; its value lies in world->game at def.offset:
// sv->world->game), EVENT_TO_ALL in world/events.h, LOG_INFO and others in base/log.h. The client
// slot that print takes is the number of the player's edict less 1.

#ifndef EDICTD_CORE_GAME_API_H
#define EDICTD_CORE_GAME_API_H

#include "base/cvar.h"
#include "state/entity_state.h"
#include "state/hit_group.h"
#include "world/client.h"
#include "world/events.h"
#include "world/world.h"

#define GAME_API_VERSION 7

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
#define FIELD_NAMES (1u << 3) // edict, a key: it names other entities by their targetname

/// A field of the game: one line here is all that saving, hashing, the wire, reload and the
/// editor's definitions need to know. Everything the game keeps has a line; bytes without one are
/// zero.
typedef struct {
    const char *name; ///< also the map key, at most 31 bytes
    game_field_type_t type;
    uint32_t offset; ///< into edict->game, client->game or world->game
    uint32_t flags;  ///< FIELD_*
    /// For the editor; NULL = none. Of a key that is one of some numbers "-3 water, -4 slime, ..."
    /// tells them all, the usual one first: editors then offer those.
    const char *help;
} game_field_t;

typedef struct {
    const game_field_t *list;
    int32_t count;
} game_fields_t;

/// A class of map entities.
typedef struct {
    const char *classname;
    void (*spawn)(sv_context_t *sv, edict_t *self); ///< NULL: known, makes nothing
    /// Names of the edict fields it uses, with spaces between, "name=value" where the class has a
    /// value that the map does not give; NULL = none. For editors: the spawn function sets it.
    const char *keys;
    const char *help; ///< one line for the editor; NULL = none
    /// What its spawnflags mean, lowest first: "1 starts open, 4 opens alone"; NULL = none.
    const char *flags;
    const char
        *box; ///< of a point class, as editors draw it: "-16 -16 -24, 16 16 32"; NULL = small
} game_spawn_t;

/// Most characters of a text cvar of a game: with its name it must fit into an input of a tick.
#define GAME_CVAR_MAX_TEXT 220

/// A cvar of the game: its value lies in world->game at def.offset (int32_t, float, or
/// char[CVAR_STRING_BYTES], of which def.max says how many characters it may have, 1 to
/// GAME_CVAR_MAX_TEXT).
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
    /// The id of a function of the game's table, for edict->think, touch, use, blocked. 0 = no such
    /// name.
    int32_t (*callback)(const sv_context_t *sv, const char *name);

    /// A new edict, or NULL when all are taken. It acts from the next tick on.
    edict_t *(*spawn)(sv_context_t *sv);
    /// Takes an edict out at the end of the tick; at once it neither stops nor touches anything.
    void (*remove)(sv_context_t *sv, edict_t *edict);
    /// The edict of a handle; NULL when it is none or gone. One that was removed in this very tick
    /// is still given.
    edict_t *(*deref)(const sv_context_t *sv, edict_ref_t ref);
    edict_ref_t (*ref)(const sv_context_t *sv, const edict_t *edict);
    edict_t *(*edict)(const sv_context_t *sv, int32_t number); ///< NULL when not in use
    int32_t (*number)(const sv_context_t *sv, const edict_t *edict);
    /// The client that plays an edict, or NULL.
    client_t *(*client)(const sv_context_t *sv, const edict_t *edict);
    /// The next living edict after `after` (NULL = from the start) with that targetname, or NULL.
    /// Looks at all edicts: cheap in an event, dear in every tick.
    edict_t *(*find_target)(const sv_context_t *sv, const edict_t *after, const char *name);
    /// The next living edict after `after` with that classname, or NULL.
    edict_t *(*find_class)(const sv_context_t *sv, const edict_t *after, const char *name);

    /// Calls the use function of an edict: `other` fires it for `activator` (NULL = nobody).
    /// Nothing happens when it has none.
    void (*use)(sv_context_t *sv, edict_t *edict, edict_t *other, edict_t *activator);

    /// Tells the engine that origin, box or solid changed.
    void (*link)(sv_context_t *sv, edict_t *edict, bool touch_triggers);
    /// Gives it brush model `model` of the map: box and solid shape. False for a bad number.
    bool (*set_model)(sv_context_t *sv, edict_t *edict, int32_t model);
    /// Sets when it thinks next; 0 = never. A pusher's time is its own: pusher_time.
    void (*next_think)(sv_context_t *sv, edict_t *edict, int64_t time_ms);
    /// Puts it elsewhere, view and velocity included; clients do not interpolate across. A place
    /// outside the world is refused and logged.
    void (*teleport)(sv_context_t *sv, edict_t *edict, vec3_t origin, vec3_t angles,
                     vec3_t velocity);
    /// Changes what a client is: PM_NORMAL, PM_DEAD, PM_FROZEN, PM_DRIVING. Who drives is the
    /// vehicle: it heads where his edict's yaw is at this moment, and his edict's box, which the
    /// game sets (mins, maxs), is the vehicle's. From then on his edict's yaw is where it heads.
    /// When he is something else again the game gives him player_box, at a place where that fits.
    void (*set_pm_type)(sv_context_t *sv, edict_t *edict, int32_t pm_type);
    /// The box of a standing player around his origin, by the movement cvars.
    bounds_t (*player_box)(const sv_context_t *sv);
    /// Where a player's eyes are: lower when he ducks, by the movement cvars. Of another edict: its
    /// origin.
    vec3_t (*eyes)(const sv_context_t *sv, const edict_t *edict);

    /// Sweeps a box; `pass` and what it owns are not hit. monsters = false: only map and brushes.
    trace_t (*trace)(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                     bool monsters, const edict_t *pass);
    contents_t (*contents)(const sv_context_t *sv, vec3_t point);
    /// Numbers of solid edicts whose linked boxes touch a box, in index order; at most max.
    int32_t (*area)(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max);

    /// The same for triggers and volumes.
    int32_t (*area_triggers)(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max);
    /// True when the edict is inside something solid where it stands.
    bool (*is_stuck)(sv_context_t *sv, edict_t *edict);
    /// True when two edicts overlap by their true shapes (brush models turned as they are).
    bool (*touches)(const sv_context_t *sv, const edict_t *a, const edict_t *b);

    // Pushers (MOVETYPE_PUSH); physics/physics.h says what each does in full.
    int64_t (*pusher_time)(const sv_context_t *sv, const edict_t *edict);
    pose_t (*pusher_pose)(const sv_context_t *sv, const edict_t *edict);
    bool (*pusher_start)(sv_context_t *sv, edict_t *edict, const motion_t *motion);
    bool (*pusher_move_to)(sv_context_t *sv, edict_t *edict, pose_t to, int32_t duration_ms);
    void (*pusher_stop)(sv_context_t *sv, edict_t *edict);
    void (*pusher_team)(sv_context_t *sv, edict_t *edict, edict_t *with);
    bool (*pusher_glue)(sv_context_t *sv, edict_t *child, edict_t *parent);
    void (*pusher_unglue)(sv_context_t *sv, edict_t *child);
    /// MOVETYPE_FOLLOW; leader NULL = free again.
    bool (*follow)(sv_context_t *sv, edict_t *edict, edict_t *leader, vec3_t offset, vec3_t angles);

    // Monsters; physics/physics.h.
    bool (*move_step)(sv_context_t *sv, edict_t *edict, vec3_t move, bool relink);
    bool (*walk_move)(sv_context_t *sv, edict_t *edict, float yaw, float dist);
    bool (*step_direction)(sv_context_t *sv, edict_t *edict, float yaw, float dist);
    void (*move_to_goal)(sv_context_t *sv, edict_t *edict, const edict_t *goal, float dist);
    bool (*check_bottom)(sv_context_t *sv, edict_t *edict);
    void (*change_yaw)(edict_t *edict);
    /// The angles of what faces `yaw` and stands on a plane with the normal `up`.
    vec3_t (*align_angles)(float yaw, vec3_t up);

    /// Makes a client a spectator, or a player again. The game places him.
    void (*set_spectator)(sv_context_t *sv, edict_t *edict, bool spectator);
    /// After this tick the server goes to another map ("" = the same one again). The last call of a
    /// tick counts; a map that cannot be loaded is logged, and this one goes on. Where the operator
    /// has a list (sv_maplist) without that map, the next of the list comes instead.
    void (*change_map)(sv_context_t *sv, const char *name);
    /// The match is over: after this tick the server goes to the next map of the operator's list
    /// (sv_maplist), or without one to the map `otherwise`, as change_map.
    void (*next_map)(sv_context_t *sv, const char *otherwise);
    /// The value of any gameplay cvar, the engine's or the game's; 0 when there is none or it is a
    /// text.
    float (*cvar)(const sv_context_t *sv, const char *name);
    /// The value of a text cvar of the game; "" when there is none.
    const char *(*cvar_text)(const sv_context_t *sv, const char *name);

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
    /// Logs a warning about an edict, after the map's name and the entity's number, class and
    /// origin: "arena.bsp: entity 17 (trigger_hurt at 64 0 24): ...".
    void (*warn)(sv_context_t *sv, const edict_t *edict, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

    /// Sweeps a box as `trace` does, but an edict with a skeleton is met by its hitboxes, as its bones
    /// are in this tick (see game_model_t): trace.hitgroup and trace.bone tell which.
    trace_t (*trace_hitboxes)(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                              const edict_t *pass);
    /// The number of an animation of a skeleton (of the game's or the map's), for
    /// edict->animations; -1: it has none of that name.
    int32_t (*animation)(const sv_context_t *sv, int32_t skeleton, const char *name);
    /// The box that an edict with hitboxes needs to be hit wherever its first animation takes them,
    /// with its angles and controllers as they are, around its origin. False: it has none.
    bool (*skeleton_box)(const sv_context_t *sv, const edict_t *edict, bounds_t *box);
} game_import_t;

/// A model of the game with bones, for hitboxes: an .emesh file (model/emesh.h, model/model.h). The
/// number of a model is its place in the table + 1: an edict whose `skeleton` is that number has it.
/// (A map gives its entities models of its own, by the keys model, animation and controllers;
/// their numbers begin at FIRST_MAP_SKELETON.) Which animations it plays since when, and the values
/// of the bone controllers, are the edict's fields: animations, anim_start_ms, anim_blend,
/// controllers. The game sets them; nothing is called when an animation ends. Clients are told them
/// (entity_state_t) with the model's name, cut to 31 bytes.
typedef struct {
    const char *name;
    const uint8_t *bytes; ///< the file's, on 16 bytes; NULL: they are read from `file`
    size_t size;
    /// Without bytes: a path below the folder of the module (game.so), read whenever that is loaded
    /// or reloaded. A game that is linked into a program has no folder: it has bytes.
    const char *file;
} game_model_t;

#define MAX_GAME_MODELS (FIRST_MAP_SKELETON - 1)

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
    /// A client joined: place his edict (spawn point, health); it is a walking player already, or
    /// for a client->spectator a hidden one that flies. Linked by the engine after.
    void (*client_join)(sv_context_t *sv, edict_t *player, client_t *client);
    /// He leaves; his edict goes after this call.
    void (*client_leave)(sv_context_t *sv, edict_t *player, client_t *client);
    /// After each sub-step of his, after touches; a command's impulse once before its sub-steps,
    /// with step_ms 0 and no buttons. NULL: not called, as all of these.
    void (*client_step)(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                        int32_t step_ms);
    /// Once a tick for each client, before his commands. NULL = nothing to do.
    void (*client_think)(sv_context_t *sv, edict_t *player, client_t *client);
    /// Once a tick, after everything has moved. NULL = nothing to do.
    void (*frame)(sv_context_t *sv);
    /// He typed a command. False: unknown, the engine tells him so.
    bool (*client_command)(sv_context_t *sv, edict_t *player, client_t *client, const char *text);
    const game_model_t *models; ///< at most MAX_GAME_MODELS
    int32_t num_models;
    /// One line about the match for the operator's `status`. Between ticks: it changes nothing.
    void (*describe)(sv_context_t *sv, char *line, size_t bytes);
} game_export_t;

#endif
