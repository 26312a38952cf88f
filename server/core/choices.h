/// core/choices.h - lists in the texts of a game's tables: values of a key, and spawnflags.

#ifndef EDICTD_CORE_CHOICES_H
#define EDICTD_CORE_CHOICES_H

#include "core/game_api.h"

#define MAX_CHOICES 32

/// One value of a list. The texts point into the list and have no NUL.
typedef struct {
    const char *value, *name; ///< "-3" and "water"; a word without a name is its own name
    int32_t value_length, name_length;
    bool is_number;
    int32_t number; ///< the value, if it is a number
} choice_t;

/// Reads a list such as "1 starts open, 4 opens alone" or "step | ray | drop falls". Returns the
/// number of values, which all differ, or 0 if the text is no such list.
int32_t SV_ReadChoices(const char *text, choice_t list[MAX_CHOICES]);

/// Reads the values that the help text of a map key lists. Returns 0 if it lists none.
int32_t SV_FieldChoices(const game_field_t *field, choice_t list[MAX_CHOICES]);

/// Checks that a map key's help text is a list of values if it looks like one.
bool SV_CheckHelp(const game_field_t *field, err_t *err);

/// Checks a class's list of spawnflags: single bits in ascending order.
bool SV_CheckSpawnflags(const game_spawn_t *spawn, err_t *err);

/// Checks that the default `value` of a key is one of the values that the key's help text lists.
bool SV_CheckDefault(const game_field_t *field, const char *value, size_t length, err_t *err);

#endif
