#include "base/unpack.h"

#include <stdlib.h>

#ifdef __wasm__

bool Unpack_IsBuilt(void) {
    return false;
}

uint8_t *Unpack_Zstd(const void *data, size_t packed, size_t size, err_t *err) {
    (void)data, (void)packed, (void)size;
    Err_Set(err, "this build cannot decompress zstd");
    return NULL;
}

#else

#include <zstd.h>

bool Unpack_IsBuilt(void) {
    return true;
}

uint8_t *Unpack_Zstd(const void *data, size_t packed, size_t size, err_t *err) {
    // Both functions read only what is inside `packed`. Errors are numbers near 2^64.
    const size_t frame = ZSTD_findFrameCompressedSize(data, packed);
    const unsigned long long declared = ZSTD_getFrameContentSize(data, packed);
    if (ZSTD_isError(frame) || frame != packed) {
        Err_Set(err, "expected one zstd frame of %zu bytes: it is cut off, damaged or shorter",
                packed);
        return NULL;
    }
    if (declared != size) {
        Err_Set(err, "expected a zstd frame that declares %zu bytes, found another size", size);
        return NULL;
    }
    uint8_t *out = malloc(size + 1);
    if (!out) {
        Err_Set(err, "no memory for %zu bytes", size);
        return NULL;
    }
    const size_t found = ZSTD_decompress(out, size, data, packed);
    if (ZSTD_isError(found) || found != size) {
        Err_Set(err, "the zstd frame is damaged: %s",
                ZSTD_isError(found) ? ZSTD_getErrorName(found) : "it ends too early");
        free(out);
        return NULL;
    }
    out[size] = 0;
    return out;
}

#endif
