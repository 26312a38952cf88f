#include "physics/physics_local.h"

static bool is_still(const edict_t *edict) {
    return VectorCompare(edict->velocity, vec3_zero) && VectorCompare(edict->avelocity, vec3_zero);
}

// Moves the edict by velocity and avelocity, without collisions or touches.
void SV_Physics_Noclip(sv_context_t *sv, edict_t *edict) {
    if (!SV_CheckVelocity(sv, edict) || is_still(edict)) {
        return;
    }
    SV_TurnAngles(sv, edict);
    edict->origin = VectorMA(edict->origin, SV_TickSeconds(sv), edict->velocity);
    SV_LinkEdict(sv, edict, false);
}
