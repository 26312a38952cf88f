/// mesh/guard.h - runs a job in a child process, so that the program can report its crash.

#ifndef EDICTD_TOOLS_MESH_GUARD_H
#define EDICTD_TOOLS_MESH_GUARD_H

/// Runs the job in a child process and returns its exit status (0..255). Returns -1 if a signal
/// ended the child, with its number in *signal_number, or if no child could be started, with 0.
/// libassimp crashes on some files that are damaged or only unusual.
int ME_Guard(int (*job)(void *context), void *context, int *signal_number);

#endif
