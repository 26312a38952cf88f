// fuzz_event.c - any bytes as the sounds and effects of a snapshot, and any values of a game.
//
// Input:      3 i16 place of the receiver, qu; u8 0 = bytes of a message, else values: those of
//             struct game_event_t, one after the other.
// Invariants: read events are valid, and written again they have the same bits; values are read as
//             they were written.

#include "base/assert.h"
#include "proto/event_codec.h"

#include <string.h>

#define TICK 5000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_message(const uint8_t *data, size_t size, vec3_t from) {
    static snapshot_events_t events;
    static uint8_t again[MAX_MESSAGE_BYTES];
    msg_reader_t in = MSG_Reader(data, size);
    SnapshotEvents_Read(&in, &events, TICK, from);
    if (in.failed) {
        return;
    }
    for (int32_t i = 0; i < events.count; i++) {
        game_event_t event = events.list[i].event;
        ASSERT(GameEvent_Clamp(&event) && events.list[i].tick >= 1 && events.list[i].tick <= TICK);
        ASSERT(memcmp(&event, &events.list[i].event, sizeof event) == 0);
    }
    size_t bits = in.bit;
    msg_writer_t out = MSG_Writer(again, sizeof again);
    ASSERT(SnapshotEvents_Write(&out, &events, TICK, from, sizeof again * 8) == events.count);
    ASSERT(MSG_BitsWritten(&out) == bits);
    size_t written = MSG_Finish(&out);
    ASSERT(written == (bits + 7) / 8 && memcmp(again, data, bits / 8) == 0);
    ASSERT(bits % 8 == 0 || ((again[bits / 8] ^ data[bits / 8]) & ((1 << bits % 8) - 1)) == 0);
}

static void check_values(const uint8_t *data, size_t size, vec3_t from) {
    static snapshot_events_t sent, got;
    static uint8_t message[MAX_MESSAGE_BYTES];
    sent.count = 0;
    for (; size > sizeof(game_event_t) && sent.count < MAX_SNAPSHOT_EVENTS;
         data += 1 + sizeof(game_event_t), size -= 1 + sizeof(game_event_t)) {
        snapshot_event_t *event = &sent.list[sent.count];
        game_event_t values;
        memset(event, 0, sizeof *event);
        event->seq = (uint16_t)(data[0] * 257);
        event->tick = TICK - data[0];
        memcpy(&values, data + 1, sizeof values);
        event->event.kind = values.kind & 1;
        event->event.number = values.number;
        event->event.entity = values.entity;
        event->event.has_origin = data[0] & 1;
        event->event.origin = values.origin;
        event->event.range = values.range;
        event->event.volume = values.volume;
        event->event.num_args = values.num_args;
        memcpy(event->event.args, values.args, sizeof values.args);
        sent.count += GameEvent_Clamp(&event->event) ? 1 : 0;
    }
    msg_writer_t out = MSG_Writer(message, sizeof message);
    sent.count = SnapshotEvents_Write(&out, &sent, TICK, from, sizeof message * 8);
    msg_reader_t in = MSG_Reader(message, MSG_Finish(&out));
    SnapshotEvents_Read(&in, &got, TICK, from);
    bool at_end = MSG_ReadEnd(&in);
    ASSERT(at_end && got.count == sent.count);
    for (int32_t i = 0; i < got.count; i++) {
        ASSERT(memcmp(&got.list[i], &sent.list[i], sizeof got.list[i]) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int16_t from[3];
    if (size < sizeof from + 1) {
        return 0;
    }
    memcpy(from, data, sizeof from);
    vec3_t place = {(float)from[0] * 2.0f, (float)from[1] * 0.3f, (float)from[2]};
    const uint8_t *rest = data + sizeof from + 1;
    if (data[sizeof from] == 0) {
        check_message(rest, size - sizeof from - 1, place);
    } else {
        check_values(rest, size - sizeof from - 1, place);
    }
    return 0;
}
