// Players walk maps of Quake II and Quake III at random, through the whole simulation and the
// reference game: brushes, and curved patches. No player gets stuck or falls out of the map.

#include "bsp/bsp.h"
#include "core/frame.h"
#include "game/game.h"
#include "lib/pk3_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "world/block.h"

#include <string.h>

enum { WALKERS = 16, TICK_MS = 16, STALL_TICKS = 24 };

#define STALL_RANGE 48.0f // qu: moving less in STALL_TICKS turns a walker around
#define STUCK_TICKS 625   // 10 s ...
#define STUCK_DISTANCE                                                                             \
    100.0f                   // qu; ... in which a walker that is not stuck runs farther, to and fro
#define PUSHED_SPEED 2000.0f // qu/s
#define CELL         128.0f  // qu

typedef struct {
    float yaw;
    int64_t turn_tick, stall_tick, stuck_tick;
    vec3_t stall_place, last_place;
    float distance; // since stuck_tick
} walker_t;

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t game;
    inputs_t *inputs;
    events_t *events;
    rng_t rng;
    walker_t walkers[WALKERS];
    int32_t num_cells, num_grounded, num_samples;
    int32_t cells[4096]; // cells that a player stood in
} walk_t;

static void start_match(walk_t *walk, uint64_t seed) {
    err_t err = {{0}};
    walk->rng = (rng_t){seed};
    walk->inputs = calloc(1, sizeof(inputs_t));
    walk->events = calloc(1, sizeof(events_t));
    assert_true(walk->inputs);
    assert_true(walk->events);
    const world_params_t params = {.max_edicts = 2048,
                                   .max_clients = WALKERS,
                                   .seed = seed,
                                   .map_hash = walk->map.hash,
                                   .bounds = walk->map.models[0].bounds};
    walk->world = World_Init(malloc(World_Bytes(&params)), &params);
    assert_non_null(walk->world);
    if (!SV_BindGame(walk->world, Game_Export(), &walk->game, &err) ||
        !SV_SpawnEntities(walk->world, &walk->map, &walk->game, walk->events, &err)) {
        fail_msg("%s: %s", walk->map.name, err.text);
    }
    for (int32_t i = 0; i < WALKERS; i++) {
        input_t *join = Inputs_Add(walk->inputs, INPUT_JOIN, i);
        snprintf(join->text, sizeof(join->text), "walker%d", i);
    }
}

static void end_match(walk_t *walk) {
    CM_FreeMap(&walk->map);
    free(walk->world);
    free(walk->inputs);
    free(walk->events);
}

static bool is_within(vec3_t a, vec3_t b, float range) {
    vec3_t apart = VectorSubtract(a, b);
    return DotProduct(apart, apart) < range * range;
}

/// Returns a walker's next usercmd: straight on, a turn now and then, sooner if it makes no
/// progress; jumps at times.
static usercmd_t think(walk_t *walk, walker_t *walker, const player_state_t *player) {
    int64_t now = walk->world->tick;
    bool stalls = false;
    if (now - walker->stall_tick >= STALL_TICKS) {
        stalls = is_within(player->origin, walker->stall_place, STALL_RANGE);
        walker->stall_tick = now;
        walker->stall_place = player->origin;
    }
    if (stalls || now >= walker->turn_tick) {
        walker->yaw = Rng_Range(&walk->rng, 0.0f, 360.0f);
        walker->turn_tick = now + 20 + (int64_t)Rng_Below(&walk->rng, 120);
    }
    bool jumps = player->waterlevel >= 2 || Rng_Below(&walk->rng, 100) == 0;
    return (usercmd_t){.tick = now,
                       .msec = TICK_MS,
                       .yaw = AngleToShort(walker->yaw),
                       .forward = 320,
                       .buttons = jumps ? BUTTON_JUMP : 0};
}

static void note_cell(walk_t *walk, vec3_t origin) {
    int32_t x = Q_ToInt(origin.x / CELL + 512.0f, 0, 1023);
    int32_t y = Q_ToInt(origin.y / CELL + 512.0f, 0, 1023);
    int32_t z = Q_ToInt(origin.z / CELL + 512.0f, 0, 1023);
    int32_t cell = (z * 1024 + y) * 1024 + x;
    for (int32_t i = 0; i < walk->num_cells; i++) {
        if (walk->cells[i] == cell) {
            return;
        }
    }
    if (walk->num_cells < (int32_t)COUNTOF(walk->cells)) {
        walk->cells[walk->num_cells++] = cell;
    }
}

/// Fails if a walker is in something solid, below the map, or makes no progress.
static void look_at(walk_t *walk, int32_t number, const player_state_t *player) {
    walker_t *walker = &walk->walkers[number];
    int64_t now = walk->world->tick;
    vec3_t at = player->origin;
    const cm_object_t place = {.model = 0};
    if (player->health <= 0) {
        walker->stuck_tick = now;
        walker->distance = 0.0f;
        return;
    }
    trace_t trace = CM_BoxTrace(&walk->map, &place, at, at, Vector(-16.0f, -16.0f, -24.0f),
                                Vector(16.0f, 16.0f, 32.0f));
    if (trace.startsolid || at.z < walk->map.models[0].bounds.mins.z) {
        fail_msg("%s: walker %d is in the map's solid or below it at %.9g %.9g %.9g",
                 walk->map.name, number, (double)at.x, (double)at.y, (double)at.z);
    }
    walker->distance += VectorLength(VectorSubtract(at, walker->last_place));
    walker->last_place = at;
    if (now - walker->stuck_tick >= STUCK_TICKS) {
        // Quake III's push triggers aim at a target. The game does not know that and pushes players
        // against a wall.
        if (walker->distance < STUCK_DISTANCE && VectorLength(player->velocity) < PUSHED_SPEED) {
            fail_msg("%s: walker %d is stuck at %.9g %.9g %.9g", walk->map.name, number,
                     (double)at.x, (double)at.y, (double)at.z);
        }
        walker->stuck_tick = now;
        walker->distance = 0.0f;
    }
    if (now % 16 == 0) {
        walk->num_samples++;
        if (player->flags & PMF_ONGROUND) {
            walk->num_grounded++;
            note_cell(walk, at);
        }
    }
}

static void play(walk_t *walk, int32_t seconds) {
    for (int32_t tick = 0; tick < seconds * 1000 / TICK_MS; tick++) {
        for (int32_t i = 0; tick > 0 && i < WALKERS; i++) {
            const client_t *client = World_Client(walk->world, i);
            input_t *input = Inputs_Add(walk->inputs, INPUT_USERCMD, i);
            input->cmd = think(walk, &walk->walkers[i], &client->player);
        }
        Events_Clear(walk->events);
        SV_Frame(walk->world, &walk->map, &walk->game, walk->inputs, walk->events);
        walk->inputs->count = 0;
        for (int32_t i = 0; i < WALKERS; i++) {
            look_at(walk, i, &World_Client(walk->world, i)->player);
        }
    }
}

/// Walks on a loaded map.
static void walk_map(walk_t *walk, int32_t least_cells) {
    int32_t seconds = Test_IsLong() ? 1800 : 20;
    start_match(walk, 5);
    play(walk, seconds);
    print_message("%s: %d players walked for %d s, stood in %d cells, on ground %d of %d times\n",
                  walk->map.name, WALKERS, seconds, walk->num_cells, walk->num_grounded,
                  walk->num_samples);
    assert_int_equal(walk->world->counters.quarantined, 0);
    assert_true(walk->num_cells >= least_cells);
    assert_true(walk->num_grounded * 4 > walk->num_samples);
    end_match(walk);
    free(walk);
}

static void walk_file(const char *name, int32_t least_cells) {
    char path[200];
    err_t err = {{0}};
    walk_t *walk = calloc(1, sizeof(*walk));
    assert_non_null(walk);
    snprintf(path, sizeof(path), "../shared/data/bsp/%s.bsp", name);
    if (!BSP_Load(&walk->map, path, &err)) {
        print_message("SKIPPED: %s\n", err.text);
        free(walk);
        return;
    }
    walk_map(walk, least_cells);
}

static void walk_pk3(pk3_map_t number, int32_t least_cells) {
    walk_t *walk = calloc(1, sizeof(*walk));
    assert_non_null(walk);
    if (!TestPk3_Load(number, &walk->map)) {
        free(walk);
        return;
    }
    walk_map(walk, least_cells);
}

static void test_quake2(void **state) {
    (void)state;
    walk_file("lqdm2_q2", 40);
    walk_file("lqdm11_q2", 40);
}

static void test_quake3(void **state) {
    (void)state;
    walk_pk3(PK3_AGGRESSOR, 40);
}

static void test_quake3_patches(void **state) {
    (void)state;
    walk_pk3(PK3_WRACKDM17, 20); // in space: many players fall into it
    walk_pk3(PK3_CTF_INYARD, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quake2),
        cmocka_unit_test(test_quake3),
        cmocka_unit_test(test_quake3_patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
