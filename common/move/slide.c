/// move/slide.c - slides along obstacles and climbs steps.
//
// Source:  article 000 (docs/physics.md: 4 bumps, 5 planes, crease, dead stop). As in QuakeWorld,
//          clips start from the velocity before the slide, and the crease vector is not normalised.
//          sv_slidemode 1 is the article's own rule: it clips the current velocity in place, plane
//          after plane, and a player in solid loses only its vertical velocity.

#include "base/assert.h"
#include "move/clip.h"
#include "move/pm_local.h"

static float stop_small(float component, float epsilon) {
    return component > -epsilon && component < epsilon ? 0.0f : component;
}

vec3_t PM_Clip(vec3_t velocity, vec3_t normal, float overclip, float epsilon) {
    vec3_t clipped = VectorMA(velocity, -(DotProduct(velocity, normal) * overclip), normal);
    return Vector(stop_small(clipped.x, epsilon), stop_small(clipped.y, epsilon),
                  stop_small(clipped.z, epsilon));
}

vec3_t PM_ClipVelocity(const pm_step_t *pm, vec3_t velocity, vec3_t normal) {
    return PM_Clip(velocity, normal, pm->vars->sv_overclip, pm->vars->sv_stopepsilon);
}

bool PM_ClipToPlanes(vec3_t velocity, const vec3_t *planes, int32_t count, float overclip,
                     float epsilon, vec3_t *out) {
    for (int32_t i = 0; i < count; i++) {
        *out = PM_Clip(velocity, planes[i], overclip, epsilon);
        int32_t j = 0;
        while (j < count && (j == i || DotProduct(*out, planes[j]) >= 0.0f)) {
            j++;
        }
        if (j == count) {
            return true;
        }
    }
    return false;
}

// Clips the velocity to each plane in turn until no plane is against it.
static bool clip_in_place(const pm_step_t *pm, const vec3_t *planes, int32_t count) {
    vec3_t *velocity = &pm->player->velocity;
    for (int32_t i = 0; i < count; i++) {
        *velocity = PM_ClipVelocity(pm, *velocity, planes[i]);
        int32_t j = 0;
        while (j < count && (j == i || DotProduct(*velocity, planes[j]) >= 0.0f)) {
            j++;
        }
        if (j == count) {
            return true;
        }
    }
    return false;
}

static bool clip_to_planes(pm_step_t *pm, vec3_t primal, const vec3_t *planes, int32_t count) {
    if (pm->vars->sv_slidemode == 1) {
        return clip_in_place(pm, planes, count);
    }
    return PM_ClipToPlanes(primal, planes, count, pm->vars->sv_overclip, pm->vars->sv_stopepsilon,
                           &pm->player->velocity);
}

// Clips the velocity to the planes. Returns false for a dead stop.
static bool deflect(pm_step_t *pm, vec3_t primal, const vec3_t *planes, int32_t count) {
    vec3_t *velocity = &pm->player->velocity;
    if (!clip_to_planes(pm, primal, planes, count)) {
        if (count != 2) {
            return false;
        }
        vec3_t crease = CrossProduct(planes[0], planes[1]);
        *velocity = VectorScale(crease, DotProduct(crease, *velocity));
    }
    // Stop instead of turning back, against oscillation in corners.
    return DotProduct(*velocity, primal) > 0.0f;
}

void PM_SlideMove(pm_step_t *pm, const trace_t *first) {
    player_state_t *player = pm->player;
    const vec3_t primal = player->velocity;
    vec3_t planes[PM_MAX_CLIP_PLANES];
    int32_t num_planes = 0;
    float time_left = pm->dt;
    for (int32_t bump = 0; bump < PM_NUM_BUMPS; bump++) {
        vec3_t end = VectorMA(player->origin, time_left, player->velocity);
        trace_t trace = first && bump == 0 ? *first : PM_PlayerTrace(pm, player->origin, end);
        if (trace.startsolid || trace.allsolid) {
            bool stops = pm->vars->sv_slidemode == 0;
            player->velocity =
                stops ? vec3_zero : Vector(player->velocity.x, player->velocity.y, 0.0f);
            return;
        }
        if (trace.fraction > 0.0f) {
            player->origin = trace.endpos;
            num_planes = 0;
        }
        if (trace.fraction >= 1.0f) {
            break;
        }
        PM_AddTouch(pm, trace.entnum);
        time_left -= time_left * trace.fraction;
        ASSERT(num_planes < PM_MAX_CLIP_PLANES);
        planes[num_planes++] = trace.plane.normal;
        if (!deflect(pm, primal, planes, num_planes)) {
            player->velocity = vec3_zero;
            break;
        }
    }
    if (player->waterjump_ms > 0) {
        player->velocity = primal;
    }
}

static float flat_distance2(vec3_t a, vec3_t b) {
    float dx = a.x - b.x;
    float dy = a.y - b.y;
    return dx * dx + dy * dy;
}

void PM_StepSlideMove(pm_step_t *pm, const trace_t *first) {
    player_state_t *player = pm->player;
    const vec3_t start = player->origin;
    const vec3_t velocity = player->velocity;
    const vec3_t step = {0.0f, 0.0f, pm->vars->sv_stepsize};

    PM_SlideMove(pm, first);
    const vec3_t low = player->origin;
    const vec3_t low_velocity = player->velocity;

    player->velocity = velocity;
    player->origin = PM_PlayerTrace(pm, start, VectorAdd(start, step)).endpos;
    PM_SlideMove(pm, NULL);
    trace_t down = PM_PlayerTrace(pm, player->origin, VectorSubtract(player->origin, step));
    // Take the raised move if it ends on a floor or in the air, and not below the start. It must
    // also end as far away as the flat move.
    bool too_steep = down.fraction < 1.0f && down.plane.normal.z < PM_MIN_STEP_NORMAL;
    player->origin = down.endpos;
    if (too_steep || player->origin.z < start.z ||
        flat_distance2(low, start) > flat_distance2(player->origin, start)) {
        player->origin = low;
        player->velocity = low_velocity;
    } else {
        player->velocity.z = low_velocity.z;
    }
}
