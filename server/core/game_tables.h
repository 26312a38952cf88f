/// core/game_tables.h - checks the tables of a game_export_t (fields, cvars, callbacks, ...) and
/// compares those of two builds.
//
// Errors:  a game is untrusted data, so every table is checked before it is used.

#ifndef EDICTD_CORE_GAME_TABLES_H
#define EDICTD_CORE_GAME_TABLES_H

#include "core/game_api.h"

/// Returns the size of a type in bytes; 0 for an unknown type.
uint32_t SV_FieldBytes(game_field_type_t type);
/// Returns the alignment of a type in bytes; 0 for an unknown type.
uint32_t SV_FieldAlign(game_field_type_t type);

/// Returns "int", "float", ...; "?" for an unknown type.
const char *SV_FieldTypeName(game_field_type_t type);

/// Returns the maximum bytes of the packed fields with FIELD_KEEP, or more than KEEP_BYTES.
int32_t SV_KeepBytes(const game_fields_t *fields);

/// Checks all tables of a game. Returns false with the faulty entry.
bool SV_CheckGame(const game_export_t *game, err_t *err);

/// Returns the bytes of a cvar's value.
uint32_t SV_CvarBytes(const cvar_def_t *def);

/// Returns a gameplay cvar of the engine, or a cvar of the game (*is_own), or NULL.
const cvar_def_t *SV_FindCvar(const game_export_t *game, const char *name, bool *is_own);

/// Returns true for 1..31 letters, digits and _.
bool SV_IsGoodName(const char *name);

/// Returns the operator's command of this name, or NULL.
const game_command_t *SV_FindCommand(const game_export_t *game, const char *name);

/// Checks the operator's commands of a game. Returns false with the faulty one.
bool SV_CheckCommands(const game_export_t *game, err_t *err);

/// Returns a hash of all fields and cvars of a game. Two builds with the same hash can run each
/// other's worlds.
uint64_t SV_GameLayout(const game_export_t *game);

/// Returns true if both games have the same fields and cvars and send them alike, otherwise false
/// with the differences.
bool SV_SameLayout(const game_export_t *now, const game_export_t *next, err_t *err);

/// Copies the values of the game's cvars. `to` and `from` have WORLD_GAME_BYTES bytes.
void SV_CopyGameCvars(const game_export_t *game, uint8_t *to, const uint8_t *from);

#endif
