// Tests of brushes that are recovered from hulls: compared with the brush lists of maps that have
// one, by overlaps and sweeps of ten boxes (../shared/data/bsp, and our own maps).

#include "base/file.h"
#include "base/rng.h"
#include "bsp/bsp.h"
#include "bsp/recover.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"

#include <string.h>
#include <sys/resource.h>

#define DATA    "../shared/data/bsp/"
#define OURS    NULL    // our own maps, in the build folder
#define EPSILON 0.0625f // qu; an answer must lie between those of boxes this much larger or smaller

enum { NUM_BOXES = 10 };

static const bounds_t boxes[NUM_BOXES] = {
    {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}},
    {{-4.0f, -4.0f, -4.0f}, {4.0f, 4.0f, 4.0f}},
    {{-8.0f, -8.0f, 0.0f}, {8.0f, 8.0f, 24.0f}},
    {{-10.0f, -10.0f, -30.0f}, {10.0f, 10.0f, 40.0f}},
    {{-12.0f, -12.0f, -24.0f}, {12.0f, 12.0f, 24.0f}},
    {{-16.0f, -16.0f, -18.0f}, {16.0f, 16.0f, 18.0f}},
    {{-16.0f, -16.0f, -24.0f}, {16.0f, 16.0f, 8.0f}},
    {{-24.0f, -24.0f, -24.0f}, {24.0f, 24.0f, 40.0f}},
    {{-2.0f, -30.0f, -6.0f}, {2.0f, 30.0f, 6.0f}},
    {{-48.0f, -48.0f, -24.0f}, {48.0f, 48.0f, 100.0f}},
};

/// A map with a list, and the same in another format; NULL as `own` is the same file.
typedef struct {
    const char *folder, *list, *own;
} names_t;

static const names_t maps[] = {
    {DATA, "lqdm2", NULL},       {DATA, "lqdm2", "lqdm2_2psb"}, {DATA, "lqdm4", NULL},
    {DATA, "lqdm4", "lqdm4_hl"}, {DATA, "lqdm9", NULL},         {DATA, "lqdm9", "lqdm9_bsp2"},
    {DATA, "lqdm12", NULL},      {DATA, "lq_e0m1", NULL},       {DATA, "lq_e0m9", NULL},
    {OURS, "arena", NULL},       {OURS, "foundry", NULL},       {OURS, "clip", NULL},
    {OURS, "slopes", NULL},      {OURS, "stairs", NULL},        {OURS, "turn", NULL},
    {OURS, "volumes", NULL},
};

typedef struct {
    cmap_t list, own; // the map with its list, and with recovered brushes
    rng_t rng;
    int32_t model;
    bool explain;
} pair_t;

typedef struct {
    int64_t tests, faults, early, late, solid, hits;
} tally_t;

/// Loads a map without its brush list, and recovers its brushes. Returns false if the file is
/// missing, which fails the test unless the file is optional.
static bool load_without_list(cmap_t *map, const char *path, bool optional) {
    size_t size = 0;
    err_t err;
    uint8_t *data = File_Read(path, 1 << 26, &size, &err);
    if (!data) {
        assert_true(optional); // our own maps are always built
        print_message("SKIPPED %s\n", err.text);
        return false;
    }
    uint8_t *name = memmem(data, size, "BRUSHLIST", 9);
    if (name) {
        name[0] = 'X';
    }
    assert_true(BSP_Parse(map, path, data, size, &err));
    assert_false(map->has_brushes);
    Map_RecoverBrushes(map);
    assert_string_equal(map->remark, "");
    free(data);
    return true;
}

static void file_name(char path[300], const char *folder, const char *name) {
    if (folder) {
        snprintf(path, 300, "%s%s.bsp", folder, name);
    } else {
        snprintf(path, 300, "%s/maps/%s.bsp", Test_BuildFolder(), name);
    }
}

static bool load_pair(pair_t *pair, const names_t *names) {
    char path[300];
    err_t err;
    *pair = (pair_t){.rng = {7}, .explain = getenv("EXPLAIN") != NULL};
    file_name(path, names->folder, names->own ? names->own : names->list);
    if (!load_without_list(&pair->own, path, names->folder != OURS)) {
        return false;
    }
    file_name(path, names->folder, names->list);
    assert_true(BSP_Load(&pair->list, path, &err));
    assert_true(pair->list.has_brushes);
    assert_int_equal(pair->own.num_models, pair->list.num_models);
    return true;
}

static void free_pair(pair_t *pair) {
    CM_FreeMap(&pair->list);
    CM_FreeMap(&pair->own);
}

/// Makes clip brushes stop nothing.
static void drop_clip(cmap_t *map) {
    for (int32_t i = 0; i < map->num_brushes; i++) {
        if (map->brushes[i].contents == CONTENTS_CLIP) {
            map->brushes[i].contents = CONTENTS_WATER;
        }
    }
}

static bounds_t grow(bounds_t box, float by) {
    const vec3_t d = {by, by, by};
    return (bounds_t){VectorSubtract(box.mins, d), VectorAdd(box.maxs, d)};
}

static vec3_t random_in(rng_t *rng, bounds_t box) {
    const float x = Rng_Range(rng, box.mins.x, box.maxs.x);
    const float y = Rng_Range(rng, box.mins.y, box.maxs.y);
    return Vector(x, y, Rng_Range(rng, box.mins.z, box.maxs.z));
}

static bool touches(const pair_t *pair, const cmap_t *map, vec3_t at, bounds_t box) {
    const cm_pose_t pose = {.turned = false};
    return CM_BrushTouches(&map->models[pair->model].brushes, &pose, at, box.mins, box.maxs, true);
}

static trace_t sweep(const pair_t *pair, const cmap_t *map, const vec3_t way[2], bounds_t box) {
    const cm_pose_t pose = {.turned = false};
    return CM_BrushTrace(&map->models[pair->model].brushes, &pose, way[0], way[1], box.mins,
                         box.maxs);
}

static void compare(pair_t *pair, int32_t number, vec3_t at, tally_t *tally) {
    const bounds_t box = boxes[number];
    const bounds_t large = grow(box, EPSILON);
    const bounds_t small = grow(box, -EPSILON);
    const bool solid = touches(pair, &pair->own, at, box);
    tally->tests++;
    tally->solid += solid;
    if (solid ? !touches(pair, &pair->list, at, large) : touches(pair, &pair->list, at, small)) {
        tally->faults++;
        tally->early += solid;
        tally->late += !solid;
        if (pair->explain) {
            print_message("%s *%d box %d at %g %g %g: %s\n", pair->list.name, pair->model, number,
                          (double)at.x, (double)at.y, (double)at.z, solid ? "solid" : "free");
        }
        return;
    }
    if (solid || touches(pair, &pair->list, at, large)) {
        return;
    }
    const float size = Rng_Below(&pair->rng, 2) ? 40.0f : 1000.0f;
    const vec3_t d = {size, size, Rng_Below(&pair->rng, 2) ? 0.0f : size};
    const vec3_t way[2] = {
        at, random_in(&pair->rng, (bounds_t){VectorSubtract(at, d), VectorAdd(at, d)})};
    const vec3_t length = VectorSubtract(way[1], way[0]);
    const float slack = EPSILON / sqrtf(DotProduct(length, length));
    const float f = sweep(pair, &pair->own, way, box).fraction;
    tally->tests++;
    tally->hits += f < 1.0f;
    const float lo = sweep(pair, &pair->list, way, large).fraction;
    const float hi = sweep(pair, &pair->list, way, small).fraction;
    if (f < lo - slack || f > hi + slack) {
        tally->faults++;
        tally->early += f < lo - slack;
        tally->late += f > hi + slack;
        if (pair->explain) {
            print_message("%s *%d box %d from %g %g %g to %g %g %g: stops after %g, expected %g to "
                          "%g\n",
                          pair->list.name, pair->model, number, (double)at.x, (double)at.y,
                          (double)at.z, (double)way[1].x, (double)way[1].y, (double)way[1].z,
                          (double)(f * EPSILON / slack), (double)(lo * EPSILON / slack),
                          (double)(hi * EPSILON / slack));
        }
    }
}

/// Returns a point of the model's space that is free in hull 0: for the world inside the map, for
/// a submodel near it.
static vec3_t free_point(pair_t *pair) {
    const cmodel_t *model = &pair->own.models[pair->model];
    const bounds_t region = grow(model->bounds, pair->model == 0 ? 0.0f : 60.0f);
    vec3_t at = random_in(&pair->rng, region);
    for (int32_t i = 0; i < 10000; i++) {
        const contents_t contents = CM_HullPointContents(&model->hulls[0], at);
        if (contents != CONTENTS_SOLID && contents != CONTENTS_SKY) {
            break;
        }
        at = random_in(&pair->rng, region);
    }
    return at;
}

/// Compares a slide: the box falls, then moves level. Slides pass the seams of many brushes.
static void compare_slide(pair_t *pair, int32_t number, vec3_t at, tally_t *tally) {
    const bounds_t box = boxes[number];
    const vec3_t down[2] = {at, {at.x, at.y, at.z - 2000.0f}};
    if (touches(pair, &pair->list, at, grow(box, EPSILON))) {
        return;
    }
    const trace_t rest = sweep(pair, &pair->own, down, box);
    vec3_t to = random_in(&pair->rng, grow((bounds_t){rest.endpos, rest.endpos}, 300.0f));
    to.z = rest.endpos.z;
    const vec3_t way[2] = {rest.endpos, to};
    const vec3_t length = VectorSubtract(to, rest.endpos);
    const float size = sqrtf(DotProduct(length, length));
    // The list may have a floor that is higher by rounding.
    const vec3_t lift = {0.0f, 0.0f, CM_DIST_EPSILON / 2.0f};
    const vec3_t above[2] = {VectorAdd(way[0], lift), VectorAdd(to, lift)};
    const float f = sweep(pair, &pair->own, way, box).fraction;
    const float low = sweep(pair, &pair->list, way, box).fraction;
    const float high = sweep(pair, &pair->list, above, box).fraction;
    const float slack = EPSILON / size;
    tally->tests++;
    tally->hits += f < 1.0f;
    const bool early = f < (low < high ? low : high) - slack;
    const bool late = f > (low > high ? low : high) + slack;
    tally->early += early;
    tally->late += late;
    tally->faults += early || late;
    if (pair->explain && (early || late)) {
        print_message("%s *%d box %d slides from %.9g %.9g %.9g to %.9g %.9g %.9g: stops after "
                      "%g, expected %g or %g of %g\n",
                      pair->own.name, pair->model, number, (double)way[0].x, (double)way[0].y,
                      (double)way[0].z, (double)to.x, (double)to.y, (double)to.z,
                      (double)(f * size), (double)(low * size), (double)(high * size),
                      (double)size);
    }
}

static void add_tally(tally_t *sum, const tally_t *more) {
    sum->tests += more->tests;
    sum->faults += more->faults;
    sum->early += more->early;
    sum->late += more->late;
    sum->solid += more->solid;
    sum->hits += more->hits;
}

static double agreement(const tally_t *tally) {
    return 100.0 * (double)(tally->tests - tally->faults) / (double)tally->tests;
}

typedef void compare_t(pair_t *pair, int32_t number, vec3_t at, tally_t *tally);

/// Compares one map, and adds to the tallies of the boxes. Returns how many percent agree.
static double compare_map(pair_t *pair, compare_t *compare_at, const char *what,
                          tally_t boxes_total[NUM_BOXES]) {
    tally_t sum = {0};
    const int32_t count = Test_IsLong() ? 400000 : Test_IsSlow() ? 2000 : 20000;
    for (int32_t i = 0; i < count; i++) {
        tally_t tally = {0};
        pair->model = i % 4 ? 0 : (int32_t)Rng_Below(&pair->rng, (uint32_t)pair->own.num_models);
        const int32_t number = (int32_t)Rng_Below(&pair->rng, NUM_BOXES);
        compare_at(pair, number, free_point(pair), &tally);
        add_tally(&sum, &tally);
        add_tally(&boxes_total[number], &tally);
    }
    print_message("%s %s: %d brushes, %d in the list; %ld tests, %ld solid, %ld hits, %ld faults "
                  "(%ld too early, %ld too late): %.4f %%\n",
                  pair->own.name, what, pair->own.num_brushes, pair->list.num_brushes,
                  (long)sum.tests, (long)sum.solid, (long)sum.hits, (long)sum.faults,
                  (long)sum.early, (long)sum.late, agreement(&sum));
    assert_true(sum.tests > count / 3);
    return agreement(&sum);
}

static void compare_maps(compare_t *compare_at, bool clip, const char *what) {
    const double least = Test_IsSlow() ? 99.8 : 99.95; // a tenth of the tests: one counts more
    tally_t total[NUM_BOXES] = {{0}};
    for (size_t i = 0; i < COUNTOF(maps); i += Test_IsSlow() ? 3 : 1) {
        pair_t pair;
        if (!load_pair(&pair, &maps[i])) {
            continue;
        }
        if (!clip) {
            drop_clip(&pair.own);
            drop_clip(&pair.list);
        }
        assert_true(compare_map(&pair, compare_at, what, total) >= least);
        free_pair(&pair);
    }
    for (int32_t i = 0; i < NUM_BOXES; i++) {
        print_message("%s, box %d: %ld tests, %.4f %%\n", what, i, (long)total[i].tests,
                      agreement(&total[i]));
        assert_true(total[i].tests > 0);
        assert_true(agreement(&total[i]) >= least);
    }
}

static void test_without_clip(void **state) {
    (void)state;
    compare_maps(compare, false, "without clip brushes");
}

static void test_with_clip(void **state) {
    (void)state;
    compare_maps(compare, true, "with clip brushes");
}

static void test_slides(void **state) {
    (void)state;
    compare_maps(compare_slide, false, "slides");
}

/// Counts random points of a map's models that are solid in hull 0, but free of recovered brushes.
static int32_t count_missing(pair_t *pair, int32_t *num_solid) {
    const bounds_t box = grow((bounds_t){vec3_zero, vec3_zero}, CM_DIST_EPSILON);
    const int32_t count = Test_IsSlow() ? 2000 : 20000;
    int32_t missing = 0;
    *num_solid = 0;
    for (int32_t i = 0; i < count; i++) {
        pair->model = i % 4 ? 0 : (int32_t)Rng_Below(&pair->rng, (uint32_t)pair->own.num_models);
        const cmodel_t *model = &pair->own.models[pair->model];
        const vec3_t at = random_in(&pair->rng, model->bounds);
        if (CM_HullPointContents(&model->hulls[0], at) == CONTENTS_SOLID) {
            ++*num_solid;
            missing += !touches(pair, &pair->own, at, box);
        }
    }
    return missing;
}

// Recovered brushes fill all that is solid, also deep inside walls, where no free box touches.
static void test_solid_points(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(maps); i += Test_IsSlow() ? 3 : 1) {
        pair_t pair;
        int32_t num_solid;
        if (load_pair(&pair, &maps[i])) {
            assert_int_equal(count_missing(&pair, &num_solid), 0);
            print_message("%s: %d solid points\n", pair.own.name, num_solid);
            assert_true(num_solid > 100);
            free_pair(&pair);
        }
    }
}

// A room with a gap of 20, a ramp, and a clip wall.
static void make_room(pair_t *pair) {
    test_block_t blocks[] = {
        TestMap_Box(Vector(-256.0f, -10.0f, 0.0f), Vector(-100.0f, 30.0f, 128.0f)),
        TestMap_Box(Vector(-80.0f, -10.0f, 0.0f), Vector(100.0f, 30.0f, 128.0f)),
        TestMap_RampX(Vector(-100.0f, -200.0f, 0.0f), Vector(60.0f, -100.0f, 64.0f)),
        TestMap_Box(Vector(150.0f, -256.0f, 0.0f), Vector(160.0f, 100.0f, 128.0f)),
    };
    blocks[3].contents = CONTENTS_CLIP;
    test_map_t test = {.room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
                       .blocks = blocks,
                       .num_blocks = (int32_t)COUNTOF(blocks),
                       .brush_list = true};
    *pair = (pair_t){.rng = {11}, .explain = true};
    assert_true(TestMap_Build(&pair->list, &test));
    test.brush_list = false;
    assert_true(TestMap_Build(&pair->own, &test));
    Map_RecoverBrushes(&pair->own);
}

// The brushes of a simple room are exactly those that were drawn.
static void test_room(void **state) {
    (void)state;
    pair_t pair;
    tally_t total[NUM_BOXES] = {{0}};
    make_room(&pair);
    assert_string_equal(pair.own.remark, "");
    assert_int_equal(pair.own.num_recovered, 6 + 4);
    const cbrush_t *wall = &pair.own.brushes[9];
    assert_int_equal(wall->contents, CONTENTS_CLIP);
    const bounds_t expected = {{150.0f, -256.0f, 0.0f}, {160.0f, 100.0f, 128.0f}};
    assert_true(VectorWithin(VectorSubtract(wall->bounds.mins, expected.mins), 0.01f));
    assert_true(VectorWithin(VectorSubtract(wall->bounds.maxs, expected.maxs), 0.01f));
    assert_true(compare_map(&pair, compare, "room", total) >= 99.95);
    assert_true(compare_map(&pair, compare_slide, "room", total) >= 99.95);
    // A box of 18 passes the gap, stands on the floor and does not pass the clip wall.
    const cm_object_t world = {.model = 0};
    const vec3_t mins = {-9.0f, -9.0f, 0.0f};
    const vec3_t maxs = {9.0f, 9.0f, 30.0f};
    const trace_t gap = CM_BoxTrace(&pair.own, &world, Vector(-90.0f, 100.0f, 1.0f),
                                    Vector(-90.0f, -60.0f, 1.0f), mins, maxs);
    assert_true(gap.fraction == 1.0f);
    assert_true(!gap.startsolid);
    const trace_t floor = CM_BoxTrace(&pair.own, &world, Vector(0.0f, 100.0f, 40.0f),
                                      Vector(0.0f, 100.0f, -40.0f), mins, maxs);
    assert_true(fabsf(floor.endpos.z - CM_DIST_EPSILON) < 0.001f);
    const trace_t clip = CM_BoxTrace(&pair.own, &world, Vector(120.0f, 0.0f, 1.0f),
                                     Vector(200.0f, 0.0f, 1.0f), mins, maxs);
    assert_true(fabsf(clip.endpos.x - 141.0f) < 0.2f);
    free_pair(&pair);
}

// A clip brush behind a low block, at the distance at which their expanded boxes touch.
static void test_clip_beside_solid(void **state) {
    (void)state;
    test_block_t blocks[] = {
        TestMap_Box(Vector(64.0f, -32.0f, 0.0f), Vector(128.0f, 32.0f, 32.0f)),
        TestMap_Box(Vector(64.0f, 64.0f, 0.0f), Vector(128.0f, 192.0f, 96.0f))};
    blocks[1].contents = CONTENTS_CLIP;
    cmap_t map;
    assert_true(TestMap_Build(&map, &(test_map_t){.room = {{-256, -256, 0}, {256, 256, 256}},
                                                  .blocks = blocks,
                                                  .num_blocks = (int32_t)COUNTOF(blocks)}));
    Map_RecoverBrushes(&map);
    bounds_t all = {Vector(999.0f, 999.0f, 999.0f), Vector(-999.0f, -999.0f, -999.0f)};
    for (int32_t i = 0; i < map.num_brushes; i++) {
        bool is_clip = map.brushes[i].contents == CONTENTS_CLIP;
        all = is_clip ? BoundsUnion(all, map.brushes[i].bounds) : all;
    }
    assert_true(VectorWithin(VectorSubtract(all.mins, blocks[1].box.mins), 0.01f));
    assert_true(VectorWithin(VectorSubtract(all.maxs, blocks[1].box.maxs), 0.01f));
    CM_FreeMap(&map);
}

// The comparison notices a missing brush.
static void test_notices(void **state) {
    (void)state;
    pair_t pair;
    tally_t total[NUM_BOXES] = {{0}};
    make_room(&pair);
    pair.explain = false;
    pair.own.brushes[pair.own.num_brushes - 2].contents = CONTENTS_WATER;
    assert_true(compare_map(&pair, compare, "room with a hole", total) < 99.8);
    free_pair(&pair);
    make_room(&pair);
    const vec3_t inside = {0.0f, 10.0f, 64.0f};
    for (int32_t i = 0; i < pair.own.num_brushes; i++) {
        if (BoundsTouch(pair.own.brushes[i].bounds, (bounds_t){inside, inside})) {
            pair.own.brushes[i].contents = CONTENTS_WATER;
        }
    }
    int32_t num_solid;
    assert_true(count_missing(&pair, &num_solid) > (Test_IsSlow() ? 5 : 50));
    free_pair(&pair);
}

enum { NUM_CUTS = 400, HOSTILE_NODES = 40000 };

/// A world whose node n has plane n and the same next node on both sides, or on one.
typedef struct {
    cmap_t map;
    cmodel_t model;
    plane_t planes[HOSTILE_NODES];
    clipnode_t nodes[HOSTILE_NODES];
} hostile_t;

/// Makes a world of `count` planes. around: they are the sides of one cell; otherwise they cut all
/// cells in two.
static hostile_t *make_hostile(int32_t count, bool around) {
    hostile_t *hostile = calloc(1, sizeof *hostile);
    rng_t rng = {3};
    assert_non_null(hostile);
    for (int32_t i = 0; i < count; i++) {
        const int32_t next = i + 1 < count ? i + 1 : CONTENTS_SOLID;
        plane_t *plane = &hostile->planes[i];
        plane->normal =
            VectorNormalize(Vector(Rng_Range(&rng, -1.0f, 1.0f), Rng_Range(&rng, -1.0f, 1.0f),
                                   Rng_Range(&rng, -1.0f, 1.0f)),
                            NULL);
        plane->dist = around ? 100.0f : Rng_Range(&rng, -50.0f, 50.0f);
        plane->type = PlaneType(plane->normal);
        const bool is_open = around || next == CONTENTS_SOLID;
        hostile->nodes[i] = CM_ClipNode(hostile->planes, i, is_open ? CONTENTS_EMPTY : next, next);
    }
    hostile->model = (cmodel_t){.kind = MODEL_BSP,
                                .bounds = {{-200.0f, -200.0f, -200.0f}, {200.0f, 200.0f, 200.0f}},
                                .hulls = {{.nodes = hostile->nodes, .planes = hostile->planes}}};
    hostile->map = (cmap_t){.models = &hostile->model,
                            .num_models = 1,
                            .clipnodes = hostile->nodes,
                            .planes = hostile->planes,
                            .num_planes = count,
                            .num_clipnodes = count};
    return hostile;
}

enum { NUM_SIDES = 96, NUM_SLICES = 32768 };

/// Adds the nodes that cut a cylinder into the slices from `lo` to before `hi`. Returns the first.
static int32_t add_slices(hostile_t *hostile, int32_t lo, int32_t hi) {
    if (hi - lo == 1) {
        return lo % 2 ? CONTENTS_SOLID : CONTENTS_WATER;
    }
    const int32_t number = hostile->map.num_planes++;
    const int32_t middle = (lo + hi) / 2;
    hostile->planes[number] = (plane_t){Vector(0.0f, 0.0f, 1.0f), (float)middle * 0.1f, 2};
    const int32_t behind = add_slices(hostile, lo, middle);
    const int32_t before = add_slices(hostile, middle, hi);
    hostile->nodes[number] = CM_ClipNode(hostile->planes, number, before, behind);
    return number;
}

/// Makes a cylinder of many sides, cut into slices of solid and water. Each is a large cell.
static hostile_t *make_slices(void) {
    hostile_t *hostile = make_hostile(NUM_SIDES, true);
    for (int32_t i = 0; i < NUM_SIDES; i++) {
        const float angle = (float)i * (float)(2.0 * M_PI / NUM_SIDES);
        hostile->planes[i] = (plane_t){Vector(cosf(angle), sinf(angle), 0.0f), 100.0f, 3};
        hostile->nodes[i] = CM_ClipNode(hostile->planes, i, CONTENTS_EMPTY, i + 1);
    }
    assert_int_equal(add_slices(hostile, 0, NUM_SLICES), NUM_SIDES);
    hostile->model.bounds.maxs.z = (float)NUM_SLICES * 0.1f;
    hostile->map.num_clipnodes = hostile->map.num_planes;
    return hostile;
}

/// Changes the world into a checkerboard of 52 * 52 * 52 cells. Node 2 * n + odd has plane n, and
/// is behind an odd or even number of planes; the planes of an axis are in ascending order.
static hostile_t *make_checkerboard(void) {
    enum { CUTS = 51 };
    hostile_t *hostile = make_hostile(6 * CUTS, false);
    for (int32_t i = 0; i < 3 * CUTS; i++) {
        const int32_t axis = i / CUTS;
        hostile->planes[i] = (plane_t){Vector(axis == 0, axis == 1, axis == 2),
                                       (float)(i % CUTS - CUTS / 2) * 5.0f, (uint8_t)axis};
        for (int32_t odd = 0; odd < 2; odd++) {
            const bool is_last = i % CUTS == CUTS - 1;
            const int32_t behind =
                axis == 2 ? (odd ? CONTENTS_SOLID : CONTENTS_EMPTY) : 2 * CUTS * (axis + 1) + odd;
            const int32_t solid_before = odd ? CONTENTS_EMPTY : CONTENTS_SOLID;
            const int32_t before = !is_last    ? 2 * (i + 1) + !odd
                                   : axis == 2 ? solid_before
                                               : 2 * CUTS * (axis + 1) + !odd;
            hostile->nodes[2 * i + odd] = CM_ClipNode(hostile->planes, i, before, behind);
        }
    }
    hostile->map.num_clipnodes = 1000000; // as in a large file, so that more work is allowed
    return hostile;
}

static void check_given_up(hostile_t *hostile, const char *reason) {
    const cmap_t *map = &hostile->map;
    Map_RecoverBrushes(&hostile->map);
    print_message("%s\n", map->remark);
    assert_non_null(strstr(map->remark, reason));
    assert_true(strlen(map->remark) < sizeof map->remark - 1);
    assert_false(map->has_brushes);
    assert_false(map->models[0].brushes.exists);
    assert_int_equal(map->num_brushes, 0);
    assert_int_equal(map->num_recovered, 0);
    Arena_Free(&hostile->map.brush_arena);
    free(hostile);
}

/// Returns the largest memory of this process so far, MiB.
static long most_memory(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss / 1024;
}

// Runs first, since a larger map before would hide a large peak.
static void test_memory_is_bounded(void **state) {
    (void)state;
    hostile_t *hostile = make_slices();
    const long before = most_memory();
    check_given_up(hostile, "its convex parts need more than 64 MiB");
    print_message("%ld MiB before, at most %ld MiB\n", before, most_memory());
    assert_true(Test_IsSlow() || most_memory() - before < 100);
}

static void test_gives_up(void **state) {
    (void)state;
    check_given_up(make_hostile(NUM_CUTS, false),
                   "recovery needs more than 16384 steps a clip node");
    check_given_up(make_hostile(NUM_CUTS, true), "a convex part of a hull has more than 128 faces");
    check_given_up(make_checkerboard(), "its convex parts need more than 64 MiB");
    // A cell with 100 faces is a brush.
    hostile_t *ball = make_hostile(100, true);
    Map_RecoverBrushes(&ball->map);
    assert_int_equal(ball->map.num_recovered, 1);
    Arena_Free(&ball->map.brush_arena);
    free(ball);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_solid_points),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_clip_beside_solid),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_without_clip),
        cmocka_unit_test(test_with_clip),
        cmocka_unit_test(test_slides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
