// Tests of packets of usercmds: they are exact to the bit and checked, and no usercmd is lost if at
// most three packets in a row are lost.

#include "lib/testing.h"

#include "base/hash.h"

#include "lib/states_fixture.h"
#include "proto/usercmd_codec.h"

#include <string.h>

static usercmd_packet_t random_packet(rng_t *rng) {
    usercmd_packet_t packet;
    memset(&packet, 0, sizeof packet);
    packet.epoch = Rng_Below(rng, 256);
    packet.first_seq = (uint16_t)Rng_Next(rng);
    packet.count = TestStates_Int(rng, 1, MAX_CMDS_PACKET);
    usercmd_t cmd = {.tick = (int64_t)(Rng_Next(rng) % (uint64_t)MSG_MAX_TICK) / 2 + 100,
                     .msec = 1};
    cmd.view_tick = cmd.tick - TestStates_Int(rng, 0, 100);
    packet.ack_tick = Rng_Below(rng, 4) == 0 ? 0 : cmd.tick + TestStates_Int(rng, -99, 99);
    for (int32_t i = 0; i < packet.count; i++) {
        cmd = TestStates_NextCmd(rng, &cmd);
        packet.cmds[i] = cmd;
    }
    return packet;
}

static size_t write_packet(const usercmd_packet_t *packet, uint8_t data[MAX_PACKET_BYTES]) {
    msg_writer_t out = MSG_Writer(data, MAX_PACKET_BYTES);
    UserCmd_Write(&out, packet);
    return MSG_Finish(&out);
}

static bool read_packet(usercmd_packet_t *packet, const uint8_t *data, size_t size, err_t *err) {
    msg_reader_t in = MSG_Reader(data, size);
    return UserCmd_Read(&in, packet, err);
}

static void test_round_trips(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        rng_t rng = {seed};
        usercmd_packet_t packet = random_packet(&rng);
        usercmd_packet_t back;
        uint8_t data[MAX_PACKET_BYTES];
        err_t err;
        size_t size = write_packet(&packet, data);
        assert_true(size > 0);
        if (!read_packet(&back, data, size, &err)) {
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
        }
        assert_memory_equal(&back, &packet, sizeof packet);
    }
}

static void test_truncations_and_flips(void **state) {
    (void)state;
    int32_t valid = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        rng_t rng = {seed};
        usercmd_packet_t packet = random_packet(&rng);
        usercmd_packet_t back;
        uint8_t data[MAX_PACKET_BYTES];
        size_t size = write_packet(&packet, data);
        for (size_t cut = 0; cut < size; cut++) {
            err_t err = {""};
            uint8_t *exact = malloc(cut + 1); // exact size: ASan sees each read beyond its end
            memcpy(exact, data, cut);
            assert_false(read_packet(&back, exact, cut, &err));
            assert_true(err.text[0] != '\0');
            assert_true(back.count == 0);
            free(exact);
        }
        for (size_t bit = 0; bit < size * 8; bit++) {
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            if (read_packet(&back, data, size, NULL)) {
                uint8_t again[MAX_PACKET_BYTES];
                assert_int_equal(write_packet(&back, again), size); // there is only one encoding
                assert_memory_equal(again, data, size);
                valid++;
            }
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
    }
    assert_true(valid > 100);
}

static void assert_refused(usercmd_packet_t packet, void (*spoil)(usercmd_t *cmd)) {
    usercmd_t cmd = packet.cmds[packet.count - 1];
    assert_true(UserCmd_IsValid(&cmd));
    spoil(&cmd);
    assert_false(UserCmd_IsValid(&cmd));
}

static void spoil_msec_low(usercmd_t *cmd) {
    cmd->msec = 0;
}
static void spoil_msec_high(usercmd_t *cmd) {
    cmd->msec = MAX_CMD_MSEC + 1;
}
static void spoil_forward(usercmd_t *cmd) {
    cmd->forward = MAX_WISH_SPEED + 1;
}
static void spoil_side(usercmd_t *cmd) {
    cmd->side = -MAX_WISH_SPEED - 1;
}
static void spoil_up(usercmd_t *cmd) {
    cmd->up = INT16_MIN;
}
static void spoil_tick(usercmd_t *cmd) {
    cmd->tick = -1;
}
static void spoil_tick_high(usercmd_t *cmd) {
    cmd->tick = INT64_MAX;
}
static void spoil_view(usercmd_t *cmd) {
    cmd->view_tick = cmd->tick + 1;
}
static void spoil_view_low(usercmd_t *cmd) {
    cmd->view_tick = -1;
}

static void test_commands_that_cannot_be(void **state) {
    (void)state;
    static void (*const spoils[])(usercmd_t *) = {spoil_msec_low, spoil_msec_high, spoil_forward,
                                                  spoil_side,     spoil_up,        spoil_tick,
                                                  spoil_view,     spoil_tick_high, spoil_view_low};
    rng_t rng = {11};
    for (size_t i = 0; i < COUNTOF(spoils); i++) {
        assert_refused(random_packet(&rng), spoils[i]);
    }
}

// Writes by hand a packet of one command with the given movement.
static size_t handmade(uint8_t data[64], uint32_t msec_minus_1, uint32_t forward) {
    msg_writer_t out = MSG_Writer(data, 64);
    MSG_WriteBits(&out, 5, 8);   // epoch
    MSG_WriteBits(&out, 77, 16); // first_seq
    MSG_WriteBits(&out, 0, 5);   // one command
    msg_t msg = MSG_Writing(&out);
    MSG_Tick(&msg, &(int64_t){1000}); // its tick
    MSG_WriteBool(&out, true);        // a snapshot is acknowledged:
    MSG_WriteSigned(&out, 10, 3);     // 10 ticks before
    MSG_WriteVar(&out, 12, 3);        // view_tick: 12 ticks before
    MSG_WriteBool(&out, false);       // view_frac 0
    MSG_WriteBool(&out, true);        // view_span:
    MSG_WriteBits(&out, 0x32, 8);     // snapshots 2 ticks before and 1 after
    MSG_WriteBool(&out, true);        // msec:
    MSG_WriteBits(&out, msec_minus_1, 7);
    MSG_WriteBool(&out, true);  // some input:
    MSG_WriteBool(&out, false); // pitch
    MSG_WriteBool(&out, false); // yaw
    MSG_WriteBool(&out, true);  // forward:
    MSG_WriteBits(&out, forward, 14);
    MSG_WriteBits(&out, 0, 4); // side, up, buttons, impulse
    return MSG_Finish(&out);
}

static void test_layout_as_written_down(void **state) {
    (void)state;
    uint8_t data[64];
    usercmd_packet_t packet;
    assert_true(read_packet(&packet, data, handmade(data, 15, 8191 + 320), NULL));
    assert_int_equal(packet.epoch, 5);
    assert_int_equal(packet.first_seq, 77);
    assert_int_equal(packet.count, 1);
    assert_int_equal(packet.ack_tick, 990);
    assert_int_equal(packet.cmds[0].tick, 1000);
    assert_int_equal(packet.cmds[0].view_tick, 988);
    assert_int_equal(packet.cmds[0].view_span, UserCmd_Span(2, 3));
    assert_int_equal(packet.cmds[0].msec, 16);
    assert_int_equal(packet.cmds[0].forward, 320);
    assert_false(read_packet(&packet, data, handmade(data, 100, 8191 + 320), NULL)); // 101 ms
    assert_false(read_packet(&packet, data, handmade(data, 15, 8191 + 8192), NULL));
    // The packet says that the command has input, but forward is 0.
    assert_false(read_packet(&packet, data, handmade(data, 0, 8191), NULL));
}

static void test_first_new_goes_round(void **state) {
    (void)state;
    int32_t lost = -1;
    usercmd_packet_t packet = {.first_seq = 10, .count = 4}; // 10..13
    assert_int_equal(UserCmd_FirstNew(&packet, 12, &lost), 2);
    assert_int_equal(lost, 0);
    assert_int_equal(UserCmd_FirstNew(&packet, 14, &lost), 4);
    assert_int_equal(UserCmd_FirstNew(&packet, 1000, &lost), 4);
    assert_int_equal(UserCmd_FirstNew(&packet, 8, &lost), 0);
    assert_int_equal(lost, 2);
    packet.first_seq = 65534; // 65534, 65535, 0, 1
    assert_int_equal(UserCmd_FirstNew(&packet, 0, &lost), 2);
    assert_int_equal(lost, 0);
    assert_int_equal(UserCmd_FirstNew(&packet, 65530, &lost), 0);
    assert_int_equal(lost, 4);
    assert_int_equal(UserCmd_FirstNew(&packet, 3, &lost), 4);
}

// Tests loss: sends one usercmd per packet with the three before it, loses at most three packets in
// a row, and counts the usercmds that arrive, also when their numbers wrap around.
static void test_three_lost_packets_lose_nothing(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        rng_t rng = {seed};
        usercmd_t sent[500];
        usercmd_t cmd = {.tick = 50, .view_tick = 40, .msec = 16};
        uint16_t next_seq = 65300;
        int32_t received = 0;
        int32_t in_a_row = 0;
        for (int32_t n = 0; n < (int32_t)COUNTOF(sent); n++) {
            cmd = TestStates_NextCmd(&rng, &cmd);
            sent[n] = cmd;
            usercmd_packet_t packet = {.count = Q_MinI(n + 1, 4), .ack_tick = 30};
            packet.first_seq = (uint16_t)(65300 + n + 1 - packet.count);
            memcpy(packet.cmds, &sent[n + 1 - packet.count],
                   (size_t)packet.count * sizeof(usercmd_t));
            bool is_last = n == (int32_t)COUNTOF(sent) - 1;
            if (!is_last && in_a_row < 3 && Rng_Below(&rng, 2) == 0) {
                in_a_row++;
                continue;
            }
            in_a_row = 0;
            uint8_t data[MAX_PACKET_BYTES];
            usercmd_packet_t back;
            assert_true(read_packet(&back, data, write_packet(&packet, data), NULL));
            int32_t lost = 0;
            int32_t first = UserCmd_FirstNew(&back, next_seq, &lost);
            assert_int_equal(lost, 0);
            for (int32_t i = first; i < back.count; i++) {
                assert_memory_equal(&back.cmds[i], &sent[received], sizeof(usercmd_t));
                received++;
            }
            next_seq = (uint16_t)(back.first_seq + back.count);
        }
        assert_int_equal(received, COUNTOF(sent));
    }
}

// Checks that a packet reads the same with and without the memory of the last one.
static bool reads_alike(usercmd_memory_t *memory, const uint8_t *data, size_t size) {
    usercmd_packet_t with, without;
    err_t with_err = {""}, without_err = {""};
    msg_reader_t in = MSG_Reader(data, size);
    msg_reader_t again = MSG_Reader(data, size);
    const bool is_good = UserCmd_Read(&in, &without, &without_err);
    assert_int_equal(UserCmd_ReadNext(&again, &with, memory, &with_err), is_good);
    assert_memory_equal(&with, &without, sizeof with);
    assert_string_equal(with_err.text, without_err.text);
    assert_int_equal(again.bit, in.bit);
    return is_good;
}

// Sends windows of one history of commands: some packets skip, repeat, change a repeated command or
// have a wrong bit.
static void test_known_commands_read_the_same(void **state) {
    (void)state;
    int32_t valid = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        rng_t rng = {seed};
        usercmd_memory_t memory = {.size = 0};
        usercmd_t sent[60 + MAX_CMDS_PACKET];
        usercmd_t cmd = {.tick = 50, .view_tick = 40, .msec = 16};
        const int32_t window = TestStates_Int(&rng, 1, MAX_CMDS_PACKET);
        for (int32_t n = 0; n < (int32_t)COUNTOF(sent); n++) {
            cmd = TestStates_NextCmd(&rng, &cmd);
            sent[n] = cmd;
        }
        for (int32_t n = 0; n < 60; n += TestStates_Int(&rng, 0, 2)) {
            usercmd_packet_t packet = {.count = window, .ack_tick = 30};
            packet.first_seq = (uint16_t)(65500 + n + (Rng_Below(&rng, 8) == 0));
            packet.count -= window > 1 && Rng_Below(&rng, 4) == 0;
            memcpy(packet.cmds, sent + n, (size_t)packet.count * sizeof(usercmd_t));
            if (Rng_Below(&rng, 4) == 0) {
                packet.cmds[Rng_Below(&rng, (uint32_t)packet.count)].buttons ^= 1;
            }
            uint8_t data[MAX_PACKET_BYTES];
            size_t size = write_packet(&packet, data);
            if (Rng_Below(&rng, 4) == 0) {
                data[Rng_Below(&rng, (uint32_t)size)] ^= (uint8_t)(1u << Rng_Below(&rng, 8));
            }
            valid += reads_alike(&memory, data, size - (Rng_Below(&rng, 8) == 0));
        }
    }
    assert_true(valid > 5000);
}

static void test_held_input_is_cheap(void **state) {
    (void)state;
    usercmd_packet_t packet = {.epoch = 1, .ack_tick = 99990, .count = 4};
    for (int32_t i = 0; i < packet.count; i++) {
        packet.cmds[i] = (usercmd_t){
            .tick = 100000 + i, .view_tick = 99987 + i, .msec = 16, .yaw = 1234, .forward = 320};
    }
    uint8_t data[MAX_PACKET_BYTES];
    size_t size = write_packet(&packet, data);
    assert_true(size <= 20);
}

// Tests the hash of all bytes that 2,000 seeds write. If it changes, PROTO_VERSION must change.
static void test_bytes_stay(void **state) {
    (void)state;
    uint64_t hash = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        rng_t rng = {seed};
        usercmd_packet_t packet = random_packet(&rng);
        uint8_t data[MAX_PACKET_BYTES];
        hash = Hash_Bytes(data, write_packet(&packet, data), hash);
    }
    assert_int_equal(hash, UINT64_C(0x293ac269185db32b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_truncations_and_flips),
        cmocka_unit_test(test_commands_that_cannot_be),
        cmocka_unit_test(test_layout_as_written_down),
        cmocka_unit_test(test_first_new_goes_round),
        cmocka_unit_test(test_three_lost_packets_lose_nothing),
        cmocka_unit_test(test_known_commands_read_the_same),
        cmocka_unit_test(test_held_input_is_cheap),
        cmocka_unit_test(test_bytes_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
