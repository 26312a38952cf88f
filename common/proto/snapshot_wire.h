/// proto/snapshot_wire.h - numbers of the snapshot's layout that its writer and its reader share.
//
// Floor:   proto.

#ifndef EDICTD_PROTO_SNAPSHOT_WIRE_H
#define EDICTD_PROTO_SNAPSHOT_WIRE_H

#include "proto/player_codec.h"
#include "proto/ring_local.h"

#define SNAP_EPOCH_BITS   8
#define SNAP_RECORD_BITS  10 // count of entity records
#define SNAP_BASE_K       3  // ticks since the baseline
#define SNAP_CMD_K        1  // ticks since the command run last
#define SNAP_RAN_K        0  // ms of it beyond a tick
#define SNAP_QUEUED_K     4
#define SNAP_COUNTER_K    5
#define SNAP_DEFERRED_K   0
#define SNAP_GAP_K        0         // to the next entity's number
#define SNAP_MAX_LAG      (1 << 20) // ticks back to baseline and command
#define SNAP_MAX_CARRY_MS 60000     // farthest an origin is carried on by its velocity

#define SNAP_MAX_RECORDS ((1 << SNAP_RECORD_BITS) - 1)

/// Time from the baseline to a tick, as the entities' code takes it.
static inline int32_t Snap_ElapsedMs(const snapshot_ring_t *ring, int64_t base_tick, int64_t tick) {
    int64_t elapsed = base_tick > 0 ? (tick - base_tick) * ring->tick_ms : 0;
    return elapsed > SNAP_MAX_CARRY_MS ? SNAP_MAX_CARRY_MS : (int32_t)elapsed;
}

/// What a snapshot without a baseline is coded against.
static inline snapshot_t Snap_Zero(void) {
    return (snapshot_t){.player = Player_Default()};
}

#endif
