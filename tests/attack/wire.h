/// attack/wire.h - builds and reads datagrams of ENet 1.3.17 and of the cookie exchange.
//
// Written from common/net/README.md, common/proto/README.md and <enet/protocol.h>. It shares no
// code with the server, so a fault of the server's own codec cannot hide here.

#ifndef EDICTD_TESTS_ATTACK_WIRE_H
#define EDICTD_TESTS_ATTACK_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_MAX_BYTES 4200 // a little more than the 4096 that ENet reads

// Numbers of ENet's commands.
enum {
    ENET_ACK = 1,
    ENET_CONNECT,
    ENET_VERIFY,
    ENET_DISCONNECT,
    ENET_PING,
    ENET_RELIABLE,
    ENET_UNRELIABLE,
    ENET_FRAGMENT,
    ENET_UNSEQUENCED,
    ENET_BANDWIDTH,
    ENET_THROTTLE,
    ENET_UNRELIABLE_FRAGMENT,
    ENET_COMMANDS
};

#define ENET_WANTS_ACK  0x80u // flag of a command
#define ENET_UNSEQ_FLAG 0x40u // flag of a command
#define ENET_CONTROL    0xffu // channel of CONNECT, PING and the like
#define ENET_NO_PEER    0xfffu
#define ENET_SENT_TIME  0x8000u // flag of the header
#define ENET_HEADER_BYTES                                                                          \
    8 // flags and peer, sent time (2 bytes; absent without its flag), checksum

typedef struct {
    size_t size;
    uint8_t bytes[WIRE_MAX_BYTES];
} datagram_t;

/// A fragment of a message; every field may be a lie.
typedef struct {
    uint16_t sequence, start;
    uint32_t count, number, total, offset;
    uint16_t length; ///< of the data, which are zeros
} fragment_t;

/// Appends a number, highest byte first. Numbers beyond the end of the buffer are left out.
void Wire_U8(datagram_t *out, uint32_t value);
void Wire_U16(datagram_t *out, uint32_t value);
void Wire_U32(datagram_t *out, uint32_t value);
void Wire_Bytes(datagram_t *out, const void *data, size_t size);

/// Starts a datagram: `peer` with session bits, the sent time in ms, room for the checksum.
void Wire_Begin(datagram_t *out, uint32_t peer, uint32_t sent_ms);

/// Appends the four bytes with which each command starts.
void Wire_Command(datagram_t *out, uint32_t command, uint32_t channel, uint32_t sequence);

/// Append whole commands. The data of a message of `size` bytes follow.
void Wire_Reliable(datagram_t *out, uint32_t channel, uint32_t sequence, size_t size);
void Wire_Unreliable(datagram_t *out, uint32_t channel, uint32_t sequence, uint32_t number,
                     size_t size);
void Wire_Fragment(datagram_t *out, uint32_t command, uint32_t channel, const fragment_t *fragment);

/// Writes the checksum, for which the connectID stands in its field meanwhile.
void Wire_Seal(datagram_t *out, const uint8_t connect_id[4]);

/// Returns a number of a datagram; 0 beyond its end.
uint32_t Wire_GetU16(const datagram_t *in, size_t at);
uint32_t Wire_GetU32(const datagram_t *in, size_t at);

/// Returns the size of the command at `at` with its data; 0 if it is unknown or incomplete.
size_t Wire_CommandBytes(const datagram_t *in, size_t at);

/// Writes a cookie request; a CONNECT with this cookie, connectID, peer number and MTU.
void Wire_CookieRequest(datagram_t *out, uint32_t nonce);
void Wire_Connect(datagram_t *out, uint32_t cookie, uint32_t connect_id, uint32_t number,
                  uint32_t mtu);

// Messages of the game's protocol, as bytes to put behind Wire_Reliable or Wire_Unreliable. Each
// returns its size, at most 300.
size_t Wire_Hello(uint8_t *out, const char *name);
size_t Wire_Leave(uint8_t *out);
size_t Wire_Ready(uint8_t *out, uint32_t epoch);
size_t Wire_Get(uint8_t *out, uint32_t epoch, uint32_t offset);
size_t Wire_Text(uint8_t *out, uint32_t type, const char *text);
size_t Wire_UserCmd(uint8_t *out, uint32_t epoch, uint32_t number);

#endif
