#include "bot/bot.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_TICK_MS 16 // before any server has told its own

bool Bot_Create(bot_t *bot, const bot_config_t *config, err_t *err) {
    memset(bot, 0, sizeof *bot);
    bot->config = *config;
    // The index is spread over all bits, so that neighbours do not draw alike.
    bot->rng.state =
        (uint64_t)config->seed + UINT64_C(0xD1B54A32D192ED03) * (uint64_t)config->index;
    bot->cl = CL_Create(&(cl_config_t){.net = config->net, .maps = config->maps});
    if (!bot->cl) {
        Err_Set(err, "bot %d: not enough memory for a client", config->index);
        Bot_Destroy(bot);
        return false;
    }
    rng_t seeds = bot->rng;
    const sandbox_limits_t limits = {BOT_MEMORY_MAX, BOT_STEPS_MAX, (int64_t)Rng_Next(&seeds)};
    if (!Sandbox_Create(&bot->box, limits, bot, err) ||
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

static int32_t tick_ms(const bot_t *bot) {
    int32_t ms = CL_TickMs(bot->cl);
    return ms > 0 ? ms : DEFAULT_TICK_MS;
}

int32_t Bot_PatienceMs(const bot_t *bot) {
    return Q_MaxI(1, tick_ms(bot) / 4); // commands then leave at most a quarter of a tick late
}

bool Bot_Join(bot_t *bot, const char *name, bool spectator) {
    err_t err = {""};
    bot->join_failed = false;
    bot->drop_untold = false;
    bot->move = (bot_move_t){0};
    if (!CL_Connect(bot->cl, bot->config.server, name, spectator, &err)) {
        strlcpy(bot->reason, err.text, sizeof bot->reason);
        bot->join_failed = true;
        return false;
    }
    bot->reason[0] = '\0';
    bot->wait = (bot_wait_t){.kind = BOT_WAITS_JOIN, .until_ms = bot->now_ms + BOT_JOIN_MS};
    return true;
}

void Bot_Leave(bot_t *bot) {
    bot->drop_untold = false;
    if (CL_State(bot->cl) != CL_DISCONNECTED) {
        CL_Disconnect(bot->cl);
        bot->leave_ms = bot->now_ms;
    }
    bot->joined = false;
}

void Bot_Expect(bot_t *bot, bool held, const char *where, const char *why) {
    bot->join_failed = false; // a script that expects something of a failed join has dealt with it
    bot->expects++;
    if (held) {
        return;
    }
    bot->expects_failed++;
    if (bot->num_failures < BOT_MAX_FAILURES) {
        char *text = bot->failures[bot->num_failures++];
        snprintf(text, sizeof bot->failures[0], "%s: tick %lld: expected: %s", where,
                 (long long)CL_ServerTick(bot->cl), why);
    }
}

void Bot_WaitTicks(bot_t *bot, bot_wait_kind_t kind, int64_t ticks) {
    bot->wait = (bot_wait_t){.kind = kind,
                             .ticks_left = ticks,
                             .seen_tick = CL_ServerTick(bot->cl),
                             .seen_ms = bot->now_ms};
}

/// Counts a wait down by the server's ticks, or by time while there is no server to count.
static void count_ticks(bot_t *bot) {
    bot_wait_t *wait = &bot->wait;
    if (!bot->joined) {
        int64_t ticks = (bot->now_ms - wait->seen_ms) / tick_ms(bot);
        wait->ticks_left -= ticks;
        wait->seen_ms += ticks * tick_ms(bot);
        return;
    }
    int64_t tick = CL_ServerTick(bot->cl);
    // A new map counts from zero again.
    wait->ticks_left -= tick >= wait->seen_tick ? tick - wait->seen_tick : tick;
    wait->seen_tick = tick;
    wait->seen_ms = bot->now_ms;
}

/// Moves the client's events to the script's queue and notes what concerns the connection.
static void take_events(bot_t *bot) {
    cl_event_t event;
    while (CL_NextEvent(bot->cl, &event)) {
        bot->events_seen++;
        if (bot->num_events == BOT_MAX_EVENTS) {
            bot->first_event = (bot->first_event + 1) % BOT_MAX_EVENTS;
            bot->num_events--;
            bot->events_lost++;
        }
        bot->events[(bot->first_event + bot->num_events++) % BOT_MAX_EVENTS] = event;
    }
    if (bot->joined && CL_State(bot->cl) == CL_DISCONNECTED) {
        bot->joined = false;
        bot->drop_untold = true;
        strlcpy(bot->reason, CL_Reason(bot->cl), sizeof bot->reason);
    }
}

/// True when the join has come to an end, good or bad.
static bool join_is_over(bot_t *bot) {
    if (CL_State(bot->cl) == CL_ACTIVE) {
        bot->joined = true;
        bot->welcomed = true;
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

static bool wait_is_over(bot_t *bot) {
    switch (bot->wait.kind) {
    case BOT_WAITS_NOT:
        return true;
    case BOT_WAITS_JOIN:
        return join_is_over(bot);
    case BOT_WAITS_TICKS:
        count_ticks(bot);
        return bot->drop_untold || bot->wait.ticks_left <= 0;
    case BOT_WAITS_GOTO:
        count_ticks(bot);
        if (bot->joined) {
            Bot_Steer(bot);
        }
        return bot->drop_untold || bot->wait.arrived || bot->wait.ticks_left <= 0;
    }
    return true;
}

/// The script has ended: what is its outcome?
static void judge(bot_t *bot, bool finished, const char *reason) {
    bot->outcome = BOT_HELD;
    if (!finished) {
        bool waits = bot->wait.kind == BOT_WAITS_JOIN && !bot->welcomed; // no server so far
        bot->outcome = bot->join_failed || waits ? BOT_NOT_CONNECTED : BOT_FAILED;
        strlcpy(bot->verdict, reason, sizeof bot->verdict);
    } else if (bot->join_failed) {
        bot->outcome = BOT_NOT_CONNECTED;
        snprintf(bot->verdict, sizeof bot->verdict, "%s: could not join: %s", bot->box.name,
                 bot->reason);
    } else if (bot->drop_untold) {
        bot->outcome = BOT_FAILED;
        snprintf(bot->verdict, sizeof bot->verdict, "%s: ended after it was dropped: %s",
                 bot->box.name, bot->reason);
    }
    if (bot->outcome == BOT_HELD && bot->expects_failed > 0) {
        bot->outcome = BOT_FAILED;
    }
    if (CL_State(bot->cl) != CL_DISCONNECTED) {
        Bot_Leave(bot);
    }
    bot->phase = BOT_LEAVING;
}

void Bot_Step(bot_t *bot, int64_t now_ms) {
    ASSERT(now_ms >= bot->now_ms);
    bot->now_ms = now_ms;
    if (bot->phase == BOT_OVER) {
        return;
    }
    CL_Frame(bot->cl, now_ms);
    take_events(bot);
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
        judge(bot, result == SANDBOX_FINISHED, err.text);
    } else if (bot->wait.kind == BOT_WAITS_NOT) {
        Bot_WaitTicks(bot, BOT_WAITS_TICKS, 1); // a bare coroutine.yield()
    }
}

void Bot_Stop(bot_t *bot, const char *reason) {
    if (bot->phase != BOT_RUNNING) {
        return;
    }
    char where[128], text[384];
    Sandbox_Where(&bot->box, NULL, where, sizeof where);
    snprintf(text, sizeof text, "%s: %s", where, reason);
    judge(bot, false, text);
}
