// Players walk the project's maps at random, through the whole simulation and the reference game.
// No player gets stuck or caught in a corner, and players reach the places that reach_fixture.h
// finds.

#include "bsp/bsp.h"
#include "core/frame.h"
#include "game/game.h"
#include "lib/reach_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "world/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WALKERS      14
#define TICK_MS      16
#define SAMPLE_TICKS 16
#define CAUGHT_S     90     // seconds within CAUGHT_RANGE that count as caught
#define CAUGHT_RANGE 192.0f // qu
#define STALL_TICKS  24
#define STALL_RANGE  48.0f // qu: moving less in STALL_TICKS turns a walker around
#define KNOWN_XY     33.0f // qu; a sample may be this far from a place of the graph ...
#define KNOWN_Z      20.0f // ... and this far in height
#define KNOWN_SHARE  0.995f
#define MOST_SAMPLES 65536

typedef struct {
    float yaw;
    int64_t turn_tick, stall_tick, caught_tick;
    vec3_t stall_place, caught_place;
} walker_t;

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t game;
    inputs_t *inputs;
    events_t *events;
    map_entities_t *entities;
    rng_t rng;
    walker_t walkers[WALKERS];
    vec3_t *samples;
    int32_t num_samples;
} walk_t;

/// Starts a match on a compiled map. Returns false and prints why if it is not compiled.
static bool start_match(walk_t *walk, const char *name, uint64_t seed) {
    char path[512];
    err_t err = {{0}};
    snprintf(path, sizeof(path), "%s/maps/%s.bsp", Test_BuildFolder(), name);
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not compiled (make maps)\n", path);
        return false;
    }
    *walk = (walk_t){.rng = {seed}};
    walk->entities = calloc(1, sizeof(map_entities_t));
    walk->samples = calloc(MOST_SAMPLES, sizeof(vec3_t));
    walk->inputs = calloc(1, sizeof(inputs_t));
    walk->events = calloc(1, sizeof(events_t));
    assert_true(walk->entities);
    assert_true(walk->samples);
    assert_true(walk->inputs);
    assert_true(walk->events);
    if (!BSP_Load(&walk->map, path, &err) || !MapEntities_Read(walk->entities, &walk->map, &err)) {
        fail_msg("%s: %s", name, err.text);
    }
    const world_params_t params = {.max_edicts = 1024,
                                   .max_clients = WALKERS,
                                   .seed = seed,
                                   .map_hash = walk->map.hash,
                                   .bounds = walk->map.models[0].bounds};
    walk->world = World_Init(malloc(World_Bytes(&params)), &params);
    assert_non_null(walk->world);
    if (!SV_BindGame(walk->world, Game_Export(), &walk->game, &err) ||
        !SV_SpawnEntities(walk->world, &walk->map, &walk->game, walk->events, &err)) {
        fail_msg("%s: %s", name, err.text);
    }
    for (int32_t i = 0; i < WALKERS; i++) {
        input_t *join = Inputs_Add(walk->inputs, INPUT_JOIN, i);
        snprintf(join->text, sizeof(join->text), "walker%d", i);
    }
    return true;
}

static void end_match(walk_t *walk) {
    CM_FreeMap(&walk->map);
    free(walk->world);
    free(walk->inputs);
    free(walk->events);
    free(walk->entities);
    free(walk->samples);
}

static bool is_within(vec3_t a, vec3_t b, float range) {
    vec3_t apart = VectorSubtract(a, b);
    return DotProduct(apart, apart) < range * range;
}

/// Returns a walker's next usercmd: straight on, a turn now and then, sooner if it makes no
/// progress. It jumps at times, and always in water.
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

/// Records a walker's position. Fails if it is in something solid, or has not left one corner for
/// CAUGHT_S.
static void look_at(walk_t *walk, int32_t number, const client_t *client) {
    walker_t *walker = &walk->walkers[number];
    vec3_t origin = client->player.origin;
    int64_t now = walk->world->tick;
    if (client->player.health > 0 && !Reach_IsFree(&walk->map, walk->entities, origin)) {
        fail_msg("%s: walker %d is in the map's solid at %.9g %.9g %.9g", walk->map.name, number,
                 (double)origin.x, (double)origin.y, (double)origin.z);
    }
    if (walker->caught_tick == 0 || !is_within(origin, walker->caught_place, CAUGHT_RANGE)) {
        walker->caught_tick = now;
        walker->caught_place = origin;
    }
    if ((now - walker->caught_tick) * TICK_MS > CAUGHT_S * 1000) {
        fail_msg("%s: walker %d has been within %g of %g %g %g for %d s", walk->map.name, number,
                 (double)CAUGHT_RANGE, (double)walker->caught_place.x,
                 (double)walker->caught_place.y, (double)walker->caught_place.z, CAUGHT_S);
    }
    const player_state_t *player = &client->player;
    bool on_somebody = player->groundentity >= 1 && player->groundentity <= WALKERS;
    bool stands = player->health > 0 && (player->flags & PMF_ONGROUND) && !on_somebody;
    if (now % SAMPLE_TICKS == 0 && stands && walk->num_samples < MOST_SAMPLES) {
        walk->samples[walk->num_samples++] = origin;
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
            look_at(walk, i, World_Client(walk->world, i));
        }
    }
}

static bool is_known(const reach_t *reach, vec3_t sample) {
    for (int32_t i = 0; i < reach->num_places; i++) {
        vec3_t apart = VectorSubtract(reach->places[i].origin, sample);
        if (fabsf(apart.x) < KNOWN_XY && fabsf(apart.y) < KNOWN_XY && fabsf(apart.z) < KNOWN_Z) {
            return true;
        }
    }
    return false;
}

/// Compares the walkers' positions with the graph. Nearly all are places of the graph, so neither
/// method reaches much more of the map.
static void compare_with_graph(const walk_t *walk) {
    reach_t reach;
    assert_true(Reach_Explore(&reach, &walk->map, walk->entities));
    int32_t known = 0;
    int32_t listed = 0;
    for (int32_t i = 0; i < walk->num_samples; i++) {
        bool knows = is_known(&reach, walk->samples[i]);
        known += knows;
        if (!knows && listed++ < 10) {
            print_message("    %g %g %g is not in the graph\n", (double)walk->samples[i].x,
                          (double)walk->samples[i].y, (double)walk->samples[i].z);
        }
    }
    print_message("%s: %d of %d samples are places of the graph\n", walk->map.name, known,
                  walk->num_samples);
    Reach_Free(&reach);
    assert_true((float)known >= KNOWN_SHARE * (float)walk->num_samples);
}

/// Counts cells of 128 x 128 x 160 that a player stood in.
static int32_t count_cells(const walk_t *walk) {
    enum { HALF_SIDE = 32, SIDE = 2 * HALF_SIDE, HALF_HIGH = 8, HIGH = 2 * HALF_HIGH };
    bool *seen = calloc(SIDE * SIDE * HIGH, sizeof(bool));
    assert_non_null(seen);
    int32_t count = 0;
    for (int32_t i = 0; i < walk->num_samples; i++) {
        int32_t x = Q_ToInt(walk->samples[i].x / 128.0f + (float)HALF_SIDE, 0, SIDE - 1);
        int32_t y = Q_ToInt(walk->samples[i].y / 128.0f + (float)HALF_SIDE, 0, SIDE - 1);
        int32_t z = Q_ToInt(walk->samples[i].z / 160.0f + (float)HALF_HIGH, 0, HIGH - 1);
        bool *cell = &seen[(z * SIDE + y) * SIDE + x];
        count += !*cell;
        *cell = true;
    }
    free(seen);
    return count;
}

static void check_map(const char *name, int32_t seconds, int32_t least_cells) {
    walk_t walk;
    if (!start_match(&walk, name, 7)) {
        skip();
        return;
    }
    play(&walk, seconds);
    const world_counters_t *counters = &walk.world->counters;
    int32_t cells = count_cells(&walk);
    print_message("%s: stood in %d cells\n", name, cells);
    assert_int_equal(counters->quarantined, 0);
    assert_int_equal(counters->unknown_classes, 0);
    assert_true(cells >= least_cells);
    compare_with_graph(&walk);
    end_match(&walk);
}

static void test_walkers_get_around_the_arena(void **state) {
    (void)state;
    check_map("arena", Test_IsLong() ? 3600 : Test_IsSlow() ? 30 : 60, 150);
}

static void test_walkers_get_around_the_small_maps(void **state) {
    (void)state;
    static const char *const names[] = {"walk1", "stairs", "slopes", "water",  "push",
                                        "clip",  "wall",   "spawns", "trigger"};
    for (size_t i = 0; i < COUNTOF(names); i++) {
        check_map(names[i], 30, 8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walkers_get_around_the_arena),
        cmocka_unit_test(test_walkers_get_around_the_small_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
