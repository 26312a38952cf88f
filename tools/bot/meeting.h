/// bot/meeting.h - barriers at which the bots of one process wait for each other.
//
// Memory:  all bots of a process share one meetings_t.

#ifndef EDICTD_BOT_MEETING_H
#define EDICTD_BOT_MEETING_H

#include "base/err.h"

#define BOT_MAX_MEETINGS  64 // barriers in one process
#define MEETING_NAME_SIZE 48 // bytes of a name with the NUL

/// A barrier: bots wait until `needed` bots have arrived.
typedef struct {
    char name[MEETING_NAME_SIZE];
    int32_t needed;  ///< number of bots to wait for
    int32_t arrived; ///< number of bots that are waiting
    int32_t round;   ///< increases by 1 when all have arrived; the barrier is then empty again
} meeting_t;

typedef struct {
    meeting_t list[BOT_MAX_MEETINGS];
    int32_t count;
} meetings_t;

/// Adds a bot to the barrier `name`, which is created if necessary. The wait ends when the
/// barrier's round differs from *round. Returns NULL for an invalid name, different values of
/// `needed`, or too many barriers.
meeting_t *Meeting_Arrive(meetings_t *meetings, const char *name, int32_t needed, int32_t *round,
                          err_t *err);

#endif
