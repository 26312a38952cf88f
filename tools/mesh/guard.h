/// mesh/guard.h - does a job in a process of its own, so that a crash in it is a line and no crash.
//
// Floor:   tool.

#ifndef EDICTD_TOOLS_MESH_GUARD_H
#define EDICTD_TOOLS_MESH_GUARD_H

/// Runs the job in a child and gives its exit status (0..255). -1: a signal ended it, whose number
/// is in *signal_number, or no child could be started (0 there). libassimp ends so on some files
/// that are damaged, or only unusual.
int ME_Guard(int (*job)(void *context), void *context, int *signal_number);

#endif
