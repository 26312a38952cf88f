/// mesh/import.c - reads the triangles of a model file through libassimp.
//
// Repeat:  the same file gives the same triangles in the same order: nodes from the root down, for
//          each node its meshes and then its children, in the order of the file.

#include "base/file.h"
#include "base/limits.h"
#include "collide/mesh/mesh.h"
#include "mapc/texture.h"
#include "math/angles.h"
#include "mesh/mdl.h"
#include "mesh/rig_local.h"
#include "mesh/soup.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/// Maximum bytes of a source file.
#define MAX_SOURCE_BYTES ((size_t)1 << 30)

/// Maximum number of nodes on the stack of a walk.
#define MAX_NODES (1 << 20)

typedef struct {
    const struct aiNode *node;
    place_t place;
} visit_t;

typedef struct {
    const char *path;
    const me_import_t *options;
    const struct aiScene *scene;
    place_t root; // from the file's space to model space
    bool has_rig, is_gltf;
    visit_t *stack;
    int32_t stack_count, stack_room;
    me_soup_t *soup;
    int64_t vertices, triangles; // sums over all instances of meshes
    int32_t wanted;              // triangles that find_triangle still skips
    me_note_t *note;
    dvec_t corners[3]; // in the file's space
    err_t *err;
} importer_t;

// ---- nodes ----

/// Returns the root transform: scale, up axis, yaw, then offset.
static place_t root_place(const me_import_t *options, bool z_up) {
    float sine = 0.0f;
    float cosine = 1.0f;
    double s = options->scale;
    const place_t up = z_up ? (place_t){{{s, 0, 0, 0}, {0, s, 0, 0}, {0, 0, s, 0}}}
                            : (place_t){{{s, 0, 0, 0}, {0, 0, -s, 0}, {0, s, 0, 0}}};
    SinCos(options->yaw, &sine, &cosine);
    const place_t turn = {{{(double)cosine, (double)-sine, 0, (double)options->move.x},
                           {(double)sine, (double)cosine, 0, (double)options->move.y},
                           {0, 0, 1, (double)options->move.z}}};
    return ME_Combine(&turn, &up);
}

/// Returns true if the transform mirrors triangles, which swaps front and back.
static bool is_mirrored(const place_t *place) {
    const double(*m)[4] = place->m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) <
           0.0;
}

static bool push(importer_t *importer, const struct aiNode *node, const place_t *place) {
    if (importer->stack_count == importer->stack_room) {
        int32_t room = importer->stack_room * 2 + 64;
        visit_t *more =
            room > MAX_NODES ? NULL : realloc(importer->stack, (size_t)room * sizeof *more);
        if (!more) {
            return room > MAX_NODES
                       ? Err_Set(importer->err, "%s: expected at most %d nodes, found more",
                                 importer->path, MAX_NODES)
                       : Err_Set(importer->err, "%s: no memory for nodes", importer->path);
        }
        importer->stack = more;
        importer->stack_room = room;
    }
    importer->stack[importer->stack_count++] = (visit_t){node, *place};
    return true;
}

/// Returns false for hitboxes and for meshes that move with bones.
static bool has_triangles(const importer_t *importer, const struct aiNode *node,
                          const struct aiMesh *mesh) {
    bool is_hitbox = importer->is_gltf && ME_GroupOfNode(node->mName.data) >= 0;
    return !is_hitbox && !(importer->has_rig && mesh->mNumBones > 0);
}

/// Calls `take` for each mesh that gives triangles, once per node. Stops when `take` returns false.
static bool walk(importer_t *importer, bool (*take)(importer_t *importer, const struct aiMesh *mesh,
                                                    const place_t *place)) {
    importer->stack_count = 0;
    if (!push(importer, importer->scene->mRootNode, &importer->root)) {
        return false;
    }
    while (importer->stack_count > 0) {
        visit_t visit = importer->stack[--importer->stack_count];
        const struct aiNode *node = visit.node;
        place_t own = ME_PlaceOf(&node->mTransformation);
        place_t place = ME_Combine(&visit.place, &own);
        for (unsigned i = 0; i < node->mNumMeshes; i++) {
            const struct aiMesh *mesh = importer->scene->mMeshes[node->mMeshes[i]];
            if (has_triangles(importer, node, mesh) && !take(importer, mesh, &place)) {
                return false;
            }
        }
        for (unsigned i = node->mNumChildren; i > 0; i--) {
            if (!push(importer, node->mChildren[i - 1], &place)) {
                return false;
            }
        }
    }
    return true;
}

// ---- meshes ----

static contents_t contents_of(const importer_t *importer, const struct aiMesh *mesh) {
    struct aiString name = {0};
    const struct aiScene *scene = importer->scene;
    if (mesh->mMaterialIndex < scene->mNumMaterials) {
        aiGetMaterialString(scene->mMaterials[mesh->mMaterialIndex], AI_MATKEY_NAME, &name);
    }
    contents_t contents = MC_TextureContents(name.data, false);
    return contents == CONTENTS_ORIGIN ? CONTENTS_EMPTY : contents;
}

static bool count_mesh(importer_t *importer, const struct aiMesh *mesh, const place_t *place) {
    (void)place;
    bool is_empty = contents_of(importer, mesh) == CONTENTS_EMPTY;
    importer->vertices += is_empty ? 0 : mesh->mNumVertices;
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        bool is_triangle = mesh->mFaces[i].mNumIndices == 3;
        importer->triangles += is_triangle && !is_empty ? 1 : 0;
        importer->soup->num_by_material += is_triangle && is_empty ? 1 : 0;
        importer->soup->num_other += is_triangle ? 0 : 1;
    }
    bool is_long = importer->triangles > MAX_MESH_TRIANGLES;
    if (is_long || importer->vertices > INT32_MAX / 4) {
        return Err_Set(importer->err, "%s: mesh \"%.64s\": expected at most %d %s, found more",
                       importer->path, mesh->mName.data,
                       is_long ? MAX_MESH_TRIANGLES : INT32_MAX / 4,
                       is_long ? "triangles in the file" : "vertices in the file");
    }
    return true;
}

static bool take_vertices(importer_t *importer, const struct aiMesh *mesh, const place_t *place) {
    me_soup_t *soup = importer->soup;
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D *v = &mesh->mVertices[i];
        dvec_t p = ME_PointOf(place, (dvec_t){(double)v->x, (double)v->y, (double)v->z});
        vec3_t at = Vector((float)p.x, (float)p.y, (float)p.z);
        if (!VectorWithin(at, MAX_WORLD_COORD)) {
            return Err_Set(importer->err,
                           "%s: mesh \"%.64s\": vertex %u: expected coordinates within +-%d, found "
                           "%g %g %g (scale %g)",
                           importer->path, mesh->mName.data, i, MAX_WORLD_COORD, (double)at.x,
                           (double)at.y, (double)at.z, importer->options->scale);
        }
        soup->vertices[soup->num_vertices++] = at;
    }
    return true;
}

static bool take_mesh(importer_t *importer, const struct aiMesh *mesh, const place_t *place) {
    me_soup_t *soup = importer->soup;
    contents_t contents = contents_of(importer, mesh);
    int32_t first = soup->num_vertices;
    if (contents == CONTENTS_EMPTY) {
        return true;
    }
    if (!take_vertices(importer, mesh, place)) {
        return false;
    }
    bool turn = is_mirrored(place);
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        if (face->mNumIndices != 3) {
            continue;
        }
        for (int32_t j = 0; j < 3; j++) {
            unsigned index = face->mIndices[turn ? 2 - j : j];
            if (index >= mesh->mNumVertices) {
                return Err_Set(importer->err,
                               "%s: mesh \"%.64s\": triangle %u: expected vertices 0..%u, found %u",
                               importer->path, mesh->mName.data, i, mesh->mNumVertices - 1, index);
            }
            soup->indices[soup->num_triangles][j] = first + (int32_t)index;
        }
        soup->contents[soup->num_triangles++] = contents;
    }
    return true;
}

// ---- the position of a triangle in the file ----

static void note_face(importer_t *importer, const struct aiMesh *mesh, unsigned face) {
    snprintf(importer->note->place, sizeof importer->note->place,
             "%.80s: mesh \"%.32s\": triangle %u", importer->path, mesh->mName.data, face);
    for (int32_t i = 0; i < 3; i++) {
        const struct aiVector3D *v = &mesh->mVertices[mesh->mFaces[face].mIndices[i]];
        importer->corners[i] = (dvec_t){(double)v->x, (double)v->y, (double)v->z};
    }
}

/// Skips `wanted` triangles, counted over all calls. Notes the next triangle and returns false.
static bool find_triangle(importer_t *importer, const struct aiMesh *mesh, const place_t *place) {
    (void)place;
    if (contents_of(importer, mesh) == CONTENTS_EMPTY) {
        return true;
    }
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        if (mesh->mFaces[i].mNumIndices == 3 && importer->wanted-- == 0) {
            note_face(importer, mesh, i);
            return false;
        }
    }
    return true;
}

/// Notes a triangle's position in the file. In an .obj: the nth face line (from 0) with its
/// corners.
static void note_place(importer_t *importer, me_note_t *note, int32_t triangle, int32_t nth) {
    importer->wanted = triangle;
    importer->note = note;
    if (walk(importer, find_triangle) || importer->is_gltf) {
        return;
    }
    err_t ignored;
    size_t size = 0;
    uint8_t *bytes = File_Read(importer->path, MAX_SOURCE_BYTES, &size, &ignored);
    int32_t line = 0;
    if (bytes) {
        ME_JoinLines((char *)bytes);
        line = ME_ObjFaceLine((const char *)bytes, importer->corners, nth);
    }
    if (line > 0) {
        snprintf(note->place, sizeof note->place, "%.140s:%d", importer->path, line);
    }
    free(bytes);
}

static void note_flats(importer_t *importer) {
    me_soup_t *soup = importer->soup;
    int32_t first = 0;
    for (int32_t i = soup->num_triangles - 1; i >= 0; i--) {
        if (ME_IsFlat(soup, i)) {
            first = i;
            soup->flats.count++;
        }
    }
    if (soup->flats.count > 0) {
        note_place(importer, &soup->flats, first, 0);
    }
}

static bool drop_doubles(importer_t *importer) {
    int32_t first = -1;
    if (!ME_DropDoubles(importer->soup, &first)) {
        return false;
    }
    if (first >= 0) {
        note_place(importer, &importer->soup->doubles, first, 1);
    }
    return true;
}

// ---- scenes ----

static bool take_scene(importer_t *importer, bool has_bones) {
    me_soup_t *soup = importer->soup;
    if (!walk(importer, count_mesh)) {
        return false;
    }
    if (importer->triangles == 0) {
        return has_bones ||
               Err_Set(importer->err,
                       "%s: expected triangles, found none (left out: %d points and lines, %d "
                       "triangles because of their material)",
                       importer->path, soup->num_other, soup->num_by_material);
    }
    soup->vertices = malloc(((size_t)importer->vertices + 1) * sizeof *soup->vertices);
    soup->indices = malloc((size_t)importer->triangles * sizeof *soup->indices);
    soup->contents = malloc((size_t)importer->triangles * sizeof *soup->contents);
    if (!soup->vertices || !soup->indices || !soup->contents) {
        return Err_Set(importer->err, "%s: no memory for %lld triangles", importer->path,
                       (long long)importer->triangles);
    }
    if (!walk(importer, take_mesh)) {
        return false;
    }
    note_flats(importer);
    return (ME_Weld(soup) && drop_doubles(importer)) ||
           Err_Set(importer->err, "%s: no memory for %d vertices", importer->path,
                   soup->num_vertices);
}

// ---- files ----

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path);
    return length > strlen(ending) && strcasecmp(path + length - strlen(ending), ending) == 0;
}

/// The first warning of libassimp about dropped or out-of-range data.
typedef struct {
    char text[200];
} complaint_t;

static void hear(const char *message, char *user) {
    complaint_t *complaint = (complaint_t *)(void *)user;
    // libassimp only warns when it drops triangles with missing corners or keys without values.
    // ME_CheckGltf misses some of these triangles.
    if (complaint->text[0] == '\0' &&
        (strstr(message, "out-of-range") || strstr(message, "Number of keyframes"))) {
        snprintf(complaint->text, sizeof complaint->text, "%s", message);
    }
}

static bool check_file(const char *path, bool is_obj, err_t *err) {
    size_t size = 0;
    uint8_t *bytes = File_Read(path, MAX_SOURCE_BYTES, &size, err);
    if (!bytes) {
        return false;
    }
    char *text = (char *)bytes;
    bool good = !is_obj ? ME_CheckGltf(path, bytes, size, err)
                : strlen(text) == size
                    ? ME_CheckObj(path, text, err)
                    : Err_Set(err, "%s: byte %zu: expected text, found a NUL", path, strlen(text));
    free(bytes);
    return good;
}

static const struct aiScene *open_scene(const char *path, err_t *err) {
    complaint_t complaint = {{0}};
    struct aiLogStream stream = {hear, (char *)&complaint};
    aiAttachLogStream(&stream);
    const struct aiScene *scene = aiImportFile(path, aiProcess_Triangulate);
    aiDetachLogStream(&stream);
    if (!scene) {
        const char *why = aiGetErrorString();
        // ME_Import has checked the ending, so the version or the contents are wrong.
        bool is_none = !ends_with(path, ".obj") && strstr(why, "No suitable reader") != NULL;
        Err_Set(err, "%s: %s", path,
                is_none
                    ? "expected a glTF 2.0 file (JSON with \"asset\" and \"version\" \"2.0\", or "
                      "a .glb), found another version, or a damaged or incomplete file"
                    : why);
        return NULL;
    }
    if (complaint.text[0] != '\0') {
        Err_Set(err, "%s: %s: %.*s", path,
                strstr(complaint.text, "keyframes") ? "expected a value for each key"
                                                    : "expected triangle corners within range",
                (int)strcspn(complaint.text, "\r\n"), complaint.text);
        aiReleaseImport(scene);
        return NULL;
    }
    return scene;
}

/// Reads a .mdl file: bones, hitboxes and animations. Its meshes move with bones, so it gives no
/// triangles.
static bool import_mdl(me_rig_t *rig, const char *path, const me_import_t *options, err_t *err) {
    size_t size = 0;
    similar_t root;
    double lengths[3];
    const place_t place = root_place(options, options->any_up || options->z_up);
    if (!rig) {
        return Err_Set(err, "%s: --no-bones: expected triangles, but a .mdl gives only bones",
                       path);
    }
    if (ME_SimilarOf(&place, &root, lengths) != PLACE_IS_SIMILAR) {
        return Err_Set(err, "%s: expected a scale of 1e-6 to 1e6, found %g", path, lengths[0]);
    }
    uint8_t *bytes = File_Read(path, MAX_SOURCE_BYTES, &size, err);
    const me_source_t source = {path, bytes, size};
    bool good = bytes && ME_ReadMdl(rig, &source, &root, &options->rig, err);
    free(bytes);
    return good;
}

bool ME_Import(me_soup_t *soup, me_rig_t *rig, const char *path, const me_import_t *options,
               err_t *err) {
    *soup = (me_soup_t){0};
    bool is_obj = ends_with(path, ".obj");
    bool has_rig = rig && !is_obj; // .obj files have no bones
    if (rig) {
        *rig = (me_rig_t){0};
    }
    if (ends_with(path, ".mdl")) {
        return import_mdl(rig, path, options, err);
    }
    if (!is_obj && !ends_with(path, ".gltf") && !ends_with(path, ".glb")) {
        return Err_Set(err, "%s: expected a file with the ending .obj, .gltf, .glb or .mdl", path);
    }
    if (options->rig.num_only > 0) {
        return Err_Set(err, "%s: --only needs a .mdl file", path);
    }
    if (is_obj &&
        (options->no_triangles || options->rig.num_once > 0 || options->rig.num_controllers > 0)) {
        return Err_Set(
            err, "%s: --no-triangles, --once and --controller need a glTF file: .obj has no bones",
            path);
    }
    if (!check_file(path, is_obj, err)) {
        return false;
    }
    importer_t importer = {.path = path,
                           .options = options,
                           .root = root_place(options, options->any_up ? is_obj : options->z_up),
                           .has_rig = has_rig,
                           .is_gltf = !is_obj,
                           .scene = open_scene(path, err),
                           .soup = soup,
                           .err = err};
    if (!importer.scene) {
        return false;
    }
    bool good = !has_rig || ME_Rig(rig, path, importer.scene, &importer.root, &options->rig, err);
    bool has_bones = good && has_rig && rig->num_bones > 0;
    if (good && options->no_triangles && !has_bones) {
        good = Err_Set(err, "%s: --no-triangles: expected bones, found none", path);
    }
    good = good && (options->no_triangles || take_scene(&importer, has_bones));
    free(importer.stack);
    aiReleaseImport(importer.scene);
    if (!good) {
        ME_FreeSoup(soup);
        if (rig) {
            ME_FreeRig(rig);
        }
    }
    return good;
}
