// Tests that query caches return the same bits as the map, for every query around a move.

#include "base/rng.h"
#include "bsp/bsp.h"
#include "collide/cache.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"
#include "lib/trace_fixture.h"

#include <string.h>

#define DATA "../shared/data/"

static const bounds_t boxes[] = {
    {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 32.0f}}, // Quake's player
    {{-16.0f, -16.0f, -36.0f}, {16.0f, 16.0f, 36.0f}}, // Half-Life's player
    {{-32.0f, -32.0f, -24.0f}, {32.0f, 32.0f, 64.0f}},
    {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 4.0f}}, // fits no hull
    {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}},
};

static vec3_t random_offset(rng_t *rng, float size) {
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

/// Returns a random end of a sweep like those of a step: along the floor, up or down, far ahead, or
/// at the start.
static vec3_t random_end(rng_t *rng, vec3_t start) {
    switch (Rng_Below(rng, 6)) {
    case 0:
        return Vector(start.x, start.y, start.z - 1.0f);
    case 1:
        return Vector(start.x, start.y, start.z + Rng_Range(rng, -58.0f, 18.0f));
    case 2:
        return start;
    case 3:
        return VectorAdd(start, random_offset(rng, 100.0f));
    default:
        return Vector(start.x + Rng_Range(rng, -8.0f, 8.0f), start.y + Rng_Range(rng, -8.0f, 8.0f),
                      start.z);
    }
}

/// Walks through a map with one cache, like a player. Returns the number of sweeps that hit
/// something.
static int32_t wander(const cmap_t *map, int32_t solids, bounds_t box, int32_t steps,
                      uint64_t seed) {
    rng_t rng = {seed};
    const cm_object_t world = {.model = 0, .solids = solids};
    const bounds_t inside = map->models[0].bounds;
    cm_cache_t cache;
    CM_CacheBegin(&cache, map, solids);
    vec3_t at = inside.mins;
    int32_t hits = 0;
    for (int32_t i = 0; i < steps; i++) {
        if (i % 32 == 0) { // continues at another spot
            at = Vector(Rng_Range(&rng, inside.mins.x, inside.maxs.x),
                        Rng_Range(&rng, inside.mins.y, inside.maxs.y),
                        Rng_Range(&rng, inside.mins.z, inside.maxs.z));
            at = CM_BoxTrace(map, &world, at, Vector(at.x, at.y, at.z - 300.0f), box.mins, box.maxs)
                     .endpos;
        }
        CM_CacheFill(&cache, map, solids, at, box.mins, box.maxs);
        vec3_t end = random_end(&rng, at);
        trace_t with = CM_CacheTrace(&cache, at, end, box.mins, box.maxs);
        trace_t without = CM_BoxTrace(map, &world, at, end, box.mins, box.maxs);
        vec3_t point = VectorAdd(at, random_offset(&rng, 40.0f));
        if (!Test_SameTrace(&with, &without) ||
            CM_CacheContents(&cache, point) != CM_PointContents(map, 0, point)) {
            print_error("%s, solids %d, seed %llu, step %d: (%a %a %a) to (%a %a %a)\n", map->name,
                        solids, (unsigned long long)seed, i, (double)at.x, (double)at.y,
                        (double)at.z, (double)end.x, (double)end.y, (double)end.z);
            fail();
        }
        hits += with.fraction < 1.0f;
        at = with.endpos;
    }
    return hits;
}

static void test_real_maps(void **state) {
    (void)state;
    static const char *const names[] = {"lqdm2", "lqdm4",    "lqdm11",  "lqdm12",         "lq_e0m1",
                                        "lqdm9", "lqdm4_hl", "lq_e0m9", "lqdm2_brushonly"};
    const int32_t steps = Test_IsLong() ? 4000000 : 20000;
    for (size_t i = 0; i < COUNTOF(names); i++) {
        char path[256];
        err_t err;
        cmap_t map;
        snprintf(path, sizeof path, DATA "bsp/%s.bsp", names[i]);
        if (!BSP_Load(&map, path, &err)) {
            printf("SKIPPED: %s\n", err.text);
            continue;
        }
        for (size_t j = 0; j < COUNTOF(boxes); j++) {
            assert_true(wander(&map, CM_SOLIDS_AUTO, boxes[j], steps, i * 10 + j) > steps / 100);
        }
        wander(&map, CM_SOLIDS_HULLS, boxes[3], steps / 4, 90 + i);
        wander(&map, CM_SOLIDS_BRUSHES, boxes[0], steps / 4, 80 + i);
        CM_FreeMap(&map);
    }
}

static test_block_t pillar(int32_t i) {
    float x = (float)(i % 10) * 90.0f - 450.0f;
    float y = (float)(i / 10) * 90.0f - 450.0f;
    return TestMap_Box(Vector(x, y, -64.0f), Vector(x + 20.0f, y + 20.0f, (float)(i % 7) * 12.0f));
}

/// Tests a cache that is filled for another map, box or solids: it must give the results of the new
/// ones. The maps have ramps and pillars; one has brushes.
static void test_changes(void **state) {
    (void)state;
    test_block_t blocks[100];
    for (int32_t i = 0; i < 100; i++) {
        blocks[i] = i % 9 ? pillar(i)
                          : TestMap_RampX(Vector(-400.0f, (float)i, -64.0f),
                                          Vector(-300.0f, (float)i + 40.0f, 10.0f));
    }
    const bounds_t room = {{-500.0f, -500.0f, -64.0f}, {500.0f, 500.0f, 300.0f}};
    const test_map_t sources[2] = {
        {.room = room, .blocks = blocks, .num_blocks = 100, .brush_list = true},
        {.room = room, .blocks = blocks, .num_blocks = 30}};
    cmap_t maps[3];
    assert_true(TestMap_Build(&maps[0], &sources[0]));
    assert_true(TestMap_Build(&maps[1], &sources[1]));
    maps[2] = maps[0]; // the first map without hulls: points query the brushes too
    maps[2].brushes_only = true;
    assert_true(wander(&maps[0], CM_SOLIDS_AUTO, boxes[0], 20000, 1) > 0);
    assert_true(wander(&maps[1], CM_SOLIDS_AUTO, boxes[0], 20000, 2) > 0);
    rng_t rng = {5};
    cm_cache_t cache;
    CM_CacheBegin(&cache, &maps[0], CM_SOLIDS_AUTO);
    for (int32_t i = 0; i < 20000; i++) {
        const cmap_t *map = &maps[Rng_Below(&rng, 3)];
        const bounds_t box = boxes[Rng_Below(&rng, COUNTOF(boxes))];
        const cm_object_t world = {.model = 0, .solids = (int32_t)Rng_Below(&rng, 3)};
        vec3_t at = random_offset(&rng, 100.0f);
        vec3_t end = random_end(&rng, at);
        CM_CacheFill(&cache, map, world.solids, at, box.mins, box.maxs);
        // The query may have another box than the cache: a player that ducks during a step.
        const bounds_t asked = boxes[Rng_Below(&rng, COUNTOF(boxes))];
        trace_t with = CM_CacheTrace(&cache, at, end, asked.mins, asked.maxs);
        trace_t without = CM_BoxTrace(map, &world, at, end, asked.mins, asked.maxs);
        assert_true(Test_SameTrace(&with, &without));
        assert_int_equal(CM_CacheContents(&cache, end), CM_PointContents(map, 0, end));
    }
    CM_FreeMap(&maps[0]);
    CM_FreeMap(&maps[1]);
}

/// Tests the repeated last trace: the same sweep only gets it, not another box between the same
/// points, and no sweep after the cache was filled for other solids.
static void test_last_sweep(void **state) {
    (void)state;
    test_block_t blocks[12];
    for (int32_t i = 0; i < 12; i++) {
        blocks[i] = pillar(i);
    }
    const test_map_t source = {.room = {{-500.0f, -500.0f, -64.0f}, {500.0f, 500.0f, 300.0f}},
                               .blocks = blocks,
                               .num_blocks = 12,
                               .brush_list = true};
    cmap_t map;
    assert_true(TestMap_Build(&map, &source));
    const bounds_t low = boxes[3]; // uses the player's hull, but not with CM_SOLIDS_BRUSHES
    cm_cache_t cache;
    CM_CacheBegin(&cache, &map, CM_SOLIDS_HULLS);
    rng_t rng = {6};
    int32_t differ = 0;
    for (int32_t i = 0; i < 4000; i++) {
        const vec3_t at = VectorAdd(Vector(-40.0f, -400.0f, -20.0f), random_offset(&rng, 60.0f));
        const vec3_t end = random_end(&rng, at);
        trace_t with[4];
        trace_t without[4];
        for (int32_t k = 0; k < 4; k++) {
            const bounds_t box = k == 1 ? boxes[4] : k == 2 ? low : boxes[0];
            const cm_object_t world = {.solids = k == 3 ? CM_SOLIDS_BRUSHES : CM_SOLIDS_HULLS};
            if (k % 3 == 0) {
                CM_CacheFill(&cache, &map, world.solids, at, box.mins, box.maxs);
            }
            with[k] = CM_CacheTrace(&cache, at, end, box.mins, box.maxs);
            without[k] = CM_BoxTrace(&map, &world, at, end, box.mins, box.maxs);
            assert_true(Test_SameTrace(&with[k], &without[k]));
            differ += !Test_SameTrace(&without[k], &without[0]);
        }
    }
    assert_true(differ > 1000);
    // A cache that was just begun has no last sweep, not even a sweep from 0 to 0.
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    CM_CacheBegin(&cache, &map, CM_SOLIDS_AUTO);
    cache.last = (cm_sweep_t){.start = cache.last.start};
    cache.last_trace = (trace_t){.fraction = 0.5f};
    assert_true(CM_CacheTrace(&cache, zero, zero, zero, zero).fraction == 1.0f);
    CM_FreeMap(&map);
}

/// Tests that the cache is really used, both between pillars and in the open: one step further it
/// collects nothing; far away and near the edge of the cached region, it collects again.
static void test_is_collected(void **state) {
    (void)state;
    test_block_t blocks[12];
    for (int32_t i = 0; i < 12; i++) {
        blocks[i] = pillar(i);
    }
    const test_map_t source = {.room = {{-500.0f, -500.0f, -64.0f}, {500.0f, 500.0f, 300.0f}},
                               .blocks = blocks,
                               .num_blocks = 12};
    cmap_t map;
    assert_true(TestMap_Build(&map, &source));
    const vec3_t mins = boxes[0].mins;
    const vec3_t maxs = boxes[0].maxs;
    cm_cache_t cache;
    CM_CacheBegin(&cache, &map, CM_SOLIDS_AUTO);
    CM_CacheFill(&cache, &map, CM_SOLIDS_AUTO, Vector(-40.0f, -440.0f, 250.0f), mins, maxs);
    assert_non_null(cache.hull.hull.cell.groups);
    assert_int_equal(cache.hull.hull.cell.groups->num_lanes, 2); // ceiling and wall
    // A point gets nearer to walls than a box.
    assert_int_equal(cache.hull.points.cell.groups->num_lanes, 1);
    vec3_t at = {-40.0f, -440.0f, -39.0f}; // beside pillar 5
    CM_CacheFill(&cache, &map, CM_SOLIDS_AUTO, at, mins, maxs);
    const cell_group_t *there = cache.hull.hull.cell.groups;
    assert_true(there->num_lanes >= 5);
    assert_true(there->num_lanes <= MAX_CELL_LANES);
    while (cache.hull.hull.cell.groups == there && at.x < 200.0f) {
        assert_true(at.x + 8.0f <= cache.hull.hull.maxs[0]);
        at.x += 1.0f;
        CM_CacheFill(&cache, &map, CM_SOLIDS_AUTO, at, mins, maxs);
    }
    assert_true(at.x > -32.0f);
    assert_true(at.x < 100.0f);
    // The cache collects nothing for a position that is not a number.
    CM_CacheFill(&cache, &map, CM_SOLIDS_AUTO, Vector(NAN, 0.0f, 0.0f), mins, maxs);
    trace_t trace =
        CM_CacheTrace(&cache, Vector(0.0f, 0.0f, 200.0f), Vector(0.0f, 0.0f, 201.0f), mins, maxs);
    assert_true(trace.fraction == 1.0f);
    CM_FreeMap(&map);
}

/// Tests a huge map, which has large cells: long sweeps within the cached region must have the bits
/// of the map too.
static void test_large_cells(void **state) {
    (void)state;
    test_block_t blocks[12];
    for (int32_t i = 0; i < 12; i++) {
        float x = (float)(i % 4) * 1500.0f - 3000.0f;
        float y = (float)(i / 4) * 1500.0f - 2000.0f;
        blocks[i] = TestMap_RampX(Vector(x, y, -64.0f), Vector(x + 97.0f + (float)i, y + 141.0f,
                                                               10.0f + (float)(17 * i)));
    }
    const test_map_t source = {.room = {{-8000.0f, -8000.0f, -64.0f}, {8000.0f, 8000.0f, 500.0f}},
                               .blocks = blocks,
                               .num_blocks = 12};
    cmap_t map;
    assert_true(TestMap_Build(&map, &source));
    const hull_t *hull = &map.models[0].hulls[1];
    assert_true(hull->cells);
    assert_true(hull->cells->size > 2.0f * CELL_SIZE);
    const cm_object_t world = {.model = 0};
    const bounds_t box = boxes[0];
    cm_cache_t cache;
    CM_CacheBegin(&cache, &map, CM_SOLIDS_AUTO);
    rng_t rng = {11};
    int32_t hits = 0;
    for (int32_t i = 0; i < 40000; i++) {
        const test_block_t *block = &blocks[Rng_Below(&rng, 12)];
        vec3_t at = VectorAdd(block->box.mins, random_offset(&rng, 150.0f));
        vec3_t end = VectorAdd(at, random_offset(&rng, 250.0f));
        CM_CacheFill(&cache, &map, CM_SOLIDS_AUTO, at, box.mins, box.maxs);
        trace_t with = CM_CacheTrace(&cache, at, end, box.mins, box.maxs);
        trace_t without = CM_BoxTrace(&map, &world, at, end, box.mins, box.maxs);
        assert_true(Test_SameTrace(&with, &without));
        hits += with.fraction < 1.0f && !with.startsolid;
    }
    assert_true(hits > 4000);
    CM_FreeMap(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_maps),   cmocka_unit_test(test_changes),
        cmocka_unit_test(test_last_sweep),  cmocka_unit_test(test_is_collected),
        cmocka_unit_test(test_large_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
