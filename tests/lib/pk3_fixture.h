/// test_pk3.h - maps inside of pk3 (zip) files that distributions package.

#ifndef EDICTD_TESTS_TEST_PK3_H
#define EDICTD_TESTS_TEST_PK3_H

#include "collide/cmodel.h"

/// OpenArena's maps that the visible data has answers and figures for. They come with `make deps-maps`.
typedef enum {
    PK3_AGGRESSOR,  ///< no patches
    PK3_WRACKDM17,  ///< 58 patches
    PK3_OA_DM2,     ///< no patches
    PK3_CTF_INYARD, ///< 212 patches
    NUM_PK3_MAPS
} pk3_map_t;

/// The bytes of the map's file, malloc'ed; NULL, and a printed line that says SKIPPED and why, when
/// the package is not installed, unzip is not, or the file is not the one that is known.
uint8_t *TestPk3_Bytes(pk3_map_t number, size_t *size);

/// Loads it; false as above. Free it with CM_FreeMap.
bool TestPk3_Load(pk3_map_t number, cmap_t *map);

#endif
