/// bot/squad.h - runs all bots of a process and writes their results.
//
// Units:   ms of the caller's clock.
// Memory:  owns the bots. The caller owns the script's text and the maps.

#ifndef EDICTD_BOT_SQUAD_H
#define EDICTD_BOT_SQUAD_H

#include "bot/args.h"
#include "bot/bot.h"
#include "bot/tap.h"
#include "bot/watchdog.h"

#include <poll.h>

#define EXIT_PASSED        0
#define EXIT_SCRIPT_FAILED 1
#define EXIT_NO_SERVER     2 ///< also for wrong arguments

typedef struct {
    bot_t *bots;
    int64_t *due_ms; ///< per bot: time of the next step if no datagram arrives
    bool *reported;  ///< per bot: the result was written
    int32_t count;
    int64_t end_ms; ///< bots that still run at this time fail; 0 before the first step
    int32_t limit_s;
    tap_t *tap;
    watchdog_t *dog;
    operator_t *console; ///< for bot:console, or NULL
    meetings_t meetings;
    cl_routes_t *routes;
    int32_t num_refused; ///< number of bots that found the server full
    bool not_connected;  ///< a bot failed because it could not join
    bool script_failed;  ///< a bot failed for another reason
} squad_t;

/// Parameters of Squad_Create. All except `args` must outlive the squad.
typedef struct {
    const bot_args_t *args;
    const char *script;
    size_t script_size;
    cl_maps_t *maps;     ///< NULL: no prediction
    operator_t *console; ///< for bot:console, or NULL
    tap_t *tap;
    watchdog_t *dog;
} squad_config_t;

/// Numbers for the status line.
typedef struct {
    int32_t count;
    int32_t joined;   ///< number of bots that have joined, also those that have left again
    int32_t playing;  ///< number of bots that play now
    float mean_speed; ///< mean horizontal speed of playing bots, qu/s
    int32_t rtt_ms;   ///< mean round-trip time of playing bots
    uint64_t events;  ///< received by all bots so far
} squad_status_t;

/// Creates the bots. Returns EXIT_PASSED. Returns EXIT_SCRIPT_FAILED if a script cannot be started,
/// EXIT_NO_SERVER for any other failure.
int Squad_Create(squad_t *squad, const squad_config_t *config, err_t *err);

/// Fills in one poll entry per bot.
void Squad_PollFds(const squad_t *squad, struct pollfd *fds);

/// Runs each bot with a ready socket in `fds` or a due step. Writes one result line when a bot
/// ends. Returns false when all bots have ended.
bool Squad_Step(squad_t *squad, int64_t now_ms, const struct pollfd *fds);

/// Returns the maximum time to wait in poll(), ms.
int32_t Squad_PatienceMs(const squad_t *squad, int64_t now_ms);

/// Ends all running bots as failed, with a reason.
void Squad_Stop(squad_t *squad, const char *reason);

squad_status_t Squad_Status(const squad_t *squad);

/// Writes the summary. Returns the exit status of the program.
int Squad_Finish(const squad_t *squad);

void Squad_Destroy(squad_t *squad);

#endif
