#include "collide/brush/face.h"

#include <string.h>

void Face_OfPlane(face_t *face, const bounds_t *bounds, const side_t *side) {
    dvec_t lo = DV_FromVector(bounds->mins);
    dvec_t hi = DV_FromVector(bounds->maxs);
    dvec_t size = DV_Sub(hi, lo);
    double reach = 2.0 * (size.x + size.y + size.z + 1.0);
    dvec_t middle = DV_MA(lo, 0.5, size);
    double length2 = DV_Dot(side->normal, side->normal);
    middle = DV_MA(middle, (side->dist - DV_Dot(middle, side->normal)) / length2, side->normal);
    dvec_t n = side->normal;
    // Start with the axis of the smallest component.
    double ax = fabs(n.x);
    double ay = fabs(n.y);
    double az = fabs(n.z);
    int32_t least = ax <= ay && ax <= az ? 0 : ay <= az ? 1 : 2;
    dvec_t u = DV_Cross(n, DV_AxisVector(least, 1.0));
    u = DV_MA(DV(0.0, 0.0, 0.0), reach / sqrt(DV_Dot(u, u)), u);
    dvec_t v = DV_Cross(n, u);
    face->count = 4;
    face->at[0] = DV_Sub(DV_Sub(middle, u), v);
    face->at[1] = DV_Sub(DV_MA(middle, 1.0, u), v);
    face->at[2] = DV_MA(DV_MA(middle, 1.0, u), 1.0, v);
    face->at[3] = DV_MA(DV_Sub(middle, u), 1.0, v);
}

/// Returns true if part of the face is in front of a side.
static bool is_cut(const face_t *face, const side_t *side) {
    for (int32_t i = 0; i < face->count; i++) {
        if (Side_Distance(side, face->at[i]) > ON_PLANE) {
            return true;
        }
    }
    return false;
}

void Face_Cut(face_t *face, const side_t *side) {
    if (!is_cut(face, side)) {
        return;
    }
    face_t cut; // large, but used sparsely
    cut.count = 0;
    for (int32_t i = 0; i < face->count; i++) {
        dvec_t p = face->at[i];
        dvec_t q = face->at[i + 1 == face->count ? 0 : i + 1];
        double dp = Side_Distance(side, p);
        double dq = Side_Distance(side, q);
        if (dp <= ON_PLANE && cut.count < (int32_t)COUNTOF(cut.at)) {
            cut.at[cut.count++] = p;
        }
        if (((dp < -ON_PLANE && dq > ON_PLANE) || (dp > ON_PLANE && dq < -ON_PLANE)) &&
            cut.count < (int32_t)COUNTOF(cut.at)) {
            cut.at[cut.count++] = DV_MA(p, dp / (dp - dq), DV_Sub(q, p));
        }
    }
    face->count = cut.count < 3 ? 0 : cut.count;
    memcpy(face->at, cut.at, (size_t)cut.count * sizeof *cut.at);
}
