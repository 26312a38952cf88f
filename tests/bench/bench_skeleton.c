// bench_skeleton.c - what a pose costs, remembered and not; a crowd in one walk; traces against 32
// players with hitboxes and without.

#include "lib/test_arena.h"
#include "lib/test_model.h"
#include "model/hitbox.h"
#include "world/hitboxes.h"
#include "world/link.h"

#include "core/core_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5, POSES = 20000, CROWD = 1000, PLAYERS = 32, TRACES = 20000 };

static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void print(const char *what, double value, const char *unit) {
    printf("skeleton,%s,%.1f,%s,,\n", what, value, unit);
}

/// The lowest of the rounds, in ns a pose.
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
    return sum == 12345.0f ? 0.0 : best; // the sum is looked at, so that it is worked out
}

/// A thousand that began the same walk together: us a tick, and how many were worked out.
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
    TestModel_Free(model);
    free(cache);
    return EXIT_SUCCESS;
}
