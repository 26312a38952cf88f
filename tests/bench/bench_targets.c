// bench_targets.c - measures how long it takes to find an edict by name, as every fired target
// needs: the last edict, a name without an edict, and a name that 100 edicts share.

#include "core/core_local.h"
#include "lib/sim_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS    200
#define NUM_NAMES 500

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void set_up(test_sim_t *sim, int32_t edicts) {
    const test_map_t map = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    char name[32];
    TestSim_Init(sim, &map, edicts + 64);
    for (int32_t i = 0; i < edicts; i++) {
        edict_t *edict =
            TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_NOT, (vec3_t){0.0f, 0.0f, 64.0f}, 4.0f);
        snprintf(name, sizeof name, "door%d", (int)(i % NUM_NAMES));
        edict->targetname = World_String(sim->world, i % (edicts / 100) == 0 ? "many" : name);
        edict->classname = World_String(sim->world, "func_door");
    }
    edict_t *last = World_Edict(sim->world, sim->world->num_edicts - 1);
    last->targetname = World_String(sim->world, "last");
}

// Returns the us to find all edicts with a name, from the first to the end.
static double find_all(test_sim_t *sim, const char *name, int32_t *found) {
    double start = now_us();
    for (int32_t round = 0; round < ROUNDS; round++) {
        const edict_t *edict = NULL;
        *found = 0;
        while ((edict = sv_game_import.find_target(&sim->sv, edict, name)) != NULL) {
            (*found)++;
        }
    }
    return (now_us() - start) / ROUNDS;
}

int main(void) {
    static const int32_t sizes[] = {600, 4096, 60000};
    static const char *const names[] = {"last", "nobody", "many"};
    for (size_t i = 0; i < COUNTOF(sizes); i++) {
        test_sim_t sim;
        set_up(&sim, sizes[i]);
        for (size_t n = 0; n < COUNTOF(names); n++) {
            int32_t found = 0;
            double us = find_all(&sim, names[n], &found);
            printf("targets,%s_of_%d,%.2f,us,found,%d\n", names[n], sizes[i], us, found);
        }
        TestSim_Free(&sim);
    }
    return 0;
}
