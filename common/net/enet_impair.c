#include "base/assert.h"
#include "net/enet_local.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// ENet hands each received datagram to its `intercept` callback, which gives it to the impairment
// model. When a delayed datagram is due, a byte sent to the own socket makes ENet call `intercept`
// again. ENet has no callback for sending. So a client with one peer connects ENet to a second
// socket, the tap, and forwards the datagrams from there:
//
//   ENet -> tap -> impair_out -> server           server -> impair_in -> ENet, as if from the tap

#define TAP_BYTES 4096

static netaddr_t own_address(const enet_transport_t *net) {
    uint32_t host = ntohl(net->host->address.host);
    return (netaddr_t){.host = host != 0 ? host : INADDR_LOOPBACK, .port = net->host->address.port};
}

static void send_to(const enet_transport_t *net, netaddr_t to, const void *data, size_t size) {
    struct sockaddr_in address = EnetSocket_Address(to);
    (void)sendto(net->host->socket, data, size, MSG_NOSIGNAL | MSG_DONTWAIT,
                 (const struct sockaddr *)&address, sizeof address); // counts as one more loss
}

static bool open_tap(enet_transport_t *net) {
    struct sockaddr_in address = EnetSocket_Address((netaddr_t){.host = own_address(net).host});
    socklen_t size = sizeof address;
    net->tap = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (net->tap < 0 || bind(net->tap, (const struct sockaddr *)&address, size) != 0 ||
        getsockname(net->tap, (struct sockaddr *)&address, &size) != 0) {
        return false;
    }
    net->tap_address =
        (netaddr_t){.host = ntohl(address.sin_addr.s_addr), .port = ntohs(address.sin_port)};
    return true;
}

bool EnetImpair_Open(enet_transport_t *net, const impair_conditions_t *conditions, err_t *err) {
    impair_conditions_t out = *conditions;
    out.seed = ~conditions->seed;
    bool has_tap = !net->guard.is_server && net->max_peers == 1;
    net->impair_in = Impair_Create(conditions);
    net->impair_out = has_tap ? Impair_Create(&out) : NULL;
    if (!net->impair_in || (has_tap && !net->impair_out)) {
        return Err_Set(err, "network: out of memory for the impairment model");
    }
    if (has_tap && !open_tap(net)) {
        return Err_Set(err, "network: cannot open the second socket of the impairment model: %s",
                       strerror(errno));
    }
    return true;
}

void EnetImpair_Close(enet_transport_t *net) {
    Impair_Destroy(net->impair_in);
    Impair_Destroy(net->impair_out);
    if (net->tap >= 0) {
        close(net->tap);
    }
}

bool EnetImpair_Receive(enet_transport_t *net, ENetHost *host) {
    netaddr_t from = {.host = ntohl(host->receivedAddress.host),
                      .port = host->receivedAddress.port};
    netaddr_t self = own_address(net);
    bool is_wake =
        host->receivedDataLength == 1 && from.host == self.host && from.port == self.port;
    if (!is_wake) {
        Impair_Push(net->impair_in, net->now_ms, from, host->receivedData,
                    host->receivedDataLength);
    }
    const impair_datagram_t *due = Impair_Pop(net->impair_in, net->now_ms);
    if (due) {
        ASSERT(due->size <= sizeof host->packetData[0]);
        // Use ENet's own buffer: ENet reads whole command structs, even beyond the last byte.
        memcpy(host->packetData[0], due->data, due->size);
        host->receivedData = host->packetData[0];
        host->receivedDataLength = due->size;
        host->receivedAddress.host = htonl(due->address.host);
        host->receivedAddress.port = due->address.port;
    }
    return due != NULL;
}

void EnetImpair_Wake(enet_transport_t *net) {
    uint8_t byte = 0;
    for (int32_t due = Impair_NumDue(net->impair_in, net->now_ms); due > 0; due--) {
        send_to(net, own_address(net), &byte, sizeof byte);
    }
}

void EnetImpair_Forward(enet_transport_t *net) {
    uint8_t data[TAP_BYTES];
    struct sockaddr_in from = {0};
    socklen_t from_size = sizeof from;
    for (int32_t i = 0; i < NET_DRAIN_LIMIT; i++) {
        ssize_t size =
            recvfrom(net->tap, data, sizeof data, 0, (struct sockaddr *)&from, &from_size);
        if (size < 0) {
            break;
        }
        netaddr_t self = own_address(net);
        if (ntohs(from.sin_port) == self.port && ntohl(from.sin_addr.s_addr) == self.host) {
            Impair_Push(net->impair_out, net->now_ms, net->slots[0].address, data, (size_t)size);
        }
    }
    const impair_datagram_t *due = NULL;
    while ((due = Impair_Pop(net->impair_out, net->now_ms)) != NULL) {
        send_to(net, due->address, due->data, due->size);
    }
}
