// Follows sight through one portal: from cluster to cluster, with what is left of each portal.
#include "base/assert.h"
#include "mapc/vis_local.h"

#include <stdlib.h>
#include <string.h>

#define MAX_POINTS  32   // of a part of a portal; a part that would get more is not cut further
#define MAX_DEPTH   1024 // portals in a row
#define ON_EPSILON  1e-4 // qu; a point this close is in a plane
#define KEEP        0.02 // qu; a cut leaves this much more
#define LEAST_AHEAD 1e-3 // qu; a portal is ahead of another if a point is this far in front

/// A part of a portal.
typedef struct {
    int32_t count;
    dvec_t points[MAX_POINTS];
} part_t;

/// Planes that separate two parts, at most one for each edge.
typedef struct {
    int32_t count;
    dplane_t planes[2 * MAX_POINTS];
} separators_t;

/// A cluster on the line of sight. `might`: portals that may be visible from here on.
typedef struct {
    part_t source; ///< part of the first portal from which the cluster is seen
    part_t pass;   ///< part of the last portal through which it is seen; none in the first cluster
    separators_t separators; ///< of source and pass
    int32_t at, end;         ///< links to try
    uint64_t *might;
} frame_t;

struct vis_walker {
    frame_t *frames[MAX_DEPTH];
    uint8_t *seen;  ///< per cluster
    int32_t *stack; ///< clusters
    const vis_t *vis;
};

vis_walker_t *Vis_NewWalker(const vis_t *vis) {
    vis_walker_t *walker = calloc(1, sizeof *walker);
    if (walker) {
        walker->vis = vis;
        walker->seen = calloc((size_t)vis->num_clusters + 1, 1);
        walker->stack = calloc((size_t)vis->num_clusters + 1, sizeof *walker->stack);
    }
    if (walker && (!walker->seen || !walker->stack)) {
        Vis_FreeWalker(walker);
        return NULL;
    }
    return walker;
}

void Vis_FreeWalker(vis_walker_t *walker) {
    if (walker) {
        for (int32_t i = 0; i < MAX_DEPTH && walker->frames[i]; i++) {
            free(walker->frames[i]);
        }
        free(walker->seen);
        free(walker->stack);
        free(walker);
    }
}

/// Returns the frame at a depth, or NULL if out of memory.
static frame_t *frame_at(vis_walker_t *walker, int32_t depth) {
    if (!walker->frames[depth]) {
        size_t set = walker->vis->words * sizeof(uint64_t);
        frame_t *frame = malloc(sizeof *frame + set);
        if (!frame) {
            return NULL;
        }
        frame->might = (uint64_t *)(frame + 1);
        walker->frames[depth] = frame;
    }
    return walker->frames[depth];
}

// ---- base visibility ----

static bool is_ahead(const vis_portal_t *of, const vis_portal_t *portal, double sign) {
    double lo, hi;
    MC_WindingRange(portal->winding, &of->plane, &lo, &hi);
    return sign > 0.0 ? hi > LEAST_AHEAD : lo < -LEAST_AHEAD;
}

void Vis_Base(vis_t *vis, int32_t number, vis_walker_t *walker) {
    const vis_portal_t *portal = &vis->portals[number];
    uint64_t *set = vis->base + (size_t)number * vis->words;
    memset(walker->seen, 0, (size_t)vis->num_clusters);
    int32_t stacked = 0;
    walker->stack[stacked++] = portal->to;
    walker->seen[portal->to] = 1;
    while (stacked > 0) {
        int32_t cluster = walker->stack[--stacked];
        for (int32_t i = vis->first[cluster]; i < vis->first[cluster + 1]; i++) {
            const vis_portal_t *next = &vis->portals[vis->links[i]];
            if (!is_ahead(portal, next, 1.0) || !is_ahead(next, portal, -1.0)) {
                continue;
            }
            Vis_Add(set, vis->links[i]);
            if (!walker->seen[next->to]) {
                walker->seen[next->to] = 1;
                walker->stack[stacked++] = next->to;
            }
        }
    }
}

// ---- full visibility ----

static void set_part(part_t *part, const dvec_t *points, int32_t count) {
    ASSERT(count <= MAX_POINTS);
    part->count = count;
    memcpy(part->points, points, (size_t)count * sizeof *points);
}

/// Cuts off what is behind the plane. Returns false if nothing is left.
static bool keep_front(part_t *part, const dplane_t *plane) {
    double dists[MAX_POINTS];
    double least = 1e30;
    double most = -1e30;
    for (int32_t i = 0; i < part->count; i++) {
        dists[i] = DP_Distance(plane, part->points[i]) + KEEP;
        least = dists[i] < least ? dists[i] : least;
        most = dists[i] > most ? dists[i] : most;
    }
    if (most <= 0.0) {
        return false;
    }
    if (least >= 0.0 || part->count == MAX_POINTS) {
        return true;
    }
    part_t cut;
    cut.count = 0;
    for (int32_t i = 0; i < part->count; i++) {
        int32_t k = i + 1 < part->count ? i + 1 : 0;
        dvec_t a = part->points[i];
        if (dists[i] >= 0.0) {
            cut.points[cut.count++] = a;
        }
        if ((dists[i] > 0.0 && dists[k] < 0.0) || (dists[i] < 0.0 && dists[k] > 0.0)) {
            double share = dists[i] / (dists[i] - dists[k]);
            cut.points[cut.count++] = DV_MA(a, share, DV_Sub(part->points[k], a));
        }
    }
    set_part(part, cut.points, cut.count);
    return part->count >= 3;
}

static dvec_t middle_of(const part_t *part) {
    dvec_t sum = DV(0.0, 0.0, 0.0);
    for (int32_t i = 0; i < part->count; i++) {
        sum = DV_Add(sum, part->points[i]);
    }
    return DV_Scale(sum, 1.0 / part->count);
}

/// Makes the plane through an edge of `edges` and a corner of `corners`, if it separates the two.
/// It faces `corners`. `middle`: of `edges`, whose corners are all on one side of such a plane.
static bool make_separator(const part_t *edges, int32_t edge, dvec_t middle, const part_t *corners,
                           dplane_t *plane) {
    dvec_t a = edges->points[edge];
    dvec_t along = DV_Sub(edges->points[edge + 1 < edges->count ? edge + 1 : 0], a);
    dvec_t inward = DV_Sub(middle, a);
    dvec_t normal = DV(0.0, 0.0, 0.0);
    double squared = 0.0; // length of the normal
    for (int32_t i = 0; i < corners->count; i++) {
        dvec_t to = DV_Sub(corners->points[i], a);
        if (squared > 0.0 && DV_Dot(normal, to) >= 0.0) {
            continue;
        }
        dvec_t turned = DV_Cross(along, to);
        double side = DV_Dot(turned, inward);
        double size = DV_Dot(turned, turned);
        if (size < ON_EPSILON * ON_EPSILON || side * side <= ON_EPSILON * ON_EPSILON * size) {
            continue;
        }
        normal = side > 0.0 ? DV_Scale(turned, -1.0) : turned;
        squared = size;
    }
    if (squared == 0.0) {
        return false;
    }
    double length = sqrt(squared);
    bool is_apart = false;
    for (int32_t i = 0; i < corners->count; i++) {
        double d = DV_Dot(normal, DV_Sub(corners->points[i], a));
        if (d < -ON_EPSILON * length) {
            return false;
        }
        is_apart |= d > ON_EPSILON * length;
    }
    plane->normal = DV_Scale(normal, 1.0 / length);
    plane->dist = DV_Dot(plane->normal, a);
    return is_apart;
}

/// Finds the planes that bound what is seen from `source` through `pass`. They face that side.
static void find_separators(const part_t *source, const part_t *pass, separators_t *found) {
    dvec_t middle = middle_of(source);
    found->count = 0;
    for (int32_t i = 0; i < source->count; i++) {
        found->count += make_separator(source, i, middle, pass, &found->planes[found->count]);
    }
    middle = middle_of(pass);
    for (int32_t i = 0; i < pass->count; i++) {
        dplane_t *plane = &found->planes[found->count];
        if (make_separator(pass, i, middle, source, plane)) {
            *plane = DP_Flip(*plane);
            found->count++;
        }
    }
}

/// Cuts off what is behind one of the planes. Returns false if nothing is left.
static bool keep_between(part_t *part, const separators_t *separators) {
    for (int32_t i = 0; i < separators->count; i++) {
        if (!keep_front(part, &separators->planes[i])) {
            return false;
        }
    }
    return true;
}

/// Returns the best known set of portals that may be visible through a portal.
static const uint64_t *known_set(const vis_t *vis, int32_t portal) {
    const uint64_t *sets = vis->rank[portal] < vis->num_done ? vis->full : vis->base;
    return sets + (size_t)portal * vis->words;
}

/// Goes from a cluster through a portal. Adds the portal to `found` if it is visible. Returns true
/// if more may be found after it.
static bool enter(const vis_t *vis, const vis_portal_t *source, const frame_t *from, int32_t number,
                  uint64_t *found, frame_t *to) {
    const uint64_t *known = known_set(vis, number);
    const vis_portal_t *portal = &vis->portals[number];
    uint64_t more = 0;
    if (!Vis_Has(from->might, number)) {
        return false;
    }
    for (size_t i = 0; i < vis->words; i++) {
        to->might[i] = from->might[i] & known[i];
        more |= to->might[i] & ~found[i];
    }
    if (!more && Vis_Has(found, number)) {
        return false;
    }
    dplane_t back = DP_Flip(portal->plane);
    set_part(&to->source, from->source.points, from->source.count);
    set_part(&to->pass, portal->winding->points, portal->winding->num_points);
    if (!keep_front(&to->source, &back) || !keep_front(&to->pass, &source->plane)) {
        return false;
    }
    if (from->pass.count > 0) {
        if (!keep_between(&to->pass, &from->separators)) {
            return false;
        }
        find_separators(&to->pass, &from->pass, &to->separators);
        if (!keep_between(&to->source, &to->separators)) {
            return false;
        }
    }
    Vis_Add(found, number);
    to->at = vis->first[portal->to];
    to->end = vis->first[portal->to + 1];
    if (more) {
        find_separators(&to->source, &to->pass, &to->separators);
    }
    return more != 0;
}

/// Gives up: base visibility is a superset.
static void take_base(vis_t *vis, int32_t number) {
    size_t at = (size_t)number * vis->words;
    memcpy(vis->full + at, vis->base + at, vis->words * sizeof *vis->full);
    vis->limited[number] = 1;
}

void Vis_Full(vis_t *vis, int32_t number, vis_walker_t *walker) {
    const vis_portal_t *source = &vis->portals[number];
    uint64_t *found = vis->full + (size_t)number * vis->words;
    frame_t *frame = frame_at(walker, 0);
    int32_t depth = 0;
    if (frame) {
        set_part(&frame->source, source->winding->points, source->winding->num_points);
        frame->pass.count = 0;
        frame->at = vis->first[source->to];
        frame->end = vis->first[source->to + 1];
        memcpy(frame->might, vis->base + (size_t)number * vis->words,
               vis->words * sizeof *frame->might);
    }
    while (frame && depth >= 0) {
        frame = walker->frames[depth];
        if (frame->at == frame->end) {
            depth--;
            continue;
        }
        if (++vis->steps[number] > vis->max_steps || depth + 1 == MAX_DEPTH) {
            take_base(vis, number);
            return;
        }
        frame_t *next = frame_at(walker, depth + 1);
        if (next && enter(vis, source, frame, vis->links[frame->at++], found, next)) {
            depth++;
        }
        frame = next;
    }
    if (!frame) {
        atomic_store(&vis->no_memory, true);
    }
}
