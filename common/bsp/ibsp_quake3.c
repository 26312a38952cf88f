/// bsp/ibsp_quake3.c - loads Quake III's maps (IBSP 46): brushes and curved patches.
//
//   model -> brushes  -> sides -> planes
//         -> surfaces -> vertexes (patches only)
//   The contents are those of the brush's or the surface's shader.

#include "bsp/ibsp.h"
#include "bsp/patch.h"

#include <stdlib.h>

enum {
    AT_MODEL_SURFACES = 24, // first surface, number of surfaces
    AT_MODEL_BRUSHES = 32,
    AT_SURFACE_TYPE = 8,
    AT_FIRST_VERTEX = 12,
    AT_NUM_VERTEXES = 16,
    AT_PATCH_WIDTH = 96,
    AT_PATCH_HEIGHT = 100,
    TYPE_PATCH = 2,
    AT_BRUSH_SHADER = 8,
    AT_SHADER_SURFACE = 64,
    AT_SHADER_CONTENTS = 68,
    SURFACE_LADDER = 8
};

static const uint8_t *record(const ibsp_t *ibsp, int32_t lump, int32_t number) {
    const lump_t *l = &ibsp->file->lumps[lump];
    return l->data + (size_t)number * (size_t)l->record_bytes;
}

/// Reads the contents of a shader. Returns false if the file lacks it.
static bool shader_contents(const ibsp_t *ibsp, int32_t lump, int32_t number, int32_t shader,
                            uint32_t *flags) {
    int32_t count = ibsp->file->lumps[Q3_LUMP_SHADERS].count;
    if (shader < 0 || shader >= count) {
        return Lumps_Fail(ibsp->file, lump, "record %d: expected a shader 0..%d, found %d", number,
                          count - 1, shader);
    }
    const uint8_t *at = record(ibsp, Q3_LUMP_SHADERS, shader);
    const uint32_t contents = Lumps_U32(at + AT_SHADER_CONTENTS);
    *flags = contents & ~(IBSP_LADDER | IBSP_Q2_WINDOW | IBSP_SEE_THROUGH); // of Quake II
    *flags |= contents & IBSP_Q3_SEE_THROUGH ? IBSP_SEE_THROUGH : 0;
    *flags |= Lumps_U32(at + AT_SHADER_SURFACE) & SURFACE_LADDER ? IBSP_LADDER : 0;
    return true;
}

/// Reads a model's first record in a lump, and their number.
static bool read_range(const ibsp_t *ibsp, int32_t model, const uint8_t *at, int32_t lump,
                       int32_t *first, int32_t *count) {
    int32_t most = ibsp->file->lumps[lump].count;
    *first = Lumps_I32(at);
    *count = Lumps_I32(at + 4);
    if (*first < 0 || *count < 0 || *count > most || *first > most - *count) {
        return Lumps_Fail(
            ibsp->file, Q3_LUMP_MODELS,
            "model %d: expected %s within 0..%d, found a range of %d that starts at %d", model,
            ibsp->file->format->lumps[lump].name, most - 1, *count, *first);
    }
    return true;
}

static bool add_brushes(ibsp_t *ibsp, int32_t model) {
    const uint8_t *at = record(ibsp, Q3_LUMP_MODELS, model);
    int32_t first = 0;
    int32_t count = 0;
    if (!read_range(ibsp, model, at + AT_MODEL_BRUSHES, Q3_LUMP_BRUSHES, &first, &count)) {
        return false;
    }
    for (int32_t i = first; i < first + count; i++) {
        int32_t shader = Lumps_I32(record(ibsp, Q3_LUMP_BRUSHES, i) + AT_BRUSH_SHADER);
        uint32_t flags = 0;
        if (!shader_contents(ibsp, Q3_LUMP_BRUSHES, i, shader, &flags) ||
            !Ibsp_AddBrush(ibsp, i, flags)) {
            return false;
        }
    }
    return true;
}

/// Returns the malloc'ed control points of a patch, or NULL after an error.
static vec3_t *read_controls(const ibsp_t *ibsp, int32_t number, int32_t *width, int32_t *height) {
    const bsp_file_t *file = ibsp->file;
    const uint8_t *at = record(ibsp, Q3_LUMP_SURFACES, number);
    int32_t first = Lumps_I32(at + AT_FIRST_VERTEX);
    int32_t count = Lumps_I32(at + AT_NUM_VERTEXES);
    int32_t most = file->lumps[Q3_LUMP_VERTEXES].count;
    *width = Lumps_I32(at + AT_PATCH_WIDTH);
    *height = Lumps_I32(at + AT_PATCH_HEIGHT);
    if (*width < 3 || *height < 3 || *width > MAX_PATCH_SIDE || *height > MAX_PATCH_SIDE ||
        *width % 2 == 0 || *height % 2 == 0) {
        Lumps_Fail(file, Q3_LUMP_SURFACES,
                   "surface %d: expected a patch with odd sides 3..%d, found %d x %d", number,
                   MAX_PATCH_SIDE, *width, *height);
        return NULL;
    }
    if (count != *width * *height) {
        Lumps_Fail(file, Q3_LUMP_SURFACES,
                   "surface %d: expected %d vertices for a patch of %d x %d points, found %d",
                   number, *width * *height, *width, *height, count);
        return NULL;
    }
    if (first < 0 || count > most || first > most - count) {
        Lumps_Fail(
            file, Q3_LUMP_SURFACES,
            "surface %d: expected vertices within 0..%d, found a range of %d that starts at %d",
            number, most - 1, count, first);
        return NULL;
    }
    vec3_t *controls = malloc((size_t)count * sizeof *controls);
    for (int32_t i = 0; controls && i < count; i++) {
        controls[i] = Lumps_Vector(record(ibsp, Q3_LUMP_VERTEXES, first + i));
        if (!VectorWithin(controls[i], MAX_PLANE_DIST)) {
            Lumps_Fail(file, Q3_LUMP_VERTEXES,
                       "vertex %d: expected coordinates within +-%g, found (%g %g %g)", first + i,
                       (double)MAX_PLANE_DIST, (double)controls[i].x, (double)controls[i].y,
                       (double)controls[i].z);
            free(controls);
            return NULL;
        }
    }
    if (!controls) {
        Lumps_Fail(file, Q3_LUMP_SURFACES, "no memory for %d vertices", count);
    }
    return controls;
}

static bool add_patch(ibsp_t *ibsp, int32_t number, int32_t contents) {
    const bsp_file_t *file = ibsp->file;
    int32_t width = 0;
    int32_t height = 0;
    vec3_t *controls = read_controls(ibsp, number, &width, &height);
    if (!controls) {
        return false;
    }
    patch_grid_t grid;
    patch_cut_t cut = Patch_Cut(&grid, controls, width, height);
    brush_added_t added =
        cut == PATCH_CUT ? Patch_AddFacets(&grid, contents, &ibsp->brushes) : BRUSH_ADDED;
    Patch_Free(&grid);
    free(controls);
    if (cut == PATCH_NO_MEMORY || added == BRUSH_NO_MEMORY) {
        return Lumps_Fail(file, Q3_LUMP_SURFACES, "no memory for surface %d", number);
    }
    if (cut == PATCH_TOO_FINE) {
        return Lumps_Fail(file, Q3_LUMP_SURFACES,
                          "surface %d: its curve needs more than %d points along a side", number,
                          MAX_PATCH_GRID);
    }
    if (added == BRUSH_TOO_COMPLEX) {
        return Lumps_Fail(file, Q3_LUMP_SURFACES, "surface %d: %s", number,
                          Brushes_TooComplexText(&ibsp->brushes));
    }
    return true;
}

static bool add_patches(ibsp_t *ibsp, int32_t model) {
    const uint8_t *at = record(ibsp, Q3_LUMP_MODELS, model);
    int32_t first = 0;
    int32_t count = 0;
    if (!read_range(ibsp, model, at + AT_MODEL_SURFACES, Q3_LUMP_SURFACES, &first, &count)) {
        return false;
    }
    for (int32_t i = first; i < first + count; i++) {
        const uint8_t *surface = record(ibsp, Q3_LUMP_SURFACES, i);
        if (!Ibsp_Work(ibsp, Q3_LUMP_SURFACES, i, 1)) {
            return false;
        }
        if (Lumps_I32(surface + AT_SURFACE_TYPE) != TYPE_PATCH) {
            continue;
        }
        uint32_t flags = 0;
        if (!shader_contents(ibsp, Q3_LUMP_SURFACES, i, Lumps_I32(surface), &flags)) {
            return false;
        }
        contents_t contents = Ibsp_TakeContents(&flags, FAMILY_QUAKE3);
        bool stops = contents == CONTENTS_SOLID || contents == CONTENTS_CLIP;
        const int32_t first_facet = ibsp->brushes.brushes.count;
        if (stops && !add_patch(ibsp, i, contents)) {
            return false;
        }
        if (flags & IBSP_SEE_THROUGH) {
            Ibsp_MarkSeeThrough(ibsp, first_facet);
        }
    }
    return true;
}

static bool add_models(ibsp_t *ibsp) {
    for (int32_t i = 0; i < ibsp->num_models; i++) {
        int32_t first = ibsp->brushes.brushes.count;
        if (!add_brushes(ibsp, i) || !add_patches(ibsp, i) || !Ibsp_EndModel(ibsp, i, first)) {
            return false;
        }
    }
    return true;
}

bool Ibsp_ParseQuake3(cmap_t *map, const bsp_file_t *file) {
    ibsp_t ibsp = {.file = file,
                   .planes_lump = Q3_LUMP_PLANES,
                   .brushes_lump = Q3_LUMP_BRUSHES,
                   .sides_lump = Q3_LUMP_SIDES,
                   .models_lump = Q3_LUMP_MODELS,
                   .surfaces_lump = Q3_LUMP_SHADERS,
                   .at_surface_name = 0,
                   .at_surface_flags = AT_SHADER_SURFACE};
    bool good = Ibsp_Open(&ibsp) && add_models(&ibsp) && Ibsp_Finish(&ibsp, map);
    Ibsp_Close(&ibsp);
    return good;
}
