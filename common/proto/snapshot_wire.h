/// proto/snapshot_wire.h - the layout of a snapshot. Private to proto/.

#ifndef EDICTD_PROTO_SNAPSHOT_WIRE_H
#define EDICTD_PROTO_SNAPSHOT_WIRE_H

#include "proto/player_codec.h"
#include "proto/ring_local.h"

#define SNAP_EPOCH_BITS 8
// Orders of the Golomb codes (MSG_WriteVar) of the fields.
#define SNAP_BASE_K     3 // ticks since the baseline
#define SNAP_CMD_K      1 // ticks since cmd_tick
#define SNAP_RAN_K      0 // cmd_ran_ms minus the length of tick cmd_tick
#define SNAP_QUEUED_K   4 // cmd_queued_ms
#define SNAP_COUNTER_K  5
#define SNAP_AGE_K      1 // ticks since the report was made
#define SNAP_TIME_K     6 // tick times of a report
#define SNAP_ENTITIES_K 4 // count of entity records
#define SNAP_INFOS_K    0 // count of info records
#define SNAP_DEFERRED_K 0
#define SNAP_GAP_K      0         // difference of the numbers of two records
#define SNAP_MAX_LAG    (1 << 20) // maximum ticks since baseline or cmd_tick

// Maximum records of a message; each entity of the baseline may be replaced by another.
#define SNAP_MAX_ENTITIES (2 * MAX_SNAPSHOT_ENTS)
#define SNAP_MAX_RECORDS  (SNAP_MAX_ENTITIES + MAX_SNAPSHOT_INFOS)

/// Returns the snapshot that replaces a missing baseline.
static inline snapshot_t Snap_Zero(void) {
    return (snapshot_t){.player = Player_Default()};
}

/// Returns the bits of a coded gap between the numbers of two records (SNAP_GAP_K).
static inline int32_t Snap_GapBits(int32_t from_number, int32_t to_number) {
    return 2 * (31 - __builtin_clz((uint32_t)(to_number - from_number))) + 1;
}

/// Returns the number before the first record of a list.
static inline int32_t Snap_FirstGapFrom(bool is_info) {
    return is_info ? MAX_EDICTS - 1 : 0;
}

/// Returns the last bit before `index` that is set, or -1.
static inline int32_t Snap_SetBefore(const uint64_t *set, int32_t index) {
    int32_t word = index / 64;
    uint64_t bits = set[word] & ((UINT64_C(1) << (index % 64)) - 1);
    while (bits == 0 && word > 0) {
        bits = set[--word];
    }
    return bits == 0 ? -1 : word * 64 + 63 - __builtin_clzll(bits);
}

/// Returns the first bit from `index` on that is set, of `count` bits, or -1.
static inline int32_t Snap_SetAfter(const uint64_t *set, int32_t count, int32_t index) {
    int32_t word = index / 64;
    uint64_t bits = set[word] & ~((UINT64_C(1) << (index % 64)) - 1);
    while (bits == 0 && word < (count - 1) / 64) {
        bits = set[++word];
    }
    return bits == 0 ? -1 : word * 64 + __builtin_ctzll(bits);
}

/// Codes epoch, tick and baseline. `back`: ticks since the baseline, 0 = none.
void Snap_CodeStart(msg_t *msg, uint32_t *epoch, int64_t *tick, uint32_t *back);

/// Returns the owner's part, clamped to what the client accepts. Sets *clamped if anything was.
snapshot_t Snap_ClampOwner(const snapshot_t *now, const snapshot_t *base, bool *clamped);

/// Codes everything before the events. Set now->tick before.
void Snap_CodeOwner(msg_t *msg, const snapshot_ring_t *ring, const snapshot_t *base,
                    snapshot_t *now);

#endif
