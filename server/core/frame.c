#include "core/frame.h"

#include "core/core_local.h"
#include "core/game_models.h"
#include "core/game_tables.h"
#include "physics/physics.h"
#include "world/block.h"
#include "world/history.h"
#include "world/running.h"
#include "world/tick_time.h"

#include <string.h>

bool SV_BindGame(world_t *world, const game_export_t *game, game_binding_t *binding, err_t *err) {
    if (!SV_CheckGame(game, err)) {
        return false;
    }
    uint64_t layout = SV_GameLayout(game);
    uint64_t models = 0;
    err_t why = {{0}};
    if (!SV_ReadModels(game, binding->models, &models, err)) {
        return false;
    }
    // A new world has neither callbacks nor hashes; a game may have fields and no callbacks.
    bool is_bound = world->num_callbacks > 1 || world->game_layout != 0 || world->game_models != 0;
    if (is_bound && world->game_layout != layout) {
        return Err_Set(err, "game %s: its fields have other offsets or types than in this world",
                       game->name);
    }
    if (is_bound && world->game_models != models) {
        return Err_Set(err, "game %s: its models (%016llx) are not those of this world (%016llx)",
                       game->name, (unsigned long long)models,
                       (unsigned long long)world->game_models);
    }
    if (!Callbacks_Bind(world, game->callbacks, game->num_callbacks, &binding->callbacks, &why)) {
        return Err_Set(err, "game %s: %.400s", game->name, why.text);
    }
    binding->game = game;
    binding->poses = NULL;
    binding->caches = NULL;
    binding->running = NULL;
    binding->check = NULL;
    binding->map_source = NULL;
    binding->num_models = game->num_models + 1;
    world->game_layout = layout;
    world->game_models = models;
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
                          .poses = game->poses,
                          .caches = game->caches,
                          .running = game->running,
                          .check = game->running ? game->check : NULL,
                          .tick_seconds = World_TickSeconds(world)};
}

void SV_Frame(world_t *world, const cmap_t *map, const game_binding_t *game, const inputs_t *inputs,
              events_t *events) {
    sv_context_t sv = SV_Context(world, map, game, events);
    sv_running_t running = {.kind = NULL};
    sv.running = sv.running ? sv.running : &running; // for log lines about faults
    SV_BeginRun(&sv);
    world->time_ms += World_TickMs(world);
    world->counters.inputs_dropped += inputs->dropped;
    for (int32_t i = 0; i < inputs->count; i++) {
        SV_RunInput(&sv, game->game, &inputs->list[i]);
    }
    SV_CheckMovetypes(&sv);
    SV_Pushers(&sv);
    SV_RunClients(&sv, game->game);
    SV_Physics(&sv);
    if (game->game->frame) {
        sv_running_t outer = SV_EnterGame(&sv, "frame", "", NULL);
        game->game->frame(&sv);
        SV_LeaveGame(&sv, outer);
    }
    SV_Followers(&sv);
    SV_RefuseSpeeds(&sv);
    SV_EndGameCheck(&sv);
    SV_FreeRemoved(&sv);
    SV_RecordHistory(&sv);
    world->tick_hash = World_TickHash(world);
    world->tick++;
    SV_EndRun(&sv);
}
