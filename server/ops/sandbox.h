/// ops/sandbox.h - what the process may do once the server runs: Landlock for files, seccomp for
/// system calls.
//
// Both hold until the process ends. If a kernel or container lacks one, a warning says so.

#ifndef EDICTD_OPS_SANDBOX_H
#define EDICTD_OPS_SANDBOX_H

#include "base/log.h"

/// Paths that the server still needs. "" and NULL are skipped; a path that is missing, too.
typedef struct {
    const char *map_path;     ///< folders with maps, separated by ':'
    const char *readable[4];  ///< files whose folders are read: configuration, module, map
    const char *log_file;     ///< its folder receives new files; a device is only written
    const char *ban_file;     ///< its folder receives a new file, which replaces it
    const char *removable[2]; ///< files that the server removes at its end: socket, pid file
} sandbox_paths_t;

/// Enters the sandbox. Logs one line with all that is in force.
void Sandbox_Enter(const sandbox_paths_t *paths, const log_t *log);

/// Returns true if the folder exists and the sandbox allows reading it, or if it does not exist.
bool Sandbox_AllowsFolder(const char *folder);

#endif
