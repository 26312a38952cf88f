#include "bot/watchdog.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// Ends the program without stdio, because the stuck thread may hold a lock of stdio.
static _Noreturn void bail_out(const watchdog_t *dog, int index) {
    char text[256];
    int length = snprintf(text, sizeof text,
                          "Bail out! %s: bot %d has been inside one library call for %d s\n",
                          dog->script, index, WATCHDOG_SECONDS);
    size_t size = (size_t)Q_ClampI(length, 0, (int32_t)sizeof text - 1);
    if (write(STDOUT_FILENO, text, size) < 0) {
        _exit(1); // nothing is left to report to except the exit status
    }
    _exit(1);
}

static void *watch(void *context) {
    watchdog_t *dog = context;
    unsigned seen = 0;
    int still = 0;
    struct pollfd end = {.fd = dog->pipe[0], .events = POLLIN};
    for (;;) {
        int ready = poll(&end, 1, 1000); // poll's time-out is the clock of this thread
        if (ready > 0) {
            return NULL;
        }
        if (ready < 0) {
            continue; // interrupted by a signal
        }
        unsigned passes = atomic_load(&dog->passes);
        int busy = atomic_load(&dog->busy);
        still = busy != 0 && passes == seen ? still + 1 : 0;
        seen = passes;
        if (still >= WATCHDOG_SECONDS) {
            bail_out(dog, busy);
        }
    }
}

bool Watchdog_Start(watchdog_t *dog, const char *script, err_t *err) {
    dog->script = script;
    atomic_init(&dog->busy, 0);
    atomic_init(&dog->passes, 0);
    if (pipe(dog->pipe) != 0) {
        return Err_Set(err, "watchdog: cannot create a pipe: %s", strerror(errno));
    }
    int failed = pthread_create(&dog->thread, NULL, watch, dog);
    if (failed) {
        close(dog->pipe[0]);
        close(dog->pipe[1]);
        return Err_Set(err, "watchdog: cannot start a thread: %s", strerror(failed));
    }
    return true;
}

void Watchdog_Stop(watchdog_t *dog) {
    close(dog->pipe[1]); // poll in the thread then returns
    pthread_join(dog->thread, NULL);
    close(dog->pipe[0]);
}
