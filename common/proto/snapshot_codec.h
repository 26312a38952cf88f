/// proto/snapshot_codec.h - writes and reads snapshots: a player's state and the entities that it
/// sees, as differences from a snapshot that the client acknowledged.
//
// Memory:  none; the ring stores the sent or received snapshots.
// Errors:  see snapshot_result_t. A rejected snapshot does not change the ring.
// Cost:    tests/bench/bench_proto.c measures it.

#ifndef EDICTD_PROTO_SNAPSHOT_CODEC_H
#define EDICTD_PROTO_SNAPSHOT_CODEC_H

#include "base/err.h"
#include "proto/msg.h"
#include "proto/snapshot_ring.h"

/// Minimum buffer for a snapshot, in which the owner's part always fits.
#define SNAPSHOT_MIN_BYTES 512

/// Size of the packet that the server sends before it loads a map and is silent for at most
/// NET_BUSY_MS. It contains only the low 8 bits of the epoch.
#define SNAPSHOT_BUSY_BYTES 1

typedef struct {
    int64_t base_tick;    ///< tick of the baseline used, 0 = none
    int32_t num_entities; ///< entities that the client has after this snapshot
    int32_t num_written;  ///< entities in the packet: new, changed or gone
    int32_t num_deferred; ///< entities that changed but did not fit; the next snapshot tries again
    int32_t num_over;     ///< entities in the list beyond MAX_SNAPSHOT_ENTS, which are not sent
    int32_t num_clamped;  ///< 1 if the owner's part was out of range and was clamped
} snapshot_stats_t;

/// Writes a snapshot, and stores it in the ring. `entities`: most important first, each number
/// once, clamped by Entity_Clamp. Entities that do not fit in msg's buffer keep their old state
/// until a later snapshot. The buffer has SNAPSHOT_MIN_BYTES..MAX_MESSAGE_BYTES. now->tick must be
/// above all ticks in the ring. Call MSG_Finish afterwards.
void Snapshot_Write(msg_writer_t *msg, snapshot_ring_t *ring, const snapshot_t *now,
                    const entity_state_t *const *entities, int32_t count, snapshot_stats_t *stats);

typedef enum {
    SNAPSHOT_OK,      ///< valid; stored in the ring as the newest
    SNAPSHOT_STALE,   ///< another epoch, or older than the newest snapshot: ignore it
    SNAPSHOT_NO_BASE, ///< its baseline is not in the ring: ignore it and acknowledge tick 0
    SNAPSHOT_BAD      ///< does not decode; err has the reason
} snapshot_result_t;

snapshot_result_t Snapshot_Read(msg_reader_t *msg, snapshot_ring_t *ring, err_t *err);

#endif
