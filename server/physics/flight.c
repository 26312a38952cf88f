/// physics/flight.c - starts projectiles forward in time, from the view of their shooter.
//
// Units:   qu, ms.

#include "physics/actions.h"
#include "physics/physics_local.h"
#include "world/tick_time.h"
#include "world/unlag.h"

static bool has_gravity(const edict_t *edict) {
    return edict->movetype == MOVETYPE_TOSS || edict->movetype == MOVETYPE_BOUNCE;
}

// Moves the edict for `ms`, up to an obstacle. Returns false if the flight ends.
static bool fly(sv_context_t *sv, edict_t *edict, const edict_t *shooter, const unlag_view_t *view,
                int32_t ms) {
    const float share = (float)ms / (float)World_TickMs(sv->world);
    edict->velocity.z -= has_gravity(edict) ? SV_FallSpeed(sv, edict) * share : 0.0f;
    if (!SV_CheckVelocity(sv, edict)) {
        return false;
    }
    const edict_ref_t ref = World_Ref(sv->world, edict);
    const vec3_t end = VectorMA(edict->origin, 0.001f * (float)ms, edict->velocity);
    const trace_t trace = SV_MoveInView(sv, view, edict, end, SV_MoveTypeOf(edict));
    edict->origin = trace.endpos;
    SV_LinkEdict(sv, edict, true);
    if (World_Deref(sv->world, ref) != edict || !World_IsLive(edict) ||
        !VectorCompare(edict->origin, trace.endpos)) {
        return false; // removed or teleported by a touch
    }
    if (trace.entnum == TRACE_NOTHING) {
        return true;
    }
    edict_t *other = World_Edict(sv->world, trace.entnum);
    if (Unlag_Rewinds(other)) { // the next tick would not meet it here; it meets all else
        Unlag_Emit(sv, view, shooter, trace.entnum);
        SV_Impact(sv, edict, other, &trace);
    }
    return false;
}

int32_t SV_FlyUnlagged(sv_context_t *sv, edict_t *edict, const edict_t *shooter, int32_t max_ms) {
    unlag_view_t view;
    if (!Unlag_View(sv->world, shooter, &view)) {
        return 0;
    }
    // Other edicts have moved in this tick, or will. An edict spawned in it does not.
    const int64_t tick_ms = World_TickMs(sv->world);
    const int64_t time_ms = Unlag_Age(sv->world, &view) + tick_ms;
    const int32_t all_ms = time_ms < max_ms ? (int32_t)time_ms : max_ms;
    int32_t flown_ms = 0;
    bool flies = true;
    while (flies && flown_ms < all_ms) {
        const int32_t ms = Q_MinI(all_ms - flown_ms, World_TickMs(sv->world));
        flown_ms += ms;
        const int64_t age_ms = all_ms - flown_ms - tick_ms;
        Unlag_SetAge(sv->world, &view, age_ms > 0 ? age_ms : 0);
        flies = fly(sv, edict, shooter, &view, ms);
    }
    return flown_ms;
}
