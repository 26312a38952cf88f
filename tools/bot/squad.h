/// bot/squad.h - all bots of a process: steps them and writes their results.
//
// Units:   ms of the caller's clock.
// Memory:  owns its bots. The script's text and the maps belong to the caller.

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
    int64_t *due_ms; ///< per bot: time of the next step if no datagram arrives
    bool *reported;  ///< per bot: its test point is written
    int32_t count;
    int64_t end_ms; ///< bots that still run then have failed; 0 before the first step
    int32_t limit_s;
    tap_t *tap;
    watchdog_t *dog;
    meetings_t meetings;
    int32_t num_refused; ///< bots that found the server full
    bool not_connected;  ///< a bot failed because it could not join
    bool script_failed;  ///< a bot failed for another reason
} squad_t;

/// Parameters of Squad_Create. Everything but args must outlive the squad.
typedef struct {
    const bot_args_t *args;
    const char *script;
    size_t script_size;
    cl_maps_t *maps; ///< NULL = no prediction
    tap_t *tap;
    watchdog_t *dog;
} squad_config_t;

/// Totals for a status line.
typedef struct {
    int32_t joined, over, count;
    float mean_speed; ///< qu/s, level, of joined bots
    int32_t rtt_ms;   ///< mean of joined bots
    uint64_t events;  ///< received by all bots so far
} squad_status_t;

/// Creates the bots, each with its own socket. Returns EXIT_HELD, or with the reason
/// EXIT_SCRIPT_FAILED if the script does not compile, EXIT_NO_SERVER otherwise.
int Squad_Create(squad_t *squad, const squad_config_t *config, err_t *err);

/// Fills in one poll entry per bot.
void Squad_PollFds(const squad_t *squad, struct pollfd *fds);

/// Steps the bots whose entry in `fds` is ready or whose step is due; after the time limit, stops
/// all. Writes a test point for each bot that has ended. Returns false when all have ended.
bool Squad_Step(squad_t *squad, int64_t now_ms, const struct pollfd *fds);

/// Returns the maximum time to poll, ms.
int32_t Squad_PatienceMs(const squad_t *squad, int64_t now_ms);

/// Ends all bots that still run, as failed.
void Squad_Stop(squad_t *squad, const char *reason);

squad_status_t Squad_Status(const squad_t *squad);

/// Writes a note about a full server and the summary. Returns the exit status of the program.
int Squad_Finish(const squad_t *squad);

void Squad_Destroy(squad_t *squad);

#endif
