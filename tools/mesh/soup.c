#include "mesh/soup.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/// A hash table of vertex numbers with open addressing; its size is a power of two.
typedef struct {
    int32_t *slots; // -1: free
    uint32_t mask;
} table_t;

/// Returns the number of the vertex at a position. If there is none, adds a vertex numbered `next`.
static int32_t find_or_add(table_t *table, const vec3_t *vertices, vec3_t at, int32_t next) {
    uint32_t slot = (uint32_t)Hash_Bytes(&at, sizeof at, 0) & table->mask;
    while (table->slots[slot] >= 0) {
        if (VectorCompare(vertices[table->slots[slot]], at)) {
            return table->slots[slot];
        }
        slot = (slot + 1) & table->mask;
    }
    table->slots[slot] = next;
    return next;
}

bool ME_Weld(me_soup_t *soup) {
    table_t table = {.mask = 1023};
    while (table.mask < (uint32_t)soup->num_vertices * 2) {
        table.mask = table.mask * 2 + 1;
    }
    size_t num_slots = (size_t)table.mask + 1;
    table.slots = malloc(num_slots * sizeof *table.slots);
    int32_t *numbers = malloc(((size_t)soup->num_vertices + 1) * sizeof *numbers);
    if (!table.slots || !numbers) {
        free(table.slots);
        free(numbers);
        return false;
    }
    memset(table.slots, 0xff, num_slots * sizeof *table.slots);
    memset(numbers, 0xff, ((size_t)soup->num_vertices + 1) * sizeof *numbers);
    vec3_t *kept = malloc(((size_t)soup->num_vertices + 1) * sizeof *kept);
    int32_t count = 0;
    for (int32_t i = 0; kept && i < soup->num_triangles; i++) {
        for (int32_t j = 0; j < 3; j++) {
            int32_t *number = &numbers[soup->indices[i][j]];
            if (*number < 0) {
                // Adding 0 turns -0 into 0, because both are the same position.
                vec3_t at = VectorAdd(soup->vertices[soup->indices[i][j]], Vector(0, 0, 0));
                *number = find_or_add(&table, kept, at, count);
                kept[*number] = at;
                count += *number == count ? 1 : 0;
            }
            soup->indices[i][j] = *number;
        }
    }
    free(table.slots);
    free(numbers);
    if (!kept) {
        return false;
    }
    free(soup->vertices);
    soup->vertices = kept;
    soup->num_vertices = count;
    return true;
}

void ME_FreeSoup(me_soup_t *soup) {
    free(soup->vertices);
    free(soup->indices);
    free(soup->contents);
    *soup = (me_soup_t){0};
}
