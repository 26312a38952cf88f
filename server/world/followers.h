/// world/followers.h - the chain of all edicts that follow a leader; leaders precede followers.
//
// Floor:   world. Maintained by physics/follow.c.
// Memory:  a chain (chain.h) from world->first_follower. pusher_set of its members is -1.

#ifndef EDICTD_WORLD_FOLLOWERS_H
#define EDICTD_WORLD_FOLLOWERS_H

#include "world/world.h"

/// Returns the next follower after `edict` (NULL = the first), or NULL.
edict_t *Followers_Next(const world_t *world, const edict_t *edict);

/// Appends an edict that is not in the chain.
void Followers_Append(world_t *world, edict_t *edict);

/// Moves all direct and indirect followers of `edict` to the end of the chain, in their order.
/// `edict` must be the last of the chain. Cost: one walk of the chain.
void Followers_PutLedLast(world_t *world, const edict_t *edict);

/// Removes an edict from the chain. Returns false if the edict is not in the chain.
bool Followers_Unlink(world_t *world, edict_t *edict);

#endif
