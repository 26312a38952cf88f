// Tests what a client shows if snapshots leave out entities, or are skipped. Entities that are left
// out glide with their velocity for 200 ms, then stand. The formula is that of
// common/proto/README.md, written here again.

#include "base/rng.h"
#include "client/cl_local.h"
#include "lib/client_scene_fixture.h"
#include "lib/testing.h"
#include "proto/entity_fields.h"

#include <string.h>

#define GLIDER 40
#define HELD   41 // follows the glider

/// The last record of the glider.
typedef struct {
    int64_t tick;
    int32_t origin[3], velocity[3];
} sent_t;

static void expect_at(const sent_t *sent, int64_t tick, int32_t origin[3]) {
    int64_t elapsed_ms = (tick - sent->tick) * MINI_TICK_MS;
    elapsed_ms = elapsed_ms < 200 ? elapsed_ms : 200;
    for (int32_t axis = 0; axis < 3; axis++) {
        // C division rounds towards zero.
        origin[axis] =
            sent->origin[axis] + (int32_t)(sent->velocity[axis] * 16 * elapsed_ms / 1000);
    }
}

static client_scene_t *scene_with_glider(uint64_t seed, int32_t snapshot_ticks,
                                         const sent_t *sent) {
    client_scene_t *scene = ClientScene_New(seed, client_scene_clean);
    const pose_t ahead = {{10.0f, 0.0f, 5.0f}, {0.0f, 0.0f, 0.0f}};
    entity_state_t *list = scene->mini.entities;
    list[0] = (entity_state_t){.number = GLIDER,
                               .type = ENTITY_GENERAL,
                               .solid = SOLID_BBOX,
                               .mins = {-256, -256, -256},
                               .maxs = {256, 256, 256}};
    memcpy(list[0].velocity, sent->velocity, sizeof list[0].velocity);
    list[1] = (entity_state_t){.number = HELD};
    Entity_Follow(&list[1], GLIDER, -1, ahead);
    scene->mini.num_entities = 2;
    scene->mini.snapshot_ticks = snapshot_ticks;
    scene->predicts = true;
    return scene;
}

// Runs to the next snapshot. The server's glider is where the client expects it, so that snapshots
// leave it out. Returns the number of records in the snapshot.
static int32_t next_snapshot(client_scene_t *scene, sent_t *sent) {
    const int64_t before = scene->mini.snapshots;
    int32_t *origin = scene->mini.entities[0].origin;
    while (scene->mini.snapshots == before) {
        expect_at(sent, scene->mini.tick + 1, origin);
        ClientScene_Step(scene);
    }
    if (scene->mini.stats.num_written > 0) {
        sent->tick = scene->mini.tick;
        memcpy(sent->origin, origin, sizeof sent->origin);
    }
    ClientScene_Step(scene); // the snapshot arrives
    return scene->mini.stats.num_written;
}

static pose_t pose_of(const cl_t *cl, int32_t number, int64_t tick, uint16_t frac) {
    pose_t pose;
    assert_true(CL_EntityPose(cl, number, tick, frac, &pose));
    return pose;
}

static bool is_near(vec3_t a, vec3_t b, float distance) {
    return VectorLength(VectorSubtract(a, b)) <= distance;
}

static vec3_t in_qu(const int32_t origin[3]) {
    return Vector((float)origin[0] / 16.0f, (float)origin[1] / 16.0f, (float)origin[2] / 16.0f);
}

// Checks everything that shows the glider at the newest snapshot.
static void expect_shown(client_scene_t *scene, const sent_t *sent) {
    const cl_t *cl = scene->clients[0];
    const int64_t tick = CL_ServerTick(cl);
    entity_state_t state;
    player_state_t player;
    int32_t origin[3];
    assert_int_equal(tick, scene->mini.tick);
    expect_at(sent, tick, origin);
    assert_true(VectorCompare(pose_of(cl, GLIDER, tick, 0).origin, in_qu(origin)));
    vec3_t ahead = VectorAdd(in_qu(origin), Vector(10.0f, 0.0f, 5.0f));
    assert_true(is_near(pose_of(cl, HELD, tick, 0).origin, ahead, 0.01f));
    assert_true(CL_Entity(cl, GLIDER, &state));
    assert_memory_equal(state.origin, origin, sizeof origin);
    assert_memory_equal(state.velocity, sent->velocity, sizeof state.velocity);
    assert_int_equal(CL_Entities(cl, &state, 1), 1);
    assert_memory_equal(state.origin, origin, sizeof origin);
    // The player's prediction collides with what is shown.
    assert_true(CL_Predicted(scene->clients[0], &player));
    assert_int_equal(cl->world.list[0].number, GLIDER);
    assert_true(VectorCompare(cl->world.list[0].pose.origin, in_qu(origin)));
}

// Checks the poses between the last two snapshots.
static void expect_between(const client_scene_t *scene, const sent_t *sent, int64_t before) {
    const cl_t *cl = scene->clients[0];
    const int64_t tick = CL_ServerTick(cl);
    int32_t from[3], to[3];
    expect_at(sent, before, from);
    expect_at(sent, tick, to);
    const vec3_t path = VectorSubtract(in_qu(to), in_qu(from));
    for (int64_t eighths = 0; eighths <= (tick - before) * 8; eighths++) {
        pose_t pose = pose_of(cl, GLIDER, before + eighths / 8, (uint16_t)(eighths % 8 * 8192));
        float share = (float)eighths / (float)((tick - before) * 8);
        assert_true(is_near(pose.origin, VectorMA(in_qu(from), share, path), 0.001f));
    }
}

static void glides(int32_t snapshot_ticks) {
    sent_t sent = {.origin = {-5000, 3, 900}, .velocity = {77, -1533, 5}};
    client_scene_t *scene = scene_with_glider(61, snapshot_ticks, &sent);
    (void)ClientScene_Join(scene, "anna");
    int32_t left_out = 0;
    for (int32_t i = 0; i < 8 && next_snapshot(scene, &sent) > 0; i++) { // not acknowledged yet
    }
    for (int32_t i = 0; i < 30; i++) {
        int64_t before = scene->mini.tick;
        left_out += next_snapshot(scene, &sent) == 0 ? 1 : 0;
        expect_shown(scene, &sent);
        expect_between(scene, &sent, before);
    }
    assert_int_equal(left_out, 30);
    assert_true((scene->mini.tick - sent.tick) * MINI_TICK_MS > 400);
    int32_t end[3]; // 200 ms of the velocity: 246.4, -4905.6 and 16 sixteenths
    expect_at(&sent, scene->mini.tick, end);
    assert_int_equal(end[0] - sent.origin[0], 246);
    assert_int_equal(end[1] - sent.origin[1], -4905);
    assert_int_equal(end[2] - sent.origin[2], 16);
    ClientScene_Free(scene);
}

static void test_glides_and_stands(void **state) {
    (void)state;
    glides(1);
}

static void test_glides_between_rare_snapshots(void **state) {
    (void)state;
    glides(5);
}

// After the newest snapshot, a glider that moves in it continues for 200 ms, although its record is
// older. One that stands there stays.
static void test_continues_until_the_next_snapshot(void **state) {
    (void)state;
    sent_t sent = {.velocity = {500, 0, 0}};
    client_scene_t *scene = scene_with_glider(65, 12, &sent); // every 192 ms
    const cl_t *cl = ClientScene_Join(scene, "anna");
    for (int32_t i = 0; i < 8 && next_snapshot(scene, &sent) > 0; i++) { // not acknowledged yet
    }
    for (int32_t i = 0; i < 3; i++) {
        const int64_t tick = CL_ServerTick(cl);
        const float x = pose_of(cl, GLIDER, tick, 0).origin.x;
        for (int32_t ticks = 1; ticks < 20; ticks++) {
            const int32_t later_ms = Q_MinI(ticks * MINI_TICK_MS, 200);
            const float moved = i == 0 ? (float)later_ms * 0.5f : 0.0f;
            const float shown = pose_of(cl, GLIDER, tick + ticks, 0).origin.x;
            assert_true(fabsf(shown - x - moved) <= 0.125f); // rounded twice
        }
        assert_int_equal((tick - sent.tick) * MINI_TICK_MS, 192 * (i + 1));
        assert_int_equal(next_snapshot(scene, &sent), 0);
    }
    ClientScene_Free(scene);
}

// The glider stops, or turns, while snapshots leave it out. When its record arrives, it goes
// straight from the expected to the real origin, between two snapshots, and nowhere else.
static void corrected(int32_t real_x, int32_t velocity_x) {
    sent_t sent = {.velocity = {500, 0, 0}};
    client_scene_t *scene = scene_with_glider(62, 1, &sent);
    cl_t *cl = ClientScene_Join(scene, "anna");
    entity_state_t *glider = &scene->mini.entities[0];
    for (int32_t i = 0; i < 8 && next_snapshot(scene, &sent) > 0; i++) {
    }
    while (scene->mini.tick - sent.tick < 6) {
        assert_int_equal(next_snapshot(scene, &sent), 0);
    }
    const int64_t last = scene->mini.tick;
    const float expected_x = pose_of(cl, GLIDER, last, 0).origin.x;
    const float start_x = (float)sent.origin[0] / 16.0f;
    assert_true(expected_x == start_x + 48.0f); // 500 qu/s for 96 ms
    sent = (sent_t){
        .tick = last + 1, .origin = {sent.origin[0] + 16 * real_x}, .velocity = {velocity_x, 0, 0}};
    glider->velocity[0] = velocity_x;
    assert_int_equal(next_snapshot(scene, &sent), 1);
    assert_int_equal(sent.tick, last + 1);
    float error = start_x + (float)real_x - expected_x;
    for (int32_t eighths = 0; eighths <= 8; eighths++) {
        pose_t pose = pose_of(cl, GLIDER, last + eighths / 8, (uint16_t)(eighths % 8 * 8192));
        assert_true(fabsf(pose.origin.x - expected_x - error * (float)eighths / 8.0f) < 0.001f);
    }
    for (int32_t i = 0; i < 20; i++) {
        (void)next_snapshot(scene, &sent);
        expect_shown(scene, &sent);
    }
    ClientScene_Free(scene);
}

static void test_stopped_unseen(void **state) {
    (void)state;
    corrected(16, 0);
}

static void test_sped_up_unseen(void **state) {
    (void)state;
    corrected(100, 750);
}

// Moves an entity by a tick; now and then it turns.
static void walk(entity_state_t *entity, rng_t *rng) {
    for (int32_t axis = 0; axis < 3; axis++) {
        if (Rng_Below(rng, 20) == 0) {
            entity->velocity[axis] = (int32_t)Rng_Below(rng, 800) - 400;
        }
        entity->origin[axis] += entity->velocity[axis] * 16 * MINI_TICK_MS / 1000;
    }
    (void)Entity_Clamp(entity);
}

// The server computes what a client shows from what it sent: at each tick of a snapshot that the
// client has, the client shows exactly what the server's ring holds for that tick.
static void test_server_knows_what_is_shown(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(63, client_scene_rough);
    rng_t rng = {6363};
    scene->mini.snapshot_bytes_max = SNAPSHOT_MIN_BYTES;
    scene->mini.num_entities = MINI_ENTITIES;
    for (int32_t i = 0; i < MINI_ENTITIES; i++) {
        scene->mini.entities[i] = (entity_state_t){.number = 2 + i, .origin = {1600 * i, 0, 0}};
    }
    const cl_t *cl = ClientScene_Join(scene, "anna");
    int32_t compared = 0, deferred = 0, left_out = 0;
    for (int32_t i = 0; i < 1000; i++) {
        const int64_t before = scene->mini.tick;
        ClientScene_Step(scene);
        if (scene->mini.tick == before) {
            continue;
        }
        deferred += scene->mini.stats.num_deferred;
        left_out += MINI_ENTITIES - scene->mini.stats.num_written - scene->mini.stats.num_deferred;
        for (int32_t n = 0; n < MINI_ENTITIES; n++) {
            walk(&scene->mini.entities[n], &rng);
        }
        const int64_t tick = CL_ServerTick(cl);
        for (int32_t n = 0; n < MINI_ENTITIES; n++) {
            entity_state_t moved;
            const entity_state_t *held =
                SnapshotRing_Record(scene->mini.peers[0].ring, tick, 2 + n, &moved);
            if (held) {
                assert_true(VectorCompare(pose_of(cl, 2 + n, tick, 0).origin, in_qu(held->origin)));
                compared++;
            }
        }
    }
    assert_true(compared > 500);
    assert_true(deferred > 0);
    assert_true(left_out > 0);
    ClientScene_Free(scene);
}

// If the server skips every third snapshot, the shown time still runs evenly.
static void test_shown_time_is_even(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(64, client_scene_clean);
    const cl_t *cl = ClientScene_Join(scene, "anna");
    int64_t last_ms = 0;
    for (int32_t i = 0; i < 400; i++) {
        scene->mini.says_nothing = (scene->mini.tick + 1) % 3 == 0;
        ClientScene_Step(scene);
        int64_t step_ms = cl->view.time_ms - last_ms;
        if (i > 100 && (step_ms < CLIENT_SCENE_STEP_MS - 3 || step_ms > CLIENT_SCENE_STEP_MS + 3)) {
            fail_msg("%d: the shown time runs %d ms in %d ms", i, (int)step_ms,
                     CLIENT_SCENE_STEP_MS);
        }
        last_ms = cl->view.time_ms;
    }
    ClientScene_Free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glides_and_stands),
        cmocka_unit_test(test_glides_between_rare_snapshots),
        cmocka_unit_test(test_continues_until_the_next_snapshot),
        cmocka_unit_test(test_stopped_unseen),
        cmocka_unit_test(test_sped_up_unseen),
        cmocka_unit_test(test_server_knows_what_is_shown),
        cmocka_unit_test(test_shown_time_is_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
