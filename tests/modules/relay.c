/// tests/modules/relay.c - a relay race: a small complete game, as a team would write one.
//
// The operator starts a race with race_start. After a countdown, two teams carry a baton from
// relay_start over race_legs runners to trigger_finish. A runner gives it to a team mate nearby
// with the command "pass", or throws it with "drop". The teams' wins stay over the change of map
// that ends a race; the best time is the cvar race_record_s, which the game sets. A hare runs along
// the track and turns at obstacles.

#include "core/game_api.h"

#include <stdio.h>
#include <string.h>

#define NUM_TEAMS  2
#define REACH      96.0f // qu, from a runner to the next
#define COUNTDOWN  3     // s
#define MAX_NEAR   32
#define THROW      300.0f
#define LOST_MS    5000 // after this time, a dropped baton returns to its start
#define FLIGHT_MS  500  // in this time, nobody catches a thrown baton
#define PODIUM_MS  2000
#define HARE_MS    100
#define HARE_SPEED 16.0f // qu a step

typedef struct {
    int32_t legs;   // cvar race_legs
    float record_s; // cvar race_record_s
    int32_t wins[NUM_TEAMS + 1];
    int32_t count; // s of the countdown left
    int64_t began_ms;
    int32_t turns; // of the hare
} relay_t;

typedef struct {
    int32_t legs; // run in all races
} runner_t;

typedef struct {
    edict_ref_t runner; // of a baton
    int32_t team, passed;
    int64_t flies_ms; // until this time
    vec3_t home;
} baton_t;

static relay_t *relay_of(const sv_context_t *sv) {
    return (relay_t *)sv->engine->world_vars(sv);
}

static runner_t *runner_of(client_t *client) {
    return (runner_t *)(void *)client->game;
}

static baton_t *baton_of(edict_t *edict) {
    return (baton_t *)(void *)edict->game;
}

static void say(sv_context_t *sv, const char *format, const char *who, int32_t number) {
    char line[MAX_TEXT_BYTES];
    snprintf(line, sizeof line, format, who, number);
    sv->engine->print(sv, EVENT_TO_ALL, line);
}

static const char *team_name(int32_t team) {
    return team == 1 ? "red" : "blue";
}

static bool is_running(const sv_context_t *sv) {
    return relay_of(sv)->began_ms > 0 && relay_of(sv)->count == 0;
}

// ---- batons ----

// Returns the baton of a team, or the baton that `runner` carries if the team is 0. NULL = none.
static edict_t *find_baton(sv_context_t *sv, int32_t team, const edict_t *runner) {
    edict_t *baton = sv->engine->find_class(sv, NULL, "relay_baton");
    for (; baton; baton = sv->engine->find_class(sv, baton, "relay_baton")) {
        bool is_its = runner && sv->engine->deref(sv, baton_of(baton)->runner) == runner;
        if (is_its || (team > 0 && baton_of(baton)->team == team)) {
            return baton;
        }
    }
    return NULL;
}

// Returns a baton to its start after a time; 0 = never.
static void return_after(sv_context_t *sv, edict_t *baton, int64_t ms) {
    sv->engine->timer(sv, baton, sv->engine->callback(sv, "baton_lost"),
                      ms > 0 ? sv->engine->time_ms(sv) + ms : 0);
}

static void take(sv_context_t *sv, edict_t *baton, edict_t *runner) {
    client_t *client = sv->engine->client(sv, runner);
    baton_of(baton)->runner = sv->engine->ref(sv, runner);
    return_after(sv, baton, 0);
    sv->engine->follow(sv, baton, runner, Vector(0.0f, 0.0f, 32.0f), vec3_zero);
    say(sv, "%s has the baton, leg %d", client->name, baton_of(baton)->passed + 1);
}

// Throws the baton forwards. It bounces and lies, and after a while it is back at its start.
static void drop(sv_context_t *sv, edict_t *baton, const client_t *client) {
    sv->engine->follow(sv, baton, NULL, vec3_zero, vec3_zero);
    baton_of(baton)->runner = (edict_ref_t){0, 0};
    baton->movetype = MOVETYPE_BOUNCE;
    baton->bounce = 0.3f;
    baton->velocity = Vector(client->player.velocity.x >= 0.0f ? THROW : -THROW, 0.0f, THROW);
    baton_of(baton)->flies_ms = sv->engine->time_ms(sv) + FLIGHT_MS;
    return_after(sv, baton, LOST_MS);
    say(sv, "%s drops the baton, leg %d", client->name, baton_of(baton)->passed + 1);
}

static void baton_lost(sv_context_t *sv, edict_t *self) {
    sv->engine->teleport(sv, self, baton_of(self)->home, vec3_zero, vec3_zero);
    say(sv, "the %s baton is back", team_name(baton_of(self)->team), 0);
}

static void baton_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    const client_t *client = sv->engine->client(sv, other);
    (void)trace;
    if (client && client->team == baton_of(self)->team && is_running(sv) &&
        sv->engine->time_ms(sv) >= baton_of(self)->flies_ms &&
        !sv->engine->deref(sv, baton_of(self)->runner)) {
        take(sv, self, other);
    }
}

static void spawn_baton(sv_context_t *sv, edict_t *self) {
    self->solid = SOLID_TRIGGER;
    self->mins = Vector(-16.0f, -16.0f, -8.0f);
    self->maxs = Vector(16.0f, 16.0f, 8.0f);
    self->modelindex = sv->engine->model_index(sv, "items/baton");
    self->touch = sv->engine->callback(sv, "baton_touch");
    baton_of(self)->home = self->origin;
    sv->engine->link(sv, self, false);
}

// ---- the race ----

static void remove_batons(sv_context_t *sv) {
    for (int32_t team = 1; team <= NUM_TEAMS; team++) {
        edict_t *baton = find_baton(sv, team, NULL);
        if (baton) {
            sv->engine->remove(sv, baton);
        }
    }
}

// Calls a think callback of relay_start after a time; 0 = not any more.
static void call_after(sv_context_t *sv, const char *name, int64_t ms) {
    edict_t *start = sv->engine->find_class(sv, NULL, "relay_start");
    if (start) {
        sv->engine->timer(sv, start, sv->engine->callback(sv, name),
                          ms > 0 ? sv->engine->time_ms(sv) + ms : 0);
    }
}

// Runs once a second before a race.
static void start_think(sv_context_t *sv, edict_t *self) {
    relay_t *relay = relay_of(sv);
    (void)self;
    relay->count--;
    say(sv, relay->count > 0 ? "%s %d" : "%s", relay->count > 0 ? "starting in" : "go",
        relay->count);
    if (relay->count > 0) {
        call_after(sv, "start_think", 1000);
    } else {
        relay->began_ms = sv->engine->time_ms(sv);
    }
}

static void podium_think(sv_context_t *sv, edict_t *self) {
    (void)self;
    sv->engine->change_map(sv, "");
}

static void win(sv_context_t *sv, edict_t *baton, client_t *client) {
    char text[32];
    relay_t *relay = relay_of(sv);
    float seconds = (float)(sv->engine->time_ms(sv) - relay->began_ms) * 0.001f;
    int32_t team = baton_of(baton)->team;
    relay->wins[team]++;
    relay->began_ms = 0;
    runner_of(client)->legs++;
    say(sv, "%s wins race %d", team_name(team), relay->wins[1] + relay->wins[2]);
    if (relay->record_s == 0.0f || seconds < relay->record_s) {
        snprintf(text, sizeof text, "%.3f", (double)seconds);
        sv->engine->set_cvar(sv, "race_record_s", text);
    }
    remove_batons(sv);
    call_after(sv, "podium_think", PODIUM_MS);
}

static void finish_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    client_t *client = sv->engine->client(sv, other);
    edict_t *baton = client && is_running(sv) ? find_baton(sv, 0, other) : NULL;
    (void)self, (void)trace;
    if (baton && baton_of(baton)->passed >= relay_of(sv)->legs - 1) {
        win(sv, baton, client);
    }
}

static void spawn_finish(sv_context_t *sv, edict_t *self) {
    self->solid = SOLID_TRIGGER;
    self->visibility = VISIBLE_NOBODY;
    self->touch = sv->engine->callback(sv, "finish_touch");
    sv->engine->link(sv, self, false);
}

static void spawn_point(sv_context_t *sv, edict_t *self) {
    (void)sv;
    self->visibility = VISIBLE_NOBODY;
}

// ---- the hare ----

static void hare_think(sv_context_t *sv, edict_t *self) {
    trace_t blocked;
    if (!sv->engine->walk_move(sv, self, self->angles.y, HARE_SPEED, &blocked)) {
        const edict_t *obstacle =
            blocked.entnum >= 0 ? sv->engine->edict(sv, blocked.entnum) : NULL;
        const client_t *client = obstacle ? sv->engine->client(sv, obstacle) : NULL;
        if (client) {
            say(sv, "the hare bumps into %s", client->name, 0);
        }
        self->angles.y = self->angles.y == 0.0f ? 180.0f : 0.0f;
        relay_of(sv)->turns++;
    }
    sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + HARE_MS);
}

static void spawn_hare(sv_context_t *sv, edict_t *self) {
    self->solid = SOLID_SLIDEBOX;
    self->movetype = MOVETYPE_STEP;
    self->flags |= FL_MONSTER;
    self->mins = Vector(-16.0f, -16.0f, -24.0f);
    self->maxs = Vector(16.0f, 16.0f, 8.0f);
    self->think = sv->engine->callback(sv, "hare_think");
    sv->engine->link(sv, self, false);
    sv->engine->next_think(sv, self, HARE_MS);
}

// ---- players ----

static void client_join(sv_context_t *sv, edict_t *player, client_t *client) {
    int32_t number = sv->engine->number(sv, player);
    const edict_t *spot = NULL;
    for (int32_t n = 0; n < number; n++) {
        spot = sv->engine->find_class(sv, spot, "info_player_start");
    }
    player->origin = spot ? spot->origin : player->origin;
    player->solid = SOLID_SLIDEBOX;
    client->player.health = 100;
    sv->engine->set_team(sv, player, 1 + (number - 1) % NUM_TEAMS);
}

static void client_leave(sv_context_t *sv, edict_t *player, client_t *client) {
    edict_t *baton = find_baton(sv, 0, player);
    if (baton) {
        drop(sv, baton, client);
    }
}

// Gives the baton to a team mate within REACH.
static void pass(sv_context_t *sv, edict_t *player, client_t *client, edict_t *baton) {
    int32_t list[MAX_NEAR];
    edict_t *mate = NULL;
    int32_t count = sv->engine->in_radius(sv, player->origin, REACH, list, MAX_NEAR);
    for (int32_t i = 0; i < count && !mate; i++) {
        edict_t *other = sv->engine->edict(sv, list[i]);
        const client_t *its = sv->engine->client(sv, other);
        mate = its && its != client && its->team == client->team ? other : NULL;
    }
    if (mate) {
        baton_of(baton)->passed++;
        runner_of(client)->legs++;
        take(sv, baton, mate);
    } else {
        sv->engine->print(sv, sv->engine->slot(sv, player), "nobody is near");
    }
}

static bool client_command(sv_context_t *sv, edict_t *player, client_t *client, const char *text) {
    edict_t *baton = find_baton(sv, 0, player);
    bool passes = strcmp(text, "pass") == 0;
    if (!passes && strcmp(text, "drop") != 0) {
        return false;
    }
    if (!baton) {
        sv->engine->print(sv, sv->engine->slot(sv, player), "you have no baton");
    } else if (passes) {
        pass(sv, player, client, baton);
    } else {
        drop(sv, baton, client);
    }
    return true;
}

// ---- the operator ----

static void race_start(sv_context_t *sv, int32_t argc, const char *const *argv) {
    relay_t *relay = relay_of(sv);
    const edict_t *start = sv->engine->find_class(sv, NULL, "relay_start");
    if (!start) {
        sv->engine->reply(sv, "this map has no relay_start");
        return;
    }
    if (relay->count > 0 || relay->began_ms > 0) {
        sv->engine->reply(sv, "a race is running; race_stop ends it");
        return;
    }
    if (argc > 1 && !sv->engine->set_cvar(sv, "race_legs", argv[1])) {
        sv->engine->reply(sv, "%s legs are not possible", argv[1]);
        return;
    }
    for (int32_t team = 1; team <= NUM_TEAMS; team++) {
        vec3_t aside = Vector(0.0f, team == 1 ? -64.0f : 64.0f, 0.0f);
        edict_t *baton =
            sv->engine->spawn_class(sv, "relay_baton", VectorAdd(start->origin, aside), vec3_zero);
        if (baton) {
            baton_of(baton)->team = team;
        }
    }
    relay->count = COUNTDOWN + 1;
    call_after(sv, "start_think", 1);
    sv->engine->reply(sv, "%d runners in each team", relay->legs);
}

static void race_stop(sv_context_t *sv, int32_t argc, const char *const *argv) {
    relay_t *relay = relay_of(sv);
    (void)argc, (void)argv;
    call_after(sv, "start_think", 0);
    call_after(sv, "podium_think", 0);
    relay->began_ms = relay->count = 0;
    remove_batons(sv);
    sv->engine->print(sv, EVENT_TO_ALL, "the race is off");
}

static void standings(sv_context_t *sv, int32_t argc, const char *const *argv) {
    const relay_t *relay = relay_of(sv);
    (void)argc, (void)argv;
    sv->engine->reply(sv, "red %d, blue %d, record %.3f s", relay->wins[1], relay->wins[2],
                      (double)relay->record_s);
    client_t *client = NULL;
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        sv->engine->reply(sv, "%s: %d legs", client->name, runner_of(client)->legs);
    }
}

// ---- tables ----

static const callback_t callbacks[] = {
    {.name = "baton_lost", .think = baton_lost},
    {.name = "start_think", .think = start_think},
    {.name = "podium_think", .think = podium_think},
    {.name = "hare_think", .think = hare_think},
    {.name = "baton_touch", .touch = baton_touch},
    {.name = "finish_touch", .touch = finish_touch},
};
static const game_spawn_t spawns[] = {
    {.classname = "worldspawn"},
    {.classname = "info_player_start", .spawn = spawn_point},
    {.classname = "relay_start", .spawn = spawn_point},
    {.classname = "relay_baton", .spawn = spawn_baton},
    {.classname = "trigger_finish", .spawn = spawn_finish},
    {.classname = "relay_hare", .spawn = spawn_hare},
};
#define FIELD(type, owner, member, flags)                                                          \
    { #member, type, (uint32_t)offsetof(owner, member), flags, NULL, 0, 0, 0 }
#define WINS(name, team)                                                                           \
    {                                                                                              \
        name, FIELD_INT, (uint32_t)offsetof(relay_t, wins) + 4 * (team), FIELD_KEEP | FIELD_ALL,   \
            NULL, 0, 0, 0                                                                          \
    }
static const game_field_t world_fields[] = {
    WINS("red_wins", 1),
    WINS("blue_wins", 2),
    FIELD(FIELD_INT, relay_t, count, FIELD_ALL),
    FIELD(FIELD_TIME, relay_t, began_ms, 0),
    FIELD(FIELD_INT, relay_t, turns, 0),
};
static const game_field_t client_fields[] = {
    FIELD(FIELD_INT, runner_t, legs, FIELD_KEEP | FIELD_ALL | FIELD_SCORE)};
static const game_field_t edict_fields[] = {
    FIELD(FIELD_REF, baton_t, runner, 0), FIELD(FIELD_VECTOR, baton_t, home, 0),
    FIELD(FIELD_TIME, baton_t, flies_ms, 0), FIELD(FIELD_INT, baton_t, team, FIELD_ALL),
    FIELD(FIELD_INT, baton_t, passed, 0)};
static const cvar_def_t cvars[] = {
    {"race_legs", CVAR_INT, 0, "2", 1, 8, "", "runners of a team", offsetof(relay_t, legs)},
    {"race_record_s", CVAR_FLOAT, 0, "0", 0, 86400, "s", "fastest race; 0 = none",
     offsetof(relay_t, record_s)}};
static const game_command_t commands[] = {
    {"race_start", "[LEGS]", "starts a race after a countdown", 0, 1, race_start},
    {"race_stop", "", "stops the race", 0, 0, race_stop},
    {"standings", "", "shows the wins of both teams", 0, 0, standings}};

__attribute__((visibility("default"))) const game_export_t *Game_Export(void);
const game_export_t *Game_Export(void) {
    static const game_export_t table = {
        .api_version = GAME_API_VERSION,
        .name = "relay",
        .callbacks = callbacks,
        .num_callbacks = (int32_t)COUNTOF(callbacks),
        .edict_fields = {edict_fields, (int32_t)COUNTOF(edict_fields)},
        .client_fields = {client_fields, (int32_t)COUNTOF(client_fields)},
        .world_fields = {world_fields, (int32_t)COUNTOF(world_fields)},
        .cvars = {cvars, (int32_t)COUNTOF(cvars)},
        .spawns = spawns,
        .num_spawns = (int32_t)COUNTOF(spawns),
        .commands = commands,
        .num_commands = (int32_t)COUNTOF(commands),
        .client_join = client_join,
        .client_leave = client_leave,
        .client_command = client_command,
    };
    return &table;
}
