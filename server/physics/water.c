/// physics/water.c - waterlevel, submersion and currents of edicts.

#include "move/clip.h"
#include "physics/physics_local.h"
#include "world/client.h"
#include "world/events.h"
#include "world/volume.h"

#define MAX_SPEED     10000.0f // qu/s along an axis; a faster current is ignored
#define SURFACE_STEPS 12       // bisections: to 1/4096 of the height

void SV_SetInWater(sv_context_t *sv, edict_t *edict, bool is_wet, bool is_first) {
    if (((edict->flags & FL_INWATER) != 0) == is_wet) {
        return;
    }
    edict->flags ^= FL_INWATER;
    if (!is_first) {
        SV_EngineEffect(sv, edict, EFFECT_SPLASH);
    }
}

void SV_CheckWater(sv_context_t *sv, edict_t *edict) {
    float height = edict->maxs.z - edict->mins.z;
    const float heights[] = {1.0f, 0.5f * height, 0.9f * height};
    bool is_first = edict->watertype == 0;
    edict->waterlevel = 0;
    edict->watertype = CONTENTS_EMPTY;
    for (int32_t i = 0; i < (int32_t)COUNTOF(heights); i++) {
        vec3_t at = {edict->origin.x, edict->origin.y,
                     edict->origin.z + edict->mins.z + heights[i]};
        contents_t contents = SV_PointContents(sv, at);
        if (!PM_IsLiquid(contents)) {
            break;
        }
        edict->waterlevel = (int16_t)(i + 1);
        edict->watertype = i == 0 ? (int16_t)contents : edict->watertype;
    }
    SV_SetInWater(sv, edict, edict->waterlevel > 0, is_first);
}

static bool is_wet(const sv_context_t *sv, vec3_t middle, float z) {
    return PM_IsLiquid(SV_PointContents(sv, Vector(middle.x, middle.y, z)));
}

float SV_Submersion(const sv_context_t *sv, const edict_t *edict) {
    vec3_t middle = VectorMA(edict->origin, 0.5f, VectorAdd(edict->mins, edict->maxs));
    float bottom = edict->origin.z + edict->mins.z;
    float top = edict->origin.z + edict->maxs.z;
    if (!is_wet(sv, middle, bottom)) {
        return 0.0f;
    }
    if (is_wet(sv, middle, top)) {
        return 1.0f;
    }
    float wet = bottom;
    float dry = top;
    for (int32_t i = 0; i < SURFACE_STEPS; i++) {
        float z = 0.5f * (wet + dry);
        if (is_wet(sv, middle, z)) {
            wet = z;
        } else {
            dry = z;
        }
    }
    return (wet - bottom) / (top - bottom);
}

vec3_t SV_CurrentAt(const sv_context_t *sv, const edict_t *edict) {
    if (edict->waterlevel == 0) {
        return vec3_zero;
    }
    const bounds_t box = {VectorAdd(edict->origin, edict->mins),
                          VectorAdd(edict->origin, edict->maxs)};
    // A crate bobs, so the steps of waterlevel would jerk it.
    bool is_crate = (edict->flags & FL_PUSHABLE) != 0;
    float depth = is_crate ? 3.0f * SV_Submersion(sv, edict) : (float)edict->waterlevel;
    float speed = sv->world->cvars.move.sv_currentspeed * depth;
    vec3_t current =
        VectorAdd(SV_VolumesOf(sv, box).current, PM_CurrentVelocity(edict->watertype, speed));
    return VectorWithin(current, MAX_SPEED) ? current : vec3_zero;
}
