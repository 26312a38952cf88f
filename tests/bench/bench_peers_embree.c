// bench_peers_embree.c - Embree: rays only. Robust scene, high build quality.

#include "bench_peers.h"

#include <embree3/rtcore.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    RTCDevice device;
    RTCScene scene;
} world_t;

static void *build(const peer_mesh_t *mesh) {
    world_t *world = calloc(1, sizeof *world);
    if (!world) {
        abort();
    }
    world->device = rtcNewDevice("threads=1");
    world->scene = rtcNewScene(world->device);
    rtcSetSceneFlags(world->scene, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneBuildQuality(world->scene, RTC_BUILD_QUALITY_HIGH);
    RTCGeometry geometry = rtcNewGeometry(world->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    size_t num_vertices = (size_t)mesh->num_vertices;
    size_t num_triangles = (size_t)mesh->num_triangles;
    memcpy(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12,
                                   num_vertices),
           mesh->vertices, num_vertices * 12);
    memcpy(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12,
                                   num_triangles),
           mesh->indices, num_triangles * 12);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(world->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(world->scene);
    return world;
}

static void free_world(void *p) {
    world_t *world = p;
    rtcReleaseScene(world->scene);
    rtcReleaseDevice(world->device);
    free(world);
}

static int answers(peer_question_t question) {
    return question == PEER_RAY;
}

static int64_t run(void *p, peer_question_t question, const peer_query_t *queries, int32_t count,
                   double *sum) {
    const world_t *world = p;
    int64_t hits = 0;
    (void)question;
    for (int32_t i = 0; i < count; i++) {
        const peer_query_t *q = &queries[i];
        struct RTCRayHit ray = {
            .ray = {.org_x = q->start[0],
                    .org_y = q->start[1],
                    .org_z = q->start[2],
                    .dir_x = q->end[0] - q->start[0],
                    .dir_y = q->end[1] - q->start[1],
                    .dir_z = q->end[2] - q->start[2],
                    .tnear = 0.0f,
                    .tfar = 1.0f,
                    .mask = UINT32_MAX},
            .hit = {.geomID = RTC_INVALID_GEOMETRY_ID},
        };
        struct RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcIntersect1(world->scene, &context, &ray);
        int hit = ray.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        hits += hit;
        *sum += hit ? (double)ray.ray.tfar : 1.0;
    }
    return hits;
}

const peer_t Peer_Embree = {"Embree", build, free_world, answers, run};
