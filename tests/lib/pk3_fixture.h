/// pk3_fixture.h - maps inside pk3 (zip) files that distributions package.

#ifndef EDICTD_TESTS_PK3_FIXTURE_H
#define EDICTD_TESTS_PK3_FIXTURE_H

#include "collide/cmap.h"

/// OpenArena maps with reference results and measurements in the shared data. `make deps-maps`
/// installs them.
typedef enum {
    PK3_AGGRESSOR,  ///< no patches
    PK3_WRACKDM17,  ///< 58 patches
    PK3_OA_DM2,     ///< no patches
    PK3_CTF_INYARD, ///< 212 patches
    NUM_PK3_MAPS
} pk3_map_t;

/// Returns the bytes of the map file, malloc'ed. Returns NULL and prints SKIPPED with the reason if
/// the package or unzip is not installed, or the file is not the expected one.
uint8_t *TestPk3_Bytes(pk3_map_t number, size_t *size);

/// Loads the map; returns false for the same reasons. Free it with CM_FreeMap.
bool TestPk3_Load(pk3_map_t number, cmap_t *map);

#endif
