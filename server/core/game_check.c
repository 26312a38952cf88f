/// core/game_check.c - sv_gamecheck of a server: its memory, and the bytes that fields cover.

#include "core/game_tables.h"
#include "core/server_local.h"
#include "world/gamecheck.h"

#include <stdlib.h>
#include <string.h>

static void cover_fields(uint8_t *mask, const game_fields_t *fields) {
    for (int32_t i = 0; i < fields->count; i++) {
        memset(mask + fields->list[i].offset, 0, SV_FieldBytes(fields->list[i].type));
    }
}

void SV_BindCheck(game_binding_t *binding, gamecheck_t *check) {
    const game_export_t *game = binding->game;
    binding->check = check;
    if (!check) {
        return;
    }
    check->world = NULL;
    memset(check->edict_free, 0xff, sizeof check->edict_free);
    memset(check->client_free, 0xff, sizeof check->client_free);
    memset(check->world_free, 0xff, sizeof check->world_free);
    cover_fields(check->edict_free, &game->edict_fields);
    cover_fields(check->client_free, &game->client_fields);
    cover_fields(check->world_free, &game->world_fields);
    for (int32_t i = 0; i < game->cvars.count; i++) {
        memset(check->world_free + game->cvars.list[i].offset, 0,
               SV_CvarBytes(&game->cvars.list[i]));
    }
}

bool Server_SetGameCheck(server_t *server, bool is_on, err_t *err) {
    if (is_on == (server->check != NULL)) {
        return true;
    }
    const size_t edicts = (size_t)server->config.max_edicts;
    gamecheck_t *check = is_on ? calloc(1, sizeof *check + edicts * sizeof *check->edicts) : NULL;
    if (is_on && !check) {
        return Err_Set(err, "sv_gamecheck: no memory for %zu edicts", edicts);
    }
    free(server->check);
    server->check = check;
    if (server->world) {
        SV_BindCheck(&server->game, check);
    }
    return true;
}
