/// mesh/sample.c - checks the keys of animations and interpolates between keys.
//
// Units:   ms since time 0 of the file.

#include "mesh/rig_local.h"

#include <math.h>
#include <stdio.h>

/// Maximum time of a key: the maximum number of frames at the longest frame time.
#define MAX_TIME_MS ((double)MAX_ANIMATION_FRAMES * MAX_FRAME_MS)

/// Maximum absolute coordinate of a key, in the file's units.
#define MAX_KEY_COORD 1e7

/// Maximum relative difference between the scales of a key and the node.
#define SCALE_SLACK 1e-3

// ---- checks ----

/// Sets the error "animation \"run\": bone \"hand\": at 250 ms: ...". Always returns false.
static bool fail(const rigger_t *rigger, const clip_t *clip, int32_t bone, double at_ms,
                 const char *reason) {
    return ME_RigFail(rigger, "animation \"%.64s\": bone \"%.31s\": at %g ms: %s", clip->name,
                      rigger->rig->bones[bone].name, at_ms, reason);
}

/// Checks a key's time: 0..MAX_TIME_MS, not before the previous key. `times_ms`: previous, this.
static bool check_time(const rigger_t *rigger, const clip_t *clip, int32_t bone,
                       const double times_ms[2]) {
    bool good = times_ms[1] >= 0.0 && times_ms[1] <= MAX_TIME_MS && times_ms[1] >= times_ms[0];
    char reason[96];
    snprintf(reason, sizeof reason, "expected ascending key times from 0 to %.0f ms", MAX_TIME_MS);
    return good || fail(rigger, clip, bone, times_ms[1], reason);
}

static bool check_place(const rigger_t *rigger, const clip_t *clip, int32_t bone,
                        const struct aiVectorKey *key) {
    double x = (double)key->mValue.x;
    double y = (double)key->mValue.y;
    double z = (double)key->mValue.z;
    char reason[128];
    if (fabs(x) <= MAX_KEY_COORD && fabs(y) <= MAX_KEY_COORD && fabs(z) <= MAX_KEY_COORD) {
        return true;
    }
    snprintf(reason, sizeof reason, "expected a position within +-%g, found %g %g %g",
             MAX_KEY_COORD, x, y, z);
    return fail(rigger, clip, bone, key->mTime * clip->ms_a_tick, reason);
}

static bool check_scale(const rigger_t *rigger, const clip_t *clip, int32_t bone,
                        const struct aiVectorKey *key) {
    double scale = rigger->bones[bone].own.scale;
    double slack = SCALE_SLACK * scale;
    double x = (double)key->mValue.x;
    double y = (double)key->mValue.y;
    double z = (double)key->mValue.z;
    char reason[128];
    if (fabs(x - scale) <= slack && fabs(y - scale) <= slack && fabs(z - scale) <= slack) {
        return true;
    }
    snprintf(reason, sizeof reason, "expected the node's scale, %g on all axes, found %g %g %g",
             scale, x, y, z);
    return fail(rigger, clip, bone, key->mTime * clip->ms_a_tick, reason);
}

static turn_t turn_of(const struct aiQuatKey *key) {
    return (turn_t){(double)key->mValue.x, (double)key->mValue.y, (double)key->mValue.z,
                    (double)key->mValue.w};
}

static bool check_turn(const rigger_t *rigger, const clip_t *clip, int32_t bone,
                       const struct aiQuatKey *key) {
    turn_t q = turn_of(key);
    char reason[128];
    if (ME_TurnIsUnit(&q)) {
        return true;
    }
    snprintf(reason, sizeof reason, "expected a unit quaternion, found %g %g %g %g", q.x, q.y, q.z,
             q.w);
    return fail(rigger, clip, bone, key->mTime * clip->ms_a_tick, reason);
}

bool ME_CheckKeys(const rigger_t *rigger, const clip_t *clip, int32_t bone) {
    const struct aiNodeAnim *channel = clip->channels[bone];
    double times_ms[2] = {0.0, 0.0};
    for (unsigned i = 0; i < channel->mNumPositionKeys; i++) {
        times_ms[1] = channel->mPositionKeys[i].mTime * clip->ms_a_tick;
        if (!check_time(rigger, clip, bone, times_ms) ||
            !check_place(rigger, clip, bone, &channel->mPositionKeys[i])) {
            return false;
        }
        times_ms[0] = times_ms[1];
    }
    times_ms[0] = 0.0;
    for (unsigned i = 0; i < channel->mNumRotationKeys; i++) {
        times_ms[1] = channel->mRotationKeys[i].mTime * clip->ms_a_tick;
        if (!check_time(rigger, clip, bone, times_ms) ||
            !check_turn(rigger, clip, bone, &channel->mRotationKeys[i])) {
            return false;
        }
        times_ms[0] = times_ms[1];
    }
    for (unsigned i = 0; i < channel->mNumScalingKeys; i++) {
        if (!check_scale(rigger, clip, bone, &channel->mScalingKeys[i])) {
            return false;
        }
    }
    return true;
}

// ---- between keys ----

/// The keys around a time (`from` at or before it, `to` after it), and the fraction between them.
typedef struct {
    unsigned from, to;
    double share;
} between_t;

/// Finds the keys around a time, in the file's ticks, by binary search.
static between_t find(const void *keys, unsigned count, double (*time_of)(const void *, unsigned),
                      double tick) {
    unsigned low = 0;
    unsigned high = count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (time_of(keys, middle) <= tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || low == count) {
        unsigned edge = low == 0 ? 0 : count - 1;
        return (between_t){edge, edge, 0.0};
    }
    double from = time_of(keys, low - 1);
    double to = time_of(keys, low);
    return (between_t){low - 1, low, (tick - from) / (to - from)};
}

static double place_time(const void *keys, unsigned i) {
    return ((const struct aiVectorKey *)keys)[i].mTime;
}

static double turn_time(const void *keys, unsigned i) {
    return ((const struct aiQuatKey *)keys)[i].mTime;
}

static double mix(float from, float to, double share) {
    return (double)from + ((double)to - (double)from) * share;
}

similar_t ME_SampleBone(const rigger_t *rigger, const clip_t *clip, int32_t bone, double at_ms) {
    similar_t own = rigger->bones[bone].own;
    const struct aiNodeAnim *channel = clip->channels[bone];
    if (!channel) {
        return own;
    }
    double tick = at_ms / clip->ms_a_tick;
    if (channel->mNumPositionKeys > 0) {
        between_t at = find(channel->mPositionKeys, channel->mNumPositionKeys, place_time, tick);
        const struct aiVector3D *a = &channel->mPositionKeys[at.from].mValue;
        const struct aiVector3D *b = &channel->mPositionKeys[at.to].mValue;
        own.at = (dvec_t){mix(a->x, b->x, at.share), mix(a->y, b->y, at.share),
                          mix(a->z, b->z, at.share)};
    }
    if (channel->mNumRotationKeys > 0) {
        between_t at = find(channel->mRotationKeys, channel->mNumRotationKeys, turn_time, tick);
        turn_t a = turn_of(&channel->mRotationKeys[at.from]);
        turn_t b = turn_of(&channel->mRotationKeys[at.to]);
        // ME_CheckKeys has checked the lengths; ME_TurnIsUnit makes them exactly 1.
        own.turn = ME_TurnIsUnit(&a) && ME_TurnIsUnit(&b) && at.share > 0.0
                       ? ME_TurnBetween(a, b, at.share)
                       : a;
    }
    return own;
}
