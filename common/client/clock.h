/// client/clock.h - decides when to create commands, so that they arrive just before their ticks.
//
// Units:   ms of world time (state/ticks.h): the command for tick t ends at Ticks_EndMs(t + 1).
// Repeat:  integers only; the result depends only on the arguments.
//
// Snapshots report how early commands arrived. The clock shifts until the minimum over about a
// second is at least one tick and less than two. It shifts at once after a late command, otherwise
// slowly. Snapshots of commands from before a shift are ignored, and snapshots after a pause of
// this program.
//
//      now + shift = world time up to which commands should be created
//                            |
//   -----cmd-----cmd-----cmd|- - - - ->      each command starts where the last one ended

#ifndef EDICTD_CLIENT_CLOCK_H
#define EDICTD_CLIENT_CLOCK_H

#include "proto/snapshot_ring.h"
#include "state/ticks.h"

typedef struct {
    int32_t rate_mhz;
    int32_t fixed_ms;        ///< length of all commands; 0 = each has the length of its tick
    int32_t tick_ms, cmd_ms; ///< length of the longest tick and command
    bool running;
    bool unsettled; ///< true after a correction, until a command is created
    int64_t shift_ms;
    int64_t made_ms;      ///< world time at the end of the last command
    int64_t settled_tick; ///< later snapshots show the last correction
    int64_t window_tick;  ///< first tick of the current measurement
    int64_t heard_ms;     ///< `now_ms` of the last snapshot
    int32_t worst_ms;     ///< minimum spare time of commands in this measurement
    int32_t lead_ms;      ///< minimum spare time in the previous measurement, for display
    uint32_t filled_ms;   ///< total in the last snapshot
} cl_clock_t;

/// Stops the clock until the next snapshot. `cmd_ms`: length of a command; 0 = its tick's.
void Clock_Reset(cl_clock_t *clock, int32_t rate_mhz, int32_t cmd_ms);

/// Adjusts the clock to a snapshot. Returns true if the clock jumped; then discard older commands.
bool Clock_Snapshot(cl_clock_t *clock, const snapshot_t *snapshot, int64_t now_ms, int32_t rtt_ms);

/// Returns how many commands are due; call Clock_NextTick for each. *skipped: commands skipped
/// after a pause.
int32_t Clock_Due(cl_clock_t *clock, int64_t now_ms, int32_t *skipped);

/// Returns the tick of the next command, writes its length and advances the clock by it.
int64_t Clock_NextTick(cl_clock_t *clock, uint8_t *msec);

#endif
