/// ops/install_paths.h - finds the files that come with the server: maps, modules, the bot.
//
// Memory:  paths go into the caller's buffers.
// Errors:  a path that does not exist or does not fit is "not found".
//
// Every path is found from the folder of the running program, so that one binary works in a
// checkout and after `make install` with any PREFIX:
//
//     checkout    build/edictd      build/maps              build/game_koth.so
//     installed   bin/edictd        share/edictd/maps       lib/edictd/game_koth.so

#ifndef EDICTD_OPS_INSTALL_PATHS_H
#define EDICTD_OPS_INSTALL_PATHS_H

#include "base/limits.h"
#include "base/types.h"

/// Writes the folders in which maps are searched by default. Returns false, and keeps `path`, if
/// the installed maps are missing or the text does not fit.
bool Install_MapPath(char *path, size_t size);

/// Finds a game module by path ("build/game_koth.so") or by name ("koth"). If there is none, copies
/// `name` to `path`.
void Install_ModulePath(const char *name, char path[MAX_PATH_BYTES]);

/// Writes a command that joins the server at 127.0.0.1:`port` and works when pasted into a shell in
/// the current folder. Writes "" if edict-bot or its example script is not found.
void Install_JoinCommand(uint16_t port, char *text, size_t size);

#endif
