#include "lib/udp_rig.h"

#include "lib/testing.h"

#include <enet/enet.h>
#include <string.h>
#include <unistd.h>

udp_rig_t UdpRig_Open(enet_transport_config_t config) {
    udp_rig_t host = {.now_ms = 100000};
    err_t err = {""};
    config.bind.host = UDP_LOOPBACK;
    config.is_server = true;
    config.max_peers = config.max_peers ? config.max_peers : 16;
    host.server = EnetTransport_Create(&config, &err);
    assert_string_equal(err.text, "");
    assert_non_null(host.server);
    host.at = (netaddr_t){.host = UDP_LOOPBACK, .port = EnetTransport_Port(host.server)};
    return host;
}

void UdpRig_Poll(udp_rig_t *host) {
    net_event_t event;
    host->now_ms += 5;
    for (host->server->poll(host->server, host->now_ms, &event); event.type != NET_NONE;
         host->server->poll(host->server, host->now_ms, &event)) {
        host->connected += event.type == NET_CONNECTED;
        host->left += event.type == NET_LEFT;
        host->messages += event.type == NET_MESSAGE;
        host->oob += event.type == NET_OOB;
        host->last_peer = event.peer;
        host->last_left = event.type == NET_LEFT ? event.peer : host->last_left;
    }
}

transport_t *UdpRig_Client(bool without_checksum) {
    return UdpRig_ClientAt(UDP_LOOPBACK, without_checksum);
}

transport_t *UdpRig_ClientAt(uint32_t host, bool without_checksum) {
    err_t err = {""};
    enet_transport_config_t config = {
        .bind = {.host = host}, .max_peers = 1, .without_checksum = without_checksum};
    transport_t *client = EnetTransport_Create(&config, &err);
    assert_non_null(client);
    return client;
}

net_event_type_t UdpRig_Run(udp_rig_t *host, transport_t *client, int32_t ms) {
    net_event_type_t last = NET_NONE;
    for (int64_t end = host->now_ms + ms; host->now_ms < end;) {
        UdpRig_Poll(host);
        net_event_t event;
        for (client->poll(client, host->now_ms, &event); event.type != NET_NONE;
             client->poll(client, host->now_ms, &event)) {
            last = event.type == NET_MESSAGE ? last : event.type;
        }
    }
    return last;
}

transport_t *UdpRig_Join(udp_rig_t *host, bool without_checksum) {
    err_t err = {""};
    transport_t *client = UdpRig_Client(without_checksum);
    assert_int_equal(client->connect(client, host->at, &err), 0);
    assert_int_equal(UdpRig_Run(host, client, 300), NET_CONNECTED);
    return client;
}

int Udp_Open(void) {
    return Udp_OpenAt(UDP_LOOPBACK);
}

int Udp_OpenAt(uint32_t host) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(host)};
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&any, sizeof any), 0);
    return fd;
}

bool Udp_Send(int fd, netaddr_t to, const void *data, size_t size) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(to.port), .sin_addr.s_addr = htonl(to.host)};
    return sendto(fd, data, size, 0, (const struct sockaddr *)&address, sizeof address) ==
           (ssize_t)size;
}

size_t Udp_Hear(int fd, uint8_t data[4096], int32_t *num_datagrams) {
    size_t total = 0;
    ssize_t got = 0;
    uint8_t bytes[4096];
    while ((got = recv(fd, bytes, sizeof bytes, 0)) >= 0) {
        total += (size_t)got;
        ++*num_datagrams;
        memcpy(data, bytes, (size_t)got);
    }
    return total;
}

void Udp_Seal(uint8_t *bytes, size_t size, size_t at, uint32_t connect_id) {
    memcpy(bytes + at, &connect_id, 4);
    ENetBuffer buffer = {.data = bytes, .dataLength = size};
    uint32_t sum = enet_crc32(&buffer, 1);
    memcpy(bytes + at, &sum, 4);
}

void Udp_WriteConnect(uint8_t bytes[56], const uint8_t cookie[4], uint8_t salt) {
    static const uint8_t connect[56] = {0x8f, 0xff, 0,    0, 0, 0,    0, 0, 0x82, 0xff, 0, 1, 0,
                                        0,    0xff, 0xff, 0, 0, 0x10, 0, 0, 1,    0,    0, 0, 0,
                                        0,    3,    0,    0, 0, 0,    0, 0, 0,    0,    0, 0, 0x13,
                                        0x88, 0,    0,    0, 2, 0,    0, 0, 2,    9,    9, 9};
    memcpy(bytes, connect, 56);
    bytes[51] = salt;
    memcpy(bytes + 52, cookie, 4);
    Udp_Seal(bytes, 56, 4, 0);
}

bool UdpRig_AskCookie(udp_rig_t *host, int fd, uint8_t cookie[4]) {
    static const uint8_t request[96] = "\xff\xff\xff\xff"
                                       "getcookie\x02"
                                       "abcd";
    uint8_t reply[4096];
    int32_t num = 0;
    assert_true(Udp_Send(fd, host->at, request, sizeof request));
    UdpRig_Poll(host);
    if (Udp_Hear(fd, reply, &num) != 88) {
        return false;
    }
    assert_memory_equal(reply,
                        "\xff\xff\xff\xff"
                        "cookieabcd",
                        14);
    memcpy(cookie, reply + 14, 4);
    return true;
}
