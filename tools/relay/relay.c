#include "relay/relay.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_DATAGRAM  65536
#define MAX_COPIES    (2 * MAX_DATAGRAM + 1024) // memory of a datagram and its duplicate
#define DRAIN_LIMIT   256                       // datagrams read from one socket per step
#define MAX_WAIT_MS   1000
#define SOCKET_BUFFER (1 << 20) // bytes; a server may send to many clients at once

typedef struct {
    netaddr_t address;
    int fd; ///< connected to the target; -1 = a free slot
    int64_t heard_ms;
    impair_t *paths[RELAY_DIRECTIONS];
} client_t;

struct relay_s {
    relay_config_t config;
    int listener;
    client_t clients[RELAY_MAX_CLIENTS];
    relay_stats_t stats; ///< without the fates of current clients
    uint8_t buffer[MAX_DATAGRAM];
};

static struct sockaddr_in to_socket(netaddr_t address) {
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons(address.port),
                                .sin_addr.s_addr = htonl(address.host)};
}

static int open_socket(void) {
    const int bytes = SOCKET_BUFFER;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0) { // the system may grant less
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    }
    return fd;
}

// Returns true if a host is this machine: a socket can be bound to its address.
static bool is_own_host(uint32_t host) {
    const struct sockaddr_in address = to_socket((netaddr_t){.host = host});
    int fd = open_socket();
    bool is_own = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0) {
        close(fd);
    }
    return is_own;
}

// Returns true if the listener receives what the relay sends to its target.
static bool is_loop(const relay_t *relay) {
    const netaddr_t listen = relay->config.listen, target = relay->config.target;
    const uint32_t host = target.host != 0 ? target.host : INADDR_LOOPBACK; // as the kernel does
    return target.port == Relay_Port(relay) &&
           (host == listen.host || (listen.host == 0 && is_own_host(host)));
}

relay_t *Relay_Create(const relay_config_t *config, err_t *err) {
    net_conditions_t conditions;
    if (!Net_Conditions(config->network, config->seed, &conditions, err)) {
        return NULL;
    }
    relay_t *relay = calloc(1, sizeof *relay);
    if (!relay) {
        Err_Set(err, "out of memory");
        return NULL;
    }
    relay->config = *config;
    for (int32_t i = 0; i < RELAY_MAX_CLIENTS; i++) {
        relay->clients[i].fd = -1;
    }
    const struct sockaddr_in address = to_socket(config->listen);
    relay->listener = open_socket();
    if (relay->listener < 0 ||
        bind(relay->listener, (const struct sockaddr *)&address, sizeof address) != 0) {
        char text[32];
        Net_FormatAddress(config->listen, text, sizeof text);
        Err_Set(err, "-l %s: %s", text, strerror(errno));
        Relay_Destroy(relay);
        return NULL;
    }
    if (is_loop(relay)) {
        Err_Set(err, "-t: the relay itself listens at port %u; expected the address of a server",
                config->target.port);
        Relay_Destroy(relay);
        return NULL;
    }
    return relay;
}

static void add_fate(impair_counters_t *sum, const impair_t *impair) {
    impair_counters_t more = Impair_Counters(impair);
    sum->taken += more.taken;
    sum->lost += more.lost;
    sum->duplicated += more.duplicated;
    sum->reordered += more.reordered;
    sum->jammed += more.jammed;
    sum->overflowed += more.overflowed;
}

static void close_client(relay_t *relay, client_t *client) {
    for (int32_t path = 0; path < RELAY_DIRECTIONS; path++) {
        if (client->paths[path]) {
            add_fate(&relay->stats.directions[path].fate, client->paths[path]);
            relay->stats.waiting_bytes -= Impair_Bytes(client->paths[path]);
            Impair_Destroy(client->paths[path]);
        }
    }
    if (client->fd >= 0) {
        close(client->fd);
    }
    *client = (client_t){.fd = -1};
}

void Relay_Destroy(relay_t *relay) {
    if (relay) {
        for (int32_t i = 0; i < RELAY_MAX_CLIENTS; i++) {
            close_client(relay, &relay->clients[i]);
        }
        if (relay->listener >= 0) {
            close(relay->listener);
        }
        free(relay);
    }
}

uint16_t Relay_Port(const relay_t *relay) {
    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;
    (void)getsockname(relay->listener, (struct sockaddr *)&address, &size);
    return ntohs(address.sin_port);
}

// Returns a free slot, or that of the client that was silent for the longest time.
static client_t *free_slot(relay_t *relay) {
    client_t *oldest = &relay->clients[0];
    for (int32_t i = 0; i < RELAY_MAX_CLIENTS; i++) {
        client_t *client = &relay->clients[i];
        if (client->fd < 0) {
            return client;
        }
        oldest = client->heard_ms < oldest->heard_ms ? client : oldest;
    }
    close_client(relay, oldest);
    relay->stats.evicted++;
    return oldest;
}

// Returns the slot of an address. A new address opens one. Returns NULL without memory or sockets.
static client_t *find_client(relay_t *relay, netaddr_t address) {
    for (int32_t i = 0; i < RELAY_MAX_CLIENTS; i++) {
        client_t *client = &relay->clients[i];
        if (client->fd >= 0 && client->address.host == address.host &&
            client->address.port == address.port) {
            return client;
        }
    }
    err_t err;
    net_conditions_t conditions;
    const relay_config_t *config = &relay->config;
    const struct sockaddr_in target = to_socket(config->target);
    client_t *client = free_slot(relay);
    (void)Net_Conditions(config->network, config->seed + ++relay->stats.num_clients, &conditions,
                         &err); // Relay_Create has checked the text
    *client = (client_t){.address = address, .fd = open_socket()};
    client->paths[RELAY_UP] = Impair_Create(&conditions.up);
    client->paths[RELAY_DOWN] = Impair_Create(&conditions.down);
    if (client->fd < 0 || !client->paths[RELAY_UP] || !client->paths[RELAY_DOWN] ||
        connect(client->fd, (const struct sockaddr *)&target, sizeof target) != 0) {
        close_client(relay, client);
        return NULL;
    }
    return client;
}

// Gives a received datagram to the model.
static void push(relay_t *relay, client_t *client, int32_t path, int64_t now_ms, size_t size) {
    relay_counters_t *counters = &relay->stats.directions[path];
    counters->bytes += size;
    if (!client || relay->stats.waiting_bytes + MAX_COPIES > RELAY_MAX_BYTES) {
        counters->unsent++;
        return;
    }
    size_t before = Impair_Bytes(client->paths[path]);
    Impair_Push(client->paths[path], now_ms, client->address, relay->buffer, size);
    relay->stats.waiting_bytes += Impair_Bytes(client->paths[path]) - before;
}

static void receive_from_clients(relay_t *relay, int64_t now_ms) {
    for (int32_t i = 0; i < DRAIN_LIMIT; i++) {
        struct sockaddr_in from = {0};
        socklen_t length = sizeof from;
        ssize_t size = recvfrom(relay->listener, relay->buffer, sizeof relay->buffer, 0,
                                (struct sockaddr *)&from, &length);
        if (size < 0) {
            return;
        }
        netaddr_t address = {.host = ntohl(from.sin_addr.s_addr), .port = ntohs(from.sin_port)};
        client_t *client = find_client(relay, address);
        if (client) {
            client->heard_ms = now_ms;
        }
        push(relay, client, RELAY_UP, now_ms, (size_t)size);
    }
}

static void receive_from_server(relay_t *relay, client_t *client, int64_t now_ms) {
    for (int32_t i = 0; i < DRAIN_LIMIT; i++) {
        ssize_t size = recv(client->fd, relay->buffer, sizeof relay->buffer, 0);
        if (size < 0) {
            return; // nothing left, or no server there
        }
        push(relay, client, RELAY_DOWN, now_ms, (size_t)size);
    }
}

// Sends the datagrams of one direction that are due.
static void send_due(relay_t *relay, client_t *client, int32_t path, int64_t now_ms) {
    relay_counters_t *counters = &relay->stats.directions[path];
    const struct sockaddr_in to = to_socket(client->address);
    const size_t before = Impair_Bytes(client->paths[path]);
    bool is_up = path == RELAY_UP;
    for (const impair_datagram_t *due; (due = Impair_Pop(client->paths[path], now_ms)) != NULL;) {
        ssize_t sent =
            sendto(is_up ? client->fd : relay->listener, due->data, due->size, MSG_NOSIGNAL,
                   is_up ? NULL : (const struct sockaddr *)&to, is_up ? 0 : (socklen_t)sizeof to);
        counters->delivered += sent >= 0;
        counters->unsent += sent < 0;
    }
    relay->stats.waiting_bytes -= before - Impair_Bytes(client->paths[path]);
}

void Relay_Step(relay_t *relay, int64_t now_ms) {
    receive_from_clients(relay, now_ms);
    for (int32_t i = 0; i < RELAY_MAX_CLIENTS; i++) {
        client_t *client = &relay->clients[i];
        if (client->fd >= 0) {
            receive_from_server(relay, client, now_ms);
            send_due(relay, client, RELAY_UP, now_ms);
            send_due(relay, client, RELAY_DOWN, now_ms);
        }
    }
}

nfds_t Relay_PollFds(const relay_t *relay, struct pollfd *fds) {
    nfds_t count = 0;
    fds[count++] = (struct pollfd){.fd = relay->listener, .events = POLLIN};
    for (int32_t i = 0; i < RELAY_MAX_CLIENTS; i++) {
        if (relay->clients[i].fd >= 0) {
            fds[count++] = (struct pollfd){.fd = relay->clients[i].fd, .events = POLLIN};
        }
    }
    return count;
}

int32_t Relay_PatienceMs(const relay_t *relay, int64_t now_ms) {
    int64_t next_ms = now_ms + MAX_WAIT_MS;
    for (int32_t i = 0; i < RELAY_MAX_CLIENTS; i++) {
        for (int32_t path = 0; relay->clients[i].fd >= 0 && path < RELAY_DIRECTIONS; path++) {
            int64_t due_ms = Impair_NextMs(relay->clients[i].paths[path]);
            next_ms = due_ms < next_ms ? due_ms : next_ms;
        }
    }
    return next_ms > now_ms ? (int32_t)(next_ms - now_ms) : 0;
}

relay_stats_t Relay_Stats(const relay_t *relay) {
    relay_stats_t stats = relay->stats;
    for (int32_t i = 0; i < RELAY_MAX_CLIENTS; i++) {
        const client_t *client = &relay->clients[i];
        for (int32_t path = 0; client->fd >= 0 && path < RELAY_DIRECTIONS; path++) {
            add_fate(&stats.directions[path].fate, client->paths[path]);
        }
        stats.clients += client->fd >= 0;
    }
    return stats;
}
