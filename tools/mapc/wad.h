/// mapc/wad.h - reads textures of WAD2 files (Quake) and WAD3 files (Half-Life).
//
// Memory:  views of the file's bytes.
// Errors:  "file: texture: reason". Any bytes are safe.
//
//   | "WAD2" or "WAD3" | entries (i32) | offset of the entries (i32) |
//   entry   | offset | bytes in the file | bytes | type (u8) | compression (u8) | 2 | name[16] |
//   texture | name[16] | width | height | offsets of 4 levels | levels
//           | in WAD3 after level 3: 256 (u16) | 256 x red, green, blue |

#ifndef EDICTD_MAPC_WAD_H
#define EDICTD_MAPC_WAD_H

#include "base/err.h"

#define MC_MAX_WAD_BYTES ((size_t)256 << 20)
#define MC_MIP_LEVELS    4
#define MC_MAX_PICTURE   4096 // texels along each side
#define MC_PALETTE_BYTES 768

typedef struct {
    const char *name; ///< of the file
    const uint8_t *data;
    size_t size;
    bool has_palettes; ///< WAD3: each texture has its own palette
    const uint8_t *entries;
    size_t num_entries;
    const uint8_t *palette; ///< of a WAD2; NULL if it has none
} mc_wad_t;

/// A texture. `palette`: NULL if its colours are those of Quake.
typedef struct {
    int32_t width, height;
    const uint8_t *levels[MC_MIP_LEVELS];
    const uint8_t *palette;
} mc_picture_t;

typedef enum { MC_WAD_MISSING, MC_WAD_FOUND, MC_WAD_BAD } mc_found_t;

/// Opens a WAD. `name` and `data` must outlive it.
bool MC_OpenWad(mc_wad_t *wad, const char *name, const uint8_t *data, size_t size, err_t *err);

/// Finds a texture by its lower-case name. MC_WAD_BAD: the texture is there, but broken.
mc_found_t MC_FindPicture(const mc_wad_t *wad, const char *texture, mc_picture_t *picture,
                          err_t *err);

#endif
