// Tests of players with random rules and random input among stairs, slopes, liquids, currents,
// ladders and conveyors; some of them start stuck. tests/golden/move_random.txt has a hash of each
// run. Random runs reach branches and combinations of rules that the runs by hand do not.

#include "base/hash.h"
#include "base/rng.h"
#include "lib/golden_fixture.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "move/pmove.h"
#include "move/profiles.h"

#include <string.h>

#define NUM_RUNS     500
#define COMMANDS     250
#define BELT_ENTNUM  7
#define TRAIN_ENTNUM 8

static const bounds_t belt = {{-200, -200, -10}, {-60, 60, 2}};
static const bounds_t train = {{60, 60, -10}, {200, 200, 2}};
static const bounds_t ladder = {{-12, 180, 0}, {12, 220, 200}};
static const bounds_t stream = {{-240, 100, 0}, {-100, 240, 60}};

static const test_block_t blocks[] = {
    {.box = {{-256, -256, 0}, {-150, -210, 8}}, .contents = CONTENTS_SOLID},
    {.box = {{-150, -256, 0}, {-100, -210, 17}}, .contents = CONTENTS_SOLID},
    {.box = {{-100, -256, 0}, {-50, -210, 40}}, .contents = CONTENTS_SOLID},
    {.box = {{-10, 182, 0}, {10, 218, 180}}, .contents = CONTENTS_SOLID}, // pillar of the ladder
    {.box = {{20, -256, 58}, {120, -150, 80}}, .contents = CONTENTS_SOLID},
    {.box = {{200, -256, 0}, {256, -200, 70}}, .contents = CONTENTS_WATER},
    {.box = {{200, -200, 0}, {256, -150, 60}}, .contents = CONTENTS_SLIME},
    {.box = {{200, -150, 0}, {256, -100, 50}}, .contents = CONTENTS_LAVA},
    {.box = {{200, -100, 0}, {256, -60, 60}}, .contents = CONTENTS_CURRENT_0},
    {.box = {{200, -60, 0}, {256, -20, 60}}, .contents = CONTENTS_CURRENT_90},
    {.box = {{200, -20, 0}, {256, 20, 60}}, .contents = CONTENTS_CURRENT_180},
    {.box = {{200, 20, 0}, {256, 60, 60}}, .contents = CONTENTS_CURRENT_270},
    {.box = {{200, 60, 0}, {256, 100, 60}}, .contents = CONTENTS_CURRENT_UP},
    {.box = {{200, 100, 0}, {256, 140, 60}}, .contents = CONTENTS_CURRENT_DOWN},
    {.box = {{180, -256, 0}, {200, 140, 48}}, .contents = CONTENTS_SOLID}, // bank of the pools
};

typedef struct {
    cmap_t map;
    rng_t rng;
    movevars_t vars;
    pm_world_t world;
    uint64_t seen;
} run_t;

static bool overlaps(bounds_t box, vec3_t mins, vec3_t maxs) {
    return mins.x <= box.maxs.x && maxs.x >= box.mins.x && mins.y <= box.maxs.y &&
           maxs.y >= box.mins.y && mins.z <= box.maxs.z && maxs.z >= box.mins.z;
}

static trace_t trace_map(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    run_t *run = context;
    cm_object_t place = {.model = 0};
    trace_t trace = CM_BoxTrace(&run->map, &place, start, end, mins, maxs);
    if (trace.fraction < 1.0f || trace.startsolid) {
        vec3_t feet = {trace.endpos.x, trace.endpos.y, trace.endpos.z + mins.z};
        trace.entnum = overlaps(belt, feet, feet)    ? BELT_ENTNUM
                       : overlaps(train, feet, feet) ? TRAIN_ENTNUM
                                                     : 0;
    }
    return trace;
}

static contents_t contents_of_map(void *context, vec3_t point) {
    run_t *run = context;
    return CM_PointContents(&run->map, 0, point);
}

static pm_volume_t volume_at(void *context, vec3_t absmin, vec3_t absmax) {
    (void)context;
    pm_volume_t volume = {.ladder = false};
    if (overlaps(ladder, absmin, absmax)) {
        volume.ladder = true;
        volume.ladder_normal = Vector(0.0f, absmin.y < 150.0f ? -1.0f : 1.0f, 0.0f);
    }
    if (overlaps(stream, absmin, absmax)) {
        volume.current = Vector(60.0f, -80.0f, 20.0f);
    }
    return volume;
}

static pm_surface_t surface_of(void *context, int32_t entnum, vec3_t at) {
    (void)context;
    pm_surface_t surface = {.friction = entnum == BELT_ENTNUM ? 0.3f : 0.0f};
    if (entnum == BELT_ENTNUM) {
        surface.velocity = Vector(90.0f, 40.0f, 0.0f);
    } else if (entnum == TRAIN_ENTNUM) {
        surface.moving_at = Vector(-at.y, at.x, 30.0f);
    }
    return surface;
}

// Draws one axis after the other, because C leaves the order of arguments to the compiler.
static vec3_t draw(rng_t *rng, vec3_t lo, vec3_t hi) {
    vec3_t v;
    v.x = Rng_Range(rng, lo.x, hi.x);
    v.y = Rng_Range(rng, lo.y, hi.y);
    v.z = Rng_Range(rng, lo.z, hi.z);
    return v;
}

static int32_t choose(rng_t *rng, int32_t count) {
    return (int32_t)Rng_Below(rng, (uint32_t)count);
}

// Chooses one of the profiles, then changes some of its rules.
static void draw_rules(run_t *run, int32_t number) {
    rng_t *rng = &run->rng;
    assert_true(PM_Profile(PM_ProfileName(number % 3), &run->vars));
    PM_FitBody(&run->vars, false);
    movevars_t *vars = &run->vars;
    if (number % 4 != 0) {
        vars->sv_gravitymode = choose(rng, 2);
        vars->sv_airmode = choose(rng, 2);
        vars->sv_frictionmode = choose(rng, 3);
        vars->sv_jumpmode = choose(rng, 3);
        vars->sv_waterjumpmode = choose(rng, 3);
        vars->sv_duckmode = choose(rng, 3);
        vars->sv_laddermode = choose(rng, 3);
        vars->sv_pushermomentum = choose(rng, 2);
        vars->sv_overclip = choose(rng, 2) ? 1.01f : 1.0f;
        vars->sv_bunnycap = choose(rng, 2) ? 1.7f : 0.0f;
        vars->pm_step_ms = choose(rng, 3) * 8;
    }
    vars->sv_spectatorclip = choose(rng, 2);
}

static player_state_t draw_player(run_t *run, int32_t number) {
    static const pm_type_t types[] = {PM_NORMAL, PM_NORMAL, PM_DRIVING, PM_NORMAL,  PM_SPECTATOR,
                                      PM_DEAD,   PM_NORMAL, PM_NORMAL,  PM_DRIVING, PM_FROZEN};
    rng_t *rng = &run->rng;
    player_state_t player = {
        .mins = PM_PLAYER_MINS,
        .maxs = PM_PLAYER_MAXS,
        .pm_type = (int32_t)types[number % (int32_t)COUNTOF(types)],
        .flags = choose(rng, 4) == 0 ? PMF_ONGROUND : 0,
        .movetype = MOVETYPE_WALK,
        .groundentity = -1,
        .carrier = -1,
        .watertype = CONTENTS_EMPTY,
        .health = 100,
    };
    player.gravity = choose(rng, 5) == 0 ? 0.5f : 1.0f;
    // Every fifth player may start in a wall.
    for (int32_t tries = 0; tries < 30; tries++) {
        player.origin = draw(rng, Vector(-238.0f, -238.0f, 20.0f), Vector(238.0f, 238.0f, 90.0f));
        if (player.pm_type == PM_DRIVING && tries < 20) { // half of these in the pools
            player.origin.x = number % 20 < 10 ? 225.0f : player.origin.x;
        }
        if (number % 5 == 0 || PM_PositionIsFree(&player, &run->world)) {
            break;
        }
    }
    player.velocity = draw(rng, Vector(-600.0f, -600.0f, -400.0f), Vector(600.0f, 600.0f, 400.0f));
    return player;
}

static usercmd_t draw_command(rng_t *rng, const usercmd_t *last) {
    static const uint8_t buttons[] = {0, 0, BUTTON_JUMP, BUTTON_DUCK, BUTTON_JUMP | BUTTON_DUCK};
    usercmd_t cmd = *last;
    cmd.msec = (uint8_t)(1 + Rng_Below(rng, 50));
    if (Rng_Below(rng, 6) == 0) {
        cmd.yaw = (uint16_t)Rng_Next(rng);
        cmd.pitch = AngleToShort(Rng_Range(rng, -80.0f, 80.0f));
        cmd.forward = (int16_t)((int32_t)Rng_Below(rng, 900) - 300);
        cmd.side = (int16_t)((int32_t)Rng_Below(rng, 600) - 300);
        cmd.up = (int16_t)((int32_t)Rng_Below(rng, 600) - 300);
        cmd.buttons = buttons[Rng_Below(rng, COUNTOF(buttons))];
    }
    return cmd;
}

static bool note_step(void *context, player_state_t *player, const usercmd_t *cmd, int32_t step_ms,
                      const pm_touch_t *touch) {
    run_t *run = context;
    (void)cmd;
    run->seen =
        Hash_Bytes(player, offsetof(player_state_t, movetype), run->seen + (uint64_t)step_ms);
    run->seen =
        Hash_Bytes(touch->entnums, (size_t)touch->count * sizeof touch->entnums[0], run->seen);
    return true;
}

static void test_random_runs(void **state) {
    (void)state;
    test_golden_t golden = {NULL, 0, 0};
    run_t run = {.seen = 0};
    test_block_t all[COUNTOF(blocks) + 2];
    memcpy(all, blocks, sizeof blocks);
    all[COUNTOF(blocks)] = TestMap_RampX((vec3_t){60, -100, 0}, (vec3_t){160, 20, 60});
    all[COUNTOF(blocks) + 1] = TestMap_RampX((vec3_t){-60, -180, 0}, (vec3_t){-20, -100, 90});
    const test_map_t map = {
        .room = {{-256, -256, 0}, {256, 256, 256}}, .blocks = all, .num_blocks = COUNTOF(all)};
    assert_true(TestMap_Build(&run.map, &map));
    run.world = (pm_world_t){.context = &run,
                             .trace = trace_map,
                             .point_contents = contents_of_map,
                             .volume = volume_at,
                             .surface = surface_of};
    const pm_hooks_t hooks = {&run, note_step};
    for (int32_t number = 0; number < NUM_RUNS; number++) {
        run.rng.state = (uint64_t)number;
        run.seen = 0;
        draw_rules(&run, number);
        player_state_t player = draw_player(&run, number);
        usercmd_t cmd = {.msec = 10};
        for (int32_t i = 0; i < COMMANDS; i++) {
            cmd = draw_command(&run.rng, &cmd);
            PM_RunCommand(&player, &cmd, cmd.msec, &run.vars, &run.world, &hooks);
        }
        TestGolden_Print(&golden, "run %d type %d: %016llx\n", number, player.pm_type,
                         (unsigned long long)run.seen);
    }
    CM_FreeMap(&run.map);
    assert_true(TestGolden_Check(&golden, "move_random.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
