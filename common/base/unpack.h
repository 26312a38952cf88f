/// base/unpack.h - decompresses zstd frames of known size.

#ifndef EDICTD_BASE_UNPACK_H
#define EDICTD_BASE_UNPACK_H

#include "base/err.h"
#include "base/types.h"

EXTERN_C_BEGIN

/// Returns false in a build without zstd (WebAssembly). Unpack_Zstd then always fails.
bool Unpack_IsBuilt(void);

/// Decompresses one zstd frame to a malloc'ed block, with a NUL after the last byte. The frame must
/// fill all of `data` and declare exactly `size` bytes; nothing is allocated before this is known.
/// Returns NULL with the reason.
uint8_t *Unpack_Zstd(const void *data, size_t packed, size_t size, err_t *err);

EXTERN_C_END

#endif
