/// proto/snapshot_ring.h - the recent snapshots of one connection, from which the baseline is
/// taken. The server stores the snapshots that it sent, the client those that it received.
//
// Memory:  one block per connection; snapshots share unchanged states. A state takes about 220
//          bytes, a snapshot 1.2 KiB; the usual 64 snapshots and 4,096 states take 960 KiB.
// Limits:  without space, the oldest snapshots are dropped, but never the baseline or the newest.

#ifndef EDICTD_PROTO_SNAPSHOT_RING_H
#define EDICTD_PROTO_SNAPSHOT_RING_H

#include "base/limits.h"
#include "state/entity_state.h"
#include "state/player_state.h"

/// The part of a snapshot that only its owner receives. The entities follow it.
typedef struct {
    int64_t tick;          ///< number of ticks run; a command for tick n acts in snapshot n + 1
    int64_t cmd_tick;      ///< commands for earlier ticks have run or were dropped
    int32_t cmd_ran_ms;    ///< ms of commands for cmd_tick that have run, 0..MAX_RAN_MS
    int32_t cmd_queued_ms; ///< ms of commands that wait in the queue, 0..MAX_RAN_MS
    uint32_t filled_ms;    ///< total time without a command, ms; wraps
    uint32_t dropped_cmds; ///< total of dropped commands (late, no time credit, full queue); wraps
    int32_t num_deferred;  ///< entities whose newest state did not fit; set by Snapshot_Write
    player_state_t player;
} snapshot_t;

/// Maximum time in a full queue of commands, ms.
#define MAX_RAN_MS (MAX_CMD_QUEUE * MAX_CMD_MSEC)

typedef struct snapshot_ring_s snapshot_ring_t;

/// Creates a ring. `snapshots`: capacity, 3..SNAPSHOT_BACKUP. `states`: capacity for entity states,
/// 3 * MAX_SNAPSHOT_ENTS..65,536. Returns NULL if out of memory.
snapshot_ring_t *SnapshotRing_Create(int32_t snapshots, int32_t states);

/// Frees a ring; NULL is allowed.
void SnapshotRing_Destroy(snapshot_ring_t *ring);

/// Empties the ring for a new map. Server and client use the epoch and tick_ms of the MAP message.
void SnapshotRing_Reset(snapshot_ring_t *ring, uint32_t epoch, int32_t tick_ms);

/// Server: makes the acknowledged snapshot the baseline and drops older ones. Ignores ticks that
/// are not in the ring. Tick 0: the client has no baseline, so the next snapshot is sent without
/// one.
void SnapshotRing_Ack(snapshot_ring_t *ring, int64_t tick);

/// Returns the tick of the baseline, or 0 if there is none.
int64_t SnapshotRing_Base(const snapshot_ring_t *ring);

/// Returns the tick of the newest snapshot, or 0 if there is none.
int64_t SnapshotRing_Newest(const snapshot_ring_t *ring);

/// Returns the snapshot of a tick, or NULL. The pointer is valid until the ring changes.
const snapshot_t *SnapshotRing_Find(const snapshot_ring_t *ring, int64_t tick);

/// Writes pointers to the entities of a snapshot to `list`, sorted by number. Returns their count,
/// or 0 if there is no snapshot of that tick. The pointers are valid until the ring changes.
int32_t SnapshotRing_Entities(const snapshot_ring_t *ring, int64_t tick,
                              const entity_state_t *list[MAX_SNAPSHOT_ENTS]);

/// Server: returns how many snapshots in a row had no space for this edict's state. Add it to the
/// edict's priority, so that no edict waits forever.
int32_t SnapshotRing_DeferredAge(const snapshot_ring_t *ring, int32_t number);

#endif
