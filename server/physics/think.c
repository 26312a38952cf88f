/// physics/think.c - runs due thinks on integer time, at most a given number per edict and tick.
//
// Units:   ms of world time; a pusher's nextthink is in its local time.

#include "physics/physics.h"
#include "world/edict_timers.h"
#include "world/faults.h"
#include "world/pushers.h"

int64_t SV_Time(const sv_context_t *sv) {
    return sv->world->think_time_ms != 0 ? sv->world->think_time_ms : sv->world->time_ms;
}

// Quarantines the edict and returns false if `think` is not a think callback.
static bool call_think(sv_context_t *sv, edict_t *edict, int32_t think, int64_t time_ms) {
    world_t *world = sv->world;
    if (think == 0) {
        return true;
    }
    const callback_t *callback = Callbacks_Get(sv->callbacks, think);
    if (!callback || !callback->think) {
        SV_QuarantineEdict(sv, edict, "its think is not a think callback");
        return false;
    }
    int64_t outer_ms = world->think_time_ms;
    world->think_time_ms = time_ms;
    sv_running_t outer = SV_EnterGame(sv, "think", callback->name, edict);
    callback->think(sv, edict);
    SV_LeaveGame(sv, outer);
    world->think_time_ms = outer_ms;
    World_MarkWritten(world, edict);
    return true;
}

/// Runs left of an edict in this tick.
typedef struct {
    int32_t thinks, timers;
} budget_t;

// Takes the earliest callback that is due, a think before a timer of the same time. Returns false
// if none is due and within the budget.
static bool take_due(sv_context_t *sv, edict_t *edict, budget_t *left, int32_t *think,
                     int64_t *time_ms) {
    world_t *world = sv->world;
    int32_t timer = left->timers > 0 ? World_FirstTimer(world, edict) : 0;
    int64_t think_ms = left->thinks > 0 ? World_TimeOf(edict, edict->nextthink_ms) : 0;
    int64_t timer_ms =
        timer != 0 ? World_TimeOf(edict, World_EdictTimer(world, timer)->time_ms) : 0;
    bool is_timer = timer_ms > 0 && (think_ms == 0 || timer_ms < think_ms);
    *time_ms = is_timer ? timer_ms : think_ms;
    if (*time_ms == 0 || *time_ms > world->time_ms) {
        return false;
    }
    if (is_timer) {
        left->timers--;
        *think = World_TakeTimer(world, edict, timer);
    } else {
        left->thinks--;
        *think = edict->think;
        SV_SetNextThink(sv, edict, 0); // cleared first: the think may set the next
    }
    return true;
}

// Counts and logs a think or timer that is due beyond the budget.
static void report_late(sv_context_t *sv, const edict_t *edict, int32_t max_thinks) {
    world_t *world = sv->world;
    int64_t think_ms = World_TimeOf(edict, edict->nextthink_ms);
    bool is_think = think_ms > 0 && think_ms <= world->time_ms;
    int32_t id =
        is_think ? edict->think : World_EdictTimer(world, World_FirstTimer(world, edict))->think;
    const callback_t *callback = Callbacks_Get(sv->callbacks, id);
    world->counters.thinks_over_budget++;
    SV_ReportFaultOf(sv, edict, is_think ? "think" : "timer", callback ? callback->name : "",
                     "expected at most %d %s in a tick, found one more due at %lld ms; "
                     "it runs in the next tick",
                     is_think ? max_thinks : MAX_THINKS_TICK, is_think ? "thinks" : "timers",
                     (long long)World_NextDue(world, edict));
}

bool SV_RunThink(sv_context_t *sv, edict_t *edict, int32_t max_thinks) {
    world_t *world = sv->world;
    edict_ref_t ref = World_Ref(world, edict);
    budget_t left = {max_thinks, MAX_THINKS_TICK};
    int32_t think = 0;
    int64_t time_ms = 0;
    while (World_IsLive(edict) && take_due(sv, edict, &left, &think, &time_ms)) {
        if (!call_think(sv, edict, think, time_ms)) {
            return false;
        }
        SV_WakeEdict(sv, edict);
        if (World_Deref(world, ref) != edict) {
            return false;
        }
    }
    time_ms = World_IsLive(edict) ? World_ThinkTime(world, edict) : 0;
    if (time_ms > 0 && time_ms <= world->time_ms) {
        report_late(sv, edict, max_thinks);
    }
    World_SyncTimer(world, edict);
    return World_IsLive(edict);
}
