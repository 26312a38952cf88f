/// physics/step.c - MOVETYPE_STEP: gravity, water, friction, conveyors and knocks of monsters and
/// crates. The walking of monsters is SV_MoveStep, which their thinks call.
//
// Source:  docs/physics.md; article 001.

#include "move/body.h"
#include "move/clip.h"
#include "physics/physics_local.h"
#include "world/client.h"
#include "world/events.h"
#include "world/volume.h"

#define LANDING_TIME 0.1f // s; a longer fall makes a sound

#define FLOAT_DENSITY   0.5f  // relative to water: a crate floats half submerged
#define PUSHER_GRIP     0.5f  // factor of a crate's friction on a pusher with sv_tossrules 1
#define WATER_DRAG      8.0f  // 1/s when wholly submerged
#define FLOAT_CALM      0.02f // relative lift; a crate below both limits stops bobbing
#define FLOAT_CALM_VELZ 2.0f  // qu/s

// Returns the velocity after one tick of drag, which is proportional to speed.
static vec3_t drag(vec3_t velocity, float friction, const sv_context_t *sv) {
    float amount = friction * sv->tick_seconds;
    return VectorScale(velocity, amount < 1.0f ? 1.0f - amount : 0.0f);
}

// Accelerates a crate up or down until it is half submerged.
static void float_in_water(sv_context_t *sv, edict_t *edict) {
    float submersion = SV_Submersion(sv, edict);
    float dt = sv->tick_seconds;
    float scale = edict->gravity != 0.0f ? edict->gravity : 1.0f;
    float lift = submersion / FLOAT_DENSITY - 1.0f;
    edict->velocity = drag(edict->velocity, WATER_DRAG * submersion, sv);
    if (fabsf(lift) < FLOAT_CALM && fabsf(edict->velocity.z) < FLOAT_CALM_VELZ) {
        edict->velocity.z = 0.0f;
    } else {
        edict->velocity.z += lift * scale * sv->world->cvars.move.sv_gravity * dt;
    }
    if (edict->velocity.z > 0.0f) {
        SV_SetGround(sv, edict, NULL);
    }
    SV_WakeEdict(sv, edict); // the water may rise or fall
}

// Returns the velocity after one tick of friction, which is constant below sv_stopspeed.
static vec3_t brake(vec3_t velocity, float friction, const sv_context_t *sv) {
    float stopspeed = sv->world->cvars.move.sv_stopspeed;
    float speed = VectorLength(velocity);
    float control = speed > stopspeed ? speed : stopspeed;
    float left = speed - control * friction * sv->tick_seconds;
    return left > 0.0f ? VectorScale(velocity, left / speed) : vec3_zero;
}

static bool flies(const edict_t *edict) {
    return (edict->flags & FL_FLY) || ((edict->flags & FL_SWIM) && edict->waterlevel > 0);
}

// Returns the factor of sv_friction on the edict's ground, for crates also of the volumes around.
static float grip_of(const sv_context_t *sv, const edict_t *edict, const edict_t *ground) {
    const movevars_t *vars = &sv->world->cvars.move;
    float grip = ground->friction > 0.0f ? ground->friction : 1.0f;
    if (edict->flags & FL_PUSHABLE) {
        float inside = SV_VolumesOf(sv, (bounds_t){edict->absmin, edict->absmax}).friction;
        grip *= inside > 0.0f ? inside : 1.0f;
        grip *= edict->friction > 0.0f ? edict->friction : 1.0f;
    }
    bool slides = vars->sv_tossrules == 1 && (edict->flags & FL_PUSHABLE) &&
                  ground->movetype == MOVETYPE_PUSH;
    return slides ? PUSHER_GRIP * grip : grip;
}

// Applies gravity, water and friction to the edict's own velocity. Flyers and swimmers have no
// gravity, but friction in all directions.
static void apply_forces(sv_context_t *sv, edict_t *edict, const edict_t *ground) {
    const movevars_t *vars = &sv->world->cvars.move;
    if (flies(edict)) {
        edict->velocity = brake(edict->velocity, vars->sv_friction, sv);
        return;
    }
    if ((edict->flags & FL_PUSHABLE) && edict->waterlevel > 0) {
        float_in_water(sv, edict);
    } else if (!ground) {
        SV_AddGravity(sv, edict);
        float depth = (float)edict->waterlevel / 3.0f;
        edict->velocity = drag(edict->velocity, vars->sv_waterfriction * depth, sv);
    }
    if (ground) {
        vec3_t flat = {edict->velocity.x, edict->velocity.y, 0.0f};
        flat = brake(flat, vars->sv_friction * grip_of(sv, edict, ground), sv);
        edict->velocity = Vector(flat.x, flat.y, edict->velocity.z);
    }
}

void SV_NoteLanding(const sv_context_t *sv, edict_t *edict, float speed) {
    vec3_t feet = {edict->origin.x, edict->origin.y, edict->origin.z + edict->mins.z + 1.0f};
    if (speed > edict->landing_speed && !PM_IsLiquid(SV_PointContents(sv, feet))) {
        edict->landing_speed = speed;
    }
}

static void land(sv_context_t *sv, const edict_t *edict, float fall) {
    if (fall < -LANDING_TIME * sv->world->cvars.move.sv_gravity) {
        SV_EngineEffect(sv, edict, EFFECT_LAND);
    }
}

// Lowers an edict that slid off the ground onto a floor just below, if there is one.
static void find_ground(sv_context_t *sv, edict_t *edict) {
    trace_t trace = SV_ProbeGround(sv, edict);
    if (trace.entnum != TRACE_NOTHING && trace.plane.normal.z > FLOOR_NORMAL_Z) {
        edict->origin = trace.endpos;
        SV_SetGround(sv, edict, World_Edict(sv->world, trace.entnum));
    }
}

// Adds the velocity of the ground left: a conveyor's and, with sv_pushermomentum, a pusher's.
static void keep_momentum(const sv_context_t *sv, edict_t *edict, int32_t ground, vec3_t carried) {
    vec3_t speed = carried;
    if (sv->world->cvars.move.sv_pushermomentum) {
        speed = VectorAdd(SV_SurfaceOf(sv, ground, edict->origin).moving_at, speed);
    }
    edict->velocity = VectorAdd(edict->velocity, Vector(speed.x, speed.y, 0.0f));
}

// Turns the edict by avelocity, also while it does not move.
static void spin(sv_context_t *sv, edict_t *edict) {
    if (!VectorCompare(edict->avelocity, vec3_zero)) {
        SV_TurnAngles(sv, edict);
        SV_WakeEdict(sv, edict);
    }
}

void SV_Physics_Step(sv_context_t *sv, edict_t *edict) {
    if (!SV_CheckVelocity(sv, edict)) {
        return;
    }
    World_MarkWritten(sv->world, edict);
    if (edict->mover != MOVER_STEP) {
        SV_MoveBody(sv, edict);
        return;
    }
    if (!SV_HasGround(sv, edict)) {
        SV_SetGround(sv, edict, NULL);
    }
    SV_CheckWater(sv, edict);
    bool had_ground = (edict->flags & FL_ONGROUND) != 0;
    float fall = edict->velocity.z;
    apply_forces(sv, edict, had_ground ? World_Deref(sv->world, edict->groundentity) : NULL);
    float speed = -edict->velocity.z;
    int32_t ground = had_ground ? (int32_t)edict->groundentity.index : EDICT_WORLD;
    vec3_t by_ground = SV_TakeBaseVelocity(sv, edict);
    vec3_t by_water = flies(edict) ? vec3_zero : SV_CurrentAt(sv, edict);
    vec3_t carried = VectorAdd(by_ground, by_water);
    spin(sv, edict);
    if (VectorCompare(edict->velocity, vec3_zero) && VectorCompare(carried, vec3_zero)) {
        return;
    }
    SV_SetGround(sv, edict, NULL);
    if (!SV_FlyMove(sv, edict, carried)) {
        return;
    }
    if (!(edict->flags & FL_ONGROUND) && had_ground && edict->velocity.z <= 0.0f) {
        find_ground(sv, edict);
        if (!(edict->flags & FL_ONGROUND)) {
            keep_momentum(sv, edict, ground, by_ground);
        }
    }
    if (!had_ground && (edict->flags & FL_ONGROUND)) {
        land(sv, edict, fall);
        SV_NoteLanding(sv, edict, speed);
    }
    SV_LinkEdict(sv, edict, true);
}
