/// world/followers.h - the list of all followers. A leader in the list comes before its followers.
//
// Maintained by physics/follow.c.
// Memory:  a chain (chain.h) from world->first_follower. edict->pusher_set is -1 in its members,
//          because the lists of pushers use the same links.

#ifndef EDICTD_WORLD_FOLLOWERS_H
#define EDICTD_WORLD_FOLLOWERS_H

#include "world/world.h"

/// Returns the next follower after `edict` (NULL = the first), or NULL.
edict_t *Followers_Next(const world_t *world, const edict_t *edict);

/// Appends an edict that is not in the list.
void Followers_Append(world_t *world, edict_t *edict);

/// Moves all direct and indirect followers of `edict` to the end of the list, in the same order.
/// `edict` must be the last in the list.
void Followers_PutLedLast(world_t *world, const edict_t *edict);

/// The ends of the chain from a follower to its leader, the leader of that one, and so on.
typedef struct {
    const edict_t *root;   ///< leads the chain; the edict itself if it follows nothing. NULL = gone
    const edict_t *player; ///< nearest leader with a client's slot; NULL = none
} leaders_t;

/// Finds the leaders of an edict.
leaders_t Followers_Leaders(const world_t *world, const edict_t *edict);

/// Removes an edict from the list. Returns false if the edict is not in the list.
bool Followers_Unlink(world_t *world, edict_t *edict);

#endif
