/// net/guard.h - decides for each datagram, before ENet reads it: pass, drop or reply.
//
// Units:   ms of the caller's monotonic clock.
// Memory:  the transport owns the table.
// Repeat:  a pure function of guard, table and datagram.
// Source:  docs/enet.md, "Unproven addresses"; <enet/protocol.h>; README.md.

#ifndef EDICTD_NET_GUARD_H
#define EDICTD_NET_GUARD_H

#include "net/seal.h"
#include "net/transport.h"

EXTERN_C_BEGIN

#define GUARD_KEY_BYTES     16   // secret key of cookies and rate limits
#define GUARD_EPOCH_MS      8000 // a cookie is valid in its epoch and the next
#define GUARD_REQUEST_BYTES 96   // cookie request, padded: the reply is shorter
#define GUARD_COOKIE_BYTES  88   // cookie reply
#define GUARD_REFUSAL_BYTES 17   // refusal, sent to proven addresses only
#define GUARD_MAX_REPLY     88   // reply buffer
#define GUARD_MAX_DATAGRAM  4096 // longest datagram that ENet reads
#define GUARD_MAX_OOB       1400 // longest out-of-band datagram
#define GUARD_VERSION       2    // version of the cookie exchange
#define GUARD_NUM_BUCKETS   8192 // a power of two

// A bucket drains 1,000,000 us a second. A cost of 500 us allows 2,000 requests a second. `NETWORK`
// limits a source /24, `TOTAL` all sources.
#define GUARD_NETWORK_BURST     256   // requests at once from a /24
#define GUARD_NETWORK_COOKIE_US 500   // so a /24 may use a tenth of the total
#define GUARD_NETWORK_GUESS_US  10000 // CONNECTs with a wrong cookie
#define GUARD_NETWORK_OOB_US    10000 // other out-of-band datagrams
#define GUARD_TOTAL_COOKIE_US   50
#define GUARD_TOTAL_GUESS_US    1000 // reason: check_cookie in guard.c
#define GUARD_TOTAL_BURST       2000 // requests at once from all sources
#define GUARD_NETWORK_SEAL_US   4000 // sealed CONNECTs with a valid cookie; each costs 70 us
#define GUARD_TOTAL_SEAL_US     1000
#define GUARD_SEAL_BURST        1024   // at once, from a /24 and from all sources
#define GUARD_SEAL_RESERVE      256    // more at once from all sources, for a /24 that sends few
#define GUARD_FEW_SEALS         32     // at once from such a /24
#define GUARD_FEW_SEALS_US      100000 // 10 a second from such a /24

/// The end of a cookie reply, as on the wire: how the server seals sessions.
typedef struct {
    uint8_t seal; ///< 0 off, 1 offered, 2 required
    seal_offer_t keys;
} guard_offer_t;

/// Settings of a guard; const.
typedef struct {
    uint8_t key[GUARD_KEY_BYTES]; ///< secret, random per process
    int32_t max_peers;            ///< peer numbers 0..max_peers-1 exist
    bool is_server;               ///< accepts CONNECTs and cookie requests
    bool has_checksum;            ///< 4 bytes of checksum follow ENet's header
    bool is_sealing;              ///< passes sealed datagrams and CONNECTs
} guard_t;

/// Leaky buckets, as times at which they are empty. Each /24 and kind of request has a bucket, and
/// three are for all sources.
typedef struct {
    int64_t empty_at_us[GUARD_NUM_BUCKETS]; ///< by hash
    int64_t cookies_empty_at_us;            ///< all cookie requests
    int64_t guesses_empty_at_us;            ///< all CONNECTs with a wrong cookie
    int64_t seals_empty_at_us;              ///< all sealed CONNECTs
} guard_buckets_t;

/// A received datagram. `from` may be forged.
typedef struct {
    const uint8_t *data;
    size_t size;
    netaddr_t from;
    int64_t now_ms;
    int64_t arrived_ns; ///< when the kernel received it, CLOCK_REALTIME; 0 = unknown
} guard_datagram_t;

typedef enum {
    GUARD_DROP,    ///< ignore it; see `why`
    GUARD_PASS,    ///< give it to ENet, opened if sealed: it names an existing peer number
    GUARD_CONNECT, ///< give it to ENet: a CONNECT from a proven address
    GUARD_SEALED,  ///< open it: a sealed CONNECT from a proven address
    GUARD_REPLY,   ///< send `reply`, never longer than the datagram; Guard_SetOffer may change it
    GUARD_OOB      ///< report it: out-of-band
} guard_action_t;

typedef enum {
    GUARD_OK,
    GUARD_SHORT,       ///< too short for its headers
    GUARD_LONG,        ///< longer than any legal datagram
    GUARD_PORT_ZERO,   ///< port 0: no reply possible
    GUARD_MARTIAN,     ///< from no single host's address
    GUARD_COMPRESSED,  ///< compressed, which this protocol never uses
    GUARD_NO_PEER,     ///< a peer number that does not exist
    GUARD_NOT_SERVER,  ///< a request for servers only
    GUARD_BAD_CONNECT, ///< no CONNECT with at least NET_NUM_CHANNELS channels
    GUARD_BAD_COOKIE,  ///< a CONNECT without a valid cookie
    GUARD_BAD_OOB,     ///< a cookie request or reply of wrong size, version or direction
    GUARD_RATE,        ///< too many requests from its /24
    GUARD_COOKIE_RATE, ///< too many cookie requests from all sources
    GUARD_GUESS_RATE,  ///< too many CONNECTs without a valid cookie from all sources
    GUARD_SEAL_RATE,   ///< too many sealed CONNECTs from all sources
    GUARD_WHY_COUNT
} guard_why_t;

typedef struct {
    guard_action_t action;
    guard_why_t why; ///< reason of GUARD_DROP
    size_t reply_size;
    uint8_t reply[GUARD_MAX_REPLY];
} guard_verdict_t;

/// Decides what to do with a datagram. Changes only `buckets`.
void Guard_Check(const guard_t *guard, guard_buckets_t *buckets, const guard_datagram_t *in,
                 guard_verdict_t *out);

/// Writes an offer into a cookie reply. Without it, the reply offers no seal.
void Guard_SetOffer(guard_verdict_t *reply, const guard_offer_t *offer);

/// Returns the cookie of an address in an epoch (now_ms / GUARD_EPOCH_MS).
uint32_t Guard_Cookie(const guard_t *guard, uint32_t host, int64_t epoch);

/// connectID bits chosen by the client, to distinguish connections from one port in one epoch.
#define GUARD_ID_FREE_BITS 0xffu

/// Returns the connectID for an address in an epoch. With the cookie, it exempts a CONNECT from
/// rate limits.
uint32_t Guard_GivenID(const guard_t *guard, netaddr_t from, int64_t epoch);

/// Writes the refusal of a CONNECT that finds no free slot. Returns its size, GUARD_REFUSAL_BYTES.
size_t Guard_Refuse(const guard_t *guard, const guard_datagram_t *connect, net_reason_t reason,
                    uint8_t reply[GUARD_MAX_REPLY]);

/// Returns true for a well-formed CONNECT, whatever its cookie.
bool Guard_IsConnect(const guard_t *guard, const guard_datagram_t *in);

/// Return the connectID and the cookie of a well-formed CONNECT.
uint32_t Guard_ConnectID(const guard_t *guard, const guard_datagram_t *connect);
uint32_t Guard_ConnectCookie(const guard_t *guard, const guard_datagram_t *connect);

/// Returns a reason in words.
const char *Guard_WhyText(guard_why_t why);

EXTERN_C_END

#endif
