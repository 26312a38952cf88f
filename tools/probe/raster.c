#include "probe/raster.h"

#include <math.h>
#include <string.h>

#define NEAR_DEPTH  1.0f  // qu; nothing nearer to the eye is drawn
#define NUDGE       0.25f // qu behind a surface; the contents are read there
#define BRIGHTNESS  1.6f  // engines draw textures brighter than their palette
#define TRANSPARENT 255   // palette index in textures with names that start with "{"

typedef struct {
    const camera_t *camera;
    const cmap_t *map;
    image_t *image;
    vec3_t palette[256];
} raster_t;

/// A face at the pose of its entity. Colours are found in the space of the map file.
typedef struct {
    const bsp_face_t *face;
    cm_pose_t pose;
    plane_t plane;
    bool is_entity;
} surface_t;

/// The columns of a row that a face covers, as slopes of rays to the right of the view.
typedef struct {
    float low, high;
} span_t;

static vec3_t linear(const uint8_t *rgb) {
    vec3_t c = VectorScale(Vector((float)rgb[0], (float)rgb[1], (float)rgb[2]), 1.0f / 255.0f);
    return VectorScale(Vector(c.x * c.x, c.y * c.y, c.z * c.z), BRIGHTNESS);
}

/// Fills an approximation of Quake's palette: 16 ramps of 16 colours between black and one colour.
static void fill_palette(vec3_t *palette) {
    static const uint8_t brightest[16][3] = {
        {235, 235, 235}, {143, 111, 35},  {139, 139, 203}, {107, 107, 15},
        {127, 0, 0},     {180, 130, 20},  {255, 243, 27},  {227, 179, 151},
        {171, 139, 163}, {187, 115, 159}, {219, 195, 187}, {111, 131, 123},
        {255, 243, 27},  {0, 0, 255},     {247, 211, 139}, {255, 255, 255}};
    for (int32_t i = 0; i < 256; i++) {
        int32_t ramp = i / 16;
        bool falls = ramp >= 8 && ramp <= 13;
        float share = (float)(falls ? 16 - i % 16 : i % 16 + 1) / 16.0f;
        palette[i] = VectorScale(linear(brightest[ramp]), share * share);
    }
}

/// Reads the texture at a point. `qu`: size of a pixel there. Returns false if the texel is
/// transparent or the file lacks the texture.
static bool texel(const raster_t *r, const bsp_texinfo_t *info, vec3_t at, float qu,
                  vec3_t *colour) {
    const bsp_texture_t *texture = info->texture;
    float texels = qu * VectorLength(info->axes[0]);
    int32_t level = texels >= 8.0f ? 3 : texels >= 4.0f ? 2 : texels >= 2.0f ? 1 : 0;
    level =
        texture->levels[level] && texture->width >> level && texture->height >> level ? level : 0;
    const int32_t size[2] = {texture->width >> level, texture->height >> level};
    int32_t place[2];
    for (int32_t i = 0; i < 2; i++) {
        float share = (DotProduct(at, info->axes[i]) + info->offsets[i]) /
                      (float)(i == 0 ? texture->width : texture->height);
        place[i] = Q_ToInt((share - floorf(share)) * (float)size[i], 0, size[i] - 1);
    }
    uint8_t index = texture->levels[level][place[1] * size[0] + place[0]];
    *colour = texture->palette ? linear(&texture->palette[3 * index]) : r->palette[index];
    return index != TRANSPARENT || texture->name[0] != '{';
}

/// Returns the colour of a surface whose texture the file lacks. The contents behind the surface
/// distinguish sky and liquids from walls.
static vec3_t plain_colour(const raster_t *r, const surface_t *s, vec3_t at, bool *is_sky) {
    vec3_t behind = VectorMA(at, -NUDGE, s->plane.normal);
    contents_t contents = CM_PointContents(r->map, 0, behind);
    bool is_liquid = contents <= CONTENTS_WATER && contents >= CONTENTS_LAVA;
    *is_sky = *is_sky || contents == CONTENTS_SKY;
    return Camera_Material(r->map, is_liquid ? VectorAdd(behind, VectorSubtract(behind, at)) : at,
                           s->plane.normal, s->is_entity);
}

static void draw_pixel(const raster_t *r, const surface_t *s, size_t pixel, vec3_t ray) {
    const camera_t *camera = r->camera;
    float depth = -PlaneDiff(camera->eye, &s->plane) / DotProduct(ray, s->plane.normal);
    vec3_t at = VectorMA(camera->eye, depth, ray);
    if (!(depth >= NEAR_DEPTH && depth < r->image->depths[pixel]) || at.z > camera->cut_z) {
        return;
    }
    const bsp_texinfo_t *info = s->face->texinfo;
    bool is_sky = strncasecmp(info->texture->name, "sky", 3) == 0;
    vec3_t colour;
    if (!info->texture->levels[0]) {
        colour = plain_colour(r, s, at, &is_sky);
    } else if (!texel(r, info, CM_ToModel(&s->pose, at), depth / camera->scale, &colour)) {
        return;
    }
    r->image->depths[pixel] = depth;
    r->image->colours[pixel] =
        is_sky ? camera_background : Camera_Shade(camera, colour, at, s->plane.normal);
}

/// Limits the spans to the inner side of one edge, by the plane through the edge and the eye.
static void cut_spans(const raster_t *r, span_t *spans, vec3_t from, vec3_t to) {
    const camera_t *camera = r->camera;
    vec3_t normal =
        CrossProduct(VectorSubtract(from, camera->eye), VectorSubtract(to, camera->eye));
    float right = DotProduct(normal, camera->right);
    float up = DotProduct(normal, camera->up);
    float forward = DotProduct(normal, camera->forward);
    for (int32_t y = 0; y < r->image->height; y++) {
        float rest = forward + up * (0.5f * camera->height - (float)y - 0.5f) / camera->scale;
        float bound = -rest / right;
        if (right > 0.0f) {
            spans[y].low = bound > spans[y].low ? bound : spans[y].low;
        } else if (right < 0.0f) {
            spans[y].high = bound < spans[y].high ? bound : spans[y].high;
        } else if (rest < 0.0f) {
            spans[y].high = -INFINITY;
        }
    }
}

/// Returns the first column whose middle is not left of a ray with this slope.
static int32_t column_of(const camera_t *camera, float slope) {
    float x = ceilf(slope * camera->scale + 0.5f * camera->width - 0.5f);
    return Q_ToInt(x, 0, (int32_t)camera->width);
}

static void draw_surface(const raster_t *r, const surface_t *s) {
    const camera_t *camera = r->camera;
    const bsp_face_t *face = s->face;
    span_t spans[IMAGE_MAX_SIZE];
    float most = camera->width / camera->scale; // twice the slope at the border
    for (int32_t y = 0; y < r->image->height; y++) {
        spans[y] = (span_t){-most, most};
    }
    for (int32_t i = 0; i < face->num_vertices; i++) {
        vec3_t from = CM_TurnToWorld(&s->pose, face->vertices[i]);
        vec3_t to = CM_TurnToWorld(&s->pose, face->vertices[(i + 1) % face->num_vertices]);
        cut_spans(r, spans, VectorAdd(from, s->pose.origin), VectorAdd(to, s->pose.origin));
    }
    for (int32_t y = 0; y < r->image->height; y++) {
        if (!(spans[y].low < spans[y].high)) {
            continue;
        }
        int32_t end = column_of(camera, spans[y].high);
        float up = (0.5f * camera->height - (float)y - 0.5f) / camera->scale;
        vec3_t row = VectorMA(camera->forward, up, camera->up);
        for (int32_t x = column_of(camera, spans[y].low); x < end; x++) {
            float right = ((float)x + 0.5f - 0.5f * camera->width) / camera->scale;
            draw_pixel(r, s, (size_t)y * (size_t)r->image->width + (size_t)x,
                       VectorMA(row, right, camera->right));
        }
    }
}

static void draw_model(const raster_t *r, const cm_object_t *object, bool is_entity) {
    const bsp_faces_t *faces = r->camera->faces;
    if (object->model >= faces->num_models) {
        return; // a placed mesh
    }
    const bsp_model_faces_t *model = &faces->models[object->model];
    surface_t s = {.pose = CM_ModelPose(r->map, object), .is_entity = is_entity};
    for (int32_t i = 0; i < model->num_faces; i++) {
        s.face = &faces->faces[model->first_face + i];
        s.plane = s.face->plane;
        s.plane.normal = CM_TurnToWorld(&s.pose, s.plane.normal);
        s.plane.dist += DotProduct(s.plane.normal, s.pose.origin);
        s.plane.type = PLANE_ANY;
        if (PlaneDiff(r->camera->eye, &s.plane) > 0.0f) {
            draw_surface(r, &s);
        }
    }
}

void Raster_Draw(const camera_t *camera, const cmap_t *map, const things_t *things,
                 image_t *image) {
    raster_t r = {.camera = camera, .map = map, .image = image};
    fill_palette(r.palette);
    draw_model(&r, &(cm_object_t){.model = 0}, false);
    for (int32_t i = 0; i < things->count; i++) {
        const thing_t *thing = &things->list[i];
        if (thing->kind == THING_SOLID) {
            draw_model(&r,
                       &(cm_object_t){
                           .model = thing->model, .origin = thing->origin, .angles = thing->angles},
                       true);
        }
    }
}
