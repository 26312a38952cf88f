// bench_peers_ode.c - ODE, whose triangle meshes are OPCODE's: rays and overlaps through dCollide.

#include "bench_peers.h"

#include <ode/ode.h>

#include <stdlib.h>

enum { MAX_CONTACTS = 64 };

typedef struct {
    dTriMeshDataID data;
    dGeomID mesh, ray, box;
} world_t;

static void *build(const peer_mesh_t *mesh) {
    static int started;
    if (!started) {
        dInitODE2(0);
        started = 1;
    }
    world_t *world = calloc(1, sizeof *world);
    if (!world) {
        abort();
    }
    world->data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(world->data, mesh->vertices, 12, mesh->num_vertices, mesh->indices,
                                mesh->num_triangles * 3, 12);
    world->mesh = dCreateTriMesh(0, world->data, 0, 0, 0);
    world->ray = dCreateRay(0, 1.0);
    dGeomRaySetClosestHit(world->ray, 1);
    world->box = dCreateBox(0, 2.0 * (double)PEER_HALF_X, 2.0 * (double)PEER_HALF_Y,
                            2.0 * (double)PEER_HALF_Z);
    return world;
}

static void free_world(void *p) {
    world_t *world = p;
    dGeomDestroy(world->mesh);
    dGeomDestroy(world->ray);
    dGeomDestroy(world->box);
    dGeomTriMeshDataDestroy(world->data);
    free(world);
}

static int answers(peer_question_t question) {
    return question != PEER_SWEEP;
}

/// Returns the fraction of the path up to the hit; 2 = no hit.
static double cast(const world_t *world, const float start[3], const float end[3]) {
    dContactGeom contact;
    double d[3] = {(double)end[0] - (double)start[0], (double)end[1] - (double)start[1],
                   (double)end[2] - (double)start[2]};
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    dGeomRaySet(world->ray, (double)start[0], (double)start[1], (double)start[2], d[0], d[1], d[2]);
    dGeomRaySetLength(world->ray, length);
    return dCollide(world->ray, world->mesh, 1, &contact, sizeof contact) > 0
               ? contact.depth / length
               : 2.0;
}

static int overlap(const world_t *world, double x, double y, double z, int most) {
    dContactGeom contacts[MAX_CONTACTS];
    dGeomSetPosition(world->box, x, y, z + (double)PEER_RAISED);
    return dCollide(world->box, world->mesh, most, contacts, sizeof contacts[0]);
}

static int64_t move_of_article(const world_t *world, const peer_query_t *q) {
    int64_t found = 0;
    for (int i = 0; i < 4; i++) {
        float corner[3] = {q->end[0] + (i & 1 ? PEER_HALF_X : -PEER_HALF_X),
                           q->end[1] + (i & 2 ? PEER_HALF_Y : -PEER_HALF_Y), q->end[2]};
        float below[3] = {corner[0], corner[1], corner[2] - 56.0f};
        found += cast(world, corner, below) <= 1.0;
    }
    found += overlap(world, (double)q->end[0], (double)q->end[1], (double)q->end[2] + 0.1,
                     MAX_CONTACTS) > 0;
    found += overlap(world, (double)q->end[0], (double)q->start[1], (double)q->start[2] + 0.1,
                     MAX_CONTACTS) > 0;
    found += overlap(world, (double)q->start[0], (double)q->end[1], (double)q->start[2] + 0.1,
                     MAX_CONTACTS) > 0;
    return found;
}

static int64_t run(void *p, peer_question_t question, const peer_query_t *queries, int32_t count,
                   double *sum) {
    const world_t *world = p;
    int64_t hits = 0;
    for (int32_t i = 0; i < count; i++) {
        const peer_query_t *q = &queries[i];
        if (question == PEER_RAY) {
            double fraction = cast(world, q->start, q->end);
            hits += fraction <= 1.0;
            *sum += fraction <= 1.0 ? fraction : 1.0;
        } else if (question == PEER_OVERLAP) {
            hits += overlap(world, (double)q->start[0], (double)q->start[1], (double)q->start[2],
                            1) > 0;
        } else {
            hits += move_of_article(world, q);
        }
    }
    return hits;
}

const peer_t Peer_Ode = {"ODE", build, free_world, answers, run};
