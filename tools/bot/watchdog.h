/// bot/watchdog.h - a thread that ends the program if a script is stuck in one library call (a
/// hostile string pattern). The sandbox does not count instructions there.
//
// Memory:  the caller's watchdog_t must keep its address until Watchdog_Stop.

#ifndef EDICTD_BOT_WATCHDOG_H
#define EDICTD_BOT_WATCHDOG_H

#include "base/err.h"
#include "base/types.h"

#include <pthread.h>
#include <stdatomic.h>

#define WATCHDOG_SECONDS 5 // maximum duration of one library call

typedef struct {
    atomic_int busy;    ///< index of the bot whose script runs; 0: none
    atomic_uint passes; ///< counts the calls of Watchdog_Report
    int pipe[2];        ///< closing the write end ends the thread
    pthread_t thread;
    const char *script;
} watchdog_t;

/// Starts the thread. If a script is stuck, the thread writes "Bail out! ..." to stdout and ends
/// the program with status 1. Returns false with the reason if no thread can be started.
bool Watchdog_Start(watchdog_t *dog, const char *script, err_t *err);

/// Reports that the script of bot `index` starts to run; `index` 0: no script runs any more.
static inline void Watchdog_Report(watchdog_t *dog, int32_t index) {
    atomic_fetch_add(&dog->passes, 1u);
    atomic_store(&dog->busy, index);
}

void Watchdog_Stop(watchdog_t *dog);

#endif
