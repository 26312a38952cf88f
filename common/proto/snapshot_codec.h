/// proto/snapshot_codec.h - the packet of channel 2: the owner's player state bit-exact, and the
/// entities he sees, against a snapshot that he is known to hold.
//
// Floor:   proto.
// Memory:  none of its own; the ring keeps what was sent or received.
// Errors:  see snapshot_result_t; a refused packet adds nothing to the ring.
// Cost:    tests/bench/bench_proto.c measures it.

#ifndef EDICTD_PROTO_SNAPSHOT_CODEC_H
#define EDICTD_PROTO_SNAPSHOT_CODEC_H

#include "base/err.h"
#include "proto/msg.h"
#include "proto/snapshot_ring.h"

/// Smallest buffer for a snapshot: the owner's part always fits.
#define SNAPSHOT_MIN_BYTES 512

/// What Snapshot_Write did.
typedef struct {
    int64_t base_tick;    ///< baseline used, 0 = from zero
    int32_t num_entities; ///< the client will hold
    int32_t num_written;  ///< new, changed or gone: in the packet
    int32_t num_deferred; ///< new, changed or gone, but no room; tried again next time
    int32_t num_over;     ///< beyond MAX_SNAPSHOT_ENTS of the list: not told at all
    int32_t num_clamped;  ///< 1 when the owner's part was out of range
} snapshot_stats_t;

/// Writes the snapshot `now` and the entities in order of importance (each number at most once,
/// 1..MAX_EDICTS-1; the list is not kept). Their fields must be within range: one Entity_Clamp a
/// tick does for all clients. msg's buffer (SNAPSHOT_MIN_BYTES..
/// MAX_MESSAGE_BYTES, usually MAX_PACKET_BYTES) is the budget: what does not fit stays for the client as it was in the
/// baseline and is tried again by the next call. The ring gets exactly what the client will hold.
/// now->tick must be above all in the ring. A player state that is not Player_IsValid stays as it
/// was. MSG_Finish afterwards gives the size.
void Snapshot_Write(msg_writer_t *msg, snapshot_ring_t *ring, const snapshot_t *now,
                    const entity_state_t *const *entities, int32_t count, snapshot_stats_t *stats);

typedef enum {
    SNAPSHOT_OK,      ///< it is in the ring as the newest
    SNAPSHOT_STALE,   ///< of another epoch, or not newer than the newest: ignore it
    SNAPSHOT_NO_BASE, ///< its baseline is gone: ignore it and acknowledge 0
    SNAPSHOT_BAD      ///< does not decode; err says why
} snapshot_result_t;

/// Reads a snapshot into the ring.
snapshot_result_t Snapshot_Read(msg_reader_t *msg, snapshot_ring_t *ring, err_t *err);

#endif
