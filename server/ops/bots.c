#include "ops/bots.h"

#include "ops/install_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UPDATE_MS    250
#define NICE         5           // the server's ticks come first
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

static bool open_bots(bots_t *bots, const console_t *console) {
    uint8_t key[BOTS_KEY_BYTES];
    if (pipe2(bots->lifeline, O_CLOEXEC) != 0) {
        return false;
    }
    if (pipe2(bots->output, O_CLOEXEC) != 0) {
        close(bots->lifeline[0]);
        close(bots->lifeline[1]);
        return false;
    }
    fcntl(bots->output[0], F_SETFL, O_NONBLOCK);
    randombytes_buf(key, sizeof key);
    sodium_bin2hex(bots->password, sizeof bots->password, key, sizeof key);
    Server_SetBotPassword(console->server, bots->password);
    bots->is_open = true;
    return true;
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

// Runs a program with the pipes of the bots as its only files. Returns 0 or an errno.
static int run_child(const bots_t *bots, char *const *argv, pid_t *pid) {
    char password[64];
    char *environment[] = {password, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    snprintf(password, sizeof password, "EDICT_PASSWORD=%s", bots->password);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, bots->lifeline[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, bots->output[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, bots->output[1], STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0); // Ctrl-C is for the server, which then ends the bots
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    int fault = posix_spawn(pid, argv[0], &files, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return fault;
}

static bool start_child(bots_t *bots, const console_t *console, netaddr_t server, int64_t now_ms) {
    char program[MAX_PATH_BYTES], script[MAX_PATH_BYTES], folders[CVAR_STRING_BYTES];
    char to[32], from[32], index[16], seed[32];
    int32_t free_at = 0;
    while (free_at < MAX_BOTS && bots->list[free_at].pid != 0) {
        free_at++;
    }
    if (free_at == MAX_BOTS) {
        return true; // some are still leaving
    }
    if (!Install_Bot(console->host.sv_botscript, program, script)) {
        snprintf(bots->reason, sizeof bots->reason,
                 "expected edict-bot beside edictd, and the script examples/fighter.lua or "
                 "sv_botscript");
        return false;
    }
    Net_FormatAddress(target_of(server), to, sizeof to);
    Net_FormatAddress((netaddr_t){.host = source_of(server)}, from, sizeof from);
    *(strchr(from, ':') ? strchr(from, ':') : from) = '\0';
    snprintf(index, sizeof index, "%d", free_at + 1);
    snprintf(seed, sizeof seed, "%lld", (long long)(now_ms & INT32_MAX));
    existing_folders(console->host.sv_mappath, folders, sizeof folders);
    const char *words[] = {program,
                           "-q",
                           "-t",
                           "0",
                           "--until-eof",
                           "-c",
                           to,
                           "-b",
                           from,
                           "-i",
                           index,
                           "-S",
                           seed,
                           folders[0] ? "-m" : script,
                           folders[0] ? folders : NULL,
                           script,
                           NULL};
    bot_child_t *child = &bots->list[free_at];
    int fault = run_child(bots, (char *const *)(uintptr_t)words, &child->pid);
    if (fault != 0) {
        child->pid = 0;
        snprintf(bots->reason, sizeof bots->reason, "%s: %s", program, strerror(fault));
        return false;
    }
    setpriority(PRIO_PROCESS, (id_t)child->pid, NICE);
    child->started_ms = now_ms;
    child->kill_ms = 0;
    return true;
}

// ---- ending ----

// Reads what the children wrote. Keeps the last line that is neither a comment nor a plan of TAP.
static void read_output(bots_t *bots) {
    char text[4096];
    ssize_t got = read(bots->output[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        if (line[0] != '\0' && line[0] != '#' && strncmp(line, "1..", 3) != 0) {
            strlcpy(bots->reason, line, sizeof bots->reason);
        }
    }
}

// Waits longer before the next start, after a child ended by itself or could not be started.
static void back_off(bots_t *bots, const log_t *log, const char *what, int64_t now_ms) {
    int64_t wait_ms = (int64_t)BOTS_RETRY_MS << Q_MinI(bots->failures++, 6);
    bots->retry_ms = now_ms + (wait_ms < BOTS_RETRY_MOST ? wait_ms : BOTS_RETRY_MOST);
    Log_Print(log, LOG_WARN, "bots: %s: %s; the next one starts in %lld s", what,
              bots->reason[0] ? bots->reason : "no output",
              (long long)((bots->retry_ms - now_ms) / 1000));
}

static void describe_end(int status, char *text, size_t size) {
    if (WIFSIGNALED(status)) {
        snprintf(text, size, "a bot was ended by signal %d", WTERMSIG(status));
    } else {
        snprintf(text, size, "a bot ended with status %d", WEXITSTATUS(status));
    }
}

// Reaps the children that have ended. Returns the number of those that play.
static int32_t reap(bots_t *bots, const log_t *log, int32_t wanted, int64_t now_ms) {
    int32_t playing = 0;
    int ended_status = 0;
    bool has_ended = false, has_failed = false;
    for (int32_t i = 0; i < MAX_BOTS; i++) {
        bot_child_t *child = &bots->list[i];
        int status = 0;
        if (child->pid != 0 && waitpid(child->pid, &status, WNOHANG) != 0) {
            has_ended = true;
            has_failed = has_failed || child->kill_ms == 0;
            ended_status = child->kill_ms == 0 ? status : ended_status;
            bots->failures = now_ms - child->started_ms > BOTS_STABLE_MS ? 0 : bots->failures;
            *child = (bot_child_t){.pid = 0};
        } else if (child->pid != 0 && child->kill_ms != 0 && now_ms >= child->kill_ms) {
            kill(child->pid, SIGKILL);
        }
        playing += child->pid != 0 && child->kill_ms == 0 ? 1 : 0;
    }
    read_output(bots);
    if (has_failed && playing < wanted) { // otherwise a person took the slot of the bot
        char what[64];
        describe_end(ended_status, what, sizeof what);
        back_off(bots, log, what, now_ms);
    }
    if (has_ended) {
        bots->reason[0] = '\0'; // a child writes shortly before it ends
    }
    return playing;
}

static void dismiss(bots_t *bots, int32_t count, int64_t now_ms) {
    for (int32_t i = MAX_BOTS - 1; i >= 0 && count > 0; i--) {
        bot_child_t *child = &bots->list[i];
        if (child->pid != 0 && child->kill_ms == 0) {
            kill(child->pid, SIGTERM);
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

void Bots_Update(bots_t *bots, console_t *console, uint16_t port, int64_t now_ms) {
    netaddr_t server;
    err_t err;
    int32_t wanted = num_wanted(console);
    if (now_ms < bots->update_ms || (!bots->is_open && wanted == 0)) {
        return;
    }
    bots->update_ms = now_ms + UPDATE_MS;
    if (!bots->is_open && !open_bots(bots, console)) {
        return;
    }
    int32_t playing = reap(bots, console->log, wanted, now_ms);
    dismiss(bots, playing - wanted, now_ms);
    if (playing < wanted && now_ms >= bots->retry_ms &&
        Net_ParseAddress(console->host.net_ip, port, &server, &err)) {
        exempt(&console->proxies, source_of(server));
        if (!start_child(bots, console, server, now_ms)) {
            back_off(bots, console->log, "cannot start a bot", now_ms);
        }
    }
}

void Bots_Stop(bots_t *bots) {
    if (!bots->is_open) {
        return;
    }
    close(bots->lifeline[0]);
    close(bots->lifeline[1]);
    dismiss(bots, MAX_BOTS, 0);
    for (int32_t i = 0, waits = 0; i < MAX_BOTS; i++) {
        for (; bots->list[i].pid != 0; waits++) {
            if (waitpid(bots->list[i].pid, NULL, WNOHANG) != 0) {
                bots->list[i].pid = 0;
            } else if (waits < BOTS_GRACE_MS / 10) {
                poll(NULL, 0, 10);
            } else {
                kill(bots->list[i].pid, SIGKILL);
                waitpid(bots->list[i].pid, NULL, 0);
                bots->list[i].pid = 0;
            }
        }
    }
    close(bots->output[0]);
    close(bots->output[1]);
    *bots = (bots_t){.is_open = false};
}
