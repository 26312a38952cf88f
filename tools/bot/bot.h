/// bot/bot.h - one scripted client: its script, its connection and its result.
//
// Units:   ms of the caller's clock, server ticks, qu, degrees.
// Memory:  a bot_t owns the Lua state, client and transport. Do not move it after Bot_Create.
//
// Life:    Bot_Create, then Bot_Step until phase is BOT_OVER, then Bot_Destroy. A step reads the
//          network, then resumes the script if its wait is over.

#ifndef EDICTD_BOT_BOT_H
#define EDICTD_BOT_BOT_H

#include "base/err.h"
#include "base/limits.h"
#include "base/rng.h"
#include "bot/meeting.h"
#include "bot/operator.h"
#include "bot/routes.h"
#include "bot/sandbox.h"
#include "edict/client.h"

#define BOT_MEMORY_MAX    (8u * 1024 * 1024) // bytes that one script may allocate
#define BOT_STEPS_MAX     10000000           // maximum Lua instructions between two waits
#define BOT_MAX_EVENTS    256                // queued events; when full, the oldest is dropped
#define BOT_MAX_FAILURES  8                  // failed expects whose text is kept
#define BOT_JOIN_MS       10000              // a join fails without an answer in this time
#define BOT_PLACE_MS      2000               // bot:place fails without an answer in this time
#define BOT_MEET_MS       10000              // default time-out of bot:meet
#define BOT_GOODBYE_MS    300                // time to send the goodbye before the socket closes
#define BOT_ARRIVE_DIST   16.0f              // qu; horizontal distance on arrival (goto_point)
#define BOT_ARRIVE_HEIGHT 48.0f              // qu; vertical distance on arrival

/// The call that a script waits in.
typedef enum {
    BOT_WAITS_NOT,    ///< none: the script can be resumed
    BOT_WAITS_TICKS,  ///< bot:wait
    BOT_WAITS_JOIN,   ///< bot:join
    BOT_WAITS_GOTO,   ///< bot:goto_point
    BOT_WAITS_PLACE,  ///< bot:place
    BOT_WAITS_MEET,   ///< bot:meet
    BOT_WAITS_CONSOLE ///< bot:console
} bot_wait_kind_t;

typedef struct {
    bot_wait_kind_t kind;
    int64_t ticks_left; ///< TICKS, GOTO, MEET: ticks until the wait is over
    int64_t seen_tick;  ///< server tick when ticks_left was last counted down
    int64_t seen_ms;    ///< time when ticks_left was last counted down; used while not joined
    int64_t until_ms;   ///< JOIN, PLACE, CONSOLE: end of the wait, if no answer comes
    cl_vec3_t point;    ///< GOTO: target of the walk
    bool arrived;       ///< GOTO, PLACE, MEET, CONSOLE: succeeded before the time-out
    uint32_t teleport;  ///< PLACE: CL_FLAG_TELEPORT before the teleport
    meeting_t *meeting; ///< MEET: the barrier
    int32_t round;      ///< MEET: the barrier's round at the start of the wait
} bot_wait_t;

typedef enum {
    BOT_RUNNING, ///< the script has not ended
    BOT_LEAVING, ///< the script has ended; the goodbye is being sent
    BOT_OVER
} bot_phase_t;

typedef enum {
    BOT_PASSED,       ///< the script ended, and every expect passed
    BOT_FAILED,       ///< an error, a failed expect, or the time limit
    BOT_NOT_CONNECTED ///< the bot could not join
} bot_outcome_t;

/// The keys and the view direction that a script has set.
typedef struct {
    float forward, side, up; ///< -1..1 of full speed
    float yaw, pitch;        ///< degrees
    bool jump, attack, use, duck;
    uint8_t impulse;     ///< sent once, with the next command
    int32_t target;      ///< number of the entity that the view follows; 0 = none
    float target_height; ///< aims so far above the middle of its box, qu
} bot_move_t;

/// Receives the texts of bot:note and print. `index`: number of the bot, from 1.
typedef void bot_note_fn(void *context, int32_t index, const char *text);

typedef struct {
    int32_t index;   ///< number of the bot, 1..count
    int32_t count;   ///< number of bots in this process
    int32_t limit_s; ///< time limit of the run, s (bot.seconds of the script); 0 = none
    int64_t seed;    ///< seed of bot:random(), combined with the index
    cl_address_t server;
    const char *server_key; ///< see CL_SetSeal
    const char *token;      ///< see CL_SetToken; NULL = none
    uint32_t seal;
    bool reconnects;      ///< by itself, after a lost connection
    const char *password; ///< password for joins that give none; NULL = none
    cl_transport_t *net;  ///< owned by the bot, even if Bot_Create fails
    cl_maps_t *maps;      ///< NULL: no prediction
    meetings_t *meetings;
    operator_t *console; ///< for bot:console; NULL = none
    cl_routes_t *routes; ///< shared by the bots of the process
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
    int64_t start_ms; ///< time of the first step
    int64_t now_ms;
    rng_t rng;
    bot_phase_t phase;
    bot_outcome_t outcome;
    bot_wait_t wait;
    bot_move_t move;
    bool joined;       ///< the bot has joined and has neither left nor been dropped
    bool tried_join;   ///< the script has called bot:join
    bool ever_joined;  ///< the bot has joined at least once
    bool join_failed;  ///< the last join failed, and no expect has run since
    bool drop_pending; ///< the bot was dropped, and the script has not received the error yet
    int64_t leave_ms;  ///< when the goodbye was sent
    int64_t ended_ms;  ///< when the script ended
    int32_t expects, expects_failed;
    int32_t num_failures; ///< used entries of `failures`
    uint64_t events_seen, events_lost;
    uint64_t losses_reported;        ///< lost events that bot:events has returned
    int32_t first_event, num_events; ///< ring buffer in `events`
    char reason[256];                ///< why the bot was dropped, or why a call failed
    char command[MAX_CMD_LINE];      ///< of bot:console
    char verdict[640]; ///< why the script failed, with file and line; "" if it did not fail
    char failures[BOT_MAX_FAILURES][512];
    cl_event_t events[BOT_MAX_EVENTS];
} bot_t;

/// Creates a bot and compiles the script.
bool Bot_Create(bot_t *bot, const bot_config_t *config, err_t *err);

/// Reads the network and runs the script up to the next wait.
void Bot_Step(bot_t *bot, int64_t now_ms);

/// Ends a running bot with the outcome BOT_FAILED.
void Bot_Stop(bot_t *bot, const char *reason);

/// Returns the maximum time between two calls of Bot_Step, ms.
int32_t Bot_PatienceMs(const bot_t *bot);

/// Returns the length of the longest server tick in ms, or a default before the first map.
int32_t Bot_TickMs(const bot_t *bot);

/// Frees a bot's memory and closes the socket. A zeroed bot_t is allowed.
void Bot_Destroy(bot_t *bot);

/// Passes the script's keys and view to the client.
void Bot_ApplyMove(bot_t *bot);

/// Turns the view from the eyes of the predicted player to a point.
void Bot_AimAt(bot_t *bot, cl_vec3_t point);

/// Aims at move.target as the server judges a shot of the next command. Returns false if it is not
/// shown.
bool Bot_FollowTarget(bot_t *bot);

/// Writes the shown pose and box of an entity. Returns false if it is not shown.
bool Bot_Shown(const bot_t *bot, int32_t number, cl_pose_t *pose, cl_vec3_t *mins, cl_vec3_t *maxs);

/// Turns and moves the player towards wait.point. Sets wait.arrived on arrival.
void Bot_Steer(bot_t *bot);

/// Starts to join the server. `password`: NULL for config.password. On failure returns false and
/// writes bot->reason.
bool Bot_Join(bot_t *bot, const char *name, bool spectator, const char *password);

/// Leaves the server, if connected.
void Bot_Leave(bot_t *bot);

/// Records the result of bot:expect. `held`: the condition was true. `where`: the script's line.
void Bot_Expect(bot_t *bot, bool held, const char *where, const char *text);

/// Pauses the script for `ticks` server ticks.
void Bot_WaitTicks(bot_t *bot, bot_wait_kind_t kind, int64_t ticks);

/// Sends the command to move the player to `point`. Pauses the script until the player has moved.
void Bot_Place(bot_t *bot, cl_vec3_t point);

/// Returns the number of events that the script did not receive, because a queue was full.
uint64_t Bot_EventsLost(const bot_t *bot);

/// Sends a command to the server's console. Pauses the script until the answer.
void Bot_AskConsole(bot_t *bot, const char *command, int64_t limit_ms);

/// Creates the globals `bot` and `print`. Pass this function to Sandbox_Setup.
int BotApi_Open(lua_State *lua);

#endif
