/// world/events.h - what a tick has to say to the outside: prints, log lines, effects.
//
// Floor:   world. Written during SV_Frame, read by the host after it; not part of the block.
// Memory:  the host's; a full list counts what it loses.

#ifndef EDICTD_WORLD_EVENTS_H
#define EDICTD_WORLD_EVENTS_H

#include "base/limits.h"
#include "base/log.h"
#include "math/vec3.h"

#define EVENT_TO_ALL    (-1)
#define EVENT_TO_NOBODY (-2) // he it was for has left

typedef enum {
    EVENT_PRINT,       ///< text for a client's screen
    EVENT_CHAT,        ///< text that client `number` said
    EVENT_CENTERPRINT, ///< text for the middle of a client's screen
    EVENT_CHANGEMAP, ///< the game wants map `text` next; "" = the same again. `number` 1: only when
                     ///< the operator has no list of maps
    EVENT_EFFECT,    ///< something happened at `origin` with edict `number`: text names it
    EVENT_LOG        ///< a line for the server's log, at `level`
} event_type_t;

typedef struct {
    event_type_t type;
    int32_t client; ///< client slot it is for, or EVENT_TO_ALL
    int32_t number; ///< edict or client it is about
    log_level_t level;
    vec3_t origin;
    char text[MAX_TEXT_BYTES];
} event_t;

typedef struct events_s {
    event_t list[MAX_EVENTS];
    int32_t count;
    uint32_t dropped;
} events_t;

/// Adds an event; text is cut to MAX_TEXT_BYTES. events may be NULL. A full list counts it and loses
/// it, but never an EVENT_CHANGEMAP: that takes the place of the last one.
void Events_Add(events_t *events, event_type_t type, int32_t client, int32_t number, vec3_t origin,
                const char *text);

/// Adds a log line.
void Events_Log(events_t *events, log_level_t level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
