/// proto/event_codec.h - codes sounds and effects: a list in a snapshot, one in an EVENT message.
//
// Units:   origins in 1/8 qu, relative to the receiver's player in a snapshot.
// Errors:  a reader fails on values out of range.

#ifndef EDICTD_PROTO_EVENT_CODEC_H
#define EDICTD_PROTO_EVENT_CODEC_H

#include "base/limits.h"
#include "proto/msg.h"
#include "state/game_event.h"

/// An event in a snapshot.
typedef struct {
    uint16_t seq; ///< counts the events of a session and map; wraps
    int64_t tick; ///< ticks that had run when the game emitted the event
    game_event_t event;
} snapshot_event_t;

typedef struct {
    int32_t count;
    snapshot_event_t list[MAX_SNAPSHOT_EVENTS];
} snapshot_events_t;

/// Clamps an event to the range of the protocol and rounds origin and volume. Returns false if no
/// client can receive it: a wrong kind or number.
bool GameEvent_Clamp(game_event_t *event);

/// Codes one event. `from`: the origin's reference, within +-MAX_WORLD_COORD.
void GameEvent_Code(msg_t *msg, game_event_t *event, vec3_t from);

/// Writes events of a snapshot until the message has used `end_bit` bits, and returns how many.
/// Events must be clamped, with ticks of at most `tick`.
int32_t SnapshotEvents_Write(msg_writer_t *msg, const snapshot_events_t *events, int64_t tick,
                             vec3_t from, size_t end_bit);

void SnapshotEvents_Read(msg_reader_t *msg, snapshot_events_t *events, int64_t tick, vec3_t from);

/// Sequence numbers that a client received, to deliver each event once.
#define EVENT_WINDOW 1024

typedef struct {
    uint16_t next;                    ///< newest received number + 1
    uint64_t seen[EVENT_WINDOW / 64]; ///< bit n % EVENT_WINDOW: number n was received
} event_window_t;

/// Notes a sequence number. Returns false if it was received before or is too old.
bool EventWindow_Accept(event_window_t *window, uint16_t seq);

#endif
