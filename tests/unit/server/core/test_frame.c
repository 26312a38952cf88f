// SV_Frame: joins and leaves, copies of a world, a golden match.

#include "lib/test_course.h"
#include "lib/test_golden.h"
#include "lib/testing.h"

#include <string.h>

static void test_join_spawns_and_leave_frees(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const edict_t *edict = World_Edict(test.world, 1);
    assert_true(edict->inuse && edict->origin.x == -400.0f && edict->absmin.x < -416.0f);
    assert_int_equal(World_Client(test.world, 0)->player.health, 100);
    TestWorld_Join(&test, 0, "bob");         // the slot is taken
    Inputs_Add(test.inputs, INPUT_LEAVE, 3); // nobody there
    TestWorld_Tick(&test);
    assert_string_equal(World_Client(test.world, 0)->name, "ann");
    Inputs_Add(test.inputs, INPUT_LEAVE, 0);
    TestWorld_Tick(&test);
    assert_int_equal(edict->inuse, 0);
    assert_int_equal(World_Client(test.world, 0)->inuse, 0);
    assert_int_equal(test.world->counters.unknown_classes, 1);
    TestWorld_Free(&test);
}

static void test_a_player_falls_lands_and_walks(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const client_t *client = World_Client(test.world, 0);
    float start = client->player.origin.x;
    for (int i = 0; i < 125; i++) { // 2 s, the pad throws him up on the way
        usercmd_t cmd = TestCourse_Forward(COURSE_TICK_MS);
        cmd.yaw = (uint16_t)-client->player.delta_yaw;
        TestWorld_Cmd(&test, 0, cmd);
        TestWorld_Tick(&test);
    }
    assert_true(client->player.origin.x > start + 250.0f);
    assert_int_equal(client->dropped_credit_ms, 0);
    assert_int_equal(test.world->counters.quarantined, 0);
    TestWorld_Free(&test);
}

static void test_two_worlds_and_a_copy_agree(void **state) {
    (void)state;
    test_world_t a, b;
    TestCourse_Init(&a);
    TestCourse_Init(&b);
    rng_t rng = {7};
    for (int i = 0; i < 3; i++) {
        TestWorld_Join(&a, i, "x");
        TestWorld_Join(&b, i, "x");
    }
    world_t *saved = NULL;
    for (int i = 0; i < 400; i++) {
        for (int n = 0; n < 3; n++) {
            usercmd_t cmd = TestCourse_Forward(COURSE_TICK_MS);
            cmd.yaw = (uint16_t)Rng_Next(&rng);
            TestWorld_Cmd(&a, n, cmd);
            TestWorld_Cmd(&b, n, cmd);
        }
        TestWorld_Tick(&a);
        if (i == 200) { // b goes on from a copy of itself
            saved = malloc(b.world->bytes);
            memcpy(saved, b.world, b.world->bytes);
            memset(b.world, 0xa5, b.world->bytes);
            free(b.world);
            b.world = saved;
        }
        TestWorld_Tick(&b);
        assert_true(a.world->tick_hash == b.world->tick_hash);
    }
    assert_true(World_Hash(a.world) == World_Hash(b.world));
    assert_memory_equal(a.world, b.world, a.world->bytes);
    TestWorld_Free(&a);
    TestWorld_Free(&b);
}

// Three players at random on the whole course: every tick's hash, and where they end, to the bit.
static void test_a_scripted_match_is_golden(void **state) {
    (void)state;
    test_world_t test;
    test_golden_t golden = {NULL, 0, 0};
    rng_t rng = {11};
    TestCourse_Init(&test);
    for (int i = 0; i < 3; i++) {
        TestWorld_Join(&test, i, "x");
    }
    usercmd_t cmds[3] = {
        {.msec = COURSE_TICK_MS}, {.msec = COURSE_TICK_MS}, {.msec = COURSE_TICK_MS}};
    for (int tick = 0; tick < 1500; tick++) {
        for (int n = 0; n < 3; n++) {
            if (Rng_Below(&rng, 20) == 0) {
                cmds[n].yaw = (uint16_t)Rng_Next(&rng);
                cmds[n].forward = (int16_t)(Rng_Below(&rng, 6) ? 400 : -200);
                cmds[n].buttons = Rng_Below(&rng, 3) ? 0 : BUTTON_JUMP;
            }
            if (Rng_Below(&rng, 50) != 0) { // a lost one now and then
                TestWorld_Cmd(&test, n, cmds[n]);
            }
        }
        TestWorld_Tick(&test);
        if (tick % 50 == 49) {
            TestGolden_Print(&golden, "tick %d hash %016llx\n", tick,
                             (unsigned long long)test.world->tick_hash);
        }
    }
    for (int n = 0; n < 3; n++) {
        const player_state_t *player = &World_Client(test.world, n)->player;
        TestGolden_Vector(&golden, "at", player->origin);
        TestGolden_Vector(&golden, "v", player->velocity);
        TestGolden_Print(&golden, " health %d\n", player->health);
    }
    TestWorld_Free(&test);
    assert_true(TestGolden_Check(&golden, "frame.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join_spawns_and_leave_frees),
        cmocka_unit_test(test_a_player_falls_lands_and_walks),
        cmocka_unit_test(test_two_worlds_and_a_copy_agree),
        cmocka_unit_test(test_a_scripted_match_is_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
