#include "model/hitbox.h"

#include "collide/cmodel.h"
#include "state/trace_make.h"

#include <string.h>

/// Minimum squared length of a cross product of edges. Nearly parallel edges add no face.
#define MIN_CROSS 1e-6f

/// The interval of the sweep inside all tested faces, in fractions.
typedef struct {
    vec3_t from,
        motion; ///< start and motion of the box's centre, relative to the target's centre
    float enter, leave;
    float stop;    ///< fraction at CM_DIST_EPSILON before `enter`
    vec3_t normal; ///< normal of the face of entry
    float reach;   ///< distance of the face of entry from the centre
    bool enters, leaves;
} slab_t;

/// Clips the sweep to the slab of half width `reach` along n. Returns false if nothing is left.
static bool cut_slab(slab_t *slab, vec3_t n, float reach) {
    float at = DotProduct(slab->from, n);
    float by = DotProduct(slab->motion, n);
    float side = at > 0.0f || (at == 0.0f && by < 0.0f) ? 1.0f : -1.0f;
    at *= side; // entry is through the face on the start's side
    by *= side;
    if (at >= reach) {
        if (at + by >= reach || by >= 0.0f) {
            return false;
        }
        float enter = (at - reach) / -by;
        if (!slab->enters || enter > slab->enter) {
            float stop = (at - reach - CM_DIST_EPSILON) / -by;
            slab->enters = true;
            slab->enter = enter;
            slab->stop = stop < 0.0f ? 0.0f : stop;
            slab->normal = VectorScale(n, side);
            slab->reach = reach;
        }
    }
    // The sweep leaves through the face ahead.
    float far = by > 0.0f ? reach - at : at + reach;
    float speed = fabsf(by);
    if (speed > far) {
        float leave = far / speed;
        slab->leaves = true;
        slab->leave = leave < slab->leave ? leave : slab->leave;
    }
    return !slab->enters || slab->enter < slab->leave;
}

static float reach_of(const turned_box_t *box, vec3_t half, vec3_t n) {
    return box->half.x * fabsf(DotProduct(n, box->axes[0])) +
           box->half.y * fabsf(DotProduct(n, box->axes[1])) +
           box->half.z * fabsf(DotProduct(n, box->axes[2])) + half.x * fabsf(n.x) +
           half.y * fabsf(n.y) + half.z * fabsf(n.z);
}

/// Clips the sweep to faces of the swept box.
static bool cut_box_faces(slab_t *slab, const turned_box_t *box, vec3_t half) {
    static const vec3_t world[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    for (int32_t i = 0; i < 3; i++) {
        if (!cut_slab(slab, world[i], reach_of(box, half, world[i]))) {
            return false;
        }
    }
    for (int32_t i = 0; i < 9; i++) {
        vec3_t cross = CrossProduct(world[i / 3], box->axes[i % 3]);
        float square = DotProduct(cross, cross);
        if (square < MIN_CROSS) {
            continue;
        }
        vec3_t n = VectorScale(cross, 1.0f / sqrtf(square));
        if (!cut_slab(slab, n, reach_of(box, half, n))) {
            return false;
        }
    }
    return true;
}

trace_t CM_TurnedBoxTrace(const turned_box_t *box, vec3_t start, vec3_t end, vec3_t mins,
                          vec3_t maxs) {
    trace_t trace = Trace_Free(end);
    vec3_t half = VectorScale(VectorSubtract(maxs, mins), 0.5f);
    vec3_t offset = VectorScale(VectorAdd(maxs, mins), 0.5f);
    slab_t slab = {.from = VectorSubtract(VectorAdd(start, offset), box->middle),
                   .motion = VectorSubtract(end, start),
                   .leave = 1.0f};
    for (int32_t i = 0; i < 3; i++) {
        if (!cut_slab(&slab, box->axes[i], reach_of(box, half, box->axes[i]))) {
            return trace;
        }
    }
    bool is_point = half.x == 0.0f && half.y == 0.0f && half.z == 0.0f;
    if (!is_point && !cut_box_faces(&slab, box, half)) {
        return trace;
    }
    if (slab.enters) {
        vec3_t face =
            VectorAdd(VectorSubtract(box->middle, offset), VectorScale(slab.normal, slab.reach));
        trace.fraction = slab.stop;
        trace.endpos = VectorLerp(start, end, slab.stop);
        trace.plane = (plane_t){slab.normal, DotProduct(face, slab.normal), PLANE_ANY};
        return trace;
    }
    trace.startsolid = true;
    return slab.leaves ? trace : Trace_AllSolid(start);
}

turned_box_t Hitbox_Place(const model_t *model, const model_pose_t *pose, int32_t hitbox,
                          const cm_pose_t *at) {
    const model_hitbox_t *one = &model->hitboxes[hitbox];
    const bone_matrix_t *bone = &pose->bones[one->bone];
    vec3_t middle = VectorScale(VectorAdd(one->box.mins, one->box.maxs), 0.5f);
    turned_box_t box = {.half = VectorScale(VectorSubtract(one->box.maxs, one->box.mins), 0.5f)};
    vec3_t local = bone->origin;
    local = VectorMA(local, middle.x, bone->axes[0]);
    local = VectorMA(local, middle.y, bone->axes[1]);
    local = VectorMA(local, middle.z, bone->axes[2]);
    box.middle = VectorAdd(at->origin, CM_TurnToWorld(at, local));
    for (int32_t i = 0; i < 3; i++) {
        box.axes[i] = CM_TurnToWorld(at, bone->axes[i]);
    }
    return box;
}

static placed_key_t make_key(const model_t *model, const pose_request_t *request,
                             const cm_object_t *object) {
    placed_key_t key = {.model = model->hash,
                        .blend = request->blend,
                        .origin = object->origin,
                        .angles = object->angles,
                        .is_set = 1};
    for (int32_t i = 0; i < 2; i++) {
        key.animations[i] = request->animations[i];
        key.steps[i] = Pose_Step(model, request->animations[i], request->times_ms[i]);
    }
    memcpy(key.controllers, request->controllers, sizeof key.controllers);
    return key;
}

const turned_box_t *Hitbox_PlaceAll(pose_cache_t *cache, uint32_t slot, const model_t *model,
                                    const pose_request_t *request, const cm_object_t *object,
                                    turned_box_t scratch[MAX_HITBOXES]) {
    model_pose_t pose;
    turned_box_t *boxes = scratch;
    if (cache) {
        placed_entry_t *entry = &cache->placed[slot % PLACED_SLOTS];
        placed_key_t key = make_key(model, request, object);
        boxes = entry->boxes;
        cache->placed_asked++;
        // Compare bits, to find entries with NaN again.
        if (memcmp(&key, &entry->key, sizeof key) == 0) {
            return boxes;
        }
        cache->placed_missed++;
        entry->key = key;
    }
    cm_pose_t at = CM_MakePose(object);
    Pose_Evaluate(cache, model, request, &pose);
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        boxes[i] = Hitbox_Place(model, &pose, i, &at);
    }
    return boxes;
}

/// A hitbox is skipped beyond this gap between bounding spheres, qu; far above rounding errors.
#define NEAR_MARGIN 1.0f

/// A sweep, prepared for bounding spheres.
typedef struct {
    vec3_t middle, motion; // centre of the box at the start, and motion
    float per_square;      // 1 / squared length of the motion; 0 without motion
    float radius;          // half the diagonal of the box
} reach_t;

static reach_t make_reach(vec3_t start, vec3_t end, bounds_t swept) {
    reach_t reach = {.middle = VectorMA(start, 0.5f, VectorAdd(swept.mins, swept.maxs)),
                     .motion = VectorSubtract(end, start),
                     .radius = 0.5f * VectorLength(VectorSubtract(swept.maxs, swept.mins))};
    float square = DotProduct(reach.motion, reach.motion);
    reach.per_square = square > 0.0f ? 1.0f / square : 0.0f;
    return reach;
}

/// Returns false if a hitbox's sphere is too far for a hit.
static bool may_meet(const reach_t *reach, const turned_box_t *box) {
    vec3_t to = VectorSubtract(box->middle, reach->middle);
    float along = DotProduct(to, reach->motion) * reach->per_square;
    along = along < 0.0f ? 0.0f : along > 1.0f ? 1.0f : along;
    vec3_t off = VectorMA(to, -along, reach->motion);
    float radius = VectorLength(box->half) + reach->radius + NEAR_MARGIN;
    return !(DotProduct(off, off) > radius * radius);
}

trace_t CM_PlacedTrace(const model_t *model, const turned_box_t *boxes, vec3_t start, vec3_t end,
                       bounds_t swept) {
    const reach_t reach = make_reach(start, end, swept);
    trace_t nearest = Trace_Free(end);
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        if (!may_meet(&reach, &boxes[i])) {
            continue;
        }
        trace_t trace = CM_TurnedBoxTrace(&boxes[i], start, end, swept.mins, swept.maxs);
        bool nearer =
            trace.fraction < nearest.fraction ||
            (trace.fraction == nearest.fraction && trace.startsolid && !nearest.startsolid);
        bool inside = nearest.startsolid || trace.startsolid;
        if (nearer) {
            nearest = trace;
            nearest.hitgroup = (uint8_t)model->hitboxes[i].group;
            nearest.bone = (uint8_t)(model->hitboxes[i].bone + 1);
        }
        nearest.startsolid = inside;
    }
    return nearest;
}

trace_t CM_HitboxTrace(const model_t *model, const model_pose_t *pose, const cm_pose_t *at,
                       vec3_t start, vec3_t end, bounds_t swept) {
    turned_box_t boxes[MAX_HITBOXES];
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        boxes[i] = Hitbox_Place(model, pose, i, at);
    }
    return CM_PlacedTrace(model, boxes, start, end, swept);
}
