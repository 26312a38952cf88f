/// physics/toss.c - TOSS, BOUNCE, FLY and both missile movetypes: one routine and a table.
//
// Source:  docs/physics.md, "Movetypes". sv_tossrules selects the rules:
//
//   0 Quake: overbounce 1 or 1.5. On a floor the edict rests unless it bounces and still rises
//     at 60 or more. One sweep a tick, or two for an edict that hangs at a steep slope.
//   1 Half-Life: overbounce 2 minus the friction. A bouncing edict rests on a floor if it is slower
//     than 30; otherwise it rolls in a second sweep. Nothing rests on monsters and players. Spins
//     slow down.
//
// With both rules, a conveyor moves the edicts on it, and edict->bounce replaces the overbounce of
// BOUNCE and BOUNCEMISSILE.

#include "move/clip.h"
#include "physics/physics_local.h"
#include "world/events.h"

#define REST_BOUNCE_VELZ  60.0f  // Quake: qu/s upwards after a bounce; slower edicts rest
#define REST_SPEED_SQUARE 900.0f // Half-Life: (qu/s)^2
#define SECOND_SWEEP      0.9f   // Half-Life: factor of the time left after the first sweep
#define DEFAULT_FRICTION  0.5f   // Half-Life: used for 0; bounces as in Quake
#define MAX_FRICTION      2.0f
#define MAX_BOUNCE        2.0f // of edict->bounce; others count as 0

#define STILL_SPIN 1.0f // degrees/s; a slower spin stops

typedef struct {
    bool has_gravity;
    bool bounces;
    float overbounce; ///< with Quake's rules
} toss_row_t;

static const toss_row_t toss_rows[MOVETYPE_COUNT] = {
    [MOVETYPE_TOSS] = {.has_gravity = true, .bounces = false, .overbounce = 1.0f},
    [MOVETYPE_BOUNCE] = {.has_gravity = true, .bounces = true, .overbounce = 1.5f},
    [MOVETYPE_FLY] = {.has_gravity = false, .bounces = false, .overbounce = 1.0f},
    [MOVETYPE_FLYMISSILE] = {.has_gravity = false, .bounces = false, .overbounce = 1.0f},
    [MOVETYPE_BOUNCEMISSILE] = {.has_gravity = false, .bounces = true, .overbounce = 2.0f},
};

// ---- shared by both rules ----

// Tests the edict's origin for water.
static void check_water_transition(sv_context_t *sv, edict_t *edict) {
    contents_t contents = SV_PointContents(sv, edict->origin);
    bool is_wet = PM_IsLiquid(contents);
    bool is_first = edict->watertype == 0;
    bool was_wet = edict->waterlevel > 0;
    edict->flags = was_wet ? edict->flags | FL_INWATER : edict->flags & ~FL_INWATER;
    SV_SetInWater(sv, edict, is_wet, is_first);
    edict->watertype = (int16_t)(is_wet ? contents : CONTENTS_EMPTY);
    edict->waterlevel = is_wet ? 1 : 0;
}

static void come_to_rest(sv_context_t *sv, edict_t *edict, const edict_t *ground) {
    SV_SetGround(sv, edict, ground);
    edict->velocity = vec3_zero;
    edict->avelocity = vec3_zero;
}

static bool is_still(const edict_t *edict, const toss_row_t *row) {
    return !row->has_gravity && SV_IsStill(edict) && VectorCompare(edict->basevelocity, vec3_zero);
}

/// The state of one sweep.
typedef struct {
    const toss_row_t *row;
    vec3_t velocity;
    float seconds;
    trace_t trace;
    bool is_hit; ///< hit an edict or the map, and no touch callback moved the edict
} toss_t;

// Runs the sweep. Returns false if the edict was removed.
static bool sweep(sv_context_t *sv, edict_t *edict, toss_t *toss) {
    edict_ref_t ref = World_Ref(sv->world, edict);
    toss->trace = SV_PushEntity(sv, edict, VectorScale(toss->velocity, toss->seconds));
    if (World_Deref(sv->world, ref) != edict || !World_IsLive(edict)) {
        return false;
    }
    bool was_moved = !VectorCompare(edict->origin, toss->trace.endpos); // by a teleporter
    toss->is_hit = toss->trace.fraction < 1.0f && toss->trace.entnum != TRACE_NOTHING && !was_moved;
    return true;
}

// Returns the factor of SV_ClipVelocity at a hit. `by_rules`: that of an edict without a bounce.
static float overbounce_of(const edict_t *edict, const toss_row_t *row, float by_rules) {
    bool has_own = row->bounces && edict->bounce > 0.0f && edict->bounce <= MAX_BOUNCE;
    return has_own ? 1.0f + edict->bounce : by_rules;
}

// ---- conveyors ----

// Moves a resting edict by the ground's surface velocity. The edict keeps that velocity when
// it leaves the ground.
static void ride_conveyor(sv_context_t *sv, edict_t *edict) {
    vec3_t carried = SV_TakeBaseVelocity(sv, edict);
    if (VectorCompare(carried, vec3_zero)) {
        return;
    }
    const vec3_t velocity = edict->velocity;
    vec3_t normal = SV_ProbeGround(sv, edict).plane.normal;
    toss_t toss = {.velocity = SV_ClipVelocity(carried, normal, 1.0f), .seconds = sv->tick_seconds};
    SV_SetGround(sv, edict, NULL);
    if (!sweep(sv, edict, &toss) || !VectorCompare(edict->velocity, velocity)) {
        return; // removed, or thrown by a touch callback
    }
    trace_t below = SV_ProbeGround(sv, edict);
    if (below.entnum == TRACE_NOTHING || below.plane.normal.z <= FLOOR_NORMAL_Z) {
        edict->velocity = carried;
        return;
    }
    edict->origin = below.endpos;
    SV_SetGround(sv, edict, World_Edict(sv->world, below.entnum));
    SV_LinkEdict(sv, edict, false);
}

// ---- Quake's rules ----

static void hit_quake(sv_context_t *sv, edict_t *edict, const toss_t *toss) {
    const trace_t *trace = &toss->trace;
    const edict_t *other = World_Edict(sv->world, trace->entnum);
    if (trace->allsolid) {
        come_to_rest(sv, edict, other); // stuck: rests until the other edict leaves
        return;
    }
    edict->velocity = SV_ClipVelocity(edict->velocity, trace->plane.normal,
                                      overbounce_of(edict, toss->row, toss->row->overbounce));
    bool is_floor = trace->plane.normal.z > FLOOR_NORMAL_Z;
    bool is_slow =
        !toss->row->bounces || (toss->row->has_gravity && edict->velocity.z < REST_BOUNCE_VELZ);
    if (is_floor && is_slow) {
        come_to_rest(sv, edict, other);
    }
}

static bool sweep_quake(sv_context_t *sv, edict_t *edict, toss_t *toss) {
    toss->velocity = edict->velocity;
    if (!sweep(sv, edict, toss)) {
        return false;
    }
    if (toss->is_hit) {
        hit_quake(sv, edict, toss);
    }
    return true;
}

// Returns true if an edict hangs at a steep slope, where a single sweep would never move it.
static bool hangs_at_slope(const edict_t *edict, const toss_t *toss, vec3_t start) {
    const trace_t *trace = &toss->trace;
    float moved = VectorLength(VectorSubtract(trace->endpos, start));
    return !toss->row->bounces && trace->fraction < 1.0f && !trace->allsolid &&
           moved < CM_DIST_EPSILON && !(edict->flags & FL_ONGROUND);
}

static bool toss_quake(sv_context_t *sv, edict_t *edict, const toss_row_t *row) {
    if (row->has_gravity) {
        SV_AddGravity(sv, edict);
    }
    SV_TurnAngles(sv, edict);
    toss_t toss = {.row = row, .seconds = sv->tick_seconds};
    vec3_t start = edict->origin;
    if (!sweep_quake(sv, edict, &toss)) {
        return false;
    }
    return !hangs_at_slope(edict, &toss, start) || sweep_quake(sv, edict, &toss);
}

// ---- Half-Life's rules ----

static float own_friction(const edict_t *edict) {
    float friction = edict->friction;
    return friction > 0.0f && friction <= MAX_FRICTION ? friction : DEFAULT_FRICTION;
}

static float slower_spin(float speed, float scale) {
    return fabsf(speed) > STILL_SPIN ? speed * scale : 0.0f;
}

static void brake_spin(const sv_context_t *sv, edict_t *edict) {
    float scale = 1.0f - own_friction(edict) * sv->tick_seconds;
    scale = scale > 0.0f ? scale : 0.0f;
    edict->avelocity =
        Vector(slower_spin(edict->avelocity.x, scale), slower_spin(edict->avelocity.y, scale),
               slower_spin(edict->avelocity.z, scale));
}

static float overbounce_halflife(const edict_t *edict, const toss_row_t *row) {
    if (!row->bounces) {
        return 1.0f;
    }
    return row->has_gravity ? 2.0f - own_friction(edict) : 2.0f;
}

// Brings the edict to rest, or rolls it in a second sweep. Returns false if the edict was removed.
static bool rest_or_roll(sv_context_t *sv, edict_t *edict, toss_t *toss, vec3_t carried) {
    const edict_t *other = World_Edict(sv->world, toss->trace.entnum);
    vec3_t over_ground = VectorAdd(edict->velocity, carried);
    if (!toss->row->bounces || DotProduct(over_ground, over_ground) < REST_SPEED_SQUARE) {
        come_to_rest(sv, edict, other);
        return true;
    }
    if (toss->row->has_gravity && edict->velocity.z < SV_FallSpeed(sv, edict)) {
        SV_SetGround(sv, edict, other);
        edict->velocity.z = 0.0f;
    }
    toss->velocity = VectorAdd(edict->velocity, carried);
    toss->seconds *= (1.0f - toss->trace.fraction) * SECOND_SWEEP;
    return sweep(sv, edict, toss);
}

static bool toss_halflife(sv_context_t *sv, edict_t *edict, const toss_row_t *row) {
    if (row->has_gravity) {
        SV_AddGravity(sv, edict);
    }
    SV_TurnAngles(sv, edict);
    if (row->has_gravity) {
        brake_spin(sv, edict);
    }
    vec3_t carried = edict->basevelocity;
    edict->basevelocity = vec3_zero;
    toss_t toss = {
        .row = row, .velocity = VectorAdd(edict->velocity, carried), .seconds = sv->tick_seconds};
    if (!sweep(sv, edict, &toss)) {
        return false;
    }
    if (!toss.is_hit) {
        return true;
    }
    if (toss.trace.allsolid) {
        come_to_rest(sv, edict, World_Edict(sv->world, toss.trace.entnum));
        return true;
    }
    vec3_t normal = toss.trace.plane.normal;
    edict->velocity = SV_ClipVelocity(edict->velocity, normal,
                                      overbounce_of(edict, row, overbounce_halflife(edict, row)));
    return normal.z <= FLOOR_NORMAL_Z || rest_or_roll(sv, edict, &toss, carried);
}

// Clears the ground of an edict that rises or that rests on a monster or player.
static void leave_ground(sv_context_t *sv, edict_t *edict) {
    const edict_t *ground = World_Deref(sv->world, edict->groundentity);
    if (ground && (edict->velocity.z > 0.0f || (ground->flags & (FL_MONSTER | FL_CLIENT)) != 0)) {
        SV_SetGround(sv, edict, NULL);
        World_MarkWritten(sv->world, edict);
    }
}

// ---- the routine ----

static bool rolls(const edict_t *edict) {
    return edict->velocity.x != 0.0f || edict->velocity.y != 0.0f;
}

void SV_Physics_Toss(sv_context_t *sv, edict_t *edict) {
    ASSERT(edict->movetype >= 0 && edict->movetype < MOVETYPE_COUNT);
    const toss_row_t *row = &toss_rows[edict->movetype];
    bool is_halflife = sv->world->cvars.move.sv_tossrules == 1;
    if (is_halflife) {
        leave_ground(sv, edict);
    }
    if (SV_HasGround(sv, edict) && !(is_halflife && rolls(edict))) {
        ride_conveyor(sv, edict);
        return;
    }
    if (!SV_CheckVelocity(sv, edict) || is_still(edict, row)) {
        return;
    }
    SV_SetGround(sv, edict, NULL);
    if (is_halflife ? toss_halflife(sv, edict, row) : toss_quake(sv, edict, row)) {
        check_water_transition(sv, edict);
    }
}
