/// base/file.h - reads and writes whole files of limited size.
//
// Memory:  File_Read returns a malloc'ed block that the caller frees.

#ifndef EDICTD_BASE_FILE_H
#define EDICTD_BASE_FILE_H

#include "base/err.h"
#include "base/types.h"

EXTERN_C_BEGIN

/// Alignment of File_Read's blocks, for formats that are used in place.
#define FILE_ALIGN ((size_t)64)

/// Reads a regular file of at most `max_bytes`. Returns a block aligned to FILE_ALIGN, with a NUL
/// after the last byte. Returns NULL with "path: reason" on failure.
uint8_t *File_Read(const char *path, size_t max_bytes, size_t *size, err_t *err);

/// Returns true if there is a file or folder of this name.
bool File_Exists(const char *path);

/// Reads files from elsewhere. `read` is like File_Read.
typedef struct {
    uint8_t *(*read)(void *context, const char *path, size_t max_bytes, size_t *size, err_t *err);
    void *context;
} file_reader_t;

/// Calls the reader. `files`: NULL = File_Read.
uint8_t *File_ReadFrom(const file_reader_t *files, const char *path, size_t max_bytes, size_t *size,
                       err_t *err);

/// Replaces a whole file at once: after a crash or on a full disk, the old file is intact. Keeps
/// the file mode and, if allowed, the owner. Follows symbolic links. Returns false with "path:
/// reason".
bool File_Write(const char *path, const void *data, size_t size, err_t *err);

/// Returns true if both paths name the same existing file.
bool File_IsSame(const char *a, const char *b);

EXTERN_C_END

#endif
