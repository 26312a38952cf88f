/// physics/body.c - STEP edicts that are moved by one of the articles' movers (move/body.h).
//
// Floor:   physics.
// Units:   qu, qu/s.
// Source:  articles 002, 003 and 004.

#include "move/body.h"

#include "collide/cache.h"
#include "physics/physics_local.h"

typedef struct {
    sv_context_t *sv;
    sv_query_t query; // without a cache until one is filled
    cm_cache_t cache; // of a map of triangles, around the edict
} body_context_t;

// Only maps of triangles are cached: monster clip, which hulls know nothing of, must stop monsters.
static void body_prefetch(void *context, vec3_t origin, vec3_t mins, vec3_t maxs) {
    body_context_t *body = context;
    const sv_context_t *sv = body->sv;
    if (CM_CacheFillRegion(&body->cache, sv->map, sv->world->cvars.move.sv_solids,
                           (bounds_t){VectorAdd(origin, mins), VectorAdd(origin, maxs)})) {
        body->query.cache = &body->cache;
    }
}

static trace_t body_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const body_context_t *body = context;
    return SV_MoveCached(body->sv, &body->query, start, mins, maxs, end);
}

static contents_t body_contents(void *context, vec3_t point) {
    const body_context_t *body = context;
    return SV_PointContents(body->sv, point);
}

static int32_t body_overlap(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                            int32_t max) {
    const body_context_t *body = context;
    cm_contact_t all[MAX_CONTACTS];
    int32_t numbers[MAX_CONTACTS];
    int32_t count = SV_OverlapCached(body->sv, &body->query, box, all, numbers);
    count = count < max ? count : max;
    for (int32_t i = 0; i < count; i++) {
        contacts[i] = all[i];
        entnums[i] = numbers[i];
    }
    return count;
}

// Both sides of what was in its way, and what it landed on.
static void tell(sv_context_t *sv, edict_t *edict, const pm_body_t *body, bool landed) {
    edict_ref_t ref = World_Ref(sv->world, edict);
    const trace_t trace = {.fraction = 0.0f,
                           .endpos = edict->origin,
                           .plane = {.normal = body->bumped >= 0 ? body->blocked : body->up},
                           .contents = CONTENTS_EMPTY,
                           .entnum = body->bumped >= 0 ? body->bumped : body->ground};
    if (body->bumped >= 0 || landed) {
        SV_Impact(sv, edict, World_Edict(sv->world, trace.entnum), &trace);
    }
    if (World_Deref(sv->world, ref) == edict && World_IsLive(edict)) {
        SV_LinkEdict(sv, edict, true);
    }
}

/// What of its speed is its own, where it was carried along, too: else what carries it along a wall
/// would make it faster and faster.
static vec3_t own_velocity(const edict_t *edict, const pm_body_t *body, vec3_t carried) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    if (VectorCompare(carried, zero)) {
        return body->velocity;
    }
    vec3_t own = VectorSubtract(body->velocity, carried);
    if (body->bumped >= 0) {
        vec3_t flat = {body->blocked.x, body->blocked.y, 0.0f};
        flat = VectorNormalize(flat, NULL);
        float into = DotProduct(edict->velocity, flat);
        vec3_t along = VectorMA(edict->velocity, into < 0.0f ? -into : 0.0f, flat);
        bool stopped = body->velocity.x == 0.0f && body->velocity.y == 0.0f;
        own.x = stopped ? 0.0f : along.x;
        own.y = stopped ? 0.0f : along.y;
    }
    own.z = body->ground >= 0 ? 0.0f : own.z;
    return own;
}

void SV_MoveBody(sv_context_t *sv, edict_t *edict) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    if (edict->mover <= MOVER_STEP || edict->mover >= MOVER_COUNT) {
        SV_QuarantineEdict(sv, edict, "its mover is impossible");
        return;
    }
    if (!SV_HasGround(sv, edict)) {
        SV_SetGround(sv, edict, NULL);
    }
    bool stood = (edict->flags & FL_ONGROUND) != 0;
    vec3_t carried = SV_TakeCarry(sv, edict);
    if (stood && VectorCompare(edict->velocity, zero) && VectorCompare(carried, zero)) {
        return; // rests
    }
    pm_body_t body = {.origin = edict->origin,
                      .velocity = VectorAdd(edict->velocity, carried),
                      .mins = edict->mins,
                      .maxs = edict->maxs,
                      .max_pitch = edict->max_pitch,
                      .max_roll = edict->max_roll,
                      .up = {0.0f, 0.0f, 1.0f},
                      .ground = stood ? (int32_t)edict->groundentity.index : -1};
    body_context_t context;
    context.sv = sv;
    context.query = (sv_query_t){edict, SV_MoveTypeOf(edict), NULL};
    const pm_world_t world = {.context = &context,
                              .trace = body_trace,
                              .point_contents = body_contents,
                              .prefetch = body_prefetch,
                              .overlap = body_overlap};
    PM_MoveBody(&body, (pm_mover_t)edict->mover, SV_TickSeconds(sv), &sv->world->cvars.move,
                &world);
    edict->origin = body.origin;
    edict->velocity = own_velocity(edict, &body, carried);
    SV_SetGround(sv, edict, body.ground >= 0 ? World_Edict(sv->world, body.ground) : NULL);
    if (edict->mover == MOVER_RAY) {
        edict->angles = PM_AlignAngles(edict->angles.y, body.up);
    }
    tell(sv, edict, &body, !stood && body.ground >= 0);
}
