/// world/events.h - output of a tick: prints, log lines, effects, map changes.
//
// The simulation writes events during a tick; the server reads them after it.
// Memory:  owned by the caller. A full list counts the events it drops.

#ifndef EDICTD_WORLD_EVENTS_H
#define EDICTD_WORLD_EVENTS_H

#include "base/limits.h"
#include "base/log.h"
#include "math/vec3.h"

typedef enum {
    EVENT_PRINT,       ///< text for a client's screen
    EVENT_CHAT,        ///< text from client `number`
    EVENT_CENTERPRINT, ///< text for the middle of a client's screen
    EVENT_CHANGEMAP,   ///< the game requests map `text`; "" = the current map. `number` 1: if
                       ///< sv_maplist is set, its next map starts instead. `number` 2: `text` is
                       ///< the map, a blank, and a landmark, which is at `origin`
    EVENT_EFFECT,      ///< effect `text` at `origin` by edict `number`
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

typedef struct events_s {
    event_t list[MAX_EVENTS];
    int32_t count;
    uint32_t dropped;
} events_t;

/// Adds an event. Cuts the text to MAX_TEXT_BYTES. Does nothing if `events` is NULL. Drops and
/// counts the event if the list is full, but an EVENT_CHANGEMAP replaces the last event.
void Events_Add(events_t *events, event_type_t type, int32_t client, int32_t number, vec3_t origin,
                const char *text);

void Events_Log(events_t *events, log_level_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
