/// base/hash.h - a 64-bit hash to compare states, maps and messages. Not for secrets.
//
// Repeat:  equal on all CPUs and in all versions (XXH3).

#ifndef EDICTD_BASE_HASH_H
#define EDICTD_BASE_HASH_H

#include "base/types.h"

EXTERN_C_BEGIN

/// Returns the hash of `size` bytes, mixed with `seed`.
uint64_t Hash_Bytes(const void *data, size_t size, uint64_t seed);

EXTERN_C_END

#endif
