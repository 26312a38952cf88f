/// proto/msg.h - a packet as a stream of bits: the writer and the reader that every codec uses.
//
// Floor:   proto.
// Units:   bits; sizes of buffers in bytes.
// Memory:  views of buffers that the caller owns.
// Errors:  sticky. A writer that runs out of room writes nothing more and says `overflowed`; a
//          reader that runs out of bytes, or meets a value that cannot be, gives zeros from then on
//          and says `failed`. So a codec runs straight through and checks once, at the end.
//
// Bit n of the stream is bit n % 8 (counted from the least significant) of byte n / 8; the bits of
// a number go lowest first. The last byte is filled with zero bits.

#ifndef EDICTD_PROTO_MSG_H
#define EDICTD_PROTO_MSG_H

#include "base/assert.h"
#include "base/types.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are moved whole");

/// Writes into data[0..size). A copy of the struct is a bookmark: assigning it back takes back all
/// that was written since.
typedef struct {
    uint8_t *data;
    size_t size;
    size_t used;      ///< whole bytes written
    uint64_t pending; ///< bits that do not fill a byte group yet
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

/// Bits written so far.
static inline size_t MSG_BitsWritten(const msg_writer_t *msg) {
    return msg->used * 8 + (size_t)msg->num_pending;
}

/// Fills up the last byte. The number of bytes of the message, or 0 when it overflowed.
size_t MSG_Finish(msg_writer_t *msg);

/// The lowest `bits` (0..32) of value; the others must be zero. Inline: snapshots are made of it.
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

/// One bit.
static inline void MSG_WriteBool(msg_writer_t *msg, bool value) {
    MSG_WriteBits(msg, value ? 1 : 0, 1);
}

/// 64 bits.
void MSG_WriteU64(msg_writer_t *msg, uint64_t value);

/// The 32 bits of a float as they are.
void MSG_WriteFloat(msg_writer_t *msg, float value);

/// A number that is usually small: exponential Golomb code of order k (0..16). A value below 2^k
/// takes k + 1 bits, and each doubling of (value + 2^k) two more, up to 65 - k.
void MSG_WriteVar(msg_writer_t *msg, uint32_t value, int32_t k);

/// The same of a signed number: 0, -1, 1, -2, 2, ... are the values 0, 1, 2, 3, 4, ...
void MSG_WriteSigned(msg_writer_t *msg, int32_t value, int32_t k);

/// A tick, 0..MSG_MAX_TICK: groups of 7 bits, lowest first, each with a bit "more follows".
void MSG_WriteTick(msg_writer_t *msg, int64_t tick);

/// Largest tick on the wire: 2^42, two thousand years of 16 ms.
#define MSG_MAX_TICK (INT64_C(1) << 42)

/// Largest max_bytes of a text.
#define MSG_MAX_STRING_BYTES 1024

/// Text: 16 bits of length, then the bytes without a NUL. At most max_bytes - 1 are written (cut
/// between characters). What is not UTF-8, and control characters, become '?'.
void MSG_WriteString(msg_writer_t *msg, const char *text, size_t max_bytes);

/// Starts to read.
msg_reader_t MSG_Reader(const uint8_t *data, size_t size);

/// Bits not read yet.
static inline size_t MSG_BitsLeft(const msg_reader_t *msg) {
    return msg->size * 8 - msg->bit;
}

/// The next bits without reading them, lowest first: at least 57, zeros beyond the end.
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

/// Marks the message as bad.
void MSG_Fail(msg_reader_t *msg);

/// Ends a message: true when nothing failed, less than a byte is left and its bits are zero.
bool MSG_ReadEnd(msg_reader_t *msg);

/// As written by the function of the same name. After a failure: 0.
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

uint64_t MSG_ReadU64(msg_reader_t *msg);

/// Any bits: the caller checks for NaN and infinity where they must not be.
float MSG_ReadFloat(msg_reader_t *msg);

/// Fails on a code longer than its value needs, or beyond 32 bits.
uint32_t MSG_ReadVar(msg_reader_t *msg, int32_t k);
int32_t MSG_ReadSigned(msg_reader_t *msg, int32_t k);

/// Fails beyond MSG_MAX_TICK, and on a needless last group.
int64_t MSG_ReadTick(msg_reader_t *msg);

/// Fails when the text with its NUL is longer than max_bytes, is not UTF-8 or has control
/// characters. `text` (max_bytes long) always ends with a NUL.
void MSG_ReadString(msg_reader_t *msg, char *text, size_t max_bytes);

/// A number within lo..hi, written as value - lo in `bits` bits. After a failure: lo.
uint32_t MSG_ReadRange(msg_reader_t *msg, int32_t bits, uint32_t lo, uint32_t hi);

#endif
