// The timer heap against a plain array, through tens of thousands of changes.

#include "base/rng.h"
#include "lib/testing.h"
#include "world/world_local.h"

#define NUM_EDICTS 200

static const world_params_t params = {.max_edicts = NUM_EDICTS, .max_clients = 1};

static void test_against_array(void **state) {
    (void)state;
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    int64_t times[NUM_EDICTS] = {0};
    err_t err;
    rng_t rng = {8};
    world->num_edicts = NUM_EDICTS;
    for (int32_t round = 0; round < 50000; round++) {
        int32_t number = (int32_t)Rng_Below(&rng, NUM_EDICTS);
        if (Rng_Below(&rng, 4) != 0) {
            // Few different times, so ties are common.
            times[number] = Rng_Below(&rng, 3) ? 1 + (int64_t)Rng_Below(&rng, 50) : 0;
            Timers_Set(world, number, times[number]);
        } else {
            int64_t now = (int64_t)Rng_Below(&rng, 20);
            int64_t earliest = INT64_MAX;
            for (int32_t i = 0; i < NUM_EDICTS; i++) {
                earliest = times[i] > 0 && times[i] < earliest ? times[i] : earliest;
            }
            int32_t popped = Timers_PopDue(world, now);
            assert_int_equal(popped >= 0, earliest <= now);
            if (popped >= 0) {
                assert_int_equal(times[popped], earliest);
                times[popped] = 0;
            }
        }
        int32_t count = 0;
        for (int32_t i = 0; i < NUM_EDICTS; i++) {
            count += times[i] > 0 ? 1 : 0;
        }
        assert_int_equal(world->num_timers, count);
        if (round % 64 == 0) {
            assert_true(Timers_Check(world, &err));
        }
    }
    free(world);
}

static void test_every_edict_may_have_one(void **state) {
    (void)state;
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    err_t err;
    world->num_edicts = NUM_EDICTS;
    for (int32_t i = 0; i < NUM_EDICTS; i++) {
        Timers_Set(world, i, 1000 - i);
    }
    assert_int_equal(world->num_timers, NUM_EDICTS);
    assert_true(Timers_Check(world, &err));
    for (int32_t i = NUM_EDICTS - 1; i >= 0; i--) {
        assert_int_equal(Timers_PopDue(world, 5000), i);
    }
    assert_int_equal(Timers_PopDue(world, INT64_MAX), -1);
    free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_array),
        cmocka_unit_test(test_every_edict_may_have_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
