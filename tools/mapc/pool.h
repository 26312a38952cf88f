/// mapc/pool.h - bounded stack memory of the compiler: allocate, mark, release.
//
// Memory:  owns a list of blocks, which live until they are released or the pool is freed.
// Errors:  if the budget is used up, MC_Fail leaves the compilation by longjmp (see compile.c).
//          Otherwise every level of the recursive build would have to handle the error; releasing
//          the pool undoes their work anyway.

#ifndef EDICTD_MAPC_POOL_H
#define EDICTD_MAPC_POOL_H

#include "base/types.h"

#include <setjmp.h>

/// The return point and the message of a failed compilation.
typedef struct {
    jmp_buf where;
    char text[256];
} mc_fail_t;

/// Leaves the compilation with a message. The caller of the compilation adds the file name.
_Noreturn void MC_Fail(mc_fail_t *fail, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Maximum comparisons of a surface or brush with a plane in one hull, a minute or two. Real maps
/// need 10^7, 20,000 random boxes 3 * 10^8; brushes heaped on one spot need any number.
#define MC_MAX_WORK INT64_C(2000000000)

/// Counts comparisons. Fails the compilation beyond MC_MAX_WORK.
void MC_CountWork(mc_fail_t *fail, int64_t *work, int64_t more);

typedef struct mc_block mc_block_t;

/// A stack of blocks. A zeroed pool needs its budget and `fail` before use.
typedef struct {
    mc_block_t *top;
    mc_block_t
        *spare; ///< the last released block, kept so that a mark at a block's edge costs no malloc
    size_t *budget_bytes; ///< remaining memory, shared by all pools of a compilation
    mc_fail_t *fail;
} mc_pool_t;

/// Memory for the results of a step, and for temporaries.
typedef struct {
    mc_pool_t keep, temp;
} mc_pools_t;

/// A position in the stack.
typedef struct {
    mc_block_t *block;
    size_t used;
} mc_mark_t;

/// Returns `count` zeroed elements of `size` bytes, aligned to 16. Fails the compilation without
/// memory.
void *MC_Alloc(mc_pool_t *pool, size_t count, size_t size);

/// Returns `items`, or a larger copy, with room for count + 1 elements. *room is the capacity. The
/// old array stays in the pool.
void *MC_Grow(mc_pool_t *pool, void *items, size_t count, size_t *room, size_t size);

/// Returns the current top of the stack.
mc_mark_t MC_Mark(const mc_pool_t *pool);

/// Releases everything allocated since the mark.
void MC_Release(mc_pool_t *pool, mc_mark_t mark);

/// Frees the pool.
void MC_FreePool(mc_pool_t *pool);

#endif
