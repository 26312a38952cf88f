/// proto/snapshot_codec.h - writes and reads snapshots, as differences from an acknowledged one.
//
// Memory:  the ring stores the snapshots.
// Errors:  snapshot_result_t. A rejected snapshot does not change the ring.
// Cost:    tests/bench/bench_proto.c measures it.

#ifndef EDICTD_PROTO_SNAPSHOT_CODEC_H
#define EDICTD_PROTO_SNAPSHOT_CODEC_H

#include "base/err.h"
#include "proto/msg.h"
#include "proto/snapshot_ring.h"

/// Minimum buffer of a snapshot: the owner's part always fits.
#define SNAPSHOT_MIN_BYTES 512

/// Size of the packet before the server loads a map: the low 8 bits of the epoch. Silence of at
/// most NET_BUSY_MS follows.
#define SNAPSHOT_BUSY_BYTES 1

/// Result of Snapshot_Write for a record.
typedef enum {
    ITEM_SAME,     ///< the client expects it
    ITEM_SENT,     ///< in the packet
    ITEM_DEFERRED, ///< did not fit
    ITEM_UNTRIED   ///< as ITEM_DEFERRED or ITEM_SAME: many before it did not fit
} item_fate_t;

/// Info records that the rings of a pool receive alike, with the order of their changes.
typedef struct {
    const entity_state_t *list[MAX_SNAPSHOT_INFOS]; ///< by number less MAX_EDICTS, or NULL
    int64_t ticks[MAX_SNAPSHOT_INFOS];              ///< of the last changes
    uint16_t recent[MAX_SNAPSHOT_INFOS];            ///< indexes of all, last change first
} shared_infos_t;

/// Contents of a snapshot.
typedef struct {
    const snapshot_t *now;           ///< its tick must be greater than every tick in the ring
    const snapshot_events_t *events; ///< most urgent first; NULL = none
    /// Each once, clamped by Entity_Clamp and Fields_Clamp. With `order` by rising number,
    /// otherwise most important first.
    const entity_state_t *const *entities;
    int32_t num_entities;
    const uint16_t *order; ///< indexes of entities[], at most MAX_SNAPSHOT_ENTS, or NULL
    uint8_t *fates;        ///< receives the item_fate_t of each of entities[]; NULL = none wanted
    /// Set of numbers, a bit each: entities outside entities[] that the client keeps as they are,
    /// if it has them. NULL = none. They count as deferred, except `num_current` of them.
    const uint64_t *kept;
    int32_t num_current;
    /// Array whose states all rings of the pool receive alike in this tick; NULL = none.
    const entity_state_t *shared;
    int32_t num_shared;
    /// Version of each of shared[]: a new one after each change of the entity's state; 0 = unknown.
    /// NULL = all are unknown.
    const uint32_t *versions;
    /// Fields of clients and the world, each once, clamped by Fields_Clamp. If all fields are 0, a
    /// record is left out.
    const entity_state_t *const *infos;
    int32_t num_infos;
    const shared_infos_t *shared_infos; ///< those that are not in infos[]; NULL = none
    bool is_crowded; ///< many entities wait: info records leave them more of the message
} snapshot_parts_t;

typedef struct {
    int64_t base_tick;    ///< tick of the baseline, 0 = none
    int32_t num_entities; ///< entities of the client after this snapshot
    int32_t num_written;  ///< records in the packet: new, changed or gone
    int32_t num_deferred; ///< records that did not fit, or were not tried
    int32_t num_over;     ///< entities beyond MAX_SNAPSHOT_ENTS, not sent
    int32_t num_events;   ///< events in the packet: the first of the list
    int32_t event_bits;   ///< bits of the packet with events, a third at most
    int32_t num_clamped;  ///< 1 = the owner's part was clamped
    int32_t num_unstored; ///< records that fitted, but not into the pool of states: deferred
} snapshot_stats_t;

/// Writes a snapshot of SNAPSHOT_MIN_BYTES..MAX_MESSAGE_BYTES, and stores it in the ring. Call
/// MSG_Finish afterwards. If a record does not fit into the message, the client keeps its old
/// state. Info records take turns to be the first; the others use a third of the message, or a
/// sixteenth in a crowd, and what the entities leave.
void Snapshot_Write(msg_writer_t *msg, snapshot_ring_t *ring, const snapshot_parts_t *parts,
                    snapshot_stats_t *stats);

typedef enum {
    SNAPSHOT_OK,      ///< stored in the ring
    SNAPSHOT_STALE,   ///< old, or of another epoch: ignore it
    SNAPSHOT_NO_BASE, ///< unknown baseline: ignore it and acknowledge tick 0
    SNAPSHOT_BAD      ///< invalid; err has the reason
} snapshot_result_t;

snapshot_result_t Snapshot_Read(msg_reader_t *msg, snapshot_ring_t *ring, err_t *err);

#endif
