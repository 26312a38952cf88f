#include "physics/physics_local.h"

// Moves the edict by velocity and avelocity, without collisions or touches.
void SV_Physics_Noclip(sv_context_t *sv, edict_t *edict) {
    if (!SV_CheckVelocity(sv, edict) || SV_IsStill(edict)) {
        return;
    }
    SV_TurnAngles(sv, edict);
    edict->origin = VectorMA(edict->origin, sv->tick_seconds, edict->velocity);
    SV_LinkEdict(sv, edict, false);
}
