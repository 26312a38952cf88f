// Rides on a func_tracktrain of the reference game: 1 to 16 players on random tracks that climb,
// descend and turn, forwards and backwards. Nobody gets stuck, is crushed, falls off or through.
//
// A ride is one player's trip from one end of a track to the other. EDICTD_LONG=1 rides 100,000.

#include "core/core_local.h"
#include "game/game.h"
#include "lib/testing.h"
#include "lib/world_fixture.h"

#include "base/rng.h"
#include "math/angles.h"
#include "physics/physics.h"
#include "world/block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_MS     16
#define MOST_RIDERS 16
#define TRACKS      4
#define PLATFORM    112.0f // qu; half its side
#define REACH       1250.0f
#define MAX_RISE    0.4663f // slope of 25 degrees
#define MAX_TURN    70.0f
#define SETTLE_MS   480

typedef struct {
    int64_t rides, ticks, records;
    int32_t stuck, lost, off, blocked, hurt;
    float drift; ///< largest distance that a rider moved on the train, qu
} counts_t;

typedef struct {
    test_world_t test;
    rng_t rng;
    edict_t *train;
    int32_t riders;
    vec3_t seats[MOST_RIDERS]; ///< relative to the train
    counts_t counts;
} scene_t;

// ---- tracks ----

// Adds a point within MAX_TURN of the last direction. Returns false if the walls are too near.
static bool next_point(rng_t *rng, vec3_t from, float *yaw, vec3_t *to) {
    for (int32_t tries = 0; tries < 50; tries++) {
        float turned = *yaw + Rng_Range(rng, -MAX_TURN, MAX_TURN);
        float length = Rng_Range(rng, 210.0f, 500.0f);
        float sine, cosine;
        SinCos(turned, &sine, &cosine);
        float rise = length * Rng_Range(rng, -MAX_RISE, MAX_RISE);
        *to = VectorAdd(from, Vector(cosine * length, sine * length, rise));
        if (fabsf(to->x) < REACH && fabsf(to->y) < REACH && to->z > 150 && to->z < 850) {
            *yaw = turned;
            return true;
        }
    }
    return false;
}

static void choose_points(rng_t *rng, vec3_t *points) {
    for (int32_t i = 1; i < TRACKS;) {
        float yaw = Rng_Range(rng, 0.0f, 360.0f);
        points[0] = Vector(Rng_Range(rng, -900.0f, 900.0f), Rng_Range(rng, -900.0f, 900.0f), 400);
        for (i = 1; i < TRACKS && next_point(rng, points[i - 1], &yaw, &points[i]); i++) {
        }
    }
}

static void write_entities(scene_t *scene, char *text, size_t size) {
    rng_t *rng = &scene->rng;
    vec3_t points[TRACKS];
    choose_points(rng, points);
    size_t used = (size_t)snprintf(
        text, size,
        "{ \"classname\" \"worldspawn\" }\n"
        "{ \"classname\" \"func_tracktrain\" \"model\" \"*1\" \"target\" \"p0\" \"speed\" \"%d\" "
        "\"wheels\" \"%d\" \"bank\" \"%d\" \"height\" \"20\" \"dmg\" \"100\" }\n",
        40 + (int)Rng_Below(rng, 210), 80 + (int)Rng_Below(rng, 120),
        (int)Rng_Below(rng, 2) * (int)Rng_Below(rng, 15));
    for (int32_t i = 0; i < TRACKS; i++) {
        used += (size_t)snprintf(text + used, size - used,
                                 "{ \"classname\" \"path_track\" \"targetname\" \"p%d\" \"target\" "
                                 "\"%s%.0d\" \"origin\" \"%g %g %g\" }\n",
                                 i, i + 1 < TRACKS ? "p" : "", i + 1 < TRACKS ? i + 1 : 0,
                                 (double)points[i].x, (double)points[i].y, (double)points[i].z);
    }
    for (int32_t i = 0; i < MOST_RIDERS; i++) {
        used += (size_t)snprintf(text + used, size - used,
                                 "{ \"classname\" \"info_player_deathmatch\" \"origin\" "
                                 "\"%d %d 25\" }\n",
                                 -1400 + 64 * i, -1400);
    }
}

static void init_scene(scene_t *scene) {
    static char entities[8192];
    static const test_block_t platform = {
        .box = {{-PLATFORM, -PLATFORM, -16.0f}, {PLATFORM, PLATFORM, 0.0f}},
        .contents = CONTENTS_SOLID,
        .model = 1};
    write_entities(scene, entities, sizeof entities);
    const test_map_t map = {.room = {{-1500.0f, -1500.0f, 0.0f}, {1500.0f, 1500.0f, 1024.0f}},
                            .blocks = &platform,
                            .num_blocks = 1,
                            .entities = entities,
                            .brush_list = true};
    TestWorld_Init(&scene->test, &map, MOST_RIDERS);
    for (int32_t i = 0; i < scene->riders; i++) {
        TestWorld_Join(&scene->test, i, "rider");
    }
    scene->train = World_Edict(scene->test.world, MOST_RIDERS + 1);
}

// ---- riders ----

static vec3_t on_train(const scene_t *scene, vec3_t point) {
    vec3_t forward, right, up;
    vec3_t offset = VectorSubtract(point, scene->train->origin);
    AngleVectors(scene->train->angles, &forward, &right, &up);
    return Vector(DotProduct(offset, forward), -DotProduct(offset, right), DotProduct(offset, up));
}

static edict_t *rider(scene_t *scene, int32_t i) {
    return World_Edict(scene->test.world, i + 1);
}

static sv_context_t context(scene_t *scene) {
    test_world_t *test = &scene->test;
    return SV_Context(test->world, &test->map, &test->game, test->events);
}

// Puts each rider on its own square. Boxes do not turn, so they need room at the corners.
static void place_riders(scene_t *scene) {
    vec3_t forward, right, up;
    sv_context_t sv = context(scene);
    AngleVectors(scene->train->angles, &forward, &right, &up);
    for (int32_t i = 0; i < scene->riders; i++) {
        edict_t *edict = rider(scene, i);
        vec3_t at = VectorMA(scene->train->origin, -81.0f + 54.0f * (float)(i % 4), forward);
        at = VectorMA(at, -81.0f + 54.0f * (float)(i / 4), right);
        edict->origin = VectorAdd(at, Vector(0.0f, 0.0f, 40.0f));
        edict->oldorigin = edict->origin;
        edict->velocity = Vector(0.0f, 0.0f, 0.0f);
        SV_LinkEdict(&sv, edict, false);
    }
}

static void check_rider(scene_t *scene, int32_t i) {
    sv_context_t sv = context(scene);
    counts_t *counts = &scene->counts;
    edict_t *edict = rider(scene, i);
    vec3_t at = on_train(scene, edict->origin);
    bool is_inside = fabsf(at.x) < PLATFORM + 24.0f && fabsf(at.y) < PLATFORM + 24.0f;
    counts->stuck += SV_TestEdictPosition(&sv, edict) ? 1 : 0;
    counts->lost += !is_inside || at.z < 16.0f || at.z > 60.0f ? 1 : 0;
    counts->off += (edict->flags & FL_ONGROUND) &&
                           World_Deref(scene->test.world, edict->groundentity) != scene->train
                       ? 1
                       : 0;
    vec3_t moved = VectorSubtract(at, scene->seats[i]);
    counts->drift = fmaxf(counts->drift, VectorLength(Vector(moved.x, moved.y, 0.0f)));
}

static void run_tick(scene_t *scene, bool checks) {
    for (int32_t i = 0; i < scene->riders; i++) {
        if (i % 4 != 3) { // every fourth sends nothing: the server fills in the time
            TestWorld_Cmd(&scene->test, i, (usercmd_t){.msec = TICK_MS});
        }
    }
    int64_t start_ms = scene->train->motion.start_ms;
    TestWorld_Tick(&scene->test);
    scene->counts.ticks++;
    scene->counts.records += scene->train->motion.start_ms != start_ms ? 1 : 0;
    for (int32_t i = 0; checks && i < scene->riders; i++) {
        check_rider(scene, i);
    }
}

// Rides from one end of the track to the other.
static void ride(scene_t *scene, float direction) {
    sv_context_t sv = context(scene);
    fields_t *fields = Game_Fields(scene->train);
    for (int32_t i = 0; i < scene->riders; i++) {
        scene->seats[i] = on_train(scene, rider(scene, i)->origin);
    }
    fields->pace = direction * fields->speed;
    Game_TrackTrainNext(&sv, scene->train);
    int32_t most = 200000 / TICK_MS;
    while (fields->pace != 0.0f && most-- > 0) {
        run_tick(scene, true);
    }
    assert_true(most > 0);
    scene->counts.rides += scene->riders;
}

static void ride_there_and_back(scene_t *scene) {
    scene->riders = 1 + (int32_t)Rng_Below(&scene->rng, MOST_RIDERS);
    init_scene(scene);
    for (int32_t t = 0; t < SETTLE_MS; t += TICK_MS) {
        run_tick(scene, false);
    }
    place_riders(scene);
    for (int32_t t = 0; t < SETTLE_MS; t += TICK_MS) {
        run_tick(scene, false);
    }
    ride(scene, 1.0f);
    ride(scene, -1.0f);
    scene->counts.blocked += scene->train->lag_ms > 0 ? 1 : 0;
    for (int32_t i = 0; i < scene->riders; i++) {
        scene->counts.hurt += World_Client(scene->test.world, i)->player.health < 100 ? 1 : 0;
    }
    assert_int_equal(scene->test.world->counters.quarantined, 0);
    TestWorld_Free(&scene->test);
}

static void test_rides_on_slopes_and_curves(void **state) {
    (void)state;
    scene_t *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->rng.state = 7;
    int64_t rides = Test_IsLong() ? 100000 : Test_IsSlow() ? 100 : 1000;
    while (scene->counts.rides < rides) {
        ride_there_and_back(scene);
    }
    const counts_t *c = &scene->counts;
    printf("%lld rides, %lld ticks, %lld motion records (one in %.2f s): stuck %d, lost %d, off "
           "%d, hurt %d, blocked %d; riders moved up to %.2f qu\n",
           (long long)c->rides, (long long)c->ticks, (long long)c->records,
           (double)c->ticks * TICK_MS / 1000.0 / (double)c->records, c->stuck, c->lost, c->off,
           c->hurt, c->blocked, (double)c->drift);
    assert_int_equal(c->stuck, 0);
    assert_int_equal(c->lost, 0);
    assert_int_equal(c->off, 0);
    assert_int_equal(c->hurt, 0);
    assert_int_equal(c->blocked, 0);
    free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rides_on_slopes_and_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
