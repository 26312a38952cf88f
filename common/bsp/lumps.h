/// bsp/lumps.h - the header of a map file: format and lumps.
//
// Also used by edict-mapc, which writes lumps.
// Memory:  views of the file's bytes.
// Errors:  "file: lump: reason".
//
//   | magic, 4 or 8 bytes | lump 0         | lump 1         | ...   15, 17 or 19 lumps
//                         | offset | bytes |                  little-endian, 32 bits each

#ifndef EDICTD_BSP_LUMPS_H
#define EDICTD_BSP_LUMPS_H

#include "base/err.h"
#include "collide/cmodel.h"

/// Lump numbers of Quake's and Half-Life's maps. Lump 0 contains the entities in every format.
typedef enum {
    LUMP_ENTITIES = 0,
    LUMP_PLANES = 1,
    LUMP_TEXTURES = 2,
    LUMP_VERTEXES = 3,
    LUMP_VISIBILITY = 4,
    LUMP_NODES = 5,
    LUMP_TEXINFO = 6,
    LUMP_FACES = 7,
    LUMP_LIGHTING = 8,
    LUMP_CLIPNODES = 9,
    LUMP_LEAFS = 10,
    LUMP_MARKSURFACES = 11,
    LUMP_EDGES = 12,
    LUMP_SURFEDGES = 13,
    LUMP_MODELS = 14,
    NUM_LUMPS = 15
} bsp_lump_t;

/// Lump numbers of Quake II's maps.
typedef enum {
    Q2_LUMP_PLANES = 1,
    Q2_LUMP_VERTEXES = 2,
    Q2_LUMP_VISIBILITY = 3,
    Q2_LUMP_NODES = 4,
    Q2_LUMP_TEXINFO = 5,
    Q2_LUMP_FACES = 6,
    Q2_LUMP_LEAFS = 8,
    Q2_LUMP_LEAFBRUSHES = 10,
    Q2_LUMP_EDGES = 11,
    Q2_LUMP_SURFEDGES = 12,
    Q2_LUMP_MODELS = 13,
    Q2_LUMP_BRUSHES = 14,
    Q2_LUMP_SIDES = 15,
    Q2_NUM_LUMPS = 19
} q2_lump_t;

/// Lump numbers of Quake III's maps.
typedef enum {
    Q3_LUMP_SHADERS = 1,
    Q3_LUMP_PLANES = 2,
    Q3_LUMP_NODES = 3,
    Q3_LUMP_LEAFS = 4,
    Q3_LUMP_MODELS = 7,
    Q3_LUMP_BRUSHES = 8,
    Q3_LUMP_SIDES = 9,
    Q3_LUMP_VERTEXES = 10,
    Q3_LUMP_SURFACES = 13,
    Q3_LUMP_VISIBILITY = 16,
    Q3_NUM_LUMPS = 17
} q3_lump_t;

#define MAX_LUMPS 19

/// Families of map formats. Formats of one family have the same lumps.
typedef enum { FAMILY_QUAKE, FAMILY_QUAKE2, FAMILY_QUAKE3 } bsp_family_t;

/// Name of a lump and size of a record, bytes; 1 if the lump is not read.
typedef struct {
    const char *name;
    int32_t record_bytes;
} lump_layout_t;

typedef struct {
    const char *name;
    uint8_t magic[8];
    int32_t magic_bytes;
    bsp_family_t family;
    hullset_t hullset;
    const lump_layout_t *lumps;
    int32_t num_lumps;
    bool wide; ///< FAMILY_QUAKE: children have 32 bits, not 16
} bsp_format_t;

/// A lump: `count` records of `record_bytes`.
typedef struct {
    const uint8_t *data;
    size_t bytes;
    int32_t record_bytes, count;
} lump_t;

/// Parts of a valid file that the loader skips.
typedef struct {
    char first[200]; ///< text of the first remark
    int32_t count;
} bsp_remarks_t;

/// A map file while it is read. `err` receives the first error.
typedef struct {
    const char *name;
    const bsp_format_t *format;
    const uint8_t *data; ///< the whole file
    size_t size;
    lump_t lumps[MAX_LUMPS];
    err_t *err;
    bsp_remarks_t *remarks;
} bsp_file_t;

/// Reads the header and checks every lump's place in the file. Set file->remarks before.
bool Lumps_Open(bsp_file_t *file, const char *name, const uint8_t *data, size_t size, err_t *err);

/// Sets the error "file: lump: reason" and returns false.
bool Lumps_FailNamed(const bsp_file_t *file, const char *lump, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Like Lumps_FailNamed, by lump number.
#define Lumps_Fail(file, lump, ...)                                                                \
    Lumps_FailNamed(file, (file)->format->lumps[lump].name, __VA_ARGS__)

/// Adds the remark "file: lump: reason" about a part that is skipped.
void Lumps_Remark(const bsp_file_t *file, const char *lump, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline uint32_t Lumps_U32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline int32_t Lumps_I32(const uint8_t *at) {
    return (int32_t)Lumps_U32(at);
}

static inline uint16_t Lumps_U16(const uint8_t *at) {
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline float Lumps_F32(const uint8_t *at) {
    uint32_t bits = Lumps_U32(at);
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

static inline vec3_t Lumps_Vector(const uint8_t *at) {
    return Vector(Lumps_F32(at), Lumps_F32(at + 4), Lumps_F32(at + 8));
}

#endif
