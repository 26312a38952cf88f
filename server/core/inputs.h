/// core/inputs.h - the inputs of a tick, in order: everything from outside that affects the tick. A
/// log of the inputs can serve as a demo, a replay or a bug report.
//
// Memory:  the host owns the list; a full list counts the inputs that it refuses.

#ifndef EDICTD_CORE_INPUTS_H
#define EDICTD_CORE_INPUTS_H

#include "base/limits.h"
#include "state/usercmd.h"

typedef enum {
    INPUT_JOIN,    ///< client, text = name, value = 1 for a spectator
    INPUT_LEAVE,   ///< client, text = reason
    INPUT_USERCMD, ///< client, cmd
    INPUT_CHAT,    ///< client, text
    INPUT_TEXT,    ///< client, text = a command of that client
    INPUT_SAY,     ///< text from the operator for all players
    INPUT_CVAR     ///< text = "name value": a game cvar; the value starts after the first space
} input_type_t;

typedef struct {
    input_type_t type;
    int32_t client; ///< slot, or -1
    int32_t value;
    int32_t zero;
    usercmd_t cmd;
    char text[MAX_TEXT_BYTES];
} input_t;

typedef struct {
    input_t list[MAX_INPUTS];
    int32_t count;
    int32_t num_joins;
    uint32_t dropped;
} inputs_t;

/// Returns the next free input with type and client set and all else zero; NULL (counted) if the
/// list is full. A leave always has room: each slot and each join in the list reserves one entry.
input_t *Inputs_Add(inputs_t *inputs, input_type_t type, int32_t client);

void Inputs_Clear(inputs_t *inputs);

/// Removes all inputs for a world that ended, except the operator's texts.
void Inputs_ClearWorld(inputs_t *inputs);

#endif
