/// net/guard.h - the doorkeeper: looks at a datagram before anything else does.
//
// Floor:   net. In front of both transports, and of nothing but them.
// Units:   times in ms of the caller's monotonic clock; addresses as netaddr_t.
// Memory:  none of its own; the rate limits live in a table of the transport.
// Repeat:  pure: same guard, same table, same datagram = same answer.
// Source:  facts/enet-and-operations.md A4, A7..A9, A15, A18; the layout of CONNECT is that of
//          <enet/protocol.h>. README.md of this folder draws the bytes.

#ifndef EDICTD_NET_GUARD_H
#define EDICTD_NET_GUARD_H

#include "net/transport.h"

EXTERN_C_BEGIN

#define GUARD_KEY_BYTES      16   // key of the cookies and of the rate limits' hash
#define GUARD_EPOCH_MS       8000 // a cookie is good for the epoch it was made in and the next
#define GUARD_REQUEST_BYTES  24   // a client asks for a cookie; padded: nothing is amplified
#define GUARD_COOKIE_BYTES   18   // the cookie itself
#define GUARD_REFUSAL_BYTES  17   // "no room", told only to an address that has proven itself
#define GUARD_MAX_REPLY      24
#define GUARD_MAX_DATAGRAM   4096 // what ENet reads at most
#define GUARD_MAX_OOB        1400 // longest out-of-band datagram
#define GUARD_VERSION        1    // version of the cookie exchange, byte 13 of the request
#define GUARD_NUM_BUCKETS    8192 // a power of two
#define GUARD_BUCKET_COST_MS 10   // a /24 may ask 100 times a second ...
#define GUARD_BUCKET_BURST   256  // ... after this many at once

/// What never changes while a transport lives.
typedef struct {
    uint8_t key[GUARD_KEY_BYTES]; ///< secret, random per process
    int32_t max_peers;            ///< peer numbers 0..max_peers-1 exist
    bool is_server;               ///< takes CONNECTs and cookie requests
    bool has_checksum;            ///< 4 bytes of checksum follow ENet's header
} guard_t;

/// Leaky buckets, one per /24 of sources and kind of question; two /24s may share one (the hash is
/// keyed, so nobody can choose with whom). Zeroed = all empty.
typedef struct {
    int64_t empty_at_ms[GUARD_NUM_BUCKETS]; ///< when the bucket will have leaked dry
} guard_buckets_t;

/// A datagram as it arrived. `from` may be forged.
typedef struct {
    const uint8_t *data;
    size_t size;
    netaddr_t from;
    int64_t now_ms;
} guard_datagram_t;

typedef enum {
    GUARD_DROP,    ///< forget it; `why` says why
    GUARD_PASS,    ///< for the protocol: of a peer that may exist
    GUARD_CONNECT, ///< for the protocol: a CONNECT from an address that has proven itself
    GUARD_REPLY,   ///< send `reply` back, never longer than the datagram
    GUARD_OOB      ///< an out-of-band datagram for somebody above
} guard_action_t;

typedef enum {
    GUARD_OK,
    GUARD_SHORT,       ///< too few bytes for its headers
    GUARD_LONG,        ///< more bytes than any legal datagram
    GUARD_PORT_ZERO,   ///< cannot be answered
    GUARD_MARTIAN,     ///< from an address no single host has
    GUARD_COMPRESSED,  ///< nobody here compresses
    GUARD_NO_PEER,     ///< a peer number that does not exist
    GUARD_NOT_SERVER,  ///< a question only servers answer
    GUARD_BAD_CONNECT, ///< not a CONNECT that ENet would send with all our channels
    GUARD_BAD_COOKIE,  ///< a CONNECT without a good cookie
    GUARD_BAD_OOB,     ///< an exchange of ours with the wrong size or version or direction
    GUARD_RATE,        ///< too many questions from its /24
    GUARD_WHY_COUNT
} guard_why_t;

typedef struct {
    guard_action_t action;
    guard_why_t why; ///< GUARD_OK unless dropped
    size_t reply_size;
    uint8_t reply[GUARD_MAX_REPLY];
} guard_verdict_t;

/// What to do with a datagram. Charges `buckets`; changes nothing else. About 5 ns for a datagram
/// of a peer, 50 ns for what has to be hashed (bench_net).
void Guard_Check(const guard_t *guard, guard_buckets_t *buckets, const guard_datagram_t *in,
                 guard_verdict_t *out);

/// The cookie of a host in an epoch (now_ms / GUARD_EPOCH_MS): SipHash-2-4 under the key.
uint32_t Guard_Cookie(const guard_t *guard, uint32_t host, int64_t epoch);

/// The answer to a CONNECT that passed but finds no room: GUARD_REFUSAL_BYTES into `reply`.
/// `connect` is the datagram that Guard_Check called GUARD_CONNECT.
size_t Guard_Refuse(const guard_t *guard, const guard_datagram_t *connect, net_reason_t reason,
                    uint8_t reply[GUARD_MAX_REPLY]);

/// The connectID of a CONNECT that Guard_Check called GUARD_CONNECT.
uint32_t Guard_ConnectID(const guard_t *guard, const guard_datagram_t *connect);

/// A reason in words.
const char *Guard_WhyText(guard_why_t why);

EXTERN_C_END

#endif
