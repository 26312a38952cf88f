#include "mesh/rig_local.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ME_RigFail(const rigger_t *rigger, const char *format, ...) {
    char reason[400];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return Err_Set(rigger->err, "%s: %s", rigger->name, reason);
}

static bool make(rigger_t *rigger) {
    if (!ME_ListNodes(rigger) || !ME_MakeBones(rigger)) {
        return false;
    }
    bool by_name = rigger->has_hit_nodes;
    bool by_vertices = !by_name && rigger->options->hitboxes == ME_HITBOXES_AUTO;
    return (!by_name || ME_HitNodes(rigger)) && (!by_vertices || ME_HitBoxes(rigger)) &&
           ME_MakeAnimations(rigger) && ME_MakeControllers(rigger);
}

bool ME_Rig(me_rig_t *rig, const char *name, const struct aiScene *scene, const place_t *root,
            const me_rig_options_t *options, err_t *err) {
    *rig = (me_rig_t){0};
    rigger_t *rigger = calloc(1, sizeof *rigger);
    if (!rigger) {
        return Err_Set(err, "%s: out of memory for bones", name);
    }
    *rigger = (rigger_t){
        .name = name, .scene = scene, .root = root, .options = options, .rig = rig, .err = err};
    bool good = make(rigger);
    free(rigger->nodes);
    free(rigger->by_name);
    free(rigger);
    if (!good) {
        ME_FreeRig(rig);
    }
    return good;
}

void ME_FreeRig(me_rig_t *rig) {
    free(rig->keys);
    *rig = (me_rig_t){0};
}

model_t ME_ModelOf(const me_rig_t *rig) {
    return (model_t){.bones = rig->bones,
                     .controllers = rig->controllers,
                     .hitboxes = rig->hitboxes,
                     .animations = rig->animations,
                     .keys = rig->keys,
                     .num_bones = rig->num_bones,
                     .num_controllers = rig->num_controllers,
                     .num_hitboxes = rig->num_hitboxes,
                     .num_animations = rig->num_animations,
                     .num_frames = rig->num_frames};
}
