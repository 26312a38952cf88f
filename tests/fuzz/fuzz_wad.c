// fuzz_wad.c - any bytes as a WAD file of textures.
//
// Input:      the file. The seeds are a WAD2 and a WAD3, whole and cut.
// Invariants: a refusal begins with the file's name; each level of a texture is within the file.

#include "base/assert.h"
#include "mapc/wad.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_bytes(const uint8_t *data, size_t size, const uint8_t *at, size_t bytes) {
    ASSERT(at >= data && bytes <= size && (size_t)(at - data) <= size - bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    mc_wad_t wad;
    err_t err = {""};
    if (!MC_OpenWad(&wad, "fuzz.wad", data, size, &err)) {
        ASSERT(strncmp(err.text, "fuzz.wad: ", 10) == 0);
        return 0;
    }
    for (size_t i = 0; i < wad.num_entries && i < 64; i++) {
        char name[16] = "";
        for (size_t k = 0; k < 15; k++) {
            char c = (char)wad.entries[i * 32 + 16 + k];
            name[k] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
        }
        mc_picture_t picture;
        mc_found_t found = MC_FindPicture(&wad, name, &picture, &err);
        ASSERT(found != MC_WAD_BAD || strncmp(err.text, "fuzz.wad: ", 10) == 0);
        for (int32_t level = 0; level < MC_MIP_LEVELS && found == MC_WAD_FOUND; level++) {
            size_t texels = (size_t)(picture.width >> level) * (size_t)(picture.height >> level);
            ASSERT(texels > 0);
            check_bytes(data, size, picture.levels[level], texels);
        }
        if (found == MC_WAD_FOUND && picture.palette) {
            check_bytes(data, size, picture.palette, MC_PALETTE_BYTES);
        }
    }
    return 0;
}
