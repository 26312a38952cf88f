/// sim_fixture.h - a world with physics only: no game, no clients, no inputs.

#ifndef EDICTD_TESTS_SIM_FIXTURE_H
#define EDICTD_TESTS_SIM_FIXTURE_H

#include "lib/map_fixture.h"
#include "physics/actions.h"
#include "physics/physics.h"
#include "world/events.h"

typedef struct {
    cmap_t map;
    world_t *world;
    callback_binding_t callbacks;
    events_t *events;
    sv_context_t sv;
} test_sim_t;

/// Builds the map and a world of `max_edicts` with one client slot. Aborts on failure.
void TestSim_Init(test_sim_t *sim, const test_map_t *map, int32_t max_edicts);

/// Builds an empty room of 2048 x 2048 x 1024 around the origin; its floor is at z = 0.
void TestSim_InitRoom(test_sim_t *sim, int32_t max_edicts);

/// Binds the test's callbacks.
void TestSim_Bind(test_sim_t *sim, const callback_t *table, int32_t count);

/// Spawns an edict with a box, not yet linked.
edict_t *TestSim_Spawn(test_sim_t *sim, movetype_t movetype, solid_t solid, vec3_t origin,
                       float half);

/// Runs one tick without clients: time, physics, removals, hash. Returns the hash. Events stay
/// until the next tick.
uint64_t TestSim_Tick(test_sim_t *sim);

/// Returns the number of events of a type whose text starts with `text`.
int32_t TestSim_CountEvents(const test_sim_t *sim, event_type_t type, const char *text);

void TestSim_Free(test_sim_t *sim);

/// Returns a copy of the world block, malloc'ed: a saved state.
world_t *TestSim_Copy(const test_sim_t *sim);

#endif
