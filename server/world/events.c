#include "world/events.h"

#include "state/entity_type.h"
#include "world/client.h"
#include "world/names.h"

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

bool Events_Add(events_t *events, event_type_t type, int32_t client, int32_t number, vec3_t origin,
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
    return event != NULL;
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

vec3_t SV_PlaceOf(const edict_t *edict) {
    return edict->type == ENTITY_BRUSH ? VectorScale(VectorAdd(edict->absmin, edict->absmax), 0.5f)
                                       : edict->origin;
}

void SV_Emit(sv_context_t *sv, const game_event_t *event, const client_mask_t *clients,
             bool is_reliable) {
    events_t *events = sv->events;
    if (!events || event->number < 1 || event->number >= NAMES_MAX ||
        (event->kind != GAME_SOUND && event->kind != GAME_EFFECT)) {
        return;
    }
    if (events->num_emissions == MAX_GAME_EVENTS) {
        events->emissions_dropped++;
        return;
    }
    emission_t *emission = &events->emissions[events->num_emissions++];
    emitted_t *what = &emission->what;
    *what = (emitted_t){.event = *event, .place = event->origin};
    if (event->entity <= 0 || event->entity >= sv->world->num_edicts) {
        what->event.entity = 0;
        what->event.range = event->has_origin ? event->range : 0;
    } else {
        const edict_t *edict = World_Edict(sv->world, event->entity);
        what->generation = edict->generation;
        what->place = event->has_origin ? event->origin : SV_PlaceOf(edict);
    }
    emission->is_reliable = is_reliable || (what->event.range <= 0 && !clients);
    if (clients) {
        emission->clients = *clients;
    } else {
        memset(&emission->clients, 0xff, sizeof emission->clients);
    }
}

game_event_t SV_EffectOf(const sv_context_t *sv, const edict_t *edict, vec3_t origin,
                         int32_t number) {
    return (game_event_t){.kind = GAME_EFFECT,
                          .number = number,
                          .entity = World_EdictNumber(sv->world, edict),
                          .has_origin = true,
                          .origin = origin,
                          .range = GAME_EFFECT_RANGE,
                          .volume = 1.0f};
}

void SV_EngineEffect(sv_context_t *sv, const edict_t *edict, const char *name) {
    const game_event_t event =
        SV_EffectOf(sv, edict, edict->origin, Names_Index(sv, NAMES_EFFECTS, name));
    SV_Emit(sv, &event, NULL, false);
}
