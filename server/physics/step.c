/// physics/step.c - MOVETYPE_STEP: monsters and crates. What walks is moved by SV_MoveStep in its
/// think; here are gravity, water, friction, conveyors, and what knocks it about.
//
// Floor:   physics.
// Units:   qu, qu/s.
// Source:  facts of the field's servers; article 001.

#include "physics/physics_local.h"

#define LANDING_SHARE   0.1f // of gravity; faster falls are heard
#define GROUND_PROBE    1.0f // qu below where ground still carries
#define FLOOR_NORMAL_Z  0.7f
#define FLOAT_DENSITY   0.5f // of water: a crate floats half under
#define WATER_DRAG      8.0f // 1/s at whole submersion
#define FLOAT_CALM      0.02f
#define FLOAT_CALM_VELZ 2.0f // qu/s

static bool is_liquid(contents_t contents) {
    return (contents <= CONTENTS_WATER && contents >= CONTENTS_LAVA) ||
           (contents <= CONTENTS_CURRENT_0 && contents >= CONTENTS_CURRENT_DOWN);
}

// Feet, middle, and near the top: 1, 2, 3.
static void look_for_water(sv_context_t *sv, edict_t *edict) {
    float height = edict->maxs.z - edict->mins.z;
    const float places[] = {1.0f, 0.5f * height, 0.9f * height};
    edict->waterlevel = 0;
    edict->watertype = CONTENTS_EMPTY;
    for (int32_t i = 0; i < (int32_t)COUNTOF(places); i++) {
        vec3_t at = {edict->origin.x, edict->origin.y, edict->origin.z + edict->mins.z + places[i]};
        contents_t contents = SV_PointContents(sv, at);
        if (!is_liquid(contents)) {
            break;
        }
        edict->waterlevel = i + 1;
        edict->watertype = contents;
    }
    bool was_wet = (edict->flags & FL_INWATER) != 0;
    bool is_wet = edict->waterlevel > 0;
    if (was_wet != is_wet) {
        edict->flags ^= FL_INWATER;
        Events_Add(sv->events, EVENT_EFFECT, EVENT_TO_ALL, World_EdictNumber(sv->world, edict),
                   edict->origin, "splash");
    }
}

static vec3_t drag(vec3_t velocity, float amount) {
    return VectorScale(velocity, amount < 1.0f ? 1.0f - amount : 0.0f);
}

// Up or down until half of it is under water.
static void float_in_water(sv_context_t *sv, edict_t *edict) {
    float share = SV_Submersion(sv, edict);
    float dt = SV_TickSeconds(sv);
    float scale = edict->gravity != 0.0f ? edict->gravity : 1.0f;
    float lift = share / FLOAT_DENSITY - 1.0f;
    edict->velocity = drag(edict->velocity, WATER_DRAG * share * dt);
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

static void slow_down(sv_context_t *sv, edict_t *edict, const edict_t *ground) {
    const movevars_t *vars = &sv->world->cvars.move;
    vec3_t flat = {edict->velocity.x, edict->velocity.y, 0.0f};
    float speed = VectorLength(flat);
    float grip = ground->friction != 0.0f ? ground->friction : 1.0f;
    float control = speed > vars->sv_stopspeed ? speed : vars->sv_stopspeed;
    float left = speed - control * vars->sv_friction * grip * SV_TickSeconds(sv);
    float scale = speed > 0.0f && left > 0.0f ? left / speed : 0.0f;
    edict->velocity.x *= scale;
    edict->velocity.y *= scale;
}

// Who slid away from where he stood may stand on something else, or on nothing.
static void find_ground(sv_context_t *sv, edict_t *edict) {
    vec3_t below = VectorSubtract(edict->origin, Vector(0.0f, 0.0f, GROUND_PROBE));
    trace_t trace =
        SV_Move(sv, edict->origin, edict->mins, edict->maxs, below, SV_MoveTypeOf(edict), edict);
    bool is_floor = trace.entnum != TRACE_NOTHING && trace.plane.normal.z > FLOOR_NORMAL_Z;
    SV_SetGround(sv, edict, is_floor ? World_Edict(sv->world, trace.entnum) : NULL);
}

static bool flies(const edict_t *edict) {
    return (edict->flags & FL_FLY) || ((edict->flags & FL_SWIM) && edict->waterlevel > 0);
}

/// Gravity, water and friction on its own velocity.
static void apply_forces(sv_context_t *sv, edict_t *edict, const edict_t *ground) {
    if (flies(edict)) {
        return;
    }
    if ((edict->flags & FL_PUSHABLE) && edict->waterlevel > 0) {
        float_in_water(sv, edict);
    } else if (!ground) {
        SV_AddGravity(sv, edict);
    }
    if (ground) {
        slow_down(sv, edict, ground);
    }
}

static void land(sv_context_t *sv, const edict_t *edict, float fall) {
    if (fall < -LANDING_SHARE * sv->world->cvars.move.sv_gravity) {
        Events_Add(sv->events, EVENT_EFFECT, EVENT_TO_ALL, World_EdictNumber(sv->world, edict),
                   edict->origin, "land");
    }
}

// What a wall took of the speed it was carried with is not its own speed backwards.
static float without_recoil(float after, float own, float carried) {
    if (carried == 0.0f) {
        return after;
    }
    float lowest = own < 0.0f ? own : 0.0f;
    float highest = own > 0.0f ? own : 0.0f;
    return after < lowest ? lowest : after > highest ? highest : after;
}

void SV_Physics_Step(sv_context_t *sv, edict_t *edict) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    if (!SV_CheckVelocity(sv, edict)) {
        return;
    }
    if (!SV_HasGround(sv, edict)) {
        SV_SetGround(sv, edict, NULL);
    }
    look_for_water(sv, edict);
    bool had_ground = (edict->flags & FL_ONGROUND) != 0;
    const edict_t *ground = had_ground ? World_Deref(sv->world, edict->groundentity) : NULL;
    float fall = edict->velocity.z;
    apply_forces(sv, edict, ground);
    vec3_t carried = VectorAdd(edict->basevelocity, ground ? ground->surface_velocity : zero);
    edict->basevelocity = zero;
    SV_TurnAngles(sv, edict);
    if (VectorCompare(edict->velocity, zero) && VectorCompare(carried, zero)) {
        return;
    }
    const vec3_t own = edict->velocity;
    edict->velocity = VectorAdd(edict->velocity, carried);
    SV_SetGround(sv, edict, NULL);
    if (!SV_FlyMove(sv, edict, SV_TickSeconds(sv))) {
        return;
    }
    edict->velocity = VectorSubtract(edict->velocity, carried);
    edict->velocity.x = without_recoil(edict->velocity.x, own.x, carried.x);
    edict->velocity.y = without_recoil(edict->velocity.y, own.y, carried.y);
    if (!(edict->flags & FL_ONGROUND) && had_ground && edict->velocity.z <= 0.0f) {
        find_ground(sv, edict);
    }
    if (!had_ground && (edict->flags & FL_ONGROUND)) {
        land(sv, edict, fall);
    }
}
