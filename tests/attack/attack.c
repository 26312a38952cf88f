#include "attack.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES (8 * 1024 * 1024) // for replies to a flood, so that they are counted

int64_t Clock_Ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint32_t Clock_Ms(void) {
    return (uint32_t)(Clock_Ns() / 1000000);
}

bool Attack_Runs(const attack_t *attack, int pause_ms) {
    if (Clock_Ns() >= attack->end_ns) {
        return false;
    }
    poll(NULL, 0, pause_ms);
    return true;
}

uint32_t Pace_Take(pace_t *pace, const attack_t *attack, uint32_t max) {
    double elapsed_s = (double)(Clock_Ns() - attack->start_ns) / 1e9;
    uint64_t due = (uint64_t)(elapsed_s * pace->per_s);
    uint64_t late = due > pace->done ? due - pace->done : 0;
    pace->done = due > pace->done ? due : pace->done;
    return late < max ? (uint32_t)late : max;
}

uint32_t Attack_Random(void) {
    static uint32_t state = 0x9e3779b9u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static struct sockaddr_in address_of(uint32_t host, uint16_t port) {
    struct sockaddr_in out = {.sin_family = AF_INET, .sin_port = htons(port)};
    out.sin_addr.s_addr = htonl(host);
    return out;
}

static int open_socket(uint32_t host) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = address_of(host, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fail("attack: socket");
    }
    return fd;
}

int Socket_From(const attack_t *attack, uint32_t host) {
    int fd = open_socket(host);
    struct sockaddr_in server = address_of(INADDR_LOOPBACK, attack->port);
    if (connect(fd, (struct sockaddr *)&server, sizeof server) != 0) {
        fail("attack: connect");
    }
    return fd;
}

int Socket_Any(void) {
    int fd = open_socket(INADDR_ANY);
    int bytes = BUFFER_BYTES;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    }
    return fd;
}

static void count_sent(attack_t *attack, ssize_t sent) {
    if (sent >= 0) {
        attack->sent++;
        attack->sent_bytes += (uint64_t)sent;
    }
}

void Socket_Send(attack_t *attack, int fd, const void *data, size_t size) {
    count_sent(attack, send(fd, data, size, MSG_NOSIGNAL));
}

void Socket_SendAs(attack_t *attack, int fd, uint32_t host, const void *data, size_t size) {
    struct sockaddr_in server = address_of(INADDR_LOOPBACK, attack->port);
    struct in_pktinfo info = {.ipi_spec_dst.s_addr = htonl(host)};
    struct iovec part = {(void *)(uintptr_t)data, size};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof info)] = {0};
    struct msghdr message = {.msg_name = &server,
                             .msg_namelen = sizeof server,
                             .msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = IPPROTO_IP;
    header->cmsg_type = IP_PKTINFO;
    header->cmsg_len = CMSG_LEN(sizeof info);
    memcpy(CMSG_DATA(header), &info, sizeof info);
    count_sent(attack, sendmsg(fd, &message, MSG_NOSIGNAL));
}

bool Socket_Receive(attack_t *attack, int fd, datagram_t *in) {
    for (int tries = 0; tries < 4; tries++) { // an error of an earlier send comes first
        ssize_t got = recv(fd, in->bytes, sizeof in->bytes, 0);
        if (got >= 0) {
            in->size = (size_t)got;
            attack->received++;
            attack->received_bytes += (uint64_t)got;
            attack->largest = (uint64_t)got > attack->largest ? (uint64_t)got : attack->largest;
            return true;
        }
    }
    return false;
}

void Socket_Drain(attack_t *attack, int fd) {
    datagram_t in;
    while (Socket_Receive(attack, fd, &in)) {
    }
}

int Raw_Open(void) {
    return socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
}

void Raw_Send(attack_t *attack, int fd, struct sockaddr_in from, const void *data, size_t size) {
    struct sockaddr_in server = address_of(INADDR_LOOPBACK, attack->port);
    struct {
        uint8_t ip[20], udp[8];
        uint8_t data[WIRE_MAX_BYTES];
    } packet = {0};
    uint16_t udp_bytes = htons((uint16_t)(size + sizeof packet.udp));
    packet.ip[0] = 0x45;
    packet.ip[8] = 64; // hops
    packet.ip[9] = IPPROTO_UDP;
    memcpy(packet.ip + 12, &from.sin_addr, 4);
    memcpy(packet.ip + 16, &server.sin_addr, 4);
    memcpy(packet.udp, &from.sin_port, 2);
    memcpy(packet.udp + 2, &server.sin_port, 2);
    memcpy(packet.udp + 4, &udp_bytes, 2); // the kernel fills in the rest; no UDP checksum
    memcpy(packet.data, data, size);
    size_t head = sizeof packet.ip + sizeof packet.udp;
    ssize_t sent =
        sendto(fd, &packet, head + size, MSG_NOSIGNAL, (struct sockaddr *)&server, sizeof server);
    count_sent(attack, sent < 0 ? sent : sent - (ssize_t)head);
}
