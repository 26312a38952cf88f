/// physics/move_step.c - one step of a monster: along the ground, through the air or through water.
//
// Source:  docs/physics.md; the rules of Quake's monsters.

#include "move/body.h"
#include "move/clip.h"
#include "physics/actions.h"
#include "physics/physics_local.h"

#define FLYER_TOO_HIGH 40.0f // qu above its goal; a higher flyer sinks
#define FLYER_TOO_LOW  30.0f // qu above its goal; a lower flyer climbs
#define FLYER_CLIMB    8.0f  // qu per step
#define MAX_AROUND     8     // maximum overlapping edicts that a monster can step out of

static float step_height(const sv_context_t *sv, const edict_t *edict) {
    return edict->step_height > 0.0f ? edict->step_height : sv->world->cvars.move.sv_stepsize;
}

// ---- ground below ----

static contents_t contents_below(const sv_context_t *sv, const edict_t *edict, int corner) {
    vec3_t at = {edict->origin.x + ((corner & 1) ? edict->maxs.x : edict->mins.x),
                 edict->origin.y + ((corner & 2) ? edict->maxs.y : edict->mins.y),
                 edict->origin.z + edict->mins.z - 1.0f};
    return SV_PointContents(sv, at);
}

static trace_t probe_down(sv_context_t *sv, const edict_t *edict, float x, float y, float depth) {
    vec3_t from = {x, y, edict->origin.z + edict->mins.z};
    return SV_Move(sv, from, vec3_zero, vec3_zero, Vector(x, y, from.z - depth), MOVE_NOMONSTERS,
                   edict);
}

bool SV_CheckBottom(sv_context_t *sv, edict_t *edict) {
    int solid = 0;
    for (int corner = 0; corner < 4; corner++) {
        solid += contents_below(sv, edict, corner) == CONTENTS_SOLID;
    }
    if (solid == 4) {
        return true;
    }
    float step = step_height(sv, edict);
    float depth = 2.0f * step;
    vec3_t mins = VectorAdd(edict->origin, edict->mins);
    vec3_t maxs = VectorAdd(edict->origin, edict->maxs);
    trace_t middle =
        probe_down(sv, edict, 0.5f * (mins.x + maxs.x), 0.5f * (mins.y + maxs.y), depth);
    if (middle.fraction == 1.0f) {
        return false;
    }
    for (int corner = 0; corner < 4; corner++) {
        trace_t trace = probe_down(sv, edict, (corner & 1) ? maxs.x : mins.x,
                                   (corner & 2) ? maxs.y : mins.y, depth);
        if (trace.fraction == 1.0f || middle.endpos.z - trace.endpos.z > step) {
            return false;
        }
    }
    return true;
}

// ---- obstacles ----

// Sweeps a box into `blocked`, unless it is NULL or already has an obstacle.
static void note_obstacle(sv_context_t *sv, const edict_t *edict, vec3_t from, vec3_t move,
                          trace_t *blocked) {
    if (blocked && blocked->entnum == TRACE_NOTHING) {
        *blocked =
            SV_Move(sv, from, edict->mins, edict->maxs, VectorAdd(from, move), MOVE_NORMAL, edict);
    }
}

// Finds what stops a walker: a step above the ground, otherwise on the ground.
static void note_wall(sv_context_t *sv, const edict_t *edict, vec3_t move, trace_t *blocked) {
    if (blocked) {
        vec3_t high = edict->origin;
        high.z += step_height(sv, edict);
        high = SV_SweepEdict(sv, edict, high).endpos;
        note_obstacle(sv, edict, high, move, blocked);
        note_obstacle(sv, edict, edict->origin, move, blocked);
    }
}

// ---- through air and water ----

// Returns true if the origin suits the edict: in water for a swimmer, out of it for a flyer.
static bool may_be_at(const sv_context_t *sv, const edict_t *edict, vec3_t origin) {
    bool is_wet = PM_IsLiquid(SV_PointContents(sv, origin));
    return (edict->flags & FL_SWIM) ? is_wet : !is_wet;
}

static float climb_towards(const edict_t *edict, const vec3_t *goal) {
    float above = edict->origin.z - goal->z;
    return above > FLYER_TOO_HIGH ? -FLYER_CLIMB : above < FLYER_TOO_LOW ? FLYER_CLIMB : 0.0f;
}

static bool try_flight(sv_context_t *sv, edict_t *edict, vec3_t move, trace_t *blocked) {
    vec3_t end = VectorAdd(edict->origin, move);
    trace_t trace = SV_Move(sv, edict->origin, edict->mins, edict->maxs, end, MOVE_NORMAL, edict);
    if (trace.fraction < 1.0f || trace.startsolid || !may_be_at(sv, edict, trace.endpos)) {
        note_obstacle(sv, edict, edict->origin, move, blocked);
        return false;
    }
    edict->origin = trace.endpos;
    return true;
}

static bool fly_step(sv_context_t *sv, edict_t *edict, vec3_t move, const vec3_t *goal,
                     trace_t *blocked) {
    float climb = goal ? climb_towards(edict, goal) : 0.0f;
    if (climb != 0.0f &&
        try_flight(sv, edict, VectorAdd(move, Vector(0.0f, 0.0f, climb)), blocked)) {
        return true;
    }
    return try_flight(sv, edict, move, blocked);
}

// ---- along the ground ----

// Returns true if a step is longer than the box. A shorter step cannot jump over an obstacle.
static bool may_jump_over(const edict_t *edict, vec3_t move) {
    return fabsf(move.x) > edict->maxs.x - edict->mins.x ||
           fabsf(move.y) > edict->maxs.y - edict->mins.y;
}

// Sweeps down to the ground at the end of the step. Starts a step above the edict, or at the
// edict's height if that is solid.
static trace_t drop_at_end(sv_context_t *sv, const edict_t *edict, vec3_t move) {
    float step = step_height(sv, edict);
    vec3_t over = VectorAdd(edict->origin, move);
    vec3_t high = {over.x, over.y, over.z + step};
    // Two epsilons more than a step, so that a monster can descend every step that it climbed.
    vec3_t low = {over.x, over.y, over.z - step - 2.0f * CM_DIST_EPSILON};
    trace_t trace = SV_Move(sv, high, edict->mins, edict->maxs, low, MOVE_NORMAL, edict);
    if (trace.startsolid && !trace.allsolid) {
        trace = SV_Move(sv, over, edict->mins, edict->maxs, low, MOVE_NORMAL, edict);
    }
    return trace;
}

static bool is_path_free(sv_context_t *sv, const edict_t *edict, vec3_t endpos) {
    vec3_t from = edict->origin;
    from.z = endpos.z > from.z ? endpos.z : from.z;
    vec3_t to = {endpos.x, endpos.y, from.z};
    trace_t up = SV_Move(sv, edict->origin, edict->mins, edict->maxs, from, MOVE_NORMAL, edict);
    trace_t along = SV_Move(sv, from, edict->mins, edict->maxs, to, MOVE_NORMAL, edict);
    return up.fraction == 1.0f && along.fraction == 1.0f;
}

// Lets a monster that is only partly on the ground walk off the edge.
static bool step_off(sv_context_t *sv, edict_t *edict, vec3_t move) {
    if (!(edict->flags & FL_PARTIALGROUND)) {
        return false;
    }
    edict->origin = VectorAdd(edict->origin, move);
    SV_SetGround(sv, edict, NULL);
    return true;
}

static bool walk_step(sv_context_t *sv, edict_t *edict, vec3_t move, trace_t *blocked) {
    trace_t trace = drop_at_end(sv, edict, move);
    if (trace.startsolid ||
        (may_jump_over(edict, move) && !is_path_free(sv, edict, trace.endpos))) {
        note_wall(sv, edict, move, blocked);
        return false;
    }
    if (trace.fraction == 1.0f) {
        return step_off(sv, edict, move);
    }
    vec3_t was = edict->origin;
    edict->origin = trace.endpos;
    bool is_whole = SV_CheckBottom(sv, edict);
    if (!is_whole && !(edict->flags & FL_PARTIALGROUND)) {
        edict->origin = was;
        return false;
    }
    if (is_whole) {
        edict->flags &= ~FL_PARTIALGROUND;
    }
    SV_SetGround(sv, edict, World_Edict(sv->world, trace.entnum));
    return true;
}

static bool step_along(sv_context_t *sv, edict_t *edict, vec3_t move, const vec3_t *goal,
                       trace_t *blocked) {
    if (edict->flags & (FL_FLY | FL_SWIM)) {
        return fly_step(sv, edict, move, goal, blocked);
    }
    return edict->mover == MOVER_STEP ? walk_step(sv, edict, move, blocked)
                                      : SV_BodyStep(sv, edict, move, blocked);
}

// Lets a monster walk out of edicts that overlap it. Makes those edicts non-solid for this step.
static bool step_out(sv_context_t *sv, edict_t *edict, vec3_t move, const vec3_t *goal) {
    edict_t *list[MAX_AROUND];
    int32_t solids[MAX_AROUND];
    int32_t count = 0;
    edict_t *in = SV_TestEdictPosition(sv, edict);
    while (in && in->solid != SOLID_BSP && in->solid != SOLID_NOT && count < MAX_AROUND) {
        list[count] = in;
        solids[count++] = in->solid;
        in->solid = SOLID_NOT;
        in = SV_TestEdictPosition(sv, edict);
    }
    bool moved = !in && count > 0 && step_along(sv, edict, move, goal, NULL);
    while (count-- > 0) {
        list[count]->solid = solids[count];
    }
    return moved;
}

bool SV_StepTowards(sv_context_t *sv, edict_t *edict, vec3_t move, const vec3_t *goal, bool relink,
                    trace_t *blocked) {
    if (!World_IsLive(edict) || !VectorWithin(move, MAX_WORLD_COORD)) {
        return false;
    }
    bool moved = step_along(sv, edict, move, goal, blocked) || step_out(sv, edict, move, goal);
    if (moved && relink) {
        SV_LinkEdict(sv, edict, true);
    }
    return moved;
}

bool SV_MoveStep(sv_context_t *sv, edict_t *edict, vec3_t move, bool relink, trace_t *blocked) {
    SV_ClearBlocked(blocked, edict);
    return SV_StepTowards(sv, edict, move, NULL, relink, blocked);
}
