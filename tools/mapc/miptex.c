#include "mapc/miptex.h"

#include "base/hash.h"

#include <string.h>

#define MIPTEX_HEAD   40 // name[16], width, height, four offsets
#define PLAIN_SIZE    64
#define SKY_WIDTH     256 // engines read a sky as two pictures of 128 x 128
#define SKY_HEIGHT    128
#define PLAIN_COLOURS 14 // rows of shades that are not full bright

/// Returns the number of pixels of a texture with its three smaller copies.
static size_t mip_bytes(size_t width, size_t height) {
    return width * height / 64 * 85;
}

static void put_head(mc_bytes_t *bytes, const mc_texture_name_t name, int32_t width,
                     int32_t height) {
    MC_PutBytes(bytes, name, MC_TEXTURE_NAME);
    MC_PutI32(bytes, width);
    MC_PutI32(bytes, height);
    int32_t offset = MIPTEX_HEAD;
    for (int32_t mip = 0; mip < MC_MIP_LEVELS; mip++) {
        MC_PutI32(bytes, offset);
        offset += (width >> mip) * (height >> mip);
    }
}

static void put_palette(mc_bytes_t *bytes, const uint8_t *palette) {
    MC_PutI16(bytes, MC_PALETTE_BYTES / 3);
    MC_PutBytes(bytes, palette, MC_PALETTE_BYTES);
    MC_PutI16(bytes, 0); // keeps the next texture aligned
}

/// Returns the number that selects a plain colour. Liquids have the colour of their kind in both
/// palettes. All other colours depend on the name.
static uint64_t plain_number(const char *name) {
    if (name[0] != '*' && name[0] != '!') {
        return Hash_Bytes(name, strlen(name), 0);
    }
    return strstr(name, "lava") ? 0x147e06u : strstr(name, "slime") ? 0x381009u : 0x74200001u;
}

/// Writes a texture of one colour. In Quake's palette, the middle of a row of 16 shades.
static void put_plain(mc_bytes_t *bytes, const mc_texture_name_t name, bool halflife) {
    bool sky = strncmp(name, "sky", 3) == 0;
    int32_t width = sky ? SKY_WIDTH : PLAIN_SIZE;
    int32_t height = sky ? SKY_HEIGHT : PLAIN_SIZE;
    uint64_t number = plain_number(name);
    put_head(bytes, name, width, height);
    uint8_t row[PLAIN_SIZE];
    memset(row, (int)(number % PLAIN_COLOURS * 16 + 8), sizeof row);
    for (size_t left = mip_bytes((size_t)width, (size_t)height); left > 0;) {
        size_t part = left < sizeof row ? left : sizeof row;
        MC_PutBytes(bytes, row, part);
        left -= part;
    }
    if (halflife) {
        uint8_t palette[MC_PALETTE_BYTES];
        for (size_t i = 0; i < sizeof palette; i++) {
            palette[i] = (uint8_t)(64 + (number >> (8 + 8 * (i % 3))) % 128);
        }
        put_palette(bytes, palette);
    }
}

/// Returns false if no WAD file has the texture. Warns about a broken one.
static bool find_picture(const mc_texinfos_t *texinfos, const mc_wads_t *wads, const char *name,
                         mc_picture_t *picture) {
    *picture = (mc_picture_t){0};
    for (int32_t i = 0; i < wads->count; i++) {
        err_t err;
        mc_found_t found = MC_FindPicture(&wads->wads[i], name, picture, &err);
        bool sky = found == MC_WAD_FOUND && !texinfos->halflife && strncmp(name, "sky", 3) == 0;
        if (sky && (picture->width != SKY_WIDTH || picture->height != SKY_HEIGHT)) {
            Err_Set(&err, "%s: %s: expected a sky of %d x %d, found %d x %d", wads->wads[i].name,
                    name, SKY_WIDTH, SKY_HEIGHT, picture->width, picture->height);
            found = MC_WAD_BAD;
        }
        picture->palette = picture->palette ? picture->palette : wads->palette;
        if (found == MC_WAD_FOUND && texinfos->halflife && !picture->palette) {
            Err_Set(&err, "%s: %s: expected a PALETTE in one of the WAD2 files, found none",
                    wads->wads[i].name, name);
            found = MC_WAD_BAD;
        }
        if (found == MC_WAD_BAD) {
            MC_Warn(texinfos->report, 0, "%s; a plain colour is used", err.text);
            return false;
        }
        if (found == MC_WAD_FOUND) {
            return true;
        }
    }
    if (wads->count > 0) {
        MC_Warn(texinfos->report, 0, "texture \"%s\" is in no WAD file; a plain colour is used",
                name);
    }
    return false;
}

static void put_picture(mc_bytes_t *bytes, const mc_texture_name_t name,
                        const mc_picture_t *picture, bool halflife) {
    put_head(bytes, name, picture->width, picture->height);
    for (int32_t i = 0; i < MC_MIP_LEVELS; i++) {
        MC_PutBytes(bytes, picture->levels[i],
                    (size_t)(picture->width >> i) * (size_t)(picture->height >> i));
    }
    if (halflife) {
        put_palette(bytes, picture->palette);
    }
}

void MC_AddFrames(mc_texinfos_t *texinfos, const mc_wads_t *wads) {
    static const char frames[2][11] = {"0123456789", "abcdefghij"};
    size_t count = texinfos->num_names;
    for (size_t i = 0; i < count; i++) {
        mc_texture_name_t name;
        memcpy(name, texinfos->names[i], sizeof name);
        for (int32_t list = 0; list < 2 && name[0] == '+' && name[1]; list++) {
            // An engine needs all frames up to the last one.
            const char *used = strchr(frames[list], texinfos->names[i][1]);
            ptrdiff_t last = used ? used - frames[list] : -1;
            for (ptrdiff_t frame = last + 1; frames[list][frame]; frame++) {
                mc_picture_t picture;
                name[1] = frames[list][frame];
                bool found = false;
                for (int32_t k = 0; k < wads->count && !found; k++) {
                    found = MC_FindPicture(&wads->wads[k], name, &picture, NULL) == MC_WAD_FOUND;
                }
                last = found ? frame : last;
            }
            for (ptrdiff_t frame = 0; frame <= last; frame++) {
                name[1] = frames[list][frame];
                MC_FindTextureName(texinfos, name);
            }
        }
    }
}

void MC_PutTextures(mc_bytes_t *bytes, const mc_texinfos_t *texinfos, const mc_wads_t *wads) {
    size_t count = texinfos->num_names;
    size_t start = bytes->size;
    MC_PutI32(bytes, (int32_t)count);
    for (size_t i = 0; i < count; i++) {
        MC_PutI32(bytes, 0);
    }
    for (size_t i = 0; i < count; i++) {
        MC_PatchI32(bytes, start + 4 + i * 4, bytes->size - start);
        mc_picture_t picture;
        if (find_picture(texinfos, wads, texinfos->names[i], &picture)) {
            put_picture(bytes, texinfos->names[i], &picture, texinfos->halflife);
        } else {
            put_plain(bytes, texinfos->names[i], texinfos->halflife);
        }
    }
}
