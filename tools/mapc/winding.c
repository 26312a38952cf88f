#include "mapc/winding.h"

#define MC_WINDING_REACH (2.0 * MC_MAX_COORD)

static winding_t *new_winding(mc_pool_t *pool, int32_t room) {
    return MC_Alloc(pool, 1, sizeof(winding_t) + (size_t)room * sizeof(dvec_t));
}

winding_t *MC_PlaneWinding(mc_pool_t *pool, const dplane_t *plane) {
    double ax = fabs(plane->normal.x);
    double ay = fabs(plane->normal.y);
    double az = fabs(plane->normal.z);
    // Start with the axis of the normal's smallest component, which is farthest from parallel.
    dvec_t seed = DV_AxisVector(az <= ax && az <= ay ? 2 : ay <= ax ? 1 : 0, 1.0);
    dvec_t up = DV_MA(seed, -DV_Dot(seed, plane->normal), plane->normal);
    up = DV_Scale(up, MC_WINDING_REACH / DV_Length(up));
    dvec_t right = DV_Cross(up, plane->normal);
    dvec_t middle = DV_Scale(plane->normal, plane->dist);
    winding_t *w = new_winding(pool, 4);
    w->num_points = 4;
    w->points[0] = DV_Add(DV_Sub(middle, right), up);
    w->points[1] = DV_Sub(DV_Sub(middle, right), up);
    w->points[2] = DV_Sub(DV_Add(middle, right), up);
    w->points[3] = DV_Add(DV_Add(middle, right), up);
    return w;
}

void MC_WindingRange(const winding_t *winding, const dplane_t *plane, double *lo, double *hi) {
    double least = 1e30;
    double most = -1e30;
    for (int32_t i = 0; i < winding->num_points; i++) {
        double d = DP_Distance(plane, winding->points[i]);
        least = d < least ? d : least;
        most = d > most ? d : most;
    }
    *lo = least;
    *hi = most;
}

mc_side_t MC_WindingSide(const winding_t *winding, const dplane_t *plane, double epsilon) {
    double lo, hi;
    MC_WindingRange(winding, plane, &lo, &hi);
    if (lo >= -epsilon) {
        return hi <= epsilon ? MC_SIDE_ON : MC_SIDE_FRONT;
    }
    return hi <= epsilon ? MC_SIDE_BACK : MC_SIDE_CROSS;
}

/// Returns where the edge from `front` (distance df) to `back` (distance db) crosses a plane.
static dvec_t cross_point(const dplane_t *plane, dvec_t front, double df, dvec_t back, double db) {
    dvec_t p = DV_MA(front, df / (df - db), DV_Sub(back, front));
    // On an axial plane, one coordinate is exactly the plane's distance.
    if (fabs(plane->normal.x) == 1.0) {
        p.x = plane->normal.x * plane->dist;
    } else if (fabs(plane->normal.y) == 1.0) {
        p.y = plane->normal.y * plane->dist;
    } else if (fabs(plane->normal.z) == 1.0) {
        p.z = plane->normal.z * plane->dist;
    }
    return p;
}

static void add_point(winding_t *w, dvec_t p) {
    w->points[w->num_points++] = p;
}

mc_side_t MC_SplitWinding(mc_pool_t *pool, const winding_t *winding, const dplane_t *plane,
                          double epsilon, const winding_t *parts[2]) {
    mc_side_t side = MC_WindingSide(winding, plane, epsilon);
    parts[0] = side == MC_SIDE_FRONT ? winding : NULL;
    parts[1] = side == MC_SIDE_BACK ? winding : NULL;
    if (side != MC_SIDE_CROSS) {
        return side;
    }
    // A convex polygon gains at most two points. Rounding can make it slightly concave, so there is
    // room for a crossing on every edge.
    int32_t room = winding->num_points * 2;
    winding_t *front = new_winding(pool, room);
    winding_t *back = new_winding(pool, room);
    for (int32_t i = 0; i < winding->num_points; i++) {
        dvec_t a = winding->points[i];
        dvec_t b = winding->points[i + 1 < winding->num_points ? i + 1 : 0];
        double da = DP_Distance(plane, a);
        double db = DP_Distance(plane, b);
        if (da >= -epsilon) {
            add_point(front, a);
        }
        if (da <= epsilon) {
            add_point(back, a);
        }
        if ((da > epsilon && db < -epsilon) || (da < -epsilon && db > epsilon)) {
            dvec_t p =
                da > 0.0 ? cross_point(plane, a, da, b, db) : cross_point(plane, b, db, a, da);
            add_point(front, p);
            add_point(back, p);
        }
    }
    parts[0] = front->num_points >= 3 ? front : NULL;
    parts[1] = back->num_points >= 3 ? back : NULL;
    return side;
}

const winding_t *MC_ClipWinding(mc_pool_t *pool, const winding_t *winding, const dplane_t *plane,
                                double epsilon) {
    const winding_t *parts[2];
    mc_side_t side = MC_SplitWinding(pool, winding, plane, epsilon, parts);
    return side == MC_SIDE_ON ? winding : parts[1];
}

winding_t *MC_CopyWinding(mc_pool_t *pool, const winding_t *winding) {
    winding_t *w = new_winding(pool, winding->num_points);
    w->num_points = winding->num_points;
    for (int32_t i = 0; i < w->num_points; i++) {
        w->points[i] = winding->points[i];
    }
    return w;
}

double MC_WindingArea(const winding_t *winding) {
    dvec_t sum = {0.0, 0.0, 0.0};
    for (int32_t i = 2; i < winding->num_points; i++) {
        dvec_t a = DV_Sub(winding->points[i - 1], winding->points[0]);
        dvec_t b = DV_Sub(winding->points[i], winding->points[0]);
        sum = DV_Add(sum, DV_Cross(a, b));
    }
    return 0.5 * DV_Length(sum);
}

double MC_WindingWidth(const winding_t *winding) {
    double perimeter = 0.0;
    for (int32_t i = 0; i < winding->num_points; i++) {
        int32_t next = i + 1 < winding->num_points ? i + 1 : 0;
        perimeter += DV_Length(DV_Sub(winding->points[next], winding->points[i]));
    }
    return perimeter > 0.0 ? 2.0 * MC_WindingArea(winding) / perimeter : 0.0;
}

dvec_t MC_WindingCenter(const winding_t *winding) {
    dvec_t sum = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < winding->num_points; i++) {
        sum = DV_Add(sum, winding->points[i]);
    }
    return DV_Scale(sum, 1.0 / (double)winding->num_points);
}
