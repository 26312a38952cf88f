/// ops/bots.h - processes of edict-bot that fill the server with players (cvar `bots`).
//
// Each bot is a client on loopback like any other. It joins with a password that only the bots
// receive, so that the server knows which clients are bots. ops/starter.h starts and reaps them.
// Units:   ms of the monotonic clock.
// Memory:  fixed.

#ifndef EDICTD_OPS_BOTS_H
#define EDICTD_OPS_BOTS_H

#include "ops/console.h"
#include "ops/starter.h"

#define BOTS_RETRY_MS   1000  // first wait after a bot ended by itself; doubles each time
#define BOTS_RETRY_MOST 64000 // maximum wait
#define BOTS_STABLE_MS  60000 // a bot that ran so long sets the wait back to the first

typedef struct {
    int64_t started_ms; ///< 0 = there is none
    int64_t kill_ms;    ///< it leaves, or receives SIGKILL at this time; 0 = it plays
} bot_child_t;

typedef struct {
    starter_t starter;
    bot_child_t list[MAX_BOTS];
    bool is_used;                ///< there has been a bot
    char fault[BOT_LINE_BYTES];  ///< why none can be started; "" = they can
    int32_t failures;            ///< bots that ended by themselves, one after the other
    int64_t update_ms, retry_ms; ///< earliest next update, and start of a bot
} bots_t;

/// Chooses user, program, script and address of all bots. `port`: the server's. Call once, after
/// Starter_Open and before the server enters its sandbox.
void Bots_Setup(bots_t *bots, const console_t *console, const run_user_t *user, uint16_t port);

/// Starts and ends bots, at most every 250 ms: people and bots who play are as many as the cvar
/// `bots`, if the server has that many slots. Call between ticks.
void Bots_Update(bots_t *bots, console_t *console, int64_t now_ms);

/// Ends the bots and waits for them, at most BOTS_GRACE_MS and a second.
void Bots_Stop(bots_t *bots);

#endif
