#include "lib/scene_fixture.h"

#include "base/hash.h"
#include "lib/map_fixture.h"
#include "math/angles.h"
#include "move/profiles.h"

#include <string.h>

#define PUSH_MINS   ((vec3_t){-48.0f, -48.0f, 0.0f})
#define PUSH_MAXS   ((vec3_t){48.0f, 48.0f, 16.0f})
#define PUSH_SPEED  ((vec3_t){150.0f, -60.0f, 500.0f})
#define PORTAL_MINS ((vec3_t){360.0f, 360.0f, 0.0f})
#define PORTAL_MAXS ((vec3_t){440.0f, 440.0f, 80.0f})
#define LADDER_MINS ((vec3_t){312.0f, -448.0f, 0.0f}) // in front of the block after the stairs
#define LADDER_MAXS ((vec3_t){320.0f, -256.0f, 118.0f})
#define NET_MINS    ((vec3_t){335.0f, -80.0f, 0.0f}) // before the slanted wall
#define NET_MAXS    ((vec3_t){372.0f, 80.0f, 200.0f})
#define BELT_MINS   ((vec3_t){-512.0f, -512.0f, -1.0f})
#define BELT_MAXS   ((vec3_t){130.0f, 180.0f, 1.0f})
#define BELT_SPEED  ((vec3_t){-40.0f, 90.0f, 0.0f})
#define BELT_ENTNUM 7
#define STREAM_MINS ((vec3_t){-80.0f, -512.0f, 30.0f})
#define STREAM_MAXS ((vec3_t){60.0f, 512.0f, 384.0f})
#define STREAM      ((vec3_t){70.0f, 0.0f, 35.0f})
#define PORTAL_EXIT ((vec3_t){-320.0f, 320.0f, 200.0f}) // above the pool

static const struct {
    vec3_t origin;
    float yaw;
} spots[TEST_SCENE_SPOTS] = {
    {{60.0f, -350.0f, 24.5f}, 0.0f},    // before the stairs
    {{-440.0f, -370.0f, 24.5f}, 0.0f},  // before the gentle ramp
    {{-340.0f, -210.0f, 24.5f}, 0.0f},  // before the steep ramp
    {{-320.0f, 320.0f, 150.0f}, 90.0f}, // above the pool
    {{-320.0f, 320.0f, 80.0f}, 0.0f},   // in the pool
    {{-120.0f, 20.0f, 24.5f}, 350.0f},  // beside the push pad
    {{330.0f, 330.0f, 24.5f}, 45.0f},   // beside the teleporter
    {{300.0f, 0.0f, 24.5f}, 0.0f},      // before the slanted wall and the corner
    {{200.0f, 100.0f, 24.5f}, 90.0f},   // under the low ceiling
    {{0.0f, 0.0f, 300.0f}, 200.0f},     // high above the push pad
};

static trace_t trace_hall(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const test_scene_t *scene = context;
    trace_t trace = CM_BoxTrace(&scene->map, &(cm_object_t){.model = 0}, start, end, mins, maxs);
    trace.entnum = trace.fraction < 1.0f || trace.startsolid ? 0 : TRACE_NOTHING;
    vec3_t feet = VectorAdd(trace.endpos, Vector(0.0f, 0.0f, mins.z));
    if (scene->has_extras && trace.entnum == 0 &&
        BoundsTouch((bounds_t){feet, feet}, (bounds_t){BELT_MINS, BELT_MAXS})) {
        trace.entnum = BELT_ENTNUM;
    }
    return trace;
}

static pm_volume_t volume_hall(void *context, vec3_t absmin, vec3_t absmax) {
    test_scene_t *scene = context;
    const bounds_t box = {absmin, absmax};
    bool climbs = BoundsTouch(box, (bounds_t){LADDER_MINS, LADDER_MAXS}) ||
                  BoundsTouch(box, (bounds_t){NET_MINS, NET_MAXS});
    bool drifts = BoundsTouch(box, (bounds_t){STREAM_MINS, STREAM_MAXS});
    scene->num_in_stream += drifts;
    return (pm_volume_t){.ladder = climbs,
                         .ladder_normal = Vector(climbs ? -1.0f : 0.0f, 0.0f, 0.0f),
                         .current = drifts ? STREAM : (vec3_t){0.0f, 0.0f, 0.0f}};
}

static pm_surface_t surface_hall(void *context, int32_t entnum, vec3_t at) {
    test_scene_t *scene = context;
    (void)at;
    if (entnum != BELT_ENTNUM) {
        return (pm_surface_t){.friction = 0.0f};
    }
    scene->num_on_belt++;
    return (pm_surface_t){.velocity = BELT_SPEED, .friction = 0.5f};
}

void TestScene_AddExtras(test_scene_t *scene) {
    scene->has_extras = true;
    scene->world.volume = volume_hall;
    scene->world.surface = surface_hall;
}

static contents_t contents_hall(void *context, vec3_t point) {
    const test_scene_t *scene = context;
    return CM_PointContents(&scene->map, 0, point);
}

static int32_t overlap_hall(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                            int32_t max) {
    const test_scene_t *scene = context;
    memset(entnums, 0, (size_t)max * sizeof *entnums);
    return CM_Overlap(&scene->map, &(cm_object_t){.model = 0}, box, contacts, max);
}

static bool touches(const player_state_t *player, vec3_t mins, vec3_t maxs) {
    return BoundsTouch((bounds_t){VectorAdd(player->origin, player->mins),
                                  VectorAdd(player->origin, player->maxs)},
                       (bounds_t){mins, maxs});
}

static bool after_step(void *context, player_state_t *player, const usercmd_t *cmd, int32_t step_ms,
                       const pm_touch_t *touch) {
    test_scene_t *scene = context;
    if (touches(player, PUSH_MINS, PUSH_MAXS)) {
        player->velocity = PUSH_SPEED;
        scene->num_pushes++;
    }
    if (touches(player, PORTAL_MINS, PORTAL_MAXS)) {
        player->origin = PORTAL_EXIT;
        player->velocity = Vector(30.0f, 0.0f, 0.0f);
        player->flags = Flags_Count(player->flags, PMF_TELEPORT, PMF_TELEPORT_STEP);
        player->delta_yaw = (player->delta_yaw + 0x4321) & 0xffff; // it comes out turned
        scene->num_teleports++;
    }
    const int32_t folded[] = {step_ms,      cmd->buttons, cmd->pitch,        cmd->yaw,
                              cmd->forward, cmd->side,    touch->entnums[0], touch->count};
    scene->seen =
        Hash_Bytes(folded, touch->count > 0 ? sizeof folded : sizeof folded - 8, scene->seen);
    scene->seen = Hash_Bytes(player, offsetof(player_state_t, movetype), scene->seen);
    scene->num_steps++;
    scene->num_wet += player->waterlevel >= 2;
    scene->num_jumps += player->jump_ms == step_ms;
    scene->num_ducked += (player->flags & PMF_DUCKED) != 0;
    scene->num_climbing += (player->flags & PMF_ONLADDER) != 0;
    scene->num_steps_up += (player->flags & PMF_ONGROUND) && player->origin.z > 39.0f;
    return true;
}

bool TestScene_Build(test_scene_t *scene) {
    test_block_t blocks[32];
    int32_t count = 0;
    for (int32_t i = 0; i < 6; i++) { // stairs of 16
        float x = 128.0f + 32.0f * (float)i;
        blocks[count++] = TestMap_Box(Vector(x, -448.0f, 0.0f),
                                      Vector(x + 32.0f, -256.0f, 16.0f * (float)(i + 1)));
    }
    blocks[count++] = TestMap_Box(Vector(320.0f, -448.0f, 0.0f), Vector(400.0f, -256.0f, 115.0f));
    blocks[count++] =
        TestMap_RampX(Vector(-400.0f, -448.0f, 0.0f), Vector(-160.0f, -300.0f, 120.0f));
    blocks[count++] =
        TestMap_RampX(Vector(-300.0f, -280.0f, 0.0f), Vector(-160.0f, -140.0f, 180.0f));
    // The pool has four banks, and water up to 16 below their top.
    blocks[count++] = TestMap_Box(Vector(-464.0f, 176.0f, 0.0f), Vector(-448.0f, 464.0f, 112.0f));
    blocks[count++] = TestMap_Box(Vector(-192.0f, 176.0f, 0.0f), Vector(-128.0f, 464.0f, 112.0f));
    blocks[count++] = TestMap_Box(Vector(-464.0f, 176.0f, 0.0f), Vector(-128.0f, 192.0f, 112.0f));
    blocks[count++] = TestMap_Box(Vector(-464.0f, 448.0f, 0.0f), Vector(-128.0f, 464.0f, 112.0f));
    blocks[count++] = TestMap_Box(Vector(-448.0f, 192.0f, 0.0f), Vector(-400.0f, 240.0f, 70.0f));
    blocks[count++] = (test_block_t){.box = {{-448.0f, 192.0f, 0.0f}, {-192.0f, 448.0f, 96.0f}},
                                     .contents = CONTENTS_WATER};
    // A slanted wall in a corner, a low ceiling, a ledge too high to climb, a puddle of slime.
    blocks[count++] = (test_block_t){.box = {{380.0f, -120.0f, 0.0f}, {512.0f, 120.0f, 256.0f}},
                                     .contents = CONTENTS_SOLID,
                                     .cut_normal = {-0.6f, 0.8f, 0.0f},
                                     .cut_dist = -250.0f};
    blocks[count++] = TestMap_Box(Vector(160.0f, 60.0f, 62.0f), Vector(280.0f, 200.0f, 90.0f));
    blocks[count++] = TestMap_Box(Vector(160.0f, 200.0f, 0.0f), Vector(280.0f, 260.0f, 19.0f));
    blocks[count++] = (test_block_t){.box = {{60.0f, 100.0f, 0.0f}, {160.0f, 260.0f, 30.0f}},
                                     .contents = CONTENTS_SLIME};
    const test_map_t hall = {.room = {{-512.0f, -512.0f, 0.0f}, {512.0f, 512.0f, 384.0f}},
                             .blocks = blocks,
                             .num_blocks = count};
    *scene = (test_scene_t){.world = {.context = scene,
                                      .trace = trace_hall,
                                      .point_contents = contents_hall,
                                      .overlap = overlap_hall},
                            .hooks = {scene, after_step}};
    return TestMap_Build(&scene->map, &hall);
}

player_state_t TestScene_PlayerAt(int32_t spot) {
    return (player_state_t){
        .origin = spots[spot].origin,
        .angles = Vector(0.0f, spots[spot].yaw, 0.0f),
        .mins = PM_PLAYER_MINS,
        .maxs = PM_PLAYER_MAXS,
        .movetype = MOVETYPE_WALK,
        .groundentity = -1,
        .watertype = CONTENTS_EMPTY,
        .health = 100,
    };
}

static int16_t random_wish(rng_t *rng, uint32_t share) {
    return (int16_t)(Rng_Below(rng, 100) < share ? 400 : (int32_t)Rng_Below(rng, 801) - 400);
}

int32_t TestScene_RandomInput(rng_t *rng, int32_t spot, int32_t total_ms, test_hold_t *holds,
                              int32_t max) {
    uint32_t yaw = AngleToShort(spots[spot].yaw);
    int32_t count = 0;
    for (int32_t ms = 0; ms < total_ms && count < max; count++) {
        int32_t hold_ms = Q_MinI(1 + (int32_t)Rng_Below(rng, 60), total_ms - ms);
        yaw += Rng_Below(rng, 3000) - 1500u;
        holds[count] = (test_hold_t){
            .cmd = {.pitch = AngleToShort(Rng_Range(rng, -50.0f, 50.0f)),
                    .yaw = (uint16_t)yaw,
                    .forward = random_wish(rng, 80),
                    .side = random_wish(rng, 10),
                    .up = (int16_t)((int32_t)Rng_Below(rng, 641) - 320),
                    .buttons = Rng_Below(rng, 8) == 0 ? BUTTON_JUMP : 0},
            .ms = hold_ms,
        };
        ms += hold_ms;
    }
    return count;
}

void TestScene_AddDucks(rng_t *rng, test_hold_t *holds, int32_t count) {
    bool down = false;
    for (int32_t i = 0; i < count; i++) {
        down = Rng_Below(rng, down ? 12 : 20) == 0 ? !down : down;
        holds[i].cmd.buttons |= down ? BUTTON_DUCK : 0;
    }
}

static void print_player(test_golden_t *golden, int32_t ms, const player_state_t *player) {
    TestGolden_Print(golden, "%d ms", ms);
    TestGolden_Vector(golden, "at", player->origin);
    TestGolden_Vector(golden, "velocity", player->velocity);
    TestGolden_Print(golden, " flags %u water %d jump %d waterjump %d\n", player->flags,
                     player->waterlevel, player->jump_ms, player->waterjump_ms);
}

static void print_runs(test_scene_t *scene, test_golden_t *golden, const movevars_t *vars,
                       movetype_t movetype) {
    enum { TOTAL_MS = 4000, PRINT_MS = 160, MAX_HOLDS = TOTAL_MS };
    static const vec3_t throws[] = {{1, 0, 1}, {0, 1, 1}, {-1, 0, 1}, {0, -1, 1}, {1, -1, 0.5f}};
    static test_hold_t holds[MAX_HOLDS];
    for (int32_t spot = 0; spot < TEST_SCENE_SPOTS; spot++) {
        rng_t rng = {(uint64_t)spot + 1};
        player_state_t player = TestScene_PlayerAt(spot);
        player.movetype = (int32_t)movetype;
        if (movetype == MOVETYPE_TOSS) { // thrown: it has no control
            player.velocity = VectorScale(throws[spot % (int32_t)COUNTOF(throws)], 500.0f);
        }
        int32_t count = TestScene_RandomInput(&rng, spot, TOTAL_MS, holds, MAX_HOLDS);
        if (scene->has_extras) {
            TestScene_AddDucks(&rng, holds, count);
        }
        int32_t ms = 0;
        TestGolden_Print(golden, "# spot %d\n", spot);
        for (int32_t i = 0; i < count; i++) {
            int32_t printed = ms / PRINT_MS;
            PM_RunCommand(&player, &holds[i].cmd, holds[i].ms, vars, &scene->world, &scene->hooks);
            ms += holds[i].ms;
            if (ms / PRINT_MS != printed) {
                print_player(golden, ms, &player);
            }
        }
        TestGolden_Print(golden, "all steps %016llx\n", (unsigned long long)scene->seen);
    }
}

void TestScene_PrintRuns(test_golden_t *golden) {
    test_scene_t scene;
    const movevars_t vars = MoveVars_Default();
    if (TestScene_Build(&scene)) {
        print_runs(&scene, golden, &vars, MOVETYPE_WALK);
        CM_FreeMap(&scene.map);
    }
}

void TestScene_PrintTypes(test_golden_t *golden) {
    static const movetype_t types[] = {MOVETYPE_NOCLIP, MOVETYPE_FLY, MOVETYPE_TOSS, MOVETYPE_NONE};
    for (size_t i = 0; i < COUNTOF(types); i++) {
        test_scene_t scene;
        const movevars_t vars = MoveVars_Default();
        if (TestScene_Build(&scene)) {
            TestScene_AddExtras(&scene);
            TestGolden_Print(golden, "## movetype %d\n", (int32_t)types[i]);
            print_runs(&scene, golden, &vars, types[i]);
            CM_FreeMap(&scene.map);
        }
    }
}

void TestScene_PrintProfile(test_golden_t *golden, const char *profile) {
    test_scene_t scene;
    movevars_t vars;
    if (PM_Profile(profile, &vars) && TestScene_Build(&scene)) {
        PM_FitBody(&vars, false);
        TestScene_AddExtras(&scene);
        print_runs(&scene, golden, &vars, MOVETYPE_WALK);
        TestGolden_Print(golden,
                         "# %lld steps: %lld ducked, %lld climbing, %lld on the belt, %lld in the "
                         "stream, %lld in water\n",
                         (long long)scene.num_steps, (long long)scene.num_ducked,
                         (long long)scene.num_climbing, (long long)scene.num_on_belt,
                         (long long)scene.num_in_stream, (long long)scene.num_wet);
        CM_FreeMap(&scene.map);
    }
}
