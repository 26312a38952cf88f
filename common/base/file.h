/// base/file.h - whole files, bounded.
//
// Floor:   base.
// Memory:  File_Read returns a malloc'ed block that the caller frees.

#ifndef EDICTD_BASE_FILE_H
#define EDICTD_BASE_FILE_H

#include "base/err.h"
#include "base/types.h"

/// Blocks begin at multiples of this: formats that are used as they lie there may count on it.
#define FILE_ALIGN ((size_t)64)

/// Reads a regular file of at most `max_bytes`. The block, FILE_ALIGNed, has a NUL behind its last
/// byte, which *size does not count. NULL with "path: reason" in err when it cannot be read or is
/// larger.
uint8_t *File_Read(const char *path, size_t max_bytes, size_t *size, err_t *err);

/// Writes a file whole: into a temporary one beside it, flushed, then renamed over it, so that a
/// crash or a full disk leaves the old file. False with "path: reason".
bool File_Write(const char *path, const void *data, size_t size, err_t *err);

/// True when both paths lead to one file, which is there. Tools ask before they write over what
/// they read.
bool File_IsSame(const char *a, const char *b);

#endif
