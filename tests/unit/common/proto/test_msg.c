// Tests that bits read equal the bits written, and that messages that are too short, too long or
// malformed fail and stay failed.

#include "lib/testing.h"

#include "base/rng.h"
#include "proto/msg.h"

#include <string.h>

#define BUFFER_BYTES 4096

typedef enum { OP_BITS, OP_FLOAT, OP_U64, OP_VAR, OP_SIGNED, OP_TICK, OP_TEXT, OP_COUNT } op_kind_t;

typedef struct {
    op_kind_t kind;
    int32_t bits; // number of bits, or k
    uint64_t value;
    char text[32];
} op_t;

static op_t random_op(rng_t *rng) {
    op_t op = {.kind = (op_kind_t)Rng_Below(rng, OP_COUNT), .value = Rng_Next(rng)};
    op.value >>= Rng_Below(rng, 64);
    switch (op.kind) {
    case OP_BITS:
        op.bits = (int32_t)Rng_Below(rng, 33);
        op.value &= (UINT64_C(1) << op.bits) - 1;
        break;
    case OP_VAR:
    case OP_SIGNED:
        op.bits = (int32_t)Rng_Below(rng, 17);
        op.value &= UINT32_MAX;
        break;
    case OP_FLOAT:
        op.value = Rng_Next(rng) & UINT32_MAX; // includes NaN: every bit must arrive
        break;
    case OP_TICK:
        op.value %= (uint64_t)MSG_MAX_TICK + 1;
        break;
    case OP_TEXT:
        snprintf(op.text, sizeof op.text, "text %llu \xc3\xa4", (unsigned long long)op.value);
        break;
    default:
        break;
    }
    return op;
}

static float float_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value = 0.0f;
    memcpy(&value, &low, sizeof value);
    return value;
}

static uint64_t bits_of(float value) {
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void write_op(msg_writer_t *msg, const op_t *op) {
    msg_t both = MSG_Writing(msg);
    op_t copy = *op;
    float f = float_of(op->value);
    int64_t tick = (int64_t)op->value;
    switch (op->kind) {
    case OP_BITS:
        MSG_WriteBits(msg, (uint32_t)op->value, op->bits);
        break;
    case OP_FLOAT:
        MSG_Float(&both, &f);
        break;
    case OP_U64:
        MSG_U64(&both, &copy.value);
        break;
    case OP_VAR:
        MSG_WriteVar(msg, (uint32_t)op->value, op->bits);
        break;
    case OP_SIGNED:
        MSG_WriteSigned(msg, (int32_t)(uint32_t)op->value, op->bits);
        break;
    case OP_TICK:
        MSG_Tick(&both, &tick);
        break;
    default:
        MSG_String(&both, copy.text, sizeof copy.text);
        break;
    }
}

static int64_t read_tick(msg_reader_t *in) {
    msg_t msg = MSG_Reading(in);
    int64_t tick = -1;
    MSG_Tick(&msg, &tick);
    return tick;
}

// Reads an operation's value; returns true if it equals the written one.
static bool read_op(msg_reader_t *msg, const op_t *op) {
    char text[sizeof op->text];
    msg_t both = MSG_Reading(msg);
    float f = 0.0f;
    uint64_t number = 0;
    switch (op->kind) {
    case OP_BITS:
        return MSG_ReadBits(msg, op->bits) == op->value;
    case OP_FLOAT:
        MSG_Float(&both, &f);
        return bits_of(f) == op->value;
    case OP_U64:
        MSG_U64(&both, &number);
        return number == op->value;
    case OP_VAR:
        return MSG_ReadVar(msg, op->bits) == op->value;
    case OP_SIGNED:
        return MSG_ReadSigned(msg, op->bits) == (int32_t)(uint32_t)op->value;
    case OP_TICK:
        return read_tick(msg) == (int64_t)op->value;
    default:
        MSG_String(&both, text, sizeof text);
        return strcmp(text, op->text) == 0;
    }
}

static void test_round_trips_and_truncations(void **state) {
    (void)state;
    uint8_t data[BUFFER_BYTES];
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        rng_t rng = {seed};
        op_t ops[40];
        int32_t count = 1 + (int32_t)Rng_Below(&rng, 40);
        msg_writer_t out = MSG_Writer(data, sizeof data);
        for (int32_t i = 0; i < count; i++) {
            ops[i] = random_op(&rng);
            write_op(&out, &ops[i]);
        }
        size_t bits = MSG_BitsWritten(&out);
        size_t size = MSG_Finish(&out);
        assert_int_equal(size, (bits + 7) / 8);
        msg_reader_t in = MSG_Reader(data, size);
        for (int32_t i = 0; i < count; i++) {
            if (!read_op(&in, &ops[i])) {
                fail_msg("seed %llu: operation %d", (unsigned long long)seed, i);
            }
        }
        assert_true(MSG_ReadEnd(&in));
        size_t cut = Rng_Below(&rng, (uint32_t)size);
        in = MSG_Reader(data, cut);
        for (int32_t i = 0; i < count; i++) {
            (void)read_op(&in, &ops[i]);
            assert_true(in.bit <= cut * 8);
        }
        assert_true(in.failed || bits <= cut * 8);
        assert_false(MSG_ReadEnd(&in) && cut < size);
    }
}

static void test_layout_is_lowest_bit_first(void **state) {
    (void)state;
    uint8_t data[8];
    msg_writer_t out = MSG_Writer(data, sizeof data);
    MSG_WriteBits(&out, 1, 1);
    MSG_WriteBits(&out, 0x55, 7);
    MSG_WriteBits(&out, 0x1234, 16);
    MSG_WriteVar(&out, 5, 1); // 5 + 2 = 7: two more bits than k, so 1 0, then 11
    assert_int_equal(MSG_BitsWritten(&out), 28);
    assert_int_equal(MSG_Finish(&out), 4);
    assert_memory_equal(data, ((uint8_t[]){0xab, 0x34, 0x12, 0x0d}), 4);
}

static void test_lengths_of_var(void **state) {
    (void)state;
    static const struct {
        uint32_t value;
        int32_t k, bits;
    } cases[] = {{0, 0, 1},  {1, 0, 3}, {2, 0, 3},           {3, 0, 5},
                 {7, 3, 4},  {8, 3, 6}, {UINT32_MAX, 0, 65}, {UINT32_MAX, 16, 49},
                 {0, 16, 17}};
    uint8_t data[16];
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        msg_writer_t out = MSG_Writer(data, sizeof data);
        MSG_WriteVar(&out, cases[i].value, cases[i].k);
        assert_int_equal(MSG_BitsWritten(&out), cases[i].bits);
        msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
        assert_int_equal(MSG_ReadVar(&in, cases[i].k), cases[i].value);
        assert_false(in.failed);
    }
}

static void test_numbers_that_cannot_be(void **state) {
    (void)state;
    uint8_t ones[16];
    memset(ones, 0xff, sizeof ones);
    msg_reader_t in = MSG_Reader(ones, sizeof ones);
    assert_int_equal(MSG_ReadVar(&in, 0), 0);
    assert_true(in.failed);
    in = MSG_Reader(ones, sizeof ones);
    assert_int_equal(read_tick(&in), 0);
    assert_true(in.failed);
    uint8_t superfluous[] = {0x81, 0x00}; // 1, then a group of zeros
    in = MSG_Reader(superfluous, sizeof superfluous);
    assert_int_equal(read_tick(&in), 0);
    assert_true(in.failed);
    assert_int_equal(MSG_ReadBits(&in, 32), 0);
    in = MSG_Reader(ones, 1);
    msg_t wire = MSG_Reading(&in);
    int32_t ranged = 0;
    MSG_Range(&wire, &ranged, 10, 16); // the 3 bits hold 7, but at most 6 is valid
    assert_int_equal(ranged, 10);
    assert_true(in.failed);
    // Write 33 bits of a number that may have 32.
    uint8_t data[16];
    msg_writer_t out = MSG_Writer(data, sizeof data);
    MSG_WriteBits(&out, UINT32_MAX, 32);
    MSG_WriteBits(&out, 0, 1);
    MSG_WriteBits(&out, UINT32_MAX, 32);
    in = MSG_Reader(data, MSG_Finish(&out));
    assert_int_equal(MSG_ReadVar(&in, 0), 0);
    assert_true(in.failed);
}

static void test_a_full_writer_stays_full(void **state) {
    (void)state;
    uint8_t data[8] = {0};
    data[5] = 0xee;
    msg_writer_t out = MSG_Writer(data, 5);
    MSG_WriteBits(&out, 0x3fffffff, 30);
    msg_writer_t mark = out;
    MSG_WriteBits(&out, 0x7ff, 11);
    assert_true(out.overflowed);
    MSG_WriteBits(&out, 0, 1);
    assert_true(out.overflowed);
    assert_int_equal(MSG_Finish(&out), 0);
    out = mark; // with the bookmark, there is still room
    MSG_WriteBits(&out, 0x3ff, 10);
    assert_int_equal(MSG_Finish(&out), 5);
    assert_memory_equal(data, ((uint8_t[]){0xff, 0xff, 0xff, 0xff, 0xff, 0xee}), 6);
}

static void test_copied_bits_are_those_read(void **state) {
    (void)state;
    rng_t rng = {11};
    uint8_t data[24], copy[32];
    for (int32_t round = 0; round < 20000; round++) {
        const size_t size = Rng_Below(&rng, sizeof data) + 1;
        const size_t from = Rng_Below(&rng, (uint32_t)size * 8 + 1);
        const size_t count = Rng_Below(&rng, (uint32_t)(size * 8 - from) + 1);
        const int32_t before = (int32_t)Rng_Below(&rng, 33);
        for (size_t i = 0; i < size; i++) {
            data[i] = (uint8_t)Rng_Next(&rng);
        }
        msg_writer_t out = MSG_Writer(copy, sizeof copy);
        MSG_WriteBits(&out, 0, before);
        MSG_CopyBits(&out, data, size, from, count);
        MSG_WriteBits(&out, 1, 1);
        msg_reader_t in = MSG_Reader(copy, MSG_Finish(&out));
        assert_int_equal(MSG_ReadBits(&in, before), 0);
        for (size_t bit = from; bit < from + count; bit++) {
            assert_int_equal(MSG_ReadBits(&in, 1), data[bit / 8] >> (bit % 8) & 1);
        }
        assert_int_equal(MSG_ReadBits(&in, 1), 1);
        assert_true(MSG_ReadEnd(&in));
    }
}

static void test_end_of_a_message(void **state) {
    (void)state;
    uint8_t data[2] = {0x01, 0x00};
    msg_reader_t in = MSG_Reader(data, 1);
    (void)MSG_ReadBits(&in, 1);
    assert_true(MSG_ReadEnd(&in));
    in = MSG_Reader(data, 2); // one byte too many
    (void)MSG_ReadBits(&in, 1);
    assert_false(MSG_ReadEnd(&in));
    data[0] = 0x81; // a bit set after the end
    in = MSG_Reader(data, 1);
    (void)MSG_ReadBits(&in, 1);
    assert_false(MSG_ReadEnd(&in));
    in = MSG_Reader(NULL, 0);
    assert_true(MSG_ReadEnd(&in));
    assert_int_equal(MSG_ReadBits(&in, 1), 0);
    assert_true(in.failed);
}

static void check_text(const char *text, size_t max_bytes, const char *expected) {
    uint8_t data[128];
    char back[64];
    msg_writer_t out = MSG_Writer(data, sizeof data);
    msg_t msg = MSG_Writing(&out);
    strlcpy(back, text, sizeof back);
    MSG_String(&msg, back, max_bytes);
    msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
    msg = MSG_Reading(&in);
    MSG_String(&msg, back, max_bytes);
    assert_string_equal(back, expected);
    assert_true(MSG_ReadEnd(&in));
}

static void test_texts_are_cleaned(void **state) {
    (void)state;
    check_text("", 16, "");
    check_text("hello", 6, "hello");
    check_text("hello", 5, "hell");
    check_text("a\nb\x1b[31m\x7f", 32, "a?b?[31m?");
    check_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 32, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    check_text("ab\xc3\xa4", 4, "ab");          // a character is not cut in two
    check_text("\xc3", 16, "?");                // character ends too early
    check_text("\xc0\xaf", 16, "??");           // overlong
    check_text("\xed\xa0\x80", 16, "???");      // surrogate
    check_text("\xf4\x90\x80\x80", 16, "????"); // beyond Unicode
    check_text("\xc2\x9b", 16, "??");           // control character
    check_text("\xe0\x80\x80", 16, "???");      // overlong
    check_text("\xff\xfe", 16, "??");
}

static void test_bad_texts_are_refused(void **state) {
    (void)state;
    static const uint8_t texts[][6] = {
        {3, 0, 'a', '\n', 'b'}, {2, 0, 0xc0, 0xaf}, {1, 0, 0}, {4, 0, 'a', 'b'}, {8, 0, 'a'}};
    static const size_t sizes[] = {5, 4, 3, 4, 3};
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        char back[8] = "untouch";
        msg_reader_t in = MSG_Reader(texts[i], sizes[i]);
        msg_t msg = MSG_Reading(&in);
        MSG_String(&msg, back, sizeof back);
        assert_true(in.failed);
        assert_string_equal(back, "");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips_and_truncations),
        cmocka_unit_test(test_layout_is_lowest_bit_first),
        cmocka_unit_test(test_lengths_of_var),
        cmocka_unit_test(test_numbers_that_cannot_be),
        cmocka_unit_test(test_a_full_writer_stays_full),
        cmocka_unit_test(test_copied_bits_are_those_read),
        cmocka_unit_test(test_end_of_a_message),
        cmocka_unit_test(test_texts_are_cleaned),
        cmocka_unit_test(test_bad_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
