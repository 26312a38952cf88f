#include "mapc/pool.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MC_BLOCK_BYTES ((size_t)1 << 18)
#define MC_ALIGN       ((size_t)16)

struct mc_block {
    mc_block_t *below;
    size_t size, used;
    _Alignas(16) uint8_t bytes[];
};

void MC_Fail(mc_fail_t *fail, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(fail->text, sizeof fail->text, format, args);
    va_end(args);
    longjmp(fail->where, 1);
}

void MC_CountWork(mc_fail_t *fail, int64_t *work, int64_t more) {
    *work += more;
    if (*work > MC_MAX_WORK) {
        MC_Fail(fail,
                "the brushes overlap too much: "
                "expected at most %lld comparisons in a hull, found more",
                (long long)MC_MAX_WORK);
    }
}

static void free_block(mc_pool_t *pool, mc_block_t *block) {
    if (block) {
        *pool->budget_bytes += block->size + sizeof(mc_block_t);
        free(block);
    }
}

static mc_block_t *new_block(mc_pool_t *pool, size_t bytes) {
    size_t size = bytes > MC_BLOCK_BYTES ? bytes : MC_BLOCK_BYTES;
    size_t whole = size + sizeof(mc_block_t);
    if (whole > *pool->budget_bytes) {
        MC_Fail(pool->fail, "the map needs more memory than the limit allows; simplify it");
    }
    mc_block_t *block = malloc(whole);
    if (!block) {
        MC_Fail(pool->fail, "out of memory");
    }
    *pool->budget_bytes -= whole;
    block->size = size;
    return block;
}

static mc_block_t *push_block(mc_pool_t *pool, size_t bytes) {
    mc_block_t *block = pool->spare;
    pool->spare = NULL;
    if (!block || block->size < bytes) {
        free_block(pool, block);
        block = new_block(pool, bytes);
    }
    block->below = pool->top;
    block->used = 0;
    pool->top = block;
    return block;
}

static void pop_block(mc_pool_t *pool) {
    mc_block_t *block = pool->top;
    pool->top = block->below;
    free_block(pool, pool->spare);
    pool->spare = block;
}

void *MC_Alloc(mc_pool_t *pool, size_t count, size_t size) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) {
        MC_Fail(pool->fail, "out of memory");
    }
    bytes = (bytes + (MC_ALIGN - 1)) & ~(MC_ALIGN - 1);
    mc_block_t *block = pool->top;
    if (!block || bytes > block->size - block->used) {
        block = push_block(pool, bytes);
    }
    void *memory = block->bytes + block->used;
    block->used += bytes;
    return memset(memory, 0, bytes);
}

void *MC_Grow(mc_pool_t *pool, void *items, size_t count, size_t *room, size_t size) {
    if (count < *room) {
        return items;
    }
    size_t more = *room ? *room * 2 : 16;
    void *larger = MC_Alloc(pool, more, size);
    if (count) {
        memcpy(larger, items, count * size);
    }
    *room = more;
    return larger;
}

mc_mark_t MC_Mark(const mc_pool_t *pool) {
    return (mc_mark_t){pool->top, pool->top ? pool->top->used : 0};
}

void MC_Release(mc_pool_t *pool, mc_mark_t mark) {
    while (pool->top != mark.block) {
        ASSERT(pool->top);
        pop_block(pool);
    }
    if (pool->top) {
        ASSERT(mark.used <= pool->top->used);
        pool->top->used = mark.used;
    }
}

void MC_FreePool(mc_pool_t *pool) {
    while (pool->top) {
        pop_block(pool);
    }
    free_block(pool, pool->spare);
    pool->spare = NULL;
}
