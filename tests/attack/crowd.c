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

static void half_open_one(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(51, 0, 1), .half_open = true}, 60, 1, NULL);
}

static void half_open_ten(attack_t *attack) {
    run_crowd(attack, &(peer_t){.host = LOOPBACK(51, 0, 1), .half_open = true}, 60, 10, NULL);
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

const attack_row_t crowd_rows[] = {
    {"half-open-one", half_open_one},
    {"half-open-ten", half_open_ten},
    {"idle", idle},
    {"idle-many", idle_many},
    {"silent", silent},
    {"deaf", deaf},
    {"churn", churn},
    {"chat", chat},
    {0},
};
