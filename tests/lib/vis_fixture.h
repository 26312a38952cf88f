/// vis_fixture.h - checks the visibility of a map with random lines.

#ifndef EDICTD_TESTS_VIS_FIXTURE_H
#define EDICTD_TESTS_VIS_FIXTURE_H

#include "collide/vis.h"

typedef struct {
    int32_t clear;   ///< lines between two points in clusters that nothing solid cuts
    int32_t hidden;  ///< those whose ends do not see each other by the map's visibility
    vec3_t from, to; ///< the first hidden line
} test_vis_lines_t;

/// Draws random clear lines through the world model: each from a random point to a point that a
/// point trace reached.
test_vis_lines_t TestVis_Lines(const cmap_t *map, int32_t lines, uint64_t seed);

/// Fails if one of 2,000 clear lines is hidden: 10^6 with EDICTD_LONG=1, 200 in slow builds.
void TestVis_CheckLines(const cmap_t *map);

/// Returns the sum of the visible clusters of all clusters.
int64_t TestVis_Total(const cmap_t *map);

/// Returns true if a box may be visible from another box, by all clusters of both.
bool TestVis_Sees(const cmap_t *map, bounds_t from, bounds_t to);

#endif
