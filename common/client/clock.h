/// client/clock.h - when to make which command: early enough for its tick, and not earlier.
//
// Floor:   client.
// Units:   ms; world time is tick * tick_ms, so the command for tick t ends at (t + 1) * tick_ms.
// Memory:  one struct.
// Repeat:  whole numbers only; the caller's time is the only clock.
//
// The server says in each snapshot how early the commands lie there, or that they came too late.
// The clock shifts so that the least of about a second is a tick to spare: soon ahead when one came
// late, slowly back when all come too early. What a correction did shows only in the snapshots of
// commands made after it; those before are not judged, nor those that tell of a pause of our own.
//
//      now + shift = world time up to which commands should be made
//                            |
//   -----made----made----made|- - - - ->      each command starts where the last one ended

#ifndef EDICTD_CLIENT_CLOCK_H
#define EDICTD_CLIENT_CLOCK_H

#include "proto/snapshot_ring.h"

typedef struct {
    int32_t tick_ms, cmd_ms;
    bool running;
    bool unsettled; ///< corrected, and no command made since
    int64_t shift_ms;
    int64_t made_ms;      ///< world time at the end of the last command made
    int64_t settled_tick; ///< snapshots up to this show nothing of the last correction
    int64_t window_tick;  ///< where the second being judged began
    int64_t heard_ms;     ///< caller's time of the last snapshot
    int32_t worst_ms;     ///< least time to spare in that second
    int32_t lead_ms;      ///< the same of the second before, for display
    uint32_t filled_ms;   ///< as the last snapshot said
} cl_clock_t;

/// A stopped clock for a new map; it starts with the first snapshot. cmd_ms 0 = a tick.
void Clock_Reset(cl_clock_t *clock, int32_t tick_ms, int32_t cmd_ms);

/// Takes in what a snapshot says. True when the clock jumped: commands made before are of no use.
bool Clock_Snapshot(cl_clock_t *clock, const snapshot_t *snapshot, int64_t now_ms, int32_t rtt_ms);

/// How many commands are to be made now; call Clock_NextTick for each. *skipped gets how many were
/// left out because nobody asked for too long.
int32_t Clock_Due(cl_clock_t *clock, int64_t now_ms, int32_t *skipped);

/// The tick of the next command, cmd_ms long; the clock takes it as made.
int64_t Clock_NextTick(cl_clock_t *clock);

#endif
