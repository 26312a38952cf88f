/// core/game_models.h - reads, checks and compares a game's models with bones.
//
// Errors:  a game is untrusted data, so every part of a model is checked before it is used.

#ifndef EDICTD_CORE_GAME_MODELS_H
#define EDICTD_CORE_GAME_MODELS_H

#include "core/game_api.h"
#include "model/model.h"

/// Parses the models of `game` into models[1..num_models]; models[0] is empty. The models point
/// into the memory of the game. *hash receives a hash of all models, 0 if there are none. Returns
/// false with the faulty model.
bool SV_ReadModels(const game_export_t *game, model_t models[MAX_GAME_MODELS + 1], uint64_t *hash,
                   err_t *err);

/// Returns true if both games have the same models, otherwise false with the first difference.
bool SV_SameModels(const game_export_t *now, const game_export_t *next, err_t *err);

#endif
