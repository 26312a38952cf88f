/// bsp/ibsp_quake3.c - Quake III's maps (IBSP 46): a model's brushes and curved patches.
//
// Floor:   bsp.
//
//   model -> brushes  -> sides -> planes
//         -> surfaces -> vertexes, of patches only
//   The contents are those of the brush's or the surface's shader.

#include "bsp/ibsp.h"

enum {
    AT_MODEL_BRUSHES = 32, // the first, and how many
    AT_BRUSH_SHADER = 8,
    AT_SHADER_CONTENTS = 68
};

static const uint8_t *record(const ibsp_t *ibsp, int32_t lump, int32_t number) {
    const lump_t *l = &ibsp->file->lumps[lump];
    return l->data + (size_t)number * (size_t)l->record_bytes;
}

/// The contents of a shader. False: there is no such shader.
static bool shader_contents(const ibsp_t *ibsp, int32_t lump, int32_t number, int32_t shader,
                            uint32_t *flags) {
    int32_t count = ibsp->file->lumps[Q3_LUMP_SHADERS].count;
    if (shader < 0 || shader >= count) {
        return Lumps_Fail(ibsp->file, lump, "number %d: expected a shader 0..%d, found %d", number,
                          count - 1, shader);
    }
    *flags = Lumps_U32(record(ibsp, Q3_LUMP_SHADERS, shader) + AT_SHADER_CONTENTS);
    return true;
}

/// A range that a model names: *first and *count of the lump's records.
static bool read_range(const ibsp_t *ibsp, int32_t model, const uint8_t *at, int32_t lump,
                       int32_t *first, int32_t *count) {
    int32_t most = ibsp->file->lumps[lump].count;
    *first = Lumps_I32(at);
    *count = Lumps_I32(at + 4);
    if (*first < 0 || *count < 0 || *count > most || *first > most - *count) {
        return Lumps_Fail(ibsp->file, Q3_LUMP_MODELS,
                          "model %d: expected %s within 0..%d, found %d from %d on", model,
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

static bool add_models(ibsp_t *ibsp) {
    for (int32_t i = 0; i < ibsp->num_models; i++) {
        int32_t first = ibsp->brushes.brushes.count;
        if (!add_brushes(ibsp, i) || !Ibsp_EndModel(ibsp, i, first)) {
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
                   .models_lump = Q3_LUMP_MODELS};
    bool good = Ibsp_Open(&ibsp) && add_models(&ibsp) && Ibsp_Finish(&ibsp, map);
    Ibsp_Close(&ibsp);
    return good;
}
