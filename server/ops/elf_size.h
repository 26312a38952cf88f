/// ops/elf_size.h - checks that the file of a shared object is complete.
//
// Loading a file that was cut short would end the process with SIGBUS.

#ifndef EDICTD_OPS_ELF_SIZE_H
#define EDICTD_OPS_ELF_SIZE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/// Returns true for a complete ELF file of this machine. Source: System V ABI, chapters 4 and 5.
bool Elf_IsWhole(const uint8_t *data, size_t size, err_t *err);

#endif
