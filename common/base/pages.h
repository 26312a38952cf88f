/// base/pages.h - requests large memory pages, which are faster to access.
//
// Memory:  none; the system may ignore the request.

#ifndef EDICTD_BASE_PAGES_H
#define EDICTD_BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define LARGE_PAGE ((uintptr_t)2 << 20)

/// Requests large pages for a block before the first write. Ignores blocks below 2 MiB.
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
