/// bot/watchdog.h - a thread that ends the program if a script is stuck in one library call (a
/// hostile string pattern), which no instruction count can stop.
//
// Memory:  the caller's watchdog_t must not move until Watchdog_Stop.

#ifndef EDICTD_BOT_WATCHDOG_H
#define EDICTD_BOT_WATCHDOG_H

#include "base/err.h"
#include "base/types.h"

#include <pthread.h>
#include <stdatomic.h>

#define WATCHDOG_SECONDS 5

typedef struct {
    atomic_int busy;    ///< index of the bot whose script runs, 0 = none
    atomic_uint passes; ///< counts the runs of scripts
    int pipe[2];        ///< closing its writing end ends the thread
    pthread_t thread;
    const char *script;
} watchdog_t;

/// Starts the thread. If a script is stuck, it writes "Bail out! ..." to stdout and ends the
/// program with status 1. False with the reason if it cannot start.
bool Watchdog_Start(watchdog_t *dog, const char *script, err_t *err);

/// Reports that the script of bot `index` starts to run, or with 0 that it has stopped.
static inline void Watchdog_Report(watchdog_t *dog, int32_t index) {
    atomic_fetch_add(&dog->passes, 1u);
    atomic_store(&dog->busy, index);
}

/// Ends the thread.
void Watchdog_Stop(watchdog_t *dog);

#endif
