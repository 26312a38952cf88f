/// net/transport.h - how bytes come and go. Core and client see only this, never ENet.
//
// Floor:   net. Implementations: ENet on UDP (enet_transport.h); a network in memory in tests/lib.
// Memory:  event data is the transport's, good until the next poll.
// Order:   reliable messages of a channel arrive in order; unreliable ones may be lost, and one
//          older than a newer already delivered on its channel is discarded.

#ifndef EDICTD_NET_TRANSPORT_H
#define EDICTD_NET_TRANSPORT_H

#include "base/err.h"
#include "base/types.h"

EXTERN_C_BEGIN

#define NET_CHANNEL_CONTROL  0 // reliable
#define NET_CHANNEL_USERCMD  1 // unreliable
#define NET_CHANNEL_SNAPSHOT 2 // unreliable
#define NET_NUM_CHANNELS     3

#define NET_MAX_QUEUED_BYTES    (256 * 1024) // reliable bytes a peer has not acknowledged
#define NET_MAX_QUEUED_MESSAGES 2048         // reliable messages the same
#define NET_TIMEOUT_MS          10000        // a peer that answers nothing is gone
#define NET_GOODBYE_MS          2000         // a dropped peer may take this long to hear it
#define NET_DRAIN_LIMIT         4096 // datagrams read for one value of now_ms; the rest waits

/// An IPv4 address: host in host byte order (127.0.0.1 = 0x7f000001).
typedef struct {
    uint32_t host;
    uint16_t port;
    uint16_t zero;
} netaddr_t;

typedef enum {
    NET_NONE,      ///< nothing more for now
    NET_CONNECTED, ///< peer is new, its address is proven
    NET_MESSAGE,   ///< data from peer on channel
    NET_LEFT,      ///< peer is gone; `reason` as given to drop, 0 = timed out or plain
    NET_OOB        ///< an out-of-band datagram from `from` (its address may be forged)
} net_event_type_t;

/// Why somebody was dropped; travels with the disconnect.
typedef enum {
    NET_REASON_NONE,
    NET_REASON_LEFT,     ///< the other side wished it
    NET_REASON_SHUTDOWN, ///< the server goes down
    NET_REASON_FULL,
    NET_REASON_BAD_DATA, ///< bytes that do not decode
    NET_REASON_KICKED,
    NET_REASON_TIMEOUT,
    NET_REASON_OVERFLOW, ///< did not keep up with reliable messages
    NET_REASON_VERSION,
    NET_REASON_COUNT
} net_reason_t;

typedef struct {
    net_event_type_t type;
    int32_t peer; ///< 0..max_peers-1; stays the same until NET_LEFT
    uint8_t channel;
    net_reason_t reason;
    netaddr_t from;
    const uint8_t *data;
    size_t size;
} net_event_t;

/// What a transport counted since it was made.
typedef struct {
    uint64_t packets_in, packets_out, bytes_in, bytes_out;
    uint64_t guard_dropped;  ///< datagrams the guard refused
    uint64_t guard_replied;  ///< cookies handed out
    uint64_t send_failed;    ///< messages that could not be queued or sent
    uint64_t service_errors; ///< errors of the network library, survived
    uint64_t kernel_dropped; ///< datagrams the kernel's buffer lost (0 where unknown)
    uint64_t no_memory;      ///< of ENet's allocator, which is one per process
} net_counters_t;

typedef struct transport_s transport_t;

/// The methods of a transport. `now_ms` is the caller's monotonic clock and never goes back.
struct transport_s {
    /// The next event, or NET_NONE. Reads what waits, sends what is due. Reads at most
    /// NET_DRAIN_LIMIT datagrams until now_ms changes, so a loop until NET_NONE ends in any flood.
    void (*poll)(transport_t *net, int64_t now_ms, net_event_t *event);
    /// Queues a message: at most MAX_MESSAGE_BYTES reliable, MAX_PACKET_BYTES unreliable (so that
    /// it never becomes fragments). False when the peer is gone or the message could not be queued;
    /// that is counted. Sent by the next flush or poll. A peer whose reliable queue is full is
    /// dropped with NET_REASON_OVERFLOW.
    bool (*send)(transport_t *net, int32_t peer, uint8_t channel, bool reliable, const void *data,
                 size_t size);
    /// Sends an out-of-band datagram (FF FF FF FF first) at once.
    bool (*send_oob)(transport_t *net, netaddr_t to, const void *data, size_t size);
    /// Says goodbye with a reason after what is queued was delivered; NET_LEFT follows, at the
    /// latest after NET_GOODBYE_MS. Nothing the peer sends is delivered any more.
    void (*drop)(transport_t *net, int32_t peer, net_reason_t reason);
    /// Sends everything queued now (once per tick).
    void (*flush)(transport_t *net);
    /// Client side: starts to connect (asks for the cookie first). NET_CONNECTED follows for the
    /// returned peer, or NET_LEFT after 10 s in vain, or NET_LEFT with NET_REASON_FULL; -1 when
    /// there is no slot.
    int32_t (*connect)(transport_t *net, netaddr_t to, err_t *err);
    /// Address and round trip of a peer.
    netaddr_t (*address)(transport_t *net, int32_t peer);
    int32_t (*rtt_ms)(transport_t *net, int32_t peer);
    /// A descriptor that becomes readable when datagrams wait; -1 when there is none.
    int (*descriptor)(transport_t *net);
    net_counters_t (*counters)(transport_t *net);
    /// Frees it, without goodbyes.
    void (*destroy)(transport_t *net);
};

/// Parses "a.b.c.d", "a.b.c.d:port" or "localhost[:port]". An IPv6 address gets an error that says
/// that only IPv4 is supported.
bool Net_ParseAddress(const char *text, uint16_t default_port, netaddr_t *out, err_t *err);

/// Writes "a.b.c.d:port" into text (at least 22 bytes).
void Net_FormatAddress(netaddr_t address, char *text, size_t size);

/// A reason in words.
const char *Net_ReasonText(net_reason_t reason);

EXTERN_C_END

#endif
