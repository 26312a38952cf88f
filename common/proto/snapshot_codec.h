/// proto/snapshot_codec.h - the packet of channel 2: the owner's player state, bit-exact, and the
/// entities it sees, coded against a snapshot that the client has acknowledged.
//
// Memory:  none; the ring keeps the sent or received snapshots.
// Errors:  see snapshot_result_t. A rejected packet does not change the ring.
// Cost:    tests/bench/bench_proto.c measures it.

#ifndef EDICTD_PROTO_SNAPSHOT_CODEC_H
#define EDICTD_PROTO_SNAPSHOT_CODEC_H

#include "base/err.h"
#include "proto/msg.h"
#include "proto/snapshot_ring.h"

/// Smallest buffer for a snapshot; the owner's part always fits.
#define SNAPSHOT_MIN_BYTES 512

/// Results of Snapshot_Write.
typedef struct {
    int64_t base_tick;    ///< tick of the baseline used, 0 = none
    int32_t num_entities; ///< entities the client will hold
    int32_t num_written;  ///< new, changed or gone, and in the packet
    int32_t num_deferred; ///< new, changed or gone, but without room; tried again
    int32_t num_over;     ///< list entries beyond MAX_SNAPSHOT_ENTS, not sent
    int32_t num_clamped;  ///< 1 if the owner's part was out of range
} snapshot_stats_t;

/// Writes the snapshot `now` and the entities, and stores in the ring what the client will hold.
/// `entities`: sorted by importance, each number at most once and 1..MAX_EDICTS-1, fields in range
/// (one Entity_Clamp a tick serves all clients). The size of msg's buffer is the budget,
/// SNAPSHOT_MIN_BYTES..MAX_MESSAGE_BYTES, usually MAX_PACKET_BYTES. An entity that does not fit
/// keeps its baseline state; the next call tries again. now->tick must be above all ticks in
/// the ring. An invalid player state is replaced by that of the baseline. Call MSG_Finish
/// afterwards.
void Snapshot_Write(msg_writer_t *msg, snapshot_ring_t *ring, const snapshot_t *now,
                    const entity_state_t *const *entities, int32_t count, snapshot_stats_t *stats);

typedef enum {
    SNAPSHOT_OK,      ///< stored in the ring as the newest
    SNAPSHOT_STALE,   ///< of another epoch, or not newer than the newest: ignore it
    SNAPSHOT_NO_BASE, ///< its baseline is not in the ring: ignore it and acknowledge 0
    SNAPSHOT_BAD      ///< does not decode; err holds the reason
} snapshot_result_t;

/// Reads a snapshot and stores it in the ring.
snapshot_result_t Snapshot_Read(msg_reader_t *msg, snapshot_ring_t *ring, err_t *err);

#endif
