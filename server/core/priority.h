/// core/priority.h - which changed entities a client receives first when a snapshot is full.
//
//   need of a turn, added up while the entity waits ──▶ weight ──▶ order of the snapshot's records
//                                   waits URGENT_MS ──▶ before all others, longest wait first
//
// Memory:  fixed; only used pages take memory.
// Repeat:  integers; ties by index.
// Cost:    linear in the entities; nothing while every change fits.

#ifndef EDICTD_CORE_PRIORITY_H
#define EDICTD_CORE_PRIORITY_H

#include "base/limits.h"
#include "math/vec3.h"
#include "proto/snapshot_codec.h"

#define PRIORITY_URGENT_MS 500 // no entity may wait for 1 s
#define PRIORITY_AGAIN_MS  800 // a longer wait comes before the entities that are sent again

/// A need that comes before all others, except the client's own entity. For what the client
/// predicts by: an old state of it would move the player wrongly.
#define NEED_FIRST 0x8000

/// Where an entity is, and its need for any client: at least 1.
typedef struct {
    vec3_t origin;
    uint16_t number;
    uint16_t need;
} spot_t;

/// An entity that did not fit, or that was sent beside others that did not fit. The second is sent
/// again in each turn until an acknowledgement, because a snapshot without it shows its old state.
typedef struct {
    uint16_t number;
    uint16_t weight;
    uint32_t since; ///< low bits of the tick in which it first did not fit; 0 = it was sent
    uint32_t sent;  ///< low bits of the tick of its snapshot; 0 = it did not fit
} waiting_t;

/// The priorities of one client. All zero = a new client.
typedef struct {
    int32_t count;
    int32_t num_seen; ///< entities of the last snapshot
    int32_t longest_wait_ms;
    waiting_t list[MAX_SNAPSHOT_ENTS]; ///< by number
} priority_t;

/// A turn of one client.
typedef struct {
    vec3_t eye, forward;
    int64_t tick, base_tick; ///< of now, and of the baseline
    int32_t rate_mhz;
    int32_t urgent_ticks, again_ticks; ///< set by Priority_Order
    const spot_t *spots;               ///< of its entities, by rising number
    int32_t count;                     ///< at most MAX_SNAPSHOT_ENTS
    int32_t own;                       ///< index of its own entity, which comes first
    uint16_t weights[MAX_SNAPSHOT_ENTS];
    int16_t entries[MAX_SNAPSHOT_ENTS]; ///< indexes in the list of those that wait; -1 = none
    uint16_t order[MAX_SNAPSHOT_ENTS];  ///< indexes of spots, most important first
    uint8_t fates[MAX_SNAPSHOT_ENTS];   ///< as Snapshot_Write reports them
} turn_t;

/// Begins a map.
void Priority_Reset(priority_t *priority);

/// Writes order[]. `turn`: all but the arrays at its end.
void Priority_Order(const priority_t *priority, turn_t *turn);

/// Stores which entities wait, after Snapshot_Write has set fates[].
void Priority_Note(priority_t *priority, const turn_t *turn);

#endif
