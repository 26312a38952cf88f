/// physics/walk.c - an edict that walks without a client: pmove with nothing pressed. It falls,
/// slides to a stop, floats, and stands on what is there.
//
// Floor:   physics.

#include "move/pmove.h"
#include "physics/physics_local.h"
#include "world/volume.h"

#include <string.h>

typedef struct {
    sv_context_t *sv;
    edict_t *edict;
} walker_t;

static trace_t walker_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const walker_t *walker = context;
    return SV_Move(walker->sv, start, mins, maxs, end, MOVE_NORMAL, walker->edict);
}

static contents_t walker_contents(void *context, vec3_t point) {
    const walker_t *walker = context;
    return SV_PointContents(walker->sv, point);
}

static pm_volume_t walker_volume(void *context, vec3_t absmin, vec3_t absmax) {
    const walker_t *walker = context;
    return SV_VolumesOf(walker->sv, (bounds_t){absmin, absmax});
}

static pm_surface_t walker_surface(void *context, int32_t entnum, vec3_t at) {
    const walker_t *walker = context;
    return SV_SurfaceOf(walker->sv, entnum, at);
}

// What carries it is not kept in the edict: it is what its ground does now.
static vec3_t carried_by(const sv_context_t *sv, int32_t ground, vec3_t at) {
    pm_surface_t surface = {.friction = 0.0f};
    if (ground > 0) {
        surface = SV_SurfaceOf(sv, ground, at);
    }
    bool keeps = sv->world->cvars.move.sv_pushermomentum != 0;
    return keeps ? VectorAdd(surface.velocity, surface.moving_at) : surface.velocity;
}

static player_state_t player_of(const sv_context_t *sv, const edict_t *edict) {
    const world_t *world = sv->world;
    const edict_t *ground = World_Deref(world, edict->groundentity);
    bool stands = (edict->flags & FL_ONGROUND) && ground;
    int32_t number = stands ? World_EdictNumber(world, ground) : -1;
    return (player_state_t){
        .origin = edict->origin,
        .velocity = edict->velocity,
        .mins = edict->mins,
        .maxs = edict->maxs,
        .angles = edict->angles,
        .pm_type = PM_DEAD, // it wants nothing, and holds on to no ladder
        .flags = stands ? PMF_ONGROUND : 0,
        .groundentity = number,
        .waterlevel = edict->waterlevel,
        .watertype = edict->watertype,
        .gravity = edict->gravity,
        .basevelocity = carried_by(sv, number, edict->origin),
        .carrier = number,
    };
}

static void write_back(sv_context_t *sv, edict_t *edict, const player_state_t *player) {
    bool stands = (player->flags & PMF_ONGROUND) && player->groundentity >= 0;
    edict->origin = player->origin;
    edict->velocity = player->velocity;
    edict->waterlevel = player->waterlevel;
    edict->watertype = player->watertype;
    SV_SetGround(sv, edict, stands ? World_Edict(sv->world, player->groundentity) : NULL);
}

static void touch_all(sv_context_t *sv, edict_t *edict, const pm_touch_t *touch) {
    edict_ref_t ref = World_Ref(sv->world, edict);
    for (int32_t i = 0; i < touch->count && World_Deref(sv->world, ref) == edict; i++) {
        SV_Impact(sv, edict, World_Edict(sv->world, touch->entnums[i]), NULL);
    }
    sv->world->counters.touches_dropped += (uint64_t)touch->dropped;
}

void SV_Physics_Walk(sv_context_t *sv, edict_t *edict) {
    if (!SV_CheckVelocity(sv, edict)) {
        return;
    }
    walker_t walker = {sv, edict};
    const pm_world_t world = {.context = &walker,
                              .trace = walker_trace,
                              .point_contents = walker_contents,
                              .volume = walker_volume,
                              .surface = walker_surface};
    const movevars_t *vars = &sv->world->cvars.move;
    const pm_input_t nothing = {.angles = edict->angles};
    pm_touch_t touch;
    player_state_t before = player_of(sv, edict);
    player_state_t player = before;
    PM_Move(&player, &nothing, sv->world->cvars.sv_tick_ms, vars, &world, &touch);
    player.angles = before.angles;
    if (memcmp(&player, &before, sizeof player) == 0) {
        if (!(player.flags & PMF_ONGROUND) || !SV_MaySleep(edict)) {
            SV_WakeEdict(sv, edict); // stuck in something that may go away, or afloat
        }
        return; // stands still: it rests until its ground wakes it
    }
    write_back(sv, edict, &player);
    SV_LinkEdict(sv, edict, true);
    touch_all(sv, edict, &touch);
}
