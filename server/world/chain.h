/// world/chain.h - chains of edicts through chain_prev and chain_next: what rides on one pusher, the
/// first ones of a set of pushers, the followers. An edict is in one of them at most.
//
// Floor:   world.
// Memory:  a head is the first's edict number, 0 = an empty chain. The first's chain_prev is the
//          last, the last's chain_next is 0; who is in no chain has neither.

#ifndef EDICTD_WORLD_CHAIN_H
#define EDICTD_WORLD_CHAIN_H

#include "world/world.h"

/// Puts an edict that is in no chain to the end.
void Chain_Append(world_t *world, int32_t *head, edict_t *edict);

/// Puts a whole chain to the end of another.
void Chain_Concat(world_t *world, int32_t *head, int32_t other);

/// Takes out an edict that is in this chain.
void Chain_Remove(world_t *world, int32_t *head, edict_t *edict);

#endif
