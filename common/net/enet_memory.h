/// net/enet_memory.h - limits ENet's memory, and counts failed allocations instead of aborting.
//
// Floor:   net; private to the ENet transport.
// Memory:  process-wide, because ENet's allocator callbacks carry no context. These are the only
//          writable statics of the program; two servers in one process share them.
// Threads: safe to call from several threads.

#ifndef EDICTD_NET_ENET_MEMORY_H
#define EDICTD_NET_ENET_MEMORY_H

#include "base/err.h"

/// Maximum number of bytes that ENet may allocate in this process.
#define ENET_MEMORY_LIMIT ((size_t)256 * 1024 * 1024)
/// One part in 16 of it is reserved for messages to send and ENet's own commands.
#define ENET_MEMORY_RESERVE 16

/// Initialises ENet with the limited allocator. Only the first call of a process has an effect.
/// Returns false with the reason if EnetSeam_Check does; then ENet is left as it was.
bool EnetMemory_Init(err_t *err);

/// Returns false with the reason if libenet does not call our socket functions.
bool EnetSeam_Check(err_t *err);

/// Returns the number of bytes that ENet has allocated and not freed.
size_t EnetMemory_Used(void);

/// Returns how many allocations of ENet failed since the process started.
uint64_t EnetMemory_Failures(void);

/// Denies the reserve to this thread's allocations while ENet handles a received datagram.
void EnetMemory_SetReceiving(bool is_receiving);

/// Changes the limit. Tests use it to make ENet's allocations fail.
void EnetMemory_SetLimit(size_t bytes);

#endif
