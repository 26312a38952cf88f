/// map_fixture.h - a map of boxes and ramps in memory, with exact hulls, for tests without a file.
//
// The bytes are those of a map file in any of the formats, so every test map goes through the
// loader. The trees share subtrees (one block's outside is the next block); this is legal, if
// unusual.

#ifndef EDICTD_TESTS_MAP_FIXTURE_H
#define EDICTD_TESTS_MAP_FIXTURE_H

#include "bsp/bsp.h"

/// Maximum blocks of a map, all models together: a hull may be MAX_HULL_DEPTH nodes deep.
#define TEST_MAP_MAX_BLOCKS 140

/// A box, or the part of it behind a slanted plane. Where blocks overlap, the first one counts.
/// CONTENTS_SOLID stops everything, CONTENTS_CLIP stops boxes only, other contents stop nothing.
typedef struct {
    bounds_t box;
    contents_t contents;
    int32_t model; ///< 0 = the world; n = submodel "*n" (in its own space, empty around it)
    /// Removes the part in front of this plane; zero normal = no cut. Sweeps of boxes are exact if
    /// the normal has a zero component (a ramp along an axis).
    vec3_t cut_normal;
    float cut_dist;
} test_block_t;

/// A hollow room with blocks in it. Everything outside the room is solid.
typedef struct {
    bounds_t room;
    const test_block_t *blocks;
    int32_t num_blocks;
    const char *entities; ///< NULL = a worldspawn and a start in the middle of the room
    const char *format;   ///< "BSP29", "2PSB", "BSP2", "BSP30"; NULL = "BSP29"
    const char *name;     ///< NULL = "testmap"
    bool brush_list;      ///< writes a BRUSHLIST: the blocks and six walls
    uint32_t no_list;     ///< bit n: the BRUSHLIST has no list of model n
} test_map_t;

/// Returns the bytes of the map file, malloc'ed.
uint8_t *TestMap_Bytes(const test_map_t *test, size_t *size);

/// Writes the map into a file in memory, and its path. Returns the descriptor.
int TestMap_File(const test_map_t *test, char path[64]);

/// Builds and loads the map; prints errors to stderr. Free it with CM_FreeMap.
bool TestMap_Build(cmap_t *map, const test_map_t *test);

/// Returns the part of a box under a slope that rises along +x from mins.z to maxs.z, solid.
test_block_t TestMap_RampX(vec3_t mins, vec3_t maxs);

/// Returns a solid box.
test_block_t TestMap_Box(vec3_t mins, vec3_t maxs);

#endif
