/// attack/flood.c - datagrams from senders that have proven nothing; their sources are forged by
/// sending from any address of 127/8. The server must not answer with more than it received.

#include "attack.h"

#include <string.h>
#include <unistd.h>

#define VICTIMS LOOPBACK(88, 1, 0) // the /24 that honest players join from

/// Writes the n-th datagram and returns its sender.
typedef uint32_t write_t(datagram_t *out, uint32_t n);

/// Sends `first` datagrams at once, as if the flood had lasted for a while, then at a rate.
static void send_at(attack_t *attack, uint32_t first, double per_s, write_t *write) {
    int fd = Socket_Any();
    pace_t pace = {.per_s = per_s};
    datagram_t out;
    uint32_t n = 0;
    while (Attack_Runs(attack, 1)) {
        uint32_t due = Pace_Take(&pace, attack, 4000) + (n == 0 ? first : 0);
        for (uint32_t i = 0; i < due; i++) {
            out.size = 0;
            uint32_t from = write(&out, n++);
            Socket_SendAs(attack, fd, from, out.bytes, out.size);
        }
        Socket_Drain(attack, fd);
    }
    usleep(100000); // the last replies
    Socket_Drain(attack, fd);
    close(fd);
}

/// any address of 127.128/9, which no player and no other row has.
static uint32_t anywhere(void) {
    return LOOPBACK(128, 0, 0) | (Attack_Random() & 0x7fffff);
}

static uint32_t write_request(datagram_t *out, uint32_t n) {
    Wire_CookieRequest(out, n);
    return anywhere();
}

static void cookies(attack_t *attack) {
    send_at(attack, 0, 50000, write_request);
}

static uint32_t of_victims(uint32_t n) {
    return VICTIMS | (16 + n % 200);
}

static uint32_t write_victim_request(datagram_t *out, uint32_t n) {
    Wire_CookieRequest(out, n);
    return of_victims(n);
}

static void victim_cookies(attack_t *attack) {
    send_at(attack, 400, 2000, write_victim_request);
}

static uint32_t write_guess(datagram_t *out, uint32_t n) {
    Wire_Connect(out, Attack_Random(), n, n % 100, 1392);
    return anywhere();
}

static uint32_t write_victim_connect(datagram_t *out, uint32_t n) {
    write_guess(out, n);
    return of_victims(n);
}

static void victim_connects(attack_t *attack) {
    send_at(attack, 400, 300, write_victim_connect);
}

static void connects(attack_t *attack) {
    send_at(attack, 0, 10000, write_guess);
}

// A CONNECT, then the final acknowledgement to a guessed peer, without having read a reply.
static uint32_t write_blind(datagram_t *out, uint32_t n) {
    static const uint8_t id[4] = {1, 2, 3, 4};
    uint32_t host = LOOPBACK(60, 0, 1 + n / 64 % 200);
    if (n % 64 == 0) {
        Wire_Connect(out, 0, 0x01020304, 0, 1392);
        return host;
    }
    Wire_Begin(out, n % 64 | (n / 64 & 3u) << 12, n);
    Wire_Command(out, ENET_ACK, ENET_CONTROL, 1);
    Wire_U16(out, 1);
    Wire_U16(out, n);
    Wire_Seal(out, id);
    return host;
}

static void blind_handshake(attack_t *attack) {
    send_at(attack, 0, 10000, write_blind);
}

static uint32_t write_garbage(datagram_t *out, uint32_t n) {
    static const uint8_t sizes[] = {1, 2, 3, 4, 8, 9, 24, 56, 60, 200};
    for (uint32_t i = 0; i < sizes[n % sizeof sizes]; i++) {
        Wire_U8(out, Attack_Random());
    }
    return anywhere();
}

static void garbage(attack_t *attack) {
    send_at(attack, 0, 20000, write_garbage);
}

static uint32_t write_empty(datagram_t *out, uint32_t n) {
    (void)out;
    (void)n;
    return anywhere();
}

static void empty(attack_t *attack) {
    send_at(attack, 0, 20000, write_empty);
}

static uint32_t write_oversize(datagram_t *out, uint32_t n) {
    (void)n;
    out->size = 4100; // ENet reads 4096
    memset(out->bytes, 0, out->size);
    return anywhere();
}

static void oversize(attack_t *attack) {
    send_at(attack, 0, 2000, write_oversize);
}

static uint32_t write_compressed(datagram_t *out, uint32_t n) {
    Wire_U16(out, n % 2 ? 0xcfff : 0x4000 | n % 0xfff);
    if (n % 4 == 0) {
        Wire_U32(out, 0);
    }
    return anywhere();
}

static void compressed(attack_t *attack) {
    send_at(attack, 0, 10000, write_compressed);
}

static uint32_t write_query(datagram_t *out, uint32_t n) {
    static const char *const queries[] = {
        "getstatus",
        "getinfo xxx",
        "getchallenge",
        "rcon password status",
        "status",
        "TSource Engine Query",
        "U\xff\xff\xff\xff",
        "V\xff\xff\xff\xff",
        "getservers",
        "ping",
    };
    const char *query = queries[n % (sizeof queries / sizeof *queries)];
    Wire_U32(out, 0xffffffffu);
    Wire_Bytes(out, query, strlen(query) + 1);
    return anywhere();
}

static void queries(attack_t *attack) {
    send_at(attack, 0, 10000, write_query);
}

// Disconnects and data for every peer there may be, from senders that are none.
static uint32_t write_stranger(datagram_t *out, uint32_t n) {
    const uint8_t id[4] = {(uint8_t)n, 0, 0, 0};
    Wire_Begin(out, n % 40 | (n / 40 & 3u) << 12, n);
    if (n % 2) {
        Wire_Command(out, ENET_DISCONNECT | ENET_UNSEQ_FLAG, ENET_CONTROL, 1);
        Wire_U32(out, 0);
    } else {
        Wire_Reliable(out, 0, 1, 0);
    }
    Wire_Seal(out, id);
    return anywhere();
}

static void strangers(attack_t *attack) {
    send_at(attack, 0, 20000, write_stranger);
}

#define SENDERS        16
#define SEALS_S        4000 // four times what the server opens
#define ASK_AGAIN_NS   (2000 * (int64_t)1000000)
#define SEAL_OFFERS_AT 22 // in a cookie reply

/// Writes a sealed CONNECT with the cookie of a reply, any public key and any contents.
static void write_sealed(datagram_t *out, const datagram_t *reply) {
    out->size = 0;
    Wire_U32(out, 0xffffffffu);
    Wire_Bytes(out, "sealed\1", 7);
    Wire_U8(out, reply->bytes[SEAL_OFFERS_AT + 1]); // key epoch
    Wire_U32(out, Wire_GetU32(reply, 14));          // cookie
    Wire_U32(out, Wire_GetU32(reply, 18));          // connectID
    for (int i = 0; i < 8; i++) {
        Wire_U32(out, Attack_Random());
    }
    memset(out->bytes + out->size, 0, 98);
    out->size += 98; // address, sequence number, 60 bytes of CONNECT, tag
}

// Sealed CONNECTs that do not open, from addresses with a valid cookie: each costs the server two
// operations of X25519.
static void seals(attack_t *attack) {
    int fds[SENDERS];
    datagram_t replies[SENDERS] = {{0}}, in, out;
    pace_t pace = {.per_s = SEALS_S};
    int64_t ask_ns = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < SENDERS; i++) {
        fds[i] = Socket_From(attack, LOOPBACK(96, i, 1));
    }
    while (Attack_Runs(attack, 1)) {
        bool asks = Clock_Ns() >= ask_ns;
        ask_ns = asks ? Clock_Ns() + ASK_AGAIN_NS : ask_ns;
        for (uint32_t i = 0; i < SENDERS; i++) {
            if (asks) {
                Wire_CookieRequest(&out, i);
                Socket_Send(attack, fds[i], out.bytes, out.size);
            }
            while (Socket_Receive(attack, fds[i], &in)) {
                replies[i] = in.size == 88 ? in : replies[i];
            }
        }
        uint32_t due = Pace_Take(&pace, attack, 1000);
        for (uint32_t i = 0; i < due; i++, n++) {
            if (replies[n % SENDERS].size > 0) {
                write_sealed(&out, &replies[n % SENDERS]);
                Socket_Send(attack, fds[n % SENDERS], out.bytes, out.size);
            }
        }
    }
    for (uint32_t i = 0; i < SENDERS; i++) {
        close(fds[i]);
    }
}

const attack_row_t flood_rows[] = {
    {"cookies", cookies},
    {"victim-cookies", victim_cookies},
    {"seals", seals},
    {"victim-connects", victim_connects},
    {"connects", connects},
    {"blind-handshake", blind_handshake},
    {"garbage", garbage},
    {"empty", empty},
    {"oversize", oversize},
    {"compressed", compressed},
    {"queries", queries},
    {"strangers", strangers},
    {0},
};
