// Tests that the owner's player state is transmitted bit for bit, for any bits.

#include "lib/testing.h"

#include "base/hash.h"

#include "lib/states_fixture.h"
#include "math/angles.h"
#include "proto/player_codec.h"

#include <string.h>

#define BUFFER_BYTES 512

static size_t write_bits(const player_state_t *from, const player_state_t *to,
                         uint8_t data[BUFFER_BYTES]) {
    msg_writer_t out = MSG_Writer(data, BUFFER_BYTES);
    Player_Write(&out, from, to);
    size_t bits = MSG_BitsWritten(&out);
    assert_true(MSG_Finish(&out) > 0);
    return bits;
}

static bool read_back(const player_state_t *from, player_state_t *to, const uint8_t *data,
                      size_t size) {
    msg_reader_t in = MSG_Reader(data, size);
    Player_Read(&in, from, to);
    return MSG_ReadEnd(&in);
}

static void test_every_bit_arrives(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        rng_t rng = {seed};
        player_state_t from = Rng_Below(&rng, 4) ? TestStates_Player(&rng) : Player_Default();
        player_state_t to =
            Rng_Below(&rng, 2) ? TestStates_Player(&rng) : TestStates_NextPlayer(&rng, &from);
        player_state_t back;
        uint8_t data[BUFFER_BYTES];
        assert_true(Player_IsValid(&to));
        size_t bits = write_bits(&from, &to, data);
        if (!read_back(&from, &back, data, (bits + 7) / 8) || memcmp(&back, &to, sizeof to) != 0) {
            fail_msg("seed %llu", (unsigned long long)seed);
        }
        if (memcmp(&from, &to, sizeof to) != 0) {
            size_t cut = Rng_Below(&rng, (uint32_t)((bits + 7) / 8));
            assert_false(read_back(&from, &back, data, cut));
        }
    }
}

static void test_every_command_angle_is_short(void **state) {
    (void)state;
    player_state_t from = Player_Default();
    player_state_t to = from;
    player_state_t back;
    uint8_t data[BUFFER_BYTES];
    for (int32_t turn = 1; turn < 65536; turn++) {
        to.angles.y = ShortToAngle((uint16_t)turn);
        size_t bits = write_bits(&from, &to, data);
        assert_int_equal(bits, 5 + 3 + 1 + 16); // parts, words of the part, form, angle
        assert_true(read_back(&from, &back, data, (bits + 7) / 8));
        assert_memory_equal(&back, &to, sizeof to);
    }
}

static void test_rest_costs_a_bit_a_part(void **state) {
    (void)state;
    rng_t rng = {3};
    player_state_t player = TestStates_Player(&rng);
    uint8_t data[BUFFER_BYTES];
    assert_int_equal(write_bits(&player, &player, data), 5);
}

static void test_flips_are_refused_or_valid(void **state) {
    (void)state;
    int32_t refused = 0;
    int32_t valid = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        rng_t rng = {seed};
        player_state_t from = TestStates_Player(&rng);
        player_state_t to = TestStates_Player(&rng);
        player_state_t back;
        uint8_t data[BUFFER_BYTES];
        size_t bits = write_bits(&from, &to, data);
        for (size_t bit = 0; bit < bits; bit++) {
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            if (read_back(&from, &back, data, (bits + 7) / 8)) {
                assert_true(Player_IsValid(&back));
                uint8_t again[BUFFER_BYTES];
                assert_int_equal((write_bits(&from, &back, again) + 7) / 8,
                                 (bits + 7) / 8); // there is only one encoding
                assert_memory_equal(again, data, (bits + 7) / 8);
                valid++;
            } else {
                refused++;
            }
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
    }
    assert_true(refused > 1000);
    assert_true(valid > 1000);
}

static void test_states_that_cannot_be(void **state) {
    (void)state;
    const player_state_t good = Player_Default();
    assert_true(Player_IsValid(&good));
    player_state_t bad[] = {good, good, good, good, good, good, good, good, good, good};
    bad[0].origin.x = NAN;
    bad[1].velocity.z = INFINITY;
    bad[2].origin.y = 65537.0f;
    bad[3].mins.x = bad[3].maxs.x + 1.0f;
    bad[4].pm_type = PM_TYPE_COUNT;
    bad[5].groundentity = -2;
    bad[6].waterlevel = 4;
    bad[7].watertype = 0;
    bad[8].step_ms = -1;
    bad[9].delta_yaw = 65536;
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        assert_false(Player_IsValid(&bad[i]));
    }
    int32_t valid = 0; // movetypes: none, noclip, walk, toss, fly, follow
    for (int32_t movetype = -100; movetype <= 100; movetype++) {
        player_state_t player = good;
        player.movetype = movetype;
        valid += Player_IsValid(&player) ? 1 : 0;
    }
    assert_int_equal(valid, 6);
}

// Tests the hash of all bytes that 2,000 seeds write. If it changes, PROTO_VERSION must change.
static void test_bytes_stay(void **state) {
    (void)state;
    uint64_t hash = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        rng_t rng = {seed};
        player_state_t from = Rng_Below(&rng, 4) ? TestStates_Player(&rng) : Player_Default();
        player_state_t to =
            Rng_Below(&rng, 2) ? TestStates_Player(&rng) : TestStates_NextPlayer(&rng, &from);
        uint8_t data[BUFFER_BYTES];
        hash = Hash_Bytes(data, (write_bits(&from, &to, data) + 7) / 8, hash);
    }
    assert_int_equal(hash, UINT64_C(0x825e5c64503470a4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bit_arrives),
        cmocka_unit_test(test_every_command_angle_is_short),
        cmocka_unit_test(test_rest_costs_a_bit_a_part),
        cmocka_unit_test(test_flips_are_refused_or_valid),
        cmocka_unit_test(test_states_that_cannot_be),
        cmocka_unit_test(test_bytes_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
