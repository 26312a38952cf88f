#include "lib/vis_fixture.h"

#include "base/rng.h"
#include "collide/cmap.h"
#include "lib/testing.h"

#include <string.h>

static vec3_t random_in(rng_t *rng, bounds_t box) {
    float x = Rng_Range(rng, box.mins.x, box.maxs.x);
    float y = Rng_Range(rng, box.mins.y, box.maxs.y);
    return Vector(x, y, Rng_Range(rng, box.mins.z, box.maxs.z));
}

/// Returns true if sky is at the line: it stops sight, but in Quake's maps no point.
static bool is_sky_between(const cmap_t *map, vec3_t from, vec3_t to) {
    enum { STEPS = 64 };
    for (int32_t i = 0; i <= STEPS; i++) {
        vec3_t at = VectorLerp(from, to, (float)i / (float)STEPS);
        if (CM_PointContents(map, 0, at) != CONTENTS_EMPTY) {
            return true;
        }
    }
    return false;
}

static bool sees(const cmap_t *map, int32_t from, int32_t to) {
    static _Thread_local uint8_t row[CM_MAX_PVS_BYTES];
    memset(row, 0, CM_PVSBytes(map));
    CM_AddPVS(map, from, row);
    return CM_InPVS(row, to);
}

test_vis_lines_t TestVis_Lines(const cmap_t *map, int32_t lines, uint64_t seed) {
    const cm_object_t world = {.model = 0};
    const bounds_t box = CM_ModelBounds(map, 0);
    const bounds_t cube = {Vector(-1.0f, -1.0f, -1.0f), Vector(1.0f, 1.0f, 1.0f)};
    const float reach = VectorLength(VectorSubtract(box.maxs, box.mins));
    rng_t rng = {seed};
    test_vis_lines_t result = {0};
    for (int64_t tries = 0; tries < 100 * (int64_t)lines && result.clear < lines; tries++) {
        vec3_t from = random_in(&rng, box);
        float length = 0.0f;
        vec3_t toward = VectorNormalize(random_in(&rng, cube), &length);
        int32_t start = CM_PointCluster(map, from);
        if (start == CM_NO_CLUSTER) {
            continue;
        }
        trace_t trace =
            CM_BoxTrace(map, &world, from, VectorMA(from, reach, toward), vec3_zero, vec3_zero);
        vec3_t to = VectorLerp(from, trace.endpos, Rng_Range(&rng, 0.0f, 1.0f));
        int32_t end = CM_PointCluster(map, to);
        if (trace.startsolid || end == CM_NO_CLUSTER) {
            continue;
        }
        result.clear++;
        if ((!sees(map, start, end) || !sees(map, end, start)) && !is_sky_between(map, from, to)) {
            result.from = result.hidden == 0 ? from : result.from;
            result.to = result.hidden == 0 ? to : result.to;
            result.hidden++;
        }
    }
    return result;
}

void TestVis_CheckLines(const cmap_t *map) {
    int32_t wanted = Test_IsLong() ? 1000000 : Test_IsSlow() ? 200 : 2000;
    test_vis_lines_t lines = TestVis_Lines(map, wanted, 1);
    assert_int_equal(lines.clear, wanted);
    if (lines.hidden > 0) {
        fail_msg("%s: %d of %d lines hidden; the first: (%g %g %g) to (%g %g %g)", map->name,
                 lines.hidden, lines.clear, (double)lines.from.x, (double)lines.from.y,
                 (double)lines.from.z, (double)lines.to.x, (double)lines.to.y, (double)lines.to.z);
    }
}

int64_t TestVis_Total(const cmap_t *map) {
    int64_t total = 0;
    for (int32_t i = 0; i < CM_NumClusters(map); i++) {
        for (int32_t k = 0; k < CM_NumClusters(map); k++) {
            total += sees(map, i, k);
        }
    }
    return total;
}

bool TestVis_Sees(const cmap_t *map, bounds_t from, bounds_t to) {
    static uint8_t row[CM_MAX_PVS_BYTES];
    int32_t clusters[1024];
    int32_t count = CM_BoxClusters(map, from, clusters, 1024);
    memset(row, 0, CM_PVSBytes(map));
    for (int32_t i = 0; i < count; i++) {
        CM_AddPVS(map, clusters[i], row);
    }
    count = CM_BoxClusters(map, to, clusters, 1024);
    for (int32_t i = 0; i < count; i++) {
        if (CM_InPVS(row, clusters[i])) {
            return true;
        }
    }
    return count == CM_ALL_CLUSTERS;
}
