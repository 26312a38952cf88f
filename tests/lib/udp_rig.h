/// udp_rig.h - a real server on loopback, and plain UDP sockets that send it whatever they like.

#ifndef EDICTD_TESTS_UDP_RIG_H
#define EDICTD_TESTS_UDP_RIG_H

#include "net/enet_transport.h"

#define UDP_LOOPBACK 0x7f000001u

/// A server in virtual time, and what it said.
typedef struct {
    transport_t *server;
    netaddr_t at;
    int64_t now_ms;
    int32_t connected, left, messages, oob;
    int32_t last_peer;
} udp_rig_t;

/// Opens a server; bind, is_server and a missing max_peers are filled in.
udp_rig_t UdpRig_Open(enet_transport_config_t config);

/// 5 ms later: polls the server dry.
void UdpRig_Poll(udp_rig_t *host);

/// A client transport of one peer.
transport_t *UdpRig_Client(bool without_checksum);

/// Runs server and client for a while; the client's last event that was not a message.
net_event_type_t UdpRig_Run(udp_rig_t *host, transport_t *client, int32_t ms);

/// A client that has connected.
transport_t *UdpRig_Join(udp_rig_t *host, bool without_checksum);

/// Asks for a cookie as README.md of common/net says. False when none came.
bool UdpRig_AskCookie(udp_rig_t *host, int fd, uint8_t cookie[4]);

/// A plain non-blocking UDP socket on loopback.
int Udp_Open(void);

bool Udp_Send(int fd, netaddr_t to, const void *data, size_t size);

/// Bytes that came back since the last call, the last datagram in `data`.
size_t Udp_Hear(int fd, uint8_t data[4096], int32_t *num_datagrams);

/// Puts ENet's checksum in, as a sender does: the connectID stands in its place meanwhile.
void Udp_Seal(uint8_t *bytes, size_t size, size_t at, uint32_t connect_id);

/// A CONNECT with a cookie; `salt` makes its connectID another one.
void Udp_WriteConnect(uint8_t bytes[56], const uint8_t cookie[4], uint8_t salt);

#endif
