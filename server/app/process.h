/// app/process.h - the manners of a daemon: background, pid file, process title, service manager.
//
// Memory:  libbsd owns the pid file; Process_End frees it.

#ifndef EDICTD_APP_PROCESS_H
#define EDICTD_APP_PROCESS_H

#include "base/err.h"
#include "ops/options.h"

struct pidfh;

typedef struct {
    struct pidfh *pidfile; ///< NULL = none
    int parent_fd;         ///< pipe to the waiting parent of -b; -1 = none
    int null_fd;           ///< /dev/null, opened before a sandbox could refuse it
    int notify_fd;         ///< socket of the service manager; -1 = none
    char title[128];
    char *shown;        ///< memory of argv[0], which titles replace
    size_t shown_bytes; ///< length of argv[0]
} process_t;

/// Call before anything else in main. Makes room for titles; argv and the environment move.
void Process_KeepTitle(process_t *process, int argc, char **argv);

/// Closes inherited descriptors, then does what the options demand. With -b, returns in
/// the child only. The parent exits with 0 after Process_Ready, otherwise with the child's status.
bool Process_Begin(process_t *process, const options_t *options, err_t *err);

/// Reports that clients can join: to the parent of -b, which ends and leaves this process without a
/// terminal, and to the service manager.
void Process_Ready(process_t *process);

/// Shows `title` in process lists and to the service manager, if it has changed.
void Process_SetTitle(process_t *process, const char *title);

/// Removes the pid file, or empties it where its folder cannot be written.
void Process_End(process_t *process);

#endif
