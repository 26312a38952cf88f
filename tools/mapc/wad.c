#include "mapc/wad.h"

#include "bsp/lumps.h"

#include <ctype.h>
#include <string.h>

#define HEAD_BYTES     12
#define ENTRY_BYTES    32
#define PICTURE_HEAD   40
#define TYPE_PALETTE   0x40
#define TYPE_WAD3      0x43
#define TYPE_WAD2      0x44
#define NUM_COLOURS    256
#define PICTURE_ALIGN  16 // texels; engines refuse other sizes
#define PALETTE_PREFIX 2  // the number of colours

/// `name` is shorter than the 16 bytes of an entry's name.
static bool has_name(const uint8_t *entry, const char *name) {
    for (size_t i = 0; i < 16; i++) {
        if (tolower(entry[16 + i]) != (unsigned char)name[i]) {
            return false;
        }
        if (name[i] == 0) {
            return true;
        }
    }
    return false;
}

/// Returns the bytes of an entry, or NULL if the entry is compressed or outside the file.
static const uint8_t *bytes_of(const mc_wad_t *wad, const uint8_t *entry, size_t *size) {
    uint32_t offset = Lumps_U32(entry);
    *size = Lumps_U32(entry + 4);
    bool fits = (uint64_t)offset + *size <= wad->size && entry[13] == 0;
    return fits ? wad->data + offset : NULL;
}

bool MC_OpenWad(mc_wad_t *wad, const char *name, const uint8_t *data, size_t size, err_t *err) {
    *wad = (mc_wad_t){.name = name, .data = data, .size = size};
    if (size < HEAD_BYTES || memcmp(data, "WAD", 3) != 0 || (data[3] != '2' && data[3] != '3')) {
        return Err_Set(err, "%s: expected WAD2 or WAD3 at the start, found another format", name);
    }
    uint32_t count = Lumps_U32(data + 4);
    uint32_t offset = Lumps_U32(data + 8);
    if (offset > size || count > (size - offset) / ENTRY_BYTES) {
        return Err_Set(err, "%s: expected %u entries at %u, found the end of the file at %zu", name,
                       count, offset, size);
    }
    wad->has_palettes = data[3] == '3';
    wad->entries = data + offset;
    wad->num_entries = count;
    for (size_t i = 0; i < wad->num_entries; i++) {
        size_t bytes;
        const uint8_t *entry = wad->entries + i * ENTRY_BYTES;
        const uint8_t *palette = entry[12] == TYPE_PALETTE ? bytes_of(wad, entry, &bytes) : NULL;
        if (palette && bytes >= MC_PALETTE_BYTES) {
            wad->palette = palette;
        }
    }
    return true;
}

static mc_found_t fail(const mc_wad_t *wad, const char *texture, err_t *err, const char *reason) {
    Err_Set(err, "%s: %s: %s", wad->name, texture, reason);
    return MC_WAD_BAD;
}

/// Checks and sets the positions of the levels and the palette in the bytes of a texture.
static bool find_levels(const mc_wad_t *wad, const uint8_t *data, size_t size,
                        mc_picture_t *picture) {
    size_t end = 0;
    for (int32_t i = 0; i < MC_MIP_LEVELS; i++) {
        size_t offset = Lumps_U32(data + 24 + i * 4);
        size_t bytes = (size_t)(picture->width >> i) * (size_t)(picture->height >> i);
        end = offset + bytes;
        if (offset < PICTURE_HEAD || end > size) {
            return false;
        }
        picture->levels[i] = data + offset;
    }
    picture->palette = wad->palette;
    if (wad->has_palettes) {
        if (size - end < PALETTE_PREFIX + MC_PALETTE_BYTES ||
            Lumps_U16(data + end) != NUM_COLOURS) {
            return false;
        }
        picture->palette = data + end + PALETTE_PREFIX;
    }
    return true;
}

mc_found_t MC_FindPicture(const mc_wad_t *wad, const char *texture, mc_picture_t *picture,
                          err_t *err) {
    const uint8_t type = wad->has_palettes ? TYPE_WAD3 : TYPE_WAD2;
    for (size_t i = 0; i < wad->num_entries; i++) {
        const uint8_t *entry = wad->entries + i * ENTRY_BYTES;
        if (entry[12] != type || !has_name(entry, texture)) {
            continue;
        }
        size_t size;
        const uint8_t *data = bytes_of(wad, entry, &size);
        if (!data || size < PICTURE_HEAD) {
            return fail(wad, texture, err, "its bytes are compressed or beyond the file's end");
        }
        uint32_t width = Lumps_U32(data + 16);
        uint32_t height = Lumps_U32(data + 20);
        if (width == 0 || height == 0 || width > MC_MAX_PICTURE || height > MC_MAX_PICTURE ||
            width % PICTURE_ALIGN != 0 || height % PICTURE_ALIGN != 0) {
            return fail(wad, texture, err,
                        "expected a width and height of 16 to 4096 in steps of 16");
        }
        *picture = (mc_picture_t){.width = (int32_t)width, .height = (int32_t)height};
        if (!find_levels(wad, data, size, picture)) {
            return fail(wad, texture, err, "expected four levels and, in a WAD3, 256 colours");
        }
        return MC_WAD_FOUND;
    }
    return MC_WAD_MISSING;
}
