/// net/transport.h - the network interface of server core and client.
//
// Implemented by enet_transport.h, and in tests/lib.
// Memory:  event data is the transport's, valid until the next poll.
// Order:   a channel's reliable messages arrive in order. An unreliable message may be lost, or
//          discarded after a newer one was delivered.

#ifndef EDICTD_NET_TRANSPORT_H
#define EDICTD_NET_TRANSPORT_H

#include "base/err.h"
#include "base/types.h"

EXTERN_C_BEGIN

#define NET_CHANNEL_CONTROL  0 // reliable
#define NET_CHANNEL_USERCMD  1 // unreliable
#define NET_CHANNEL_SNAPSHOT 2 // unreliable
#define NET_NUM_CHANNELS     3

#define NET_LENGTH_BYTES 2 // precede each control message of a server: README.md

#define NET_MAX_QUEUED_BYTES    (256 * 1024) // unacknowledged reliable bytes of a peer
#define NET_MAX_QUEUED_MESSAGES 2048         // unacknowledged reliable messages of a peer
#define NET_TIMEOUT_MS          10000        // maximum silence of a peer
#define NET_BUSY_MS             30000        // maximum silence of a server that loads a map
#define NET_GOODBYE_MS          2000         // maximum wait for a dropped peer's acknowledgement
#define NET_DRAIN_LIMIT         4096         // datagrams read for one now_ms

typedef cl_address_t netaddr_t;

typedef enum {
    NET_NONE,      ///< no event left
    NET_CONNECTED, ///< `peer` is new; its address is proven
    NET_MESSAGE,   ///< `data` from `peer` on `channel`
    NET_LEFT,      ///< `peer` is gone; `reason` 0 = timeout or unknown
    NET_OOB        ///< an out-of-band datagram; `from` may be forged
} net_event_type_t;

/// Reason of a disconnect, sent to the peer.
typedef enum {
    NET_REASON_NONE,
    NET_REASON_LEFT,     ///< the peer disconnected by itself
    NET_REASON_SHUTDOWN, ///< the server shuts down
    NET_REASON_FULL,
    NET_REASON_BAD_DATA, ///< the peer sent bytes that do not decode
    NET_REASON_KICKED,
    NET_REASON_TIMEOUT,
    NET_REASON_OVERFLOW, ///< the peer's queue of reliable messages was full
    NET_REASON_VERSION,
    NET_REASON_ADDRESS, ///< too many connections from one address
    NET_REASON_IDLE,    ///< idle, and its slot was needed
    NET_REASON_BANNED,
    NET_REASON_PASSWORD, ///< a wrong password, or none
    NET_REASON_SEAL,     ///< the server needs a sealed session
    NET_REASON_TOKEN,    ///< a wrong token or ticket, or none
    NET_REASON_NO_SEAL,  ///< the client requires the seal
    NET_REASON_KEY,      ///< the server has another key than the client expects
    NET_REASON_COUNT
} net_reason_t;

/// How sessions are sealed (seal.h). A client uses the seal that a server offers, requires it, or
/// stays plain.
typedef enum { NET_SEAL_OFFERED, NET_SEAL_REQUIRED, NET_SEAL_OFF } net_seal_t;

/// Returns NET_REASON_NONE if an address may connect, otherwise the reason of the refusal.
typedef net_reason_t net_allow_fn(void *context, netaddr_t from);

/// `peer`: 0..max_peers-1; free for a new peer after NET_LEFT. `from`: of NET_OOB.
typedef cl_net_event_t net_event_t;

/// X(name, help): counters of rejections and drops.
#define NET_COUNTERS(X)                                                                            \
    X(empty, "empty datagrams")                                                                    \
    X(strangers, "datagrams for a peer from an address other than the peer's")                     \
    X(cookies_refused, "cookie requests ignored above the limit of all addresses")                 \
    X(guesses_refused, "CONNECTs ignored because too many others had a wrong cookie")              \
    X(banned, "CONNECTs of addresses that are not allowed")                                        \
    X(plain, "CONNECTs refused because they were not sealed")                                      \
    X(same_address, "CONNECTs refused above the maximum of one address")                           \
    X(crowded, "CONNECTs ignored because too many others are not complete")                        \
    X(yielded, "incomplete connections ended for that of another address")                         \
    X(half_open_expired, "connections that were not complete in time")                             \
    X(timeouts, "peers dropped because they sent nothing for too long")                            \
    X(seal_dropped, "datagrams dropped because they were forged, replayed or not sealed")          \
    X(breaches, "peers dropped because they sent bytes that no honest program sends")              \
    X(hogs, "peers dropped because they held most of the memory when it was used up")              \
    X(memory, "bytes that ENet has allocated in this process")                                     \
    X(drains_cut, "reads of datagrams that ended after half a tick; the rest waited in the "       \
                  "kernel")

/// Counters since the transport was created.
typedef struct {
    uint64_t packets_in, packets_out, bytes_in, bytes_out;
    uint64_t guard_dropped;  ///< datagrams that the guard dropped
    uint64_t guard_replied;  ///< cookies sent
    uint64_t send_failed;    ///< failed sends: full queue or kernel error
    uint64_t service_errors; ///< socket errors while receiving
    uint64_t kernel_dropped; ///< datagrams lost in the kernel's buffer; 0 if unknown
    uint64_t no_memory;      ///< failed allocations of ENet in this process
#define NET_COUNTER_FIELD(name, help) uint64_t name;
    NET_COUNTERS(NET_COUNTER_FIELD)
#undef NET_COUNTER_FIELD
} net_counters_t;

/// The functions that servers and clients call; edict/types.h describes them. All transports here
/// read at most NET_DRAIN_LIMIT datagrams per now_ms. A full reliable queue drops the peer
/// (NET_REASON_OVERFLOW), and so does a server without memory. NET_LEFT follows a drop within
/// NET_GOODBYE_MS, and at a client with NET_REASON_TIMEOUT at once.
typedef cl_transport_t transport_t;

/// Returns the part of the counters that clients receive.
static inline cl_traffic_t Net_Traffic(const net_counters_t *all) {
    cl_traffic_t traffic = {all->packets_in, all->packets_out, all->bytes_in, all->bytes_out};
    return traffic;
}

/// Functions of transports in this repository that only servers and tools call.
typedef struct transport_more_s {
    /// Sends an out-of-band datagram at once. It must start with FF FF FF FF.
    bool (*send_oob)(transport_t *net, netaddr_t to, const void *data, size_t size);
    netaddr_t (*address)(transport_t *net, int32_t peer);
    /// Returns the age of an incomplete connection, ms, and writes its address. Returns -1 for
    /// another peer.
    int64_t (*half_open_ms)(transport_t *net, int32_t peer, netaddr_t *from);
    /// Marks a peer as a player. Drops the peer if it sends nothing for `silence_ms`. Maximum:
    /// NET_BUSY_MS while it loads a map, otherwise NET_TIMEOUT_MS. The number of unmarked peers is
    /// limited, to keep slots for players.
    void (*admit)(transport_t *net, int32_t peer, int32_t silence_ms);
    net_counters_t (*counters)(transport_t *net);
    /// Returns the i-th reason of drops, or NULL after the last. *count: number of drops.
    const char *(*drops)(transport_t *net, int32_t i, uint64_t *count);
} transport_more_t;

/// Parses "a.b.c.d" or "localhost", each with an optional ":port".
bool Net_ParseAddress(const char *text, uint16_t default_port, netaddr_t *out, err_t *err);

/// Writes "a.b.c.d:port"; `size`: at least 22.
void Net_FormatAddress(netaddr_t address, char *text, size_t size);

/// Returns the text of a reason.
const char *Net_ReasonText(net_reason_t reason);

EXTERN_C_END

#endif
