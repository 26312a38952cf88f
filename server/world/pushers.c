/// world/pushers.c - sets of pushers that move as one.
//
// Repeat:  the order of pushers in a set depends only on the order of the calls.

#include "world/pushers.h"

#include "move/pusher.h"
#include "world/chain.h"
#include "world/followers.h"
#include "world/world_local.h"

#include <float.h>
#include <string.h>

edict_t *Pushers_Root(const world_t *world, edict_t *edict) {
    int32_t set = edict->pusher_set;
    return set > 0 ? World_Edict(world, World_PusherLinks(world, set)->first) : edict;
}

edict_t *Pushers_Parent(const world_t *world, const edict_t *edict) {
    int32_t number = edict->pusher_up;
    return number > 0 ? World_Edict(world, number) : NULL;
}

edict_t *Pushers_Next(const world_t *world, const edict_t *edict) {
    if (edict->pusher_set <= 0) {
        return NULL;
    }
    int32_t next = World_PusherLinks(world, World_EdictNumber(world, edict))->child;
    while (next == 0 && edict) {
        next = edict->chain_next;
        edict = Pushers_Parent(world, edict);
    }
    return next > 0 ? World_Edict(world, next) : NULL;
}

// ---- sets ----

static int32_t take_set(world_t *world) {
    pusher_links_t *none = World_PusherLinks(world, 0);
    int32_t set = none->first;
    if (set == 0) {
        set = ++none->count; // every set has a member, so there are never more sets than edicts
    } else {
        none->first = World_PusherLinks(world, set)->first;
    }
    World_PusherLinks(world, set)->first = 0;
    return set;
}

static void free_set(world_t *world, int32_t set) {
    pusher_links_t *none = World_PusherLinks(world, 0);
    pusher_links_t *links = World_PusherLinks(world, set);
    links->count = 0;
    links->first = none->first;
    none->first = set;
}

// Returns the set of a pusher. Creates a set if the pusher has none.
static int32_t set_of(world_t *world, edict_t *edict) {
    if (edict->pusher_set > 0) {
        return edict->pusher_set;
    }
    Followers_Unlink(world, edict);
    int32_t set = take_set(world);
    edict->pusher_set = set;
    pusher_links_t *links = World_PusherLinks(world, set);
    links->count = 1;
    Chain_Append(world, &links->first, edict);
    return set;
}

// Wakes a set after a change of members. If pushers are running in this tick, the set runs in the
// next tick. One awake member wakes the whole set.
static void wake_set(world_t *world, int32_t set) {
    for (edict_t *edict = World_Edict(world, World_PusherLinks(world, set)->first); edict;
         edict = Pushers_Next(world, edict)) {
        if (World_IsLive(edict) && edict->movetype == MOVETYPE_PUSH) {
            Bits_Set(World_PusherBits(world), World_EdictNumber(world, edict));
            return;
        }
    }
}

// Wakes a set. Dissolves the set if only one pusher is left.
static void settle(world_t *world, int32_t set) {
    pusher_links_t *links = World_PusherLinks(world, set);
    wake_set(world, set);
    if (links->count == 1) {
        edict_t *edict = World_Edict(world, links->first);
        Chain_Remove(world, &links->first, edict);
        edict->pusher_set = 0;
        free_set(world, set);
    }
}

// Sets pusher_set of all pushers in a chain and of all riders of these pushers.
static void mark(world_t *world, int32_t first, int32_t set) {
    for (edict_t *edict = World_Edict(world, first); edict; edict = Pushers_Next(world, edict)) {
        edict->pusher_set = set;
        World_MarkWritten(world, edict);
    }
}

void Pushers_Join(world_t *world, edict_t *edict, edict_t *with) {
    if (edict == with) {
        return;
    }
    int32_t front = set_of(world, with);
    int32_t back = set_of(world, edict);
    if (front == back) {
        return;
    }
    pusher_links_t *a = World_PusherLinks(world, front);
    pusher_links_t *b = World_PusherLinks(world, back);
    int32_t first = a->first;
    int32_t count = a->count + b->count;
    int32_t stays = a->count >= b->count ? front : back;
    int32_t goes = stays == front ? back : front;
    mark(world, World_PusherLinks(world, goes)->first, stays);
    Chain_Concat(world, &first, b->first);
    free_set(world, goes);
    World_PusherLinks(world, stays)->first = first;
    World_PusherLinks(world, stays)->count = count;
}

void Pushers_Hang(world_t *world, edict_t *edict, edict_t *parent) {
    int32_t number = World_EdictNumber(world, parent);
    ASSERT(edict != parent && edict->pusher_up == 0);
    Pushers_Join(world, edict, parent);
    Chain_Remove(world, &World_PusherLinks(world, edict->pusher_set)->first, edict);
    edict->pusher_up = number;
    Chain_Append(world, &World_PusherLinks(world, number)->child, edict);
}

// Splits a member without a parent, with all riders, off the set. Gives the smaller part a new set
// number. The cost is that of the smaller part.
static void cut(world_t *world, edict_t *edict) {
    int32_t set = edict->pusher_set;
    pusher_links_t *links = World_PusherLinks(world, set);
    if (edict->chain_next == 0 && links->first == World_EdictNumber(world, edict)) {
        settle(world, set); // nothing to split: the set has no other members
        return;
    }
    Chain_Remove(world, &links->first, edict);
    const edict_t *own = edict;
    const edict_t *rest = World_Edict(world, links->first);
    int32_t count = 0;
    for (; own && rest; count++) {
        own = Pushers_Next(world, own);
        rest = Pushers_Next(world, rest);
    }
    int32_t taken = take_set(world);
    pusher_links_t *smaller = World_PusherLinks(world, taken);
    if (own) { // the rest is the smaller part
        smaller->first = links->first;
        links->first = 0;
    }
    Chain_Append(world, own ? &links->first : &smaller->first, edict);
    smaller->count = count;
    links->count -= count;
    mark(world, smaller->first, taken);
    settle(world, set);
    settle(world, taken);
}

// ---- leaving ----

// Returns true if the pose is finite; a game may have written any values since the last link.
static bool is_somewhere(const edict_t *edict) {
    return VectorWithin(edict->origin, MAX_WORLD_COORD) && VectorWithin(edict->angles, FLT_MAX);
}

static pose_t pose_of(const edict_t *edict) {
    return (pose_t){edict->origin, edict->angles};
}

// Converts the motion to world space. If the parent is quarantined, stops the pusher at the current
// pose, because the parent's former pose is unknown.
static void free_motion(world_t *world, edict_t *edict) {
    motion_t *motion = &edict->motion;
    edict->next = (leg_t){0};
    const edict_t *parent = Pushers_Parent(world, edict);
    if (parent && (parent->flags & FL_QUARANTINED)) {
        *motion = (motion_t){.kind = MOTION_NONE, .start_ms = motion->start_ms};
        if (is_somewhere(edict)) {
            motion->base = pose_of(edict);
        }
        world->counters.pushers_stranded++;
    } else if (parent && is_somewhere(parent)) {
        pm_carry_t carry = PM_Carry(motion->parent_base, pose_of(parent));
        motion->base.origin = PM_CarryPoint(&carry, motion->base.origin);
        motion->base.angles = PM_CarryAngles(&carry, motion->base.angles);
        motion->delta = PM_CarryVector(&carry, motion->delta);
        motion->bend = PM_CarryVector(&carry, motion->bend);
    }
    motion->parent = 0;
    memset(&motion->parent_base, 0, sizeof motion->parent_base);
}

// Detaches a pusher from the parent. The pusher stays in the set.
static void unhang(world_t *world, edict_t *edict) {
    free_motion(world, edict);
    Chain_Remove(world, &World_PusherLinks(world, edict->pusher_up)->child, edict);
    edict->pusher_up = 0;
    Chain_Append(world, &World_PusherLinks(world, edict->pusher_set)->first, edict);
}

void Pushers_Unhang(world_t *world, edict_t *edict) {
    ASSERT(edict->pusher_up != 0);
    unhang(world, edict);
    cut(world, edict);
}

void Pushers_Wake(world_t *world, const edict_t *edict) {
    if (edict->pusher_set > 0) {
        wake_set(world, edict->pusher_set);
    }
}

void Pushers_Leave(world_t *world, edict_t *edict) {
    int32_t set = edict->pusher_set;
    if (set <= 0) {
        return;
    }
    pusher_links_t *own = World_PusherLinks(world, World_EdictNumber(world, edict));
    pusher_links_t *links = World_PusherLinks(world, set);
    const int32_t first_freed = own->child;
    while (own->child != 0) {
        unhang(world, World_Edict(world, own->child));
    }
    Chain_Remove(world,
                 edict->pusher_up ? &World_PusherLinks(world, edict->pusher_up)->child
                                  : &links->first,
                 edict);
    edict->pusher_up = 0;
    edict->pusher_set = 0;
    edict->motion.parent = 0;
    links->count--;
    if (first_freed == 0) {
        settle(world, set);
    }
    // The freed riders are adjacent, because they were appended last.
    for (int32_t number = first_freed; number != 0;) {
        edict_t *freed = World_Edict(world, number);
        number = freed->chain_next;
        if (freed->pusher_set > 0) { // otherwise the rider is already alone
            cut(world, freed);
        }
    }
}
