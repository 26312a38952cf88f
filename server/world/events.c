#include "world/events.h"

#include "world/client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Returns a new event, or NULL if the list is full. A map change replaces the last event of a full
// list.
static event_t *add(events_t *events, event_type_t type) {
    if (!events) {
        return NULL;
    }
    if (events->count == MAX_EVENTS) {
        events->dropped++;
        return type == EVENT_CHANGEMAP ? &events->list[MAX_EVENTS - 1] : NULL;
    }
    return &events->list[events->count++];
}

void Events_Add(events_t *events, event_type_t type, int32_t client, int32_t number, vec3_t origin,
                const char *text) {
    event_t *event = add(events, type);
    if (event) {
        event->type = type;
        event->client = client;
        event->number = number;
        event->level = LOG_INFO;
        event->origin = origin;
        strlcpy(event->text, text, sizeof event->text);
    }
}

void Events_Log(events_t *events, log_level_t level, const char *format, ...) {
    event_t *event = add(events, EVENT_LOG);
    if (event) {
        event->type = EVENT_LOG;
        event->client = EVENT_TO_ALL;
        event->number = 0;
        event->level = level;
        event->origin = (vec3_t){0.0f, 0.0f, 0.0f};
        va_list args;
        va_start(args, format);
        vsnprintf(event->text, sizeof event->text, format, args);
        va_end(args);
    }
}
