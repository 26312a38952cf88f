#include "ops/install_paths.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOT    "edict-bot"
#define SCRIPT "examples/patrol.lua"
#define PLAYER "examples/fighter.lua"

// Writes the folder of the running program. Returns false if /proc is not mounted.
static bool program_folder(char folder[MAX_PATH_BYTES]) {
    ssize_t length = readlink("/proc/self/exe", folder, MAX_PATH_BYTES - 1);
    if (length <= 0) {
        return false;
    }
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    *(slash ? slash : folder) = '\0';
    return slash != NULL;
}

// Returns a path below the current folder as a relative path, and any other path unchanged.
static const char *relative(const char *path) {
    char here[MAX_PATH_BYTES];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool is_below = length > 1 && strncmp(path, here, length) == 0 && path[length] == '/';
    return is_below ? path + length + 1 : path;
}

// Resolves a path that is relative to the program's folder. Returns false if nothing exists there.
static bool find(const char *below, char path[MAX_PATH_BYTES]) {
    char folder[MAX_PATH_BYTES], joined[MAX_PATH_BYTES * 2], real[PATH_MAX];
    if (!program_folder(folder)) {
        return false;
    }
    snprintf(joined, sizeof joined, "%s/%s", folder, below);
    if (!realpath(joined, real)) {
        return false;
    }
    return strlcpy(path, relative(real), MAX_PATH_BYTES) < MAX_PATH_BYTES;
}

// Returns true if a shell finds the file `path` by `name`.
static bool is_in_path(const char *name, const char *path) {
    const char *folders = getenv("PATH");
    char wanted[PATH_MAX], found[PATH_MAX], joined[MAX_PATH_BYTES];
    for (const char *at = folders; at && realpath(path, wanted);) {
        int length = (int)strcspn(at, ":");
        snprintf(joined, sizeof joined, "%.*s/%s", length, at, name);
        if (access(joined, X_OK) == 0) {
            return realpath(joined, found) && strcmp(found, wanted) == 0;
        }
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    return false;
}

bool Install_MapPath(char *path, size_t size) {
    char maps[MAX_PATH_BYTES];
    if ((!find("../share/edictd/maps", maps) && !find("maps", maps)) ||
        strlen(maps) + sizeof "maps:" > size) {
        return false;
    }
    snprintf(path, size, "maps:%s", maps);
    return true;
}

bool Install_Bot(const char *wanted, char bot[MAX_PATH_BYTES], char script[MAX_PATH_BYTES]) {
    if (!find(BOT, bot)) {
        return false;
    }
    if (wanted[0] != '\0') {
        return strlcpy(script, wanted, MAX_PATH_BYTES) < MAX_PATH_BYTES &&
               access(script, R_OK) == 0;
    }
    return find("../" PLAYER, script) || find("../share/edictd/" PLAYER, script);
}

void Install_ModulePath(const char *name, char path[MAX_PATH_BYTES]) {
    char beside[MAX_PATH_BYTES], installed[MAX_PATH_BYTES];
    strlcpy(path, name, MAX_PATH_BYTES);
    if (strchr(name, '/') || access(name, F_OK) == 0 || strlen(name) > 128) {
        return;
    }
    snprintf(beside, sizeof beside, "game_%s.so", name);
    snprintf(installed, sizeof installed, "../lib/edictd/game_%s.so", name);
    if (!find(beside, path) && !find(installed, path)) {
        strlcpy(path, name, MAX_PATH_BYTES);
    }
}

#define WORD_BYTES (4 * MAX_PATH_BYTES + 3) // an apostrophe takes 4 bytes

// Writes a path as one word of a shell command.
static void quote(char word[WORD_BYTES], const char *path) {
    static const char safe[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
    if (path[strspn(path, safe)] == '\0') {
        strlcpy(word, path, WORD_BYTES);
        return;
    }
    size_t used = strlcpy(word, "'", WORD_BYTES);
    for (; *path != '\0'; path++) {
        used +=
            (size_t)snprintf(word + used, WORD_BYTES - used, *path == '\'' ? "'\\''" : "%c", *path);
    }
    strlcpy(word + used, "'", WORD_BYTES - used);
}

void Install_JoinCommand(uint16_t port, char *text, size_t size) {
    char bot[MAX_PATH_BYTES], script[MAX_PATH_BYTES];
    char bot_word[WORD_BYTES], script_word[WORD_BYTES];
    if (!find(BOT, bot) ||
        (!find("../" SCRIPT, script) && !find("../share/edictd/" SCRIPT, script))) {
        text[0] = '\0';
        return;
    }
    bool is_known = is_in_path(BOT, bot);
    quote(bot_word, is_known ? BOT : bot);
    quote(script_word, script);
    snprintf(text, size, "%s%s -c 127.0.0.1:%u %s", is_known || strchr(bot, '/') ? "" : "./",
             bot_word, port, script_word);
}
