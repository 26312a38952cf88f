/// ctl/session.h - runs commands on a server and prints their answers.
//
// Answers go to standard output, errors to standard error. Control characters are escaped, because
// a log line may hold what a hostile client sent.
//
// Units:   ms.
// Memory:  fixed; see ctl/link.h.

#ifndef EDICTD_CTL_SESSION_H
#define EDICTD_CTL_SESSION_H

#include "ctl/link.h"

#define SESSION_DONE      0 // exit statuses
#define SESSION_FAILED    1
#define SESSION_NO_SERVER 2

#define SESSION_ANSWER_MS 60000 // maximum wait for the next line of an answer; maps load slowly

typedef struct {
    const char *path; ///< socket, or NULL
    uint16_t port;    ///< 0: the only server
    const char *role; ///< rights to keep, or NULL for all
    bool json;
    int status;          ///< exit status so far
    int signals;         ///< signalfd: SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGWINCH are blocked
    bool is_stopped;     ///< SIGTERM or SIGHUP arrived
    bool is_interrupted; ///< Ctrl-C ended an answer, and with it the connection
    bool ends_server;    ///< the last command was "quit", so the end of the server is no fault
    link_t link;
} session_t;

typedef enum {
    EVENT_LINK,      ///< the server sent something, or closed the connection
    EVENT_INPUT,     ///< standard input is readable
    EVENT_INTERRUPT, ///< Ctrl-C, or a signal that ends the program
    EVENT_SUSPEND,   ///< Ctrl-Z
    EVENT_RESIZE,    ///< the terminal has another size
    EVENT_TIMEOUT
} session_event_t;

/// Connects, and blocks the signals. Returns false with the reason and session->status.
bool Session_Open(session_t *session, err_t *err);

/// Runs a command of several words, each passed on as one word.
void Session_RunWords(session_t *session, int count, char *const *words);

/// Runs a line: commands of the server, or "follow". Sets session->status if one fails.
void Session_RunLine(session_t *session, const char *line);

/// Runs a command and calls `each` with the lines of its answer. Returns false with the reason; it
/// is empty if the connection ended.
bool Session_Query(session_t *session, const char *command,
                   void (*each)(void *context, const char *text), void *context, err_t *err);

/// Waits for the server, or with `wants_input` for standard input, too. `timeout_ms`: -1 = none.
session_event_t Session_Wait(session_t *session, bool wants_input, int timeout_ms);

/// Connects again. Returns false with the reason and session->status.
bool Session_Reopen(session_t *session, err_t *err);

/// Stops the process, as Ctrl-Z does, until it is continued.
void Session_Suspend(void);

/// Reports that the server is gone, and sets session->status.
void Session_Lose(session_t *session);

void Session_Close(session_t *session);

#endif
