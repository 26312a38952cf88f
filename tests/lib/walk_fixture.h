/// walk_fixture.h - measures tree walks on this machine, to scale figures measured on other
/// machines.
//
// Runs a plain walk down hull 1 of lq_e0m1 for the starts of its `long` queries, in the file's own
// layout of planes and clipnodes. This is the "plain walk" of ../shared/data/bench/README.md. It
// has the same mix of dependent loads and mispredicted branches as traces and player moves.

#ifndef EDICTD_TESTS_WALK_FIXTURE_H
#define EDICTD_TESTS_WALK_FIXTURE_H

#include "math/vec3.h"

/// Time of one walk on the machine of the peers' figures.
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
    double ns; ///< lowest time per point of all runs so far
} test_walk_t;

/// Opens the data. Returns false and prints a line on stderr if it is missing. Close with
/// TestWalk_Close.
bool TestWalk_Open(test_walk_t *walk);
void TestWalk_Close(test_walk_t *walk);

/// Repeats the walk for 14 ms, as the calibration program of the data does.
void TestWalk_Run(test_walk_t *walk);

/// Returns the factor that scales a peer's figure to this machine.
static inline double TestWalk_Scale(const test_walk_t *walk) {
    return walk->ns / TEST_WALK_REFERENCE_NS;
}

#endif
