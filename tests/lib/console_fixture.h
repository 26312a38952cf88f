/// console_fixture.h - a console, its output, and a server that it steers.

#ifndef EDICTD_TESTS_CONSOLE_FIXTURE_H
#define EDICTD_TESTS_CONSOLE_FIXTURE_H

#include "lib/peer_fixture.h"
#include "lib/testing.h"

#include "base/file.h"
#include "ops/console.h"

#include <string.h>
#include <unistd.h>

typedef struct {
    char text[16384]; ///< lines so far
    console_t console;
    log_t log;
    char folder[64];
    test_net_t net;
} scene_t;

static inline void keep_line(void *context, log_level_t level, const char *line) {
    scene_t *scene = context;
    size_t used = strlen(scene->text);
    snprintf(scene->text + used, sizeof scene->text - used, "%s: %s\n", Log_LevelName(level), line);
}

static inline void set_up(scene_t *scene) {
    memset(scene, 0, sizeof *scene);
    scene->log = (log_t){keep_line, scene, LOG_INFO};
    Console_Init(&scene->console, &scene->log);
    snprintf(scene->folder, sizeof scene->folder, "/tmp/edictd-console-XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
}

// As main does once the server runs.
static inline void start_server(scene_t *scene) {
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    const test_net_config_t config = {.seed = 1, .max_clients = 4, .map = &room};
    TestNet_Init(&scene->net, &config);
    TestNet_WriteMap(&scene->net, &(test_map_t){.room = room.room, .name = "second"}, "second");
    scene->console.server = scene->net.server;
    snprintf(scene->console.host.sv_mappath, CVAR_STRING_BYTES, "%s", scene->net.folder);
    scene->console.host.sv_maxclients = 4;
}

static inline void tear_down(scene_t *scene) {
    char command[128];
    if (scene->console.server) {
        TestNet_Free(&scene->net);
    }
    snprintf(command, sizeof command, "rm -rf %s", scene->folder);
    assert_int_equal(system(command), 0);
}

static inline char *path_of(const scene_t *scene, const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", scene->folder, name);
    return path;
}

static inline void write_config(const scene_t *scene, const char *name, const char *text) {
    err_t err;
    assert_true(File_Write(path_of(scene, name), text, strlen(text), &err));
}

// Runs a line that must succeed; returns its output.
static inline const char *says(scene_t *scene, const char *line) {
    err_t err = {{0}};
    scene->text[0] = '\0';
    if (!Console_Line(&scene->console, line, &err)) {
        fail_msg("%s: %s", line, err.text);
    }
    return scene->text;
}

// Runs a line that must not; why.
static inline const char *fails(scene_t *scene, const char *line) {
    static err_t err;
    scene->text[0] = '\0';
    err.text[0] = '\0';
    if (Console_Line(&scene->console, line, &err)) {
        fail_msg("%s: works", line);
    }
    return err.text;
}

#define assert_has(text, part) assert_non_null(strstr(text, part))

#endif
