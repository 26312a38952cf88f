// Tests of snapshots as deltas, with loss and a byte budget: both ends must have the same state.

#include "lib/testing.h"

#include "base/hash.h"
#include "lib/states_fixture.h"
#include "proto/entity_fields.h"
#include "proto/snapshot_codec.h"

#include <malloc.h>
#include <string.h>

#define RATE_MHZ 62500

typedef struct {
    rng_t rng;
    snapshot_ring_t *server, *client;
    snapshot_t now;
    entity_state_t world[MAX_SNAPSHOT_ENTS + 40]; // sorted by number
    int32_t count;
    const entity_state_t *order[MAX_SNAPSHOT_ENTS + 40];
    uint8_t fates[MAX_SNAPSHOT_ENTS + 40];
    int32_t ages[MAX_EDICTS];                 // by number: snapshots in a row without room
    entity_state_t infos[MAX_SNAPSHOT_INFOS]; // sorted by number
    const entity_state_t *info_order[MAX_SNAPSHOT_INFOS];
    int32_t num_infos;
    uint8_t data[MAX_MESSAGE_BYTES + 1];
    size_t size;
    snapshot_stats_t stats;
} link_t;

// Empties a link and its rings, which keep their memory.
static void reset_link(link_t *link, uint64_t seed) {
    *link = (link_t){.server = link->server, .client = link->client, .rng.state = seed};
    SnapshotRing_Reset(link->server, 261, RATE_MHZ, TestStates_Schema());
    SnapshotRing_Reset(link->client, 261, RATE_MHZ, TestStates_Schema());
    link->now.player = TestStates_Player(&link->rng);
}

static link_t *new_link(uint64_t seed, int32_t snapshots) {
    link_t *link = calloc(1, sizeof *link);
    assert_non_null(link);
    link->server = SnapshotRing_Create(snapshots, NULL);
    link->client = SnapshotRing_Create(snapshots, NULL);
    assert_true(link->server);
    assert_true(link->client);
    reset_link(link, seed);
    return link;
}

static void free_link(link_t *link) {
    SnapshotRing_Destroy(link->server);
    SnapshotRing_Destroy(link->client);
    free(link);
}

static void add_entity(link_t *link, int32_t number) {
    int32_t at = 0;
    while (at < link->count && link->world[at].number < number) {
        at++;
    }
    if (at < link->count && link->world[at].number == number) {
        return;
    }
    memmove(&link->world[at + 1], &link->world[at],
            (size_t)(link->count - at) * sizeof(entity_state_t));
    link->world[at] = TestStates_Entity(&link->rng, number);
    link->count++;
}

// Stops all entities, so that those that do not change cost nothing.
static void stop_entities(link_t *link) {
    for (int32_t i = 0; i < link->count; i++) {
        memset(link->world[i].velocity, 0, sizeof link->world[i].velocity);
    }
}

static void remove_entity(link_t *link, int32_t at) {
    link->ages[link->world[at].number] = 0;
    link->count--;
    memmove(&link->world[at], &link->world[at + 1],
            (size_t)(link->count - at) * sizeof(entity_state_t));
}

static void add_infos(link_t *link, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        entity_state_t *info = &link->infos[link->num_infos];
        *info = (entity_state_t){.number = is_last ? RECORD_WORLD
                                                   : RECORD_CLIENT(i * PROTO_MAX_CLIENTS / count)};
        TestStates_Fields(&link->rng, info);
        link->info_order[link->num_infos++] = info;
    }
}

static void advance(link_t *link) {
    rng_t *rng = &link->rng;
    for (int32_t i = 0; i < link->num_infos; i++) {
        entity_state_t *info = &link->infos[i];
        if (Rng_Below(rng, 20) == 0) {
            *info = (entity_state_t){.number = info->number}; // all fields are 0: the record goes
        } else if (Rng_Below(rng, 8) == 0) {
            TestStates_Fields(rng, info);
        }
    }
    for (int32_t i = 0; i < link->count; i++) {
        link->world[i] = TestStates_NextEntity(rng, &link->world[i]);
    }
    link->now.tick += TestStates_Int(rng, 1, 3);
    link->now.cmd_tick = link->now.tick - TestStates_Int(rng, 0, 1);
    link->now.cmd_ran_ms = TestStates_Int(rng, 0, 100);
    link->now.cmd_queued_ms = TestStates_Int(rng, 0, 200);
    link->now.filled_ms += Rng_Below(rng, 10) == 0 ? Rng_Below(rng, 100) : 0;
    if (Rng_Below(rng, 6) == 0) {
        link->now.report =
            (snapshot_report_t){.tick = link->now.tick,
                                .snapshots = (uint16_t)Rng_Below(rng, REPORT_COUNTS),
                                .cmd_packets = (uint16_t)Rng_Below(rng, REPORT_COUNTS),
                                .next_cmd = (uint16_t)Rng_Below(rng, REPORT_CMDS),
                                .tick_mean = (uint16_t)Rng_Below(rng, 300),
                                .tick_worst = (uint16_t)Rng_Below(rng, 65536)};
    }
    link->now.player = TestStates_NextPlayer(rng, &link->now.player);
}

// Sorts by importance: longest wait first, then by number.
static void sort_by_age(link_t *link) {
    int32_t ages[COUNTOF(link->order)];
    for (int32_t i = 0; i < link->count; i++) {
        int32_t age = link->ages[link->world[i].number];
        int32_t at = i;
        for (; at > 0 && ages[at - 1] < age; at--) {
            ages[at] = ages[at - 1];
            link->order[at] = link->order[at - 1];
        }
        ages[at] = age;
        link->order[at] = &link->world[i];
    }
}

static void write_snapshot(link_t *link, size_t budget) {
    sort_by_age(link);
    memset(link->data, 0xcc, sizeof link->data); // a byte after the budget must not change
    msg_writer_t out = MSG_Writer(link->data, budget);
    const snapshot_parts_t parts = {.now = &link->now,
                                    .entities = link->order,
                                    .num_entities = link->count,
                                    .fates = link->fates,
                                    .infos = link->info_order,
                                    .num_infos = link->num_infos};
    Snapshot_Write(&out, link->server, &parts, &link->stats);
    link->size = MSG_Finish(&out);
    for (int32_t i = 0; i < Q_MinI(link->count, MAX_SNAPSHOT_ENTS); i++) {
        int32_t *age = &link->ages[link->order[i]->number];
        *age = link->fates[i] >= ITEM_DEFERRED ? *age + 1 : 0;
    }
    assert_true(link->size > 0);
    assert_true(link->size <= budget);
    assert_int_equal(link->data[budget], 0xcc);
}

static snapshot_result_t read_snapshot(link_t *link, err_t *err) {
    uint8_t *exact = malloc(link->size); // exact size: ASan sees each read beyond its end
    assert_non_null(exact);
    memcpy(exact, link->data, link->size);
    msg_reader_t in = MSG_Reader(exact, link->size);
    snapshot_result_t result = Snapshot_Read(&in, link->client, err);
    free(exact);
    return result;
}

// Checks that both rings have the same snapshot for a tick.
static void assert_same_snapshot(const link_t *link, int64_t tick) {
    const snapshot_t *sent = SnapshotRing_Find(link->server, tick);
    const snapshot_t *got = SnapshotRing_Find(link->client, tick);
    assert_true(sent);
    assert_true(got);
    assert_memory_equal(got, sent, sizeof *sent);
    const entity_state_t *a[MAX_SNAPSHOT_ENTS], *b[MAX_SNAPSHOT_ENTS];
    entity_state_t moved[2][MAX_SNAPSHOT_ENTS];
    int32_t count = SnapshotRing_Entities(link->server, tick, a, moved[0]);
    assert_int_equal(SnapshotRing_Entities(link->client, tick, b, moved[1]), count);
    for (int32_t i = 0; i < count; i++) {
        assert_memory_equal(a[i], b[i], sizeof *a[i]);
        assert_true(i == 0 || a[i - 1]->number < a[i]->number);
    }
    for (int32_t number = MAX_EDICTS; number <= RECORD_WORLD; number++) {
        const entity_state_t *info = SnapshotRing_Record(link->server, tick, number, NULL);
        const entity_state_t *other = SnapshotRing_Record(link->client, tick, number, NULL);
        assert_true(!info == !other);
        assert_true(!info || (Entity_Equal(info, other) && info->field_mask != 0));
    }
}

// Checks that the client has the world as it is.
static void assert_client_is_up_to_date(const link_t *link) {
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    entity_state_t moved[MAX_SNAPSHOT_ENTS];
    int32_t count = SnapshotRing_Entities(link->client, link->now.tick, list, moved);
    assert_int_equal(count, link->count);
    for (int32_t i = 0; i < count; i++) {
        assert_memory_equal(list[i], &link->world[i], sizeof *list[i]);
    }
    for (int32_t i = 0; i < link->num_infos; i++) {
        const entity_state_t *info = &link->infos[i];
        const entity_state_t *got =
            SnapshotRing_Record(link->client, link->now.tick, info->number, NULL);
        assert_true(got ? Entity_Equal(got, info) : info->field_mask == 0);
    }
    const snapshot_t *got = SnapshotRing_Find(link->client, link->now.tick);
    assert_non_null(got);
    assert_int_equal(got->num_deferred, 0);
    assert_memory_equal(&got->player, &link->now.player, sizeof got->player);
    assert_int_equal(got->cmd_tick, link->now.cmd_tick);
    assert_int_equal(got->cmd_ran_ms, link->now.cmd_ran_ms);
    assert_int_equal(got->cmd_queued_ms, link->now.cmd_queued_ms);
    assert_int_equal(got->filled_ms, link->now.filled_ms);
    assert_int_equal(got->report.tick, link->now.report.tick);
    assert_int_equal(got->report.snapshots, link->now.report.snapshots);
    assert_int_equal(got->report.cmd_packets, link->now.report.cmd_packets);
    assert_int_equal(got->report.next_cmd, link->now.report.next_cmd);
    assert_int_equal(got->report.tick_mean, link->now.report.tick_mean);
    assert_int_equal(got->report.tick_worst, link->now.report.tick_worst);
}

// Runs a chain of snapshots with changing entities, and loses or delays snapshots and acks.
static void run_lossy_chain(uint64_t seed, int32_t snapshots, size_t budget) {
    link_t *link = new_link(seed, snapshots);
    int64_t acks[8] = {0}; // acknowledgements not yet received by the server
    add_infos(link, 12);
    int32_t read = 0;
    for (int32_t step = 0; step < 400; step++) {
        if (link->count < 60 && Rng_Below(&link->rng, 3) == 0) {
            add_entity(link, TestStates_Int(&link->rng, 1, 300));
        }
        if (link->count > 20 && Rng_Below(&link->rng, 5) == 0) {
            remove_entity(link, TestStates_Int(&link->rng, 0, link->count - 1));
        }
        advance(link);
        write_snapshot(link, budget);
        int64_t ack = 0;
        if (Rng_Below(&link->rng, 3) > 0) {
            err_t err;
            snapshot_result_t result = read_snapshot(link, &err);
            if (result != SNAPSHOT_OK) {
                fail_msg("seed %llu, step %d: result %d %s", (unsigned long long)seed, step, result,
                         result == SNAPSHOT_BAD ? err.text : "");
            }
            assert_same_snapshot(link, link->now.tick);
            read++;
            ack = link->now.tick;
        }
        int64_t arrived = acks[step % 8];
        acks[step % 8] = ack;
        if (arrived > 0) {
            SnapshotRing_Ack(link->server, arrived);
        }
        if (link->stats.num_deferred == 0 && ack > 0) {
            assert_client_is_up_to_date(link);
        }
    }
    assert_true(read > 200);
    free_link(link);
}

static void test_chains_through_loss(void **state) {
    (void)state;
    uint64_t seeds = Test_IsLong() ? 2000 : Test_IsSlow() ? 6 : 25;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        run_lossy_chain(seed, SNAPSHOT_BACKUP, MAX_PACKET_BYTES);
        run_lossy_chain(seed, SNAPSHOT_BACKUP, SNAPSHOT_MIN_BYTES);
        run_lossy_chain(seed, 12, MAX_PACKET_BYTES);
    }
}

// Tests far more entities than fit into a packet: they arrive over several full packets.
static void test_what_does_not_fit_comes_later(void **state) {
    (void)state;
    link_t *link = new_link(5, SNAPSHOT_BACKUP);
    for (int32_t number = 1; link->count < MAX_SNAPSHOT_ENTS; number += 3) {
        add_entity(link, number);
    }
    advance(link);
    stop_entities(link);
    int32_t snapshots = 0;
    int32_t held = 0;
    do {
        link->now.tick++;
        write_snapshot(link, MAX_PACKET_BYTES);
        assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
        assert_same_snapshot(link, link->now.tick);
        assert_int_equal(link->stats.num_entities, held + link->stats.num_written);
        assert_in_range(link->stats.num_deferred, MAX_SNAPSHOT_ENTS - link->stats.num_entities,
                        MAX_SNAPSHOT_ENTS - link->stats.num_written); // some were not tried
        held = link->stats.num_entities;
        if (link->stats.num_deferred > 0) {
            assert_true(link->size > MAX_PACKET_BYTES - 80); // an entity takes about 60 bytes here
        }
        SnapshotRing_Ack(link->server, link->now.tick);
        snapshots++;
        assert_true(snapshots < 400);
    } while (link->stats.num_deferred > 0);
    assert_client_is_up_to_date(link);
    assert_true(snapshots > 10);
    free_link(link);
}

// Tests a load that never fits: if the oldest changes matter most, each gets through in the end.
static void test_nobody_starves(void **state) {
    (void)state;
    link_t *link = new_link(6, SNAPSHOT_BACKUP);
    for (int32_t number = 10; link->count < 300; number += 7) {
        add_entity(link, number);
    }
    int32_t oldest = 0;
    int64_t deferred = 0;
    for (int32_t step = 0; step < 300; step++) {
        for (int32_t i = 0; i < link->count; i++) {
            entity_state_t *entity = &link->world[i];
            if (entity->motion == ENTITY_FOLLOWS) {
                entity->base.angles.x = (float)TestStates_Int(&link->rng, -1000, 1000);
            } else if (entity->motion == ENTITY_NO_MOTION) {
                entity->origin[0] = TestStates_Int(&link->rng, -100000, 100000);
                entity->angles[1] = TestStates_Int(&link->rng, 0, 65535);
            } else {
                entity->start_lo = TestStates_Int(&link->rng, 1, 100000);
                entity->duration_ms = Q_MaxI(entity->duration_ms, 1);
                entity->motion = 1 + MOTION_SPIN;
            }
        }
        link->now.tick++;
        write_snapshot(link, SNAPSHOT_MIN_BYTES);
        assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
        SnapshotRing_Ack(link->server, link->now.tick);
        deferred += link->stats.num_deferred;
        for (int32_t i = 0; i < link->count; i++) {
            oldest = Q_MaxI(oldest, link->ages[link->world[i].number]);
        }
    }
    print_message("oldest state waited %d snapshots\n", oldest);
    assert_true(deferred > 1000);
    assert_true(oldest > 3);
    assert_true(oldest < 60);
    free_link(link);
}

static void test_no_change_is_small(void **state) {
    (void)state;
    link_t *link = new_link(8, SNAPSHOT_BACKUP);
    for (int32_t number = 1; number <= 30; number++) {
        add_entity(link, number);
    }
    stop_entities(link);
    link->now.tick = 1;
    write_snapshot(link, MAX_MESSAGE_BYTES);
    assert_int_equal(link->stats.num_deferred, 0);
    SnapshotRing_Ack(link->server, 1);
    link->now.tick = 100000;
    link->now.cmd_tick = 99999;
    link->now.cmd_ran_ms = 16;
    write_snapshot(link, MAX_PACKET_BYTES);
    SnapshotRing_Ack(link->server, 100000);
    link->now.tick = 100006;
    link->now.cmd_tick = 100005;
    write_snapshot(link, MAX_PACKET_BYTES);
    assert_int_equal(link->stats.num_written, 0);
    assert_true(link->size <= 9);
    free_link(link);
}

static void test_more_than_the_limit_is_counted(void **state) {
    (void)state;
    link_t *link = new_link(9, SNAPSHOT_BACKUP);
    for (int32_t number = 1; number <= MAX_SNAPSHOT_ENTS + 30; number++) {
        add_entity(link, number);
        memset(&link->world[link->count - 1], 0, sizeof(entity_state_t));
        link->world[link->count - 1].number = number;
    }
    link->now.tick = 1;
    write_snapshot(link, MAX_MESSAGE_BYTES);
    assert_int_equal(link->stats.num_over, 30);
    assert_int_equal(link->stats.num_entities, MAX_SNAPSHOT_ENTS);
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
    SnapshotRing_Ack(link->server, 1);
    // Replace all entities by as many others: the limit is never exceeded.
    for (int32_t i = 0; i < link->count; i++) {
        link->world[i].number += 2000;
    }
    for (int32_t tick = 2; tick < 20; tick++) {
        link->now.tick = tick;
        write_snapshot(link, SNAPSHOT_MIN_BYTES);
        assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
        assert_same_snapshot(link, tick);
        SnapshotRing_Ack(link->server, tick);
    }
    assert_int_equal(link->stats.num_deferred, 0);
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    entity_state_t moved[MAX_SNAPSHOT_ENTS];
    assert_int_equal(SnapshotRing_Entities(link->client, 19, list, moved), MAX_SNAPSHOT_ENTS);
    assert_int_equal(list[0]->number, 2001);
    free_link(link);
}

static void test_stale_and_baseless(void **state) {
    (void)state;
    link_t *link = new_link(10, 4);
    add_entity(link, 5);
    advance(link);
    write_snapshot(link, MAX_PACKET_BYTES);
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_STALE); // a duplicate
    SnapshotRing_Ack(link->server, link->now.tick);
    advance(link);
    write_snapshot(link, MAX_PACKET_BYTES);
    SnapshotRing_Reset(link->client, 262, RATE_MHZ, TestStates_Schema());
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_STALE); // another epoch
    SnapshotRing_Reset(link->client, 261 + 256, RATE_MHZ,
                       TestStates_Schema()); // tick with the same low bits
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_NO_BASE);
    SnapshotRing_Ack(link->server, 0); // the client says that it has no snapshot
    advance(link);
    write_snapshot(link, MAX_PACKET_BYTES);
    assert_int_equal(link->stats.base_tick, 0);
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
    assert_client_is_up_to_date(link);
    // A forged acknowledgement of a snapshot that was never sent changes nothing.
    SnapshotRing_Ack(link->server, link->now.tick + 1000);
    SnapshotRing_Ack(link->server, -5);
    assert_int_equal(SnapshotRing_Base(link->server), 0);
    free_link(link);
}

// Tests that without acknowledgements the baseline stays, however many snapshots follow.
static void test_the_baseline_is_kept(void **state) {
    (void)state;
    link_t *link = new_link(11, 5);
    for (int32_t number = 1; number <= 40; number++) {
        add_entity(link, number * 5);
    }
    advance(link);
    write_snapshot(link, MAX_PACKET_BYTES);
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
    int64_t base = link->now.tick;
    SnapshotRing_Ack(link->server, base);
    for (int32_t i = 0; i < 100; i++) {
        advance(link);
        write_snapshot(link, MAX_PACKET_BYTES);
        assert_int_equal(link->stats.base_tick, base);
    }
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
    assert_same_snapshot(link, link->now.tick);
    free_link(link);
}

// Tests that a client keeps the snapshots of the last second, to draw the past, and no more.
static void test_a_second_is_kept(void **state) {
    (void)state;
    link_t *link = new_link(14, SNAPSHOT_BACKUP);
    for (link->now.tick = 1; link->now.tick <= 200; link->now.tick++) {
        write_snapshot(link, MAX_PACKET_BYTES);
        assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
        SnapshotRing_Ack(link->server, link->now.tick);
    }
    assert_non_null(SnapshotRing_Find(link->client, 200 - RATE_MHZ / 1000));
    assert_null(SnapshotRing_Find(link->client, 200 - RATE_MHZ / 1000 - 1));
    free_link(link);
}

static void test_what_cannot_be_sent_is_held_in_range(void **state) {
    (void)state;
    link_t *link = new_link(12, 4);
    add_entity(link, 5);
    add_entity(link, 6);
    advance(link);
    write_snapshot(link, MAX_PACKET_BYTES);
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
    SnapshotRing_Ack(link->server, link->now.tick);
    player_state_t before = link->now.player;
    link->now.tick++;
    link->now.player.origin.x = NAN;
    link->now.cmd_tick = link->now.tick + 5;
    link->now.cmd_ran_ms = -1;
    write_snapshot(link, MAX_PACKET_BYTES);
    assert_int_equal(link->stats.num_clamped, 1);
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
    assert_same_snapshot(link, link->now.tick);
    const snapshot_t *got = SnapshotRing_Find(link->client, link->now.tick);
    assert_memory_equal(&got->player, &before, sizeof before);
    assert_int_equal(got->cmd_tick, link->now.tick);
    assert_int_equal(got->cmd_ran_ms, 0);
    free_link(link);
}

static void test_every_truncation_and_flip(void **state) {
    (void)state;
    link_t *link = new_link(13, 4);
    for (int32_t number = 1; number <= 8; number++) {
        add_entity(link, number * 3);
    }
    add_infos(link, 4);
    advance(link);
    write_snapshot(link, MAX_PACKET_BYTES);
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
    SnapshotRing_Ack(link->server, link->now.tick);
    advance(link);
    remove_entity(link, 3);
    add_entity(link, 7);
    write_snapshot(link, MAX_PACKET_BYTES);
    size_t size = link->size;
    int32_t counts[4] = {0};
    for (size_t cut = 0; cut < size; cut++) {
        err_t err = {""};
        link->size = cut;
        assert_int_equal(read_snapshot(link, &err), SNAPSHOT_BAD);
        assert_true(err.text[0] != '\0');
    }
    link->size = size;
    int64_t tick = link->now.tick;
    link_t *other = new_link(13, 4);
    for (size_t bit = 0; bit < size * 8; bit++) {
        // Read each packet with a client that has the same first snapshot only.
        reset_link(other, 13);
        for (int32_t number = 1; number <= 8; number++) {
            add_entity(other, number * 3);
        }
        add_infos(other, 4);
        advance(other);
        write_snapshot(other, MAX_PACKET_BYTES);
        assert_int_equal(read_snapshot(other, NULL), SNAPSHOT_OK);
        memcpy(other->data, link->data, size);
        other->size = size;
        other->data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        snapshot_result_t result = read_snapshot(other, NULL);
        counts[result]++;
        const entity_state_t *list[MAX_SNAPSHOT_ENTS];
        entity_state_t moved[MAX_SNAPSHOT_ENTS];
        int32_t count =
            SnapshotRing_Entities(other->client, SnapshotRing_Newest(other->client), list, moved);
        for (int32_t i = 0; i < count; i++) {
            entity_state_t held = *list[i];
            assert_false(Entity_Clamp(&held));
            assert_true(held.number >= 1);
            assert_true(held.number < MAX_EDICTS);
        }
    }
    free_link(other);
    // Rejected snapshots leave nothing behind.
    assert_int_equal(read_snapshot(link, NULL), SNAPSHOT_OK);
    assert_same_snapshot(link, tick);
    assert_true(counts[SNAPSHOT_OK] > 100);
    assert_true(counts[SNAPSHOT_BAD] > 100);
    assert_true(counts[SNAPSHOT_STALE] > 1);
    assert_true(counts[SNAPSHOT_NO_BASE] > 1);
    free_link(link);
}

// Tests the hash of all bytes of a chain of snapshots. If it changes, PROTO_VERSION must change.
static void test_bytes_stay(void **state) {
    (void)state;
    uint64_t hash = 0;
    link_t *link = new_link(3, SNAPSHOT_BACKUP);
    add_infos(link, 5);
    for (int32_t step = 0; step < 500; step++) {
        if (link->count < 60) {
            add_entity(link, TestStates_Int(&link->rng, 1, 300));
        }
        if (link->count > 20 && Rng_Below(&link->rng, 5) == 0) {
            remove_entity(link, TestStates_Int(&link->rng, 0, link->count - 1));
        }
        advance(link);
        write_snapshot(link, step % 2 ? MAX_PACKET_BYTES : SNAPSHOT_MIN_BYTES);
        hash = Hash_Bytes(link->data, link->size, hash);
        SnapshotRing_Ack(link->server, link->now.tick);
    }
    free_link(link);
    assert_int_equal(hash, UINT64_C(0xbc2eaffcff8e6486));
}

int main(void) {
    (void)mallopt(M_PERTURB, 0xa5); // new blocks are not zero
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains_through_loss),
        cmocka_unit_test(test_what_does_not_fit_comes_later),
        cmocka_unit_test(test_nobody_starves),
        cmocka_unit_test(test_no_change_is_small),
        cmocka_unit_test(test_more_than_the_limit_is_counted),
        cmocka_unit_test(test_stale_and_baseless),
        cmocka_unit_test(test_the_baseline_is_kept),
        cmocka_unit_test(test_a_second_is_kept),
        cmocka_unit_test(test_what_cannot_be_sent_is_held_in_range),
        cmocka_unit_test(test_every_truncation_and_flip),
        cmocka_unit_test(test_bytes_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
