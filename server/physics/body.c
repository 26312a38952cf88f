/// physics/body.c - moves the STEP edicts that have one of the movers of move/body.h.
//
// Source:  articles 002, 003 and 004 (docs/physics.md).

#include "move/body.h"
#include "physics/move_world.h"

#include "collide/cache.h"
#include "physics/physics_local.h"
#include "world/shape.h"
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
    SV_CheckHull(world->sv, world->query.pass, mins, maxs);
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

static trace_t hit_at(vec3_t origin, vec3_t normal, int32_t entnum) {
    return (trace_t){.endpos = origin,
                     .plane = {.normal = normal},
                     .contents = CONTENTS_EMPTY,
                     .entnum = entnum};
}

// Calls touch for the obstacle, or for new ground, and links the edict.
static void touch_and_link(sv_context_t *sv, edict_t *edict, const pm_body_t *body, bool landed) {
    edict_ref_t ref = World_Ref(sv->world, edict);
    const trace_t hit = body->bumped >= 0 ? hit_at(edict->origin, body->blocked, body->bumped)
                                          : hit_at(edict->origin, body->up, body->ground);
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

static float clamp_tilt(float degrees, float limit) {
    return limit > 0.0f ? Q_ClampF(degrees, -limit, limit) : degrees;
}

static void align(edict_t *edict, vec3_t up) {
    if (edict->mover == MOVER_RAY && !(edict->flags & FL_UPRIGHT)) {
        vec3_t angles = PM_AlignAngles(edict->angles.y, up);
        edict->angles = Vector(clamp_tilt(angles.x, edict->max_pitch), angles.y,
                               clamp_tilt(angles.z, edict->max_roll));
    }
}

static pm_body_t body_of(const edict_t *edict, vec3_t velocity) {
    bool stands = (edict->flags & FL_ONGROUND) != 0;
    return (pm_body_t){.origin = edict->origin,
                       .velocity = velocity,
                       .mins = edict->mins,
                       .maxs = edict->maxs,
                       .max_pitch = edict->max_pitch,
                       .max_roll = edict->max_roll,
                       .step_height = edict->step_height,
                       .up = {0.0f, 0.0f, 1.0f},
                       .ground = stands ? (int32_t)edict->groundentity.index : -1};
}

static bool has_mover(sv_context_t *sv, edict_t *edict) {
    if (edict->mover <= MOVER_STEP || edict->mover >= MOVER_COUNT) {
        SV_QuarantineEdict(sv, edict, "its mover is out of range");
        return false;
    }
    return true;
}

void SV_MoveBody(sv_context_t *sv, edict_t *edict) {
    if (!has_mover(sv, edict)) {
        return;
    }
    if (!SV_HasGround(sv, edict)) {
        SV_SetGround(sv, edict, NULL);
    }
    SV_CheckWater(sv, edict);
    bool stood = (edict->flags & FL_ONGROUND) != 0;
    vec3_t carried = SV_TakeBaseVelocity(sv, edict);
    if (stood && VectorCompare(edict->velocity, vec3_zero) && VectorCompare(carried, vec3_zero)) {
        return; // rests
    }
    float speed = SV_FallSpeed(sv, edict) - edict->velocity.z;
    pm_body_t body = body_of(edict, VectorAdd(edict->velocity, carried));
    cm_cache_t cache; // large, but only the used part is written
    edict_world_t context = {sv, {edict, SV_MoveTypeOf(edict), NULL, NULL}, &cache};
    const pm_world_t world = SV_WorldForMove(&context);
    PM_MoveBody(&body, (pm_mover_t)edict->mover, sv->tick_seconds, &sv->world->cvars.move, &world);
    edict->origin = body.origin;
    edict->velocity = own_velocity(edict, &body, carried);
    SV_SetGround(sv, edict, body.ground >= 0 ? World_Edict(sv->world, body.ground) : NULL);
    align(edict, body.up);
    if (!stood && body.ground >= 0) {
        SV_NoteLanding(sv, edict, speed);
    }
    touch_and_link(sv, edict, &body, !stood && body.ground >= 0);
}

// ---- one step of a monster ----

#define STEP_SECONDS 0.1f // a step takes one think interval
#define STEP_PART    8.0f // qu; a step is moved in parts of at most this length
#define MAX_PARTS    32   // longer steps have longer parts
#define MAX_AROUND   32   // edicts tested for an overlap

// Returns the edict whose solid box the box of a body at `origin` overlaps, or TRACE_NOTHING. The
// ray mover moves only a point, which would enter them.
static int32_t entered_edict(sv_context_t *sv, const edict_t *edict, vec3_t origin) {
    int32_t list[MAX_AROUND];
    bounds_t box = {VectorAdd(origin, edict->mins), VectorAdd(origin, edict->maxs)};
    int32_t count = SV_AreaEdicts(sv->world, box, AREA_SOLID, list, MAX_AROUND, NULL);
    for (int32_t i = 0; i < count; i++) {
        const edict_t *other = World_Edict(sv->world, list[i]);
        bounds_t its = {VectorAdd(other->origin, other->mins),
                        VectorAdd(other->origin, other->maxs)};
        bool solid = other->solid == SOLID_BBOX || other->solid == SOLID_SLIDEBOX;
        if (other != edict && solid && BoundsTouch(box, its)) {
            return list[i];
        }
        if (World_IsMonsterClip(other)) {
            const cm_object_t object = World_Object(sv, other);
            if (CM_BoxTouches(sv->map, &object, vec3_zero, box.mins, box.maxs)) {
                return list[i];
            }
        }
    }
    return TRACE_NOTHING;
}

bool SV_BodyStep(sv_context_t *sv, edict_t *edict, vec3_t move, trace_t *blocked) {
    if (!has_mover(sv, edict)) {
        return false;
    }
    const vec3_t path = {move.x, move.y, 0.0f};
    float length = VectorLength(path);
    int32_t parts = Q_ToInt(length / STEP_PART, 0, MAX_PARTS - 1) + 1;
    pm_body_t body = body_of(edict, vec3_zero);
    cm_cache_t cache;
    edict_world_t context = {sv, {edict, SV_MoveTypeOf(edict), NULL, NULL}, &cache};
    const pm_world_t world = SV_WorldForMove(&context);
    for (int32_t i = 0; i < parts && body.ground >= 0; i++) {
        body.velocity = VectorScale(path, 1.0f / STEP_SECONDS);
        PM_MoveBody(&body, (pm_mover_t)edict->mover, STEP_SECONDS / (float)parts,
                    &sv->world->cvars.move, &world);
    }
    float gained = DotProduct(VectorSubtract(body.origin, edict->origin), path);
    if (body.ground < 0 && !(edict->flags & FL_PARTIALGROUND)) {
        return false;
    }
    // A step that slides along a wall for less than half its length counts as blocked.
    bool is_short = !(gained >= 0.5f * length * length);
    int32_t entered = is_short ? body.bumped : entered_edict(sv, edict, body.origin);
    if (is_short || entered != TRACE_NOTHING) {
        vec3_t normal = is_short ? body.blocked : VectorNegate(VectorNormalize(path, NULL));
        if (blocked && blocked->entnum == TRACE_NOTHING && entered >= 0) {
            *blocked = hit_at(body.origin, normal, entered);
        }
        return false;
    }
    edict->origin = body.origin;
    SV_SetGround(sv, edict, body.ground >= 0 ? World_Edict(sv->world, body.ground) : NULL);
    if (body.ground >= 0) {
        edict->flags &= ~FL_PARTIALGROUND;
    }
    align(edict, body.up);
    return true;
}
