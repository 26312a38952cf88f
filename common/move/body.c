#include "move/body.h"

#include "base/assert.h"
#include "math/angles.h"
#include "move/body_local.h"

/// Traces are longer than the move by this factor, because slopes lengthen the path.
#define REACH_SCALE 1.1f

/// Fills the query cache for a move with steps up and down.
static void prefetch(const pm_body_t *body, float dt, const movevars_t *vars,
                     const pm_world_t *world) {
    float distance = REACH_SCALE * VectorLength(body->velocity) * dt + 1.0f;
    float step = body->step_height > 0.0f ? body->step_height : vars->sv_stepsize;
    const vec3_t reach = {distance, distance, distance + step};
    world->prefetch(world->context, body->origin, VectorSubtract(body->mins, reach),
                    VectorAdd(body->maxs, reach));
}

void PM_RunMover(pm_body_t *body, pm_mover_t mover, float dt, const movevars_t *vars,
                 const pm_world_t *world) {
    static void (*const movers[MOVER_COUNT])(const body_move_t *move) = {
        [MOVER_RAY] = Body_RayMove,
        [MOVER_SWEEP] = Body_SweepMove,
        [MOVER_DROP] = Body_DropMove,
    };
    ASSERT(mover > MOVER_STEP && mover < MOVER_COUNT);
    ASSERT(mover != MOVER_DROP || world->overlap);
    ASSERT(dt > 0.0f);
    body->blocked = vec3_zero;
    body->bumped = -1;
    movers[mover](&(body_move_t){body, vars, world, dt});
}

void PM_MoveBody(pm_body_t *body, pm_mover_t mover, float dt, const movevars_t *vars,
                 const pm_world_t *world) {
    const float limit = vars->sv_maxvelocity;
    vec3_t *v = &body->velocity;
    *v = VectorClamp(*v, limit);
    if (v->z > 0.0f) {
        Body_Fall(body); // an upward speed is a jump, so leave the ground
    }
    if (body->ground < 0) {
        v->z = Q_ClampF(v->z - vars->sv_gravity * dt, -limit, limit);
    }
    if (world->prefetch) {
        prefetch(body, dt, vars, world);
    }
    PM_RunMover(body, mover, dt, vars, world);
}

vec3_t PM_AlignAngles(float yaw, vec3_t up) {
    float sine, cosine;
    SinCos(yaw, &sine, &cosine);
    if (!(up.z > 0.01f)) {
        return Vector(0.0f, yaw, 0.0f);
    }
    // The forward direction is in the plane and, seen from above, points along the yaw.
    float climb = -(up.x * cosine + up.y * sine) / up.z;
    vec3_t forward = VectorNormalize(Vector(cosine, sine, climb), NULL);
    vec3_t right = CrossProduct(forward, up);
    return Vector(-Atan2(climb, 1.0f), yaw, Atan2(-right.z, up.z));
}
