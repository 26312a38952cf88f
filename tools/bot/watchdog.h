/// bot/watchdog.h - a thread that ends the program when a script is stuck inside one call of a
/// library (a hostile string pattern), where no instruction count can stop it.
//
// Floor:   tools.
// Memory:  the caller's watchdog_t must stay where it is until Watchdog_Stop.

#ifndef EDICTD_BOT_WATCHDOG_H
#define EDICTD_BOT_WATCHDOG_H

#include "base/err.h"
#include "base/types.h"

#include <pthread.h>
#include <stdatomic.h>

#define WATCHDOG_SECONDS 5

typedef struct {
    atomic_int busy;    ///< index of the bot whose script runs now, 0 = none
    atomic_uint passes; ///< goes up with each script that is run
    int pipe[2];        ///< its writing end is closed to end the thread
    pthread_t thread;
    const char *script;
} watchdog_t;

/// Starts it. On a stuck script it writes "Bail out! ..." to stdout and ends the program with
/// status 1. False with the reason.
bool Watchdog_Start(watchdog_t *dog, const char *script, err_t *err);

/// A bot's script is about to run; index 0: it no longer runs.
static inline void Watchdog_Tell(watchdog_t *dog, int32_t index) {
    atomic_fetch_add(&dog->passes, 1u);
    atomic_store(&dog->busy, index);
}

/// Ends the thread.
void Watchdog_Stop(watchdog_t *dog);

#endif
