/// mesh/excess.c - drops duplicate triangles and finds cells with too many triangles.

#include "base/hash.h"
#include "collide/mesh/mesh_layout.h"
#include "math/bounds.h"
#include "mesh/soup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- duplicates ----

/// The key of a triangle: contents, and vertices rotated so that the lowest is first.
typedef struct {
    int32_t a, b, c, contents;
} face_t;

_Static_assert(sizeof(face_t) == 16, "hashed as bytes");

static face_t face_of(const me_soup_t *soup, int32_t number) {
    const int32_t *index = soup->indices[number];
    int32_t low = index[0] <= index[1] ? 0 : 1;
    low = index[2] < index[low] ? 2 : low;
    return (face_t){index[low], index[(low + 1) % 3], index[(low + 2) % 3],
                    (int32_t)soup->contents[number]};
}

bool ME_IsFlat(const me_soup_t *soup, int32_t number) {
    const int32_t *index = soup->indices[number];
    return !Mesh_HasArea(Mesh_TriangleNormal(soup->vertices[index[0]], soup->vertices[index[1]],
                                             soup->vertices[index[2]]));
}

/// Returns true if the table already has the face. Otherwise adds the face as triangle `count`.
static bool find_or_enter(int32_t *slots, uint32_t mask, const me_soup_t *soup, int32_t count,
                          face_t face) {
    uint32_t slot = (uint32_t)Hash_Bytes(&face, sizeof face, 0) & mask;
    for (; slots[slot] >= 0; slot = (slot + 1) & mask) {
        face_t other = face_of(soup, slots[slot]);
        if (memcmp(&other, &face, sizeof face) == 0) {
            return true;
        }
    }
    slots[slot] = count;
    return false;
}

bool ME_DropDoubles(me_soup_t *soup, int32_t *first) {
    uint32_t mask = 1023;
    while (mask < (uint32_t)soup->num_triangles * 2) {
        mask = mask * 2 + 1;
    }
    int32_t *slots = malloc(((size_t)mask + 1) * sizeof *slots);
    if (!slots) {
        return false;
    }
    memset(slots, 0xff, ((size_t)mask + 1) * sizeof *slots);
    int32_t kept = 0;
    *first = -1;
    for (int32_t i = 0; i < soup->num_triangles; i++) {
        // Enter the triangle as number `kept`, which it gets below if it is not a duplicate.
        if (!ME_IsFlat(soup, i) && find_or_enter(slots, mask, soup, kept, face_of(soup, i))) {
            *first = *first < 0 ? i : *first;
            continue;
        }
        memmove(soup->indices[kept], soup->indices[i], sizeof soup->indices[kept]);
        soup->contents[kept++] = soup->contents[i];
    }
    free(slots);
    soup->doubles.count = soup->num_triangles - kept;
    soup->num_triangles = kept;
    return true;
}

// ---- crowded cells ----

#define CELL ((float)ME_CROWD_QU)
#define BITS 13 // bits per coordinate of a cell; enough for -MAX_WORLD_COORD..MAX_WORLD_COORD

static bounds_t box_of(const me_soup_t *soup, int32_t number) {
    const int32_t *index = soup->indices[number];
    bounds_t box = {soup->vertices[index[0]], soup->vertices[index[0]]};
    for (int32_t i = 1; i < 3; i++) {
        box.mins = VectorMin(box.mins, soup->vertices[index[i]]);
        box.maxs = VectorMax(box.maxs, soup->vertices[index[i]]);
    }
    return box;
}

static uint64_t cell_of(const me_soup_t *soup, int32_t number) {
    bounds_t box = box_of(soup, number);
    vec3_t middle = VectorScale(VectorAdd(box.mins, box.maxs), 0.5f / CELL);
    uint64_t key = 0;
    for (int32_t i = 0; i < 3; i++) {
        key = key << BITS | (uint64_t)((int32_t)floorf(VectorAxis(middle, i)) + (1 << (BITS - 1)));
    }
    return key;
}

static vec3_t middle_of_cell(uint64_t key) {
    float at[3];
    for (int32_t i = 2; i >= 0; i--) {
        int32_t cell = (int32_t)(key & ((1u << BITS) - 1u)) - (1 << (BITS - 1));
        at[i] = ((float)cell + 0.5f) * CELL;
        key >>= BITS;
    }
    return Vector(at[0], at[1], at[2]);
}

static int compare_cells(const void *a, const void *b) {
    uint64_t x;
    uint64_t y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

int32_t ME_Crowd(const me_soup_t *soup, vec3_t *at) {
    size_t count = (size_t)soup->num_triangles;
    uint64_t *cells = count > ME_CROWD ? malloc(count * sizeof *cells) : NULL;
    int32_t most = 0;
    if (!cells) {
        return 0;
    }
    for (int32_t i = 0; i < soup->num_triangles; i++) {
        cells[i] = cell_of(soup, i);
    }
    qsort(cells, count, sizeof *cells, compare_cells);
    for (size_t i = 0, first = 0; i < count; i++) {
        first = cells[i] == cells[first] ? first : i;
        if ((int32_t)(i - first) + 1 > most) {
            most = (int32_t)(i - first) + 1;
            *at = middle_of_cell(cells[first]);
        }
    }
    free(cells);
    return most > ME_CROWD ? most : 0;
}
