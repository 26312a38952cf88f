/// mesh/guard.h - runs a job in a child process, so that the program can report its crash.

#ifndef EDICTD_TOOLS_MESH_GUARD_H
#define EDICTD_TOOLS_MESH_GUARD_H

/// Runs `job` in a child process and returns its exit status. If the job crashes, returns -1 and
/// writes the signal to *signal_number. If no process can be started, the signal is 0.
int ME_Guard(int (*job)(void *context), void *context, int *signal_number);

#endif
