#include "mapc/miptex.h"

#include "base/hash.h"

#include <string.h>

#define MIPTEX_HEAD  40 // name[16], width, height, four offsets
#define PLAIN_SIZE   64
#define SKY_WIDTH    256 // engines read a sky as two pictures of 128 x 128
#define SKY_HEIGHT   128
#define PALETTE_SIZE 256
#define NUM_MIPS     4

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
    for (int32_t mip = 0; mip < NUM_MIPS; mip++) {
        MC_PutI32(bytes, offset);
        offset += (width >> mip) * (height >> mip);
    }
}

/// Writes a palette whose colours all depend on the hash.
static void put_plain_palette(mc_bytes_t *bytes, uint64_t hash) {
    uint8_t colours[PALETTE_SIZE][3];
    for (int32_t i = 0; i < PALETTE_SIZE; i++) {
        for (int32_t channel = 0; channel < 3; channel++) {
            colours[i][channel] = (uint8_t)(64 + (hash >> (8 * channel + 8)) % 128);
        }
    }
    MC_PutI16(bytes, PALETTE_SIZE);
    MC_PutBytes(bytes, colours, sizeof colours);
    MC_PutI16(bytes, 0); // keeps the next texture aligned
}

/// Writes a texture of one colour. In Quake's palette, the middle of a row of 16 shades.
static void put_plain(mc_bytes_t *bytes, const mc_texture_name_t name, bool halflife) {
    bool sky = strncmp(name, "sky", 3) == 0;
    int32_t width = sky ? SKY_WIDTH : PLAIN_SIZE;
    int32_t height = sky ? SKY_HEIGHT : PLAIN_SIZE;
    uint64_t hash = Hash_Bytes(name, strlen(name), 0);
    put_head(bytes, name, width, height);
    uint8_t pixel = (uint8_t)(hash % 14 * 16 + 8);
    for (size_t i = mip_bytes((size_t)width, (size_t)height); i > 0; i--) {
        MC_PutBytes(bytes, &pixel, 1);
    }
    if (halflife) {
        put_plain_palette(bytes, hash);
    }
}

void MC_PutTextures(mc_bytes_t *bytes, const mc_texinfos_t *texinfos) {
    size_t count = texinfos->num_names;
    size_t start = bytes->size;
    MC_PutI32(bytes, (int32_t)count);
    for (size_t i = 0; i < count; i++) {
        MC_PutI32(bytes, 0);
    }
    for (size_t i = 0; i < count; i++) {
        MC_PatchI32(bytes, start + 4 + i * 4, bytes->size - start);
        put_plain(bytes, texinfos->names[i], texinfos->halflife);
    }
}
