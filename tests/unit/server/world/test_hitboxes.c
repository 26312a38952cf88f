// Poses of edicts with a skeleton, and their bone poses, whatever values a game wrote.

#include "lib/model_fixture.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "math/angles.h"
#include "world/hitboxes.h"

#include <math.h>

static void test_place(void **state) {
    (void)state;
    edict_t edict = {.origin = {1.0f, 2.0f, 3.0f}, .angles = {40.0f, 90.0f, 20.0f}};
    vec3_t up;
    AngleVectors(edict.angles, NULL, NULL, &up);
    cm_pose_t at = SV_SkeletonPlace(&edict);
    assert_true(VectorCompare(at.origin, edict.origin));
    assert_true(VectorCompare(at.axes[2], up)); // leans as its angles say
    edict.flags = FL_CLIENT;
    at = SV_SkeletonPlace(&edict);
    assert_true(at.axes[2].z == 1.0f);
    assert_true(at.axes[0].y > 0.999f); // upright, at the player's yaw
}

static void test_request(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    sim.world->time_ms = 5000;
    const int64_t starts_ms[] = {4000, 5000, 6000, -1, INT64_MIN, INT64_MAX, 0};
    const int64_t since_ms[] = {1000, 0, 0, 5000, 5000, 0, 5000};
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0, 0, 50.0f), 8.0f);
    for (size_t i = 0; i < COUNTOF(starts_ms); i++) {
        edict->anim_start_ms[1] = starts_ms[i];
        assert_int_equal(SV_SkeletonRequest(sim.world, edict).times_ms[1], since_ms[i]);
    }
    TestSim_Free(&sim);
}

// If a skeleton is not in the game's table or has no hitboxes, shots hit the box. Impossible values
// that a game writes change only the hitboxes.
static void test_what_a_game_wrote(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    test_model_t *test = TestModel_Make(3, 4, 3);
    model_t models[3] = {{0}, test->read, test->read};
    models[2].num_hitboxes = 0;
    sim.sv.models = models;
    sim.sv.num_models = 3;
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0, 0, 50.0f), 8.0f);
    SV_LinkEdict(&sim.sv, edict, false);
    const int32_t none[] = {0, -1, 2, 3, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < COUNTOF(none); i++) {
        edict->skeleton = none[i];
        assert_null(SV_Skeleton(&sim.sv, edict));
    }
    edict->skeleton = 1;
    assert_ptr_equal(SV_Skeleton(&sim.sv, edict), &models[1]);
    edict->animations[0] = INT32_MAX;
    edict->animations[1] = INT32_MIN;
    edict->anim_blend = NAN;
    for (int i = 0; i < MAX_CONTROLLERS; i++) {
        edict->controllers[i] = i % 2 ? NAN : INFINITY;
    }
    const vec3_t point = {0.0f, 0.0f, 0.0f};
    trace_t trace = SV_Move(&sim.sv, Vector(-100.0f, 0.0f, 50.0f), point, point,
                            Vector(100.0f, 0.0f, 50.0f), MOVE_HITBOXES, NULL);
    assert_true(trace.fraction >= 0.0f);
    assert_true(trace.fraction <= 1.0f);
    assert_true(VectorWithin(trace.endpos, 1024.0f));
    TestModel_Free(test);
    TestSim_Free(&sim);
}

// A model that reaches beyond the world, and one with an impossible pose: shots hit the box
// instead, that is reported, and nothing else changes.
static void test_models_beyond_the_world(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 16);
    test_model_t *test = TestModel_Make(3, MAX_BONES, 3);
    for (int32_t i = 0; i < MAX_BONES; i++) {
        test->bones[i].parent = i - 1;
        test->bones[i].place = Vector(MAX_MODEL_COORD, 0.0f, 0.0f);
        test->bones[i].turn = (quat_t){0.0f, 0.0f, 0.0f, 1.0f};
    }
    for (int32_t i = 0; i < 3; i++) {
        test->hitboxes[i].bone = MAX_BONES - 1;
    }
    TestModel_Write(test);
    err_t err;
    assert_true(Model_Read(&test->read, &test->file, "far", &err));
    const model_t models[2] = {{0}, test->read};
    sim.sv.models = models;
    sim.sv.num_models = 2;
    for (int32_t i = 0; i < 2; i++) {
        edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0, 0, 50), 8.0f);
        bounds_t box;
        edict->skeleton = 1;
        edict->animations[0] = -1;
        edict->angles.x = i == 1 ? NAN : 0.0f;
        assert_true(SV_SkeletonBox(&sim.sv, edict, &box));
        edict->mins = box.mins;
        edict->maxs = box.maxs;
        SV_LinkEdict(&sim.sv, edict, false);
        assert_int_equal(sim.world->counters.quarantined, i + 1);
    }
    TestModel_Free(test);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_what_a_game_wrote),
        cmocka_unit_test(test_models_beyond_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
