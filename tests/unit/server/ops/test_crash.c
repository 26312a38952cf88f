// Crash reports of a game module, in a process of its own. Also in builds with sanitizers, which
// have handlers for some signals.

#include "lib/testing.h"

#include "core/game_api.h"
#include "ops/crash.h"
#include "world/running.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static crash_t crash;

static void on_crash(int number, siginfo_t *info, void *context) {
    (void)context;
    Crash_Report(&crash, number, info);
}

static void *world_vars(const sv_context_t *sv) {
    static int64_t vars[16];
    (void)sv;
    return vars;
}

// Runs the think callback of a module, as edict 17 in tick 1234.
static void think(const char *path) {
    static const sv_running_t running = {.kind = "think",
                                         .name = "tiny_think",
                                         .edict = 17,
                                         .classname = "tiny_clock",
                                         .entries = 1,
                                         .tick = 1234,
                                         .fault = "edict 17 (tiny_clock) wrote too far"};
    static const game_import_t engine = {.world_vars = world_vars};
    sv_context_t sv = {.engine = &engine};
    edict_t edict = {.inuse = 1};
    void *module = dlopen(path, RTLD_NOW);
    const game_export_t *(*get)(void) = NULL;
    if (module) {
        *(void **)&get = dlsym(module, "Game_Export");
    }
    if (!get) {
        _exit(99);
    }
    crash.module = path;
    crash.running = &running;
    Crash_Install(&crash, on_crash);
    get()->callbacks[0].think(&sv, &edict);
    _exit(0);
}

// Returns the text that a process printed while it ran the module, and its status.
static int run(const char *path, char *text, size_t size) {
    int ends[2];
    int status = 0;
    size_t used = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        think(path);
    }
    close(ends[1]);
    for (ssize_t got = 1; got > 0 && used<size - 1; used += got> 0 ? (size_t)got : 0) {
        got = read(ends[0], text + used, size - 1 - used);
    }
    text[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void expect(const char *text, const char *part) {
    if (!strstr(text, part)) {
        fail_msg("expected \"%s\" in:\n%s", part, text);
    }
}

static void test_a_failed_assert_in_a_module(void **state) {
    (void)state;
    static char text[65536];
    char path[512];
    char part[1024];
    snprintf(path, sizeof path, "%s/tests/modules/tiny_assert.so", Test_BuildFolder());
    int status = run(path, text, sizeof text);
    expect(text, "edictd: bug: tests/modules/tiny");
    expect(text, "ASSERT(self == NULL) failed\n");
    snprintf(part, sizeof part,
             "edictd: error: crash: SIGABRT in the game module %s, think \"tiny_think\", edict 17 "
             "(tiny_clock), tick 1234\n",
             path);
    expect(text, part);
    expect(text, "\nedictd: warn: edict 17 (tiny_clock) wrote too far\n");
    expect(text, "tiny_assert.so+0x");
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_failed_assert_in_a_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
