// Tests that players and the articles' movers on triangles move to the same bits with and without
// caches, and that nearly all of their queries are within the cached region.

#include "base/rng.h"
#include "collide/cache.h"
#include "collide/cmap.h"
#include "lib/mesh_fixture.h"
#include "lib/testing.h"
#include "move/body.h"

#include <string.h>

typedef struct {
    built_mesh_t built;
    cmodel_t model;
    cmap_t map;
    cm_cache_t cache;
    movevars_t vars;
    int32_t asked, held;
} scene_t;

static trace_t plain_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const scene_t *scene = context;
    const cm_object_t place = {.model = 0};
    trace_t trace = CM_BoxTrace(&scene->map, &place, start, end, mins, maxs);
    trace.entnum = trace.fraction < 1.0f || trace.startsolid ? 0 : TRACE_NOTHING;
    return trace;
}

static contents_t plain_contents(void *context, vec3_t point) {
    const scene_t *scene = context;
    return CM_PointContents(&scene->map, 0, point);
}

static int32_t plain_overlap(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                             int32_t max) {
    const scene_t *scene = context;
    const cm_object_t place = {.model = 0};
    memset(entnums, 0, (size_t)max * sizeof *entnums);
    return CM_Overlap(&scene->map, &place, box, contacts, max);
}

static void count(scene_t *scene, bounds_t box) {
    const bounds_t *around = &scene->cache.mesh.triangles.region;
    scene->asked++;
    scene->held += VectorCompare(VectorMin(around->mins, box.mins), around->mins) &&
                   VectorCompare(VectorMax(around->maxs, box.maxs), around->maxs);
}

static trace_t near_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    scene_t *scene = context;
    trace_t trace = CM_CacheTrace(&scene->cache, start, end, mins, maxs);
    trace.entnum = trace.fraction < 1.0f || trace.startsolid ? 0 : TRACE_NOTHING;
    count(scene, BoundsOfSweep(start, end, mins, maxs, 0.0f));
    return trace;
}

static contents_t near_contents(void *context, vec3_t point) {
    scene_t *scene = context;
    return CM_CacheContents(&scene->cache, point);
}

static int32_t near_overlap(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                            int32_t max) {
    scene_t *scene = context;
    memset(entnums, 0, (size_t)max * sizeof *entnums);
    count(scene, box);
    return CM_CacheOverlap(&scene->cache, box, contacts, max);
}

static void prefetch_player(void *context, vec3_t origin, vec3_t mins, vec3_t maxs) {
    scene_t *scene = context;
    CM_CacheFill(&scene->cache, &scene->map, CM_SOLIDS_AUTO, origin, mins, maxs);
}

static void prefetch_body(void *context, vec3_t origin, vec3_t mins, vec3_t maxs) {
    scene_t *scene = context;
    CM_CacheFillRegion(&scene->cache, &scene->map, CM_SOLIDS_AUTO,
                       (bounds_t){VectorAdd(origin, mins), VectorAdd(origin, maxs)});
}

static pm_world_t plain_world(scene_t *scene) {
    return (pm_world_t){.context = scene,
                        .trace = plain_trace,
                        .point_contents = plain_contents,
                        .overlap = plain_overlap};
}

static pm_world_t near_world(scene_t *scene, bool body) {
    return (pm_world_t){.context = scene,
                        .trace = near_trace,
                        .point_contents = near_contents,
                        .prefetch = body ? prefetch_body : prefetch_player,
                        .overlap = near_overlap};
}

/// Makes hills with blocks on them.
static void open_scene(scene_t *scene) {
    rng_t rng = {81};
    test_mesh_t source = {0};
    TestMesh_Hills(&source, &rng, 16, 70.0f);
    for (int32_t i = 0; i < 40; i++) {
        vec3_t at = {Rng_Range(&rng, -400.0f, 400.0f), Rng_Range(&rng, -400.0f, 400.0f),
                     Rng_Range(&rng, -60.0f, 40.0f)};
        vec3_t size = {Rng_Range(&rng, 8.0f, 80.0f), Rng_Range(&rng, 8.0f, 80.0f),
                       Rng_Range(&rng, 4.0f, 60.0f)};
        TestMesh_Box(&source, (bounds_t){at, VectorAdd(at, size)});
    }
    *scene =
        (scene_t){.built = TestMesh_Build(&source, 0, CONTENTS_SOLID), .vars = MoveVars_Default()};
    TestMesh_Free(&source);
    scene->model = (cmodel_t){
        .kind = MODEL_MESH, .mesh = &scene->built.mesh, .bounds = scene->built.mesh.bounds};
    scene->map = (cmap_t){.models = &scene->model, .num_models = 1};
    CM_CacheBegin(&scene->cache, &scene->map, CM_SOLIDS_AUTO);
}

static vec3_t random_start(const scene_t *scene, rng_t *rng) {
    const cm_object_t place = {.model = 0};
    const vec3_t mins = PM_PLAYER_MINS;
    const vec3_t maxs = PM_PLAYER_MAXS;
    vec3_t from = {Rng_Range(rng, -400.0f, 400.0f), Rng_Range(rng, -400.0f, 400.0f), 200.0f};
    vec3_t to = {from.x, from.y, -200.0f};
    return CM_BoxTrace(&scene->map, &place, from, to, mins, maxs).endpos;
}

static void test_players(void **state) {
    (void)state;
    static scene_t scene;
    open_scene(&scene);
    const pm_world_t plain = plain_world(&scene);
    const pm_world_t cached = near_world(&scene, false);
    const int32_t num_players = Test_IsLong() ? 4000 : 60;
    rng_t rng = {82};
    for (int32_t i = 0; i < num_players; i++) {
        player_state_t a = {.origin = random_start(&scene, &rng),
                            .mins = PM_PLAYER_MINS,
                            .maxs = PM_PLAYER_MAXS,
                            .movetype = MOVETYPE_WALK,
                            .groundentity = -1,
                            .watertype = CONTENTS_EMPTY};
        player_state_t b = a;
        pm_input_t input = {0};
        for (int32_t tick = 0; tick < 200; tick++) {
            if (tick % 20 == 0) {
                input.angles.y = Rng_Range(&rng, 0.0f, 360.0f);
                input.forward = Rng_Below(&rng, 5) ? 400.0f : 0.0f;
                input.buttons = Rng_Below(&rng, 3) ? 0 : BUTTON_JUMP;
            }
            int32_t step_ms = Rng_Below(&rng, 8) ? 16 : 100;
            pm_touch_t touch;
            PM_Move(&a, &input, step_ms, &scene.vars, &plain, &touch);
            PM_Move(&b, &input, step_ms, &scene.vars, &cached, &touch);
            if (memcmp(&a, &b, sizeof a) != 0) {
                fail_msg("player %d, tick %d: other bits", i, tick);
            }
        }
    }
    print_message("%d asked, %d of them of caches\n", scene.asked, scene.held);
    assert_true(scene.held > scene.asked / 10 * 9);
    Mesh_Free(&scene.built);
}

static bool same_body(const pm_body_t *a, const pm_body_t *b) {
    return memcmp(&a->origin, &b->origin, sizeof a->origin) == 0 &&
           memcmp(&a->velocity, &b->velocity, sizeof a->velocity) == 0 &&
           memcmp(&a->up, &b->up, sizeof a->up) == 0 &&
           memcmp(&a->blocked, &b->blocked, sizeof a->blocked) == 0 && a->ground == b->ground &&
           a->bumped == b->bumped;
}

static void test_bodies(void **state) {
    (void)state;
    static scene_t scene;
    open_scene(&scene);
    const pm_world_t plain = plain_world(&scene);
    const pm_world_t cached = near_world(&scene, true);
    const int32_t num_bodies = Test_IsLong() ? 4000 : 60;
    rng_t rng = {83};
    for (int32_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        scene.asked = 0;
        scene.held = 0;
        for (int32_t i = 0; i < num_bodies; i++) {
            pm_body_t a = {.origin = random_start(&scene, &rng),
                           .mins = PM_PLAYER_MINS,
                           .maxs = PM_PLAYER_MAXS,
                           .up = {0.0f, 0.0f, 1.0f},
                           .ground = -1};
            pm_body_t b = a;
            for (int32_t tick = 0; tick < 120; tick++) {
                if (tick % 20 == 0) {
                    a.velocity.x = Rng_Range(&rng, -300.0f, 300.0f);
                    a.velocity.y = Rng_Range(&rng, -300.0f, 300.0f);
                    a.velocity.z += Rng_Below(&rng, 3) ? 0.0f : 250.0f;
                    b.velocity = a.velocity;
                }
                PM_MoveBody(&a, (pm_mover_t)mover, 0.016f, &scene.vars, &plain);
                PM_MoveBody(&b, (pm_mover_t)mover, 0.016f, &scene.vars, &cached);
                if (!same_body(&a, &b)) {
                    fail_msg("mover %d, body %d, tick %d: other bits", mover, i, tick);
                }
            }
        }
        print_message("mover %d: %d asked, %d of them of caches\n", mover, scene.asked, scene.held);
        assert_true(scene.held > scene.asked / 10 * 9);
    }
    Mesh_Free(&scene.built);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_players),
        cmocka_unit_test(test_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
