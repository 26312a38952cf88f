/// mapc/pool.h - stack memory of the compiler: allocate, mark, release; bounded; failing jumps out.
//
// Floor:   tool.
// Memory:  owns a list of blocks; everything in it lives until it is released or the pool freed.
// Errors:  when the budget is used up, MC_Fail leaves the compilation with a message (compile.h
//          says where it lands). Building a BSP tree recursively has no other sane way out: each
//          level would have to undo half-split brushes that the release of the pool undoes anyway.

#ifndef EDICTD_MAPC_POOL_H
#define EDICTD_MAPC_POOL_H

#include "base/types.h"

#include <setjmp.h>

/// Where a compilation that cannot go on lands, and why.
typedef struct {
    jmp_buf where;
    char text[256];
} mc_fail_t;

/// Leaves the compilation. The text needs no file name; the caller of the compilation adds it.
_Noreturn void MC_Fail(mc_fail_t *fail, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Most comparisons of a surface or a brush with a plane in one hull: a minute or two. Real maps
/// need 10^7, 20,000 random boxes 3 * 10^8; brushes heaped on one spot could need any number.
#define MC_MAX_WORK INT64_C(2000000000)

/// Counts comparisons. Leaves the compilation beyond MC_MAX_WORK.
void MC_CountWork(mc_fail_t *fail, int64_t *work, int64_t more);

typedef struct mc_block mc_block_t;

/// A stack of blocks. A zeroed pool must be given its budget and `fail` before use.
typedef struct {
    mc_block_t *top;
    mc_block_t *spare; ///< the block released last: a mark on a block's edge must not cost a malloc
    size_t *budget_bytes; ///< shared by all pools of a compilation; counts down
    mc_fail_t *fail;
} mc_pool_t;

/// What stays until the end of a step, and what its parts need in between.
typedef struct {
    mc_pool_t keep, temp;
} mc_pools_t;

/// A place in the stack to return to.
typedef struct {
    mc_block_t *block;
    size_t used;
} mc_mark_t;

/// `count` zeroed elements of `size` bytes, aligned to 16. Does not return without memory.
void *MC_Alloc(mc_pool_t *pool, size_t count, size_t size);

/// An array that grows: returns `items` or a larger copy of it with room for count + 1 elements.
/// *room is the number of elements there is memory for. The old array stays in the pool.
void *MC_Grow(mc_pool_t *pool, void *items, size_t count, size_t *room, size_t size);

/// The top of the stack now.
mc_mark_t MC_Mark(const mc_pool_t *pool);

/// Gives back everything allocated since the mark.
void MC_Release(mc_pool_t *pool, mc_mark_t mark);

/// Frees all of it.
void MC_FreePool(mc_pool_t *pool);

#endif
