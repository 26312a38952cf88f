// bench_peers.h - the engines that `make bench-peers` compares: this project and the libraries that
// Debian has, each with the same four kinds of query.

#ifndef EDICTD_BENCH_PEERS_H
#define EDICTD_BENCH_PEERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const float *vertices; // x, y, z of each vertex
    const int32_t (*indices)[3];
    int32_t num_vertices, num_triangles;
} peer_mesh_t;

typedef struct {
    float start[3], end[3];
} peer_query_t;

typedef enum {
    PEER_RAY,     // nearest hit from start to end
    PEER_SWEEP,   // the player's box from start to end
    PEER_OVERLAP, // does the player's box overlap at start?
    PEER_ARTICLE, // article 004's worst case: four rays, three boxes with all contacts
    NUM_PEER_QUESTIONS
} peer_question_t;

// Describes an engine. `run` runs all queries and returns the hits (for PEER_ARTICLE, of all its
// rays and boxes); *sum receives the sum of the fractions of rays and sweeps.
typedef struct {
    const char *name;
    void *(*build)(const peer_mesh_t *mesh);
    void (*free)(void *world);
    int (*answers)(peer_question_t question);
    int64_t (*run)(void *world, peer_question_t question, const peer_query_t *queries,
                   int32_t count, double *sum);
} peer_t;

// The player's box in qu: half of its size, and the height of its middle above the origin.
#define PEER_HALF_X 16.0f
#define PEER_HALF_Y 16.0f
#define PEER_HALF_Z 28.0f
#define PEER_RAISED 4.0f

extern const peer_t Peer_Bullet, Peer_Ode, Peer_Embree;

#ifdef __cplusplus
}
#endif

#endif
