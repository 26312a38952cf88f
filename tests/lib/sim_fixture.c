#include "lib/sim_fixture.h"

#include "world/block.h"
#include "world/events.h"
#include "world/history.h"
#include "world/tick_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test sim: %s\n", what);
        abort();
    }
}

void TestSim_Init(test_sim_t *sim, const test_map_t *map, int32_t max_edicts) {
    memset(sim, 0, sizeof *sim);
    must(TestMap_Build(&sim->map, map), "the map does not build");
    const world_params_t params = {.max_edicts = max_edicts,
                                   .max_clients = 1,
                                   .seed = 1,
                                   .map_hash = sim->map.hash,
                                   .bounds = sim->map.models[0].bounds};
    sim->world = World_Init(malloc(World_Bytes(&params)), &params);
    sim->events = calloc(1, sizeof *sim->events);
    sim->sv = (sv_context_t){.world = sim->world,
                             .map = &sim->map,
                             .callbacks = &sim->callbacks,
                             .events = sim->events,
                             .tick_seconds = World_TickSeconds(sim->world)};
    TestSim_Bind(sim, NULL, 0);
}

void TestSim_InitRoom(test_sim_t *sim, int32_t max_edicts) {
    const test_map_t room = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}}};
    TestSim_Init(sim, &room, max_edicts);
}

void TestSim_Bind(test_sim_t *sim, const callback_t *table, int32_t count) {
    err_t err = {{0}};
    must(Callbacks_Bind(sim->world, table, count, &sim->callbacks, &err), err.text);
}

edict_t *TestSim_Spawn(test_sim_t *sim, movetype_t movetype, solid_t solid, vec3_t origin,
                       float half) {
    edict_t *edict = SV_SpawnEdict(&sim->sv);
    must(edict != NULL, "no free edict");
    edict->movetype = (int32_t)movetype;
    edict->solid = (int32_t)solid;
    edict->origin = origin;
    edict->mins = Vector(-half, -half, -half);
    edict->maxs = Vector(half, half, half);
    return edict;
}

uint64_t TestSim_Tick(test_sim_t *sim) {
    world_t *world = sim->world;
    Events_Clear(sim->events);
    world->time_ms += World_TickMs(world);
    SV_Pushers(&sim->sv);
    SV_Physics(&sim->sv);
    SV_Followers(&sim->sv);
    SV_RefuseSpeeds(&sim->sv);
    SV_FreeRemoved(&sim->sv);
    SV_RecordHistory(&sim->sv);
    world->tick_hash = World_TickHash(world);
    world->tick++;
    return world->tick_hash;
}

int32_t TestSim_CountEvents(const test_sim_t *sim, event_type_t type, const char *text) {
    int32_t count = 0;
    for (int32_t i = 0; i < sim->events->count; i++) {
        const event_t *event = &sim->events->list[i];
        count += event->type == type && strncmp(event->text, text, strlen(text)) == 0 ? 1 : 0;
    }
    return count;
}

world_t *TestSim_Copy(const test_sim_t *sim) {
    world_t *copy = malloc(sim->world->bytes);
    must(copy != NULL, "no memory");
    memcpy(copy, sim->world, sim->world->bytes);
    return copy;
}

void TestSim_Free(test_sim_t *sim) {
    CM_FreeMap(&sim->map);
    free(sim->world);
    free(sim->events);
}
