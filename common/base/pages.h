/// base/pages.h - blocks of memory: large pages, and pages that are not used.
//
// Memory:  none; the system may ignore the request.

#ifndef EDICTD_BASE_PAGES_H
#define EDICTD_BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifndef __wasm__ // has no pages that a program can advise
#include <sys/mman.h>
#endif

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

/// Zeroes a block, but writes to no part that is zero already, so unused pages take no memory.
static inline void Pages_Zero(void *block, size_t bytes) {
    static const uint8_t zeros[4096];
    for (size_t at = 0; at < bytes; at += sizeof zeros) {
        size_t size = bytes - at < sizeof zeros ? bytes - at : sizeof zeros;
        if (memcmp((uint8_t *)block + at, zeros, size) != 0) {
            memset((uint8_t *)block + at, 0, size);
        }
    }
}

#endif
