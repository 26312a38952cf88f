/// physics/think.c - runs due thinks on integer time, at most a given number per edict and tick.
//
// Units:   ms of world time; a pusher's nextthink is in its local time.

#include "physics/physics.h"
#include "world/faults.h"
#include "world/pushers.h"

int64_t SV_Time(const sv_context_t *sv) {
    return sv->world->think_time_ms != 0 ? sv->world->think_time_ms : sv->world->time_ms;
}

// Quarantines the edict and returns false if `think` is not a think callback.
static bool call_think(sv_context_t *sv, edict_t *edict, int64_t time_ms) {
    world_t *world = sv->world;
    if (edict->think == 0) {
        return true;
    }
    const callback_t *callback = Callbacks_Get(sv->callbacks, edict->think);
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

bool SV_RunThink(sv_context_t *sv, edict_t *edict, int32_t max_thinks) {
    world_t *world = sv->world;
    edict_ref_t ref = World_Ref(world, edict);
    for (int32_t i = 0;
         World_IsLive(edict) && edict->nextthink_ms > 0 && World_ThinkTime(edict) <= world->time_ms;
         i++) {
        if (i == max_thinks) {
            const callback_t *callback = Callbacks_Get(sv->callbacks, edict->think);
            world->counters.thinks_over_budget++;
            SV_ReportFaultOf(sv, edict, "think", callback ? callback->name : "",
                             "expected at most %d thinks in a tick, found one more due at %lld ms; "
                             "it runs in the next tick",
                             max_thinks, (long long)edict->nextthink_ms);
            break;
        }
        int64_t time_ms = World_ThinkTime(edict);
        SV_SetNextThink(sv, edict, 0); // cleared first: the think may set the next
        if (!call_think(sv, edict, time_ms)) {
            return false;
        }
        SV_WakeEdict(sv, edict);
        if (World_Deref(world, ref) != edict) {
            return false;
        }
    }
    World_SyncTimer(world, edict);
    return World_IsLive(edict);
}
