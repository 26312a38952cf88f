/// collide/box.c - sweeps a box against a box, which acts like a hull of six planes.
//
// Repeat:  bit-identical on every supported compiler.

#include "collide/cmodel.h"
#include "collide/segment.h"
#include "state/trace_make.h"

enum { NUM_FACES = 6 };

/// A face of the target. `edge`: coordinate. `own`: opposite face of the swept box, relative to its
/// origin.
typedef struct {
    int32_t axis;
    float sign, own, edge;
} face_t;

/// The part of the sweep inside all tested faces.
typedef struct {
    segment_t part;
    segment_t cut;   // the segment before the face `entered` cut it
    int32_t entered; // face entered last; -1 = the sweep starts inside
    bool left;
} inside_t;

// Returns the distance to a face. Compares faces in world space, so that touching boxes give the
// same result in either order.
static inline float face_diff(const face_t *face, const sweep_point_t *p) {
    return face->sign * ((p->f[face->axis] + face->own) - face->edge);
}

static bool point_inside(const face_t faces[NUM_FACES], const sweep_point_t *p) {
    for (int32_t i = 0; i < NUM_FACES; i++) {
        if (face_diff(&faces[i], p) >= 0.0f) {
            return false;
        }
    }
    return true;
}

/// Cuts the sweep at all faces. Returns false if it is all outside.
static bool clip_to_faces(inside_t *in, const face_t faces[NUM_FACES]) {
    for (int32_t i = 0; i < NUM_FACES; i++) {
        float t1 = face_diff(&faces[i], &in->part.p1);
        float t2 = face_diff(&faces[i], &in->part.p2);
        if (t1 >= 0.0f && t2 >= 0.0f) {
            return false;
        }
        if (t1 < 0.0f && t2 < 0.0f) {
            continue;
        }
        sweep_point_t crossing = Segment_At(&in->part, t1 / (t1 - t2));
        if (t1 < 0.0f) {
            in->left = true;
            in->part.p2 = crossing;
        } else {
            in->entered = i;
            in->cut = in->part;
            in->part.p1 = crossing;
        }
    }
    return true;
}

static void stop_at_face(trace_t *trace, const inside_t *in, const face_t faces[NUM_FACES]) {
    const face_t *face = &faces[in->entered];
    float share = Segment_NearShare(face_diff(face, &in->cut.p1), face_diff(face, &in->cut.p2));
    sweep_point_t stop = Segment_At(&in->cut, share);
    // Far from the origin, rounding may put the stop inside the target.
    while (point_inside(faces, &stop) && share >= CM_BACKUP_STEP) {
        share -= CM_BACKUP_STEP;
        stop = Segment_At(&in->cut, share);
    }
    trace->fraction = stop.f[3];
    trace->endpos = Vector(stop.f[0], stop.f[1], stop.f[2]);
    trace->plane.normal =
        Vector(face->axis == 0 ? face->sign : 0.0f, face->axis == 1 ? face->sign : 0.0f,
               face->axis == 2 ? face->sign : 0.0f);
    trace->plane.dist = face->sign * (face->edge - face->own);
    trace->plane.type = face->sign > 0.0f ? face->axis : PLANE_ANY;
}

trace_t CM_BoxBoxTrace(bounds_t target, vec3_t start, vec3_t end, vec3_t mins, vec3_t maxs) {
    const face_t faces[NUM_FACES] = {
        {0, 1.0f, mins.x, target.maxs.x}, {0, -1.0f, maxs.x, target.mins.x},
        {1, 1.0f, mins.y, target.maxs.y}, {1, -1.0f, maxs.y, target.mins.y},
        {2, 1.0f, mins.z, target.maxs.z}, {2, -1.0f, maxs.z, target.mins.z},
    };
    trace_t trace = Trace_Free(end);
    inside_t in = {.part = Segment_Whole(start, end), .entered = -1};
    if (!clip_to_faces(&in, faces)) {
        return trace;
    }
    if (in.entered >= 0) {
        stop_at_face(&trace, &in, faces);
        return trace;
    }
    trace.startsolid = true;
    return in.left ? trace : Trace_AllSolid(start);
}
