#include "wire.h"

#include "proto/control.h"

#include <string.h>

void Wire_Bytes(datagram_t *out, const void *data, size_t size) {
    if (out->size + size <= sizeof out->bytes) {
        memcpy(out->bytes + out->size, data, size);
        out->size += size;
    }
}

void Wire_U8(datagram_t *out, uint32_t value) {
    uint8_t byte = (uint8_t)value;
    Wire_Bytes(out, &byte, 1);
}

void Wire_U16(datagram_t *out, uint32_t value) {
    const uint8_t bytes[2] = {(uint8_t)(value >> 8), (uint8_t)value};
    Wire_Bytes(out, bytes, sizeof bytes);
}

void Wire_U32(datagram_t *out, uint32_t value) {
    Wire_U16(out, value >> 16);
    Wire_U16(out, value & 0xffff);
}

uint32_t Wire_GetU16(const datagram_t *in, size_t at) {
    return at + 2 <= in->size ? (uint32_t)in->bytes[at] << 8 | in->bytes[at + 1] : 0;
}

uint32_t Wire_GetU32(const datagram_t *in, size_t at) {
    return Wire_GetU16(in, at) << 16 | Wire_GetU16(in, at + 2);
}

// ---- ENet ----

void Wire_Begin(datagram_t *out, uint32_t peer, uint32_t sent_ms) {
    out->size = 0;
    Wire_U16(out, peer | ENET_SENT_TIME);
    Wire_U16(out, sent_ms & 0xffff);
    Wire_U32(out, 0);
}

void Wire_Command(datagram_t *out, uint32_t command, uint32_t channel, uint32_t sequence) {
    Wire_U8(out, command);
    Wire_U8(out, channel);
    Wire_U16(out, sequence);
}

void Wire_Reliable(datagram_t *out, uint32_t channel, uint32_t sequence, size_t size) {
    Wire_Command(out, ENET_RELIABLE | ENET_WANTS_ACK, channel, sequence);
    Wire_U16(out, (uint32_t)size);
}

void Wire_Unreliable(datagram_t *out, uint32_t channel, uint32_t sequence, uint32_t number,
                     size_t size) {
    Wire_Command(out, ENET_UNRELIABLE, channel, sequence);
    Wire_U16(out, number);
    Wire_U16(out, (uint32_t)size);
}

void Wire_Fragment(datagram_t *out, uint32_t command, uint32_t channel,
                   const fragment_t *fragment) {
    static const uint8_t zeros[WIRE_MAX_BYTES];
    uint32_t flag = command == ENET_FRAGMENT ? ENET_WANTS_ACK : 0;
    Wire_Command(out, command | flag, channel, fragment->sequence);
    Wire_U16(out, fragment->start);
    Wire_U16(out, fragment->length);
    Wire_U32(out, fragment->count);
    Wire_U32(out, fragment->number);
    Wire_U32(out, fragment->total);
    Wire_U32(out, fragment->offset);
    Wire_Bytes(out, zeros, fragment->length);
}

// CRC-32 of Ethernet, as enet_crc32.
static uint32_t crc32(const uint8_t *data, size_t size) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

void Wire_Seal(datagram_t *out, const uint8_t connect_id[4]) {
    memcpy(out->bytes + 4, connect_id, 4);
    uint32_t crc = crc32(out->bytes, out->size);
    for (size_t i = 0; i < 4; i++) {
        out->bytes[4 + i] = (uint8_t)(crc >> (24 - 8 * i));
    }
}

size_t Wire_CommandBytes(const datagram_t *in, size_t at) {
    static const uint8_t sizes[ENET_COMMANDS] = {0, 8, 48, 44, 8, 4, 6, 8, 24, 8, 12, 16, 24};
    static const uint8_t lengths[ENET_COMMANDS] = {[ENET_RELIABLE] = 4,
                                                   [ENET_UNRELIABLE] = 6,
                                                   [ENET_FRAGMENT] = 6,
                                                   [ENET_UNSEQUENCED] = 6,
                                                   [ENET_UNRELIABLE_FRAGMENT] = 6};
    uint32_t command = at < in->size ? in->bytes[at] & 0xfu : 0;
    if (command == 0 || command >= ENET_COMMANDS) {
        return 0;
    }
    size_t size = sizes[command];
    if (lengths[command] > 0) {
        size += Wire_GetU16(in, at + lengths[command]);
    }
    return at + size <= in->size ? size : 0;
}

void Wire_CookieRequest(datagram_t *out, uint32_t nonce) {
    out->size = 0;
    Wire_U32(out, 0xffffffffu);
    Wire_Bytes(out, "getcookie\2", 10);
    Wire_U32(out, nonce);
    memset(out->bytes + out->size, 0, 96 - out->size);
    out->size = 96;
}

void Wire_Connect(datagram_t *out, uint32_t cookie, uint32_t connect_id, uint32_t number,
                  uint32_t mtu) {
    static const uint8_t none[4] = {0};
    Wire_Begin(out, ENET_NO_PEER, 1);
    Wire_Command(out, ENET_CONNECT | ENET_WANTS_ACK, ENET_CONTROL, 1);
    Wire_U16(out, number);
    Wire_U16(out, 0xffff);  // sessions
    Wire_U32(out, mtu);     // then window, channels, two bandwidths
    Wire_U32(out, 0x10000); // bytes
    Wire_U32(out, 3);
    Wire_U32(out, 0);
    Wire_U32(out, 0);
    Wire_U32(out, 5000); // throttle: interval, up, down
    Wire_U32(out, 2);
    Wire_U32(out, 2);
    Wire_U32(out, connect_id);
    Wire_U32(out, cookie);
    Wire_Seal(out, none);
}

// ---- messages of the game's protocol: bits, lowest first ----

typedef struct {
    uint8_t *bytes;
    size_t bit;
} bits_t;

static void put(bits_t *out, uint64_t value, int count) {
    for (int i = 0; i < count; i++, out->bit++) {
        uint8_t *byte = out->bytes + out->bit / 8;
        *byte = out->bit % 8 == 0 ? 0 : *byte;
        *byte |= (uint8_t)((value >> i & 1) << out->bit % 8);
    }
}

static void put_text(bits_t *out, const char *text) {
    put(out, strlen(text), 16);
    for (; *text; text++) {
        put(out, (uint8_t)*text, 8);
    }
}

static size_t whole_bytes(const bits_t *bits) {
    return (bits->bit + 7) / 8;
}

size_t Wire_Hello(uint8_t *out, const char *name) {
    bits_t bits = {out, 0};
    put(&bits, 1, 8);
    put(&bits, PROTO_MAGIC, 32);
    put(&bits, PROTO_VERSION, 16);
    put(&bits, 0, 1); // no spectator
    put_text(&bits, name);
    put_text(&bits, ""); // password
    put_text(&bits, ""); // token
    for (int i = 0; i < 4; i++) {
        put(&bits, 0, 32); // rejoin key
    }
    return whole_bytes(&bits);
}

size_t Wire_Leave(uint8_t *out) {
    out[0] = 5;
    return 1;
}

size_t Wire_Ready(uint8_t *out, uint32_t epoch) {
    bits_t bits = {out, 0};
    put(&bits, 2, 8);
    put(&bits, epoch, 32);
    put(&bits, 0, 1); // has no map
    return whole_bytes(&bits);
}

size_t Wire_Get(uint8_t *out, uint32_t epoch, uint32_t offset) {
    bits_t bits = {out, 0};
    put(&bits, 7, 8);
    put(&bits, epoch, 32);
    put(&bits, offset, 28);
    return whole_bytes(&bits);
}

size_t Wire_Text(uint8_t *out, uint32_t type, const char *text) {
    bits_t bits = {out, 0};
    put(&bits, type, 8);
    put_text(&bits, text);
    return whole_bytes(&bits);
}

size_t Wire_UserCmd(uint8_t *out, uint32_t epoch, uint32_t number) {
    bits_t bits = {out, 0};
    put(&bits, epoch, 8);
    put(&bits, number, 16);
    put(&bits, 0, 5);  // one command
    put(&bits, 0, 8);  // of tick 0: 7 bits, and no more
    put(&bits, 0, 1);  // acknowledges nothing
    put(&bits, 0, 4);  // sees tick 0: var(3) of 0
    put(&bits, 0, 2);  // view_frac and view_span as before
    put(&bits, 1, 1);  // another duration:
    put(&bits, 15, 7); // 16 ms
    put(&bits, 0, 1);  // input as before
    return whole_bytes(&bits);
}
