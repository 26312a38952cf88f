#include "mesh/guard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int ME_Guard(int (*job)(void *context), void *context, int *signal_number) {
    int status = 0;
    *signal_number = 0;
    fflush(NULL); // otherwise both processes would write the buffered text
    pid_t child = fork();
    if (child < 0) {
        return -1;
    }
    if (child == 0) {
        exit(job(context));
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    if (WIFEXITED(status)) {
        return WEXITSTATUS(status);
    }
    *signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return -1;
}
