/// world/followers.c - see followers.h.
//
// Floor:   world.

#include "world/followers.h"

#include "world/bits.h"

#include <string.h>

edict_t *Followers_Next(const world_t *world, const edict_t *edict) {
    uint32_t number = edict ? edict->mover_next.index : (uint32_t)world->first_follower;
    return number == 0 || number >= (uint32_t)world->num_edicts
               ? NULL
               : World_Edict(world, (int32_t)number);
}

void Followers_Append(world_t *world, edict_t *edict) {
    edict_t *last = NULL;
    for (edict_t *at = Followers_Next(world, NULL); at; at = Followers_Next(world, at)) {
        last = at;
    }
    edict->mover_next = (edict_ref_t){0, 0};
    if (!last) {
        world->first_follower = World_EdictNumber(world, edict);
        return;
    }
    last->mover_next = World_Ref(world, edict);
    World_MarkWritten(world, last);
}

bool Followers_Unlink(world_t *world, edict_t *edict) {
    edict_t *before = NULL;
    for (edict_t *at = Followers_Next(world, NULL); at; at = Followers_Next(world, at)) {
        if (at == edict) {
            if (before) {
                before->mover_next = edict->mover_next;
                World_MarkWritten(world, before);
            } else {
                world->first_follower = (int32_t)edict->mover_next.index;
            }
            edict->mover_next = (edict_ref_t){0, 0};
            World_MarkWritten(world, edict);
            return true;
        }
        before = at;
    }
    return false;
}

static void chain_up(world_t *world, edict_t *before, edict_t *edict) {
    edict_ref_t ref = edict ? World_Ref(world, edict) : (edict_ref_t){0, 0};
    if (!before) {
        world->first_follower = (int32_t)ref.index;
    } else if (before->mover_next.index != ref.index) {
        before->mover_next = ref;
        World_MarkWritten(world, before);
    }
}

// Leaders come before their followers, so one walk finds all that are led.
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
        chain_up(world, last, NULL);
    }
}

bool Followers_Check(const world_t *world, err_t *err) {
    int64_t number = world->first_follower;
    for (int32_t count = 0; number != 0; count++) {
        if (number < 0 || number >= world->num_edicts || count >= world->max_edicts) {
            return Err_Set(err, "followers: expected edict numbers without a loop, found %lld",
                           (long long)number);
        }
        const edict_t *edict = World_Edict(world, (int32_t)number);
        if (!edict->inuse || edict->movetype == MOVETYPE_PUSH) {
            return Err_Set(err, "followers: edict %lld is no follower", (long long)number);
        }
        number = edict->mover_next.index;
    }
    return true;
}
