/// core/game_tables.h - the tables of a game: what is wrong with them, what they lay out in a world
/// block, and how another build of the game differs.
//
// Floor:   core.
// Errors:  a game comes from outside: every table is checked before it is used.

#ifndef EDICTD_CORE_GAME_TABLES_H
#define EDICTD_CORE_GAME_TABLES_H

#include "core/game_api.h"

/// Bytes that a value takes, and lies on; 0 for a number that is no type.
uint32_t SV_FieldBytes(game_field_type_t type);
uint32_t SV_FieldAlign(game_field_type_t type);

/// "int", "float", ...; "?" for a number that is no type.
const char *SV_FieldTypeName(game_field_type_t type);

/// The next entry of a list like "1 starts open, 4 opens alone": its number and its name, which lies
/// in the text; *text goes on behind it. False at the end and where the text is no such list.
bool SV_NextListed(const char **text, int32_t *value, const char **name, int32_t *length);

/// Checks version, fields, cvars and classes. False with the table, the entry, what was expected.
bool SV_CheckGame(const game_export_t *game, err_t *err);

/// The hash of where which value lies: fields and cvars, whatever their order in the tables. Two
/// builds with the same one understand each other's worlds.
uint64_t SV_GameLayout(const game_export_t *game);

/// True when `next` lays out the same as `now`. False with the first field that differs, and how.
bool SV_SameLayout(const game_export_t *now, const game_export_t *next, err_t *err);

/// Copies the values of the game's cvars from one game area to another.
void SV_CopyGameCvars(const game_export_t *game, uint8_t *to, const uint8_t *from);

#endif
