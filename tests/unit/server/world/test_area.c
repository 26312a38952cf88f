// The area tree against brute force: random scenes, moves, limits, and hostile scenes.

#include "base/rng.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "world/area.h"
#include "world/block.h"

#include <string.h>

typedef struct {
    cmap_t map; // empty
    world_t *world;
    sv_context_t sv;
} fixture_t;

static void set_up(fixture_t *f, int32_t max_edicts, bounds_t bounds) {
    const world_params_t params = {
        .max_edicts = max_edicts, .max_clients = 1, .seed = 1, .bounds = bounds};
    memset(f, 0, sizeof *f);
    f->world = World_Init(malloc(World_Bytes(&params)), &params);
    f->sv = (sv_context_t){.world = f->world, .map = &f->map};
}

static int32_t brute_force(const fixture_t *f, bounds_t box, area_kind_t kind, int32_t *list) {
    int32_t count = 0;
    for (int32_t i = 1; i < f->world->num_edicts; i++) {
        const edict_t *edict = World_Edict(f->world, i);
        bool is_trigger = edict->solid == SOLID_TRIGGER;
        if (Area_IsLinked(f->world, i) && is_trigger == (kind == AREA_TRIGGERS) &&
            BoundsTouch((bounds_t){edict->absmin, edict->absmax}, box)) {
            list[count++] = i;
        }
    }
    return count;
}

static void compare(const fixture_t *f, bounds_t box, area_kind_t kind, int32_t max) {
    static int32_t expected[MAX_EDICTS], found[MAX_EDICTS];
    int32_t total = brute_force(f, box, kind, expected);
    int32_t dropped = -1;
    int32_t count = SV_AreaEdicts(f->world, box, kind, found, max, &dropped);
    assert_int_equal(count, Q_MinI(total, max));
    assert_int_equal(dropped, total - count);
    assert_memory_equal(found, expected, (size_t)count * sizeof *found);
}

static vec3_t random_point(rng_t *rng, float reach) {
    float x = Rng_Range(rng, -reach, reach);
    float y = Rng_Range(rng, -reach, reach);
    return Vector(x, y, Rng_Range(rng, -reach, reach));
}

// Returns a half size: mostly small, sometimes as large as the map.
static float random_half(rng_t *rng, float reach) {
    uint32_t pick = Rng_Below(rng, 20);
    return pick == 0 ? Rng_Range(rng, 0.0f, reach)
                     : Rng_Range(rng, 0.0f, pick < 4 ? 300.0f : 40.0f);
}

static void place_randomly(fixture_t *f, edict_t *edict, rng_t *rng, float reach) {
    vec3_t a = random_point(rng, random_half(rng, reach));
    vec3_t b = random_point(rng, random_half(rng, reach));
    edict->mins = VectorMin(a, b);
    edict->maxs = VectorMax(a, b);
    edict->origin = random_point(rng, reach);
    edict->flags = Rng_Below(rng, 8) == 0 ? FL_ITEM : 0;
    edict->solid = Rng_Below(rng, 3) == 0 ? SOLID_TRIGGER : SOLID_BBOX;
    SV_LinkEdict(&f->sv, edict, false);
}

// Spawns, moves, unlinks and frees at random, with queries in between.
static void storm(bounds_t bounds, float reach, uint64_t seed, int32_t rounds) {
    fixture_t f;
    rng_t rng = {seed};
    err_t err;
    print_message("storm of seed %llu\n", (unsigned long long)seed);
    set_up(&f, 700, bounds);
    for (int32_t round = 0; round < rounds; round++) {
        int32_t number = 2 + (int32_t)Rng_Below(&rng, 600);
        edict_t *edict = World_Edict(f.world, number);
        if (Rng_Below(&rng, 2) == 0) {
            edict = SV_SpawnEdict(&f.sv);
        }
        if (edict && edict->inuse) {
            switch (Rng_Below(&rng, 6)) {
            case 0:
                SV_UnlinkEdict(&f.sv, edict);
                break;
            case 1:
                SV_FreeEdict(&f.sv, edict);
                break;
            default:
                place_randomly(&f, edict, &rng, reach);
                break;
            }
        }
        bounds_t box = {random_point(&rng, reach), random_point(&rng, reach)};
        if (Rng_Below(&rng, 2) == 0) {
            box.maxs = VectorAdd(box.mins, random_point(&rng, 50.0f));
        }
        box = (bounds_t){VectorMin(box.mins, box.maxs), VectorMax(box.mins, box.maxs)};
        compare(&f, box, AREA_SOLID, 65536);
        compare(&f, box, AREA_TRIGGERS, 65536);
        compare(&f, box, AREA_SOLID, (int32_t)Rng_Below(&rng, 80));
        if (round % 256 == 0) {
            assert_true(World_Check(f.world, f.world->bytes, &err));
        }
    }
    assert_true(World_Check(f.world, f.world->bytes, &err));
    free(f.world);
}

static void test_random_scenes(void **state) {
    (void)state;
    int32_t rounds = Test_IsLong() ? 200000 : 8000;
    const bounds_t usual = {{-1000.0f, -1200.0f, -300.0f}, {1100.0f, 1300.0f, 500.0f}};
    storm(usual, 1200.0f, 1, rounds);
    storm(usual, 9000.0f, 2, rounds / 2); // most edicts are outside of the bounds
    const bounds_t huge = {{-1e9f, -1e30f, -65536.0f}, {1e9f, 1e30f, 65536.0f}};
    storm(huge, 60000.0f, 3, rounds / 2);
}

static void test_strange_bounds(void **state) {
    (void)state;
    const bounds_t point = {{5.0f, 5.0f, 5.0f}, {5.0f, 5.0f, 5.0f}};
    storm(point, 1000.0f, 4, 1500);
    const bounds_t inverted = {{900.0f, 900.0f, 900.0f}, {-900.0f, -900.0f, -900.0f}};
    storm(inverted, 1000.0f, 5, 1500);
    const bounds_t nan = {{NAN, -INFINITY, NAN}, {INFINITY, NAN, 10.0f}};
    storm(nan, 1000.0f, 6, 1500);
    const bounds_t needle = {{0.0f, 0.0f, -65536.0f}, {1.0f, 1.0f, 65536.0f}};
    storm(needle, 3000.0f, 7, 1500);
    const bounds_t plate = {{-65536.0f, 0.0f, 0.0f}, {65536.0f, 1.0f, 1.0f}};
    storm(plate, 3000.0f, 8, 1500);
}

// Coordinates that a float can hardly distinguish must not fall between two cells.
static void test_faces_on_cell_edges(void **state) {
    (void)state;
    fixture_t f;
    const bounds_t bounds = {{-60000.0f, -60000.0f, -60000.0f}, {60000.0f, 60000.0f, 60000.0f}};
    set_up(&f, 4096, bounds);
    rng_t rng = {99};
    for (int32_t i = 0; i < 3000; i++) {
        edict_t *edict = SV_SpawnEdict(&f.sv);
        float half = (float)Rng_Below(&rng, 3) * 35.0f;
        edict->solid = SOLID_BBOX;
        edict->mins = Vector(-half, -half, -half);
        edict->maxs = Vector(half, half, half);
        edict->origin = VectorScale(random_point(&rng, 60000.0f), 1.0f);
        edict->origin.x = floorf(edict->origin.x / 128.0f) * 128.0f;
        SV_LinkEdict(&f.sv, edict, false);
    }
    for (int32_t i = 2; i < f.world->num_edicts; i++) {
        const edict_t *edict = World_Edict(f.world, i);
        // A box that touches the edict at one corner only.
        bounds_t corner = {edict->absmax, VectorAdd(edict->absmax, Vector(7.0f, 7.0f, 7.0f))};
        compare(&f, corner, AREA_SOLID, 65536);
        bounds_t other = {VectorSubtract(edict->absmin, Vector(7.0f, 7.0f, 7.0f)), edict->absmin};
        compare(&f, other, AREA_SOLID, 65536);
    }
    free(f.world);
}

// The same edicts linked in another order, after other edicts existed, give the same results.
static void test_order_does_not_matter(void **state) {
    (void)state;
    const bounds_t bounds = {{-500.0f, -500.0f, -500.0f}, {500.0f, 500.0f, 500.0f}};
    int32_t lists[2][300];
    int32_t counts[2];
    for (int32_t pass = 0; pass < 2; pass++) {
        fixture_t f;
        set_up(&f, 2048, bounds);
        for (int32_t i = 0; i < 1000; i++) {
            SV_SpawnEdict(&f.sv);
        }
        for (int32_t i = 0; i < 1000; i++) {
            edict_t *edict = World_Edict(f.world, 2 + (pass == 0 ? i : 999 - i));
            edict->solid = SOLID_BBOX;
            if (pass == 1) { // at another position first
                edict->origin = Vector(300.0f, 300.0f, 300.0f);
                SV_LinkEdict(&f.sv, edict, false);
            }
            edict->origin = Vector((float)(World_EdictNumber(f.world, edict) % 7), 0.0f, 0.0f);
            SV_LinkEdict(&f.sv, edict, false);
        }
        int32_t dropped = 0;
        bounds_t here = {{-10.0f, -10.0f, -10.0f}, {10.0f, 10.0f, 10.0f}};
        counts[pass] = SV_AreaEdicts(f.world, here, AREA_SOLID, lists[pass], 300, &dropped);
        assert_int_equal(dropped, 700);
        free(f.world);
    }
    assert_int_equal(counts[0], 300);
    assert_int_equal(counts[1], 300);
    assert_memory_equal(lists[0], lists[1], sizeof lists[0]);
    assert_int_equal(lists[0][0], 2); // the lowest numbers are kept
    assert_int_equal(lists[0][299], 301);
}

static void test_sixty_thousand_in_one_spot(void **state) {
    (void)state;
    static int32_t list[MAX_EDICTS];
    fixture_t f;
    err_t err;
    const bounds_t bounds = {{-4096.0f, -4096.0f, -512.0f}, {4096.0f, 4096.0f, 512.0f}};
    set_up(&f, MAX_EDICTS, bounds);
    for (int32_t i = 0; i < 60000; i++) {
        edict_t *edict = SV_SpawnEdict(&f.sv);
        edict->solid = SOLID_BBOX;
        SV_LinkEdict(&f.sv, edict, false);
    }
    bounds_t here = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    int32_t dropped = 0;
    assert_int_equal(SV_AreaEdicts(f.world, here, AREA_SOLID, list, MAX_EDICTS, &dropped), 60000);
    for (int32_t i = 0; i < 60000; i++) {
        assert_int_equal(list[i], 2 + i);
    }
    assert_int_equal(SV_AreaEdicts(f.world, here, AREA_SOLID, list, 10, &dropped), 10);
    assert_int_equal(dropped, 59990);
    assert_true(World_Check(f.world, f.world->bytes, &err));
    for (int32_t i = 0; i < 60000; i++) { // from the middle of the list outwards
        SV_UnlinkEdict(&f.sv, World_Edict(f.world, 2 + (i * 7919) % 60000));
    }
    assert_int_equal(SV_AreaEdicts(f.world, here, AREA_SOLID, list, 10, &dropped), 0);
    assert_true(World_Check(f.world, f.world->bytes, &err));
    free(f.world);
}

static void test_odd_questions(void **state) {
    (void)state;
    fixture_t f;
    int32_t list[4] = {-7, -7, -7, -7};
    int32_t dropped = 0;
    const bounds_t bounds = {{-500.0f, -500.0f, -500.0f}, {500.0f, 500.0f, 500.0f}};
    set_up(&f, 64, bounds);
    edict_t *edict = SV_SpawnEdict(&f.sv);
    edict->solid = SOLID_BBOX;
    SV_LinkEdict(&f.sv, edict, false);
    const bounds_t inverted = {{10.0f, 10.0f, 10.0f}, {-10.0f, -10.0f, -10.0f}};
    assert_int_equal(SV_AreaEdicts(f.world, inverted, AREA_SOLID, list, 4, &dropped), 0);
    const bounds_t nan = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    assert_int_equal(SV_AreaEdicts(f.world, nan, AREA_SOLID, list, 4, &dropped), 0);
    const bounds_t everything = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    assert_int_equal(SV_AreaEdicts(f.world, everything, AREA_SOLID, list, 4, &dropped), 1);
    assert_int_equal(list[0], 2);
    assert_int_equal(SV_AreaEdicts(f.world, everything, AREA_SOLID, list, 0, &dropped), 0);
    assert_int_equal(dropped, 1);
    assert_int_equal(SV_AreaEdicts(f.world, everything, AREA_TRIGGERS, list, 4, NULL), 0);
    free(f.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_scenes),
        cmocka_unit_test(test_strange_bounds),
        cmocka_unit_test(test_faces_on_cell_edges),
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_sixty_thousand_in_one_spot),
        cmocka_unit_test(test_odd_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
