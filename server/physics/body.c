/// physics/body.c - moves the STEP edicts that have one of the movers of move/body.h.
//
// Source:  articles 002, 003 and 004 (docs/physics.md).

#include "move/body.h"

#include "collide/cache.h"
#include "physics/physics_local.h"
#include "world/volume.h"

// ---- the world around an edict ----

// Fills the cache, but not on maps with hulls: cached hulls lack monster clip.
static void prefetch(void *context, vec3_t origin, vec3_t mins, vec3_t maxs) {
    edict_world_t *world = context;
    const sv_context_t *sv = world->sv;
    if (CM_CacheFillRegion(world->cache, sv->map, sv->world->cvars.move.sv_solids,
                           (bounds_t){VectorAdd(origin, mins), VectorAdd(origin, maxs)})) {
        world->query.cache = world->cache;
    }
}

static trace_t trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const edict_world_t *world = context;
    return SV_MoveCached(world->sv, &world->query, start, mins, maxs, end);
}

static contents_t contents(void *context, vec3_t point) {
    const edict_world_t *world = context;
    return SV_PointContents(world->sv, point);
}

static pm_volume_t volume(void *context, vec3_t absmin, vec3_t absmax) {
    const edict_world_t *world = context;
    return SV_VolumesOf(world->sv, (bounds_t){absmin, absmax});
}

static pm_surface_t surface(void *context, int32_t entnum, vec3_t at) {
    const edict_world_t *world = context;
    return SV_SurfaceOf(world->sv, entnum, at);
}

static int32_t overlap(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                       int32_t max) {
    const edict_world_t *world = context;
    ASSERT(max == MAX_CONTACTS);
    return SV_Overlap(world->sv, &world->query, box, contacts, entnums);
}

pm_world_t SV_WorldForMove(edict_world_t *context) {
    return (pm_world_t){.context = context,
                        .trace = trace,
                        .point_contents = contents,
                        .prefetch = context->cache ? prefetch : NULL,
                        .volume = volume,
                        .surface = surface,
                        .overlap = overlap};
}

// ---- one move ----

// Calls touch for the obstacle, or for new ground, and links the edict.
static void touch_and_link(sv_context_t *sv, edict_t *edict, const pm_body_t *body, bool landed) {
    edict_ref_t ref = World_Ref(sv->world, edict);
    const trace_t hit = {.fraction = 0.0f,
                         .endpos = edict->origin,
                         .plane = {.normal = body->bumped >= 0 ? body->blocked : body->up},
                         .contents = CONTENTS_EMPTY,
                         .entnum = body->bumped >= 0 ? body->bumped : body->ground};
    if (body->bumped >= 0 || landed) {
        SV_Impact(sv, edict, World_Edict(sv->world, hit.entnum), &hit);
    }
    if (World_Deref(sv->world, ref) == edict && World_IsLive(edict)) {
        SV_LinkEdict(sv, edict, true);
    }
}

// Returns the edict's own velocity after a move by that velocity plus `carried`. Clips only the own
// velocity. Otherwise a conveyor along a wall would accelerate the edict without limit.
static vec3_t own_velocity(const edict_t *edict, const pm_body_t *body, vec3_t carried) {
    if (VectorCompare(carried, vec3_zero)) {
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
    if (edict->mover <= MOVER_STEP || edict->mover >= MOVER_COUNT) {
        SV_QuarantineEdict(sv, edict, "its mover is out of range");
        return;
    }
    if (!SV_HasGround(sv, edict)) {
        SV_SetGround(sv, edict, NULL);
    }
    bool stood = (edict->flags & FL_ONGROUND) != 0;
    vec3_t carried = SV_TakeBaseVelocity(sv, edict);
    if (stood && VectorCompare(edict->velocity, vec3_zero) && VectorCompare(carried, vec3_zero)) {
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
    cm_cache_t cache; // large, but only the used part is written
    edict_world_t context = {sv, {edict, SV_MoveTypeOf(edict), NULL}, &cache};
    const pm_world_t world = SV_WorldForMove(&context);
    PM_MoveBody(&body, (pm_mover_t)edict->mover, SV_TickSeconds(sv), &sv->world->cvars.move,
                &world);
    edict->origin = body.origin;
    edict->velocity = own_velocity(edict, &body, carried);
    SV_SetGround(sv, edict, body.ground >= 0 ? World_Edict(sv->world, body.ground) : NULL);
    if (edict->mover == MOVER_RAY) {
        edict->angles = PM_AlignAngles(edict->angles.y, body.up);
    }
    touch_and_link(sv, edict, &body, !stood && body.ground >= 0);
}
