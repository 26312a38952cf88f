// Players who are about to touch a teleporter receive those whom they will see from its exit.

#include "core/exits.h"

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "core/interest.h"
#include "core/sight.h"
#include "world/block.h"
#include "world/link.h"

#include <math.h>
#include <string.h>

// A wall divides the room. The teleporter in the west leads to the east, where a second wall hides
// the south.
static const test_block_t blocks[] = {
    {.box = {{-16, -1024, 0}, {16, 1024, 256}}, .contents = CONTENTS_SOLID},
    {.box = {{16, -600, 0}, {1024, -584, 256}}, .contents = CONTENTS_SOLID},
    {.box = {{-500, -50, 0}, {-400, 50, 100}}, .contents = CONTENTS_SOLID, .model = 1}};

#define SETTLE_TICKS 84 // until the triggers are found and nothing is held

#define NEAR_X -382.0f // 2 qu from the teleporter's box
#define FAR_X  -300.0f
#define EXIT_X 400.0f

#define ENTITIES(keys, target)                                                                     \
    "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"info_player_deathmatch\"\n"            \
    "\"origin\" \"-200 600 24\"\n}\n{\n\"classname\" \"trigger_teleport\"\n\"model\" \"*1\"\n"     \
    "\"target\" \"" target "\"\n" keys "}\n{\n\"classname\" \"info_teleport_destination\"\n"       \
    "\"targetname\" \"exit\"\n\"origin\" \"400 0 0\"\n\"angle\" \"90\"\n}\n"

typedef struct {
    test_net_t net;
    server_t *server;
    sv_context_t sv;
    int32_t list[4096];
} play_t;

static void begin_in(play_t *play, const test_block_t parts[3], const char *entities,
                     const char *format) {
    const test_map_t map = {.room = {{-1024, -1024, 0}, {1024, 1024, 256}},
                            .blocks = parts,
                            .num_blocks = 3,
                            .entities = entities,
                            .format = format,
                            .brush_list = true};
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net, &(test_net_config_t){
                                 .seed = 3, .max_clients = 2, .max_edicts = 4096, .map = &map});
    TestNet_AddClient(&play->net, "viewer");
    TestNet_AddClient(&play->net, "target");
    assert_true(TestNet_WaitActive(&play->net, 10000));
    play->server = play->net.server;
    play->sv = SV_Context(play->server->world, play->server->map, &play->server->game,
                          play->server->events);
}

static void begin(play_t *play, const char *entities) {
    begin_in(play, blocks, entities, NULL);
}

static edict_t *put(play_t *play, int32_t slot, float x, float y) {
    edict_t *edict = World_Edict(play->server->world, slot + 1);
    edict->origin = Vector(x, y, 24.0f);
    edict->velocity = vec3_zero;
    SV_LinkEdict(&play->sv, edict, false);
    SV_PlayerFromEdict(&play->sv, edict);
    return edict;
}

// Returns true if the client in `slot` receives the other player in this tick.
static bool receives(play_t *play, int32_t slot) {
    server_t *server = play->server;
    bool found = false;
    turn_t turn = {0};
    const int32_t count = Interest_List(server, &server->sessions[server->peer_of_slot[slot]], slot,
                                        &turn, play->list);
    for (int32_t i = 0; i < count; i++) {
        found = found || server->states[play->list[i]].number == 2 - slot;
    }
    return found;
}

// Runs ticks until nothing is held. Returns true if the viewer then receives the target.
static bool sees(play_t *play, bool *other_way) {
    bool found = false;
    for (int32_t i = 0; i < SETTLE_TICKS; i++) {
        SendStates_Build(play->server);
        Interest_Tick(play->server);
        found = receives(play, 0);
        *other_way = receives(play, 1);
    }
    return found;
}

static void test_seen_from_the_exit(void **state) {
    (void)state;
    play_t play;
    bool back;
    begin(&play, ENTITIES("", "exit"));
    put(&play, 1, EXIT_X, 300.0f);
    put(&play, 0, FAR_X, 0.0f);
    assert_false(sees(&play, &back));
    put(&play, 0, NEAR_X, 0.0f);
    SendStates_Build(play.server);
    Interest_Tick(play.server);
    assert_true(receives(&play, 0)); // at once
    assert_true(sees(&play, &back));
    assert_false(back);             // the target does not see the viewer yet
    put(&play, 1, EXIT_X, -700.0f); // hidden from the exit
    assert_false(sees(&play, &back));
    assert_false(back);
    put(&play, 1, EXIT_X, 300.0f);
    put(&play, 0, FAR_X, 0.0f)->velocity = Vector(-1280.0f, 0.0f, 0.0f); // 64 qu in 50 ms
    assert_false(sees(&play, &back));
    put(&play, 0, FAR_X, 0.0f)->velocity = Vector(-2000.0f, 0.0f, 0.0f); // 100 qu
    assert_true(sees(&play, &back));
    TestNet_Free(&play.net);
}

// The target is behind a corner that the viewer passes soon after the exit if its round trip is
// long.
static void test_ways_after_the_exit(void **state) {
    (void)state;
    static const test_block_t corner[] = {
        {.box = {{-16, -1024, 0}, {16, 1024, 256}}, .contents = CONTENTS_SOLID},
        {.box = {{450, -1024, 0}, {466, 60, 256}}, .contents = CONTENTS_SOLID},
        {.box = {{-500, -50, 0}, {-400, 50, 100}}, .contents = CONTENTS_SOLID, .model = 1}};
    for (int32_t i = 0; i < 2; i++) {
        play_t play;
        bool back;
        begin_in(&play, corner, ENTITIES("", "exit"), NULL);
        play.server->sessions[play.server->peer_of_slot[0]].ping_ms = i == 0 ? 0 : 400;
        put(&play, 0, NEAR_X, 0.0f);
        put(&play, 1, 1000.0f, 0.0f);
        assert_true(sees(&play, &back) == (i == 1));
        TestNet_Free(&play.net);
    }
}

static void test_closed_and_for_others(void **state) {
    (void)state;
    static const struct {
        const char *entities, *format;
        bool sees;
    } cases[] = {{ENTITIES("", "exit"), NULL, true},
                 {ENTITIES("\"targetname\" \"off\"\n", "exit"), NULL, false},
                 {ENTITIES("\"spawnflags\" \"2\"\n", "exit"), "BSP30", false}, // no players
                 {ENTITIES("", "nowhere"), NULL, false}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        play_t play;
        bool back;
        begin_in(&play, blocks, cases[i].entities, cases[i].format);
        put(&play, 0, NEAR_X, 0.0f);
        put(&play, 1, EXIT_X, 300.0f);
        assert_true(sees(&play, &back) == cases[i].sees);
        TestNet_Free(&play.net);
    }
}

// Runs the search until all edicts were visited.
static void search(play_t *play, exits_t *exits) {
    const int32_t ticks = play->server->world->num_edicts;
    for (int32_t i = 0; i < ticks; i++) {
        Exits_Tick(play->server, exits);
    }
}

// A box at the teleporter, and the exits there.
typedef struct {
    play_t play;
    exits_t exits;
    near_exits_t near;
} found_t;

static const bounds_t at_teleporter = {{-420, -10, 10}, {-410, 10, 20}};

static int32_t num_near(found_t *found, bounds_t box) {
    const edict_t player = {.absmin = box.mins, .absmax = box.maxs};
    const bounds_t none = {vec3_zero, vec3_zero};
    found->near = Exits_Near(found->play.server, &found->exits, &player, none, none);
    return found->near.count;
}

static void begin_found(found_t *found) {
    begin(&found->play, ENTITIES("", "exit"));
    memset(&found->exits, 0, sizeof found->exits);
    search(&found->play, &found->exits);
    assert_int_equal(found->exits.count, 1);
}

// A trigger that is removed, or no longer solid, has no exit.
static void test_removed(void **state) {
    (void)state;
    found_t found;
    begin_found(&found);
    const sv_context_t *sv = &found.play.sv;
    edict_t *trigger = sv->engine->find_class(sv, NULL, "trigger_teleport");
    assert_non_null(trigger);
    assert_int_equal(num_near(&found, at_teleporter), 1);
    assert_true(fabsf(found.near.list[0].origin.x - 400.0f) < 0.01f);
    assert_true(fabsf(found.near.list[0].velocity.y - 300.0f) < 0.01f);
    const bounds_t beside = {{-390, -10, 10}, {-380, 10, 20}};
    assert_int_equal(num_near(&found, beside), 0);
    trigger->solid = SOLID_NOT;
    assert_int_equal(num_near(&found, at_teleporter), 0);
    trigger->solid = SOLID_TRIGGER;
    found.play.sv.engine->remove(&found.play.sv, trigger);
    assert_int_equal(num_near(&found, at_teleporter), 0);
    search(&found.play, &found.exits);
    assert_int_equal(found.exits.count, 0);
    TestNet_Free(&found.play.net);
}

// Another module may have no exit_of; the triggers were found before.
static void test_reload(void **state) {
    (void)state;
    found_t found;
    begin_found(&found);
    server_t *server = found.play.server;
    const game_export_t *before = server->config.game;
    game_export_t game = *before;
    game.exit_of = NULL;
    server->config.game = &game;
    server->world->tick++;
    Exits_Tick(server, &found.exits);
    assert_int_equal(num_near(&found, at_teleporter), 0);
    search(&found.play, &found.exits);
    assert_int_equal(found.exits.count, 0);
    server->config.game = before;
    TestNet_Free(&found.play.net);
}

// Adds copies of the teleporter at its place.
static void add_triggers(play_t *play, int32_t count) {
    const edict_t *from = play->sv.engine->find_class(&play->sv, NULL, "trigger_teleport");
    for (int32_t i = 0; i < count; i++) {
        edict_t *edict = play->sv.engine->spawn(&play->sv);
        assert_non_null(edict);
        edict->solid = from->solid;
        edict->touch = from->touch;
        edict->target = from->target;
        edict->absmin = from->absmin;
        edict->absmax = from->absmax;
    }
}

// A player near three exits receives what two of them show; exits_left_out counts the third one.
static void test_left_out(void **state) {
    (void)state;
    found_t found;
    begin_found(&found);
    const server_stats_t *stats = &found.play.server->stats;
    add_triggers(&found.play, 1);
    search(&found.play, &found.exits);
    assert_int_equal(num_near(&found, at_teleporter), 2);
    search(&found.play, &found.exits);
    assert_int_equal(stats->exits_left_out, 0);
    add_triggers(&found.play, 1);
    search(&found.play, &found.exits);
    assert_int_equal(found.exits.count, 3);
    assert_int_equal(num_near(&found, at_teleporter), 2);
    assert_int_equal(stats->exits_left_out, 0); // until the next tick
    Exits_Tick(found.play.server, &found.exits);
    assert_int_equal(stats->exits_left_out, 1);
    assert_int_equal(found.exits.burst.suppressed, 0);
    assert_true(found.exits.burst.quiet_until_ms > found.play.server->now_ms); // logged
    for (int32_t i = 1; i < MAX_EXITS; i++) {
        add_triggers(&found.play, 1);
    }
    search(&found.play, &found.exits);
    assert_int_equal(found.exits.count, MAX_EXITS);
    assert_true(found.exits.is_full);
    for (int32_t i = 1; i < MAX_EXITS; i++) {
        assert_true(found.exits.triggers[i - 1].trigger.index <
                    found.exits.triggers[i].trigger.index);
    }
    TestNet_Free(&found.play.net);
}

static const game_export_t *counted;
static int32_t num_calls;

static bool counting(sv_context_t *sv, const edict_t *trigger, game_exit_t *exit) {
    num_calls++;
    return counted->exit_of(sv, trigger, exit);
}

// A tick calls exit_of some times only, however many triggers the world has and players are near.
static void test_work_is_bounded(void **state) {
    (void)state;
    found_t found;
    begin_found(&found);
    server_t *server = found.play.server;
    counted = server->config.game;
    game_export_t game = *counted;
    game.exit_of = counting;
    server->config.game = &game;
    add_triggers(&found.play, 4000);
    const int32_t most = EXITS_WORK / server->world->num_edicts;
    int32_t ticks = 0;
    for (; found.exits.count < MAX_EXITS; ticks++) {
        num_calls = 0;
        server->world->tick++;
        Exits_Tick(server, &found.exits);
        assert_in_range(num_calls, 1, most / 2);
        num_near(&found, at_teleporter);
        assert_in_range(num_calls, 1, most);
    }
    assert_true(server->stats.exits_left_out > 0);
    assert_in_range(ticks, MAX_EXITS / most, 10 * MAX_EXITS);
    server->config.game = counted;
    TestNet_Free(&found.play.net);
}

// A push pad throws the viewer above a wall that hides the target. The client predicts that.
static void test_seen_from_a_push_pad(void **state) {
    (void)state;
    static const test_block_t low_wall[] = {
        {.box = {{-8, -1024, 0}, {8, 1024, 120}}, .contents = CONTENTS_SOLID},
        {.box = {{900, 900, 0}, {916, 916, 64}}, .contents = CONTENTS_SOLID},
        {.box = {{-180, -50, 0}, {-110, 50, 40}}, .contents = CONTENTS_SOLID, .model = 1}};
    play_t play;
    bool back;
    begin_in(&play, low_wall,
             "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" "
             "\"info_player_deathmatch\"\n\"origin\" \"-200 600 24\"\n}\n{\n\"classname\" "
             "\"trigger_push\"\n\"model\" \"*1\"\n\"angle\" \"-1\"\n\"speed\" \"80\"\n}\n",
             NULL);
    edict_t *pad = play.sv.engine->find_class(&play.sv, NULL, "trigger_push");
    assert_non_null(pad);
    play.server->sessions[play.server->peer_of_slot[0]].ping_ms = 100; // it rises by 120 qu
    put(&play, 1, 300.0f, 0.0f);
    put(&play, 0, -40.0f, 0.0f); // 54 qu from the pad
    assert_false(sees(&play, &back));
    put(&play, 0, -92.0f, 0.0f); // 2 qu from it
    SendStates_Build(play.server);
    Interest_Tick(play.server);
    assert_true(receives(&play, 0)); // at once
    assert_true(sees(&play, &back));
    static const float speeds[] = {1e30f, INFINITY, 0.0f, NAN}; // two throw as fast as is allowed
    for (size_t i = 0; i < COUNTOF(speeds); i++) {
        pad->surface_velocity = Vector(speeds[i], 0.0f, speeds[i]);
        put(&play, 0, -92.0f, 0.0f);
        assert_true(sees(&play, &back) == (i < 2));
        put(&play, 0, -40.0f, 0.0f);
        assert_false(sees(&play, &back));
    }
    pad->surface_velocity = Vector(0.0f, 0.0f, 800.0f);
    put(&play, 0, -92.0f, 0.0f);
    assert_true(sees(&play, &back));
    pad->solid = SOLID_NOT; // switched off
    assert_false(sees(&play, &back));
    TestNet_Free(&play.net);
}

static bool restless(sv_context_t *sv, const edict_t *trigger, game_exit_t *exit) {
    (void)trigger;
    exit->origin = Vector(400.0f, 0.0f, 24.0f);
    return sv->engine->random(sv) >= 0.0f;
}

static bool nowhere(sv_context_t *sv, const edict_t *trigger, game_exit_t *exit) {
    (void)sv, (void)trigger;
    exit->origin = Vector(NAN, 0.0f, 0.0f);
    return true;
}

// A game that changes the world between ticks is not asked again, and the random state stays. An
// exit without a place is none.
static void test_faulty_games(void **state) {
    (void)state;
    play_t play;
    exits_t exits;
    begin(&play, ENTITIES("", "exit"));
    const game_export_t *before = play.server->config.game;
    game_export_t game = *before;
    play.server->config.game = &game;
    memset(&exits, 0, sizeof exits);
    game.exit_of = nowhere;
    search(&play, &exits);
    assert_int_equal(exits.count, 0);
    assert_false(exits.is_refused);
    game.exit_of = restless;
    const uint64_t hash = World_Hash(play.server->world);
    search(&play, &exits);
    assert_int_equal(exits.count, 0);
    assert_true(exits.is_refused);
    assert_true(World_Hash(play.server->world) == hash);
    play.server->config.game = before;
    TestNet_Free(&play.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_seen_from_the_exit),
                                       cmocka_unit_test(test_ways_after_the_exit),
                                       cmocka_unit_test(test_closed_and_for_others),
                                       cmocka_unit_test(test_removed),
                                       cmocka_unit_test(test_reload),
                                       cmocka_unit_test(test_left_out),
                                       cmocka_unit_test(test_seen_from_a_push_pad),
                                       cmocka_unit_test(test_work_is_bounded),
                                       cmocka_unit_test(test_faulty_games)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
