/// proto/snapshot_ring.h - the recent snapshots of one connection: sent by the server, received by
/// the client.
//
// Memory:  one block of 2 MiB per connection, and a pool of states. Only used pages take memory.
// Limits:  if a new snapshot does not fit, the oldest are dropped, except baseline and newest.

#ifndef EDICTD_PROTO_SNAPSHOT_RING_H
#define EDICTD_PROTO_SNAPSHOT_RING_H

#include "base/limits.h"
#include "proto/event_codec.h"
#include "proto/fields.h"
#include "proto/state_pool.h"
#include "state/entity_state.h"
#include "state/player_state.h"

#define REPORT_COUNTS 1024 // counts of a report are sent modulo this: eight seconds at 128 Hz
#define REPORT_CMDS   256

/// A report of the server about the connection and itself, about once a second.
typedef struct {
    int64_t tick;         ///< of the first snapshot with this report; 0 = none yet
    uint16_t snapshots;   ///< sent to the client, that of `tick` included; modulo REPORT_COUNTS
    uint16_t cmd_packets; ///< received from the client; modulo REPORT_COUNTS
    uint16_t next_cmd;    ///< number after the newest command in them; modulo REPORT_CMDS
    uint16_t tick_mean, tick_worst; ///< times of the server's ticks in one second, 1/10 ms
} snapshot_report_t;

/// The part of a snapshot for its owner. Entities follow.
typedef struct {
    int64_t tick;          ///< ticks run; a command for tick n shows in snapshot n + 1
    int64_t cmd_tick;      ///< earlier commands have run or were dropped
    int32_t cmd_ran_ms;    ///< run time of commands for cmd_tick, 0..MAX_RAN_MS
    int32_t cmd_queued_ms; ///< time of queued commands, 0..MAX_RAN_MS
    uint32_t filled_ms;    ///< total time without command, ms; wraps
    uint32_t dropped_cmds; ///< total of dropped commands; wraps
    snapshot_report_t report;
    int32_t num_deferred; ///< records that did not fit; set by Snapshot_Write
    player_state_t player;
} snapshot_t;

/// Maximum time of queued commands, ms.
#define MAX_RAN_MS (MAX_CMD_QUEUE * MAX_CMD_MSEC)

/// Records of a snapshot with the fields of clients and the world, and records of all kinds.
#define MAX_SNAPSHOT_INFOS   (PROTO_MAX_CLIENTS + 1)
#define MAX_SNAPSHOT_RECORDS (MAX_SNAPSHOT_ENTS + MAX_SNAPSHOT_INFOS)

typedef struct snapshot_ring_s snapshot_ring_t;

/// Maximum states that a ring takes of its pool: as many as SNAPSHOT_BACKUP full packets send. With
/// fewer, a ring would drop each snapshot before its acknowledgement arrives. Then the baseline
/// stays, and every packet repeats all changes since.
#define RING_STATES (384 * SNAPSHOT_BACKUP)
_Static_assert(RING_STATES >= 3 * MAX_SNAPSHOT_RECORDS, "baseline, newest and next snapshot fit");

/// Creates a ring. `snapshots`: 3..SNAPSHOT_BACKUP. `pool`: outlives the ring; NULL = of its own.
/// Returns NULL if out of memory.
snapshot_ring_t *SnapshotRing_Create(int32_t snapshots, state_pool_t *pool);

/// Frees a ring; NULL is allowed.
void SnapshotRing_Destroy(snapshot_ring_t *ring);

/// Empties the ring for a new map, with epoch and rate_mhz of the MAP. `schema`: of the fields;
/// must outlive the ring, and may change only before the first snapshot. NULL = no fields.
void SnapshotRing_Reset(snapshot_ring_t *ring, uint32_t epoch, int32_t rate_mhz,
                        const field_schema_t *schema);

/// Server: makes the acknowledged snapshot the baseline and drops older ones. Ignores unknown
/// ticks. Tick 0 removes the baseline.
void SnapshotRing_Ack(snapshot_ring_t *ring, int64_t tick);

/// Server: drops snapshots of a shared pool that are older than it keeps them at `tick`, except the
/// newest, so that silent clients leave states for others. Call it before the lists of the next
/// snapshot are made. Returns true if the baseline was dropped.
bool SnapshotRing_DropOld(snapshot_ring_t *ring, int64_t tick);

/// Returns the tick of the baseline, or 0 if there is none.
int64_t SnapshotRing_Base(const snapshot_ring_t *ring);

/// Returns the tick of the newest snapshot, or 0 if there is none.
int64_t SnapshotRing_Newest(const snapshot_ring_t *ring);

/// Returns the snapshot of a tick, or NULL. Valid until the ring changes.
const snapshot_t *SnapshotRing_Find(const snapshot_ring_t *ring, int64_t tick);

/// Server: writes two sets of entities with numbers below 64 * `num_words`, a bit for each number.
/// `held`: those of the baseline. `current`: of these, entities at rest that the client is known to
/// have as they are now. `versions`: by number, as in snapshot_parts_t; 0 = unknown.
void SnapshotRing_Held(const snapshot_ring_t *ring, const uint32_t *versions, uint64_t *held,
                       uint64_t *current, int32_t num_words);

/// Writes the entities of a snapshot as its client shows them, sorted by number. Returns their
/// count; 0 for an unknown tick. `moved`: space for states whose velocity has moved them since
/// they were sent; if NULL, writes all as they were sent. Pointers are valid until the ring
/// changes.
int32_t SnapshotRing_Entities(const snapshot_ring_t *ring, int64_t tick,
                              const entity_state_t *list[MAX_SNAPSHOT_ENTS],
                              entity_state_t moved[MAX_SNAPSHOT_ENTS]);

/// Returns the state of an entity or info record in a snapshot as its client shows it, or NULL.
/// `moved`: as above, for one state. A snapshot older than the baseline has no info records.
/// Valid until the ring changes.
const entity_state_t *SnapshotRing_Record(const snapshot_ring_t *ring, int64_t tick, int32_t number,
                                          entity_state_t *moved);

/// Client: like SnapshotRing_Record, of an entity of the newest snapshot, 0..ENTITY_EXPECT_MS after
/// it. An entity that still moves in the snapshot continues for all of that time.
const entity_state_t *SnapshotRing_Later(const snapshot_ring_t *ring, int32_t number,
                                         int32_t later_ms, entity_state_t *moved);

/// Client: returns the sounds and effects of the newest snapshot.
const snapshot_events_t *SnapshotRing_Events(const snapshot_ring_t *ring);

#endif
