/// sim_local.h - declarations shared by the files of the simulated network.
//
// Private to sim_net.c, sim_peer.c and sim_transport.c.
// Units:   ms of virtual time.
// Memory:  each datagram is one malloc'ed block. It moves from the heap of flying datagrams to an
//          inbox, then into an event, and is freed at the next poll.
//
// A datagram of a connection has ENet's header, so that the same guard can judge it:
//
//    0 u16  0x8000 | number of the peer at the receiver
//    2 u16  0
//    4 u32  connectID (at the offset of ENet's checksum; a sender must know it)
//    8 u8   kind
//    9 u8   channel
//   10 u32  id, repeated by an ACK; for UNRELIABLE its number in the channel
//   14 u32  number in the channel (RELIABLE)
//   18 u32  time of sending, low 32 bits, repeated by an ACK
//   22      the message

#ifndef EDICTD_TESTS_SIM_LOCAL_H
#define EDICTD_TESTS_SIM_LOCAL_H

#include "base/limits.h"
#include "base/rng.h"
#include "lib/sim_net.h"
#include "net/handshake.h"

#define SIM_HEADER_BYTES   22
#define SIM_FRAGMENT_BYTES MAX_PACKET_BYTES // a longer message is sent in fragments
#define SIM_MAX_BYTES      (SIM_HEADER_BYTES + SIM_FRAGMENT_BYTES)
#define SIM_MAX_FLYING     262144 // flying datagrams in the whole network
#define SIM_MAX_INBOX      8192   // datagrams waiting at one address
#define SIM_MAX_LINKS      65536
#define SIM_WINDOW         512          // unacknowledged reliable messages of a peer
#define SIM_WAITING_BYTES  (128 * 1024) // of a peer: received, but not in order yet
#define SIM_PING_MS        500

typedef struct sim_transport_s sim_transport_t;
typedef struct sim_datagram_s sim_datagram_t;

/// A pending event.
typedef struct sim_event_s {
    struct sim_event_s *next;
    net_event_t event;
    sim_datagram_t *datagram; ///< owned; event.data points into it. NULL for CONNECTED and LEFT
} sim_event_t;

struct sim_datagram_s {
    int64_t due_ms;
    uint64_t order; ///< order of sending, for equal due times
    netaddr_t from, to;
    sim_datagram_t *next;
    sim_event_t event;
    uint32_t place; ///< number of a reliable message that waits for an earlier one
    uint32_t size;
    uint8_t data[];
};

/// One direction between two addresses.
typedef struct {
    netaddr_t from, to;
    bool used;
    rng_t rng;        ///< its own, so that other traffic does not change its fate
    int64_t clear_ms; ///< arrival of the latest datagram that keeps its order
} sim_link_t;

typedef struct {
    uint32_t a, b; ///< hosts, a <= b
} sim_cut_t;

/// A client's bad network.
typedef struct sim_far_s {
    struct sim_far_s *next;
    netaddr_t client;
    impair_t *up, *down;
    bool is_over; ///< only delivers what is in flight
} sim_far_t;

struct sim_net_s {
    uint64_t seed;
    int64_t now_ms;
    sim_conditions_t conditions;
    sim_far_t *fars;
    bool is_sealed;
    uint8_t server_key[32];
    sim_datagram_t **heap;
    size_t num_flying, heap_capacity;
    uint64_t next_order;
    sim_link_t *links; ///< hash table, open addressing; capacity is a power of two
    size_t num_links, link_capacity;
    sim_cut_t *cuts;
    size_t num_cuts;
    sim_transport_t **nodes; ///< hash table by address, open addressing
    size_t num_nodes, node_capacity;
    uint32_t num_connects; ///< by all transports
};

typedef enum {
    SIM_VERIFY = 1, ///< server: accepts a CONNECT, with the number of the peer
    SIM_RELIABLE,   ///< a whole message, or its last fragment
    SIM_FRAGMENT,   ///< reliable; the message continues in the next number of its channel
    SIM_UNRELIABLE,
    SIM_ACK,
    SIM_PING,
    SIM_DISCONNECT
} sim_kind_t;

typedef enum {
    SIM_FREE,
    SIM_ASKING,
    SIM_CONNECTING,
    SIM_ACCEPTING, ///< server: VERIFY is not acknowledged yet
    SIM_CONNECTED,
    SIM_LEAVING,
    SIM_GONE ///< NET_LEFT is pending
} sim_state_t;

/// A reliable message or fragment, kept until it is acknowledged.
typedef struct sim_message_s {
    struct sim_message_s *next;
    int64_t first_ms, due_ms; ///< first_ms < 0: the window is full
    int32_t rto_ms;
    uint32_t id, place;
    uint8_t kind, channel;
    uint32_t size;
    uint8_t data[];
} sim_message_t;

typedef struct {
    sim_state_t state;
    net_reason_t reason;
    netaddr_t address;
    uint32_t connect_id;
    uint32_t remote; ///< number of this peer at the other end
    handshake_t handshake;
    uint32_t cookie;
    int64_t connect_due_ms;
    int32_t connect_rto_ms;
    int64_t deadline_ms, next_ping_ms;
    int32_t silence_ms;  ///< limit given to admit; 0 = NET_TIMEOUT_MS
    int64_t heard_ms;    ///< last datagram of the peer
    int64_t next_due_ms; ///< time of the next resend
    sim_message_t *first, *last;
    int32_t num_messages, num_flying;
    size_t queued_bytes, waiting_bytes;
    uint32_t next_id;
    uint32_t reliable_out[NET_NUM_CHANNELS], reliable_in[NET_NUM_CHANNELS];
    uint32_t unreliable_out[NET_NUM_CHANNELS], unreliable_in[NET_NUM_CHANNELS];
    sim_datagram_t *waiting[NET_NUM_CHANNELS]; ///< sorted by order
    sim_datagram_t *partial[NET_NUM_CHANNELS]; ///< fragments so far, as one datagram
    bool has_rtt;
    float rtt_ms, rtt_spread_ms;
    bool muted; ///< dropped by this end; its messages are not delivered
    bool goodbye_sent;
    sim_event_t connected, left; ///< the two events of this connection
} sim_peer_t;

struct sim_transport_s {
    transport_t base; ///< first, so that a transport_t * points to this
    sim_net_t *sim;
    netaddr_t address;
    guard_t guard;
    guard_buckets_t buckets;
    rng_t rng; ///< nonces
    int32_t max_peers;
    int64_t timers_ms; ///< time at which the timers ran last
    bool timers_due;
    bool expects_no_key; ///< client: set_seal was called without a key
    int32_t num_read;    ///< datagrams read since the time changed
    sim_datagram_t *inbox_first, *inbox_last;
    int32_t num_inbox;
    sim_event_t *events_first, *events_last;
    sim_datagram_t *held; ///< datagram of the last event
    net_counters_t counters;
    sim_peer_t peers[]; ///< max_peers
};

/// Sends or loses a datagram, according to the conditions.
void Sim_Send(sim_transport_t *net, netaddr_t to, const uint8_t *data, size_t size);

/// Adds a transport to its network. Returns false if its address is in use.
bool Sim_Add(sim_net_t *sim, sim_transport_t *net);

/// Removes a transport from its network.
void Sim_Remove(sim_net_t *sim, sim_transport_t *net);

/// Frees a transport and its contents.
void SimTransport_Free(sim_transport_t *net);

/// Appends a pending event.
void SimTransport_Push(sim_transport_t *net, sim_event_t *event);

/// Sends a CONNECT: after the cookie arrived, or again.
void SimPeer_SendConnect(sim_transport_t *net, sim_peer_t *peer);

/// Accepts a CONNECT that the guard passed. Returns false if no peer is free.
bool SimPeer_Accept(sim_transport_t *net, const guard_datagram_t *in);

/// Handles a datagram of a peer that may exist. Returns true if it was kept as an event or for
/// later; otherwise the caller frees it.
bool SimPeer_Receive(sim_transport_t *net, sim_datagram_t *datagram);

/// Resends, pings and times out.
void SimPeer_RunTimers(sim_transport_t *net, sim_peer_t *peer);

/// Queues a reliable message of at most SIM_FRAGMENT_BYTES. Returns false if out of memory.
bool SimPeer_Queue(sim_transport_t *net, sim_peer_t *peer, sim_kind_t kind, uint8_t channel,
                   const void *data, size_t size);

/// Queues a reliable message of at most MAX_MESSAGE_BYTES in fragments. Returns false if out of
/// memory.
bool SimPeer_QueueMessage(sim_transport_t *net, sim_peer_t *peer, uint8_t channel, const void *data,
                          size_t size);

/// Sends an unreliable message.
void SimPeer_SendUnreliable(sim_transport_t *net, sim_peer_t *peer, uint8_t channel,
                            const void *data, size_t size);

/// Starts to disconnect; with `at_once` it discards queued messages.
void SimPeer_Leave(sim_transport_t *net, sim_peer_t *peer, net_reason_t reason, bool at_once);

/// Ends a connection and frees its messages. NET_LEFT follows if NET_CONNECTED was reported.
void SimPeer_End(sim_transport_t *net, sim_peer_t *peer, net_reason_t reason);

/// Frees the messages of a peer.
void SimPeer_Clear(sim_peer_t *peer);

#endif
