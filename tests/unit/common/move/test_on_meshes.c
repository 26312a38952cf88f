// Tests of players and the articles' movers on triangles, which must be like brushes: steps of 18
// and 19, slopes of 45.4 and 45.7 degrees, walls and corners, hills up and down.

#include "base/rng.h"
#include "collide/cmap.h"
#include "lib/mesh_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "move/body.h"

#include <string.h>

#define DT 0.016f

typedef struct {
    built_mesh_t built;
    cmodel_t model;
    cmap_t map;
    pm_world_t world;
    movevars_t vars;
} scene_t;

static trace_t scene_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const scene_t *scene = context;
    const cm_object_t place = {.model = 0};
    trace_t trace = CM_BoxTrace(&scene->map, &place, start, end, mins, maxs);
    trace.entnum = trace.fraction < 1.0f || trace.startsolid ? 0 : TRACE_NOTHING;
    return trace;
}

static contents_t scene_contents(void *context, vec3_t point) {
    const scene_t *scene = context;
    return CM_PointContents(&scene->map, 0, point);
}

static int32_t scene_overlap(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                             int32_t max) {
    memset(entnums, 0, (size_t)max * sizeof *entnums);
    const scene_t *scene = context;
    const cm_object_t place = {.model = 0};
    return CM_Overlap(&scene->map, &place, box, contacts, max);
}

static void open_scene(scene_t *scene, test_mesh_t *source) {
    *scene =
        (scene_t){.built = TestMesh_Build(source, 0, CONTENTS_SOLID), .vars = MoveVars_Default()};
    TestMesh_Free(source);
    scene->model = (cmodel_t){
        .kind = MODEL_MESH, .mesh = &scene->built.mesh, .bounds = scene->built.mesh.bounds};
    scene->map = (cmap_t){.models = &scene->model, .num_models = 1};
    scene->world = (pm_world_t){.context = scene,
                                .trace = scene_trace,
                                .point_contents = scene_contents,
                                .overlap = scene_overlap};
}

static void add_floor(test_mesh_t *mesh) {
    const vec3_t a = {-1024.0f, -1024.0f, 0.0f};
    const vec3_t b = {1024.0f, -1024.0f, 0.0f};
    const vec3_t c = {1024.0f, 1024.0f, 0.0f};
    const vec3_t d = {-1024.0f, 1024.0f, 0.0f};
    TestMesh_Add(mesh, a, b, c);
    TestMesh_Add(mesh, a, c, d);
}

/// Adds a slope that starts at x = 100 and rises along +x. It is `run` long, `rise` high and 400
/// wide.
static void add_slope(test_mesh_t *mesh, float y, float run, float rise) {
    const vec3_t a = {100.0f, y, 0.0f};
    const vec3_t b = {100.0f + run, y, rise};
    const vec3_t c = {100.0f + run, y + 400.0f, rise};
    const vec3_t d = {100.0f, y + 400.0f, 0.0f};
    TestMesh_Add(mesh, a, b, c);
    TestMesh_Add(mesh, a, c, d);
}

static player_state_t player_at(float x, float y, float feet) {
    return (player_state_t){.origin = {x, y, feet + 24.0f + CM_DIST_EPSILON},
                            .mins = PM_PLAYER_MINS,
                            .maxs = PM_PLAYER_MAXS,
                            .movetype = MOVETYPE_WALK,
                            .groundentity = -1,
                            .watertype = CONTENTS_EMPTY};
}

static void walk(scene_t *scene, player_state_t *player, float yaw, int ticks) {
    for (int i = 0; i < ticks; i++) {
        const pm_input_t input = {.angles = {0.0f, yaw, 0.0f}, .forward = 320.0f};
        pm_touch_t touch;
        PM_Move(player, &input, 16, &scene->vars, &scene->world, &touch);
        assert_true(PM_PositionIsFree(player, &scene->world));
    }
}

static float feet(vec3_t origin) {
    return origin.z - 24.0f;
}

static void test_steps(void **state) {
    (void)state;
    test_mesh_t mesh = {0};
    scene_t scene;
    add_floor(&mesh);
    TestMesh_Box(&mesh, (bounds_t){{100.0f, -1000.0f, 0.0f}, {900.0f, -100.0f, 18.0f}});
    TestMesh_Box(&mesh, (bounds_t){{100.0f, 100.0f, 0.0f}, {900.0f, 1000.0f, 19.0f}});
    open_scene(&scene, &mesh);
    player_state_t low = player_at(0.0f, -500.0f, 0.0f);
    walk(&scene, &low, 0.0f, 100);
    assert_true(low.origin.x > 300.0f);
    assert_true(fabsf(feet(low.origin) - 18.0f) < 0.1f);
    walk(&scene, &low, 180.0f, 130); // down again
    assert_true(low.origin.x < 50.0f);
    assert_true(fabsf(feet(low.origin)) < 0.1f);
    player_state_t high = player_at(0.0f, 500.0f, 0.0f);
    walk(&scene, &high, 0.0f, 100);
    assert_true(high.origin.x < 84.0f);
    assert_true(fabsf(feet(high.origin)) < 0.1f);
    Mesh_Free(&scene.built);
}

static void test_slopes(void **state) {
    (void)state;
    test_mesh_t mesh = {0};
    scene_t scene;
    add_floor(&mesh);
    add_slope(&mesh, -500.0f, 200.0f, 202.8f);
    add_slope(&mesh, 100.0f, 200.0f, 204.9f);
    open_scene(&scene, &mesh);
    player_state_t walks = player_at(50.0f, -300.0f, 0.0f);
    player_state_t slips = player_at(50.0f, 300.0f, 0.0f);
    walk(&scene, &walks, 0.0f, 60);
    walk(&scene, &slips, 0.0f, 60);
    print_message("up to %g on 45.4 degrees, %g on 45.7\n", (double)feet(walks.origin),
                  (double)feet(slips.origin));
    assert_true(feet(walks.origin) > 80.0f);
    assert_true(feet(slips.origin) < 40.0f);
    // Put onto the steep slope: slides down.
    player_state_t slides = player_at(220.0f, 300.0f, 150.0f);
    for (int i = 0; i < 100; i++) {
        const pm_input_t none = {.angles = {0.0f, 0.0f, 0.0f}};
        pm_touch_t touch;
        PM_Move(&slides, &none, 16, &scene.vars, &scene.world, &touch);
    }
    assert_true(fabsf(feet(slides.origin)) < 0.1f);
    assert_true(slides.origin.x < 110.0f);
    Mesh_Free(&scene.built);
}

// Tests two and three planes: along walls at any angle, into their corner, and out of it.
static void test_walls_and_corners(void **state) {
    (void)state;
    for (int turn = 0; turn < 8; turn++) {
        float sine;
        float cosine;
        SinCos(45.0f * (float)turn + 10.0f, &sine, &cosine);
        const vec3_t ahead = {cosine, sine, 0.0f};
        const vec3_t aside = {-sine, cosine, 0.0f};
        const vec3_t corner = VectorScale(VectorAdd(ahead, aside), 400.0f);
        const vec3_t up = {0.0f, 0.0f, 200.0f};
        test_mesh_t mesh = {0};
        scene_t scene;
        add_floor(&mesh);
        for (int wall = 0; wall < 2; wall++) { // two walls that meet in the corner
            vec3_t along = VectorScale(wall ? ahead : aside, -800.0f);
            vec3_t far = VectorAdd(corner, along);
            TestMesh_Add(&mesh, corner, far, VectorAdd(far, up));
            TestMesh_Add(&mesh, corner, VectorAdd(far, up), VectorAdd(corner, up));
        }
        open_scene(&scene, &mesh);
        player_state_t player = player_at(0.0f, 0.0f, 0.0f);
        float yaw = 45.0f * (float)turn + 10.0f;
        walk(&scene, &player, yaw + 30.0f, 300); // along the first wall, into the corner
        float forward = DotProduct(player.origin, ahead);
        float sideways = DotProduct(player.origin, aside);
        assert_true(forward < 400.0f);
        assert_true(sideways < 400.0f);
        assert_true(forward > 340.0f);
        assert_true(sideways > 340.0f);
        walk(&scene, &player, yaw + 225.0f, 100);
        assert_true(DotProduct(player.origin, ahead) < 250.0f);
        Mesh_Free(&scene.built);
    }
}

// Tests walks uphill and downhill over hundreds of triangles: never stopped on flat ground, never
// fallen through.
static void test_hills(void **state) {
    (void)state;
    test_mesh_t mesh = {0};
    scene_t scene;
    rng_t rng = {4};
    TestMesh_Hills(&mesh, &rng, 40, 50.0f); // slopes up to 38 degrees
    open_scene(&scene, &mesh);
    for (int i = 0; i < 16; i++) {
        player_state_t player =
            player_at(Rng_Range(&rng, -500.0f, 500.0f), Rng_Range(&rng, -500.0f, 500.0f), 300.0f);
        walk(&scene, &player, Rng_Range(&rng, 0.0f, 360.0f), 40);
        vec3_t start = player.origin;
        float yaw = Rng_Range(&rng, 0.0f, 360.0f);
        for (int k = 0; k < 10; k++) {
            walk(&scene, &player, yaw, 8);
            if (!VectorWithin(player.origin, 1100.0f)) {
                break;
            }
        }
        vec3_t way = VectorSubtract(player.origin, start);
        way.z = 0.0f;
        assert_true(VectorLength(way) > 250.0f);
        const vec3_t point = {0.0f, 0.0f, 0.0f};
        trace_t above = scene_trace(&scene, player.origin, point, point,
                                    VectorAdd(player.origin, Vector(0.0f, 0.0f, 2000.0f)));
        assert_true(above.fraction == 1.0f);
    }
    Mesh_Free(&scene.built);
}

static pm_body_t body_at(float x, float y, float z) {
    return (pm_body_t){.origin = {x, y, z + 24.0f + CM_DIST_EPSILON},
                       .mins = PM_PLAYER_MINS,
                       .maxs = PM_PLAYER_MAXS,
                       .up = {0.0f, 0.0f, 1.0f},
                       .ground = -1};
}

static void go(scene_t *scene, pm_body_t *body, pm_mover_t mover, vec3_t wish, int ticks) {
    for (int i = 0; i < ticks; i++) {
        body->velocity.x = wish.x;
        body->velocity.y = wish.y;
        PM_MoveBody(body, mover, DT, &scene->vars, &scene->world);
    }
}

static void test_the_articles_movers(void **state) {
    (void)state;
    test_mesh_t mesh = {0};
    scene_t scene;
    add_floor(&mesh);
    add_slope(&mesh, -500.0f, 200.0f, 202.8f);
    add_slope(&mesh, 100.0f, 200.0f, 204.9f);
    TestMesh_Box(&mesh, (bounds_t){{-900.0f, -500.0f, 0.0f}, {-300.0f, 0.0f, 18.0f}});
    TestMesh_Box(&mesh, (bounds_t){{-900.0f, 100.0f, 0.0f}, {-300.0f, 500.0f, 19.0f}});
    open_scene(&scene, &mesh);
    for (pm_mover_t mover = MOVER_RAY; mover < MOVER_COUNT; mover++) {
        pm_body_t walks = body_at(50.0f, -300.0f, 0.0f);
        pm_body_t slips = body_at(50.0f, 300.0f, 0.0f);
        go(&scene, &walks, mover, Vector(200.0f, 0.0f, 0.0f), 50);
        go(&scene, &slips, mover, Vector(200.0f, 0.0f, 0.0f), 50);
        print_message("mover %d: %g up 45.4 degrees, %g up 45.7\n", (int)mover,
                      (double)feet(walks.origin), (double)feet(slips.origin));
        assert_true(feet(walks.origin) > 50.0f);
        assert_true(feet(slips.origin) < 20.0f);
    }
    pm_body_t low = body_at(-200.0f, -250.0f, 0.0f);
    pm_body_t high = body_at(-200.0f, 250.0f, 0.0f);
    go(&scene, &low, MOVER_DROP, Vector(-200.0f, 0.0f, 0.0f), 80);
    go(&scene, &high, MOVER_DROP, Vector(-200.0f, 0.0f, 0.0f), 80);
    assert_true(low.origin.x < -380.0f);
    assert_true(feet(low.origin) > 18.0f);
    assert_true(high.origin.x > -290.0f);
    assert_true(feet(high.origin) < 0.2f);
    assert_true(high.bumped == 0);
    Mesh_Free(&scene.built);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_walls_and_corners),
        cmocka_unit_test(test_hills),
        cmocka_unit_test(test_the_articles_movers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
