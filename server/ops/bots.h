/// ops/bots.h - child processes of edict-bot that fill the server with players, as the cvar `bots`
/// demands.
//
// Each bot is a client on loopback like any other. It joins with a password that only the children
// receive, so that the server knows which clients are bots.
// Units:   ms of the monotonic clock.
// Memory:  fixed. A zeroed bots_t has no children.
// Life:    the children read from a pipe into which nobody writes. They end when the server's end
//          of it is closed, however the server ends.

#ifndef EDICTD_OPS_BOTS_H
#define EDICTD_OPS_BOTS_H

#include "ops/console.h"

#include <sys/types.h>

#define BOT_LINE_BYTES  256
#define BOTS_KEY_BYTES  16
#define BOTS_GRACE_MS   3000  // for a child to leave the server; then it is killed
#define BOTS_RETRY_MS   1000  // first wait after a child ended by itself; doubles each time
#define BOTS_RETRY_MOST 64000 // maximum wait
#define BOTS_STABLE_MS  60000 // a child that ran so long sets the wait back to the first

typedef struct {
    pid_t pid; ///< 0 = none
    int64_t started_ms;
    int64_t kill_ms; ///< it leaves, or receives SIGKILL at this time; 0 = it plays
} bot_child_t;

typedef struct {
    bot_child_t list[MAX_BOTS];
    bool is_open;    ///< pipes and password are set
    int lifeline[2]; ///< standard input of the children: read end, write end
    int output[2];   ///< standard output and error of the children: read end, write end
    char password[2 * BOTS_KEY_BYTES + 1];
    char reason[BOT_LINE_BYTES]; ///< last telling line of the children's output; "" = none
    int32_t failures;            ///< children that ended by themselves, one after the other
    int64_t update_ms, retry_ms; ///< earliest next update, and start of a child
} bots_t;

/// Starts, stops and reaps children, at most every 250 ms: people and bots who play are as many as
/// the cvar `bots`, if the server has that many slots. `port`: the server's. Call between ticks.
void Bots_Update(bots_t *bots, console_t *console, uint16_t port, int64_t now_ms);

/// Ends the children and waits for them, at most BOTS_GRACE_MS.
void Bots_Stop(bots_t *bots);

#endif
