/// client/names.c - the names of models, sounds, effects, classes and texts.

#include "client/cl_local.h"

#include <string.h>

void Client_ResetNames(cl_t *cl) {
    memset(cl->names.counts, 0, sizeof cl->names.counts);
    cl->names.used = 1;
    cl->names.cost = 0;
}

bool Client_AddNames(cl_t *cl, const ctl_names_t *message) {
    cl_names_t *names = &cl->names;
    int32_t *count = &names->counts[message->table];
    uint16_t *offsets = names->offsets[message->table];
    const char *at = message->texts;
    for (int32_t n = message->first; n < message->first + message->count; n++) {
        const bool is_new = n == *count + 1;
        const size_t length = strlen(at);
        names->cost += is_new ? Names_Cost(at) : (int32_t)length;
        if (names->cost > NAMES_BYTES || n > *count + 1 ||
            (!is_new && (length == 0 || offsets[n] != 0))) {
            return false;
        }
        *count = Q_MaxI(*count, n);
        offsets[n] = 0; // a placeholder, which has the text of number 0
        if (length > 0) {
            memcpy(names->texts + names->used, at, length + 1);
            offsets[n] = (uint16_t)names->used;
            names->used += (int32_t)length + 1;
        }
        at += length + 1;
    }
    return true;
}

const char *Client_Name(const cl_t *cl, names_table_t table, int32_t number) {
    const cl_names_t *names = &cl->names;
    const bool is_known = number >= 1 && number <= names->counts[table];
    return is_known ? names->texts + names->offsets[table][number] : "";
}

const char *CL_ClassName(const cl_t *cl, const entity_state_t *entity) {
    return Client_Name(cl, NAMES_CLASSES, entity->classname);
}

const char *CL_ModelName(const cl_t *cl, const entity_state_t *entity) {
    return Entity_IsBrush(entity) ? "" : Client_Name(cl, NAMES_MODELS, entity->model);
}

const char *CL_SoundName(const cl_t *cl, int32_t sound) {
    return Client_Name(cl, NAMES_SOUNDS, sound);
}

const char *CL_EffectName(const cl_t *cl, int32_t effect) {
    return Client_Name(cl, NAMES_EFFECTS, effect);
}
