#include "core/event_queue.h"

#include <stdlib.h>

#define MAX_TICKS     63  // bits of queued_event_t.snapshots after the first
#define MORE_ROOM     4   // events to choose beyond those that fitted
#define COPIES        4   // of an event in a round trip on a long path ...
#define MAX_RESEND_MS 225 // ms ... but three until the event is stale

static int32_t ticks_of(int32_t ms, int32_t rate_mhz) {
    return Q_ClampI((int32_t)(((int64_t)ms * rate_mhz + 500000) / 1000000), 1, MAX_TICKS);
}

_Static_assert((MAX_GAME_EVENTS & (MAX_GAME_EVENTS - 1)) == 0, "numbers of events may wrap");
_Static_assert(sizeof(event_queue_t) % _Alignof(queued_event_t) == 0, "lists follow the queues");

uint32_t EventLog_Add(event_log_t *log, const emitted_t *what) {
    log->list[log->next % MAX_GAME_EVENTS] = *what;
    return log->next++;
}

event_queue_t *EventQueues_Create(int32_t count) {
    const size_t list_bytes = MAX_QUEUED_EVENTS * sizeof(queued_event_t);
    event_queue_t *queues = calloc((size_t)count, sizeof *queues + list_bytes);
    for (int32_t i = 0; queues && i < count; i++) {
        queues[i].list = (queued_event_t *)(queues + count) + i * MAX_QUEUED_EVENTS;
    }
    return queues;
}

void EventQueue_Reset(event_queue_t *queue, int32_t rate_mhz) {
    queue->rate_mhz = rate_mhz;
    queue->stale_ticks = ticks_of(EVENT_STALE_MS, rate_mhz);
    queue->next_seq = 0;
    queue->room = MAX_SNAPSHOT_EVENTS;
    queue->num_chosen = 0;
    queue->first = queue->count = 0;
}

static queued_event_t *at(event_queue_t *queue, int32_t i) {
    return &queue->list[(queue->first + i) % MAX_QUEUED_EVENTS];
}

bool EventQueue_Add(event_queue_t *queue, uint32_t number, bool is_distant, int64_t tick) {
    bool has_room = queue->count < MAX_QUEUED_EVENTS;
    if (!has_room) {
        queue->first = (queue->first + 1) % MAX_QUEUED_EVENTS;
        queue->count--;
    }
    *at(queue, queue->count++) =
        (queued_event_t){.number = number, .is_distant = is_distant, .tick = tick};
    return has_room;
}

// Keeps event i, as number *kept of the queue.
static void keep(event_queue_t *queue, int32_t i, int32_t *kept) {
    if (*kept != i) {
        *at(queue, *kept) = *at(queue, i);
    }
    ++*kept;
}

static bool is_in(const queued_event_t *event, int64_t tick) {
    int64_t bit = tick - event->first_tick;
    return bit >= 0 && bit <= MAX_TICKS && event->snapshots >> bit & 1; // 0 bits: not sent yet
}

// Returns true if the client can no longer use the event, or tell its number from older ones.
static bool is_stale(const event_queue_t *queue, const queued_event_t *event, uint32_t next,
                     int64_t tick) {
    uint16_t newer = (uint16_t)(queue->next_seq - event->seq);
    return tick - event->tick > queue->stale_ticks || next - event->number > MAX_GAME_EVENTS ||
           (event->first_tick > 0 && newer > EVENT_WINDOW - MAX_SNAPSHOT_EVENTS);
}

// Returns the newest snapshot that had an event.
static int64_t last_tick(const queued_event_t *event) {
    return event->first_tick + 63 - __builtin_clzll(event->snapshots);
}

void EventQueue_Ack(event_queue_t *queue, int64_t tick) {
    int32_t kept = 0;
    for (int32_t i = 0; i < queue->count; i++) {
        if (!is_in(at(queue, i), tick)) {
            keep(queue, i, &kept);
        }
    }
    queue->count = kept;
}

int32_t EventQueue_Choose(event_queue_t *queue, uint32_t next, int64_t tick, int32_t ping_ms,
                          queued_event_t *chosen[MAX_SNAPSHOT_EVENTS], uint64_t *stale) {
    const int32_t resend_ms = Q_ClampI(ping_ms / COPIES, EVENT_RESEND_MS, MAX_RESEND_MS);
    const int32_t resend_ticks = ticks_of(resend_ms, queue->rate_mhz);
    int32_t kept = 0;
    for (int32_t i = 0; i < queue->count; i++) {
        if (!is_stale(queue, at(queue, i), next, tick)) {
            keep(queue, i, &kept);
        }
    }
    *stale += (uint64_t)(queue->count - kept);
    queue->count = kept;
    int32_t count = 0;
    for (int32_t i = 0; i < queue->count && count < queue->room; i++) {
        queued_event_t *event = at(queue, i);
        if (event->first_tick == 0) {
            event->seq = (uint16_t)(queue->next_seq + count);
            chosen[count++] = event;
        }
    }
    for (int32_t i = 0; i < queue->count && count < queue->room; i++) {
        queued_event_t *event = at(queue, i);
        if (event->first_tick > 0 && tick - last_tick(event) >= resend_ticks) {
            chosen[count++] = event;
        }
    }
    queue->num_chosen = count;
    return count;
}

void EventQueue_NoteSent(event_queue_t *queue, int64_t tick,
                         queued_event_t *const chosen[MAX_SNAPSHOT_EVENTS], int32_t count) {
    const bool is_full = count < queue->num_chosen;
    queue->room = Q_MinI(is_full ? count + MORE_ROOM : 2 * queue->room, MAX_SNAPSHOT_EVENTS);
    for (int32_t i = 0; i < count; i++) {
        queued_event_t *event = chosen[i];
        if (event->first_tick == 0) {
            event->first_tick = tick;
            queue->next_seq++;
        }
        event->snapshots |= UINT64_C(1) << (tick - event->first_tick);
    }
}
