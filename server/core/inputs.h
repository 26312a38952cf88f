/// core/inputs.h - all that reaches a tick from outside, in order. Logged, they are the demo, the
/// replay and the bug report.
//
// Floor:   core.
// Memory:  the host owns the list; a full one counts what it refuses.

#ifndef EDICTD_CORE_INPUTS_H
#define EDICTD_CORE_INPUTS_H

#include "base/limits.h"
#include "state/usercmd.h"

typedef enum {
    INPUT_JOIN,    ///< client, text = name, value = 1 for a spectator
    INPUT_LEAVE,   ///< client, text = reason
    INPUT_USERCMD, ///< client, cmd
    INPUT_CHAT,    ///< client, text
    INPUT_TEXT,    ///< client, text = a command of his
    INPUT_SAY,     ///< text for everybody, from the operator
    INPUT_CVAR     ///< text = "name value": a game cvar; of a text all behind the first space
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

/// The next free input, zeroed but for type and client; NULL (counted) when full. A leave always
/// has room: places are kept for one of every slot, and for one of every join in the list.
input_t *Inputs_Add(inputs_t *inputs, input_type_t type, int32_t client);

/// Forgets them all, after their tick.
void Inputs_Clear(inputs_t *inputs);

/// Forgets what concerns a world that is over: all but what the operator says.
void Inputs_ClearWorld(inputs_t *inputs);

#endif
