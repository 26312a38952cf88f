/// ops/control.h - the control socket: local users enter commands and follow the log.
//
// Each connection has a role, from the user id of its other end. In CONTROL_REFILL_NS it may enter
// CONTROL_LINES lines, and all connections together those that begin within CONTROL_BUDGET_NS.
// Lines:   the server greets "edictd VERSION PORT ROLE". A command line is answered by "= TEXT"
//          lines, then "." or "! ERROR". Followers receive "> LINE".
// Units:   ns of the monotonic clock.
// Memory:  allocated by Control_Create; only JSON answers allocate later, between two ticks.

#ifndef EDICTD_OPS_CONTROL_H
#define EDICTD_OPS_CONTROL_H

#include "ops/console.h"
#include "ops/log_sink.h"

#include <poll.h>

#define CONTROL_PEERS      16                   // connections at once
#define CONTROL_GUESTS     12                   // of these, for others than admins
#define CONTROL_OWN        6                    // of these, for one user
#define CONTROL_LINES      8                    // lines of a connection in CONTROL_REFILL_NS
#define CONTROL_REFILL_NS  INT64_C(16000000)    // about a tick
#define CONTROL_BUDGET_NS  INT64_C(1000000)     // time for commands in CONTROL_REFILL_NS
#define CONTROL_STUCK_NS   INT64_C(10000000000) // a connection that reads no answer is closed
#define CONTROL_ANSWER     (1024 * 1024)        // bytes of an answer: status of 1,024 players
#define CONTROL_LOG        (32 * 1024)          // bytes of log lines that wait for a follower
#define CONTROL_USER_BYTES 33                   // a user name with its NUL

typedef struct control_s control_t;

typedef struct {
    const char *path; ///< net_control: "auto", "off" or a path
    uint16_t port;    ///< of the game
    const char *users;
    console_t *console;
    log_sink_t *sink;
    const log_t *log;
    int64_t (*now_ns)(void);
    void (*after_line)(void *context); ///< called after each line; NULL = nothing to do
    void *context;
} control_config_t;

/// Writes the name of a user, or its number.
void ControlUsers_Name(int64_t uid, char name[CONTROL_USER_BYTES]);

/// Checks ctl_users. Returns false with the reason.
bool Control_CheckUsers(const char *users, err_t *err);

/// Makes the socket, replacing one that no server answers. If config->path is "auto", logs a fault.
/// *control receives NULL without a socket. Returns false with the reason.
bool Control_Create(const control_config_t *config, control_t **control, err_t *err);

/// Gives the socket, and the folder of "auto", to the user that the server becomes. Accepts NULL.
void Control_GiveTo(control_t *control, uid_t uid, gid_t gid);

/// Returns the path of the socket; "" for NULL.
const char *Control_Path(const control_t *control);

/// Writes what poll must watch. Returns the number of entries.
int32_t Control_Watch(const control_t *control, struct pollfd fds[CONTROL_PEERS + 1]);

/// Returns the time at which Control_Run must be called, at the latest `until_ns`.
int64_t Control_WakeNs(const control_t *control, int64_t until_ns);

/// Completes the answer of a command that waited for a tick.
void Control_Finish(control_t *control);

/// Runs the lines that arrived, those of admins first, and sends answers, in general not beyond
/// `until_ns`. Never blocks.
void Control_Run(control_t *control, int64_t until_ns);

/// Sends what fits, closes all connections and removes the socket.
void Control_Destroy(control_t *control);

#endif
