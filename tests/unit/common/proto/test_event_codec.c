// Tests that sounds and effects arrive as sent, that other bytes are refused or decode to valid
// events, and that a client accepts each sequence number once.

#include "lib/testing.h"

#include "lib/states_fixture.h"
#include "proto/event_codec.h"

#include <string.h>

#define TICK 5000

static game_event_t random_event(rng_t *rng) {
    game_event_t event = {.kind = TestStates_Int(rng, GAME_SOUND, GAME_EFFECT),
                          .number = TestStates_Int(rng, 1, NAMES_MAX - 1),
                          .has_origin = Rng_Below(rng, 2) == 1,
                          .volume = 1.0f,
                          .num_args = TestStates_Int(rng, 0, GAME_EVENT_ARGS)};
    event.range = GameEvent_UsualRange(event.kind);
    if (Rng_Below(rng, 2) == 1) {
        event.entity = TestStates_Int(rng, 1, MAX_EDICTS - 1);
    }
    if (Rng_Below(rng, 3) == 0) {
        event.range = TestStates_Int(rng, 0, GAME_EVENT_MAX_RANGE);
        event.volume = Rng_Range(rng, 0.0f, 1.0f);
    }
    event.origin = Vector(Rng_Range(rng, -65536.0f, 65536.0f), Rng_Range(rng, -100.0f, 100.0f),
                          Rng_Range(rng, -4000.0f, 4000.0f));
    for (int32_t i = 0; i < event.num_args; i++) {
        event.args[i] = (int32_t)Rng_Next(rng);
    }
    assert_true(GameEvent_Clamp(&event));
    return event;
}

static snapshot_events_t random_list(rng_t *rng, int32_t max) {
    snapshot_events_t list = {.count = TestStates_Int(rng, 0, max)};
    uint16_t seq = (uint16_t)Rng_Next(rng);
    for (int32_t i = 0; i < list.count; i++) {
        list.list[i] = (snapshot_event_t){
            .seq = seq, .tick = TICK - (int64_t)Rng_Below(rng, 40), .event = random_event(rng)};
        seq = (uint16_t)(seq + (Rng_Below(rng, 4) == 0 ? Rng_Next(rng) : 1));
    }
    return list;
}

static vec3_t random_place(rng_t *rng) {
    return Vector(Rng_Range(rng, -65536.0f, 65536.0f), Rng_Range(rng, -500.0f, 500.0f),
                  Rng_Range(rng, -500.0f, 500.0f));
}

static void test_round_trips(void **state) {
    (void)state;
    static uint8_t data[MAX_MESSAGE_BYTES];
    for (uint64_t seed = 1; seed <= 500; seed++) {
        rng_t rng = {seed};
        snapshot_events_t sent = random_list(&rng, MAX_SNAPSHOT_EVENTS);
        snapshot_events_t got;
        vec3_t from = random_place(&rng);
        msg_writer_t out = MSG_Writer(data, sizeof data);
        assert_int_equal(SnapshotEvents_Write(&out, &sent, TICK, from, sizeof data * 8),
                         sent.count);
        msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
        SnapshotEvents_Read(&in, &got, TICK, from);
        assert_true(MSG_ReadEnd(&in));
        assert_int_equal(got.count, sent.count);
        for (int32_t i = 0; i < got.count; i++) {
            assert_memory_equal(&got.list[i], &sent.list[i], sizeof got.list[i]);
        }
    }
}

// Tests that a list stops at its share of the message, and that the part is a valid list.
static void test_a_list_ends_within_its_bits(void **state) {
    (void)state;
    static uint8_t data[MAX_MESSAGE_BYTES];
    rng_t rng = {3};
    snapshot_events_t sent = random_list(&rng, MAX_SNAPSHOT_EVENTS);
    while (sent.count < 100) {
        sent = random_list(&rng, MAX_SNAPSHOT_EVENTS);
    }
    snapshot_events_t got;
    int32_t before = 0;
    for (size_t end = 9; end < 3200; end++) {
        msg_writer_t out = MSG_Writer(data, sizeof data);
        MSG_WriteBits(&out, 0x55, 8); // the snapshot's own part
        int32_t count = SnapshotEvents_Write(&out, &sent, TICK, vec3_zero, end);
        assert_true(MSG_BitsWritten(&out) <= end && count >= before);
        before = count;
        msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
        (void)MSG_ReadBits(&in, 8);
        SnapshotEvents_Read(&in, &got, TICK, vec3_zero);
        assert_true(MSG_ReadEnd(&in) && got.count == count);
    }
    assert_in_range(before, 10, 99);
}

static void test_any_bytes_are_refused_or_valid(void **state) {
    (void)state;
    uint8_t data[300];
    uint8_t again[sizeof data + 8];
    snapshot_events_t got;
    int32_t valid = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        rng_t rng = {seed};
        uint32_t size = 1 + Rng_Below(&rng, 24);
        for (uint32_t i = 0; i < size; i++) {
            data[i] = (uint8_t)(Rng_Next(&rng) & Rng_Next(&rng));
        }
        vec3_t from = random_place(&rng);
        msg_reader_t in = MSG_Reader(data, size);
        SnapshotEvents_Read(&in, &got, TICK, from);
        if (!in.failed) {
            msg_writer_t out = MSG_Writer(again, sizeof again);
            assert_int_equal(SnapshotEvents_Write(&out, &got, TICK, from, sizeof again * 8),
                             got.count);
            assert_int_equal(MSG_BitsWritten(&out), in.bit);
            for (int32_t i = 0; i < got.count; i++) {
                game_event_t event = got.list[i].event;
                assert_true(GameEvent_Clamp(&event));
                assert_memory_equal(&event, &got.list[i].event, sizeof event);
            }
            valid++;
        }
    }
    assert_true(valid > 1000);
}

static size_t bits_of(const game_event_t *event, vec3_t from) {
    uint8_t data[64];
    game_event_t copy = *event;
    msg_writer_t out = MSG_Writer(data, sizeof data);
    msg_t msg = MSG_Writing(&out);
    GameEvent_Code(&msg, &copy, from);
    return MSG_BitsWritten(&out);
}

static void test_sizes(void **state) {
    (void)state;
    game_event_t event = {
        .kind = GAME_SOUND, .number = 9, .entity = 17, .range = GAME_SOUND_RANGE, .volume = 1.0f};
    assert_int_equal(bits_of(&event, vec3_zero), 21); // a sound at an edict
    event.kind = GAME_EFFECT;
    event.range = GAME_EFFECT_RANGE;
    event.has_origin = true;
    event.origin = Vector(1100.0f, 900.0f, 30.0f);
    assert_in_range(bits_of(&event, Vector(1000.0f, 1000.0f, 0.0f)), 40, 56); // an effect near by
}

static void test_values_of_a_game_are_clamped(void **state) {
    (void)state;
    game_event_t event = {.kind = GAME_SOUND,
                          .number = 1,
                          .entity = 70000,
                          .has_origin = true,
                          .origin = {NAN, INFINITY, -1e30f},
                          .range = -5,
                          .volume = 7.0f,
                          .num_args = 9,
                          .args = {1, 2, 3, 4}};
    assert_true(GameEvent_Clamp(&event));
    assert_true(VectorWithin(event.origin, (float)MAX_WORLD_COORD));
    assert_true(event.entity == 0 && event.range == 0 && event.num_args == 4);
    assert_true(event.volume == 1.0f);
    game_event_t bad = event;
    bad.number = NAMES_MAX;
    assert_false(GameEvent_Clamp(&bad));
    bad.number = 0;
    assert_false(GameEvent_Clamp(&bad));
    bad = event;
    bad.kind = 2;
    assert_false(GameEvent_Clamp(&bad));
}

// Tests the window against a list of all received numbers, over several wraps. A number is sent
// again while it is less than half a window old.
static void test_each_number_is_accepted_once(void **state) {
    (void)state;
    static bool received[300000];
    event_window_t window = {0};
    rng_t rng = {5};
    int32_t accepted = 0;
    for (int32_t newest = 0; newest < (int32_t)COUNTOF(received); newest++) {
        int32_t n = newest - (int32_t)Rng_Below(&rng, EVENT_WINDOW / 2);
        n = n < 0 || Rng_Below(&rng, 2) == 0 ? newest : n;
        assert_int_equal(EventWindow_Accept(&window, (uint16_t)n), !received[n]);
        accepted += received[n] ? 0 : 1;
        received[n] = true;
        if (Rng_Below(&rng, 20000) == 0) {
            newest += 30000; // a long silence
        }
    }
    assert_true(accepted > 50000);
    event_window_t anew = {.next = 5000};
    assert_false(EventWindow_Accept(&anew, 5000 - EVENT_WINDOW - 1)); // too old to be known
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_a_list_ends_within_its_bits),
        cmocka_unit_test(test_any_bytes_are_refused_or_valid),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_values_of_a_game_are_clamped),
        cmocka_unit_test(test_each_number_is_accepted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
