/// ops/game_module.h - a game in a file of its own: loaded, checked, let go.
//
// Floor:   ops.
// Memory:  the handle is the caller's struct; the tables of a loaded game are good until it is
//          unloaded.
// Errors:  a file that is no game, or one of another interface version, is refused with its name.
//
// A game's file exports one function, `const game_export_t *Game_Export(void)`, and needs no symbol
// of the server. It runs inside the server's process: load only files you would run as a program.
// Models that its table names by files lie beside it:
//
//     games/mine.so             {.name = "ogre", .file = "models/ogre.emesh"}
//     games/models/ogre.emesh   read with the module, and again when that is reloaded

#ifndef EDICTD_OPS_GAME_MODULE_H
#define EDICTD_OPS_GAME_MODULE_H

#include "core/game_api.h"

/// What a game's table names by files, and the table with it.
typedef struct game_files_s game_files_t;

/// All model files of a game together, at most; in bytes.
#define MAX_GAME_FILES_BYTES ((size_t)256 << 20)

typedef struct {
    void *handle;              ///< NULL: linked in, or none
    int fd;                    ///< of the copy, open as long as it is loaded; see the .c
    game_files_t *files;       ///< NULL: it has none
    const game_export_t *game; ///< NULL: none
    char path[MAX_PATH_BYTES]; ///< "" = linked in
} game_module_t;

/// Loads a game from a file, from a copy of it: a file that was rebuilt is loaded anew however often
/// that happens, and rebuilding never pulls code away from under a running game. False with
/// "path: reason"; *module is then zeroed.
bool GameModule_Load(game_module_t *module, const char *path, err_t *err);

/// Lets a game go; nothing may use its tables any more. Does nothing for one that is linked in.
void GameModule_Unload(game_module_t *module);

#endif
