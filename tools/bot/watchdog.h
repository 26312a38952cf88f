/// bot/watchdog.h - a thread that ends the program if a Lua script is stuck in one library call.
//
// Memory:  do not move the watchdog_t before Watchdog_Stop.

#ifndef EDICTD_BOT_WATCHDOG_H
#define EDICTD_BOT_WATCHDOG_H

#include "base/err.h"
#include "base/types.h"

#include <pthread.h>
#include <stdatomic.h>

#define WATCHDOG_SECONDS 5 // maximum duration of one library call

typedef struct {
    atomic_int busy;    ///< index of the bot whose script runs; 0 = none
    atomic_uint passes; ///< counts the calls of Watchdog_Report
    int pipe[2];        ///< closing the write end ends the thread
    pthread_t thread;
    const char *script;
} watchdog_t;

/// Starts the thread. If a script is stuck, the thread writes "Bail out! ..." to stdout and ends
/// the program with status 1.
bool Watchdog_Start(watchdog_t *dog, const char *script, err_t *err);

/// Call this before the script of bot `index` runs, and with index 0 after it.
static inline void Watchdog_Report(watchdog_t *dog, int32_t index) {
    atomic_fetch_add(&dog->passes, 1u);
    atomic_store(&dog->busy, index);
}

void Watchdog_Stop(watchdog_t *dog);

#endif
