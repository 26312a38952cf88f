/// net/enet_memory.h - limits ENet's memory, and counts failed allocations instead of aborting.
//
// Private to the ENet transport.
// Memory:  process-wide, because ENet's allocator has no context: the only writable statics of the
//          program.
// Threads: thread-safe.

#ifndef EDICTD_NET_ENET_MEMORY_H
#define EDICTD_NET_ENET_MEMORY_H

#include "base/err.h"

/// Maximum of ENet's memory in this process, bytes.
#define ENET_MEMORY_LIMIT ((size_t)1024 * 1024 * 1024)
/// 1/16 of it is reserved for sent messages and ENet's own commands.
#define ENET_MEMORY_RESERVE 16

/// Initialises ENet with the limited allocator, once per process.
bool EnetMemory_Init(err_t *err);

/// Returns false with the reason if libenet does not call our socket functions.
bool EnetSeam_Check(err_t *err);

/// Returns the bytes that ENet has allocated and not freed.
size_t EnetMemory_Used(void);

/// Returns how many allocations of ENet failed.
uint64_t EnetMemory_Failures(void);

/// While set, allocations of this thread cannot use the reserve.
void EnetMemory_SetReceiving(bool is_receiving);

/// Changes the limit, for tests.
void EnetMemory_SetLimit(size_t bytes);

#endif
