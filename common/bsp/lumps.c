#include "bsp/lumps.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_BYTES = 4 + NUM_LUMPS * 8, PLANE_BYTES = 20, MODEL_BYTES = 64 };

static const bsp_format_t formats[] = {
    {"BSP29", {29, 0, 0, 0}, HULLSET_QUAKE, 24, 28, 8, false},
    {"2PSB", {'2', 'P', 'S', 'B'}, HULLSET_QUAKE, 32, 32, 12, true},
    {"BSP2", {'B', 'S', 'P', '2'}, HULLSET_QUAKE, 44, 44, 12, true},
    {"BSP30", {30, 0, 0, 0}, HULLSET_HALFLIFE, 24, 28, 8, false},
};

static const char *const lump_names[NUM_LUMPS] = {
    "entities", "planes",       "textures", "vertexes",  "visibility",
    "nodes",    "texinfo",      "faces",    "lighting",  "clipnodes",
    "leafs",    "marksurfaces", "edges",    "surfedges", "models"};

bool Lumps_Fail(const bsp_file_t *file, bsp_lump_t lump, const char *format, ...) {
    char reason[400];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return Err_Set(file->err, "%s: %s: %s", file->name, lump_names[lump], reason);
}

bool Lumps_FailNamed(const bsp_file_t *file, const char *lump, const char *format, ...) {
    char reason[400];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return Err_Set(file->err, "%s: %s: %s", file->name, lump, reason);
}

static bool find_format(bsp_file_t *file, const uint8_t *data) {
    for (size_t i = 0; i < COUNTOF(formats); i++) {
        if (memcmp(data, formats[i].magic, 4) == 0) {
            file->format = &formats[i];
            return true;
        }
    }
    uint32_t number = Lumps_U32(data);
    if (memcmp(data, "IBSP", 4) == 0) {
        uint32_t version = Lumps_U32(data + 4);
        return Err_Set(
            file->err,
            "%s: header: not supported yet: IBSP %u (%s); expected BSP29, 2PSB, BSP2 or BSP30",
            file->name, version,
            version == 38   ? "Quake II"
            : version == 46 ? "Quake III"
            : version == 47 ? "Quake Live"
                            : "unknown");
    }
    return Err_Set(file->err,
                   "%s: header: expected BSP29, 2PSB, BSP2 or BSP30, found version %u (0x%08x)",
                   file->name, number, number);
}

/// Bytes of one record of a lump whose records are read here; 1 for the others.
static int32_t record_bytes(const bsp_format_t *format, int32_t lump) {
    switch (lump) {
    case LUMP_PLANES:
        return PLANE_BYTES;
    case LUMP_NODES:
        return format->node_bytes;
    case LUMP_CLIPNODES:
        return format->clipnode_bytes;
    case LUMP_LEAFS:
        return format->leaf_bytes;
    case LUMP_MODELS:
        return MODEL_BYTES;
    default:
        return 1;
    }
}

static bool open_lump(bsp_file_t *file, int32_t number, const uint8_t *data, size_t size) {
    const uint8_t *entry = data + 4 + (size_t)number * 8;
    uint32_t offset = Lumps_U32(entry);
    uint32_t bytes = Lumps_U32(entry + 4);
    lump_t *lump = &file->lumps[number];
    bsp_lump_t which = (bsp_lump_t)number;
    *lump = (lump_t){.data = data, .record_bytes = record_bytes(file->format, number)};
    if (bytes == 0) {
        return true; // some compilers leave the offset of an empty lump unset
    }
    if (offset < HEADER_BYTES) {
        return Lumps_Fail(file, which, "expected an offset behind the header's %d bytes, found %u",
                          HEADER_BYTES, offset);
    }
    if ((uint64_t)offset + bytes > size) {
        return Lumps_Fail(file, which, "expected %u bytes at %u, found the file's end at %zu",
                          bytes, offset, size);
    }
    if (bytes % (uint32_t)lump->record_bytes != 0) {
        return Lumps_Fail(file, which, "expected a multiple of %d bytes, found %u",
                          lump->record_bytes, bytes);
    }
    lump->data = data + offset;
    lump->bytes = bytes;
    lump->count = (int32_t)(bytes / (uint32_t)lump->record_bytes);
    return true;
}

bool Lumps_Open(bsp_file_t *file, const char *name, const uint8_t *data, size_t size, err_t *err) {
    *file = (bsp_file_t){.name = name, .data = data, .size = size, .err = err};
    if (size > MAX_MAP_BYTES) {
        return Err_Set(err, "%s: header: expected at most %d bytes, found %zu", name, MAX_MAP_BYTES,
                       size);
    }
    if (size < 8) {
        return Err_Set(err, "%s: header: expected %d bytes, found %zu", name, HEADER_BYTES, size);
    }
    if (!find_format(file, data)) {
        return false;
    }
    if (size < HEADER_BYTES) {
        return Err_Set(err, "%s: header: expected %d bytes, found %zu", name, HEADER_BYTES, size);
    }
    for (int32_t i = 0; i < NUM_LUMPS; i++) {
        if (!open_lump(file, i, data, size)) {
            return false;
        }
    }
    return true;
}
