#include "bsp/bspx.h"

#include <string.h>

enum {
    NAME_BYTES = 24,
    ENTRY_BYTES = NAME_BYTES + 8,
    LIST_BYTES = 16,  // size of the header of a model's list
    BRUSH_BYTES = 28, // size of the header of a brush
    PLANE_BYTES = 16,
    LIST_VERSION = 1
};

#define BRUSHLIST "BRUSHLIST"

// ---- the directory ----

/// Returns the offset of the directory, or 0 if the file has none.
static size_t find_directory(const bsp_file_t *file) {
    size_t end = 0;
    for (int32_t i = 0; i < file->format->num_lumps; i++) {
        const lump_t *lump = &file->lumps[i];
        if (lump->bytes > 0) {
            size_t lump_end = (size_t)(lump->data - file->data) + lump->bytes;
            end = lump_end > end ? lump_end : end;
        }
    }
    end = (end + 3) & ~(size_t)3;
    bool found = end > 0 && end + 8 <= file->size && memcmp(file->data + end, "BSPX", 4) == 0;
    return found ? end : 0;
}

bool Bspx_Find(const bsp_file_t *file, const char *name, lump_t *lump) {
    *lump = (lump_t){.record_bytes = 1};
    size_t at = find_directory(file);
    if (at == 0) {
        return true;
    }
    uint32_t count = Lumps_U32(file->data + at + 4);
    if (count > MAX_BSPX_LUMPS) {
        return Lumps_FailNamed(file, "BSPX", "expected at most %d lumps, found %u", MAX_BSPX_LUMPS,
                               count);
    }
    if (at + 8 + (size_t)count * ENTRY_BYTES > file->size) {
        return Lumps_FailNamed(file, "BSPX",
                               "expected a directory of %u lumps, found the file's end at %zu",
                               count, file->size);
    }
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = file->data + at + 8 + (size_t)i * ENTRY_BYTES;
        uint32_t offset = Lumps_U32(entry + NAME_BYTES);
        uint32_t bytes = Lumps_U32(entry + NAME_BYTES + 4);
        if ((uint64_t)offset + bytes > file->size) {
            return Lumps_FailNamed(file, "BSPX",
                                   "lump %u: expected %u bytes at %u, found the file's end at %zu",
                                   i, bytes, offset, file->size);
        }
        if (strncmp((const char *)entry, name, NAME_BYTES) != 0) {
            continue;
        }
        if (found) {
            return Lumps_FailNamed(file, "BSPX", "lump %u: expected %s once, found it again", i,
                                   name);
        }
        found = true;
        lump->data = file->data + offset;
        lump->bytes = bytes;
        lump->count = (int32_t)bytes;
    }
    return true;
}

// ---- brush lists ----

typedef struct {
    const bsp_file_t *file;
    const uint8_t *at;
    size_t left;
    int32_t model, num_brushes, num_planes; // of the current list
    brushes_t *brushes;
} reader_t;

static bool read_plane(const reader_t *reader, int32_t brush, const uint8_t *at,
                       brush_plane_t *plane) {
    *plane = (brush_plane_t){Lumps_Vector(at), Lumps_F32(at + 12)};
    float error = fabsf(DotProduct(plane->normal, plane->normal) - 1.0f);
    if (!(error <= MAX_NORMAL_ERROR)) {
        return Lumps_FailNamed(reader->file, BRUSHLIST,
                               "model %d brush %d: expected a normal of length 1, found (%g %g %g)",
                               reader->model, brush, (double)plane->normal.x,
                               (double)plane->normal.y, (double)plane->normal.z);
    }
    if (!(fabsf(plane->dist) <= MAX_PLANE_DIST)) {
        return Lumps_FailNamed(reader->file, BRUSHLIST,
                               "model %d brush %d: expected a plane distance within +-%g, found %g",
                               reader->model, brush, (double)MAX_PLANE_DIST, (double)plane->dist);
    }
    return true;
}

static bool add_brush(const reader_t *reader, int32_t number, bounds_t bounds, int32_t contents,
                      const brush_plane_t *planes, int32_t num_planes) {
    if (contents >= CONTENTS_EMPTY || contents == CONTENTS_ORIGIN) {
        return true; // skip an empty brush
    }
    switch (Brushes_Add(reader->brushes, bounds, contents, planes, num_planes)) {
    case BRUSH_TOO_COMPLEX:
        return Lumps_FailNamed(reader->file, BRUSHLIST, "model %d brush %d: %s", reader->model,
                               number, Brushes_TooComplexText(reader->brushes));
    case BRUSH_NO_MEMORY:
        return Lumps_FailNamed(reader->file, BRUSHLIST, "no memory for %d brushes",
                               reader->num_brushes);
    case BRUSH_EMPTY:
        Lumps_Remark(reader->file, BRUSHLIST, "model %d brush %d: no volume, left out",
                     reader->model, number);
        break;
    case BRUSH_ADDED:
        break;
    }
    return true;
}

static bool check_bounds(const reader_t *reader, int32_t brush, bounds_t b) {
    if (!VectorWithin(b.mins, MAX_PLANE_DIST) || !VectorWithin(b.maxs, MAX_PLANE_DIST)) {
        return Lumps_FailNamed(
            reader->file, BRUSHLIST,
            "model %d brush %d: expected bounds within +-%g, found (%g %g %g)..(%g %g %g)",
            reader->model, brush, (double)MAX_PLANE_DIST, (double)b.mins.x, (double)b.mins.y,
            (double)b.mins.z, (double)b.maxs.x, (double)b.maxs.y, (double)b.maxs.z);
    }
    if (b.mins.x > b.maxs.x || b.mins.y > b.maxs.y || b.mins.z > b.maxs.z) {
        return Lumps_FailNamed(
            reader->file, BRUSHLIST,
            "model %d brush %d: expected mins <= maxs, found (%g %g %g)..(%g %g %g)", reader->model,
            brush, (double)b.mins.x, (double)b.mins.y, (double)b.mins.z, (double)b.maxs.x,
            (double)b.maxs.y, (double)b.maxs.z);
    }
    return true;
}

static bool read_brush(reader_t *reader, int32_t number) {
    brush_plane_t planes[MAX_BRUSH_SIDES];
    if (reader->left < BRUSH_BYTES) {
        return Lumps_FailNamed(reader->file, BRUSHLIST,
                               "model %d brush %d: expected %d bytes, found %zu", reader->model,
                               number, BRUSH_BYTES, reader->left);
    }
    bounds_t bounds = {Lumps_Vector(reader->at), Lumps_Vector(reader->at + 12)};
    int32_t contents = (int16_t)Lumps_U16(reader->at + 24);
    int32_t count = Lumps_U16(reader->at + 26);
    reader->at += BRUSH_BYTES;
    reader->left -= BRUSH_BYTES;
    if (!check_bounds(reader, number, bounds)) {
        return false;
    }
    if (contents < CONTENTS_LADDER) {
        return Lumps_FailNamed(reader->file, BRUSHLIST,
                               "model %d brush %d: expected contents of %d or more, found %d",
                               reader->model, number, CONTENTS_LADDER, contents);
    }
    if (count > MAX_BRUSH_SIDES) {
        return Lumps_FailNamed(reader->file, BRUSHLIST,
                               "model %d brush %d: expected at most %d planes, found %d",
                               reader->model, number, MAX_BRUSH_SIDES, count);
    }
    if (count > reader->num_planes) {
        return Lumps_FailNamed(reader->file, BRUSHLIST,
                               "model %d brush %d: expected at most %d planes left in the list, "
                               "found %d",
                               reader->model, number, reader->num_planes, count);
    }
    if (reader->left / PLANE_BYTES < (size_t)count) {
        return Lumps_FailNamed(reader->file, BRUSHLIST,
                               "model %d brush %d: expected %d planes, found the lump's end",
                               reader->model, number, count);
    }
    for (int32_t i = 0; i < count; i++) {
        if (!read_plane(reader, number, reader->at + (size_t)i * PLANE_BYTES, &planes[i])) {
            return false;
        }
    }
    reader->at += (size_t)count * PLANE_BYTES;
    reader->left -= (size_t)count * PLANE_BYTES;
    reader->num_planes -= count;
    return add_brush(reader, number, bounds, contents, planes, count);
}

static bool read_list_header(reader_t *reader, int32_t num_models, const bspx_list_t *lists) {
    if (reader->left < LIST_BYTES) {
        return Lumps_FailNamed(reader->file, BRUSHLIST,
                               "expected a list of %d bytes or more, found %zu", LIST_BYTES,
                               reader->left);
    }
    int32_t version = Lumps_I32(reader->at);
    reader->model = Lumps_I32(reader->at + 4);
    reader->num_brushes = Lumps_I32(reader->at + 8);
    reader->num_planes = Lumps_I32(reader->at + 12);
    reader->at += LIST_BYTES;
    reader->left -= LIST_BYTES;
    if (version != LIST_VERSION) {
        return Lumps_FailNamed(reader->file, BRUSHLIST, "expected version %d, found %d",
                               LIST_VERSION, version);
    }
    if (reader->model < 0 || reader->model >= num_models) {
        return Lumps_FailNamed(reader->file, BRUSHLIST, "expected a model 0..%d, found %d",
                               num_models - 1, reader->model);
    }
    if (lists[reader->model].exists) {
        return Lumps_FailNamed(reader->file, BRUSHLIST, "model %d: expected one list, found two",
                               reader->model);
    }
    if (reader->num_brushes < 0 || (size_t)reader->num_brushes > reader->left / BRUSH_BYTES) {
        return Lumps_FailNamed(
            reader->file, BRUSHLIST,
            "model %d: expected as many brushes as fit in the %zu bytes left, found %d",
            reader->model, reader->left, reader->num_brushes);
    }
    return true;
}

static bool read_list(reader_t *reader, int32_t num_models, bspx_list_t *lists) {
    if (!read_list_header(reader, num_models, lists)) {
        return false;
    }
    int32_t first = reader->brushes->brushes.count;
    for (int32_t i = 0; i < reader->num_brushes; i++) {
        if (!read_brush(reader, i)) {
            return false;
        }
    }
    if (reader->num_planes != 0) {
        return Lumps_FailNamed(reader->file, BRUSHLIST,
                               "model %d: the list announces %d more planes than it has",
                               reader->model, reader->num_planes);
    }
    bspx_list_t *list = &lists[reader->model];
    list->exists = true;
    return Brushes_MakeTree(reader->brushes, first, &list->root) ||
           Lumps_FailNamed(reader->file, BRUSHLIST, "no memory for %d brushes",
                           reader->num_brushes);
}

bool Bspx_ReadBrushes(const bsp_file_t *file, int32_t num_models, brushes_t *brushes,
                      bspx_list_t *lists) {
    lump_t lump;
    if (!Bspx_Find(file, BRUSHLIST, &lump)) {
        return false;
    }
    if (!lump.data) {
        return true;
    }
    reader_t reader = {.file = file, .at = lump.data, .left = lump.bytes, .brushes = brushes};
    while (reader.left > 0) {
        if (!read_list(&reader, num_models, lists)) {
            return false;
        }
    }
    return true;
}
