// Matches that end, by frags and by time, through the whole server and a simulated network. The
// scores are shown, the next map of the list begins, and all clients stay connected and play on it.

#include "game/players.h"
#include "lib/playing_fixture.h"
#include "lib/testing.h"

#include <string.h>

#define ANN 0
#define BOB 1
#define CAT 2

#define FIGHT_MS   20000
#define SCORES_MS  8000
#define TIME_LIMIT "0.1" // minutes
#define MATCH_MS   6000

static const sim_conditions_t bad = {
    .loss = 0.05f, .duplicate = 0.05f, .reorder = 0.05f, .delay_ms = 40, .jitter_ms = 20};

// Rooms of different sizes, so that a change of map is visible. None is so wide that a shotgun runs
// out.
static const test_map_t rooms[] = {
    {.room = {{-400, -400, 0}, {400, 400, 256}},
     .entities = "{ \"classname\" \"worldspawn\" }"
                 "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-120 0 25\" }"
                 "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"120 0 25\" }"
                 "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"0 120 25\" }"},
    {.room = {{-300, -300, 64}, {300, 300, 256}},
     .name = "low",
     .entities = "{ \"classname\" \"worldspawn\" }"
                 "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-120 0 89\" }"
                 "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"120 0 89\" }"
                 "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"0 120 89\" }"},
    {.room = {{-250, -250, -512}, {250, 250, 0}},
     .name = "deep",
     .entities = "{ \"classname\" \"worldspawn\" }"
                 "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-120 0 -487\" }"
                 "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"120 0 -487\" }"
                 "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"0 120 -487\" }"}};

static void set_up(test_playing_t *play, sim_conditions_t conditions) {
    static const char *const names[] = {"ann", "bob", "cat"};
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net,
                 &(test_net_config_t){
                     .seed = 5, .conditions = conditions, .max_clients = 4, .map = &rooms[0]});
    TestNet_WriteMap(&play->net, &rooms[1], "low");
    TestNet_WriteMap(&play->net, &rooms[2], "deep");
    Server_SetHost(play->net.server, "test", play->net.folder, "testmap low missing deep", 1);
    for (size_t i = 0; i < COUNTOF(names); i++) {
        TestNet_AddClient(&play->net, names[i]);
    }
    assert_true(TestNet_WaitActive(&play->net, 20000));
    TestPlaying_Run(play, 500);
}

static int64_t tick_of(const test_playing_t *play) {
    return Server_World(play->net.server)->tick;
}

static void expect_frozen(const test_playing_t *play) {
    for (int32_t i = 0; i < play->net.num_clients; i++) {
        player_state_t self;
        assert_true(CL_Self(play->net.clients[i], &self));
        assert_int_equal(self.pm_type, PM_FROZEN);
    }
}

// Checks the end of a match: how long its scores are shown, and which players play on the next map.
static void expect_next(test_playing_t *play, const char *why, const char *map, float floor) {
    int64_t ended = tick_of(play);
    for (int32_t i = 0; i < play->net.num_clients; i++) {
        if (!TestPlaying_WaitFor(play, i, why, 1000)) {
            fail_msg("client %d: expected \"%s\", heard:\n%s", i, why, play->heard[i]);
        }
        play->maps[i] = 0;
    }
    TestPlaying_Run(play, 1000);
    expect_frozen(play);
    for (int32_t ms = 0; ms < 2 * SCORES_MS && tick_of(play) >= ended; ms += TEST_NET_STEP_MS) {
        ended = tick_of(play);
        TestPlaying_Run(play, TEST_NET_STEP_MS);
    }
    assert_string_equal(Server_Map(play->net.server)->name, map);
    TestPlaying_Run(play, 1000);
    assert_true(TestPlaying_AllPlay(play, 10000));
    for (int32_t i = 0; i < play->net.num_clients; i++) {
        assert_string_equal(CL_MapName(play->net.clients[i]), map);
        assert_int_equal(play->maps[i], 1); // exactly once
        assert_int_equal(TestPlaying_Stat(play, ANN, i, "frags"), 0);
        assert_int_equal(TestPlaying_Stat(play, CAT, i, "deaths"), 0);
        float z = TestPlaying_Client(play, i)->player.origin.z - 24.0f;
        assert_true(z >= floor);
        assert_true(z < floor + 1.0f);
    }
    assert_int_equal(Server_NumPlayers(play->net.server), play->net.num_clients);
    assert_int_equal(play->drops, 0);
    TestPlaying_Forget(play);
}

// Ann kills bob and cat in turn until a match of three frags is over. One may walk into a shot at
// the other.
static void fight(test_playing_t *play) {
    for (int32_t i = 0; i < 3 && TestPlaying_Heard(play, ANN, "frag limit") == 0; i++) {
        assert_true(TestPlaying_Kill(play, ANN, i % 2 == 0 ? BOB : CAT, FIGHT_MS));
        TestPlaying_Run(play, 1500); // on a bad network a message may have to be sent twice
        bool over = TestPlaying_Heard(play, ANN, "frag limit") > 0;
        int32_t frags = TestPlaying_Stat(play, BOB, ANN, "frags");
        assert_true(frags > i);
        assert_true((frags >= 3) == over);
        for (int32_t victim = BOB; victim <= CAT && !over; victim++) {
            assert_true(TestPlaying_Respawn(play, victim, 5000));
        }
    }
}

static void play_frags(sim_conditions_t conditions) {
    static test_playing_t play;
    err_t err;
    set_up(&play, conditions);
    assert_true(Server_SetCvar(play.net.server, "fraglimit", "3", &err));
    fight(&play);
    expect_next(&play, "ann: 3 frags, 0 deaths", "low", 64.0f);
    fight(&play); // the limit holds on the second map, too
    expect_next(&play, "frag limit", "deep", -512.0f);
    fight(&play);
    expect_next(&play, "frag limit", "testmap", 0.0f); // and back to the first map
    assert_int_equal(Server_World(play.net.server)->counters.quarantined, 0);
    TestNet_Free(&play.net);
}

static void test_frag_limit(void **state) {
    (void)state;
    play_frags((sim_conditions_t){0});
}

static void test_frag_limit_on_a_bad_network(void **state) {
    (void)state;
    play_frags(bad);
}

// Each map starts its own clock, so each match has its full time.
static void test_time_limit(void **state) {
    (void)state;
    static test_playing_t play;
    static const struct {
        const char *map;
        float floor;
    } order[] = {{"low", 64.0f}, {"deep", -512.0f}, {"testmap", 0.0f}, {"low", 64.0f}};
    err_t err;
    set_up(&play, (sim_conditions_t){0});
    assert_true(Server_SetCvar(play.net.server, "timelimit", TIME_LIMIT, &err));
    for (size_t i = 0; i < COUNTOF(order); i++) {
        assert_true(TestPlaying_WaitFor(&play, BOB, "time limit", MATCH_MS + 1000));
        int64_t ms = Server_World(play.net.server)->time_ms;
        assert_true(ms >= MATCH_MS);
        assert_true(ms < MATCH_MS + 100);
        expect_next(&play, "time limit", order[i].map, order[i].floor);
    }
    TestNet_Free(&play.net);
}

// Players join and leave while the scores are shown. The next map has the players present then.
static void test_coming_and_going_between_matches(void **state) {
    (void)state;
    static test_playing_t play;
    player_state_t self;
    err_t err;
    set_up(&play, (sim_conditions_t){0});
    assert_true(Server_SetCvar(play.net.server, "timelimit", TIME_LIMIT, &err));
    assert_true(TestPlaying_WaitFor(&play, BOB, "time limit", MATCH_MS + 1000));
    int32_t late = TestNet_AddClient(&play.net, "dan");
    TestPlaying_Run(&play, 2000);
    assert_int_equal(CL_State(play.net.clients[late]), CL_ACTIVE);
    assert_true(CL_Self(play.net.clients[late], &self));
    assert_int_equal(self.pm_type, PM_FROZEN); // bob sees the scores, too
    CL_Disconnect(play.net.clients[CAT]);
    TestPlaying_Run(&play, SCORES_MS);
    assert_string_equal(Server_Map(play.net.server)->name, "low");
    assert_int_equal(Server_NumPlayers(play.net.server), 3);
    for (int32_t i = 0; i < play.net.num_clients; i++) {
        assert_int_equal(CL_State(play.net.clients[i]), i == CAT ? CL_DISCONNECTED : CL_ACTIVE);
        assert_true(i == CAT || (CL_Self(play.net.clients[i], &self) && self.pm_type == PM_NORMAL &&
                                 self.health == PLAYER_HEALTH));
    }
    TestNet_Free(&play.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frag_limit),
        cmocka_unit_test(test_frag_limit_on_a_bad_network),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_coming_and_going_between_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
