#include "bot/squad.h"

#include "base/file.h"
#include "math/vec3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(void *context, int32_t index, const char *text) {
    tap_t *tap = context;
    if (!tap->quiet) {
        Tap_Note(tap, "bot %d: %s", index, text);
    }
}

// `tokens`: lines, which are cut apart; NULL = none.
static int create_bots(squad_t *squad, const bot_args_t *args, bot_config_t *config, char *tokens,
                       err_t *err) {
    cl_net_config_t net = {.local = args->local, .network = args->network};
    for (int32_t i = 0; i < args->count; i++) {
        net.seed = (uint64_t)args->seed + (uint64_t)(args->first + i);
        config->token = tokens ? strsep(&tokens, "\n") : NULL;
        if (args->tokens && (!config->token || config->token[0] == '\0')) {
            Err_Set(err, "-T %s: expected %d lines with a token each", args->tokens, args->count);
            return EXIT_NO_SERVER;
        }
        config->index = args->first + i;
        config->net = CL_NetCreate(&net, err);
        if (!config->net) {
            return EXIT_NO_SERVER;
        }
        if (!Bot_Create(&squad->bots[i], config, err)) {
            return EXIT_SCRIPT_FAILED;
        }
        squad->count = i + 1;
    }
    return EXIT_PASSED;
}

int Squad_Create(squad_t *squad, const squad_config_t *wanted, err_t *err) {
    const bot_args_t *args = wanted->args;
    size_t count = (size_t)args->count;
    *squad = (squad_t){.limit_s = args->limit_s,
                       .console = wanted->console,
                       .tap = wanted->tap,
                       .dog = wanted->dog};
    squad->bots = calloc(count, sizeof *squad->bots);
    squad->due_ms = calloc(count, sizeof *squad->due_ms);
    squad->reported = calloc(count, sizeof *squad->reported);
    squad->routes = CL_RoutesCreate();
    if (!squad->bots || !squad->due_ms || !squad->reported || !squad->routes) {
        Err_Set(err, "out of memory for %d bots", args->count);
        return EXIT_NO_SERVER;
    }
    bot_config_t config = {.count = args->count,
                           .limit_s = args->limit_s,
                           .seed = args->seed,
                           .server = args->server,
                           .password = args->password,
                           .server_key = args->server_key,
                           .seal = args->seal,
                           .reconnects = args->reconnects,
                           .maps = wanted->maps,
                           .console = wanted->console,
                           .meetings = &squad->meetings,
                           .routes = squad->routes,
                           .script_name = args->script,
                           .script = wanted->script,
                           .script_size = wanted->script_size,
                           .note = note,
                           .note_context = wanted->tap};
    char *tokens = NULL;
    if (args->tokens &&
        !(tokens = (char *)File_Read(args->tokens, MAX_SCRIPT_BYTES, &(size_t){0}, err))) {
        return EXIT_NO_SERVER;
    }
    int status = create_bots(squad, args, &config, tokens, err);
    free(tokens);
    return status;
}

void Squad_Destroy(squad_t *squad) {
    for (int32_t i = 0; i < squad->count; i++) {
        Bot_Destroy(&squad->bots[i]);
    }
    CL_RoutesDestroy(squad->routes);
    free(squad->bots);
    free(squad->due_ms);
    free(squad->reported);
    *squad = (squad_t){0};
}

void Squad_PollFds(const squad_t *squad, struct pollfd *fds) {
    for (int32_t i = 0; i < squad->count; i++) {
        cl_transport_t *net = squad->bots[i].config.net;
        bool over = squad->bots[i].phase == BOT_OVER;
        fds[i] = (struct pollfd){.fd = over ? -1 : net->descriptor(net), .events = POLLIN};
    }
}

/// Writes the test point and the failed expects of a bot that has ended.
static void report(squad_t *squad, const bot_t *bot) {
    tap_t *tap = squad->tap;
    const char *script = bot->box.name;
    int32_t index = bot->config.index;
    if (bot->outcome == BOT_PASSED) {
        if (bot->expects > 0) {
            Tap_Point(tap, true, "%s bot %d: %d of %d expects passed", script, index, bot->expects,
                      bot->expects);
        } else {
            Tap_Point(tap, true, "%s bot %d: ran to its end", script, index);
        }
        return;
    }
    squad->num_refused += strstr(bot->reason, "the server is full") != NULL;
    *(bot->outcome == BOT_NOT_CONNECTED ? &squad->not_connected : &squad->script_failed) = true;
    if (bot->verdict[0]) {
        Tap_Point(tap, false, "%s bot %d: %s", script, index, bot->verdict);
    } else {
        Tap_Point(tap, false, "%s bot %d: %d of %d expects failed", script, index,
                  bot->expects_failed, bot->expects);
    }
    for (int32_t i = 0; i < bot->num_failures; i++) {
        Tap_Note(tap, "%s", bot->failures[i]);
    }
    if (bot->expects_failed > bot->num_failures) {
        Tap_Note(tap, "and %d more failed expects", bot->expects_failed - bot->num_failures);
    }
}

void Squad_Stop(squad_t *squad, const char *reason) {
    for (int32_t i = 0; i < squad->count; i++) {
        Bot_Stop(&squad->bots[i], reason);
    }
}

bool Squad_Step(squad_t *squad, int64_t now_ms, const struct pollfd *fds) {
    if (squad->end_ms == 0) {
        squad->end_ms = now_ms + (int64_t)squad->limit_s * 1000;
    }
    if (squad->limit_s > 0 && now_ms >= squad->end_ms) {
        char reason[64];
        snprintf(reason, sizeof reason, "still running at the limit of %d s (-t)", squad->limit_s);
        Squad_Stop(squad, reason);
    }
    bool all_over = true;
    if (squad->console) {
        Operator_Read(squad->console);
    }
    for (int32_t i = 0; i < squad->count; i++) {
        bot_t *bot = &squad->bots[i];
        if (bot->phase != BOT_OVER && (fds[i].revents != 0 || now_ms >= squad->due_ms[i])) {
            Watchdog_Report(squad->dog, bot->config.index);
            Bot_Step(bot, now_ms);
            Watchdog_Report(squad->dog, 0);
            squad->due_ms[i] = now_ms + Bot_PatienceMs(bot);
        }
        if (bot->phase != BOT_RUNNING && !squad->reported[i]) {
            squad->reported[i] = true;
            report(squad, bot);
        }
        all_over = all_over && bot->phase == BOT_OVER;
    }
    return !all_over;
}

int32_t Squad_PatienceMs(const squad_t *squad, int64_t now_ms) {
    int64_t due = now_ms + 1000;
    for (int32_t i = 0; i < squad->count; i++) {
        if (squad->bots[i].phase != BOT_OVER && squad->due_ms[i] < due) {
            due = squad->due_ms[i];
        }
    }
    return due > now_ms ? (int32_t)(due - now_ms) : 0;
}

squad_status_t Squad_Status(const squad_t *squad) {
    squad_status_t status = {.count = squad->count};
    float speeds = 0.0f;
    int64_t rtts = 0;
    for (int32_t i = 0; i < squad->count; i++) {
        const bot_t *bot = &squad->bots[i];
        cl_player_state_t self;
        status.events += bot->events_seen;
        status.joined += bot->ever_joined;
        if (bot->joined && CL_Self(bot->cl, &self)) {
            cl_stats_t stats;
            CL_Stats(bot->cl, &stats);
            status.playing++;
            speeds += VectorLength(Vector(self.velocity.x, self.velocity.y, 0.0f));
            rtts += stats.rtt_ms;
        }
    }
    if (status.playing > 0) {
        status.mean_speed = speeds / (float)status.playing;
        status.rtt_ms = (int32_t)(rtts / status.playing);
    }
    return status;
}

int Squad_Finish(const squad_t *squad) {
    if (squad->num_refused > 0) {
        Tap_Note(squad->tap,
                 "%d of %d bots found the server full: raise its sv_maxclients, or wait until "
                 "players leave",
                 squad->num_refused, squad->count);
    }
    Tap_Summary(squad->tap);
    if (squad->script_failed) {
        return EXIT_SCRIPT_FAILED;
    }
    if (squad->not_connected) {
        return EXIT_NO_SERVER;
    }
    return Tap_AllPassed(squad->tap) ? EXIT_PASSED : EXIT_SCRIPT_FAILED;
}
