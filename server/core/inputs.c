#include "core/inputs.h"

#include <string.h>

_Static_assert(MAX_INPUTS >= MAX_CLIENTS * (MAX_CMD_QUEUE + MAX_CMDS_PACKET),
               "a full queue of commands and 32 texts of every client fit");

input_t *Inputs_Add(inputs_t *inputs, input_type_t type, int32_t client) {
    int32_t kept = type == INPUT_LEAVE ? 0 : MAX_CLIENTS + inputs->num_joins + 1;
    if (inputs->count >= MAX_INPUTS - kept) {
        inputs->dropped++;
        return NULL;
    }
    input_t *input = &inputs->list[inputs->count++];
    memset(input, 0, sizeof *input);
    input->type = type;
    input->client = client;
    inputs->num_joins += type == INPUT_JOIN ? 1 : 0;
    return input;
}

void Inputs_Clear(inputs_t *inputs) {
    inputs->count = 0;
    inputs->num_joins = 0;
    inputs->dropped = 0;
}

void Inputs_ClearWorld(inputs_t *inputs) {
    int32_t count = inputs->count;
    Inputs_Clear(inputs);
    for (int32_t i = 0; i < count; i++) {
        input_type_t type = inputs->list[i].type;
        if (type == INPUT_SAY || type == INPUT_COMMAND) {
            inputs->list[inputs->count++] = inputs->list[i];
        }
    }
}
