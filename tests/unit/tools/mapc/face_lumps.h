/// face_lumps.h - reads the lumps that are drawn, for tests: by the format alone, without the
/// product's reader.

#ifndef EDICTD_TESTS_FACE_LUMPS_H
#define EDICTD_TESTS_FACE_LUMPS_H

#include "bsp/lumps.h"
#include "map_text.h"
#include "math/dvec.h"

typedef struct {
    const uint8_t *bsp;
    bool wide; ///< BSP2
} lumps_t;

static inline lumps_t Lumps_Of(const compiled_t *c) {
    assert_non_null(c->result.bsp);
    return (lumps_t){c->result.bsp, memcmp(c->result.bsp, "BSP2", 4) == 0};
}

static inline const uint8_t *Lump_At(const lumps_t *l, bsp_lump_t lump) {
    return l->bsp + Lumps_U32(l->bsp + 4 + (size_t)lump * 8);
}

static inline int32_t Lump_Bytes(const lumps_t *l, bsp_lump_t lump) {
    return Lumps_I32(l->bsp + 8 + (size_t)lump * 8);
}

/// Returns number `i` of a list of indices: 32 bits in BSP2, otherwise 16 without a sign.
static inline int32_t Index_At(const lumps_t *l, const uint8_t *list, int32_t i) {
    return l->wide ? Lumps_I32(list + i * 4) : (int32_t)Lumps_U16(list + i * 2);
}

typedef struct {
    dvec_t points[64];
    int32_t vertices[64], surfedges[64];
    int32_t count, plane, texinfo;
    dvec_t normal; ///< of the face's front
    double dist;
    bool bright;
} face_t;

static inline dvec_t Read_Vector(const uint8_t *at) {
    return DV((double)Lumps_F32(at), (double)Lumps_F32(at + 4), (double)Lumps_F32(at + 8));
}

static inline int32_t Count_Faces(const lumps_t *l) {
    return Lump_Bytes(l, LUMP_FACES) / (l->wide ? 28 : 20);
}

static inline dvec_t Vertex_At(const lumps_t *l, int32_t i) {
    assert_in_range(i, 0, Lump_Bytes(l, LUMP_VERTEXES) / 12 - 1);
    return Read_Vector(Lump_At(l, LUMP_VERTEXES) + (size_t)i * 12);
}

static inline void Read_Face(const lumps_t *l, int32_t number, face_t *face) {
    const uint8_t *at = Lump_At(l, LUMP_FACES) + (size_t)number * (l->wide ? 28 : 20);
    const uint8_t *rest = at + (l->wide ? 8 : 4);
    int32_t first = Lumps_I32(rest);
    face->plane = Index_At(l, at, 0);
    bool back = Index_At(l, at, 1) != 0;
    face->count = Index_At(l, rest + 4, 0);
    face->texinfo = Index_At(l, rest + 4, 1);
    rest += l->wide ? 12 : 8;
    face->bright = Lumps_U32(rest) == 0xffffffffu && Lumps_I32(rest + 4) == -1;
    assert_in_range(face->plane, 0, Lump_Bytes(l, LUMP_PLANES) / 20 - 1);
    assert_in_range(face->texinfo, 0, Lump_Bytes(l, LUMP_TEXINFO) / 40 - 1);
    assert_in_range(face->count, 3, 60);
    assert_in_range(first + face->count, 3, Lump_Bytes(l, LUMP_SURFEDGES) / 4);
    const uint8_t *plane = Lump_At(l, LUMP_PLANES) + (size_t)face->plane * 20;
    face->normal = DV_Scale(Read_Vector(plane), back ? -1.0 : 1.0);
    face->dist = (double)Lumps_F32(plane + 12) * (back ? -1.0 : 1.0);
    for (int32_t i = 0; i < face->count; i++) {
        int32_t ref = Lumps_I32(Lump_At(l, LUMP_SURFEDGES) + (size_t)(first + i) * 4);
        int32_t edge = ref < 0 ? -ref : ref;
        assert_in_range(edge, 1, Lump_Bytes(l, LUMP_EDGES) / (l->wide ? 8 : 4) - 1);
        face->surfedges[i] = ref;
        face->vertices[i] = Index_At(l, Lump_At(l, LUMP_EDGES), edge * 2 + (ref < 0));
        int32_t end = Index_At(l, Lump_At(l, LUMP_EDGES), edge * 2 + (ref > 0));
        face->points[i] = Vertex_At(l, face->vertices[i]);
        // Each edge starts where the one before it ended.
        assert_true(i == 0 || face->vertices[i] == face->vertices[63]);
        face->vertices[63] = end;
    }
    assert_int_equal(face->vertices[63], face->vertices[0]);
}

static inline double Face_Area(const face_t *face) {
    dvec_t sum = DV(0, 0, 0);
    for (int32_t i = 2; i < face->count; i++) {
        sum = DV_Add(sum, DV_Cross(DV_Sub(face->points[i - 1], face->points[0]),
                                   DV_Sub(face->points[i], face->points[0])));
    }
    return 0.5 * DV_Length(sum);
}

/// Returns the name of a face's texture.
static inline const char *Face_Texture(const lumps_t *l, const face_t *face) {
    const uint8_t *info = Lump_At(l, LUMP_TEXINFO) + (size_t)face->texinfo * 40;
    const uint8_t *textures = Lump_At(l, LUMP_TEXTURES);
    assert_in_range(Lumps_I32(info + 32), 0, Lumps_I32(textures) - 1);
    return (const char *)textures + Lumps_I32(textures + 4 + 4 * Lumps_I32(info + 32));
}

/// Returns a point's texel along axis 0 or 1 of a face's texture.
static inline double Face_Texel(const lumps_t *l, const face_t *face, dvec_t p, int32_t axis) {
    const uint8_t *at = Lump_At(l, LUMP_TEXINFO) + (size_t)face->texinfo * 40 + (size_t)axis * 16;
    return DV_Dot(Read_Vector(at), p) + (double)Lumps_F32(at + 12);
}

static inline bool Face_IsSpecial(const lumps_t *l, const face_t *face) {
    return Lumps_I32(Lump_At(l, LUMP_TEXINFO) + (size_t)face->texinfo * 40 + 36) == 1;
}

#endif
