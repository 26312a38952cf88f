/// physics/ground.c - whether what an edict stands on still holds it.
//
// Floor:   physics.

#include "physics/physics_local.h"

// What lies on something that is gone, or stops nothing any more, falls. Ground that moves wakes
// what is linked on it; what is not linked (SOLID_NOT) has to feel for it in every tick.
bool SV_HasGround(sv_context_t *sv, edict_t *edict) {
    const edict_t *ground = World_Deref(sv->world, edict->groundentity);
    if (!(edict->flags & FL_ONGROUND) || !ground || !World_IsLive(ground) ||
        ground->solid == SOLID_NOT || ground->solid == SOLID_TRIGGER) {
        return false;
    }
    if (SV_MaySleep(edict)) {
        return true;
    }
    SV_WakeEdict(sv, edict);
    vec3_t below = VectorSubtract(edict->origin, Vector(0.0f, 0.0f, 2.0f * CM_DIST_EPSILON));
    trace_t trace =
        SV_Move(sv, edict->origin, edict->mins, edict->maxs, below, SV_MoveTypeOf(edict), edict);
    return trace.entnum == World_EdictNumber(sv->world, ground);
}
