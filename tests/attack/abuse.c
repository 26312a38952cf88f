/// attack/abuse.c - one joined peer that sends commands which ENet takes but no client sends.

#include "peer.h"

#include <string.h>

typedef void write_t(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn);

#define SETTLE_STEPS 150 // of 2 ms: from the join to the last of the names that answer it

/// Joins with one peer and sends datagrams at a rate; joins again whenever it is dropped. Starts
/// when the answer to the join has arrived, which does not count as received.
static void send_at(attack_t *attack, peer_t peer, double per_s, write_t *write) {
    pace_t pace = {.per_s = per_s};
    datagram_t out;
    uint32_t turn = 0;
    int steps = 0; // since the join
    peer.joins = true;
    while (Attack_Runs(attack, 2)) {
        uint32_t due = Pace_Take(&pace, attack, 64);
        uint64_t received = attack->received_bytes;
        steps = Peer_StepAll(attack, &peer, 1) > 0 ? steps + 1 : 0;
        if (steps <= SETTLE_STEPS) {
            attack->received_bytes = received;
            continue;
        }
        for (uint32_t i = 0; i < due; i++) {
            Peer_Begin(&peer, &out);
            write(attack, &peer, &out, turn++);
            Peer_Send(attack, &peer, &out);
        }
    }
    Peer_CloseAll(attack, &peer, 1);
}

static peer_t peer_from(uint32_t d) {
    return (peer_t){.host = LOOPBACK(57, 0, d)};
}

static void write_pings(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn) {
    (void)attack;
    (void)turn;
    for (int i = 0; i < 300; i++) {
        Wire_Command(out, ENET_PING | ENET_WANTS_ACK, ENET_CONTROL, ++peer->control);
    }
}

static void pings(attack_t *attack) {
    send_at(attack, peer_from(1), 100, write_pings);
}

// Acknowledges what was never sent, with any time.
static void write_acks(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn) {
    (void)attack;
    (void)peer;
    for (uint32_t i = 0; i < 150; i++) {
        Wire_Command(out, ENET_ACK, i % 2 ? ENET_CONTROL : i % 3, turn * 150 + i);
        Wire_U16(out, turn * 150 + i);
        Wire_U16(out, Attack_Random() & 0xffff);
    }
}

static void acks(attack_t *attack) {
    send_at(attack, peer_from(2), 200, write_acks);
}

static void write_throttle(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn) {
    static const uint32_t values[] = {0, 1, 0xffffffffu, 0x80000000u};
    (void)attack;
    Wire_Command(out, ENET_THROTTLE | ENET_WANTS_ACK, ENET_CONTROL, ++peer->control);
    Wire_U32(out, values[turn % 4]);
    Wire_U32(out, values[turn / 4 % 4]);
    Wire_U32(out, values[turn / 16 % 4]);
}

static void throttle(attack_t *attack) {
    send_at(attack, peer_from(3), 100, write_throttle);
}

static void write_bandwidth(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn) {
    static const uint32_t values[] = {1, 0, 0xffffffffu, 1000};
    (void)attack;
    Wire_Command(out, ENET_BANDWIDTH | ENET_WANTS_ACK, ENET_CONTROL, ++peer->control);
    Wire_U32(out, values[turn % 4]);
    Wire_U32(out, values[turn / 4 % 4]);
}

static void bandwidth(attack_t *attack) {
    send_at(attack, peer_from(4), 100, write_bandwidth);
}

static void write_nothing(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn) {
    (void)attack;
    (void)turn;
    Wire_Command(out, ENET_PING | ENET_WANTS_ACK, ENET_CONTROL, ++peer->control);
}

static void mtu(attack_t *attack) {
    peer_t peer = peer_from(5);
    peer.mtu = 4096;
    send_at(attack, peer, 2, write_nothing);
}

// Reliable and unreliable messages on one channel; the unreliable ones are always too late.
static void write_stale(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn) {
    (void)attack;
    uint32_t ahead = peer->sequence[1] + 3 + turn % 20;
    for (uint32_t i = 0; i < 10; i++) {
        Wire_Unreliable(out, 1, ahead, turn * 10 + i, 100);
        Wire_Bytes(out, (uint8_t[100]){0}, 100);
    }
    if (turn % 32 == 0) {
        Wire_Reliable(out, 1, ++peer->sequence[1], 0);
    }
}

static void stale(attack_t *attack) {
    send_at(attack, peer_from(6), 200, write_stale);
}

static void write_unsequenced(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn) {
    (void)attack;
    (void)peer;
    for (uint32_t i = 0; i < 100; i++) {
        Wire_Command(out, ENET_UNSEQUENCED | ENET_UNSEQ_FLAG, i % 3, 0);
        Wire_U16(out, turn * 100 + i);
        Wire_U16(out, 4);
        Wire_U32(out, Attack_Random());
    }
}

static void unsequenced(attack_t *attack) {
    send_at(attack, peer_from(7), 200, write_unsequenced);
}

// Commands of every number, flag and channel, with random contents.
static void write_random(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn) {
    (void)attack;
    (void)peer;
    for (uint32_t i = 0; i < 20; i++) {
        Wire_Command(out, Attack_Random() & 0xffu, turn % 2 ? Attack_Random() & 0xffu : i % 4,
                     Attack_Random() & 0xffffu);
        for (int word = 0; word < 6; word++) {
            Wire_U32(out, Attack_Random() >> (Attack_Random() % 32));
        }
    }
}

static void commands(attack_t *attack) {
    send_at(attack, peer_from(8), 500, write_random);
}

static void write_usercmds(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn) {
    uint8_t message[300];
    (void)attack;
    (void)turn;
    for (int i = 0; i < 28; i++) {
        size_t size = Wire_UserCmd(message, 1, peer->usercmds++);
        Wire_Unreliable(out, 1, peer->sequence[1], ++peer->unreliable[1], size);
        Wire_Bytes(out, message, size);
    }
}

static void usercmds(attack_t *attack) {
    send_at(attack, peer_from(9), 500, write_usercmds);
}

// Whole messages of 8 KiB that do not decode.
static void write_large(attack_t *attack, peer_t *peer, datagram_t *out, uint32_t turn) {
    uint32_t start = peer->sequence[0] + 1;
    (void)turn;
    for (uint32_t i = 0; i < 6; i++) {
        fragment_t fragment = {.sequence = (uint16_t)++peer->sequence[0],
                               .start = (uint16_t)start,
                               .count = 6,
                               .number = i,
                               .total = 8190,
                               .offset = i * 1365,
                               .length = 1365};
        Wire_Fragment(out, ENET_FRAGMENT, 0, &fragment);
        if (i < 5) {
            Peer_Send(attack, peer, out);
            Peer_Begin(peer, out);
        }
    }
}

static void large(attack_t *attack) {
    send_at(attack, peer_from(10), 100, write_large);
}

const attack_row_t abuse_rows[] = {
    {"pings", pings},
    {"acks", acks},
    {"throttle", throttle},
    {"bandwidth", bandwidth},
    {"mtu", mtu},
    {"stale", stale},
    {"unsequenced", unsequenced},
    {"commands", commands},
    {"usercmds", usercmds},
    {"large", large},
    {0},
};
