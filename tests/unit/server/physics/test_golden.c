// A scripted scene for each movetype, compared with tests/golden/physics_*.txt to the last bit.

#include "lib/events_fixture.h"
#include "lib/golden_fixture.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "state/player_state.h"

#include <string.h>

#define RAMP_TOP 160.0f

// The first edict of a scene is a SOLID_BSP platform. A box like a player's follows, then the
// actors.
static void set_up(test_sim_t *sim) {
    const test_block_t blocks[] = {
        TestMap_RampX((vec3_t){100.0f, -200.0f, 0.0f}, (vec3_t){500.0f, 200.0f, RAMP_TOP}),
        TestMap_RampX((vec3_t){-700.0f, -200.0f, 0.0f}, (vec3_t){-600.0f, 200.0f, 400.0f}),
        {.box = {{-400.0f, 300.0f, 0.0f}, {400.0f, 700.0f, 128.0f}}, .contents = CONTENTS_WATER},
        {.box = {{-400.0f, -700.0f, 0.0f}, {400.0f, -500.0f, 64.0f}}, .contents = CONTENTS_SLIME},
        {.box = {{-96.0f, -96.0f, -16.0f}, {96.0f, 96.0f, 16.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
    };
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks)};
    TestSim_Init(sim, &map, 64);
    edict_t *platform =
        TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_BSP, Vector(-300.0f, 0.0f, 200.0f), 0.0f);
    platform->model = 1;
    platform->mins = Vector(-96.0f, -96.0f, -16.0f);
    platform->maxs = Vector(96.0f, 96.0f, 16.0f);
    SV_LinkEdict(&sim->sv, platform, false);
    edict_t *player =
        TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_SLIDEBOX, Vector(700.0f, 500.0f, 24.0f), 0.0f);
    player->flags = FL_CLIENT;
    player->mins = PM_PLAYER_MINS;
    player->maxs = PM_PLAYER_MAXS;
    SV_LinkEdict(&sim->sv, player, false);
}

typedef struct {
    vec3_t origin, velocity;
    float half, gravity;
    solid_t solid;
} actor_t;

static const actor_t cast[] = {
    {{0.0f, 0.0f, 300.0f}, {40.0f, 0.0f, 0.0f}, 0.0f, 0.0f, SOLID_BBOX},          // floor, ramp
    {{0.0f, 60.0f, 300.0f}, {300.0f, 10.0f, 200.0f}, 16.0f, 0.0f, SOLID_BBOX},    // up the ramp
    {{-500.0f, 0.0f, 500.0f}, {-250.0f, 30.0f, 0.0f}, 0.0f, 0.0f, SOLID_BBOX},    // steep ramp
    {{-300.0f, 10.0f, 600.0f}, {5.0f, 3.0f, -10.0f}, 4.0f, 0.0f, SOLID_BBOX},     // platform
    {{0.0f, 500.0f, 400.0f}, {0.0f, 20.0f, 0.0f}, 0.0f, 0.0f, SOLID_BBOX},        // into water
    {{0.0f, -600.0f, 400.0f}, {600.0f, 0.0f, 250.0f}, 0.0f, 0.25f, SOLID_NOT},    // over slime
    {{600.0f, 600.0f, 900.0f}, {700.0f, 650.0f, 300.0f}, 2.0f, 2.0f, SOLID_BBOX}, // a corner
    {{400.0f, 514.0f, 30.0f}, {900.0f, 0.0f, 0.0f}, 0.0f, 0.0f, SOLID_BBOX},      // at the player
    {{400.0f, 530.0f, 30.0f}, {900.0f, 0.0f, 0.0f}, 0.0f, 0.0f, SOLID_BBOX}, // close to the player
    {{900.0f, -900.0f, 900.0f}, {9000.0f, -3000.0f, 5000.0f}, 0.0f, 0.0f, SOLID_TRIGGER},
    {{0.0f, 0.0f, -50.0f}, {10.0f, 0.0f, 0.0f}, 0.0f, 0.0f, SOLID_BBOX}, // inside the floor
};

static void print_edict(test_golden_t *golden, const edict_t *edict, int32_t tick, size_t actor) {
    TestGolden_Print(golden, "tick %d actor %zu", tick, actor);
    TestGolden_Vector(golden, "at", edict->origin);
    TestGolden_Vector(golden, "v", edict->velocity);
    TestGolden_Vector(golden, "angles", edict->angles);
    TestGolden_Print(golden, " flags %u ground %u.%u water %d %d\n", edict->flags,
                     edict->groundentity.index, edict->groundentity.generation, edict->waterlevel,
                     edict->watertype);
}

// Monsters, crates, a swimmer and a flyer.
static uint32_t step_flags(size_t actor) {
    static const uint32_t flags[] = {FL_MONSTER, FL_PUSHABLE, FL_MONSTER | FL_FLY,
                                     FL_MONSTER | FL_SWIM};
    return actor == 4 ? FL_PUSHABLE : flags[actor % COUNTOF(flags)];
}

static void run_scene_by(movetype_t movetype, int32_t toss_rules, const char *file) {
    test_sim_t sim;
    test_golden_t golden = {NULL, 0, 0};
    edict_t *actors[COUNTOF(cast)];
    int32_t splashes = 0;
    set_up(&sim);
    sim.world->cvars.move.sv_tossrules = toss_rules;
    for (size_t i = 0; i < COUNTOF(cast); i++) {
        const actor_t *actor = &cast[i];
        actors[i] = TestSim_Spawn(&sim, movetype, actor->solid, actor->origin, actor->half);
        actors[i]->velocity = actor->velocity;
        actors[i]->avelocity = Vector(10.0f, -90.0f, (float)i * 700.0f);
        actors[i]->gravity = actor->gravity;
        actors[i]->flags |= movetype == MOVETYPE_STEP ? step_flags(i) : 0;
        actors[i]->friction = toss_rules == 1 && i % 3 != 0 ? 0.3f * (float)i : 0.0f;
        if (movetype == MOVETYPE_WALK) {
            actors[i]->mins = PM_PLAYER_MINS;
            actors[i]->maxs = PM_PLAYER_MAXS;
        }
        SV_LinkEdict(&sim.sv, actors[i], true);
    }
    for (int32_t tick = 0; tick < 200; tick++) {
        TestSim_Tick(&sim);
        splashes += TestEvents_Effects(sim.world, sim.events, "splash");
        if (tick % 16 == 0) {
            TestGolden_Print(&golden, "tick %d splashes %d\n", tick, splashes);
            for (size_t i = 0; i < COUNTOF(cast); i++) {
                print_edict(&golden, actors[i], tick, i);
            }
        }
    }
    TestSim_Free(&sim);
    assert_true(TestGolden_Check(&golden, file));
}

static void run_scene(movetype_t movetype, const char *file) {
    run_scene_by(movetype, 0, file);
}

static void test_none(void **state) {
    (void)state;
    run_scene(MOVETYPE_NONE, "physics_none.txt");
}

static void test_noclip(void **state) {
    (void)state;
    run_scene(MOVETYPE_NOCLIP, "physics_noclip.txt");
}

static void test_walk(void **state) {
    (void)state;
    run_scene(MOVETYPE_WALK, "physics_walk.txt");
}

static void test_toss(void **state) {
    (void)state;
    run_scene(MOVETYPE_TOSS, "physics_toss.txt");
}

static void test_bounce(void **state) {
    (void)state;
    run_scene(MOVETYPE_BOUNCE, "physics_bounce.txt");
}

static void test_fly(void **state) {
    (void)state;
    run_scene(MOVETYPE_FLY, "physics_fly.txt");
}

static void test_flymissile(void **state) {
    (void)state;
    run_scene(MOVETYPE_FLYMISSILE, "physics_flymissile.txt");
}

static void test_bouncemissile(void **state) {
    (void)state;
    run_scene(MOVETYPE_BOUNCEMISSILE, "physics_bouncemissile.txt");
}

static void test_step(void **state) {
    (void)state;
    run_scene(MOVETYPE_STEP, "physics_step.txt");
}

static void test_halflife(void **state) {
    (void)state;
    run_scene_by(MOVETYPE_TOSS, 1, "physics_toss_halflife.txt");
    run_scene_by(MOVETYPE_BOUNCE, 1, "physics_bounce_halflife.txt");
    run_scene_by(MOVETYPE_BOUNCEMISSILE, 1, "physics_bouncemissile_halflife.txt");
    run_scene_by(MOVETYPE_FLY, 1, "physics_fly_halflife.txt");
}

// An edict bounces about and spins. Another follows it, and a third follows the second.
static void test_follow(void **state) {
    (void)state;
    test_sim_t sim;
    test_golden_t golden = {NULL, 0, 0};
    edict_t *actors[4];
    set_up(&sim);
    for (size_t i = 0; i < COUNTOF(actors); i++) {
        vec3_t origin = {30.0f * (float)i, 0.0f, 300.0f};
        actors[i] = TestSim_Spawn(&sim, MOVETYPE_BOUNCE, SOLID_BBOX, origin, 2.0f);
        SV_LinkEdict(&sim.sv, actors[i], false);
    }
    actors[0]->velocity = Vector(200.0f, -37.0f, 250.0f);
    actors[0]->avelocity = Vector(70.0f, 300.0f, -20.0f);
    for (size_t i = COUNTOF(actors) - 1; i > 0; i--) { // the last one first
        vec3_t offset = {10.0f, -7.0f * (float)i, 3.0f};
        assert_true(SV_Follow(&sim.sv, actors[i], actors[i - 1], offset, Vector(0, 30.0f, 5.0f)));
    }
    for (int32_t tick = 0; tick < 200; tick++) {
        TestSim_Tick(&sim);
        SV_Followers(&sim.sv);
        if (tick == 120) {
            SV_RemoveEdict(&sim.sv, actors[1]);
        }
        for (size_t i = 0; i < COUNTOF(actors) && tick % 16 == 0; i++) {
            print_edict(&golden, actors[i], tick, i);
        }
    }
    TestSim_Free(&sim);
    assert_true(TestGolden_Check(&golden, "physics_follow.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),       cmocka_unit_test(test_noclip),
        cmocka_unit_test(test_walk),       cmocka_unit_test(test_toss),
        cmocka_unit_test(test_bounce),     cmocka_unit_test(test_fly),
        cmocka_unit_test(test_flymissile), cmocka_unit_test(test_bouncemissile),
        cmocka_unit_test(test_step),       cmocka_unit_test(test_halflife),
        cmocka_unit_test(test_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
