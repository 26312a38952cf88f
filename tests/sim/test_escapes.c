// Millions of random moves on every visible map: nobody ends in a wall, and nobody gets out.
// A trajectory is named by map, solids and seed, so that one which fails can be run again: add it to
// `cases` below.

#include "base/rng.h"
#include "bsp/bsp.h"
#include "lib/test_entities.h"
#include "lib/testing.h"
#include "move/pmove.h"
#include "move/profiles.h"

#include <glob.h>
#include <math.h>
#include <string.h>

#define MOVES_TOTAL      1000000
#define MOVES_TOTAL_LONG 100000000
#define MOVES_EACH       2000  // of a trajectory
#define MARGIN           64.0f // qu that a box may stick out of the map's bounds: sky, ledges

/// A trajectory that once failed.
typedef struct {
    const char *map;
    int32_t solids;
    uint64_t seed;
} case_t;

// None is known yet.
static const case_t cases[] = {{NULL, 0, 0}};

typedef struct {
    const char *path;
    cmap_t map;
    int32_t solids;
    movevars_t vars;
    test_entities_t *entities;
    vec3_t starts[256];
    int32_t num_starts;
    int64_t moves, airborne, touched;
} ground_t;

static trace_t ground_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const ground_t *ground = context;
    const cm_place_t place = {.model = 0, .solids = ground->solids};
    trace_t trace = CM_BoxTrace(&ground->map, &place, start, end, mins, maxs);
    trace.entnum = trace.fraction < 1.0f || trace.startsolid ? 0 : TRACE_NOTHING;
    return trace;
}

static contents_t ground_contents(void *context, vec3_t point) {
    const ground_t *ground = context;
    return CM_PointContents(&ground->map, 0, point);
}

static pm_world_t world_of(ground_t *ground) {
    return (pm_world_t){
        .context = ground, .trace = ground_trace, .point_contents = ground_contents};
}

static player_state_t player_at(vec3_t origin) {
    return (player_state_t){.origin = origin,
                            .mins = PM_PLAYER_MINS,
                            .maxs = PM_PLAYER_MAXS,
                            .groundentity = -1,
                            .watertype = CONTENTS_EMPTY};
}

/// Places of entities where a player's box is free.
static void find_starts(ground_t *ground) {
    pm_world_t world = world_of(ground);
    bounds_t body = PM_PlayerBox(&ground->vars, false);
    for (int32_t i = 0; i < ground->entities->count && ground->num_starts < 256; i++) {
        player_state_t player = player_at(ground->entities->list[i].origin);
        player.origin.z += 1.0f;
        player.mins = body.mins;
        player.maxs = body.maxs;
        if (PM_PositionIsFree(&player, &world) &&
            ground_contents(ground, player.origin) != CONTENTS_SOLID) {
            ground->starts[ground->num_starts++] = player.origin;
        }
    }
}

static bool open_ground(ground_t *ground, const char *path, int32_t solids) {
    err_t err = {{0}};
    *ground = (ground_t){.path = path, .solids = solids, .vars = MoveVars_Default()};
    ground->entities = calloc(1, sizeof *ground->entities);
    assert_non_null(ground->entities);
    if (!BSP_Load(&ground->map, path, &err)) {
        print_message("SKIPPED: %s\n", err.text);
        free(ground->entities);
        return false;
    }
    if (!TestEntities_Read(ground->entities, &ground->map, &err)) {
        fail_msg("%s: %s", path, err.text);
    }
    PM_FitBody(&ground->vars, ground->map.hullset);
    find_starts(ground);
    if (ground->num_starts == 0) {
        fail_msg("%s: no entity stands where a player could", path);
    }
    return true;
}

static void close_ground(ground_t *ground) {
    CM_FreeMap(&ground->map);
    free(ground->entities);
}

static usercmd_t random_command(rng_t *rng, uint16_t *yaw) {
    if (Rng_Below(rng, 30) == 0) {
        *yaw = (uint16_t)Rng_Below(rng, 65536);
    }
    return (usercmd_t){.msec = (uint8_t)(1 + Rng_Below(rng, 40)),
                       .yaw = *yaw,
                       .pitch = (uint16_t)((int32_t)Rng_Below(rng, 20000) - 10000),
                       .forward = (int16_t)(Rng_Below(rng, 8) ? 400 : -400),
                       .side = (int16_t)((int32_t)Rng_Below(rng, 801) - 400),
                       .up = (int16_t)(Rng_Below(rng, 20) ? 0 : 300),
                       .buttons = (uint8_t)((Rng_Below(rng, 12) ? 0 : BUTTON_JUMP) |
                                            (Rng_Below(rng, 40) ? 0 : BUTTON_DUCK))};
}

static void fail_trajectory(const ground_t *ground, uint64_t seed, int32_t move,
                            const player_state_t *before, const char *what) {
    fail_msg("%s, solids %d, seed %llu: %s after move %d, from %.9g %.9g %.9g by %.9g %.9g %.9g",
             ground->path, ground->solids, (unsigned long long)seed, what, move,
             (double)before->origin.x, (double)before->origin.y, (double)before->origin.z,
             (double)before->velocity.x, (double)before->velocity.y, (double)before->velocity.z);
}

static void run_trajectory(ground_t *ground, uint64_t seed, int32_t moves) {
    pm_world_t world = world_of(ground);
    rng_t rng = {seed};
    vec3_t start = ground->starts[Rng_Below(&rng, (uint32_t)ground->num_starts)];
    player_state_t player = player_at(start);
    bounds_t body = PM_PlayerBox(&ground->vars, false);
    player.mins = body.mins;
    player.maxs = body.maxs;
    bounds_t limits = ground->map.models[0].bounds;
    uint16_t yaw = (uint16_t)Rng_Below(&rng, 65536);
    for (int32_t i = 0; i < moves; i++) {
        if (Rng_Below(&rng, 150) == 0) { // thrown by something
            player.velocity =
                Vector(Rng_Range(&rng, -2000.0f, 2000.0f), Rng_Range(&rng, -2000.0f, 2000.0f),
                       Rng_Range(&rng, -2000.0f, 2000.0f));
        }
        player_state_t before = player;
        pm_touch_t touch;
        usercmd_t cmd = random_command(&rng, &yaw);
        pm_input_t input = PM_InputFromCmd(&cmd);
        PM_Move(&player, &input, cmd.msec, &ground->vars, &world, &touch);
        ground->touched += touch.count > 0;
        ground->airborne += !(player.flags & PMF_ONGROUND);
        if (!PM_PositionIsFree(&player, &world)) {
            fail_trajectory(ground, seed, i, &before, "in a wall");
        }
        if (ground_contents(ground, player.origin) == CONTENTS_SOLID) {
            fail_trajectory(ground, seed, i, &before, "its middle in a wall");
        }
        if (!BoundsTouch((bounds_t){player.origin, player.origin},
                         (bounds_t){VectorAdd(limits.mins, Vector(-MARGIN, -MARGIN, -MARGIN)),
                                    VectorAdd(limits.maxs, Vector(MARGIN, MARGIN, MARGIN))})) {
            fail_trajectory(ground, seed, i, &before, "out of the map");
        }
    }
    ground->moves += moves;
}

static void run_map(const char *path, int32_t solids, int64_t moves, uint64_t seed) {
    static ground_t ground;
    if (!open_ground(&ground, path, solids)) {
        return;
    }
    while (ground.moves < moves) {
        run_trajectory(&ground, seed++, MOVES_EACH);
    }
    print_message("%s, solids %d: %lld moves from %d places, %.0f %% in the air, %.0f %% bumped\n",
                  path, solids, (long long)ground.moves, ground.num_starts,
                  100.0 * (double)ground.airborne / (double)ground.moves,
                  100.0 * (double)ground.touched / (double)ground.moves);
    assert_true(ground.touched * 20 > ground.moves);
    close_ground(&ground);
}

static void test_every_map(void **state) {
    (void)state;
    glob_t found;
    char pattern[512];
    const char *build = getenv("BUILD");
    snprintf(pattern, sizeof pattern, "%s/maps/*.bsp", build && build[0] ? build : "build");
    glob("../shared/data/bsp/*.bsp", 0, NULL, &found);
    glob(pattern, GLOB_APPEND, NULL, &found);
    if (found.gl_pathc == 0) {
        print_message("SKIPPED: no maps\n");
        globfree(&found);
        skip();
    }
    int64_t total = Test_IsLong() ? MOVES_TOTAL_LONG : MOVES_TOTAL;
    int64_t each = total / (int64_t)found.gl_pathc / 2;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        run_map(found.gl_pathv[i], CM_SOLIDS_AUTO, each, 1 + 1000 * i);
        run_map(found.gl_pathv[i], CM_SOLIDS_BRUSHES, each, 500 + 1000 * i);
    }
    globfree(&found);
}

static void test_known_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases) && cases[i].map; i++) {
        run_map(cases[i].map, cases[i].solids, MOVES_EACH, cases[i].seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_map),
        cmocka_unit_test(test_known_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
