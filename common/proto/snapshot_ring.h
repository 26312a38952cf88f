/// proto/snapshot_ring.h - the snapshots of one connection that may become the baseline: the sent
/// ones on the server, the received ones on the client. Both ends hold equal contents.
//
// Memory:  one block per connection; consecutive snapshots share unchanged states. About 220 bytes a
//          state and 1.2 KiB a snapshot; the usual 64 snapshots and 4,096 states take 960 KiB.
// Limits:  without room the oldest snapshots are dropped, never the baseline or the newest.

#ifndef EDICTD_PROTO_SNAPSHOT_RING_H
#define EDICTD_PROTO_SNAPSHOT_RING_H

#include "base/limits.h"
#include "state/entity_state.h"
#include "state/player_state.h"

/// The part of a snapshot that only its owner receives; the entities follow.
typedef struct {
    int64_t tick;          ///< ticks run: commands for tick t act in snapshot t + 1
    int64_t cmd_tick;      ///< commands for earlier ticks have run or were too late
    int32_t cmd_ran_ms;    ///< ms of commands for cmd_tick that have run, 0..MAX_RAN_MS
    int32_t cmd_queued_ms; ///< ms of commands waiting in the queue, 0..MAX_RAN_MS
    uint32_t filled_ms;    ///< ms without a command, filled by the server; wraps
    uint32_t dropped_cmds; ///< commands dropped: late, or beyond time credit or queue; wraps
    int32_t num_deferred;  ///< entities whose newest state did not fit; set by Snapshot_Write
    player_state_t player;
} snapshot_t;

/// Largest total of queued commands, ms: a full queue.
#define MAX_RAN_MS (MAX_CMD_QUEUE * MAX_CMD_MSEC)

typedef struct snapshot_ring_s snapshot_ring_t;

/// Creates a ring. `snapshots`: its capacity, 3..SNAPSHOT_BACKUP. `states`: capacity for entity
/// states, 3 * MAX_SNAPSHOT_ENTS..65,536. Returns NULL if out of memory.
snapshot_ring_t *SnapshotRing_Create(int32_t snapshots, int32_t states);

/// Frees a ring; NULL is allowed.
void SnapshotRing_Destroy(snapshot_ring_t *ring);

/// Empties the ring for a new map. Both ends take epoch and tick_ms from the MAP message.
void SnapshotRing_Reset(snapshot_ring_t *ring, uint32_t epoch, int32_t tick_ms);

/// Server: makes the acknowledged snapshot the baseline and drops older ones. Ignores a tick that
/// is not in the ring or is older than the baseline. 0 = the client holds none; the next snapshot
/// then has no baseline.
void SnapshotRing_Ack(snapshot_ring_t *ring, int64_t tick);

/// Returns the tick of the baseline, 0 = none.
int64_t SnapshotRing_Base(const snapshot_ring_t *ring);

/// Returns the tick of the newest snapshot, 0 = none.
int64_t SnapshotRing_Newest(const snapshot_ring_t *ring);

/// Returns the snapshot of a tick, or NULL. Valid until the ring changes.
const snapshot_t *SnapshotRing_Find(const snapshot_ring_t *ring, int64_t tick);

/// Writes pointers to the entities of a snapshot into `list`, sorted by number, and returns their
/// count; 0 without a snapshot of that tick. The pointers are valid until the ring changes.
int32_t SnapshotRing_Entities(const snapshot_ring_t *ring, int64_t tick,
                              const entity_state_t *list[MAX_SNAPSHOT_ENTS]);

/// Server: returns for how many snapshots in a row the state of this edict did not fit; 0 = the
/// newest one was sent. The caller raises its importance with it, so that no entity waits forever.
int32_t SnapshotRing_DeferredAge(const snapshot_ring_t *ring, int32_t number);

#endif
