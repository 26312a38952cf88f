/// base/file.h - reads and writes whole files of limited size.
//
// Memory:  File_Read returns a malloc'ed block that the caller frees.

#ifndef EDICTD_BASE_FILE_H
#define EDICTD_BASE_FILE_H

#include "base/err.h"
#include "base/types.h"

EXTERN_C_BEGIN

/// Alignment of File_Read's blocks, because the arrays of some formats are read in place.
#define FILE_ALIGN ((size_t)64)

/// Reads a regular file of at most `max_bytes`. Returns a block aligned to FILE_ALIGN with a NUL
/// after its last byte, which *size does not count. Returns NULL with "path: reason" if the file is
/// larger or cannot be read.
uint8_t *File_Read(const char *path, size_t max_bytes, size_t *size, err_t *err);

/// Writes a whole file through a temporary file and a rename, so that a crash or a full disk leaves
/// the old file intact. Keeps the old file's mode and, if allowed, its owner. Follows symbolic
/// links. Returns false with "path: reason".
bool File_Write(const char *path, const void *data, size_t size, err_t *err);

/// Returns true if both paths name the same existing file. Keeps tools from
/// overwriting their input.
bool File_IsSame(const char *a, const char *b);

EXTERN_C_END

#endif
