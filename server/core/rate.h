/// core/rate.h - the byte budget of one client's snapshots.
//
//   wish, sv_minrate, sv_maxrate -> ceiling -> rate: falls while the path loses or delays snapshots
//   rate -> bucket -> bytes of the next snapshot
//
// Units:   bytes/s of IP packets; a snapshot costs its bytes and RATE_HEADERS.

#ifndef EDICTD_CORE_RATE_H
#define EDICTD_CORE_RATE_H

#include "base/types.h"

#define RATE_HEADERS   64     // bytes: IP and UDP 28, ENet 16, seal 20
#define RATE_MAX       200000 // full snapshots in 128 ticks a second take less
#define RATE_WINDOW_MS 500    // loss and delay are judged once per window
#define RATE_LOST_MS   1024   // a snapshot is lost if turns of so long bring no acknowledgement
#define RATE_MIN_TURNS 64     // minimum of those turns
#define RATE_UNJUDGED  160    // maximum of snapshots that await one: 1.2 s at 128 Hz

/// Bounds of every client's rate. If min is greater, max counts. max 0 = RATE_MAX.
typedef struct {
    int32_t min, max;
} rate_bounds_t;

/// Measured in one window. Delays are those of acknowledgements, from the sending on.
typedef struct {
    int64_t start_ms;
    int32_t bytes;          ///< sent
    int32_t acked, skipped; ///< snapshots
    int32_t repeats;        ///< acknowledgements of the same snapshot
    int32_t least_ms, sum_ms;
} rate_window_t;

typedef struct {
    int64_t ticks[RATE_UNJUDGED]; ///< ring: ticks[(first + n) % RATE_UNJUDGED], oldest first
    int32_t rate;                 ///< 0 = the ceiling
    int32_t spent;                ///< bytes that the bucket lacks
    int64_t filled_ms;            ///< time of the last fill
    int64_t acked_tick;           ///< newest acknowledged snapshot
    int64_t epoch_ms;             ///< start of the current epoch
    int32_t delays[2];  ///< least delay + 1 of the current and the last epoch; 0 = unknown
    int32_t lost_turns; ///< snapshots that await an acknowledgement, at most
    int32_t first, count;
    rate_window_t window;
} rate_t;

/// Returns the rate that a client wishes, clamped. 0 = any, also for a text that is no number.
int32_t Rate_Wish(const char *text);

/// Forgets the snapshots of the last map. The rate stays.
void Rate_Restart(rate_t *rate);

/// Returns the bytes of this turn's snapshot, SNAPSHOT_MIN_BYTES..MAX_PACKET_BYTES; 0 = skip the
/// turn. Adapts the rate. `interval_ms`: time between two turns.
int32_t Rate_Bytes(rate_t *rate, int32_t wish, rate_bounds_t bounds, int32_t interval_ms,
                   int64_t now_ms);

void Rate_NoteSent(rate_t *rate, int64_t tick, int32_t bytes);

/// Notes that the client acknowledges a snapshot. `delay_ms`: time since it was sent.
void Rate_NoteAck(rate_t *rate, int64_t tick, int64_t delay_ms);

#endif
