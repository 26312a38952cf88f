/// core/views.h - which snapshots a client may have shown: those that it was sent.
//
// A client interpolates between two snapshots next to each other of those that it received. It
// cannot have skipped one that it acknowledged. With each usercmd it acknowledges its newest.

#ifndef EDICTD_CORE_VIEWS_H
#define EDICTD_CORE_VIEWS_H

#include "state/usercmd.h"

/// Ticks that are remembered; 1 s at 128 Hz. Shots do not need older ones. A view so old exceeds
/// sv_maxunlag_ms, so the server judges the shot at a later time.
#define VIEWS_TICKS 128

/// Bit n % 64 of word n / 64 stands for the snapshot of tick `newest` - n.
typedef struct {
    int64_t first, newest; ///< ticks of the first and the newest snapshot, 0 = none
    int64_t newest_acked;  ///< 0 = none
    uint64_t sent[VIEWS_TICKS / 64], acked[VIEWS_TICKS / 64];
} views_t;

/// Notes a sent snapshot. `tick` rises.
void Views_Sent(views_t *views, int64_t tick);

/// Notes an acknowledgement. Ignores ticks of snapshots that were not sent.
void Views_Acked(views_t *views, int64_t tick);

/// Returns true if the client may have shown the two snapshots of the usercmd's view_span. A span
/// without a second snapshot is always true.
bool Views_Allow(const views_t *views, const usercmd_t *cmd);

/// Limits the view of a usercmd to what the client may have shown. A view before the first snapshot
/// becomes that snapshot, or none; one that is not allowed loses its span, so that shots meet
/// edicts where they were. Returns false if it changed the usercmd.
bool Views_Limit(const views_t *views, usercmd_t *cmd);

/// Returns true if a usercmd shows a time more than `max_ms` before it runs, so that its shots are
/// judged at a later time than it shows. `next`: the next tick; the usercmd does not run before.
/// False without a view, or if `max_ms` is 0.
bool Views_IsOld(const usercmd_t *cmd, int32_t rate_mhz, int64_t next, int32_t max_ms);

#endif
