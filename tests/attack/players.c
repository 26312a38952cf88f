/// attack/players.c - honest players on the real client library, and what they notice.
//
// usage: players PORT COUNT ADDRESS SECONDS [DELAY_MS [WORD]...]
// They leave at the end, or on SIGTERM.
//   spread        Each player has the next address.
//   mixed         Each second player does not seal its session.
//   again         A lost player joins again, from the next address with the next token.
//   key=KEY       The public key of the server.
//   tokens=FILE   A line for each player: its token or ticket.
// Prints, with times in ms of the monotonic clock:
//   joined INDEX TIME AFTER_MS         the first snapshot, since the start of the join
//   seen INDEX TIME SNAPSHOTS GAP_MS RTT_MS TEXTS FILLED_MS    every 50 ms
//                                 GAP_MS: longest gap since the last line
//                                 FILLED_MS: total time for which the server had no usercmd
//   lost INDEX TIME REASON             dropped, or could not join

#include "base/limits.h"
#include "edict/client.h"
#include "net/enet_transport.h"
#include "net/paseto.h"
#include "net/transport.h"
#include "state/player_state.h"
#include "state/usercmd.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_PLAYERS 1024
#define MAX_TOKENS  256
#define REPORT_MS   50
#define FRAME_MS    4
#define GOODBYE_MS  20 // in which a lost player confirms its end

static volatile sig_atomic_t stopped;

static void on_signal(int number) {
    stopped = number;
}

typedef struct {
    netaddr_t server, own; ///< `own`: address of the next player
    int delay_ms;          ///< of the network in each direction
    bool spread, mixed, again;
    const char *key;
    int num_tokens, next_token;
    char tokens[MAX_TOKENS][PASETO_BYTES + 1];
    int64_t start_ms, end_ms;
} plan_t;

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

static bool set_keys(plan_t *plan, const player_t *player, int index, err_t *err) {
    if (plan->mixed && index % 2) {
        return CL_SetSeal(player->cl, NET_SEAL_OFF, NULL, err);
    }
    return (!plan->key || CL_SetSeal(player->cl, NET_SEAL_REQUIRED, plan->key, err)) &&
           (plan->num_tokens == 0 ||
            CL_SetToken(player->cl, plan->tokens[plan->next_token++ % plan->num_tokens], err));
}

static bool start(plan_t *plan, player_t *player, int index) {
    err_t err = {""};
    char name[32];
    const impair_conditions_t slow = {.seed = (uint64_t)index + 1, .delay_ms = plan->delay_ms};
    const enet_transport_config_t config = {
        .bind = plan->own, .max_peers = 1, .impair = plan->delay_ms > 0 ? &slow : NULL};
    snprintf(name, sizeof name, "player%d", index);
    *player = (player_t){.net = EnetTransport_Create(&config, &err)};
    player->cl =
        player->net ? CL_Create(&(cl_config_t){.net = player->net, .no_reconnect = true}) : NULL;
    if (!player->cl || !set_keys(plan, player, index, &err) ||
        !CL_Connect(player->cl, plan->server, name, false, &err)) {
        fprintf(stderr, "players: %s\n", err.text);
        return false;
    }
    plan->own.host += plan->spread ? 1 : 0;
    return true;
}

static void end(player_t *player) {
    CL_Destroy(player->cl);
    player->net->destroy(player->net);
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
            player->last_ms = now_ms;
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

// Returns false if the player could not start again.
static bool step(plan_t *plan, player_t *player, int index) {
    int64_t now_ms = clock_ms();
    if (player->over && plan->again && now_ms >= player->last_ms + GOODBYE_MS) {
        end(player);
        return start(plan, player, index);
    }
    CL_Frame(player->cl, now_ms);
    take_events(player, index, now_ms);
    if (!player->over) {
        move(player, index, now_ms);
        report(player, index, now_ms, plan->start_ms);
    }
    return true;
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

static bool read_tokens(plan_t *plan, const char *path) {
    FILE *file = fopen(path, "r");
    while (file && plan->num_tokens < MAX_TOKENS &&
           fgets(plan->tokens[plan->num_tokens], sizeof plan->tokens[0], file)) {
        plan->tokens[plan->num_tokens][strcspn(plan->tokens[plan->num_tokens], "\n")] = '\0';
        plan->num_tokens++;
    }
    return file && fclose(file) == 0 && plan->num_tokens > 0;
}

static bool read_word(plan_t *plan, const char *word) {
    plan->spread |= strcmp(word, "spread") == 0;
    plan->mixed |= strcmp(word, "mixed") == 0;
    plan->again |= strcmp(word, "again") == 0;
    plan->key = strncmp(word, "key=", 4) == 0 ? word + 4 : plan->key;
    return strncmp(word, "tokens=", 7) != 0 || read_tokens(plan, word + 7);
}

static bool read_arguments(plan_t *plan, int argc, char **argv, int *count) {
    err_t err = {""};
    *count = argc > 4 ? atoi(argv[2]) : 0;
    if (*count < 1 || *count > MAX_PLAYERS || !Net_ParseAddress(argv[3], 0, &plan->own, &err)) {
        return false;
    }
    plan->server = (netaddr_t){.host = 0x7f000001u, .port = (uint16_t)atoi(argv[1])};
    plan->delay_ms = argc > 5 ? atoi(argv[5]) : 0;
    plan->start_ms = clock_ms();
    plan->end_ms = plan->start_ms + (int64_t)(1000.0 * atof(argv[4]));
    for (int i = 6; i < argc; i++) {
        if (!read_word(plan, argv[i])) {
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    static player_t list[MAX_PLAYERS];
    static plan_t plan;
    struct pollfd fds[MAX_PLAYERS];
    int count = 0;
    if (!read_arguments(&plan, argc, argv, &count)) {
        fputs("usage: players PORT COUNT ADDRESS SECONDS [DELAY_MS [spread] [mixed] [again] "
              "[key=KEY] [tokens=FILE]]\n",
              stderr);
        return 2;
    }
    signal(SIGTERM, on_signal);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < count; i++) {
        if (!start(&plan, &list[i], i)) {
            return 2;
        }
    }
    while (!stopped && clock_ms() < plan.end_ms) {
        for (int i = 0; i < count; i++) {
            fds[i] = (struct pollfd){.fd = list[i].net->descriptor(list[i].net), .events = POLLIN};
        }
        poll(fds, (nfds_t)count, FRAME_MS);
        for (int i = 0; i < count; i++) {
            if (!step(&plan, &list[i], i)) {
                return 2;
            }
        }
    }
    leave(list, count, plan.delay_ms);
    return 0;
}
