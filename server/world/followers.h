/// world/followers.h - the chain of all edicts that follow a leader, leaders before those.
//
// Floor:   world. Kept by physics/follow.c.
// Memory:  in the block: a chain (chain.h) from world->first_follower; pusher_set of who is in it is
//          -1.

#ifndef EDICTD_WORLD_FOLLOWERS_H
#define EDICTD_WORLD_FOLLOWERS_H

#include "world/world.h"

/// The next follower after `edict` (NULL = the first), or NULL.
edict_t *Followers_Next(const world_t *world, const edict_t *edict);

/// Puts an edict that is not in the chain to its end.
void Followers_Append(world_t *world, edict_t *edict);

/// Puts all that follow `edict`, directly or through others, behind all else, in the order they
/// had. `edict` is the last of the chain. One walk of the chain.
void Followers_PutLedLast(world_t *world, const edict_t *edict);

/// Takes an edict out. False when it is not in the chain.
bool Followers_Unlink(world_t *world, edict_t *edict);

/// The chain of a block from outside: in range, alive, no loop.
bool Followers_Check(const world_t *world, err_t *err);

#endif
