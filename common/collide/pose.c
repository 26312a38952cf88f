#include "collide/pose.h"

#include "math/angles.h"

bool CM_IsTurned(const cm_object_t *object) {
    const vec3_t none = {0.0f, 0.0f, 0.0f};
    vec3_t a = object->angles;
    return !VectorCompare(a, none) &&
           !VectorCompare(Vector(AngleMod(a.x), AngleMod(a.y), AngleMod(a.z)), none);
}

cm_pose_t CM_MakePose(const cm_object_t *object) {
    cm_pose_t pose = {.origin = object->origin,
                      .for_monster = object->for_monster,
                      .turned = CM_IsTurned(object)};
    if (pose.turned) {
        AngleVectors(object->angles, &pose.axes[0], &pose.axes[1], &pose.axes[2]);
        pose.axes[1] = VectorSubtract(Vector(0.0f, 0.0f, 0.0f), pose.axes[1]); // right to left
    }
    return pose;
}
