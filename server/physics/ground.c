/// physics/ground.c - whether what an edict stands on still holds it.
//
// Floor:   physics.

#include "move/pusher.h"
#include "physics/physics_local.h"

// A pusher carries what is linked; what is not goes along by itself, as fast as what it lies on.
static void ride(sv_context_t *sv, edict_t *edict, const edict_t *pusher) {
    vec3_t velocity = PM_PusherVelocity((pose_t){pusher->origin, pusher->angles}, pusher->velocity,
                                        pusher->avelocity, edict->origin);
    if (!VectorCompare(velocity, Vector(0.0f, 0.0f, 0.0f))) {
        edict->origin = VectorMA(edict->origin, SV_TickSeconds(sv), velocity);
        SV_LinkEdict(sv, edict, false);
    }
}

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
    if (ground->movetype == MOVETYPE_PUSH) {
        ride(sv, edict, ground);
    }
    vec3_t below = VectorSubtract(edict->origin, Vector(0.0f, 0.0f, 2.0f * CM_DIST_EPSILON));
    trace_t trace =
        SV_Move(sv, edict->origin, edict->mins, edict->maxs, below, SV_MoveTypeOf(edict), edict);
    return trace.entnum == World_EdictNumber(sv->world, ground);
}
