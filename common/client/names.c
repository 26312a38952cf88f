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
    const char *at = message->texts;
    if (message->first != *count + 1) {
        return false;
    }
    for (int32_t i = 0; i < message->count; i++) {
        const size_t bytes = strlen(at) + 1;
        names->cost += Names_Cost(at);
        if (names->cost > NAMES_BYTES) {
            return false;
        }
        memcpy(names->texts + names->used, at, bytes);
        names->offsets[message->table][++*count] = (uint16_t)names->used;
        names->used += (int32_t)bytes;
        at += bytes;
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
