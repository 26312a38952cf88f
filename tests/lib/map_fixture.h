/// test_map.h - a map made of boxes and ramps in memory, with right hulls, for tests without a file.
//
// The bytes are those of a map file in any of the formats, so everything goes through the loader.
// The trees share subtrees (one block's outside is the next block), which is legal, if unusual.

#ifndef EDICTD_TESTS_TEST_MAP_H
#define EDICTD_TESTS_TEST_MAP_H

#include "bsp/bsp.h"

/// Most blocks of a map, all models together: a hull may be MAX_HULL_DEPTH nodes deep.
#define TEST_MAP_MAX_BLOCKS 140

/// A box, or what a slanted plane leaves of it. Where blocks overlap, the first one counts.
/// CONTENTS_SOLID stops everything, CONTENTS_CLIP boxes only, all else nothing.
typedef struct {
    bounds_t box;
    contents_t contents;
    int32_t model; ///< 0 the world, n the submodel "*n" (in its own space, surrounded by nothing)
    /// What lies in front of this plane is cut off; no normal = no cut. Boxes are swept exactly
    /// when the normal has a zero component (a ramp along an axis).
    vec3_t cut_normal;
    float cut_dist;
} test_block_t;

/// A hollow room with blocks in it. Outside of the room all is solid.
typedef struct {
    bounds_t room;
    const test_block_t *blocks;
    int32_t num_blocks;
    const char *entities; ///< NULL = a worldspawn and a start in the middle of the room
    const char *format;   ///< "BSP29", "2PSB", "BSP2", "BSP30"; NULL = "BSP29"
    const char *name;     ///< NULL = "testmap"
    bool brush_list;      ///< with a BRUSHLIST: the blocks as they are, and six walls
} test_map_t;

/// The bytes of the map's file, malloc'ed.
uint8_t *TestMap_Bytes(const test_map_t *test, size_t *size);

/// Builds and loads the map; what goes wrong is printed to stderr. Free it with CM_FreeMap.
bool TestMap_Build(cmap_t *map, const test_map_t *test);

/// The part of a box under a slope that rises along +x from mins.z to maxs.z, solid.
test_block_t TestMap_RampX(vec3_t mins, vec3_t maxs);

/// A solid box.
test_block_t TestMap_Box(vec3_t mins, vec3_t maxs);

#endif
