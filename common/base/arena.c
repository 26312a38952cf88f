#include "base/arena.h"

#include "base/pages.h"

#include <stdlib.h>

#define ARENA_ALIGN ((size_t)16)

bool Arena_Init(arena_t *arena, size_t size) {
    *arena = (arena_t){.base = calloc(1, size ? size : 1), .size = size};
    if (!arena->base) {
        arena->size = 0;
        return false;
    }
    Pages_PreferLarge(arena->base, arena->size);
    return true;
}

void *Arena_Alloc(arena_t *arena, size_t count, size_t size) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || !arena->base) {
        return NULL;
    }
    size_t start = (arena->used + (ARENA_ALIGN - 1)) & ~(ARENA_ALIGN - 1);
    if (start > arena->size || bytes > arena->size - start) {
        return NULL;
    }
    arena->used = start + bytes;
    return arena->base + start;
}

void Arena_Free(arena_t *arena) {
    free(arena->base);
    *arena = (arena_t){0};
}
