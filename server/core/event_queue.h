/// core/event_queue.h - the sounds and effects that wait for one client.
//
//   emitted -> waits -> sent in a snapshot -> acknowledged: removed
//                            ^  |
//                            +--+ again after a quarter of the round trip, within
//                                 EVENT_RESEND_MS and MAX_RESEND_MS, until EVENT_STALE_MS
//
// The queues of all clients refer to one log of the events themselves.
// Memory:  fixed; a full queue drops the oldest event, a full log overwrites it.

#ifndef EDICTD_CORE_EVENT_QUEUE_H
#define EDICTD_CORE_EVENT_QUEUE_H

#include "proto/event_codec.h"

#define EVENT_RESEND_MS 48
#define EVENT_STALE_MS  500 // age at which an event is removed without an acknowledgement

/// The newest events of the game. Event n is list[n % MAX_GAME_EVENTS].
typedef struct {
    uint32_t next; ///< number of the next event; wraps
    emitted_t list[MAX_GAME_EVENTS];
} event_log_t;

/// An event that waits. Small, because a server with many clients reads many of them.
typedef struct {
    uint32_t number;    ///< in the log
    uint16_t seq;       ///< from the first sending on
    bool is_distant;    ///< seen, not heard; has no place without its edict
    int64_t tick;       ///< ticks that had run when the game emitted it
    int64_t first_tick; ///< first snapshot that had it; 0 = not sent yet
    uint64_t snapshots; ///< bit i: the snapshot of first_tick + i had it
} queued_event_t;

typedef struct {
    int32_t rate_mhz;
    int32_t stale_ticks;
    uint16_t next_seq;
    int32_t room;         ///< events to choose at most: a few more than fitted last
    int32_t num_chosen;   ///< for the last snapshot
    int32_t first, count; ///< ring: list[(first + n) % MAX_QUEUED_EVENTS], oldest first
    queued_event_t *list;
} event_queue_t;

/// Adds an event to the log. Returns its number.
uint32_t EventLog_Add(event_log_t *log, const emitted_t *what);

static inline const emitted_t *EventLog_Get(const event_log_t *log, uint32_t number) {
    return &log->list[number % MAX_GAME_EVENTS];
}

/// Allocates queues with their lists, as one block to free. Returns NULL if out of memory.
event_queue_t *EventQueues_Create(int32_t count);

/// Empties the queue for a new map.
void EventQueue_Reset(event_queue_t *queue, int32_t rate_mhz);

/// Adds an event of the log, emitted in `tick`. Returns false if it replaces the oldest one.
bool EventQueue_Add(event_queue_t *queue, uint32_t number, bool is_distant, int64_t tick);

/// Removes the events of the snapshot that the client acknowledges.
void EventQueue_Ack(event_queue_t *queue, int64_t tick);

/// Removes stale events and those that the log no longer has; adds their number to *stale. Writes
/// the events to send in the snapshot of `tick`: new ones first, then the repeated ones, at most
/// `room`. `next`: of the log. `ping_ms`: round trip of the client. Returns their count.
int32_t EventQueue_Choose(event_queue_t *queue, uint32_t next, int64_t tick, int32_t ping_ms,
                          queued_event_t *chosen[MAX_SNAPSHOT_EVENTS], uint64_t *stale);

/// Notes that the snapshot of `tick` has the first `count` of the chosen events. Sets `room`.
void EventQueue_NoteSent(event_queue_t *queue, int64_t tick,
                         queued_event_t *const chosen[MAX_SNAPSHOT_EVENTS], int32_t count);

#endif
