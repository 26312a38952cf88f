#include "core/exits.h"

#include "core/server_local.h"
#include "world/running.h"

#include <string.h>

#define LOG_WINDOW_MS 5000

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

// Returns how often exit_of may be called in a tick: a game searches all edicts for a target.
static int32_t asks_in_tick(const world_t *world) {
    return Q_MaxI(EXITS_WORK / world->num_edicts, 2);
}

// Returns true if the game says that a trigger takes players to another place.
static bool ask(server_t *server, exits_t *exits, const edict_t *trigger, game_exit_t *exit) {
    const game_export_t *game = server->config.game;
    if (!game->exit_of || exits->is_refused) {
        return false; // after a reload, too
    }
    exits->asks_left--;
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

// Returns the index of the first trigger in the list whose number is not below `number`.
static int32_t place_of(const exits_t *exits, int32_t number) {
    int32_t at = 0;
    while (at < exits->count && (int32_t)exits->triggers[at].trigger.index < number) {
        at++;
    }
    return at;
}

// Lists an edict if it is a push pad or a trigger with an exit. Otherwise, removes it.
static void search_edict(server_t *server, exits_t *exits, int32_t number) {
    const edict_t *edict = World_Edict(server->world, number);
    const int32_t at = place_of(exits, number);
    exit_trigger_t *list = exits->triggers;
    const bool is_listed = at < exits->count && (int32_t)list[at].trigger.index == number;
    const int32_t after = at + (is_listed ? 1 : 0);
    exit_trigger_t now = {.trigger = World_Ref(server->world, edict), .tick = server->world->tick};
    const bool is_exit = is_trigger(edict) &&
                         (Contents_IsPad(edict->contents) || ask(server, exits, edict, &now.exit));
    now.is_open = is_exit && now.exit.is_open;
    if (is_exit && !is_listed && exits->count == MAX_EXITS) {
        if (!exits->is_full) {
            Log_Print(server->config.log, LOG_WARN,
                      "%s: more than %d triggers teleport or throw players; to those who use the "
                      "others, players appear late",
                      CM_Info(server->map).name, MAX_EXITS);
        }
        exits->is_full = true;
        return;
    }
    if (is_exit != is_listed) {
        memmove(&list[at + (is_exit ? 1 : 0)], &list[after],
                (size_t)(exits->count - after) * sizeof list[0]);
    }
    exits->count += (is_exit ? 1 : 0) - (is_listed ? 1 : 0);
    if (is_exit) {
        list[at] = now;
    }
}

// Logs the exits that were left out since the last call.
static void note_left_out(server_t *server, exits_t *exits) {
    if (exits->left_out > 0 && Log_BurstAllows(&exits->burst, server->now_ms, LOG_WINDOW_MS)) {
        Log_Print(server->config.log, LOG_WARN,
                  "left out %d exits of teleporters near players (maximum %d for a player, %d "
                  "calls of exit_of in a tick); from there, other players appear late%s",
                  exits->left_out, EXITS_NEAR, asks_in_tick(server->world), exits->burst.more);
    }
    server->stats.exits_left_out += (uint64_t)exits->left_out;
    exits->left_out = 0;
}

void Exits_Tick(server_t *server, exits_t *exits) {
    const int32_t first = server->config.max_clients + 1;
    const int32_t end = server->world->num_edicts;
    const int32_t most = asks_in_tick(server->world);
    note_left_out(server, exits);
    exits->asks_left = most;
    for (int32_t i = 0; i < EXITS_EDICTS && first < end && exits->asks_left > most / 2; i++) {
        const bool is_in = exits->next >= first && exits->next < end;
        exits->next = is_in ? exits->next : first;
        search_edict(server, exits, exits->next++);
    }
}

// Adds the velocity of a push pad.
static void add_pad(near_exits_t *near, vec3_t velocity) {
    const float level = VectorLength(Vector(velocity.x, velocity.y, 0.0f));
    near->up = velocity.z > near->up ? velocity.z : near->up;
    near->level = level > near->level ? level : near->level;
}

// Returns true if a player touches a trigger within its moves.
static bool reaches(const edict_t *player, const bounds_t *moves, const edict_t *trigger) {
    const bounds_t box = {VectorAdd(player->absmin, moves->mins),
                          VectorAdd(player->absmax, moves->maxs)};
    return BoundsTouch((bounds_t){trigger->absmin, trigger->absmax}, box);
}

near_exits_t Exits_Near(server_t *server, exits_t *exits, const edict_t *player, bounds_t moves,
                        bounds_t pad_moves) {
    const world_t *world = server->world;
    near_exits_t near = {0};
    for (int32_t i = 0; i < exits->count; i++) {
        exit_trigger_t *at = &exits->triggers[i];
        const edict_t *edict = World_Deref(world, at->trigger);
        const bool is_pad = edict && Contents_IsPad(edict->contents);
        if (!edict || !is_trigger(edict) || !reaches(player, is_pad ? &pad_moves : &moves, edict)) {
            continue;
        }
        if (is_pad) {
            add_pad(&near, VectorClamp(edict->surface_velocity, world->cvars.move.sv_maxvelocity));
            continue;
        }
        if (at->tick != world->tick && exits->asks_left > 0) {
            at->tick = world->tick;
            at->is_open = ask(server, exits, edict, &at->exit) && at->exit.is_open;
        }
        if (at->is_open && near.count < EXITS_NEAR) {
            near.list[near.count++] = at->exit;
        } else if (at->is_open || at->tick != world->tick) { // the last answer may be outdated
            exits->left_out++;
        }
    }
    return near;
}
