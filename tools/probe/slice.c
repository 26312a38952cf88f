#include "probe/slice.h"

#include "collide/brush/brush.h"
#include "collide/mesh/mesh.h"

#include <math.h>

#define MAX_SHAPE_POINTS (MAX_BRUSH_SIDES + 16)
#define ON_PLANE         0.01  // qu; a polygon whose corners are nearer is in the plane
#define FINENESS         256.0 // coordinates are written in 1/256 qu

typedef struct {
    double x, y, z;
} place_t;

/// A plane: all points p with dot(normal, p) = dist.
typedef struct {
    place_t normal;
    double dist;
} cut_t;

typedef struct {
    place_t at[MAX_SHAPE_POINTS];
    int32_t count;
} shape_t;

typedef struct {
    FILE *out;
    const picture_t *picture;
    const brush_list_t *brushes; // brushes of the model; NULL: none
    cm_pose_t pose;
    cut_t cut; // the plane in the model's space
    int32_t written;
} slicer_t;

static place_t place_of(vec3_t v) {
    return (place_t){(double)v.x, (double)v.y, (double)v.z};
}

static double dot(place_t a, place_t b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static place_t cross(place_t a, place_t b) {
    return (place_t){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static place_t along(place_t from, double by, place_t way) {
    return (place_t){from.x + by * way.x, from.y + by * way.y, from.z + by * way.z};
}

// ---- output ----

/// Rounds a coordinate to 1/FINENESS qu, so that its text is short.
static double tidy(double value) {
    return floor(value * FINENESS + 0.5) / FINENESS;
}

static svg_point_t to_picture(const slicer_t *slicer, place_t p) {
    vec3_t v = {(float)p.x, (float)p.y, (float)p.z};
    svg_point_t at = Picture_Point(
        slicer->picture, VectorAdd(CM_TurnToWorld(&slicer->pose, v), slicer->pose.origin));
    return (svg_point_t){tidy(at.x), tidy(at.y)};
}

/// Returns true if a shape has no area, because the plane only touches the brush.
static bool is_sliver(const svg_point_t *points, int32_t count) {
    double twice = 0.0;
    for (int32_t i = 0; i < count; i++) {
        const svg_point_t *p = &points[i];
        const svg_point_t *q = &points[i + 1 == count ? 0 : i + 1];
        twice += p->x * q->y - p->y * q->x;
    }
    return count < 2 || (count > 2 && fabs(twice) < 2.0 * ON_PLANE);
}

/// Writes a shape, unless it is outside the picture.
static void put_shape(slicer_t *slicer, const shape_t *shape, const char *css_class) {
    svg_point_t points[MAX_SHAPE_POINTS];
    svg_point_t lo = {HUGE_VAL, HUGE_VAL};
    svg_point_t hi = {-HUGE_VAL, -HUGE_VAL};
    for (int32_t i = 0; i < shape->count; i++) {
        points[i] = to_picture(slicer, shape->at[i]);
        lo = (svg_point_t){fmin(lo.x, points[i].x), fmin(lo.y, points[i].y)};
        hi = (svg_point_t){fmax(hi.x, points[i].x), fmax(hi.y, points[i].y)};
    }
    const picture_t *picture = slicer->picture;
    double step = (double)picture->options.step;
    if (!is_sliver(points, shape->count) && hi.x >= picture->corner.x &&
        hi.y >= picture->corner.y && lo.x <= picture->corner.x + step * (double)picture->columns &&
        lo.y <= picture->corner.y + step * (double)picture->rows) {
        Svg_Polygon(slicer->out, points, shape->count, css_class);
        slicer->written++;
    }
}

// ---- brushes ----

/// Makes a square in the plane of the cut that is larger than a box.
static void begin_shape(shape_t *shape, const cut_t *cut, const bounds_t *box) {
    vec3_t size = VectorSubtract(box->maxs, box->mins);
    double reach = 2.0 * (double)(size.x + size.y + size.z + 1.0f);
    place_t n = cut->normal;
    place_t least = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? (place_t){1.0, 0.0, 0.0}
                    : fabs(n.y) <= fabs(n.z)                         ? (place_t){0.0, 1.0, 0.0}
                                                                     : (place_t){0.0, 0.0, 1.0};
    place_t u = cross(n, least);
    u = along((place_t){0.0, 0.0, 0.0}, reach / sqrt(dot(u, u)), u);
    place_t v = cross(n, u);
    place_t middle = place_of(VectorLerp(box->mins, box->maxs, 0.5f));
    middle = along(middle, cut->dist - dot(middle, n), n);
    shape->count = 4;
    shape->at[0] = along(along(middle, 1.0, u), 1.0, v);
    shape->at[1] = along(along(middle, -1.0, u), 1.0, v);
    shape->at[2] = along(along(middle, -1.0, u), -1.0, v);
    shape->at[3] = along(along(middle, 1.0, u), -1.0, v);
}

/// Cuts off the part of a polygon in front of a side.
static void cut_shape(shape_t *shape, const cut_t *side) {
    shape_t left = {.count = 0};
    for (int32_t i = 0; i < shape->count; i++) {
        place_t p = shape->at[i];
        place_t q = shape->at[i + 1 == shape->count ? 0 : i + 1];
        double dp = dot(p, side->normal) - side->dist;
        double dq = dot(q, side->normal) - side->dist;
        if (dp <= 0.0 && left.count < MAX_SHAPE_POINTS) {
            left.at[left.count++] = p;
        }
        if ((dp < 0.0) != (dq < 0.0) && dp != dq && left.count < MAX_SHAPE_POINTS) {
            place_t way = along(q, -1.0, p);
            left.at[left.count++] = along(p, dp / (dp - dq), way);
        }
    }
    *shape = left;
    shape->count = left.count < 3 ? 0 : left.count;
}

static const char *class_of(int32_t contents) {
    switch (contents) {
    case CONTENTS_SOLID:
        return "stone";
    case CONTENTS_SKY:
        return "sky";
    case CONTENTS_CLIP:
    case CONTENTS_MONSTERCLIP:
        return "clip";
    case CONTENTS_SLIME:
        return "slime";
    case CONTENTS_LAVA:
        return "lava";
    case CONTENTS_LADDER:
        return "ladder";
    default:
        return "water"; // also flowing water
    }
}

static void slice_brush(slicer_t *slicer, const cbrush_t *brush) {
    shape_t shape;
    begin_shape(&shape, &slicer->cut, &brush->bounds);
    for (int32_t i = 0; i < 6 && shape.count > 0; i++) {
        double sign = i < 3 ? 1.0 : -1.0;
        cut_t side = {
            {i % 3 == 0 ? sign : 0.0, i % 3 == 1 ? sign : 0.0, i % 3 == 2 ? sign : 0.0},
            sign * (double)VectorAxis(i < 3 ? brush->bounds.maxs : brush->bounds.mins, i % 3)};
        cut_shape(&shape, &side);
    }
    const brush_plane_t *planes = &slicer->brushes->planes[brush->first_plane];
    for (int32_t i = 0; i < brush->num_faces && shape.count > 0; i++) {
        cut_t side = {place_of(planes[i].normal), (double)planes[i].dist};
        cut_shape(&shape, &side);
    }
    put_shape(slicer, &shape, class_of(brush->contents));
}

// ---- facets and triangles ----

/// Cuts a flat polygon: draws the line of the cut, or the whole polygon if it is in the plane.
static void slice_polygon(slicer_t *slicer, const shape_t *polygon, const char *css_class) {
    shape_t line = {.count = 0};
    double most = 0.0;
    for (int32_t i = 0; i < polygon->count; i++) {
        place_t p = polygon->at[i];
        place_t q = polygon->at[i + 1 == polygon->count ? 0 : i + 1];
        double dp = dot(p, slicer->cut.normal) - slicer->cut.dist;
        double dq = dot(q, slicer->cut.normal) - slicer->cut.dist;
        most = fmax(most, fabs(dp));
        if ((dp < 0.0) != (dq < 0.0)) {
            line.at[line.count++] = along(p, dp / (dp - dq), along(q, -1.0, p));
        }
    }
    put_shape(slicer, most < ON_PLANE ? polygon : &line, css_class);
}

static void slice_facet(slicer_t *slicer, const cbrush_t *brush) {
    shape_t polygon = {.count = brush->num_vertices};
    for (int32_t i = 0; i < polygon.count && i < MAX_SHAPE_POINTS; i++) {
        polygon.at[i] = place_of(slicer->brushes->vertices[brush->first_vertex + i]);
    }
    slice_polygon(slicer, &polygon, "facet");
}

static void slice_mesh(slicer_t *slicer, const mesh_t *mesh) {
    for (int32_t i = 0; i < mesh->num_triangles; i++) {
        shape_t triangle;
        triangle.count = 3;
        for (int32_t k = 0; k < 3; k++) {
            triangle.at[k] = place_of(mesh->vertices[mesh->indices[i][k]]);
        }
        slice_polygon(slicer, &triangle, "facet");
    }
}

// ---- models ----

/// Cuts all brushes of the tree.
static void slice_brushes(slicer_t *slicer) {
    enum { STACK_SIZE = 256 };
    const brush_list_t *list = slicer->brushes;
    int32_t stack[STACK_SIZE];
    int32_t count = 0;
    stack[count++] = list->root;
    while (count > 0) {
        int32_t child = stack[--count];
        if (child == BRUSH_NO_CHILD) {
            continue;
        }
        if (child < 0) {
            const cbrush_t *brush = &list->brushes[-1 - child];
            if (brush->flags & BRUSH_FACET) {
                slice_facet(slicer, brush);
            } else {
                slice_brush(slicer, brush);
            }
            continue;
        }
        for (int32_t i = 0; i < 4 && count < STACK_SIZE; i++) {
            stack[count++] = list->nodes[child].children[i];
        }
    }
}

/// Cuts a model by the plane of the picture. Returns the number of shapes drawn.
static int32_t slice_model(FILE *out, const picture_t *picture, const cmap_t *map,
                           const cm_object_t *place) {
    slicer_t slicer = {.out = out,
                       .picture = picture,
                       .brushes = CM_Brushes(map, place->model),
                       .pose = CM_ModelPose(map, place)};
    int32_t axis = picture->options.axis;
    vec3_t normal = {axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f, axis == 2 ? 1.0f : 0.0f};
    cm_pose_t turn = slicer.pose;
    turn.origin = Vector(0.0f, 0.0f, 0.0f);
    slicer.cut.normal = place_of(CM_ToModel(&turn, normal));
    slicer.cut.dist = (double)picture->options.at - (double)VectorAxis(slicer.pose.origin, axis);
    int32_t num_meshes = 0;
    const mesh_t *meshes = CM_Meshes(map, place->model, &num_meshes);
    for (int32_t i = 0; i < num_meshes; i++) {
        slice_mesh(&slicer, &meshes[i]);
    }
    if (slicer.brushes) {
        slice_brushes(&slicer);
    }
    return slicer.written;
}

bool Slice_HasShapes(const cmap_t *map, bool brushes) {
    return CM_IsMesh(map, 0) || CM_Info(map).brushes_only || (brushes && CM_Brushes(map, 0));
}

int32_t Slice_Write(FILE *out, const picture_t *picture, const cmap_t *map,
                    const things_t *things) {
    const cm_object_t world = {.model = 0};
    int32_t written = slice_model(out, picture, map, &world);
    fputs("<g class=\"pusher\">\n", out);
    for (int32_t i = 0; i < things->count; i++) {
        const thing_t *thing = &things->list[i];
        if (thing->kind == THING_SOLID && thing->model > 0) {
            const cm_object_t place = {
                .model = thing->model, .origin = thing->origin, .angles = thing->angles};
            written += slice_model(out, picture, map, &place);
        }
    }
    fputs("</g>\n", out);
    return written;
}
