// fuzz_snapshot.c - any sequence of packets as snapshots, for a client that holds one of tick 100.
//
// Input:      packets: u16 size, bytes; the last may be truncated. Epoch 7, ticks of 16 ms.
// Invariants: an accepted snapshot is valid, sorted and within the limits; another server can send
//             it to another client, which then holds the same.

#include "base/assert.h"
#include "proto/entity_fields.h"
#include "proto/player_codec.h"
#include "proto/snapshot_codec.h"

#include <string.h>

#define EPOCH       7
#define TICK_MS     16
#define RATE_MHZ    62500
#define MAX_PACKETS 16
#define SLOTS       6
#define STATES      (3 * MAX_SNAPSHOT_RECORDS)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Returns an empty ring, which is made once and used again.
static snapshot_ring_t *empty_ring(snapshot_ring_t **ring) {
    if (!*ring) {
        *ring = SnapshotRing_Create(SLOTS, STATES);
        ASSERT(*ring);
    }
    SnapshotRing_Reset(*ring, EPOCH, RATE_MHZ);
    return *ring;
}

static entity_state_t known_entity(int32_t i) {
    entity_state_t state = {.number = 1 + i * 3,
                            .type = i % ENTITY_TYPE_COUNT,
                            .solid = SOLID_BBOX,
                            .owner = i,
                            .origin = {i * 1000, -i * 777, 400},
                            .velocity = {i * 10, 0, -i},
                            .angles = {0, i * 5000, 0},
                            .mins = {-256, -256, -384},
                            .maxs = {256, 256, 512}};
    if (i % 3 == 1) { // a pusher; each later one rides on an earlier one
        const motion_t motion = {.kind = i % MOTION_COUNT,
                                 .duration_ms = 1000 + i,
                                 .base = {.origin = {64.0f, 0.5f, (float)i}},
                                 .delta = {0.0f, 0.0f, 128.0f},
                                 .parent = i > 1 ? state.number - 9 : 0,
                                 .parent_base = {.origin = {64.0f, 0.5f, 1.0f}}};
        Entity_SetMotion(&state, &motion, 1600);
    }
    return state;
}

// Sends the snapshot of tick 100 from a server to the client.
static void send_first(snapshot_ring_t *client) {
    static snapshot_ring_t *ring;
    snapshot_ring_t *server = empty_ring(&ring);
    entity_state_t states[8];
    const entity_state_t *order[8];
    for (int32_t i = 0; i < 8; i++) {
        states[i] = known_entity(i);
        order[i] = &states[i];
    }
    snapshot_t now = {.tick = 100, .cmd_tick = 99, .player = Player_Default()};
    uint8_t data[MAX_PACKET_BYTES];
    snapshot_stats_t stats;
    msg_writer_t out = MSG_Writer(data, sizeof data);
    Snapshot_Write(&out, server, &now, order, 8, &stats);
    msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
    snapshot_result_t result = Snapshot_Read(&in, client, NULL);
    ASSERT(result == SNAPSHOT_OK);
}

static void check_valid(const snapshot_t *now, const entity_state_t **list, int32_t count) {
    ASSERT(Player_IsValid(&now->player));
    ASSERT(now->cmd_tick >= 0 && now->cmd_tick <= now->tick && now->cmd_ran_ms <= MAX_RAN_MS);
    for (int32_t i = 0; i < count; i++) {
        entity_state_t state = *list[i];
        ASSERT(!Entity_Clamp(&state) && state.number >= 1 && state.number < MAX_EDICTS);
        ASSERT(i == 0 || list[i - 1]->number < state.number);
    }
}

// Sends the whole snapshot to another client, in as many packets as needed, and compares.
static void check_round_trip(snapshot_t now, const entity_state_t **list, int32_t count) {
    static uint8_t data[MAX_MESSAGE_BYTES];
    static snapshot_ring_t *rings[2];
    snapshot_ring_t *server = empty_ring(&rings[0]);
    snapshot_ring_t *client = empty_ring(&rings[1]);
    snapshot_stats_t stats;
    for (int32_t packets = 0;; packets++) {
        ASSERT(packets < 100);
        msg_writer_t out = MSG_Writer(data, sizeof data);
        Snapshot_Write(&out, server, &now, list, count, &stats);
        msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
        snapshot_result_t result = Snapshot_Read(&in, client, NULL);
        ASSERT(result == SNAPSHOT_OK && stats.num_clamped == 0);
        SnapshotRing_Ack(server, now.tick);
        if (stats.num_deferred == 0) {
            break;
        }
        now.tick++;
        now.cmd_tick++;
    }
    const entity_state_t *told[MAX_SNAPSHOT_ENTS];
    ASSERT(SnapshotRing_Entities(client, now.tick, told) == count);
    for (int32_t i = 0; i < count; i++) {
        ASSERT(Entity_Equal(told[i], list[i]));
    }
    const snapshot_t *got = SnapshotRing_Find(client, now.tick);
    now.num_deferred = 0;
    ASSERT(got && memcmp(got, &now, sizeof now) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static snapshot_ring_t *ring;
    snapshot_ring_t *client = empty_ring(&ring);
    send_first(client);
    for (int32_t i = 0; i < MAX_PACKETS && size >= 2; i++) {
        size_t wanted = data[0] | (size_t)data[1] << 8;
        size_t length = wanted < size - 2 ? wanted : size - 2;
        err_t err = {""};
        int64_t before = SnapshotRing_Newest(client);
        msg_reader_t in = MSG_Reader(data + 2, length);
        snapshot_result_t result = Snapshot_Read(&in, client, &err);
        data += 2 + length;
        size -= 2 + length;
        ASSERT((result == SNAPSHOT_BAD) == (err.text[0] != '\0'));
        if (result != SNAPSHOT_OK) {
            ASSERT(SnapshotRing_Newest(client) == before && SnapshotRing_Find(client, before));
            continue;
        }
        const entity_state_t *list[MAX_SNAPSHOT_ENTS];
        int64_t tick = SnapshotRing_Newest(client);
        int32_t count = SnapshotRing_Entities(client, tick, list);
        check_valid(SnapshotRing_Find(client, tick), list, count);
        if (tick < MSG_MAX_TICK - 1000) {
            check_round_trip(*SnapshotRing_Find(client, tick), list, count);
        }
    }
    return 0;
}
