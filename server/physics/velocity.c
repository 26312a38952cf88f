/// physics/velocity.c - checks velocities; adds gravity, base velocity and avelocity.
//
// Units:   qu/s, degrees/s.

#include "move/clip.h"
#include "physics/physics_local.h"

#include "math/angles.h"

#include <float.h>

#define MAX_GRAVITY_SCALE 1000.0f
#define MAX_ANGULAR_SPEED 1048576.0f // degrees/s; 2^20

// Returns which number of the edict is invalid, or NULL. NaN and infinities fail each comparison.
static const char *velocity_fault(const edict_t *edict) {
    return !VectorWithin(edict->velocity, FLT_MAX) ? "its velocity is not finite"
           : !VectorWithin(edict->avelocity, MAX_ANGULAR_SPEED) ||
                   !VectorWithin(edict->angles, FLT_MAX)
               ? "its angles or avelocity are out of range"
           : !VectorWithin(edict->origin, MAX_WORLD_COORD) ? "its origin is outside the world"
           : !VectorWithin(edict->basevelocity, FLT_MAX)   ? "its basevelocity is not finite"
           : !(fabsf(edict->gravity) <= MAX_GRAVITY_SCALE) ? "its gravity is out of range"
                                                           : NULL;
}

bool SV_CheckVelocity(sv_context_t *sv, edict_t *edict) {
    const char *fault = velocity_fault(edict);
    if (fault) {
        SV_QuarantineEdict(sv, edict, fault);
        return false;
    }
    const vec3_t was = edict->velocity;
    edict->velocity = VectorClamp(was, sv->world->cvars.move.sv_maxvelocity);
    sv->world->counters.velocity_clamped += VectorCompare(was, edict->velocity) ? 0 : 1;
    return true;
}

float SV_FallSpeed(const sv_context_t *sv, const edict_t *edict) {
    float scale = edict->gravity != 0.0f ? edict->gravity : 1.0f;
    return scale * sv->world->cvars.move.sv_gravity * sv->tick_seconds;
}

void SV_AddGravity(const sv_context_t *sv, edict_t *edict) {
    edict->velocity.z -= SV_FallSpeed(sv, edict);
}

vec3_t SV_TakeBaseVelocity(const sv_context_t *sv, edict_t *edict) {
    const edict_t *ground =
        (edict->flags & FL_ONGROUND) ? World_Deref(sv->world, edict->groundentity) : NULL;
    vec3_t carried = edict->basevelocity;
    if (!VectorCompare(carried, vec3_zero)) {
        edict->basevelocity = vec3_zero;
        World_MarkWritten(sv->world, edict);
    }
    if (ground) {
        carried = VectorAdd(carried, ground->surface_velocity);
    }
    if (!VectorWithin(carried, FLT_MAX)) {
        return vec3_zero; // a game may write any value
    }
    return VectorClamp(carried, sv->world->cvars.move.sv_maxvelocity);
}

vec3_t SV_ClipVelocity(vec3_t in, vec3_t normal, float overbounce) {
    return PM_Clip(in, normal, overbounce, STOP_SPEED_EPSILON);
}

// Reduces large angles: far from 0 a float loses the fractions that a slow spin adds.
static float turn_axis(float angle, float speed, float dt) {
    float turned = angle + speed * dt;
    return fabsf(turned) > MAX_TURN ? AngleMod(turned) : turned;
}

void SV_TurnAngles(const sv_context_t *sv, edict_t *edict) {
    float dt = sv->tick_seconds;
    edict->angles = Vector(turn_axis(edict->angles.x, edict->avelocity.x, dt),
                           turn_axis(edict->angles.y, edict->avelocity.y, dt),
                           turn_axis(edict->angles.z, edict->avelocity.z, dt));
}
