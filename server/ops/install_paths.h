/// ops/install_paths.h - finds the files that come with the server: maps, modules, the bot.
//
// Memory:  paths go into the caller's buffers.
// Errors:  a path that does not exist or does not fit counts as not found.
//
// Paths start at the folder of the running program, in a checkout and in any installation:
//
//     checkout    build/edictd      build/maps              build/game_koth.so
//     installed   bin/edictd        share/edictd/maps       lib/edictd/game_koth.so

#ifndef EDICTD_OPS_INSTALL_PATHS_H
#define EDICTD_OPS_INSTALL_PATHS_H

#include "base/limits.h"
#include "base/types.h"

/// Writes the default folders of maps. If the installed maps are missing or the text does not fit,
/// keeps `path` and returns false.
bool Install_MapPath(char *path, size_t size);

/// Finds a game module by path ("build/game_koth.so") or name ("koth"). If there is none, copies
/// `name` to `path`.
void Install_ModulePath(const char *name, char path[MAX_PATH_BYTES]);

/// Finds edict-bot and the script of the server's bots. `wanted`: path of another script, or "".
/// Returns false if one of them is missing.
bool Install_Bot(const char *wanted, char bot[MAX_PATH_BYTES], char script[MAX_PATH_BYTES]);

/// Writes a shell command that joins the server at 127.0.0.1:`port` with edict-bot. Writes "" if
/// edict-bot or the example script is not found.
void Install_JoinCommand(uint16_t port, char *text, size_t size);

#endif
