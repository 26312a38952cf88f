/// bot/bot.h - one scripted client: its script, its connection and its result.
//
// Units:   ms of the caller's clock, server ticks, qu, degrees.
// Memory:  a bot_t must not move after Bot_Create; it owns its Lua state, client and transport.
//
// Life:    Bot_Create, then Bot_Step until phase is BOT_OVER, then Bot_Destroy. A step reads the
//          network, then resumes the script if its wait is over.

#ifndef EDICTD_BOT_BOT_H
#define EDICTD_BOT_BOT_H

#include "base/rng.h"
#include "bot/meeting.h"
#include "bot/sandbox.h"
#include "client/client.h"

#define BOT_MEMORY_MAX    (8u * 1024 * 1024) // bytes of one script's state
#define BOT_STEPS_MAX     10000000           // instructions between two waits
#define BOT_MAX_EVENTS    256                // kept for the script; the oldest are dropped
#define BOT_MAX_FAILURES  8                  // failed expects kept as text; the rest are counted
#define BOT_JOIN_MS       10000              // a join without an answer fails after this
#define BOT_PLACE_MS      2000               // bot:place without an answer fails after this
#define BOT_MEET_MS       10000              // default time-out of bot:meet
#define BOT_GOODBYE_MS    300                // time to send the goodbye before the socket closes
#define BOT_ARRIVE_DIST   16.0f              // qu, level; goto_point has arrived within this
#define BOT_ARRIVE_HEIGHT 48.0f              // qu, vertical

typedef enum {
    BOT_WAITS_NOT,   ///< the script can be resumed
    BOT_WAITS_TICKS, ///< bot:wait
    BOT_WAITS_JOIN,  ///< bot:join
    BOT_WAITS_GOTO,  ///< bot:goto_point
    BOT_WAITS_PLACE, ///< bot:place
    BOT_WAITS_MEET   ///< bot:meet
} bot_wait_kind_t;

typedef struct {
    bot_wait_kind_t kind;
    int64_t ticks_left; ///< TICKS, GOTO, MEET: the wait is over at 0 or less
    int64_t seen_tick;  ///< server tick up to which ticks_left was counted down
    int64_t seen_ms;    ///< time up to which it was counted down while not joined
    int64_t until_ms;   ///< JOIN, PLACE: time-out
    vec3_t point;       ///< GOTO: target
    bool arrived;       ///< GOTO, PLACE, MEET: done before the time-out
    uint32_t teleport;  ///< PLACE: PMF_TELEPORT before the command
    meeting_t *meeting; ///< MEET
    int32_t round;      ///< MEET: the wait is over when the meeting's round differs
} bot_wait_t;

typedef enum {
    BOT_RUNNING, ///< the script has not ended
    BOT_LEAVING, ///< the script has ended; the goodbye is being sent
    BOT_OVER
} bot_phase_t;

typedef enum {
    BOT_HELD,         ///< ran to its end, and every expect passed
    BOT_FAILED,       ///< an error, a failed expect, or out of time
    BOT_NOT_CONNECTED ///< failed because it could not join
} bot_outcome_t;

/// Keys and view of a script. The yaw is the one sent, without the turns added by teleports.
typedef struct {
    float forward, side, up; ///< -1..1 of full speed
    float yaw, pitch;        ///< degrees
    bool jump, attack, use, duck;
} bot_move_t;

/// Receives the notes of a bot.
typedef void bot_note_fn(void *context, int32_t index, const char *text);

typedef struct {
    int32_t index;   ///< 1..count
    int32_t count;   ///< bots in this process
    int32_t limit_s; ///< time limit of the run; bot.seconds and bot:time_left() of the script
    int64_t seed;    ///< seed of bot:random(), together with the index
    netaddr_t server;
    transport_t *net; ///< owned by the bot, even if Bot_Create fails
    cl_maps_t *maps;  ///< NULL = no prediction
    meetings_t *meetings;
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
    int64_t start_ms; ///< of the first step
    int64_t now_ms;
    rng_t rng;
    bot_phase_t phase;
    bot_outcome_t outcome;
    bot_wait_t wait;
    bot_move_t move;
    bool joined;       ///< the bot has joined, and neither left nor been dropped
    bool ever_joined;  ///< the bot has joined at least once
    bool join_failed;  ///< the last join failed and no expect came after it
    bool drop_pending; ///< dropped, and the script has not received the error yet
    int64_t leave_ms;  ///< when the goodbye was sent
    int64_t ended_ms;  ///< when the script ended
    int32_t expects, expects_failed;
    int32_t num_failures; ///< in `failures`
    uint64_t events_seen, events_lost;
    int32_t first_event, num_events; ///< ring in `events`
    char reason[256];                ///< why the bot was dropped, or why join or place failed
    char verdict[640]; ///< why the script failed, with file and line; "" if it has not
    char failures[BOT_MAX_FAILURES][512];
    cl_event_t events[BOT_MAX_EVENTS];
} bot_t;

/// Creates a bot and compiles its script. False with the reason; *bot is then free again.
bool Bot_Create(bot_t *bot, const bot_config_t *config, err_t *err);

/// Reads the network and runs the script up to its next wait.
void Bot_Step(bot_t *bot, int64_t now_ms);

/// Ends a running bot as failed: "script.lua:LINE: REASON".
void Bot_Stop(bot_t *bot, const char *reason);

/// Returns the longest time in ms, at least 1, between two steps when no datagram arrives.
int32_t Bot_PatienceMs(const bot_t *bot);

/// Returns the length of a server tick in ms; before the first map the default.
int32_t Bot_TickMs(const bot_t *bot);

/// Frees a bot. A zeroed bot_t may be freed.
void Bot_Destroy(bot_t *bot);

/// Passes the script's keys and view to the client.
void Bot_ApplyMove(bot_t *bot);

/// BOT_WAITS_GOTO: turns and walks towards wait.point; sets wait.arrived on arrival.
void Bot_Steer(bot_t *bot);

/// Starts to join. False with the reason in bot->reason.
bool Bot_Join(bot_t *bot, const char *name, bool spectator);

/// Sends the goodbye if the bot is connected.
void Bot_Leave(bot_t *bot);

/// Counts an expect. Keeps the text of a failed one with map, tick, position and velocity.
void Bot_Expect(bot_t *bot, bool held, const char *where, const char *text);

/// Sets a wait of `ticks` server ticks.
void Bot_WaitTicks(bot_t *bot, bot_wait_kind_t kind, int64_t ticks);

/// Sends `place X Y Z` and sets a wait until the player is there.
void Bot_Place(bot_t *bot, vec3_t point);

/// Creates the script's global `bot` and its print. For Sandbox_Setup.
int BotApi_Open(lua_State *lua);

#endif
