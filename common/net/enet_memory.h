/// net/enet_memory.h - ENet's memory: bounded, and running out of it is counted, not fatal.
//
// Floor:   net; only for the ENet transport.
// Memory:  process-wide, because ENet's allocator is: its callbacks carry no context. This is the
//          one place of this program with writable statics; two servers in one process share it.
// Threads: safe from several.

#ifndef EDICTD_NET_ENET_MEMORY_H
#define EDICTD_NET_ENET_MEMORY_H

#include "base/err.h"

/// Most bytes ENet may hold in this process.
#define ENET_MEMORY_LIMIT ((size_t)256 * 1024 * 1024)

/// Initialises ENet with the bounded allocator; once per process, further calls do nothing.
bool EnetMemory_Init(err_t *err);

/// Bytes ENet holds now.
size_t EnetMemory_Used(void);

/// How often ENet asked in vain since the process started.
uint64_t EnetMemory_Failures(void);

/// Lowers (or restores) the limit: tests run ENet out of memory with it.
void EnetMemory_SetLimit(size_t bytes);

#endif
