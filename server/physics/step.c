/// physics/step.c - MOVETYPE_STEP: gravity, water, friction, conveyors and knocks of monsters and
/// crates (move/loose.h). The walking of monsters is SV_MoveStep, which their thinks call.
//
// Source:  docs/physics.md; article 001.

#include "move/body.h"
#include "move/clip.h"
#include "move/loose.h"
#include "physics/physics_local.h"
#include "world/client.h"
#include "world/events.h"
#include "world/volume.h"

#define LANDING_TIME 0.1f // s; a longer fall makes a sound

/// The move of one edict.
typedef struct {
    sv_context_t *sv;
    edict_t *edict;
    float fall; ///< vertical speed before the tick
} step_t;

// ---- the world of move/loose.h ----

static trace_t trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const step_t *step = context;
    return SV_Move(step->sv, start, mins, maxs, end, SV_MoveTypeOf(step->edict), step->edict);
}

static contents_t contents(void *context, vec3_t point) {
    const step_t *step = context;
    return SV_PointContents(step->sv, point);
}

static pm_volume_t volume(void *context, vec3_t absmin, vec3_t absmax) {
    const step_t *step = context;
    return SV_VolumesOf(step->sv, (bounds_t){absmin, absmax});
}

static pm_surface_t surface(void *context, int32_t entnum, vec3_t at) {
    const step_t *step = context;
    return SV_SurfaceOf(step->sv, entnum, at);
}

// ---- the body ----

static bool flies(const edict_t *edict) {
    return (edict->flags & FL_FLY) || ((edict->flags & FL_SWIM) && edict->waterlevel > 0);
}

static int32_t ground_of(const edict_t *edict) {
    return edict->flags & FL_ONGROUND ? (int32_t)edict->groundentity.index : -1;
}

static pm_loose_t body_of(const edict_t *edict) {
    return (pm_loose_t){.origin = edict->origin,
                        .velocity = edict->velocity,
                        .mins = edict->mins,
                        .maxs = edict->maxs,
                        .gravity = edict->gravity,
                        .friction = edict->friction,
                        .ground = ground_of(edict),
                        .waterlevel = edict->waterlevel,
                        .watertype = edict->watertype,
                        .is_crate = (edict->flags & FL_PUSHABLE) != 0,
                        .flies = flies(edict)};
}

static void write_back(const step_t *step, const pm_loose_t *body) {
    edict_t *edict = step->edict;
    edict->origin = body->origin;
    edict->velocity = body->velocity;
    bool is_gone = body->ground >= 0 && body->ground == ground_of(edict) &&
                   !World_Deref(step->sv->world, edict->groundentity);
    if (!is_gone) { // a callback may have removed the ground
        SV_SetGround(step->sv, edict,
                     body->ground >= 0 ? World_Edict(step->sv->world, body->ground) : NULL);
    }
}

// Calls both touch callbacks. Returns false if the edict was removed or moved.
static bool hit(void *context, pm_loose_t *body, const trace_t *trace) {
    const step_t *step = context;
    sv_context_t *sv = step->sv;
    edict_t *edict = step->edict;
    edict_ref_t ref = World_Ref(sv->world, edict);
    write_back(step, body);
    SV_Impact(sv, edict, World_Edict(sv->world, trace->entnum), trace);
    bool is_here = World_Deref(sv->world, ref) == edict && World_IsLive(edict) &&
                   VectorCompare(body->origin, edict->origin);
    body->velocity = edict->velocity;
    body->ground = ground_of(edict);
    return is_here;
}

// ---- the tick ----

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

// Turns the edict by avelocity, also while it does not move.
static void spin(sv_context_t *sv, edict_t *edict) {
    if (!VectorCompare(edict->avelocity, vec3_zero)) {
        SV_TurnAngles(sv, edict);
        SV_WakeEdict(sv, edict);
    }
}

static void move(const step_t *step, const pm_loose_run_t *run) {
    sv_context_t *sv = step->sv;
    edict_t *edict = step->edict;
    pm_loose_t body = body_of(edict);
    const int32_t had_ground = body.ground;
    PM_LooseForces(&body, run);
    write_back(step, &body);
    if (body.is_crate && body.waterlevel > 0 && !body.flies) {
        SV_WakeEdict(sv, edict); // the water may rise or fall
    }
    float speed = -edict->velocity.z;
    vec3_t by_ground = SV_TakeBaseVelocity(sv, edict);
    spin(sv, edict);
    if (PM_LooseMove(&body, had_ground, by_ground, run) != PM_LOOSE_MOVED) {
        return;
    }
    write_back(step, &body);
    if (had_ground < 0 && (edict->flags & FL_ONGROUND)) {
        land(sv, edict, step->fall);
        SV_NoteLanding(sv, edict, speed);
    }
    SV_LinkEdict(sv, edict, true);
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
    step_t step = {sv, edict, edict->velocity.z};
    const pm_world_t world = {.context = &step,
                              .trace = trace,
                              .point_contents = contents,
                              .volume = volume,
                              .surface = surface};
    const pm_loose_run_t run = {&world, &sv->world->cvars.move, sv->tick_seconds, &step, hit};
    move(&step, &run);
}
