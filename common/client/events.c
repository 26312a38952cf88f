/// client/events.c - the list of events for the caller; sounds and effects, each delivered once.

#include "client/cl_local.h"

#include <stdio.h>
#include <string.h>

#define MAX_NOISES (CL_MAX_EVENTS - 64) // sounds and effects do not displace texts

cl_event_t *Client_Event(cl_t *cl, cl_event_type_t type, int32_t number, const char *text) {
    if (cl->num_events == CL_MAX_EVENTS) {
        cl->stats.events_lost++;
        return NULL;
    }
    cl->first_event = cl->num_events > 0 ? cl->first_event : 0; // few pages become resident
    cl_event_t *event = &cl->events[(cl->first_event + cl->num_events++) % CL_MAX_EVENTS];
    *event = (cl_event_t){.type = type, .number = number, .tick = CL_ServerTick(cl)};
    snprintf(event->text, sizeof event->text, "%s", text);
    return event;
}

bool CL_NextEvent(cl_t *cl, cl_event_t *event) {
    if (cl->num_events == 0) {
        return false;
    }
    *event = cl->events[cl->first_event];
    if (event->type == CL_EVENT_SOUND || event->type == CL_EVENT_EFFECT) {
        snprintf(event->text, sizeof event->text, "%s",
                 event->type == CL_EVENT_SOUND ? CL_SoundName(cl, event->number)
                                               : CL_EffectName(cl, event->number));
    }
    cl->first_event = (cl->first_event + 1) % CL_MAX_EVENTS;
    cl->num_events--;
    return true;
}

// Writes where the event happens: its own origin, or that of its entity in the newest snapshot.
static bool find_origin(const cl_t *cl, const game_event_t *event, vec3_t *origin) {
    const snapshot_t *now = Client_Newest(cl);
    *origin = event->origin;
    if (event->has_origin || !now || event->entity == 0) {
        return event->has_origin;
    }
    if (event->entity == cl->slot + 1) {
        *origin = now->player.origin;
        return true;
    }
    entity_state_t state;
    if (!CL_Entity(cl, event->entity, &state)) {
        return false;
    }
    const float scale = 1.0f / ENTITY_ORIGIN_SCALE;
    // A brush model's origin may be outside the model.
    const float to_middle = state.type == ENTITY_BRUSH ? 0.5f * scale : 0.0f;
    const int32_t *mins = state.mins;
    const int32_t *maxs = state.maxs;
    *origin = Vector(scale * (float)state.origin[0] + to_middle * (float)(mins[0] + maxs[0]),
                     scale * (float)state.origin[1] + to_middle * (float)(mins[1] + maxs[1]),
                     scale * (float)state.origin[2] + to_middle * (float)(mins[2] + maxs[2]));
    return true;
}

void Client_GameEvent(cl_t *cl, const game_event_t *event, int64_t tick) {
    cl_event_type_t type = event->kind == GAME_SOUND ? CL_EVENT_SOUND : CL_EVENT_EFFECT;
    if (cl->num_events >= MAX_NOISES) {
        cl->stats.events_lost++;
        return;
    }
    cl_event_t *to = Client_Event(cl, type, event->number, "");
    to->tick = tick;
    to->entity = event->entity;
    to->has_origin = find_origin(cl, event, &to->origin);
    to->range = event->range;
    to->volume = event->volume;
    to->num_args = event->num_args;
    memcpy(to->args, event->args, sizeof to->args);
}

void Client_SnapshotEvents(cl_t *cl, const snapshot_events_t *events) {
    for (int32_t i = 0; i < events->count; i++) {
        if (EventWindow_Accept(&cl->received_events, events->list[i].seq)) {
            Client_GameEvent(cl, &events->list[i].event, events->list[i].tick);
        }
    }
}
