/// world/pushers_check.c - checks sets of pushers and motions of an untrusted block.
//
// Cost:    linear: no edict is visited twice, whatever the links are.

#include "world/pushers.h"
#include "world/world_local.h"

#include <string.h>

typedef struct {
    const world_t *world;
    uint64_t seen[MAX_EDICTS / 64]; ///< members visited in all sets
    int32_t set;                    ///< the set being walked
    int32_t found;                  ///< members visited in this set
} check_t;

static bool is_finite(vec3_t v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool check_motion(const edict_t *edict, int32_t number, err_t *err) {
    const motion_t *motion = &edict->motion;
    bool is_number = is_finite(motion->base.origin) && is_finite(motion->base.angles) &&
                     is_finite(motion->delta) && is_finite(motion->delta_angles) &&
                     is_finite(motion->bend) && is_finite(motion->parent_base.origin) &&
                     is_finite(motion->parent_base.angles);
    if (!is_number) {
        return Err_Set(err, "world: edict %d: motion: expected finite numbers", number);
    }
    if (motion->kind < MOTION_NONE || motion->kind >= MOTION_COUNT) {
        return Err_Set(err, "world: edict %d: motion: expected kind 0..%d, found %d", number,
                       MOTION_COUNT - 1, motion->kind);
    }
    return motion->kind == MOTION_NONE || motion->duration_ms > 0 ||
           Err_Set(err, "world: edict %d: motion: expected a duration above 0 ms, found %lld",
                   number, (long long)motion->duration_ms);
}

static bool check_links(const world_t *world, int32_t number, err_t *err) {
    const edict_t *edict = World_Edict(world, number);
    int32_t child = number > 0 ? World_PusherLinks(world, number)->child : 0;
    const world_range_t links[] = {{"pusher_set", edict->pusher_set, -1, world->max_edicts - 1},
                                   {"pusher_up", edict->pusher_up, 0, world->num_edicts - 1},
                                   {"chain_prev", edict->chain_prev, 0, world->num_edicts - 1},
                                   {"chain_next", edict->chain_next, 0, world->num_edicts - 1},
                                   {"child", child, 0, world->num_edicts - 1}};
    if (!World_CheckRanges("edict", number, links, COUNTOF(links), err)) {
        return false;
    }
    if (!edict->inuse && edict->pusher_set != 0) {
        return Err_Set(err, "world: edict %d is free: expected pusher_set 0, found %d", number,
                       edict->pusher_set);
    }
    int32_t parent = edict->inuse ? edict->motion.parent : 0;
    if (edict->pusher_set <= 0 && (child || edict->pusher_up || parent)) {
        return Err_Set(err,
                       "world: edict %d is in no pusher set: expected no child, pusher_up and "
                       "motion parent, found %d, %d and %d",
                       number, child, edict->pusher_up, parent);
    }
    return edict->pusher_set != 0 || (!edict->chain_prev && !edict->chain_next) ||
           Err_Set(err,
                   "world: edict %d is in no chain: expected chain_prev and chain_next 0, found "
                   "%d and %d",
                   number, edict->chain_prev, edict->chain_next);
}

static bool check_edict(const world_t *world, int32_t number, err_t *err) {
    const edict_t *edict = World_Edict(world, number);
    const push_save_t zero = {.next = 0};
    if (number > 0 && memcmp(World_PushSave(world, number), &zero, sizeof zero) != 0) {
        return Err_Set(err, "world: edict %d: expected no saved push between ticks, found one",
                       number);
    }
    if (edict->inuse && !check_motion(edict, number, err)) {
        return false;
    }
    return check_links(world, number, err);
}

// Checks an edict that the lists of the set name. `up`: expected parent. `before`: expected
// chain_prev, or 0 for any.
static bool visit_member(check_t *check, int32_t number, int32_t up, int32_t before, err_t *err) {
    const edict_t *edict = World_Edict(check->world, number);
    if (!edict->inuse || Bits_Get(check->seen, number)) {
        return Err_Set(err, "world: pusher set %d: edict %d is %s", check->set, number,
                       edict->inuse ? "listed twice" : "free");
    }
    const struct {
        const char *name;
        int32_t expected, found;
    } links[] = {{"pusher_set", check->set, edict->pusher_set},
                 {"pusher_up", up, edict->pusher_up},
                 {"motion parent", up, edict->motion.parent},
                 {"chain_prev", before ? before : edict->chain_prev, edict->chain_prev}};
    for (size_t i = 0; i < COUNTOF(links); i++) {
        if (links[i].expected != links[i].found) {
            return Err_Set(err, "world: pusher set %d: edict %d: expected %s %d, found %d",
                           check->set, number, links[i].name, links[i].expected, links[i].found);
        }
    }
    Bits_Set(check->seen, number);
    check->found++;
    return true;
}

// Returns true if chain_prev of the first edict of a chain is `last`.
static bool ends_at(const check_t *check, int32_t last, int32_t up) {
    const world_t *world = check->world;
    int32_t first =
        up ? World_PusherLinks(world, up)->child : World_PusherLinks(world, check->set)->first;
    return World_Edict(world, first)->chain_prev == last;
}

static bool check_set(check_t *check, err_t *err) {
    const world_t *world = check->world;
    const pusher_links_t *links = World_PusherLinks(world, check->set);
    if (links->count < 2) {
        return Err_Set(err, "world: pusher set %d: expected at least 2 pushers, found %d",
                       check->set, links->count);
    }
    if (links->first <= 0 || links->first >= world->num_edicts) {
        return Err_Set(err, "world: pusher set %d: expected a first edict 1..%d, found %d",
                       check->set, world->num_edicts - 1, links->first);
    }
    check->found = 0;
    int32_t number = links->first;
    int32_t up = 0;
    bool good = visit_member(check, number, 0, 0, err);
    while (good && number > 0) {
        int32_t child = World_PusherLinks(world, number)->child;
        if (child) {
            up = number;
            number = child;
            good = visit_member(check, number, up, 0, err);
            continue;
        }
        while (number > 0 && World_Edict(world, number)->chain_next == 0) {
            if (!ends_at(check, number, up)) {
                return Err_Set(err,
                               "world: pusher set %d: expected the first edict of a chain to have "
                               "chain_prev %d, the last edict",
                               check->set, number);
            }
            number = up; // all riders are visited, so continue after their parent
            up = number > 0 ? World_Edict(world, number)->pusher_up : 0;
        }
        if (number > 0) {
            int32_t next = World_Edict(world, number)->chain_next;
            good = visit_member(check, next, up, number, err);
            number = next;
        }
    }
    return good && (check->found == links->count ||
                    Err_Set(err, "world: pusher set %d: expected %d pushers, found %d", check->set,
                            links->count, check->found));
}

// Checks that each free set number is listed once and has no members.
static bool check_free(const world_t *world, int32_t used, int32_t live, err_t *err) {
    int32_t count = 0;
    int32_t set = World_PusherLinks(world, 0)->first;
    for (; set > 0 && set <= used && count <= used; count++) {
        const pusher_links_t *links = World_PusherLinks(world, set);
        if (links->count != 0) {
            return Err_Set(err, "world: free pusher set %d: expected no pushers, found %d", set,
                           links->count);
        }
        set = links->first;
    }
    if (set < 0 || set > used) {
        return Err_Set(err, "world: free pusher sets: expected numbers 0..%d, found %d", used, set);
    }
    return count + live == used || Err_Set(err, "world: expected %d free pusher sets, found %s%d",
                                           used - live, set ? "at least " : "", count);
}

static bool check_sets(check_t *check, int32_t *live, int32_t *members, err_t *err) {
    const world_t *world = check->world;
    const int32_t used = World_PusherLinks(world, 0)->count;
    if (World_PusherLinks(world, 0)->child != 0) {
        return Err_Set(err, "world: entry 0 of the pusher links has a child, expected none");
    }
    if (used < 0 || used >= world->max_edicts) {
        return Err_Set(err, "world: expected 0..%d pusher sets, found %d", world->max_edicts - 1,
                       used);
    }
    for (check->set = 1; check->set < world->max_edicts; check->set++) {
        const pusher_links_t *links = World_PusherLinks(world, check->set);
        if (check->set > used ? links->first != 0 || links->count != 0 : links->count < 0) {
            return Err_Set(err,
                           "world: pusher set %d: expected %s, found %d, the first is edict %d",
                           check->set, check->set > used ? "no pushers" : "at least 0 pushers",
                           links->count, links->first);
        }
        if (links->count > 0) {
            if (!check_set(check, err)) {
                return false;
            }
            *members += links->count;
            *live += 1;
        }
    }
    return check_free(world, used, *live, err);
}

bool Pushers_Check(const world_t *world, err_t *err) {
    check_t check = {.world = world};
    int32_t in_sets = 0;
    for (int32_t i = 0; i < world->max_edicts; i++) {
        if (!check_edict(world, i, err)) {
            return false;
        }
        in_sets += World_Edict(world, i)->pusher_set > 0 ? 1 : 0;
    }
    int32_t live = 0;
    int32_t found = 0;
    if (!check_sets(&check, &live, &found, err)) {
        return false;
    }
    return in_sets == found ||
           Err_Set(err,
                   "world: pusher sets: expected %d pushers (edicts with a pusher_set), found %d",
                   in_sets, found);
}
