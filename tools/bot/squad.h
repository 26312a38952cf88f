/// bot/squad.h - all the bots of a process: stepped when due, judged when over.
//
// Floor:   tools.
// Units:   ms of the caller's clock.
// Memory:  owns its bots; the script's text and the maps are the caller's.

#ifndef EDICTD_BOT_SQUAD_H
#define EDICTD_BOT_SQUAD_H

#include "bot/args.h"
#include "bot/bot.h"
#include "bot/tap.h"
#include "bot/watchdog.h"

#include <poll.h>

#define EXIT_HELD          0
#define EXIT_SCRIPT_FAILED 1
#define EXIT_NO_SERVER     2 ///< wrong arguments too

typedef struct {
    bot_t *bots;
    int64_t *due_ms; ///< when each is stepped though nothing came
    bool *judged;    ///< each has its test point
    int32_t count;
    int64_t end_ms; ///< what still runs then has failed; 0 before the first step
    int32_t limit_s;
    tap_t *tap;
    watchdog_t *dog;
    bool not_connected; ///< one failed because it could not join
    bool script_failed; ///< one failed otherwise
} squad_t;

/// What a squad is made of; all but args' values stays the caller's and must outlive it.
typedef struct {
    const bot_args_t *args;
    const char *script;
    size_t script_size;
    cl_maps_t *maps; ///< NULL = no prediction
    tap_t *tap;
    watchdog_t *dog;
} squad_config_t;

/// How the squad is doing, for a status line.
typedef struct {
    int32_t joined, over, count;
    float mean_speed; ///< qu/s, level, of those joined
    int32_t rtt_ms;   ///< mean of those joined
    uint64_t events;  ///< heard by all so far
} squad_status_t;

/// Makes the bots, each with a socket of its own. EXIT_HELD, or another exit status with the
/// reason: EXIT_SCRIPT_FAILED when the script does not compile.
int Squad_Create(squad_t *squad, const squad_config_t *config, err_t *err);

/// Fills in what to poll: one entry per bot.
void Squad_PollFds(const squad_t *squad, struct pollfd *fds);

/// Steps the bots whose entry in `fds` is ready or whose time has come, and those whose limit is
/// over. Writes a test point for each that has ended. False when all have.
bool Squad_Step(squad_t *squad, int64_t now_ms, const struct pollfd *fds);

/// How long to poll at most, ms.
int32_t Squad_PatienceMs(const squad_t *squad, int64_t now_ms);

/// Ends all that still run, as failed.
void Squad_Stop(squad_t *squad, const char *reason);

squad_status_t Squad_Status(const squad_t *squad);

/// The exit status of the whole.
int Squad_ExitStatus(const squad_t *squad);

void Squad_Destroy(squad_t *squad);

#endif
