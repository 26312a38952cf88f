/// net/wire.h - big-endian numbers, and the layout of datagrams sent before a connection exists.
//
// Private to this folder and tests.
// Source:  <enet/protocol.h> for CONNECT, README.md for the cookie exchange.

#ifndef EDICTD_NET_WIRE_H
#define EDICTD_NET_WIRE_H

#include "base/types.h"

// ENet's header: u16 flags, session and peer; u16 sent time with WIRE_FLAG_SENT_TIME; u32 checksum
// if used. Commands follow.
#define WIRE_PEER_MASK       0x0FFFu
#define WIRE_PEER_NONE       0x0FFFu // in a CONNECT: no peer number yet
#define WIRE_SESSION_SHIFT   12      // 2 bits of session number
#define WIRE_FLAG_COMPRESSED 0x4000u
#define WIRE_FLAG_SENT_TIME  0x8000u
#define WIRE_CONNECT_HEADER  0x8FFFu
#define WIRE_CHECKSUM_BYTES  4

// Offsets in a CONNECT, from the command byte.
#define WIRE_CONNECT_COMMAND     0x82 // command number 2 with the flag "acknowledge"
#define WIRE_CONNECT_PEER_AT     4
#define WIRE_CONNECT_MTU_AT      8
#define WIRE_CONNECT_CHANNELS_AT 16
#define WIRE_CONNECT_RATES_AT    20 // bandwidths, 2 x u32
#define WIRE_CONNECT_ID_AT       40
#define WIRE_CONNECT_DATA_AT     44
#define WIRE_CONNECT_BYTES       48

// Out-of-band datagrams: FF FF FF FF, word, data. Offsets are from the start.
#define WIRE_OOB_BYTES         4
#define WIRE_GETCOOKIE         "getcookie" // + u8 version, 4 bytes of nonce, zeros
#define WIRE_COOKIE            "cookie"    // + 4 bytes of nonce, u32 cookie, u32 connectID, offer
#define WIRE_SEALED            "sealed"    // a sealed CONNECT: seal.h
#define WIRE_REFUSED           "refused"   // + u32 connectID, u16 reason
#define WIRE_VERSION_AT        13
#define WIRE_NONCE_AT          14 // in the request
#define WIRE_REPLY_NONCE_AT    10
#define WIRE_REPLY_COOKIE_AT   14
#define WIRE_REPLY_ID_AT       18
#define WIRE_REPLY_OFFER_AT    22
#define WIRE_REFUSED_ID_AT     11
#define WIRE_REFUSED_REASON_AT 15

static inline uint32_t Wire_ReadU16(const uint8_t *at) {
    return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t Wire_ReadU32(const uint8_t *at) {
    return Wire_ReadU16(at) << 16 | Wire_ReadU16(at + 2);
}

static inline void Wire_WriteU16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void Wire_WriteU32(uint8_t *at, uint32_t value) {
    Wire_WriteU16(at, value >> 16);
    Wire_WriteU16(at + 2, value);
}

#endif
