/// attack/proxy.c - stands between players and the server, forwards all datagrams, and sends them
/// again, up to 30 times, 0.2 to 2.5 s later, in both directions.

#include "attack.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PLAYERS 8
#define MAX_KEPT    16384
#define COPIES      30
#define PER_S       4000 // replayed datagrams: 1,000 of each player

typedef struct {
    struct sockaddr_in player;
    int fd; ///< towards the server
} link_t;

typedef struct {
    link_t *link;
    bool to_server;
    int64_t from_ns; ///< not before
    uint32_t copies;
    uint16_t size;
    uint8_t bytes[1500];
} kept_t;

typedef struct {
    int fd; ///< towards the players
    link_t links[MAX_PLAYERS];
    int num_links;
    kept_t *kept;
    uint32_t num_kept, next;
} proxy_t;

static link_t *link_of(attack_t *attack, proxy_t *proxy, const struct sockaddr_in *player) {
    for (int i = 0; i < proxy->num_links; i++) {
        if (memcmp(&proxy->links[i].player, player, sizeof *player) == 0) {
            return &proxy->links[i];
        }
    }
    if (proxy->num_links == MAX_PLAYERS) {
        return NULL;
    }
    link_t *link = &proxy->links[proxy->num_links++];
    *link = (link_t){.player = *player, .fd = Socket_From(attack, INADDR_LOOPBACK)};
    return link;
}

static void pass(attack_t *attack, proxy_t *proxy, const link_t *link, bool to_server,
                 const uint8_t *bytes, size_t size) {
    if (to_server) {
        Socket_Send(attack, link->fd, bytes, size);
    } else {
        sendto(proxy->fd, bytes, size, 0, (const struct sockaddr *)&link->player,
               sizeof link->player);
    }
}

static void keep(proxy_t *proxy, link_t *link, bool to_server, const datagram_t *in) {
    if (proxy->num_kept < MAX_KEPT && in->size <= sizeof proxy->kept->bytes) {
        kept_t *kept = &proxy->kept[proxy->num_kept++];
        *kept = (kept_t){.link = link,
                         .to_server = to_server,
                         .copies = COPIES,
                         .from_ns = Clock_Ns() + (200 + Attack_Random() % 2300) * (int64_t)1000000,
                         .size = (uint16_t)in->size};
        memcpy(kept->bytes, in->bytes, in->size);
    }
}

static void forward(attack_t *attack, proxy_t *proxy) {
    datagram_t in;
    struct sockaddr_in from;
    socklen_t size = sizeof from;
    ssize_t got;
    while ((got = recvfrom(proxy->fd, in.bytes, sizeof in.bytes, 0, (struct sockaddr *)&from,
                           &size)) >= 0) {
        link_t *link = link_of(attack, proxy, &from);
        in.size = (size_t)got;
        if (link) {
            keep(proxy, link, true, &in);
            pass(attack, proxy, link, true, in.bytes, in.size);
        }
    }
    for (int i = 0; i < proxy->num_links; i++) {
        link_t *link = &proxy->links[i];
        while (Socket_Receive(attack, link->fd, &in)) {
            keep(proxy, link, false, &in);
            pass(attack, proxy, link, false, in.bytes, in.size);
        }
    }
}

static void replay(attack_t *attack, proxy_t *proxy, uint32_t due) {
    int64_t now_ns = Clock_Ns();
    for (uint32_t tries = 0; tries < 4 * due && due > 0 && proxy->num_kept > 0; tries++) {
        kept_t *kept = &proxy->kept[proxy->next++ % proxy->num_kept];
        if (kept->copies > 0 && now_ns >= kept->from_ns) {
            kept->copies--;
            due--;
            pass(attack, proxy, kept->link, kept->to_server, kept->bytes, kept->size);
        }
    }
}

void Proxy_Run(attack_t *attack) {
    pace_t pace = {.per_s = PER_S};
    struct sockaddr_in own;
    socklen_t size = sizeof own;
    proxy_t *proxy = calloc(1, sizeof *proxy);
    if (!proxy || !(proxy->kept = calloc(MAX_KEPT, sizeof *proxy->kept))) {
        exit(2);
    }
    proxy->fd = Socket_Any();
    getsockname(proxy->fd, (struct sockaddr *)&own, &size);
    printf("proxy %d\n", ntohs(own.sin_port));
    fflush(stdout);
    while (Attack_Runs(attack, 1)) {
        forward(attack, proxy);
        replay(attack, proxy, Pace_Take(&pace, attack, 100));
    }
    free(proxy->kept);
    free(proxy);
}
