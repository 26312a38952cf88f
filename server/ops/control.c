#include "ops/control.h"

#include "base/assert.h"
#include "base/str.h"
#include "base/version.h"
#include "ops/control_local.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define OUT_BYTES        (CONTROL_ANSWER + CONTROL_LOG)
#define END_BYTES        2048 // kept free in an answer for its last line
#define REFUSED_EVERY_MS 5000 // minimum interval between two log lines of refused connections

typedef enum { FOLLOW_NONE, FOLLOW_TEXT, FOLLOW_JSON } follow_t;

typedef struct {
    int fd; // -1 = free
    int64_t uid;
    role_t role;
    char user[CONTROL_USER_BYTES];
    int32_t lines_left; // lines to run before the next refill
    bool is_ended;      // the other end sends no more
    bool skips;         // the current line is too long
    follow_t follow;
    uint64_t lost;    // log lines that were not sent since the last report
    int64_t moved_ns; // when an answer began, or bytes of it were sent
    size_t in_used;
    size_t out_used;
    size_t answer_end; // bytes of `out` up to the end of the last answer
    char in[MAX_CMD_LINE];
    char out[OUT_BYTES];
} peer_t;

struct control_s {
    control_config_t config;
    control_socket_t socket;
    control_users_t users;
    char own_name[CONTROL_USER_BYTES];
    log_burst_t refused;
    int64_t refill_ns; // time of the next refill
    int64_t budget_ns; // time for commands before the next refill
    int32_t accepts_left;
    bool has_run; // a line was run since the last refill
    int32_t turn; // the peer whose lines are run first
    peer_t *open; // the peer whose answer is not complete; NULL = none
    bool is_json; // form of that answer
    bool is_cut;  // lines of that answer did not fit
    bool is_good;
    char *object; // a JSON object that is that answer; NULL = none
    err_t err;
    console_source_t source; // of that answer
    size_t answer_used;
    char answer[CONTROL_ANSWER];
    peer_t peers[CONTROL_PEERS];
};

// ---- connections ----

static void end(control_t *control, peer_t *peer) {
    close(peer->fd);
    peer->fd = -1;
    if (control->open == peer) { // what the next tick answers goes to the log
        control->open = NULL;
        control->config.console->source = NULL;
    }
}

// Appends bytes to the output. The caller has checked that they fit.
static void put(peer_t *peer, const char *text, size_t size) {
    ASSERT(size <= sizeof peer->out - peer->out_used);
    memcpy(peer->out + peer->out_used, text, size);
    peer->out_used += size;
}

// Sends what the other end can take now. Ends a broken connection.
static void send_waiting(control_t *control, peer_t *peer, int64_t now_ns) {
    if (peer->out_used == 0) {
        return;
    }
    ssize_t sent = send(peer->fd, peer->out, peer->out_used, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) {
        if (errno != EAGAIN && errno != EINTR) {
            end(control, peer);
        }
        return;
    }
    size_t gone = (size_t)sent;
    peer->out_used -= gone;
    peer->answer_end -= gone < peer->answer_end ? gone : peer->answer_end;
    peer->moved_ns = now_ns;
    memmove(peer->out, peer->out + gone, peer->out_used);
}

// Reports lost log lines as soon as there is room.
static void report_lost(peer_t *peer) {
    char line[128];
    if (peer->lost == 0 || peer->out_used > CONTROL_LOG / 2) {
        return;
    }
    int size = snprintf(line, sizeof line,
                        peer->follow == FOLLOW_JSON
                            ? "> {\"event\":\"lost\",\"fields\":{\"lines\":%llu}}\n"
                            : "> %llu log lines were not sent, because nothing read them\n",
                        (unsigned long long)peer->lost);
    put(peer, line, (size_t)size);
    peer->lost = 0;
}

// Sends a log line to the followers (log_sink_t.follow). Drops and counts what does not fit.
static void follow(void *context, bool is_json, const char *line, size_t size) {
    control_t *control = context;
    for (int32_t i = 0; i < CONTROL_PEERS; i++) {
        peer_t *peer = &control->peers[i];
        if (peer->fd < 0 || peer->follow != (is_json ? FOLLOW_JSON : FOLLOW_TEXT)) {
            continue;
        }
        report_lost(peer);
        size_t room = peer->answer_end > 0 ? OUT_BYTES : CONTROL_LOG;
        if (peer->lost > 0 || peer->out_used + size + 2 > room) {
            peer->lost++;
            control->config.console->counters.control_lost++;
        } else {
            put(peer, "> ", 2);
            put(peer, line, size);
        }
    }
}

// Returns the role of a user id. `name` receives the user's name.
static role_t role_of(const control_t *control, int64_t uid, const char **name) {
    const control_users_t *users = &control->users;
    *name = uid == 0 ? "root" : control->own_name;
    if (uid == 0 || uid == (int64_t)geteuid()) {
        return ROLE_ADMIN;
    }
    for (int32_t i = 0; i < users->count; i++) {
        if (users->list[i].uid == uid) {
            *name = users->list[i].name;
            return users->list[i].role;
        }
    }
    return ROLE_NONE;
}

// Closes a new connection with a reason.
static void refuse(control_t *control, int fd, const char *why) {
    char line[320];
    console_t *console = control->config.console;
    int size = snprintf(line, sizeof line, "! %s\n", why);
    (void)send(fd, line, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
    close(fd);
    console->counters.control_refused++;
    if (Log_BurstAllows(&control->refused, control->config.now_ns() / 1000000, REFUSED_EVERY_MS)) {
        Log_Print(control->config.log, LOG_WARN, "control socket: %s%s", why,
                  control->refused.more);
    }
}

static void greet(control_t *control, int fd) {
    char line[128], why[256];
    uid_t uid = 0;
    gid_t gid = 0;
    const char *name = "";
    peer_t *peer = NULL;
    int32_t count = 0, own = 0; // open connections: all, and those of this user
    role_t role = getpeereid(fd, &uid, &gid) == 0 ? role_of(control, uid, &name) : ROLE_NONE;
    for (int32_t i = 0; i < CONTROL_PEERS; i++) {
        bool is_open = control->peers[i].fd >= 0;
        count += is_open ? 1 : 0;
        own += is_open && control->peers[i].uid == (int64_t)uid ? 1 : 0;
        peer = control->peers[i].fd < 0 ? &control->peers[i] : peer;
    }
    bool is_greedy = role != ROLE_ADMIN && own >= CONTROL_OWN;
    int32_t most = role == ROLE_ADMIN ? CONTROL_PEERS : CONTROL_GUESTS;
    if (role == ROLE_NONE || is_greedy || count >= most) {
        if (role == ROLE_NONE) {
            snprintf(why, sizeof why, "uid %u has no role: the operator adds it to ctl_users",
                     (unsigned)uid);
        } else {
            snprintf(why, sizeof why, "%s: %d %s are open, the maximum; close some", name,
                     is_greedy ? own : count, is_greedy ? "of your connections" : "connections");
        }
        refuse(control, fd, why);
        return;
    }
    control->config.console->counters.control_connections++;
    memset(peer, 0, offsetof(peer_t, in));
    peer->fd = fd;
    peer->uid = uid;
    peer->role = role;
    peer->lines_left = CONTROL_LINES;
    strlcpy(peer->user, name, sizeof peer->user);
    int size = snprintf(line, sizeof line, "edictd %s %u %s\n", EDICTD_VERSION,
                        control->config.port, Role_Name(role));
    put(peer, line, (size_t)size);
}

// ---- answers ----

// Adds a line to the open answer (console_source_t.answer).
static void answer(void *context, const char *line) {
    control_t *control = context;
    char text[4 * MAX_CMD_LINE];
    char *to = control->answer + control->answer_used;
    size_t room = sizeof control->answer - control->answer_used;
    if (control->is_json) {
        Str_Quote(text, sizeof text, line);
    } else {
        Str_Printable(text, sizeof text, line);
    }
    if (control->is_cut || strlen(text) + END_BYTES > room) {
        control->is_cut = true;
    } else if (control->is_json) {
        bool is_first = to[-1] == '[';
        control->answer_used += (size_t)snprintf(to, room, "%s%s", is_first ? "" : ",", text);
    } else {
        control->answer_used += (size_t)snprintf(to, room, "= %s\n", text);
    }
}

static void append(control_t *control, const char *text) {
    size_t room = sizeof control->answer - control->answer_used;
    control->answer_used += strlcpy(control->answer + control->answer_used, text, room);
    ASSERT(control->answer_used < sizeof control->answer);
}

static void begin_answer(control_t *control, peer_t *peer, bool is_json) {
    control->open = peer;
    control->is_json = is_json;
    control->is_cut = false;
    control->is_good = true;
    control->answer_used = 0;
    control->source = (console_source_t){.via = "socket",
                                         .user = peer->user,
                                         .uid = peer->uid,
                                         .role = peer->role,
                                         .answer = answer,
                                         .context = control};
    control->config.console->source = &control->source;
    if (is_json) {
        append(control, "= {\"lines\":[");
    }
}

// Completes the answer and sends it.
static void end_answer(control_t *control, int64_t now_ns) {
    peer_t *peer = control->open;
    char text[sizeof control->err.text], quoted[2 * sizeof text];
    if (control->is_good && control->is_cut) {
        control->is_good =
            Err_Set(&control->err, "the answer exceeds %d bytes; ask for less", CONTROL_ANSWER);
    }
    if (control->object && control->is_good) {
        control->answer_used = 0;
        append(control, "= ");
        append(control, control->object);
        append(control, "\n");
    } else if (control->is_json) {
        append(control, control->is_good ? "],\"ok\":true}\n" : "],\"ok\":false,\"error\":");
    }
    if (control->is_good) {
        append(control, ".\n");
    } else {
        Str_Printable(text, sizeof text, control->err.text);
        Str_Quote(quoted, sizeof quoted, text);
        append(control, control->is_json ? quoted : "");
        append(control, control->is_json ? "}\n! " : "! ");
        append(control, text);
        append(control, "\n");
    }
    free(control->object);
    control->object = NULL;
    peer->moved_ns = peer->answer_end > 0 ? peer->moved_ns : now_ns;
    put(peer, control->answer, control->answer_used);
    peer->answer_end = peer->out_used;
    control->open = NULL;
    control->config.console->source = NULL;
    send_waiting(control, peer, now_ns);
}

// ---- lines ----

static bool give_up_role(peer_t *peer, const char *name, err_t *err) {
    role_t role = Role_Parse(name);
    if (role == ROLE_NONE || role > peer->role) {
        return Err_Set(err, "role: expected watch, operate or admin, at most %s, found \"%.64s\"",
                       Role_Name(peer->role), name);
    }
    peer->role = role;
    return true;
}

static bool start_follow(peer_t *peer, const char *form, err_t *err) {
    bool is_json = strcmp(form, "json") == 0;
    if (form[0] != '\0' && !is_json) {
        return Err_Set(err, "follow: expected json or nothing, found \"%.64s\"", form);
    }
    peer->follow = is_json ? FOLLOW_JSON : FOLLOW_TEXT;
    return true;
}

// Runs a line and begins its answer, which is complete unless the next tick adds to it.
static void run_line(control_t *control, peer_t *peer, const char *line) {
    console_t *console = control->config.console;
    cmd_args_t args;
    bool is_split = Cmd_Split(line, &args, &control->err);
    bool is_json = is_split && strcmp(args.argv[0], "json") == 0 && args.argc > 1;
    console->counters.control_lines++;
    begin_answer(control, peer, is_json);
    if (is_json) {
        line += strspn(line, " \t\r\n");
        line += line[0] == '"' ? strlen("\"json\"") : strlen("json");
    }
    if (is_split && strcmp(args.argv[0], "role") == 0 && args.argc == 2) {
        control->is_good = give_up_role(peer, args.argv[1], &control->err);
    } else if (is_split && strcmp(args.argv[0], "follow") == 0 && args.argc <= 2) {
        control->is_good = start_follow(peer, args.argv[1], &control->err);
    } else if (is_json && (control->object = Console_Json(console, line, &control->err)) != NULL) {
        control->is_cut = strlen(control->object) + END_BYTES > sizeof control->answer;
    } else {
        control->is_good = (!is_json || control->err.text[0] == '\0') &&
                           Console_Line(console, line, &control->err);
    }
    if (control->config.after_line) {
        control->config.after_line(control->config.context);
    }
}

// Moves the next complete line from the input to `line`. Returns false if there is none.
static bool take_line(peer_t *peer, char line[MAX_CMD_LINE], bool *is_bad) {
    char *newline = memchr(peer->in, '\n', peer->in_used);
    if (!newline && peer->in_used == sizeof peer->in) {
        peer->skips = true;
        peer->in_used = 0;
    }
    if (!newline) {
        return false;
    }
    size_t length = (size_t)(newline - peer->in);
    *is_bad = peer->skips || memchr(peer->in, '\0', length);
    peer->skips = false;
    memcpy(line, peer->in, length);
    line[length] = '\0';
    peer->in_used -= length + 1;
    memmove(peer->in, newline + 1, peer->in_used);
    return true;
}

// Receives what fits. Returns false if nothing came.
static bool receive(control_t *control, peer_t *peer) {
    ssize_t got =
        recv(peer->fd, peer->in + peer->in_used, sizeof peer->in - peer->in_used, MSG_DONTWAIT);
    if (got > 0) {
        peer->in_used += (size_t)got;
        return true;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
    }
    if (got < 0) {
        end(control, peer);
        return false;
    }
    peer->is_ended = true;
    if (peer->in_used > 0) { // the end completes the last line; take_line left room
        peer->in[peer->in_used++] = '\n';
    }
    return peer->in_used > 0;
}

// Returns true if there is time to run another line now.
static bool has_time(const control_t *control, int64_t now_ns, int64_t until_ns) {
    return !control->has_run || (control->budget_ns > 0 && now_ns < until_ns);
}

// Returns true if a line of the peer may be run, apart from the time. While a command waits for the
// next tick, all others wait, so that each answer reaches its own connection.
static bool may_run(const control_t *control, const peer_t *peer) {
    return peer->fd >= 0 && !Console_IsWaiting(control->config.console) && peer->lines_left > 0 &&
           peer->answer_end == 0 && peer->out_used <= CONTROL_LOG &&
           (control->budget_ns > 0 || !control->has_run);
}

// Runs the waiting lines of a peer.
static void serve(control_t *control, peer_t *peer, int64_t until_ns) {
    char line[MAX_CMD_LINE];
    bool is_bad = false;
    int64_t begun_ns = control->config.now_ns();
    while (may_run(control, peer) && has_time(control, begun_ns, until_ns)) {
        bool is_line = take_line(peer, line, &is_bad);
        if (!is_line && (peer->is_ended || !receive(control, peer))) {
            break;
        }
        peer->lines_left--;
        control->has_run = true;
        if (!is_line) {
            peer->lines_left += peer->skips ? 0 : 1; // a line that never ends uses up its turns
            continue;
        }
        if (is_bad) {
            begin_answer(control, peer, false);
            control->is_good = Err_Set(&control->err,
                                       "expected a line of at most %d bytes "
                                       "without NUL bytes; it is skipped",
                                       MAX_CMD_LINE - 1);
        } else {
            run_line(control, peer, line);
        }
        int64_t now_ns = control->config.now_ns();
        control->budget_ns -= now_ns - begun_ns;
        begun_ns = now_ns;
        if (control->open && !Console_IsWaiting(control->config.console)) {
            end_answer(control, now_ns);
        }
    }
}

// ---- the loop ----

bool Control_Create(const control_config_t *config, control_t **made, err_t *err) {
    bool is_auto = strcmp(config->path, "auto") == 0;
    *made = NULL;
    if (strcmp(config->path, "off") == 0) {
        return true;
    }
    control_t *control = calloc(1, sizeof *control);
    if (!control) {
        return Err_Set(err, "net_control: no memory");
    }
    control->config = *config;
    ControlUsers_Name(geteuid(), control->own_name);
    for (int32_t i = 0; i < CONTROL_PEERS; i++) {
        control->peers[i].fd = -1;
    }
    bool good = ControlUsers_Parse(config->users, &control->users, err);
    if (!good || !ControlSocket_Open(&control->socket, config->path, config->port,
                                     control->users.count > 0, err)) {
        free(control);
        if (good && is_auto) {
            Log_Print(config->log, LOG_WARN, "%s; there is no control socket", err->text);
        }
        return good && is_auto;
    }
    config->sink->follow = follow;
    config->sink->follow_context = control;
    *made = control;
    return true;
}

void Control_GiveTo(control_t *control, uid_t uid, gid_t gid) {
    char folder[CONTROL_PATH_BYTES];
    if (!control) {
        return;
    }
    strlcpy(folder, control->socket.path, sizeof folder);
    bool good = ControlSocket_GiveTo(&control->socket, uid, gid);
    if (strcmp(control->config.path, "auto") == 0) {
        good = lchown(dirname(folder), uid, gid) == 0 && good;
    }
    if (!good) {
        Log_Print(control->config.log, LOG_WARN, "%s: cannot be given to the user: %s",
                  control->socket.path, strerror(errno));
    }
    ControlUsers_Name(uid, control->own_name);
}

const char *Control_Path(const control_t *control) {
    return control ? control->socket.path : "";
}

int32_t Control_Watch(const control_t *control, struct pollfd fds[CONTROL_PEERS + 1]) {
    int32_t count = 0;
    if (control->accepts_left > 0) {
        fds[count++] = (struct pollfd){.fd = control->socket.fd, .events = POLLIN};
    }
    for (int32_t i = 0; i < CONTROL_PEERS; i++) {
        const peer_t *peer = &control->peers[i];
        bool reads = may_run(control, peer) && !peer->is_ended;
        bool writes = peer->fd >= 0 && peer->out_used > 0;
        if (reads || writes) {
            fds[count++] = (struct pollfd){
                .fd = peer->fd, .events = (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0))};
        }
    }
    return count;
}

int64_t Control_WakeNs(const control_t *control, int64_t until_ns) {
    bool waits = control->accepts_left == 0 || control->open;
    for (int32_t i = 0; i < CONTROL_PEERS && !waits; i++) {
        const peer_t *peer = &control->peers[i];
        bool has_line = peer->fd >= 0 && memchr(peer->in, '\n', peer->in_used);
        waits = peer->fd >= 0 && peer->answer_end == 0 && (has_line || !may_run(control, peer));
    }
    return waits && control->refill_ns < until_ns ? control->refill_ns : until_ns;
}

static void refill(control_t *control, int64_t now_ns) {
    control->refill_ns = now_ns + CONTROL_REFILL_NS;
    control->budget_ns = CONTROL_BUDGET_NS;
    control->accepts_left = CONTROL_LINES;
    control->has_run = false;
    for (int32_t i = 0; i < CONTROL_PEERS; i++) {
        control->peers[i].lines_left = CONTROL_LINES;
    }
}

// Ends connections that nobody reads and those that are complete.
static void end_old(control_t *control, peer_t *peer, int64_t now_ns) {
    bool is_done = peer->is_ended && peer->in_used == 0 && peer->answer_end == 0;
    bool is_stuck = peer->answer_end > 0 && now_ns - peer->moved_ns > CONTROL_STUCK_NS;
    if (peer->fd < 0 || control->open == peer || !(is_done || is_stuck)) {
        return;
    }
    control->config.console->counters.control_stuck += is_stuck ? 1 : 0;
    end(control, peer);
}

void Control_Finish(control_t *control) {
    if (control->open && !Console_IsWaiting(control->config.console)) {
        end_answer(control, control->config.now_ns());
    }
}

// Returns false if no connection waits: an accept that finds none costs ten times as much.
static bool is_called(const control_t *control) {
    return poll(&(struct pollfd){.fd = control->socket.fd, .events = POLLIN}, 1, 0) != 0;
}

void Control_Run(control_t *control, int64_t until_ns) {
    int64_t now_ns = control->config.now_ns();
    if (now_ns >= control->refill_ns) {
        refill(control, now_ns);
    }
    Control_Finish(control);
    while (control->accepts_left > 0 && is_called(control)) {
        const int fd = accept4(control->socket.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        // Without descriptors, poll would report the connection without end.
        control->accepts_left = fd < 0 && errno != EAGAIN ? 0 : control->accepts_left - 1;
        if (fd >= 0) {
            greet(control, fd);
        }
    }
    for (int32_t n = 0; n < 2 * CONTROL_PEERS; n++) {
        peer_t *peer = &control->peers[(control->turn + n) % CONTROL_PEERS];
        if ((peer->role == ROLE_ADMIN) != (n < CONTROL_PEERS)) {
            continue;
        }
        if (peer->fd >= 0) {
            send_waiting(control, peer, now_ns);
            serve(control, peer, until_ns);
        }
        if (peer->fd >= 0) {
            report_lost(peer);
            send_waiting(control, peer, now_ns);
            end_old(control, peer, now_ns);
        }
    }
    control->turn = (control->turn + 1) % CONTROL_PEERS;
}

void Control_Destroy(control_t *control) {
    if (!control) {
        return;
    }
    control->config.sink->follow = NULL;
    for (int32_t i = 0; i < CONTROL_PEERS; i++) {
        peer_t *peer = &control->peers[i];
        if (peer->fd >= 0) {
            send_waiting(control, peer, 0);
        }
        if (peer->fd >= 0) {
            end(control, peer);
        }
    }
    ControlSocket_Close(&control->socket);
    free(control);
}
