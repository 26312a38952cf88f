/// core/core_local.h - what the files of core/ share with each other only.
//
// Floor:   core.

#ifndef EDICTD_CORE_CORE_LOCAL_H
#define EDICTD_CORE_CORE_LOCAL_H

#include "bsp/entity_text.h"
#include "collide/cmodel.h"
#include "core/frame.h"

/// The engine's table for the game.
extern const game_import_t sv_game_import;

/// A context for one call into the simulation.
sv_context_t SV_Context(world_t *world, const cmap_t *map, const game_binding_t *game,
                        events_t *events);

/// Applies one input (step 1 of the tick).
void SV_RunInput(sv_context_t *sv, const game_export_t *game, const input_t *input);

/// The line of a class in the game's table, or NULL.
const game_spawn_t *SV_FindSpawn(const game_export_t *game, const char *classname);

/// Logs keys of the map's entities that name others (`target`, FIELD_NAMES) where no entity has
/// that targetname. `scratch` is room for one entity.
void SV_CheckNames(sv_context_t *sv, const game_export_t *game, entity_def_t *scratch);

/// Step 3: every client in order: one think, then the usercmds due.
void SV_RunClients(sv_context_t *sv, const game_export_t *game);

/// The value of a gameplay cvar of the engine or the game; 0 when there is none.
float SV_CvarValue(const sv_context_t *sv, const char *name);

/// Sets a client's player state from his edict, and back.
void SV_PlayerFromEdict(player_state_t *player, const edict_t *edict);
void SV_EdictFromPlayer(edict_t *edict, const player_state_t *player, const world_t *world);

/// What an edict's basevelocity does to its player in one tick. The first sub-step takes it; one
/// that is set in the tick (by a touch) acts in the sub-steps that follow and in the next tick. So
/// how input is cut into commands changes nothing.
typedef struct {
    bool taken;
    vec3_t velocity; // qu/s
} player_carry_t;

/// Runs `msec` of a command for a client, sub-step by sub-step, with touches and the game's hook.
/// `carry` is that of the tick, zeroed before its first command.
void SV_RunPlayerCommand(sv_context_t *sv, const game_export_t *game, int32_t slot,
                         const usercmd_t *cmd, int32_t msec, player_carry_t *carry);

#endif
