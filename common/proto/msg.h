/// proto/msg.h - a packet as a stream of bits: writer, reader, and msg_t, which is either.
//
// Units:   bits; sizes of buffers in bytes.
// Memory:  views of buffers that the caller owns.
// Errors:  sticky. A writer without room sets `overflowed` and writes no more. A reader without
//          bits, or with an invalid value, sets `failed` and reads zeros from then on. A codec
//          therefore runs straight through and tests the flag once, at the end.
//
// Bit n of the stream is bit n % 8 (counted from the least significant) of byte n / 8. The bits of
// a number go lowest first. The last byte is filled with zero bits.

#ifndef EDICTD_PROTO_MSG_H
#define EDICTD_PROTO_MSG_H

#include "base/assert.h"
#include "base/types.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are moved whole");

/// Writes into data[0..size). A copy of the struct is a bookmark: assigning it back undoes every
/// later write.
typedef struct {
    uint8_t *data;
    size_t size;
    size_t used;      ///< whole bytes written
    uint64_t pending; ///< bits not stored in `data` yet
    int32_t num_pending;
    bool overflowed;
} msg_writer_t;

/// Reads data[0..size).
typedef struct {
    const uint8_t *data;
    size_t size;
    size_t bit; ///< next to read
    bool failed;
} msg_reader_t;

/// Starts an empty message.
msg_writer_t MSG_Writer(uint8_t *data, size_t size);

/// Returns the number of bits written so far.
static inline size_t MSG_BitsWritten(const msg_writer_t *msg) {
    return msg->used * 8 + (size_t)msg->num_pending;
}

/// Fills the last byte with zeros. Returns the size of the message in bytes, 0 after an overflow.
size_t MSG_Finish(msg_writer_t *msg);

/// Writes the lowest `bits` (0..32) of value; the others must be zero. Inline because it is the hot
/// spot of snapshots.
static inline void MSG_WriteBits(msg_writer_t *msg, uint32_t value, int32_t bits) {
    ASSERT(bits >= 0 && bits <= 32 && (uint64_t)value >> bits == 0);
    if (MSG_BitsWritten(msg) + (size_t)bits > msg->size * 8) {
        msg->overflowed = true;
    }
    if (msg->overflowed) {
        return;
    }
    msg->pending |= (uint64_t)value << msg->num_pending; // fewer than 32 are pending
    msg->num_pending += bits;
    if (msg->num_pending >= 32) {
        memcpy(msg->data + msg->used, &msg->pending, 4);
        msg->used += 4;
        msg->pending >>= 32;
        msg->num_pending -= 32;
    }
}

/// Writes one bit.
static inline void MSG_WriteBool(msg_writer_t *msg, bool value) {
    MSG_WriteBits(msg, value ? 1 : 0, 1);
}

/// Writes a number that is usually small in an exponential Golomb code of order k (0..16). A value
/// below 2^k takes k + 1 bits; each doubling of (value + 2^k) takes two more, up to 65 - k.
void MSG_WriteVar(msg_writer_t *msg, uint32_t value, int32_t k);

/// Writes a signed number as MSG_WriteVar does: 0, -1, 1, -2, 2, ... become 0, 1, 2, 3, 4, ...
void MSG_WriteSigned(msg_writer_t *msg, int32_t value, int32_t k);

/// Largest tick on the wire: 2^42, two thousand years of 16 ms ticks.
#define MSG_MAX_TICK (INT64_C(1) << 42)

/// Largest `max_bytes` of a text.
#define MSG_MAX_STRING_BYTES 1024

/// Starts reading.
msg_reader_t MSG_Reader(const uint8_t *data, size_t size);

/// Returns the number of bits not read yet.
static inline size_t MSG_BitsLeft(const msg_reader_t *msg) {
    return msg->size * 8 - msg->bit;
}

/// Returns the next bits without consuming them, lowest first: at least 57, zeros beyond the end.
static inline uint64_t MSG_PeekBits(const msg_reader_t *msg) {
    size_t byte = msg->bit / 8;
    size_t left = msg->size - byte;
    uint64_t window = 0;
    if (left >= sizeof window) {
        memcpy(&window, msg->data + byte, sizeof window); // a constant size: one load
    } else if (left > 0) {
        memcpy(&window, msg->data + byte, left);
    }
    return window >> (msg->bit % 8);
}

/// Marks the message as invalid.
void MSG_Fail(msg_reader_t *msg);

/// Ends a message. Returns true if nothing failed and only zero bits of the last byte are left.
bool MSG_ReadEnd(msg_reader_t *msg);

// Each MSG_ReadX reads what MSG_WriteX wrote, and returns 0 after a failure.

static inline uint32_t MSG_ReadBits(msg_reader_t *msg, int32_t bits) {
    ASSERT(bits >= 0 && bits <= 32);
    if (MSG_BitsLeft(msg) < (size_t)bits) {
        MSG_Fail(msg);
    }
    if (msg->failed) {
        return 0;
    }
    uint64_t value = MSG_PeekBits(msg) & ((UINT64_C(1) << bits) - 1);
    msg->bit += (size_t)bits;
    return (uint32_t)value;
}

static inline bool MSG_ReadBool(msg_reader_t *msg) {
    return MSG_ReadBits(msg, 1) != 0;
}

/// Fails the message on a value beyond 32 bits.
uint32_t MSG_ReadVar(msg_reader_t *msg, int32_t k);
int32_t MSG_ReadSigned(msg_reader_t *msg, int32_t k);

// --- one function for both directions ---------------------------------------------------------

/// A message that is being written or read. A codec takes one and describes the layout once: each
/// MSG_X(msg, &value, ...) below writes `value`, or replaces it by what it reads.
typedef struct {
    msg_writer_t *out; ///< set while writing
    msg_reader_t *in;  ///< set while reading
} msg_t;

/// For codecs whose speed matters: the compiler makes one copy that writes and one that reads.
#define CODED_TWICE static inline __attribute__((always_inline))

static inline msg_t MSG_Writing(msg_writer_t *out) {
    return (msg_t){.out = out};
}

static inline msg_t MSG_Reading(msg_reader_t *in) {
    return (msg_t){.in = in};
}

/// Tests a rule of every valid message. A reader fails if it is broken; for a writer it is a bug.
static inline void MSG_Check(msg_t *msg, bool holds) {
    if (msg->in && !holds) {
        MSG_Fail(msg->in);
    }
    ASSERT(msg->in || holds);
}

/// Codes the lowest `bits` (0..32) of a number.
static inline void MSG_Bits(msg_t *msg, uint32_t *value, int32_t bits) {
    if (msg->in) {
        *value = MSG_ReadBits(msg->in, bits);
    } else {
        MSG_WriteBits(msg->out, *value, bits);
    }
}

/// Codes one bit. Returns it.
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

/// Codes a number within lo..hi as value - lo, in as few bits as hi - lo needs. Reads lo after a
/// failure.
void MSG_Range(msg_t *msg, int32_t *value, int32_t lo, int32_t hi);

/// Codes 64 bits.
void MSG_U64(msg_t *msg, uint64_t *value);

/// Codes the 32 bits of a float unchanged. Accepts any bits; the caller rejects NaN and infinity
/// where they are invalid.
void MSG_Float(msg_t *msg, float *value);

/// Codes a tick, 0..MSG_MAX_TICK, in groups of 7 bits, lowest first, each with a bit "more
/// follows". A reader fails beyond MSG_MAX_TICK and on a superfluous last group.
void MSG_Tick(msg_t *msg, int64_t *tick);

/// Codes 16 bits of length, then the text without its NUL. A writer writes at most max_bytes - 1
/// bytes, cuts between characters, and turns invalid UTF-8 and control characters into '?'. A
/// reader fails on those, and if the text with its NUL is longer than max_bytes. A text that was
/// read (max_bytes long) always ends with a NUL.
void MSG_String(msg_t *msg, char *text, size_t max_bytes);

#endif
