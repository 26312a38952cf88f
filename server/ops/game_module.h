/// ops/game_module.h - loads, checks and unloads a game module.
//
// Memory:  the caller owns the game_module_t. The game's tables are valid until the unloading.
//
// A module exports one function: `const game_export_t *Game_Export(void)`. The module runs in the
// server's process, so load only trusted files. Model files are in the module's folder:
//
//     games/mine.so             {.name = "ogre", .file = "models/ogre.emesh"}
//     games/models/ogre.emesh   read when the module is loaded or reloaded

#ifndef EDICTD_OPS_GAME_MODULE_H
#define EDICTD_OPS_GAME_MODULE_H

#include "core/game_api.h"

/// The model files of a game after loading.
typedef struct game_files_s game_files_t;

/// Maximum bytes of all model files of a game together.
#define MAX_GAME_FILES_BYTES ((size_t)256 << 20)

typedef struct {
    void *handle;              ///< NULL = the game is built in, or there is none
    int fd;                    ///< descriptor of the loaded copy, open until GameModule_Unload
    game_files_t *files;       ///< NULL = the game has no model files
    const game_export_t *game; ///< NULL = none
    char path[MAX_PATH_BYTES]; ///< "" = the game is built in
} game_module_t;

/// Loads a game. The file may be rebuilt while the game runs. On failure, returns false with
/// "path: reason" and zeroes *module.
bool GameModule_Load(game_module_t *module, const char *path, err_t *err);

/// Unloads a game. Does nothing if the game is built in.
void GameModule_Unload(game_module_t *module);

#endif
