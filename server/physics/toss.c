/// physics/toss.c - toss, bounce, fly and flymissile: one routine, a row of a table each.
//
// Floor:   physics.
// Units:   qu, qu/s.
// Source:  facts of the field's servers, Quake's own variant: overbounce 1 or 1.5; on a floor it
//          comes to rest unless it bounces and still rises at 60 or more. One sweep a tick; only
//          what is held at a slope too steep to rest on slides along it with a second.

#include "physics/physics_local.h"

#define FLOOR_NORMAL_Z   0.7f  // steeper is no floor
#define REST_BOUNCE_VELZ 60.0f // qu/s upwards after the bounce; slower comes to rest

typedef struct {
    bool has_gravity;
    bool bounces;
    float overbounce;
} toss_row_t;

static const toss_row_t toss_rows[MOVETYPE_COUNT] = {
    [MOVETYPE_TOSS] = {.has_gravity = true, .bounces = false, .overbounce = 1.0f},
    [MOVETYPE_BOUNCE] = {.has_gravity = true, .bounces = true, .overbounce = 1.5f},
    [MOVETYPE_FLY] = {.has_gravity = false, .bounces = false, .overbounce = 1.0f},
    [MOVETYPE_FLYMISSILE] = {.has_gravity = false, .bounces = false, .overbounce = 1.0f},
};

static bool is_liquid(contents_t contents) {
    return (contents <= CONTENTS_WATER && contents >= CONTENTS_LAVA) ||
           (contents <= CONTENTS_CURRENT_0 && contents >= CONTENTS_CURRENT_DOWN);
}

// Notes what its origin is in, with a splash on the way in and out.
static void check_water_transition(sv_context_t *sv, edict_t *edict) {
    contents_t contents = SV_PointContents(sv, edict->origin);
    bool is_wet = is_liquid(contents);
    bool was_wet = edict->waterlevel > 0;
    bool is_known = edict->watertype != 0; // the first look after it was spawned makes no splash
    if (is_known && is_wet != was_wet) {
        Events_Add(sv->events, EVENT_EFFECT, EVENT_TO_ALL, World_EdictNumber(sv->world, edict),
                   edict->origin, "splash");
    }
    edict->watertype = is_wet ? contents : CONTENTS_EMPTY;
    edict->waterlevel = is_wet ? 1 : 0;
    edict->flags = is_wet ? edict->flags | FL_INWATER : edict->flags & ~FL_INWATER;
}

static void come_to_rest(sv_context_t *sv, edict_t *edict, const edict_t *ground) {
    SV_SetGround(sv, edict, ground);
    edict->velocity = (vec3_t){0.0f, 0.0f, 0.0f};
    edict->avelocity = (vec3_t){0.0f, 0.0f, 0.0f};
}

static void hit(sv_context_t *sv, edict_t *edict, const toss_row_t *row, const trace_t *trace) {
    const edict_t *other = World_Edict(sv->world, trace->entnum);
    if (trace->allsolid) {
        come_to_rest(sv, edict, other); // in the middle of something: until that goes
        return;
    }
    edict->velocity = SV_ClipVelocity(edict->velocity, trace->plane.normal, row->overbounce);
    bool is_floor = trace->plane.normal.z > FLOOR_NORMAL_Z;
    if (is_floor && (!row->bounces || edict->velocity.z < REST_BOUNCE_VELZ)) {
        come_to_rest(sv, edict, other);
    }
}

static bool is_still(const edict_t *edict, const toss_row_t *row) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    return !row->has_gravity && VectorCompare(edict->velocity, zero) &&
           VectorCompare(edict->avelocity, zero);
}

// One sweep by the velocity. False when the edict is gone.
static bool sweep(sv_context_t *sv, edict_t *edict, const toss_row_t *row, trace_t *trace) {
    edict_ref_t ref = World_Ref(sv->world, edict);
    *trace = SV_PushEntity(sv, edict, VectorScale(edict->velocity, SV_TickSeconds(sv)));
    if (World_Deref(sv->world, ref) != edict || !World_IsLive(edict)) {
        return false;
    }
    bool was_moved = !VectorCompare(edict->origin, trace->endpos); // a teleporter on the way
    if (trace->fraction < 1.0f && trace->entnum != TRACE_NOTHING && !was_moved) {
        hit(sv, edict, row, trace);
    }
    return true;
}

// Gravity presses what lies against a steep slope into it, tick after tick: a single sweep would
// never get anywhere, and it would hang there.
static bool is_held(const edict_t *edict, const toss_row_t *row, const trace_t *trace,
                    vec3_t start) {
    float moved = VectorLength(VectorSubtract(trace->endpos, start));
    return !row->bounces && trace->fraction < 1.0f && !trace->allsolid && moved < CM_DIST_EPSILON &&
           !(edict->flags & FL_ONGROUND);
}

void SV_Physics_Toss(sv_context_t *sv, edict_t *edict) {
    ASSERT(edict->movetype >= 0 && edict->movetype < MOVETYPE_COUNT);
    const toss_row_t *row = &toss_rows[edict->movetype];
    if (SV_HasGround(sv, edict) || !SV_CheckVelocity(sv, edict) || is_still(edict, row)) {
        return;
    }
    SV_SetGround(sv, edict, NULL);
    if (row->has_gravity) {
        SV_AddGravity(sv, edict);
    }
    SV_TurnAngles(sv, edict);
    vec3_t start = edict->origin;
    trace_t trace;
    if (!sweep(sv, edict, row, &trace)) {
        return;
    }
    if (is_held(edict, row, &trace, start) && !sweep(sv, edict, row, &trace)) {
        return;
    }
    check_water_transition(sv, edict);
}
