#include "lib/gltf_fixture.h"

#include "model/pose.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// qu per metre
#define QU_A_METRE 32

enum { CORNERS = 8, FACE_CORNERS = 36 };

/// componentType of accessors.
enum { GLTF_BYTE = 5121, GLTF_SHORT = 5123, GLTF_FLOAT = 5126 };

/// Corner i of a box has the high x if bit 0 is set, y for bit 1, z for bit 2. Faces are counter-
/// clockwise as seen from outside.
static const uint8_t faces[FACE_CORNERS] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                            2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

/// The state of the writer: counts, in the order of the file.
typedef struct {
    const model_t *model;
    model_pose_t bind;
    FILE *bytes; ///< the buffer
    FILE *accessors, *views, *nodes, *animations, *meshes;
    int32_t num_accessors;
    int32_t binds; ///< accessor of the inverse bind matrices
    long begin;    ///< start of the current accessor
} gltf_t;

static void comma(FILE *to, bool first) {
    if (!first) {
        fputc(',', to);
    }
}

// ---- numbers ----

static void put_vec3(const gltf_t *gltf, vec3_t v) {
    fwrite(&v, sizeof v, 1, gltf->bytes);
}

static void begin_accessor(gltf_t *gltf) {
    while (ftell(gltf->bytes) % 4 != 0) {
        fputc(0, gltf->bytes);
    }
    gltf->begin = ftell(gltf->bytes);
}

/// Adds an accessor and a view with the same number. `limits`: "" or ",\"min\":...".
static int32_t end_accessor(gltf_t *gltf, int component, const char *type, int32_t count,
                            const char *limits) {
    comma(gltf->accessors, gltf->num_accessors == 0);
    comma(gltf->views, gltf->num_accessors == 0);
    fprintf(gltf->views, "\n{\"buffer\":0,\"byteOffset\":%ld,\"byteLength\":%ld}", gltf->begin,
            ftell(gltf->bytes) - gltf->begin);
    fprintf(gltf->accessors,
            "\n{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"%s}",
            gltf->num_accessors, component, count, type, limits);
    return gltf->num_accessors++;
}

// ---- meshes ----

static vec3_t corner_of(bounds_t box, int32_t i) {
    return Vector((i & 1) ? box.maxs.x : box.mins.x, (i & 2) ? box.maxs.y : box.mins.y,
                  (i & 4) ? box.maxs.z : box.mins.z);
}

/// Converts a point to the file's space: y up, metres.
static vec3_t file_point(const gltf_t *gltf, int32_t bone, vec3_t p) {
    const bone_matrix_t *at = &gltf->bind.bones[bone];
    vec3_t v = VectorMA(at->origin, p.x, at->axes[0]);
    v = VectorMA(VectorMA(v, p.y, at->axes[1]), p.z, at->axes[2]);
    return VectorScale(Vector(v.x, v.z, -v.y), 1.0f / QU_A_METRE);
}

static int32_t put_places(gltf_t *gltf, const vec3_t *places, int32_t count) {
    char limits[160];
    vec3_t lo = places[0];
    vec3_t hi = places[0];
    begin_accessor(gltf);
    for (int32_t i = 0; i < count; i++) {
        lo = VectorMin(lo, places[i]);
        hi = VectorMax(hi, places[i]);
        put_vec3(gltf, places[i]);
    }
    snprintf(limits, sizeof limits, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]",
             (double)lo.x, (double)lo.y, (double)lo.z, (double)hi.x, (double)hi.y, (double)hi.z);
    return end_accessor(gltf, GLTF_FLOAT, "VEC3", count, limits);
}

static int32_t put_corners(gltf_t *gltf, int32_t boxes) {
    begin_accessor(gltf);
    for (int32_t i = 0; i < boxes * FACE_CORNERS; i++) {
        uint16_t corner = (uint16_t)(i / FACE_CORNERS * CORNERS + faces[i % FACE_CORNERS]);
        fwrite(&corner, sizeof corner, 1, gltf->bytes);
    }
    return end_accessor(gltf, GLTF_SHORT, "SCALAR", boxes * FACE_CORNERS, "");
}

/// Writes the matrices from the file's space to each bone's bind pose, columns first.
static int32_t put_binds(gltf_t *gltf) {
    begin_accessor(gltf);
    for (int32_t i = 0; i < gltf->model->num_bones; i++) {
        const bone_matrix_t *at = &gltf->bind.bones[i];
        float m[4][4] = {{0}};
        for (int32_t row = 0; row < 3; row++) {
            vec3_t axis = VectorScale(at->axes[row], QU_A_METRE);
            m[0][row] = axis.x;
            m[1][row] = axis.z;
            m[2][row] = -axis.y;
            m[3][row] = -DotProduct(at->axes[row], at->origin);
        }
        m[3][3] = 1.0f;
        fwrite(m, sizeof m, 1, gltf->bytes);
    }
    return end_accessor(gltf, GLTF_FLOAT, "MAT4", gltf->model->num_bones, "");
}

/// Writes the meshes. Mesh 0 is the body: a box per hitbox that follows its bone. Mesh 1 is a box
/// from -1 to 1, placed and scaled by the nodes of the hitboxes.
static void put_meshes(gltf_t *gltf) {
    const model_t *model = gltf->model;
    FILE *out = gltf->meshes;
    vec3_t places[MAX_HITBOXES * CORNERS];
    int32_t count = model->num_hitboxes * CORNERS;
    for (int32_t i = 0; i < count; i++) {
        const model_hitbox_t *one = &model->hitboxes[i / CORNERS];
        places[i] = file_point(gltf, one->bone, corner_of(one->box, i % CORNERS));
    }
    int32_t body = put_places(gltf, places, count);
    begin_accessor(gltf);
    for (int32_t i = 0; i < count; i++) {
        const uint8_t joints[4] = {(uint8_t)model->hitboxes[i / CORNERS].bone, 0, 0, 0};
        fwrite(joints, sizeof joints, 1, gltf->bytes);
    }
    int32_t joints = end_accessor(gltf, GLTF_BYTE, "VEC4", count, "");
    begin_accessor(gltf);
    for (int32_t i = 0; i < count; i++) {
        const float weights[4] = {1.0f, 0.0f, 0.0f, 0.0f};
        fwrite(weights, sizeof weights, 1, gltf->bytes);
    }
    int32_t weights = end_accessor(gltf, GLTF_FLOAT, "VEC4", count, "");
    int32_t corners = put_corners(gltf, model->num_hitboxes);
    fprintf(out,
            "\"meshes\":[\n{\"name\":\"body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,"
            "\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},\"indices\":%d}]},\n",
            body, joints, weights, corners);
    const bounds_t unit = {{-1.0f, -1.0f, -1.0f}, {1.0f, 1.0f, 1.0f}};
    for (int32_t i = 0; i < CORNERS; i++) {
        places[i] = corner_of(unit, i);
    }
    int32_t box = put_places(gltf, places, CORNERS);
    corners = put_corners(gltf, 1);
    fprintf(out,
            "{\"name\":\"box\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]}"
            "\n],\n",
            box, corners);
}

// ---- nodes ----

// Node 0 rotates and scales everything; then follow the bones, the hitboxes and the body.
static int32_t bone_node(int32_t bone) {
    return 1 + bone;
}

static int32_t hitbox_node(const gltf_t *gltf, int32_t hitbox) {
    return 1 + gltf->model->num_bones + hitbox;
}

/// Writes the children of a bone; those of -1 are the roots.
static void put_children(const gltf_t *gltf, int32_t of) {
    const model_t *model = gltf->model;
    FILE *out = gltf->nodes;
    bool first = true;
    for (int32_t i = 0; i < model->num_bones + model->num_hitboxes; i++) {
        bool is_bone = i < model->num_bones;
        int32_t hitbox = i - model->num_bones;
        if ((is_bone ? model->bones[i].parent : model->hitboxes[hitbox].bone) == of) {
            fprintf(out, "%s%d", first ? ",\"children\":[" : ",",
                    is_bone ? bone_node(i) : hitbox_node(gltf, hitbox));
            first = false;
        }
    }
    if (!first) {
        fputc(']', out);
    }
}

static void put_bone(const gltf_t *gltf, int32_t number) {
    const model_bone_t *bone = &gltf->model->bones[number];
    fprintf(gltf->nodes,
            ",\n{\"name\":\"%s\",\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,"
            "%.9g]",
            bone->name, (double)bone->place.x, (double)bone->place.y, (double)bone->place.z,
            (double)bone->turn.x, (double)bone->turn.y, (double)bone->turn.z, (double)bone->turn.w);
    put_children(gltf, number);
    fputc('}', gltf->nodes);
}

static void put_hitbox(const gltf_t *gltf, const model_hitbox_t *one) {
    static const char *const groups[NUM_HIT_GROUPS] = {
        "generic", "head", "chest", "stomach", "left_arm", "right_arm", "left_leg", "right_leg"};
    vec3_t middle = VectorScale(VectorAdd(one->box.mins, one->box.maxs), 0.5f);
    vec3_t half = VectorScale(VectorSubtract(one->box.maxs, one->box.mins), 0.5f);
    fprintf(gltf->nodes,
            ",\n{\"name\":\"hit_%s.%s\",\"mesh\":1,\"translation\":[%.9g,%.9g,%.9g],\"scale\":"
            "[%.9g,%.9g,%.9g]}",
            groups[one->group], gltf->model->bones[one->bone].name, (double)middle.x,
            (double)middle.y, (double)middle.z, (double)half.x, (double)half.y, (double)half.z);
}

static void put_nodes(const gltf_t *gltf) {
    const model_t *model = gltf->model;
    // A quarter turn about x turns z up into y up.
    fprintf(gltf->nodes,
            "\n{\"name\":\"figure\",\"rotation\":[-0.707106769,0,0,0.707106769],"
            "\"scale\":[%.9g,%.9g,%.9g]",
            1.0 / QU_A_METRE, 1.0 / QU_A_METRE, 1.0 / QU_A_METRE);
    put_children(gltf, -1);
    fputc('}', gltf->nodes);
    for (int32_t i = 0; i < model->num_bones; i++) {
        put_bone(gltf, i);
    }
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        put_hitbox(gltf, &model->hitboxes[i]);
    }
    fputs(",\n{\"name\":\"figure.body\",\"mesh\":0,\"skin\":0}", gltf->nodes);
}

// ---- animations ----

/// Returns frame i of an animation; after the last frame of a loop comes the first.
static const model_key_t *key_at(const gltf_t *gltf, const model_animation_t *one, int32_t bone,
                                 int32_t i) {
    int32_t frame = one->first_frame + i % one->num_frames;
    return &gltf->model->keys[frame * gltf->model->num_bones + bone];
}

static int32_t put_times(gltf_t *gltf, const model_animation_t *one, int32_t count) {
    char limits[64];
    begin_accessor(gltf);
    for (int32_t i = 0; i < count; i++) {
        float time_s = (float)((double)i * (double)one->frame_ms / 1000.0);
        fwrite(&time_s, sizeof time_s, 1, gltf->bytes);
    }
    snprintf(limits, sizeof limits, ",\"min\":[0],\"max\":[%.9g]",
             (double)(float)((double)(count - 1) * (double)one->frame_ms / 1000.0));
    return end_accessor(gltf, GLTF_FLOAT, "SCALAR", count, limits);
}

/// Writes the rotation or position keys of one bone. Returns the accessor, or -1 if they equal the
/// bind pose.
static int32_t put_keys(gltf_t *gltf, const model_animation_t *one, int32_t bone, int32_t count,
                        bool turns) {
    const model_bone_t *rest = &gltf->model->bones[bone];
    bool differs = false;
    for (int32_t i = 0; i < count; i++) {
        const model_key_t *key = key_at(gltf, one, bone, i);
        differs = differs || (turns ? memcmp(&key->turn, &rest->turn, sizeof key->turn) != 0
                                    : memcmp(&key->place, &rest->place, sizeof key->place) != 0);
    }
    if (!differs) {
        return -1;
    }
    begin_accessor(gltf);
    for (int32_t i = 0; i < count; i++) {
        const model_key_t *key = key_at(gltf, one, bone, i);
        fwrite(turns ? (const void *)&key->turn : (const void *)&key->place,
               turns ? sizeof key->turn : sizeof key->place, 1, gltf->bytes);
    }
    return end_accessor(gltf, GLTF_FLOAT, turns ? "VEC4" : "VEC3", count, "");
}

/// False if memory runs out.
static bool put_animation(gltf_t *gltf, const model_animation_t *one) {
    char *channels = NULL;
    size_t size = 0;
    FILE *list = open_memstream(&channels, &size);
    if (!list) {
        return false;
    }
    int32_t count = one->num_frames + (one->loops ? 1 : 0);
    int32_t times = put_times(gltf, one, count);
    int32_t num_channels = 0;
    fprintf(gltf->animations, "%s\n{\"name\":\"%s%s\",\"samplers\":[",
            one == gltf->model->animations ? "" : ",", one->name, one->loops ? "" : "_once");
    for (int32_t i = 0; i < gltf->model->num_bones * 2; i++) {
        bool turns = i % 2 == 0;
        int32_t keys = put_keys(gltf, one, i / 2, count, turns);
        if (keys >= 0) {
            comma(gltf->animations, num_channels == 0);
            comma(list, num_channels == 0);
            fprintf(gltf->animations, "{\"input\":%d,\"output\":%d}", times, keys);
            fprintf(list, "\n{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                    num_channels++, bone_node(i / 2), turns ? "rotation" : "translation");
        }
    }
    bool good = fclose(list) == 0;
    fprintf(gltf->animations, "],\"channels\":[%s]}", good ? channels : "");
    free(channels);
    return good;
}

// ---- the file ----

enum { BYTES, ACCESSORS, VIEWS, NODES, ANIMATIONS, MESHES, NUM_PIECES };

/// Parts of the file that are written in parallel.
typedef struct {
    FILE *to[NUM_PIECES];
    char *text[NUM_PIECES];
    size_t size[NUM_PIECES];
} parts_t;

static bool open_parts(parts_t *parts) {
    bool good = true;
    for (int32_t i = 0; i < NUM_PIECES; i++) {
        parts->to[i] = open_memstream(&parts->text[i], &parts->size[i]);
        good = good && parts->to[i];
    }
    return good;
}

/// False if a part could not be written.
static bool close_parts(parts_t *parts) {
    bool good = true;
    for (int32_t i = 0; i < NUM_PIECES; i++) {
        good = parts->to[i] && fclose(parts->to[i]) == 0 && good;
    }
    return good;
}

static void put_file(FILE *out, const gltf_t *gltf, const parts_t *parts, const char *coded) {
    int32_t bones = gltf->model->num_bones;
    fprintf(out,
            "{\"asset\":{\"version\":\"2.0\",\"generator\":\"edict-figure\"},\n"
            "\"scene\":0,\"scenes\":[{\"nodes\":[0,%d]}],\n\"nodes\":[%s\n],\n%s",
            1 + bones + gltf->model->num_hitboxes, parts->text[NODES], parts->text[MESHES]);
    fprintf(out, "\"skins\":[{\"inverseBindMatrices\":%d,\"joints\":[", gltf->binds);
    for (int32_t i = 0; i < bones; i++) {
        fprintf(out, "%s%d", i ? "," : "", bone_node(i));
    }
    fprintf(out,
            "]}],\n\"animations\":[%s\n],\n\"accessors\":[%s\n],\n\"bufferViews\":[%s\n],\n"
            "\"buffers\":[{\"byteLength\":%zu,\n"
            "\"uri\":\"data:application/octet-stream;base64,%s\"}]}\n",
            parts->text[ANIMATIONS], parts->text[ACCESSORS], parts->text[VIEWS], parts->size[BYTES],
            coded);
}

static bool put_parts(gltf_t *gltf) {
    bool good = true;
    put_meshes(gltf);
    gltf->binds = put_binds(gltf);
    put_nodes(gltf);
    for (int32_t i = 0; good && i < gltf->model->num_animations; i++) {
        good = put_animation(gltf, &gltf->model->animations[i]);
    }
    return good;
}

static char *join_parts(const gltf_t *gltf, const parts_t *parts, size_t *size) {
    const size_t bytes = parts->size[BYTES];
    size_t room = sodium_base64_ENCODED_LEN(bytes, sodium_base64_VARIANT_ORIGINAL);
    char *coded = malloc(room);
    char *text = NULL;
    FILE *out = coded ? open_memstream(&text, size) : NULL;
    if (!out) {
        free(coded);
        return NULL;
    }
    sodium_bin2base64(coded, room, (const unsigned char *)parts->text[BYTES], bytes,
                      sodium_base64_VARIANT_ORIGINAL);
    put_file(out, gltf, parts, coded);
    free(coded);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *Gltf_OfModel(const model_t *model, size_t *size) {
    const pose_request_t rest = {.animations = {-1, -1}};
    model_t bare = *model;
    parts_t parts = {0};
    char *text = NULL;
    bool opened = open_parts(&parts);
    gltf_t gltf = {.model = model,
                   .bytes = parts.to[BYTES],
                   .accessors = parts.to[ACCESSORS],
                   .views = parts.to[VIEWS],
                   .nodes = parts.to[NODES],
                   .animations = parts.to[ANIMATIONS],
                   .meshes = parts.to[MESHES]};
    bare.num_controllers = 0; // their limits may exclude zero
    Pose_Evaluate(NULL, &bare, &rest, &gltf.bind);
    bool put = opened && put_parts(&gltf);
    if (close_parts(&parts) && put) {
        text = join_parts(&gltf, &parts, size);
    }
    for (int32_t i = 0; i < NUM_PIECES; i++) {
        free(parts.text[i]);
    }
    return text;
}
