#include "move/push.h"

vec3_t PM_PushThroughMap(const pm_push_world_t *world, const pm_pushed_t *box, vec3_t to,
                         bool *is_hit) {
    trace_t trace = world->trace_map(world->context, box, box->origin, to);
    bool stopped = trace.fraction < 1.0f && !trace.startsolid;
    if (is_hit) {
        *is_hit = stopped;
    }
    return stopped ? trace.endpos : to;
}

bool PM_RaiseOnto(const pm_push_world_t *world, const pm_pushed_t *box, int32_t part,
                  vec3_t *origin) {
    vec3_t up = VectorAdd(box->origin, Vector(0.0f, 0.0f, PM_RAISE_HEIGHT));
    trace_t trace = world->trace_part(world->context, part, box, up, box->origin);
    if (trace.startsolid || trace.fraction >= 1.0f ||
        !world->is_free(world->context, box, trace.endpos)) {
        return false;
    }
    *origin = trace.endpos;
    return true;
}

bool PM_LowerOnto(const pm_push_world_t *world, const pm_pushed_t *box, int32_t part,
                  vec3_t *origin) {
    vec3_t down = VectorSubtract(box->origin, Vector(0.0f, 0.0f, PM_RAISE_HEIGHT));
    trace_t trace = world->trace_part(world->context, part, box, box->origin, down);
    if (trace.startsolid || trace.fraction >= 1.0f ||
        box->origin.z - trace.endpos.z <= PM_SMALL_GAP ||
        !world->is_free(world->context, box, trace.endpos)) {
        return false;
    }
    *origin = trace.endpos;
    return true;
}

bool PM_PushAway(const pm_push_world_t *world, const pm_pushed_t *box, int32_t part,
                 const pm_carry_t *motion, vec3_t *to) {
    vec3_t carried = PM_CarryPoint(motion, box->origin);
    vec3_t beyond = PM_Beyond(box->origin, carried);
    trace_t trace = world->trace_part(world->context, part, box, beyond, box->origin);
    if (trace.fraction >= 1.0f && !trace.startsolid) {
        return false;
    }
    if (trace.startsolid && world->is_free(world->context, box, box->origin)) {
        return false; // the overlap existed before the push
    }
    *to = trace.startsolid ? carried : trace.endpos;
    return true;
}
