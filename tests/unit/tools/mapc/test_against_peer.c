// This project's compile of real maps against another compiler's: contents and sweeps.
//
// The sources and the other compiler's files are in ../shared/data (see its README.md); without
// them the tests are skipped with a line that says so. EDICTD_LONG=1 runs fifty times as many.
//
// Contents are compared at random points whose surroundings, 1/4 qu far, are all one contents on
// the other compiler's map: half of them anywhere in the map's box, half near a surface that a
// random sweep hit. Sweeps start where the other map is not solid.

#include "base/file.h"
#include "base/rng.h"
#include "map_text.h"

#include <unistd.h>

#define DATA_DIR     "../shared/data/"
#define AWAY         0.25f // qu; a point this far from any surface counts
#define MAX_DISTANCE 1.0f  // qu; endpos of two sweeps that agree
#define CONTENTS_BAR 9999  // of 10,000
#define SWEEPS_BAR   9990
#define POINTS       12000
#define SWEEPS       6000
#define LONG_FACTOR  50
#define SWEEP_LENGTH 600.0f
#define NEAR_SURFACE 24.0f

/// Counts comparisons, and how many of them agreed.
typedef struct {
    int64_t asked, agreed;
} score_t;

typedef struct {
    compiled_t ours;
    cmap_t theirs;
    rng_t rng;
    score_t contents[MAX_MAP_HULLS], sweeps[MAX_MAP_HULLS];
} duel_t;

static const hull_t *hull_of(const cmap_t *map, int32_t model, int32_t hull) {
    return &map->models[model].hulls[hull];
}

static bool is_away(const hull_t *hull, vec3_t p, contents_t contents) {
    for (int corner = 0; corner < 8; corner++) {
        vec3_t q = {p.x + (corner & 1 ? AWAY : -AWAY), p.y + (corner & 2 ? AWAY : -AWAY),
                    p.z + (corner & 4 ? AWAY : -AWAY)};
        if (CM_HullPointContents(hull, q) != contents) {
            return false;
        }
    }
    return true;
}

static vec3_t random_point(rng_t *rng, bounds_t box, float margin) {
    float x = Rng_Range(rng, box.mins.x - margin, box.maxs.x + margin);
    float y = Rng_Range(rng, box.mins.y - margin, box.maxs.y + margin);
    return Vector(x, y, Rng_Range(rng, box.mins.z - margin, box.maxs.z + margin));
}

static void compare_point(duel_t *d, int32_t model, int32_t hull, vec3_t p) {
    const hull_t *theirs = hull_of(&d->theirs, model, hull);
    contents_t expected = CM_HullPointContents(theirs, p);
    if (!is_away(theirs, p, expected)) {
        return;
    }
    contents_t found = CM_HullPointContents(hull_of(&d->ours.map, model, hull), p);
    d->contents[hull].asked++;
    d->contents[hull].agreed += found == expected;
    if (found != expected && d->contents[hull].asked - d->contents[hull].agreed <= 3) {
        print_message("  model %d hull %d at (%.2f %.2f %.2f): ours %d, theirs %d\n", model, hull,
                      (double)p.x, (double)p.y, (double)p.z, found, expected);
    }
}

/// Sweeps from a random open point in both maps. Returns where the other compiler's sweep ended.
static vec3_t compare_sweep(duel_t *d, int32_t model, int32_t hull, vec3_t start) {
    const hull_t *theirs = hull_of(&d->theirs, model, hull);
    float length = Rng_Range(&d->rng, 1.0f, SWEEP_LENGTH);
    bounds_t cube = {{-1, -1, -1}, {1, 1, 1}};
    vec3_t end = VectorMA(start, length, random_point(&d->rng, cube, 0.0f));
    trace_t expected = CM_HullTrace(theirs, start, end);
    if (CM_HullPointContents(theirs, start) == CONTENTS_SOLID) {
        return expected.endpos;
    }
    trace_t found = CM_HullTrace(hull_of(&d->ours.map, model, hull), start, end);
    vec3_t apart = VectorSubtract(found.endpos, expected.endpos);
    bool same = found.startsolid == expected.startsolid &&
                DotProduct(apart, apart) <= MAX_DISTANCE * MAX_DISTANCE;
    d->sweeps[hull].asked++;
    d->sweeps[hull].agreed += same;
    if (!same && d->sweeps[hull].asked - d->sweeps[hull].agreed <= 3) {
        print_message("  model %d hull %d sweep (%.3f %.3f %.3f) to (%.3f %.3f %.3f): ours %g, "
                      "theirs %g\n",
                      model, hull, (double)start.x, (double)start.y, (double)start.z, (double)end.x,
                      (double)end.y, (double)end.z, (double)found.fraction,
                      (double)expected.fraction);
    }
    return expected.endpos;
}

static void compare_hull(duel_t *d, int32_t model, int32_t hull, int points, int sweeps) {
    bounds_t box = d->theirs.models[model].bounds;
    float margin = model > 0 ? 80.0f : 24.0f;
    for (int i = 0; i < points / 2; i++) {
        compare_point(d, model, hull, random_point(&d->rng, box, margin));
    }
    for (int i = 0, tries = 0; i < sweeps && tries < sweeps * 50; tries++) {
        vec3_t start = random_point(&d->rng, box, margin);
        if (CM_HullPointContents(hull_of(&d->theirs, model, hull), start) == CONTENTS_SOLID) {
            continue;
        }
        i++;
        vec3_t met = compare_sweep(d, model, hull, start);
        bounds_t around = {met, met};
        compare_point(d, model, hull, random_point(&d->rng, around, NEAR_SURFACE));
    }
}

static void check_score(const char *what, int32_t hull, score_t score, int64_t bar) {
    print_message("  hull %d %-8s %7lld of %7lld agree (%.4f %%)\n", hull, what,
                  (long long)score.agreed, (long long)score.asked,
                  100.0 * (double)score.agreed / (double)score.asked);
    assert_true(score.asked > 0);
    assert_true(score.agreed * 10000 >= score.asked * bar);
}

static void compile_file(compiled_t *c, const char *path, bool halflife) {
    err_t err;
    size_t size;
    uint8_t *text = File_Read(path, MAX_MAP_BYTES, &size, &err);
    if (!text) {
        fail_msg("%s", err.text);
    }
    mc_options_t options = {.halflife = halflife, .vis.fast = true};
    Compile_Bytes(c, (const char *)text, size, &options);
    free(text);
    if (c->outcome != MC_COMPILED) {
        fail_msg("%s: %s", path, c->said);
    }
}

static void compare_models(const duel_t *d) {
    assert_int_equal(d->ours.map.num_models, d->theirs.num_models);
    for (int32_t i = 0; i < d->theirs.num_models; i++) {
        bounds_t ours = d->ours.map.models[i].bounds;
        bounds_t theirs = d->theirs.models[i].bounds;
        vec3_t low = VectorSubtract(ours.mins, theirs.mins);
        vec3_t high = VectorSubtract(ours.maxs, theirs.maxs);
        if (DotProduct(low, low) > 1e-4f || DotProduct(high, high) > 1e-4f) {
            fail_msg("model %d: bounds differ", i);
        }
    }
}

/// Compares one map: `source` compiled here, and `compiled` from the data.
static void compare_maps(const char *source, const char *compiled, bool halflife) {
    static duel_t d;
    char path[256];
    d = (duel_t){.rng = {20240611}};
    snprintf(path, sizeof path, DATA_DIR "%s", compiled);
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED %s: no %s\n", source, path);
        skip();
    }
    err_t err;
    if (!BSP_Load(&d.theirs, path, &err)) {
        fail_msg("%s", err.text);
    }
    snprintf(path, sizeof path, DATA_DIR "%s", source);
    compile_file(&d.ours, path, halflife);
    compare_models(&d);
    int factor = Test_IsLong() ? LONG_FACTOR : 1;
    int32_t hulls = CM_NumHulls(d.theirs.hullset);
    for (int32_t hull = 0; hull < hulls; hull++) {
        compare_hull(&d, 0, hull, POINTS * factor, SWEEPS * factor);
        for (int32_t model = 1; model < d.theirs.num_models; model++) {
            compare_hull(&d, model, hull, POINTS / 40 * factor, SWEEPS / 40 * factor);
        }
    }
    print_message("%s against %s:\n", source, compiled);
    for (int32_t hull = 0; hull < hulls; hull++) {
        check_score("contents", hull, d.contents[hull], CONTENTS_BAR);
        check_score("sweeps", hull, d.sweeps[hull], SWEEPS_BAR);
    }
    Compile_Free(&d.ours);
    CM_FreeMap(&d.theirs);
}

#define PEER_TEST(name, source, compiled, halflife)                                                \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        compare_maps(source, compiled, halflife);                                                  \
    }

PEER_TEST(lqdm2, "map/lqdm2.map", "bsp/lqdm2.bsp", false)
PEER_TEST(lqdm2_standard, "map/lqdm2_standard.map", "bsp/lqdm2.bsp", false)
PEER_TEST(lqdm4, "map/lqdm4.map", "bsp/lqdm4.bsp", false)
PEER_TEST(lqdm4_halflife, "map/lqdm4.map", "bsp/lqdm4_hl.bsp", true)
PEER_TEST(lqdm9, "map/lqdm9.map", "bsp/lqdm9.bsp", false)
PEER_TEST(lqdm11, "map/lqdm11.map", "bsp/lqdm11.bsp", false)
PEER_TEST(lqdm12, "map/lqdm12.map", "bsp/lqdm12.bsp", false)
PEER_TEST(lq_e0m1, "map/lq_e0m1.map", "bsp/lq_e0m1.bsp", false)
PEER_TEST(lq_e0m9, "map/lq_e0m9.map", "bsp/lq_e0m9.bsp", false)
PEER_TEST(calib, "calib/calib.map", "calib/calib.bsp", false)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lqdm2),   cmocka_unit_test(test_lqdm2_standard),
        cmocka_unit_test(test_lqdm4),   cmocka_unit_test(test_lqdm4_halflife),
        cmocka_unit_test(test_lqdm9),   cmocka_unit_test(test_lqdm11),
        cmocka_unit_test(test_lqdm12),  cmocka_unit_test(test_lq_e0m1),
        cmocka_unit_test(test_lq_e0m9), cmocka_unit_test(test_calib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
