/// core/game_api.h - the interface between engine and game: functions of the engine
/// (game_import_t), and the game's table (game_export_t). See docs/game.md.
//
// A game may include only this header, math and state.
// Units:   qu, qu/s, degrees, ms of world time.
// Memory:  an edict pointer is valid inside one call. Keep an edict_ref_t across calls. Keep all
//          state in edict->game, client->game and world_vars.
// Repeat:  take time and random numbers from the engine. Use no clock and no files.
//
// A client's edict may have MOVETYPE_NONE, NOCLIP, WALK, TOSS, FLY or FOLLOW. Other movetypes are
// refused, and the old one stays. A number that does not exist counts as MOVETYPE_NONE. Both are
// logged once a burst; the client stays connected.

#ifndef EDICTD_CORE_GAME_API_H
#define EDICTD_CORE_GAME_API_H

#include "base/cvar.h"
#include "base/log.h"
#include "state/entity_type.h"
#include "state/game_event.h"
#include "state/hit_group.h"
#include "world/client.h"
#include "world/context.h"

#define GAME_API_VERSION 19

/// Type of a field, and how a map writes it.
typedef enum {
    FIELD_INT,    ///< int32_t; a map may write it as "1.0"
    FIELD_TIME,   ///< int64_t, ms; not settable from a map
    FIELD_FLOAT,  ///< float
    FIELD_VECTOR, ///< vec3_t, "x y z"
    FIELD_STRING, ///< int32_t, a string id
    FIELD_REF,    ///< edict_ref_t; not settable from a map
    FIELD_TYPE_COUNT
} game_field_type_t;

/// Access to a field from outside the game. Clients receive a field with FIELD_ALL, FIELD_OWNER or
/// FIELD_TEAM: an int, float, string or ref. The owner of an edict is the client of edict->owner;
/// that of a player's edict is the player.
#define FIELD_KEY   (1u << 0) // edict: a map key of this name sets it
#define FIELD_OWNER (1u << 1) // edict, client: sent to the owner only
#define FIELD_ALL   (1u << 2) // sent to every client
#define FIELD_NAMES (1u << 3) // edict, FIELD_KEY: the value is the targetname of other entities
#define FIELD_TEAM  (1u << 5) // edict, client: sent to the owner and its team
#define FIELD_SCORE (1u << 6) // client, FIELD_INT, FIELD_ALL: the score in lists of players

#define FIELD_SENT (FIELD_OWNER | FIELD_ALL | FIELD_TEAM)

/// Client, world: survives a change of map. FIELD_TIME keeps the time left, FIELD_STRING at most 63
/// bytes. FIELD_REF cannot be kept.
#define FIELD_KEEP (1u << 4)

/// A field of the game's state. In edict->game, client->game and world->game, bytes that no field
/// covers must stay zero.
typedef struct {
    const char *name; ///< also the map key, at most 31 bytes
    game_field_type_t type;
    uint32_t offset; ///< into edict->game, client->game or world->game
    uint32_t flags;  ///< FIELD_*
    /// Help for the editor, or NULL. For a choice, list the values: numbers, the default first, as
    /// "-3 water, -4 slime", or words, as "step | ray | drop falls".
    const char *help;
    /// FIELD_SENT: range of an int or float; 0, 0 = any value. Other values are sent clamped.
    float min, max;
    float step; ///< a float with a range is sent rounded to a multiple of `step`; 0 = exact
} game_field_t;

typedef struct {
    const game_field_t *list;
    int32_t count;
} game_fields_t;

/// A class of map entities.
typedef struct {
    const char *classname;
    void (*spawn)(sv_context_t *sv, edict_t *self); ///< NULL: the class is ignored
    /// Edict fields that the class uses, as "speed=100 wait health", or NULL. Defaults are only
    /// documentation.
    const char *keys;
    const char *help; ///< one line for the editor; NULL = none
    /// Spawnflags, lowest first, as "1 starts open, 4 opens alone", or NULL.
    const char *flags;
    const char *box; ///< box for editors, as "-16 -16 -24, 16 16 32"; NULL = small
} game_spawn_t;

/// Family of a map's file. Meshes count as MAP_QUAKE.
typedef enum { MAP_QUAKE, MAP_HALFLIFE, MAP_QUAKE2, MAP_QUAKE3 } map_format_t;

/// Limits of a mover. 0 = default. The engine keeps them in the edict.
typedef struct {
    float max_pitch, max_roll; ///< ray: steepest ground along and across, degrees below 89
    float step_height;         ///< highest step, qu below 256
    bool upright;              ///< ray: does not tilt on slopes
} mover_limits_t;

/// Maximum characters of a text cvar, so that name and value fit into one input.
#define GAME_CVAR_MAX_TEXT 220

/// Cvars of the game. Each needs a default, a unit (may be "") and a help text. Values are in
/// world_vars at def.offset. A text is a char[CVAR_STRING_BYTES] of at most def.max characters
/// (1..GAME_CVAR_MAX_TEXT).
typedef struct {
    const cvar_def_t *list;
    int32_t count;
} game_cvar_table_t;

/// A command of the operator's console. It runs in the next tick, or at once without clients.
typedef struct {
    const char *name;           ///< 1..31 letters, digits and _; not of a cvar or other command
    const char *usage;          ///< arguments, as "SLOT [TEXT]"; "" = none
    const char *help;           ///< one line
    int32_t min_args, max_args; ///< allowed number of arguments; max_args -1 = any
    /// argv[0] is the name; argv[argc] up to argv[MAX_CMD_ARGS - 1] are "". All words together have
    /// at most 255 bytes, one of them after each word.
    void (*run)(sv_context_t *sv, int32_t argc, const char *const *argv);
} game_command_t;

/// A setting that players of the game can send, besides the engine's "name", "colour" (RRGGBB) and
/// "rate". Clients receive the settings of all players, so that no setting can be secret.
typedef struct {
    const char *key; ///< 1..31 letters, digits and _
    const char *def; ///< at most 63 bytes
    const char *help;
} game_info_t;

/// Maximum of nested uses, and of uses in a tick. Further uses are logged and not called.
#define GAME_USE_DEPTH 64
#define GAME_USES_TICK 65536

/// Functions of the engine, safe inside any callback. A function that returns false, NULL or 0 has
/// changed nothing. A bad argument is logged once a burst, with edict, class and callback: NULL
/// where it is not named, a pointer to no edict in use, a number out of range, a NaN.
typedef struct game_import_s {
    /// Returns the world time, ms. Inside a think: the time at which the think was due.
    int64_t (*time_ms)(const sv_context_t *sv);
    /// Returns a random float in [0, 1) from the world's generator.
    float (*random)(sv_context_t *sv);
    /// Returns the id of a callback, for edict->think, touch, use and blocked; 0 = unknown.
    int32_t (*callback)(const sv_context_t *sv, const char *name);

    /// Creates an edict, or returns NULL if none is free. It thinks from the next tick on.
    edict_t *(*spawn)(sv_context_t *sv);
    /// Creates an edict and runs the spawn function of its class, as for a map entity with only
    /// these keys: every other key has its default. Returns NULL if no edict is free, if the spawn
    /// function removed it, or, with a log line, if the class cannot be spawned.
    edict_t *(*spawn_class)(sv_context_t *sv, const char *classname, vec3_t origin, vec3_t angles);
    /// Frees an edict at the end of the tick. From now on the edict blocks and touches nothing.
    void (*remove)(sv_context_t *sv, edict_t *edict);
    /// Returns the edict of a handle, or NULL if it was freed.
    edict_t *(*deref)(const sv_context_t *sv, edict_ref_t ref);
    edict_ref_t (*ref)(const sv_context_t *sv, const edict_t *edict);
    edict_t *(*edict)(const sv_context_t *sv, int32_t number); ///< NULL if not in use
    int32_t (*number)(const sv_context_t *sv, const edict_t *edict);
    /// Returns the client that plays an edict, or NULL.
    client_t *(*client)(const sv_context_t *sv, const edict_t *edict);
    /// Returns the edict that a client plays.
    edict_t *(*player)(const sv_context_t *sv, const client_t *client);
    /// Returns the slot of the client that plays an edict, for print and info; -1 = no client.
    int32_t (*slot)(const sv_context_t *sv, const edict_t *edict);
    /// Returns the client in a slot; NULL if the slot is empty or does not exist.
    client_t *(*client_of_slot)(const sv_context_t *sv, int32_t slot);
    /// Returns the next client after `after` by slot, also a spectator; NULL at the end. Start with
    /// `after` NULL.
    client_t *(*next_client)(const sv_context_t *sv, const client_t *after);
    /// Returns the next live edict after `after` with this targetname, or NULL. Start with `after`
    /// NULL. Searches all edicts, so do not call it every tick.
    edict_t *(*find_target)(const sv_context_t *sv, const edict_t *after, const char *name);
    /// Like find_target, by classname.
    edict_t *(*find_class)(const sv_context_t *sv, const edict_t *after, const char *name);

    /// Calls the use callback of an edict, if any. `other`: edict that fires it. `activator`: who
    /// started the chain, usually a player; may be NULL.
    void (*use)(sv_context_t *sv, edict_t *edict, edict_t *other, edict_t *activator);

    /// Links an edict. Call after a change of origin, box or solid.
    void (*link)(sv_context_t *sv, edict_t *edict, bool touch_triggers);
    /// Sets an edict's shape to a brush model of the map. Returns false for a bad number.
    bool (*set_model)(sv_context_t *sv, edict_t *edict, int32_t model);
    /// Sets the time of the next think; 0 = never. For a pusher, in pusher_time.
    void (*next_think)(sv_context_t *sv, edict_t *edict, int64_t time_ms);
    /// Calls a think callback, by id, for an edict once at `time_ms`; 0 = not any more. An edict
    /// has one timer for each callback, besides its think. For a pusher, in pusher_time. Timers end
    /// with the edict. Returns false, with a log line, for another id, an edict that is not live,
    /// or if all MAX_EDICT_TIMERS are in use.
    bool (*timer)(sv_context_t *sv, edict_t *edict, int32_t callback, int64_t time_ms);
    /// Puts an edict at another position with new angles and velocity. Logs and refuses a position
    /// outside the world.
    void (*teleport)(sv_context_t *sv, edict_t *edict, vec3_t origin, vec3_t angles,
                     vec3_t velocity);
    /// Sets a client's movement: PM_NORMAL, PM_DEAD, PM_FROZEN or PM_DRIVING. For PM_DRIVING, set
    /// mins and maxs to the vehicle's box. Later restore player_box where it fits.
    void (*set_pm_type)(sv_context_t *sv, edict_t *edict, int32_t pm_type);
    /// Returns the box of a standing player, relative to the origin.
    bounds_t (*player_box)(const sv_context_t *sv);
    /// Returns the position of a player's eyes, or the origin of another edict.
    vec3_t (*eyes)(const sv_context_t *sv, const edict_t *edict);

    /// Sweeps a box. Ignores `pass`, its owner and edicts that it owns. `monsters`: false = stops
    /// only at the map and brush models.
    trace_t (*trace)(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                     bool monsters, const edict_t *pass);
    contents_t (*contents)(const sv_context_t *sv, vec3_t point);
    /// Writes the numbers of at most `max` solid edicts whose boxes touch `box`, in ascending
    /// order. Returns the count.
    int32_t (*area)(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max);

    /// Like `area`, for triggers and volumes.
    int32_t (*area_triggers)(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max);
    /// Writes the numbers of at most `max` live edicts whose boxes are within `radius` of a point,
    /// in ascending order: solids, triggers and all others, but not the map. Returns the count.
    /// Passes over all edict numbers, and tests each edict that is not linked as a solid or a
    /// trigger: about 5 us for 1,000 edicts, 100 us for 10,000.
    int32_t (*in_radius)(const sv_context_t *sv, vec3_t point, float radius, int32_t *list,
                         int32_t max);
    /// Returns true if the edict overlaps something solid.
    bool (*is_stuck)(sv_context_t *sv, edict_t *edict);
    /// Returns true if two edicts overlap. Uses the exact shape of a brush model.
    bool (*touches)(const sv_context_t *sv, const edict_t *a, const edict_t *b);

    // Pushers (MOVETYPE_PUSH); physics/actions.h describes each in full.
    int64_t (*pusher_time)(const sv_context_t *sv, const edict_t *edict);
    pose_t (*pusher_pose)(const sv_context_t *sv, const edict_t *edict);
    bool (*pusher_start)(sv_context_t *sv, edict_t *edict, const motion_t *motion);
    bool (*pusher_next)(sv_context_t *sv, edict_t *edict, const motion_t *motion, int32_t wait_ms);
    bool (*pusher_move_to)(sv_context_t *sv, edict_t *edict, pose_t to, int32_t duration_ms);
    void (*pusher_stop)(sv_context_t *sv, edict_t *edict);
    void (*pusher_team)(sv_context_t *sv, edict_t *edict, edict_t *with);
    bool (*pusher_glue)(sv_context_t *sv, edict_t *child, edict_t *parent);
    void (*pusher_unglue)(sv_context_t *sv, edict_t *child);
    /// Makes an edict follow `leader` (MOVETYPE_FOLLOW); NULL ends it. A client that follows keeps
    /// its view and buttons, and walks afterwards. A follower touches nothing itself; edicts that
    /// move touch it if it is a trigger.
    bool (*follow)(sv_context_t *sv, edict_t *edict, edict_t *leader, vec3_t offset, vec3_t angles);
    /// Attaches a follower to a bone of its leader's model, by name; "" = to the leader's origin.
    /// The offset and angles are then relative to the bone. Returns false if there is no such bone.
    bool (*follow_bone)(sv_context_t *sv, edict_t *edict, const char *bone);

    // Vehicles: MOVETYPE_STEP, with a box and FL_VEHICLE. A driver becomes the vehicle: its edict
    // has the vehicle's box and PM_DRIVING, and the vehicle follows it, not solid, and tilts by its
    // follow_angles. Clients predict all this when a player with PM_NORMAL or PM_DRIVING presses
    // the use button, unless it moves with MOVETYPE_TOSS.

    /// Returns the vehicle that a player may get into, or NULL.
    edict_t *(*find_vehicle)(sv_context_t *sv, const edict_t *player);
    /// Makes a player the driver of a vehicle that find_vehicle may return. Returns false, with a
    /// log line, for another edict.
    bool (*enter_vehicle)(sv_context_t *sv, edict_t *player, edict_t *vehicle);
    /// Takes a driver out of its vehicle (NULL = it was removed), beside it or on its roof. Without
    /// room, returns false, or leaves the driver inside the vehicle if `must` is true. Another
    /// edict counts as NULL, with a log line.
    bool (*leave_vehicle)(sv_context_t *sv, edict_t *player, edict_t *vehicle, bool must);

    // Controls of a pusher: a SOLID_TRIGGER with MOVETYPE_PUSH, a brush model and contents
    // CONTENTS_CONTROLS, glued to the pusher. A player at them stands, with MOVETYPE_TOSS, and they
    // are CONTENTS_MANNED. Clients predict that the use button takes free controls, and that use
    // and jump leave them. The game decides the effect: announce motions with pusher_next.

    /// Returns the free controls that a player may take: its origin is inside, it walks, and it
    /// stands on the pusher that carries them. Otherwise NULL.
    edict_t *(*find_controls)(sv_context_t *sv, const edict_t *player);
    /// Returns true while the player's origin is in the controls, and it stands on their pusher.
    bool (*is_at_controls)(sv_context_t *sv, const edict_t *player, const edict_t *controls);
    /// Puts a player at controls that find_controls may return. Returns false, with a log line, for
    /// another edict, manned controls, or a player that is not at them.
    bool (*take_controls)(sv_context_t *sv, edict_t *player, edict_t *controls);
    /// Lets a player at controls walk, and frees the controls (NULL = they were removed).
    void (*leave_controls)(sv_context_t *sv, edict_t *player, edict_t *controls);

    // Monsters; physics/actions.h. `blocked` (may be NULL) receives the first obstacle; its entnum
    // is TRACE_NOTHING if there is none, for example at a ledge.
    bool (*move_step)(sv_context_t *sv, edict_t *edict, vec3_t move, bool relink, trace_t *blocked);
    bool (*walk_move)(sv_context_t *sv, edict_t *edict, float yaw, float dist, trace_t *blocked);
    bool (*step_direction)(sv_context_t *sv, edict_t *edict, float yaw, float dist,
                           trace_t *blocked);
    void (*move_to_goal)(sv_context_t *sv, edict_t *edict, const edict_t *goal, float dist,
                         trace_t *blocked);
    /// Moves a monster one step towards a position, around obstacles. Returns true if it moved or
    /// turned, false if it is blocked, in the air, within `dist` of the point, or removed by a
    /// trigger. A walker also has arrived below or above the point.
    bool (*move_to_point)(sv_context_t *sv, edict_t *edict, vec3_t point, float dist,
                          trace_t *blocked);
    /// Moves a monster at most `dist` straight towards a position, without turning it. Returns
    /// false if the monster is blocked, in the air or there.
    bool (*strafe)(sv_context_t *sv, edict_t *edict, vec3_t point, float dist, trace_t *blocked);
    /// Sets how a MOVETYPE_STEP edict moves: "step", "ray", "sweep" or "drop" (docs/physics.md,
    /// "Movetypes"). The functions above then use that mover. Logs an unknown name and sets "step".
    /// Logs a limit that is out of range and sets its default. Returns false if it logged.
    bool (*set_mover)(sv_context_t *sv, edict_t *edict, const char *name,
                      const mover_limits_t *limits);
    bool (*check_bottom)(sv_context_t *sv, edict_t *edict);
    void (*change_yaw)(sv_context_t *sv, edict_t *edict);
    /// Returns the angles of an edict that faces `yaw` on a plane with the normal `up`.
    vec3_t (*align_angles)(sv_context_t *sv, float yaw, vec3_t up);

    /// Makes a client a spectator or a player. Set the position yourself.
    void (*set_spectator)(sv_context_t *sv, edict_t *edict, bool spectator);
    /// Sets a client's team, 0 (none) to 65535; clamped. VISIBLE_TEAM compares it.
    void (*set_team)(sv_context_t *sv, edict_t *edict, int32_t team);
    /// Starts another map after this tick; "" = the same map again. If sv_maplist is set and lacks
    /// the map, the next map of sv_maplist starts instead.
    void (*change_map)(sv_context_t *sv, const char *name);
    /// Like change_map, through a landmark at `origin`: players keep their position relative to the
    /// landmark of that name, at most 63 bytes, in the next map (see client_arrive).
    void (*change_map_at)(sv_context_t *sv, const char *name, const char *landmark, vec3_t origin);
    /// Starts the next map of sv_maplist after this tick, or the map `otherwise` if sv_maplist is
    /// empty.
    void (*next_map)(sv_context_t *sv, const char *otherwise);
    /// Returns the value of a gameplay cvar of the engine or the game; 0 if unknown or a text.
    float (*cvar)(const sv_context_t *sv, const char *name);
    /// Returns the value of a text cvar of the game; "" if unknown.
    const char *(*cvar_text)(const sv_context_t *sv, const char *name);

    /// Sets a cvar of the game at once, or a gameplay cvar of the engine from the next tick on, as
    /// the console does: the operator sees it, and the next map keeps it. A CVAR_LATCH cvar changes
    /// with the next map. Returns false and logs the reason if the name or value is invalid.
    bool (*set_cvar)(sv_context_t *sv, const char *name, const char *value);

    /// Return the number of a model, sound or effect, such as "items/quad", for edict->modelindex.
    /// Register names of at most 63 bytes when the map starts; clients receive them. Return 0 if a
    /// table is full (1,023 names, and 24 KiB of all three) or the name is invalid.
    int32_t (*model_index)(sv_context_t *sv, const char *name);
    int32_t (*sound_index)(sv_context_t *sv, const char *name);
    int32_t (*effect_index)(sv_context_t *sv, const char *name);
    int32_t (*string)(sv_context_t *sv, const char *text); ///< stores a text, returns the id
    const char *(*text)(const sv_context_t *sv, int32_t id);
    /// Prints to one client, by slot, or all (EVENT_TO_ALL). All receive at most 512 lines in a
    /// tick and 16,384 / clients in a second, of which a quarter may come at once; one line counts
    /// the others.
    void (*print)(sv_context_t *sv, int32_t client, const char *text);
    /// Prints in the middle of a client's screen; '\n' begins a line.
    void (*center_print)(sv_context_t *sv, int32_t client, const char *text);
    /// Plays a sound at an edict, heard within GAME_SOUND_RANGE. `number`: from sound_index.
    void (*sound)(sv_context_t *sv, const edict_t *edict, int32_t number);
    /// Shows an effect that an edict causes at a position, seen within GAME_EFFECT_RANGE, but
    /// through walls only within GAME_SOUND_RANGE. `number`: from effect_index.
    void (*effect)(sv_context_t *sv, const edict_t *edict, vec3_t origin, int32_t number);
    /// Emits a sound or an effect with all its values. `clients`: receivers; NULL = everybody. With
    /// range 0, clients that do not have its entity receive no position but its own.
    /// Clients receive it once, in about a round trip; seldom not at all, if packets are lost for
    /// half a second. `reliable`: always, but late if packets are lost; so are events for everybody
    /// with range 0. At most 20 a second for a client are reliable, and 32 at once. At most
    /// MAX_GAME_EVENTS a tick are sent, and as many can wait for clients; number 0 is not sent.
    void (*event)(sv_context_t *sv, const game_event_t *event, const client_mask_t *clients,
                  bool reliable);
    /// Writes a line to the operator who entered the last command; without one, to the log.
    void (*reply)(sv_context_t *sv, const char *format, ...) __attribute__((format(printf, 2, 3)));
    /// Writes a line to the server's log.
    void (*log)(sv_context_t *sv, log_level_t level, const char *text);
    /// Logs an event of the match, such as `kill slot=1 name="bob" weapon="axe" victim_slot=2`, or
    /// in JSON (cvar log_format). `player` gives slot (from 0) and name; NULL = none. A line has at
    /// most 255 bytes; see Log_FormatEvent. At most 200 events in 5 s are logged.
    void (*log_event)(sv_context_t *sv, const char *name, const edict_t *player,
                      const log_field_t *fields, int32_t count);
    /// Logs a warning as "arena.bsp: entity 17 (trigger_hurt at 64 0 24): ...".
    void (*warn)(sv_context_t *sv, const edict_t *edict, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

    /// Like `trace`, but stops at the hitboxes of an edict that has a skeleton (game_model_t).
    /// trace.hitgroup and trace.bone name the hitbox.
    trace_t (*trace_hitboxes)(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                              const edict_t *pass);
    // Lag compensation: edicts are where the client of the player `shooter` showed them, at most
    // sv_maxunlag_ms ago. Pushers and brush models are where they are now; a rider is at its place
    // of then on its pusher. An edict that was not solid at some time since is not met. For another
    // edict, or a client that has shown nothing yet, all edicts are where they are now. Outside of
    // a usercmd (think, timer, touch of another edict), the view is that of the last usercmd. If
    // that view is then older than sv_maxunlag_ms, edicts are where they were sv_maxunlag_ms ago.

    /// Like `trace`, or like trace_hitboxes with `hitboxes`. Ignores `shooter` as `pass`.
    trace_t (*trace_unlagged)(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                              bool hitboxes, const edict_t *shooter);
    /// Like `area`.
    int32_t (*area_unlagged)(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max,
                             const edict_t *shooter);
    /// Returns the box in the world of an edict, or absmin and absmax if it was not shown.
    bounds_t (*box_unlagged)(const sv_context_t *sv, const edict_t *edict, const edict_t *shooter);
    /// Moves a projectile that `shooter` launches now as far as it would have flown from the time
    /// of the view to the end of the tick, at most max_ms. It meets edicts where they were
    /// meanwhile and touches them, so it may be removed. It stops in front of anything else.
    /// Returns the time flown, ms.
    int32_t (*fly_unlagged)(sv_context_t *sv, edict_t *edict, const edict_t *shooter,
                            int32_t max_ms);

    /// Returns the number of an animation, for edict->animations, or -1.
    int32_t (*animation)(const sv_context_t *sv, int32_t skeleton, const char *name);
    /// Computes a box that contains the edict's hitboxes during the whole first animation, relative
    /// to the origin. Uses the current angles and controllers. Returns false without hitboxes.
    bool (*skeleton_box)(const sv_context_t *sv, const edict_t *edict, bounds_t *box);

    void *(*world_vars)(const sv_context_t *sv); ///< the game's WORLD_GAME_BYTES of the world
    int32_t (*max_clients)(const sv_context_t *sv);
    int32_t (*num_edicts)(const sv_context_t *sv);   ///< highest edict number ever used + 1
    int64_t (*tick_time_ms)(const sv_context_t *sv); ///< world time at the end of the tick
    map_format_t (*map_format)(const sv_context_t *sv);
    /// Returns a setting of the player in a slot; "" for an unknown key or an empty slot.
    const char *(*info)(const sv_context_t *sv, int32_t slot, const char *key);
} game_import_t;

/// An .emesh file with bones and hitboxes. edict->skeleton is the index in the table + 1. Models of
/// the map start at FIRST_MAP_SKELETON. The game sets the edict's animations, anim_start_ms,
/// anim_blend and controllers. Clients receive these values and the model's name, cut to 31 bytes.
typedef struct {
    const char *name;
    const uint8_t *bytes; ///< content of the file, aligned to 16 bytes; NULL = read `file`
    size_t size;
    /// Path relative to the module's folder. A game that is linked into a program needs `bytes`.
    const char *file;
} game_model_t;

#define MAX_GAME_MODELS (FIRST_MAP_SKELETON - 1)

/// Where a trigger puts players who touch it.
typedef struct {
    vec3_t origin, velocity; ///< of the player, after that
    bool is_open;            ///< false: not now
} game_exit_t;

/// The table of a game. A NULL function is not called.
typedef struct game_export_s {
    int32_t api_version; ///< GAME_API_VERSION
    const char *name;
    const callback_t *callbacks;
    int32_t num_callbacks;
    game_fields_t edict_fields, client_fields, world_fields;
    game_cvar_table_t cvars;
    const game_spawn_t *spawns;
    int32_t num_spawns;
    /// Called after all map entities are spawned.
    void (*map_started)(sv_context_t *sv);
    /// Called when a client joins, to set position and health. `player` is a walking player, or a
    /// spectator if client->spectator is set. After a change of map, fields with FIELD_KEEP have
    /// their old values. The engine then links the edict.
    void (*client_join)(sv_context_t *sv, edict_t *player, client_t *client);
    /// Called instead of client_join when a client arrives through a landmark. Kept fields are set;
    /// `from->offset` may be inside something solid here. A ducked player has the ducked box.
    /// NULL: client_join is called.
    void (*client_arrive)(sv_context_t *sv, edict_t *player, client_t *client,
                          const arrival_t *from);
    /// Called when a client leaves, before `player` is freed.
    void (*client_leave)(sv_context_t *sv, edict_t *player, client_t *client);
    /// Called after the touches of each sub-step. An impulse adds a call before the sub-steps, with
    /// step_ms 0 and no buttons.
    void (*client_step)(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                        int32_t step_ms);
    /// Called once a tick for each client, before the commands run.
    void (*client_think)(sv_context_t *sv, edict_t *player, client_t *client);
    /// Called once a tick, after everything has moved.
    void (*frame)(sv_context_t *sv);
    /// Runs a client's text command. Returns false if unknown; the engine then replies.
    bool (*client_command)(sv_context_t *sv, edict_t *player, client_t *client, const char *text);
    const game_model_t *models; ///< at most MAX_GAME_MODELS
    int32_t num_models;
    /// Writes a line about the match for `status`. Runs between ticks; must not change anything.
    void (*describe)(sv_context_t *sv, char *line, size_t bytes);
    /// Called before an edict's spawn function for each map key that is no field. Returns true if
    /// the game uses the key; otherwise the engine logs it if it looks misspelt.
    bool (*other_key)(sv_context_t *sv, edict_t *edict, const char *key, const char *value);
    const game_info_t *userinfo; ///< at most MAX_GAME_INFOS
    int32_t num_userinfo;
    const game_command_t *commands; ///< of the operator
    int32_t num_commands;
    /// Called when a setting of a player has changed. A player joins with the defaults; calls for
    /// the other settings follow client_join. `key`: of the engine or of `userinfo`.
    void (*client_info_changed)(sv_context_t *sv, edict_t *player, client_t *client,
                                const char *key);
    /// Writes where a SOLID_TRIGGER puts players who touch it; `exit->is_open` is true before the
    /// call. Returns false if it does not do that. Runs between ticks, for a few triggers in turn
    /// and for those near players; must not change anything. Players who are about to touch the
    /// trigger receive whom they will see from the exit. NULL: they receive those late.
    bool (*exit_of)(sv_context_t *sv, const edict_t *trigger, game_exit_t *exit);
} game_export_t;

#endif
