/// physics/ground.c - tests whether an edict's ground still supports it.

#include "move/pusher.h"
#include "physics/physics_local.h"

// Moves an unlinked edict with the pusher below. Pushers carry only linked riders.
static void ride(sv_context_t *sv, edict_t *edict, const edict_t *pusher) {
    vec3_t velocity = PM_PusherVelocity((pose_t){pusher->origin, pusher->angles}, pusher->velocity,
                                        pusher->avelocity, edict->origin);
    if (!VectorCompare(velocity, vec3_zero)) {
        edict->origin = VectorMA(edict->origin, sv->tick_seconds, velocity);
        SV_LinkEdict(sv, edict, false);
    }
}

// Returns true if the edict still rests on the ground. A linked edict needs no trace while the
// ground is solid, because moving ground wakes riders. An unlinked edict traces in every tick.
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
    return SV_SweepEdict(sv, edict, below).entnum == World_EdictNumber(sv->world, ground);
}
