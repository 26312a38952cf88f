#include "probe/camera.h"

#include "math/angles.h"
#include "probe/raster.h"

#include <math.h>

#define FAR_AWAY      32768.0f // qu
#define MIN_DEPTH     1.0f     // qu in front of the eye
#define WALKABLE_Z    0.7f     // minimum z of the normal of a floor
#define FOG           30000.0f // qu; at this distance a colour is half the camera_background's
#define NUDGE         0.25f    // qu in front of a hit surface; the contents are read there
#define MAX_LINE_SPOT 20000    // maximum spots of a line

const vec3_t camera_background = {0.86f, 0.90f, 0.95f};
static const vec3_t floor_colour = {0.46f, 0.50f, 0.40f};
static const vec3_t steep_colour = {0.62f, 0.38f, 0.26f};
static const vec3_t wall_colour = {0.50f, 0.48f, 0.46f};
static const vec3_t pusher_colour = {0.62f, 0.50f, 0.16f};
static const vec3_t water_colour = {0.10f, 0.28f, 0.50f};
static const vec3_t slime_colour = {0.20f, 0.40f, 0.10f};
static const vec3_t lava_colour = {0.70f, 0.20f, 0.04f};

camera_t Camera_LookAt(vec3_t eye, vec3_t at, float fov, const image_t *image) {
    vec3_t angles = VectorAngles(VectorSubtract(at, eye));
    camera_t camera = {.eye = eye,
                       .width = (float)image->width,
                       .height = (float)image->height,
                       .cut_z = INFINITY};
    AngleVectors(Vector(AngleNormalize180(angles.x), angles.y, 0.0f), &camera.forward,
                 &camera.right, &camera.up);
    float sine, cosine;
    SinCos(0.5f * fov, &sine, &cosine);
    camera.scale = 0.5f * camera.width * cosine / sine;
    return camera;
}

camera_t Camera_Overview(bounds_t box, float fov, const image_t *image) {
    vec3_t middle = VectorLerp(box.mins, box.maxs, 0.5f);
    float size = VectorLength(VectorSubtract(box.maxs, box.mins));
    vec3_t from = VectorScale(Vector(-0.42f, -0.62f, 0.66f), 0.5f * size);
    float sine, cosine;
    SinCos(0.5f * fov, &sine, &cosine);
    return Camera_LookAt(VectorMA(middle, 0.62f * cosine / sine * 1.6f, from), middle, fov, image);
}

static vec3_t ray_of(const camera_t *camera, float x, float y) {
    vec3_t ray =
        VectorMA(camera->forward, (x - 0.5f * camera->width) / camera->scale, camera->right);
    ray = VectorMA(ray, (0.5f * camera->height - y) / camera->scale, camera->up);
    return VectorNormalize(ray, NULL);
}

typedef struct {
    trace_t trace;
    bool is_entity, is_hitbox;
} seen_t;

/// Returns the nearest hit of a ray with the world, a brush entity or a hitbox.
static seen_t look(const camera_t *camera, const cmap_t *map, const things_t *things, vec3_t from,
                   vec3_t to) {
    cm_object_t place = {.model = 0, .solids = camera->solids};
    seen_t seen = {{.fraction = 1.0f, .endpos = to}, false, false};
    if (!camera->faces) {
        seen.trace = CM_BoxTrace(map, &place, from, to, camera->box.mins, camera->box.maxs);
    }
    for (int32_t i = 0; i < things->count; i++) {
        const thing_t *thing = &things->list[i];
        if (thing->kind != THING_SOLID || (camera->faces && !CM_IsMesh(map, thing->model)) ||
            !BoundsTouch(
                BoundsOfSweep(from, seen.trace.endpos, camera->box.mins, camera->box.maxs, 1.0f),
                thing->bounds)) {
            continue;
        }
        place.model = thing->model;
        place.origin = thing->origin;
        place.angles = thing->angles;
        trace_t trace = CM_BoxTrace(map, &place, from, to, camera->box.mins, camera->box.maxs);
        if (trace.fraction < seen.trace.fraction) {
            seen = (seen_t){trace, true, false};
        }
    }
    trace_t trace = Figure_Sweep(things->figures, things->num_figures, from, to, camera->box).trace;
    return trace.fraction < seen.trace.fraction ? (seen_t){trace, true, true} : seen;
}

/// Converts 0xRRGGBB to linear light. Squares each byte, as pictures store square roots.
static vec3_t from_rgb(uint32_t rgb) {
    vec3_t share = {(float)(rgb >> 16 & 255u), (float)(rgb >> 8 & 255u), (float)(rgb & 255u)};
    share = VectorScale(share, 1.0f / 255.0f);
    return Vector(share.x * share.x, share.y * share.y, share.z * share.z);
}

vec3_t Camera_Material(const cmap_t *map, vec3_t at, vec3_t normal, bool is_entity) {
    switch (CM_PointContents(map, 0, VectorMA(at, NUDGE, normal))) {
    case CONTENTS_WATER:
        return water_colour;
    case CONTENTS_SLIME:
        return slime_colour;
    case CONTENTS_LAVA:
        return lava_colour;
    default:
        break;
    }
    if (is_entity) {
        return pusher_colour;
    }
    return normal.z >= WALKABLE_Z ? floor_colour : normal.z > 0.05f ? steep_colour : wall_colour;
}

vec3_t Camera_Shade(const camera_t *camera, vec3_t colour, vec3_t at, vec3_t normal) {
    const vec3_t sun = {0.36f, 0.48f, 0.80f};
    float light = 0.55f + 0.45f * DotProduct(normal, sun);
    // A darker band at each 64 qu of height makes slopes easier to see.
    float line = at.z / 64.0f;
    float share = line - floorf(line);
    light *= share < 0.03f && fabsf(normal.z) < 0.99f ? 0.85f : 1.0f;
    float distance = VectorLength(VectorSubtract(at, camera->eye));
    return VectorLerp(VectorScale(colour, light), camera_background, distance / (distance + FOG));
}

static void draw_pixel(const camera_t *camera, const cmap_t *map, const things_t *things,
                       image_t *image, int32_t x, int32_t y) {
    vec3_t ray = ray_of(camera, (float)x + 0.5f, (float)y + 0.5f);
    vec3_t from = camera->eye;
    size_t i = (size_t)y * (size_t)image->width + (size_t)x;
    image->colours[i] = camera_background;
    image->depths[i] = FAR_AWAY;
    if (from.z > camera->cut_z) {
        if (ray.z >= 0.0f) {
            return;
        }
        from = VectorMA(from, (camera->cut_z - from.z) / ray.z, ray);
    }
    vec3_t to = VectorMA(camera->eye, FAR_AWAY, ray);
    seen_t seen = look(camera, map, things, from, to);
    if (seen.trace.fraction == 1.0f || seen.trace.allsolid) {
        return;
    }
    const trace_t *trace = &seen.trace;
    vec3_t colour = seen.is_hitbox
                        ? from_rgb(Figure_GroupColour(trace->hitgroup))
                        : Camera_Material(map, trace->endpos, trace->plane.normal, seen.is_entity);
    image->depths[i] = DotProduct(VectorSubtract(trace->endpos, camera->eye), camera->forward);
    image->colours[i] = Camera_Shade(camera, colour, trace->endpos, trace->plane.normal);
}

static bool is_background(const image_t *image, size_t i) {
    return VectorCompare(image->colours[i], camera_background);
}

/// Darkens pixels where the depth jumps, except within the sky.
static void draw_edges(image_t *image) {
    for (int32_t y = 0; y + 1 < image->height; y++) {
        for (int32_t x = 0; x + 1 < image->width; x++) {
            size_t i = (size_t)y * (size_t)image->width + (size_t)x;
            size_t under = i + (size_t)image->width;
            float d = image->depths[i];
            float right = image->depths[i + 1];
            float below = image->depths[under];
            float least = d < right ? d : right;
            least = least < below ? least : below;
            bool is_sky = is_background(image, i) && is_background(image, i + 1) &&
                          is_background(image, under);
            if (!is_sky && fabsf(d - right) + fabsf(d - below) > 0.02f * least) {
                image->colours[i] = VectorScale(image->colours[i], 0.55f);
            }
        }
    }
}

void Camera_Draw(const camera_t *camera, const cmap_t *map, const things_t *things,
                 image_t *image) {
    for (int32_t y = 0; y < image->height; y++) {
        for (int32_t x = 0; x < image->width; x++) {
            draw_pixel(camera, map, things, image, x, y);
        }
    }
    if (camera->faces) {
        Raster_Draw(camera, map, things, image);
    }
    draw_edges(image);
    for (int32_t i = 0; i < things->num_figures; i++) {
        const figure_t *figure = &things->figures[i];
        for (int32_t k = 0; k < figure->model->num_hitboxes; k++) {
            vec3_t colour = from_rgb(Figure_GroupColour(figure->model->hitboxes[k].group));
            Camera_Box(camera, image, &figure->boxes[k], 1.0f, VectorScale(colour, 0.25f));
        }
    }
}

/// Projects a point to picture x, y and depth. Returns false behind the eye or above cut_z.
static bool project(const camera_t *camera, vec3_t place, vec3_t *at) {
    vec3_t d = VectorSubtract(place, camera->eye);
    float depth = DotProduct(d, camera->forward);
    if (depth < MIN_DEPTH || place.z > camera->cut_z) {
        return false;
    }
    at->x = 0.5f * camera->width + camera->scale * DotProduct(d, camera->right) / depth;
    at->y = 0.5f * camera->height - camera->scale * DotProduct(d, camera->up) / depth;
    at->z = depth;
    return true;
}

/// Cuts a line at the eye. If only `end` is behind the eye, returns the point just in front of the
/// eye. Otherwise returns `end`.
static vec3_t before_eye(const camera_t *camera, vec3_t end, vec3_t other) {
    float depth = DotProduct(VectorSubtract(end, camera->eye), camera->forward) - 2.0f * MIN_DEPTH;
    float beyond =
        DotProduct(VectorSubtract(other, camera->eye), camera->forward) - 2.0f * MIN_DEPTH;
    return depth < 0.0f && beyond > 0.0f ? VectorLerp(end, other, depth / (depth - beyond)) : end;
}

void Camera_Line(const camera_t *camera, image_t *image, vec3_t from, vec3_t to, float radius,
                 vec3_t colour) {
    vec3_t a, b;
    from = before_eye(camera, from, to);
    to = before_eye(camera, to, from);
    if (!project(camera, from, &a) || !project(camera, to, &b)) {
        return;
    }
    float pixels = fabsf(b.x - a.x) + fabsf(b.y - a.y);
    int32_t spots = Q_ToInt(pixels, 1, MAX_LINE_SPOT);
    for (int32_t i = 0; i <= spots; i++) {
        vec3_t at;
        if (project(camera, VectorLerp(from, to, (float)i / (float)spots), &at)) {
            Image_Spot(image, at, radius, colour);
        }
    }
}

/// Returns true if a face of the box looks towards the eye. `side`: 1 for the face at the far end
/// of `axis`, -1 for the near end.
static bool faces_eye(const camera_t *camera, const turned_box_t *box, int32_t axis, float side) {
    vec3_t to = VectorSubtract(camera->eye, box->middle);
    return side * DotProduct(to, box->axes[axis]) > VectorAxis(box->half, axis);
}

void Camera_Box(const camera_t *camera, image_t *image, const turned_box_t *box, float radius,
                vec3_t colour) {
    vec3_t corners[8];
    Figure_Corners(box, corners);
    for (uint32_t from = 0; from < 8; from++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            uint32_t bit = 1u << axis;
            uint32_t sides[2] = {(axis + 1) % 3, (axis + 2) % 3};
            bool is_seen = false;
            for (size_t i = 0; i < COUNTOF(sides); i++) {
                float side = (from >> sides[i] & 1u) != 0 ? 1.0f : -1.0f;
                is_seen = is_seen || faces_eye(camera, box, (int32_t)sides[i], side);
            }
            if ((from & bit) == 0 && is_seen) {
                Camera_Line(camera, image, corners[from], corners[from | bit], radius, colour);
            }
        }
    }
}
