/// bot/meeting.h - barriers at which the bots of one process wait for each other.
//
// Memory:  one meetings_t per process; all its bots point to it.

#ifndef EDICTD_BOT_MEETING_H
#define EDICTD_BOT_MEETING_H

#include "base/err.h"

#define BOT_MAX_MEETINGS  64 // names in one process
#define MEETING_NAME_SIZE 48 // bytes with the NUL

typedef struct {
    char name[MEETING_NAME_SIZE];
    int32_t needed;  ///< bots that must arrive
    int32_t arrived; ///< bots that wait now
    int32_t round;   ///< goes up when all have arrived; the barrier can then be used again
} meeting_t;

typedef struct {
    meeting_t list[BOT_MAX_MEETINGS];
    int32_t count;
} meetings_t;

/// Arrives at the barrier `name`, which is created if it does not exist. The last of `needed` bots
/// starts a new round. *round receives the round before. Returns NULL with the reason if the name is
/// empty or too long, if bots wait there for another number of bots, or if there are too many names.
meeting_t *Meeting_Arrive(meetings_t *meetings, const char *name, int32_t needed, int32_t *round,
                          err_t *err);

#endif
