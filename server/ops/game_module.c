#include "ops/game_module.h"

#include "base/file.h"
#include "core/game_tables.h"
#include "ops/elf_size.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_MODULE_BYTES (64u << 20)
#define GAME_ENTRY       "Game_Export"

typedef const game_export_t *(*game_entry_fn)(void);

static bool write_all(int fd, const uint8_t *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t put = write(fd, data + done, size - done);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return false;
        }
        done += (size_t)put;
    }
    return true;
}

// A copy in memory, as the loader would give back the old code for a file it knows. It knows files
// by name, too: the descriptor stays open, so that no two loaded copies have the same name.
static void *open_copy(const uint8_t *data, size_t size, int *copy, err_t *err) {
    char path[64];
    int fd = memfd_create("edictd-game", MFD_CLOEXEC);
    if (fd < 0 || !write_all(fd, data, size)) {
        Err_Set(err, "cannot be copied: %s", strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        size_t skip = why && strncmp(why, path, strlen(path)) == 0 ? strlen(path) + 2 : 0;
        Err_Set(err, "expected a loadable module: %.300s", why ? why + skip : "unknown");
    }
    if (handle) {
        *copy = fd;
    } else {
        close(fd);
    }
    return handle;
}

static const game_export_t *game_of(void *handle, err_t *err) {
    game_entry_fn entry = NULL;
    void *symbol = dlsym(handle, GAME_ENTRY);
    if (!symbol) {
        Err_Set(err, "expected it to export %s, found no such function", GAME_ENTRY);
        return NULL;
    }
    memcpy(&entry, &symbol, sizeof entry); // POSIX: a function's address fits
    const game_export_t *game = entry();
    if (!game) {
        Err_Set(err, "%s gave no table", GAME_ENTRY);
        return NULL;
    }
    return SV_CheckGame(game, err) ? game : NULL;
}

bool GameModule_Load(game_module_t *module, const char *path, err_t *err) {
    err_t why = {{0}};
    size_t size = 0;
    *module = (game_module_t){0};
    if (strlen(path) >= sizeof module->path) {
        return Err_Set(err, "%.100s...: the path is too long", path);
    }
    uint8_t *data = File_Read(path, MAX_MODULE_BYTES, &size, err);
    if (!data) {
        return false;
    }
    if (Elf_IsWhole(data, size, &why)) {
        module->handle = open_copy(data, size, &module->fd, &why);
    }
    free(data);
    module->game = module->handle ? game_of(module->handle, &why) : NULL;
    if (!module->game) {
        GameModule_Unload(module);
        return Err_Set(err, "%s: %.400s", path, why.text);
    }
    snprintf(module->path, sizeof module->path, "%s", path);
    return true;
}

void GameModule_Unload(game_module_t *module) {
    if (module->handle) {
        dlclose(module->handle);
        close(module->fd);
    }
    *module = (game_module_t){0};
}
