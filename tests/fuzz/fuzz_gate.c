// fuzz_gate.c - a connected peer's raw datagrams against a whole server, in virtual time.
//
// The server, its guard, filter, libenet, sessions and world are the real ones. Only the system
// calls for datagrams are replaced, by a network in memory. A player is connected all the time.
//
// Input:      steps of u8 kind and its bytes (see `step`). The harness writes the header and the
//             checksum of the attacker's datagrams, so that their commands are read.
// Invariants: after each poll: ENet's queues, the memory and the datagrams sent have bounds; a poll
//             takes at most POLL_NS and DATAGRAM_NS for each datagram. At the end: the player is
//             still connected and has received its snapshots; 2 s after the attacker's end its
//             memory is free again.
//
// The server lives for RUNS_PER_SERVER inputs; a finding of its past needs the inputs before it.

#include "base/assert.h"
#include "core/server.h"
#include "game/game.h"
#include "lib/map_fixture.h"
#include "lib/udp_rig.h"
#include "net/enet_local.h"
#include "net/enet_memory.h"
#include "net/wire.h"
#include "proto/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RUNS_PER_SERVER 500
#define MAX_STEPS       200   // of an input
#define FIRST_FORGED    230   // kinds of steps from here on are a watcher's datagrams
#define FIRST_SWITCH    240   // kinds of steps from here on switch play.is_banned and is_late
#define EXEMPT_SWITCH   252   // kinds of steps from here on switch play.exempt
#define MAX_DATAGRAMS   20000 // of an input
#define QUEUE           1024  // datagrams that wait for one end
#define RESERVED        64    // of them for the player, which would time out behind a full queue
#define RECORDED        64    // of the attacker's own datagrams, to be replayed
// Limits of one poll with the address sanitizer. 32 commands x 64 waiting messages = 2,048 steps of
// a list are the most that a datagram can cost.
#define POLL_NS     100000000
#define DATAGRAM_NS 1000000
#define MAX_GROWTH  (1024 * 1024) // bytes of ENet by one attacker
#define PLAYER_HOST 0x7f000001u
#define EVIL_HOST   0x7f010101u
#define STRANGER    0x7f020202u

typedef struct {
    netaddr_t from;
    size_t size;
    uint8_t bytes[GUARD_MAX_DATAGRAM];
} flying_t;

/// An end of the network in memory: a socket and the datagrams that wait for it.
typedef struct {
    int fd;
    netaddr_t address;
    int32_t first, count;
    flying_t *queue;
} end_t;

enum { SERVER, PLAYER, EVIL, NUM_ENDS };

typedef struct {
    end_t ends[NUM_ENDS];
    transport_t *net, *player, *evil;
    server_t *core;
    log_t log;
    int map_file;
    int64_t now_ms, tick_ms;
    size_t used_bytes; ///< of ENet without an attacker
    int32_t runs, snapshots, num_datagrams;
    uint32_t epoch;
    flying_t recorded[RECORDED];
    uint32_t num_recorded;
    bool is_banned, is_late; ///< the server bans the attacker; its next drain ends early
    netranges_t exempt;      ///< the player, or every address of this network
    uint64_t num_sent;       ///< datagrams of the server
    uint8_t last[GUARD_MAX_DATAGRAM];
    size_t last_size;
} play_t;

static play_t play;

// ---- the network in memory ----

static end_t *end_of_fd(int fd) {
    for (int32_t i = 0; i < NUM_ENDS; i++) {
        if (play.ends[i].fd == fd && play.ends[i].queue) {
            return &play.ends[i];
        }
    }
    return NULL;
}

static void fly(netaddr_t from, end_t *to, const void *bytes, size_t size) {
    int32_t room = from.host == PLAYER_HOST ? QUEUE : QUEUE - RESERVED;
    if (to && to->count < room && size <= GUARD_MAX_DATAGRAM) {
        flying_t *flying = &to->queue[(to->first + to->count++) % QUEUE];
        flying->from = from;
        flying->size = size;
        memcpy(flying->bytes, bytes, size);
    }
}

ssize_t sendto(int fd, const void *bytes, size_t size, int flags, const struct sockaddr *to,
               socklen_t to_size) {
    const struct sockaddr_in *address = (const struct sockaddr_in *)(const void *)to;
    end_t *from = end_of_fd(fd);
    (void)flags;
    (void)to_size;
    ASSERT(from && size <= GUARD_MAX_DATAGRAM);
    for (int32_t i = 0; i < NUM_ENDS; i++) {
        if (play.ends[i].queue && play.ends[i].address.port == ntohs(address->sin_port)) {
            fly(from->address, &play.ends[i], bytes, size);
        }
    }
    play.num_sent += from == &play.ends[SERVER];
    if (from == &play.ends[EVIL]) {
        flying_t *kept = &play.recorded[play.num_recorded++ % RECORDED];
        kept->size = size;
        memcpy(kept->bytes, bytes, size);
    }
    return (ssize_t)size;
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags) {
    for (unsigned int i = 0; i < count; i++) {
        const struct msghdr *head = &messages[i].msg_hdr;
        sendto(fd, head->msg_iov->iov_base, head->msg_iov->iov_len, flags, head->msg_name,
               head->msg_namelen);
    }
    return (int)count;
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned int max, int flags,
             struct timespec *timeout) {
    end_t *end = end_of_fd(fd);
    unsigned int count = 0;
    (void)flags;
    (void)timeout;
    for (; end && end->count > 0 && count < max; count++) {
        const flying_t *flying = &end->queue[end->first];
        struct msghdr *head = &messages[count].msg_hdr;
        struct sockaddr_in from = EnetSocket_Address(flying->from);
        memcpy(head->msg_iov->iov_base, flying->bytes, flying->size);
        memcpy(head->msg_name, &from, sizeof from);
        messages[count].msg_len = (unsigned int)flying->size;
        end->first = (end->first + 1) % QUEUE;
        end->count--;
    }
    errno = EAGAIN;
    return count > 0 ? (int)count : -1;
}

/// A ban list of one entry: everybody but the player.
static net_reason_t allows(void *context, netaddr_t from) {
    (void)context;
    return play.is_banned && from.host != PLAYER_HOST ? NET_REASON_BANNED : NET_REASON_NONE;
}

/// Exempts the player's address from the limits per address, or the whole network.
static void set_exempt(bool all) {
    int32_t bits = all ? 8 : 32;
    play.exempt = (netranges_t){.count = 1, .list = {{PLAYER_HOST & Net_RangeMask(bits), bits}}};
}

/// Ends a drain after one batch, if the input says so.
static bool is_late(void *context) {
    (void)context;
    bool late = play.is_late;
    play.is_late = false;
    return late;
}

static transport_t *open_end(int32_t i, uint32_t host, int32_t max_peers) {
    err_t err = {""};
    end_t *end = &play.ends[i];
    enet_transport_config_t config = {
        .bind.host = host, .max_peers = max_peers, .is_server = i == SERVER, .log = &play.log};
    if (i == SERVER) {
        config.max_waiting = SERVER_SPARE_PEERS;
        config.max_peers_per_address = 3;
        config.exempt = &play.exempt;
        config.allows = allows;
        config.is_late = is_late;
    }
    transport_t *net = EnetTransport_Create(&config, &err);
    ASSERT(net);
    if (i == EVIL) {
        net->set_seal(net, NET_SEAL_OFF, NULL); // its datagrams are forged here
    }
    *end = (end_t){.fd = net->descriptor(net),
                   .address = {.host = host, .port = EnetTransport_Port(net)},
                   .queue = calloc(QUEUE, sizeof *end->queue)};
    ASSERT(end->queue);
    return net;
}

static void close_end(int32_t i, transport_t *net) {
    net->destroy(net);
    free(play.ends[i].queue);
    play.ends[i] = (end_t){.fd = -1};
}

// ---- the server and its player ----

static void start_map(void) {
    static const char entities[] =
        "{ \"classname\" \"worldspawn\" }\n"
        "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"0 0 40\" }\n";
    const test_map_t room = {.room = {{-300.0f, -300.0f, 0.0f}, {300.0f, 300.0f, 300.0f}},
                             .entities = entities};
    char path[64];
    err_t err = {""};
    play.map_file = TestMap_File(&room, path);
    if (!Server_StartMap(play.core, path, &err)) {
        fprintf(stderr, "fuzz_gate: %s\n", err.text);
        abort();
    }
}

static const ENetPeer *peer_of(const transport_t *client) {
    return ((const enet_transport_t *)client)->slots[0].peer;
}

/// Returns the server's peer for a client, or NULL.
static const ENetPeer *peer_at_server(const transport_t *client) {
    const ENetHost *host = ((const enet_transport_t *)play.net)->host;
    const ENetPeer *peer = peer_of(client);
    return peer && peer->outgoingPeerID < host->peerCount ? &host->peers[peer->outgoingPeerID]
                                                          : NULL;
}

static void write_header(uint8_t *bytes, const ENetPeer *peer) {
    Wire_WriteU16(bytes, 0x8000u | (uint32_t)peer->outgoingSessionID << 12 |
                             (peer->outgoingPeerID & WIRE_PEER_MASK));
}

/// ENet's queues of every peer, which decide how long a datagram can take.
static void check_queues(void) {
    const ENetHost *host = ((const enet_transport_t *)play.net)->host;
    for (size_t i = 0; i < host->peerCount; i++) {
        ENetPeer *peer = &host->peers[i];
        ASSERT(peer->totalWaitingData <= ENET_SERVER_WAITING_BYTES + MAX_REQUEST_BYTES);
        ASSERT(peer->incomingBandwidth == 0 || peer->state == ENET_PEER_STATE_DISCONNECTED);
        for (size_t k = 0; k < peer->channelCount; k++) {
            ASSERT(enet_list_empty(&peer->channels[k].incomingUnreliableCommands));
            size_t waiting = enet_list_size(&peer->channels[k].incomingReliableCommands);
            ASSERT(waiting <= FILTER_CLIENT_WINDOW);
        }
    }
}

static int64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void poll_server(void) {
    uint64_t sent = play.num_sent;
    int32_t waiting = play.ends[SERVER].count;
    int64_t start_ns = cpu_ns();
    Server_Drain(play.core, play.now_ms);
    bool ticks = play.now_ms >= play.tick_ms;
    if (ticks) {
        play.tick_ms = play.now_ms + Server_TickMs(play.core);
        Server_Tick(play.core, play.now_ms);
    }
    ASSERT(cpu_ns() - start_ns <= POLL_NS + waiting * (int64_t)DATAGRAM_NS);
    ASSERT(play.num_sent - sent <= 200 + 2 * (uint64_t)waiting);
    ASSERT(play.used_bytes == 0 || EnetMemory_Used() <= play.used_bytes + MAX_GROWTH);
    check_queues();
}

static void send_control(transport_t *net, const control_msg_t *msg) {
    uint8_t bytes[MAX_MESSAGE_BYTES];
    net->send(net, 0, NET_CHANNEL_CONTROL, true, bytes, CTL_Write(msg, bytes));
}

static void poll_player(void) {
    net_event_t event;
    for (play.player->poll(play.player, play.now_ms, &event); event.type != NET_NONE;
         play.player->poll(play.player, play.now_ms, &event)) {
        ASSERT(event.type != NET_LEFT);
        control_msg_t msg;
        err_t err;
        if (event.type == NET_CONNECTED) {
            msg = (control_msg_t){.type = CTL_HELLO};
            msg.u.hello.version = PROTO_VERSION;
            strlcpy(msg.u.hello.name, "player", sizeof msg.u.hello.name);
            send_control(play.player, &msg);
        } else if (event.channel == NET_CHANNEL_SNAPSHOT) {
            play.snapshots++;
        } else if (CTL_Read(&msg, false, event.data, event.size, &err) && msg.type == CTL_MAP) {
            ctl_ready_t ready = {.epoch = msg.u.map.epoch, .has_map = true};
            msg = (control_msg_t){.type = CTL_READY, .u.ready = ready};
            send_control(play.player, &msg);
        }
    }
}

static void pass_time(int32_t ms) {
    play.now_ms += ms;
    poll_server();
    poll_player();
}

static void start(void) {
    err_t err = {""};
    int32_t count = 0;
    play.now_ms = 100000;
    set_exempt(false);
    play.net = open_end(SERVER, PLAYER_HOST, 4 + SERVER_SPARE_PEERS);
    play.player = open_end(PLAYER, PLAYER_HOST, 1);
    play.evil = open_end(EVIL, EVIL_HOST, 1);
    server_config_t config = {.game = Game_Export(),
                              .net = play.net,
                              .exempt = &play.exempt,
                              .log = &play.log,
                              .max_clients = 4,
                              .max_edicts = 64,
                              .snapshot_ticks = 1,
                              .rates = {16000, 100000}, // the player acknowledges nothing
                              .idle_s = 300,
                              .seed = 1,
                              .hostname = "gate",
                              .map_path = "."};
    const cvar_def_t *defs = GameCvars_Defs(&count);
    Cvar_Reset(defs, count, &config.cvars);
    play.core = Server_Create(&config, &err);
    ASSERT(play.core);
    start_map();
    play.player->connect(play.player, play.ends[SERVER].address, &err);
    for (int32_t i = 0; i < 200 && play.snapshots < 10; i++) {
        pass_time(16);
    }
    ASSERT(play.snapshots >= 10);
}

static void stop(void) {
    Server_Destroy(play.core);
    close_end(EVIL, play.evil);
    close_end(PLAYER, play.player);
    close_end(SERVER, play.net);
    close(play.map_file);
    memset(&play, 0, sizeof play);
}

// ---- the attacker ----

typedef struct {
    const uint8_t *at, *end;
} bytes_t;

static uint8_t next(bytes_t *in) {
    return in->at < in->end ? *in->at++ : 0;
}

static const uint8_t *next_bytes(bytes_t *in, size_t *size) {
    size_t left = (size_t)(in->end - in->at);
    *size = *size < left ? *size : left;
    const uint8_t *at = in->at;
    in->at += *size;
    return at;
}

static void poll_evil(void) {
    net_event_t event;
    for (play.evil->poll(play.evil, play.now_ms, &event); event.type != NET_NONE;
         play.evil->poll(play.evil, play.now_ms, &event)) {
    }
}

/// Sends play.last from the attacker, with the header of its peer at the server.
static void send_last(void) {
    const ENetPeer *peer = peer_of(play.evil);
    if (peer && play.num_datagrams < MAX_DATAGRAMS && play.last_size >= 8) {
        play.num_datagrams++;
        write_header(play.last, peer);
        Wire_WriteU16(play.last + 2, (uint32_t)play.now_ms & 0xffffu);
        Udp_Seal(play.last, play.last_size, 4, peer->connectID);
        fly(play.ends[EVIL].address, &play.ends[SERVER], play.last, play.last_size);
    }
}

/// A datagram of equal commands with numbers that rise or fall.
static void send_series(bytes_t *in) {
    static const uint8_t sizes[16] = {4, 8, 48, 44, 8, 4, 6, 8, 24, 8, 12, 16, 24, 4, 4, 4};
    static const uint8_t lengths[16] = {0, 0, 0, 0, 0, 0, 4, 6, 6, 6, 0, 0, 6};
    const ENetPeer *there = peer_at_server(play.evil);
    uint8_t byte = next(in);
    uint8_t channel = next(in);
    uint32_t sequence = (uint32_t)next(in) << 8 | next(in);
    int32_t step = (int8_t)next(in);
    size_t length = lengths[byte & 15] ? next(in) : 0;
    int32_t count = next(in) % 40 + 1;
    bool is_relative = next(in) & 1;
    if (is_relative && there && channel < there->channelCount) {
        sequence += there->channels[channel].incomingReliableSequenceNumber;
    }
    play.last_size = 8;
    for (int32_t i = 0; i < count; i++) {
        uint8_t *at = play.last + play.last_size;
        size_t size = sizes[byte & 15] + length;
        if (play.last_size + size > 1400) {
            break;
        }
        memset(at, 0, size);
        at[0] = byte;
        at[1] = channel;
        Wire_WriteU16(at + 2, (uint32_t)((int32_t)sequence + i * step) & 0xffffu);
        if (lengths[byte & 15]) {
            Wire_WriteU16(at + lengths[byte & 15], (uint32_t)length);
        }
        play.last_size += size;
    }
    send_last();
}

static void send_raw(bytes_t *in) {
    size_t size = (size_t)next(in) << 2;
    const uint8_t *bytes = next_bytes(in, &size);
    memcpy(play.last + 8, bytes, size);
    play.last_size = size + 8;
    send_last();
}

/// A datagram as it is, of nobody; as a CONNECT with the right cookie if it is long enough.
static void send_strange(bytes_t *in) {
    uint8_t flags = next(in);
    size_t size = next(in);
    const uint8_t *from = next_bytes(in, &size);
    uint8_t bytes[256];
    netaddr_t address = {.host = STRANGER, .port = (uint16_t)(4000 + (flags >> 4))};
    memcpy(bytes, from, size);
    if ((flags & 1) && size >= 8 + WIRE_CONNECT_BYTES) {
        const guard_t *guard = &((const enet_transport_t *)play.net)->guard;
        bytes[0] = 0x8f;
        bytes[1] = 0xff;
        bytes[8] = WIRE_CONNECT_COMMAND;
        Wire_WriteU32(bytes + 8 + WIRE_CONNECT_DATA_AT,
                      Guard_Cookie(guard, STRANGER, play.now_ms / GUARD_EPOCH_MS));
        Udp_Seal(bytes, size, 4, 0);
    }
    play.num_datagrams++;
    fly(address, &play.ends[SERVER], bytes, size);
}

/// Sends commands of the input as a datagram of `peer`: header, connectID and checksum are right.
static void send_as(bytes_t *in, const ENetPeer *peer, uint8_t flags, int32_t from, int32_t to) {
    size_t size = next(in);
    const uint8_t *commands = next_bytes(in, &size);
    uint8_t bytes[8 + 256] = {0};
    write_header(bytes, peer);
    memcpy(bytes + 8, commands, size);
    Udp_Seal(bytes, size + 8, 4, peer->connectID);
    bytes[0] |= flags;
    play.num_datagrams++;
    fly(play.ends[from].address, &play.ends[to], bytes, size + 8);
}

/// Sends what a watcher of the wire can send into the player's sealed session.
static void send_forged(bytes_t *in) {
    uint8_t flags = next(in), to_server = flags & 1;
    send_as(in, to_server ? peer_of(play.player) : peer_at_server(play.player),
            flags & 2 ? 0x40 : 0, to_server ? PLAYER : SERVER, to_server ? SERVER : PLAYER);
}

static void send_message(bytes_t *in) {
    uint8_t flags = next(in);
    size_t size = next(in);
    const uint8_t *bytes = next_bytes(in, &size);
    control_msg_t msg = {.type = CTL_HELLO};
    if (flags & 0x80) {
        msg.u.hello.version = PROTO_VERSION;
        strlcpy(msg.u.hello.name, "evil", sizeof msg.u.hello.name);
        send_control(play.evil, &msg);
    } else {
        play.evil->send(play.evil, 0, flags % 3, flags & 4, bytes, size);
    }
    play.evil->flush(play.evil);
}

static void step(bytes_t *in) {
    uint8_t kind = next(in);
    if (kind >= EXEMPT_SWITCH) {
        set_exempt(play.exempt.list[0].bits == 32);
        return;
    }
    if (kind >= FIRST_SWITCH) {
        *(kind % 2 ? &play.is_banned : &play.is_late) ^= true;
        return;
    }
    switch (kind >= FIRST_FORGED ? 10 : kind % 10) {
    case 10:
        send_forged(in);
        break;
    case 0:
        send_raw(in);
        break;
    case 1:
        send_series(in);
        break;
    case 2:
        for (int32_t i = next(in); i > 0; i--) {
            send_last();
        }
        break;
    case 3:
        for (int32_t i = next(in) % 8 + 1; i > 0; i--) {
            pass_time(16);
        }
        break;
    case 4:
        poll_evil();
        break;
    case 5:
        send_message(in);
        break;
    case 6: {
        const flying_t *kept = &play.recorded[next(in) % RECORDED];
        for (int32_t i = next(in) % 32 + 1; i > 0 && kept->size > 0; i--) {
            play.num_datagrams++;
            fly(play.ends[EVIL].address, &play.ends[SERVER], kept->bytes, kept->size);
        }
        break;
    }
    case 7:
        send_strange(in);
        break;
    case 8:
        if (peer_at_server(play.evil)) { // the server's bytes to the attacker are hostile, too
            send_as(in, peer_at_server(play.evil), 0, SERVER, EVIL);
        }
        break;
    default:
        pass_time(next(in) * 8);
    }
}

static void join_evil(void) {
    err_t err;
    poll_evil();
    if (play.evil->connect(play.evil, play.ends[SERVER].address, &err) < 0) {
        return;
    }
    for (int32_t i = 0; i < 4; i++) {
        poll_evil();
        pass_time(2);
    }
}

/// Ends every connection but the player's, and checks that nothing of it stays.
static void end_evil(void) {
    play.is_banned = play.is_late = false;
    set_exempt(false);
    const enet_transport_t *net = (const enet_transport_t *)play.net;
    for (int32_t i = 0; i < net->max_peers; i++) {
        if (net->slots[i].state == SLOT_CONNECTED && net->slots[i].address.host != PLAYER_HOST) {
            play.net->drop(play.net, i, NET_REASON_KICKED);
        }
    }
    play.evil->drop(play.evil, 0, NET_REASON_LEFT);
    int32_t snapshots = play.snapshots;
    for (int32_t i = 0; i < 5; i++) {
        poll_evil();
        pass_time(16);
    }
    ASSERT(play.snapshots >= snapshots + 4);
    for (int32_t i = 0; i < 10; i++) {
        poll_evil();
        pass_time(400); // half-open connections end after 3 s
    }
    ASSERT(EnetTransport_SlotsUsed(play.net) == 1);
    ASSERT(play.used_bytes == 0 || EnetMemory_Used() <= play.used_bytes + 4096);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bytes_t in = {data, data + size};
    if (!play.core) {
        start();
    }
    join_evil();
    for (int32_t i = 0; i < MAX_STEPS && in.at < in.end; i++) {
        step(&in);
    }
    pass_time(16);
    end_evil();
    play.used_bytes = play.used_bytes ? play.used_bytes : EnetMemory_Used();
    play.num_datagrams = 0;
    if (++play.runs == RUNS_PER_SERVER) {
        stop();
    }
    return 0;
}
