// Tests that a full snapshot has the most important entities, in both ways to name them.

#include "lib/states_fixture.h"
#include "lib/testing.h"
#include "proto/player_codec.h"
#include "proto/snapshot_codec.h"

#define COUNT 200

typedef struct {
    snapshot_ring_t *ring;
    uint8_t data[MAX_PACKET_BYTES];
    uint8_t fates[COUNT];
    size_t size;
} sent_t;

static entity_state_t states[COUNT]; // by number

static void send(sent_t *sent, const entity_state_t *const *entities, const uint16_t *order) {
    const snapshot_t now = {.tick = 1, .player = Player_Default()};
    const snapshot_parts_t parts = {.now = &now,
                                    .entities = entities,
                                    .num_entities = COUNT,
                                    .order = order,
                                    .fates = sent->fates};
    snapshot_stats_t stats;
    sent->ring = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    assert_non_null(sent->ring);
    SnapshotRing_Reset(sent->ring, 261, 62500, TestStates_Schema());
    msg_writer_t out = MSG_Writer(sent->data, sizeof sent->data);
    Snapshot_Write(&out, sent->ring, &parts, &stats);
    sent->size = MSG_Finish(&out);
}

static bool has(const sent_t *sent, int32_t number) {
    return SnapshotRing_Record(sent->ring, 1, number, NULL) != NULL;
}

static void test_order_of_importance(void **state) {
    (void)state;
    rng_t rng = {.state = 7};
    const entity_state_t *reverse[COUNT], *by_number[COUNT]; // the highest numbers matter most
    uint16_t order[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        states[i] = TestStates_Entity(&rng, i + 1);
        by_number[i] = &states[i];
        reverse[COUNT - 1 - i] = &states[i];
        order[i] = (uint16_t)(COUNT - 1 - i);
    }
    sent_t first, second;
    send(&first, reverse, NULL);
    send(&second, by_number, order);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    int32_t count = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        assert_int_equal(second.fates[i] == ITEM_SENT, has(&second, i + 1));
        assert_true(second.fates[i] == ITEM_SENT || second.fates[i] >= ITEM_DEFERRED);
        assert_int_equal(first.fates[COUNT - 1 - i], second.fates[i]);
        count += second.fates[i] == ITEM_SENT ? 1 : 0;
    }
    assert_in_range(count, 11, 99);
    // Smaller ones may have replaced the last few.
    for (int32_t number = COUNT; number > COUNT - count + 5; number--) {
        assert_true(has(&first, number));
    }
    assert_false(has(&first, 1));
    SnapshotRing_Destroy(first.ring);
    SnapshotRing_Destroy(second.ring);
}

// Returns how many entities a snapshot has that also has many info records.
static int32_t count_beside_infos(bool is_crowded) {
    rng_t rng = {.state = 11};
    entity_state_t infos[COUNT];
    const entity_state_t *entities[COUNT], *info_order[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        states[i] = TestStates_Entity(&rng, i + 1);
        infos[i] = (entity_state_t){.number = RECORD_CLIENT(i)};
        TestStates_Fields(&rng, &infos[i]);
        entities[i] = &states[i];
        info_order[i] = &infos[i];
    }
    const snapshot_t now = {.tick = 1, .player = Player_Default()};
    const snapshot_parts_t parts = {.now = &now,
                                    .entities = entities,
                                    .num_entities = COUNT,
                                    .infos = info_order,
                                    .num_infos = COUNT,
                                    .is_crowded = is_crowded};
    snapshot_stats_t stats;
    uint8_t data[MAX_PACKET_BYTES];
    snapshot_ring_t *ring = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    assert_non_null(ring);
    SnapshotRing_Reset(ring, 261, 62500, TestStates_Schema());
    msg_writer_t out = MSG_Writer(data, sizeof data);
    Snapshot_Write(&out, ring, &parts, &stats);
    assert_in_range(MSG_Finish(&out), MAX_PACKET_BYTES - 60, MAX_PACKET_BYTES);
    assert_true(stats.num_written > stats.num_entities); // info records, too
    SnapshotRing_Destroy(ring);
    return stats.num_entities;
}

static void test_a_crowd_has_fewer_infos(void **state) {
    (void)state;
    const int32_t usual = count_beside_infos(false);
    const int32_t crowded = count_beside_infos(true);
    assert_true(usual >= 8);
    assert_in_range(crowded * 100 / usual, 115, 150); // 5/6 to 2/3 of the rest is 1.25
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_importance),
        cmocka_unit_test(test_a_crowd_has_fewer_infos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
