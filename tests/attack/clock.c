/// attack/clock.c - preloaded into a server: steps of the system clock, seen by that process only.
//
// ATTACK_CLOCK names a file of two int64_t: the seconds to add to the time of day, written by
// attack.py at any time, and how often the time of day was read. CLOCK_MONOTONIC does not step.

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *shared;

__attribute__((constructor)) static void map_file(void) {
    const char *path = getenv("ATTACK_CLOCK");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *at = fd < 0 ? MAP_FAILED
                      : mmap(NULL, 2 * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    shared = at == MAP_FAILED ? NULL : at;
    if (fd >= 0) {
        close(fd);
    }
}

int clock_gettime(clockid_t id, struct timespec *out) {
    int result = (int)syscall(SYS_clock_gettime, id, out);
    if (result == 0 && shared && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
        out->tv_sec += shared[0];
        shared[1]++;
    }
    return result;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    struct timespec now = {0};
    int result = clock_gettime(CLOCK_REALTIME, &now);
    (void)zone;
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return result;
}

time_t time(time_t *out) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}
