/// net/transport.h - the interface to the network. Server core and client use only this, not ENet.
//
// Floor:   net. Implementations: ENet on UDP (enet_transport.h); a network in memory in tests/lib.
// Memory:  the transport owns the data of an event; it is valid until the next poll.
// Order:   reliable messages of a channel arrive in order. Unreliable ones may be lost; one that is
//          older than one already delivered on its channel is discarded.

#ifndef EDICTD_NET_TRANSPORT_H
#define EDICTD_NET_TRANSPORT_H

#include "base/err.h"
#include "base/types.h"

EXTERN_C_BEGIN

#define NET_CHANNEL_CONTROL  0 // reliable
#define NET_CHANNEL_USERCMD  1 // unreliable
#define NET_CHANNEL_SNAPSHOT 2 // unreliable
#define NET_NUM_CHANNELS     3

#define NET_MAX_QUEUED_BYTES    (256 * 1024) // reliable bytes that a peer has not acknowledged
#define NET_MAX_QUEUED_MESSAGES 2048         // reliable messages that a peer has not acknowledged
#define NET_TIMEOUT_MS          10000        // a peer that does not respond for so long is dropped
#define NET_GOODBYE_MS          2000         // longest wait until a dropped peer acknowledges
#define NET_DRAIN_LIMIT         4096         // datagrams read for one value of now_ms

/// An IPv4 address: host in host byte order (127.0.0.1 = 0x7f000001).
typedef struct {
    uint32_t host;
    uint16_t port;
    uint16_t zero;
} netaddr_t;

typedef enum {
    NET_NONE,      ///< no event left
    NET_CONNECTED, ///< `peer` is new; its address is proven
    NET_MESSAGE,   ///< `data` from `peer` on `channel`
    NET_LEFT,      ///< `peer` is gone; `reason` as given to drop, 0 = timed out or none given
    NET_OOB        ///< an out-of-band datagram from `from`, which may be forged
} net_event_type_t;

/// Why a peer was dropped; sent with the disconnect.
typedef enum {
    NET_REASON_NONE,
    NET_REASON_LEFT,     ///< the other end left
    NET_REASON_SHUTDOWN, ///< the server shuts down
    NET_REASON_FULL,
    NET_REASON_BAD_DATA, ///< sent bytes that do not decode
    NET_REASON_KICKED,
    NET_REASON_TIMEOUT,
    NET_REASON_OVERFLOW, ///< its queue of reliable messages was full
    NET_REASON_VERSION,
    NET_REASON_COUNT
} net_reason_t;

typedef struct {
    net_event_type_t type;
    int32_t peer; ///< 0..max_peers-1, until NET_LEFT
    uint8_t channel;
    net_reason_t reason;
    netaddr_t from;
    const uint8_t *data;
    size_t size;
} net_event_t;

/// Counters since the transport was created.
typedef struct {
    uint64_t packets_in, packets_out, bytes_in, bytes_out;
    uint64_t guard_dropped;  ///< datagrams that the guard dropped
    uint64_t guard_replied;  ///< cookies sent
    uint64_t send_failed;    ///< messages that could not be queued or sent
    uint64_t service_errors; ///< errors of ENet; none ends the transport
    uint64_t kernel_dropped; ///< datagrams lost in the kernel's buffer; 0 if unknown
    uint64_t no_memory; ///< failures of ENet's allocator, which all transports of the process share
} net_counters_t;

typedef struct transport_s transport_t;

/// The methods of a transport. `now_ms` is the monotonic clock of the caller.
struct transport_s {
    /// Writes the next event, or NET_NONE. Receives waiting datagrams and sends due ones. Reads at
    /// most NET_DRAIN_LIMIT datagrams until now_ms changes, so a loop until NET_NONE always ends.
    void (*poll)(transport_t *net, int64_t now_ms, net_event_t *event);
    /// Queues a message for the next flush or poll: at most MAX_MESSAGE_BYTES if reliable,
    /// otherwise at most MAX_PACKET_BYTES, which fit one datagram. If the peer is gone or the
    /// message could not be queued, counts the failure and returns false. Drops a peer whose
    /// reliable queue is full with NET_REASON_OVERFLOW.
    bool (*send)(transport_t *net, int32_t peer, uint8_t channel, bool reliable, const void *data,
                 size_t size);
    /// Sends an out-of-band datagram, which starts with FF FF FF FF, at once.
    bool (*send_oob)(transport_t *net, netaddr_t to, const void *data, size_t size);
    /// Disconnects with a reason after the queued messages were delivered. NET_LEFT follows after
    /// at most NET_GOODBYE_MS. Messages of the peer are no longer delivered.
    void (*drop)(transport_t *net, int32_t peer, net_reason_t reason);
    /// Sends all queued messages; called once per tick.
    void (*flush)(transport_t *net);
    /// Client: starts the cookie exchange and then connects. Returns the peer, for which
    /// NET_CONNECTED follows, or NET_LEFT after 10 s, or NET_LEFT with NET_REASON_FULL. Returns -1
    /// if all peers are in use.
    int32_t (*connect)(transport_t *net, netaddr_t to, err_t *err);
    /// Returns the address of a peer; its round trip time, ms.
    netaddr_t (*address)(transport_t *net, int32_t peer);
    int32_t (*rtt_ms)(transport_t *net, int32_t peer);
    /// Returns a descriptor that becomes readable when a datagram arrives, or -1.
    int (*descriptor)(transport_t *net);
    net_counters_t (*counters)(transport_t *net);
    /// Frees the transport without disconnecting its peers.
    void (*destroy)(transport_t *net);
};

/// Parses "a.b.c.d", "a.b.c.d:port" or "localhost[:port]". For an IPv6 address, reports that only
/// IPv4 is supported.
bool Net_ParseAddress(const char *text, uint16_t default_port, netaddr_t *out, err_t *err);

/// Writes "a.b.c.d:port" into `text` of at least 22 bytes.
void Net_FormatAddress(netaddr_t address, char *text, size_t size);

/// Returns a reason in words.
const char *Net_ReasonText(net_reason_t reason);

EXTERN_C_END

#endif
