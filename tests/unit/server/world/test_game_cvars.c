// The table of simulation cvars matches the struct, and its defaults are the world block's.

#include "world/game_cvars.h"

#include "base/cvar.h"
#include "lib/testing.h"
#include "world/block.h"
#include "world/tick_time.h"
#include "world/world.h"

#include <string.h>

static void test_defaults_are_those_of_a_new_world(void **state) {
    (void)state;
    const world_params_t params = {.max_edicts = 8, .max_clients = 1};
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    int32_t count = 0;
    const cvar_def_t *defs = GameCvars_Defs(&count);
    game_cvars_t values;
    memset(&values, 0xff, sizeof values);
    Cvar_Reset(defs, count, &values);
    assert_memory_equal(&values, &world->cvars, sizeof values);
    free(world);
}

static void test_each_row_is_its_own_field(void **state) {
    (void)state;
    int32_t count = 0;
    const cvar_def_t *defs = GameCvars_Defs(&count);
    bool taken[sizeof(game_cvars_t)] = {false};
    assert_int_equal((size_t)count * 4, sizeof(game_cvars_t));
    for (int32_t i = 0; i < count; i++) {
        assert_true(defs[i].offset % 4 == 0);
        assert_true(defs[i].offset < sizeof(game_cvars_t));
        assert_false(taken[defs[i].offset]);
        taken[defs[i].offset] = true;
        assert_true(defs[i].min < defs[i].max);
        assert_true(defs[i].help[0] != '\0');
        assert_ptr_equal(Cvar_Find(defs, count, defs[i].name), &defs[i]);
    }
}

static void test_set_by_name(void **state) {
    (void)state;
    int32_t count = 0;
    const cvar_def_t *defs = GameCvars_Defs(&count);
    game_cvars_t values;
    err_t err;
    Cvar_Reset(defs, count, &values);
    assert_true(Cvar_Set(Cvar_Find(defs, count, "sv_gravity"), &values, "100.5", &err));
    assert_true(values.move.sv_gravity == 100.5f);
    const cvar_def_t *rate = Cvar_Find(defs, count, "sv_tickrate");
    assert_true(Cvar_Set(rate, &values, "20", &err));
    assert_true(values.sv_tickrate == 20.0f);
    assert_true(Cvar_Set(rate, &values, "128", &err));
    assert_true(values.sv_tickrate == 128.0f);
    assert_true(Cvar_Set(rate, &values, "59.94", &err));
    assert_int_equal(Ticks_Rate(values.sv_tickrate), 59940);
    static const char *const bad[] = {"19.999", "128.001", "1e9", "nan", "-inf", "0", "-64", ""};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        assert_false(Cvar_Set(rate, &values, bad[i], &err));
        assert_non_null(strstr(err.text, "sv_tickrate: expected a number in 20..128 Hz, found"));
    }
    assert_int_equal(Ticks_Rate(values.sv_tickrate), 59940);
}

static void test_latched(void **state) {
    (void)state;
    int32_t count = 0;
    const cvar_def_t *defs = GameCvars_Defs(&count);
    for (int32_t i = 0; i < count; i++) {
        bool latched =
            strcmp(defs[i].name, "sv_tickrate") == 0 || strcmp(defs[i].name, "pm_step_ms") == 0;
        assert_int_equal(defs[i].flags, latched ? CVAR_LATCH : 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_are_those_of_a_new_world),
        cmocka_unit_test(test_each_row_is_its_own_field),
        cmocka_unit_test(test_set_by_name),
        cmocka_unit_test(test_latched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
