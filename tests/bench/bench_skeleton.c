// bench_skeleton.c - measures a bone pose, cached and not; a crowd in one walk; and traces against
// 32 players with hitboxes and without.

#include "lib/arena_fixture.h"
#include "lib/model_fixture.h"
#include "math/angles.h"
#include "model/hitbox.h"
#include "world/hitboxes.h"
#include "world/link.h"

#include "core/core_local.h"
#include "world/move.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    ROUNDS = 5,
    POSES = 20000,
    CROWD = 1000,
    PLAYERS = 32,
    TRACES = 20000,
    FIGHTERS = 16,
    VOLLEYS = 1600
};

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void print(const char *what, double value, const char *unit) {
    printf("skeleton,%s,%.1f,%s,,\n", what, value, unit);
}

/// Returns the lowest time of the rounds, in ns per pose.
static double time_poses(pose_cache_t *cache, const model_t *model, float blend, int32_t count) {
    double best = 1e30;
    model_pose_t pose;
    float sum = 0.0f;
    for (int32_t round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        for (int32_t i = 0; i < count; i++) {
            pose_request_t request = {
                .animations = {1, 3}, .times_ms = {i % 400, (i + 99) % 400}, .blend = blend};
            Pose_Evaluate(cache, model, &request, &pose);
            sum += pose.bones[model->num_bones - 1].origin.x;
        }
        double took = (now_ns() - start) / count;
        best = took < best ? took : best;
    }
    // The use of `sum` keeps the compiler from removing the loop.
    return sum == 12345.0f ? 0.0 : best;
}

/// Shoots each player of the crowd once. Returns us per tick.
static double time_crowd_shots(pose_cache_t *cache, const model_t *model) {
    const bounds_t point = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    turned_box_t scratch[MAX_HITBOXES];
    double best = 1e30;
    for (int32_t tick = 0; tick < 50; tick++) {
        double start = now_ns();
        for (int32_t i = 0; i < CROWD; i++) {
            pose_request_t request = {.animations = {2, 2}, .times_ms = {100000 + 16 * tick, 0}};
            cm_object_t place = {.origin = {(float)i, 0.0f, 0.0f},
                                 .angles = {0.0f, (float)i, 0.0f}};
            const turned_box_t *boxes =
                Hitbox_PlaceAll(cache, (uint32_t)i, model, &request, &place, scratch);
            CM_PlacedTrace(model, boxes, Vector((float)i, -500.0f, 0.0f),
                           Vector((float)i, 500.0f, 0.0f), point);
        }
        double took = (now_ns() - start) / 1e3;
        best = took < best ? took : best;
    }
    return best;
}

/// Measures a thousand entities that began the same walk together: us per tick, and the number of
/// poses computed.
static void bench_crowd(pose_cache_t *cache, const model_t *model) {
    model_pose_t pose;
    double best = 1e30;
    uint64_t missed = 0;
    for (int32_t tick = 0; tick < 50; tick++) {
        uint64_t before = cache->missed;
        double start = now_ns();
        for (int32_t i = 0; i < CROWD; i++) {
            pose_request_t request = {.animations = {2, 2}, .times_ms = {100000 + 16 * tick, 0}};
            Pose_Evaluate(cache, model, &request, &pose);
        }
        double took = (now_ns() - start) / 1e3;
        best = took < best ? took : best;
        missed = cache->missed - before > missed ? cache->missed - before : missed;
    }
    print("crowd_1000_one_walk", best, "us/tick");
    print("crowd_1000_one_walk_hitscan", time_crowd_shots(cache, model), "us/tick");
    print("crowd_1000_evaluations_most", (double)missed, "poses/tick");
}

static double time_traces(sv_context_t *sv, move_type_t type, double *share) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    double best = 1e30;
    int32_t hits = 0;
    for (int32_t round = 0; round < ROUNDS; round++) {
        rng_t rng = {7};
        hits = 0;
        double start = now_ns();
        for (int32_t i = 0; i < TRACES; i++) {
            vec3_t from = {Rng_Range(&rng, -480.0f, 480.0f), -480.0f, 40.0f};
            vec3_t to = {Rng_Range(&rng, -480.0f, 480.0f), 480.0f, Rng_Range(&rng, 10.0f, 60.0f)};
            trace_t trace = SV_Move(sv, from, zero, zero, to, type, NULL);
            hits += trace.entnum > 0;
        }
        double took = (now_ns() - start) / TRACES;
        best = took < best ? took : best;
    }
    *share = 100.0 * hits / TRACES;
    return best;
}

static void bench_traces(pose_cache_t *cache) {
    test_world_t test;
    double share = 0.0;
    TestArena_Init(&test, PLAYERS, NULL, NULL, NULL);
    for (int32_t i = 0; i < PLAYERS; i++) {
        float x = -420.0f + 120.0f * (float)(i % 8);
        float y = -240.0f + 120.0f * (float)(i / 8);
        TestArena_Join(&test, i, "bot", Vector(x, y, ARENA_FLOOR));
    }
    TestArena_Run(&test, 500, "");
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    print("trace_32_players_boxes", time_traces(&sv, MOVE_NORMAL, &share), "ns");
    print("trace_32_players_boxes_hits", share, "%");
    print("trace_32_players_hitboxes_uncached", time_traces(&sv, MOVE_HITBOXES, &share), "ns");
    sv.poses = cache;
    print("trace_32_players_hitboxes", time_traces(&sv, MOVE_HITBOXES, &share), "ns");
    print("trace_32_players_hitboxes_hits", share, "%");
    TestWorld_Free(&test);
}

// ---- shots of a fight ----

/// Measures volleys: all players fire at somebody in the same tick, `pellets` each, spread like a
/// shotgun. Returns ns per trace.
static double time_volleys(sv_context_t *sv, int32_t pellets, float spread, double *share) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    double best = 1e30;
    int32_t hits = 0;
    for (int32_t round = 0; round < 4 * ROUNDS; round++) {
        rng_t rng = {9};
        hits = 0;
        double start = now_ns();
        for (int32_t i = 0; i < VOLLEYS; i++) {
            const edict_t *shooter = World_Edict(sv->world, 1 + i % FIGHTERS);
            const edict_t *target = World_Edict(sv->world, 1 + (i * 7 + 3) % FIGHTERS);
            vec3_t axes[3];
            vec3_t eye = VectorAdd(shooter->origin, Vector(0.0f, 0.0f, 22.0f));
            AngleVectors(VectorAngles(VectorSubtract(target->origin, eye)), &axes[0], &axes[1],
                         &axes[2]);
            for (int32_t n = 0; n < pellets; n++) {
                vec3_t way = VectorMA(axes[0], Rng_Range(&rng, -spread, spread), axes[1]);
                way = VectorMA(way, Rng_Range(&rng, -spread, spread), axes[2]);
                trace_t trace = SV_Move(sv, eye, zero, zero, VectorMA(eye, 2048.0f, way),
                                        MOVE_HITBOXES, shooter);
                hits += trace.hitgroup > 0;
            }
        }
        double took = (now_ns() - start) / (VOLLEYS * pellets);
        best = took < best ? took : best;
    }
    *share = 100.0 * hits / (VOLLEYS * pellets);
    return best;
}

static void bench_fight(pose_cache_t *cache) {
    test_world_t test;
    double share = 0.0;
    TestArena_Init(&test, FIGHTERS, NULL, NULL, NULL);
    for (int32_t i = 0; i < FIGHTERS; i++) {
        float x = -390.0f + 240.0f * (float)(i % 4);
        float y = -410.0f + 230.0f * (float)(i / 4);
        TestArena_Join(&test, i, "bot", Vector(x, y, ARENA_FLOOR));
    }
    TestArena_Run(&test, 500, "");
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    sv.poses = cache;
    print("fight_16_bolts", time_volleys(&sv, 1, 0.0f, &share), "ns");
    print("fight_16_bolts_hits", share, "%");
    print("fight_16_shotguns", time_volleys(&sv, 6, 0.04f, &share), "ns");
    print("fight_16_shotguns_hits", share, "%");
    print("fight_16_super_shotguns", time_volleys(&sv, 14, 0.12f, &share), "ns");
    print("fight_16_super_shotguns_hits", share, "%");
    TestWorld_Free(&test);
}

int main(void) {
    pose_cache_t *cache = calloc(1, sizeof *cache);
    test_model_t *model = TestModel_Make(1, 24, 12);
    if (!cache) {
        return EXIT_FAILURE;
    }
    print("pose_24_bones_miss", time_poses(NULL, &model->read, 0.0f, POSES), "ns");
    print("pose_24_bones_hit", time_poses(cache, &model->read, 0.0f, POSES), "ns");
    print("blend_24_bones_miss", time_poses(NULL, &model->read, 0.5f, POSES), "ns");
    print("blend_24_bones_hit", time_poses(cache, &model->read, 0.5f, POSES), "ns");
    print("cache_bytes", (double)sizeof *cache, "bytes");
    bench_crowd(cache, &model->read);
    bench_traces(cache);
    bench_fight(cache);
    TestModel_Free(model);
    free(cache);
    return EXIT_SUCCESS;
}
