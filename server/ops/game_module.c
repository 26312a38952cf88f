#include "ops/game_module.h"

#include "base/file.h"
#include "bsp/map.h"
#include "core/game_models.h"
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

// Loads the module from a copy in memory, because dlopen returns the old code for a known file or
// name. The descriptor stays open, so that no later copy has the same name.
static void *open_copy(const uint8_t *data, size_t size, int *copy, err_t *err) {
    char path[64];
    int fd = memfd_create("edictd-game", MFD_CLOEXEC);
    if (fd < 0 || !write_all(fd, data, size)) {
        Err_Set(err, "cannot be copied into memory: %s", strerror(errno));
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
        close(fd);
        return NULL;
    }
    *copy = fd;
    return handle;
}

static const game_export_t *game_of(void *handle, err_t *err) {
    game_entry_fn entry = NULL;
    void *symbol = dlsym(handle, GAME_ENTRY);
    if (!symbol) {
        Err_Set(err, "expected the module to export %s, found no such function", GAME_ENTRY);
        return NULL;
    }
    memcpy(&entry, &symbol, sizeof entry); // POSIX: a function's address fits
    const game_export_t *game = entry();
    if (!game) {
        Err_Set(err, "%s: expected a table, found NULL", GAME_ENTRY);
        return NULL;
    }
    return SV_CheckGame(game, err) ? game : NULL;
}

// ---- models in files ----

/// A copy of the game's table in which the models have the bytes of their files.
struct game_files_s {
    game_export_t table;
    game_model_t models[MAX_GAME_MODELS];
    uint8_t *blocks[MAX_GAME_MODELS]; // bytes of each file; owned
    size_t bytes;                     // sum of the sizes of the files
};

static void free_files(game_files_t *files) {
    for (int32_t i = 0; files && i < MAX_GAME_MODELS; i++) {
        free(files->blocks[i]);
    }
    free(files);
}

static bool has_files(const game_export_t *game) {
    bool is_table = game->num_models > 0 && game->num_models <= MAX_GAME_MODELS && game->models;
    for (int32_t i = 0; is_table && i < game->num_models; i++) {
        if (game->models[i].file && !game->models[i].bytes) {
            return true;
        }
    }
    return false;
}

/// Reads the file of one model from the folder of the module.
static bool read_file(game_files_t *files, int32_t number, const char *module_path, err_t *err) {
    char path[MAX_PATH_BYTES];
    err_t why = {{0}};
    game_model_t *model = &files->models[number];
    const char *name = model->name ? model->name : "";
    const char *slash = strrchr(module_path, '/');
    int folder = slash ? (int)(slash - module_path) + 1 : 0;
    const char *fault = Map_PathFault(model->file);
    if (fault) {
        return Err_Set(err, "model \"%.64s\": file \"%.200s\": %s", name, model->file, fault);
    }
    int length = snprintf(path, sizeof path, "%.*s%s", folder, module_path, model->file);
    if (length < 0 || (size_t)length >= sizeof path) {
        return Err_Set(err, "model \"%.64s\": the path of its file is too long", name);
    }
    files->blocks[number] =
        File_Read(path, MAX_GAME_FILES_BYTES - files->bytes, &model->size, &why);
    if (!files->blocks[number]) {
        return Err_Set(err, "model \"%.64s\", searched beside the module: %.300s", name, why.text);
    }
    files->bytes += model->size;
    model->bytes = files->blocks[number];
    return true;
}

// Reads all model files.
static bool read_files(game_module_t *module, const char *path, err_t *err) {
    model_t read[MAX_GAME_MODELS + 1];
    uint64_t hash = 0;
    if (has_files(module->game)) {
        game_files_t *files = calloc(1, sizeof *files);
        if (!files) {
            return Err_Set(err, "no memory for the model files");
        }
        module->files = files;
        files->table = *module->game;
        files->table.models = files->models;
        memcpy(files->models, module->game->models,
               (size_t)files->table.num_models * sizeof *files->models);
        for (int32_t i = 0; i < files->table.num_models; i++) {
            bool is_file = files->models[i].file && !files->models[i].bytes;
            if (is_file && !read_file(files, i, path, err)) {
                return false;
            }
        }
        module->game = &files->table;
    }
    return SV_ReadModels(module->game, read, &hash, err);
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
    if (!module->game || !read_files(module, path, &why)) {
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
    free_files(module->files);
    *module = (game_module_t){0};
}
