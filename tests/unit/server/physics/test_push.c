// Movers and what they meet: riders, stacks, obstacles, blocks and complete rollback, momentum of
// speeds, thinks on local time.

#include "lib/test_sim.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "move/mover.h"
#include "world/movers.h"

#include <string.h>

#define EPS 0.03125f

static const vec3_t zero = {0.0f, 0.0f, 0.0f};

enum { PLATFORM = 1, DOOR, CEILING, PILLAR };

// Each in its own space, around 0 0 0; the room is 1024 x 1024 x 512, with a wall across at x = 400
// and a ceiling of 80 above part of it.
static const test_block_t blocks[] = {
    {.box = {{400, -512, 0}, {432, 512, 512}}, .contents = CONTENTS_SOLID},
    {.box = {{-512, 300, 80}, {-300, 512, 128}}, .contents = CONTENTS_SOLID},
    {.box = {{-64, -64, -16}, {64, 64, 0}}, .contents = CONTENTS_SOLID, .model = PLATFORM},
    {.box = {{-8, -64, 0}, {8, 64, 128}}, .contents = CONTENTS_SOLID, .model = DOOR},
    {.box = {{-64, -64, 0}, {64, 64, 16}}, .contents = CONTENTS_SOLID, .model = CEILING},
    {.box = {{-16, -16, 0}, {16, 16, 64}}, .contents = CONTENTS_SOLID, .model = PILLAR},
};

static const test_map_t hall = {.room = {{-512, -512, 0}, {512, 512, 512}},
                                .blocks = blocks,
                                .num_blocks = COUNTOF(blocks),
                                .brush_list = true};

static void count_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    (void)sv;
    self->effects++;
    memcpy(self->game, &(int32_t){World_EdictNumber(sv->world, obstacle)}, 4);
}

static void remove_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    self->effects++;
    SV_RemoveEdict(sv, obstacle);
}

static void reverse_blocked(sv_context_t *sv, edict_t *self, edict_t *obstacle) {
    (void)obstacle;
    self->effects++;
    SV_MoverMoveTo(sv, self, (pose_t){{0.0f, 0.0f, 300.0f}, {0, 0, 0}}, 1000);
}

static void note_think(sv_context_t *sv, edict_t *self) {
    int64_t times[2] = {SV_MoverTime(sv, self), SV_Time(sv)};
    memcpy(self->game + 8, times, sizeof times);
    self->effects++;
}

static void trigger_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv;
    (void)other;
    (void)trace;
    self->effects++;
}

static const callback_t functions[] = {
    {.name = "count", .blocked = count_blocked},     {.name = "remove", .blocked = remove_blocked},
    {.name = "reverse", .blocked = reverse_blocked}, {.name = "think", .think = note_think},
    {.name = "trigger", .touch = trigger_touch},
};

static test_sim_t sim;

static int setup(void **state) {
    (void)state;
    TestSim_Init(&sim, &hall, 512);
    TestSim_Bind(&sim, functions, COUNTOF(functions));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    err_t err = {{0}};
    if (!World_Check(sim.world, sim.world->bytes, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    TestSim_Free(&sim);
    return 0;
}

static edict_t *spawn_mover(int32_t model, vec3_t origin) {
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_PUSH, SOLID_BSP, origin, 0.0f);
    edict->model = model;
    edict->mins = sim.map.models[model].bounds.mins;
    edict->maxs = sim.map.models[model].bounds.maxs;
    edict->blocked = Callbacks_Find(sim.world, "count");
    SV_LinkEdict(&sim.sv, edict, false);
    return edict;
}

static edict_t *spawn_walker(vec3_t feet) {
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_WALK, SOLID_SLIDEBOX,
                                   VectorAdd(feet, Vector(0.0f, 0.0f, 24.0f + EPS)), 0.0f);
    edict->mins = PM_PLAYER_MINS;
    edict->maxs = PM_PLAYER_MAXS;
    SV_LinkEdict(&sim.sv, edict, false);
    return edict;
}

static edict_t *spawn_crate(vec3_t feet) {
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX,
                                   VectorAdd(feet, Vector(0.0f, 0.0f, 16.0f + EPS)), 16.0f);
    SV_LinkEdict(&sim.sv, edict, false);
    return edict;
}

static void ticks(int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        TestSim_Tick(&sim);
    }
}

static void move_to(edict_t *mover, vec3_t origin, float yaw, int32_t ms) {
    assert_true(SV_MoverMoveTo(&sim.sv, mover, (pose_t){origin, {0.0f, yaw, 0.0f}}, ms));
}

static void assert_place(vec3_t found, float x, float y, float z, float within) {
    if (!(VectorLength(VectorSubtract(found, Vector(x, y, z))) <= within)) {
        fail_msg("found %.9g %.9g %.9g, expected %g %g %g", (double)found.x, (double)found.y,
                 (double)found.z, (double)x, (double)y, (double)z);
    }
}

static bool rests_on(const edict_t *edict, const edict_t *ground) {
    return (edict->flags & FL_ONGROUND) && World_Deref(sim.world, edict->groundentity) == ground;
}

// ---- riders ----

static void test_lift_carries_up_and_down(void **state) {
    (void)state;
    edict_t *lift = spawn_mover(PLATFORM, Vector(0, 0, 16));
    edict_t *walker = spawn_walker(Vector(0, 0, 16));
    edict_t *crate = spawn_crate(Vector(40, 40, 16));
    ticks(10);
    assert_true(rests_on(walker, lift) && rests_on(crate, lift));
    float above = walker->origin.z - lift->origin.z;
    float crate_above = crate->origin.z - lift->origin.z;
    static const struct {
        float z;
        int32_t ms;
    } trips[] = {{300, 2000}, {16, 500}, {400, 400}, {16, 10000}, {320, 1}, {16, 0}};
    for (size_t i = 0; i < COUNTOF(trips); i++) {
        move_to(lift, Vector(0, 0, trips[i].z), 0, trips[i].ms);
        for (int32_t t = 0; t * 16 < trips[i].ms + 64; t++) {
            ticks(1);
            assert_true(rests_on(walker, lift) && rests_on(crate, lift));
            assert_true(fabsf(walker->origin.z - lift->origin.z - above) < 1e-3f);
            assert_true(fabsf(crate->origin.z - lift->origin.z - crate_above) < 1e-3f);
            assert_true(walker->origin.x == 0.0f && walker->origin.y == 0.0f);
        }
        assert_true(lift->origin.z == trips[i].z);
        assert_true(VectorCompare(lift->velocity, zero));
    }
    assert_int_equal(lift->effects, 0);
}

static void test_speed_is_of_the_tick(void **state) {
    (void)state;
    edict_t *lift = spawn_mover(PLATFORM, Vector(0, 0, 16));
    ticks(1);
    move_to(lift, Vector(0, 0, 176), 90, 1600);
    ticks(20);
    assert_place(lift->velocity, 0, 0, 100, 0.01f);
    assert_place(lift->avelocity, 0, 56.25f, 0, 0.01f);
    ticks(90);
    assert_place(lift->velocity, 0, 0, 0, 0);
    assert_place(lift->avelocity, 0, 0, 0, 0);
}

static void test_resting_mover_is_not_awake(void **state) {
    (void)state;
    edict_t *lift = spawn_mover(PLATFORM, Vector(0, 0, 16));
    int32_t number = World_EdictNumber(sim.world, lift);
    ticks(3);
    assert_false((World_MoverBits(sim.world)[number / 64] >> (number % 64)) & 1);
    move_to(lift, Vector(0, 0, 32), 0, 100);
    assert_true((World_MoverBits(sim.world)[number / 64] >> (number % 64)) & 1);
    ticks(10);
    assert_false((World_MoverBits(sim.world)[number / 64] >> (number % 64)) & 1);
}

static void test_sleeping_rider_stays_asleep(void **state) {
    (void)state;
    edict_t *lift = spawn_mover(PLATFORM, Vector(0, 0, 16));
    edict_t *crate = spawn_crate(Vector(20, 0, 16));
    edict_t *other = spawn_crate(Vector(-300, 0, 0));
    ticks(10);
    move_to(lift, Vector(0, 0, 200), 0, 1000);
    for (int32_t i = 0; i < 80; i++) {
        ticks(1);
        assert_int_equal(World_NextActive(sim.world, 0), -1);
        assert_true(rests_on(crate, lift));
    }
    assert_place(crate->origin, 20, 0, 216, 0.1f);
    assert_place(other->origin, -300, 0, 16, 0.1f);
}

static void test_turning_platform_carries_and_turns(void **state) {
    (void)state;
    edict_t *platform = spawn_mover(PLATFORM, Vector(0, 0, 16));
    edict_t *walker = spawn_walker(Vector(40, 0, 16));
    edict_t *crate = spawn_crate(Vector(-40, 0, 16));
    ticks(10);
    vec3_t crate_was = crate->angles;
    move_to(platform, platform->origin, 90, 1000);
    ticks(80);
    assert_int_equal(platform->effects, 0);
    assert_place(walker->origin, 0, 40, 40, 0.1f);
    assert_place(crate->origin, 0, -40, 32, 0.1f);
    assert_true(fabsf(crate->angles.y - crate_was.y - 90.0f) < 1e-3f);
    assert_true(rests_on(walker, platform) && rests_on(crate, platform));
}

static void test_stack_of_three_rides(void **state) {
    (void)state;
    edict_t *lift = spawn_mover(PLATFORM, Vector(0, 0, 16));
    edict_t *stack[3];
    for (int32_t i = 0; i < 3; i++) {
        stack[i] = spawn_crate(Vector(0, 0, 16.0f + 33.0f * (float)i));
    }
    edict_t *walker = spawn_walker(Vector(0, 0, 16 + 99));
    ticks(40);
    assert_true(rests_on(stack[0], lift) && rests_on(stack[1], stack[0]) &&
                rests_on(stack[2], stack[1]) && rests_on(walker, stack[2]));
    float above = walker->origin.z - lift->origin.z;
    move_to(lift, Vector(64, 0, 216), 0, 800);
    for (int32_t i = 0; i < 60; i++) {
        ticks(1);
        assert_true(rests_on(stack[0], lift) && rests_on(stack[1], stack[0]) &&
                    rests_on(stack[2], stack[1]) && rests_on(walker, stack[2]));
    }
    assert_true(fabsf(walker->origin.z - lift->origin.z - above) < 1e-3f);
    assert_true(fabsf(walker->origin.x - 64.0f) < 1e-3f);
    move_to(lift, Vector(0, 0, 16), 0, 300);
    ticks(30);
    assert_true(rests_on(walker, stack[2]));
    assert_true(fabsf(walker->origin.z - lift->origin.z - above) < 1e-3f);
}

// Small things, as close as they can lie.
static void test_three_hundred_riders(void **state) {
    (void)state;
    edict_t *lift = spawn_mover(PLATFORM, Vector(0, 0, 16));
    edict_t *riders[300];
    for (int32_t i = 0; i < 300; i++) {
        vec3_t at = {-58.0f + 6.5f * (float)(i % 18), -58.0f + 6.5f * (float)(i / 18), 20.0f};
        riders[i] = TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX, at, 3.0f);
        SV_LinkEdict(&sim.sv, riders[i], false);
    }
    ticks(20);
    move_to(lift, Vector(-32, 16, 300), 0, 1000);
    ticks(80);
    assert_int_equal(lift->effects, 0);
    for (int32_t i = 0; i < 300; i++) {
        assert_true(rests_on(riders[i], lift));
        assert_place(riders[i]->origin, -90.0f + 6.5f * (float)(i % 18),
                     -42.0f + 6.5f * (float)(i / 18), 303.0f, 0.1f);
    }
}

// ---- obstacles ----

static void test_door_pushes_just_so_far(void **state) {
    (void)state;
    edict_t *door = spawn_mover(DOOR, Vector(-200, 0, 0));
    edict_t *walker = spawn_walker(Vector(-120, 0, 0));
    edict_t *crate = spawn_crate(Vector(-120, 48, 0));
    ticks(10);
    move_to(door, Vector(0, 0, 0), 0, 2000);
    ticks(140);
    assert_int_equal(door->effects, 0);
    assert_place(door->origin, 0, 0, 0, 0);
    assert_place(walker->origin, 24.0f + EPS, 0, 24.0f + EPS, 0.01f);
    assert_place(crate->origin, 24.0f + EPS, 48, 16.0f + EPS, 0.01f);
    assert_true(rests_on(crate, World_Edict(sim.world, EDICT_WORLD)));
}

static void test_things_push_each_other(void **state) {
    (void)state;
    edict_t *door = spawn_mover(DOOR, Vector(-200, 0, 0));
    edict_t *row[3];
    for (int32_t i = 0; i < 3; i++) {
        row[i] = spawn_crate(Vector(-150.0f + 50.0f * (float)i, 0, 0));
    }
    ticks(10);
    move_to(door, Vector(0, 0, 0), 0, 2000);
    ticks(140);
    assert_int_equal(door->effects, 0);
    for (int32_t i = 0; i < 3; i++) {
        assert_true(fabsf(row[i]->origin.x - (24.0f + 32.0f * (float)i)) < 0.2f);
    }
}

static void test_swinging_door_pushes(void **state) {
    (void)state;
    edict_t *door = spawn_mover(DOOR, Vector(0, 0, 0));
    edict_t *walker = spawn_walker(Vector(40, 40, 0));
    ticks(5);
    // Counter-clockwise: the half at +y goes to -x; clockwise to +x.
    move_to(door, zero, -80, 1500);
    ticks(110);
    assert_int_equal(door->effects, 0);
    assert_true(door->angles.y == -80.0f);
    assert_null(SV_TestEdictPosition(&sim.sv, walker));
    assert_true(walker->origin.x > 40.0f || walker->origin.y < 40.0f);
}

static void test_pushed_twice_in_a_tick(void **state) {
    (void)state;
    edict_t *along_x = spawn_mover(PILLAR, Vector(-100, 0, 0));
    edict_t *along_y = spawn_mover(PILLAR, Vector(0, -100, 0));
    edict_t *crate = spawn_crate(Vector(0, 0, 0));
    SV_MoverTeam(&sim.sv, along_y, along_x);
    ticks(10);
    move_to(along_x, Vector(-8, 0, 0), 0, 1000);
    move_to(along_y, Vector(0, -8, 0), 0, 1000);
    ticks(80);
    assert_int_equal(along_x->effects + along_y->effects, 0);
    assert_place(crate->origin, 24.0f + EPS, 24.0f + EPS, 16.0f + EPS, 0.05f);
}

typedef struct {
    edict_t edicts[64];
    int32_t count;
} memory_t;

static memory_t remember(void) {
    memory_t memory = {.count = Q_MinI(sim.world->num_edicts, 64)};
    for (int32_t i = 0; i < memory.count; i++) {
        memory.edicts[i] = *World_Edict(sim.world, i);
    }
    return memory;
}

// A crate between a door and the wall, a walker in the way, riders on a platform of the same team:
// nothing of it moves by a bit.
static void test_blocked_set_rolls_back_completely(void **state) {
    (void)state;
    edict_t *door = spawn_mover(DOOR, Vector(300, 0, 0));
    edict_t *platform = spawn_mover(PLATFORM, Vector(0, 200, 16));
    edict_t *rider = spawn_walker(Vector(0, 200, 16));
    edict_t *pinned = spawn_crate(Vector(383.5f, 0, 0));
    edict_t *between = spawn_crate(Vector(340, 0, 0));
    (void)rider;
    (void)between;
    SV_MoverTeam(&sim.sv, door, platform);
    ticks(10);
    // 300 + 8 to 400 - 32 - 32: far enough to pin both.
    move_to(door, Vector(390, 0, 0), 0, 1000);
    move_to(platform, Vector(0, 200, 316), 40, 1000);
    memory_t before = remember();
    int32_t moved = 0;
    for (int32_t i = 0; i < 120; i++) {
        ticks(1);
        if (door->effects > 0) {
            break;
        }
        moved++;
        before = remember();
    }
    assert_true(moved > 10 && door->effects == 1);
    assert_int_equal(platform->effects, 0); // told once, and only who was blocked
    memory_t after = remember();
    for (int32_t i = 1; i < after.count; i++) {
        edict_t *a = &before.edicts[i];
        edict_t *b = &after.edicts[i];
        if (World_Edict(sim.world, i) == door || World_Edict(sim.world, i) == platform) {
            assert_int_equal(b->lag_ms - a->lag_ms, 16);
            b->lag_ms = a->lag_ms;
            b->velocity = a->velocity; // at rest in this tick
            b->avelocity = a->avelocity;
            b->effects = a->effects;
            memcpy(b->game, a->game, sizeof b->game);
        }
        assert_memory_equal(a, b, sizeof *a);
    }
    assert_place(door->velocity, 0, 0, 0, 0);
    int32_t lags = 0;
    for (int32_t i = 0; i < 50; i++) {
        ticks(1);
        lags += door->effects;
    }
    assert_int_equal(door->effects, 51); // each tick once
    // The way is free: it goes on from where it was, its team with it.
    SV_RemoveEdict(&sim.sv, pinned);
    SV_RemoveEdict(&sim.sv, between);
    vec3_t stood = door->origin;
    ticks(1);
    assert_true(door->origin.x > stood.x && door->origin.x - stood.x < 2.0f);
    ticks(120);
    assert_place(door->origin, 390, 0, 0, 0);
    assert_place(platform->origin, 0, 200, 316, 0);
}

static void test_blocked_may_remove_or_reverse(void **state) {
    (void)state;
    edict_t *crusher = spawn_mover(CEILING, Vector(0, 0, 300));
    edict_t *victim = spawn_walker(zero);
    edict_ref_t ref = World_Ref(sim.world, victim);
    crusher->blocked = Callbacks_Find(sim.world, "remove");
    ticks(5);
    move_to(crusher, Vector(0, 0, 10), 0, 1000);
    ticks(80);
    assert_int_equal(crusher->effects, 1);
    assert_null(World_Deref(sim.world, ref));
    assert_place(crusher->origin, 0, 0, 10, 0);
    // And one that turns back.
    edict_t *door = spawn_mover(CEILING, Vector(200, 0, 300));
    door->blocked = Callbacks_Find(sim.world, "reverse");
    edict_t *walker = spawn_walker(Vector(200, 0, 0));
    ticks(5);
    move_to(door, Vector(200, 0, 10), 0, 1000);
    ticks(160);
    assert_int_equal(door->effects, 1);
    assert_place(door->origin, 0, 0, 300, 0);
    assert_null(SV_TestEdictPosition(&sim.sv, walker));
}

static void test_low_ceiling_blocks_the_lift(void **state) {
    (void)state;
    edict_t *lift = spawn_mover(PLATFORM, Vector(-400, 400, 16));
    edict_t *below = spawn_walker(Vector(-400, 400, 16));
    ticks(10);
    move_to(lift, Vector(-400, 400, 60), 0, 500);
    ticks(100);
    assert_true(lift->effects > 60);
    assert_null(SV_TestEdictPosition(&sim.sv, below));
    assert_true(rests_on(below, lift));
    assert_true(lift->origin.z > 22.0f && lift->origin.z < 24.0f); // 80 - 56 is room for him
    SV_RemoveEdict(&sim.sv, below);
    ticks(50);
    assert_place(lift->origin, -400, 400, 60, 0);
}

static void test_soft_things_never_block(void **state) {
    (void)state;
    edict_t *crusher = spawn_mover(CEILING, Vector(0, 0, 200));
    edict_t *corpse = spawn_walker(zero);
    corpse->flags |= FL_CORPSE;
    edict_t *item = spawn_crate(Vector(40, 40, 0));
    item->flags |= FL_ITEM;
    item->solid = SOLID_TRIGGER;
    SV_LinkEdict(&sim.sv, item, false);
    ticks(5);
    move_to(crusher, Vector(0, 0, 4), 0, 500);
    ticks(60);
    assert_int_equal(crusher->effects, 0);
    assert_place(crusher->origin, 0, 0, 4, 0);
    assert_true(World_IsLive(corpse) && World_IsLive(item));
}

static void test_rider_is_scraped_off_by_a_wall(void **state) {
    (void)state;
    edict_t *train = spawn_mover(PLATFORM, Vector(0, -200, 100));
    edict_t *walker = spawn_walker(Vector(0, -200, 100));
    edict_t *wall = spawn_mover(DOOR, Vector(120, -200, 101));
    (void)wall;
    ticks(5);
    move_to(train, Vector(300, -200, 100), 0, 3000);
    ticks(250);
    assert_int_equal(train->effects, 0);
    assert_place(train->origin, 300, -200, 100, 0);
    assert_true(walker->origin.x < 120.0f);
    assert_true(walker->origin.z < 30.0f); // he fell behind it
    assert_null(SV_TestEdictPosition(&sim.sv, walker));
}

static void test_carried_riders_touch_triggers(void **state) {
    (void)state;
    edict_t *lift = spawn_mover(PLATFORM, Vector(0, 0, 16));
    edict_t *crate = spawn_crate(Vector(0, 0, 16));
    edict_t *trigger = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_TRIGGER, Vector(0, 0, 200), 20.0f);
    trigger->touch = Callbacks_Find(sim.world, "trigger");
    SV_LinkEdict(&sim.sv, trigger, false);
    ticks(10);
    assert_int_equal(trigger->effects, 0);
    move_to(lift, Vector(0, 0, 300), 0, 1000);
    ticks(80);
    assert_true(trigger->effects > 5);
    assert_true(rests_on(crate, lift));
}

static void test_what_is_never_pushed(void **state) {
    (void)state;
    edict_t *door = spawn_mover(DOOR, Vector(-100, 0, 0));
    edict_t *none = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0, 0, 16), 16);
    edict_t *noclip = TestSim_Spawn(&sim, MOVETYPE_NOCLIP, SOLID_BBOX, Vector(0, 40, 16), 16);
    edict_t *mover = spawn_mover(PILLAR, Vector(0, -40, 0));
    SV_LinkEdict(&sim.sv, none, false);
    SV_LinkEdict(&sim.sv, noclip, false);
    ticks(2);
    move_to(door, Vector(100, 0, 0), 0, 500);
    ticks(50);
    assert_int_equal(door->effects, 0);
    assert_place(door->origin, 100, 0, 0, 0);
    assert_place(none->origin, 0, 0, 16, 0);
    assert_place(noclip->origin, 0, 40, 16, 0);
    assert_place(mover->origin, 0, -40, 0, 0);
}

static void test_what_was_stuck_before_does_not_block(void **state) {
    (void)state;
    edict_t *door = spawn_mover(DOOR, Vector(300, 0, 0));
    edict_t *crate = spawn_crate(Vector(395, 0, 0)); // half in the wall
    crate->movetype = MOVETYPE_FLY;
    ticks(2);
    move_to(door, Vector(390, 0, 0), 0, 500);
    ticks(50);
    assert_int_equal(door->effects, 0);
    assert_place(door->origin, 390, 0, 0, 0);
}

// ---- time ----

static void test_thinks_on_local_time(void **state) {
    (void)state;
    edict_t *lift = spawn_mover(PLATFORM, Vector(-400, 400, 16));
    edict_t *below = spawn_walker(Vector(-400, 400, 16));
    lift->think = Callbacks_Find(sim.world, "think");
    lift->blocked = 0;
    ticks(10);
    move_to(lift, Vector(-400, 400, 60), 0, 500);
    int64_t due = SV_MoverTime(&sim.sv, lift) + 500 - 3;
    SV_SetNextThink(&sim.sv, lift, due);
    ticks(100);
    assert_int_equal(lift->effects, 0); // blocked: its time stands still
    assert_true(lift->lag_ms > 1000);
    int64_t lag_ms = lift->lag_ms;
    SV_RemoveEdict(&sim.sv, below);
    ticks(50);
    int64_t times[2];
    memcpy(times, lift->game + 8, sizeof times);
    assert_int_equal(lift->effects, 1);
    assert_true(times[0] == due);
    assert_true(times[1] == due + lift->lag_ms && lift->lag_ms - lag_ms <= 16);
}

static void hop_think(sv_context_t *sv, edict_t *self) {
    self->effects++;
    float x = self->origin.x > 0.0f ? -50.0f : 50.0f;
    SV_MoverMoveTo(sv, self, (pose_t){{x, 0.0f, 100.0f}, {0, 0, 0}}, 333);
    SV_SetNextThink(sv, self, SV_MoverTime(sv, self) + 333);
}

// Legs that end between ticks: no time is lost at the corners.
static void test_train_keeps_its_timetable(void **state) {
    (void)state;
    static const callback_t table[] = {{.name = "hop", .think = hop_think}};
    TestSim_Bind(&sim, functions, COUNTOF(functions));
    callback_t all[COUNTOF(functions) + 1];
    memcpy(all, functions, sizeof functions);
    all[COUNTOF(functions)] = table[0];
    TestSim_Bind(&sim, all, COUNTOF(all));
    edict_t *train = spawn_mover(PLATFORM, Vector(-50, 0, 100));
    edict_t *walker = spawn_walker(Vector(-50, 0, 100));
    train->think = Callbacks_Find(sim.world, "hop");
    ticks(5);
    int64_t start = sim.world->time_ms + 5;
    SV_SetNextThink(&sim.sv, train, start);
    for (int32_t i = 0; i < 1000; i++) {
        ticks(1);
        int64_t t = sim.world->time_ms - start;
        int64_t leg = t / 333;
        float share = (float)(t % 333) / 333.0f;
        float expected = leg % 2 == 0 ? -50.0f + 100.0f * share : 50.0f - 100.0f * share;
        assert_place(train->origin, expected, 0, 100, 0.01f);
        assert_true(fabsf(walker->origin.x - train->origin.x) < 0.01f);
        assert_true(rests_on(walker, train));
    }
    assert_true(train->effects == (int32_t)((sim.world->time_ms - start) / 333 + 1));
}

static void test_bad_records_are_refused(void **state) {
    (void)state;
    edict_t *lift = spawn_mover(PLATFORM, Vector(0, 0, 16));
    motion_t good = {.kind = MOTION_MOVE, .duration_ms = 100, .base = {{0, 0, 16}, {0}}};
    motion_t bad = good;
    assert_true(SV_MoverStart(&sim.sv, lift, &good));
    bad.duration_ms = 0;
    assert_false(SV_MoverStart(&sim.sv, lift, &bad));
    bad = good;
    bad.kind = MOTION_COUNT;
    assert_false(SV_MoverStart(&sim.sv, lift, &bad));
    bad = good;
    bad.delta.x = NAN;
    assert_false(SV_MoverStart(&sim.sv, lift, &bad));
    bad = good;
    bad.delta_angles.y = INFINITY;
    assert_false(SV_MoverStart(&sim.sv, lift, &bad));
    // Out of the world: it is taken out, nothing else.
    good.delta = Vector(0, 0, 100000);
    assert_true(SV_MoverStart(&sim.sv, lift, &good));
    ticks(20);
    assert_true(lift->flags & FL_QUARANTINED);
    // No way at all, no time at all.
    edict_t *still = spawn_mover(PLATFORM, Vector(100, 0, 16));
    ticks(1);
    move_to(still, still->origin, 0, 0);
    ticks(5);
    move_to(still, still->origin, 0, -5);
    ticks(5);
    assert_place(still->origin, 100, 0, 16, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_lift_carries_up_and_down),
        TEST(test_speed_is_of_the_tick),
        TEST(test_resting_mover_is_not_awake),
        TEST(test_sleeping_rider_stays_asleep),
        TEST(test_turning_platform_carries_and_turns),
        TEST(test_stack_of_three_rides),
        TEST(test_three_hundred_riders),
        TEST(test_door_pushes_just_so_far),
        TEST(test_things_push_each_other),
        TEST(test_swinging_door_pushes),
        TEST(test_pushed_twice_in_a_tick),
        TEST(test_blocked_set_rolls_back_completely),
        TEST(test_blocked_may_remove_or_reverse),
        TEST(test_low_ceiling_blocks_the_lift),
        TEST(test_soft_things_never_block),
        TEST(test_rider_is_scraped_off_by_a_wall),
        TEST(test_carried_riders_touch_triggers),
        TEST(test_what_is_never_pushed),
        TEST(test_what_was_stuck_before_does_not_block),
        TEST(test_thinks_on_local_time),
        TEST(test_train_keeps_its_timetable),
        TEST(test_bad_records_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
