#include "collide/pose.h"

#include "math/angles.h"

bool CM_IsTurned(const cm_object_t *object) {
    const vec3_t none = {0.0f, 0.0f, 0.0f};
    vec3_t a = object->angles;
    return !VectorCompare(a, none) &&
           !VectorCompare(Vector(AngleMod(a.x), AngleMod(a.y), AngleMod(a.z)), none);
}

cm_pose_t CM_MakePose(const cm_object_t *object) {
    if (!CM_IsTurned(object)) {
        return (cm_pose_t){.origin = object->origin, .for_monster = object->for_monster};
    }
    cm_pose_t pose = {.origin = object->origin, .turned = true, .for_monster = object->for_monster};
    AngleVectors(object->angles, &pose.axes[0], &pose.axes[1], &pose.axes[2]);
    pose.axes[1] = VectorSubtract(vec3_zero, pose.axes[1]); // right to left
    return pose;
}
