// The delta code of one entity.

#include "lib/testing.h"

#include "lib/test_states.h"
#include "proto/entity_fields.h"

#include <string.h>

#define BUFFER_BYTES 512

static size_t write_bits(const entity_state_t *from, const entity_state_t *to, int32_t elapsed_ms,
                         uint8_t data[BUFFER_BYTES]) {
    msg_writer_t out = MSG_Writer(data, BUFFER_BYTES);
    Entity_Write(&out, from, to, elapsed_ms);
    size_t bits = MSG_BitsWritten(&out);
    assert_true(MSG_Finish(&out) > 0);
    return bits;
}

static bool read_back(const entity_state_t *from, entity_state_t *to, int32_t elapsed_ms,
                      const uint8_t *data, size_t size) {
    msg_reader_t in = MSG_Reader(data, size);
    Entity_Read(&in, from, to, elapsed_ms);
    return MSG_ReadEnd(&in);
}

static void test_any_state_against_any_other(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        rng_t rng = {seed};
        int32_t elapsed_ms = TestStates_Int(&rng, 0, 60000);
        entity_state_t from = TestStates_Entity(&rng, 7);
        entity_state_t to =
            Rng_Below(&rng, 2) ? TestStates_Entity(&rng, 7) : TestStates_NextEntity(&rng, &from);
        entity_state_t back;
        uint8_t data[BUFFER_BYTES];
        size_t bits = write_bits(&from, &to, elapsed_ms, data);
        if (!read_back(&from, &back, elapsed_ms, data, (bits + 7) / 8) ||
            memcmp(&back, &to, sizeof to) != 0) {
            fail_msg("seed %llu", (unsigned long long)seed);
        }
        if (!Entity_Equal(&from, &to)) {
            size_t cut = Rng_Below(&rng, (uint32_t)((bits + 7) / 8));
            assert_false(read_back(&from, &back, elapsed_ms, data, cut));
        }
    }
}

static void test_extremes(void **state) {
    (void)state;
    entity_state_t low = {.number = 1, .effects = INT32_MIN};
    entity_state_t high = {.number = 1, .effects = INT32_MAX};
    for (int32_t axis = 0; axis < 3; axis++) {
        low.origin[axis] = -ENTITY_MAX_ORIGIN;
        low.velocity[axis] = -ENTITY_MAX_VELOCITY;
        low.mins[axis] = low.maxs[axis] = -ENTITY_MAX_CORNER;
        high.origin[axis] = ENTITY_MAX_ORIGIN;
        high.velocity[axis] = ENTITY_MAX_VELOCITY;
        high.mins[axis] = high.maxs[axis] = ENTITY_MAX_CORNER;
        high.angles[axis] = 65535;
    }
    uint8_t data[BUFFER_BYTES];
    entity_state_t back;
    size_t bits = write_bits(&low, &high, 60000, data);
    assert_true(read_back(&low, &back, 60000, data, (bits + 7) / 8));
    assert_memory_equal(&back, &high, sizeof back);
    bits = write_bits(&high, &low, 60000, data);
    assert_true(read_back(&high, &back, 60000, data, (bits + 7) / 8));
    assert_memory_equal(&back, &low, sizeof back);
    assert_true(bits < 1600); // what the snapshot's writer reckons with
}

static void test_steady_motion_is_cheap(void **state) {
    (void)state;
    uint8_t data[BUFFER_BYTES];
    entity_state_t from = {.number = 3, .origin = {16000, -3200, 400}, .velocity = {320, -100, 0}};
    assert_int_equal(write_bits(&from, &from, 96, data), GROUP_COUNT); // one bit a group
    entity_state_t to = from;
    to.origin[0] += 320 * 16 * 96 / 1000;
    to.origin[1] += -100 * 16 * 96 / 1000;
    // Found where its velocity took it: a zero for each axis and the five group bits.
    assert_int_equal(write_bits(&from, &to, 96, data), 5 + 4 + 4 + 1);
    // A jump under gravity, too: the mean of both velocities is exact.
    from.velocity[2] = 270;
    to.velocity[2] = 190;
    to.origin[2] += 230 * 16 * 100 / 1000;
    to.origin[0] = from.origin[0] + 320 * 16 * 100 / 1000;
    to.origin[1] = from.origin[1] - 100 * 16 * 100 / 1000;
    assert_int_equal(write_bits(&from, &to, 100, data), 5 + (5 + 5 + 15) + (4 + 4 + 1));
}

static void test_flips_keep_within_range(void **state) {
    (void)state;
    int32_t valid = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        rng_t rng = {seed};
        entity_state_t from = TestStates_Entity(&rng, 9);
        entity_state_t to = TestStates_Entity(&rng, 9);
        entity_state_t back;
        uint8_t data[BUFFER_BYTES];
        size_t bits = write_bits(&from, &to, 100, data);
        for (size_t bit = 0; bit < bits; bit++) {
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            if (read_back(&from, &back, 100, data, (bits + 7) / 8)) {
                entity_state_t clamped = back;
                assert_false(Entity_Clamp(&clamped));
                uint8_t again[BUFFER_BYTES];
                assert_int_equal((write_bits(&from, &back, 100, again) + 7) / 8,
                                 (bits + 7) / 8); // one form only
                assert_memory_equal(again, data, (bits + 7) / 8);
                valid++;
            }
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
    }
    assert_true(valid > 1000);
}

static void test_clamp(void **state) {
    (void)state;
    rng_t rng = {12};
    entity_state_t good = TestStates_Entity(&rng, 5);
    entity_state_t held = good;
    assert_false(Entity_Clamp(&held));
    assert_memory_equal(&held, &good, sizeof good);
    held.type = ENTITY_TYPE_COUNT;
    held.model = -1;
    held.origin[1] = INT32_MAX;
    held.angles[2] = 65536;
    held.mins[0] = 100;
    held.maxs[0] = 99;
    assert_true(Entity_Clamp(&held));
    assert_int_equal(held.type, ENTITY_TYPE_COUNT - 1);
    assert_int_equal(held.model, 0);
    assert_int_equal(held.origin[1], ENTITY_MAX_ORIGIN);
    assert_int_equal(held.angles[2], 65535);
    assert_int_equal(held.maxs[0], 100);
    assert_int_equal(held.number, 5);
    assert_false(Entity_Clamp(&held));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_state_against_any_other),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_steady_motion_is_cheap),
        cmocka_unit_test(test_flips_keep_within_range),
        cmocka_unit_test(test_clamp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
