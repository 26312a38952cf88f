// Random crowds in a hall with every feature: monsters on foot, in the air and in water, the three
// movers, crates, walkers, missiles, lifts, turntables, conveyors and currents. Every edict is
// pushed about at random. tests/golden/crowd.txt has a hash of the states of each kind, which any
// change of behaviour changes. Hand-made scenes cannot reach every branch.

#include "base/hash.h"
#include "base/rng.h"
#include "lib/events_fixture.h"
#include "lib/golden_fixture.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "move/body.h"
#include "world/block.h"

#include <string.h>

#define NUM_CROWDS 24
#define TICKS      400
#define PRINT_EACH 80 // ticks
#define NUM_EACH   5  // edicts of a kind in a crowd

enum { PLATFORM = 1, DOOR, LADDER };

static const test_block_t blocks[] = {
    {.box = {{-512, -512, 0}, {-300, -300, 40}}, .contents = CONTENTS_SOLID},
    {.box = {{-300, -512, 0}, {-280, -300, 16}}, .contents = CONTENTS_SOLID},
    {.box = {{-280, -512, 0}, {-260, -300, 8}}, .contents = CONTENTS_SOLID},
    {.box = {{300, -512, 70}, {512, -300, 90}}, .contents = CONTENTS_SOLID}, // a low ceiling
    {.box = {{-40, -40, 0}, {-8, -8, 120}}, .contents = CONTENTS_SOLID},
    {.box = {{8, 8, 0}, {60, 40, 17}}, .contents = CONTENTS_SOLID},
    {.box = {{-512, 200, 0}, {-200, 512, 96}}, .contents = CONTENTS_WATER},
    {.box = {{-200, 400, 0}, {0, 512, 80}}, .contents = CONTENTS_SLIME},
    {.box = {{0, 400, 0}, {100, 512, 40}}, .contents = CONTENTS_LAVA},
    {.box = {{100, 400, 0}, {180, 512, 90}}, .contents = CONTENTS_CURRENT_0},
    {.box = {{180, 400, 0}, {260, 512, 90}}, .contents = CONTENTS_CURRENT_270},
    {.box = {{260, 400, 0}, {340, 512, 120}}, .contents = CONTENTS_CURRENT_UP},
    {.box = {{340, 400, 0}, {420, 512, 120}}, .contents = CONTENTS_CURRENT_DOWN},
    {.box = {{420, 400, 0}, {470, 512, 90}}, .contents = CONTENTS_CURRENT_90},
    {.box = {{470, 400, 0}, {512, 512, 90}}, .contents = CONTENTS_CURRENT_180},
    {.box = {{-64, -64, -16}, {64, 64, 0}}, .contents = CONTENTS_SOLID, .model = PLATFORM},
    {.box = {{-8, -64, 0}, {8, 64, 128}}, .contents = CONTENTS_SOLID, .model = DOOR},
    {.box = {{-8, -32, 0}, {8, 32, 160}}, .contents = CONTENTS_SOLID, .model = LADDER},
};

// The kinds of edicts in a crowd.
typedef enum {
    WALKING,
    FLYING,
    SWIMMING,
    CRATE,
    BY_RAY,
    BY_SWEEP,
    BY_DROP,
    PLAYER,
    TOSSED,
    BOUNCED,
    MISSILE,
    TRIGGER,
    PUSHER,
    NUM_KINDS
} kind_t;

static const char *const kind_names[NUM_KINDS] = {
    "walking", "flying", "swimming", "crate",   "ray",     "sweep",  "drop",
    "player",  "tossed", "bounced",  "missile", "trigger", "pusher",
};

typedef struct {
    test_sim_t sim;
    rng_t rng;
    edict_ref_t cast[NUM_KINDS][NUM_EACH];
    uint64_t seen[NUM_KINDS];
} crowd_t;

static void build(test_sim_t *sim, bool brushes) {
    test_block_t all[COUNTOF(blocks) + 2];
    memcpy(all, blocks, sizeof blocks);
    all[COUNTOF(blocks)] = TestMap_RampX((vec3_t){100, -200, 0}, (vec3_t){300, 0, 100});
    all[COUNTOF(blocks) + 1] = TestMap_RampX((vec3_t){-250, 0, 0}, (vec3_t){-150, 150, 200});
    const test_map_t map = {.room = {{-512, -512, 0}, {512, 512, 400}},
                            .blocks = all,
                            .num_blocks = COUNTOF(all),
                            .brush_list = brushes};
    TestSim_Init(sim, &map, 256);
}

static void note_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    self->effects = (self->effects * 31 + World_EdictNumber(sv->world, other)) % 1000003;
}

// The touch callback of a missile, which vanishes when it hits something.
static void vanish(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)other;
    (void)trace;
    SV_RemoveEdict(sv, self);
}

static void turn_back(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    (void)obstacle;
    self->effects++;
    SV_PusherMoveTo(sv, self, (pose_t){self->oldorigin, {0.0f, 0.0f, 0.0f}}, 700);
}

static const callback_t callbacks[] = {{.name = "touch", .touch = note_touch},
                                       {.name = "vanish", .touch = vanish},
                                       {.name = "blocked", .blocked = turn_back}};

// Draws one axis after the other, because compilers evaluate arguments in different orders.
static vec3_t draw(rng_t *rng, vec3_t lo, vec3_t hi) {
    vec3_t v;
    v.x = Rng_Range(rng, lo.x, hi.x);
    v.y = Rng_Range(rng, lo.y, hi.y);
    v.z = Rng_Range(rng, lo.z, hi.z);
    return v;
}

static vec3_t anywhere(rng_t *rng) {
    return draw(rng, Vector(-480.0f, -480.0f, 26.0f), Vector(480.0f, 480.0f, 150.0f));
}

static vec3_t somehow(rng_t *rng, float speed, float up) {
    return draw(rng, Vector(-speed, -speed, -up), Vector(speed, speed, up));
}

static void set_box(crowd_t *crowd, edict_t *edict, kind_t kind) {
    float half = kind == TRIGGER  ? 40.0f
                 : kind >= TOSSED ? 4.0f * (float)Rng_Below(&crowd->rng, 3)
                                  : 16.0f;
    edict->mins = Vector(-half, -half, kind >= TOSSED || kind == CRATE ? -half : -24.0f);
    edict->maxs = Vector(half, half, kind >= TOSSED || kind == CRATE ? half : 32.0f);
}

static edict_t *add_pusher(crowd_t *crowd, int32_t number) {
    const vec3_t places[] = {
        {200, 200, 20}, {-100, -300, 20}, {300, 100, 16}, {0, 250, 0}, {400, -100, 0}};
    test_sim_t *sim = &crowd->sim;
    edict_t *edict = TestSim_Spawn(sim, MOVETYPE_PUSH, SOLID_BSP, places[number], 0.0f);
    edict->model = number < 3 ? PLATFORM : DOOR;
    edict->mins = sim->map.models[edict->model].bounds.mins;
    edict->maxs = sim->map.models[edict->model].bounds.maxs;
    edict->oldorigin = places[number];
    edict->blocked = Callbacks_Find(sim->world, "blocked");
    if (number == 2) {
        edict->surface_velocity = Vector(70.0f, -40.0f, 0.0f);
    }
    return edict;
}

static edict_t *add(crowd_t *crowd, kind_t kind, int32_t number) {
    static const movetype_t movetypes[NUM_KINDS] = {
        MOVETYPE_STEP,       MOVETYPE_STEP, MOVETYPE_STEP, MOVETYPE_STEP, MOVETYPE_STEP,
        MOVETYPE_STEP,       MOVETYPE_STEP, MOVETYPE_WALK, MOVETYPE_TOSS, MOVETYPE_BOUNCE,
        MOVETYPE_FLYMISSILE, MOVETYPE_NONE, MOVETYPE_PUSH};
    static const uint32_t flags[NUM_KINDS] = {
        FL_MONSTER, FL_MONSTER | FL_FLY, FL_MONSTER | FL_SWIM, FL_PUSHABLE, FL_MONSTER,
        FL_MONSTER, FL_MONSTER};
    test_sim_t *sim = &crowd->sim;
    if (kind == PUSHER) {
        return add_pusher(crowd, number);
    }
    solid_t solid = kind >= TOSSED ? SOLID_BBOX : SOLID_SLIDEBOX;
    edict_t *edict = TestSim_Spawn(sim, movetypes[kind], solid, anywhere(&crowd->rng), 0.0f);
    set_box(crowd, edict, kind);
    edict->flags |= flags[kind];
    edict->mover = kind == BY_RAY     ? MOVER_RAY
                   : kind == BY_SWEEP ? MOVER_SWEEP
                   : kind == BY_DROP  ? MOVER_DROP
                                      : MOVER_STEP;
    edict->velocity = somehow(&crowd->rng, 300.0f, 200.0f);
    edict->avelocity = kind >= TOSSED ? somehow(&crowd->rng, 90.0f, 90.0f) : edict->avelocity;
    edict->yaw_speed = 45.0f;
    edict->gravity = Rng_Below(&crowd->rng, 4) == 0 ? 0.5f : 0.0f;
    edict->friction = Rng_Below(&crowd->rng, 4) == 0 ? 0.3f : 0.0f;
    edict->max_pitch = kind == BY_RAY && number > 2 ? 20.0f : 0.0f;
    edict->max_roll = kind == BY_RAY && number > 3 ? 10.0f : 0.0f;
    bool vanishes = kind >= TOSSED && kind <= MISSILE && number == NUM_EACH - 1;
    edict->touch = Callbacks_Find(sim->world, vanishes ? "vanish" : "touch");
    if (kind == TRIGGER) {
        edict->solid = SOLID_TRIGGER;
        edict->velocity = Vector(0.0f, 0.0f, 0.0f);
        edict->avelocity = edict->velocity;
    }
    return edict;
}

// Puts an edict at a free position. If some tries find none, it starts in solid.
static void put(crowd_t *crowd, kind_t kind, int32_t number) {
    sv_context_t *sv = &crowd->sim.sv;
    edict_t *edict = add(crowd, kind, number);
    for (int32_t tries = 0; kind != PUSHER && tries < 20 && SV_TestEdictPosition(sv, edict);
         tries++) {
        edict->origin = anywhere(&crowd->rng);
    }
    SV_LinkEdict(sv, edict, true);
    crowd->cast[kind][number] = World_Ref(sv->world, edict);
}

static void populate(crowd_t *crowd) {
    for (int32_t kind = NUM_KINDS - 1; kind >= 0; kind--) {
        for (int32_t i = 0; i < NUM_EACH; i++) {
            put(crowd, (kind_t)kind, i);
        }
    }
}

static void act_monster(crowd_t *crowd, edict_t *edict, const edict_t *goal) {
    sv_context_t *sv = &crowd->sim.sv;
    float yaw;
    switch (Rng_Below(&crowd->rng, 4)) {
    case 0:
        SV_MoveToGoal(sv, edict, goal, 8.0f, NULL);
        break;
    case 1:
        yaw = Rng_Range(&crowd->rng, 0.0f, 360.0f);
        SV_WalkMove(sv, edict, yaw, Rng_Range(&crowd->rng, 1.0f, 40.0f), NULL);
        break;
    case 2:
        SV_StepDirection(sv, edict, Rng_Range(&crowd->rng, 0.0f, 360.0f), 12.0f, NULL);
        break;
    default:
        edict->velocity = VectorAdd(edict->velocity, somehow(&crowd->rng, 100.0f, 150.0f));
        SV_WakeEdict(sv, edict);
    }
}

// Acts on an edict from outside the physics: every few ticks it moves or is hit.
static void act(crowd_t *crowd, edict_t *edict, kind_t kind) {
    sv_context_t *sv = &crowd->sim.sv;
    rng_t *rng = &crowd->rng;
    const edict_t *goal = World_Deref(sv->world, crowd->cast[PLAYER][Rng_Below(rng, NUM_EACH)]);
    if (kind == PUSHER) {
        pose_t to = {edict->oldorigin, {0.0f, 0.0f, 0.0f}};
        to.origin.z += Rng_Range(rng, 0.0f, 120.0f);
        to.angles.y = Rng_Below(rng, 2) ? Rng_Range(rng, -180.0f, 180.0f) : 0.0f;
        SV_PusherMoveTo(sv, edict, to, 300 + (int32_t)Rng_Below(rng, 1500));
    } else if (kind <= SWIMMING && goal) {
        act_monster(crowd, edict, goal);
    } else if (kind >= BY_RAY && kind <= BY_DROP) {
        vec3_t push = somehow(rng, 400.0f, 0.0f);
        bool jumps = Rng_Below(rng, 4) == 0;
        edict->velocity = Vector(push.x, push.y, jumps ? 250.0f : edict->velocity.z);
        if (jumps) {
            SV_SetGround(sv, edict, NULL);
        }
        SV_WakeEdict(sv, edict);
    } else {
        edict->velocity = VectorAdd(edict->velocity, somehow(rng, 300.0f, 250.0f));
        SV_WakeEdict(sv, edict);
    }
    World_MarkWritten(sv->world, edict);
}

static void look(crowd_t *crowd, kind_t kind, const edict_t *edict) {
    const struct {
        vec3_t origin, velocity, angles;
        uint32_t flags, ground;
        int32_t waterlevel, watertype, effects;
    } seen = {
        edict->origin,     edict->velocity,  edict->angles, edict->flags, edict->groundentity.index,
        edict->waterlevel, edict->watertype, edict->effects};
    crowd->seen[kind] = Hash_Bytes(&seen, sizeof seen, crowd->seen[kind]);
}

static void run_tick(crowd_t *crowd, int32_t tick) {
    for (int32_t kind = 0; kind < NUM_KINDS; kind++) {
        for (int32_t i = 0; i < NUM_EACH; i++) {
            edict_t *edict = World_Deref(crowd->sim.world, crowd->cast[kind][i]);
            if ((tick + i + 3 * kind) % (kind <= SWIMMING ? 6 : 25) != 0) {
                continue;
            }
            if (!edict) {
                put(crowd, (kind_t)kind, i); // replaces the edict that vanished
            } else if (kind != TRIGGER) {
                act(crowd, edict, (kind_t)kind);
            }
        }
    }
    TestSim_Tick(&crowd->sim);
    for (int32_t kind = 0; kind < NUM_KINDS; kind++) {
        for (int32_t i = 0; i < NUM_EACH; i++) {
            const edict_t *edict = World_Deref(crowd->sim.world, crowd->cast[kind][i]);
            if (edict) {
                look(crowd, (kind_t)kind, edict);
            }
        }
    }
}

static uint64_t events_of(const test_sim_t *sim, uint64_t seed) {
    for (int32_t i = 0; i < sim->events->count; i++) {
        seed = Hash_Bytes(sim->events->list[i].text, strlen(sim->events->list[i].text), seed);
    }
    for (int32_t i = 0; i < sim->events->num_emissions; i++) {
        const char *name = TestEvents_Name(sim->world, &sim->events->emissions[i].what.event);
        seed = Hash_Bytes(name, strlen(name), seed);
    }
    return seed;
}

static void run_crowd(test_golden_t *golden, int32_t number) {
    crowd_t crowd = {.rng = {(uint64_t)number}};
    uint64_t all = 0;
    build(&crowd.sim, number % 2 == 0);
    TestSim_Bind(&crowd.sim, callbacks, COUNTOF(callbacks));
    movevars_t *vars = &crowd.sim.world->cvars.move;
    vars->sv_tossrules = number / 2 % 2;
    vars->sv_pushermomentum = number / 4 % 2;
    populate(&crowd);
    for (int32_t tick = 1; tick <= TICKS; tick++) {
        run_tick(&crowd, tick);
        all = events_of(&crowd.sim, all + crowd.sim.world->tick_hash);
        if (tick % PRINT_EACH == 0) {
            TestGolden_Print(golden, "crowd %d tick %d: %016llx", number, tick,
                             (unsigned long long)all);
            for (int32_t kind = 0; kind < NUM_KINDS; kind++) {
                TestGolden_Print(golden, " %s %08x", kind_names[kind], (uint32_t)crowd.seen[kind]);
            }
            TestGolden_Print(golden, "\n");
        }
    }
    err_t err = {{0}};
    if (!World_Check(crowd.sim.world, crowd.sim.world->bytes, &err)) {
        fail_msg("crowd %d: %s", number, err.text);
    }
    TestSim_Free(&crowd.sim);
}

static void test_crowds(void **state) {
    (void)state;
    test_golden_t golden = {NULL, 0, 0};
    for (int32_t i = 1; i <= NUM_CROWDS; i++) {
        run_crowd(&golden, i);
    }
    assert_true(TestGolden_Check(&golden, "crowd.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_crowds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
