// Pushers that move as one: teams, pushers that ride on pushers, removals.

#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "math/angles.h"
#include "move/pusher.h"
#include "world/block.h"
#include "world/pushers.h"

#include <string.h>

#define EPS 0.03125f

static const vec3_t zero = {0.0f, 0.0f, 0.0f};

enum { PLATFORM = 1, DOOR };

static const test_block_t blocks[] = {
    {.box = {{-64, -64, -16}, {64, 64, 0}}, .contents = CONTENTS_SOLID, .model = PLATFORM},
    {.box = {{-4, -32, 0}, {4, 32, 96}}, .contents = CONTENTS_SOLID, .model = DOOR},
};

static const test_map_t hall = {.room = {{-1024, -1024, 0}, {1024, 1024, 1024}},
                                .blocks = blocks,
                                .num_blocks = COUNTOF(blocks),
                                .brush_list = true};

static void count_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    (void)sv;
    (void)obstacle;
    self->effects++;
}

static void unglue_think(sv_context_t *sv, edict_t *self) {
    SV_PusherUnglue(sv, self);
    self->effects++;
}

static void remove_think(sv_context_t *sv, edict_t *self) {
    SV_RemoveEdict(sv, self);
}

static const callback_t functions[] = {{.name = "count", .blocked = count_blocked},
                                       {.name = "unglue", .think = unglue_think},
                                       {.name = "remove", .think = remove_think}};

static test_sim_t sim;

static int setup(void **state) {
    (void)state;
    TestSim_Init(&sim, &hall, 256);
    TestSim_Bind(&sim, functions, COUNTOF(functions));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    err_t err = {{0}};
    if (!World_Check(sim.world, sim.world->bytes, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    TestSim_Free(&sim);
    return 0;
}

static edict_t *spawn_pusher(int32_t model, vec3_t origin) {
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_PUSH, SOLID_BSP, origin, 0.0f);
    edict->model = model;
    edict->mins = sim.map.models[model].bounds.mins;
    edict->maxs = sim.map.models[model].bounds.maxs;
    edict->blocked = Callbacks_Find(sim.world, "count");
    SV_LinkEdict(&sim.sv, edict, false);
    return edict;
}

static edict_t *spawn_walker(vec3_t feet) {
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_WALK, SOLID_SLIDEBOX,
                                   VectorAdd(feet, Vector(0.0f, 0.0f, 24.0f + EPS)), 0.0f);
    edict->mins = PM_PLAYER_MINS;
    edict->maxs = PM_PLAYER_MAXS;
    SV_LinkEdict(&sim.sv, edict, false);
    return edict;
}

static void check(void) {
    err_t err = {{0}};
    if (!World_Check(sim.world, sim.world->bytes, &err)) {
        fail_msg("%s", err.text);
    }
}

static void ticks(int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        TestSim_Tick(&sim);
    }
    check();
}

static void move_to(edict_t *pusher, vec3_t origin, float yaw, int32_t ms) {
    assert_true(SV_PusherMoveTo(&sim.sv, pusher, (pose_t){origin, {0.0f, yaw, 0.0f}}, ms));
}

static void assert_place(vec3_t found, float x, float y, float z, float within) {
    if (!(VectorLength(VectorSubtract(found, Vector(x, y, z))) <= within)) {
        fail_msg("found %.9g %.9g %.9g, expected %g %g %g", (double)found.x, (double)found.y,
                 (double)found.z, (double)x, (double)y, (double)z);
    }
}

static bool rests_on(const edict_t *edict, const edict_t *ground) {
    return (edict->flags & FL_ONGROUND) && World_Deref(sim.world, edict->groundentity) == ground;
}

static void test_team_moves_all_or_none(void **state) {
    (void)state;
    edict_t *left = spawn_pusher(DOOR, Vector(0, -100, 0));
    edict_t *right = spawn_pusher(DOOR, Vector(0, 100, 0));
    edict_t *third = spawn_pusher(DOOR, Vector(300, 0, 0));
    SV_PusherTeam(&sim.sv, right, left);
    SV_PusherTeam(&sim.sv, third, right);
    SV_PusherTeam(&sim.sv, left, third); // repeating it changes nothing
    SV_PusherTeam(&sim.sv, left, left);
    check();
    ticks(2);
    move_to(left, Vector(0, -500, 0), 0, 1000);
    move_to(right, Vector(0, 500, 0), 0, 1000);
    // A crate rests at the room's wall, where only the left pusher arrives.
    edict_t *crate = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX, Vector(0, -240, 16.1f), 16.0f);
    crate->movetype = MOVETYPE_NONE;
    SV_LinkEdict(&sim.sv, crate, false);
    edict_t *walker = spawn_walker(Vector(0, -205, 0));
    ticks(40);
    assert_true(left->effects > 5);
    assert_true(right->effects == 0);
    assert_true(fabsf(left->origin.y + right->origin.y) < 1e-3f); // both moved equally far
    assert_null(SV_TestEdictPosition(&sim.sv, walker));
    SV_RemoveEdict(&sim.sv, walker);
    ticks(70);
    assert_place(left->origin, 0, -500, 0, 0);
    assert_place(right->origin, 0, 500, 0, 0);
}

static void test_door_in_a_lift(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *door = spawn_pusher(DOOR, Vector(56, 0, 16));
    assert_true(SV_PusherGlue(&sim.sv, door, lift));
    ticks(2);
    assert_place(door->origin, 56, 0, 16, 0);
    move_to(lift, Vector(0, 200, 316), 0, 1000);
    ticks(10);
    // Given in world coordinates of the moment it was glued.
    move_to(door, Vector(56, 60, 16), 0, 500);
    ticks(60);
    assert_place(lift->origin, 0, 200, 316, 0);
    assert_place(door->origin, 56, 260, 316, 0);
    assert_place(door->angles, 0, 0, 0, 0);
    // Both move at the same time and return to exactly where they were.
    move_to(lift, Vector(0, 0, 16), 0, 700);
    move_to(door, Vector(56, 0, 16), 0, 300);
    ticks(60);
    assert_place(door->origin, 56, 0, 16, 0);
}

// A door that stood still while its lift went up moves in the lift's space.
static void test_door_of_a_lift_that_has_moved(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *door = spawn_pusher(DOOR, Vector(56, 0, 16));
    assert_true(SV_PusherGlue(&sim.sv, door, lift));
    ticks(2);
    move_to(lift, Vector(0, 0, 116), 0, 160);
    ticks(20);
    assert_place(door->origin, 56, 0, 116, 0);
    int64_t start = SV_PusherTime(&sim.sv, door);
    move_to(door, Vector(56, 60, 16), 0, 320);
    ticks(10);
    assert_true(SV_PusherTime(&sim.sv, door) == start + 160);
    assert_place(door->origin, 56, 30, 116, 0.01f);
    ticks(20);
    assert_place(door->origin, 56, 60, 116, 0);
}

// A game may give a part another movetype: it stays where it is.
static void test_a_part_that_is_no_pusher_any_more(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *door = spawn_pusher(DOOR, Vector(56, 0, 16));
    assert_true(SV_PusherGlue(&sim.sv, door, lift));
    ticks(2);
    door->movetype = MOVETYPE_NONE;
    move_to(lift, Vector(0, 0, 116), 0, 160);
    for (int32_t i = 0; i < 20; i++) {
        TestSim_Tick(&sim);
    }
    assert_place(lift->origin, 0, 0, 116, 0);
    assert_place(door->origin, 56, 0, 16, 0);
}

// A turning platform is on a train, a lift on the platform, a door on the lift, and a rider on the
// door.
static void test_glue_three_deep(void **state) {
    (void)state;
    edict_t *train = spawn_pusher(PLATFORM, Vector(0, 0, 100));
    edict_t *turner = spawn_pusher(PLATFORM, Vector(0, 0, 200));
    edict_t *lift = spawn_pusher(PLATFORM, Vector(40, 0, 300));
    edict_t *door = spawn_pusher(DOOR, Vector(100, 0, 300));
    // The last link first: the order must not matter.
    assert_true(SV_PusherGlue(&sim.sv, door, lift));
    assert_true(SV_PusherGlue(&sim.sv, lift, turner));
    assert_true(SV_PusherGlue(&sim.sv, turner, train));
    check();
    edict_t *walker = spawn_walker(Vector(40, 0, 300));
    ticks(5);
    assert_true(rests_on(walker, lift));
    move_to(train, Vector(300, -300, 100), 0, 2000);
    motion_t spin = {.kind = MOTION_SPIN,
                     .duration_ms = 4000,
                     .base = {turner->origin, turner->angles},
                     .delta_angles = {0, 360, 0}};
    assert_true(SV_PusherStart(&sim.sv, turner, &spin));
    move_to(lift, Vector(40, 0, 400), 0, 1500);
    int64_t start = turner->motion.start_ms;
    vec3_t on_lift = VectorSubtract(walker->origin, lift->origin);
    for (int32_t i = 0; i < 200; i++) {
        ticks(1);
        float t = (float)(sim.world->time_ms - start);
        float share = Q_ClampF(t / 2000.0f, 0.0f, 1.0f);
        float up = 100.0f * Q_ClampF(t / 1500.0f, 0.0f, 1.0f);
        float s, c;
        SinCos(t * 0.09f, &s, &c);
        vec3_t at = {300.0f * share, -300.0f * share, 0.0f};
        assert_place(turner->origin, at.x, at.y, 200, 0.01f);
        assert_place(lift->origin, at.x + 40.0f * c, at.y + 40.0f * s, 300.0f + up, 0.01f);
        assert_place(door->origin, at.x + 100.0f * c, at.y + 100.0f * s, 300.0f + up, 0.01f);
        assert_true(fabsf(AngleNormalize180(door->angles.y - t * 0.09f)) < 0.01f);
        assert_true(rests_on(walker, lift));
        vec3_t offset = VectorSubtract(walker->origin, lift->origin);
        assert_true(VectorLength(VectorSubtract(offset, on_lift)) < 0.05f);
    }
    assert_int_equal(train->effects + turner->effects + lift->effects + door->effects, 0);
}

static void test_circles_are_refused(void **state) {
    (void)state;
    edict_t *a = spawn_pusher(PLATFORM, Vector(0, 0, 100));
    edict_t *b = spawn_pusher(PLATFORM, Vector(0, 0, 200));
    edict_t *c = spawn_pusher(PLATFORM, Vector(0, 0, 300));
    edict_t *crate = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX, Vector(300, 0, 16), 16.0f);
    assert_false(SV_PusherGlue(&sim.sv, a, a));
    assert_true(SV_PusherGlue(&sim.sv, b, a));
    assert_true(SV_PusherGlue(&sim.sv, c, b));
    assert_false(SV_PusherGlue(&sim.sv, a, c));
    assert_false(SV_PusherGlue(&sim.sv, a, b));
    assert_false(SV_PusherGlue(&sim.sv, crate, a));
    assert_false(SV_PusherGlue(&sim.sv, a, crate));
    assert_int_equal(TestSim_CountEvents(&sim, EVENT_LOG, "edict"), 1); // one burst
    ticks(3);
    // A pusher that is glued to another one rides only on the new one.
    assert_true(SV_PusherGlue(&sim.sv, c, a));
    check();
    move_to(b, Vector(0, 0, 250), 0, 100);
    ticks(20);
    assert_place(c->origin, 0, 0, 300, 0);
    move_to(a, Vector(0, 50, 100), 0, 100);
    ticks(20);
    assert_place(b->origin, 0, 50, 250, 0);
    assert_place(c->origin, 0, 50, 300, 0);
}

static void test_unglued_goes_on_by_itself(void **state) {
    (void)state;
    edict_t *train = spawn_pusher(PLATFORM, Vector(0, 0, 100));
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 200));
    assert_true(SV_PusherGlue(&sim.sv, lift, train));
    ticks(2);
    move_to(train, Vector(100, 0, 100), 90, 1000);
    move_to(lift, Vector(80, 0, 300), 0, 2000);
    ticks(63); // the train has arrived and turned; the lift is halfway
    assert_place(train->origin, 100, 0, 100, 0);
    vec3_t was = lift->origin;
    SV_PusherUnglue(&sim.sv, lift);
    check();
    pose_t now = SV_PusherPose(&sim.sv, lift);
    assert_place(now.origin, was.x, was.y, was.z, 1e-3f);
    move_to(train, zero, 0, 1000);
    ticks(80);
    // The +x of the turned train is now +y.
    assert_place(lift->origin, 100, 80, 300, 1e-3f);
    assert_int_equal(lift->motion.parent, 0);
    assert_int_equal(lift->pusher_set, 0);
    SV_PusherUnglue(&sim.sv, lift); // removing the glue twice is allowed
}

static void test_parent_and_root_may_go(void **state) {
    (void)state;
    edict_t *root = spawn_pusher(PLATFORM, Vector(0, 0, 100));
    edict_t *mate = spawn_pusher(PLATFORM, Vector(300, 0, 100));
    edict_t *child = spawn_pusher(PLATFORM, Vector(0, 0, 200));
    edict_t *grandchild = spawn_pusher(DOOR, Vector(0, 0, 300));
    SV_PusherTeam(&sim.sv, mate, root);
    assert_true(SV_PusherGlue(&sim.sv, child, root));
    assert_true(SV_PusherGlue(&sim.sv, grandchild, child));
    ticks(2);
    move_to(root, Vector(0, 100, 100), 0, 1000);
    move_to(child, Vector(50, 0, 200), 0, 2000);
    ticks(20);
    SV_RemoveEdict(&sim.sv, root);
    check();
    ticks(120);
    assert_true(child->inuse);
    assert_true(grandchild->inuse);
    assert_true(mate->inuse);
    assert_true(fabsf(child->origin.x - 50.0f) < 1e-3f);
    assert_true(fabsf(grandchild->origin.x - 50.0f) < 1e-3f);
    assert_true(child->origin.y == grandchild->origin.y);
    assert_true(child->origin.y > 20.0f);
    assert_true(child->origin.y < 40.0f); // the root was removed after 0.3 s
    assert_int_equal(mate->pusher_set, 0);
    SV_FreeEdict(&sim.sv, child);
    check();
    ticks(2);
    assert_int_equal(grandchild->motion.parent, 0);
}

static void test_thinks_may_break_the_set(void **state) {
    (void)state;
    edict_t *root = spawn_pusher(PLATFORM, Vector(0, 0, 100));
    edict_t *children[4];
    for (int32_t i = 0; i < 4; i++) {
        children[i] = spawn_pusher(DOOR, Vector(-60.0f + 30.0f * (float)i, 0, 100));
        assert_true(SV_PusherGlue(&sim.sv, children[i], root));
        children[i]->think = Callbacks_Find(sim.world, i % 2 ? "unglue" : "remove");
        SV_SetNextThink(&sim.sv, children[i], sim.world->time_ms + 40);
    }
    move_to(root, Vector(0, 0, 200), 0, 1000);
    ticks(10); // work that the first pushers postponed runs in the next ticks
    assert_false(children[0]->inuse);
    assert_false(children[2]->inuse);
    assert_int_equal(children[1]->effects, 1);
    assert_int_equal(children[3]->effects, 1);
    assert_int_equal(children[1]->motion.parent, 0);
    root->think = Callbacks_Find(sim.world, "remove");
    SV_SetNextThink(&sim.sv, root, sim.world->time_ms + 40);
    ticks(10);
    assert_false(root->inuse);
}

static void test_blocked_child_stops_the_parent(void **state) {
    (void)state;
    edict_t *train = spawn_pusher(PLATFORM, Vector(0, 0, 100));
    edict_t *ram = spawn_pusher(DOOR, Vector(0, 0, 100));
    assert_true(SV_PusherGlue(&sim.sv, ram, train));
    edict_t *post = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(300, 0, 140), 16.0f);
    SV_LinkEdict(&sim.sv, post, false);
    edict_t *crate = TestSim_Spawn(&sim, MOVETYPE_FLY, SOLID_BBOX, Vector(150, 0, 140), 16.0f);
    SV_LinkEdict(&sim.sv, crate, false);
    ticks(2);
    move_to(train, Vector(400, 0, 100), 0, 2000);
    ticks(150);
    assert_true(ram->effects > 10);
    assert_true(train->effects == 0);
    assert_true(train->origin.x == ram->origin.x);
    assert_true(train->origin.x < 300.0f - 48.0f);
    assert_true(train->lag_ms == ram->lag_ms);
    assert_true(train->lag_ms > 500);
    // If a part has no blocked callback, the callback of the pusher that it rides on runs.
    ram->blocked = 0;
    ticks(10);
    assert_int_equal(train->effects, 10);
}

static void test_outside_blocks_are_checked(void **state) {
    (void)state;
    edict_t *a = spawn_pusher(PLATFORM, Vector(0, 0, 100));
    edict_t *b = spawn_pusher(PLATFORM, Vector(0, 0, 200));
    edict_t *c = spawn_pusher(PLATFORM, Vector(0, 0, 300));
    assert_true(SV_PusherGlue(&sim.sv, b, a));
    assert_true(SV_PusherGlue(&sim.sv, c, b));
    err_t err;
    size_t bytes = sim.world->bytes;
    assert_true(World_Check(sim.world, bytes, &err));
    edict_t *edicts[3] = {a, b, c};
    for (int32_t i = 0; i < 3; i++) {
        pusher_links_t *own = World_PusherLinks(sim.world, World_EdictNumber(sim.world, edicts[i]));
        int32_t *const links[] = {&edicts[i]->pusher_set,    &edicts[i]->pusher_up,
                                  &edicts[i]->chain_prev,    &edicts[i]->chain_next,
                                  &edicts[i]->motion.parent, &own->child};
        for (size_t l = 0; l < COUNTOF(links); l++) {
            const int32_t right = *links[l];
            for (int32_t n = -2; n < sim.world->max_edicts + 2; n++) {
                *links[l] = n;
                assert_true(World_Check(sim.world, bytes, &err) == (n == right));
            }
            *links[l] = right;
        }
        edict_t was = *edicts[i];
        edicts[i]->motion.kind = 9;
        assert_false(World_Check(sim.world, bytes, &err));
        *edicts[i] = was;
        edicts[i]->motion.kind = MOTION_MOVE;
        edicts[i]->motion.duration_ms = 0;
        assert_false(World_Check(sim.world, bytes, &err));
        *edicts[i] = was;
        edicts[i]->motion.delta.y = NAN;
        assert_false(World_Check(sim.world, bytes, &err));
        *edicts[i] = was;
    }
    // Set 1 has the three pushers. Sets 2 and 3 were used and are free again.
    for (int32_t set = 0; set < sim.world->max_edicts; set++) {
        pusher_links_t *links = World_PusherLinks(sim.world, set);
        int32_t *const values[] = {&links->first, &links->count};
        for (size_t v = 0; v < COUNTOF(values); v++) {
            const int32_t right = *values[v];
            for (int32_t n = -1; n < 6; n++) {
                *values[v] = n;
                assert_true(World_Check(sim.world, bytes, &err) == (n == right));
            }
            *values[v] = right;
        }
    }
    World_PushSave(sim.world, 5)->next = -1;
    assert_false(World_Check(sim.world, bytes, &err));
    World_PushSave(sim.world, 5)->next = 0;
    check();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_team_moves_all_or_none),
        TEST(test_door_in_a_lift),
        TEST(test_door_of_a_lift_that_has_moved),
        TEST(test_a_part_that_is_no_pusher_any_more),
        TEST(test_glue_three_deep),
        TEST(test_circles_are_refused),
        TEST(test_unglued_goes_on_by_itself),
        TEST(test_parent_and_root_may_go),
        TEST(test_thinks_may_break_the_set),
        TEST(test_blocked_child_stops_the_parent),
        TEST(test_outside_blocks_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
