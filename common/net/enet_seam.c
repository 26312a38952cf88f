#include "base/assert.h"
#include "net/enet_local.h"
#include "net/enet_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#define FIRST_CLOCK_MS 1000 // ENet's first time, because 0 means "not set"
#define TIMED_PEERS    8    // see delivers_first; more peers are those of a load program

// libenet calls the enet_ functions of this file through the dynamic linker. A definition in the
// program, or in libedict_client.so if that is searched before libenet, replaces ENet's own. The
// socket functions have no context argument, so the transport that is calling ENet is remembered
// here, for each thread. This is a permitted writable static: it is NULL whenever no function of a
// transport is running.
static _Thread_local enet_transport_t *serving;
// Socket of the host that EnetSeam_Check services; ENET_SOCKET_NULL when our receive was called.
static _Thread_local ENetSocket probed = ENET_SOCKET_NULL;

enet_transport_t *EnetSeam_Enter(enet_transport_t *net) {
    enet_transport_t *outer = serving;
    serving = net;
    return outer;
}

void EnetSeam_Leave(enet_transport_t *outer) {
    serving = outer;
    EnetMemory_SetReceiving(false);
}

static bool is_ours(ENetSocket socket) {
    return serving && serving->host && serving->host->socket == socket;
}

_Static_assert(sizeof(ENetBuffer) == sizeof(struct iovec) &&
                   offsetof(ENetBuffer, dataLength) == offsetof(struct iovec, iov_len),
               "ENetBuffer must have the layout of struct iovec");

/// Returns a message for the system's calls. `address` is written or read by them.
static struct msghdr message_of(const ENetBuffer *buffers, size_t num_buffers,
                                struct sockaddr_in *address) {
    return (struct msghdr){.msg_iov = (struct iovec *)(uintptr_t)buffers,
                           .msg_iovlen = num_buffers,
                           .msg_name = address,
                           .msg_namelen = address ? sizeof *address : 0};
}

/// Sends for an ENetHost without enet_transport_t, like ENet.
static int plain_send(ENetSocket socket, const ENetAddress *to, const ENetBuffer *buffers,
                      size_t num_buffers) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    if (to) {
        address.sin_port = htons(to->port);
        address.sin_addr.s_addr = to->host;
    }
    struct msghdr message = message_of(buffers, num_buffers, to ? &address : NULL);
    ssize_t size = sendmsg(socket, &message, MSG_NOSIGNAL);
    return size < 0 ? (errno == EAGAIN ? 0 : -1) : (int)size;
}

/// Receives for an ENetHost without enet_transport_t, like ENet.
static int plain_receive(ENetSocket socket, ENetAddress *from, const ENetBuffer *buffers,
                         size_t num_buffers) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct msghdr message = message_of(buffers, num_buffers, from ? &address : NULL);
    ssize_t size = recvmsg(socket, &message, MSG_NOSIGNAL);
    if (size < 0) {
        return errno == EAGAIN ? 0 : -1;
    }
    if (from) {
        from->host = address.sin_addr.s_addr;
        from->port = ntohs(address.sin_port);
    }
    return message.msg_flags & MSG_TRUNC ? -1 : (int)size;
}

// ENet's clock. Its own is the time of day, and a step of that would time out every peer:
// docs/enet.md, "Clock". Each transport has a clock. Other hosts share a base, as in ENet.
static _Atomic enet_uint32 clock_base_ms;

static enet_uint32 monotonic_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (enet_uint32)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

enet_uint32 enet_time_get(void) {
    return serving ? serving->clock_ms : monotonic_ms() - clock_base_ms;
}

void enet_time_set(enet_uint32 now_ms) {
    clock_base_ms = monotonic_ms() - now_ms;
}

void EnetSeam_SetClock(enet_transport_t *net) {
    net->clock_ms = (enet_uint32)(net->now_ms + FIRST_CLOCK_MS);
    net->clock_set_ms = monotonic_ms();
}

void EnetSeam_AdvanceClock(enet_transport_t *net) {
    const enet_uint32 now_ms = monotonic_ms();
    net->clock_ms += net->is_real_time ? now_ms - net->clock_set_ms : 0;
    net->clock_set_ms = now_ms;
}

/// Returns the peer that contains an address.
static const ENetPeer *peer_of(const enet_transport_t *net, const ENetAddress *to) {
    uintptr_t offset = (uintptr_t)to - (uintptr_t)net->host->peers;
    ASSERT(offset < net->host->peerCount * sizeof(ENetPeer));
    return &net->host->peers[offset / sizeof(ENetPeer)];
}

void EnetSeam_Send(enet_transport_t *net, const ENetPeer *peer, const uint8_t *data, size_t size) {
    const netaddr_t to = Net_FromEnet(peer->address);
    uint8_t *sealed = EnetSocket_Room(net);
    size_t sealed_size = EnetSeal_Write(net, peer, data, size, sealed);
    if (net->impair_out) {
        Impair_Push(net->impair_out, net->now_ms, to, sealed, sealed_size);
    } else {
        EnetSocket_Queue(net, to, sealed_size);
    }
}

// A failed send is a loss: -1 would make ENet skip all later peers.
int enet_socket_send(ENetSocket socket, const ENetAddress *to, const ENetBuffer *buffers,
                     size_t num_buffers) {
    if (!is_ours(socket)) {
        return plain_send(socket, to, buffers, num_buffers);
    }
    uint8_t data[GUARD_MAX_DATAGRAM];
    size_t size = 0;
    for (size_t i = 0; i < num_buffers; i++) {
        ASSERT(buffers[i].dataLength <= sizeof data - size); // at most a peer's MTU
        if (buffers[i].dataLength > 0) {                     // the data of an empty message is NULL
            memcpy(data + size, buffers[i].data, buffers[i].dataLength);
            size += buffers[i].dataLength;
        }
    }
    EnetMemory_SetReceiving(false);
    const ENetPeer *peer = peer_of(serving, to);
    EnetGate_Sent(serving, peer, data, size);
    EnetSeam_Send(serving, peer, data, size);
    return (int)size;
}

/// Returns true if a client's message must be delivered before the next datagram is read, because
/// its event reports when its own datagram arrived. ENet visits all peers for that. With queued
/// acknowledgements, it would also send each of them in a datagram of its own.
static bool delivers_first(const enet_transport_t *net) {
    ENetHost *host = net->host;
    if (net->guard.is_server || host->peerCount > TIMED_PEERS ||
        enet_list_empty(&host->dispatchQueue)) {
        return false;
    }
    for (size_t i = 0; i < host->peerCount; i++) {
        if (!enet_list_empty(&host->peers[i].acknowledgements)) {
            return false;
        }
    }
    return true;
}

int enet_socket_receive(ENetSocket socket, ENetAddress *from, ENetBuffer *buffers,
                        size_t num_buffers) {
    if (socket == probed) {
        probed = ENET_SOCKET_NULL;
    }
    if (!is_ours(socket)) {
        return plain_receive(socket, from, buffers, num_buffers);
    }
    // ENet reads whole structs, even beyond the last byte.
    ASSERT(num_buffers == 1 && buffers->dataLength >= GUARD_MAX_DATAGRAM);
    netaddr_t sender;
    serving->verified = NULL;
    const bool is_pause = delivers_first(serving);
    size_t size = is_pause ? 0 : EnetDatagram_Next(serving, buffers->data, &sender);
    while (size > 0 && EnetDirect_Receive(serving, buffers->data, size)) {
        size = EnetDatagram_Next(serving, buffers->data, &sender);
    }
    serving->is_dry = size == 0 && !serving->oob.data && !is_pause;
    EnetMemory_SetReceiving(size > 0);
    if (size > 0) {
        *from = Net_ToEnet(sender);
    }
    return (int)size;
}

enet_uint32 EnetSeam_Checksum(const ENetBuffer *buffers, size_t num_buffers) {
    if (!serving) {
        return enet_crc32(buffers, num_buffers);
    }
    bool is_verified = serving->verified && buffers->data == serving->verified;
    return is_verified ? serving->verified_sum : EnetSum_Of(serving, buffers, num_buffers);
}

bool EnetSeam_Check(err_t *err) {
    ENetHost *host = enet_host_create(NULL, 1, 0, 0, 0);
    if (!host) {
        return Err_Set(err, "network: ENet cannot create a socket");
    }
    ENetEvent event;
    probed = host->socket;
    (void)enet_host_service(host, &event, 0);
    bool is_bound = probed == ENET_SOCKET_NULL;
    probed = ENET_SOCKET_NULL;
    enet_host_destroy(host);
    return is_bound ||
           Err_Set(err, "network: this program loaded libenet before libedict_client, so libenet "
                        "does not call edictd's socket functions: load libedict_client with "
                        "dlmopen(LM_ID_NEWLM, ...), or link it before libenet");
}
