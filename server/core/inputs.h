/// core/inputs.h - the list of inputs of a tick: joins, player commands, chat, changed cvars.
/// Nothing else from outside affects a tick.
//
// Memory:  the caller owns the list. A full list counts the inputs that it refuses.

#ifndef EDICTD_CORE_INPUTS_H
#define EDICTD_CORE_INPUTS_H

#include "base/limits.h"
#include "state/usercmd.h"
#include "world/client.h"

typedef enum {
    INPUT_JOIN,    ///< client, text = name, value = 1 for a spectator, from, kept
    INPUT_LEAVE,   ///< client, text = reason
    INPUT_USERCMD, ///< client, cmd
    INPUT_CHAT,    ///< client, text, value = 1 for the team only
    INPUT_TEXT,    ///< client, text = a command of that client
    INPUT_SAY,     ///< text from the operator for all players
    INPUT_INFO,    ///< client, value = number of a key (SV_InfoKey), text = its new value
    INPUT_CVAR,    ///< text = "NAME VALUE" of a game cvar
    INPUT_COMMAND  ///< text = `value` words of an operator's command of the game, each with its NUL
} input_type_t;

#define KEEP_BYTES (MAX_TEXT_BYTES - MAX_NAME_BYTES) // kept values of a client or the world

typedef struct {
    input_type_t type;
    int32_t client; ///< slot, or -1
    int32_t value;
    int32_t num_kept; ///< bytes in `kept`
    union {
        usercmd_t cmd;
        arrival_t from;
    };
    union {
        char text[MAX_TEXT_BYTES];
        struct {
            char name[MAX_NAME_BYTES]; ///< the text of INPUT_JOIN
            uint8_t kept[KEEP_BYTES];  ///< written by SV_PackKept
        };
    };
} input_t;

typedef struct {
    input_t list[MAX_INPUTS];
    int32_t count;
    int32_t num_joins;
    uint32_t dropped;
} inputs_t;

/// Adds an input and returns it, for the caller to fill in. Returns NULL if the list is full; there
/// is always room for an INPUT_LEAVE.
input_t *Inputs_Add(inputs_t *inputs, input_type_t type, int32_t client);

void Inputs_Clear(inputs_t *inputs);

/// Removes all inputs except texts and commands of the operator. Call when a world ends.
void Inputs_ClearWorld(inputs_t *inputs);

#endif
