/// mesh/controllers.c - parses the options --controller: "aim=chest:turn_y:-30:30".

#include "base/near_name.h"
#include "base/str.h"
#include "mesh/rig_local.h"

#include <stdio.h>
#include <string.h>

enum { MAX_TEXT_BYTES = 160 };

/// Cuts the text at the last colon. Returns the part after the colon, or NULL.
static const char *cut_last(char *text) {
    char *colon = strrchr(text, ':');
    if (!colon) {
        return NULL;
    }
    *colon = '\0';
    return colon + 1;
}

static bool check(const rigger_t *rigger, const char *text, const model_controller_t *one) {
    float limit = one->move >= MODEL_TURN_X ? 360.0f : MAX_MODEL_COORD;
    if (!(one->min >= -limit && one->min <= one->max && one->max <= limit)) {
        return ME_RigFail(rigger,
                          "--controller \"%.64s\": expected %g <= MIN <= MAX <= %g, found %g and "
                          "%g",
                          text, (double)-limit, (double)limit, (double)one->min, (double)one->max);
    }
    for (int32_t i = 0; i < rigger->rig->num_controllers; i++) {
        if (strcmp(rigger->rig->controllers[i].name, one->name) == 0) {
            return ME_RigFail(rigger,
                              "--controller \"%.64s\": expected a unique name, found that of "
                              "another controller",
                              text);
        }
    }
    return true;
}

/// Adds a controller. Parses from the end, because bone names may contain colons (Mixamo).
static bool make_one(rigger_t *rigger, const char *text) {
    me_rig_t *rig = rigger->rig;
    model_controller_t one = {.bone = -1, .move = -1};
    char parts[MAX_TEXT_BYTES];
    snprintf(parts, sizeof parts, "%s", text);
    const char *max = cut_last(parts);
    const char *min = max ? cut_last(parts) : NULL;
    const char *move = min ? cut_last(parts) : NULL;
    char *bone = strchr(parts, '=');
    if (strlen(text) < sizeof parts && move && bone && bone > parts &&
        bone - parts < MODEL_NAME_BYTES) {
        *bone++ = '\0';
        memcpy(one.name, parts, strlen(parts));
        one.move = ME_MoveNamed(move);
    }
    if (one.move < 0 || !Str_ToFloat(min, &one.min) || !Str_ToFloat(max, &one.max)) {
        return ME_RigFail(rigger,
                          "--controller: expected NAME=BONE:MOVE:MIN:MAX with a MOVE of move_x, "
                          "move_y, move_z, turn_x, turn_y or turn_z, found \"%.64s\"",
                          text);
    }
    char cut[MODEL_NAME_BYTES];
    ME_CutName(cut, bone);
    near_name_t near = NearName_Start(bone);
    for (int32_t i = 0; i < rig->num_bones; i++) {
        NearName_Look(&near, rig->bones[i].name);
        one.bone = strcmp(rig->bones[i].name, cut) == 0 ? i : one.bone;
    }
    if (one.bone < 0) {
        char hint[96];
        return ME_RigFail(rigger,
                          "--controller \"%.64s\": expected a bone of the model, found "
                          "\"%.64s\"%s",
                          text, bone, NearName_Hint(&near, hint, sizeof hint));
    }
    if (!check(rigger, text, &one)) {
        return false;
    }
    rig->controllers[rig->num_controllers++] = one;
    return true;
}

bool ME_MakeControllers(rigger_t *rigger) {
    for (int32_t i = 0; i < rigger->options->num_controllers; i++) {
        if (!make_one(rigger, rigger->options->controllers[i])) {
            return false;
        }
    }
    return true;
}
