// Crates and real players, through SV_Frame: crates are pushed, stood on, fall on players, and shut
// players in.

#include "lib/testing.h"
#include "lib/world_fixture.h"

#include "physics/physics.h"

#include <stdlib.h>

#define TICK_MS 16
#define CRATE   24.0f // qu; half of one

static void set_up(test_world_t *test) {
    const test_block_t wall =
        TestMap_Box((vec3_t){700.0f, -1024.0f, 0.0f}, (vec3_t){720.0f, 1024.0f, 300.0f});
    const test_map_t map = {
        .room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
        .blocks = &wall,
        .num_blocks = 1,
        .brush_list = true,
        .entities = "{\n\"classname\" \"worldspawn\"\n}\n"
                    "{\n\"classname\" \"info_player_start\"\n\"origin\" \"0 0 30\"\n}\n"};
    TestWorld_Init(test, &map, 4);
}

static sv_context_t context(const test_world_t *test) {
    return (sv_context_t){.world = test->world,
                          .map = &test->map,
                          .callbacks = &test->game.callbacks,
                          .events = test->events};
}

static edict_t *add_crate(const test_world_t *test, vec3_t origin) {
    sv_context_t sv = context(test);
    edict_t *crate = SV_SpawnEdict(&sv);
    crate->movetype = MOVETYPE_STEP;
    crate->solid = SOLID_BBOX;
    crate->flags |= FL_PUSHABLE;
    crate->origin = origin;
    crate->mins = Vector(-CRATE, -CRATE, -CRATE);
    crate->maxs = Vector(CRATE, CRATE, CRATE);
    SV_LinkEdict(&sv, crate, false);
    return crate;
}

static void place(const test_world_t *test, int32_t client, vec3_t origin) {
    sv_context_t sv = context(test);
    edict_t *player = World_Edict(test->world, client + 1);
    player->origin = origin;
    player->velocity = Vector(0.0f, 0.0f, 0.0f);
    SV_LinkEdict(&sv, player, false);
}

static void command(test_world_t *test, int32_t client, float yaw, int16_t forward) {
    const usercmd_t cmd = {.msec = TICK_MS,
                           .yaw = (uint16_t)Q_ToInt(yaw * 65536.0f / 360.0f, 0, 65535),
                           .forward = forward};
    TestWorld_Cmd(test, client, cmd);
}

static void stand(test_world_t *test, int32_t ticks) {
    for (int32_t i = 0; i < ticks; i++) {
        command(test, 0, 0.0f, 0);
        TestWorld_Tick(test);
    }
}

static edict_t *join(test_world_t *test) {
    TestWorld_Join(test, 0, "pusher");
    TestWorld_Tick(test);
    stand(test, 30);
    return World_Edict(test->world, 1);
}

static float gap_between(const edict_t *player, const edict_t *crate) {
    return crate->origin.x + crate->mins.x - (player->origin.x + player->maxs.x);
}

// A driver pushes where the vehicle heads, even when looking back; steering alone does not push.
static void test_drives_and_pushes(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test);
    edict_t *player = join(&test);
    place(&test, 0, Vector(0.0f, 0.0f, 24.03125f));
    edict_t *crate = add_crate(&test, Vector(100.0f, 0.0f, CRATE + 0.03125f));
    stand(&test, 5);
    World_Client(test.world, 0)->player.pm_type = PM_DRIVING;
    for (int i = 0; i < 100; i++) {
        command(&test, 0, 180.0f, 300);
        TestWorld_Tick(&test);
    }
    assert_true(player->origin.x > 80.0f);
    assert_true(crate->origin.x > 120.0f);
    assert_true(fabsf(crate->origin.y) < 1.0f);
    TestWorld_Free(&test);
}

// A player walks into the crate, and both move at one speed: the gap and the speeds hardly change.
static void test_walks_and_pushes(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test);
    edict_t *player = join(&test);
    place(&test, 0, Vector(0.0f, 0.0f, 24.03125f));
    edict_t *crate = add_crate(&test, Vector(100.0f, 0.0f, CRATE + 0.03125f));
    stand(&test, 5);
    float last_player = 0.0f;
    float last_crate = 0.0f;
    float least = 1e9f;
    float most = 0.0f;
    float widest = 0.0f;
    for (int32_t i = 0; i < 200; i++) {
        command(&test, 0, 0.0f, 320);
        TestWorld_Tick(&test);
        if (i > 60) {
            float step = player->origin.x - last_player;
            least = step < least ? step : least;
            most = step > most ? step : most;
            float gap = gap_between(player, crate);
            widest = gap > widest ? gap : widest;
            assert_true(crate->origin.x > last_crate);
            assert_true(gap > -0.01f);
        }
        last_player = player->origin.x;
        last_crate = crate->origin.x;
    }
    print_message("pushing: %.3f..%.3f qu a tick, at most %.3f apart, %.0f qu travelled\n",
                  (double)least, (double)most, (double)widest, (double)crate->origin.x - 100.0);
    assert_true(least > 1.0f);
    assert_true(most < 2.5f);
    assert_true(most - least < 0.6f);
    assert_true(widest < 2.0f); // at most what the crate moves in a tick
    assert_true(fabsf(crate->origin.z - CRATE) < 0.1f);
    assert_true(crate->origin.y == 0.0f);
    stand(&test, 100);
    float x = crate->origin.x;
    stand(&test, 20);
    assert_true(crate->origin.x == x);
    TestWorld_Free(&test);
}

/// The crate follows the same path, however the pushing player's time is cut into usercmds.
static void test_cut_of_commands(void **state) {
    (void)state;
    float end[2];
    for (int32_t cut = 0; cut < 2; cut++) {
        test_world_t test;
        set_up(&test);
        join(&test);
        place(&test, 0, Vector(0.0f, 0.0f, 24.03125f));
        const edict_t *crate = add_crate(&test, Vector(70.0f, 0.0f, CRATE + 0.03125f));
        for (int32_t i = 0; i < 100; i++) {
            for (int32_t n = 0; n < (cut ? 4 : 1); n++) {
                const usercmd_t cmd = {.msec = cut ? TICK_MS / 4 : TICK_MS, .forward = 320};
                TestWorld_Cmd(&test, 0, cmd);
            }
            TestWorld_Tick(&test);
        }
        end[cut] = crate->origin.x;
        TestWorld_Free(&test);
    }
    assert_true(end[0] > 150.0f);
    assert_true(end[0] == end[1]);
}

// The crate stops at a wall and at another player, and no player is stuck.
static void test_into_walls_and_players(void **state) {
    (void)state;
    for (int32_t what = 0; what < 2; what++) {
        test_world_t test;
        set_up(&test);
        edict_t *player = join(&test);
        TestWorld_Join(&test, 1, "other");
        TestWorld_Tick(&test);
        stand(&test, 2);
        place(&test, 0, Vector(550.0f, 0.0f, 24.03125f));
        place(&test, 1, what ? Vector(664.0f, 0.0f, 24.03125f) : Vector(0.0f, 500.0f, 24.03125f));
        edict_t *crate = add_crate(&test, Vector(600.0f, 0.0f, CRATE + 0.03125f));
        sv_context_t sv = context(&test);
        for (int32_t i = 0; i < 300; i++) {
            command(&test, 0, 0.0f, 320);
            command(&test, 1, 0.0f, 0);
            TestWorld_Tick(&test);
            assert_null(SV_TestEdictPosition(&sv, player));
            assert_null(SV_TestEdictPosition(&sv, World_Edict(test.world, 2)));
            assert_null(SV_TestEdictPosition(&sv, crate));
        }
        float wall = what ? 664.0f - 16.0f : 700.0f;
        assert_true(fabsf(crate->origin.x + CRATE - wall) < 0.1f);
        TestWorld_Free(&test);
    }
}

// A player stands on a crate as on the floor. A crate that falls on a player stays on its head
// until the player leaves.
static void test_on_and_under(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test);
    edict_t *player = join(&test);
    edict_t *crate = add_crate(&test, Vector(300.0f, 300.0f, CRATE + 0.03125f));
    place(&test, 0, Vector(300.0f, 300.0f, 2.0f * CRATE + 30.0f));
    stand(&test, 30);
    assert_true(player->flags & FL_ONGROUND);
    assert_true(player->groundentity.index == (uint32_t)World_EdictNumber(test.world, crate));
    float z = player->origin.z;
    for (int32_t i = 0; i < 100; i++) {
        stand(&test, 1);
        assert_true(player->origin.z == z);
        assert_true(player->flags & FL_ONGROUND);
    }
    place(&test, 0, Vector(-300.0f, -300.0f, 24.03125f));
    edict_t *second = add_crate(&test, Vector(-310.0f, -300.0f, 200.0f));
    stand(&test, 100);
    assert_true(fabsf(second->origin.z - (24.0f + 32.0f + CRATE)) < 0.2f);
    sv_context_t sv = context(&test);
    assert_null(SV_TestEdictPosition(&sv, player));
    for (int32_t i = 0; i < 100; i++) {
        command(&test, 0, 0.0f, 320);
        TestWorld_Tick(&test);
    }
    assert_true(player->origin.x > -200.0f);
    assert_true(fabsf(second->origin.z - CRATE) < 0.2f);
    TestWorld_Free(&test);
}

/// 16 crates, and 4 players that run about at random: no edict is ever inside another, and in the
/// end every crate rests.
static void test_a_heap_of_crates(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test);
    rng_t rng = {7};
    for (int32_t i = 0; i < 4; i++) {
        TestWorld_Join(&test, i, "runner");
        TestWorld_Tick(&test);
    }
    edict_t *crates[16];
    for (int32_t i = 0; i < 16; i++) {
        crates[i] =
            add_crate(&test, Vector(60.0f * (float)(i % 4) - 90.0f, 60.0f * (float)(i / 4) + 100.0f,
                                    30.0f + 50.0f * (float)(i % 3)));
    }
    for (int32_t i = 0; i < 4; i++) {
        place(&test, i, Vector(200.0f * (float)i - 400.0f, -200.0f, 24.03125f));
    }
    sv_context_t sv = context(&test);
    float yaw[4] = {90.0f, 90.0f, 90.0f, 90.0f};
    for (int32_t tick = 0; tick < 1500; tick++) {
        for (int32_t i = 0; i < 4; i++) {
            if (Rng_Below(&rng, 40) == 0) {
                vec3_t d = VectorSubtract(Vector(0.0f, 200.0f, 0.0f),
                                          World_Edict(test.world, i + 1)->origin);
                yaw[i] = fabsf(d.x) > fabsf(d.y) ? (d.x > 0.0f ? 0.0f : 180.0f)
                                                 : (d.y > 0.0f ? 90.0f : 270.0f);
                yaw[i] += Rng_Range(&rng, -40.0f, 40.0f);
                yaw[i] += yaw[i] < 0.0f ? 360.0f : 0.0f;
            }
            command(&test, i, yaw[i], 320);
        }
        TestWorld_Tick(&test);
        for (int32_t i = 0; i < 16; i++) {
            assert_null(SV_TestEdictPosition(&sv, crates[i]));
        }
        for (int32_t i = 1; i <= 4; i++) {
            assert_null(SV_TestEdictPosition(&sv, World_Edict(test.world, i)));
        }
    }
    assert_int_equal(test.world->counters.unstuck, 0);
    assert_int_equal(test.world->counters.quarantined, 0);
    for (int32_t i = 0; i < 4; i++) {
        place(&test, i, Vector(200.0f * (float)i - 400.0f, -900.0f, 24.03125f));
    }
    stand(&test, 200);
    for (int32_t i = 0; i < 16; i++) {
        assert_true(crates[i]->flags & FL_ONGROUND);
        assert_true(VectorCompare(crates[i]->velocity, Vector(0.0f, 0.0f, 0.0f)));
    }
    TestWorld_Free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drives_and_pushes), cmocka_unit_test(test_walks_and_pushes),
        cmocka_unit_test(test_cut_of_commands),   cmocka_unit_test(test_into_walls_and_players),
        cmocka_unit_test(test_on_and_under),      cmocka_unit_test(test_a_heap_of_crates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
