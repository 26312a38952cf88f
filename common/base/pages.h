/// base/pages.h - large blocks of memory in large pages: walks through trees of many megabytes miss
/// the CPU's few entries for small pages nearly each time.
//
// Floor:   base.
// Memory:  none; only advice, which the system may not follow.

#ifndef EDICTD_BASE_PAGES_H
#define EDICTD_BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/// Size of a large page.
#define LARGE_PAGE ((uintptr_t)2 << 20)

/// Asks for large pages within a block that nobody wrote to yet. Small blocks are left alone.
static inline void Pages_PreferLarge(void *block, size_t bytes) {
#ifdef MADV_HUGEPAGE
    uintptr_t from = ((uintptr_t)block + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
    uintptr_t to = ((uintptr_t)block + bytes) & ~(LARGE_PAGE - 1);
    if (from < to) {
        madvise((void *)from, to - from, MADV_HUGEPAGE);
    }
#else
    (void)block;
    (void)bytes;
#endif
}

#endif
