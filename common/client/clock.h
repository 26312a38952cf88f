/// client/clock.h - decides when to create commands, so that each reaches the server just before
/// its tick.
//
// Units:   ms; world time is tick * tick_ms, so the command for tick t ends at (t + 1) * tick_ms.
// Memory:  one struct.
// Repeat:  whole numbers only; the time of the caller is the only clock.
//
// Each snapshot reports how early commands arrived at the server, or that a command was late. The
// clock shifts so that the minimum over about a second is one tick: ahead at once after a late
// command, back slowly if all are too early. A correction shows only in snapshots of later
// commands, so earlier ones are ignored, as are those after a pause of this program.
//
//      now + shift = world time up to which commands should be created
//                            |
//   -----cmd-----cmd-----cmd|- - - - ->      each command starts where the last one ended

#ifndef EDICTD_CLIENT_CLOCK_H
#define EDICTD_CLIENT_CLOCK_H

#include "proto/snapshot_ring.h"

typedef struct {
    int32_t tick_ms, cmd_ms;
    bool running;
    bool unsettled; ///< corrected, and no command created since
    int64_t shift_ms;
    int64_t made_ms;      ///< world time at the end of the last command
    int64_t settled_tick; ///< later snapshots show the last correction
    int64_t window_tick;  ///< first tick of the current second
    int64_t heard_ms;     ///< caller's time of the last snapshot
    int32_t worst_ms;     ///< minimum spare time in that second
    int32_t lead_ms;      ///< minimum of the previous second, for display
    uint32_t filled_ms;   ///< of the last snapshot
} cl_clock_t;

/// Resets the clock for a new map; it starts with the first snapshot. `cmd_ms`: 0 = a tick.
void Clock_Reset(cl_clock_t *clock, int32_t tick_ms, int32_t cmd_ms);

/// Adjusts the clock to a snapshot. Returns true if it jumped, so that earlier commands are
/// useless.
bool Clock_Snapshot(cl_clock_t *clock, const snapshot_t *snapshot, int64_t now_ms, int32_t rtt_ms);

/// Returns how many commands are due; call Clock_NextTick for each. *skipped receives how many were
/// left out because of a long pause between calls.
int32_t Clock_Due(cl_clock_t *clock, int64_t now_ms, int32_t *skipped);

/// Returns the tick of the next command, cmd_ms long, and counts it as created.
int64_t Clock_NextTick(cl_clock_t *clock);

#endif
