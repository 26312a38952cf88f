/// move/clip.h - velocities against planes and in liquids.

#ifndef EDICTD_MOVE_CLIP_H
#define EDICTD_MOVE_CLIP_H

#include "math/vec3.h"
#include "state/contents.h"

/// Returns true for contents in which players and monsters swim.
static inline bool PM_IsLiquid(contents_t contents) {
    return (contents <= CONTENTS_WATER && contents >= CONTENTS_LAVA) ||
           (contents <= CONTENTS_CURRENT_0 && contents >= CONTENTS_CURRENT_DOWN);
}

/// Clips a velocity to a plane. `overclip`: 1 removes the component into the plane, 2 reflects it.
/// Components below `epsilon` become 0.
vec3_t PM_Clip(vec3_t velocity, vec3_t normal, float overclip, float epsilon);

/// Clips a velocity to several planes. Returns false if no result is free of all planes; *out is
/// then the last result.
bool PM_ClipToPlanes(vec3_t velocity, const vec3_t *planes, int32_t count, float overclip,
                     float epsilon, vec3_t *out);

/// Returns the velocity of flowing water (CONTENTS_CURRENT_*), or zero for other contents.
vec3_t PM_CurrentVelocity(int32_t contents, float speed);

#endif
