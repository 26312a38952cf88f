#include "core/frame.h"

#include "core/core_local.h"
#include "physics/physics.h"

#include <string.h>

static bool check_fields(const game_export_t *game, const char *what, const game_fields_t *fields,
                         uint32_t room, err_t *err) {
    static const uint32_t sizes[FIELD_TYPE_COUNT] = {4, 8, 4, 12, 4, 8};
    for (int32_t i = 0; i < fields->count; i++) {
        const game_field_t *field = &fields->list[i];
        if (field->type >= FIELD_TYPE_COUNT || field->offset > room ||
            sizes[field->type] > room - field->offset) {
            return Err_Set(err, "game %s: %s field \"%s\" does not fit into %u bytes", game->name,
                           what, field->name, room);
        }
    }
    return true;
}

bool SV_BindGame(world_t *world, const game_export_t *game, game_binding_t *binding, err_t *err) {
    if (game->api_version != GAME_API_VERSION) {
        return Err_Set(err, "game %s: expected interface version %d, found %d", game->name,
                       GAME_API_VERSION, game->api_version);
    }
    binding->game = game;
    return check_fields(game, "edict", &game->edict_fields, EDICT_GAME_BYTES, err) &&
           check_fields(game, "client", &game->client_fields, CLIENT_GAME_BYTES, err) &&
           check_fields(game, "world", &game->world_fields, WORLD_GAME_BYTES, err) &&
           Callbacks_Bind(world, game->callbacks, game->num_callbacks, &binding->callbacks, err);
}

sv_context_t SV_Context(world_t *world, const cmap_t *map, const game_binding_t *game,
                        events_t *events) {
    return (sv_context_t){.world = world,
                          .map = map,
                          .callbacks = &game->callbacks,
                          .events = events,
                          .engine = &sv_game_import};
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
