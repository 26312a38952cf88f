/// physics/walk.c - MOVETYPE_WALK without a client: pmove with an empty input.

#include "move/pmove.h"
#include "physics/move_world.h"
#include "physics/physics_local.h"
#include "world/tick_time.h"
#include "world/volume.h"

#include <string.h>

// Returns the carrier's velocity, from the ground's current state: an edict does not store it.
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
        .pm_type = PM_DEAD, // ignores input and ladders
        .movetype = MOVETYPE_WALK,
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
    edict->waterlevel = (int16_t)player->waterlevel;
    edict->watertype = (int16_t)player->watertype;
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
    edict_world_t context = {sv, {edict, MOVE_NORMAL, NULL, NULL}, NULL};
    const pm_world_t world = SV_WorldForMove(&context);
    const movevars_t *vars = &sv->world->cvars.move;
    const pm_input_t nothing = {.angles = edict->angles};
    pm_touch_t touch;
    player_state_t before = player_of(sv, edict);
    player_state_t player = before;
    PM_Move(&player, &nothing, World_TickMs(sv->world), vars, &world, &touch);
    player.angles = before.angles;
    if (memcmp(&player, &before, sizeof player) == 0) {
        if (!(player.flags & PMF_ONGROUND) || !SV_MaySleep(edict)) {
            SV_WakeEdict(sv, edict); // stuck in an edict that may leave, or afloat
        }
        return; // rests until its ground wakes it
    }
    write_back(sv, edict, &player);
    SV_LinkEdict(sv, edict, true);
    touch_all(sv, edict, &touch);
}
