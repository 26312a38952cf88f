/// ops/elf_size.h - checks that the file of a shared object is complete.
//
// The loader maps as much as a file's headers state. In a cut file, the first access to a missing
// page ends the process with SIGBUS, so the length is checked before the file is loaded.

#ifndef EDICTD_OPS_ELF_SIZE_H
#define EDICTD_OPS_ELF_SIZE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/// Returns false if the bytes are no native ELF file, or end before its tables and segments do.
/// The loader finds all other faults. Source: the System V ABI, chapters 4 and 5.
bool Elf_IsWhole(const uint8_t *data, size_t size, err_t *err);

#endif
