/// Pushers removed while their set moves, thinks, touches or is blocked; and sets of the maximum
/// size.

#include "lib/pushers_fixture.h"

#include "world/followers.h"

#include <time.h>

#define MANY 4000

static void remove_self_think(sv_context_t *sv, edict_t *self) {
    SV_RemoveEdict(sv, self);
}

static void remove_self_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    (void)obstacle;
    SV_RemoveEdict(sv, self);
}

// Removes the ground edict of `other`.
static void remove_ground_touch(sv_context_t *sv, edict_t *self, edict_t *other,
                                const trace_t *trace) {
    (void)self;
    (void)trace;
    edict_t *ground = World_Deref(sv->world, other->groundentity);
    if (ground) {
        SV_RemoveEdict(sv, ground);
    }
}

static const callback_t removing[] = {
    {.name = "count", .blocked = count_blocked},
    {.name = "think", .think = note_think},
    {.name = "remove_think", .think = remove_self_think},
    {.name = "remove_blocked", .blocked = remove_self_blocked},
    {.name = "remove_ground", .touch = remove_ground_touch},
};

static int setup_removing(void **state) {
    (void)state;
    TestSim_Init(&sim, &hall, MANY + 100);
    TestSim_Bind(&sim, removing, COUNTOF(removing));
    return 0;
}

static int32_t id_of(const char *name) {
    int32_t id = Callbacks_Find(sim.world, name);
    assert_true(id > 0);
    return id;
}

static void test_what_rode_goes_on_when_its_pusher_goes_in_its_own_think(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 100));
    edict_t *gun = spawn_pusher(PILLAR, Vector(0, 0, 100));
    edict_t *sight = spawn_pusher(PILLAR, Vector(0, 0, 200));
    assert_true(SV_PusherGlue(&sim.sv, gun, lift));
    assert_true(SV_PusherGlue(&sim.sv, sight, gun));
    ticks(1);
    move_to(gun, Vector(160, 0, 100), 0, 1600);
    move_to(sight, Vector(0, 160, 200), 0, 1600);
    lift->think = id_of("remove_think");
    SV_SetNextThink(&sim.sv, lift, sim.world->time_ms + 400);
    ticks(200);
    assert_int_equal(lift->inuse, 0);
    assert_place(gun->origin, 160, 0, 100, 0.01f);
    assert_true(sight->origin.y > 159.0f); // the gun carried it
}

static void test_a_team_goes_on_when_who_leads_it_goes_as_it_is_blocked(void **state) {
    (void)state;
    edict_t *first = spawn_pusher(DOOR, Vector(-100, 0, 0));
    edict_t *second = spawn_pusher(DOOR, Vector(-100, -200, 0));
    SV_PusherTeam(&sim.sv, second, first);
    edict_t *obstacle = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0, 0, 60), 16.0f);
    obstacle->movetype = MOVETYPE_TOSS;
    SV_LinkEdict(&sim.sv, obstacle, false);
    // The edict is crushed against this pusher.
    edict_t *wall = spawn_pusher(DOOR, Vector(40, 0, 0));
    (void)wall;
    first->blocked = id_of("remove_blocked");
    second->blocked = 0;
    ticks(1);
    move_to(first, Vector(100, 0, 0), 0, 1000);
    move_to(second, Vector(100, -200, 0), 0, 1000);
    second->think = id_of("think");
    SV_SetNextThink(&sim.sv, second, SV_PusherTime(&sim.sv, second) + 1000);
    for (int32_t i = 0; i < 200 && first->inuse; i++) {
        ticks(1);
    }
    assert_int_equal(first->inuse, 0);
    float x = second->origin.x;
    assert_true(x > -100.0f);
    assert_true(x < 0.0f);
    ticks(2); // both lost the tick in which they were blocked
    assert_true(second->origin.x > x);
    ticks(200);
    assert_place(second->origin, 100, -200, 0, 0.01f);
    assert_int_equal(second->effects, 1);
}

static void test_a_think_that_is_due_as_the_set_breaks_up_is_not_lost(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 100));
    edict_t *gun = spawn_pusher(PILLAR, Vector(0, 200, 100));
    assert_true(SV_PusherGlue(&sim.sv, gun, lift));
    edict_t *walker = spawn_walker(Vector(0, 0, 100));
    ticks(4);
    assert_true(rests_on(walker, lift));
    edict_t *trigger = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, Vector(0, 0, 124), 60.0f);
    trigger->touch = id_of("remove_ground");
    move_to(lift, Vector(0, 0, 200), 0, 1000);
    gun->think = id_of("think");
    SV_SetNextThink(&sim.sv, gun, SV_PusherTime(&sim.sv, gun) + 1);
    SV_LinkEdict(&sim.sv, trigger, false);
    ticks(5);
    assert_int_equal(lift->inuse, 0);
    assert_int_equal(gun->effects, 1);
}

static void test_who_is_removed_is_not_told_of_what_blocks_its_team(void **state) {
    (void)state;
    edict_t *first = spawn_pusher(DOOR, Vector(-100, -200, 0));
    edict_t *second = spawn_pusher(DOOR, Vector(-100, 0, 0));
    SV_PusherTeam(&sim.sv, second, first);
    second->blocked = 0;
    edict_t *obstacle = spawn_crate(Vector(0, 0, 0));
    spawn_pusher(DOOR, Vector(40, 0, 0));
    (void)obstacle;
    ticks(1);
    move_to(second, Vector(100, 0, 0), 0, 1000);
    first->flags |= FL_QUARANTINED;
    ticks(100);
    assert_int_equal(first->effects, 0);
    first->flags &= ~FL_QUARANTINED;
}

static void test_a_pusher_whose_place_is_no_number_leaves_none_in_what_rode(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 100));
    edict_t *gun = spawn_pusher(PILLAR, Vector(0, 200, 100));
    assert_true(SV_PusherGlue(&sim.sv, gun, lift));
    ticks(1);
    lift->origin.x = NAN;
    lift->angles.y = INFINITY;
    SV_RemoveEdict(&sim.sv, lift);
    ticks(2);
    assert_int_equal(lift->inuse, 0);
    assert_true(World_IsLive(gun));
    assert_place(gun->origin, 0, 200, 100, 0.01f);
    assert_true(isfinite(gun->motion.base.origin.x));
    assert_true(isfinite(gun->motion.base.angles.y));
}

// A gun and a box on a lift, a sight on the gun, and a second lift in a team with the first.
typedef struct {
    edict_t *lift, *gun, *box, *sight, *mate;
} glued_t;

static glued_t spawn_glued(void) {
    glued_t glued = {
        spawn_pusher(PLATFORM, Vector(0, 0, 100)), spawn_pusher(PILLAR, Vector(0, 0, 100)),
        spawn_pusher(PILLAR, Vector(40, 0, 100)), spawn_pusher(PILLAR, Vector(0, 0, 200)),
        spawn_pusher(PLATFORM, Vector(0, 300, 100))};
    assert_true(SV_PusherGlue(&sim.sv, glued.gun, glued.lift));
    assert_true(SV_PusherGlue(&sim.sv, glued.box, glued.lift));
    assert_true(SV_PusherGlue(&sim.sv, glued.sight, glued.gun));
    SV_PusherTeam(&sim.sv, glued.mate, glued.lift);
    ticks(1);
    move_to(glued.lift, Vector(0, 0, 300), 90, 2000);
    move_to(glued.gun, Vector(0, 64, 100), 0, 2000);
    move_to(glued.sight, Vector(0, 0, 400), 0, 2000);
    move_to(glued.mate, Vector(0, 300, 300), 0, 2000);
    ticks(20);
    return glued;
}

// Runs `count` ticks. Returns how many lines they logged; the log is cleared after each tick.
static int32_t ticks_with_log(int32_t count) {
    int32_t logs = 0;
    for (int32_t i = 0; i < count; i++) {
        ticks(1);
        logs += TestSim_CountEvents(&sim, EVENT_LOG, "edict");
    }
    return logs;
}

static void assert_stranded(const glued_t *glued, vec3_t gun, vec3_t box, float sight_z) {
    world_t *world = sim.world;
    assert_int_equal(world->counters.quarantined, 1);
    assert_int_equal(world->counters.pushers_stranded, 2);
    assert_int_equal(glued->lift->pusher_set, 0);
    assert_int_equal(glued->box->pusher_set, 0);
    assert_int_equal(glued->mate->pusher_set, 0);
    assert_ptr_equal(Pushers_Root(world, glued->sight), glued->gun);
    assert_true(VectorCompare(glued->gun->origin, gun));
    assert_true(VectorCompare(glued->box->origin, box));
    assert_true(VectorCompare(glued->gun->velocity, zero));
    assert_true(glued->sight->origin.z > sight_z + 150.0f); // by its own motion, on top of the gun
    assert_place(glued->mate->origin, 0, 300, 300, 0.01f);
    move_to(glued->gun, gun, 0, 100); // the pusher accepts another motion
    move_to(glued->gun, VectorAdd(gun, Vector(0, 0, 50)), 0, 100);
    ticks(10);
    assert_place(glued->gun->origin, gun.x, gun.y, gun.z + 50.0f, 0.01f);
}

static void test_what_rode_on_one_that_is_nowhere_stops_where_it_is(void **state) {
    (void)state;
    glued_t glued = spawn_glued();
    vec3_t gun = glued.gun->origin;
    vec3_t box = glued.box->origin;
    float sight_z = glued.sight->origin.z;
    assert_true(gun.z > 120.0f);
    assert_true(gun.y > 5.0f);
    glued.lift->origin.x = NAN;
    SV_LinkEdict(&sim.sv, glued.lift, false);
    assert_int_equal(TestSim_CountEvents(&sim, EVENT_LOG, "edict"), 1);
    assert_int_equal(ticks_with_log(200), 1); // once for all pushers that rode on it
    assert_stranded(&glued, gun, box, sight_z);
}

// During a push: the motion itself leads out of the world.
static void test_what_rode_on_one_that_leaves_the_world_stops_where_it_is(void **state) {
    (void)state;
    glued_t glued = spawn_glued();
    vec3_t gun = glued.gun->origin;
    vec3_t box = glued.box->origin;
    float sight_z = glued.sight->origin.z;
    edict_t *walker = spawn_walker(Vector(0, 300, glued.mate->origin.z));
    move_to(glued.lift, Vector(3.0f * (float)MAX_WORLD_COORD, 0, 0), 0, 1);
    assert_int_equal(ticks_with_log(200), 2); // the removed pusher, and its riders
    assert_stranded(&glued, gun, box, sight_z);
    assert_true(rests_on(walker, glued.mate));
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static edict_t *many[MANY];

static void spawn_many(void) {
    for (int32_t i = 0; i < MANY; i++) {
        many[i] = TestSim_Spawn(&sim, MOVETYPE_PUSH, SOLID_NOT, Vector(0, 0, 100), 8.0f);
    }
}

// The limit is far above the expected 2 ms, and far below the cost of walking the whole set for
// each member and rider.
static void test_thousands_that_ride_on_one_are_glued_and_let_go_in_no_time(void **state) {
    (void)state;
    double start = cpu_seconds();
    spawn_many();
    for (int32_t i = 1; i < MANY; i++) {
        assert_true(SV_PusherGlue(&sim.sv, many[i], many[0]));
    }
    ticks(2);
    SV_RemoveEdict(&sim.sv, many[0]);
    ticks(2);
    double took = cpu_seconds() - start;
    printf("%d pushers glued to one, and it removed: %.3f s\n", MANY, took);
    assert_true(took < 1.0);
}

static void test_thousands_that_follow_each_other_are_put_in_order_in_no_time(void **state) {
    (void)state;
    double start = cpu_seconds();
    for (int32_t i = 0; i < MANY; i++) {
        many[i] = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_NOT, Vector(0, 0, 100), 8.0f);
    }
    // The last one first: each time, all before it have to move.
    for (int32_t i = 0; i + 1 < MANY; i++) {
        assert_true(SV_Follow(&sim.sv, many[i], many[i + 1], zero, zero));
    }
    double took = cpu_seconds() - start;
    const edict_t *at = NULL;
    for (int32_t i = MANY - 2; i >= 0; i--) {
        at = Followers_Next(sim.world, at);
        assert_ptr_equal(at, many[i]);
    }
    assert_null(Followers_Next(sim.world, at));
    printf("%d followers in a chain: %.3f s\n", MANY, took);
    assert_true(took < 5.0);
}

#define REMOVED(name) cmocka_unit_test_setup_teardown(name, setup_removing, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        REMOVED(test_what_rode_goes_on_when_its_pusher_goes_in_its_own_think),
        REMOVED(test_a_team_goes_on_when_who_leads_it_goes_as_it_is_blocked),
        REMOVED(test_a_think_that_is_due_as_the_set_breaks_up_is_not_lost),
        REMOVED(test_who_is_removed_is_not_told_of_what_blocks_its_team),
        REMOVED(test_a_pusher_whose_place_is_no_number_leaves_none_in_what_rode),
        REMOVED(test_what_rode_on_one_that_is_nowhere_stops_where_it_is),
        REMOVED(test_what_rode_on_one_that_leaves_the_world_stops_where_it_is),
        REMOVED(test_thousands_that_ride_on_one_are_glued_and_let_go_in_no_time),
        REMOVED(test_thousands_that_follow_each_other_are_put_in_order_in_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
