#include "bsp/faces.h"

#include "base/file.h"
#include "base/limits.h"
#include "bsp/bsp_local.h"

#include <stdlib.h>
#include <string.h>

enum {
    FACE_BYTES = 20,
    WIDE_FACE_BYTES = 28,
    EDGE_BYTES = 4,
    TEXINFO_BYTES = 40,
    Q2_TEXINFO_BYTES = 76,
    AT_TEXTURE = 32,
    AT_Q2_NAME = 40,
    NAME_BYTES = 16,
    Q2_NAME_BYTES = 32,
    AT_LEVELS = 24,
    MIPTEX_BYTES = 40,
    PALETTE_COLOURS = 256
};

/// Numbers of lumps, and offsets in a model, of a family of formats.
typedef struct {
    int32_t planes, vertexes, edges, surfedges, faces, texinfo, models;
    int32_t texinfo_bytes, at_first_face;
} layout_t;

static const layout_t layouts[] = {
    [FAMILY_QUAKE] = {LUMP_PLANES, LUMP_VERTEXES, LUMP_EDGES, LUMP_SURFEDGES, LUMP_FACES,
                      LUMP_TEXINFO, LUMP_MODELS, TEXINFO_BYTES, 56},
    [FAMILY_QUAKE2] = {Q2_LUMP_PLANES, Q2_LUMP_VERTEXES, Q2_LUMP_EDGES, Q2_LUMP_SURFEDGES,
                       Q2_LUMP_FACES, Q2_LUMP_TEXINFO, Q2_LUMP_MODELS, Q2_TEXINFO_BYTES, 40},
};

typedef struct {
    bsp_file_t file; // the sizes of records are set here
    const layout_t *layout;
    bool wide;
    arena_t *arena;
    bsp_face_t *faces;
    bsp_texinfo_t *texinfo;
    bsp_texture_t *textures;
    bsp_model_faces_t *models;
    vec3_t *vertices; // of all faces
    int32_t num_vertices, num_textures;
} reader_t;

static const uint8_t *record(const reader_t *r, int32_t lump, int32_t number) {
    const lump_t *l = &r->file.lumps[lump];
    return l->data + (size_t)number * (size_t)l->record_bytes;
}

static int32_t count_of(const reader_t *r, int32_t lump) {
    return r->file.lumps[lump].count;
}

/// Reads number `index` of fields that have 16 bits, or 32 in wide formats.
static int32_t field(const reader_t *r, const uint8_t *at, int32_t index) {
    return r->wide ? Lumps_I32(at + 4 * index) : Lumps_U16(at + 2 * index);
}

static bool set_record_bytes(reader_t *r, int32_t number, int32_t bytes) {
    lump_t *lump = &r->file.lumps[number];
    lump->record_bytes = bytes;
    lump->count = (int32_t)(lump->bytes / (size_t)bytes);
    return lump->bytes % (size_t)bytes == 0 ||
           Lumps_Fail(&r->file, number, "expected a multiple of %d bytes, found %zu", bytes,
                      lump->bytes);
}

/// Checks that `count` records from `first` are in a lump.
static bool check_range(const reader_t *r, int32_t lump, int32_t owner, int32_t first,
                        int32_t count) {
    int32_t most = count_of(r, lump);
    return (first >= 0 && count >= 0 && count <= most && first <= most - count) ||
           Lumps_Fail(&r->file, lump, "expected a range within 0..%d, found %d from %d (of %d)",
                      most - 1, count, first, owner);
}

// ---- textures ----

static bool read_levels(const reader_t *r, int32_t number, const lump_t *lump, size_t start,
                        bsp_texture_t *texture) {
    const uint8_t *at = lump->data + start;
    for (int32_t i = 0; i < TEXTURE_LEVELS; i++) {
        size_t offset = Lumps_U32(at + AT_LEVELS + 4 * i);
        size_t bytes = (size_t)(texture->width >> i) * (size_t)(texture->height >> i);
        size_t palette = i == TEXTURE_LEVELS - 1 && r->file.format->hullset == HULLSET_HALFLIFE
                             ? 2 + 3 * PALETTE_COLOURS
                             : 0;
        if (offset == 0) {
            continue; // the pixels are in another file
        }
        if (offset < MIPTEX_BYTES || start + offset + bytes + palette > lump->bytes) {
            return Lumps_Fail(&r->file, LUMP_TEXTURES,
                              "texture %d (%s): level %d: expected %zu bytes within the lump's "
                              "%zu, found them at %zu",
                              number, texture->name, i, bytes + palette, lump->bytes,
                              start + offset);
        }
        texture->levels[i] = at + offset;
        texture->palette = palette > 0 ? at + offset + bytes + 2 : NULL;
    }
    return true;
}

static bool read_texture(const reader_t *r, int32_t number, bsp_texture_t *texture) {
    const lump_t *lump = &r->file.lumps[LUMP_TEXTURES];
    int32_t offset = Lumps_I32(lump->data + 4 + 4 * (size_t)number);
    if (offset == -1) {
        return true;
    }
    size_t start = (size_t)(uint32_t)offset;
    if (start + MIPTEX_BYTES > lump->bytes) {
        return Lumps_Fail(&r->file, LUMP_TEXTURES,
                          "texture %d: expected an offset within the lump's %zu bytes, found %zu",
                          number, lump->bytes, start);
    }
    memcpy(texture->name, lump->data + start, NAME_BYTES);
    uint32_t width = Lumps_U32(lump->data + start + NAME_BYTES);
    uint32_t height = Lumps_U32(lump->data + start + NAME_BYTES + 4);
    if (width < 1 || width > MAX_TEXTURE_SIZE || height < 1 || height > MAX_TEXTURE_SIZE) {
        return Lumps_Fail(&r->file, LUMP_TEXTURES,
                          "texture %d (%s): expected 1..%d texels per side, found %u x %u", number,
                          texture->name, MAX_TEXTURE_SIZE, width, height);
    }
    texture->width = (int32_t)width;
    texture->height = (int32_t)height;
    return read_levels(r, number, lump, start, texture);
}

/// Counts the textures. In IBSP 38 each texinfo has one.
static bool count_textures(reader_t *r) {
    if (r->file.format->family == FAMILY_QUAKE2) {
        r->num_textures = count_of(r, r->layout->texinfo);
        return true;
    }
    const lump_t *lump = &r->file.lumps[LUMP_TEXTURES];
    uint32_t count = lump->bytes >= 4 ? Lumps_U32(lump->data) : 0;
    r->num_textures = (int32_t)count;
    return count <= lump->bytes / 4 ||
           Lumps_Fail(&r->file, LUMP_TEXTURES, "%u textures do not fit in %zu bytes", count,
                      lump->bytes);
}

static bool read_texinfo(const reader_t *r, int32_t number) {
    const uint8_t *at = record(r, r->layout->texinfo, number);
    bool is_quake2 = r->file.format->family == FAMILY_QUAKE2;
    int32_t texture = is_quake2 ? number : Lumps_I32(at + AT_TEXTURE);
    if (texture < 0 || texture >= r->num_textures) {
        return Lumps_Fail(&r->file, r->layout->texinfo,
                          "texinfo %d: expected a texture 0..%d, found %d", number,
                          r->num_textures - 1, texture);
    }
    bsp_texinfo_t *texinfo = &r->texinfo[number];
    texinfo->texture = &r->textures[texture];
    for (int32_t i = 0; i < 2; i++) {
        texinfo->axes[i] = Lumps_Vector(at + 16 * i);
        texinfo->offsets[i] = Lumps_F32(at + 16 * i + 12);
        if (!VectorWithin(texinfo->axes[i], MAX_PLANE_DIST) ||
            !(fabsf(texinfo->offsets[i]) <= MAX_PLANE_DIST)) {
            return Lumps_Fail(&r->file, r->layout->texinfo,
                              "texinfo %d: expected axes and offsets within +-%g", number,
                              (double)MAX_PLANE_DIST);
        }
    }
    if (is_quake2) {
        memcpy(r->textures[texture].name, at + AT_Q2_NAME, Q2_NAME_BYTES);
    }
    return true;
}

// ---- faces ----

/// Reads the vertex where a surfedge starts.
static bool read_vertex(const reader_t *r, int32_t surfedge, vec3_t *vertex) {
    int64_t edge = Lumps_I32(record(r, r->layout->surfedges, surfedge));
    bool is_turned = edge < 0;
    edge = is_turned ? -edge : edge;
    if (edge >= count_of(r, r->layout->edges)) {
        return Lumps_Fail(&r->file, r->layout->surfedges,
                          "surfedge %d: expected an edge 0..%d, found %lld", surfedge,
                          count_of(r, r->layout->edges) - 1, (long long)edge);
    }
    int32_t number = field(r, record(r, r->layout->edges, (int32_t)edge), is_turned);
    if (number < 0 || number >= count_of(r, r->layout->vertexes)) {
        return Lumps_Fail(&r->file, r->layout->edges,
                          "edge %lld: expected a vertex 0..%d, found %d", (long long)edge,
                          count_of(r, r->layout->vertexes) - 1, number);
    }
    *vertex = Lumps_Vector(record(r, r->layout->vertexes, number));
    return VectorWithin(*vertex, MAX_PLANE_DIST) ||
           Lumps_Fail(&r->file, r->layout->vertexes, "vertex %d: expected x, y, z within +-%g",
                      number, (double)MAX_PLANE_DIST);
}

static bool read_plane(const reader_t *r, int32_t face, int32_t number, bool is_turned,
                       plane_t *plane) {
    if (number < 0 || number >= count_of(r, r->layout->planes)) {
        return Lumps_Fail(&r->file, r->layout->faces, "face %d: expected a plane 0..%d, found %d",
                          face, count_of(r, r->layout->planes) - 1, number);
    }
    if (!Bsp_ReadPlane(&r->file, r->layout->planes, number, &plane->normal, &plane->dist)) {
        return false;
    }
    plane->normal = is_turned ? VectorNegate(plane->normal) : plane->normal;
    plane->dist = is_turned ? -plane->dist : plane->dist;
    plane->type = PlaneType(plane->normal);
    return true;
}

static bool read_face(reader_t *r, int32_t number) {
    const layout_t *layout = r->layout;
    const uint8_t *at = record(r, layout->faces, number);
    int32_t unit = r->wide ? 4 : 2;
    int32_t first = Lumps_I32(at + 2 * unit);
    const uint8_t *rest = at + 2 * unit + 4;
    int32_t count = field(r, rest, 0);
    int32_t texinfo = field(r, rest, 1);
    bsp_face_t *face = &r->faces[number];
    if (!read_plane(r, number, field(r, at, 0), field(r, at, 1) != 0, &face->plane) ||
        !check_range(r, layout->surfedges, number, first, count)) {
        return false;
    }
    if (count < 3 || count > count_of(r, layout->surfedges) - r->num_vertices) {
        return Lumps_Fail(&r->file, layout->faces,
                          "face %d: expected 3 surfedges or more, each of one face, found %d",
                          number, count);
    }
    if (texinfo < 0 || texinfo >= count_of(r, layout->texinfo)) {
        return Lumps_Fail(&r->file, layout->faces, "face %d: expected a texinfo 0..%d, found %d",
                          number, count_of(r, layout->texinfo) - 1, texinfo);
    }
    face->vertices = &r->vertices[r->num_vertices];
    face->num_vertices = count;
    face->texinfo = &r->texinfo[texinfo];
    for (int32_t i = 0; i < count; i++) {
        if (!read_vertex(r, first + i, &r->vertices[r->num_vertices++])) {
            return false;
        }
    }
    return true;
}

static bool read_model(const reader_t *r, int32_t number) {
    const uint8_t *at = record(r, r->layout->models, number) + r->layout->at_first_face;
    bsp_model_faces_t *model = &r->models[number];
    *model = (bsp_model_faces_t){Lumps_I32(at), Lumps_I32(at + 4)};
    return check_range(r, r->layout->faces, number, model->first_face, model->num_faces);
}

// ---- the file ----

static bool set_records(reader_t *r) {
    const layout_t *l = r->layout;
    return set_record_bytes(r, l->vertexes, 12) && set_record_bytes(r, l->surfedges, 4) &&
           set_record_bytes(r, l->edges, r->wide ? 2 * EDGE_BYTES : EDGE_BYTES) &&
           set_record_bytes(r, l->faces, r->wide ? WIDE_FACE_BYTES : FACE_BYTES) &&
           set_record_bytes(r, l->texinfo, l->texinfo_bytes) && count_textures(r);
}

static bool allocate(reader_t *r) {
    size_t faces = (size_t)count_of(r, r->layout->faces);
    size_t texinfo = (size_t)count_of(r, r->layout->texinfo);
    size_t models = (size_t)count_of(r, r->layout->models);
    size_t vertices = (size_t)count_of(r, r->layout->surfedges);
    size_t textures = (size_t)r->num_textures;
    size_t size = 5 * 16 + faces * sizeof *r->faces + texinfo * sizeof *r->texinfo +
                  models * sizeof *r->models + vertices * sizeof *r->vertices +
                  textures * sizeof *r->textures;
    if (!Arena_Init(r->arena, size)) {
        return Lumps_Fail(&r->file, r->layout->faces, "no memory for %zu bytes", size);
    }
    r->faces = Arena_Alloc(r->arena, faces, sizeof *r->faces);
    r->texinfo = Arena_Alloc(r->arena, texinfo, sizeof *r->texinfo);
    r->models = Arena_Alloc(r->arena, models, sizeof *r->models);
    r->vertices = Arena_Alloc(r->arena, vertices, sizeof *r->vertices);
    r->textures = Arena_Alloc(r->arena, textures, sizeof *r->textures);
    return true;
}

static bool read_all(reader_t *r) {
    bool good = set_records(r) && allocate(r);
    for (int32_t i = 0; good && i < r->num_textures; i++) {
        good = r->file.format->family == FAMILY_QUAKE2 || read_texture(r, i, &r->textures[i]);
    }
    for (int32_t i = 0; good && i < count_of(r, r->layout->texinfo); i++) {
        good = read_texinfo(r, i);
    }
    for (int32_t i = 0; good && i < count_of(r, r->layout->faces); i++) {
        good = read_face(r, i);
    }
    for (int32_t i = 0; good && i < count_of(r, r->layout->models); i++) {
        good = read_model(r, i);
    }
    return good;
}

bool Faces_Parse(bsp_faces_t *faces, const char *name, const uint8_t *data, size_t size,
                 err_t *err) {
    *faces = (bsp_faces_t){0};
    reader_t r = {.arena = &faces->arena};
    bool good = Lumps_Open(&r.file, name, data, size, err);
    if (good && r.file.format->family == FAMILY_QUAKE3) {
        return true;
    }
    if (good) {
        r.layout = &layouts[r.file.format->family];
        r.wide = r.file.format->wide;
        good = read_all(&r);
    }
    if (!good) {
        Faces_Free(faces);
        return false;
    }
    faces->faces = r.faces;
    faces->textures = r.textures;
    faces->models = r.models;
    faces->num_faces = count_of(&r, r.layout->faces);
    faces->num_textures = r.num_textures;
    faces->num_models = count_of(&r, r.layout->models);
    return true;
}

bool Faces_Load(bsp_faces_t *faces, const char *path, err_t *err) {
    *faces = (bsp_faces_t){0};
    size_t size = 0;
    uint8_t *data = File_Read(path, MAX_MAP_BYTES, &size, err);
    if (!data || !Faces_Parse(faces, path, data, size, err)) {
        free(data);
        return false;
    }
    faces->file = data;
    return true;
}

void Faces_Free(bsp_faces_t *faces) {
    free(faces->file);
    Arena_Free(&faces->arena);
    *faces = (bsp_faces_t){0};
}
