// Four bots with examples/fighter.lua play a match in virtual time: they take every kind of item,
// fight, and stay nowhere for long.

#include "base/file.h"
#include "bot/bot.h"
#include "game/game.h"
#include "game/players.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "world/block.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOTS    4
#define RADIUS  96.0f // qu; a bot that leaves this circle is not stuck
#define STUCK_S 10    // maximum time of a living bot inside one circle

typedef enum { WEAPON, AMMO, HEALTH, ARMOUR, KINDS } kind_t;
static const char *const kinds[KINDS] = {"weapons", "ammunition", "health", "armour"};

typedef struct {
    test_net_t net;
    bot_t *bots[BOTS];
    cl_routes_t *routes;
    meetings_t meetings;
    char *script;
    size_t script_size;
    int32_t were[MAX_EDICTS]; // solid of each item in the tick before
    int32_t taken[KINDS];
    vec3_t centres[BOTS];
    int64_t entered_ms[BOTS];
    int64_t longest_ms;
} match_t;

static void note(void *context, int32_t index, const char *text) {
    (void)context;
    print_message("bot %d: %s\n", index, text);
}

static int32_t kind_of(const char *classname) {
    return strncmp(classname, "weapon_", 7) == 0        ? WEAPON
           : strncmp(classname, "item_health", 11) == 0 ? HEALTH
           : strncmp(classname, "item_armor", 10) == 0  ? ARMOUR
           : strncmp(classname, "item_artifact", 13) == 0 || strncmp(classname, "item_", 5) != 0
               ? KINDS
               : AMMO;
}

static match_t *start(const char *map, int32_t gametype) {
    char path[512];
    err_t err = {""};
    snprintf(path, sizeof path, "%s/maps/%s.bsp", Test_BuildFolder(), map);
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not there\n", path);
        return NULL;
    }
    match_t *match = calloc(1, sizeof *match);
    assert_non_null(match);
    match->routes = CL_RoutesCreate();
    assert_non_null(match->routes);
    match->script = (char *)File_Read("examples/fighter.lua", 1 << 20, &match->script_size, &err);
    if (!match->script) {
        fail_msg("%s", err.text);
    }
    const sim_conditions_t clean = {.delay_ms = 5};
    TestNet_Init(&match->net, &(test_net_config_t){.seed = 1,
                                                   .conditions = clean,
                                                   .max_clients = BOTS,
                                                   .map_file = path,
                                                   .rate_hz = 31.25f});
    if (gametype != 0) {
        assert_true(Server_SetCvar(match->net.server, "g_gametype", "1", &err));
        assert_true(Server_StartMap(match->net.server, "testmap", &err));
    }
    for (int32_t i = 0; i < BOTS; i++) {
        const netaddr_t address = {0x0a000200u + (uint32_t)i, 4000, 0};
        const bot_config_t config = {.index = i + 1,
                                     .count = BOTS,
                                     .limit_s = 0,
                                     .seed = 1,
                                     .server = TestNet_ServerAddress(),
                                     .net = SimNet_Transport(match->net.sim, address, 4, false),
                                     .maps = match->net.maps,
                                     .meetings = &match->meetings,
                                     .routes = match->routes,
                                     .script_name = "examples/fighter.lua",
                                     .script = match->script,
                                     .script_size = match->script_size,
                                     .note = note};
        match->bots[i] = calloc(1, sizeof *match->bots[i]);
        assert_non_null(match->bots[i]);
        if (!Bot_Create(match->bots[i], &config, &err)) {
            fail_msg("%s", err.text);
        }
    }
    return match;
}

static void end(match_t *match) {
    for (int32_t i = 0; i < BOTS; i++) {
        Bot_Destroy(match->bots[i]);
        free(match->bots[i]);
    }
    CL_RoutesDestroy(match->routes);
    TestNet_Free(&match->net);
    free(match->script);
    free(match);
}

static void count_items(match_t *match) {
    const world_t *world = Server_World(match->net.server);
    for (int32_t i = 1; i < world->num_edicts; i++) {
        const edict_t *edict = World_Edict(world, i);
        const char *classname = World_Text(world, edict->classname);
        int32_t kind = edict->inuse ? kind_of(classname) : KINDS;
        if (kind < KINDS) {
            match->taken[kind] += match->were[i] == SOLID_TRIGGER && edict->solid == SOLID_NOT;
            match->were[i] = edict->solid;
        }
    }
}

static void watch_bots(match_t *match) {
    const world_t *world = Server_World(match->net.server);
    for (int32_t i = 0; i < BOTS; i++) {
        const client_t *client = World_Client(world, i);
        vec3_t origin = World_Edict(world, i + 1)->origin;
        bool lives = client->player.health > 0 && client->player.pm_type == PM_NORMAL;
        if (!lives || VectorLength(VectorSubtract(origin, match->centres[i])) > RADIUS) {
            match->centres[i] = origin;
            match->entered_ms[i] = match->net.now_ms;
        }
        int64_t stayed_ms = match->net.now_ms - match->entered_ms[i];
        if (stayed_ms == STUCK_S * 500) {
            print_message("bot %d is at %g %g %g for %d s\n", i + 1, (double)origin.x,
                          (double)origin.y, (double)origin.z, STUCK_S / 2);
        }
        match->longest_ms = stayed_ms > match->longest_ms ? stayed_ms : match->longest_ms;
    }
}

static void play(match_t *match, int64_t ms) {
    for (int64_t end_ms = match->net.now_ms + ms; match->net.now_ms < end_ms;) {
        TestNet_Step(&match->net);
        for (int32_t i = 0; i < BOTS; i++) {
            Bot_Step(match->bots[i], match->net.now_ms);
            if (match->bots[i]->phase != BOT_RUNNING) {
                fail_msg("bot %d ended: %s", i + 1, match->bots[i]->verdict);
            }
        }
        count_items(match);
        watch_bots(match);
    }
}

// Plays a match. Expects every kind of item to be taken, deaths, and nobody stuck. The slow build
// has time for the first seconds only.
static void play_on(const char *map, int32_t gametype, int32_t seconds) {
    int32_t deaths = 0;
    match_t *match = start(map, gametype);
    if (!match) {
        skip();
        return;
    }
    play(match, 1000 * (Test_IsSlow() ? 6 : seconds));
    for (int32_t i = 0; i < BOTS; i++) {
        deaths += Game_PlayerFields(World_Client(Server_World(match->net.server), i))->deaths;
    }
    print_message("%s: %d deaths; longest stay %.1f s\n", map, deaths,
                  (double)match->longest_ms / 1000.0);
    for (int32_t i = 0; i < KINDS; i++) {
        print_message("%s: %d %s taken\n", map, match->taken[i], kinds[i]);
        assert_true(match->taken[i] > 0 || Test_IsSlow());
    }
    assert_true(deaths > 0 || Test_IsSlow());
    const game_vars_t *vars =
        (const game_vars_t *)(const void *)Server_World(match->net.server)->game;
    assert_true(gametype == 0 || vars->captures[1] + vars->captures[2] > 0);
    assert_true(match->longest_ms < STUCK_S * 1000);
    end(match);
}

static void bots_play_on_arena(void **state) {
    (void)state;
    play_on("arena", 0, Test_IsLong() ? 120 : 35);
}

static void bots_play_on_foundry(void **state) {
    (void)state;
    play_on("foundry", 0, Test_IsLong() ? 120 : 25);
    if (Test_IsLong()) {
        play_on("foundry", 1, 600);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bots_play_on_arena),
        cmocka_unit_test(bots_play_on_foundry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
