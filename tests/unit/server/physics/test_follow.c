// MOVETYPE_FOLLOW: poses of followers, their order, and removals.

#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "math/angles.h"
#include "world/block.h"
#include "world/followers.h"
#include "world/world_local.h"

static const vec3_t zero = {0.0f, 0.0f, 0.0f};

static edict_t *add(test_sim_t *sim, movetype_t movetype, solid_t solid, vec3_t origin) {
    edict_t *edict = TestSim_Spawn(sim, movetype, solid, origin, 4.0f);
    SV_LinkEdict(&sim->sv, edict, false);
    return edict;
}

static void test_is_where_its_leader_is(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *leader = add(&sim, MOVETYPE_NOCLIP, SOLID_BBOX, Vector(0.0f, 0.0f, 100.0f));
    edict_t *flag = add(&sim, MOVETYPE_TOSS, SOLID_TRIGGER, zero);
    leader->angles = Vector(0.0f, 90.0f, 0.0f);
    leader->velocity = Vector(100.0f, 0.0f, 0.0f);
    assert_true(SV_Follow(&sim.sv, flag, leader, Vector(10.0f, 5.0f, 2.0f), zero));
    for (int32_t i = 0; i < 50; i++) {
        TestSim_Tick(&sim);
        SV_Followers(&sim.sv);
        // Facing +y: forward is +y, left is -x.
        vec3_t at = VectorAdd(leader->origin, Vector(-5.0f, 10.0f, 2.0f));
        assert_true(VectorLength(VectorSubtract(at, flag->origin)) < 1e-3f);
        assert_true(flag->angles.y == 90.0f);
        assert_true(VectorCompare(flag->velocity, leader->velocity));
        assert_true(flag->absmin.x == flag->origin.x - 5.0f);
    }
    assert_true(leader->origin.x > 70.0f);
    TestSim_Free(&sim);
}

static void test_only_the_yaw_of_a_player(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *leader = add(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 100.0f));
    edict_t *flag = add(&sim, MOVETYPE_TOSS, SOLID_TRIGGER, zero);
    leader->angles = Vector(-80.0f, 0.0f, 0.0f);
    SV_Follow(&sim.sv, flag, leader, Vector(10.0f, 0.0f, 0.0f), zero);
    SV_Followers(&sim.sv);
    assert_true(flag->origin.z > 109.0f); // the leader looks up
    leader->flags |= FL_CLIENT;
    SV_Followers(&sim.sv);
    assert_true(flag->origin.z == 100.0f);
    assert_true(flag->origin.x == 10.0f);
    TestSim_Free(&sim);
}

/// Every follower comes after its leader in the chain, in whatever order the followers were
/// attached.
static void test_leaders_come_first(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *list[8];
    for (int32_t i = 0; i < 8; i++) {
        list[i] = add(&sim, MOVETYPE_NOCLIP, SOLID_NOT, Vector(0.0f, 0.0f, 100.0f));
    }
    static const int32_t order[] = {6, 3, 7, 1, 5, 2, 4}; // i follows i - 1
    for (size_t i = 0; i < COUNTOF(order); i++) {
        assert_true(SV_Follow(&sim.sv, list[order[i]], list[order[i] - 1],
                              Vector(10.0f, 0.0f, 0.0f), zero));
    }
    list[0]->origin.y = 33.0f;
    SV_Followers(&sim.sv);
    for (int32_t i = 1; i < 8; i++) {
        assert_true(list[i]->origin.x == 10.0f * (float)i);
        assert_true(list[i]->origin.y == 33.0f);
    }
    // No edict can follow itself, directly or through others.
    assert_false(SV_Follow(&sim.sv, list[0], list[7], zero, zero));
    assert_false(SV_Follow(&sim.sv, list[3], list[3], zero, zero));
    assert_int_equal(TestSim_CountEvents(&sim, EVENT_LOG, "edict"), 1); // one burst
    err_t err;
    assert_true(Followers_Check(sim.world, &err));
    TestSim_Free(&sim);
}

static void test_detaches_when_the_leader_goes(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *leader = add(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 300.0f));
    edict_t *first = add(&sim, MOVETYPE_TOSS, SOLID_TRIGGER, zero);
    edict_t *second = add(&sim, MOVETYPE_TOSS, SOLID_TRIGGER, zero);
    SV_Follow(&sim.sv, first, leader, Vector(0.0f, 0.0f, 40.0f), zero);
    SV_Follow(&sim.sv, second, first, Vector(0.0f, 0.0f, 40.0f), zero);
    SV_Followers(&sim.sv);
    assert_true(second->origin.z == 380.0f);
    SV_RemoveEdict(&sim.sv, leader);
    SV_Followers(&sim.sv);
    assert_int_equal(first->movetype, MOVETYPE_TOSS);
    assert_int_equal(second->movetype, MOVETYPE_FOLLOW);
    for (int32_t i = 0; i < 200; i++) {
        TestSim_Tick(&sim);
        SV_Followers(&sim.sv);
    }
    assert_true(first->flags & FL_ONGROUND);
    assert_true(first->origin.z < 5.0f);
    assert_true(second->origin.z == first->origin.z + 40.0f);
    assert_true(SV_Follow(&sim.sv, second, NULL, zero, zero));
    assert_int_equal(second->movetype, MOVETYPE_TOSS);
    assert_null(Followers_Next(sim.world, NULL));
    TestSim_Free(&sim);
}

/// The chain stays valid if a follower is removed or gets another movetype.
static void test_followers_that_go(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *leader = add(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 300.0f));
    edict_t *list[5];
    for (int32_t i = 0; i < 5; i++) {
        list[i] = add(&sim, MOVETYPE_TOSS, SOLID_NOT, zero);
        SV_Follow(&sim.sv, list[i], leader, zero, zero);
    }
    SV_RemoveEdict(&sim.sv, list[2]);
    TestSim_Tick(&sim); // freed before the followers moved again
    list[0]->movetype = MOVETYPE_NONE;
    SV_Followers(&sim.sv);
    assert_null(World_Deref(sim.world, list[0]->aiment));
    assert_non_null(World_Deref(sim.world, list[1]->aiment));
    int32_t count = 0;
    for (const edict_t *at = Followers_Next(sim.world, NULL); at;
         at = Followers_Next(sim.world, at)) {
        count++;
        assert_true(at == list[1] || at == list[3] || at == list[4]);
    }
    assert_int_equal(count, 3);
    err_t err;
    assert_true(Followers_Check(sim.world, &err));
    sim.world->first_follower = 12345678;
    assert_false(Followers_Check(sim.world, &err));
    sim.world->first_follower = World_EdictNumber(sim.world, list[1]);
    list[4]->chain_next = World_EdictNumber(sim.world, list[1]);
    assert_false(Followers_Check(sim.world, &err));
    TestSim_Free(&sim);
}

/// The chain of the followers and the sets of pushers use the same link.
static void test_pushers_do_not_follow(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *leader = add(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 300.0f));
    edict_t *list[4];
    for (int32_t i = 0; i < 4; i++) {
        list[i] = add(&sim, MOVETYPE_TOSS, SOLID_NOT, zero);
        assert_true(SV_Follow(&sim.sv, list[i], leader, zero, zero));
    }
    edict_t *pusher = add(&sim, MOVETYPE_PUSH, SOLID_BBOX, Vector(100.0f, 0.0f, 300.0f));
    assert_false(SV_Follow(&sim.sv, pusher, leader, zero, zero));
    list[1]->movetype = MOVETYPE_PUSH; // joins a set of pushers at once, before any check
    SV_PusherTeam(&sim.sv, list[1], pusher);
    TestSim_Tick(&sim);
    SV_Followers(&sim.sv);
    int32_t count = 0;
    for (const edict_t *at = Followers_Next(sim.world, NULL); at;
         at = Followers_Next(sim.world, at)) {
        count++;
        assert_true(at != list[1]);
        assert_true(VectorCompare(at->origin, leader->origin));
    }
    assert_int_equal(count, 3);
    err_t err;
    assert_true(World_Check(sim.world, sim.world->bytes, &err));
    TestSim_Free(&sim);
}

/// Frees two flags: one that touched a wall on its leader's back, and one that stuck out through
/// the wall.
static void test_freed_on_this_side_of_the_wall(void **state) {
    (void)state;
    const test_block_t wall =
        TestMap_Box((vec3_t){20.0f, -1024.0f, 0.0f}, (vec3_t){28.0f, 1024.0f, 500.0f});
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = &wall,
                            .num_blocks = 1,
                            .brush_list = true};
    for (int32_t way = 0; way < 2; way++) {
        test_sim_t sim;
        TestSim_Init(&sim, &map, 16);
        edict_t *leader = add(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 50.0f));
        edict_t *in = add(&sim, MOVETYPE_TOSS, SOLID_TRIGGER, zero);
        edict_t *behind = add(&sim, MOVETYPE_TOSS, SOLID_TRIGGER, zero);
        SV_Follow(&sim.sv, in, leader, Vector(24.0f, 0.0f, 0.0f), zero);
        SV_Follow(&sim.sv, behind, leader, Vector(50.0f, 0.0f, 0.0f), zero);
        SV_Followers(&sim.sv);
        assert_true(in->origin.x == 24.0f);
        assert_true(behind->origin.x == 50.0f);
        if (way == 0) {
            SV_RemoveEdict(&sim.sv, leader);
            SV_Followers(&sim.sv);
        } else {
            SV_Follow(&sim.sv, in, NULL, zero, zero);
            SV_Follow(&sim.sv, behind, NULL, zero, zero);
        }
        for (int32_t i = 0; i < 100; i++) {
            TestSim_Tick(&sim);
        }
        assert_true(in->origin.x > 15.0f);
        assert_true(in->origin.x < 16.0f);
        assert_true(in->origin.z < 4.1f);
        assert_true(behind->origin.x == in->origin.x);
        assert_true(behind->flags & FL_ONGROUND);
        TestSim_Free(&sim);
    }
}

/// A follower keeps the visibility that the game gave it. The world edict cannot follow.
static void test_keeps_its_visibility(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    edict_t *leader = add(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 300.0f));
    edict_t *flag = add(&sim, MOVETYPE_TOSS, SOLID_TRIGGER, zero);
    leader->visibility = VISIBLE_NOBODY;
    flag->visibility = VISIBLE_BUT_CLIENT;
    assert_true(SV_Follow(&sim.sv, flag, leader, zero, zero));
    SV_Followers(&sim.sv);
    assert_int_equal(flag->visibility, VISIBLE_BUT_CLIENT);
    assert_false(SV_Follow(&sim.sv, World_Edict(sim.world, 0), flag, zero, zero));
    assert_false(SV_Follow(&sim.sv, flag, NULL, Vector(NAN, 0.0f, 0.0f), zero));
    SV_RemoveEdict(&sim.sv, leader);
    SV_Followers(&sim.sv);
    assert_int_equal(flag->movetype, MOVETYPE_TOSS);
    assert_int_equal(flag->visibility, VISIBLE_BUT_CLIENT);
    TestSim_Free(&sim);
}

static void count_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv, (void)trace;
    self->effects++;
    other->effects += 100;
}

/// A follower touches no trigger. Edicts that move touch a trigger that follows, also its leader;
/// an edict that rests does not.
static void test_touches_of_followers(void **state) {
    (void)state;
    static const callback_t touch = {.name = "count_touch", .touch = count_touch};
    const int32_t ticks = 20;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 64);
    TestSim_Bind(&sim, &touch, 1);
    edict_t *leader = add(&sim, MOVETYPE_FLY, SOLID_BBOX, Vector(0.0f, 0.0f, 100.0f));
    edict_t *flag = add(&sim, MOVETYPE_TOSS, SOLID_TRIGGER, zero);
    edict_t *shield = add(&sim, MOVETYPE_TOSS, SOLID_BBOX, zero);
    edict_t *trigger = add(&sim, MOVETYPE_NONE, SOLID_TRIGGER, Vector(0.0f, 0.0f, 112.0f));
    edict_t *rester = add(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(10.0f, 0.0f, 100.0f));
    edict_t *mover = add(&sim, MOVETYPE_FLY, SOLID_BBOX, Vector(-4.0f, 0.0f, 100.0f));
    mover->owner = World_Ref(sim.world, leader); // so that they fly through each other
    flag->touch = trigger->touch = Callbacks_Find(sim.world, "count_touch");
    assert_true(SV_Follow(&sim.sv, flag, leader, Vector(2.0f, 0.0f, 0.0f), zero));
    assert_true(SV_Follow(&sim.sv, shield, leader, Vector(0.0f, 0.0f, 12.0f), zero));
    leader->velocity = mover->velocity = Vector(1.0f, 0.0f, 0.0f);
    for (int32_t i = 0; i < ticks; i++) {
        TestSim_Tick(&sim);
    }
    assert_true(BoundsTouch((bounds_t){shield->absmin, shield->absmax},
                            (bounds_t){trigger->absmin, trigger->absmax}));
    assert_int_equal(shield->effects, 0);
    assert_int_equal(trigger->effects, 0);
    assert_true(BoundsTouch((bounds_t){flag->absmin, flag->absmax},
                            (bounds_t){rester->absmin, rester->absmax}));
    assert_int_equal(rester->effects, 0);
    assert_int_equal(leader->effects / 100, ticks - 1); // it is linked from the first step 5 on
    assert_int_equal(mover->effects / 100, ticks - 1);
    assert_int_equal(flag->effects, 2 * (ticks - 1));
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touches_of_followers),
        cmocka_unit_test(test_is_where_its_leader_is),
        cmocka_unit_test(test_only_the_yaw_of_a_player),
        cmocka_unit_test(test_leaders_come_first),
        cmocka_unit_test(test_detaches_when_the_leader_goes),
        cmocka_unit_test(test_followers_that_go),
        cmocka_unit_test(test_pushers_do_not_follow),
        cmocka_unit_test(test_keeps_its_visibility),
        cmocka_unit_test(test_freed_on_this_side_of_the_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
