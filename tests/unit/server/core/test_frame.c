// SV_Frame: joins and leaves, copies of a world, a golden match.

#include "lib/course_fixture.h"
#include "lib/golden_fixture.h"
#include "lib/model_fixture.h"
#include "lib/testing.h"
#include "world/block.h"

#include <string.h>

static void test_join_spawns_and_leave_frees(void **state) {
    (void)state;
    test_world_t test;
    TestCourse_Init(&test);
    TestWorld_Join(&test, 0, "ann");
    TestWorld_Tick(&test);
    const edict_t *edict = World_Edict(test.world, 1);
    assert_true(edict->inuse);
    assert_true(edict->origin.x == -400.0f);
    assert_true(edict->absmin.x < -416.0f);
    assert_int_equal(World_Client(test.world, 0)->player.health, 100);
    TestWorld_Join(&test, 0, "bob");         // the slot is taken
    Inputs_Add(test.inputs, INPUT_LEAVE, 3); // an empty slot
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
    for (int i = 0; i < 125; i++) { // 2 s; the pad on the path throws the player up
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
        if (i == 200) { // b continues from a copy of itself
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

// Three players move at random on the whole course: compares each tick's hash and the final origins
// to the bit.
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
            if (Rng_Below(&rng, 50) != 0) { // some commands are lost
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

// ---- invalid inputs ----

static const char *const cvar_lines[] = {
    "sv_gravity 100",          "sv_gravity 800",          "sv_gravity much",
    "sv_input_timeout_ms 0",   "sv_maxspeed 2000",        "sv_input_timeout_ms 50",
    "sv_maxcredit_ms 16",      "sv_synchronousclients 1", "sv_maxvelocity 100",
    "sv_synchronousclients 0", "sv_maxcredit_ms 1000",    "no_such_cvar 1",
    "sv_maxvelocity",          "sv_stepsize 256",         ""};

static void random_cmd(rng_t *rng, const world_t *world, usercmd_t *cmd) {
    uint64_t bits = Rng_Next(rng);
    *cmd = (usercmd_t){.tick = world->tick + (int64_t)Rng_Below(rng, 12) - 6,
                       .view_tick = (int64_t)Rng_Next(rng),
                       .view_frac = (uint16_t)bits,
                       .msec = (uint8_t)(Rng_Below(rng, 4) ? 1 + Rng_Below(rng, 100) : bits >> 16),
                       .buttons = (uint8_t)(bits >> 24),
                       .pitch = (uint16_t)Rng_Next(rng),
                       .yaw = (uint16_t)(bits >> 32),
                       .forward = (int16_t)Rng_Next(rng),
                       .side = (int16_t)(bits >> 48),
                       .up = (int16_t)Rng_Next(rng),
                       .impulse = (uint8_t)Rng_Next(rng),
                       .view_span = (uint8_t)Rng_Next(rng)};
    if (Rng_Below(rng, 50) == 0) {
        cmd->tick = (int64_t)Rng_Next(rng);
    }
}

// Adds an input of any kind with any values, also for slots that do not exist.
static void add_random_input(test_world_t *test, rng_t *rng) {
    static const input_type_t types[] = {INPUT_JOIN,    INPUT_LEAVE,  INPUT_CHAT,    INPUT_TEXT,
                                         INPUT_SAY,     INPUT_CVAR,   INPUT_USERCMD, INPUT_USERCMD,
                                         INPUT_USERCMD, INPUT_USERCMD};
    input_type_t type = types[Rng_Below(rng, (uint32_t)COUNTOF(types))];
    input_t *input = Inputs_Add(test->inputs, type, (int32_t)Rng_Below(rng, 7) - 1);
    input->value = Rng_Below(rng, 5) == 0;
    if (type == INPUT_USERCMD) {
        random_cmd(rng, test->world, &input->cmd);
    } else if (type == INPUT_CVAR) {
        snprintf(input->text, sizeof input->text, "%s",
                 cvar_lines[Rng_Below(rng, (uint32_t)COUNTOF(cvar_lines))]);
    } else if (type == INPUT_TEXT) {
        snprintf(input->text, sizeof input->text, "%s", Rng_Below(rng, 2) ? "kill" : "%s%n");
    } else {
        memset(input->text, 'a' + (int)Rng_Below(rng, 26), sizeof input->text - 1);
    }
}

// The world block stays valid, and two worlds stay equal, whatever inputs arrive.
static void test_random_inputs_keep_the_world_sound(void **state) {
    (void)state;
    const uint64_t seeds = Test_IsLong() ? 200 : 6;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        test_world_t a, b;
        rng_t rng = {seed};
        err_t err = {{0}};
        TestCourse_Init(&a);
        TestCourse_Init(&b);
        for (int tick = 0; tick < 600; tick++) {
            for (uint32_t n = Rng_Below(&rng, 30); n > 0; n--) {
                add_random_input(&a, &rng);
            }
            b.inputs->count = a.inputs->count;
            memcpy(b.inputs->list, a.inputs->list,
                   (size_t)a.inputs->count * sizeof a.inputs->list[0]);
            TestWorld_Tick(&a);
            TestWorld_Tick(&b);
            if (!World_Check(a.world, a.world->bytes, &err) ||
                a.world->tick_hash != b.world->tick_hash) {
                fail_msg("seed %llu, tick %d: %s", (unsigned long long)seed, tick, err.text);
            }
        }
        assert_memory_equal(a.world, b.world, a.world->bytes);
        assert_int_equal(a.world->counters.quarantined, 0);
        TestWorld_Free(&a);
        TestWorld_Free(&b);
    }
}

// A game may have fields and no callbacks: a different field layout is refused nevertheless.
static void test_fields_without_callbacks_are_bound_once(void **state) {
    (void)state;
    static const game_field_t here[] = {{"score", FIELD_INT, 0, 0, NULL, 0, 0, 0}};
    static const game_field_t there[] = {{"score", FIELD_INT, 4, 0, NULL, 0, 0, 0}};
    const game_export_t one = {
        .api_version = GAME_API_VERSION, .name = "one", .world_fields = {here, 1}};
    const game_export_t two = {
        .api_version = GAME_API_VERSION, .name = "two", .world_fields = {there, 1}};
    const world_params_t params = {
        .max_edicts = 16, .max_clients = 1, .bounds = {{-512, -512, -512}, {512, 512, 512}}};
    void *block = aligned_alloc(64, (World_Bytes(&params) + 63) / 64 * 64);
    world_t *world = World_Init(block, &params);
    game_binding_t binding;
    err_t err = {{0}};
    assert_true(SV_BindGame(world, &one, &binding, &err));
    assert_true(SV_BindGame(world, &one, &binding, &err));
    assert_false(SV_BindGame(world, &two, &binding, &err));
    assert_non_null(strstr(err.text, "two"));
    assert_ptr_equal(binding.game, &one);
    free(block);
}

/// A world block belongs to one game: a game with another model, or another number of models, is
/// refused.
static void test_models_are_bound_once(void **state) {
    (void)state;
    test_model_t *made = TestModel_Make(1, 4, 2);
    test_model_t *changed = TestModel_Make(1, 4, 3);
    const game_model_t models[] = {{"a", made->bytes, made->size, NULL},
                                   {"a", changed->bytes, changed->size, NULL}};
    game_export_t game = {
        .api_version = GAME_API_VERSION, .name = "one", .models = models, .num_models = 1};
    const world_params_t params = {
        .max_edicts = 16, .max_clients = 1, .bounds = {{-512, -512, -512}, {512, 512, 512}}};
    void *block = aligned_alloc(64, (World_Bytes(&params) + 63) / 64 * 64);
    world_t *world = World_Init(block, &params);
    game_binding_t binding;
    err_t err = {{0}};
    assert_true(SV_BindGame(world, &game, &binding, &err));
    assert_true(world->game_models != 0);
    assert_true(SV_BindGame(world, &game, &binding, &err));
    const game_model_t renamed[] = {{"b", made->bytes, made->size, NULL}};
    game.models = renamed; // a name is used only in errors
    assert_true(SV_BindGame(world, &game, &binding, &err));
    game.models = models + 1;
    assert_false(SV_BindGame(world, &game, &binding, &err));
    assert_non_null(strstr(err.text, "game one: its models ("));
    game.models = models;
    game.num_models = 2;
    assert_false(SV_BindGame(world, &game, &binding, &err));
    game.num_models = 0;
    assert_false(SV_BindGame(world, &game, &binding, &err));
    // A fault in a table is reported with the model's name.
    const game_model_t file[] = {{.name = "ogre", .file = "models/ogre.emesh"}};
    const game_model_t bare[] = {{.name = "ogre"}};
    game.models = file;
    game.num_models = 1;
    assert_false(SV_BindGame(world, &game, &binding, &err));
    assert_non_null(
        strstr(err.text, "model \"ogre\": file \"models/ogre.emesh\" is searched beside"));
    game.models = bare;
    assert_false(SV_BindGame(world, &game, &binding, &err));
    assert_non_null(
        strstr(err.text, "model \"ogre\": expected a file, or bytes aligned to 16 bytes"));
    free(block);
    TestModel_Free(made);
    TestModel_Free(changed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join_spawns_and_leave_frees),
        cmocka_unit_test(test_a_player_falls_lands_and_walks),
        cmocka_unit_test(test_two_worlds_and_a_copy_agree),
        cmocka_unit_test(test_a_scripted_match_is_golden),
        cmocka_unit_test(test_random_inputs_keep_the_world_sound),
        cmocka_unit_test(test_fields_without_callbacks_are_bound_once),
        cmocka_unit_test(test_models_are_bound_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
