/// proto/state_pool.h - the states of snapshot rings. The rings of one server share a pool.
//
// A state is stored once for all clients that received it in the same tick, and its change to the
// state of the current tick is coded once.
// Memory:  one block; only used states take memory, in WebAssembly too if the pool is not shared.

#ifndef EDICTD_PROTO_STATE_POOL_H
#define EDICTD_PROTO_STATE_POOL_H

#include "base/types.h"

typedef struct state_pool_s state_pool_t;

/// Creates a pool of 1..2^24 states. Returns NULL if out of memory.
state_pool_t *StatePool_Create(int32_t states);

/// Frees a pool after its rings; NULL is allowed.
void StatePool_Destroy(state_pool_t *pool);

#endif
