/// udp_rig.h - a real server on loopback, and plain UDP sockets that send it arbitrary bytes.

#ifndef EDICTD_TESTS_UDP_RIG_H
#define EDICTD_TESTS_UDP_RIG_H

#include "net/enet_transport.h"

#define UDP_LOOPBACK 0x7f000001u

/// A server in virtual time, and its events.
typedef struct {
    transport_t *server;
    netaddr_t at;
    int64_t now_ms;
    int32_t connected, left, messages, oob;
    int32_t last_peer; ///< of the last event
    int32_t last_left; ///< peer that left last
} udp_rig_t;

/// Opens a server; sets bind and is_server, and max_peers if it is 0.
udp_rig_t UdpRig_Open(enet_transport_config_t config);

/// Return how often guard, filter and seal of a transport dropped something for a reason.
static inline uint64_t Udp_Dropped(transport_t *net, guard_why_t why) {
    uint64_t count = 0;
    (void)net->more->drops(net, (int32_t)why, &count);
    return count;
}

static inline uint64_t Udp_Filtered(transport_t *net, filter_why_t why) {
    uint64_t count = 0;
    (void)net->more->drops(net, GUARD_WHY_COUNT + (int32_t)why, &count);
    return count;
}

static inline uint64_t Udp_Unsealed(transport_t *net, seal_why_t why) {
    uint64_t count = 0;
    (void)net->more->drops(net, GUARD_WHY_COUNT + FILTER_WHY_COUNT + (int32_t)why, &count);
    return count;
}

/// Advances 5 ms and polls the server until it has no events.
void UdpRig_Poll(udp_rig_t *host);

/// Opens a client transport of one peer.
transport_t *UdpRig_Client(bool without_checksum);

/// Opens one at an address of this machine, 127.x.y.z.
transport_t *UdpRig_ClientAt(uint32_t host, bool without_checksum);

/// Runs server and client for a while; returns the client's last event that was not a message.
net_event_type_t UdpRig_Run(udp_rig_t *host, transport_t *client, int32_t ms);

/// Connects a client.
transport_t *UdpRig_Join(udp_rig_t *host, bool without_checksum);

/// Requests a cookie (docs/enet.md). Returns false if none came.
bool UdpRig_AskCookie(udp_rig_t *host, int fd, uint8_t cookie[4]);

/// Opens a plain non-blocking UDP socket on loopback, or at another address of this machine.
int Udp_Open(void);
int Udp_OpenAt(uint32_t host);

bool Udp_Send(int fd, netaddr_t to, const void *data, size_t size);

/// Returns the bytes received since the last call; `data` receives the last datagram.
size_t Udp_Hear(int fd, uint8_t data[4096], int32_t *num_datagrams);

/// Writes ENet's checksum as a sender does: its field holds the connectID during the computation.
void Udp_Seal(uint8_t *bytes, size_t size, size_t at, uint32_t connect_id);

/// Writes a CONNECT with a cookie; `salt` varies its connectID.
void Udp_WriteConnect(uint8_t bytes[56], const uint8_t cookie[4], uint8_t salt);

#endif
