/// core/game_tables.h - checks the tables of a game, hashes the layout that they give a world
/// block, and compares two builds of a game.
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

/// Reads the next entry of a list like "1 starts open, 4 opens alone": its number, and its name as
/// a view of the text. Moves *text past the entry. Returns false at the end or for a faulty list.
bool SV_NextListed(const char **text, int32_t *value, const char **name, int32_t *length);

/// Checks version, callbacks, fields, cvars and classes. Returns false with the faulty entry.
bool SV_CheckGame(const game_export_t *game, err_t *err);

/// Returns the hash of the names, types and offsets of all fields and cvars; their order does not
/// matter. Two builds with the same hash can run each other's worlds.
uint64_t SV_GameLayout(const game_export_t *game);

/// Returns true if both games have the same layout, otherwise false with all differences.
bool SV_SameLayout(const game_export_t *now, const game_export_t *next, err_t *err);

/// Copies the values of the game's cvars from one game area (WORLD_GAME_BYTES) to another.
void SV_CopyGameCvars(const game_export_t *game, uint8_t *to, const uint8_t *from);

#endif
