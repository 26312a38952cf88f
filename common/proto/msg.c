#include "proto/msg.h"

#include "base/str.h"

#define MAX_VAR_K   16
#define TICK_BITS   7 // bits of a tick per group
#define TICK_GROUPS 7 // maximum number of groups; enough for MSG_MAX_TICK
#define STRING_BITS 16
#define WHOLE_K     6  // order of the Golomb code of a float that is a whole number
#define WINDOW_BITS 57 // minimum of MSG_Refill, unless the message ends
#define MAX_ONES    32 // run of ones in a valid number

msg_writer_t MSG_Writer(uint8_t *data, size_t size) {
    return (msg_writer_t){.data = data, .size = size, .bits_left = (int64_t)size * 8};
}

size_t MSG_Finish(msg_writer_t *msg) {
    if (msg->overflowed) {
        return 0;
    }
    while (msg->num_pending > 0) {
        msg->data[msg->used++] = (uint8_t)msg->pending;
        msg->pending >>= 8;
        msg->num_pending -= Q_MinI(msg->num_pending, 8);
    }
    return msg->used;
}

void MSG_WriteVar(msg_writer_t *msg, uint32_t value, int32_t k) {
    ASSERT(k >= 0 && k <= MAX_VAR_K);
    uint64_t shifted = (uint64_t)value + (UINT64_C(1) << k);
    int32_t top = 63 - __builtin_clzll(shifted); // k..32
    int32_t ones = top - k;
    uint64_t prefix = (UINT64_C(1) << ones) - 1;
    uint64_t rest = shifted - (UINT64_C(1) << top);
    if (ones + 1 + top <= 32) {
        MSG_WriteBits(msg, (uint32_t)(prefix | rest << (ones + 1)), ones + 1 + top);
        return;
    }
    MSG_WriteBits(msg, (uint32_t)prefix, ones);
    MSG_WriteBits(msg, 0, 1);
    MSG_WriteBits(msg, (uint32_t)rest, top);
}

void MSG_WriteSigned(msg_writer_t *msg, int32_t value, int32_t k) {
    uint32_t u = (uint32_t)value;
    MSG_WriteVar(msg, (u << 1) ^ (value < 0 ? UINT32_MAX : 0), k);
}

static void write_tick(msg_writer_t *msg, int64_t tick) {
    ASSERT(tick >= 0 && tick <= MSG_MAX_TICK);
    uint64_t left = (uint64_t)tick;
    do {
        MSG_WriteBits(msg, (uint32_t)(left & 0x7f), TICK_BITS);
        left >>= TICK_BITS;
        MSG_WriteBool(msg, left > 0);
    } while (left > 0);
}

// Returns the length of a valid character, 0 if it is invalid.
static size_t char_bytes(const char *text, size_t left, bool has_lines) {
    return has_lines && text[0] == '\n' ? 1 : Str_CharBytes(text, left);
}

// Copies a text, cut to max_length, without invalid characters. Returns the length.
static size_t clean_text(uint8_t *to, size_t max_length, const char *text, bool has_lines) {
    size_t left = strlen(text);
    size_t length = 0;
    while (left > 0) {
        size_t taken = char_bytes(text, left, has_lines);
        size_t written = taken > 0 ? taken : 1;
        if (length + written > max_length) {
            break;
        }
        if (taken > 0) {
            memcpy(to + length, text, taken);
        } else {
            to[length] = '?';
        }
        length += written;
        text += written;
        left -= written;
    }
    return length;
}

static void write_string(msg_writer_t *msg, const char *text, size_t max_bytes, bool has_lines) {
    uint8_t clean[MSG_MAX_STRING_BYTES];
    ASSERT(max_bytes >= 1 && max_bytes <= sizeof clean);
    size_t length = clean_text(clean, max_bytes - 1, text, has_lines);
    MSG_WriteBits(msg, (uint32_t)length, STRING_BITS);
    for (size_t i = 0; i < length; i++) {
        MSG_WriteBits(msg, clean[i], 8);
    }
}

msg_reader_t MSG_Reader(const uint8_t *data, size_t size) {
    return (msg_reader_t){.data = data, .size = size};
}

// Returns 57 or more of the bits of data[0..size) from `bit` on; zeros after the end.
static inline uint64_t bits_from(const uint8_t *data, size_t size, size_t bit) {
    const size_t byte = bit / 8;
    const size_t left = size - byte;
    uint64_t window = 0;
    if (left >= sizeof window) {
        memcpy(&window, data + byte, sizeof window); // a constant size compiles to one load
    } else if (left > 0 && size >= sizeof window) {
        memcpy(&window, data + size - sizeof window, sizeof window);
        window >>= 8 * (sizeof window - left);
    } else if (left > 0) {
        memcpy(&window, data + byte, left);
    }
    return window >> (bit % 8);
}

void MSG_CopyBits(msg_writer_t *msg, const uint8_t *data, size_t size, size_t from, size_t count) {
    ASSERT(count <= size * 8 && from <= size * 8 - count);
    for (; count > 32; count -= 32, from += 32) {
        MSG_WriteBits(msg, (uint32_t)bits_from(data, size, from), 32);
    }
    const uint64_t rest = bits_from(data, size, from) & ((UINT64_C(1) << count) - 1);
    MSG_WriteBits(msg, (uint32_t)rest, (int32_t)count);
}

bool MSG_Refill(msg_reader_t *msg, int32_t bits) {
    const size_t left = MSG_BitsLeft(msg);
    const int32_t most = 64 - (int32_t)(msg->bit % 8);
    msg->window = bits_from(msg->data, msg->size, msg->bit);
    msg->num_ready = left < 64 ? Q_MinI((int32_t)left, most) : most;
    if (msg->num_ready < bits) {
        MSG_Fail(msg);
        return false;
    }
    return true;
}

bool MSG_SkipEqual(msg_reader_t *msg, const msg_reader_t *other, size_t bits) {
    if (MSG_BitsLeft(msg) < bits || MSG_BitsLeft(other) < bits) {
        return false;
    }
    for (size_t done = 0; done < bits; done += WINDOW_BITS) {
        const size_t left = bits - done;
        const uint64_t differing = bits_from(msg->data, msg->size, msg->bit + done) ^
                                   bits_from(other->data, other->size, other->bit + done);
        if (differing << (left < WINDOW_BITS ? 64 - left : 64 - WINDOW_BITS) != 0) {
            return false;
        }
    }
    msg->bit += bits;
    msg->num_ready = 0;
    return true;
}

void MSG_Fail(msg_reader_t *msg) {
    msg->failed = true;
    msg->bit = msg->size * 8;
    msg->num_ready = 0;
}

uint32_t MSG_ReadVar(msg_reader_t *msg, int32_t k) {
    ASSERT(k >= 0 && k <= MAX_VAR_K);
    if (msg->num_ready <= MAX_ONES) {
        (void)MSG_Refill(msg, 0);
    }
    int32_t ones = ~msg->window == 0 ? WINDOW_BITS : __builtin_ctzll(~msg->window);
    int32_t top = ones + k;
    int32_t length = ones + 1 + top;
    if (top > 32 || MSG_BitsLeft(msg) < (size_t)length) {
        MSG_Fail(msg);
        return 0;
    }
    (void)MSG_ReadBits(msg, ones);
    (void)MSG_ReadBits(msg, 1);
    uint64_t shifted = (UINT64_C(1) << top) + MSG_ReadBits(msg, top);
    uint64_t value = shifted - (UINT64_C(1) << k);
    if (value > UINT32_MAX) {
        MSG_Fail(msg);
    }
    return msg->failed ? 0 : (uint32_t)value;
}

int32_t MSG_ReadSigned(msg_reader_t *msg, int32_t k) {
    uint32_t u = MSG_ReadVar(msg, k);
    return (int32_t)((u >> 1) ^ (u & 1 ? UINT32_MAX : 0));
}

static int64_t read_tick(msg_reader_t *msg) {
    uint64_t tick = 0;
    for (int32_t group = 0; group < TICK_GROUPS; group++) {
        uint64_t bits = MSG_ReadBits(msg, TICK_BITS);
        bool more = MSG_ReadBool(msg);
        tick |= bits << (TICK_BITS * group);
        if (!more) {
            bool superfluous = bits == 0 && group > 0;
            if (superfluous || tick > (uint64_t)MSG_MAX_TICK) {
                break;
            }
            return msg->failed ? 0 : (int64_t)tick;
        }
    }
    MSG_Fail(msg);
    return 0;
}

static void read_string(msg_reader_t *msg, char *text, size_t max_bytes, bool has_lines) {
    ASSERT(max_bytes >= 1);
    uint8_t *to = (uint8_t *)text;
    size_t length = MSG_ReadBits(msg, STRING_BITS);
    text[0] = '\0';
    if (length >= max_bytes || length * 8 > MSG_BitsLeft(msg)) {
        MSG_Fail(msg);
        return;
    }
    for (size_t i = 0; i < length; i++) {
        to[i] = (uint8_t)MSG_ReadBits(msg, 8);
    }
    to[length] = '\0';
    for (size_t i = 0; i < length;) {
        size_t taken = char_bytes(text + i, length - i, has_lines);
        if (taken == 0) {
            MSG_Fail(msg);
            to[0] = '\0';
            return;
        }
        i += taken;
    }
}

bool MSG_ReadEnd(msg_reader_t *msg) {
    size_t left = MSG_BitsLeft(msg);
    if (left >= 8 || MSG_ReadBits(msg, (int32_t)left) != 0) {
        MSG_Fail(msg);
    }
    return !msg->failed;
}

void MSG_Range(msg_t *msg, int32_t *value, int32_t lo, int32_t hi) {
    uint32_t span = (uint32_t)(hi - lo);
    uint32_t offset = (uint32_t)*value - (uint32_t)lo;
    ASSERT(msg->in || (*value >= lo && *value <= hi));
    MSG_Bits(msg, &offset, 32 - __builtin_clz(span | 1));
    if (msg->in && offset > span) {
        MSG_Fail(msg->in);
        offset = 0;
    }
    *value = lo + (int32_t)offset;
}

void MSG_U64(msg_t *msg, uint64_t *value) {
    uint32_t low = (uint32_t)*value;
    uint32_t high = (uint32_t)(*value >> 32);
    MSG_Bits(msg, &low, 32);
    MSG_Bits(msg, &high, 32);
    *value = msg->in && msg->in->failed ? 0 : (uint64_t)high << 32 | low;
}

void MSG_Float(msg_t *msg, float *value) {
    uint32_t bits = 0;
    memcpy(&bits, value, sizeof bits);
    MSG_Bits(msg, &bits, 32);
    memcpy(value, &bits, sizeof bits);
}

// Returns true for a whole number with a short code, and *whole.
static bool is_whole(int32_t bits, int32_t *whole) {
    float value = 0.0f;
    memcpy(&value, &bits, sizeof value);
    *whole = Q_ToInt(value, -MSG_MAX_WHOLE, MSG_MAX_WHOLE);
    float again = (float)*whole;
    return memcmp(&again, &bits, sizeof again) == 0;
}

void MSG_Real(msg_t *msg, int32_t *bits) {
    int32_t whole = 0;
    bool short_code = is_whole(*bits, &whole);
    if (MSG_Bool(msg, &short_code)) {
        MSG_Signed(msg, &whole, WHOLE_K);
        MSG_Check(msg, whole >= -MSG_MAX_WHOLE && whole <= MSG_MAX_WHOLE);
        float value = (float)whole;
        memcpy(bits, &value, sizeof value);
    } else {
        uint32_t raw = (uint32_t)*bits;
        MSG_Bits(msg, &raw, 32);
        *bits = (int32_t)raw;
        MSG_Check(msg, !is_whole(*bits, &whole));
    }
}

void MSG_Tick(msg_t *msg, int64_t *tick) {
    if (msg->in) {
        *tick = read_tick(msg->in);
    } else {
        write_tick(msg->out, *tick);
    }
}

static void code_string(msg_t *msg, char *text, size_t max_bytes, bool has_lines) {
    if (msg->in) {
        read_string(msg->in, text, max_bytes, has_lines);
    } else {
        write_string(msg->out, text, max_bytes, has_lines);
    }
}

void MSG_String(msg_t *msg, char *text, size_t max_bytes) {
    code_string(msg, text, max_bytes, false);
}

void MSG_Lines(msg_t *msg, char *text, size_t max_bytes) {
    code_string(msg, text, max_bytes, true);
}
