/// trips.h - checks that a statement trips an ASSERT.

#ifndef EDICTD_TESTS_TRIPS_H
#define EDICTD_TESTS_TRIPS_H

#include "lib/testing.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// Runs the statement in a child process. Fails unless an ASSERT whose condition contains `text`
/// aborts it.
#define assert_trips(text, statement)                                                              \
    do {                                                                                           \
        int trip_pipe[2];                                                                          \
        assert_int_equal(pipe(trip_pipe), 0);                                                      \
        fflush(NULL);                                                                              \
        pid_t trip_child = fork();                                                                 \
        assert_true(trip_child >= 0);                                                              \
        if (trip_child == 0) {                                                                     \
            signal(SIGABRT, SIG_DFL);                                                              \
            dup2(trip_pipe[1], STDERR_FILENO);                                                     \
            statement;                                                                             \
            _exit(0);                                                                              \
        }                                                                                          \
        Trips_Check(trip_child, trip_pipe, text);                                                  \
    } while (0)

/// Waits for the child of assert_trips and compares how it ended.
static inline void Trips_Check(pid_t child, const int ends[2], const char *text) {
    char said[2048];
    size_t length = 0;
    close(ends[1]);
    for (ssize_t got; length < sizeof said - 1 &&
                      (got = read(ends[0], said + length, sizeof said - 1 - length)) > 0;) {
        length += (size_t)got;
    }
    said[length] = '\0';
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(said, text)) {
        fail_msg("expected an ASSERT with \"%s\", found status %d and: %s", text, status, said);
    }
}

#endif
