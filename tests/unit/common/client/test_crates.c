// Crates and vehicles in the world of prediction: which are chosen if there are too many, and
// followers that a server may not send.

#include "lib/client_scene_fixture.h"
#include "lib/testing.h"

#include "client/cl_local.h"
#include "proto/entity_fields.h"

#define NUM_CRATES   (CL_MAX_CRATES + 8)
#define FIRST_NUMBER 40

static entity_state_t box_at(int32_t number, vec3_t origin) {
    entity_state_t state = {.number = number,
                            .type = ENTITY_GENERAL,
                            .solid = SOLID_BBOX,
                            .mins = {-128, -128, 0},
                            .maxs = {128, 128, 256}};
    for (int32_t axis = 0; axis < 3; axis++) {
        const float at[3] = {origin.x, origin.y, origin.z};
        state.origin[axis] = (int32_t)(at[axis] * 16.0f);
    }
    return state;
}

static entity_state_t crate_at(int32_t number, vec3_t origin) {
    entity_state_t state = box_at(number, origin);
    const entity_loose_t loose = {.origin = origin, .ground = 0};
    assert_true(Entity_SetLoose(&state, &loose));
    return state;
}

// Places crates in rows. Every fifth one is in the nearest row, so numbers and distances differ in
// order.
static vec3_t place_of(int32_t i) {
    const int32_t rank = (i % 5) * (NUM_CRATES / 5) + i / 5;
    return Vector(-400.0f + 20.0f * (float)(rank % 40), 400.0f - 4.0f * (float)rank, 0.25f);
}

static float distance_of(int32_t i, vec3_t player) {
    const vec3_t offset = VectorSubtract(place_of(i), player);
    return DotProduct(offset, offset);
}

// Joins a client among so many crates. Sets *cl to it.
static client_scene_t *join(int32_t num_crates, cl_t **cl) {
    client_scene_t *scene = ClientScene_New(7, client_scene_clean);
    for (int32_t i = 0; i < num_crates; i++) {
        scene->mini.entities[i] = crate_at(FIRST_NUMBER + i, place_of(i));
    }
    scene->mini.num_entities = num_crates;
    *cl = ClientScene_Join(scene, "anna");
    scene->predicts = true;
    ClientScene_Run(scene, 400);
    return scene;
}

static void test_the_nearest_crates_are_predicted(void **state) {
    (void)state;
    cl_t *cl;
    client_scene_t *scene = join(NUM_CRATES, &cl);
    cl_stats_t stats, later;
    cl_net_graph_t graph;
    CL_Stats(cl, &stats);
    ClientScene_Run(scene, 16);
    CL_Stats(cl, &later);
    CL_NetGraph(cl, &graph);
    assert_int_equal(graph.left_out, NUM_CRATES - CL_MAX_CRATES);
    assert_int_equal(later.crates_left_out - stats.crates_left_out, NUM_CRATES - CL_MAX_CRATES);
    const cl_world_t *world = &cl->world;
    assert_int_equal(world->num_crates, CL_MAX_CRATES);
    assert_int_equal(world->count, NUM_CRATES); // the others stop the player, too
    float chosen = 0.0f, left_out = 1e9f;
    for (int32_t i = 0; i < NUM_CRATES; i++) {
        const cl_solid_t *solid = &world->list[i];
        const float distance = distance_of(i, world->own_origin);
        assert_int_equal(solid->number, FIRST_NUMBER + i);
        if (solid->crate > 0) {
            assert_int_equal(world->crates[solid->crate - 1].index, i);
            chosen = fmaxf(chosen, distance);
        } else {
            left_out = fminf(left_out, distance);
        }
    }
    assert_true(chosen <= left_out);
    for (int32_t i = 1; i < world->num_crates; i++) {
        assert_true(world->crates[i].index > world->crates[i - 1].index); // as on the server
    }
    ClientScene_Free(scene);
}

static void test_few_crates_are_all_predicted(void **state) {
    (void)state;
    cl_t *cl;
    client_scene_t *scene = join(CL_MAX_CRATES, &cl);
    cl_stats_t stats;
    cl_net_graph_t graph;
    CL_Stats(cl, &stats);
    CL_NetGraph(cl, &graph);
    assert_int_equal(cl->world.num_crates, CL_MAX_CRATES);
    assert_int_equal(stats.crates_left_out + (uint64_t)graph.left_out, 0);
    ClientScene_Free(scene);
}

// A follower has an offset instead of a place. One that is solid, or a volume, must not stop the
// player near 0 0 0.
static void test_a_follower_blocks_nothing(void **state) {
    (void)state;
    for (int32_t how = 0; how < 3; how++) {
        client_scene_t *scene = ClientScene_New(7, client_scene_clean);
        entity_state_t *follower = &scene->mini.entities[0];
        *follower = box_at(FIRST_NUMBER, vec3_zero);
        follower->solid = how == 0 ? SOLID_BBOX : how == 1 ? SOLID_BSP : SOLID_TRIGGER;
        follower->model = 1;
        follower->contents = how == 2 ? CONTENTS_LADDER : 0;
        Entity_Follow(follower, 1, -1, (pose_t){{60.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}});
        follower->contents = how == 2 ? CONTENTS_LADDER : 0;
        assert_true(Entity_SetDriven(follower, 1.0f));
        scene->mini.num_entities = 1;
        cl_t *cl = ClientScene_Join(scene, "anna");
        scene->predicts = true;
        ClientScene_Run(scene, 400);
        const pm_world_t move = Client_WorldForMove(&cl->world);
        const vec3_t from = {-200.0f, 0.0f, 64.0f}, to = {200.0f, 0.0f, 64.0f};
        const vec3_t mins = {-16.0f, -16.0f, -24.0f}, maxs = {16.0f, 16.0f, 32.0f};
        assert_true(CL_Entity(cl, FIRST_NUMBER, follower));
        assert_true(cl->world.tick > 0);
        assert_int_equal(cl->world.count, 0);
        assert_true(move.trace(move.context, from, mins, maxs, to).fraction == 1.0f);
        assert_false(move.volume(move.context, mins, maxs).ladder);
        ClientScene_Free(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_nearest_crates_are_predicted),
        cmocka_unit_test(test_few_crates_are_all_predicted),
        cmocka_unit_test(test_a_follower_blocks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
