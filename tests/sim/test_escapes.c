// Millions of random moves on every visible map and mesh. No player ends in solid, no player leaves
// the map. A trajectory is identified by map, solids and seed. To repeat one that fails, add it to
// `cases` below.

#include "base/rng.h"
#include "bsp/bsp.h"
#include "client/map_entities.h"
#include "lib/mesh_fixture.h"
#include "lib/testing.h"
#include "move/pmove.h"
#include "move/profiles.h"

#include <glob.h>
#include <math.h>
#include <string.h>

#define MOVES_TOTAL      1000000
#define MOVES_TOTAL_LONG 100000000
#define MOVES_EACH       2000  // per trajectory
#define MARGIN           64.0f // qu that a box may stick out of the map's bounds: sky, ledges

/// A trajectory that failed once.
typedef struct {
    const char *map;
    int32_t solids;
    uint64_t seed;
} case_t;

// No failing trajectory is known.
static const case_t cases[] = {{NULL, 0, 0}};

typedef enum {
    GROUND_MAP,   ///< outside = solid, or beyond the bounds
    GROUND_LEVEL, ///< triangles of a map: outside = where that map (`shape`) is solid
    GROUND_HILLS  ///< a height field: outside = below it
} ground_kind_t;

typedef struct {
    const char *path;
    ground_kind_t kind;
    cmap_t map, shape;
    cmodel_t mesh_model;
    built_mesh_t mesh;
    int32_t solids;
    movevars_t vars;
    map_entities_t *entities;
    vec3_t starts[256];
    int32_t num_starts;
    int64_t moves, airborne, touched;
} ground_t;

static int64_t total_moves(void) {
    return Test_IsLong() ? MOVES_TOTAL_LONG : Test_IsSlow() ? MOVES_TOTAL / 5 : MOVES_TOTAL;
}

static trace_t ground_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const ground_t *ground = context;
    const cm_object_t place = {.model = 0, .solids = ground->solids};
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
                            .movetype = MOVETYPE_WALK,
                            .groundentity = -1,
                            .watertype = CONTENTS_EMPTY};
}

/// Collects positions of entities where a player's box is free.
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
    if (!MapEntities_Read(ground->entities, &ground->map, &err)) {
        fail_msg("%s: %s", path, err.text);
    }
    PM_FitBody(&ground->vars, ground->map.hullset);
    find_starts(ground);
    if (ground->num_starts == 0) {
        fail_msg("%s: no entity stands where a player could", path);
    }
    return true;
}

/// Makes the triangles the whole world.
static void set_mesh(ground_t *ground, test_mesh_t *source, uint32_t flags) {
    ground->mesh = TestMesh_Build(source, flags, CONTENTS_SOLID);
    TestMesh_Free(source);
    ground->mesh_model = (cmodel_t){
        .kind = MODEL_MESH, .mesh = &ground->mesh.mesh, .bounds = ground->mesh.mesh.bounds};
    ground->map = (cmap_t){.models = &ground->mesh_model, .num_models = 1};
}

/// Loads the triangles of lq_e0m1; players start at the map's entities.
static bool open_level(ground_t *ground) {
    test_mesh_t source = {0};
    if (!open_ground(ground, "../shared/data/bsp/lq_e0m1.bsp", CM_SOLIDS_AUTO)) {
        return false;
    }
    ground->path = "../shared/data/bench/level.obj.gz";
    if (!TestMesh_ReadObj(&source, ground->path)) {
        print_message("SKIPPED: %s: no such file\n", ground->path);
        return false;
    }
    ground->kind = GROUND_LEVEL;
    ground->shape = ground->map;
    set_mesh(ground, &source, 0);
    return true;
}

static void open_hills(ground_t *ground, uint32_t flags) {
    rng_t rng = {99};
    test_mesh_t source = {0};
    *ground = (ground_t){.path = flags ? "hills, one-sided" : "hills",
                         .kind = GROUND_HILLS,
                         .vars = MoveVars_Default()};
    TestMesh_Hills(&source, &rng, 40, 400.0f);
    set_mesh(ground, &source, flags);
    pm_world_t world = world_of(ground);
    while (ground->num_starts < 64) {
        player_state_t player = player_at(
            Vector(Rng_Range(&rng, -900.0f, 900.0f), Rng_Range(&rng, -900.0f, 900.0f), 800.0f));
        assert_true(PM_PositionIsFree(&player, &world));
        ground->starts[ground->num_starts++] = player.origin;
    }
}

static void close_ground(ground_t *ground) {
    if (ground->kind == GROUND_MAP) {
        CM_FreeMap(&ground->map);
    }
    CM_FreeMap(&ground->shape);
    Mesh_Free(&ground->mesh);
    free(ground->entities);
}

static bool is_beyond(bounds_t limits, vec3_t origin, float margin) {
    const vec3_t more = {margin, margin, margin};
    return !BoundsTouch((bounds_t){origin, origin}, (bounds_t){VectorSubtract(limits.mins, more),
                                                               VectorAdd(limits.maxs, more)});
}

/// Returns why the player is out of the map, or NULL if it is inside.
static const char *is_out(ground_t *ground, vec3_t origin) {
    const vec3_t point = {0.0f, 0.0f, 0.0f};
    bounds_t limits = ground->map.models[0].bounds;
    switch (ground->kind) {
    case GROUND_HILLS: {
        vec3_t sky = {origin.x, origin.y, limits.maxs.z + 4096.0f};
        return ground_trace(ground, origin, point, point, sky).fraction < 1.0f ? "below the hills"
                                                                               : NULL;
    }
    case GROUND_LEVEL:
        return CM_PointContents(&ground->shape, 0, origin) == CONTENTS_SOLID ? "out of the level"
                                                                             : NULL;
    case GROUND_MAP:
        if (ground_contents(ground, origin) == CONTENTS_SOLID) {
            return "its middle in a wall";
        }
        break;
    }
    return is_beyond(limits, origin, MARGIN) ? "out of the map" : NULL;
}

/// A player at the edge of a field starts again.
static bool is_at_edge(const ground_t *ground, vec3_t origin) {
    bounds_t limits = ground->map.models[0].bounds;
    limits.maxs.z = INFINITY;
    return ground->kind == GROUND_HILLS && is_beyond(limits, origin, -64.0f);
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
    uint16_t yaw = (uint16_t)Rng_Below(&rng, 65536);
    for (int32_t i = 0; i < moves; i++) {
        if (Rng_Below(&rng, 150) == 0) { // random velocity, as from an explosion
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
        const char *out = is_out(ground, player.origin);
        if (out) {
            fail_trajectory(ground, seed, i, &before, out);
        }
        if (is_at_edge(ground, player.origin)) {
            player = player_at(start);
        }
    }
    ground->moves += moves;
}

static void run_ground(ground_t *ground, int64_t moves, uint64_t seed) {
    while (ground->moves < moves) {
        run_trajectory(ground, seed++, MOVES_EACH);
    }
    print_message("%s, solids %d: %lld moves from %d places, %.0f %% in the air, %.0f %% bumped\n",
                  ground->path, ground->solids, (long long)ground->moves, ground->num_starts,
                  100.0 * (double)ground->airborne / (double)ground->moves,
                  100.0 * (double)ground->touched / (double)ground->moves);
    assert_true(ground->touched * 20 > ground->moves);
    close_ground(ground);
}

static void run_map(const char *path, int32_t solids, int64_t moves, uint64_t seed) {
    static ground_t ground;
    if (open_ground(&ground, path, solids)) {
        run_ground(&ground, moves, seed);
    }
}

static void test_meshes(void **state) {
    (void)state;
    static ground_t ground;
    int64_t each = total_moves() / 10;
    if (open_level(&ground)) {
        run_ground(&ground, each, 1);
    }
    open_hills(&ground, 0);
    run_ground(&ground, each, 2);
    open_hills(&ground, MESH_ONE_SIDED);
    run_ground(&ground, each, 3);
}

static void test_every_map(void **state) {
    (void)state;
    glob_t found;
    char pattern[512];
    snprintf(pattern, sizeof pattern, "%s/maps/*.bsp", Test_BuildFolder());
    glob("../shared/data/bsp/*.bsp", 0, NULL, &found);
    glob(pattern, GLOB_APPEND, NULL, &found);
    if (found.gl_pathc == 0) {
        print_message("SKIPPED: no maps\n");
        globfree(&found);
        skip();
    }
    int64_t total = total_moves();
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
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_known_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
