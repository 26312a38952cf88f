/// test_walk.h - how fast this machine is at walking trees: what figures of other machines are scaled by.
//
// A plain walk down hull 1 of lq_e0m1 for the starts of its `long` queries, in the file's own layout of
// planes and clipnodes: the "plain walk" of ../shared/data/bench/README.md. It has the mix of
// dependent loads and mispredicted branches that traces and player moves have.

#ifndef EDICTD_TESTS_TEST_WALK_H
#define EDICTD_TESTS_TEST_WALK_H

#include "math/vec3.h"

/// On the machine of the peers' figures.
#define TEST_WALK_REFERENCE_NS 65.9

enum { TEST_WALK_POINTS = 20000 };

typedef struct {
    float normal[3], dist;
    int32_t type;
} test_walk_plane_t;

typedef struct {
    int32_t plane;
    int16_t children[2];
} test_walk_node_t;

typedef struct {
    test_walk_plane_t *planes;
    test_walk_node_t *nodes;
    int32_t head;
    vec3_t points[TEST_WALK_POINTS];
    double ns; ///< the lowest of all runs so far, of a point
} test_walk_t;

/// False, and a line on stderr, when the data is not there. Close it with TestWalk_Close.
bool TestWalk_Open(test_walk_t *walk);
void TestWalk_Close(test_walk_t *walk);

/// Some runs, one after the other, as the calibration program of the data does it: 14 ms.
void TestWalk_Run(test_walk_t *walk);

/// What a peer's figure must be multiplied by on this machine.
static inline double TestWalk_Scale(const test_walk_t *walk) {
    return walk->ns / TEST_WALK_REFERENCE_NS;
}

#endif
