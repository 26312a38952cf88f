// Tests of a snapshot made by hand from README.md, without the codec.

#include "lib/testing.h"

#include "lib/states_fixture.h"
#include "proto/snapshot_codec.h"

// Writes a record of entity 42.
static void write_record_by_hand(msg_writer_t *out) {
    MSG_WriteBool(out, false); // no event
    MSG_WriteVar(out, 1, 4);   // one record:
    MSG_WriteVar(out, 41, 0);  // number 42
    MSG_WriteBool(out, true);  // velocity:
    MSG_WriteSigned(out, 320, 7);
    MSG_WriteSigned(out, 0, 7);
    MSG_WriteSigned(out, -1, 4);
    MSG_WriteBool(out, true); // origin:
    MSG_WriteSigned(out, 1600, 9);
    MSG_WriteSigned(out, -16, 9);
    MSG_WriteSigned(out, 0, 6);
    MSG_WriteBool(out, false); // angles
    MSG_WriteBool(out, true);  // the rest:
    MSG_WriteBool(out, false); // box
    MSG_WriteBool(out, true);  // what, only the type and the class:
    MSG_WriteBool(out, false);
    MSG_WriteBool(out, true);
    MSG_WriteSigned(out, 3, 1);
    MSG_WriteBits(out, 0, 4);
    MSG_WriteBool(out, true);
    MSG_WriteSigned(out, 99, 4);
    MSG_WriteBool(out, false); // ground
    MSG_WriteBool(out, true);  // motion, only friction:
    MSG_WriteBits(out, 0, 4);
    MSG_WriteBool(out, true);
    MSG_WriteBool(out, true); // a whole number
    MSG_WriteSigned(out, 2, 6);
    MSG_WriteBits(out, 0, 27);
    MSG_WriteBool(out, true); // fields, only "percent" and "exact" of six:
    MSG_WriteBool(out, false);
    MSG_WriteBool(out, true);
    MSG_WriteSigned(out, 55, 4);
    MSG_WriteBool(out, true);
    MSG_WriteBool(out, false); // no whole number: 0.5f is 0x3f000000
    MSG_WriteBits(out, 0x3f000000, 32);
    MSG_WriteBits(out, 0, 3);
}

// Writes the records of client 3 and of the world.
static void write_infos_by_hand(msg_writer_t *out) {
    MSG_WriteVar(out, 2, 0); // two records:
    MSG_WriteVar(out, 3, 0); // client 3, only its first field:
    MSG_WriteBool(out, true);
    MSG_WriteSigned(out, -7, 4);
    MSG_WriteBits(out, 0, 31);
    MSG_WriteVar(out, 1020, 0); // the world, only its second field:
    MSG_WriteBool(out, false);
    MSG_WriteBool(out, true);
    MSG_WriteSigned(out, 100, 4);
    MSG_WriteBits(out, 0, 4);
}

static void assert_infos_by_hand(const snapshot_ring_t *ring) {
    const entity_state_t *client = SnapshotRing_Record(ring, 5000, RECORD_CLIENT(3), NULL);
    const entity_state_t *world = SnapshotRing_Record(ring, 5000, RECORD_WORLD, NULL);
    assert_non_null(client);
    assert_non_null(world);
    assert_int_equal(client->field_mask, 1);
    assert_int_equal(client->fields[0], -7);
    assert_int_equal(world->field_mask, 2);
    assert_int_equal(world->fields[1], 100);
    assert_null(SnapshotRing_Record(ring, 5000, RECORD_CLIENT(4), NULL));
}

static void write_report_by_hand(msg_writer_t *out) {
    MSG_WriteBool(out, true);
    MSG_WriteVar(out, 2, 1); // of tick 4998
    MSG_WriteBits(out, 600, 10);
    MSG_WriteBits(out, 1023, 10);
    MSG_WriteBits(out, 7, 8);
    MSG_WriteVar(out, 21, 6);  // mean: 2.1 ms
    MSG_WriteVar(out, 310, 6); // worst: 31 ms
}

static void assert_report(const snapshot_report_t *report) {
    assert_int_equal(report->tick, 4998);
    assert_int_equal(report->snapshots, 600);
    assert_int_equal(report->cmd_packets, 1023);
    assert_int_equal(report->next_cmd, 7);
    assert_int_equal(report->tick_mean, 21);
    assert_int_equal(report->tick_worst, 310);
}

// Tests a packet made by hand from README.md, without the codec.
static void test_layout_as_written_down(void **state) {
    (void)state;
    uint8_t data[192];
    msg_writer_t out = MSG_Writer(data, sizeof data);
    MSG_WriteBits(&out, 261 & 0xff, 8);
    msg_t msg = MSG_Writing(&out);
    MSG_Tick(&msg, &(int64_t){5000});
    MSG_WriteVar(&out, 0, 3);     // delta from nothing
    MSG_WriteVar(&out, 1, 1);     // cmd_tick 4999
    MSG_WriteSigned(&out, -4, 0); // 12 of 16 ms have run
    MSG_WriteVar(&out, 48, 4);    // wait
    MSG_WriteBool(&out, true);    // counters:
    MSG_WriteVar(&out, 100, 5);
    MSG_WriteVar(&out, 0, 5);
    write_report_by_hand(&out);
    MSG_WriteBool(&out, true); // origin:
    MSG_WriteBool(&out, true); // x: 1.0f is 0x3f800000
    MSG_WriteBits(&out, 29, 5);
    MSG_WriteBits(&out, 0x1f800000, 29);
    MSG_WriteBits(&out, 0, 2);  // y, z
    MSG_WriteBool(&out, false); // velocity
    MSG_WriteBool(&out, true);  // angles:
    MSG_WriteBool(&out, false); // pitch
    MSG_WriteBool(&out, true);  // yaw: 90 degrees, as 16 bits
    MSG_WriteBool(&out, true);
    MSG_WriteBits(&out, 16384, 16);
    MSG_WriteBool(&out, false); // roll
    MSG_WriteBool(&out, false); // box
    MSG_WriteBool(&out, true);  // the rest, only health and movetype:
    MSG_WriteBits(&out, 1 << 18, 19);
    MSG_WriteSigned(&out, -75, 3);
    MSG_WriteBits(&out, 1 | 2 << 2, 5); // signed(3) 1: from MOVETYPE_WALK to MOVETYPE_TOSS
    write_record_by_hand(&out);
    write_infos_by_hand(&out);
    MSG_WriteVar(&out, 2, 0); // two entities did not fit
    snapshot_ring_t *ring = SnapshotRing_Create(4, NULL);
    assert_true(ring);
    SnapshotRing_Reset(ring, 261, 62500, TestStates_Schema());
    msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
    assert_int_equal(Snapshot_Read(&in, ring, NULL), SNAPSHOT_OK);
    const snapshot_t *got = SnapshotRing_Find(ring, 5000);
    assert_non_null(got);
    assert_int_equal(got->cmd_tick, 4999);
    assert_int_equal(got->cmd_ran_ms, 12);
    assert_int_equal(got->cmd_queued_ms, 48);
    assert_int_equal(got->filled_ms, 100);
    assert_int_equal(got->dropped_cmds, 0);
    assert_report(&got->report);
    assert_int_equal(got->num_deferred, 2);
    assert_true(VectorCompare(got->player.origin, Vector(1.0f, 0.0f, 0.0f)));
    assert_true(VectorCompare(got->player.angles, Vector(0.0f, 90.0f, 0.0f)));
    assert_int_equal(got->player.health, 25);
    assert_int_equal(got->player.movetype, MOVETYPE_TOSS);
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    static entity_state_t moved[MAX_SNAPSHOT_ENTS];
    const entity_state_t expected = {.number = 42,
                                     .type = 3,
                                     .classname = 99,
                                     .field_mask = 6,
                                     .fields = {0, 55, 0x3f000000},
                                     .velocity = {320, 0, -1},
                                     .origin = {1600, -16, 0},
                                     .friction = 2.0f};
    assert_int_equal(SnapshotRing_Entities(ring, 5000, list, moved), 1);
    assert_memory_equal(list[0], &expected, sizeof expected);
    assert_infos_by_hand(ring);
    SnapshotRing_Destroy(ring);
}

// ---- records that cannot be ----

typedef void (*write_t)(msg_writer_t *out);

// Reads a snapshot whose records `write` writes. `back`: ticks since its baseline, 0 = none.
static snapshot_result_t read_records(snapshot_ring_t *ring, int64_t tick, uint32_t back,
                                      write_t write) {
    uint8_t data[192];
    msg_writer_t out = MSG_Writer(data, sizeof data);
    msg_t msg = MSG_Writing(&out);
    MSG_WriteBits(&out, 261 & 0xff, 8);
    MSG_Tick(&msg, &tick);
    MSG_WriteVar(&out, back, 3);
    MSG_WriteBits(&out, 0, 2); // cmd_tick is tick
    MSG_WriteBits(&out, 0, 1); // the whole tick ran
    MSG_WriteBits(&out, 0, 5); // nothing waits
    MSG_WriteBits(&out, 0, 1); // counters
    MSG_WriteBits(&out, 0, 5); // player
    write(&out);
    msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
    return Snapshot_Read(&in, ring, NULL);
}

// Begins the record of entity 42, with only one of the groups box, what, motion and fields.
static void begin_group(msg_writer_t *out, int32_t group) {
    MSG_WriteBool(out, false); // no event
    MSG_WriteVar(out, 1, 4);
    MSG_WriteVar(out, 41, 0);
    MSG_WriteBits(out, 0, 3); // velocity, origin, angles
    MSG_WriteBool(out, true);
    MSG_WriteBits(out, 1u << group, group + 1);
}

static void end_records(msg_writer_t *out) {
    MSG_WriteVar(out, 0, 0); // infos
    MSG_WriteVar(out, 0, 0); // deferred
}

static void write_class(msg_writer_t *out, int32_t classname) {
    begin_group(out, 1);
    MSG_WriteBits(out, 1u << 6, 7);
    MSG_WriteSigned(out, classname, 4);
    MSG_WriteBits(out, 0, 3); // ground, motion, fields
    end_records(out);
}

static void good_class(msg_writer_t *out) {
    write_class(out, NAMES_MAX - 1);
}

static void bad_class(msg_writer_t *out) {
    write_class(out, NAMES_MAX);
}

static void write_owner(msg_writer_t *out, int32_t owner) {
    begin_group(out, 1);
    MSG_WriteBits(out, 1u << 5, 6);
    MSG_WriteSigned(out, owner, 3);
    MSG_WriteBits(out, 0, 4); // class, ground, motion, fields
    end_records(out);
}

static void good_owner(msg_writer_t *out) {
    write_owner(out, PROTO_MAX_CLIENTS);
}

static void bad_owner(msg_writer_t *out) {
    write_owner(out, PROTO_MAX_CLIENTS + 1);
}

static void empty_rest(msg_writer_t *out) {
    begin_group(out, 0);
    MSG_WriteBits(out, 0, 9);
    end_records(out);
}

static void duration_without_motion(msg_writer_t *out) {
    begin_group(out, 2);
    MSG_WriteBits(out, 1u << 6, 7);
    MSG_WriteSigned(out, 5, 11);
    MSG_WriteBits(out, 0, 25);
    MSG_WriteBits(out, 0, 1); // fields
    end_records(out);
}

static void bad_percent(msg_writer_t *out) {
    begin_group(out, 3);
    MSG_WriteBits(out, 2, 2);
    MSG_WriteSigned(out, 101, 4);
    MSG_WriteBits(out, 0, 4);
    end_records(out);
}

static void bad_float(msg_writer_t *out) {
    begin_group(out, 3);
    MSG_WriteBits(out, 4, 4); // no whole number: NaN
    MSG_WriteBits(out, 0x7fc00000, 32);
    MSG_WriteBits(out, 0, 3);
    end_records(out);
}

static void bad_text(msg_writer_t *out) {
    begin_group(out, 3);
    MSG_WriteBits(out, 1u << 4, 5);
    MSG_WriteSigned(out, NAMES_MAX, 4);
    MSG_WriteBits(out, 0, 1);
    end_records(out);
}

static void bad_edict(msg_writer_t *out) {
    begin_group(out, 3);
    MSG_WriteBits(out, 1u << 5, 6);
    MSG_WriteSigned(out, -1, 4);
    end_records(out);
}

// Writes an info record with a value of its second field.
static void write_info(msg_writer_t *out, uint32_t number, int32_t percent) {
    MSG_WriteBool(out, false); // no event
    MSG_WriteVar(out, 0, 4);   // entities
    MSG_WriteVar(out, 1, 0);
    MSG_WriteVar(out, number, 0);
    MSG_WriteBits(out, percent > 0 ? 2 : 0, 2);
    if (percent > 0) {
        MSG_WriteSigned(out, percent, 4);
    }
    MSG_WriteBits(out, 0, number < PROTO_MAX_CLIENTS ? 30 : 4);
    MSG_WriteVar(out, 0, 0); // deferred
}

static void good_info(msg_writer_t *out) {
    write_info(out, PROTO_MAX_CLIENTS, 100);
}

static void bad_info_number(msg_writer_t *out) {
    write_info(out, PROTO_MAX_CLIENTS + 1, 100);
}

static void bad_info_field(msg_writer_t *out) {
    write_info(out, 3, 101);
}

static void empty_info(msg_writer_t *out) {
    write_info(out, 3, 0);
}

static void bad_deferred(msg_writer_t *out) {
    MSG_WriteBool(out, false);
    MSG_WriteVar(out, 0, 4);
    MSG_WriteVar(out, 0, 0);
    MSG_WriteVar(out, 2 * MAX_SNAPSHOT_ENTS + MAX_SNAPSHOT_INFOS + 1, 0);
}

static void too_many_records(msg_writer_t *out) {
    MSG_WriteBool(out, false);
    MSG_WriteVar(out, UINT32_MAX, 4);
}

static void test_records_that_cannot_be(void **state) {
    (void)state;
    static const write_t bad[] = {bad_class,
                                  bad_owner,
                                  empty_rest,
                                  bad_percent,
                                  bad_float,
                                  bad_text,
                                  bad_edict,
                                  bad_info_number,
                                  empty_info,
                                  bad_info_field,
                                  bad_deferred,
                                  too_many_records,
                                  duration_without_motion};
    static const write_t good[] = {good_class, good_owner, good_info};
    snapshot_ring_t *ring = SnapshotRing_Create(4, NULL);
    assert_true(ring);
    SnapshotRing_Reset(ring, 261, 62500, TestStates_Schema());
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        snapshot_result_t result = read_records(ring, 5000, 0, bad[i]);
        if (result != SNAPSHOT_BAD) {
            fail_msg("bad[%zu]: result %d", i, result);
        }
    }
    for (size_t i = 0; i < COUNTOF(good); i++) {
        assert_int_equal(read_records(ring, 5000 + (int64_t)i, 0, good[i]), SNAPSHOT_OK);
    }
    // Bad records left nothing behind.
    const entity_state_t expected = {.number = 42, .classname = NAMES_MAX - 1};
    assert_memory_equal(SnapshotRing_Record(ring, 5000, 42, NULL), &expected, sizeof expected);
    assert_int_equal(SnapshotRing_Record(ring, 5002, RECORD_WORLD, NULL)->fields[1], 100);
    SnapshotRing_Destroy(ring);
}

// Writes a change of entity 42, which the baseline holds.
static void write_change(msg_writer_t *out, bool origin, int32_t x) {
    MSG_WriteBool(out, false); // no event
    MSG_WriteVar(out, 1, 4);
    MSG_WriteVar(out, 41, 0);
    MSG_WriteBool(out, false); // not gone
    MSG_WriteBool(out, false); // velocity
    MSG_WriteBool(out, origin);
    if (origin) {
        MSG_WriteSigned(out, x, 3);
        MSG_WriteSigned(out, 0, 3);
        MSG_WriteSigned(out, 0, 0);
    }
    MSG_WriteBits(out, 0, 2); // angles, the rest
    end_records(out);
}

static void nothing_new(msg_writer_t *out) {
    write_change(out, false, 0);
}

static void origin_as_expected(msg_writer_t *out) {
    write_change(out, true, 0);
}

static void origin_changed(msg_writer_t *out) {
    write_change(out, true, 16);
}

// Tests that a record may not say what the client expects.
static void test_records_that_say_nothing_new(void **state) {
    (void)state;
    snapshot_ring_t *ring = SnapshotRing_Create(4, NULL);
    assert_true(ring);
    SnapshotRing_Reset(ring, 261, 62500, TestStates_Schema());
    assert_int_equal(read_records(ring, 5000, 0, good_class), SNAPSHOT_OK);
    assert_int_equal(read_records(ring, 5001, 1, nothing_new), SNAPSHOT_BAD);
    assert_int_equal(read_records(ring, 5001, 1, origin_as_expected), SNAPSHOT_BAD);
    assert_int_equal(read_records(ring, 5001, 1, origin_changed), SNAPSHOT_OK);
    assert_int_equal(SnapshotRing_Record(ring, 5001, 42, NULL)->origin[0], 16);
    SnapshotRing_Destroy(ring);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout_as_written_down),
        cmocka_unit_test(test_records_that_cannot_be),
        cmocka_unit_test(test_records_that_say_nothing_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
