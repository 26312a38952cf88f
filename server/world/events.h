/// world/events.h - output of a tick: prints, log lines, sounds, effects, map changes.
//
// The simulation writes events during a tick; the server reads them after it.
// Memory:  owned by the caller. A full list counts the events it drops.

#ifndef EDICTD_WORLD_EVENTS_H
#define EDICTD_WORLD_EVENTS_H

#include "base/limits.h"
#include "base/log.h"
#include "state/game_event.h"
#include "world/context.h"

typedef enum {
    EVENT_PRINT,       ///< text for a client's screen
    EVENT_CHAT,        ///< text from client `number`, or from the operator if -1
    EVENT_CENTERPRINT, ///< text for the middle of a client's screen
    EVENT_CHANGEMAP,   ///< the game requests map `text`; "" = the current map. `number` 1: if
                       ///< sv_maplist is set, its next map starts instead. `number` 2: `text` is
                       ///< the map, a blank, and a landmark, which is at `origin`
    EVENT_REPLY,       ///< a line for the operator who entered the last command of the game
    EVENT_CVAR,        ///< the game sets a cvar: "NAME VALUE"
    EVENT_LOG          ///< a line for the server's log, at `level`
} event_type_t;

typedef struct {
    event_type_t type;
    int32_t client; ///< slot of the receiver, or EVENT_TO_ALL
    int32_t number; ///< edict or client that caused the event
    log_level_t level;
    vec3_t origin;
    char text[MAX_TEXT_BYTES];
} event_t;

/// A sound or an effect.
typedef struct emission_s {
    emitted_t what;
    bool is_reliable;
    int32_t cluster;       ///< of the place; written by the host before it sends
    uint32_t number;       ///< in the host's log of events, if is_logged
    bool is_logged;        ///< written by the host
    client_mask_t clients; ///< receivers
} emission_t;

/// Returns true if all clients receive an emission.
static inline bool Emission_IsForAll(const emission_t *emission) {
    bool is_all = true;
    for (size_t i = 0; i < COUNTOF(emission->clients.bits); i++) {
        is_all = is_all && emission->clients.bits[i] == UINT64_MAX;
    }
    return is_all;
}

/// Kinds of faults that are counted apart; further kinds share the last entry.
#define MAX_FAULT_KINDS 32

/// Which faults of the game were logged lately (faults.h).
typedef struct {
    uint64_t kinds[MAX_FAULT_KINDS];     ///< hash of function, callback and class; 0 = free
    log_burst_t bursts[MAX_FAULT_KINDS]; ///< in world time
    char last[MAX_TEXT_BYTES];           ///< text of the newest log line
} fault_bursts_t;

typedef struct events_s {
    event_t list[MAX_EVENTS];
    int32_t count;
    uint32_t dropped;
    fault_bursts_t faults; ///< not cleared with the events; the owner clears them with a new world
    emission_t emissions[MAX_GAME_EVENTS];
    int32_t num_emissions;
    uint32_t emissions_dropped;
} events_t;

static inline void Events_Clear(events_t *events) {
    events->count = events->num_emissions = 0;
    events->dropped = events->emissions_dropped = 0;
}

/// Adds an event. Cuts the text to MAX_TEXT_BYTES. Does nothing if `events` is NULL. Drops and
/// counts the event if the list is full, but an EVENT_CHANGEMAP replaces the last event.
/// Returns false if the event is not added.
bool Events_Add(events_t *events, event_type_t type, int32_t client, int32_t number, vec3_t origin,
                const char *text);

/// Emits a sound or an effect. If it has no origin of its own, clients that do not have its entity
/// receive the position that the edict has now. `clients`: receivers; NULL = everybody. Without
/// range, an event for everybody is reliable too. Ignores a `number` of 0. Drops and counts the
/// event if the list is full.
void SV_Emit(sv_context_t *sv, const game_event_t *event, const client_mask_t *clients,
             bool is_reliable);

/// Returns an effect of an edict, with the usual range.
game_event_t SV_EffectOf(const sv_context_t *sv, const edict_t *edict, vec3_t origin,
                         int32_t number);

// Effects of the engine.
#define EFFECT_LAND   "land"
#define EFFECT_SPLASH "splash"

/// Emits an effect of the engine at an edict's origin.
void SV_EngineEffect(sv_context_t *sv, const edict_t *edict, const char *name);

/// Returns an edict's origin, or the middle of its box if it is a brush model.
vec3_t SV_PlaceOf(const edict_t *edict);

void Events_Log(events_t *events, log_level_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
