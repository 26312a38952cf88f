// bench_proto.c - measures the protocol: bytes per client and second, and time per snapshot, for
// players that run, turn, jump and rest, with a round trip of six ticks.
//
// The cases "with all" are those of lib/runners_fixture.h: at most 9 B for each moving player of 32
// (tests/unit/common/proto/test_snapshot_size.c).
//
// The peers are public engines on a machine like this one: QuakeWorld sends about 23 B per visible
// player and packet. Quake III sends about 21 B per changed entity and spends about 52 us on a
// snapshot of 23 deltas.

#include "lib/runners_fixture.h"
#include "math/angles.h"
#include "proto/usercmd_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TICKS_S    (1000.0 / RUNNERS_TICK_MS)
#define MAX_STATES (1 << 19) // as the server's pool
#define NUM_TICKS  2000

// Times of the snapshots of a run, ns.
typedef struct {
    int64_t write[NUM_TICKS], read[NUM_TICKS];
} times_t;

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

// Runs a match; the caller destroys it.
static runners_t *run_match(int32_t count, bool has_all, times_t *times) {
    runners_t *match = Runners_Create(count, has_all);
    for (int32_t i = 0; i < NUM_TICKS; i++) {
        Runners_Tick(match, i + 1);
        times->write[i] = match->write_ns;
        times->read[i] = match->read_ns;
    }
    return match;
}

static void bench_all(int32_t count, times_t *times) {
    runners_t *match = run_match(count, true, times);
    printf("bench_proto,snapshot %d players with all per moving player,%.2f,B,limit,9\n", count,
           (double)match->bytes / (double)match->moving);
    printf("bench_proto,snapshot %d players with all write,%.0f,ns,,\n", count,
           median(times->write, NUM_TICKS));
    printf("bench_proto,snapshot %d players with all read,%.0f,ns,,\n", count,
           median(times->read, NUM_TICKS));
    Runners_Destroy(match);
}

static void bench_snapshots(int32_t count, times_t *times) {
    runners_t *match = run_match(count, false, times);
    double entities = match->entities ? (double)match->entities : 1.0;
    printf("bench_proto,snapshot %d players,%.0f,B/client/s,%s,%s\n", count,
           (double)match->bytes / NUM_TICKS * TICKS_S, count == 32 ? "mvdsv" : "",
           count == 32 ? "13350" : "");
    printf("bench_proto,snapshot %d players changed entity,%.2f,B,ioquake3,21\n", count,
           (double)match->bytes / entities);
    printf("bench_proto,snapshot %d players write,%.0f,ns,%s,%s\n", count,
           median(times->write, NUM_TICKS), count == 24 ? "ioquake3" : "",
           count == 24 ? "52000" : "");
    printf("bench_proto,snapshot %d players read,%.0f,ns,,\n", count,
           median(times->read, NUM_TICKS));
    printf("bench_proto,snapshot %d players deferred,%.3f,entities/snapshot,,\n", count,
           (double)match->deferred / NUM_TICKS);
    Runners_Destroy(match);
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
static size_t write_for(runners_t *match, snapshot_ring_t *ring, int32_t slot, int64_t tick) {
    uint8_t data[MAX_PACKET_BYTES];
    int32_t seen = 0;
    const int32_t first = slot / GROUP * GROUP;
    for (int32_t i = first; i < match->count && i < first + GROUP; i++) {
        if (i != slot) {
            match->order[seen++] = &match->states[i];
        }
    }
    const snapshot_t now = {.tick = tick,
                            .cmd_tick = tick - 1,
                            .cmd_ran_ms = RUNNERS_TICK_MS,
                            .player = {.origin = match->runners[slot].origin,
                                       .velocity = match->runners[slot].velocity,
                                       .mins = PM_PLAYER_MINS,
                                       .maxs = PM_PLAYER_MAXS}};
    const snapshot_parts_t parts = {.now = &now,
                                    .entities = match->order,
                                    .num_entities = seen,
                                    .shared = match->states,
                                    .num_shared = match->count};
    snapshot_stats_t stats;
    msg_writer_t out = MSG_Writer(data, sizeof data);
    Snapshot_Write(&out, ring, &parts, &stats);
    SnapshotRing_Ack(ring, tick - RUNNERS_RTT);
    return MSG_Finish(&out);
}

// Measures a server with many clients, which share their states.
static void bench_crowd(int32_t clients) {
    static snapshot_ring_t *rings[MAX_RUNNERS];
    runners_t *match = Runners_Create(clients, false);
    state_pool_t *pool = StatePool_Create(Q_MinI(clients * RING_STATES, MAX_STATES));
    int64_t spent_ns = 0;
    uint64_t snapshots = 0;
    for (int32_t i = 0; i < clients; i++) {
        rings[i] = SnapshotRing_Create(SNAPSHOT_BACKUP, pool);
        SnapshotRing_Reset(rings[i], 1, RUNNERS_RATE_MHZ, NULL);
    }
    for (int64_t tick = RUNNERS_RTT + 1; tick <= CROWD_TICKS; tick++) {
        Runners_Move(match);
        int64_t start = cpu_ns();
        for (int32_t i = (int32_t)(tick % EVERY_TICKS); i < clients; i += EVERY_TICKS) {
            match->bytes += write_for(match, rings[i], i, tick);
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
    Runners_Destroy(match);
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
        Runner_Run(&rng, &runner);
        memmove(&cmds[0], &cmds[1], 3 * sizeof cmds[0]);
        cmds[3] = (usercmd_t){.tick = tick,
                              .view_tick = tick - RUNNERS_RTT,
                              .msec = RUNNERS_TICK_MS,
                              .yaw = AngleToShort(runner.yaw),
                              .forward = runner.runs ? 320 : 0};
        usercmd_packet_t packet = {.epoch = 1, .ack_tick = tick - RUNNERS_RTT, .count = 4};
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
    static times_t times;
    static const int32_t counts[] = {1, 8, 24, 32, 64, 128};
    for (size_t i = 0; i < COUNTOF(counts); i++) {
        bench_snapshots(counts[i], &times);
    }
    bench_all(8, &times);
    bench_all(32, &times);
    bench_all(64, &times);
    bench_crowd(64);
    bench_crowd(512);
    bench_usercmds();
    return 0;
}
