/// core/core_local.h - private declarations of core/: inputs, map entities and players.

#ifndef EDICTD_CORE_CORE_LOCAL_H
#define EDICTD_CORE_CORE_LOCAL_H

#include "bsp/entity_text.h"
#include "collide/cmodel.h"
#include "core/frame.h"
#include "world/events.h"
#include "world/move.h"
#include "world/neighbours.h"
#include "world/world.h"

/// The functions that the engine offers to a game.
extern const game_import_t sv_game_import;

/// Returns a context for calling the simulation.
sv_context_t SV_Context(world_t *world, const cmap_t *map, const game_binding_t *game,
                        events_t *events);

/// Applies one input (step 1 of the tick).
void SV_RunInput(sv_context_t *sv, const game_export_t *game, const input_t *input);

/// Packs the fields with FIELD_KEEP of `from`, such as client->game. Returns the bytes written.
int32_t SV_PackKept(const world_t *world, const game_fields_t *fields, const uint8_t *from,
                    uint8_t to[KEEP_BYTES]);

/// Writes packed values to their fields in `to`. Stops at the first value that has no field.
void SV_UnpackKept(world_t *world, const game_fields_t *fields, const uint8_t *from, int32_t count,
                   uint8_t *to);

/// Returns the game's table entry for a class name, or NULL.
const game_spawn_t *SV_FindSpawn(const game_export_t *game, const char *classname);

/// Implements game_import_t.spawn_class.
edict_t *SV_SpawnClass(sv_context_t *sv, const char *classname, vec3_t origin, vec3_t angles);

typedef struct {
    uint64_t class_hash;
    int32_t line; ///< line of the opening brace, from 1
} entity_line_t;

/// The line numbers of all entities in a map file, in order. The owner must free `list`.
typedef struct {
    entity_line_t *list;
    int32_t count, capacity;
} entity_lines_t;

// commands.c
/// Runs an operator's command of the game, from an INPUT_COMMAND.
void SV_RunGameCommand(sv_context_t *sv, const input_t *input);
/// Implement game_import_t.reply and set_cvar.
void SV_Reply(sv_context_t *sv, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool SV_SetCvar(sv_context_t *sv, const char *name, const char *value);

/// The map entity that is being spawned or checked; sv->map_entity points to it.
typedef struct map_entity_s {
    entity_def_t def;
    int32_t number;                         ///< number in the map's entity text, from 0
    const edict_t *edict;                   ///< the edict that is spawned from it; NULL = none
    const char *source;                     ///< text of the map's .map file; NULL = unknown
    entity_lines_t map_lines, source_lines; ///< filled by the first call of SV_EntityLabel
} map_entity_t;

#define ENTITY_LABEL_BYTES 160

/// Writes "arena.bsp: entity 17 (trigger_hurt at 64 0 24; arena.map:210)" for sv->map_entity.
void SV_EntityLabel(const sv_context_t *sv, char text[ENTITY_LABEL_BYTES]);

/// Logs a warning about sv->map_entity. The line starts with the text of SV_EntityLabel.
void SV_WarnEntity(const sv_context_t *sv, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Logs a warning about an edict: "arena.bsp: edict 12 (trigger_hurt at 64 0 24): ...".
void SV_WarnEdict(sv_context_t *sv, const edict_t *edict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Sets binding->check to a check that begins anew; NULL = off.
void SV_BindCheck(game_binding_t *binding, struct gamecheck_s *check);

/// Implements game_import_t.set_mover.
bool SV_SetMover(sv_context_t *sv, edict_t *edict, const char *name, const mover_limits_t *limits);

/// Logs a warning for every missing target that a map entity names. Overwrites *sv->map_entity.
void SV_CheckNames(sv_context_t *sv, const game_export_t *game);

/// Runs or refuses a client's text command if it is a cheat. Returns false for other commands, and
/// for a permitted "give", which the game runs.
bool SV_RunCheat(sv_context_t *sv, edict_t *edict, client_t *client, const char *text);

/// If sv_cheats is 0, ends what cheats gave a player: movetype, god and notarget.
void SV_EndCheats(world_t *world, client_t *client, edict_t *edict);

/// Numbers of the engine's settings of players. Those of the game follow.
enum { INFO_NAME, INFO_COLOUR, INFO_RATE, INFO_GAME };

_Static_assert(INFO_GAME == 1 + CLIENT_INFOS - MAX_GAME_INFOS && CLIENT_INFOS < MAX_INFO_KEYS,
               "a client_t and a message have room for all settings");

/// Returns the number of a setting, or -1 for an unknown key.
int32_t SV_InfoKey(const game_export_t *game, const char *key);

/// Returns the key and the default of setting `number`; NULL if there is none.
const game_info_t *SV_InfoOf(const game_export_t *game, int32_t number);

/// Writes the defaults of all settings but the name.
void SV_InfoDefaults(const game_export_t *game, char infos[CLIENT_INFOS][MAX_INFO_BYTES]);

/// Returns true if the client in `slot` may know of an edict. See visibility_t.
bool SV_IsVisible(const world_t *world, const edict_t *edict, int32_t slot);

/// Returns the slot whose view a client receives: that of the player it watches, or its own.
int32_t SV_ViewSlot(const world_t *world, int32_t slot);

/// Returns true for a spectator that may see no players: it watches nobody, and sv_spectate is
/// below 2.
bool SV_IsBlind(const world_t *world, int32_t slot);

/// Which players the client in `slot` may follow.
typedef struct {
    const world_t *world;
    const void *context; ///< of may()
    bool (*may)(const void *context, int32_t slot, int32_t other);
} follow_rules_t;

/// Runs the command "follow": sets *watches (slot + 1; 0 = nobody) and writes the answer. Returns
/// false for other commands.
bool SV_FollowCommand(const follow_rules_t *rules, int32_t slot, uint16_t *watches,
                      const char *text, char answer[MAX_TEXT_BYTES]);

/// Runs the command "follow" in the world. `friends_only`: of the client's team. Returns false for
/// other commands.
bool SV_RunFollow(sv_context_t *sv, int32_t slot, const char *text, bool friends_only);

/// Moves spectators to the players they watch. Ends what sv_spectate no longer permits.
void SV_MoveWatchers(sv_context_t *sv);

/// Runs the think and the due usercmds of every client. Step 3 of the tick.
void SV_RunClients(sv_context_t *sv, const game_export_t *game);

/// If clients cannot have the movetype of a client's edict, restores the old one. A number that is
/// no movetype becomes MOVETYPE_NONE. Logs this once per burst.
void SV_CheckMovetype(sv_context_t *sv, edict_t *edict);

/// Ends cheats and checks the movetypes of all clients' edicts, before pushers run.
void SV_CheckMovetypes(sv_context_t *sv);

/// Copies a player's state from the edict, after SV_CheckMovetype.
void SV_PlayerFromEdict(sv_context_t *sv, edict_t *edict);

/// Returns true for a vehicle without driver, which find_vehicle may return.
bool SV_IsVehicle(const edict_t *edict);

/// Copies an edict's state from the player.
void SV_EdictFromPlayer(sv_context_t *sv, edict_t *edict, const player_state_t *player);

/// State that the commands of a player share within one tick.
typedef struct {
    bool has_carry;
    vec3_t carry;       ///< basevelocity, qu/s
    neighbours_t near;  ///< edicts around the player
    uint32_t num_links; ///< the context's, when `near` was last right
} player_tick_t;

/// Starts the tick of a player.
void SV_BeginPlayerTick(player_tick_t *tick);

/// Writes a query for the place of a client's player after a command. Returns false if there is
/// none.
bool SV_PlayerQuery(const sv_context_t *sv, int32_t slot, player_tick_t *tick, sv_query_t *query);

/// Moves a client's player by `msec` ms of a command, in sub-steps.
void SV_RunPlayerCommand(sv_context_t *sv, const game_export_t *game, int32_t slot,
                         const usercmd_t *cmd, int32_t msec, player_tick_t *tick);

#endif
