// Tests snapshots that leave some entities as the client has them.

#include "lib/states_fixture.h"
#include "lib/testing.h"
#include "proto/entity_fields.h"
#include "proto/player_codec.h"
#include "proto/snapshot_codec.h"

#include <string.h>

#define COUNT 300
#define WORDS (COUNT / 64 + 1)
#define STEPS 400
#define EPOCH 261

typedef struct {
    rng_t rng;
    state_pool_t *pool; // of the server's ring; NULL = its own
    snapshot_ring_t *server, *client;
    snapshot_t now;
    entity_state_t world[COUNT + 1]; // by number
    uint32_t versions[COUNT + 1];
    int32_t num_current; // entities that the server knew to be current
    uint64_t exists[WORDS], kept[WORDS];
    snapshot_stats_t stats;
} link_t;

static bool has(const uint64_t *bits, int32_t number) {
    return bits[number / 64] >> (number % 64) & 1;
}

static void flip(uint64_t *bits, int32_t number) {
    bits[number / 64] ^= UINT64_C(1) << (number % 64);
}

// Every second seed has a shared pool. Only its rings know current entities.
static void begin(link_t *link, uint64_t seed) {
    memset(link, 0, sizeof *link);
    link->rng.state = seed;
    link->pool = seed % 2 == 0 ? StatePool_Create(RING_STATES) : NULL;
    assert_true(link->pool || seed % 2 != 0);
    link->server = SnapshotRing_Create(SNAPSHOT_BACKUP, link->pool);
    link->client = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    assert_true(link->server && link->client);
    SnapshotRing_Reset(link->server, EPOCH, 62500, TestStates_Schema());
    SnapshotRing_Reset(link->client, EPOCH, 62500, TestStates_Schema());
    link->now.player = Player_Default();
    for (int32_t number = 1; number <= COUNT; number++) {
        link->world[number] = TestStates_Entity(&link->rng, number);
        link->versions[number] = 1;
    }
}

static void advance(link_t *link) {
    link->now.tick += TestStates_Int(&link->rng, 1, 3);
    memset(link->kept, 0, sizeof link->kept);
    for (int32_t number = 1; number <= COUNT; number++) {
        const entity_state_t before = link->world[number];
        link->world[number] = TestStates_NextEntity(&link->rng, &before);
        link->versions[number] += Entity_Equal(&before, &link->world[number]) ? 0 : 1;
        if (Rng_Below(&link->rng, 60) == 0) {
            flip(link->exists, number); // appears or goes
        }
        if (has(link->exists, number) && Rng_Below(&link->rng, 2) == 0) {
            flip(link->kept, number); // has no effect if the client lacks it
        }
    }
}

// Lists the entities of the baseline, and checks which are held and current.
static void list_base(link_t *link, const entity_state_t *before[COUNT + 1]) {
    const int64_t base = SnapshotRing_Base(link->server);
    uint64_t held[WORDS], current[WORDS];
    SnapshotRing_Held(link->server, link->versions, held, current, WORDS);
    for (int32_t number = 1; number <= COUNT; number++) {
        before[number] = SnapshotRing_Record(link->server, base, number, NULL);
        assert_int_equal(has(held, number), before[number] != NULL);
        if (has(current, number)) {
            assert_non_null(before[number]);
            assert_memory_equal(before[number], &link->world[number], sizeof link->world[number]);
            link->num_current++;
        }
    }
}

// Writes a snapshot and checks which entities its client has afterwards.
static size_t write_snapshot(link_t *link, uint8_t data[MAX_PACKET_BYTES]) {
    const entity_state_t *before[COUNT + 1], *list[COUNT];
    uint8_t fates[COUNT];
    int32_t count = 0;
    list_base(link, before);
    for (int32_t number = 1; number <= COUNT; number++) {
        if (has(link->exists, number) && !has(link->kept, number)) {
            list[count++] = &link->world[number];
        }
    }
    const snapshot_parts_t parts = {.now = &link->now,
                                    .entities = list,
                                    .num_entities = count,
                                    .fates = fates,
                                    .kept = link->kept,
                                    .shared = link->world,
                                    .num_shared = COUNT + 1,
                                    .versions = link->versions};
    msg_writer_t out = MSG_Writer(data, MAX_PACKET_BYTES);
    Snapshot_Write(&out, link->server, &parts, &link->stats);
    int32_t num_kept = 0;
    for (int32_t number = 1; number <= COUNT; number++) {
        const entity_state_t *after =
            SnapshotRing_Record(link->server, link->now.tick, number, NULL);
        if (has(link->kept, number)) {
            assert_ptr_equal(after, before[number]);
            num_kept += after ? 1 : 0;
        } else if (!has(link->exists, number)) {
            assert_true(!after || link->stats.num_deferred > num_kept); // a removal did not fit
        }
    }
    assert_in_range(link->stats.num_deferred, num_kept, num_kept + count);
    return MSG_Finish(&out);
}

static void assert_same(const link_t *link) {
    const entity_state_t *a[MAX_SNAPSHOT_ENTS], *b[MAX_SNAPSHOT_ENTS];
    static entity_state_t moved[2][MAX_SNAPSHOT_ENTS];
    const int32_t count = SnapshotRing_Entities(link->server, link->now.tick, a, moved[0]);
    assert_int_equal(SnapshotRing_Entities(link->client, link->now.tick, b, moved[1]), count);
    for (int32_t i = 0; i < count; i++) {
        assert_memory_equal(a[i], b[i], sizeof *a[i]);
        assert_true(i == 0 || a[i - 1]->number < a[i]->number);
    }
}

static void test_kept_entities_stay(void **state) {
    (void)state;
    static link_t link;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        int64_t acks[4] = {0}; // not yet received by the server
        int32_t most = 0;
        begin(&link, seed);
        for (int32_t step = 0; step < STEPS; step++) {
            uint8_t data[MAX_PACKET_BYTES];
            err_t err;
            advance(&link);
            const size_t size = write_snapshot(&link, data);
            msg_reader_t in = MSG_Reader(data, size);
            int64_t ack = 0;
            if (Rng_Below(&link.rng, 3) > 0) { // otherwise it is lost
                assert_int_equal(Snapshot_Read(&in, link.client, &err), SNAPSHOT_OK);
                assert_same(&link);
                ack = link.now.tick;
            }
            most = Q_MaxI(most, link.stats.num_entities);
            const int64_t arrived = acks[step % 4];
            acks[step % 4] = ack;
            if (arrived > 0) {
                SnapshotRing_Ack(link.server, arrived);
            }
        }
        assert_true(most > COUNT / 6);
        assert_true(link.pool ? link.num_current > 50 : link.num_current == 0);
        SnapshotRing_Destroy(link.server);
        SnapshotRing_Destroy(link.client);
        StatePool_Destroy(link.pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_entities_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
