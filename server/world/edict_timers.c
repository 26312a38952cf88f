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
    const int32_t number = World_EdictNumber(world, edict);
    const char *classname = World_Text(world, edict->classname);
    if (!callback || !callback->think) {
        SV_ReportFault(
            sv, "timer",
            "expected the id of a think callback, found %d (%.40s), for edict %d (%.40s)", think,
            callback ? callback->name : "no callback", number, classname);
        return false;
    }
    if (!World_IsLive(edict)) {
        SV_ReportFault(sv, "timer", "expected a live edict, found edict %d (%.40s)", number,
                       classname);
        return false;
    }
    int32_t timer = *find_link(world, edict, think);
    if (timer != 0) {
        World_TakeTimer(world, edict, timer);
    }
    if (time_ms > 0) {
        timer = take_from_pool(world);
        if (timer == 0) {
            world->counters.timers_full++;
            SV_ReportFault(sv, "timer",
                           "expected a free timer, found all in use, for edict %d (%.40s)", number,
                           classname);
            return false;
        }
        *find_link(world, edict, 0) = timer; // at the end
        *World_EdictTimer(world, timer) = (edict_timer_t){.time_ms = time_ms, .think = think};
    }
    World_SyncTimer(world, edict);
    World_MarkWritten(world, edict);
    return true;
}

// ---- check ----

// Checks a list of timers and marks them in `seen`. `number`: of its edict, -1 = the free timers.
static bool check_list(const world_t *world, int32_t number, int32_t timer, uint64_t *seen,
                       err_t *err) {
    while (timer != 0) {
        if (timer < 0 || timer > world->timers_used || Bits_Get(seen, timer)) {
            return Err_Set(err, "timers: edict %d: timer %d is of another or does not exist",
                           number, timer);
        }
        const edict_timer_t *found = World_EdictTimer(world, timer);
        bool is_set = found->time_ms > 0 && found->think > 0 && found->think < world->num_callbacks;
        if (number < 0 ? found->time_ms != 0 || found->think != 0
                       : !is_set || !World_IsLive(World_Edict(world, number))) {
            return Err_Set(err, "timers: edict %d: timer %d calls %d at %lld ms", number, timer,
                           found->think, (long long)found->time_ms);
        }
        Bits_Set(seen, timer);
        timer = found->next;
    }
    return true;
}

bool EdictTimers_Check(const world_t *world, err_t *err) {
    uint64_t seen[MAX_EDICT_TIMERS / 64 + 1] = {0};
    bool good = world->timers_used >= 0 && world->timers_used <= World_MaxTimers(world->max_edicts);
    if (!good) {
        return Err_Set(err, "timers: a count of %d is impossible", world->timers_used);
    }
    good = check_list(world, -1, world->timers_free, seen, err);
    for (int32_t i = 0; i < world->max_edicts && good; i++) {
        good = check_list(world, i, World_Edict(world, i)->timers, seen, err);
    }
    for (int32_t i = 1; i <= world->timers_used && good; i++) {
        good = Bits_Get(seen, i) || Err_Set(err, "timers: timer %d is in no list", i);
    }
    return good;
}
