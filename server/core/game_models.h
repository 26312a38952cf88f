/// core/game_models.h - the models of a game's table: read, checked, told apart.
//
// Floor:   core.
// Errors:  a game comes from outside: all of a model is checked before it is used.

#ifndef EDICTD_CORE_GAME_MODELS_H
#define EDICTD_CORE_GAME_MODELS_H

#include "core/game_api.h"
#include "model/model.h"

/// Reads the models of a table, whose bytes they stay views of; [0] is none. *hash is that of all of
/// them in their order, 0 without any: two builds with the same one pose and hit alike. False with
/// the model and what is wrong.
bool SV_ReadModels(const game_export_t *game, model_t models[MAX_GAME_MODELS + 1], uint64_t *hash,
                   err_t *err);

/// True when both have the same models. False with the first that differs.
bool SV_SameModels(const game_export_t *now, const game_export_t *next, err_t *err);

#endif
