/// mapc/pool.h - the compiler's memory: a stack with a size limit.
//
// Errors:  above the limit, MC_Fail ends the compilation by longjmp.

#ifndef EDICTD_MAPC_POOL_H
#define EDICTD_MAPC_POOL_H

#include "base/types.h"

#include <setjmp.h>

/// The return point and the message of a failed compilation.
typedef struct {
    jmp_buf where;
    char text[256];
} mc_fail_t;

/// Ends the compilation with an error message, by longjmp to fail->where.
_Noreturn void MC_Fail(mc_fail_t *fail, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Maximum number of comparisons between brushes and planes for one hull. This many take one to
/// two minutes; real maps need about 10^7.
#define MC_MAX_WORK INT64_C(2000000000)

/// Adds `more` to *work. Ends the compilation with an error if *work exceeds MC_MAX_WORK.
void MC_CountWork(mc_fail_t *fail, int64_t *work, int64_t more);

typedef struct mc_block mc_block_t;

/// A stack of blocks. Zero it, then set budget_bytes and fail.
typedef struct {
    mc_block_t *top;
    mc_block_t *spare;    ///< the last released block, for reuse
    size_t *budget_bytes; ///< memory left for all pools of a compilation
    mc_fail_t *fail;
} mc_pool_t;

/// `keep` for the results of a step, `temp` for temporary data.
typedef struct {
    mc_pool_t keep, temp;
} mc_pools_t;

/// A position in the stack, to which MC_Release returns.
typedef struct {
    mc_block_t *block;
    size_t used;
} mc_mark_t;

/// Allocates `count` zeroed elements of `size` bytes, aligned to 16 bytes. Ends the compilation if
/// out of memory.
void *MC_Alloc(mc_pool_t *pool, size_t count, size_t size);

/// Makes room for one more element. Returns `items`, or a larger copy of it. `count`: elements in
/// use. *room: capacity of the array.
void *MC_Grow(mc_pool_t *pool, void *items, size_t count, size_t *room, size_t size);

/// Returns the current top of the stack, for MC_Release.
mc_mark_t MC_Mark(const mc_pool_t *pool);

/// Releases all memory that was allocated since the mark.
void MC_Release(mc_pool_t *pool, mc_mark_t mark);

void MC_FreePool(mc_pool_t *pool);

#endif
