// bench_monsters.c - measures monsters: 1,000 that walk or fly towards their goals, 1,000 that fall
// and slide, and 1,000 that sleep among 60,000 items at rest.
//
// A walking monster thinks every 100 ms, as in well-known engines: SV_MoveToGoal by 10 qu. The tick
// hash is part of the tick.

#include "lib/sim_fixture.h"
#include "world/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NUM_MONSTERS 1000
#define NUM_ITEMS    60000
#define NUM_GOALS    16
#define NUM_TICKS    1000
#define ROOM         4096.0f
#define THINK_MS     100

typedef struct {
    double ticks[NUM_TICKS]; ///< us
} ticks_t;

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

// Follows the goal in `owner`; near it, chooses another goal.
static void chase_think(sv_context_t *sv, edict_t *self) {
    SV_SetNextThink(sv, self, SV_Time(sv) + THINK_MS);
    const edict_t *goal = World_Deref(sv->world, self->owner);
    vec3_t way = VectorSubtract(goal->origin, self->origin);
    if (fabsf(way.x) < 100.0f && fabsf(way.y) < 100.0f) {
        int32_t number = 2 + (int32_t)Rng_Below(&sv->world->rng, NUM_GOALS);
        self->owner = World_Ref(sv->world, World_Edict(sv->world, number));
        goal = World_Edict(sv->world, number);
    }
    SV_MoveToGoal(sv, self, goal, 10.0f, NULL);
}

// Throws the monster up again and again: gravity, sliding and landing in nearly every tick.
static void jump_think(sv_context_t *sv, edict_t *self) {
    SV_SetNextThink(sv, self, SV_Time(sv) + 10 * THINK_MS);
    SV_SetGround(sv, self, NULL);
    self->velocity.x = Rng_Range(&sv->world->rng, -300.0f, 300.0f);
    self->velocity.y = Rng_Range(&sv->world->rng, -300.0f, 300.0f);
    self->velocity.z = 400.0f;
}

static const callback_t functions[] = {
    {.name = "chase", .think = chase_think},
    {.name = "jump", .think = jump_think},
};

static vec3_t random_place(test_sim_t *sim, float z) {
    const float reach = ROOM / 2.0f - 64.0f;
    float x = Rng_Range(&sim->world->rng, -reach, reach);
    float y = Rng_Range(&sim->world->rng, -reach, reach);
    return Vector(x, y, z);
}

// Makes a room with steps, pillars and a ramp; the goals are edicts 2 to 2 + NUM_GOALS - 1.
static void set_up(test_sim_t *sim, int32_t max_edicts) {
    test_block_t blocks[40];
    int32_t count = 0;
    for (int32_t i = 0; i < 4; i++) {
        float x = -1500.0f + 64.0f * (float)i;
        blocks[count++] = TestMap_Box((vec3_t){x, -1500.0f, 0.0f},
                                      (vec3_t){x + 64.0f, 500.0f, 16.0f * (float)(i + 1)});
    }
    blocks[count++] =
        TestMap_RampX((vec3_t){200.0f, -1800.0f, 0.0f}, (vec3_t){900.0f, -600.0f, 200.0f});
    for (int32_t i = 0; i < 25; i++) {
        float x = 700.0f * (float)(i % 5) - 1400.0f;
        float y = 700.0f * (float)(i / 5) - 1300.0f;
        blocks[count++] =
            TestMap_Box((vec3_t){x, y, 0.0f}, (vec3_t){x + 48.0f, y + 160.0f, 400.0f});
    }
    const float half = ROOM / 2.0f;
    const test_map_t map = {.room = {{-half, -half, 0.0f}, {half, half, 1024.0f}},
                            .blocks = blocks,
                            .num_blocks = count};
    TestSim_Init(sim, &map, max_edicts);
    TestSim_Bind(sim, functions, COUNTOF(functions));
    for (int32_t i = 0; i < NUM_GOALS; i++) {
        TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_NOT, random_place(sim, 100.0f), 16.0f);
    }
}

static void add_monsters(test_sim_t *sim, uint32_t flags, const char *think) {
    for (int32_t i = 0; i < NUM_MONSTERS; i++) {
        vec3_t at = {(float)(i % 32) * 120.0f - 1860.0f, (float)(i / 32) * 120.0f - 1860.0f,
                     500.0f};
        edict_t *edict = TestSim_Spawn(sim, MOVETYPE_STEP, SOLID_SLIDEBOX, at, 0.0f);
        edict->mins = Vector(-16.0f, -16.0f, -24.0f);
        edict->maxs = Vector(16.0f, 16.0f, 32.0f);
        edict->flags |= FL_MONSTER | flags;
        edict->yaw_speed = 45.0f;
        edict->owner = World_Ref(sim->world, World_Edict(sim->world, 2 + i % NUM_GOALS));
        if (think) {
            edict->think = Callbacks_Find(sim->world, think);
            SV_SetNextThink(&sim->sv, edict, 2000 + 10 * THINK_MS * i / NUM_MONSTERS);
        }
        SV_LinkEdict(&sim->sv, edict, false);
    }
    for (int32_t i = 0; i < 200; i++) {
        TestSim_Tick(sim);
    }
}

static void measure(test_sim_t *sim, ticks_t *ticks) {
    for (int32_t i = 0; i < NUM_TICKS; i++) {
        double start = now_us();
        TestSim_Tick(sim);
        ticks->ticks[i] = now_us() - start;
    }
    qsort(ticks->ticks, NUM_TICKS, sizeof(double), compare_double);
}

static void bench_busy(const char *name, uint32_t flags, const char *think) {
    static ticks_t ticks;
    static vec3_t from[NUM_MONSTERS];
    test_sim_t sim;
    set_up(&sim, NUM_MONSTERS + 64);
    add_monsters(&sim, flags, think);
    for (int32_t i = 0; i < NUM_MONSTERS; i++) {
        from[i] = World_Edict(sim.world, 2 + NUM_GOALS + i)->origin;
    }
    measure(&sim, &ticks);
    int32_t moved = 0;
    for (int32_t i = 0; i < NUM_MONSTERS; i++) {
        vec3_t way = VectorSubtract(World_Edict(sim.world, 2 + NUM_GOALS + i)->origin, from[i]);
        moved += VectorLength(way) > 64.0f;
    }
    double sum = 0.0;
    for (int32_t i = 0; i < NUM_TICKS; i++) {
        sum += ticks.ticks[i];
    }
    printf("monsters,%s_tick_median,%.1f,us,,\n", name, ticks.ticks[NUM_TICKS / 2]);
    printf("monsters,%s_tick_p99,%.1f,us,,\n", name, ticks.ticks[NUM_TICKS * 99 / 100]);
    printf("monsters,%s_per_monster_and_tick,%.0f,ns,,\n", name,
           1000.0 * sum / NUM_TICKS / NUM_MONSTERS);
    printf("monsters,%s_got_about,%d,monsters,of,%d\n", name, moved, NUM_MONSTERS);
    TestSim_Free(&sim);
}

// Measures the tick of an empty world, and of the same world with monsters and items at rest.
static void bench_asleep(void) {
    static ticks_t ticks;
    double median[2];
    for (int32_t with = 0; with < 2; with++) {
        test_sim_t sim;
        set_up(&sim, NUM_MONSTERS + NUM_ITEMS + 64);
        for (int32_t i = 0; i < (with ? NUM_ITEMS : 0); i++) {
            edict_t *edict =
                TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_TRIGGER, random_place(&sim, 450.0f), 4.0f);
            SV_LinkEdict(&sim.sv, edict, false);
        }
        if (with) {
            add_monsters(&sim, 0, NULL);
        }
        for (int32_t i = 0; i < 100; i++) {
            TestSim_Tick(&sim);
        }
        measure(&sim, &ticks);
        median[with] = ticks.ticks[NUM_TICKS / 2];
        if (with) {
            int32_t awake = 0;
            for (int32_t i = -1; (i = World_NextActive(sim.world, i)) >= 0;) {
                awake++;
            }
            printf("monsters,asleep_awake,%d,edicts,of,%d\n", awake, NUM_MONSTERS + NUM_ITEMS);
        }
        TestSim_Free(&sim);
    }
    printf("monsters,asleep_adds_median,%.2f,us,empty,%.2f\n", median[1] - median[0], median[0]);
}

int main(void) {
    bench_busy("walking_1000", 0, "chase");
    bench_busy("flying_1000", FL_FLY, "chase");
    bench_busy("jumping_1000", 0, "jump");
    bench_asleep();
    return 0;
}
