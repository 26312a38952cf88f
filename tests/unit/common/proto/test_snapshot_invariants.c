// Tests of the snapshot invariants (docs/physics.md, "Invariants") that a caller can violate: each
// must trip its ASSERT.

#include "lib/testing.h"

#include "lib/states_fixture.h"
#include "lib/trips.h"
#include "proto/control.h"
#include "proto/snapshot_codec.h"
#include "proto/usercmd_codec.h"

#include <string.h>

static snapshot_ring_t *ring;
static uint8_t data[MAX_PACKET_BYTES];
static snapshot_t now;
static entity_state_t entity;

static int set_up(void **state) {
    (void)state;
    rng_t rng = {1};
    ring = SnapshotRing_Create(4, NULL);
    assert_non_null(ring);
    SnapshotRing_Reset(ring, 1, TICKS_MIN_RATE_MHZ, TestStates_Schema());
    now = (snapshot_t){.tick = 5, .cmd_tick = 4, .player = TestStates_Player(&rng)};
    entity = TestStates_Entity(&rng, 7);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    SnapshotRing_Destroy(ring);
    return 0;
}

// Writes a snapshot that has the only entity `count` times.
static void write_snapshot(size_t budget, int32_t count) {
    const entity_state_t *list[] = {&entity, &entity};
    snapshot_stats_t stats;
    msg_writer_t out = MSG_Writer(data, budget);
    const snapshot_parts_t parts = {.now = &now, .entities = list, .num_entities = count};
    Snapshot_Write(&out, ring, &parts, &stats);
}

static void test_ticks_rise(void **state) {
    (void)state;
    write_snapshot(sizeof data, 1);
    assert_trips("now->tick > SnapshotRing_Newest(ring)", write_snapshot(sizeof data, 1));
    now.tick++;
    write_snapshot(sizeof data, 1);
}

static void test_numbers_are_valid_and_differ(void **state) {
    (void)state;
    assert_trips("places[number] == 0", write_snapshot(sizeof data, 2));
    entity.number = 0;
    assert_trips("number >= 1", write_snapshot(sizeof data, 1));
    entity.number = MAX_EDICTS;
    assert_trips("number < MAX_EDICTS", write_snapshot(sizeof data, 1));
}

static void test_the_owner_always_fits(void **state) {
    (void)state;
    assert_trips("SNAPSHOT_MIN_BYTES", write_snapshot(SNAPSHOT_MIN_BYTES - 1, 0));
    write_snapshot(SNAPSHOT_MIN_BYTES, 0);
}

static void test_a_ring_has_room(void **state) {
    (void)state;
    assert_trips("snapshots >= 3", SnapshotRing_Create(2, NULL));
    assert_trips("states >= 1", StatePool_Create(0));
}

// Writes a command. If its reader would reject the packet, this is a bug of the writer.
static void write_cmd(uint8_t msec) {
    usercmd_packet_t packet = {.count = 1, .cmds = {{.tick = 9, .view_tick = 9, .msec = msec}}};
    msg_writer_t out = MSG_Writer(data, sizeof data);
    UserCmd_Write(&out, &packet);
}

static void test_a_writer_passes_the_checks_of_the_reader(void **state) {
    (void)state;
    assert_trips("holds", write_cmd(MAX_CMD_MSEC + 1));
    write_cmd(MAX_CMD_MSEC);
    control_msg_t msg = {.type = CTL_MOVEVARS, .u.movevars.vars = MoveVars_Default()};
    uint8_t message[MAX_MESSAGE_BYTES];
    msg.u.movevars.vars.sv_gravity = -1.0f;
    assert_trips("holds", CTL_Write(&msg, message));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_ticks_rise, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_are_valid_and_differ, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_owner_always_fits, set_up, tear_down),
        cmocka_unit_test(test_a_ring_has_room),
        cmocka_unit_test(test_a_writer_passes_the_checks_of_the_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
