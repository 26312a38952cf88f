/// net/enet_local.h - declarations shared by the files of the ENet transport.
//
// Private to the enet_*.c files.
// Memory:  one block per transport, which includes the slots.
//
// A slot is a peer of transport.h. A server's slot i is ENet's peer i. A client's slot exists
// before ENet's peer.
//
//   client: FREE -> ASKING -> CONNECTING -> CONNECTED -> LEAVING -> GONE -> FREE
//   server: FREE --------------------------> CONNECTED -> LEAVING -> GONE -> FREE
//                                            GONE: the slot waits until NET_LEFT is delivered

#ifndef EDICTD_NET_ENET_LOCAL_H
#define EDICTD_NET_ENET_LOCAL_H

#include "base/limits.h"
#include "net/enet_transport.h"
#include "net/filter.h"
#include "net/handshake.h"
#include "net/impair.h"
#include "net/key_text.h"
#include "net/seal_keys.h"

#include <arpa/inet.h>
#include <enet/enet.h>

// ENet 1.3.17 fragments messages longer than mtu - 32, so packets must fit the smallest MTU.
// Tunnels pass 1392 bytes, 20 of which are the seal (docs/enet.md, "Client-chosen MTU").
#define ENET_MIN_MTU 1232
#define ENET_MAX_MTU 1372
_Static_assert(MAX_PACKET_BYTES <= ENET_MIN_MTU - 32,
               "MAX_PACKET_BYTES must fit one datagram at the smallest MTU");

// Limits of received bytes that wait for earlier ones, for a peer of a server or client. A client
// stores as much as a server queues.
#define ENET_SERVER_WAITING_BYTES (32 * 1024)
#define ENET_CLIENT_WAITING_BYTES NET_MAX_QUEUED_BYTES
#define ENET_BUNDLE_BYTES         MAX_PACKET_BYTES
#define ENET_WINDOW_BYTES         (96 * 1024) // sent without acknowledgement: a join's messages

typedef enum {
    SLOT_FREE,
    SLOT_ASKING,
    SLOT_CONNECTING,
    SLOT_CONNECTED,
    SLOT_LEAVING,
    SLOT_GONE
} slot_state_t;

typedef struct {
    slot_state_t state;
    net_reason_t reason; ///< LEAVING, GONE: the reason that NET_LEFT reports
    ENetPeer *peer;      ///< NULL in states FREE, ASKING, GONE
    netaddr_t address;
    size_t bundled;                    ///< bytes of `bundle`
    int64_t deadline_ms;               ///< LEAVING: when to disconnect without the acknowledgement
    size_t queued_bytes;               ///< reliable bytes not freed by ENet yet
    int32_t queued_messages;           ///< reliable messages not freed by ENet yet
    int64_t heard_ms;                  ///< time of the peer's last datagram
    int64_t since_ms;                  ///< start of waiting (admission.h), 0 = none
    uint32_t half_open_id;             ///< connectID of a half-open peer
    int32_t silence_ms;                ///< maximum silence of an admitted peer
    bool is_admitted;                  ///< transport_t.admit was called
    uint8_t bundle[ENET_BUNDLE_BYTES]; ///< server: control messages that ENet has not received yet
    handshake_t handshake;             ///< ASKING and CONNECTING only
    seal_connect_t connect;            ///< the readable part of a sealed CONNECT
} enet_slot_t;

/// Datagrams read by one system call.
#define ENET_BATCH 32
typedef struct {
    int32_t count, next;
    size_t sizes[ENET_BATCH]; ///< GUARD_MAX_DATAGRAM + 1 if it was longer
    netaddr_t from[ENET_BATCH];
    int64_t arrived_ns[ENET_BATCH]; ///< by the kernel's clock; 0 = unknown
    uint8_t data[ENET_BATCH][GUARD_MAX_DATAGRAM];
} enet_batch_t;

/// Datagrams of ENet that the next system call sends, back to back in `data`.
#define ENET_OUT_BATCH    64
#define ENET_LONGEST_SENT (GUARD_MAX_DATAGRAM + SEAL_CONNECT_EXTRA)
typedef struct {
    int32_t count;
    size_t used; ///< bytes of `data`
    size_t sizes[ENET_OUT_BATCH];
    struct sockaddr_in to[ENET_OUT_BATCH];
    uint8_t data[64 * 1024];
} enet_out_t;

/// Received unreliable messages that do not pass ENet, back to back in `data`.
#define ENET_DIRECT_MESSAGES 256
typedef struct {
    int32_t slot;
    uint16_t at, size;
    uint8_t channel;
} enet_message_t;
typedef struct {
    int32_t count, next;
    size_t used; ///< bytes of `data`
    enet_message_t messages[ENET_DIRECT_MESSAGES];
    uint8_t data[16 * 1024];
} enet_direct_t;

/// CONNECTs with a valid cookie that wait for their turn, so that a burst of joins delays no
/// datagram of a player.
#define ENET_DOOR_ROOM  1024
#define ENET_DOOR_BYTES 256
typedef struct {
    int32_t first, count;
    int64_t empty_us;  ///< leaky bucket
    int64_t opened_ms; ///< last EnetDoor_Opens
    netaddr_t from[ENET_DOOR_ROOM];
    uint32_t ids[ENET_DOOR_ROOM]; ///< connectIDs
    uint16_t sizes[ENET_DOOR_ROOM];
    uint8_t actions[ENET_DOOR_ROOM]; ///< guard_action_t
    uint8_t data[ENET_DOOR_ROOM][ENET_DOOR_BYTES];
} enet_door_t;

typedef struct enet_filter_s enet_filter_t;

typedef struct {
    transport_t base; ///< first, because transport_t * is cast to enet_transport_t *
    ENetHost *host;
    const log_t *log;
    guard_t guard;
    guard_buckets_t buckets;
    int32_t max_peers, max_peers_per_address;
    const netranges_t *exempt;
    int32_t max_waiting;            ///< limit of peers that are not admitted; 0 = none
    int64_t checked_ms;             ///< last Admission_Check
    int64_t repeats_ms;             ///< last limit of repeats
    bool (*is_late)(void *context); ///< NULL = never
    void *late_context;
    bool is_cut;          ///< is_late stopped reading for this now_ms
    net_allow_fn *allows; ///< NULL = every address is allowed
    void *allow_context;
    int64_t now_ms;         ///< `now_ms` of the last poll
    bool is_real_time;      ///< see enet_transport_config_t
    uint32_t clock_ms;      ///< ENet's clock: starts at now_ms in each poll, a flush advances it
    uint32_t clock_set_ms;  ///< CLOCK_MONOTONIC when clock_ms was set
    bool is_stamped;        ///< the kernel adds the time of arrival to received datagrams
    int64_t read_ns;        ///< is_real_time: the kernel's time of the first read for now_ms
    int32_t num_read;       ///< datagrams read since now_ms changed
    int32_t num_gone;       ///< slots in SLOT_GONE
    uint32_t num_connects;  ///< by this end, plus a random number
    int32_t num_timed;      ///< slots in ASKING, CONNECTING and LEAVING
    bool timers_due;        ///< now_ms changed or a slot was added since the last timers
    impair_t *impair_in;    ///< impairs received datagrams; NULL = off
    impair_t *impair_out;   ///< impairs sent datagrams; NULL = off
    enet_filter_t *filters; ///< max_peers elements
    const void *verified;   ///< datagram with verified checksum; NULL = none
    uint32_t verified_sum;  ///< its checksum
    uint32_t sums[4][256];  ///< tables of EnetSum_Of
    uint64_t filtered[FILTER_WHY_COUNT];
    net_seal_t seal_mode;
    uint8_t server_key[KEY_BYTES]; ///< client: see set_seal. Server: its public key
    bool has_server_key;
    seal_keys_t *keys;      ///< server; NULL = plain only
    seal_t *seals;          ///< by ENet peer, then that of the CONNECT being judged
    seal_connect_t pending; ///< of the CONNECT being judged
    uint64_t unsealed[SEAL_WHY_COUNT];
    bool is_dry;          ///< no datagram is left for this series of polls
    bool is_door_open;    ///< EnetDoor_Opens in this series of polls
    bool has_queued;      ///< something was queued in ENet since the last enet_host_flush
    guard_datagram_t oob; ///< out-of-band datagram to report; data NULL = none
    enet_batch_t batch;
    enet_out_t out;
    enet_direct_t direct;
    enet_door_t door;
    ENetEvent later;       ///< message of ENet that waits for those in `direct`; type NONE = none
    ENetPacket *held;      ///< packet of the last event
    int32_t held_slot;     ///< its slot
    size_t held_at;        ///< bytes of it that were delivered
    int32_t num_bundled;   ///< slots with a bundle
    uint64_t num_failures; ///< failed allocations at the last check
    int64_t shortage_ms;   ///< time of the next check for failed allocations
    log_burst_t drop_burst, crowd_burst, end_burst, breach_burst, shortage_burst;
    net_counters_t counters;
    uint64_t dropped[GUARD_WHY_COUNT];
    enet_slot_t slots[]; ///< max_peers elements
} enet_transport_t;

/// Changes a slot's state and updates num_gone and num_timed.
void EnetSlot_SetState(enet_transport_t *net, enet_slot_t *slot, slot_state_t state);

/// Returns the slot of an ENet peer, or NULL.
enet_slot_t *EnetSlot_OfPeer(const ENetPeer *peer);

/// Ends a peer at once and sends the reason. NET_LEFT follows if the peer has a slot.
void EnetSlot_Drop(enet_transport_t *net, ENetPeer *peer, net_reason_t reason);

/// Logs that ENet ran out of memory. A server then drops the peer that holds most.
void EnetShortage_Check(enet_transport_t *net);

/// Detaches a slot from ENet's peer, which must be reset. NET_LEFT follows.
void EnetSlot_Gone(enet_transport_t *net, enet_slot_t *slot, net_reason_t reason);

/// Disconnects a peer without waiting for queued messages. NET_LEFT follows.
void EnetSlot_Disconnect(enet_transport_t *net, enet_slot_t *slot, net_reason_t reason);

/// Sends all that is queued.
void EnetTransport_SendQueued(enet_transport_t *net);

/// Implements transport_t.poll.
void EnetTransport_Poll(transport_t *base, int64_t now_ms, net_event_t *event);

/// Writes the next datagram for ENet to `data` (GUARD_MAX_DATAGRAM bytes). Returns its size, 0 =
/// none. Handles all other datagrams.
size_t EnetDatagram_Next(enet_transport_t *net, uint8_t *data, netaddr_t *from);

/// Returns true if it is the turn of a CONNECT. Otherwise queues it, if it may wait.
bool EnetDoor_Pass(enet_transport_t *net, const guard_datagram_t *in, guard_action_t action);

/// Returns true if CONNECTs wait and all that was read before is handled. Peers that are about to
/// be players then do not count as incomplete.
bool EnetDoor_Opens(enet_transport_t *net);

/// Takes the next CONNECT out of the queue. Returns false if none waits or it is not its turn.
bool EnetDoor_Next(enet_transport_t *net, guard_datagram_t *in, guard_action_t *action);

/// Counts and logs a dropped datagram. `is_crowd`: one of too many requests, a warning.
void EnetDatagram_Drop(enet_transport_t *net, netaddr_t from, bool is_crowd, const char *why);

/// Allocates seals and keys. Returns false with the reason.
bool EnetSeal_Open(enet_transport_t *net, const enet_transport_config_t *config, err_t *err);

/// Erases and frees them.
void EnetSeal_Close(enet_transport_t *net);

/// Server: writes the offer into a cookie reply.
void EnetSeal_Offer(enet_transport_t *net, guard_verdict_t *reply);

/// Client: derives the pending seal from a cookie reply, if the session is to be sealed. Returns
/// NET_REASON_NONE, or why the client must not connect.
net_reason_t EnetSeal_Start(enet_transport_t *net, enet_slot_t *slot,
                            const handshake_cookie_t *reply);

/// Gives the pending seal, if any, to a peer.
void EnetSeal_Bind(enet_transport_t *net, const ENetPeer *peer);

/// Server: opens a sealed CONNECT, whose cookie is valid, into `data`. Its seal is pending. Returns
/// false after a drop.
bool EnetSeal_ReadConnect(enet_transport_t *net, const guard_datagram_t *in, uint8_t *data,
                          size_t *size);

/// Server: gives the pending seal, if any, to the peer that ENet will use for the CONNECT.
void EnetSeal_Admit(enet_transport_t *net);

/// Erases the pending seal.
void EnetSeal_Cancel(enet_transport_t *net);

bool EnetSeal_IsOn(const enet_transport_t *net, const ENetPeer *peer);

/// Opens or copies a peer's datagram into `data`. Returns false after a drop.
bool EnetSeal_Read(enet_transport_t *net, const ENetPeer *peer, const guard_datagram_t *in,
                   uint8_t *data, size_t *size);

/// Seals or copies a datagram for a peer into out[size + SEAL_CONNECT_EXTRA]. Returns the size.
size_t EnetSeal_Write(enet_transport_t *net, const ENetPeer *peer, const uint8_t *data, size_t size,
                      uint8_t *out);

/// Erases the seals of free peers, and expired keys.
void EnetSeal_Sweep(enet_transport_t *net);

// A server sends its control messages in bundles, each message after its length (u16). ENet then
// sends and acknowledges few packets, however many messages a tick has for a client.

/// Appends a control message to a slot's bundle. Returns false if ENet has no memory.
bool EnetBundle_Add(enet_transport_t *net, enet_slot_t *slot, const void *data, size_t size);

/// Gives the bundle of a slot, or all bundles, to ENet.
bool EnetBundle_Flush(enet_transport_t *net, enet_slot_t *slot);
void EnetBundle_FlushAll(enet_transport_t *net);

/// Gives a packet to ENet, which frees it. `packet` may be NULL: out of memory. A server
/// disconnects a client whose control messages are lost.
bool EnetBundle_Packet(enet_transport_t *net, enet_slot_t *slot, uint8_t channel,
                       ENetPacket *packet);

/// Writes the next message of the held packet. Returns false after the last, and frees the packet.
/// Drops a server that sent a broken bundle.
bool EnetBundle_Next(enet_transport_t *net, net_event_t *event);

/// Makes `net` the transport whose sockets ENet uses in this thread. Enclose every ENet call that
/// sends or receives.
enet_transport_t *EnetSeam_Enter(enet_transport_t *net);
void EnetSeam_Leave(enet_transport_t *outer);

/// Seals a datagram for a peer, and queues it in the socket.
void EnetSeam_Send(enet_transport_t *net, const ENetPeer *peer, const uint8_t *data, size_t size);

/// Copies the message of a filtered datagram, if that is one unreliable message and ENet would
/// deliver it next. EnetDirect_Next reports it. Returns false if the datagram is for ENet.
bool EnetDirect_Receive(enet_transport_t *net, const uint8_t *data, size_t size);

/// Writes the event of the next message that was taken. Returns false if there is none.
bool EnetDirect_Next(enet_transport_t *net, net_event_t *event);

/// Queues the datagram that ENet would send for an unreliable message of a connected slot, if ENet
/// would send nothing else. Otherwise returns false.
bool EnetDirect_Send(enet_transport_t *net, const enet_slot_t *slot, uint8_t channel,
                     const void *data, size_t size);

/// Sets the clock that ENet sees to now_ms. It does not advance in a poll: ENet must not send at a
/// time that the next poll has not reached, and must not count pauses of the process.
void EnetSeam_SetClock(enet_transport_t *net);

/// Advances that clock by the real time since it was set. Call before a flush. Does nothing if the
/// caller's times are not real (is_real_time).
void EnetSeam_AdvanceClock(enet_transport_t *net);

/// Fills the tables of EnetSum_Of.
void EnetSum_Init(enet_transport_t *net);

/// Returns enet_crc32 of the buffers. Takes a tenth of its time with PCLMUL, otherwise a third.
enet_uint32 EnetSum_Of(const enet_transport_t *net, const ENetBuffer *buffers, size_t count);

/// Returns ENet's checksum of a datagram. Reuses one just verified.
enet_uint32 EnetSeam_Checksum(const ENetBuffer *buffers, size_t num_buffers);

/// Allocates the filters. Returns false if out of memory.
bool EnetGate_Open(enet_transport_t *net);
void EnetGate_Close(enet_transport_t *net);

/// Returns the offset of a datagram's first command.
size_t EnetGate_Start(const enet_transport_t *net, const uint8_t *data);

/// Resets a peer's filter for a new connection.
void EnetGate_Reset(enet_transport_t *net, const ENetPeer *peer);

/// Checks a CONNECT. Returns false to drop it.
bool EnetGate_Connect(enet_transport_t *net, uint8_t *data, size_t *size);

/// Opens a peer's datagram into `data`, filters it, and may shorten it. Returns false to drop it.
/// Drops a peer that breaks the protocol.
bool EnetGate_Receive(enet_transport_t *net, const guard_datagram_t *in, uint8_t *data,
                      size_t *size);

/// Returns a peer's round trip without the time for which datagrams waited in the kernel; 0 = not
/// measured yet.
int32_t EnetGate_RttMs(enet_transport_t *net, const ENetPeer *peer);

/// Returns the time since the kernel received the newest datagram of a peer, us; 0 = unknown, or
/// more than a second.
int32_t EnetGate_WaitedUs(enet_transport_t *net, const ENetPeer *peer);

/// Remembers the reliable commands that were sent to a peer, which the peer may acknowledge.
void EnetGate_Sent(enet_transport_t *net, const ENetPeer *peer, const uint8_t *data, size_t size);

static inline netaddr_t Net_FromEnet(ENetAddress address) {
    return (netaddr_t){.host = ntohl(address.host), .port = address.port};
}

static inline ENetAddress Net_ToEnet(netaddr_t address) {
    return (ENetAddress){.host = htonl(address.host), .port = address.port};
}

/// Converts an address for the socket calls of the kernel.
static inline struct sockaddr_in EnetSocket_Address(netaddr_t address) {
    struct sockaddr_in out = {.sin_family = AF_INET};
    out.sin_port = htons(address.port);
    out.sin_addr.s_addr = htonl(address.host);
    return out;
}

/// Sends a datagram at once, without ENet. Returns false with errno on failure.
bool EnetSocket_Send(enet_transport_t *net, netaddr_t to, const void *data, size_t size);

/// Returns room for a datagram of ENET_LONGEST_SENT bytes, for EnetSocket_Queue.
uint8_t *EnetSocket_Room(enet_transport_t *net);

/// Queues the datagram that was written to EnetSocket_Room. EnetSocket_Flush sends it, or a later
/// EnetSocket_Room if the batch is full.
void EnetSocket_Queue(enet_transport_t *net, netaddr_t to, size_t size);

/// Sends all queued datagrams. Counts those that fail: each is a loss, as on the wire.
void EnetSocket_Flush(enet_transport_t *net);

/// Opens and binds the socket. Returns false with the reason.
bool EnetSocket_Open(enet_transport_t *net, const enet_transport_config_t *config, err_t *err);

/// Returns the kernel's time in ns, which may step.
int64_t EnetSocket_KernelNs(void);

/// Returns the time from a datagram's arrival to `now_ns`, us; 0 = unknown, or more than a second.
int32_t EnetSocket_WaitedUs(int64_t arrived_ns, int64_t now_ns);

/// Returns the next received datagram, valid until the next call. Returns false if none waits, or
/// after NET_DRAIN_LIMIT for one now_ms.
bool EnetSocket_Receive(enet_transport_t *net, guard_datagram_t *in);

/// Returns how many datagrams the kernel dropped for lack of space.
uint64_t EnetSocket_KernelDrops(const enet_transport_t *net);

/// Sets up the simulation of a bad network (impair.h), also for sent datagrams if the transport is
/// a client. Open the socket first. Returns false with the reason.
bool EnetImpair_Open(enet_transport_t *net, const enet_transport_config_t *config, err_t *err);

void EnetImpair_Close(enet_transport_t *net);

/// Gives received datagrams to the impairment model. Returns the next due one.
bool EnetImpair_Receive(enet_transport_t *net, guard_datagram_t *in);

/// Sends the datagrams that are due.
void EnetImpair_Send(enet_transport_t *net);

#endif
