#include "core/exits.h"

#include "core/server_local.h"
#include "world/running.h"

#include <string.h>

// The parts of the world that a write by a game changes, apart from the edicts.
typedef struct {
    rng_t rng;
    world_counters_t counters;
    int32_t num_written;
} mark_t;

static mark_t mark_of(const world_t *world) {
    return (mark_t){world->rng, world->counters, world->num_written};
}

// Undoes and reports a change of the world: this runs between ticks, and a replay does not run it.
static bool check_unchanged(server_t *server, exits_t *exits, const mark_t *before) {
    world_t *world = server->world;
    const bool is_same =
        memcmp(&world->rng, &before->rng, sizeof before->rng) == 0 &&
        memcmp(&world->counters, &before->counters, sizeof before->counters) == 0 &&
        world->num_written == before->num_written;
    world->rng = before->rng;
    world->counters = before->counters;
    if (!is_same) {
        exits->is_refused = true;
        Log_Print(server->config.log, LOG_WARN,
                  "game %s: exit_of changed the world, which it may only read; it is not called "
                  "again on this map",
                  server->config.game->name);
    }
    return is_same;
}

// Returns true if the game says that a trigger takes players to another place.
static bool ask(server_t *server, exits_t *exits, const edict_t *trigger, game_exit_t *exit) {
    const game_export_t *game = server->config.game;
    if (!game->exit_of || exits->is_refused) {
        return false; // after a reload, too
    }
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    const mark_t before = mark_of(server->world);
    *exit = (game_exit_t){.is_open = true};
    sv.check = NULL; // it would compare all edicts
    SV_BeginRun(&sv);
    sv_running_t outer = SV_EnterGame(&sv, "exit_of", "", trigger);
    const bool is_exit = game->exit_of(&sv, trigger, exit);
    SV_LeaveGame(&sv, outer);
    SV_EndRun(&sv);
    return check_unchanged(server, exits, &before) && is_exit &&
           VectorWithin(exit->origin, MAX_WORLD_COORD) &&
           VectorWithin(exit->velocity, MAX_WORLD_COORD);
}

static bool is_trigger(const edict_t *edict) {
    return World_IsLive(edict) && edict->solid == SOLID_TRIGGER && edict->touch != 0;
}

void Exits_Find(server_t *server, exits_t *exits) {
    const world_t *world = server->world;
    int32_t left_out = 0;
    exits->count = 0;
    for (int32_t number = server->config.max_clients + 1; number < world->num_edicts; number++) {
        const edict_t *edict = World_Edict(world, number);
        game_exit_t exit;
        if (!is_trigger(edict) || !ask(server, exits, edict, &exit)) {
            continue;
        }
        if (exits->count < MAX_EXITS) {
            exits->triggers[exits->count++] = (exit_trigger_t){.trigger = World_Ref(world, edict)};
        } else {
            left_out++;
        }
    }
    if (left_out > exits->left_out) {
        exits->left_out = left_out;
        Log_Print(server->config.log, LOG_WARN,
                  "%s: %d more than %d triggers teleport players: from their exits, players appear "
                  "late",
                  CM_Info(server->map).name, left_out, MAX_EXITS);
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
            at->is_open = ask(server, exits, edict, &at->exit) && at->exit.is_open;
        }
        if (at->is_open) {
            near[count++] = at->exit;
        }
    }
    return count;
}
