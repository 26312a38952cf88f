// bench_pushers.c - measures pushers: one with 0 to 300 riders, many at rest, large sets joined and
// removed, and a tick of 600 and 4,096 edicts of mixed movetypes (tests/bench/mixed.scene).

#include "base/rng.h"
#include "lib/sim_fixture.h"
#include "move/pusher.h"
#include "world/block.h"
#include "world/events.h"
#include "world/tick_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SCENE     "tests/bench/mixed.scene"
#define HALF_ROOM 3072.0f
#define TICKS     1000
#define THROW_MS  500
#define THINK_MS  100
#define MAX_KINDS 32

enum { PLATFORM = 1, BIG = 2 };

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
    self->velocity = Vector(random_in(sv, -600.0f, 600.0f), random_in(sv, -600.0f, 600.0f),
                            random_in(sv, -100.0f, 400.0f));
    SV_SetNextThink(sv, self, SV_Time(sv) + THROW_MS);
}

static void idle_think(sv_context_t *sv, edict_t *self) {
    self->effects++;
    SV_SetNextThink(sv, self, SV_Time(sv) + THINK_MS);
}

static void walk_think(sv_context_t *sv, edict_t *self) {
    SV_MoveToGoal(sv, self, World_Edict(sv->world, EDICT_WORLD), 8.0f, NULL);
    SV_SetNextThink(sv, self, SV_Time(sv) + THINK_MS);
}

// Sends the pusher back along its last path.
static void shuttle_think(sv_context_t *sv, edict_t *self) {
    motion_t motion = self->motion;
    motion.base = SV_PusherPose(sv, self);
    motion.delta = VectorNegate(motion.delta);
    motion.bend = VectorNegate(motion.bend);
    SV_PusherStart(sv, self, &motion);
    SV_SetNextThink(sv, self, SV_PusherTime(sv, self) + motion.duration_ms);
}

static void note_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv;
    (void)other;
    (void)trace;
    self->effects++;
}

static void count_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    (void)sv;
    (void)obstacle;
    self->effects++;
}

static const callback_t functions[] = {
    {.name = "throw", .think = throw_think}, {.name = "idle", .think = idle_think},
    {.name = "walk", .think = walk_think},   {.name = "shuttle", .think = shuttle_think},
    {.name = "note", .touch = note_touch},   {.name = "count", .blocked = count_blocked},
};

static void set_up(test_sim_t *sim, int32_t max_edicts) {
    const test_block_t blocks[] = {
        TestMap_RampX((vec3_t){-800.0f, -800.0f, 0.0f}, (vec3_t){-200.0f, 800.0f, 200.0f}),
        TestMap_Box((vec3_t){400.0f, -900.0f, 0.0f}, (vec3_t){464.0f, 900.0f, 256.0f}),
        {.box = {{-64, -64, -16}, {64, 64, 0}}, .contents = CONTENTS_SOLID, .model = PLATFORM},
        {.box = {{-256, -256, -16}, {256, 256, 0}}, .contents = CONTENTS_SOLID, .model = BIG},
    };
    const test_map_t map = {
        .room = {{-HALF_ROOM, -HALF_ROOM, 0.0f}, {HALF_ROOM, HALF_ROOM, 1024.0f}},
        .blocks = blocks,
        .num_blocks = COUNTOF(blocks),
        .brush_list = true};
    TestSim_Init(sim, &map, max_edicts);
    TestSim_Bind(sim, functions, COUNTOF(functions));
}

static edict_t *add_pusher(test_sim_t *sim, int32_t model, vec3_t at) {
    edict_t *edict = TestSim_Spawn(sim, MOVETYPE_PUSH, SOLID_BSP, at, 0.0f);
    edict->model = model;
    edict->mins = sim->map.models[model].bounds.mins;
    edict->maxs = sim->map.models[model].bounds.maxs;
    edict->blocked = Callbacks_Find(sim->world, "count");
    SV_LinkEdict(&sim->sv, edict, false);
    return edict;
}

static void start(test_sim_t *sim, edict_t *pusher, motion_kind_t kind, int32_t ms, vec3_t delta,
                  vec3_t turn) {
    motion_t motion = {.kind = (int32_t)kind,
                       .duration_ms = ms,
                       .base = {pusher->origin, pusher->angles},
                       .delta = delta,
                       .delta_angles = turn};
    SV_PusherStart(&sim->sv, pusher, &motion);
}

// ---- measuring ----

typedef struct {
    double pushers[TICKS], all[TICKS];
} times_t;

static void run(test_sim_t *sim, times_t *times) {
    world_t *world = sim->world;
    for (int32_t i = 0; i < TICKS; i++) {
        Events_Clear(sim->events);
        world->time_ms += World_TickMs(world);
        double begin = now_us();
        SV_Pushers(&sim->sv);
        double moved = now_us();
        SV_Physics(&sim->sv);
        SV_Followers(&sim->sv);
        SV_FreeRemoved(&sim->sv);
        world->tick_hash = World_TickHash(world);
        double end = now_us();
        world->tick++;
        times->pushers[i] = moved - begin;
        times->all[i] = end - begin;
    }
    qsort(times->pushers, TICKS, sizeof(double), compare_double);
    qsort(times->all, TICKS, sizeof(double), compare_double);
}

static times_t times;

// Measures riders that lie 12 apart and sleep. The pusher goes up and down, or turns.
static void bench_riders(int32_t count, bool turns) {
    test_sim_t sim;
    set_up(&sim, 1024);
    edict_t *lift = add_pusher(&sim, BIG, Vector(1200.0f, 0.0f, 100.0f));
    for (int32_t i = 0; i < count; i++) {
        vec3_t at = {1200.0f - 200.0f + 22.0f * (float)(i % 18), -190.0f + 22.0f * (float)(i / 18),
                     106.0f};
        edict_t *rider = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX, at, 5.0f);
        SV_LinkEdict(&sim.sv, rider, false);
    }
    for (int32_t i = 0; i < 50; i++) {
        TestSim_Tick(&sim);
    }
    start(&sim, lift, turns ? MOTION_SPIN : MOTION_SWING, 4000,
          Vector(0.0f, 0.0f, turns ? 0.0f : 80.0f), Vector(0.0f, turns ? 90.0f : 0.0f, 0.0f));
    run(&sim, &times);
    printf("pushers,%s_%d_riders_tick_median,%.2f,us,,\n", turns ? "turning" : "lift", count,
           times.pushers[TICKS / 2]);
    if (lift->effects > 0) {
        printf("pushers,%s_%d_riders_blocked,%d,ticks,,\n", turns ? "turning" : "lift", count,
               lift->effects);
    }
    TestSim_Free(&sim);
}

static void bench_resting(void) {
    test_sim_t sim;
    set_up(&sim, 5000);
    for (int32_t i = 0; i < 4000; i++) {
        add_pusher(
            &sim, PLATFORM,
            Vector((float)(i % 64) * 90.0f - 2900.0f, (float)(i / 64) * 90.0f - 2900.0f, 500.0f));
    }
    for (int32_t i = 0; i < 5; i++) {
        TestSim_Tick(&sim);
    }
    run(&sim, &times);
    printf("pushers,resting_4000_pushers_median,%.2f,us,,\n", times.pushers[TICKS / 2]);
    TestSim_Free(&sim);
}

// ---- sets ----

typedef enum { STAR, NESTED, NESTED_UPWARDS, TEAM } set_kind_t;

static void join_many(test_sim_t *sim, set_kind_t kind, edict_t **list, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        switch (kind) {
        case STAR:
            SV_PusherGlue(&sim->sv, list[i], list[0]);
            break;
        case NESTED:
            SV_PusherGlue(&sim->sv, list[i], list[i - 1]);
            break;
        case NESTED_UPWARDS:
            SV_PusherGlue(&sim->sv, list[count - i], list[count - i - 1]);
            break;
        case TEAM:
            SV_PusherTeam(&sim->sv, list[i], list[0]);
            break;
        }
    }
}

// Joins edicts to a set and removes them one by one, in the order of joining or in the opposite
// order.
static void bench_set(const char *name, set_kind_t kind, int32_t count, bool is_first_last) {
    test_sim_t sim;
    TestSim_InitRoom(&sim, count + 8);
    edict_t **list = calloc((size_t)count, sizeof(edict_t *));
    for (int32_t i = 0; list && i < count; i++) {
        list[i] = TestSim_Spawn(&sim, MOVETYPE_PUSH, SOLID_NOT, Vector(0.0f, 0.0f, 100.0f), 8.0f);
    }
    double begin = now_us();
    join_many(&sim, kind, list, count);
    double joined = now_us();
    for (int32_t i = 0; i < count; i++) {
        SV_RemoveEdict(&sim.sv, list[is_first_last ? count - 1 - i : i]);
    }
    double end = now_us();
    printf("pushers,%s_of_%d_joined,%.0f,us,,\n", name, count, joined - begin);
    printf("pushers,%s_of_%d_removed_%s,%.0f,us,,\n", name, count,
           is_first_last ? "last_first" : "in_order", end - joined);
    free(list);
    TestSim_Free(&sim);
}

static void bench_sets(void) {
    static const int32_t counts[] = {1000, 4000, 16000};
    for (size_t i = 0; i < COUNTOF(counts); i++) {
        bench_set("star", STAR, counts[i], false);
        bench_set("star", STAR, counts[i], true);
        bench_set("nested", NESTED, counts[i], false);
        bench_set("nested", NESTED, counts[i], true);
        bench_set("nested_upwards", NESTED_UPWARDS, counts[i], false);
        bench_set("team", TEAM, counts[i], false);
        bench_set("team", TEAM, counts[i], true);
    }
}

// ---- the mixed scene ----

typedef struct {
    char name[MAX_KINDS][32];
    int32_t share[MAX_KINDS];
    int32_t count, sum;
} scene_t;

static bool read_scene(scene_t *scene) {
    char line[256];
    FILE *file = fopen(SCENE, "r");
    memset(scene, 0, sizeof *scene);
    while (file && fgets(line, sizeof line, file) && scene->count < MAX_KINDS) {
        if (line[0] != '#' &&
            sscanf(line, "%31s %d", scene->name[scene->count], &scene->share[scene->count]) == 2) {
            scene->sum += scene->share[scene->count++];
        }
    }
    if (file) {
        fclose(file);
    }
    return scene->sum > 0;
}

static vec3_t somewhere(test_sim_t *sim, float lo, float hi) {
    const float reach = HALF_ROOM - 100.0f;
    float x = random_in(&sim->sv, -reach, reach);
    float y = random_in(&sim->sv, -reach, reach);
    return Vector(x, y, random_in(&sim->sv, lo, hi));
}

static void think_soon(test_sim_t *sim, edict_t *edict, const char *name) {
    edict->think = Callbacks_Find(sim->world, name);
    SV_SetNextThink(&sim->sv, edict, 1 + (int64_t)Rng_Below(&sim->world->rng, THROW_MS));
}

static bool add_one_pusher(test_sim_t *sim, const char *kind) {
    bool shuttles = strcmp(kind, "lift") == 0 || strcmp(kind, "train") == 0;
    if (!shuttles && strcmp(kind, "spinner") != 0 && strcmp(kind, "pendulum") != 0 &&
        strcmp(kind, "still") != 0) {
        return false;
    }
    edict_t *pusher = add_pusher(sim, PLATFORM, somewhere(sim, 300.0f, 700.0f));
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    if (shuttles) {
        bool is_train = kind[0] == 't';
        start(sim, pusher, MOTION_MOVE, 2000,
              is_train ? Vector(90.0f, 60.0f, 0.0f) : Vector(0.0f, 0.0f, 200.0f), zero);
        pusher->motion.bend.x = is_train ? 20.0f : 0.0f;
        pusher->think = Callbacks_Find(sim->world, "shuttle");
        SV_SetNextThink(&sim->sv, pusher, SV_PusherTime(&sim->sv, pusher) + 2000);
    } else if (strcmp(kind, "spinner") == 0) {
        start(sim, pusher, MOTION_SPIN, 3000, zero, Vector(0.0f, 360.0f, 0.0f));
    } else if (strcmp(kind, "pendulum") == 0) {
        start(sim, pusher, MOTION_SWING, 2000, zero, Vector(0.0f, 0.0f, 25.0f));
    }
    return true;
}

typedef struct {
    const char *kind;
    movetype_t movetype;
    solid_t solid;
    float half, low, high;
    const char *think;
} kind_t;

static const kind_t kinds[] = {
    {"walker", MOVETYPE_WALK, SOLID_SLIDEBOX, 16.0f, 300.0f, 900.0f, "throw"},
    {"monster", MOVETYPE_STEP, SOLID_SLIDEBOX, 16.0f, 17.0f, 17.0f, "walk"},
    {"bounce", MOVETYPE_BOUNCE, SOLID_BBOX, 4.0f, 300.0f, 900.0f, "throw"},
    {"toss", MOVETYPE_TOSS, SOLID_BBOX, 4.0f, 300.0f, 900.0f, "throw"},
    {"fly", MOVETYPE_FLY, SOLID_BBOX, 4.0f, 300.0f, 900.0f, "throw"},
    {"missile", MOVETYPE_FLYMISSILE, SOLID_BBOX, 2.0f, 300.0f, 900.0f, "throw"},
    {"follower", MOVETYPE_NONE, SOLID_NOT, 4.0f, 300.0f, 900.0f, NULL},
    {"none", MOVETYPE_NONE, SOLID_NOT, 16.0f, 300.0f, 900.0f, "idle"},
    {"trigger", MOVETYPE_NONE, SOLID_TRIGGER, 32.0f, 20.0f, 900.0f, NULL},
    {"rest", MOVETYPE_TOSS, SOLID_TRIGGER, 8.0f, 20.0f, 20.0f, NULL},
};

static void add_one(test_sim_t *sim, const char *name) {
    if (add_one_pusher(sim, name)) {
        return;
    }
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        const kind_t *kind = &kinds[i];
        if (strcmp(name, kind->kind) != 0) {
            continue;
        }
        edict_t *edict = TestSim_Spawn(sim, kind->movetype, kind->solid,
                                       somewhere(sim, kind->low, kind->high), kind->half);
        edict->touch = Callbacks_Find(sim->world, "note");
        edict->yaw_speed = 180.0f;
        SV_LinkEdict(&sim->sv, edict, false);
        if (kind->think) {
            think_soon(sim, edict, kind->think);
        }
        if (strcmp(name, "follower") == 0) {
            int32_t leader = World_EdictNumber(sim->world, edict) - 1;
            SV_Follow(&sim->sv, edict, World_Edict(sim->world, leader), Vector(0.0f, 0.0f, 20.0f),
                      Vector(0.0f, 0.0f, 0.0f));
        }
        return;
    }
    fprintf(stderr, "%s: no kind \"%s\"\n", SCENE, name);
    exit(1);
}

static void bench_mixed(const scene_t *scene, int32_t count) {
    test_sim_t sim;
    set_up(&sim, count + 8);
    for (int32_t i = 0; i < count; i++) {
        int32_t at = i % scene->sum;
        int32_t kind = 0;
        while (at >= scene->share[kind]) {
            at -= scene->share[kind++];
        }
        add_one(&sim, scene->name[kind]);
    }
    run(&sim, &times); // until the resting edicts rest
    run(&sim, &times);
    printf("pushers,mixed_%d_tick_median,%.1f,us,,\n", count, times.all[TICKS / 2]);
    printf("pushers,mixed_%d_tick_p99,%.1f,us,,\n", count, times.all[TICKS * 99 / 100]);
    printf("pushers,mixed_%d_pushers_median,%.1f,us,,\n", count, times.pushers[TICKS / 2]);
    printf("pushers,mixed_%d_quarantined,%d,edicts,,\n", count,
           (int)sim.world->counters.quarantined);
    TestSim_Free(&sim);
}

int main(void) {
    scene_t scene;
    if (!read_scene(&scene)) {
        fprintf(stderr, "%s: cannot be read; run me from the root of the repository\n", SCENE);
        return 1;
    }
    static const int32_t riders[] = {0, 1, 30, 300};
    for (size_t i = 0; i < COUNTOF(riders); i++) {
        bench_riders(riders[i], false);
        bench_riders(riders[i], true);
    }
    bench_resting();
    bench_sets();
    bench_mixed(&scene, 600);
    bench_mixed(&scene, 4096);
    return 0;
}
