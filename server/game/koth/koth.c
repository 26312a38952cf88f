/// game/koth/koth.c - king of the hill: a whole game in one file, as a start for your own game.
//
// Includes only core/game_api.h of the engine. It is built as a module. To run it:
//   edictd -g build/game_koth.so +map NAME
//
// A player who is alone in a trigger_hill scores a point a second. A map without a hill gets one
// around its first info_player_deathmatch. At koth_limit points the map starts again. The command
// koth_reset of the operator sets all points to 0.

#include <edict/game_api.h>

#include <stdio.h>

#define HILL_REACH 128.0f // qu, half the side of a hill in a map without one

typedef struct {
    int32_t limit; ///< cvar koth_limit
    int32_t round; ///< number of rounds that have ended at koth_limit points
    int64_t next_point_ms;
    edict_ref_t king; ///< the player who held the hill at the last point
} koth_t;

typedef struct {
    int32_t points, on_hill; ///< 1 = was on the hill since the last point
} koth_player_t;

static koth_t *koth_of(sv_context_t *sv) {
    return (koth_t *)sv->engine->world_vars(sv);
}

static koth_player_t *player_of(client_t *client) {
    return (koth_player_t *)(void *)client->game;
}

static void hill_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)self;
    (void)trace;
    client_t *client = sv->engine->client(sv, other);
    if (client) {
        player_of(client)->on_hill = 1;
    }
}

static void make_hill(sv_context_t *sv, edict_t *hill) {
    hill->solid = SOLID_TRIGGER;
    hill->visibility = VISIBLE_NOBODY;
    hill->touch = sv->engine->callback(sv, "hill_touch");
    sv->engine->link(sv, hill, false);
}

static void spawn_point(sv_context_t *sv, edict_t *self) {
    (void)sv;
    self->visibility = VISIBLE_NOBODY;
}

static void map_started(sv_context_t *sv) {
    sv->engine->effect_index(sv, "hill_point");
    const edict_t *spot = sv->engine->find_class(sv, NULL, "info_player_deathmatch");
    if (sv->engine->find_class(sv, NULL, "trigger_hill") || !spot) {
        return;
    }
    edict_t *hill = sv->engine->spawn_class(sv, "trigger_hill", spot->origin, vec3_zero);
    if (hill) {
        hill->mins = Vector(-HILL_REACH, -HILL_REACH, -32.0f);
        hill->maxs = Vector(HILL_REACH, HILL_REACH, HILL_REACH);
        sv->engine->link(sv, hill, false);
    }
}

static void client_join(sv_context_t *sv, edict_t *player, client_t *client) {
    const edict_t *spot = NULL;
    for (int32_t n = sv->engine->number(sv, player); n > 0; n--) { // the n-th spawn point
        const edict_t *next = sv->engine->find_class(sv, spot, "info_player_deathmatch");
        spot = next ? next : sv->engine->find_class(sv, NULL, "info_player_deathmatch");
    }
    player->modelindex = sv->engine->model_index(sv, "players/player");
    if (spot && !client->spectator) {
        player->origin = VectorAdd(spot->origin, Vector(0.0f, 0.0f, 1.0f));
        player->solid = SOLID_SLIDEBOX;
    }
}

/// Returns the only player on the hill, or NULL if there are none or several. Clears each on_hill.
static edict_t *king_of(sv_context_t *sv) {
    edict_t *king = NULL;
    int32_t count = 0;
    client_t *client = NULL;
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        if (player_of(client)->on_hill) {
            player_of(client)->on_hill = 0;
            king = sv->engine->player(sv, client);
            count++;
        }
    }
    return count == 1 ? king : NULL;
}

static void frame(sv_context_t *sv) {
    koth_t *koth = koth_of(sv);
    if (sv->engine->time_ms(sv) < koth->next_point_ms) {
        return;
    }
    koth->next_point_ms = sv->engine->time_ms(sv) + 1000;
    edict_t *king = king_of(sv);
    koth->king = king ? sv->engine->ref(sv, king) : (edict_ref_t){0, 0};
    if (!king) {
        return;
    }
    char line[MAX_TEXT_BYTES];
    client_t *client = sv->engine->client(sv, king);
    int32_t points = ++player_of(client)->points;
    snprintf(line, sizeof line, "%s holds the hill: %d", client->name, points);
    sv->engine->print(sv, EVENT_TO_ALL, line);
    const game_event_t event = {.kind = GAME_EFFECT,
                                .number = sv->engine->effect_index(sv, "hill_point"),
                                .entity = sv->engine->number(sv, king),
                                .volume = 1.0f,
                                .num_args = 1,
                                .args = {points}};
    sv->engine->event(sv, &event, NULL, false); // without range: everywhere, and reliable
    if (points >= koth->limit) {
        const log_field_t field = {.key = "points", .number = points};
        sv->engine->log_event(sv, "match_end", king, &field, 1);
        koth->round += points == koth->limit ? 1 : 0;
        sv->engine->next_map(sv, ""); // the next map of sv_maplist, otherwise this map
    }
}

// The operator's command koth_reset.
static void reset(sv_context_t *sv, int32_t argc, const char *const *argv) {
    (void)argc, (void)argv;
    client_t *client = NULL;
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        player_of(client)->points = 0;
    }
    sv->engine->reply(sv, "all points are 0");
}

static const game_command_t commands[] = {
    {"koth_reset", "", "sets the points of all players to 0", 0, 0, reset}};
// Writes the line of `status`: the best player, and the points left.
static void describe(sv_context_t *sv, char *line, size_t bytes) {
    const char *best = "nobody";
    int32_t most = 0;
    client_t *client = NULL;
    while ((client = sv->engine->next_client(sv, client)) != NULL) {
        if (player_of(client)->points > most) {
            best = client->name;
            most = player_of(client)->points;
        }
    }
    snprintf(line, bytes, "king of the hill: round %d, best %s with %d of %d points (%d left)",
             koth_of(sv)->round + 1, best, most, koth_of(sv)->limit,
             Q_MaxI(koth_of(sv)->limit - most, 0));
}

static const callback_t callbacks[] = {{.name = "hill_touch", .touch = hill_touch}};
static const game_spawn_t spawns[] = {
    {.classname = "worldspawn", .help = "the map itself"},
    {.classname = "info_player_deathmatch", .spawn = spawn_point, .help = "where players appear"},
    {.classname = "trigger_hill", .spawn = make_hill, .help = "the hill"},
};
static const game_field_t client_fields[] = {
    {"points", FIELD_INT, offsetof(koth_player_t, points), FIELD_ALL | FIELD_SCORE, NULL, 0, 0, 0},
    {"on_hill", FIELD_INT, offsetof(koth_player_t, on_hill), 0, NULL, 0, 0, 0},
};
static const game_field_t world_fields[] = {
    {"round", FIELD_INT, offsetof(koth_t, round), FIELD_ALL | FIELD_KEEP, NULL, 0, 0, 0},
    {"king", FIELD_REF, offsetof(koth_t, king), FIELD_ALL, NULL, 0, 0, 0},
    {"next_point_ms", FIELD_TIME, offsetof(koth_t, next_point_ms), 0, NULL, 0, 0, 0},
};
static const cvar_def_t cvars[] = {{"koth_limit", CVAR_INT, 0, "30", 1, 1000, "points",
                                    "points at which the map starts again",
                                    offsetof(koth_t, limit)}};

__attribute__((visibility("default"))) const game_export_t *Game_Export(void);
const game_export_t *Game_Export(void) {
    static const game_export_t table = {
        .api_version = GAME_API_VERSION,
        .name = "koth",
        .callbacks = callbacks,
        .num_callbacks = (int32_t)COUNTOF(callbacks),
        .client_fields = {client_fields, (int32_t)COUNTOF(client_fields)},
        .world_fields = {world_fields, (int32_t)COUNTOF(world_fields)},
        .cvars = {cvars, (int32_t)COUNTOF(cvars)},
        .spawns = spawns,
        .num_spawns = (int32_t)COUNTOF(spawns),
        .map_started = map_started,
        .client_join = client_join,
        .frame = frame,
        .commands = commands,
        .num_commands = (int32_t)COUNTOF(commands),
        .describe = describe,
    };
    return &table;
}
