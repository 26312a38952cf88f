// bench_physics.c - measures a tick of SV_Physics and its hash: 600 and 4,096 mixed edicts, and the
// time that 60,000 edicts at rest add to a small world.
//
// Mixed: of 16 edicts 3 bounce, 2 are tossed, 2 fly, 1 is a missile (all thrown again by a think
// every half second), 2 think every 100 ms, 2 are triggers and 4 are at rest.

#include "base/rng.h"
#include "lib/sim_fixture.h"
#include "world/block.h"
#include "world/events.h"
#include "world/tick_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_TICKS   2000
#define ROOM        4096.0f
#define THROW_MS    500
#define THINK_MS    100
#define NUM_RESTING 60000

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare_double(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// ---- the game of the benchmark ----

static float random_in(sv_context_t *sv, float lo, float hi) {
    return Rng_Range(&sv->world->rng, lo, hi);
}

static void throw_think(sv_context_t *sv, edict_t *self) {
    SV_SetGround(sv, self, NULL);
    self->velocity.x = random_in(sv, -600.0f, 600.0f);
    self->velocity.y = random_in(sv, -600.0f, 600.0f);
    self->velocity.z = random_in(sv, -100.0f, 400.0f);
    SV_SetNextThink(sv, self, SV_Time(sv) + THROW_MS);
}

static void idle_think(sv_context_t *sv, edict_t *self) {
    self->effects++;
    SV_SetNextThink(sv, self, SV_Time(sv) + THINK_MS);
}

static void note_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv;
    (void)other;
    (void)trace;
    self->effects++;
}

static const callback_t functions[] = {
    {.name = "throw", .think = throw_think},
    {.name = "idle", .think = idle_think},
    {.name = "note", .touch = note_touch},
};

static void set_up(test_sim_t *sim, int32_t max_edicts) {
    const test_block_t blocks[] = {
        TestMap_RampX((vec3_t){-800.0f, -800.0f, 0.0f}, (vec3_t){-200.0f, 800.0f, 200.0f}),
        TestMap_Box((vec3_t){400.0f, -900.0f, 0.0f}, (vec3_t){464.0f, 900.0f, 256.0f}),
        {.box = {{800.0f, -900.0f, 0.0f}, {1500.0f, 900.0f, 96.0f}}, .contents = CONTENTS_WATER},
    };
    const float half = ROOM / 2.0f;
    const test_map_t map = {.room = {{-half, -half, 0.0f}, {half, half, 1024.0f}},
                            .blocks = blocks,
                            .num_blocks = COUNTOF(blocks)};
    TestSim_Init(sim, &map, max_edicts);
    TestSim_Bind(sim, functions, COUNTOF(functions));
}

static void add_mixed(test_sim_t *sim, int32_t which) {
    static const movetype_t movetypes[16] = {
        MOVETYPE_BOUNCE, MOVETYPE_BOUNCE, MOVETYPE_BOUNCE, MOVETYPE_TOSS,
        MOVETYPE_TOSS,   MOVETYPE_FLY,    MOVETYPE_FLY,    MOVETYPE_FLYMISSILE,
        MOVETYPE_NONE,   MOVETYPE_NONE,   MOVETYPE_NONE,   MOVETYPE_NONE,
        MOVETYPE_TOSS,   MOVETYPE_TOSS,   MOVETYPE_TOSS,   MOVETYPE_TOSS};
    sv_context_t *sv = &sim->sv;
    const float reach = ROOM / 2.0f - 64.0f;
    vec3_t at = {0.0f, 0.0f, 0.0f};
    at.x = random_in(sv, -reach, reach);
    at.y = random_in(sv, -reach, reach);
    at.z = random_in(sv, 300.0f, 900.0f);
    int32_t row = which % 16;
    solid_t solid = row >= 10 ? SOLID_TRIGGER : row >= 8 ? SOLID_NOT : SOLID_BBOX;
    edict_t *edict = TestSim_Spawn(sim, movetypes[row], solid, at, row >= 8 ? 16.0f : 4.0f);
    bool throws = row < 8;
    if (throws || row < 10) {
        edict->think = Callbacks_Find(sim->world, throws ? "throw" : "idle");
        SV_SetNextThink(sv, edict, 1 + (int64_t)Rng_Below(&sim->world->rng, THROW_MS));
    }
    edict->touch = Callbacks_Find(sim->world, "note");
    SV_LinkEdict(sv, edict, false);
}

// ---- measuring ----

typedef struct {
    double physics[MAX_TICKS], hash[MAX_TICKS], both[MAX_TICKS];
    int32_t count;
} ticks_t;

static void run(test_sim_t *sim, int32_t num_ticks, ticks_t *ticks) {
    world_t *world = sim->world;
    for (int32_t i = 0; i < num_ticks; i++) {
        Events_Clear(sim->events);
        world->time_ms += World_TickMs(world);
        double start = now_us();
        SV_Physics(&sim->sv);
        SV_FreeRemoved(&sim->sv);
        double middle = now_us();
        world->tick_hash = World_TickHash(world);
        double end = now_us();
        world->tick++;
        ticks->physics[i] = middle - start;
        ticks->hash[i] = end - middle;
        ticks->both[i] = end - start;
    }
    ticks->count = num_ticks;
    qsort(ticks->physics, (size_t)num_ticks, sizeof(double), compare_double);
    qsort(ticks->hash, (size_t)num_ticks, sizeof(double), compare_double);
    qsort(ticks->both, (size_t)num_ticks, sizeof(double), compare_double);
}

static void bench_mixed(int32_t count) {
    static ticks_t ticks;
    test_sim_t sim;
    set_up(&sim, count + 8);
    for (int32_t i = 0; i < count; i++) {
        add_mixed(&sim, i);
    }
    run(&sim, 200, &ticks); // until the resting edicts rest
    run(&sim, 1000, &ticks);
    printf("physics,mixed_%d_tick_median,%.1f,us,,\n", count, ticks.physics[500]);
    printf("physics,mixed_%d_tick_p99,%.1f,us,,\n", count, ticks.physics[990]);
    printf("physics,mixed_%d_hash_median,%.1f,us,,\n", count, ticks.hash[500]);
    int32_t awake = 0;
    for (int32_t i = -1; (i = World_NextActive(sim.world, i)) >= 0;) {
        awake++;
    }
    printf("physics,mixed_%d_awake,%d,edicts,,\n", count, awake);
    TestSim_Free(&sim);
}

static void add_resting(test_sim_t *sim, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        vec3_t at = {(float)(i % 245) * 16.0f - 1960.0f, (float)(i / 245) * 16.0f - 1960.0f, 9.0f};
        edict_t *edict = TestSim_Spawn(sim, MOVETYPE_TOSS, SOLID_TRIGGER, at, 4.0f);
        SV_LinkEdict(&sim->sv, edict, false);
    }
    for (int32_t i = 0; i < 200; i++) {
        TestSim_Tick(sim);
    }
}

// Measures 32 pushers with and without the crowd.
static void bench_resting(void) {
    static ticks_t ticks;
    double median[2];
    double lowest[2];
    for (int32_t with = 0; with < 2; with++) {
        test_sim_t sim;
        set_up(&sim, NUM_RESTING + 1000);
        for (int32_t i = 0; i < 32; i++) {
            add_mixed(&sim, i % 8);
        }
        for (int32_t i = 2; i < sim.world->num_edicts; i++) {
            World_Edict(sim.world, i)->solid = SOLID_NOT; // they touch none of the crowd
            SV_LinkEdict(&sim.sv, World_Edict(sim.world, i), false);
        }
        add_resting(&sim, with ? NUM_RESTING : 0);
        run(&sim, MAX_TICKS, &ticks);
        median[with] = ticks.both[MAX_TICKS / 2];
        lowest[with] = ticks.both[0];
        TestSim_Free(&sim);
    }
    printf("physics,resting_60000_adds_median,%.1f,us,alone,%.1f\n", median[1] - median[0],
           median[0]);
    printf("physics,resting_60000_adds_lowest,%.1f,us,alone,%.1f\n", lowest[1] - lowest[0],
           lowest[0]);
}

int main(void) {
    bench_mixed(600);
    bench_mixed(4096);
    bench_resting();
    return 0;
}
