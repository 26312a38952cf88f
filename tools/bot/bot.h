/// bot/bot.h - one scripted client: its script, its connection, what it waits for, what it found.
//
// Floor:   tools.
// Units:   ms of the caller's clock, server ticks, qu, degrees.
// Memory:  a bot_t must not move once made; it owns its Lua state, client and transport.
//
// Life:    Bot_Create -> Bot_Step, again and again -> phase BOT_OVER -> Bot_Destroy. A step hears
//          the network, then resumes the script if what it waits for has come.

#ifndef EDICTD_BOT_BOT_H
#define EDICTD_BOT_BOT_H

#include "base/rng.h"
#include "bot/sandbox.h"
#include "client/client.h"

#define BOT_MEMORY_MAX    (8u * 1024 * 1024) // bytes of one script's state
#define BOT_STEPS_MAX     10000000           // instructions between two waits
#define BOT_MAX_EVENTS    256                // kept for the script; of more the oldest go
#define BOT_MAX_FAILURES  8                  // failed expects told in words; the rest is counted
#define BOT_JOIN_MS       10000              // a join without an answer has failed
#define BOT_GOODBYE_MS    300                // the connection is kept so long for the goodbye
#define BOT_ARRIVE_DIST   16.0f // qu; goto_point counts as there when so near, level ...
#define BOT_ARRIVE_HEIGHT 48.0f // ... and this near in height

typedef enum {
    BOT_WAITS_NOT,   ///< resume it
    BOT_WAITS_TICKS, ///< bot:wait
    BOT_WAITS_JOIN,  ///< bot:join
    BOT_WAITS_GOTO   ///< bot:goto_point
} bot_wait_kind_t;

typedef struct {
    bot_wait_kind_t kind;
    int64_t ticks_left; ///< TICKS, GOTO: 0 or less is over
    int64_t seen_tick;  ///< server tick that ticks_left was last counted down to
    int64_t seen_ms;    ///< the same while not joined: time stands in for ticks
    int64_t until_ms;   ///< JOIN: gives up then
    vec3_t point;       ///< GOTO
    bool arrived;       ///< GOTO
} bot_wait_t;

typedef enum {
    BOT_RUNNING, ///< the script has not ended
    BOT_LEAVING, ///< it has; the goodbye is on its way
    BOT_OVER
} bot_phase_t;

typedef enum {
    BOT_HELD,         ///< ran to the end, everything expected was so
    BOT_FAILED,       ///< an error, a failed expect, or out of time
    BOT_NOT_CONNECTED ///< failed because it could not join
} bot_outcome_t;

/// What a script has pressed; yaw is as sent: without the turns that teleports gave the player.
typedef struct {
    float forward, side, up; ///< -1..1 of full speed
    float yaw, pitch;        ///< degrees
    bool jump, attack, use, duck;
} bot_move_t;

/// Where a bot's lines go.
typedef void bot_note_fn(void *context, int32_t index, const char *text);

typedef struct {
    int32_t index;   ///< 1..count
    int32_t count;   ///< bots in this process
    int32_t limit_s; ///< of the whole run: what the script sees as bot.seconds
    int64_t seed;    ///< with the index the seed of bot:random()
    netaddr_t server;
    transport_t *net; ///< the bot's own; taken over, also when Bot_Create fails
    cl_maps_t *maps;  ///< NULL = no prediction
    const char *script_name;
    const char *script;
    size_t script_size;
    bot_note_fn *note;
    void *note_context;
} bot_config_t;

typedef struct {
    bot_config_t config;
    sandbox_t box;
    cl_t *cl;
    int64_t now_ms;
    rng_t rng;
    bot_phase_t phase;
    bot_outcome_t outcome;
    bot_wait_t wait;
    bot_move_t move;
    bool joined;      ///< it has joined and neither left nor been dropped
    bool welcomed;    ///< it has joined at least once
    bool join_failed; ///< the last join failed and no expect came after it
    bool drop_untold; ///< dropped, and the script has not been told
    int64_t leave_ms; ///< when it said goodbye
    int32_t expects, expects_failed;
    int32_t num_failures; ///< in `failures`
    uint64_t events_seen, events_lost;
    int32_t first_event, num_events; ///< ring in `events`
    char reason[256];                ///< why it was dropped or could not join
    char verdict[640];               ///< why it failed, with file and line; "" while it has not
    char failures[BOT_MAX_FAILURES][320];
    cl_event_t events[BOT_MAX_EVENTS];
} bot_t;

/// Makes a bot and compiles its script. False with the reason; *bot is then free again.
bool Bot_Create(bot_t *bot, const bot_config_t *config, err_t *err);

/// Hears the network and runs the script as far as it goes at that time.
void Bot_Step(bot_t *bot, int64_t now_ms);

/// Ends a running bot as failed: "REASON at script.lua:LINE".
void Bot_Stop(bot_t *bot, const char *reason);

/// How long Bot_Step may be put off when no datagram comes; ms, 1 or more.
int32_t Bot_PatienceMs(const bot_t *bot);

/// Frees it. A zeroed bot_t may be freed.
void Bot_Destroy(bot_t *bot);

/// Sends what the script holds down to the client.
void Bot_ApplyMove(bot_t *bot);

/// Turns and walks towards wait.point; sets wait.arrived when there. For BOT_WAITS_GOTO.
void Bot_Steer(bot_t *bot);

/// Begins to join. False with the reason in bot->reason.
bool Bot_Join(bot_t *bot, const char *name, bool spectator);

/// Says goodbye, if joined.
void Bot_Leave(bot_t *bot);

/// Counts an expectation; a failed one is kept with where it was.
void Bot_Expect(bot_t *bot, bool held, const char *where, const char *why);

/// Sets a wait of so many server ticks.
void Bot_WaitTicks(bot_t *bot, bot_wait_kind_t kind, int64_t ticks);

/// The script's functions and tables: global `bot`, and print. For Sandbox_Setup.
int BotApi_Open(lua_State *lua);

#endif
