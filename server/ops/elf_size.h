/// ops/elf_size.h - is a shared object whole?
//
// Floor:   ops.
// Memory:  none.
//
// The loader maps what a file's header promises, and the first touch of a page that a cut file does
// not have ends the process: so whether the file is whole is checked before it is loaded.

#ifndef EDICTD_OPS_ELF_SIZE_H
#define EDICTD_OPS_ELF_SIZE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/// False when the bytes are no native ELF file, or fewer than its tables and segments say. What else
/// may be wrong with a file the loader finds itself. Source: the System V ABI, chapters 4 and 5.
bool Elf_IsWhole(const uint8_t *data, size_t size, err_t *err);

#endif
