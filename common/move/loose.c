#include "move/loose.h"

#include "base/assert.h"
#include "move/clip.h"
#include "move/meet.h"

#include <float.h>

#define NUM_BUMPS       4
#define MAX_CLIP_PLANES 5
#define STOP_SPEED      0.1f // qu/s; a slower speed along an axis becomes 0 when clipped
#define FLOOR_NORMAL_Z  0.7f // a plane with a smaller normal.z is too steep to rest on

#define FLOAT_DENSITY   0.5f     // relative to water: a crate floats half submerged
#define PUSHER_GRIP     0.5f     // factor of a crate's friction on a pusher with sv_tossrules 1
#define WATER_DRAG      8.0f     // 1/s when wholly submerged
#define FLOAT_CALM      0.02f    // relative lift; a crate below both limits stops bobbing
#define FLOAT_CALM_VELZ 2.0f     // qu/s
#define SURFACE_STEPS   12       // bisections: to 1/4096 of the height
#define MAX_CURRENT     10000.0f // qu/s along an axis; a faster current is ignored

// ---- water ----

static bool is_liquid(const pm_world_t *world, vec3_t at, contents_t *contents) {
    *contents = world->point_contents(world->context, at);
    return PM_IsLiquid(*contents);
}

void PM_FindWater(pm_loose_t *body, const pm_world_t *world) {
    float height = body->maxs.z - body->mins.z;
    const float heights[] = {1.0f, 0.5f * height, 0.9f * height};
    body->waterlevel = 0;
    body->watertype = CONTENTS_EMPTY;
    for (int32_t i = 0; i < (int32_t)COUNTOF(heights); i++) {
        contents_t contents;
        vec3_t at = {body->origin.x, body->origin.y, body->origin.z + body->mins.z + heights[i]};
        if (!is_liquid(world, at, &contents)) {
            break;
        }
        body->waterlevel = i + 1;
        body->watertype = i == 0 ? (int32_t)contents : body->watertype;
    }
}

static bool is_wet(const pm_world_t *world, vec3_t middle, float z) {
    contents_t contents;
    return is_liquid(world, Vector(middle.x, middle.y, z), &contents);
}

float PM_Submersion(const pm_loose_t *body, const pm_world_t *world) {
    vec3_t middle = VectorMA(body->origin, 0.5f, VectorAdd(body->mins, body->maxs));
    float bottom = body->origin.z + body->mins.z;
    float top = body->origin.z + body->maxs.z;
    if (!is_wet(world, middle, bottom)) {
        return 0.0f;
    }
    if (is_wet(world, middle, top)) {
        return 1.0f;
    }
    float wet = bottom;
    float dry = top;
    for (int32_t i = 0; i < SURFACE_STEPS; i++) {
        float z = 0.5f * (wet + dry);
        if (is_wet(world, middle, z)) {
            wet = z;
        } else {
            dry = z;
        }
    }
    return (wet - bottom) / (top - bottom);
}

// ---- forces ----

// Returns the velocity after one tick of drag, which is proportional to speed.
static vec3_t drag(vec3_t velocity, float friction, float dt) {
    float amount = friction * dt;
    return VectorScale(velocity, amount < 1.0f ? 1.0f - amount : 0.0f);
}

// Accelerates a crate up or down until it is half submerged.
static void float_in_water(pm_loose_t *body, const pm_loose_run_t *run) {
    float submersion = PM_Submersion(body, run->world);
    float scale = body->gravity != 0.0f ? body->gravity : 1.0f;
    float lift = submersion / FLOAT_DENSITY - 1.0f;
    body->velocity = drag(body->velocity, WATER_DRAG * submersion, run->dt);
    if (fabsf(lift) < FLOAT_CALM && fabsf(body->velocity.z) < FLOAT_CALM_VELZ) {
        body->velocity.z = 0.0f;
    } else {
        body->velocity.z += lift * scale * run->vars->sv_gravity * run->dt;
    }
    if (body->velocity.z > 0.0f) {
        body->ground = -1;
    }
}

// Returns the velocity after one tick of friction, which is constant below sv_stopspeed.
static vec3_t brake(vec3_t velocity, float friction, const pm_loose_run_t *run) {
    float stopspeed = run->vars->sv_stopspeed;
    float speed = VectorLength(velocity);
    float control = speed > stopspeed ? speed : stopspeed;
    float left = speed - control * friction * run->dt;
    return left > 0.0f ? VectorScale(velocity, left / speed) : vec3_zero;
}

static bounds_t box_of(const pm_loose_t *body, float margin) {
    const vec3_t wide = {margin, margin, margin};
    return (bounds_t){VectorSubtract(VectorAdd(body->origin, body->mins), wide),
                      VectorAdd(VectorAdd(body->origin, body->maxs), wide)};
}

// Returns the factor of sv_friction on the ground, for crates also of the volumes around.
static float grip_of(const pm_loose_t *body, int32_t ground, const pm_loose_run_t *run) {
    const pm_world_t *world = run->world;
    const pm_surface_t below = world->surface(world->context, ground, body->origin);
    float grip = below.friction > 0.0f ? below.friction : 1.0f;
    if (body->is_crate) {
        const bounds_t box = box_of(body, PM_LINK_MARGIN);
        float inside = world->volume(world->context, box.mins, box.maxs).friction;
        grip *= inside > 0.0f ? inside : 1.0f;
        grip *= body->friction > 0.0f ? body->friction : 1.0f;
    }
    bool slides = run->vars->sv_tossrules == 1 && body->is_crate && below.is_pusher;
    return slides ? PUSHER_GRIP * grip : grip;
}

void PM_LooseForces(pm_loose_t *body, const pm_loose_run_t *run) {
    const movevars_t *vars = run->vars;
    const int32_t ground = body->ground;
    if (body->flies) {
        body->velocity = brake(body->velocity, vars->sv_friction, run);
        return;
    }
    if (body->is_crate && body->waterlevel > 0) {
        float_in_water(body, run);
    } else if (ground < 0) {
        float scale = body->gravity != 0.0f ? body->gravity : 1.0f;
        float depth = (float)body->waterlevel / 3.0f;
        body->velocity.z -= scale * vars->sv_gravity * run->dt;
        body->velocity = drag(body->velocity, vars->sv_waterfriction * depth, run->dt);
    }
    if (ground >= 0) {
        vec3_t flat = {body->velocity.x, body->velocity.y, 0.0f};
        flat = brake(flat, vars->sv_friction * grip_of(body, ground, run), run);
        body->velocity = Vector(flat.x, flat.y, body->velocity.z);
    }
}

vec3_t PM_LooseCurrent(const pm_loose_t *body, const pm_loose_run_t *run) {
    const pm_world_t *world = run->world;
    if (body->flies || body->waterlevel == 0) {
        return vec3_zero;
    }
    const bounds_t box = box_of(body, 0.0f);
    // A crate bobs, so the steps of waterlevel would jerk it.
    float depth = body->is_crate ? 3.0f * PM_Submersion(body, world) : (float)body->waterlevel;
    float speed = run->vars->sv_currentspeed * depth;
    vec3_t current = VectorAdd(world->volume(world->context, box.mins, box.maxs).current,
                               PM_CurrentVelocity(body->watertype, speed));
    return VectorWithin(current, MAX_CURRENT) ? current : vec3_zero;
}

// ---- the move ----

/// The velocities of a move, and the planes hit since the last change of position.
typedef struct {
    vec3_t normals[MAX_CLIP_PLANES];
    int32_t count;
    vec3_t velocity; ///< the body's own velocity plus `carried`
    vec3_t primal;   ///< velocity at the start of the whole move
    vec3_t before;   ///< velocity before the planes in the list
} slide_t;

static slide_t start_with(vec3_t velocity) {
    return (slide_t){.velocity = velocity, .primal = velocity, .before = velocity};
}

static vec3_t along_planes(const slide_t *slide) {
    vec3_t velocity;
    if (PM_ClipToPlanes(slide->before, slide->normals, slide->count, 1.0f, STOP_SPEED, &velocity)) {
        return velocity;
    }
    if (slide->count != 2) {
        return vec3_zero;
    }
    vec3_t crease = VectorNormalize(CrossProduct(slide->normals[0], slide->normals[1]), NULL);
    return VectorScale(crease, DotProduct(crease, slide->before));
}

static void take_plane(pm_loose_t *body, slide_t *slide, vec3_t normal, bool is_carried) {
    vec3_t velocity = vec3_zero;
    ASSERT(slide->count >= 0 && slide->count <= MAX_CLIP_PLANES);
    if (slide->count < MAX_CLIP_PLANES) {
        slide->normals[slide->count++] = normal;
        velocity = along_planes(slide);
    }
    slide->velocity = DotProduct(velocity, slide->primal) > 0.0f ? velocity : vec3_zero;
    if (!is_carried || VectorCompare(slide->velocity, vec3_zero)) {
        body->velocity = slide->velocity;
    } else if (DotProduct(body->velocity, normal) < 0.0f) {
        body->velocity = PM_Clip(body->velocity, normal, 1.0f, STOP_SPEED);
    }
}

static trace_t sweep(const pm_loose_t *body, const pm_world_t *world, vec3_t end) {
    return world->trace(world->context, body->origin, body->mins, body->maxs, end);
}

static bool is_floor(const trace_t *trace) {
    return trace->plane.normal.z > FLOOR_NORMAL_Z;
}

// Slides along obstacles. Returns false if `hit` ended the move.
static bool slide_along(pm_loose_t *body, vec3_t carried, const pm_loose_run_t *run) {
    bool is_carried = !VectorCompare(carried, vec3_zero);
    slide_t slide = start_with(VectorAdd(body->velocity, carried));
    float left = run->dt;
    for (int32_t bump = 0; bump < NUM_BUMPS && !VectorCompare(slide.velocity, vec3_zero); bump++) {
        const trace_t trace = sweep(body, run->world, VectorMA(body->origin, left, slide.velocity));
        if (trace.allsolid) { // stuck: rest until the other edict leaves
            body->velocity = vec3_zero;
            body->ground = trace.entnum;
            break;
        }
        if (trace.fraction > 0.0f) {
            body->origin = trace.endpos;
            slide.before = slide.velocity;
            slide.count = 0;
        }
        if (trace.fraction == 1.0f) {
            break;
        }
        left -= left * trace.fraction;
        body->ground = is_floor(&trace) ? trace.entnum : body->ground;
        vec3_t velocity = body->velocity;
        if (run->hit && !run->hit(run->context, body, &trace)) {
            return false;
        }
        if (VectorCompare(velocity, body->velocity)) {
            take_plane(body, &slide, trace.plane.normal, is_carried);
        } else { // `hit` changed the velocity
            slide = start_with(VectorAdd(body->velocity, carried));
        }
    }
    return true;
}

// Lowers a body that slid off the ground onto a floor just below, if there is one.
static void find_ground(pm_loose_t *body, const pm_world_t *world) {
    const vec3_t below = VectorSubtract(body->origin, Vector(0.0f, 0.0f, 1.0f));
    const trace_t trace = sweep(body, world, below);
    if (trace.entnum != TRACE_NOTHING && is_floor(&trace)) {
        body->origin = trace.endpos;
        body->ground = trace.entnum;
    }
}

// Adds the velocity of the ground left: a conveyor's and, with sv_pushermomentum, a pusher's.
static void keep_momentum(pm_loose_t *body, int32_t ground, vec3_t carried,
                          const pm_loose_run_t *run) {
    const pm_world_t *world = run->world;
    vec3_t speed = carried;
    if (run->vars->sv_pushermomentum) {
        speed = VectorAdd(world->surface(world->context, ground, body->origin).moving_at, speed);
    }
    body->velocity = VectorAdd(body->velocity, Vector(speed.x, speed.y, 0.0f));
}

pm_loose_end_t PM_LooseMove(pm_loose_t *body, int32_t had_ground, vec3_t by_ground,
                            const pm_loose_run_t *run) {
    const vec3_t carried = VectorAdd(by_ground, PM_LooseCurrent(body, run));
    if (VectorCompare(body->velocity, vec3_zero) && VectorCompare(carried, vec3_zero)) {
        return PM_LOOSE_RESTS;
    }
    // A body that floats up has left its ground already.
    const int32_t left = body->ground >= 0 ? body->ground : 0;
    body->ground = -1;
    if (!slide_along(body, carried, run)) {
        return PM_LOOSE_ENDED;
    }
    if (body->ground < 0 && had_ground >= 0 && body->velocity.z <= 0.0f) {
        find_ground(body, run->world);
        if (body->ground < 0) {
            keep_momentum(body, left, by_ground, run);
        }
    }
    return PM_LOOSE_MOVED;
}
