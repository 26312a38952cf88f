#include "ops/bots.h"

#include "ops/install_paths.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define UPDATE_MS    250
#define LOOPBACK     0x7f000001u // 127.0.0.1
#define BOTS_ADDRESS 0x7f000002u // 127.0.0.2: source of the bots, so that it can be exempt alone

// ---- addresses ----

static bool is_loopback(uint32_t host) {
    return host >> 24 == 127;
}

// Returns the address that bots connect to.
static netaddr_t target_of(netaddr_t server) {
    server.host = server.host == 0 ? LOOPBACK : server.host;
    return server;
}

// Returns the address that bots send from. Only loopback addresses can be chosen.
static uint32_t source_of(netaddr_t server) {
    uint32_t host = target_of(server).host;
    return is_loopback(host) ? BOTS_ADDRESS : host;
}

// Adds the bots' address to those without limits per address. sv_proxies may have been set since.
static void exempt(netranges_t *proxies, uint32_t host) {
    if (!Net_IsExempt(proxies, host) && proxies->count < NET_MAX_RANGES) {
        proxies->list[proxies->count++] = (netrange_t){host, 32};
    }
}

// ---- starting ----

void Bots_Setup(bots_t *bots, const console_t *console, const run_user_t *user, uint16_t port) {
    starter_setup_t setup = {.user = *user};
    uint8_t key[BOTS_KEY_BYTES];
    netaddr_t server;
    if (!Install_Bot(console->host.sv_botscript, setup.program, setup.script)) {
        snprintf(bots->fault, sizeof bots->fault,
                 "expected edict-bot beside edictd, and the script examples/fighter.lua or "
                 "sv_botscript");
        return;
    }
    if (!Net_ParseAddress(console->host.net_ip, port, &server, NULL)) {
        return; // not possible: the server listens there
    }
    Net_FormatAddress(target_of(server), setup.to, sizeof setup.to);
    Net_FormatAddress((netaddr_t){.host = source_of(server)}, setup.from, sizeof setup.from);
    *(strchr(setup.from, ':') ? strchr(setup.from, ':') : setup.from) = '\0';
    randombytes_buf(key, sizeof key);
    sodium_bin2hex(setup.password, sizeof setup.password, key, sizeof key);
    if (!Starter_Setup(&bots->starter, &setup)) {
        snprintf(bots->fault, sizeof bots->fault, "the process that starts them is not there");
        return;
    }
    Server_SetBotPassword(console->server, setup.password);
}

// Writes the folders of sv_mappath that exist, because edict-bot refuses others.
static void existing_folders(const char *folders, char *list, size_t size) {
    char copy[CVAR_STRING_BYTES];
    struct stat info;
    list[0] = '\0';
    strlcpy(copy, folders, sizeof copy);
    for (char *rest = copy, *name; (name = strsep(&rest, ":"));) {
        if (*name && stat(name, &info) == 0 && S_ISDIR(info.st_mode)) {
            strlcat(list, list[0] ? ":" : "", size);
            strlcat(list, name, size);
        }
    }
}

static bool start_bot(bots_t *bots, const console_t *console, int64_t now_ms) {
    starter_order_t order = {.what = STARTER_START, .seed = (int32_t)(now_ms & INT32_MAX)};
    while (order.index < MAX_BOTS && bots->list[order.index].started_ms != 0) {
        order.index++;
    }
    if (order.index == MAX_BOTS) {
        return true; // some are still leaving
    }
    existing_folders(console->host.sv_mappath, order.folders, sizeof order.folders);
    if (bots->fault[0] != '\0' || !Starter_Send(&bots->starter, &order)) {
        return false;
    }
    bots->list[order.index] = (bot_child_t){.started_ms = now_ms};
    bots->is_used = true;
    return true;
}

// ---- ending ----

// Waits longer before the next start, after a bot ended by itself or could not be started.
static void back_off(bots_t *bots, const log_t *log, const char *what, const char *why,
                     int64_t now_ms) {
    int64_t wait_ms = (int64_t)BOTS_RETRY_MS << Q_MinI(bots->failures++, 6);
    bots->retry_ms = now_ms + (wait_ms < BOTS_RETRY_MOST ? wait_ms : BOTS_RETRY_MOST);
    Log_Print(log, LOG_WARN, "bots: %s: %s; the next one starts in %lld s", what,
              why[0] ? why : "no output", (long long)((bots->retry_ms - now_ms) / 1000));
}

static void describe_end(const starter_report_t *report, char *text, size_t size) {
    if (report->fault != 0) {
        snprintf(text, size, "cannot start a bot");
    } else if (WIFSIGNALED(report->status)) {
        snprintf(text, size, "a bot was ended by signal %d", WTERMSIG(report->status));
    } else {
        snprintf(text, size, "a bot ended with status %d", WEXITSTATUS(report->status));
    }
}

static int32_t num_playing(const bots_t *bots) {
    int32_t playing = 0;
    for (int32_t i = 0; i < MAX_BOTS; i++) {
        playing += bots->list[i].started_ms != 0 && bots->list[i].kill_ms == 0 ? 1 : 0;
    }
    return playing;
}

// Takes the bots that have ended off the list. Returns the number of those that play.
static int32_t remove_ended(bots_t *bots, const log_t *log, int32_t wanted, int64_t now_ms) {
    starter_report_t report, failed = {.fault = 0};
    bool has_failed = false;
    while (Starter_Read(&bots->starter, &report)) {
        bot_child_t *child = &bots->list[report.index];
        bool is_failure = child->kill_ms == 0;
        failed = is_failure ? report : failed;
        has_failed = has_failed || is_failure;
        bots->failures = now_ms - child->started_ms > BOTS_STABLE_MS ? 0 : bots->failures;
        *child = (bot_child_t){.started_ms = 0};
    }
    if (bots->starter.fd < 0) {
        memset(bots->list, 0, sizeof bots->list); // they ended with the process
    }
    for (int32_t i = 0; i < MAX_BOTS; i++) {
        if (bots->list[i].kill_ms != 0 && now_ms >= bots->list[i].kill_ms) {
            Starter_Send(&bots->starter, &(starter_order_t){.what = STARTER_KILL, .index = i});
        }
    }
    int32_t playing = num_playing(bots);
    if (has_failed && playing < wanted) { // otherwise a person took the slot of the bot
        char what[128];
        describe_end(&failed, what, sizeof what);
        back_off(bots, log, what, failed.reason, now_ms);
    }
    return playing;
}

static void dismiss(bots_t *bots, int32_t count, int64_t now_ms) {
    for (int32_t i = MAX_BOTS - 1; i >= 0 && count > 0; i--) {
        bot_child_t *child = &bots->list[i];
        if (child->started_ms != 0 && child->kill_ms == 0) {
            Starter_Send(&bots->starter, &(starter_order_t){.what = STARTER_END, .index = i});
            child->kill_ms = now_ms + BOTS_GRACE_MS;
            count--;
        }
    }
}

// ---- the whole ----

static int32_t num_wanted(const console_t *console) {
    int32_t playing = 0;
    int32_t people = Server_NumPeople(console->server, &playing);
    int32_t room = console->host.sv_maxclients - people;
    int32_t wanted = console->host.bots - playing;
    return Q_ClampI(wanted < room ? wanted : room, 0, MAX_BOTS);
}

void Bots_Update(bots_t *bots, console_t *console, int64_t now_ms) {
    netaddr_t server;
    if (now_ms < bots->update_ms || (!bots->is_used && console->host.bots == 0)) {
        return;
    }
    int32_t wanted = num_wanted(console);
    if (!bots->is_used && wanted == 0) {
        return;
    }
    bots->update_ms = now_ms + UPDATE_MS;
    int32_t playing = remove_ended(bots, console->log, wanted, now_ms);
    dismiss(bots, playing - wanted, now_ms);
    if (playing < wanted && now_ms >= bots->retry_ms &&
        Net_ParseAddress(console->host.net_ip, 0, &server, NULL)) {
        exempt(&console->proxies, source_of(server));
        if (!start_bot(bots, console, now_ms)) {
            back_off(bots, console->log, "cannot start a bot",
                     bots->fault[0] ? bots->fault : "the process that starts them has ended",
                     now_ms);
        }
    }
}

void Bots_Stop(bots_t *bots) {
    Starter_Close(&bots->starter);
}
