// fuzz_snapshot.c - any sequence of packets as snapshots, for a client that holds one of tick 100.
//
// Input:      packets: u16 size, bytes; the last may be truncated. Epoch 7, ticks of 16 ms.
//             Entities have a field of each type, clients 32, the world one.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static field_schema_t schema;

static void make_schema(void) {
    static const sent_field_t kinds[SENT_TYPE_COUNT] = {
        [SENT_INT] = {"number", SENT_INT, 0, -5, 1000, 0.0f},
        [SENT_FLOAT] = {"exact", SENT_FLOAT, 0, 0, 0, 0.0f},
        [SENT_STEPS] = {"steps", SENT_STEPS, 0, INT32_MIN, INT32_MAX, 0.25f},
        [SENT_TEXT] = {"text", SENT_TEXT, 0, 0, 0, 0.0f},
        [SENT_EDICT] = {"edict", SENT_EDICT, 0, 0, 0, 0.0f}};
    static const int32_t counts[SCOPE_COUNT] = {SENT_TYPE_COUNT, MAX_SENT_FIELDS, 1};
    for (int32_t scope = 0; scope < SCOPE_COUNT; scope++) {
        schema.scopes[scope].count = counts[scope];
        for (int32_t i = 0; i < counts[scope]; i++) {
            schema.scopes[scope].list[i] = kinds[i % SENT_TYPE_COUNT];
        }
    }
}

// Returns an empty ring, which is made once and used again.
static snapshot_ring_t *empty_ring(snapshot_ring_t **ring) {
    if (!*ring) {
        *ring = SnapshotRing_Create(SLOTS, NULL);
        ASSERT(*ring);
    }
    SnapshotRing_Reset(*ring, EPOCH, RATE_MHZ, &schema);
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
    } else if (i % 3 == 2) { // a follower of the one before
        Entity_Follow(&state, state.number - 3, i % 4 - 1, (pose_t){{8.0f, 0.0f, 0.5f}, vec3_zero});
    }
    for (int32_t k = 0; k < i; k++) {
        Fields_Set(&state, k % SENT_TYPE_COUNT, k * 16);
    }
    return state;
}

// Records of a snapshot.
typedef struct {
    const entity_state_t *entities[MAX_SNAPSHOT_ENTS];
    entity_state_t moved[MAX_SNAPSHOT_ENTS];
    const entity_state_t *infos[MAX_SNAPSHOT_INFOS];
    int32_t num_entities, num_infos;
} records_t;

static void list_records(const snapshot_ring_t *ring, int64_t tick, records_t *records) {
    records->num_entities = SnapshotRing_Entities(ring, tick, records->entities, records->moved);
    records->num_infos = 0;
    for (int32_t number = MAX_EDICTS; number <= RECORD_WORLD; number++) {
        const entity_state_t *state = SnapshotRing_Record(ring, tick, number, NULL);
        if (state) {
            records->infos[records->num_infos++] = state;
            ASSERT(state->number == number);
        }
    }
}

static snapshot_parts_t parts_of(const snapshot_t *now, const records_t *records) {
    return (snapshot_parts_t){.now = now,
                              .entities = records->entities,
                              .num_entities = records->num_entities,
                              .infos = records->infos,
                              .num_infos = records->num_infos};
}

// Sends the snapshot of tick 100 from a server to the client.
static void send_first(snapshot_ring_t *client) {
    static snapshot_ring_t *ring;
    snapshot_ring_t *server = empty_ring(&ring);
    entity_state_t states[8];
    entity_state_t infos[4] = {{.number = RECORD_CLIENT(0)},
                               {.number = RECORD_CLIENT(7)},
                               {.number = RECORD_CLIENT(PROTO_MAX_CLIENTS - 1)},
                               {.number = RECORD_WORLD}};
    static records_t records;
    records.num_entities = 8;
    records.num_infos = 4;
    for (int32_t i = 0; i < 8; i++) {
        states[i] = known_entity(i);
        records.entities[i] = &states[i];
    }
    for (int32_t i = 0; i < 4; i++) {
        Fields_Set(&infos[i], 0, 1 + i);
        records.infos[i] = &infos[i];
    }
    snapshot_t now = {.tick = 100, .cmd_tick = 99, .player = Player_Default()};
    uint8_t data[MAX_PACKET_BYTES];
    snapshot_stats_t stats;
    msg_writer_t out = MSG_Writer(data, sizeof data);
    const snapshot_parts_t parts = parts_of(&now, &records);
    Snapshot_Write(&out, server, &parts, &stats);
    msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
    snapshot_result_t result = Snapshot_Read(&in, client, NULL);
    ASSERT(result == SNAPSHOT_OK);
}

static void check_valid(const snapshot_t *now, const records_t *records) {
    ASSERT(Player_IsValid(&now->player));
    ASSERT(now->cmd_tick >= 0 && now->cmd_tick <= now->tick && now->cmd_ran_ms <= MAX_RAN_MS);
    for (int32_t i = 0; i < records->num_entities; i++) {
        entity_state_t state = *records->entities[i];
        ASSERT(!Entity_Clamp(&state) && state.number >= 1 && state.number < MAX_EDICTS);
        ASSERT(!Fields_Clamp(&schema.scopes[SCOPE_EDICT], &state));
        ASSERT(i == 0 || records->entities[i - 1]->number < state.number);
    }
    for (int32_t i = 0; i < records->num_infos; i++) {
        entity_state_t state = *records->infos[i];
        const entity_state_t nothing = {.number = state.number};
        ASSERT(state.number <= RECORD_WORLD);
        ASSERT(!Fields_Clamp(&schema.scopes[Fields_Scope(state.number)], &state));
        ASSERT(state.field_mask != 0);
        memset(state.fields, 0, sizeof state.fields);
        state.field_mask = 0;
        ASSERT(Entity_Equal(&state, &nothing));
    }
}

static void check_same(const records_t *a, const records_t *b) {
    ASSERT(a->num_entities == b->num_entities && a->num_infos == b->num_infos);
    for (int32_t i = 0; i < a->num_entities; i++) {
        ASSERT(Entity_Equal(a->entities[i], b->entities[i]));
    }
    for (int32_t i = 0; i < a->num_infos; i++) {
        ASSERT(Entity_Equal(a->infos[i], b->infos[i]));
    }
}

// Sends the whole snapshot to another client, in as many packets as needed, and compares.
static void check_round_trip(snapshot_t now, const records_t *records) {
    static uint8_t data[MAX_MESSAGE_BYTES];
    static snapshot_ring_t *rings[2];
    static records_t told;
    snapshot_ring_t *server = empty_ring(&rings[0]);
    snapshot_ring_t *client = empty_ring(&rings[1]);
    snapshot_stats_t stats;
    const snapshot_parts_t parts = parts_of(&now, records);
    for (int32_t packets = 0;; packets++) {
        ASSERT(packets < 100);
        msg_writer_t out = MSG_Writer(data, sizeof data);
        Snapshot_Write(&out, server, &parts, &stats);
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
    list_records(client, now.tick, &told);
    check_same(&told, records);
    const snapshot_t *got = SnapshotRing_Find(client, now.tick);
    now.num_deferred = 0;
    ASSERT(got && memcmp(got, &now, sizeof now) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static snapshot_ring_t *ring;
    static records_t records;
    make_schema();
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
        int64_t tick = SnapshotRing_Newest(client);
        list_records(client, tick, &records);
        check_valid(SnapshotRing_Find(client, tick), &records);
        if (tick < MSG_MAX_TICK - 1000) {
            check_round_trip(*SnapshotRing_Find(client, tick), &records);
        }
    }
    return 0;
}
