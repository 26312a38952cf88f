/// attack/crowd.c - connections as the weapon: they take slots, wait, come and go.

#include "peer.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PEERS 64

/// Runs up to 64 peers like `model`, on `hosts` addresses that follow its own, until the end.
/// `each` runs for every connected peer and may be NULL.
static void run_crowd(attack_t *attack, const peer_t *model, int count, int hosts,
                      void (*each)(attack_t *attack, peer_t *peer)) {
    static peer_t list[MAX_PEERS];
    for (int i = 0; i < count; i++) {
        list[i] = *model;
        list[i].host = model->host + (uint32_t)(i % hosts);
    }
    while (Attack_Runs(attack, 2)) {
        Peer_StepAll(attack, list, count);
        for (int i = 0; each && i < count; i++) {
            if (list[i].state == PEER_CONNECTED) {
                each(attack, &list[i]);
            }
        }
    }
    Peer_CloseAll(attack, list, count);
}

/// Asks 60 times for a connection without completing it, from some addresses, and begins anew at a
/// rate: `per_s` CONNECTs a second in all.
static void half_open(attack_t *attack, int hosts, double per_s) {
    static peer_t list[60];
    pace_t pace = {.per_s = per_s};
    uint32_t next = 0;
    for (int i = 0; i < 60; i++) {
        list[i] = (peer_t){.host = LOOPBACK(51, 0, 1) + (uint32_t)(i % hosts), .half_open = true};
    }
    while (Attack_Runs(attack, 2)) {
        Peer_StepAll(attack, list, 60);
        for (uint32_t due = Pace_Take(&pace, attack, 60); due > 0; due--) {
            Peer_Start(attack, &list[next++ % 60]);
        }
    }
    Peer_CloseAll(attack, list, 60);
}

static void half_open_one(attack_t *attack) {
    half_open(attack, 1, 200);
}

static void half_open_ten(attack_t *attack) {
    half_open(attack, 10, 200);
}

static void half_open_fast(attack_t *attack) {
    half_open(attack, 10, 1000);
}

static void idle(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(52, 0, 1), .joins = true}, 64, 1, NULL);
}

static void idle_many(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(52, 0, 1), .joins = true}, 64, 16, NULL);
}

static void silent(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(53, 0, 1)}, 8, 1, NULL);
}

static void deaf(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(54, 0, 1), .joins = true, .deaf = true}, 8, 1,
              NULL);
}

static void leave(attack_t *attack, peer_t *peer) {
    uint8_t message[300];
    if (Attack_Random() % 2) {
        Peer_Say(attack, peer, message, Wire_Text(message, 5, "") - 2); // LEAVE has no text
    } else {
        Peer_Disconnect(attack, peer);
    }
}

static void churn(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(55, 0, 1), .joins = true}, 8, 1, leave);
}

static void say(attack_t *attack, peer_t *peer) {
    uint8_t message[300];
    int64_t now_ns = Clock_Ns();
    if (now_ns >= peer->next_ns) {
        peer->next_ns = now_ns + 100 * (int64_t)1000000; // 10 lines a second
        Peer_Say(attack, peer, message,
                 Wire_Text(message, 3, "a line that everybody has to read, again and again"));
    }
}

static void chat(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(56, 0, 1), .joins = true}, 8, 1, say);
}

// Commands of the game whose effect is printed to everybody: 10 a second of each peer.
static void act(attack_t *attack, peer_t *peer) {
    static const char *const commands[] = {"kill", "spectate", "join", "team 1", "team 2"};
    uint8_t message[300];
    int64_t now_ns = Clock_Ns();
    if (now_ns >= peer->next_ns) {
        peer->next_ns = now_ns + 100 * (int64_t)1000000;
        Peer_Say(attack, peer, message, Wire_Text(message, 4, commands[Attack_Random() % 5]));
    }
}

static void texts(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(58, 0, 1), .joins = true}, 8, 1, act);
}

// As much as the filter lets through for long: 450 datagrams a second of each peer, of 32 commands,
// with reliable messages ahead of a missing one and usercmds.
static void press(attack_t *attack, peer_t *peer) {
    uint8_t message[300];
    datagram_t out;
    int64_t now_ns = Clock_Ns();
    if (now_ns < peer->next_ns) {
        return;
    }
    peer->next_ns = now_ns + 1000000000 / 450;
    Peer_Begin(peer, &out);
    for (uint32_t i = 0; i < 32; i++) {
        if (i % 2) {
            Wire_Reliable(&out, i % 3, peer->sequence[i % 3] + 2 + Attack_Random() % 60, 0);
        } else {
            size_t size = Wire_UserCmd(message, 1, peer->usercmds++);
            Wire_Unreliable(&out, 1, peer->sequence[1], ++peer->unreliable[1], size);
            Wire_Bytes(&out, message, size);
        }
    }
    Peer_Send(attack, peer, &out);
}

// As many unreliable messages as fit: usercmds, 32 in each of 400 datagrams a second.
static void shower(attack_t *attack, peer_t *peer) {
    uint8_t message[300];
    datagram_t out;
    int64_t now_ns = Clock_Ns();
    if (now_ns < peer->next_ns) {
        return;
    }
    peer->next_ns = now_ns + 1000000000 / 400;
    Peer_Begin(peer, &out);
    for (uint32_t i = 0; i < 32; i++) {
        size_t size = Wire_UserCmd(message, 1, peer->usercmds++);
        Wire_Unreliable(&out, 1, peer->sequence[1], ++peer->unreliable[1], size);
        Wire_Bytes(&out, message, size);
    }
    Peer_Send(attack, peer, &out);
}

static void messages(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(59, 1, 1), .joins = true}, 15, 3, shower);
}

static void edge(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(59, 0, 1), .joins = true}, 8, 1, press);
}

static void edge_many(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(59, 0, 1), .joins = true}, 15, 15, press);
}

const attack_row_t crowd_rows[] = {
    {"half-open-one", half_open_one},
    {"half-open-ten", half_open_ten},
    {"half-open-fast", half_open_fast},
    {"idle", idle},
    {"idle-many", idle_many},
    {"silent", silent},
    {"deaf", deaf},
    {"churn", churn},
    {"chat", chat},
    {"texts", texts},
    {"edge", edge},
    {"edge-many", edge_many},
    {"messages", messages},
    {0},
};
