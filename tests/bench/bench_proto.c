// bench_proto.c - measures the protocol: bytes per client and second, and time per snapshot, for
// players that run, turn, jump and rest, with a round trip of six ticks.
//
// The cases "with all" add a class, a weapon and an armour of each player, the info records of all
// clients (ping, team, score) and of the world (clock), and 1.5 sounds a second of each player,
// each sent three times: at most 9 B for each moving player of 32.
//
// The peers are public engines on a machine like this one: QuakeWorld sends about 23 B per visible
// player and packet. Quake III sends about 21 B per changed entity and spends about 52 us on a
// snapshot of 23 deltas.

#include "base/rng.h"
#include "math/angles.h"
#include "proto/snapshot_codec.h"
#include "proto/usercmd_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TICK_MS     16
#define RATE_MHZ    62500
#define TICKS_S     (1000.0 / TICK_MS)
#define RTT_TICKS   6
#define MAX_RUNNERS 512
#define NUM_TICKS   2000

typedef struct {
    vec3_t origin, velocity;
    float yaw, turn; // degrees, degrees a tick
    int32_t busy_ticks;
    bool runs;
} runner_t;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare_times(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

// Returns the median of the times, which other work on the machine hardly changes.
static double median(int64_t *times, size_t count) {
    qsort(times, count, sizeof *times, compare_times);
    int64_t middle = times[count / 2];
    return (double)middle;
}

// Chooses anew about once per second: run or stand, turn or not, jump.
static void decide(rng_t *rng, runner_t *runner) {
    runner->busy_ticks = 20 + (int32_t)Rng_Below(rng, 80);
    runner->runs = Rng_Below(rng, 5) > 0;
    runner->turn = Rng_Below(rng, 2) ? Rng_Range(rng, -4.0f, 4.0f) : 0.0f;
    if (Rng_Below(rng, 3) == 0 && runner->origin.z <= 0.0f) {
        runner->velocity.z = 270.0f;
    }
}

// Moves roughly as pmove does on a plane: friction, acceleration, gravity.
static void run(rng_t *rng, runner_t *runner) {
    const float dt = TICK_MS * 0.001f;
    if (runner->busy_ticks-- <= 0) {
        decide(rng, runner);
    }
    runner->yaw = AngleMod(runner->yaw + runner->turn);
    vec3_t forward;
    AngleVectors(Vector(0.0f, runner->yaw, 0.0f), &forward, NULL, NULL);
    vec3_t wish = VectorScale(forward, runner->runs ? 320.0f : 0.0f);
    float grip = runner->origin.z <= 0.0f ? 0.1f : 0.01f;
    runner->velocity.x += (wish.x - runner->velocity.x) * grip;
    runner->velocity.y += (wish.y - runner->velocity.y) * grip;
    if (!runner->runs && fabsf(runner->velocity.x) + fabsf(runner->velocity.y) < 4.0f) {
        runner->velocity.x = runner->velocity.y = 0.0f;
    }
    runner->velocity.z -= runner->origin.z > 0.0f || runner->velocity.z > 0.0f ? 800.0f * dt : 0.0f;
    runner->origin = VectorMA(runner->origin, dt, runner->velocity);
    if (runner->origin.z < 0.0f) {
        runner->origin.z = 0.0f;
        runner->velocity.z = 0.0f;
    }
    if (fabsf(runner->origin.x) > 3000.0f || fabsf(runner->origin.y) > 3000.0f) {
        runner->yaw = AngleMod(runner->yaw + 180.0f);
        runner->velocity = VectorNegate(runner->velocity);
        runner->origin = VectorScale(runner->origin, 0.99f);
    }
}

static int32_t quantised(float value, float scale) {
    return Q_ToInt(floorf(value * scale + 0.5f), -(1 << 24), 1 << 24);
}

static entity_state_t entity_of(const runner_t *runner, int32_t number) {
    return (entity_state_t){
        .number = number,
        .type = ENTITY_PLAYER,
        .solid = 3,
        .owner = number,
        .origin = {quantised(runner->origin.x, 16.0f), quantised(runner->origin.y, 16.0f),
                   quantised(runner->origin.z, 16.0f)},
        .velocity = {quantised(runner->velocity.x, 1.0f), quantised(runner->velocity.y, 1.0f),
                     quantised(runner->velocity.z, 1.0f)},
        .angles = {0, AngleToShort(runner->yaw), 0},
        .mins = {-256, -256, -384},
        .maxs = {256, 256, 512},
    };
}

// ---- fields ----

#define SECOND 62 // ticks

static const field_schema_t schema = {
    .scopes = {[SCOPE_EDICT] = {2,
                                {{"weapon", SENT_INT, 0, 0, 31, 0.0f},
                                 {"armour", SENT_INT, 0, 0, 200, 0.0f}}},
               [SCOPE_CLIENT] = {3,
                                 {{"ping", SENT_INT, 0, 0, 10000, 0.0f},
                                  {"team", SENT_INT, 0, 0, 255, 0.0f},
                                  {"score", SENT_INT, 0, INT32_MIN, INT32_MAX, 0.0f}}},
               [SCOPE_WORLD] = {1, {{"clock", SENT_INT, 0, 0, INT32_MAX, 0.0f}}}}};

// Changes the fields about as often as in a match.
static void change_fields(rng_t *rng, entity_state_t *player, entity_state_t *info) {
    player->classname = 1;
    if (Rng_Below(rng, 3 * SECOND) == 0) {
        Fields_Set(player, 0, (int32_t)Rng_Below(rng, 8));
    }
    if (Rng_Below(rng, 5 * SECOND) == 0) {
        Fields_Set(player, 1, (int32_t)Rng_Below(rng, 200));
    }
    if (Rng_Below(rng, SECOND) == 0) {
        Fields_Set(info, 0, 40 + (int32_t)Rng_Below(rng, 8));
    }
    if (Rng_Below(rng, 20 * SECOND) == 0) {
        Fields_Set(info, 2, info->fields[2] + 1);
    }
}

#define REPEAT_TICKS 3 // ticks between two sendings of a sound

typedef struct {
    rng_t rng;
    bool has_all;
    uint16_t seq;                                 // of the next sound
    snapshot_events_t made[2 * REPEAT_TICKS + 1]; // sounds of the last ticks
    snapshot_events_t events;
    runner_t runners[MAX_RUNNERS];
    entity_state_t fields[MAX_RUNNERS]; // only class and fields
    entity_state_t infos[MAX_RUNNERS + 1];
    const entity_state_t *info_order[MAX_RUNNERS + 1];
    entity_state_t states[MAX_RUNNERS];
    const entity_state_t *order[MAX_RUNNERS];
    int32_t count;
    snapshot_ring_t *server, *client;
    uint64_t bytes, entities, moving, deferred;
    int64_t write_ns[NUM_TICKS], read_ns[NUM_TICKS];
} bench_t;

static void add_fields(bench_t *b, int64_t tick) {
    for (int32_t i = 0; i < b->count; i++) {
        change_fields(&b->rng, &b->fields[i], &b->infos[i]);
        b->states[i].classname = b->fields[i].classname;
        b->states[i].field_mask = b->fields[i].field_mask;
        memcpy(b->states[i].fields, b->fields[i].fields, sizeof b->fields[i].fields);
    }
    Fields_Set(&b->infos[b->count], 0, 1 + (int32_t)(tick / SECOND));
}

// Makes the sounds of a tick, and lists those to send.
static void add_sounds(bench_t *b, int64_t tick) {
    const int64_t kept = (int64_t)COUNTOF(b->made);
    snapshot_events_t *made = &b->made[tick % kept];
    made->count = 0;
    b->events.count = 0;
    for (int32_t i = 0; i < b->count; i++) {
        if (Rng_Below(&b->rng, 2 * SECOND) < 3) {
            const game_event_t sound = {.kind = GAME_SOUND,
                                        .number = 1 + (int32_t)Rng_Below(&b->rng, 60),
                                        .entity = i + 1,
                                        .range = GAME_SOUND_RANGE,
                                        .volume = 1.0f};
            made->list[made->count++] = (snapshot_event_t){b->seq++, tick, sound};
        }
    }
    for (int64_t age = 2 * REPEAT_TICKS; age >= 0; age -= REPEAT_TICKS) {
        made = &b->made[(tick + kept - age) % kept];
        for (int32_t i = 0; i < made->count; i++) {
            b->events.list[b->events.count++] = made->list[i];
        }
    }
}

static void one_tick(bench_t *b, int64_t tick) {
    uint8_t data[MAX_PACKET_BYTES];
    int32_t seen = 0;
    for (int32_t i = 0; i < b->count; i++) {
        run(&b->rng, &b->runners[i]);
        b->states[i] = entity_of(&b->runners[i], i + 1);
        if (i > 0) {
            b->order[seen++] = &b->states[i];
        }
    }
    if (b->has_all) {
        add_fields(b, tick);
        add_sounds(b, tick);
    }
    const runner_t *self = &b->runners[0];
    snapshot_t now = {.tick = tick,
                      .cmd_tick = tick - 1,
                      .cmd_ran_ms = TICK_MS,
                      .cmd_queued_ms = 2 * TICK_MS,
                      .player = {.origin = self->origin,
                                 .velocity = self->velocity,
                                 .mins = PM_PLAYER_MINS,
                                 .maxs = PM_PLAYER_MAXS,
                                 .angles = {0.0f, ShortToAngle(AngleToShort(self->yaw)), 0.0f},
                                 .watertype = -1,
                                 .health = 100}};
    snapshot_stats_t stats;
    int64_t start = now_ns();
    msg_writer_t out = MSG_Writer(data, sizeof data);
    const snapshot_parts_t parts = {.now = &now,
                                    .events = &b->events,
                                    .entities = b->order,
                                    .num_entities = seen,
                                    .infos = b->info_order,
                                    .num_infos = b->has_all ? b->count + 1 : 0};
    Snapshot_Write(&out, b->server, &parts, &stats);
    size_t size = MSG_Finish(&out);
    int64_t written = now_ns();
    msg_reader_t in = MSG_Reader(data, size);
    if (Snapshot_Read(&in, b->client, NULL) != SNAPSHOT_OK) {
        abort();
    }
    b->read_ns[tick - 1] = now_ns() - written;
    b->write_ns[tick - 1] = written - start;
    b->bytes += size;
    for (int32_t i = 1; i < b->count; i++) {
        b->moving += VectorCompare(b->runners[i].velocity, vec3_zero) ? 0 : 1;
    }
    b->entities += (uint64_t)stats.num_written;
    b->deferred += (uint64_t)stats.num_deferred;
    if (tick > RTT_TICKS) {
        SnapshotRing_Ack(b->server, tick - RTT_TICKS);
    }
}

static bench_t *new_bench(int32_t count, bool has_all) {
    bench_t *b = calloc(1, sizeof *b);
    if (!b) {
        abort();
    }
    b->rng.state = 1;
    b->count = count;
    b->has_all = has_all;
    for (int32_t i = 0; i <= count; i++) {
        b->infos[i].number = i < count ? RECORD_CLIENT(i) : RECORD_WORLD;
        b->info_order[i] = &b->infos[i];
        Fields_Set(&b->infos[i], i < count ? 1 : 0, 1 + i % 2);
    }
    b->server = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    b->client = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    if (!b->server || !b->client) {
        abort();
    }
    SnapshotRing_Reset(b->server, 1, RATE_MHZ, &schema);
    SnapshotRing_Reset(b->client, 1, RATE_MHZ, &schema);
    for (int32_t i = 0; i < count; i++) {
        b->runners[i].origin = Vector(Rng_Range(&b->rng, -2000.0f, 2000.0f),
                                      Rng_Range(&b->rng, -2000.0f, 2000.0f), 0.0f);
    }
    return b;
}

static void end_bench(bench_t *b) {
    SnapshotRing_Destroy(b->server);
    SnapshotRing_Destroy(b->client);
    free(b);
}

static void bench_all(int32_t count) {
    bench_t *b = new_bench(count, true);
    for (int64_t tick = 1; tick <= NUM_TICKS; tick++) {
        one_tick(b, tick);
    }
    printf("bench_proto,snapshot %d players with all per moving player,%.2f,B,limit,9\n", count,
           (double)b->bytes / (double)b->moving);
    printf("bench_proto,snapshot %d players with all write,%.0f,ns,,\n", count,
           median(b->write_ns, NUM_TICKS));
    printf("bench_proto,snapshot %d players with all read,%.0f,ns,,\n", count,
           median(b->read_ns, NUM_TICKS));
    end_bench(b);
}

static void bench_snapshots(int32_t count) {
    bench_t *b = new_bench(count, false);
    for (int64_t tick = 1; tick <= NUM_TICKS; tick++) {
        one_tick(b, tick);
    }
    double entities = b->entities ? (double)b->entities : 1.0;
    printf("bench_proto,snapshot %d players,%.0f,B/client/s,%s,%s\n", count,
           (double)b->bytes / NUM_TICKS * TICKS_S, count == 32 ? "mvdsv" : "",
           count == 32 ? "13350" : "");
    printf("bench_proto,snapshot %d players changed entity,%.2f,B,ioquake3,21\n", count,
           (double)b->bytes / entities);
    printf("bench_proto,snapshot %d players write,%.0f,ns,%s,%s\n", count,
           median(b->write_ns, NUM_TICKS), count == 24 ? "ioquake3" : "",
           count == 24 ? "52000" : "");
    printf("bench_proto,snapshot %d players read,%.0f,ns,,\n", count,
           median(b->read_ns, NUM_TICKS));
    printf("bench_proto,snapshot %d players deferred,%.3f,entities/snapshot,,\n", count,
           (double)b->deferred / NUM_TICKS);
    end_bench(b);
}

// ---- many clients ----

#define GROUP       60 // players that see each other
#define EVERY_TICKS 3  // ticks between two snapshots of a client
#define CROWD_TICKS 300

static int64_t cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Writes the snapshot of a client who sees the players of its group.
static size_t write_for(bench_t *b, snapshot_ring_t *ring, int32_t slot, int64_t tick) {
    uint8_t data[MAX_PACKET_BYTES];
    int32_t seen = 0;
    const int32_t first = slot / GROUP * GROUP;
    for (int32_t i = first; i < b->count && i < first + GROUP; i++) {
        if (i != slot) {
            b->order[seen++] = &b->states[i];
        }
    }
    const snapshot_t now = {.tick = tick,
                            .cmd_tick = tick - 1,
                            .cmd_ran_ms = TICK_MS,
                            .player = {.origin = b->runners[slot].origin,
                                       .velocity = b->runners[slot].velocity,
                                       .mins = PM_PLAYER_MINS,
                                       .maxs = PM_PLAYER_MAXS}};
    const snapshot_parts_t parts = {.now = &now,
                                    .entities = b->order,
                                    .num_entities = seen,
                                    .shared = b->states,
                                    .num_shared = b->count};
    snapshot_stats_t stats;
    msg_writer_t out = MSG_Writer(data, sizeof data);
    Snapshot_Write(&out, ring, &parts, &stats);
    SnapshotRing_Ack(ring, tick - RTT_TICKS);
    return MSG_Finish(&out);
}

// Measures a server with many clients, which share their states.
static void bench_crowd(int32_t clients) {
    static snapshot_ring_t *rings[MAX_RUNNERS];
    bench_t *b = new_bench(clients, false);
    state_pool_t *pool = StatePool_Create(clients * RING_STATES);
    int64_t spent_ns = 0;
    uint64_t snapshots = 0;
    for (int32_t i = 0; i < clients; i++) {
        rings[i] = SnapshotRing_Create(SNAPSHOT_BACKUP, pool);
        SnapshotRing_Reset(rings[i], 1, RATE_MHZ, &schema);
    }
    for (int64_t tick = RTT_TICKS + 1; tick <= CROWD_TICKS; tick++) {
        for (int32_t i = 0; i < clients; i++) {
            run(&b->rng, &b->runners[i]);
            b->states[i] = entity_of(&b->runners[i], i + 1);
        }
        int64_t start = cpu_ns();
        for (int32_t i = (int32_t)(tick % EVERY_TICKS); i < clients; i += EVERY_TICKS) {
            b->bytes += write_for(b, rings[i], i, tick);
            snapshots++;
        }
        spent_ns += cpu_ns() - start;
    }
    printf("bench_proto,snapshot of %d clients in groups of %d write,%.0f,ns,,\n", clients, GROUP,
           (double)spent_ns / (double)snapshots);
    for (int32_t i = 0; i < clients; i++) {
        SnapshotRing_Destroy(rings[i]);
    }
    StatePool_Destroy(pool);
    end_bench(b);
}

// Measures a command per tick, with the last four in each packet. The view turns smoothly half of
// the time.
static void bench_usercmds(void) {
    rng_t rng = {2};
    runner_t runner = {.busy_ticks = 0};
    usercmd_t cmds[4] = {{0}};
    uint64_t bytes = 0;
    static int64_t write_ns[NUM_TICKS], read_ns[NUM_TICKS];
    for (int64_t tick = 100; tick < 100 + NUM_TICKS; tick++) {
        run(&rng, &runner);
        memmove(&cmds[0], &cmds[1], 3 * sizeof cmds[0]);
        cmds[3] = (usercmd_t){.tick = tick,
                              .view_tick = tick - RTT_TICKS,
                              .msec = TICK_MS,
                              .yaw = AngleToShort(runner.yaw),
                              .forward = runner.runs ? 320 : 0};
        usercmd_packet_t packet = {.epoch = 1, .ack_tick = tick - RTT_TICKS, .count = 4};
        usercmd_packet_t back;
        uint8_t data[MAX_PACKET_BYTES];
        if (cmds[0].msec == 0) {
            continue;
        }
        memcpy(packet.cmds, cmds, sizeof cmds);
        int64_t start = now_ns();
        msg_writer_t out = MSG_Writer(data, sizeof data);
        UserCmd_Write(&out, &packet);
        size_t size = MSG_Finish(&out);
        int64_t written = now_ns();
        msg_reader_t in = MSG_Reader(data, size);
        if (!UserCmd_Read(&in, &back, NULL)) {
            abort();
        }
        read_ns[tick - 100] = now_ns() - written;
        write_ns[tick - 100] = written - start;
        bytes += size;
    }
    printf("bench_proto,usercmd packets of 4,%.0f,B/client/s,mvdsv,2320\n",
           (double)bytes / NUM_TICKS * TICKS_S);
    printf("bench_proto,usercmd packet write,%.0f,ns,,\n", median(write_ns, NUM_TICKS));
    printf("bench_proto,usercmd packet read,%.0f,ns,,\n", median(read_ns, NUM_TICKS));
}

int main(void) {
    static const int32_t counts[] = {1, 8, 24, 32, 64, 128};
    for (size_t i = 0; i < COUNTOF(counts); i++) {
        bench_snapshots(counts[i]);
    }
    bench_all(8);
    bench_all(32);
    bench_all(64);
    bench_crowd(64);
    bench_crowd(512);
    bench_usercmds();
    return 0;
}
