#include "bot/bot.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_TICK_MS 16 // until the server has sent the tick length

bool Bot_Create(bot_t *bot, const bot_config_t *config, err_t *err) {
    memset(bot, 0, sizeof *bot);
    bot->config = *config;
    // Neighbouring indices must not draw similar numbers, so the index is multiplied by a large odd
    // number.
    bot->rng.state =
        (uint64_t)config->seed + UINT64_C(0xD1B54A32D192ED03) * (uint64_t)config->index;
    bot->cl = CL_Create(&(cl_config_t){
        .net = config->net, .maps = config->maps, .no_reconnect = !config->reconnects});
    if (!bot->cl) {
        Err_Set(err, "bot %d: out of memory", config->index);
        Bot_Destroy(bot);
        return false;
    }
    rng_t seeds = bot->rng;
    const sandbox_limits_t limits = {BOT_MEMORY_MAX, BOT_STEPS_MAX, (int64_t)Rng_Next(&seeds)};
    if (!CL_SetSeal(bot->cl, config->seal, config->server_key, err) ||
        !CL_SetToken(bot->cl, config->token ? config->token : "", err) ||
        !Sandbox_Create(&bot->box, limits, bot, err) ||
        !Sandbox_Setup(&bot->box, BotApi_Open, err) ||
        !Sandbox_Load(&bot->box, config->script_name, config->script, config->script_size, err)) {
        Bot_Destroy(bot);
        return false;
    }
    return true;
}

void Bot_Destroy(bot_t *bot) {
    Sandbox_Free(&bot->box);
    CL_Destroy(bot->cl);
    bot->cl = NULL;
    if (bot->config.net) {
        bot->config.net->destroy(bot->config.net);
        bot->config.net = NULL;
    }
}

int32_t Bot_TickMs(const bot_t *bot) {
    int32_t rate_mhz = CL_TickRate(bot->cl);
    return rate_mhz > 0 ? (1000000 + rate_mhz - 1) / rate_mhz : DEFAULT_TICK_MS;
}

int32_t Bot_PatienceMs(const bot_t *bot) {
    return Q_MaxI(1, Bot_TickMs(bot) / 4); // commands leave at most 1/4 tick late
}

bool Bot_Join(bot_t *bot, const char *name, bool spectator, const char *password) {
    err_t err = {""};
    bot->tried_join = true;
    bot->join_failed = false;
    bot->drop_pending = false;
    bot->move = (bot_move_t){0};
    password = password ? password : bot->config.password;
    if (!CL_SetPassword(bot->cl, password ? password : "", &err) ||
        !CL_Connect(bot->cl, bot->config.server, name, spectator, &err)) {
        strlcpy(bot->reason, err.text, sizeof bot->reason);
        bot->join_failed = true;
        return false;
    }
    bot->reason[0] = '\0';
    bot->wait = (bot_wait_t){.kind = BOT_WAITS_JOIN, .until_ms = bot->now_ms + BOT_JOIN_MS};
    return true;
}

void Bot_Leave(bot_t *bot) {
    bot->drop_pending = false;
    if (CL_State(bot->cl) != CL_DISCONNECTED) {
        cl_net_graph_t graph;
        char text[CL_WHY_BYTES + 16];
        CL_NetGraph(bot->cl, &graph);
        if (graph.why[0] != '\0' && bot->config.note) {
            snprintf(text, sizeof text, "at the end, %s", graph.why);
            bot->config.note(bot->config.note_context, bot->config.index, text);
        }
        CL_Disconnect(bot->cl);
        bot->leave_ms = bot->now_ms;
    }
    bot->joined = false;
}

/// Writes "map lift, tick 90, at (0 64 24), velocity (0 0 0)".
static void describe_player(const bot_t *bot, char *text, size_t size) {
    cl_player_state_t self;
    if (!bot->joined || !CL_Self(bot->cl, &self)) {
        snprintf(text, size, "not in a map");
        return;
    }
    cl_vec3_t at = self.origin;
    cl_vec3_t velocity = self.velocity;
    snprintf(text, size, "map %s, tick %lld, at (%g %g %g), velocity (%g %g %g)",
             CL_MapName(bot->cl), (long long)CL_ServerTick(bot->cl), (double)at.x, (double)at.y,
             (double)at.z, (double)velocity.x, (double)velocity.y, (double)velocity.z);
}

void Bot_Expect(bot_t *bot, bool held, const char *where, const char *text) {
    bot->join_failed = false; // a later expect means that the script handled the failure
    bot->expects++;
    if (held) {
        return;
    }
    bot->expects_failed++;
    if (bot->num_failures < BOT_MAX_FAILURES) {
        char player[224];
        describe_player(bot, player, sizeof player);
        snprintf(bot->failures[bot->num_failures++], sizeof bot->failures[0], "%s: %.200s (%s)",
                 where, text, player);
    }
}

void Bot_WaitTicks(bot_t *bot, bot_wait_kind_t kind, int64_t ticks) {
    bot->wait = (bot_wait_t){.kind = kind,
                             .ticks_left = ticks,
                             .seen_tick = CL_ServerTick(bot->cl),
                             .seen_ms = bot->now_ms};
}

void Bot_Place(bot_t *bot, cl_vec3_t point) {
    char text[MAX_TEXT_BYTES];
    cl_player_state_t self = {0};
    CL_Self(bot->cl, &self);
    snprintf(text, sizeof text, "setpos %.9g %.9g %.9g", (double)point.x, (double)point.y,
             (double)point.z);
    CL_Command(bot->cl, text);
    snprintf(bot->reason, sizeof bot->reason, "no answer within %d s", BOT_PLACE_MS / 1000);
    bot->wait = (bot_wait_t){.kind = BOT_WAITS_PLACE,
                             .teleport = self.flags & CL_FLAG_TELEPORT,
                             .until_ms = bot->now_ms + BOT_PLACE_MS};
}

/// Counts a wait down by server ticks, or by time without a connection.
static void count_ticks(bot_t *bot) {
    bot_wait_t *wait = &bot->wait;
    if (!bot->joined || CL_State(bot->cl) == CL_RECONNECTING) {
        int64_t ticks = (bot->now_ms - wait->seen_ms) / Bot_TickMs(bot);
        wait->ticks_left -= ticks;
        wait->seen_ms += ticks * Bot_TickMs(bot);
        return;
    }
    int64_t tick = CL_ServerTick(bot->cl);
    // A new map starts again at tick 0.
    wait->ticks_left -= tick >= wait->seen_tick ? tick - wait->seen_tick : tick;
    wait->seen_tick = tick;
    wait->seen_ms = bot->now_ms;
}

/// Returns true if the event refuses `setpos`: "setpos: REASON", or an unknown command.
/// "setpos: moved to ..." is a success.
static bool is_refusal(const cl_event_t *event) {
    return event->type == CL_EVENT_PRINT &&
           ((strncmp(event->text, "setpos: ", 8) == 0 &&
             strncmp(event->text + 8, "moved", 5) != 0) ||
            strncmp(event->text, "unknown command \"setpos ", 24) == 0);
}

/// Moves the client's events to the script's queue and handles a lost connection.
static void take_events(bot_t *bot) {
    cl_event_t event;
    while (CL_NextEvent(bot->cl, &event)) {
        bot->events_seen++;
        if (bot->wait.kind == BOT_WAITS_PLACE && is_refusal(&event)) {
            bool unknown = event.text[0] == 'u';
            strlcpy(bot->reason, event.text + (unknown ? 0 : 8), sizeof bot->reason);
            bot->wait.until_ms = bot->now_ms;
        }
        if (bot->num_events == BOT_MAX_EVENTS) {
            bot->first_event = (bot->first_event + 1) % BOT_MAX_EVENTS;
            bot->num_events--;
            bot->events_lost++;
        }
        bot->events[(bot->first_event + bot->num_events++) % BOT_MAX_EVENTS] = event;
    }
    if (bot->joined && CL_State(bot->cl) == CL_DISCONNECTED) {
        bot->joined = false;
        bot->drop_pending = true;
        strlcpy(bot->reason, CL_Reason(bot->cl), sizeof bot->reason);
    }
}

/// Returns true if a join has succeeded, or has failed with the reason in bot->reason.
static bool join_is_over(bot_t *bot) {
    if (CL_State(bot->cl) == CL_ACTIVE) {
        bot->joined = true;
        bot->ever_joined = true;
        return true;
    }
    bool refused = CL_State(bot->cl) == CL_DISCONNECTED;
    if (!refused && bot->now_ms < bot->wait.until_ms) {
        return false;
    }
    if (refused) {
        strlcpy(bot->reason, CL_Reason(bot->cl), sizeof bot->reason);
    } else {
        snprintf(bot->reason, sizeof bot->reason, "no answer within %d s", BOT_JOIN_MS / 1000);
        CL_Disconnect(bot->cl);
    }
    bot->join_failed = true;
    return true;
}

static bool meeting_is_over(bot_t *bot) {
    meeting_t *meeting = bot->wait.meeting;
    count_ticks(bot);
    bot->wait.arrived = meeting->round != bot->wait.round;
    if (!bot->wait.arrived && (bot->drop_pending || bot->wait.ticks_left <= 0)) {
        snprintf(bot->reason, sizeof bot->reason, "\"%s\": only %d of %d bots arrived in time",
                 meeting->name, meeting->arrived, meeting->needed);
        meeting->arrived--;
        return true;
    }
    return bot->wait.arrived;
}

uint64_t Bot_EventsLost(const bot_t *bot) {
    cl_stats_t stats;
    CL_Stats(bot->cl, &stats);
    return bot->events_lost + stats.events_lost;
}

void Bot_AskConsole(bot_t *bot, const char *command, int64_t limit_ms) {
    strlcpy(bot->command, command, sizeof bot->command);
    bot->wait = (bot_wait_t){.kind = BOT_WAITS_CONSOLE, .until_ms = bot->now_ms + limit_ms};
}

static bool console_is_over(bot_t *bot) {
    err_t err;
    bot_wait_t *wait = &bot->wait;
    wait->arrived = Operator_Run(bot->config.console, bot->config.index, bot->command, &err);
    bool is_late = bot->now_ms >= wait->until_ms;
    if (!wait->arrived && (err.text[0] != '\0' || is_late)) {
        strlcpy(bot->reason, err.text[0] != '\0' ? err.text : "no answer in time",
                sizeof bot->reason);
        Operator_Release(bot->config.console, bot->config.index);
        return true;
    }
    return wait->arrived;
}

static bool wait_is_over(bot_t *bot) {
    bot_wait_t *wait = &bot->wait;
    switch (wait->kind) {
    case BOT_WAITS_NOT:
        return true;
    case BOT_WAITS_JOIN:
        return join_is_over(bot);
    case BOT_WAITS_TICKS:
        count_ticks(bot);
        return bot->drop_pending || wait->ticks_left <= 0;
    case BOT_WAITS_PLACE: {
        cl_player_state_t self;
        wait->arrived =
            CL_Self(bot->cl, &self) && (self.flags & CL_FLAG_TELEPORT) != wait->teleport;
        return bot->drop_pending || wait->arrived || bot->now_ms >= wait->until_ms;
    }
    case BOT_WAITS_MEET:
        return meeting_is_over(bot);
    case BOT_WAITS_CONSOLE:
        return console_is_over(bot);
    case BOT_WAITS_GOTO:
        count_ticks(bot);
        if (bot->joined) {
            Bot_Steer(bot);
        }
        return bot->drop_pending || wait->arrived || wait->ticks_left <= 0;
    }
    return true;
}

/// Disconnects the bot and sets its outcome. `finished`: false = the script failed or ran out of
/// time, for `reason`.
static void finish(bot_t *bot, bool finished, const char *reason) {
    bot->outcome = BOT_PASSED;
    if (!finished) {
        bool joining = bot->wait.kind == BOT_WAITS_JOIN && !bot->ever_joined;
        bot->outcome = bot->join_failed || joining ? BOT_NOT_CONNECTED : BOT_FAILED;
        strlcpy(bot->verdict, reason, sizeof bot->verdict);
    } else if (bot->join_failed) {
        bot->outcome = BOT_NOT_CONNECTED;
        snprintf(bot->verdict, sizeof bot->verdict, "%s: could not join: %s", bot->box.name,
                 bot->reason);
    } else if (!bot->tried_join) {
        bot->outcome = BOT_FAILED;
        snprintf(bot->verdict, sizeof bot->verdict, "%s: never joined; call bot:join()",
                 bot->box.name);
    } else if (bot->drop_pending) {
        bot->outcome = BOT_FAILED;
        snprintf(bot->verdict, sizeof bot->verdict, "%s: was dropped before it ended: %s",
                 bot->box.name, bot->reason);
    }
    if (bot->outcome == BOT_PASSED && bot->expects_failed > 0) {
        bot->outcome = BOT_FAILED;
    }
    if (CL_State(bot->cl) != CL_DISCONNECTED) {
        Bot_Leave(bot);
    }
    if (bot->config.console) {
        Operator_Release(bot->config.console, bot->config.index);
    }
    bot->ended_ms = bot->now_ms;
    bot->phase = BOT_LEAVING;
}

void Bot_Step(bot_t *bot, int64_t now_ms) {
    ASSERT(now_ms >= bot->now_ms);
    bot->start_ms = bot->now_ms == 0 ? now_ms : bot->start_ms;
    bot->now_ms = now_ms;
    if (bot->phase == BOT_OVER) {
        return;
    }
    CL_Frame(bot->cl, now_ms);
    take_events(bot);
    if (bot->joined && bot->move.target > 0) {
        (void)Bot_FollowTarget(bot); // it may come into view again
    }
    if (bot->phase == BOT_LEAVING) {
        if (bot->leave_ms == 0 || now_ms - bot->leave_ms >= BOT_GOODBYE_MS) {
            bot->phase = BOT_OVER;
        }
        return;
    }
    if (!wait_is_over(bot)) {
        return;
    }
    bot->wait.kind = BOT_WAITS_NOT;
    err_t err = {""};
    sandbox_result_t result = Sandbox_Resume(&bot->box, &err);
    if (result != SANDBOX_WAITING) {
        finish(bot, result == SANDBOX_FINISHED, err.text);
    } else if (bot->wait.kind == BOT_WAITS_NOT) {
        Bot_WaitTicks(bot, BOT_WAITS_TICKS, 1); // a bare coroutine.yield() waits for one tick
    }
}

void Bot_Stop(bot_t *bot, const char *reason) {
    if (bot->phase != BOT_RUNNING) {
        return;
    }
    char where[128], text[384];
    Sandbox_Where(&bot->box, NULL, where, sizeof where);
    bool is_joining = bot->wait.kind == BOT_WAITS_JOIN;
    snprintf(text, sizeof text, "%s: %s%s", where, is_joining ? "no answer from the server; " : "",
             reason);
    finish(bot, false, text);
}
