/// physics/water.c - waterlevel and splashes of edicts.

#include "move/loose.h"
#include "physics/physics_local.h"
#include "world/client.h"
#include "world/events.h"

void SV_SetInWater(sv_context_t *sv, edict_t *edict, bool is_wet, bool is_first) {
    if (((edict->flags & FL_INWATER) != 0) == is_wet) {
        return;
    }
    edict->flags ^= FL_INWATER;
    if (!is_first) {
        SV_EngineEffect(sv, edict, EFFECT_SPLASH);
    }
}

static contents_t contents(void *context, vec3_t point) {
    const sv_context_t *sv = context;
    return SV_PointContents(sv, point);
}

void SV_CheckWater(sv_context_t *sv, edict_t *edict) {
    pm_loose_t body = {.origin = edict->origin, .mins = edict->mins, .maxs = edict->maxs};
    const pm_world_t world = {.context = sv, .point_contents = contents};
    bool is_first = edict->watertype == 0;
    PM_FindWater(&body, &world);
    edict->waterlevel = (int16_t)body.waterlevel;
    edict->watertype = (int16_t)body.watertype;
    SV_SetInWater(sv, edict, edict->waterlevel > 0, is_first);
}
