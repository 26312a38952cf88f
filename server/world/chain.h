/// world/chain.h - doubly linked lists of edicts. An edict is in at most one list.
//
// Memory:  the head is the number of the first edict, 0 = an empty list. chain_prev of the first
//          edict is the last edict. chain_next of the last edict is 0. Both are 0 outside a list.

#ifndef EDICTD_WORLD_CHAIN_H
#define EDICTD_WORLD_CHAIN_H

#include "world/world.h"

/// Appends an edict. The edict must be in no list.
void Chain_Append(world_t *world, int32_t *head, edict_t *edict);

/// Appends the list that starts with edict `other`.
void Chain_Concat(world_t *world, int32_t *head, int32_t other);

void Chain_Remove(world_t *world, int32_t *head, edict_t *edict);

#endif
