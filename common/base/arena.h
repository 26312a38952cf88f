/// base/arena.h - one block, handed out piece by piece, freed at once.
//
// Floor:   base.
// Memory:  owns one malloc'ed block; pieces are zeroed and live as long as the arena.

#ifndef EDICTD_BASE_ARENA_H
#define EDICTD_BASE_ARENA_H

#include "base/types.h"

typedef struct {
    uint8_t *base;
    size_t size;
    size_t used;
} arena_t;

/// Allocates a block of `size` bytes. False when there is no memory.
bool Arena_Init(arena_t *arena, size_t size);

/// `count` zeroed elements of `size` bytes, aligned to 16, or NULL when the arena is full or the
/// product overflows. count 0 gives a valid pointer to nothing.
void *Arena_Alloc(arena_t *arena, size_t count, size_t size);

/// Frees the block. A zeroed arena_t may be freed.
void Arena_Free(arena_t *arena);

#endif
