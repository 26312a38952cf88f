/// mesh/guard.h - runs a job in a child process, so that the program can report its crash.

#ifndef EDICTD_TOOLS_MESH_GUARD_H
#define EDICTD_TOOLS_MESH_GUARD_H

/// Runs `job` in a child process, because libassimp crashes on some damaged or unusual files.
/// Returns the exit status of the child (0..255), or -1 with *signal_number: the signal that ended
/// the child, or 0 if no child could be started.
int ME_Guard(int (*job)(void *context), void *context, int *signal_number);

#endif
