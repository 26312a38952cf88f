/// physics/water.c - how deep an edict is in water, and where that carries it.
//
// Floor:   physics.
// Units:   qu, qu/s.

#include "physics/physics_local.h"
#include "world/events.h"
#include "world/volume.h"

#define MAX_SPEED     10000.0f // qu/s along an axis; no current is faster
#define SURFACE_STEPS 12       // halvings: to 1/4096 of its height

bool SV_IsLiquid(contents_t contents) {
    return (contents <= CONTENTS_WATER && contents >= CONTENTS_LAVA) ||
           (contents <= CONTENTS_CURRENT_0 && contents >= CONTENTS_CURRENT_DOWN);
}

void SV_LookForWater(sv_context_t *sv, edict_t *edict) {
    float height = edict->maxs.z - edict->mins.z;
    const float places[] = {1.0f, 0.5f * height, 0.9f * height};
    bool is_known = edict->watertype != 0; // the first look after it was spawned makes no splash
    edict->waterlevel = 0;
    edict->watertype = CONTENTS_EMPTY;
    for (int32_t i = 0; i < (int32_t)COUNTOF(places); i++) {
        vec3_t at = {edict->origin.x, edict->origin.y, edict->origin.z + edict->mins.z + places[i]};
        contents_t contents = SV_PointContents(sv, at);
        if (!SV_IsLiquid(contents)) {
            break;
        }
        edict->waterlevel = i + 1;
        edict->watertype = contents;
    }
    bool was_wet = (edict->flags & FL_INWATER) != 0;
    bool is_wet = edict->waterlevel > 0;
    if (was_wet != is_wet) {
        edict->flags ^= FL_INWATER;
        if (is_known) {
            Events_Add(sv->events, EVENT_EFFECT, EVENT_TO_ALL, World_EdictNumber(sv->world, edict),
                       edict->origin, "splash");
        }
    }
}

static bool is_wet(const sv_context_t *sv, vec3_t middle, float z) {
    return SV_IsLiquid(SV_PointContents(sv, Vector(middle.x, middle.y, z)));
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

static vec3_t flow_of(contents_t contents, float speed) {
    switch (contents) {
    case CONTENTS_CURRENT_0:
        return Vector(speed, 0.0f, 0.0f);
    case CONTENTS_CURRENT_90:
        return Vector(0.0f, speed, 0.0f);
    case CONTENTS_CURRENT_180:
        return Vector(-speed, 0.0f, 0.0f);
    case CONTENTS_CURRENT_270:
        return Vector(0.0f, -speed, 0.0f);
    case CONTENTS_CURRENT_UP:
        return Vector(0.0f, 0.0f, speed);
    case CONTENTS_CURRENT_DOWN:
        return Vector(0.0f, 0.0f, -speed);
    default:
        return Vector(0.0f, 0.0f, 0.0f);
    }
}

vec3_t SV_CurrentAt(const sv_context_t *sv, const edict_t *edict) {
    if (edict->waterlevel == 0) {
        return (vec3_t){0.0f, 0.0f, 0.0f};
    }
    const bounds_t box = {VectorAdd(edict->origin, edict->mins),
                          VectorAdd(edict->origin, edict->maxs)};
    bool is_crate = (edict->flags & FL_PUSHABLE) != 0; // it bobs, and should not drift by fits
    float depth = is_crate ? 3.0f * SV_Submersion(sv, edict) : (float)edict->waterlevel;
    float speed = sv->world->cvars.move.sv_currentspeed * depth;
    vec3_t current = VectorAdd(SV_VolumesOf(sv, box).current, flow_of(edict->watertype, speed));
    return VectorWithin(current, MAX_SPEED) ? current : (vec3_t){0.0f, 0.0f, 0.0f};
}
