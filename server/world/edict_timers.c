/// world/edict_timers.c - timers of edicts besides the think: a pool of lists in the world block.
//
// Units:   ms, in the time of nextthink_ms.
// Repeat:  an edict's list is in the order in which the timers were set.

#include "world/edict_timers.h"

#include "world/faults.h"
#include "world/world_local.h"

edict_timer_t *World_EdictTimer(const world_t *world, int32_t timer) {
    ASSERT(timer > 0 && timer <= World_MaxTimers(world->max_edicts));
    return (edict_timer_t *)(World_TimerHeap(world) + world->max_edicts + 1) + timer;
}

// Returns the link to the edict's timer with this callback, or the link at the end of the list.
static int32_t *find_link(const world_t *world, edict_t *edict, int32_t think) {
    int32_t *link = &edict->timers;
    while (*link != 0 && World_EdictTimer(world, *link)->think != think) {
        link = &World_EdictTimer(world, *link)->next;
    }
    return link;
}

static int32_t take_from_pool(world_t *world) {
    int32_t timer = world->timers_free;
    if (timer != 0) {
        world->timers_free = World_EdictTimer(world, timer)->next;
    } else if (world->timers_used < World_MaxTimers(world->max_edicts)) {
        timer = ++world->timers_used;
    }
    return timer;
}

static void give_back(world_t *world, int32_t timer) {
    *World_EdictTimer(world, timer) = (edict_timer_t){.next = world->timers_free};
    world->timers_free = timer;
}

int32_t World_TakeTimer(world_t *world, edict_t *edict, int32_t timer) {
    const edict_timer_t taken = *World_EdictTimer(world, timer);
    *find_link(world, edict, taken.think) = taken.next;
    give_back(world, timer);
    World_MarkWritten(world, edict);
    return taken.think;
}

void World_ClearTimers(world_t *world, edict_t *edict) {
    while (edict->timers != 0) {
        World_TakeTimer(world, edict, edict->timers);
    }
}

int32_t World_FirstTimer(const world_t *world, const edict_t *edict) {
    int32_t first = edict->timers;
    for (int32_t timer = first; timer != 0; timer = World_EdictTimer(world, timer)->next) {
        if (World_EdictTimer(world, timer)->time_ms < World_EdictTimer(world, first)->time_ms) {
            first = timer;
        }
    }
    return first;
}

bool SV_SetTimer(sv_context_t *sv, edict_t *edict, int32_t think, int64_t time_ms) {
    world_t *world = sv->world;
    const callback_t *callback = Callbacks_Get(sv->callbacks, think);
    if (!callback || !callback->think) {
        SV_ReportFault(sv, "timer",
                       "expected the id of a think callback, found %d for edict %d (%.40s)", think,
                       World_EdictNumber(world, edict), World_Text(world, edict->classname));
        return false;
    }
    if (!World_IsLive(edict)) {
        return false;
    }
    int32_t *link = find_link(world, edict, think);
    int32_t timer = *link;
    if (timer == 0 && time_ms > 0) {
        timer = take_from_pool(world);
        if (timer == 0) {
            world->counters.timers_full++;
            SV_ReportFault(sv, "timer",
                           "expected at most %d timers in the world, found one more, of edict %d "
                           "(%.40s)",
                           World_MaxTimers(world->max_edicts), World_EdictNumber(world, edict),
                           World_Text(world, edict->classname));
            return false;
        }
    } else if (timer != 0) {
        *link = World_EdictTimer(world, timer)->next;
    }
    if (time_ms > 0) {
        *find_link(world, edict, 0) = timer; // at the end
        *World_EdictTimer(world, timer) = (edict_timer_t){.time_ms = time_ms, .think = think};
    } else if (timer != 0) {
        give_back(world, timer);
    }
    World_SyncTimer(world, edict);
    World_MarkWritten(world, edict);
    return true;
}

// ---- check ----

// Checks a list and counts its timers. `edict`: the owner, -1 = the list of free timers.
static bool check_list(const world_t *world, int32_t edict, int32_t timer, int32_t *count,
                       uint64_t seen[MAX_EDICT_TIMERS / 64 + 1], err_t *err) {
    for (; timer != 0; timer = World_EdictTimer(world, timer)->next) {
        if (timer < 0 || timer > world->timers_used || Bits_Get(seen, timer)) {
            return Err_Set(err,
                           "timers of edicts: edict %d: timer %d does not exist or is listed "
                           "twice",
                           edict, timer);
        }
        Bits_Set(seen, timer);
        ++*count;
        const edict_timer_t *found = World_EdictTimer(world, timer);
        bool is_set = found->time_ms > 0 && found->think > 0 && found->think < world->num_callbacks;
        if (edict < 0 ? found->time_ms != 0 || found->think != 0 : !is_set) {
            return Err_Set(err, "timers of edicts: edict %d: timer %d at %lld ms calls %d", edict,
                           timer, (long long)found->time_ms, found->think);
        }
    }
    return true;
}

bool EdictTimers_Check(const world_t *world, err_t *err) {
    uint64_t seen[MAX_EDICT_TIMERS / 64 + 1] = {0};
    int32_t count = 0;
    int32_t max = World_MaxTimers(world->max_edicts);
    if (world->timers_used < 0 || world->timers_used > max) {
        return Err_Set(err, "timers of edicts: expected 0..%d, found %d", max, world->timers_used);
    }
    if (!check_list(world, -1, world->timers_free, &count, seen, err)) {
        return false;
    }
    for (int32_t i = 0; i < world->max_edicts; i++) {
        const edict_t *edict = World_Edict(world, i);
        if (edict->timers != 0 && !World_IsLive(edict)) {
            return Err_Set(err, "timers of edicts: edict %d is not live but has timers", i);
        }
        if (!check_list(world, i, edict->timers, &count, seen, err)) {
            return false;
        }
    }
    return count == world->timers_used ||
           Err_Set(err, "timers of edicts: expected %d in lists, found %d", world->timers_used,
                   count);
}
