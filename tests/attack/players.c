/// attack/players.c - honest players on the real client library, and what they notice.
//
// usage: players PORT COUNT ADDRESS SECONDS [DELAY_MS [spread]]
// `spread` gives each player the next address. They leave at the end, or on SIGTERM.
// Prints, with times in ms of the monotonic clock:
//   joined INDEX TIME AFTER_MS         the first snapshot, since the start of the join
//   seen INDEX TIME SNAPSHOTS GAP_MS RTT_MS TEXTS FILLED_MS    every 50 ms
//                                 GAP_MS: longest gap since the last line
//                                 FILLED_MS: total time for which the server had no usercmd
//   lost INDEX TIME REASON             dropped, or could not join

#include "client/client.h"
#include "net/enet_transport.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_PLAYERS 64
#define REPORT_MS   50
#define FRAME_MS    4

static volatile sig_atomic_t stopped;

static void on_signal(int number) {
    stopped = number;
}

typedef struct {
    transport_t *net;
    cl_t *cl;
    bool joined, over;
    uint64_t snapshots, chat;
    int64_t last_ms, gap_ms, report_ms;
} player_t;

static int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// `delay_ms`: of the network in each direction.
static bool start(player_t *player, int index, netaddr_t server, netaddr_t own, int delay_ms) {
    err_t err = {""};
    char name[32];
    const impair_conditions_t slow = {.seed = (uint64_t)index + 1, .delay_ms = delay_ms};
    const enet_transport_config_t config = {
        .bind = own, .max_peers = 1, .impair = delay_ms > 0 ? &slow : NULL};
    snprintf(name, sizeof name, "player%d", index);
    player->net = EnetTransport_Create(&config, &err);
    player->cl = player->net ? CL_Create(&(cl_config_t){.net = player->net}) : NULL;
    if (!player->cl || !CL_Connect(player->cl, server, name, false, &err)) {
        fprintf(stderr, "players: %s\n", err.text);
        return false;
    }
    return true;
}

static void move(player_t *player, int index, int64_t now_ms) {
    CL_SetInput(player->cl, &(cl_input_t){.forward = 320.0f,
                                          .yaw = (float)((now_ms / 700 * 97 + index * 45) % 360),
                                          .buttons = now_ms / 300 % 4 == 0 ? BUTTON_JUMP : 0});
}

static void take_events(player_t *player, int index, int64_t now_ms) {
    cl_event_t event;
    while (CL_NextEvent(player->cl, &event)) {
        player->chat += event.type == CL_EVENT_CHAT || event.type == CL_EVENT_PRINT;
        if (event.type == CL_EVENT_DROPPED) {
            printf("lost %d %lld %s\n", index, (long long)now_ms, event.text);
            player->over = true;
        }
    }
}

static void report(player_t *player, int index, int64_t now_ms, int64_t start_ms) {
    cl_stats_t stats;
    CL_Stats(player->cl, &stats);
    if (stats.snapshots == player->snapshots) {
        return;
    }
    if (!player->joined && CL_State(player->cl) == CL_ACTIVE) {
        player->joined = true;
        printf("joined %d %lld %lld\n", index, (long long)now_ms, (long long)(now_ms - start_ms));
        player->last_ms = now_ms;
    }
    int64_t gap_ms = now_ms - player->last_ms;
    player->gap_ms = gap_ms > player->gap_ms ? gap_ms : player->gap_ms;
    player->last_ms = now_ms;
    player->snapshots = stats.snapshots;
    if (player->joined && now_ms >= player->report_ms) {
        printf("seen %d %lld %llu %lld %d %llu %llu\n", index, (long long)now_ms,
               (unsigned long long)stats.snapshots, (long long)player->gap_ms, stats.rtt_ms,
               (unsigned long long)player->chat, (unsigned long long)stats.filled_ms);
        player->report_ms = now_ms + REPORT_MS;
        player->gap_ms = 0;
    }
}

static void step(player_t *player, int index, int64_t start_ms) {
    int64_t now_ms = clock_ms();
    if (player->over) {
        return;
    }
    CL_Frame(player->cl, now_ms);
    take_events(player, index, now_ms);
    if (!player->over) {
        move(player, index, now_ms);
        report(player, index, now_ms, start_ms);
    }
}

/// Says goodbye, and answers for as long as that takes on a network of this delay.
static void leave(player_t *list, int count, int delay_ms) {
    for (int turn = 0; turn < 10 + delay_ms / 2; turn++) {
        for (int i = 0; i < count; i++) {
            if (turn == 0) {
                CL_Disconnect(list[i].cl);
            }
            CL_Frame(list[i].cl, clock_ms());
        }
        poll(NULL, 0, 10);
    }
}

int main(int argc, char **argv) {
    static player_t list[MAX_PLAYERS];
    struct pollfd fds[MAX_PLAYERS];
    netaddr_t own, server = {.host = 0x7f000001u};
    err_t err = {""};
    int count = argc > 4 ? atoi(argv[2]) : 0;
    if (count < 1 || count > MAX_PLAYERS || !Net_ParseAddress(argv[3], 0, &own, &err)) {
        fprintf(stderr, "usage: players PORT COUNT ADDRESS SECONDS [DELAY_MS [spread]]\n%s\n",
                err.text);
        return 2;
    }
    server.port = (uint16_t)atoi(argv[1]);
    int delay_ms = argc > 5 ? atoi(argv[5]) : 0;
    int64_t start_ms = clock_ms(), end_ms = start_ms + (int64_t)(1000.0 * atof(argv[4]));
    signal(SIGTERM, on_signal);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < count; i++) {
        if (!start(&list[i], i, server, own, delay_ms)) {
            return 2;
        }
        fds[i] = (struct pollfd){.fd = list[i].net->descriptor(list[i].net), .events = POLLIN};
        own.host += argc > 6 ? 1 : 0;
    }
    while (!stopped && clock_ms() < end_ms) {
        poll(fds, (nfds_t)count, FRAME_MS);
        for (int i = 0; i < count; i++) {
            step(&list[i], i, start_ms);
        }
    }
    leave(list, count, delay_ms);
    return 0;
}
