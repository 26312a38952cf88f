/// attack/proxy.c - stands between players and the server, as somebody who can read and write their
/// wire. Forwards all datagrams in both directions, and does what its row says.

#include "attack.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PLAYERS  8
#define MAX_KEPT     16384
#define COPIES       30
#define PER_S        4000 // replayed datagrams: 1,000 of each player
#define RECONNECTS_S 200  // repeated sealed CONNECTs, below the server's limit for a /24
#define FORGE_EACH   4    // forged datagrams follow each fourth that was seen
#define SEALED_BIT   0x40 // in the first byte of a sealed datagram
#define KEY_AT       16   // connectID in a sealed CONNECT

typedef struct {
    struct sockaddr_in player;
    int fd;             ///< towards the server
    datagram_t connect; ///< the sealed CONNECT
    uint32_t header[2]; ///< first two bytes of its datagrams, to the player and the server
    uint32_t num_seen;
} link_t;

typedef struct {
    link_t *link;
    bool to_server;
    int64_t from_ns; ///< not before
    uint32_t copies;
    uint16_t size;
    uint8_t bytes[1500];
} kept_t;

typedef struct proxy_s proxy_t;

/// Handles a datagram before it is forwarded.
typedef void meddle_t(attack_t *attack, proxy_t *proxy, link_t *link, bool to_server,
                      const datagram_t *in);

struct proxy_s {
    meddle_t *meddle;
    int fd; ///< towards the players
    link_t links[MAX_PLAYERS];
    int num_links;
    kept_t *kept;
    uint32_t num_kept, next;
};

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

static void keep(attack_t *attack, proxy_t *proxy, link_t *link, bool to_server,
                 const datagram_t *in) {
    (void)attack;
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

static bool is_out_of_band(const datagram_t *in) {
    return in->size > 4 && Wire_GetU32(in, 0) == 0xffffffffu;
}

// Sends copies before the original, with a changed bit, cut, from another player, and with the
// number of another player.
static void change(attack_t *attack, proxy_t *proxy, link_t *link, bool to_server,
                   const datagram_t *in) {
    datagram_t copy = *in;
    link_t *other = &proxy->links[Attack_Random() % (uint32_t)proxy->num_links];
    if (is_out_of_band(in) || link->num_seen % FORGE_EACH != 0) {
        return;
    }
    copy.bytes[Attack_Random() % copy.size] ^= (uint8_t)(1u << Attack_Random() % 8);
    pass(attack, proxy, link, to_server, copy.bytes, copy.size);
    pass(attack, proxy, link, to_server, in->bytes, Attack_Random() % in->size);
    pass(attack, proxy, other, to_server, in->bytes, in->size);
    copy = *in;
    copy.bytes[0] = (uint8_t)(other->header[to_server] >> 8);
    copy.bytes[1] = (uint8_t)other->header[to_server];
    if (other != link) {
        pass(attack, proxy, link, to_server, copy.bytes, copy.size);
        pass(attack, proxy, other, to_server, copy.bytes, copy.size);
    }
}

// Sends ENet's commands with the right numbers and checksum, once plain, once as if sealed.
static void forge(attack_t *attack, proxy_t *proxy, link_t *link, bool to_server,
                  const datagram_t *in) {
    static const uint32_t commands[] = {ENET_DISCONNECT, ENET_DISCONNECT | ENET_UNSEQ_FLAG,
                                        ENET_ACK, ENET_PING | ENET_WANTS_ACK};
    datagram_t out;
    if (is_out_of_band(in) || link->connect.size == 0 || link->num_seen % FORGE_EACH != 0) {
        return;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        Wire_Begin(&out, link->header[to_server] & 0x3fffu, Clock_Ms());
        Wire_Command(&out, commands[i], ENET_CONTROL, 1 + link->num_seen % 8);
        Wire_U32(&out, commands[i] == ENET_ACK ? (1 + link->num_seen % 8) << 16 : 0);
        Wire_Seal(&out, link->connect.bytes + KEY_AT);
        pass(attack, proxy, link, to_server, out.bytes, out.size);
        out.bytes[0] |= SEALED_BIT;
        memcpy(out.bytes + 2, in->bytes + 2, 4); // the next sequence number
        memset(out.bytes + out.size, 0, 16);
        pass(attack, proxy, link, to_server, out.bytes, out.size + 16);
    }
}

// Only watches; the sealed CONNECTs are repeated by `reconnect`.
static void watch_only(attack_t *attack, proxy_t *proxy, link_t *link, bool to_server,
                       const datagram_t *in) {
    (void)attack, (void)proxy, (void)link, (void)to_server, (void)in;
}

// Repeats sealed CONNECTs, even when their sessions are over, from the player's port and from that
// of another player.
static void reconnect(attack_t *attack, proxy_t *proxy, uint32_t due) {
    for (uint32_t i = 0; i < due && proxy->num_links > 0; i++) {
        const link_t *link = &proxy->links[proxy->next++ % (uint32_t)proxy->num_links];
        const link_t *other = &proxy->links[Attack_Random() % (uint32_t)proxy->num_links];
        if (link->connect.size > 0) {
            pass(attack, proxy, i % 2 ? other : link, true, link->connect.bytes,
                 link->connect.size);
        }
    }
}

// Notes what a watcher learns.
static void watch(link_t *link, bool to_server, const datagram_t *in) {
    if (!is_out_of_band(in)) {
        link->header[to_server] = Wire_GetU16(in, 0);
    } else if (to_server && in->size > 90 && memcmp(in->bytes + 4, "sealed", 6) == 0) {
        link->connect = *in;
    }
    link->num_seen++;
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
            watch(link, true, &in);
            proxy->meddle(attack, proxy, link, true, &in);
            pass(attack, proxy, link, true, in.bytes, in.size);
        }
    }
    for (int i = 0; i < proxy->num_links; i++) {
        link_t *link = &proxy->links[i];
        while (Socket_Receive(attack, link->fd, &in)) {
            watch(link, false, &in);
            proxy->meddle(attack, proxy, link, false, &in);
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

/// Sends datagrams that are due.
typedef void repeat_t(attack_t *attack, proxy_t *proxy, uint32_t due);

static void run(attack_t *attack, meddle_t *meddle, repeat_t *repeat, double per_s) {
    pace_t pace = {.per_s = per_s};
    struct sockaddr_in own;
    socklen_t size = sizeof own;
    proxy_t *proxy = calloc(1, sizeof *proxy);
    if (!proxy || !(proxy->kept = calloc(MAX_KEPT, sizeof *proxy->kept))) {
        exit(2);
    }
    proxy->meddle = meddle;
    proxy->fd = Socket_Any();
    getsockname(proxy->fd, (struct sockaddr *)&own, &size);
    printf("proxy %d\n", ntohs(own.sin_port));
    fflush(stdout);
    while (Attack_Runs(attack, 1)) {
        forward(attack, proxy);
        repeat(attack, proxy, Pace_Take(&pace, attack, 100));
    }
    free(proxy->kept);
    free(proxy);
}

static void replay_all(attack_t *attack) {
    run(attack, keep, replay, PER_S);
}

static void change_all(attack_t *attack) {
    run(attack, change, replay, 0);
}

static void forge_all(attack_t *attack) {
    run(attack, forge, replay, 0);
}

static void reconnect_all(attack_t *attack) {
    run(attack, watch_only, reconnect, RECONNECTS_S);
}

const attack_row_t proxy_rows[] = {{"replay", replay_all},
                                   {"wire-change", change_all},
                                   {"wire-forge", forge_all},
                                   {"wire-connect", reconnect_all},
                                   {0}};
