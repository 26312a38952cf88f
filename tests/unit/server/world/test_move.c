// Sweeps and points through map and edicts: the rules one by one, and every sweep against brute
// force.

#include "base/rng.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "state/player_state.h"

#include <string.h>

static const vec3_t zero = {0.0f, 0.0f, 0.0f};

static void set_up(test_sim_t *sim, int32_t max_edicts) {
    const test_block_t blocks[] = {
        // A wall across the room at x 400..416, and two brush models: a block and a ramp.
        {.box = {{400.0f, -1024.0f, 0.0f}, {416.0f, 1024.0f, 1024.0f}}, .contents = CONTENTS_SOLID},
        {.box = {{-512.0f, -512.0f, 0.0f}, {512.0f, -448.0f, 64.0f}}, .contents = CONTENTS_WATER},
        {.box = {{-32.0f, -32.0f, -32.0f}, {32.0f, 32.0f, 32.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
    };
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks)};
    TestSim_Init(sim, &map, max_edicts);
}

static edict_t *add(test_sim_t *sim, solid_t solid, vec3_t origin, float half) {
    edict_t *edict = TestSim_Spawn(sim, MOVETYPE_NONE, solid, origin, half);
    if (solid == SOLID_BSP) {
        edict->model = 1;
    }
    SV_LinkEdict(&sim->sv, edict, false);
    return edict;
}

static int32_t number_of(const test_sim_t *sim, const edict_t *edict) {
    return World_EdictNumber(sim->world, edict);
}

static trace_t ray(test_sim_t *sim, vec3_t start, vec3_t end, move_type_t type,
                   const edict_t *pass) {
    return SV_Move(&sim->sv, start, zero, zero, end, type, pass);
}

// ---- rules ----

static void test_hits_the_nearest(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    const vec3_t start = {0.0f, 0.0f, 100.0f};
    const vec3_t end = {1000.0f, 0.0f, 100.0f};
    trace_t trace = ray(&sim, start, end, MOVE_NORMAL, NULL);
    assert_int_equal(trace.entnum, EDICT_WORLD);
    assert_true(fabsf(trace.endpos.x - 400.0f) < 0.1f);
    const edict_t *far_box = add(&sim, SOLID_BBOX, Vector(300.0f, 0.0f, 100.0f), 16.0f);
    trace = ray(&sim, start, end, MOVE_NORMAL, NULL);
    assert_int_equal(trace.entnum, number_of(&sim, far_box));
    assert_true(fabsf(trace.endpos.x - 284.0f) < 0.1f);
    assert_true(VectorCompare(trace.plane.normal, Vector(-1.0f, 0.0f, 0.0f)));
    const edict_t *near_box = add(&sim, SOLID_SLIDEBOX, Vector(200.0f, 0.0f, 100.0f), 16.0f);
    trace = ray(&sim, start, end, MOVE_NORMAL, NULL);
    assert_int_equal(trace.entnum, number_of(&sim, near_box));
    const edict_t *brush = add(&sim, SOLID_BSP, Vector(100.0f, 0.0f, 100.0f), 32.0f);
    trace = ray(&sim, start, end, MOVE_NORMAL, NULL);
    assert_int_equal(trace.entnum, number_of(&sim, brush));
    assert_true(fabsf(trace.endpos.x - 68.0f) < 0.1f);
    add(&sim, SOLID_BBOX, Vector(600.0f, 0.0f, 100.0f), 16.0f); // behind the wall
    trace = ray(&sim, Vector(420.0f, 500.0f, 100.0f), Vector(410.0f, 500.0f, 100.0f), MOVE_NORMAL,
                NULL);
    assert_int_equal(trace.entnum, EDICT_WORLD);
    TestSim_Free(&sim);
}

static void test_nothing_hit(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    const vec3_t end = {300.0f, 10.0f, 100.0f};
    trace_t trace = ray(&sim, Vector(0.0f, 0.0f, 100.0f), end, MOVE_NORMAL, NULL);
    assert_int_equal(trace.entnum, TRACE_NOTHING);
    assert_true(trace.fraction == 1.0f);
    assert_true(VectorCompare(trace.endpos, end));
    assert_true(VectorCompare(trace.plane.normal, zero));
    assert_int_equal(trace.contents, CONTENTS_EMPTY);
    trace = ray(&sim, Vector(0.0f, 0.0f, 100.0f), Vector(0.0f, -480.0f, 20.0f), MOVE_NORMAL, NULL);
    assert_int_equal(trace.contents, CONTENTS_WATER);
    TestSim_Free(&sim);
}

static void test_who_is_passed(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    const vec3_t start = {0.0f, 0.0f, 100.0f};
    const vec3_t end = {300.0f, 0.0f, 100.0f};
    edict_t *self = add(&sim, SOLID_BBOX, start, 8.0f);
    edict_t *other = add(&sim, SOLID_BBOX, Vector(100.0f, 0.0f, 100.0f), 8.0f);
    assert_true(ray(&sim, start, end, MOVE_NORMAL, NULL).startsolid);
    assert_int_equal(ray(&sim, start, end, MOVE_NORMAL, self).entnum, number_of(&sim, other));
    other->owner = World_Ref(sim.world, self); // an edict that it owns
    assert_int_equal(ray(&sim, start, end, MOVE_NORMAL, self).entnum, TRACE_NOTHING);
    other->owner = (edict_ref_t){0, 0};
    self->owner = World_Ref(sim.world, other); // its owner
    assert_int_equal(ray(&sim, start, end, MOVE_NORMAL, self).entnum, TRACE_NOTHING);
    self->owner.generation++; // the handle of an earlier edict
    assert_int_equal(ray(&sim, start, end, MOVE_NORMAL, self).entnum, number_of(&sim, other));
    self->owner = (edict_ref_t){0, 0};
    const solid_t soft[] = {SOLID_NOT, SOLID_TRIGGER};
    for (size_t i = 0; i < COUNTOF(soft); i++) {
        other->solid = (int32_t)soft[i];
        assert_int_equal(ray(&sim, start, end, MOVE_NORMAL, self).entnum, TRACE_NOTHING);
        SV_LinkEdict(&sim.sv, other, false);
        assert_int_equal(ray(&sim, start, end, MOVE_NORMAL, self).entnum, TRACE_NOTHING);
    }
    other->solid = SOLID_BBOX;
    SV_LinkEdict(&sim.sv, other, false);
    SV_RemoveEdict(&sim.sv, other);
    assert_int_equal(ray(&sim, start, end, MOVE_NORMAL, self).entnum, TRACE_NOTHING);
    TestSim_Free(&sim);
}

static void test_no_monsters(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    const vec3_t start = {0.0f, 0.0f, 100.0f};
    const vec3_t end = {1000.0f, 0.0f, 100.0f};
    add(&sim, SOLID_BBOX, Vector(100.0f, 0.0f, 100.0f), 8.0f);
    add(&sim, SOLID_SLIDEBOX, Vector(150.0f, 0.0f, 100.0f), 8.0f);
    assert_int_equal(ray(&sim, start, end, MOVE_NOMONSTERS, NULL).entnum, EDICT_WORLD);
    const edict_t *brush = add(&sim, SOLID_BSP, Vector(200.0f, 0.0f, 100.0f), 32.0f);
    assert_int_equal(ray(&sim, start, end, MOVE_NOMONSTERS, NULL).entnum, number_of(&sim, brush));
    TestSim_Free(&sim);
}

static void test_missiles_are_fat_against_the_living(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    const vec3_t start = {0.0f, 0.0f, 100.0f};
    const vec3_t end = {300.0f, 0.0f, 100.0f};
    edict_t *other = add(&sim, SOLID_BBOX, Vector(150.0f, 22.0f, 100.0f), 8.0f); // 14 off the path
    assert_int_equal(ray(&sim, start, end, MOVE_MISSILE, NULL).entnum, TRACE_NOTHING);
    const uint32_t living[] = {FL_MONSTER, FL_CLIENT};
    for (size_t i = 0; i < COUNTOF(living); i++) {
        other->flags = living[i];
        assert_int_equal(ray(&sim, start, end, MOVE_MISSILE, NULL).entnum, number_of(&sim, other));
        assert_int_equal(ray(&sim, start, end, MOVE_NORMAL, NULL).entnum, TRACE_NOTHING);
    }
    other->origin.y = 24.0f; // 16 off the path
    SV_LinkEdict(&sim.sv, other, false);
    assert_int_equal(ray(&sim, start, end, MOVE_MISSILE, NULL).entnum, TRACE_NOTHING);
    TestSim_Free(&sim);
}

static void test_start_in_solid(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    edict_t *self = add(&sim, SOLID_BBOX, Vector(0.0f, 0.0f, 100.0f), 8.0f);
    assert_null(SV_TestEdictPosition(&sim.sv, self));
    const edict_t *second = add(&sim, SOLID_BBOX, Vector(10.0f, 0.0f, 100.0f), 8.0f);
    const edict_t *third = add(&sim, SOLID_BSP, Vector(20.0f, 0.0f, 100.0f), 32.0f);
    assert_true(number_of(&sim, second) < number_of(&sim, third));
    // The lowest number of equal candidates.
    assert_ptr_equal(SV_TestEdictPosition(&sim.sv, self), second);
    trace_t trace =
        ray(&sim, Vector(15.0f, 0.0f, 100.0f), Vector(300.0f, 0.0f, 100.0f), MOVE_NORMAL, second);
    assert_true(trace.startsolid);
    assert_false(trace.allsolid);
    self->origin = Vector(0.0f, 0.0f, -100.0f);
    assert_ptr_equal(SV_TestEdictPosition(&sim.sv, self), World_Edict(sim.world, EDICT_WORLD));
    TestSim_Free(&sim);
}

static void test_impossible_questions(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    const vec3_t nan = {NAN, 0.0f, 0.0f};
    const vec3_t far = {1e30f, 0.0f, 0.0f};
    const vec3_t here = {0.0f, 0.0f, 100.0f};
    assert_true(ray(&sim, nan, here, MOVE_NORMAL, NULL).allsolid);
    assert_true(ray(&sim, here, nan, MOVE_NORMAL, NULL).allsolid);
    assert_true(ray(&sim, here, far, MOVE_NORMAL, NULL).allsolid);
    assert_true(SV_Move(&sim.sv, here, nan, zero, here, MOVE_NORMAL, NULL).allsolid);
    assert_int_equal(SV_PointContents(&sim.sv, nan), CONTENTS_SOLID);
    TestSim_Free(&sim);
}

static void test_point_contents(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    edict_t *brush = add(&sim, SOLID_BSP, Vector(100.0f, 0.0f, 100.0f), 32.0f);
    add(&sim, SOLID_BBOX, Vector(300.0f, 0.0f, 100.0f), 32.0f);
    assert_int_equal(SV_PointContents(&sim.sv, Vector(0.0f, 0.0f, 100.0f)), CONTENTS_EMPTY);
    assert_int_equal(SV_PointContents(&sim.sv, Vector(0.0f, -480.0f, 30.0f)), CONTENTS_WATER);
    assert_int_equal(SV_PointContents(&sim.sv, Vector(0.0f, 0.0f, -10.0f)), CONTENTS_SOLID);
    assert_int_equal(SV_PointContents(&sim.sv, Vector(100.0f, 0.0f, 100.0f)), CONTENTS_SOLID);
    assert_int_equal(SV_PointContents(&sim.sv, Vector(300.0f, 0.0f, 100.0f)), CONTENTS_EMPTY);
    brush->origin.y = 200.0f;
    SV_LinkEdict(&sim.sv, brush, false);
    assert_int_equal(SV_PointContents(&sim.sv, Vector(100.0f, 0.0f, 100.0f)), CONTENTS_EMPTY);
    assert_int_equal(SV_PointContents(&sim.sv, Vector(100.0f, 210.0f, 100.0f)), CONTENTS_SOLID);
    TestSim_Free(&sim);
}

// ---- against brute force ----

static bool comes_first(const trace_t *a, const trace_t *b) {
    if (a->fraction != b->fraction) {
        return a->fraction < b->fraction;
    }
    if (a->startsolid != b->startsolid) {
        return a->startsolid;
    }
    return b->entnum == TRACE_NOTHING ? a->entnum != TRACE_NOTHING
                                      : a->entnum != TRACE_NOTHING && a->entnum < b->entnum;
}

static trace_t brute_force(test_sim_t *sim, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    trace_t best = CM_BoxTrace(&sim->map, &(cm_object_t){.origin = zero}, start, end, mins, maxs);
    best.entnum = best.fraction < 1.0f || best.startsolid ? EDICT_WORLD : TRACE_NOTHING;
    bool startsolid = best.startsolid;
    for (int32_t i = 1; i < sim->world->num_edicts; i++) {
        const edict_t *edict = World_Edict(sim->world, i);
        if (!World_IsLive(edict) || edict->solid < SOLID_BBOX) {
            continue;
        }
        bounds_t box = {VectorAdd(edict->origin, edict->mins),
                        VectorAdd(edict->origin, edict->maxs)};
        trace_t trace =
            edict->solid == SOLID_BSP
                ? CM_BoxTrace(&sim->map, &(cm_object_t){.model = 1, .origin = edict->origin}, start,
                              end, mins, maxs)
                : CM_BoxBoxTrace(box, start, end, mins, maxs);
        trace.entnum = trace.fraction < 1.0f || trace.startsolid ? i : TRACE_NOTHING;
        startsolid |= trace.startsolid;
        if (comes_first(&trace, &best)) {
            best = trace;
        }
    }
    best.startsolid = startsolid;
    return best;
}

static vec3_t random_point(rng_t *rng) {
    float x = Rng_Range(rng, -1000.0f, 1000.0f);
    float y = Rng_Range(rng, -1000.0f, 1000.0f);
    return Vector(x, y, Rng_Range(rng, 10.0f, 1000.0f));
}

static void test_every_sweep_against_brute_force(void **state) {
    (void)state;
    test_sim_t sim;
    rng_t rng = {42};
    int32_t hits[4] = {0, 0, 0, 0}; // counts of: nothing, world, box, brush
    set_up(&sim, 512);
    for (int32_t i = 0; i < 300; i++) {
        vec3_t at = random_point(&rng);
        add(&sim, i % 5 == 0 ? SOLID_BSP : SOLID_BBOX, at, i % 5 == 0 ? 32.0f : 20.0f);
    }
    int32_t rounds = Test_IsLong() ? 200000 : 10000;
    for (int32_t round = 0; round < rounds; round++) {
        vec3_t start = random_point(&rng);
        vec3_t end = random_point(&rng);
        if (round % 2) { // short sweeps, as most are
            end = VectorAdd(start, VectorScale(VectorSubtract(end, start), 0.02f));
        }
        vec3_t mins = round % 3 ? Vector(-16.0f, -16.0f, -24.0f) : zero;
        vec3_t maxs = round % 3 ? Vector(16.0f, 16.0f, 32.0f) : zero;
        trace_t expected = brute_force(&sim, start, mins, maxs, end);
        trace_t found = SV_Move(&sim.sv, start, mins, maxs, end, MOVE_NORMAL, NULL);
        assert_int_equal(found.entnum, expected.entnum);
        assert_true(found.fraction == expected.fraction);
        assert_true(VectorCompare(found.endpos, expected.endpos));
        assert_true(VectorCompare(found.plane.normal, expected.plane.normal));
        assert_int_equal(found.startsolid, expected.startsolid);
        assert_int_equal(found.allsolid, expected.allsolid);
        assert_int_equal(found.contents, expected.contents);
        hits[found.entnum == TRACE_NOTHING                              ? 0
             : found.entnum == EDICT_WORLD                              ? 1
             : World_Edict(sim.world, found.entnum)->solid == SOLID_BSP ? 3
                                                                        : 2]++;
    }
    for (int32_t i = 0; i < 4; i++) {
        assert_true(hits[i] > rounds / 50);
    }
    TestSim_Free(&sim);
}

// ---- hull misfits ----

static void test_misfit_is_logged_once_a_class(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    const vec3_t here = {0.0f, 0.0f, 100.0f};
    const vec3_t there = {50.0f, 0.0f, 100.0f};
    const char *names[] = {"fat_monster", "thin_monster", ""};
    for (int32_t i = 0; i < 9; i++) {
        edict_t *edict = add(&sim, SOLID_NOT, here, 20.0f);
        edict->classname = World_String(sim.world, names[i % 3]);
        for (int32_t n = 0; n < 3; n++) {
            SV_Move(&sim.sv, here, edict->mins, edict->maxs, there, MOVE_NORMAL, edict);
        }
    }
    assert_int_equal(sim.world->counters.hull_misfit, 3);
    assert_int_equal(TestSim_CountEvents(&sim, EVENT_LOG, "fat_monster"), 1);
    assert_non_null(strstr(sim.events->list[0].text, "40 x 40 x 40"));
    assert_non_null(strstr(sim.events->list[0].text, "64 x 64 x 88"));
    edict_t *point = add(&sim, SOLID_NOT, here, 0.0f);
    point->classname = World_String(sim.world, "missile");
    SV_Move(&sim.sv, here, point->mins, point->maxs, there, MOVE_NORMAL, point);
    edict_t *player = add(&sim, SOLID_NOT, here, 0.0f);
    player->classname = World_String(sim.world, "player");
    player->mins = PM_PLAYER_MINS;
    player->maxs = PM_PLAYER_MAXS;
    SV_Move(&sim.sv, here, player->mins, player->maxs, there, MOVE_NORMAL, player);
    assert_int_equal(sim.world->counters.hull_misfit, 3);
    // Invalid class names do no harm.
    const int32_t wrong[] = {point->classname + 1, -5, 1, 2, 3, 65535, 1 << 30};
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        edict_t *edict = add(&sim, SOLID_NOT, here, 20.0f);
        edict->classname = wrong[i];
        SV_Move(&sim.sv, here, edict->mins, edict->maxs, there, MOVE_NORMAL, edict);
    }
    assert_string_equal(World_Text(sim.world, point->classname), "missile");
    assert_int_equal(sim.world->counters.hull_misfit, 3);
    TestSim_Free(&sim);
}

// ---- stuck ----

static void test_stuck_goes_back(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    edict_t *player = add(&sim, SOLID_SLIDEBOX, Vector(0.0f, 0.0f, 100.0f), 0.0f);
    player->mins = PM_PLAYER_MINS;
    player->maxs = PM_PLAYER_MAXS;
    assert_false(SV_CheckStuck(&sim.sv, player, NULL));
    assert_true(VectorCompare(player->oldorigin, player->origin));
    player->origin = Vector(410.0f, 0.0f, 100.0f); // in the wall
    assert_true(SV_CheckStuck(&sim.sv, player, NULL));
    assert_true(VectorCompare(player->origin, Vector(0.0f, 0.0f, 100.0f)));
    assert_true(player->absmin.x == -17.0f);
    assert_int_equal(sim.world->counters.unstuck, 1);
    // Another edict is there: the nearest free offset of the pattern is used.
    add(&sim, SOLID_BBOX, Vector(0.0f, 0.0f, 100.0f), 8.0f);
    player->origin = Vector(300.0f, 0.0f, 14.0f); // 10 deep in the floor
    assert_true(SV_CheckStuck(&sim.sv, player, NULL));
    assert_true(player->origin.z == 24.0f); // the lowest free offset
    assert_null(SV_TestEdictPosition(&sim.sv, player));
    // No offset is free: the player stays.
    player->oldorigin = Vector(0.0f, 0.0f, 100.0f);
    player->origin = Vector(300.0f, 0.0f, -300.0f);
    assert_false(SV_CheckStuck(&sim.sv, player, NULL));
    assert_true(VectorCompare(player->origin, Vector(300.0f, 0.0f, -300.0f)));
    TestSim_Free(&sim);
}

// SV_CheckStuck tries offsets from the lowest to the highest, and at each height -x before +x and
// -y before +y: first a fraction of the epsilon, then 1 qu, at most 17 up.
static void test_stuck_search_order(void **state) {
    (void)state;
    static const struct {
        vec3_t origin, offset;
        bool is_freed;
    } cases[] = {
        {{384.004f, 0.0f, 100.0f}, {-0.0078125f, -0.0078125f, 0.0f}, true}, // barely in the wall
        {{384.5f, 0.0f, 100.0f}, {-1.0f, -1.0f, 0.0f}, true},
        {{-1008.5f, 0.0f, 100.0f}, {1.0f, -1.0f, 0.0f}, true},
        {{300.0f, 1008.5f, 100.0f}, {-1.0f, -1.0f, 0.0f}, true},
        {{300.0f, -1008.5f, 100.0f}, {-1.0f, 1.0f, 0.0f}, true},
        {{300.0f, 0.0f, 23.5f}, {-1.0f, -1.0f, 1.0f}, true}, // in the floor
        {{300.0f, 0.0f, 7.0f}, {-1.0f, -1.0f, 17.0f}, true},
        {{300.0f, 0.0f, 6.0f}, {0.0f, 0.0f, 0.0f}, false}, // 18 deep
        {{385.5f, 0.0f, 100.0f}, {0.0f, 0.0f, 0.0f}, false},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        test_sim_t sim;
        set_up(&sim, 64);
        edict_t *player = add(&sim, SOLID_SLIDEBOX, cases[i].origin, 0.0f);
        player->mins = PM_PLAYER_MINS;
        player->maxs = PM_PLAYER_MAXS;
        player->oldorigin = Vector(408.0f, 0.0f, 100.0f); // in the wall, so it is no free position
        bool is_freed = SV_CheckStuck(&sim.sv, player, NULL);
        vec3_t expected = VectorAdd(cases[i].origin, cases[i].offset);
        if (is_freed != cases[i].is_freed || !VectorCompare(player->origin, expected)) {
            fail_msg("case %zu: %d, at %g %g %g", i, is_freed, (double)player->origin.x,
                     (double)player->origin.y, (double)player->origin.z);
        }
        assert_true(VectorCompare(player->oldorigin, Vector(408.0f, 0.0f, 100.0f)));
        assert_int_equal(sim.world->counters.unstuck, is_freed ? 1 : 0);
        TestSim_Free(&sim);
    }
}

// In a crowd, a player is inside one edict by the last bit; the gap to the others is only the
// epsilon.
static void test_stuck_in_a_crowd(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, 64);
    const float near = 32.0f + CM_DIST_EPSILON;
    const vec3_t places[] = {{0, 0, 100},           {near, 0, 100},
                             {-near, 0, 100},       {0, near, 100},
                             {0, -31.999998f, 100}, {0, 0, 100.0f + 56.0f + CM_DIST_EPSILON}};
    edict_t *players[COUNTOF(places)];
    for (size_t i = 0; i < COUNTOF(places); i++) {
        players[i] = add(&sim, SOLID_SLIDEBOX, places[i], 0.0f);
        players[i]->mins = PM_PLAYER_MINS;
        players[i]->maxs = PM_PLAYER_MAXS;
        players[i]->oldorigin = places[i];
        SV_LinkEdict(&sim.sv, players[i], false);
    }
    assert_ptr_equal(SV_TestEdictPosition(&sim.sv, players[0]), players[4]);
    assert_true(SV_CheckStuck(&sim.sv, players[0], NULL));
    assert_null(SV_TestEdictPosition(&sim.sv, players[0]));
    vec3_t moved = VectorSubtract(players[0]->origin, places[0]);
    assert_true(VectorLength(moved) < CM_DIST_EPSILON);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hits_the_nearest),
        cmocka_unit_test(test_nothing_hit),
        cmocka_unit_test(test_who_is_passed),
        cmocka_unit_test(test_no_monsters),
        cmocka_unit_test(test_missiles_are_fat_against_the_living),
        cmocka_unit_test(test_start_in_solid),
        cmocka_unit_test(test_impossible_questions),
        cmocka_unit_test(test_point_contents),
        cmocka_unit_test(test_every_sweep_against_brute_force),
        cmocka_unit_test(test_misfit_is_logged_once_a_class),
        cmocka_unit_test(test_stuck_goes_back),
        cmocka_unit_test(test_stuck_search_order),
        cmocka_unit_test(test_stuck_in_a_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
