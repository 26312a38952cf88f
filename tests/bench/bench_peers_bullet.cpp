// bench_peers_bullet.cpp - Bullet: rays, sweeps and overlaps of a btBvhTriangleMeshShape. The
// margin of the mesh is 0, the box keeps its own.

#include "bench_peers.h"

#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <btBulletCollisionCommon.h>

namespace {

struct World {
    btTriangleIndexVertexArray *array;
    btBvhTriangleMeshShape *shape;
    btBoxShape *box;
    btCollisionObject object, body;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher *dispatcher;
    btDbvtBroadphase broadphase;
    btCollisionWorld *world;
};

struct RayHit : btTriangleRaycastCallback {
    RayHit(const btVector3 &from, const btVector3 &to) : btTriangleRaycastCallback(from, to) {
    }
    btScalar reportHit(const btVector3 &, btScalar fraction, int, int) override {
        return fraction;
    }
};

struct AnyContact : btCollisionWorld::ContactResultCallback {
    bool found = false;
    btScalar addSingleResult(btManifoldPoint &point, const btCollisionObjectWrapper *, int, int,
                             const btCollisionObjectWrapper *, int, int) override {
        found = found || point.getDistance() <= 0;
        return 0;
    }
};

void *build(const peer_mesh_t *mesh) {
    World *w = new World;
    w->array = new btTriangleIndexVertexArray(
        mesh->num_triangles, const_cast<int *>(&mesh->indices[0][0]), 12, mesh->num_vertices,
        const_cast<float *>(mesh->vertices), 12);
    w->shape = new btBvhTriangleMeshShape(w->array, true);
    w->shape->setMargin(0);
    w->box = new btBoxShape(btVector3(PEER_HALF_X, PEER_HALF_Y, PEER_HALF_Z));
    w->dispatcher = new btCollisionDispatcher(&w->configuration);
    w->world = new btCollisionWorld(w->dispatcher, &w->broadphase, &w->configuration);
    w->object.setCollisionShape(w->shape);
    w->body.setCollisionShape(w->box);
    w->world->addCollisionObject(&w->object);
    return w;
}

void free_world(void *p) {
    World *w = static_cast<World *>(p);
    w->world->removeCollisionObject(&w->object);
    delete w->world;
    delete w->dispatcher;
    delete w->box;
    delete w->shape;
    delete w->array;
    delete w;
}

int answers(peer_question_t question) {
    return question != PEER_ARTICLE;
}

btVector3 vector(const float v[3]) {
    return btVector3(v[0], v[1], v[2]);
}

double cast(World *w, const peer_query_t *q) {
    RayHit hit(vector(q->start), vector(q->end));
    w->shape->performRaycast(&hit, hit.m_from, hit.m_to);
    return double(hit.m_hitFraction);
}

double sweep(World *w, const peer_query_t *q) {
    btVector3 raised(0, 0, PEER_RAISED);
    btTransform from(btQuaternion::getIdentity(), vector(q->start) + raised);
    btTransform to(btQuaternion::getIdentity(), vector(q->end) + raised);
    btCollisionWorld::ClosestConvexResultCallback result(from.getOrigin(), to.getOrigin());
    w->world->convexSweepTest(w->box, from, to, result);
    return result.hasHit() ? double(result.m_closestHitFraction) : 1.0;
}

bool overlap(World *w, const peer_query_t *q) {
    AnyContact any;
    w->body.setWorldTransform(
        btTransform(btQuaternion::getIdentity(), vector(q->start) + btVector3(0, 0, PEER_RAISED)));
    w->world->contactPairTest(&w->body, &w->object, any);
    return any.found;
}

int64_t run(void *p, peer_question_t question, const peer_query_t *queries, int32_t count,
            double *sum) {
    World *w = static_cast<World *>(p);
    int64_t hits = 0;
    for (int32_t i = 0; i < count; i++) {
        if (question == PEER_OVERLAP) {
            hits += overlap(w, &queries[i]);
            continue;
        }
        double fraction = question == PEER_RAY ? cast(w, &queries[i]) : sweep(w, &queries[i]);
        hits += fraction < 1.0;
        *sum += fraction;
    }
    return hits;
}

} // namespace

extern "C" const peer_t Peer_Bullet = {"Bullet", build, free_world, answers, run};
