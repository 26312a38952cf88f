/// faces_fixture.h - adds the faces of boxes to a map file of map_fixture.h, for tests of drawing.

#ifndef EDICTD_TESTS_FACES_FIXTURE_H
#define EDICTD_TESTS_FACES_FIXTURE_H

#include "math/bounds.h"

#include <stddef.h>

#define TEST_FACES_MAX_BOXES   16
#define TEST_FACES_SIZE        16 // texels along each side of a texture
#define TEST_FACES_BOX         6  // faces of a box
#define TEST_FACES_BOX_CORNERS 24 // corners of its faces

/// Six faces. Boxes of one model are neighbours in the list, and models ascend.
typedef struct {
    bounds_t box;
    bool inside;         ///< the faces look into the box, as those of a room
    int32_t model;       ///< 0 = the world
    const char *texture; ///< NULL = missing in the file
    uint8_t colour;      ///< palette index of all texels; colour n of BSP30's palette is n, 2n, 3n
} test_faces_t;

/// Returns the file with faces, malloc'ed, and frees `bytes`.
uint8_t *TestFaces_Add(uint8_t *bytes, size_t *size, const test_faces_t *boxes, int32_t count);

#endif
