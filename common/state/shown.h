/// state/shown.h - the pose that a client shows of an entity between two snapshots. Clients draw
/// by it, and the server judges shots by it (world/unlag.h).
//
// Repeat:  single precision; the same values give the same bits on both ends.

#ifndef EDICTD_STATE_SHOWN_H
#define EDICTD_STATE_SHOWN_H

#include "math/angles.h"
#include "state/entity_state.h"

#include <math.h>

#define SHOWN_MAX_JUMP 256.0f // qu between two snapshots; a longer distance is a teleport
#define SHOWN_TELEPORT 128    // step of the counter of teleports in a state's generation

/// Number of counts of teleports: more than ticks between two snapshots, so each teleport shows.
#define SHOWN_TELEPORTS 64

/// Rounds a value to a whole number of 1/scale.
static inline int32_t Shown_Round(float value, float scale, int32_t lo, int32_t hi) {
    const float scaled = value * scale + 0.5f;
    const int32_t cut = Q_ToInt(scaled, lo, hi); // towards 0; without a call of floorf
    return cut > lo && (float)cut > scaled ? cut - 1 : cut;
}

/// Rounds a vector to whole numbers of 1/scale within +-limit.
static inline void Shown_RoundVector(vec3_t v, float scale, int32_t limit, int32_t out[3]) {
    out[0] = Shown_Round(v.x, scale, -limit, limit);
    out[1] = Shown_Round(v.y, scale, -limit, limit);
    out[2] = Shown_Round(v.z, scale, -limit, limit);
}

/// Returns the position or corner of a state in qu.
static inline vec3_t Shown_Vector(const int32_t v[3]) {
    const float scale = 1.0f / (float)ENTITY_ORIGIN_SCALE;
    return Vector((float)v[0] * scale, (float)v[1] * scale, (float)v[2] * scale);
}

/// Returns the position of a time between two snapshots that are `ticks` apart, in [0, 1]. `past`:
/// time since the first, in 1/65536 ticks.
static inline float Shown_Share(int64_t ticks, int64_t past) {
    int64_t span = ticks > 0 ? ticks * 65536 : 1;
    int64_t done = ticks <= 0 || past < 0 ? 0 : past > span ? span : past;
    return (float)done / (float)span;
}

static inline float Shown_Angle(float from, float to, float share) {
    return AngleMod(from + AngleNormalize180(AngleMod(to - from)) * share);
}

/// Returns the generation of a state: 7 bits of the edict's, and its count of teleports. A client
/// that finds another one in the next snapshot shows nothing in between: the entity stays at the
/// older pose until then.
static inline int32_t Shown_Generation(uint32_t generation, uint32_t teleports) {
    return (int32_t)((generation & (SHOWN_TELEPORT - 1)) |
                     teleports % SHOWN_TELEPORTS * SHOWN_TELEPORT);
}

/// Returns the count of teleports in the generation of a state.
static inline uint32_t Shown_Teleports(int32_t of_state) {
    return (uint32_t)of_state / SHOWN_TELEPORT;
}

/// Returns true if the generation of a state may be that of an edict.
static inline bool Shown_IsSameEdict(int32_t of_state, uint32_t generation) {
    return (((uint32_t)of_state ^ generation) & (SHOWN_TELEPORT - 1)) == 0;
}

/// Returns the pose between the poses of two snapshots.
static inline pose_t Shown_Pose(pose_t from, pose_t to, float share) {
    vec3_t delta = VectorSubtract(to.origin, from.origin);
    if (!VectorWithin(delta, SHOWN_MAX_JUMP)) {
        return to;
    }
    return (pose_t){VectorMA(from.origin, share, delta),
                    Vector(Shown_Angle(from.angles.x, to.angles.x, share),
                           Shown_Angle(from.angles.y, to.angles.y, share),
                           Shown_Angle(from.angles.z, to.angles.z, share))};
}

// ---- animations ----

#define ENTITY_MAX_SKELETON   (FIRST_MAP_SKELETON + MAX_MAP_SKELETONS - 1)
#define ENTITY_MAX_ANIMATIONS 64 // equal to MAX_ANIMATIONS of model.h
#define ENTITY_MAX_CONTROLLER (8192 * ENTITY_CONTROLLER_SCALE)

/// The animation of an entity, in world time.
typedef struct {
    int32_t skeleton;      ///< 1..ENTITY_MAX_SKELETON; 0 = none, all else is ignored
    int32_t animations[2]; ///< -1 = bind pose
    int64_t start_ms[2];
    float blend;
    float controllers[4];
} entity_bones_t;

/// An animation as on the wire. See entity_state_t.
typedef struct {
    int64_t start_ms[2];
    int32_t controllers[4];
    uint16_t skeleton;
    uint8_t animations[2];
    uint8_t blend;
    uint8_t zero[3]; ///< in place of padding
} shown_bones_t;

static_assert(sizeof(shown_bones_t) == 40, "shown_bones_t must have no padding");

/// Rounds the blend to 1/255 and controllers to 1/32. Invalid animation numbers become the bind
/// pose.
static inline shown_bones_t Shown_RoundBones(const entity_bones_t *bones) {
    shown_bones_t shown = {.skeleton = (uint16_t)Q_ClampI(bones->skeleton, 0, ENTITY_MAX_SKELETON)};
    if (shown.skeleton == 0) {
        return shown;
    }
    shown.blend =
        (uint8_t)Shown_Round(bones->blend, (float)ENTITY_BLEND_SCALE, 0, ENTITY_BLEND_SCALE);
    for (int32_t i = 0; i < 2; i++) {
        const int32_t number = bones->animations[i];
        if ((i == 0 || shown.blend > 0) && number >= 0 && number < ENTITY_MAX_ANIMATIONS) {
            shown.animations[i] = (uint8_t)(1 + number);
            shown.start_ms[i] = bones->start_ms[i];
        }
    }
    for (int32_t i = 0; i < 4; i++) {
        shown.controllers[i] = Shown_Round(bones->controllers[i], (float)ENTITY_CONTROLLER_SCALE,
                                           -ENTITY_MAX_CONTROLLER, ENTITY_MAX_CONTROLLER);
    }
    return shown;
}

/// Returns the time that an animation has run at a time of the world.
static inline int64_t Shown_Running(int64_t time_ms, int64_t start_ms) {
    const int64_t oldest_ms = -(INT64_C(1) << 60); // a hostile server may send any start
    return start_ms >= oldest_ms && start_ms < time_ms ? time_ms - start_ms : 0;
}

#endif
