#include "bsp/lumps.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const lump_layout_t narrow_lumps[] = {
    {"entities", 1}, {"planes", 20},      {"textures", 1}, {"vertexes", 1},  {"visibility", 1},
    {"nodes", 24},   {"texinfo", 1},      {"faces", 1},    {"lighting", 1},  {"clipnodes", 8},
    {"leafs", 28},   {"marksurfaces", 1}, {"edges", 1},    {"surfedges", 1}, {"models", 64},
};

static const lump_layout_t psb_lumps[] = {
    {"entities", 1}, {"planes", 20},      {"textures", 1}, {"vertexes", 1},  {"visibility", 1},
    {"nodes", 32},   {"texinfo", 1},      {"faces", 1},    {"lighting", 1},  {"clipnodes", 12},
    {"leafs", 32},   {"marksurfaces", 1}, {"edges", 1},    {"surfedges", 1}, {"models", 64},
};

static const lump_layout_t bsp2_lumps[] = {
    {"entities", 1}, {"planes", 20},      {"textures", 1}, {"vertexes", 1},  {"visibility", 1},
    {"nodes", 44},   {"texinfo", 1},      {"faces", 1},    {"lighting", 1},  {"clipnodes", 12},
    {"leafs", 44},   {"marksurfaces", 1}, {"edges", 1},    {"surfedges", 1}, {"models", 64},
};

static const lump_layout_t quake2_lumps[] = {
    {"entities", 1},    {"planes", 20}, {"vertexes", 1},  {"visibility", 1},  {"nodes", 28},
    {"texinfo", 76},    {"faces", 1},   {"lighting", 1},  {"leafs", 28},      {"leaffaces", 1},
    {"leafbrushes", 2}, {"edges", 1},   {"surfedges", 1}, {"models", 48},     {"brushes", 12},
    {"brushsides", 4},  {"pop", 1},     {"areas", 1},     {"areaportals", 1},
};

static const lump_layout_t quake3_lumps[] = {
    {"entities", 1},     {"shaders", 72},    {"planes", 16}, {"nodes", 36},     {"leafs", 48},
    {"leafsurfaces", 1}, {"leafbrushes", 1}, {"models", 40}, {"brushes", 12},   {"brushsides", 8},
    {"vertexes", 44},    {"indexes", 1},     {"fogs", 1},    {"surfaces", 104}, {"lightmaps", 1},
    {"lightgrid", 1},    {"visibility", 1},
};

_Static_assert(COUNTOF(narrow_lumps) == NUM_LUMPS && COUNTOF(psb_lumps) == NUM_LUMPS &&
                   COUNTOF(bsp2_lumps) == NUM_LUMPS && COUNTOF(quake2_lumps) == Q2_NUM_LUMPS &&
                   COUNTOF(quake3_lumps) == Q3_NUM_LUMPS && Q2_NUM_LUMPS <= MAX_LUMPS,
               "the tables must name every lump");

static const bsp_format_t formats[] = {
    {"BSP29", {29, 0, 0, 0}, 4, FAMILY_QUAKE, HULLSET_QUAKE, narrow_lumps, NUM_LUMPS, false},
    {"2PSB", {'2', 'P', 'S', 'B'}, 4, FAMILY_QUAKE, HULLSET_QUAKE, psb_lumps, NUM_LUMPS, true},
    {"BSP2", {'B', 'S', 'P', '2'}, 4, FAMILY_QUAKE, HULLSET_QUAKE, bsp2_lumps, NUM_LUMPS, true},
    {"BSP30", {30, 0, 0, 0}, 4, FAMILY_QUAKE, HULLSET_HALFLIFE, narrow_lumps, NUM_LUMPS, false},
    {"IBSP38", "IBSP\x26", 8, FAMILY_QUAKE2, HULLSET_QUAKE, quake2_lumps, Q2_NUM_LUMPS, false},
    {"IBSP46", "IBSP\x2e", 8, FAMILY_QUAKE3, HULLSET_QUAKE, quake3_lumps, Q3_NUM_LUMPS, false},
};

#define FORMAT_NAMES "BSP29, 2PSB, BSP2, BSP30, IBSP 38 or IBSP 46"

static int32_t header_bytes(const bsp_format_t *format) {
    return format->magic_bytes + format->num_lumps * 8;
}

bool Lumps_FailNamed(const bsp_file_t *file, const char *lump, const char *format, ...) {
    char reason[400];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return Err_Set(file->err, "%s: %s: %s", file->name, lump, reason);
}

void Lumps_Remark(const bsp_file_t *file, const char *lump, const char *format, ...) {
    bsp_remarks_t *remarks = file->remarks;
    if (remarks->count++ == 0) {
        err_t line; // Err_Set replaces control characters
        char reason[160];
        va_list args;
        va_start(args, format);
        vsnprintf(reason, sizeof reason, format, args);
        va_end(args);
        Err_Set(&line, "%s: %s: %s", file->name, lump, reason);
        strlcpy(remarks->first, line.text, sizeof remarks->first);
    }
}

static bool find_format(bsp_file_t *file, const uint8_t *data) {
    for (size_t i = 0; i < COUNTOF(formats); i++) {
        if (memcmp(data, formats[i].magic, (size_t)formats[i].magic_bytes) == 0) {
            file->format = &formats[i];
            return true;
        }
    }
    uint32_t number = Lumps_U32(data);
    if (memcmp(data, "IBSP", 4) == 0) {
        return Err_Set(file->err, "%s: header: expected " FORMAT_NAMES ", found IBSP %u",
                       file->name, Lumps_U32(data + 4));
    }
    size_t length = strlen(file->name);
    if (length > 4 && strcmp(file->name + length - 4, ".map") == 0) {
        return Err_Set(file->err,
                       "%s: a .map is a source; compile it with edict-mapc and load the .bsp",
                       file->name);
    }
    return Err_Set(file->err, "%s: header: expected " FORMAT_NAMES ", found version %u (0x%08x)",
                   file->name, number, number);
}

static bool open_lump(bsp_file_t *file, int32_t number, const uint8_t *data, size_t size) {
    const bsp_format_t *format = file->format;
    const uint8_t *entry = data + format->magic_bytes + (size_t)number * 8;
    uint32_t offset = Lumps_U32(entry);
    uint32_t bytes = Lumps_U32(entry + 4);
    lump_t *lump = &file->lumps[number];
    *lump = (lump_t){.data = data, .record_bytes = format->lumps[number].record_bytes};
    if (bytes == 0) {
        return true; // valid, because some compilers do not set the offset of an empty lump
    }
    if (offset < (uint32_t)header_bytes(format)) {
        return Lumps_Fail(file, number, "expected an offset after the header's %d bytes, found %u",
                          header_bytes(format), offset);
    }
    if ((uint64_t)offset + bytes > size) {
        return Lumps_Fail(file, number, "expected %u bytes at %u, found the file's end at %zu",
                          bytes, offset, size);
    }
    if (bytes % (uint32_t)lump->record_bytes != 0) {
        return Lumps_Fail(file, number, "expected a multiple of %d bytes, found %u",
                          lump->record_bytes, bytes);
    }
    lump->data = data + offset;
    lump->bytes = bytes;
    lump->count = (int32_t)(bytes / (uint32_t)lump->record_bytes);
    return true;
}

bool Lumps_Open(bsp_file_t *file, const char *name, const uint8_t *data, size_t size, err_t *err) {
    bsp_remarks_t *remarks = file->remarks;
    *file = (bsp_file_t){.name = name, .data = data, .size = size, .err = err, .remarks = remarks};
    if (size > MAX_MAP_BYTES) {
        return Err_Set(err, "%s: the file has %zu bytes, the maximum is %d", name, size,
                       MAX_MAP_BYTES);
    }
    if (size < 8) {
        return Err_Set(err, "%s: header: expected 124 bytes or more, found %zu", name, size);
    }
    if (!find_format(file, data)) {
        return false;
    }
    if (size < (size_t)header_bytes(file->format)) {
        return Err_Set(err, "%s: header: expected %d bytes, found %zu", name,
                       header_bytes(file->format), size);
    }
    for (int32_t i = 0; i < file->format->num_lumps; i++) {
        if (!open_lump(file, i, data, size)) {
            return false;
        }
    }
    return true;
}
