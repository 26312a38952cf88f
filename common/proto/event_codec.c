#include "proto/event_codec.h"

#define SCALE        8 // origins are in 1/8 qu
#define CORNER       (MAX_WORLD_COORD * SCALE)
#define NUMBER_BITS  10
#define SEQ_BITS     16
#define VOLUME_STEPS 255
#define ARG_BITS     2 // count of arguments - 1
// Orders of the Golomb codes.
#define ENTITY_K 5
#define FLAT_K   11 // x and y of an origin
#define HEIGHT_K 9
#define RANGE_K  9
#define ARG_K    4
#define SEQ_K    0 // difference of two sequence numbers
#define AGE_K    1 // ticks since the event
#define MAX_AGE  (1 << 20)

_Static_assert(NAMES_MAX == 1 << NUMBER_BITS, "the number of a name must fit its bits");

static int32_t quantise(float value) {
    return Q_ToInt(floorf(value * SCALE + 0.5f), -CORNER, CORNER);
}

static int32_t volume_steps(float volume) {
    return Q_ToInt(floorf(volume * VOLUME_STEPS + 0.5f), 0, VOLUME_STEPS);
}

bool GameEvent_Clamp(game_event_t *event) {
    vec3_t at = event->origin;
    event->entity = event->entity > 0 && event->entity < MAX_EDICTS ? event->entity : 0;
    event->origin = Vector((float)quantise(at.x) / SCALE, (float)quantise(at.y) / SCALE,
                           (float)quantise(at.z) / SCALE);
    if (!event->has_origin) {
        event->origin = Vector(0.0f, 0.0f, 0.0f);
    }
    event->range = Q_ClampI(event->range, 0, GAME_EVENT_MAX_RANGE);
    event->volume = (float)volume_steps(event->volume) / VOLUME_STEPS;
    event->num_args = Q_ClampI(event->num_args, 0, GAME_EVENT_ARGS);
    for (int32_t i = event->num_args; i < GAME_EVENT_ARGS; i++) {
        event->args[i] = 0;
    }
    return (event->kind == GAME_SOUND || event->kind == GAME_EFFECT) && event->number >= 1 &&
           event->number < NAMES_MAX;
}

static void code_axis(msg_t *msg, float *value, float from, int32_t k) {
    int32_t base = quantise(from);
    int32_t step = quantise(*value) - base;
    MSG_Signed(msg, &step, k);
    int64_t sum = (int64_t)base + step;
    MSG_Check(msg, sum >= -CORNER && sum <= CORNER);
    if (msg->in) {
        *value = msg->in->failed ? 0.0f : (float)sum / SCALE;
    }
}

static void code_place(msg_t *msg, game_event_t *event, vec3_t from) {
    bool has_entity = event->entity > 0;
    if (MSG_Bool(msg, &has_entity)) {
        uint32_t number = (uint32_t)event->entity - 1;
        MSG_Var(msg, &number, ENTITY_K);
        MSG_Check(msg, number < MAX_EDICTS - 1);
        event->entity = msg->in && msg->in->failed ? 0 : (int32_t)number + 1;
    }
    if (MSG_Bool(msg, &event->has_origin)) {
        code_axis(msg, &event->origin.x, from.x, FLAT_K);
        code_axis(msg, &event->origin.y, from.y, FLAT_K);
        code_axis(msg, &event->origin.z, from.z, HEIGHT_K);
    }
}

static void code_loudness(msg_t *msg, game_event_t *event) {
    const int32_t usual = GameEvent_UsualRange(event->kind);
    uint32_t range = (uint32_t)(msg->in ? usual : event->range);
    uint32_t volume = msg->in ? VOLUME_STEPS : (uint32_t)volume_steps(event->volume);
    bool differs = (int32_t)range != usual || volume != VOLUME_STEPS;
    if (MSG_Bool(msg, &differs)) {
        MSG_Var(msg, &range, RANGE_K);
        MSG_Bits(msg, &volume, 8);
        MSG_Check(msg, range <= GAME_EVENT_MAX_RANGE &&
                           ((int32_t)range != usual || volume != VOLUME_STEPS));
    }
    if (msg->in) {
        event->range = (int32_t)range;
        event->volume = (float)volume / VOLUME_STEPS;
    }
}

void GameEvent_Code(msg_t *msg, game_event_t *event, vec3_t from) {
    bool is_effect = event->kind == GAME_EFFECT;
    event->kind = MSG_Bool(msg, &is_effect) ? GAME_EFFECT : GAME_SOUND;
    uint32_t number = (uint32_t)event->number;
    MSG_Bits(msg, &number, NUMBER_BITS);
    MSG_Check(msg, number > 0);
    event->number = (int32_t)number;
    code_place(msg, event, from);
    code_loudness(msg, event);
    bool has_args = event->num_args > 0;
    if (MSG_Bool(msg, &has_args)) {
        uint32_t more = (uint32_t)event->num_args - 1;
        MSG_Bits(msg, &more, ARG_BITS);
        event->num_args = (int32_t)more + 1;
    }
    for (int32_t i = 0; i < event->num_args; i++) {
        MSG_Signed(msg, &event->args[i], ARG_K);
    }
}

// Codes an event of a snapshot. `last`: sequence number of the one before, NULL for the first.
static void code_one(msg_t *msg, snapshot_event_t *event, const uint16_t *last, int64_t tick,
                     vec3_t from) {
    if (last) {
        int32_t step = (int16_t)(event->seq - *last - 1);
        MSG_Signed(msg, &step, SEQ_K);
        MSG_Check(msg, step >= INT16_MIN && step <= INT16_MAX);
        event->seq = (uint16_t)(*last + 1 + step);
    } else {
        uint32_t seq = event->seq;
        MSG_Bits(msg, &seq, SEQ_BITS);
        event->seq = (uint16_t)seq;
    }
    uint32_t age = (uint32_t)(tick - event->tick);
    MSG_Var(msg, &age, AGE_K);
    MSG_Check(msg, age <= MAX_AGE && age < tick);
    event->tick = tick - age;
    GameEvent_Code(msg, &event->event, from);
}

int32_t SnapshotEvents_Write(msg_writer_t *msg, const snapshot_events_t *events, int64_t tick,
                             vec3_t from, size_t end_bit) {
    int32_t count = 0;
    msg_t out = MSG_Writing(msg);
    for (; count < events->count; count++) {
        msg_writer_t mark = *msg;
        snapshot_event_t event = events->list[count];
        MSG_WriteBool(msg, true);
        code_one(&out, &event, count > 0 ? &events->list[count - 1].seq : NULL, tick, from);
        if (msg->overflowed || MSG_BitsWritten(msg) >= end_bit) { // one bit is for the end
            *msg = mark;
            break;
        }
    }
    MSG_WriteBool(msg, false);
    return count;
}

void SnapshotEvents_Read(msg_reader_t *msg, snapshot_events_t *events, int64_t tick, vec3_t from) {
    msg_t in = MSG_Reading(msg);
    events->count = 0;
    while (MSG_ReadBool(msg)) {
        if (events->count == MAX_SNAPSHOT_EVENTS) {
            MSG_Fail(msg);
            return;
        }
        snapshot_event_t *event = &events->list[events->count];
        *event = (snapshot_event_t){0};
        code_one(&in, event, events->count > 0 ? &event[-1].seq : NULL, tick, from);
        events->count++;
    }
}

bool EventWindow_Accept(event_window_t *window, uint16_t seq) {
    int32_t ahead = (int16_t)(seq - window->next); // below 0: not the newest
    if (ahead < -EVENT_WINDOW) {
        return false;
    }
    for (int32_t i = 0; i <= ahead && i < EVENT_WINDOW; i++) { // numbers that come into the window
        uint32_t at = (uint32_t)(seq - i) % EVENT_WINDOW;
        window->seen[at / 64] &= ~(UINT64_C(1) << at % 64);
    }
    uint64_t bit = UINT64_C(1) << seq % 64;
    bool is_new = !(window->seen[seq % EVENT_WINDOW / 64] & bit);
    window->seen[seq % EVENT_WINDOW / 64] |= bit;
    window->next = ahead >= 0 ? (uint16_t)(seq + 1) : window->next;
    return is_new;
}
