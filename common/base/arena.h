/// base/arena.h - allocates many arrays from one block that is freed as a whole.
//
// Memory:  owns one malloc'ed block; the arrays are zeroed and live as long as the arena.

#ifndef EDICTD_BASE_ARENA_H
#define EDICTD_BASE_ARENA_H

#include "base/types.h"

EXTERN_C_BEGIN

typedef struct {
    uint8_t *base;
    size_t size;
    size_t used;
} arena_t;

/// Allocates the block, `size` bytes. Returns false if out of memory.
bool Arena_Init(arena_t *arena, size_t size);

/// Returns `count` zeroed elements of `size` bytes, aligned to 16. Returns NULL if the arena is
/// full.
void *Arena_Alloc(arena_t *arena, size_t count, size_t size);

/// Frees the block. Does nothing for an arena that is all zero.
void Arena_Free(arena_t *arena);

EXTERN_C_END

#endif
