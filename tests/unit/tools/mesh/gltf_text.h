/// tests/unit/tools/mesh/gltf_text.h - small glTF files: two bones, a skinned cube, three keys.
//
//   accessors  0 corners  1 triangles  2 joints  3 weights  4 binds  5 times  6 turns  7 places
//              8 scales
//   meshes     0 the cube with joints and weights   1 the cube alone, from -1 to 1
//   skins      0 of the nodes `joints`

#ifndef EDICTD_TESTS_GLTF_TEXT_H
#define EDICTD_TESTS_GLTF_TEXT_H

#include "lib/testing.h"
#include "mesh/soup.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

/// Stores the buffer, and the text around it.
typedef struct {
    struct {
        float corners[8][3];
        uint16_t triangles[36];
        uint8_t joints[8][4];
        float weights[8][4];
        float binds[2][16];
        float times[3];
        float turns[3][4];
        float places[3][3];
        float scales[3][3];
    } data;
    const char *scene;      ///< roots: "0,3"
    const char *nodes;      ///< text between the brackets
    const char *joints;     ///< of the skin: "1,2"; NULL: no skin
    const char *animations; ///< text between the brackets; NULL: none
} gltf_text_t;

#define TURN_OF(node)                                                                              \
    "{\"name\":\"run\",\"samplers\":[{\"input\":5,\"output\":6}],\"channels\":["                   \
    "{\"sampler\":0,\"target\":{\"node\":" #node ",\"path\":\"rotation\"}}]}"

/// Returns a file with node "hips" at the origin, followed by the lower corners of the cube, and
/// node "head" one unit above it, followed by the upper corners.
static inline gltf_text_t Gltf_Default(void) {
    static const uint8_t faces[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    gltf_text_t gltf = {.scene = "0,3",
                        .nodes = "{\"name\":\"rig\",\"children\":[1]},"
                                 "{\"name\":\"hips\",\"children\":[2]},"
                                 "{\"name\":\"head\",\"translation\":[0,1,0]},"
                                 "{\"name\":\"body\",\"mesh\":0,\"skin\":0}",
                        .joints = "1,2",
                        .animations = TURN_OF(2)};
    for (int i = 0; i < 8; i++) {
        gltf.data.corners[i][0] = (i & 1) ? 1.0f : -1.0f;
        gltf.data.corners[i][1] = (i & 2) ? 1.0f : -1.0f;
        gltf.data.corners[i][2] = (i & 4) ? 1.0f : -1.0f;
        gltf.data.joints[i][0] = (i & 2) ? 1 : 0;
        gltf.data.weights[i][0] = 1.0f;
    }
    for (int i = 0; i < 36; i++) {
        gltf.data.triangles[i] = faces[i];
    }
    for (int i = 0; i < 2; i++) {
        for (int n = 0; n < 4; n++) {
            gltf.data.binds[i][n * 5] = 1.0f;
        }
    }
    gltf.data.binds[1][13] = -1.0f;
    for (int i = 0; i < 3; i++) {
        gltf.data.times[i] = 0.5f * (float)i;
        gltf.data.turns[i][3] = 1.0f;
        gltf.data.scales[i][0] = gltf.data.scales[i][1] = gltf.data.scales[i][2] = 1.0f;
    }
    gltf.data.turns[1][0] = 0.70710678f; // a quarter about x and back
    gltf.data.turns[1][3] = 0.70710678f;
    return gltf;
}

/// Returns the file's text, allocated with malloc.
static inline char *Gltf_Text(const gltf_text_t *gltf) {
    static const struct {
        int component, count;
        const char *type;
        size_t at, bytes;
    } arrays[] = {
#define ARRAY(component, count, type, field)                                                       \
    {component, count, type, offsetof(gltf_text_t, data.field) - offsetof(gltf_text_t, data),      \
     sizeof((gltf_text_t *)0)->data.field}
        ARRAY(5126, 8, "VEC3", corners), ARRAY(5123, 36, "SCALAR", triangles),
        ARRAY(5121, 8, "VEC4", joints),  ARRAY(5126, 8, "VEC4", weights),
        ARRAY(5126, 2, "MAT4", binds),   ARRAY(5126, 3, "SCALAR", times),
        ARRAY(5126, 3, "VEC4", turns),   ARRAY(5126, 3, "VEC3", places),
        ARRAY(5126, 3, "VEC3", scales),
#undef ARRAY
    };
    const size_t count = sizeof arrays / sizeof arrays[0];
    char coded[sodium_base64_ENCODED_LEN(sizeof gltf->data, sodium_base64_VARIANT_ORIGINAL)];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    sodium_bin2base64(coded, sizeof coded, (const unsigned char *)&gltf->data, sizeof gltf->data,
                      sodium_base64_VARIANT_ORIGINAL);
    fprintf(out,
            "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[%s]}],"
            "\"nodes\":[%s],",
            gltf->scene, gltf->nodes);
    if (gltf->joints) {
        fprintf(out, "\"skins\":[{\"joints\":[%s],\"inverseBindMatrices\":4}],", gltf->joints);
    }
    if (gltf->animations) {
        fprintf(out, "\"animations\":[%s],", gltf->animations);
    }
    fputs("\"meshes\":[{\"name\":\"skinned\",\"primitives\":[{\"attributes\":{\"POSITION\":0,"
          "\"JOINTS_0\":2,\"WEIGHTS_0\":3},\"indices\":1}]},{\"name\":\"cube\",\"primitives\":"
          "[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"accessors\":[",
          out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s{\"bufferView\":%zu,\"componentType\":%d,\"count\":%d,\"type\":\"%s\"}",
                i ? "," : "", i, arrays[i].component, arrays[i].count, arrays[i].type);
    }
    fputs("],\"bufferViews\":[", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", i ? "," : "",
                arrays[i].at, arrays[i].bytes);
    }
    fprintf(out,
            "],\"buffers\":[{\"byteLength\":%zu,\"uri\":"
            "\"data:application/octet-stream;base64,%s\"}]}",
            sizeof gltf->data, coded);
    assert_int_equal(fclose(out), 0);
    return text;
}

// ---- files ----

static char gltf_folder[] = "/tmp/edictd-rig-XXXXXX";
static char gltf_path[128];
static const me_import_t gltf_plain = {.scale = 1.0, .any_up = true};

static inline int Gltf_MakeFolder(void **state) {
    (void)state;
    bool made = mkdtemp(gltf_folder);
    snprintf(gltf_path, sizeof gltf_path, "%s/x.gltf", gltf_folder);
    return made ? 0 : 1;
}

static inline int Gltf_RemoveFolder(void **state) {
    (void)state;
    return rmdir(gltf_folder);
}

/// Result of an import.
typedef struct {
    me_rig_t rig;
    me_soup_t soup;
    err_t err;
} made_t;

/// Imports a text; without a rig, only triangles.
static inline bool Gltf_ImportAs(me_soup_t *soup, me_rig_t *rig, const char *text,
                                 const me_import_t *options, err_t *err) {
    FILE *file = fopen(gltf_path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_true(fclose(file) == 0);
    err->text[0] = '\0';
    bool good = ME_Import(soup, rig, gltf_path, options, err);
    unlink(gltf_path);
    return good;
}

static inline bool Gltf_Import(made_t *made, const gltf_text_t *gltf, const me_import_t *options) {
    char *text = Gltf_Text(gltf);
    bool good = Gltf_ImportAs(&made->soup, &made->rig, text, options, &made->err);
    free(text);
    return good;
}

static inline void Gltf_Free(made_t *made) {
    ME_FreeRig(&made->rig);
    ME_FreeSoup(&made->soup);
}

#endif
