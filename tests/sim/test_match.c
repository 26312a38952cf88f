// A deathmatch of bots that run at the nearest player and shoot: kills, scores, respawns at free
// spots. The same seed gives the same match, and every compiler gives the bits of
// tests/golden/match.txt, with every profile.

#include "game/players.h"
#include "lib/golden_fixture.h"
#include "lib/match_fixture.h"
#include "lib/testing.h"

#define GOLDEN_STEPS    6
#define GOLDEN_STEP_MS  2000
#define PRINTED_PLAYERS 4 // players whose origins are in the golden file

static int32_t match_ticks(void) {
    return (Test_IsLong() ? 600000 : 30000) / MATCH_TICK_MS;
}

static void start(test_match_t *match, const test_match_config_t *config) {
    if (!TestMatch_Start(match, config)) {
        skip();
    }
}

static void test_a_deathmatch(void **state) {
    (void)state;
    uint64_t hashes[2];
    for (int32_t round = 0; round < 2; round++) {
        test_match_t match;
        start(&match, &(test_match_config_t){.gametype = 0});
        TestMatch_Play(&match, match_ticks());
        hashes[round] = World_Hash(match.world);
        print_message("deathmatch: %d kills, %d spawns, best %d frags, %d stuck, %d put back\n",
                      match.kills, match.spawns, TestMatch_MostFrags(&match), match.stuck,
                      (int)match.world->counters.unstuck);
        assert_true(match.kills > 20);
        assert_int_equal(TestMatch_Deaths(&match), match.kills);
        assert_true(match.spawns >= match.kills); // all but the latest dead respawned
        assert_true(TestMatch_MostFrags(&match) > 1);
        assert_int_equal(match.world->counters.quarantined, 0);
        assert_int_equal(match.stuck, 0);
        TestMatch_Free(&match);
    }
    assert_true(hashes[0] == hashes[1]); // the same seed, the same match
}

static void print_match(test_golden_t *golden, const test_match_t *match, const char *profile) {
    const world_t *world = match->world;
    TestGolden_Print(golden, "%s tick %lld hash %016llx kills %d\n", profile,
                     (long long)world->tick, (unsigned long long)World_Hash(world), match->kills);
    for (int32_t slot = 0; slot < PRINTED_PLAYERS; slot++) {
        const client_t *client = World_Client(world, slot);
        TestGolden_Print(golden, "  %s", client->name);
        TestGolden_Vector(golden, "origin", client->player.origin);
        TestGolden_Vector(golden, "velocity", client->player.velocity);
        TestGolden_Print(golden, " health %d\n", client->player.health);
    }
}

static void test_the_same_bits_as_ever(void **state) {
    (void)state;
    static const char *const profiles[] = {"quake", "quake2", "halflife", "sweep", "drop"};
    test_golden_t golden = {0};
    for (size_t i = 0; i < COUNTOF(profiles); i++) {
        test_match_t match;
        start(&match, &(test_match_config_t){.profile = profiles[i]});
        for (int32_t step = 0; step < GOLDEN_STEPS; step++) {
            TestMatch_Play(&match, GOLDEN_STEP_MS / MATCH_TICK_MS);
            print_match(&golden, &match, profiles[i]);
        }
        assert_true(match.kills > 0);
        assert_int_equal(match.stuck, 0);
        assert_int_equal(match.world->counters.quarantined, 0);
        TestMatch_Free(&match);
    }
    assert_true(TestGolden_Check(&golden, "match.txt"));
}

static void test_the_frag_limit_ends_it(void **state) {
    (void)state;
    test_match_t match;
    start(&match, &(test_match_config_t){.fraglimit = 2});
    TestMatch_Play(&match, 60000 / MATCH_TICK_MS);
    assert_true(match.changes >= 1);
    assert_true(TestMatch_MostFrags(&match) >= 2);
    TestMatch_Free(&match);
}

static void test_two_teams(void **state) {
    (void)state;
    test_match_t match;
    start(&match, &(test_match_config_t){.gametype = 1});
    TestMatch_Play(&match, 5000 / MATCH_TICK_MS);
    int32_t teams[3] = {0};
    for (int32_t i = 0; i < MATCH_PLAYERS; i++) {
        teams[Q_ClampI(Game_PlayerFields(World_Client(match.world, i))->team, 0, 2)]++;
    }
    assert_int_equal(teams[1], MATCH_PLAYERS / 2);
    assert_int_equal(teams[2], MATCH_PLAYERS / 2);
    assert_int_equal(match.world->counters.quarantined, 0);
    TestMatch_Free(&match);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_deathmatch),
        cmocka_unit_test(test_the_same_bits_as_ever),
        cmocka_unit_test(test_the_frag_limit_ends_it),
        cmocka_unit_test(test_two_teams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
