#include "core/exits.h"

#include "core/server_local.h"
#include "world/running.h"

// Returns true if the game says that a trigger takes players to another place.
static bool ask(server_t *server, const edict_t *trigger, game_exit_t *exit) {
    const game_export_t *game = server->config.game;
    if (!game->exit_of) {
        return false; // after a reload, too
    }
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    *exit = (game_exit_t){.is_open = true};
    SV_BeginRun(&sv);
    sv_running_t outer = SV_EnterGame(&sv, "exit_of", "", trigger);
    const bool is_exit = game->exit_of(&sv, trigger, exit);
    SV_LeaveGame(&sv, outer);
    SV_EndRun(&sv);
    return is_exit && VectorWithin(exit->origin, MAX_WORLD_COORD) &&
           VectorWithin(exit->velocity, MAX_WORLD_COORD);
}

static bool is_trigger(const edict_t *edict) {
    return World_IsLive(edict) && edict->solid == SOLID_TRIGGER && edict->touch != 0;
}

void Exits_Find(server_t *server, exits_t *exits) {
    const world_t *world = server->world;
    exits->count = 0;
    for (int32_t number = server->config.max_clients + 1; number < world->num_edicts; number++) {
        const edict_t *edict = World_Edict(world, number);
        game_exit_t exit;
        if (is_trigger(edict) && exits->count < MAX_EXITS && ask(server, edict, &exit)) {
            exits->triggers[exits->count++] = (exit_trigger_t){.trigger = World_Ref(world, edict)};
        }
    }
}

int32_t Exits_Near(server_t *server, exits_t *exits, bounds_t box, game_exit_t *near) {
    const world_t *world = server->world;
    int32_t count = 0;
    for (int32_t i = 0; i < exits->count && count < EXITS_NEAR; i++) {
        exit_trigger_t *at = &exits->triggers[i];
        const edict_t *edict = World_Deref(world, at->trigger);
        if (!edict || !is_trigger(edict) ||
            !BoundsTouch((bounds_t){edict->absmin, edict->absmax}, box)) {
            continue;
        }
        if (at->tick != world->tick) {
            at->tick = world->tick;
            at->is_open = ask(server, edict, &at->exit) && at->exit.is_open;
        }
        if (at->is_open) {
            near[count++] = at->exit;
        }
    }
    return count;
}
