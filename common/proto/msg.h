/// proto/msg.h - writes and reads messages bit by bit.
//
// Memory:  the caller owns the buffers.
// Errors:  a writer without space sets `overflowed` and stops writing. A reader with too few bits
//          or an invalid value sets `failed` and then returns zeros. Test the flag once, at the
//          end.
//
// Bit n of the stream is bit n % 8 of byte n / 8; bit 0 is the lowest. Numbers start with the
// lowest bit. Zero bits fill the last byte.

#ifndef EDICTD_PROTO_MSG_H
#define EDICTD_PROTO_MSG_H

#include "base/assert.h"
#include "base/types.h"
#include "state/ticks.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "MSG_WriteBits copies whole words, so it needs a little-endian machine");

/// Writes into data[0..size). To undo writes, restore a copy of the struct.
typedef struct {
    uint8_t *data;
    size_t size;
    size_t used;      ///< whole bytes written
    uint64_t pending; ///< bits not in `data` yet
    int32_t num_pending;
    bool overflowed;
    int64_t bits_left; ///< bits that fit; negative after an overflow
} msg_writer_t;

/// Reads from data[0..size).
typedef struct {
    const uint8_t *data;
    size_t size;
    size_t bit;        ///< index of the next bit
    uint64_t window;   ///< the next num_ready bits
    int32_t num_ready; ///< set this to 0 after a change of `bit`
    bool failed;
} msg_reader_t;

msg_writer_t MSG_Writer(uint8_t *data, size_t size);

static inline size_t MSG_BitsWritten(const msg_writer_t *msg) {
    return msg->used * 8 + (size_t)msg->num_pending;
}

/// Fills the last byte with zeros. Returns the size in bytes, or 0 after an overflow.
size_t MSG_Finish(msg_writer_t *msg);

/// Writes the lowest `bits` (0..32); all higher bits must be zero. Inline, because snapshots spend
/// most time here.
static inline void MSG_WriteBits(msg_writer_t *msg, uint32_t value, int32_t bits) {
    ASSERT(bits >= 0 && bits <= 32 && (uint64_t)value >> bits == 0);
    msg->bits_left -= bits;
    if (msg->bits_left < 0) {
        msg->overflowed = true;
        return;
    }
    msg->pending |= (uint64_t)value << msg->num_pending; // at most 31 bits are pending
    msg->num_pending += bits;
    if (msg->num_pending >= 32) {
        memcpy(msg->data + msg->used, &msg->pending, 4);
        msg->used += 4;
        msg->pending >>= 32;
        msg->num_pending -= 32;
    }
}

/// Writes `count` bits of data[0..size), from bit `from` on. They must be there.
void MSG_CopyBits(msg_writer_t *msg, const uint8_t *data, size_t size, size_t from, size_t count);

static inline void MSG_WriteBool(msg_writer_t *msg, bool value) {
    MSG_WriteBits(msg, value ? 1 : 0, 1);
}

/// Writes a usually small number, in a Golomb code of order `k` (0..16). Values below 2^k take k +
/// 1 bits; each doubling of value + 2^k takes 2 more.
void MSG_WriteVar(msg_writer_t *msg, uint32_t value, int32_t k);

/// Writes a signed number as MSG_WriteVar of 0, 1, 2, 3, ... for 0, -1, 1, -2, ...
void MSG_WriteSigned(msg_writer_t *msg, int32_t value, int32_t k);

#define MSG_MAX_TICK TICKS_MAX_COUNT

#define MSG_MAX_WHOLE (1 << 20)

/// Maximum `max_bytes` of MSG_String.
#define MSG_MAX_STRING_BYTES 1025

msg_reader_t MSG_Reader(const uint8_t *data, size_t size);

static inline size_t MSG_BitsLeft(const msg_reader_t *msg) {
    return msg->size * 8 - msg->bit;
}

/// Loads the next 57 bits or more into the window, or the rest of the message. If the rest is less
/// than `bits`, marks the message as invalid and returns false.
bool MSG_Refill(msg_reader_t *msg, int32_t bits);

/// Skips `bits` bits if they equal those of `other`, otherwise returns false.
bool MSG_SkipEqual(msg_reader_t *msg, const msg_reader_t *other, size_t bits);

/// Marks the message as invalid.
void MSG_Fail(msg_reader_t *msg);

/// Returns true if nothing failed and only zero bits of the last byte are left.
bool MSG_ReadEnd(msg_reader_t *msg);

// MSG_ReadX reads what MSG_WriteX wrote; 0 after a failure.

static inline uint32_t MSG_ReadBits(msg_reader_t *msg, int32_t bits) {
    ASSERT(bits >= 0 && bits <= 32);
    if (msg->num_ready < bits && !MSG_Refill(msg, bits)) {
        return 0;
    }
    uint64_t value = msg->window & ((UINT64_C(1) << bits) - 1);
    msg->window >>= bits;
    msg->num_ready -= bits;
    msg->bit += (size_t)bits;
    return (uint32_t)value;
}

static inline bool MSG_ReadBool(msg_reader_t *msg) {
    return MSG_ReadBits(msg, 1) != 0;
}

/// Fails the message above 32 bits.
uint32_t MSG_ReadVar(msg_reader_t *msg, int32_t k);
int32_t MSG_ReadSigned(msg_reader_t *msg, int32_t k);

// --- one function for both directions ---------------------------------------------------------

/// A message that is written or read. A codec describes each layout once: MSG_X(msg, &value, ...)
/// writes or reads `value`.
typedef struct {
    msg_writer_t *out; ///< NULL while reading
    msg_reader_t *in;  ///< NULL while writing
} msg_t;

/// For hot codecs: compiled once for writing and once for reading.
#define CODED_TWICE static inline __attribute__((always_inline))

static inline msg_t MSG_Writing(msg_writer_t *out) {
    return (msg_t){.out = out};
}

static inline msg_t MSG_Reading(msg_reader_t *in) {
    return (msg_t){.in = in};
}

/// Checks a rule of valid messages. A broken rule fails a reader and aborts a writer (ASSERT).
static inline void MSG_Check(msg_t *msg, bool holds) {
    if (msg->in && !holds) {
        MSG_Fail(msg->in);
    }
    ASSERT(msg->in || holds);
}

/// Codes a number in `bits` (0..32) bits.
static inline void MSG_Bits(msg_t *msg, uint32_t *value, int32_t bits) {
    if (msg->in) {
        *value = MSG_ReadBits(msg->in, bits);
    } else {
        MSG_WriteBits(msg->out, *value, bits);
    }
}

/// Codes one bit and returns it.
static inline bool MSG_Bool(msg_t *msg, bool *value) {
    if (msg->in) {
        *value = MSG_ReadBool(msg->in);
    } else {
        MSG_WriteBool(msg->out, *value);
    }
    return *value;
}

static inline void MSG_Var(msg_t *msg, uint32_t *value, int32_t k) {
    if (msg->in) {
        *value = MSG_ReadVar(msg->in, k);
    } else {
        MSG_WriteVar(msg->out, *value, k);
    }
}

static inline void MSG_Signed(msg_t *msg, int32_t *value, int32_t k) {
    if (msg->in) {
        *value = MSG_ReadSigned(msg->in, k);
    } else {
        MSG_WriteSigned(msg->out, *value, k);
    }
}

/// Codes a number in lo..hi in as few bits as hi - lo needs. A failed read gives lo.
void MSG_Range(msg_t *msg, int32_t *value, int32_t lo, int32_t hi);

void MSG_U64(msg_t *msg, uint64_t *value);

/// Codes 32 bits of a float. The caller must reject NaN and infinity.
void MSG_Float(msg_t *msg, float *value);

/// Codes the bits of a float: one bit, then a short code for a whole number within +-MSG_MAX_WHOLE,
/// otherwise 32 bits. The caller must reject NaN and infinity.
void MSG_Real(msg_t *msg, int32_t *bits);

/// Codes a tick, 0..MSG_MAX_TICK, in groups of 7 bits, lowest first. After each group, one bit
/// means that another follows.
void MSG_Tick(msg_t *msg, int64_t *tick);

/// Codes a text: 16 bits of length, then bytes. A writer cuts to max_bytes - 1 and replaces invalid
/// characters by '?'. A reader fails on long or invalid texts.
void MSG_String(msg_t *msg, char *text, size_t max_bytes);

/// Like MSG_String, but line feeds are valid.
void MSG_Lines(msg_t *msg, char *text, size_t max_bytes);

#endif
