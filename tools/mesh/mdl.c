/// mesh/mdl.c - the header, bones, controllers and hitboxes of a .mdl file (see mdl.h).

#include "mesh/mdl_local.h"
#include "mesh/rig_local.h"

#include "math/angles.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES     (180.0 / 3.14159265358979323846)
#define MAX_ANGLE   1000.0       // radians
#define MAX_IN_FILE 8            // controllers of a file
#define OUTER_BITS  (7 | 1 << 5) // controllers that need an extra bone: x, y, z, angle about z
#define MIDDLE_BITS (1 << 4)     // angle about y

bool MDL_Fail(const mdl_t *mdl, int64_t at, const char *format, ...) {
    char reason[400];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return Err_Set(mdl->err, "%s: byte %lld: %s", mdl->name, (long long)at, reason);
}

bool MDL_Copy(const mdl_t *mdl, int64_t at, size_t bytes, void *to, const char *what) {
    if (at < 0 || (uint64_t)at > mdl->size || bytes > mdl->size - (size_t)at) {
        return MDL_Fail(mdl, at, "%s: expected %zu bytes within the file's %zu", what, bytes,
                        mdl->size);
    }
    memcpy(to, mdl->bytes + at, bytes);
    return true;
}

bool MDL_CheckArray(const mdl_t *mdl, const char *what, int32_t count, int32_t max, int64_t at,
                    size_t stride) {
    if (count < 0 || count > max) {
        return MDL_Fail(mdl, at, "expected 0..%d %s, found %d", max, what, count);
    }
    size_t bytes = (size_t)count * stride;
    return (at >= 0 && (uint64_t)at <= mdl->size && bytes <= mdl->size - (size_t)at) ||
           MDL_Fail(mdl, at, "expected %d %s, %zu bytes, within the file's %zu bytes", count, what,
                    bytes, mdl->size);
}

static bool read_header(mdl_t *mdl) {
    mdl_header_t *head = &mdl->head;
    if (mdl->size >= 4 && memcmp(mdl->bytes, "IDSQ", 4) == 0) {
        return MDL_Fail(mdl, 0,
                        "expected a model, found a sequence group; give the file of the "
                        "model, without the number at the end of its name");
    }
    if (mdl->size < 4 || memcmp(mdl->bytes, "IDST", 4) != 0) {
        return MDL_Fail(mdl, 0, "header: expected \"IDST\"; this is no studio model");
    }
    if (!MDL_Copy(mdl, 0, sizeof *head, head, "header")) {
        return false;
    }
    if (head->version != 10) {
        return MDL_Fail(mdl, 4, "header: expected version 10 (Half-Life), found %d", head->version);
    }
    if (head->num_bones < 1) {
        return MDL_Fail(mdl, offsetof(mdl_header_t, num_bones),
                        "header: expected bones, found %d; this may be the texture file (ending "
                        "T.mdl); give the model's file",
                        head->num_bones);
    }
    return MDL_CheckArray(mdl, "bones", head->num_bones, MAX_BONES, head->bones,
                          sizeof(mdl_bone_t)) &&
           MDL_CheckArray(mdl, "controllers", head->num_controllers, MAX_IN_FILE, head->controllers,
                          sizeof(mdl_controller_t)) &&
           MDL_CheckArray(mdl, "hitboxes", head->num_hitboxes, MAX_HITBOXES, head->hitboxes,
                          sizeof(mdl_hitbox_t));
}

// ---- keys ----

/// Returns the rotation by `radians` about an axis.
static turn_t turn_about(int32_t axis, double radians) {
    float sine = 0.0f;
    float cosine = 1.0f;
    SinCos((float)(radians * 0.5 * DEGREES), &sine, &cosine);
    double s = (double)sine;
    return (turn_t){axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0, (double)cosine};
}

static model_key_t key_of(similar_t place) {
    turn_t q = place.turn;
    // q and -q are the same rotation; w >= 0 chooses one of them.
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    return (model_key_t){
        {(float)ME_Tidy(q.x * sign), (float)ME_Tidy(q.y * sign), (float)ME_Tidy(q.z * sign),
         (float)ME_Tidy(q.w * sign)},
        {(float)ME_Tidy(place.at.x), (float)ME_Tidy(place.at.y), (float)ME_Tidy(place.at.z)}};
}

bool MDL_Keys(const mdl_t *mdl, int32_t bone, const double channels[MDL_CHANNELS], int64_t at,
              model_key_t *keys) {
    const mdl_split_t *split = &mdl->splits[bone];
    for (int32_t i = 0; i < MDL_CHANNELS; i++) {
        double limit = i < MDL_ANGLES ? 1e7 : MAX_ANGLE;
        if (!(fabs(channels[i]) <= limit)) {
            return MDL_Fail(mdl, at, "bone %d: channel %d: expected a number within +-%g, found %g",
                            bone, i, limit, channels[i]);
        }
    }
    similar_t place = ME_NoSimilar();
    place.at = (dvec_t){channels[0], channels[1], channels[2]};
    if (mdl->bones[bone].parent < 0) {
        place = ME_CombineSimilar(&mdl->root, &place);
    } else {
        place.at = DV_Scale(place.at, mdl->root.scale);
    }
    turn_t z = turn_about(2, channels[5]);
    turn_t yx = ME_TurnBy(turn_about(1, channels[4]), turn_about(0, channels[3]));
    if (split->outer >= 0) {
        keys[split->outer] = key_of(place);
        place = ME_NoSimilar();
    }
    place.turn = ME_TurnBy(place.turn, z);
    if (split->middle >= 0) {
        keys[split->middle] = key_of(place);
        place = ME_NoSimilar();
    }
    place.turn = ME_TurnBy(place.turn, yx);
    keys[split->inner] = key_of(place);
    int32_t first = split->outer >= 0    ? split->outer
                    : split->middle >= 0 ? split->middle
                                         : split->inner;
    vec3_t p = keys[first].place;
    return VectorWithin(p, MAX_MODEL_COORD) ||
           MDL_Fail(mdl, at, "bone %d: expected a position within +-%g, found %g %g %g", bone,
                    (double)MAX_MODEL_COORD, (double)p.x, (double)p.y, (double)p.z);
}

// ---- bones and controllers ----

/// Appends a bone. `suffix`: end of the name of an extra bone. Returns its number, or -1.
static int32_t add_bone(mdl_t *mdl, int32_t number, const char *suffix, int32_t parent) {
    me_rig_t *rig = mdl->rig;
    int64_t at = mdl->head.bones + (int64_t)number * (int64_t)sizeof(mdl_bone_t);
    const char *name = mdl->bones[number].name;
    if (rig->num_bones == MAX_BONES) {
        MDL_Fail(mdl, at, "expected at most %d bones with those for controllers, found more",
                 MAX_BONES);
        return -1;
    }
    model_bone_t *bone = &rig->bones[rig->num_bones];
    int32_t room = MODEL_NAME_BYTES - 1 - (int32_t)strlen(suffix);
    *bone = (model_bone_t){.parent = parent};
    snprintf(bone->name, sizeof bone->name, "%.*s%s", room, name, suffix);
    model_t so_far = {.bones = rig->bones, .num_bones = rig->num_bones};
    if (name[0] == '\0' || Model_FindBone(&so_far, bone->name) >= 0) {
        MDL_Fail(mdl, at, "bone %d: expected a unique name, found \"%s\"", number,
                 name[0] == '\0' ? "" : bone->name);
        return -1;
    }
    return rig->num_bones++;
}

static int64_t controller_at(const mdl_t *mdl, int32_t number) {
    return mdl->head.controllers + (int64_t)number * (int64_t)sizeof(mdl_controller_t);
}

/// Returns the channel of a controller's type, or -1.
static int32_t channel_of(int32_t type) {
    for (int32_t i = 0; i < MDL_CHANNELS; i++) {
        if ((type & MDL_CHANNEL_BITS) == 1 << i) {
            return i;
        }
    }
    return -1;
}

/// Reads a controller, checks it against its bone, and scales its limits.
static bool read_controller(const mdl_t *mdl, int32_t number, mdl_controller_t *one) {
    int64_t at = controller_at(mdl, number);
    if (!MDL_Copy(mdl, at, sizeof *one, one, "controller")) {
        return false;
    }
    int32_t channel = channel_of(one->type);
    if (one->bone < 0 || one->bone >= mdl->head.num_bones) {
        return MDL_Fail(mdl, at, "controller %d: expected a bone 0..%d, found %d", number,
                        mdl->head.num_bones - 1, one->bone);
    }
    if (channel < 0 || (one->type & ~(MDL_CHANNEL_BITS | MDL_WRAPS)) != 0) {
        return MDL_Fail(mdl, at, "controller %d: expected a type 1, 2, 4, 8, 16 or 32, found 0x%x",
                        number, (unsigned)one->type);
    }
    if (mdl->bones[one->bone].controllers[channel] != number) {
        return MDL_Fail(mdl, at,
                        "controller %d: expected bone %d to name it in channel %d, found %d there",
                        number, one->bone, channel, mdl->bones[one->bone].controllers[channel]);
    }
    float limit = channel >= MDL_ANGLES ? 360.0f : MAX_MODEL_COORD;
    float unit = channel >= MDL_ANGLES ? 1.0f : (float)mdl->root.scale;
    one->start *= unit;
    one->end *= unit;
    return (fabsf(one->start) <= limit && fabsf(one->end) <= limit) ||
           MDL_Fail(mdl, at, "controller %d: expected limits within +-%g, found %g and %g", number,
                    (double)limit, (double)one->start, (double)one->end);
}

/// Adds a controller of the file to the rig.
static void add_controller(mdl_t *mdl, const mdl_controller_t *one) {
    static const char axes[] = "xyz";
    me_rig_t *rig = mdl->rig;
    int32_t channel = channel_of(one->type);
    const mdl_split_t *split = &mdl->splits[one->bone];
    model_controller_t *to = &rig->controllers[rig->num_controllers++];
    *to = (model_controller_t){.bone = channel == 3   ? split->inner
                                       : channel == 4 ? split->middle
                                                      : split->outer,
                               .move = MODEL_MOVE_X + channel,
                               .min = fminf(one->start, one->end),
                               .max = fmaxf(one->start, one->end)};
    snprintf(to->name, sizeof to->name, "%.23s.%s_%c", mdl->bones[one->bone].name,
             channel < MDL_ANGLES ? "move" : "turn", axes[channel % 3]);
}

/// Makes the bones of the rig. `masks`: channels of each bone that have controllers.
static bool split_bones(mdl_t *mdl, const int32_t masks[MAX_BONES]) {
    for (int32_t i = 0; i < mdl->head.num_bones; i++) {
        mdl_split_t *split = &mdl->splits[i];
        int32_t parent = mdl->bones[i].parent < 0 ? -1 : mdl->splits[mdl->bones[i].parent].inner;
        *split = (mdl_split_t){-1, -1, -1};
        if (masks[i] & OUTER_BITS) {
            parent = split->outer = add_bone(mdl, i, ".z", parent);
        }
        if ((masks[i] & MIDDLE_BITS) && (split->outer >= 0 || !(masks[i] & OUTER_BITS))) {
            parent = split->middle = add_bone(mdl, i, ".y", parent);
        }
        bool good = (split->outer >= 0 || !(masks[i] & OUTER_BITS)) &&
                    (split->middle >= 0 || !(masks[i] & MIDDLE_BITS));
        split->inner = good ? add_bone(mdl, i, "", parent) : -1;
        if (split->inner < 0) {
            return false;
        }
    }
    return true;
}

/// Reads the controllers, makes the bones, and adds the controllers in the order of their numbers.
/// With --controller, only those of the options count.
static bool read_controllers(mdl_t *mdl) {
    mdl_controller_t all[MAX_IN_FILE];
    int32_t masks[MAX_BONES] = {0};
    int32_t count = mdl->head.num_controllers;
    bool own = mdl->options->num_controllers == 0;
    for (int32_t i = 0; i < count; i++) {
        if (!read_controller(mdl, i, &all[i])) {
            return false;
        }
        masks[all[i].bone] |= own ? all[i].type & MDL_CHANNEL_BITS : 0;
    }
    if (!split_bones(mdl, masks)) {
        return false;
    }
    for (int32_t number = 0; number < MAX_CONTROLLERS && own; number++) {
        for (int32_t i = 0; i < count; i++) {
            if (all[i].number == number && mdl->rig->num_controllers < MAX_CONTROLLERS) {
                add_controller(mdl, &all[i]);
            }
        }
    }
    mdl->rig->num_controllers_out = own ? count - mdl->rig->num_controllers : 0;
    return true;
}

static bool read_bones(mdl_t *mdl) {
    model_key_t keys[MAX_BONES];
    for (int32_t i = 0; i < mdl->head.num_bones; i++) {
        int64_t at = mdl->head.bones + (int64_t)i * (int64_t)sizeof(mdl_bone_t);
        mdl_bone_t *bone = &mdl->bones[i];
        if (!MDL_Copy(mdl, at, sizeof *bone, bone, "bone")) {
            return false;
        }
        bone->name[sizeof bone->name - 1] = '\0';
        if (bone->parent < -1 || bone->parent >= i) {
            return MDL_Fail(mdl, at + (int64_t)offsetof(mdl_bone_t, parent),
                            "bone %d: expected a parent -1..%d, found %d", i, i - 1, bone->parent);
        }
    }
    if (!read_controllers(mdl)) {
        return false;
    }
    for (int32_t i = 0; i < mdl->head.num_bones; i++) {
        double channels[MDL_CHANNELS];
        int64_t at = mdl->head.bones + (int64_t)i * (int64_t)sizeof(mdl_bone_t) +
                     (int64_t)offsetof(mdl_bone_t, value);
        for (int32_t k = 0; k < MDL_CHANNELS; k++) {
            channels[k] = (double)mdl->bones[i].value[k];
        }
        if (!MDL_Keys(mdl, i, channels, at, keys)) {
            return false;
        }
    }
    for (int32_t i = 0; i < mdl->rig->num_bones; i++) {
        mdl->rig->bones[i].place = keys[i].place;
        mdl->rig->bones[i].turn = keys[i].turn;
    }
    return true;
}

// ---- hitboxes ----

static bool read_hitboxes(mdl_t *mdl) {
    me_rig_t *rig = mdl->rig;
    float scale = (float)mdl->root.scale;
    for (int32_t i = 0; i < mdl->head.num_hitboxes; i++) {
        mdl_hitbox_t one;
        int64_t at = mdl->head.hitboxes + (int64_t)i * (int64_t)sizeof one;
        if (!MDL_Copy(mdl, at, sizeof one, &one, "hitbox")) {
            return false;
        }
        if (one.bone < 0 || one.bone >= mdl->head.num_bones) {
            return MDL_Fail(mdl, at, "hitbox %d: expected a bone 0..%d, found %d", i,
                            mdl->head.num_bones - 1, one.bone);
        }
        vec3_t lo = VectorScale(Vector(one.mins[0], one.mins[1], one.mins[2]), scale);
        vec3_t hi = VectorScale(Vector(one.maxs[0], one.maxs[1], one.maxs[2]), scale);
        if (!VectorWithin(lo, MAX_MODEL_COORD) || !VectorWithin(hi, MAX_MODEL_COORD) ||
            !(lo.x < hi.x && lo.y < hi.y && lo.z < hi.z)) {
            return MDL_Fail(mdl, at,
                            "hitbox %d: expected mins < maxs within +-%g, found %g %g %g and "
                            "%g %g %g",
                            i, (double)MAX_MODEL_COORD, (double)lo.x, (double)lo.y, (double)lo.z,
                            (double)hi.x, (double)hi.y, (double)hi.z);
        }
        bool is_known = one.group >= 0 && one.group < NUM_HIT_GROUPS;
        rig->num_groups_unknown += is_known ? 0 : 1;
        rig->hitboxes[rig->num_hitboxes++] = (model_hitbox_t){
            mdl->splits[one.bone].inner, is_known ? one.group : HIT_GENERIC, {lo, hi}};
    }
    return true;
}

// ---- the whole model ----

/// Adds the controllers of the options --controller.
static bool add_options(const mdl_t *mdl) {
    rigger_t *rigger = calloc(1, sizeof *rigger);
    if (!rigger) {
        return Err_Set(mdl->err, "%s: out of memory", mdl->name);
    }
    rigger->name = mdl->name;
    rigger->options = mdl->options;
    rigger->rig = mdl->rig;
    rigger->err = mdl->err;
    bool good = ME_MakeControllers(rigger) && ME_CheckOnce(rigger);
    free(rigger);
    return good;
}

bool ME_ReadMdl(me_rig_t *rig, const me_source_t *source, const similar_t *root,
                const me_rig_options_t *options, err_t *err) {
    *rig = (me_rig_t){0};
    mdl_t *mdl = calloc(1, sizeof *mdl);
    if (!mdl) {
        return Err_Set(err, "%s: out of memory", source->name);
    }
    mdl->name = source->name;
    mdl->bytes = source->bytes;
    mdl->size = source->size;
    mdl->root = *root;
    mdl->options = options;
    mdl->rig = rig;
    mdl->err = err;
    bool good = read_header(mdl) && read_bones(mdl) &&
                (options->hitboxes == ME_HITBOXES_NONE || read_hitboxes(mdl)) &&
                MDL_ReadSequences(mdl) && add_options(mdl);
    free(mdl);
    if (!good) {
        ME_FreeRig(rig);
    }
    return good;
}
