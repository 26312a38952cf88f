/// state/game_event.h - a sound or an effect: emitted by the game, received by clients.
//
// Units:   qu.

#ifndef EDICTD_STATE_GAME_EVENT_H
#define EDICTD_STATE_GAME_EVENT_H

#include "base/limits.h"
#include "math/vec3.h"

#define GAME_EVENT_ARGS      4
#define GAME_EVENT_MAX_RANGE 262144 // qu; more than the diagonal of the largest world

// Usual ranges, qu. On the wire, they cost one bit.
#define GAME_SOUND_RANGE  1024
#define GAME_EFFECT_RANGE 4096

typedef enum {
    GAME_SOUND, ///< `number`: a row of the table of sounds
    GAME_EFFECT ///< `number`: a row of the table of effects: something to draw, or any other event
} game_event_kind_t;

typedef struct {
    int32_t kind;    ///< game_event_kind_t
    int32_t number;  ///< row of the kind's table of names, 1..NAMES_MAX-1
    int32_t entity;  ///< number of the edict that causes it; 0 = none
    bool has_origin; ///< false: the event moves with its entity, or has no position without one
    vec3_t origin;
    int32_t range; ///< clients farther away do not receive it; 0 = everywhere
    float volume;  ///< [0, 1], in steps of 1/255
    int32_t num_args;
    int32_t args[GAME_EVENT_ARGS]; ///< the game's; unused ones are 0
} game_event_t;

/// Client slots: slot n is bit n % 64 of word n / 64.
typedef struct {
    uint64_t bits[MAX_CLIENTS / 64];
} client_mask_t;

/// An emitted event, and what clients need that do not have its entity.
typedef struct {
    game_event_t event;
    uint32_t generation; ///< of the edict event.entity
    vec3_t place;        ///< position of the event, with or without an origin of its own
} emitted_t;

/// Returns the usual range of a kind.
static inline int32_t GameEvent_UsualRange(int32_t kind) {
    return kind == GAME_SOUND ? GAME_SOUND_RANGE : GAME_EFFECT_RANGE;
}

#endif
