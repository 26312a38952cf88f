/// world/followers.c - see followers.h.

#include "world/followers.h"
#include "world/world_local.h"

#include "world/bits.h"
#include "world/chain.h"

#include <string.h>

#define FOLLOWS (-1) // pusher_set of an edict in the chain

edict_t *Followers_Next(const world_t *world, const edict_t *edict) {
    int32_t number = edict ? edict->chain_next : world->first_follower;
    return number <= 0 || number >= world->num_edicts ? NULL : World_Edict(world, number);
}

void Followers_Append(world_t *world, edict_t *edict) {
    Chain_Append(world, &world->first_follower, edict);
    edict->pusher_set = FOLLOWS;
}

bool Followers_Unlink(world_t *world, edict_t *edict) {
    if (edict->pusher_set != FOLLOWS) {
        return false;
    }
    Chain_Remove(world, &world->first_follower, edict);
    edict->pusher_set = 0;
    return true;
}

// Links `edict` after `before` (NULL = first). If `edict` is NULL, `before` becomes the last.
static void chain_up(world_t *world, edict_t *before, edict_t *edict) {
    int32_t number = edict ? World_EdictNumber(world, edict) : 0;
    if (!before) {
        world->first_follower = number;
        return;
    }
    edict_t *after = edict ? edict : World_Edict(world, world->first_follower);
    int32_t prev = World_EdictNumber(world, before);
    if (before->chain_next != number || after->chain_prev != prev) {
        before->chain_next = number;
        after->chain_prev = prev;
        World_MarkWritten(world, before);
        World_MarkWritten(world, after);
    }
}

// A leader precedes its followers, so one walk finds all direct and indirect followers.
void Followers_PutLedLast(world_t *world, const edict_t *edict) {
    uint64_t led[MAX_EDICTS / 64];
    memset(led, 0, (size_t)Bits_Words(world->num_edicts) * sizeof *led);
    Bits_Set(led, World_EdictNumber(world, edict));
    edict_t *kept = NULL;
    edict_t *first = NULL;
    edict_t *last = NULL;
    edict_t *next = NULL;
    for (edict_t *at = Followers_Next(world, NULL); at; at = next) {
        next = Followers_Next(world, at);
        const edict_t *leader = World_Deref(world, at->aiment);
        if (at == edict || !leader || at->movetype != MOVETYPE_FOLLOW ||
            !Bits_Get(led, World_EdictNumber(world, leader))) {
            chain_up(world, kept, at);
            kept = at;
            continue;
        }
        Bits_Set(led, World_EdictNumber(world, at));
        if (last) {
            chain_up(world, last, at);
        }
        first = first ? first : at;
        last = at;
    }
    if (last) {
        chain_up(world, kept, first);
    }
    chain_up(world, last ? last : kept, NULL);
}

// The bound holds if the links of a hostile block form a circle.
leaders_t Followers_Leaders(const world_t *world, const edict_t *edict) {
    leaders_t found = {.root = edict};
    for (int32_t i = 0; found.root && found.root->movetype == MOVETYPE_FOLLOW; i++) {
        found.root = i < world->max_edicts ? World_Deref(world, found.root->aiment) : NULL;
        if (found.root && !found.player && World_ClientOf(world, found.root)) {
            found.player = found.root;
        }
    }
    return found;
}

bool Followers_Check(const world_t *world, err_t *err) {
    int32_t number = world->first_follower;
    int32_t prev = 0;
    int32_t count = 0;
    for (; number != 0; count++) {
        if (number < 0 || number >= world->num_edicts || count >= world->max_edicts) {
            return Err_Set(err, "followers: expected edicts 1..%d, each once, found %d",
                           world->num_edicts - 1, number);
        }
        const edict_t *edict = World_Edict(world, number);
        if (!edict->inuse || edict->movetype == MOVETYPE_PUSH || edict->pusher_set != FOLLOWS) {
            return Err_Set(err, "followers: edict %d is in the chain, but is no follower", number);
        }
        if (prev != 0 && edict->chain_prev != prev) {
            return Err_Set(
                err, "followers: edict %d comes after edict %d, but its chain_prev is edict %d",
                number, prev, edict->chain_prev);
        }
        prev = number;
        number = edict->chain_next;
    }
    if (prev != 0 && World_Edict(world, world->first_follower)->chain_prev != prev) {
        return Err_Set(err, "followers: chain_prev of the first should be the last, edict %d",
                       prev);
    }
    for (int32_t i = 0; i < world->num_edicts; i++) {
        count -= World_Edict(world, i)->pusher_set == FOLLOWS ? 1 : 0;
    }
    return count == 0 || Err_Set(err, "followers: %d followers are not in the chain", -count);
}
