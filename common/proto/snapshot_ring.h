/// proto/snapshot_ring.h - the snapshots of one connection that may still serve as baseline: sent
/// ones on the server, received ones on the client. Both ends hold the same contents.
//
// Floor:   proto.
// Memory:  one block per connection, sized when it is made: a state that did not change from one
//          snapshot to the next is stored once. About 220 bytes a state and 1.2 KiB a snapshot; the
//          usual 64 snapshots and 4,096 states take 960 KiB.
// Limits:  when there is no room the oldest snapshots go, never the baseline and the newest.

#ifndef EDICTD_PROTO_SNAPSHOT_RING_H
#define EDICTD_PROTO_SNAPSHOT_RING_H

#include "base/limits.h"
#include "state/entity_state.h"
#include "state/player_state.h"

/// A snapshot but for its entities: what only its owner is told.
typedef struct {
    int64_t tick;       ///< ticks the world has run: commands for tick t act in snapshot t + 1
    int64_t cmd_tick;   ///< commands for earlier ticks are done with: run, or too late ...
    int32_t cmd_ran_ms; ///< ... and so many ms of those for cmd_tick itself have run, 0..MAX_RAN_MS
    int32_t cmd_queued_ms; ///< ms of commands that wait, 0..MAX_RAN_MS: how early they come
    uint32_t filled_ms;    ///< ms without a command, made up by the server; wraps
    uint32_t dropped_cmds; ///< commands dropped: too late, beyond the time credit or queue; wraps
    int32_t num_deferred;  ///< entities whose newest state did not fit; set by Snapshot_Write
    player_state_t player;
} snapshot_t;

/// Most ms of commands one client can have: a full queue.
#define MAX_RAN_MS (MAX_CMD_QUEUE * MAX_CMD_MSEC)

typedef struct snapshot_ring_s snapshot_ring_t;

/// A ring for `snapshots` (3..SNAPSHOT_BACKUP) snapshots and `states` (at least
/// 3 * MAX_SNAPSHOT_ENTS, at most 65,536) entity states. NULL without memory.
snapshot_ring_t *SnapshotRing_Create(int32_t snapshots, int32_t states);

/// Frees it; NULL is fine.
void SnapshotRing_Destroy(snapshot_ring_t *ring);

/// Forgets everything: a new map. Both ends are told the same epoch and tick_ms by the MAP message.
void SnapshotRing_Reset(snapshot_ring_t *ring, uint32_t epoch, int32_t tick_ms);

/// The server heard that the client holds the snapshot of that tick: it is the baseline from now
/// on. A tick that is not in the ring or older than the baseline changes nothing; 0 = the client
/// has none, the next is sent from zero. Snapshots older than the baseline are forgotten.
void SnapshotRing_Ack(snapshot_ring_t *ring, int64_t tick);

/// The tick of the baseline, 0 = none.
int64_t SnapshotRing_Base(const snapshot_ring_t *ring);

/// The tick of the newest snapshot, 0 = none.
int64_t SnapshotRing_Newest(const snapshot_ring_t *ring);

/// The snapshot of a tick, or NULL. Good until the ring changes.
const snapshot_t *SnapshotRing_Find(const snapshot_ring_t *ring, int64_t tick);

/// The entities of the snapshot of a tick, sorted by number: their count (0 without the snapshot),
/// and `list` filled with pointers that are good until the ring changes.
int32_t SnapshotRing_Entities(const snapshot_ring_t *ring, int64_t tick,
                              const entity_state_t *list[MAX_SNAPSHOT_ENTS]);

/// Server: for how many snapshots in a row the state of this edict has not fitted (0 = the client
/// was told the newest). Weigh the order of importance with it, so that everything gets through.
int32_t SnapshotRing_DeferredAge(const snapshot_ring_t *ring, int32_t number);

#endif
