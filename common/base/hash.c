#include "base/hash.h"

#include <xxhash.h>

/// The same hash, with the widest vectors of the CPU. NULL if libxxhash does not have it.
extern XXH64_hash_t XXH3_64bits_withSeed_dispatch(const void *data, size_t size, XXH64_hash_t seed)
    __attribute__((weak));

uint64_t Hash_Bytes(const void *data, size_t size, uint64_t seed) {
    return XXH3_64bits_withSeed_dispatch ? XXH3_64bits_withSeed_dispatch(data, size, seed)
                                         : XXH3_64bits_withSeed(data, size, seed);
}
