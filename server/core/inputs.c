#include "core/inputs.h"

#include <string.h>

input_t *Inputs_Add(inputs_t *inputs, input_type_t type, int32_t client) {
    int32_t room = type == INPUT_LEAVE ? MAX_INPUTS : MAX_INPUTS - MAX_CLIENTS;
    if (inputs->count >= room) {
        inputs->dropped++;
        return NULL;
    }
    input_t *input = &inputs->list[inputs->count++];
    memset(input, 0, sizeof *input);
    input->type = type;
    input->client = client;
    return input;
}
