// A bare ENet echo and its clients, for load.py: the least that a server on ENet can cost.
//
// usage: echo serve                 prints its port; each tick, answers every client
//        echo load PORT N SECONDS   N clients that send in every tick

#include <arpa/inet.h>
#include <enet/enet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TICK_NS    16000000L
#define STEPS      32  // moments of a tick at which clients send
#define UP_BYTES   60  // a packet of commands
#define DOWN_BYTES 200 // a snapshot
#define MAX_COUNT  1024

static void sleep_until(struct timespec *due, long step_ns) {
    due->tv_nsec += step_ns;
    due->tv_sec += due->tv_nsec / 1000000000;
    due->tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, due, NULL);
}

static void send_to(ENetPeer *peer, size_t size) {
    static const unsigned char bytes[DOWN_BYTES];
    ENetPacket *packet = enet_packet_create(bytes, size, 0);
    if (enet_peer_send(peer, 0, packet) != 0) {
        enet_packet_destroy(packet);
    }
}

static int drain(ENetHost *host) {
    ENetEvent event;
    int count = 0;
    while (enet_host_service(host, &event, 0) > 0) {
        if (event.type == ENET_EVENT_TYPE_RECEIVE) {
            enet_packet_destroy(event.packet);
            count++;
        }
    }
    return count;
}

static int serve(void) {
    ENetAddress at = {.host = htonl(INADDR_LOOPBACK)};
    ENetHost *host = enet_host_create(&at, MAX_COUNT, 1, 0, 0);
    struct timespec due;
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    if (!host || getsockname(host->socket, (struct sockaddr *)&bound, &size) != 0) {
        return 1;
    }
    printf("%d\n", ntohs(bound.sin_port));
    fflush(stdout);
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (;;) { // until a signal
        sleep_until(&due, TICK_NS);
        drain(host);
        for (size_t i = 0; i < host->peerCount; i++) {
            if (host->peers[i].state == ENET_PEER_STATE_CONNECTED) {
                send_to(&host->peers[i], DOWN_BYTES);
            }
        }
        enet_host_flush(host);
    }
}

static int load(unsigned port, int count, int seconds) {
    static ENetHost *hosts[MAX_COUNT];
    ENetAddress to = {.host = htonl(INADDR_LOOPBACK), .port = (enet_uint16)port};
    struct timespec due;
    long long received = 0;
    for (int i = 0; i < count; i++) {
        hosts[i] = enet_host_create(NULL, 1, 1, 0, 0);
        if (!hosts[i] || !enet_host_connect(hosts[i], &to, 1, 0)) {
            return 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (int step = 0; step < seconds * 1000 / 16 * STEPS; step++) {
        sleep_until(&due, TICK_NS / STEPS);
        for (int i = step % STEPS; i < count; i += STEPS) {
            if (hosts[i]->peers[0].state == ENET_PEER_STATE_CONNECTED) {
                send_to(&hosts[i]->peers[0], UP_BYTES);
            }
            received += drain(hosts[i]);
        }
    }
    printf("%.1f\n", (double)received / count / seconds);
    return 0;
}

int main(int argc, char **argv) {
    if (enet_initialize() != 0) {
        return 1;
    }
    if (argc == 2 && strcmp(argv[1], "serve") == 0) {
        return serve();
    }
    int count = argc == 5 ? atoi(argv[3]) : 0;
    if (count < 1 || count > MAX_COUNT) {
        fprintf(stderr, "usage: echo serve | echo load PORT N SECONDS\n");
        return 2;
    }
    return load((unsigned)atoi(argv[2]), count, atoi(argv[4]));
}
