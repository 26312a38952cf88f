#include "lib/solid_fixture.h"

#include "base/assert.h"

#include <string.h>

static void add(test_solid_t *solid, double x, double y, double z, double d) {
    ASSERT(solid->count < TEST_SOLID_PLANES);
    double *plane = solid->planes[solid->count++];
    plane[0] = x;
    plane[1] = y;
    plane[2] = z;
    plane[3] = d;
}

test_solid_t TestSolid_Box(bounds_t box) {
    test_solid_t solid = {.count = 0};
    add(&solid, 1.0, 0.0, 0.0, (double)box.maxs.x);
    add(&solid, -1.0, 0.0, 0.0, -(double)box.mins.x);
    add(&solid, 0.0, 1.0, 0.0, (double)box.maxs.y);
    add(&solid, 0.0, -1.0, 0.0, -(double)box.mins.y);
    add(&solid, 0.0, 0.0, 1.0, (double)box.maxs.z);
    add(&solid, 0.0, 0.0, -1.0, -(double)box.mins.z);
    return solid;
}

void TestSolid_Cut(test_solid_t *solid, vec3_t normal, float dist) {
    add(solid, (double)normal.x, (double)normal.y, (double)normal.z, (double)dist);
}

/// Turns by roll about x first, then pitch about y (down is positive), then yaw about z.
static void turn(const double in[3], vec3_t angles, double out[3]) {
    const double rad = 3.14159265358979323846 / 180.0;
    double r = (double)angles.z * rad;
    double p = (double)angles.x * rad;
    double y = (double)angles.y * rad;
    double a[3] = {in[0], in[1] * cos(r) - in[2] * sin(r), in[1] * sin(r) + in[2] * cos(r)};
    double b[3] = {a[0] * cos(p) + a[2] * sin(p), a[1], a[2] * cos(p) - a[0] * sin(p)};
    out[0] = b[0] * cos(y) - b[1] * sin(y);
    out[1] = b[0] * sin(y) + b[1] * cos(y);
    out[2] = b[2];
}

test_solid_t TestSolid_Placed(const test_solid_t *solid, vec3_t origin, vec3_t angles) {
    test_solid_t placed = *solid;
    for (int32_t i = 0; i < placed.count; i++) {
        double *plane = placed.planes[i];
        turn(solid->planes[i], angles, plane);
        plane[3] +=
            plane[0] * (double)origin.x + plane[1] * (double)origin.y + plane[2] * (double)origin.z;
    }
    return placed;
}

static double det(const double *a, const double *b, const double *c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/// Intersects three planes; returns false if they do not meet in a point.
static bool meet(double p[][4], int32_t i, int32_t j, int32_t k, double at[3]) {
    double d = det(p[i], p[j], p[k]);
    if (fabs(d) < 1e-9) {
        return false;
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        double m[3][3];
        const int32_t rows[3] = {i, j, k};
        for (int32_t row = 0; row < 3; row++) {
            const double *plane = p[rows[row]];
            for (int32_t column = 0; column < 3; column++) { // memcpy is slow with sanitizers
                m[row][column] = plane[column == axis ? 3 : column];
            }
        }
        at[axis] = det(m[0], m[1], m[2]) / d;
    }
    return true;
}

static bool lies_within(double p[][4], int32_t count, const double at[3]) {
    for (int32_t i = 0; i < count; i++) {
        if (p[i][0] * at[0] + p[i][1] * at[1] + p[i][2] * at[2] > p[i][3] + 1e-7) {
            return false;
        }
    }
    return true;
}

// If bounded half-spaces share a point, they share a corner where three planes meet.
bool TestSolid_Overlap(const test_solid_t *a, const test_solid_t *b, double grow) {
    double p[2 * TEST_SOLID_PLANES][4];
    int32_t count = 0;
    for (int32_t i = 0; i < a->count + b->count; i++) {
        memcpy(p[count], i < a->count ? a->planes[i] : b->planes[i - a->count], sizeof p[0]);
        p[count++][3] += grow;
    }
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = i + 1; j < count; j++) {
            for (int32_t k = j + 1; k < count; k++) {
                double at[3];
                if (meet(p, i, j, k, at) && lies_within(p, count, at)) {
                    return true;
                }
            }
        }
    }
    return false;
}
