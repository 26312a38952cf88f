// Tests of entities that snapshots leave out: both ends expect them where their velocity takes
// them, for ENTITY_EXPECT_MS.

#include "lib/testing.h"

#include "lib/states_fixture.h"
#include "math/angles.h"
#include "proto/entity_fields.h"
#include "proto/player_codec.h"
#include "proto/snapshot_codec.h"

#include <string.h>

#define RATE_MHZ  62500
#define TICK_MS   16
#define RTT_TICKS 6
#define CROWD     80 // entities that change fully in each tick
#define RUNNER    77

typedef struct {
    rng_t rng;
    snapshot_ring_t *server, *client;
    snapshot_t now;
    entity_state_t states[CROWD + 1];
    int32_t count;
    size_t size;
    snapshot_stats_t stats;
    uint8_t fates[CROWD + 1];
} scene_t;

static scene_t *scene;

static int set_up(void **state) {
    (void)state;
    scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->rng.state = 4;
    scene->server = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    scene->client = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    assert_true(scene->server && scene->client);
    SnapshotRing_Reset(scene->server, 1, RATE_MHZ, TestStates_Schema());
    SnapshotRing_Reset(scene->client, 1, RATE_MHZ, TestStates_Schema());
    scene->now.player = Player_Default();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    SnapshotRing_Destroy(scene->server);
    SnapshotRing_Destroy(scene->client);
    free(scene);
    return 0;
}

// Sends the snapshot of the next tick. `arrives`: the client reads and acknowledges it.
static void send_tick(size_t budget, bool arrives) {
    const entity_state_t *order[CROWD + 1];
    uint8_t data[MAX_PACKET_BYTES];
    for (int32_t i = 0; i < scene->count; i++) {
        order[i] = &scene->states[i];
    }
    scene->now.tick++;
    scene->now.cmd_tick = scene->now.tick - 1;
    scene->now.cmd_ran_ms = TICK_MS;
    const snapshot_parts_t parts = {
        .now = &scene->now, .entities = order, .num_entities = scene->count, .fates = scene->fates};
    msg_writer_t out = MSG_Writer(data, budget);
    Snapshot_Write(&out, scene->server, &parts, &scene->stats);
    scene->size = MSG_Finish(&out);
    if (arrives) {
        msg_reader_t in = MSG_Reader(data, scene->size);
        assert_int_equal(Snapshot_Read(&in, scene->client, NULL), SNAPSHOT_OK);
        SnapshotRing_Ack(scene->server, scene->now.tick);
    }
}

// Returns a runner whose velocity is a whole number of 1/16 qu per tick.
static entity_state_t runner(void) {
    return (entity_state_t){.number = RUNNER,
                            .type = ENTITY_PLAYER,
                            .origin = {5000, -300, 384},
                            .velocity = {250, -125, 0},
                            .maxs = {256, 256, 512}};
}

// Moves an entity at its velocity.
static void run(entity_state_t *state, int32_t ms) {
    for (int32_t axis = 0; axis < 3; axis++) {
        state->origin[axis] += state->velocity[axis] * ENTITY_ORIGIN_SCALE * ms / 1000;
    }
}

// Checks that both ends expect the runner's state in the newest snapshot.
static void assert_shown(const entity_state_t *expected) {
    const snapshot_ring_t *const rings[] = {scene->server, scene->client};
    for (size_t i = 0; i < COUNTOF(rings); i++) {
        entity_state_t moved;
        const entity_state_t *shown =
            SnapshotRing_Record(rings[i], scene->now.tick, RUNNER, &moved);
        assert_non_null(shown);
        assert_memory_equal(shown, expected, sizeof *shown);
    }
}

static void test_a_constant_velocity_costs_nothing(void **state) {
    (void)state;
    scene->states[0] = runner();
    scene->count = 1;
    send_tick(MAX_PACKET_BYTES, true);
    assert_int_equal(scene->stats.num_written, 1);
    for (int32_t ms = TICK_MS; ms <= ENTITY_EXPECT_MS; ms += TICK_MS) {
        run(&scene->states[0], TICK_MS);
        send_tick(MAX_PACKET_BYTES, true);
        assert_int_equal(scene->stats.num_written, 0);
        assert_shown(&scene->states[0]);
    }
    run(&scene->states[0], TICK_MS); // beyond ENTITY_EXPECT_MS
    send_tick(MAX_PACKET_BYTES, true);
    assert_int_equal(scene->stats.num_written, 1);
    assert_shown(&scene->states[0]);
}

static void test_a_deferred_runner_is_moved_then_stands(void **state) {
    (void)state;
    scene->states[0] = runner();
    scene->count = 1;
    send_tick(MAX_PACKET_BYTES, true);
    entity_state_t expected = scene->states[0];
    const int64_t sent_tick = scene->now.tick;
    scene->count = 1 + CROWD;
    scene->states[CROWD] = TestStates_Entity(&scene->rng, RUNNER); // the least important
    for (int32_t tick = 0; tick < 40; tick++) {
        for (int32_t i = 0; i < CROWD; i++) {
            scene->states[i] =
                (entity_state_t){.number = 100 + i, .effects = (int32_t)Rng_Next(&scene->rng)};
        }
        send_tick(SNAPSHOT_MIN_BYTES, true);
        const int64_t elapsed_ms =
            Ticks_EndMs(RATE_MHZ, scene->now.tick) - Ticks_EndMs(RATE_MHZ, sent_tick);
        expected.origin[0] = runner().origin[0];
        expected.origin[1] = runner().origin[1];
        run(&expected, elapsed_ms < ENTITY_EXPECT_MS ? (int32_t)elapsed_ms : ENTITY_EXPECT_MS);
        assert_in_range(scene->fates[CROWD], ITEM_DEFERRED, ITEM_UNTRIED);
        assert_shown(&expected);
    }
    scene->states[0] = scene->states[CROWD];
    scene->count = 1;
    for (int32_t tick = 0; tick < 20; tick++) {
        send_tick(MAX_PACKET_BYTES, tick % 3 == 0);
    }
    assert_memory_equal(
        SnapshotRing_Record(scene->client, SnapshotRing_Newest(scene->client), RUNNER, &expected),
        &scene->states[0], sizeof expected);
}

// Moves entities as their velocities say, changes some velocities, and stops some.
static void fly(entity_state_t *state) {
    run(state, TICK_MS);
    if (state->motion != ENTITY_NO_MOTION || abs(state->origin[0]) > 100000) {
        *state = (entity_state_t){.number = state->number, .origin = {state->number, 0, 0}};
    }
    if (Rng_Below(&scene->rng, 12) == 0) {
        for (int32_t axis = 0; axis < 3; axis++) {
            state->velocity[axis] = 125 * TestStates_Int(&scene->rng, -3, 3);
        }
    }
    if (Rng_Below(&scene->rng, 40) == 0) {
        *state = TestStates_Entity(&scene->rng, state->number);
    }
    (void)Entity_Clamp(state);
}

// Tests that both ends agree to the bit under loss, with a budget too small for all.
static void test_both_ends_agree(void **state) {
    (void)state;
    int32_t left_out = 0;
    scene->count = CROWD;
    for (int32_t i = 0; i < CROWD; i++) {
        scene->states[i] = TestStates_Entity(&scene->rng, 10 * (1 + i));
    }
    for (int32_t tick = 0; tick < 600; tick++) {
        for (int32_t i = 0; i < CROWD; i++) {
            fly(&scene->states[i]);
        }
        bool arrives = Rng_Below(&scene->rng, 3) > 0;
        send_tick(tick % 5 ? MAX_PACKET_BYTES : SNAPSHOT_MIN_BYTES, arrives);
        for (int32_t i = 0; i < CROWD && arrives; i++) {
            entity_state_t moved[2];
            const int32_t number = scene->states[i].number;
            const entity_state_t *sent =
                SnapshotRing_Record(scene->server, scene->now.tick, number, &moved[0]);
            const entity_state_t *got =
                SnapshotRing_Record(scene->client, scene->now.tick, number, &moved[1]);
            assert_true(!sent == !got);
            assert_true(!sent || memcmp(sent, got, sizeof *sent) == 0);
            assert_true(scene->stats.num_deferred > 0 ||
                        (got && Entity_Equal(got, &scene->states[i])));
            left_out += sent == &moved[0] ? 1 : 0;
        }
    }
    assert_true(left_out > 1000);
}

// Tests the size of a snapshot in which only the receiver moves: it runs, turns and jumps, at most
// 40 bytes with a round trip of six ticks.
static void test_a_quiet_snapshot_is_small(void **state) {
    (void)state;
    scene->count = CROWD / 2;
    for (int32_t i = 0; i < scene->count; i++) {
        scene->states[i] = runner();
        scene->states[i].number = 1 + i;
        memset(scene->states[i].velocity, 0, sizeof scene->states[i].velocity);
    }
    send_tick(MAX_PACKET_BYTES, true);
    player_state_t *self = &scene->now.player;
    self->origin = Vector(1000.3f, -700.9f, 24.03f);
    size_t largest = 0;
    for (int32_t tick = 0; tick < 400; tick++) {
        const float turn = 0.05f * (float)tick;
        self->velocity = Vector(320.0f * cosf(turn), 320.0f * sinf(turn),
                                270.0f - 800.0f * 0.016f * (float)(tick % 42));
        self->origin = VectorMA(self->origin, 0.016f, self->velocity);
        self->angles =
            Vector(ShortToAngle((uint16_t)(tick * 17)), ShortToAngle((uint16_t)(tick * 521)), 0.0f);
        send_tick(MAX_PACKET_BYTES, false);
        largest = scene->size > largest ? scene->size : largest;
        assert_int_equal(scene->stats.num_written, 0);
        if (scene->now.tick > RTT_TICKS) {
            SnapshotRing_Ack(scene->server, scene->now.tick - RTT_TICKS);
        }
    }
    print_message("only the receiver moves: at most %zu bytes\n", largest);
    assert_true(largest <= 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_constant_velocity_costs_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_deferred_runner_is_moved_then_stands, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_both_ends_agree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_quiet_snapshot_is_small, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
