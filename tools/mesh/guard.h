/// mesh/guard.h - runs a job in a child process, so that the program can report a crash.

#ifndef EDICTD_TOOLS_MESH_GUARD_H
#define EDICTD_TOOLS_MESH_GUARD_H

/// Runs `job` in a child process. Returns the exit status. If the job crashes, returns -1 and sets
/// *signal_number. If no process can be started, returns -1 with signal 0.
int ME_Guard(int (*job)(void *context), void *context, int *signal_number);

#endif
