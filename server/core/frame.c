#include "core/frame.h"

#include "core/core_local.h"
#include "core/game_tables.h"
#include "physics/physics.h"

#include <string.h>

// The models are views of the game's bytes.
static bool bind_models(const game_export_t *game, game_binding_t *binding, err_t *err) {
    emesh_t file;
    err_t why = {{0}};
    if (game->num_models < 0 || game->num_models > MAX_GAME_MODELS ||
        (game->num_models > 0 && !game->models)) {
        return Err_Set(err, "game %s: expected at most %d models, found a table of %d", game->name,
                       MAX_GAME_MODELS, game->num_models);
    }
    binding->poses = NULL;
    binding->num_models = game->num_models + 1;
    binding->models[0] = (model_t){0};
    for (int32_t i = 0; i < game->num_models; i++) {
        const game_model_t *one = &game->models[i];
        if (!one->name || !one->bytes || ((uintptr_t)one->bytes & 15) != 0) {
            return Err_Set(err, "game %s: model %d: expected a name, and bytes on 16 bytes",
                           game->name, i);
        }
        if (!EMesh_Parse(&file, one->name, one->bytes, one->size, &why) ||
            !Model_Read(&binding->models[i + 1], &file, one->name, &why)) {
            return Err_Set(err, "game %s: model %.400s", game->name, why.text);
        }
    }
    return true;
}

bool SV_BindGame(world_t *world, const game_export_t *game, game_binding_t *binding, err_t *err) {
    if (!SV_CheckGame(game, err)) {
        return false;
    }
    uint64_t layout = SV_GameLayout(game);
    // A fresh world has neither; a game may have fields and no callbacks.
    bool is_bound = world->num_callbacks > 1 || world->game_layout != 0;
    if (is_bound && world->game_layout != layout) {
        return Err_Set(err, "game %s: its fields lie elsewhere than in this world", game->name);
    }
    err_t why = {{0}};
    if (!bind_models(game, binding, err)) {
        return false;
    }
    if (!Callbacks_Bind(world, game->callbacks, game->num_callbacks, &binding->callbacks, &why)) {
        return Err_Set(err, "game %s: %.400s", game->name, why.text);
    }
    binding->game = game;
    world->game_layout = layout;
    return true;
}

sv_context_t SV_Context(world_t *world, const cmap_t *map, const game_binding_t *game,
                        events_t *events) {
    return (sv_context_t){.world = world,
                          .map = map,
                          .callbacks = &game->callbacks,
                          .events = events,
                          .engine = &sv_game_import,
                          .game = game->game,
                          .models = game->models,
                          .num_models = game->num_models,
                          .poses = game->poses};
}

void SV_Frame(world_t *world, const cmap_t *map, const game_binding_t *game, const inputs_t *inputs,
              events_t *events) {
    sv_context_t sv = SV_Context(world, map, game, events);
    world->time_ms += world->cvars.sv_tick_ms;
    world->counters.inputs_dropped += inputs->dropped;
    for (int32_t i = 0; i < inputs->count; i++) {
        SV_RunInput(&sv, game->game, &inputs->list[i]);
    }
    SV_Movers(&sv);
    SV_RunClients(&sv, game->game);
    SV_Physics(&sv);
    if (game->game->frame) {
        game->game->frame(&sv);
    }
    SV_Followers(&sv);
    SV_FreeRemoved(&sv);
    world->tick_hash = World_TickHash(world);
    world->tick++;
}
