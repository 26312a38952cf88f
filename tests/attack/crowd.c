/// attack/crowd.c - connections as the weapon: they take slots, wait, come and go.

#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PEERS 64
#define MS_NS     ((int64_t)1000000)

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

/// Requests 60 connections without completing them.
typedef struct {
    peer_t list[60];
    pace_t pace; ///< restarts: CONNECTs a second in all
    uint32_t next;
} half_open_t;

static void half_open_start(half_open_t *crowd, int hosts, double per_s) {
    crowd->pace = (pace_t){.per_s = per_s};
    for (int i = 0; i < 60; i++) {
        crowd->list[i] =
            (peer_t){.host = LOOPBACK(51, 0, 1) + (uint32_t)(i % hosts), .half_open = true};
    }
}

static void half_open_step(attack_t *attack, half_open_t *crowd) {
    Peer_StepAll(attack, crowd->list, 60);
    for (uint32_t due = Pace_Take(&crowd->pace, attack, 60); due > 0; due--) {
        Peer_Start(attack, &crowd->list[crowd->next++ % 60]);
    }
}

static void half_open(attack_t *attack, int hosts, double per_s) {
    static half_open_t crowd;
    half_open_start(&crowd, hosts, per_s);
    while (Attack_Runs(attack, 2)) {
        half_open_step(attack, &crowd);
    }
    Peer_CloseAll(attack, crowd.list, 60);
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

/// Makes peers leave and vanish, so that the server waits for their acknowledgements.
static void leave_silently(attack_t *attack, peer_t *list, int count) {
    uint8_t message[300];
    for (int i = 0; i < count; i++) {
        if (list[i].state == PEER_CONNECTED) {
            Peer_Say(attack, &list[i], message, Wire_Leave(message));
        }
        if (list[i].state != PEER_CLOSED) {
            close(list[i].fd);
            list[i].state = PEER_CLOSED;
        }
    }
}

// 12 players leave silently, three of each address from which honest players join 50 ms later,
// under a flood of half-open connections.
static void leave_half_open(attack_t *attack) {
    static half_open_t crowd;
    static peer_t leaving[12];
    int64_t leave_ns = attack->start_ns + (attack->end_ns - attack->start_ns) / 5 - 50 * MS_NS;
    half_open_start(&crowd, 10, 1000);
    for (uint32_t i = 0; i < 12; i++) {
        leaving[i] = (peer_t){.host = LOOPBACK(77, 0, 1) + i / 3, .joins = true};
    }
    while (Attack_Runs(attack, 2)) {
        if (Clock_Ns() < leave_ns) {
            Peer_StepAll(attack, leaving, 12);
        } else {
            leave_silently(attack, leaving, 12);
            half_open_step(attack, &crowd);
        }
    }
    Peer_CloseAll(attack, crowd.list, 60);
}

/// Steps a list for a time. Returns how many have received a VERIFY since they started.
static int step_for(attack_t *attack, peer_t *list, int count, int64_t ns) {
    int64_t end_ns = Clock_Ns() + ns;
    int verified = 0;
    while (Clock_Ns() < end_ns && Attack_Runs(attack, 2)) {
        Peer_StepAll(attack, list, count);
        verified = 0;
        for (int i = 0; i < count; i++) {
            verified += list[i].is_verified;
        }
        if (verified == count && list[0].half_open) {
            break;
        }
    }
    return verified;
}

// 16 peers stop in the middle of their handshake, complete it after attack.py has banned them, and
// wait for its answer again before the next 16. Each of both pauses is a line of output.
static void ban_half_open(attack_t *attack) {
    static peer_t list[16];
    bool goes_on;
    do {
        for (uint32_t i = 0; i < 16; i++) {
            list[i] = (peer_t){.host = LOOPBACK(64, 0, 1) + i % 8,
                               .joins = true,
                               .half_open = true,
                               .stays_away = true};
        }
        printf("verified %d\n", step_for(attack, list, 16, 500 * MS_NS));
        fflush(stdout);
        bool is_banned = getchar() != EOF;
        for (int i = 0; is_banned && i < 16; i++) {
            list[i].half_open = false;
            if (list[i].is_verified) {
                Peer_Complete(attack, &list[i]);
            }
        }
        step_for(attack, list, 16, 50 * MS_NS);
        puts("completed");
        fflush(stdout);
        goes_on = getchar() != EOF && Attack_Runs(attack, 2);
        Peer_CloseAll(attack, list, 16);
    } while (goes_on);
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

// Players that play but never acknowledge. attack.py makes the server say much meanwhile.
static void play(attack_t *attack, peer_t *peer) {
    uint8_t message[300];
    datagram_t out;
    int64_t now_ns = Clock_Ns();
    if (now_ns < peer->next_ns) {
        return;
    }
    peer->next_ns = now_ns + 16 * (int64_t)1000000;
    Peer_Begin(peer, &out);
    size_t size = Wire_UserCmd(message, 1, peer->usercmds++);
    Wire_Unreliable(&out, 1, peer->sequence[1], ++peer->unreliable[1], size);
    Wire_Bytes(&out, message, size);
    Peer_Send(attack, peer, &out);
}

static const peer_t deaf_peer = {
    .host = LOOPBACK(54, 0, 1), .joins = true, .deaf = true, .stays_away = true};

static void deaf(attack_t *attack) {
    run_crowd(attack, &deaf_peer, 8, 8, play);
}

static void deaf_one(attack_t *attack) {
    run_crowd(attack, &deaf_peer, 1, 1, play);
}

// The same without sending anything, like a program that was stopped.
static void frozen(attack_t *attack) {
    peer_t peer = deaf_peer;
    peer.frozen = true;
    run_crowd(attack, &peer, 8, 8, NULL);
}

static void leave(attack_t *attack, peer_t *peer) {
    uint8_t message[300];
    if (Attack_Random() % 2) {
        Peer_Say(attack, peer, message, Wire_Leave(message));
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

// GET, 50 times a second: the map from its start, then one piece after the other is confirmed,
// received or not, and between them any offset.
static void get(attack_t *attack, peer_t *peer) {
    uint8_t message[300];
    int64_t now_ns = Clock_Ns();
    if (now_ns >= peer->next_ns) {
        const uint32_t count = peer->usercmds++;
        const uint32_t offset = count % 2 ? Attack_Random() % (1u << 27) : count / 2 * 1024;
        peer->next_ns = now_ns + 20 * MS_NS;
        Peer_Say(attack, peer, message, Wire_Get(message, 1, offset));
    }
}

static void downloads(attack_t *attack) {
    const peer_t peer = {.host = LOOPBACK(62, 0, 1), .joins = true, .loads = true};
    run_crowd(attack, &peer, 8, 8, get);
}

const attack_row_t crowd_rows[] = {
    {"half-open-one", half_open_one},
    {"half-open-ten", half_open_ten},
    {"half-open-fast", half_open_fast},
    {"idle", idle},
    {"idle-many", idle_many},
    {"silent", silent},
    {"deaf", deaf},
    {"deaf-one", deaf_one},
    {"frozen", frozen},
    {"leave-half-open", leave_half_open},
    {"ban-half-open", ban_half_open},
    {"churn", churn},
    {"chat", chat},
    {"texts", texts},
    {"edge", edge},
    {"edge-many", edge_many},
    {"messages", messages},
    {"downloads", downloads},
    {0},
};
