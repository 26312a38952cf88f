/// mesh/mdl_sequences.c - the sequences of a .mdl file: blends, and run-length coded channels.

#include "mesh/mdl_local.h"

#include "base/near_name.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_IN_FILE = 2048, MAX_GROUPS = 256, MAX_BLENDS = 16 };

static int64_t sequence_at(const mdl_t *mdl, int32_t number) {
    return mdl->head.sequences + (int64_t)number * (int64_t)sizeof(mdl_sequence_t);
}

/// Decodes a channel: spans of a byte `valid`, a byte `total`, and `valid` numbers. The last number
/// stays for the rest of the `total` frames.
static bool decode(const mdl_t *mdl, int64_t at, int32_t num_frames, int16_t *out) {
    for (int32_t frame = 0; frame < num_frames;) {
        uint8_t span[2];
        int16_t value = 0;
        if (!MDL_Copy(mdl, at, sizeof span, span, "span of frames")) {
            return false;
        }
        if (span[0] < 1 || span[0] > span[1]) {
            return MDL_Fail(mdl, at,
                            "span of frames: expected 1 to %d numbers for %d frames, found %d",
                            span[1], span[1], span[0]);
        }
        for (int32_t i = 0; i < span[1] && frame < num_frames; i++, frame++) {
            if (i < span[0] && !MDL_Copy(mdl, at + 2 + 2 * i, sizeof value, &value, "frame")) {
                return false;
            }
            out[frame] = value;
        }
        at += 2 + 2 * span[0];
    }
    return true;
}

/// Decodes all channels of a bone in one blend. numbers[channel * num_frames + frame].
static bool decode_bone(const mdl_t *mdl, int64_t at, int32_t num_frames, int16_t *numbers,
                        bool moves[MDL_CHANNELS]) {
    mdl_track_t track;
    if (!MDL_Copy(mdl, at, sizeof track, &track, "offsets of a bone's frames")) {
        return false;
    }
    for (int32_t i = 0; i < MDL_CHANNELS; i++) {
        moves[i] = track.offsets[i] != 0;
        if (moves[i] && !decode(mdl, at + track.offsets[i], num_frames, numbers + i * num_frames)) {
            return false;
        }
    }
    return true;
}

/// Writes the keys of one blend. `keys`: num_bones of the rig for each frame.
static bool fill_keys(const mdl_t *mdl, const mdl_sequence_t *sequence, int64_t at,
                      int32_t num_frames, int16_t *numbers, model_key_t *keys) {
    size_t stride = (size_t)mdl->rig->num_bones;
    for (int32_t bone = 0; bone < mdl->head.num_bones; bone++) {
        const mdl_bone_t *source = &mdl->bones[bone];
        int64_t track = at + (int64_t)bone * (int64_t)sizeof(mdl_track_t);
        bool moves[MDL_CHANNELS];
        if (!decode_bone(mdl, track, num_frames, numbers, moves)) {
            return false;
        }
        for (int32_t frame = 0; frame < num_frames; frame++) {
            double channels[MDL_CHANNELS];
            for (int32_t i = 0; i < MDL_CHANNELS; i++) {
                double number = moves[i] ? (double)numbers[i * num_frames + frame] : 0.0;
                channels[i] = (double)source->value[i] + number * (double)source->scale[i];
                // The game moves the edict instead of this bone.
                if (bone == sequence->motion_bone && i < MDL_ANGLES &&
                    (sequence->motion_type & 1 << i)) {
                    channels[i] = 0.0;
                }
            }
            if (!MDL_Keys(mdl, bone, channels, track, keys + (size_t)frame * stride)) {
                return false;
            }
        }
    }
    return true;
}

/// Names an animation: the sequence's label, with ".2", ".3", ... if that name is taken.
static void name_animation(const me_rig_t *rig, const char *label, model_animation_t *one) {
    const model_t so_far = {.animations = rig->animations, .num_animations = rig->num_animations};
    snprintf(one->name, sizeof one->name, "%.26s", label);
    for (int32_t i = 2; Model_FindAnimation(&so_far, one->name) >= 0; i++) {
        snprintf(one->name, sizeof one->name, "%.26s.%d", label, i);
    }
}

/// Makes the animation of one blend of a sequence.
static bool add_blend(mdl_t *mdl, const mdl_sequence_t *sequence, int64_t at, int64_t animations) {
    me_rig_t *rig = mdl->rig;
    bool loops = (sequence->flags & MDL_LOOPS) != 0;
    // The last frame of a loop repeats the first.
    int32_t count = sequence->num_frames - (loops && sequence->num_frames > 1 ? 1 : 0);
    if (rig->num_animations == MAX_ANIMATIONS || count > MAX_ANIMATION_FRAMES - rig->num_frames) {
        return MDL_Fail(mdl, at,
                        "sequence \"%s\": expected at most %d animations and %d frames, found "
                        "more; choose sequences with --only",
                        sequence->label, MAX_ANIMATIONS, MAX_ANIMATION_FRAMES);
    }
    size_t bones = (size_t)rig->num_bones;
    size_t used = (size_t)rig->num_frames * bones;
    model_key_t *keys = realloc(rig->keys, (used + (size_t)count * bones) * sizeof *keys);
    int16_t *numbers = malloc((size_t)MDL_CHANNELS * (size_t)count * sizeof *numbers);
    rig->keys = keys ? keys : rig->keys;
    bool good = keys && numbers ? fill_keys(mdl, sequence, animations, count, numbers, keys + used)
                                : MDL_Fail(mdl, at, "out of memory for %d frames", count);
    free(numbers);
    if (!good) {
        return false;
    }
    model_animation_t *one = &rig->animations[rig->num_animations];
    double fps = mdl->options->fps > 0.0 ? mdl->options->fps : (double)sequence->fps;
    *one = (model_animation_t){
        .first_frame = rig->num_frames,
        .num_frames = count,
        .frame_ms = (int32_t)fmin(fmax(round(1000.0 / fps), 1.0), (double)MAX_FRAME_MS),
        .loops = loops ? 1 : 0};
    name_animation(rig, sequence->label, one);
    for (int32_t i = 0; i < mdl->options->num_once; i++) {
        one->loops = strcmp(mdl->options->once[i], one->name) == 0 ? 0 : one->loops;
    }
    rig->num_animations++;
    rig->num_frames += count;
    return true;
}

static bool check_sequence(const mdl_t *mdl, const mdl_sequence_t *sequence, int64_t at) {
    const char *label = sequence->label;
    if (sequence->num_frames < 1 || sequence->num_frames > MAX_ANIMATION_FRAMES) {
        return MDL_Fail(mdl, at, "sequence \"%s\": expected 1..%d frames, found %d", label,
                        MAX_ANIMATION_FRAMES, sequence->num_frames);
    }
    if (sequence->num_blends < 1 || sequence->num_blends > MAX_BLENDS) {
        return MDL_Fail(mdl, at, "sequence \"%s\": expected 1..%d blends, found %d", label,
                        MAX_BLENDS, sequence->num_blends);
    }
    if (!(sequence->fps > 0.0f && sequence->fps <= 1000.0f) &&
        (sequence->num_frames > 1 || !(sequence->fps >= 0.0f))) {
        return MDL_Fail(mdl, at, "sequence \"%s\": expected fps above 0 and at most 1000, found %g",
                        label, (double)sequence->fps);
    }
    return true;
}

/// Reads the group of a sequence. *base: offset of its animations. Returns false if the frames are
/// in another file, or with an error.
static bool find_group(mdl_t *mdl, const mdl_sequence_t *sequence, int64_t at, int64_t *base,
                       bool *elsewhere) {
    mdl_group_t group = {.data = 0};
    int64_t where = mdl->head.groups + (int64_t)sequence->group * (int64_t)sizeof group;
    int32_t last = mdl->head.num_groups > 1 ? mdl->head.num_groups - 1 : 0;
    *elsewhere = false;
    if (sequence->group < 0 || sequence->group > last) {
        return MDL_Fail(mdl, at, "sequence \"%s\": expected a sequence group 0..%d, found %d",
                        sequence->label, last, sequence->group);
    }
    if (mdl->head.num_groups > 0 && !MDL_Copy(mdl, where, sizeof group, &group, "sequence group")) {
        return false;
    }
    if (sequence->group > 0) {
        me_rig_t *rig = mdl->rig;
        *elsewhere = true;
        if (rig->num_elsewhere++ == 0) {
            snprintf(rig->elsewhere, sizeof rig->elsewhere, "%.63s", group.name);
        }
        return true;
    }
    *base = (int64_t)group.data + sequence->animations;
    return true;
}

static bool is_wanted(const me_rig_options_t *options, const char *label) {
    for (int32_t i = 0; i < options->num_only; i++) {
        if (strcmp(options->only[i], label) == 0) {
            return true;
        }
    }
    return options->num_only == 0;
}

static bool read_sequence(mdl_t *mdl, int32_t number) {
    mdl_sequence_t sequence;
    int64_t at = sequence_at(mdl, number);
    int64_t base = 0;
    bool elsewhere = false;
    if (!MDL_Copy(mdl, at, sizeof sequence, &sequence, "sequence")) {
        return false;
    }
    sequence.label[sizeof sequence.label - 1] = '\0';
    if (sequence.label[0] == '\0') {
        return MDL_Fail(mdl, at, "sequence %d: expected a label, found none", number);
    }
    if (!is_wanted(mdl->options, sequence.label)) {
        return true;
    }
    if (!check_sequence(mdl, &sequence, at) || !find_group(mdl, &sequence, at, &base, &elsewhere)) {
        return false;
    }
    me_rig_t *rig = mdl->rig;
    int32_t first = rig->num_animations;
    for (int32_t i = 0; i < sequence.num_blends && !elsewhere; i++) {
        int64_t step = (int64_t)mdl->head.num_bones * (int64_t)sizeof(mdl_track_t);
        if (!add_blend(mdl, &sequence, at, base + i * step)) {
            return false;
        }
    }
    if (sequence.num_blends > 1 && !elsewhere) {
        rig->blends[rig->num_blends++] = (me_blend_t){
            first, sequence.num_blends, sequence.blend_start[0], sequence.blend_end[0]};
    }
    return true;
}

/// Checks that each --only names a sequence.
static bool check_only(const mdl_t *mdl) {
    for (int32_t i = 0; i < mdl->options->num_only; i++) {
        const char *wanted = mdl->options->only[i];
        near_name_t near = NearName_Start(wanted);
        bool found = false;
        char hint[96];
        char labels[MAX_IN_FILE][32]; // `near` points to one of them
        for (int32_t n = 0; n < mdl->head.num_sequences; n++) {
            char *label = labels[n];
            memcpy(label, mdl->bytes + sequence_at(mdl, n), sizeof labels[n]);
            label[sizeof labels[n] - 1] = '\0';
            NearName_Look(&near, label);
            found = found || strcmp(label, wanted) == 0;
        }
        if (!found) {
            return Err_Set(mdl->err,
                           "%s: --only: expected a sequence of the file, found \"%.64s\"%s",
                           mdl->name, wanted, NearName_Hint(&near, hint, sizeof hint));
        }
    }
    return true;
}

bool MDL_ReadSequences(mdl_t *mdl) {
    const mdl_header_t *head = &mdl->head;
    if (!MDL_CheckArray(mdl, "sequences", head->num_sequences, MAX_IN_FILE, head->sequences,
                        sizeof(mdl_sequence_t)) ||
        !MDL_CheckArray(mdl, "sequence groups", head->num_groups, MAX_GROUPS, head->groups,
                        sizeof(mdl_group_t)) ||
        !check_only(mdl)) {
        return false;
    }
    for (int32_t i = 0; i < head->num_sequences; i++) {
        if (!read_sequence(mdl, i)) {
            return false;
        }
    }
    return true;
}
