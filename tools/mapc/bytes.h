/// mapc/bytes.h - a growing array of bytes; numbers are little-endian.

#ifndef EDICTD_MAPC_BYTES_H
#define EDICTD_MAPC_BYTES_H

#include "mapc/pool.h"

typedef struct {
    mc_pool_t *pool;
    uint8_t *data;
    size_t size, room;
} mc_bytes_t;

void MC_PutBytes(mc_bytes_t *bytes, const void *data, size_t size);
void MC_PutI16(mc_bytes_t *bytes, int32_t value);
void MC_PutI32(mc_bytes_t *bytes, int32_t value);
void MC_PutFloat(mc_bytes_t *bytes, double value);

/// Overwrites the number at `at`, whose value was not known when it was written.
void MC_PatchI32(mc_bytes_t *bytes, size_t at, size_t value);

#endif
