// Reports of the obstacle that blocked a monster's move.

#include "lib/step_fixture.h"

#include "move/body.h"

static void expect_blocked(trace_t blocked, int32_t number, vec3_t normal) {
    assert_int_equal(blocked.entnum, number);
    assert_true(number == TRACE_NOTHING ? blocked.fraction == 1.0f : blocked.fraction < 1.0f);
    assert_true(VectorCompare(blocked.plane.normal, normal));
}

// A walker, each mover and a flyer report the wall, the monster or the door before them, and no
// obstacle at a ledge or on free ground.
static void test_reports_what_blocked(void **state) {
    (void)state;
    const vec3_t west = {-1.0f, 0.0f, 0.0f};
    for (int32_t kind = MOVER_STEP; kind <= MOVER_COUNT; kind++) {
        test_sim_t sim;
        trace_t blocked = {.entnum = 77};
        set_up(&sim, 100.0f);
        edict_t *dog = add_standing(&sim, Vector(0.0f, 0.0f, 40.0f));
        dog->mover = (int16_t)(kind % MOVER_COUNT);
        dog->step_height = dog->mover == MOVER_STEP ? 0.0f : 18.0f;
        dog->flags |= kind == MOVER_COUNT ? FL_FLY : 0;
        assert_true(SV_WalkMove(&sim.sv, dog, 0.0f, 8.0f, &blocked));
        expect_blocked(blocked, TRACE_NOTHING, zero);
        while (SV_WalkMove(&sim.sv, dog, 0.0f, 8.0f, &blocked)) {
            assert_true(dog->origin.x < STEP_X);
        }
        expect_blocked(blocked, EDICT_WORLD, west);
        assert_false(SV_MoveStep(&sim.sv, dog, Vector(8.0f, 0.0f, 0.0f), true, &blocked));
        expect_blocked(blocked, EDICT_WORLD, west);
        edict_t *cat = add(&sim, Vector(STEP_X - 100.0f, 0.0f, dog->origin.z), 0);
        int32_t number = World_EdictNumber(sim.world, cat);
        while (SV_Strafe(&sim.sv, dog, cat->origin, 8.0f, &blocked)) {
            assert_true(dog->origin.x > cat->origin.x);
        }
        expect_blocked(blocked, number, Vector(1.0f, 0.0f, 0.0f));
        dog->angles.y = dog->ideal_yaw = 180.0f;
        assert_false(SV_StepDirection(&sim.sv, dog, 180.0f, 8.0f, &blocked));
        expect_blocked(blocked, number, Vector(1.0f, 0.0f, 0.0f));
        TestSim_Free(&sim);
    }
}

static void test_reports_doors_and_no_ledges(void **state) {
    (void)state;
    test_sim_t sim;
    trace_t blocked;
    set_up(&sim, 10.0f);
    edict_t *dog = add_standing(&sim, Vector(LEDGE_X - 40.0f, -300.0f, LEDGE_UP + 30.0f));
    while (SV_WalkMove(&sim.sv, dog, 0.0f, 8.0f, &blocked)) {
        assert_true(dog->origin.x < LEDGE_X + 32.0f);
    }
    expect_blocked(blocked, TRACE_NOTHING, zero);
    assert_false(SV_MoveToPoint(&sim.sv, dog, dog->origin, 8.0f, &blocked));
    expect_blocked(blocked, TRACE_NOTHING, zero);
    edict_t *door = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BSP, Vector(0.0f, 0.0f, 16.0f), 0.0f);
    door->model = 1;
    SV_LinkEdict(&sim.sv, door, false);
    edict_t *cat = add_standing(&sim, Vector(0.0f, -100.0f, 40.0f));
    cat->angles.y = cat->ideal_yaw = 90.0f;
    edict_t *goal =
        TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_NOT, Vector(0.0f, 300.0f, 40.0f), 1.0f);
    SV_LinkEdict(&sim.sv, goal, false);
    bool met = false; // goes around the door, and reports it
    for (int32_t i = 0; i < 200 && cat->origin.y < 100.0f; i++) {
        SV_MoveToGoal(&sim.sv, cat, goal, 8.0f, &blocked);
        met = met || blocked.entnum == World_EdictNumber(sim.world, door);
        assert_true(blocked.entnum == TRACE_NOTHING ||
                    blocked.entnum == World_EdictNumber(sim.world, door));
    }
    assert_true(met && cat->origin.y >= 100.0f);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports_what_blocked),
        cmocka_unit_test(test_reports_doors_and_no_ledges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
