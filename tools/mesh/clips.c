/// mesh/clips.c - samples animations into frames.
//
// Units:   ms.
//
// Without --fps, frames are at the keys if the keys are evenly spaced by whole ms. Otherwise the
// frame time is near the wanted rate, and divides the length as evenly as possible. A looping
// animation has no frame for its last key if that key equals the first.

#include "base/near_name.h"
#include "mesh/rig_local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Range of key spacings that can become the frame time. Linear rotation between frames is visible
/// at longer spacings.
enum { MIN_OWN_MS = 20, MAX_OWN_MS = 250 };

/// Maximum time between a key and a frame, because files store rounded seconds.
#define STEP_SLACK_MS 0.02

/// Maximum differences between equal bone poses. SAME_PLACE: distance in qu. SAME_TURN: sqrt(1 -
/// dot product) of two quaternions.
#define SAME_PLACE 0.05f
#define SAME_TURN  1e-3f

// ---- times ----

/// Calls `take` with the times of each key and of the previous key, -1 = none. Skips channels with
/// one key. Stops and returns false when `take` returns false.
static bool each_time(const rigger_t *rigger, const clip_t *clip, void *context,
                      bool (*take)(void *context, double before_ms, double at_ms)) {
    for (int32_t bone = 0; bone < rigger->rig->num_bones; bone++) {
        const struct aiNodeAnim *channel = clip->channels[bone];
        unsigned places = channel ? channel->mNumPositionKeys : 0;
        unsigned turns = channel ? channel->mNumRotationKeys : 0;
        for (unsigned i = 0; places > 1 && i < places; i++) {
            const struct aiVectorKey *key = &channel->mPositionKeys[i];
            if (!take(context, i > 0 ? key[-1].mTime * clip->ms_a_tick : -1.0,
                      key->mTime * clip->ms_a_tick)) {
                return false;
            }
        }
        for (unsigned i = 0; turns > 1 && i < turns; i++) {
            const struct aiQuatKey *key = &channel->mRotationKeys[i];
            if (!take(context, i > 0 ? key[-1].mTime * clip->ms_a_tick : -1.0,
                      key->mTime * clip->ms_a_tick)) {
                return false;
            }
        }
    }
    return true;
}

/// Times of all keys. gap_ms: the smallest time between two keys that is above STEP_SLACK_MS.
typedef struct {
    double first_ms, last_ms, gap_ms;
    bool any;
} span_t;

static bool take_span(void *context, double before_ms, double at_ms) {
    span_t *span = context;
    double gap_ms = at_ms - before_ms;
    span->first_ms = span->any ? fmin(span->first_ms, at_ms) : at_ms;
    span->last_ms = span->any ? fmax(span->last_ms, at_ms) : at_ms;
    if (before_ms >= 0.0 && gap_ms > STEP_SLACK_MS && gap_ms < span->gap_ms) {
        span->gap_ms = gap_ms;
    }
    span->any = true;
    return true;
}

typedef struct {
    double first_ms, step_ms;
} steps_t;

static bool is_on_step(void *context, double before_ms, double at_ms) {
    const steps_t *steps = context;
    (void)before_ms;
    double number = (at_ms - steps->first_ms) / steps->step_ms;
    return fabs(number - round(number)) * steps->step_ms <= STEP_SLACK_MS;
}

/// Returns the time between keys in ms if all keys are evenly spaced, otherwise 0.
static int32_t own_step(const rigger_t *rigger, const clip_t *clip, double gap_ms) {
    if (!(gap_ms >= MIN_OWN_MS - 0.5 && gap_ms <= MAX_OWN_MS + 0.5)) {
        return 0;
    }
    steps_t steps = {clip->first_ms, round(gap_ms)};
    return each_time(rigger, clip, &steps, is_on_step) ? (int32_t)steps.step_ms : 0;
}

/// Returns the frame time in whole ms near `wanted_ms` with a multiple closest to the length.
static int32_t good_step(double length_ms, double wanted_ms) {
    int32_t wanted = (int32_t)fmin(fmax(round(wanted_ms), 1.0), MAX_FRAME_MS);
    int32_t best = wanted;
    double least = (double)INFINITY;
    for (int32_t i = 0; i <= wanted / 2; i++) {
        // Tries wanted, wanted + 1, wanted - 1, ..., up to a quarter of `wanted` away.
        int32_t step = wanted + (i % 2 ? (i + 1) / 2 : -i / 2);
        double count = fmax(round(length_ms / step), 1.0);
        double rest = fabs(count * step - length_ms);
        if (step >= 1 && step <= MAX_FRAME_MS && rest < least - 1e-6) {
            least = rest;
            best = step;
        }
    }
    return best;
}

// ---- channels ----

/// Sets the clip's channels by bone. *used receives the number of channels. Skips all other
/// channels.
static bool find_channels(rigger_t *rigger, clip_t *clip, int32_t *used) {
    const struct aiAnimation *animation = clip->animation;
    *used = 0;
    rigger->rig->num_left_out += (int32_t)animation->mNumMorphMeshChannels;
    for (unsigned i = 0; i < animation->mNumChannels; i++) {
        const struct aiNodeAnim *channel = animation->mChannels[i];
        const rig_node_t *node = ME_NodeNamed(rigger, channel->mNodeName.data, "animation");
        if (!node) {
            return false;
        }
        if (node->bone < 0) {
            rigger->rig->num_left_out++;
            continue;
        }
        if (clip->channels[node->bone]) {
            return ME_RigFail(rigger,
                              "animation \"%.64s\": bone \"%.31s\": expected one channel, "
                              "found two",
                              clip->name, channel->mNodeName.data);
        }
        clip->channels[node->bone] = channel;
        (*used)++;
        if (!ME_CheckKeys(rigger, clip, node->bone)) {
            return false;
        }
    }
    return animation->mNumChannels > 0 || animation->mNumMorphMeshChannels > 0 ||
           ME_RigFail(rigger, "animation \"%.64s\": expected channels with keys, found none",
                      clip->name);
}

// ---- frames ----

/// Computes the bone pose at a time: writes `num_bones` keys.
static bool pose_at(const rigger_t *rigger, const clip_t *clip, double at_ms, model_key_t *keys) {
    for (int32_t bone = 0; bone < rigger->rig->num_bones; bone++) {
        similar_t own = ME_SampleBone(rigger, clip, bone, at_ms);
        keys[bone] = ME_KeyOf(rigger, bone, &own);
        vec3_t at = keys[bone].place;
        if (!VectorWithin(at, MAX_MODEL_COORD)) {
            return ME_RigFail(rigger,
                              "animation \"%.64s\": bone \"%.31s\": at %g ms: expected a position "
                              "within +-%g, found %g %g %g",
                              clip->name, rigger->rig->bones[bone].name, at_ms,
                              (double)MAX_MODEL_COORD, (double)at.x, (double)at.y, (double)at.z);
        }
    }
    return true;
}

static bool is_same_pose(const model_key_t *a, const model_key_t *b, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        quat_t p = a[i].turn;
        quat_t q = b[i].turn;
        vec3_t offset = VectorSubtract(a[i].place, b[i].place);
        float dot = fabsf(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w);
        if (!(DotProduct(offset, offset) <= SAME_PLACE * SAME_PLACE) ||
            !(1.0f - dot <= SAME_TURN * SAME_TURN)) {
            return false;
        }
    }
    return true;
}

/// Samples `count` frames of an animation, from the first to the last key.
static bool add_frames(rigger_t *rigger, const clip_t *clip, model_animation_t *one,
                       int32_t count) {
    me_rig_t *rig = rigger->rig;
    size_t bones = (size_t)rig->num_bones;
    if (count > MAX_ANIMATION_FRAMES - rig->num_frames) {
        return ME_RigFail(rigger,
                          "animation \"%.64s\": expected at most %d frames in all animations, "
                          "found more; lower --fps",
                          clip->name, MAX_ANIMATION_FRAMES);
    }
    size_t needed = ((size_t)rig->num_frames + (size_t)count) * bones;
    model_key_t *keys = realloc(rig->keys, needed * sizeof *keys);
    if (!keys) {
        return ME_RigFail(rigger, "animation \"%.64s\": no memory for %d frames", clip->name,
                          count);
    }
    rig->keys = keys;
    model_key_t *first = keys + (size_t)rig->num_frames * bones;
    double length_ms = clip->last_ms - clip->first_ms;
    for (int32_t i = 0; i < count; i++) {
        double share = count > 1 ? (double)i / (double)(count - 1) : 0.0;
        if (!pose_at(rigger, clip, clip->first_ms + length_ms * share, first + (size_t)i * bones)) {
            return false;
        }
    }
    if (one->loops && count > 1 &&
        is_same_pose(first, first + (size_t)(count - 1) * bones, rig->num_bones)) {
        count--;
    }
    one->first_frame = rig->num_frames;
    one->num_frames = count;
    rig->num_frames += count;
    return true;
}

// ---- names ----

#define ONCE "_once"

/// Sets an animation's name and whether it loops. Removes a final "_once", which acts like --once.
static bool name_animation(rigger_t *rigger, unsigned number, model_animation_t *one) {
    const char *name = rigger->scene->mAnimations[number]->mName.data;
    size_t length = strlen(name);
    size_t end = strlen(ONCE);
    bool once = length > end && strcmp(name + length - end, ONCE) == 0;
    length -= once ? end : 0;
    if (length >= sizeof one->name) {
        return ME_RigFail(rigger, "animation \"%.64s\": expected a name of at most %zu bytes", name,
                          sizeof one->name - 1);
    }
    memcpy(one->name, name, length);
    if (length == 0) {
        snprintf(one->name, sizeof one->name, "animation_%u", number);
    }
    for (int32_t i = 0; i < rigger->options->num_once; i++) {
        once = once || strcmp(rigger->options->once[i], one->name) == 0;
    }
    for (int32_t i = 0; i < rigger->rig->num_animations; i++) {
        if (strcmp(rigger->rig->animations[i].name, one->name) == 0) {
            return ME_RigFail(rigger,
                              "animation \"%.64s\": expected a unique name, found it "
                              "twice",
                              one->name);
        }
    }
    one->loops = once ? 0 : 1;
    return true;
}

bool ME_CheckOnce(const rigger_t *rigger) {
    for (int32_t i = 0; i < rigger->options->num_once; i++) {
        const char *wanted = rigger->options->once[i];
        bool found = false;
        near_name_t near = NearName_Start(wanted);
        for (int32_t n = 0; n < rigger->rig->num_animations; n++) {
            NearName_Look(&near, rigger->rig->animations[n].name);
            found = found || strcmp(rigger->rig->animations[n].name, wanted) == 0;
        }
        if (!found) {
            char hint[96];
            return ME_RigFail(rigger,
                              "--once: expected an animation of the file, found \"%.64s\"%s",
                              wanted, NearName_Hint(&near, hint, sizeof hint));
        }
    }
    return true;
}

// ---- the whole animation ----

static bool make_animation(rigger_t *rigger, unsigned number) {
    me_rig_t *rig = rigger->rig;
    model_animation_t *one = &rig->animations[rig->num_animations];
    const struct aiAnimation *animation = rigger->scene->mAnimations[number];
    double ticks = animation->mTicksPerSecond;
    clip_t clip = {.animation = animation,
                   .name = animation->mName.data,
                   .ms_a_tick = ticks >= 1e-3 && ticks <= 1e6 ? 1000.0 / ticks : 1.0};
    span_t span = {.gap_ms = (double)INFINITY};
    int32_t used = 0;
    *one = (model_animation_t){0}; // a dropped animation may have used this entry
    if (!name_animation(rigger, number, one) || !find_channels(rigger, &clip, &used)) {
        return false;
    }
    if (used == 0) {
        return true;
    }
    each_time(rigger, &clip, &span, take_span);
    clip.first_ms = span.first_ms;
    clip.last_ms = span.last_ms;
    double length_ms = span.last_ms - span.first_ms;
    double fps = rigger->options->fps;
    int32_t step_ms = fps > 0.0 ? 0 : own_step(rigger, &clip, span.gap_ms);
    one->frame_ms =
        step_ms > 0 ? step_ms : good_step(length_ms, 1000.0 / (fps > 0.0 ? fps : ME_DEFAULT_FPS));
    double steps = round(length_ms / one->frame_ms);
    if (length_ms > 0.0 && steps < 1.0) {
        steps = 1.0;
    }
    int32_t frames = (int32_t)fmin(steps + 1.0, (double)MAX_ANIMATION_FRAMES + 1.0);
    if (!add_frames(rigger, &clip, one, frames)) {
        return false;
    }
    rig->num_animations++;
    return true;
}

bool ME_MakeAnimations(rigger_t *rigger) {
    const struct aiScene *scene = rigger->scene;
    if (rigger->rig->num_bones > 0 && scene->mNumAnimations > MAX_ANIMATIONS) {
        return ME_RigFail(rigger, "expected at most %d animations, found %u", MAX_ANIMATIONS,
                          scene->mNumAnimations);
    }
    for (unsigned i = 0; rigger->rig->num_bones > 0 && i < scene->mNumAnimations; i++) {
        if (!make_animation(rigger, i)) {
            return false;
        }
    }
    return ME_CheckOnce(rigger);
}
