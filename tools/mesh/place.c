#include "mesh/place.h"

#include <math.h>

/// Tolerance for the relative difference of axis lengths, and for dot products of axes.
#define SLACK 1e-3

/// Minimum length of an axis. A transform with a shorter axis is PLACE_FLAT.
#define MIN_LENGTH 1e-9

double ME_Tidy(double v) {
    return fabs(v) < 1e-6 ? 0.0 : v;
}

place_t ME_NoPlace(void) {
    return (place_t){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
}

similar_t ME_NoSimilar(void) {
    return (similar_t){{0, 0, 0, 1}, 1, {0, 0, 0}};
}

place_t ME_Combine(const place_t *outer, const place_t *inner) {
    place_t out;
    for (int32_t row = 0; row < 3; row++) {
        for (int32_t column = 0; column < 4; column++) {
            out.m[row][column] =
                outer->m[row][0] * inner->m[0][column] + outer->m[row][1] * inner->m[1][column] +
                outer->m[row][2] * inner->m[2][column] + (column == 3 ? outer->m[row][3] : 0.0);
        }
    }
    return out;
}

dvec_t ME_PointOf(const place_t *place, dvec_t p) {
    const double(*m)[4] = place->m;
    return (dvec_t){m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z + m[0][3],
                    m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z + m[1][3],
                    m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z + m[2][3]};
}

// ---- rotations ----

turn_t ME_TurnBy(turn_t a, turn_t b) {
    return (turn_t){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                    a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

dvec_t ME_Turned(turn_t q, dvec_t v) {
    double tx = 2.0 * (q.y * v.z - q.z * v.y);
    double ty = 2.0 * (q.z * v.x - q.x * v.z);
    double tz = 2.0 * (q.x * v.y - q.y * v.x);
    return (dvec_t){v.x + q.w * tx + q.y * tz - q.z * ty, v.y + q.w * ty + q.z * tx - q.x * tz,
                    v.z + q.w * tz + q.x * ty - q.y * tx};
}

bool ME_TurnIsUnit(turn_t *q) {
    double length = sqrt(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w);
    if (!(fabs(length - 1.0) <= 0.1)) {
        return false;
    }
    *q = (turn_t){q->x / length, q->y / length, q->z / length, q->w / length};
    return true;
}

/// Returns the midpoint of the shorter arc from a to b, or `a` if a and b are opposite.
static turn_t halfway(turn_t a, turn_t b) {
    turn_t q = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return length > 1e-9 ? (turn_t){q.x / length, q.y / length, q.z / length, q.w / length} : a;
}

turn_t ME_TurnBetween(turn_t a, turn_t b, double share) {
    if (a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0) {
        b = (turn_t){-b.x, -b.y, -b.z, -b.w};
    }
    double from = 0.0;
    double to = 1.0;
    // Halving needs no sines, because the normalized midpoint of the chord is the arc's midpoint.
    for (int32_t i = 0; i < 12; i++) {
        turn_t middle = halfway(a, b);
        double at = (from + to) * 0.5;
        if (share < at) {
            b = middle;
            to = at;
        } else {
            a = middle;
            from = at;
        }
    }
    double rest = (share - from) / (to - from);
    turn_t q = {a.x + (b.x - a.x) * rest, a.y + (b.y - a.y) * rest, a.z + (b.z - a.z) * rest,
                a.w + (b.w - a.w) * rest};
    return ME_TurnIsUnit(&q) ? q : a;
}

turn_t ME_TurnOfAxes(const dvec_t axes[3]) {
    dvec_t x = axes[0];
    dvec_t y = axes[1];
    dvec_t z = axes[2];
    // Four times the square of each component. Dividing by the largest keeps most precision.
    double parts[4] = {1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z,
                       1 + x.x + y.y + z.z};
    int32_t largest = 3;
    for (int32_t i = 0; i < 3; i++) {
        largest = parts[i] > parts[largest] ? i : largest;
    }
    double twice = sqrt(parts[largest]);
    double by = 0.5 / twice;
    turn_t q = {0};
    switch (largest) {
    case 0:
        q = (turn_t){0.5 * twice, (x.y + y.x) * by, (x.z + z.x) * by, (y.z - z.y) * by};
        break;
    case 1:
        q = (turn_t){(x.y + y.x) * by, 0.5 * twice, (y.z + z.y) * by, (z.x - x.z) * by};
        break;
    case 2:
        q = (turn_t){(x.z + z.x) * by, (y.z + z.y) * by, 0.5 * twice, (x.y - y.x) * by};
        break;
    default:
        q = (turn_t){(y.z - z.y) * by, (z.x - x.z) * by, (x.y - y.x) * by, 0.5 * twice};
        break;
    }
    return ME_TurnIsUnit(&q) ? q : (turn_t){0, 0, 0, 1};
}

// ---- transforms with orthogonal axes ----

similar_t ME_CombineSimilar(const similar_t *outer, const similar_t *inner) {
    return (similar_t){ME_TurnBy(outer->turn, inner->turn), outer->scale * inner->scale,
                       ME_PointOut(outer, inner->at)};
}

dvec_t ME_PointOut(const similar_t *place, dvec_t p) {
    return DV_Add(place->at, ME_Turned(place->turn, DV_Scale(p, place->scale)));
}

dvec_t ME_PointIn(const similar_t *place, dvec_t p) {
    turn_t q = place->turn;
    dvec_t v = ME_Turned((turn_t){-q.x, -q.y, -q.z, q.w}, DV_Sub(p, place->at));
    return (dvec_t){v.x / place->scale, v.y / place->scale, v.z / place->scale};
}

place_fault_t ME_AxesOf(const place_t *place, dvec_t axes[3], double lengths[3]) {
    const double(*m)[4] = place->m;
    for (int32_t i = 0; i < 3; i++) {
        axes[i] = (dvec_t){m[0][i], m[1][i], m[2][i]};
        lengths[i] = sqrt(DV_Dot(axes[i], axes[i]));
    }
    for (int32_t i = 0; i < 3; i++) {
        if (!isfinite(lengths[i]) || !isfinite(m[i][3])) {
            return PLACE_NOT_FINITE;
        }
        if (!(lengths[i] >= MIN_LENGTH)) {
            return PLACE_FLAT;
        }
    }
    for (int32_t i = 0; i < 3; i++) {
        double l = lengths[i];
        axes[i] = (dvec_t){ME_Tidy(axes[i].x / l), ME_Tidy(axes[i].y / l), ME_Tidy(axes[i].z / l)};
    }
    if (fabs(DV_Dot(axes[0], axes[1])) > SLACK || fabs(DV_Dot(axes[1], axes[2])) > SLACK ||
        fabs(DV_Dot(axes[2], axes[0])) > SLACK) {
        return PLACE_SHEARED;
    }
    if (DV_Dot(DV_Cross(axes[0], axes[1]), axes[2]) < 0.0) {
        axes[2] = DV_Scale(axes[2], -1.0);
        lengths[2] = -lengths[2];
    }
    return PLACE_IS_SIMILAR;
}

place_fault_t ME_SimilarOf(const place_t *place, similar_t *out, double lengths[3]) {
    dvec_t axes[3];
    place_fault_t fault = ME_AxesOf(place, axes, lengths);
    if (fault != PLACE_IS_SIMILAR) {
        return fault;
    }
    if (lengths[2] < 0.0) {
        return PLACE_MIRRORED;
    }
    double scale = (lengths[0] + lengths[1] + lengths[2]) / 3.0;
    for (int32_t i = 0; i < 3; i++) {
        if (fabs(lengths[i] - scale) > SLACK * scale) {
            return PLACE_STRETCHED;
        }
    }
    // Rotations stored as floats have axes of length 1 only up to rounding.
    scale = fabs(scale - 1.0) < 1e-6 ? 1.0 : scale;
    *out =
        (similar_t){ME_TurnOfAxes(axes), scale, {place->m[0][3], place->m[1][3], place->m[2][3]}};
    return PLACE_IS_SIMILAR;
}

const char *ME_FaultText(place_fault_t fault) {
    switch (fault) {
    case PLACE_IS_SIMILAR:
        break;
    case PLACE_NOT_FINITE:
        return "with a finite transform";
    case PLACE_FLAT:
        return "with a scale above 0";
    case PLACE_STRETCHED:
        return "with the same scale on all axes";
    case PLACE_SHEARED:
        return "with axes at right angles";
    case PLACE_MIRRORED:
        return "that is not mirrored";
    }
    return "without faults";
}
