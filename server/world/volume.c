/// world/volume.c - ladders, currents and ground surfaces around a player.

#include "world/volume.h"

#include "move/meet.h"
#include "move/pmove.h"
#include "move/pusher.h"
#include "world/link.h"
#include "world/neighbours.h"
#include "world/shape.h"

typedef struct {
    const sv_context_t *sv;
    bounds_t box;
    pm_volume_t volume;
} inside_t;

static bool is_volume(const sv_context_t *sv, const edict_t *edict) {
    return World_IsLive(edict) && edict->solid == SOLID_TRIGGER &&
           Contents_IsVolume(edict->contents) && World_IsBrushModel(sv, edict);
}

static void add_volume(void *context, int32_t number) {
    inside_t *inside = context;
    const sv_context_t *sv = inside->sv;
    const edict_t *edict = World_Edict(sv->world, number);
    if (!is_volume(sv, edict)) {
        return;
    }
    const cm_object_t object = World_Object(sv, edict);
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    if (!CM_BoxTouches(sv->map, &object, zero, inside->box.mins, inside->box.maxs)) {
        return;
    }
    if (PM_AddVolume(&inside->volume, edict->contents, edict->surface_velocity, edict->friction)) {
        inside->volume.ladder_normal = CM_LadderNormal(sv->map, &object, inside->box);
    }
}

pm_volume_t SV_VolumesNear(const sv_context_t *sv, const neighbours_t *near, bounds_t box) {
    inside_t inside = {.sv = sv, .box = box};
    Neighbours_Visit(near, sv->world, box, AREA_TRIGGERS, add_volume, &inside);
    if (!inside.volume.ladder) {
        inside.volume.ladder = CM_WorldLadder(sv->map, box, &inside.volume.ladder_normal);
    }
    return inside.volume;
}

pm_volume_t SV_VolumesOf(const sv_context_t *sv, bounds_t box) {
    return SV_VolumesNear(sv, NULL, box);
}

pm_surface_t SV_SurfaceOf(const sv_context_t *sv, int32_t number, vec3_t at) {
    const edict_t *edict = World_Edict(sv->world, number);
    pm_surface_t surface = {.velocity = edict->surface_velocity, .friction = edict->friction};
    surface.is_pusher = edict->movetype == MOVETYPE_PUSH;
    if (surface.is_pusher) {
        surface.moving_at = PM_PusherVelocity((pose_t){edict->origin, edict->angles},
                                              edict->velocity, edict->avelocity, at);
    }
    return surface;
}
