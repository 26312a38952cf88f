/// world/movers.c - sets of movers: who moves with whom.
//
// Floor:   world.
// Limits:  a chain is as long as there are edicts; walks are bounded by that, whatever is in it.

#include "world/movers.h"

#include "move/mover.h"
#include "world/followers.h"
#include "world/world_local.h"

#include <float.h>
#include <string.h>

static const edict_ref_t no_ref = {0, 0};

static bool is_same_ref(edict_ref_t a, edict_ref_t b) {
    return a.index == b.index && a.generation == b.generation;
}

edict_t *Movers_Root(const world_t *world, edict_t *edict) {
    edict_t *root = World_Deref(world, edict->mover_root);
    return root ? root : edict;
}

edict_t *Movers_Next(const world_t *world, const edict_t *edict) {
    return World_Deref(world, edict->mover_next);
}

edict_t *Movers_Parent(const world_t *world, const edict_t *edict) {
    int32_t number = edict->motion.parent;
    if (number <= 0 || number >= world->num_edicts) {
        return NULL;
    }
    edict_t *parent = World_Edict(world, number);
    return parent->inuse ? parent : NULL;
}

/// A chain while it is being put together.
typedef struct {
    edict_t *root, *last;
} chain_t;

static void append(world_t *world, chain_t *chain, edict_t *edict) {
    if (!chain->root) {
        chain->root = edict;
    } else {
        chain->last->mover_next = World_Ref(world, edict);
    }
    chain->last = edict;
    edict->mover_root = World_Ref(world, chain->root);
    edict->mover_next = no_ref;
    World_MarkWritten(world, edict);
}

// One alone is no set.
static void finish(const chain_t *chain) {
    if (chain->root && chain->root == chain->last) {
        chain->root->mover_root = no_ref;
    }
}

// Appends a whole chain, its order kept.
static void append_all(world_t *world, chain_t *chain, edict_t *first) {
    for (int32_t i = 0; first && i < world->max_edicts; i++) {
        edict_t *next = Movers_Next(world, first);
        append(world, chain, first);
        first = next;
    }
}

// What followed a leader until now is still in the followers' chain, by the same link.
static void follow_no_more(world_t *world, edict_t *edict) {
    if (edict->mover_root.generation == 0) {
        Followers_Unlink(world, edict);
    }
}

void Movers_Join(world_t *world, edict_t *edict, edict_t *with) {
    follow_no_more(world, edict);
    follow_no_more(world, with);
    edict_t *a = Movers_Root(world, with);
    edict_t *b = Movers_Root(world, edict);
    if (a == b) {
        return;
    }
    chain_t all = {NULL, NULL};
    append_all(world, &all, a);
    append_all(world, &all, b);
}

// The tick may be in the middle of the set: who is in another one now is looked at in the next
// tick, and thinks then.
static void look_again(world_t *world, edict_t *edict) {
    for (edict_t *member = Movers_Root(world, edict); member; member = Movers_Next(world, member)) {
        if (World_IsLive(member) && member->movetype == MOVETYPE_PUSH) {
            Bits_Set(World_MoverBits(world), World_EdictNumber(world, member));
        }
        World_SyncTimer(world, member);
    }
}

// Parents come before what rides on them, so one walk finds all that ride on it.
static void split(world_t *world, edict_t *edict) {
    edict_t *first = Movers_Root(world, edict);
    const edict_ref_t own = World_Ref(world, edict);
    chain_t rest = {NULL, NULL};
    chain_t rides = {NULL, NULL};
    for (edict_t *member = first; member; member = Movers_Next(world, member)) {
        member->mover_root = no_ref;
    }
    for (int32_t i = 0; first && i < world->max_edicts; i++) {
        edict_t *next = Movers_Next(world, first);
        const edict_t *parent = Movers_Parent(world, first);
        bool is_with_it = first == edict || (parent && is_same_ref(parent->mover_root, own));
        append(world, is_with_it ? &rides : &rest, first);
        first = next;
    }
    finish(&rest);
    finish(&rides);
}

void Movers_Split(world_t *world, edict_t *edict) {
    look_again(world, edict);
    split(world, edict);
}

// False for NaN, too: a game may have written anything there since it was linked.
static bool is_somewhere(const edict_t *edict) {
    return VectorWithin(edict->origin, MAX_WORLD_COORD) && VectorWithin(edict->angles, FLT_MAX);
}

static pose_t pose_of(const edict_t *edict) {
    return (pose_t){edict->origin, edict->angles};
}

void Movers_Free(world_t *world, edict_t *edict) {
    motion_t *motion = &edict->motion;
    const edict_t *parent = Movers_Parent(world, edict);
    if (parent && is_somewhere(parent)) {
        pm_carry_t carry = PM_Carry(motion->parent_base, pose_of(parent));
        motion->base.origin = PM_CarryPoint(&carry, motion->base.origin);
        motion->base.angles = PM_CarryAngles(&carry, motion->base.angles);
        motion->delta = PM_CarryVector(&carry, motion->delta);
        motion->bend = PM_CarryVector(&carry, motion->bend);
    }
    motion->parent = 0;
    memset(&motion->parent_base, 0, sizeof motion->parent_base);
    World_MarkWritten(world, edict);
}

void Movers_Leave(world_t *world, edict_t *edict) {
    if (edict->mover_root.generation == 0) {
        return;
    }
    int32_t number = World_EdictNumber(world, edict);
    look_again(world, edict);
    edict->motion.parent = 0;
    for (int32_t i = 0; i < world->max_edicts; i++) {
        edict_t *child = Movers_Root(world, edict);
        while (child && child->motion.parent != number) {
            child = Movers_Next(world, child);
        }
        if (!child) {
            break;
        }
        Movers_Free(world, child);
        split(world, child);
    }
    split(world, edict);
}

// ---- what comes from outside ----

static bool is_finite(vec3_t v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool check_motion(const edict_t *edict, int32_t number, err_t *err) {
    const motion_t *motion = &edict->motion;
    bool is_number = is_finite(motion->base.origin) && is_finite(motion->base.angles) &&
                     is_finite(motion->delta) && is_finite(motion->delta_angles) &&
                     is_finite(motion->bend) && is_finite(motion->parent_base.origin) &&
                     is_finite(motion->parent_base.angles);
    bool is_known = motion->kind >= MOTION_NONE && motion->kind < MOTION_COUNT &&
                    (motion->kind == MOTION_NONE || motion->duration_ms > 0);
    if (!is_number || !is_known) {
        return Err_Set(err, "world: edict %d: an impossible motion of kind %d", number,
                       motion->kind);
    }
    return true;
}

// Every member of one set, in order, each found once and after what it rides on.
static bool check_set(const world_t *world, int32_t root, uint64_t *seen, int32_t *count,
                      err_t *err) {
    const edict_ref_t ref = World_Ref(world, World_Edict(world, root));
    int32_t members = 0;
    for (const edict_t *edict = World_Edict(world, root); edict;
         edict = Movers_Next(world, edict)) {
        int32_t number = World_EdictNumber(world, edict);
        const edict_t *parent = Movers_Parent(world, edict);
        if (Bits_Get(seen, number) || !is_same_ref(edict->mover_root, ref) ||
            (parent &&
             (!Bits_Get(seen, edict->motion.parent) || !is_same_ref(parent->mover_root, ref)))) {
            return Err_Set(err, "world: the set of mover %d is broken at edict %d", root, number);
        }
        bool ends = edict->mover_next.generation == 0;
        if (!ends && !Movers_Next(world, edict)) {
            return Err_Set(err, "world: the set of mover %d leads nowhere at %d", root, number);
        }
        Bits_Set(seen, number);
        members++;
    }
    *count += members;
    return members >= 2 || Err_Set(err, "world: the set of mover %d has one member", root);
}

static bool check_edict(const world_t *world, int32_t number, uint64_t *seen, int32_t *in_sets,
                        int32_t *found, err_t *err) {
    const edict_t *edict = World_Edict(world, number);
    const push_save_t zero = {.next = 0};
    if (number > 0 && memcmp(World_PushSave(world, number), &zero, sizeof zero) != 0) {
        return Err_Set(err, "world: edict %d is being pushed", number);
    }
    if (!edict->inuse) {
        return true;
    }
    bool is_in_set = edict->mover_root.generation != 0;
    bool is_riding = edict->motion.parent != 0;
    if (!check_motion(edict, number, err)) {
        return false;
    }
    if (is_riding && (!is_in_set || !Movers_Parent(world, edict))) {
        return Err_Set(err, "world: edict %d rides on edict %d, which is not of its set", number,
                       edict->motion.parent);
    }
    *in_sets += is_in_set ? 1 : 0;
    bool is_root = is_in_set && World_Deref(world, edict->mover_root) == edict;
    return !is_root || check_set(world, number, seen, found, err);
}

bool Movers_Check(const world_t *world, err_t *err) {
    uint64_t seen[MAX_EDICTS / 64];
    memset(seen, 0, sizeof seen);
    int32_t in_sets = 0;
    int32_t found = 0;
    for (int32_t i = 0; i < world->max_edicts; i++) {
        if (!check_edict(world, i, seen, &in_sets, &found, err)) {
            return false;
        }
    }
    return in_sets == found ||
           Err_Set(err, "world: %d movers in sets, %d found there", in_sets, found);
}
