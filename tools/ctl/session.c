#include "ctl/session.h"

#include "base/str.h"
#include "ctl/sockets.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

bool Session_Reopen(session_t *session, err_t *err) {
    link_open_t got =
        Sockets_Open(&session->link, session->path, session->port, session->role, err);
    session->status = got == LINK_OPEN     ? session->status
                      : got == LINK_ABSENT ? SESSION_NO_SERVER
                                           : SESSION_FAILED;
    return got == LINK_OPEN;
}

bool Session_Open(session_t *session, err_t *err) {
    static const int blocked[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};
    sigset_t set;
    session->signals = -1;
    if (!Session_Reopen(session, err)) {
        return false;
    }
    sigemptyset(&set);
    for (size_t i = 0; i < COUNTOF(blocked); i++) {
        sigaddset(&set, blocked[i]);
    }
    session->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (session->signals >= 0) {
        sigprocmask(SIG_BLOCK, &set, NULL);
    }
    return true;
}

void Session_Suspend(void) {
    raise(SIGSTOP);
}

void Session_Close(session_t *session) {
    Link_Close(&session->link);
    if (session->signals >= 0) {
        close(session->signals);
    }
}

void Session_Lose(session_t *session) {
    Link_Close(&session->link);
    if (session->link.end == sizeof session->link.bytes) {
        fprintf(stderr, "edict-ctl: the server sent a line that is too long (%d bytes)\n",
                LINK_LINE_BYTES);
    } else if (session->ends_server) {
        return;
    } else {
        fprintf(stderr, "edict-ctl: the server closed the connection\n");
    }
    session->status = SESSION_NO_SERVER;
}

session_event_t Session_Wait(session_t *session, bool wants_input, int timeout_ms) {
    struct signalfd_siginfo info;
    for (;;) {
        struct pollfd fds[3] = {{.fd = session->signals, .events = POLLIN},
                                {.fd = wants_input ? STDIN_FILENO : -1, .events = POLLIN},
                                {.fd = session->link.fd, .events = POLLIN}};
        int ready = poll(fds, COUNTOF(fds), timeout_ms);
        if (ready == 0) {
            return EVENT_TIMEOUT;
        }
        if (ready < 0) {
            continue; // SIGCONT interrupts poll, too
        }
        if (fds[0].revents == 0) {
            return fds[1].revents ? EVENT_INPUT : EVENT_LINK;
        }
        if (read(session->signals, &info, sizeof info) == (ssize_t)sizeof info) {
            session->is_stopped = info.ssi_signo == SIGTERM || info.ssi_signo == SIGHUP;
            return info.ssi_signo == SIGTSTP    ? EVENT_SUSPEND
                   : info.ssi_signo == SIGWINCH ? EVENT_RESIZE
                                                : EVENT_INTERRUPT;
        }
    }
}

// Prints a line that the server sent. Control characters become \u and four digits, as in JSON.
static void print_line(FILE *out, const char *text) {
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = Str_CharBytes(text, left);
        uint8_t byte = (uint8_t)text[0];
        if (length > 0) {
            fwrite(text, 1, length, out);
        } else if (byte < 0x80) {
            fprintf(out, "\\u%04x", byte);
        } else {
            fputs("\xef\xbf\xbd", out);
        }
        length = length > 0 ? length : 1;
        text += length;
        left -= length;
    }
    fputc('\n', out);
}

static void fail(session_t *session, const char *text) {
    fflush(stdout);
    fputs("error: ", stderr);
    print_line(stderr, text);
    session->status = SESSION_FAILED;
}

// Waits for the next line. Returns NULL if the server, the user or the time limit ended the wait;
// the connection is closed then. `follows`: without time limit.
static char *next_line(session_t *session, bool follows) {
    char *line = NULL;
    for (;;) {
        link_read_t got = Link_Read(&session->link, &line);
        if (got == LINK_LINE) {
            return line;
        }
        fflush(stdout);
        if (got == LINK_OVER) {
            Session_Lose(session);
            return NULL;
        }
        session_event_t event = Session_Wait(session, false, follows ? -1 : SESSION_ANSWER_MS);
        if (event == EVENT_SUSPEND) {
            Session_Suspend();
        } else if (event == EVENT_INTERRUPT || event == EVENT_TIMEOUT) {
            if (event == EVENT_TIMEOUT) {
                fprintf(stderr, "edict-ctl: the server did not answer within %d s\n",
                        SESSION_ANSWER_MS / 1000);
            }
            Link_Close(&session->link);
            session->is_interrupted = event == EVENT_INTERRUPT;
            session->status = SESSION_FAILED;
            return NULL;
        }
    }
}

static const char *text_of(const char *line) {
    return line + (line[0] != '\0' && line[1] == ' ' ? 2 : 1);
}

static void follow(session_t *session, const char *command) {
    int before = session->status;
    char *line = NULL;
    err_t err;
    if (!Link_Send(&session->link, command, &err)) {
        fail(session, err.text);
        return;
    }
    while ((line = next_line(session, true)) != NULL) {
        if (line[0] == '!') {
            fail(session, text_of(line));
            return;
        }
        if (line[0] == '>') {
            print_line(stdout, text_of(line));
        }
    }
    session->status = before; // both ends of a log are good: Ctrl-C, and the end of the server
}

bool Session_Query(session_t *session, const char *command,
                   void (*each)(void *context, const char *text), void *context, err_t *err) {
    char *line = NULL;
    err->text[0] = '\0';
    if (!Link_Send(&session->link, command, err)) {
        return false;
    }
    while ((line = next_line(session, false)) != NULL && line[0] == '=') {
        each(context, text_of(line));
    }
    if (line && line[0] != '.') {
        Err_Set(err, "%s", text_of(line));
    }
    return line && line[0] == '.';
}

static void print_answer(void *context, const char *text) {
    (void)context;
    print_line(stdout, text);
}

// Returns true if the last command of a line is "quit".
static bool ends_server(const char *line) {
    const char *last = strrchr(line, ';');
    char word[8] = "", more[2] = "";
    return sscanf(last ? last + 1 : line, "%7s%1s", word, more) == 1 && strcmp(word, "quit") == 0;
}

void Session_RunLine(session_t *session, const char *line) {
    char command[2 * LINK_COMMAND_MAX];
    const char *start = line + strspn(line, " \t\r\n");
    size_t length = strcspn(start, "\r\n");
    char word[8] = "";
    err_t err;
    while (length > 0 && (start[length - 1] == ' ' || start[length - 1] == '\t')) {
        length--;
    }
    if (length == 0 || strncmp(start, "//", 2) == 0) {
        return;
    }
    bool follows = sscanf(start, "%7s", word) == 1 && strcmp(word, "follow") == 0;
    snprintf(command, sizeof command, "%s%.*s%s", session->json && !follows ? "json " : "",
             (int)length, start, session->json && follows ? " json" : "");
    session->ends_server = ends_server(start);
    if (follows) {
        follow(session, command);
    } else if (!Session_Query(session, command, print_answer, NULL, &err)) {
        if (err.text[0] != '\0') {
            fail(session, err.text);
        }
    } else if (session->ends_server) {
        Link_Close(&session->link);
    }
    fflush(stdout);
}

void Session_RunWords(session_t *session, int count, char *const *words) {
    char line[LINK_COMMAND_MAX + 1] = "";
    bool fits = true;
    if (count == 1) {
        Session_RunLine(session, words[0]);
        return;
    }
    for (int i = 0; i < count && fits; i++) {
        bool quoted = words[i][0] == '\0' || strpbrk(words[i], " \t;") || strstr(words[i], "//");
        if (quoted && strchr(words[i], '"')) {
            fail(session, "a word cannot hold a quotation mark beside a blank, ; or //");
            return;
        }
        strlcat(line, i > 0 ? " " : "", sizeof line);
        strlcat(line, quoted ? "\"" : "", sizeof line);
        fits = strlcat(line, words[i], sizeof line) + 1 < sizeof line;
        strlcat(line, quoted ? "\"" : "", sizeof line);
    }
    if (!fits) {
        fail(session, "the command is too long");
        return;
    }
    Session_RunLine(session, line);
}
