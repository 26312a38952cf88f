/// events_fixture.h - counts the sounds and effects of a tick.

#ifndef EDICTD_TESTS_EVENTS_FIXTURE_H
#define EDICTD_TESTS_EVENTS_FIXTURE_H

#include "world/events.h"
#include "world/world.h"

#include <string.h>

static inline const char *TestEvents_Name(const world_t *world, const game_event_t *event) {
    names_table_t table = event->kind == GAME_SOUND ? NAMES_SOUNDS : NAMES_EFFECTS;
    return World_Text(world, world->name_ids[table][event->number]);
}

/// Returns how many events of a kind and name are in the list; "" counts all names.
static inline int32_t TestEvents_Count(const world_t *world, const events_t *events,
                                       game_event_kind_t kind, const char *name) {
    int32_t count = 0;
    for (int32_t i = 0; i < events->num_emissions; i++) {
        const game_event_t *event = &events->emissions[i].what.event;
        bool fits = name[0] == '\0' || strcmp(TestEvents_Name(world, event), name) == 0;
        count += event->kind == (int32_t)kind && fits ? 1 : 0;
    }
    return count;
}

static inline int32_t TestEvents_Effects(const world_t *world, const events_t *events,
                                         const char *name) {
    return TestEvents_Count(world, events, GAME_EFFECT, name);
}

#endif
