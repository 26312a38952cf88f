#include "ops/elf_size.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

// Returns the end of a range, clamped to UINT64_MAX.
static uint64_t end_of(uint64_t offset, uint64_t bytes) {
    return bytes > UINT64_MAX - offset ? UINT64_MAX : offset + bytes;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

// Returns the file size that the headers imply.
static uint64_t promised(const ElfW(Ehdr) * header, const uint8_t *data, size_t size) {
    uint64_t table_end = end_of(header->e_phoff, (uint64_t)header->e_phnum * sizeof(ElfW(Phdr)));
    uint64_t end = larger(sizeof *header, table_end);
    if (header->e_shoff != 0) { // stripped files have no section table
        end = larger(end, end_of(header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize));
    }
    for (uint32_t i = 0; table_end <= size && i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        memcpy(&segment, data + header->e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type != PT_NULL) {
            end = larger(end, end_of(segment.p_offset, segment.p_filesz));
        }
    }
    return end;
}

bool Elf_IsWhole(const uint8_t *data, size_t size, err_t *err) {
    const int native = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    ElfW(Ehdr) header;
    if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0) {
        return Err_Set(err, "expected a shared object (ELF), found another kind of file");
    }
    if (size < sizeof header) {
        return Err_Set(err, "expected a complete module, found only %zu bytes", size);
    }
    memcpy(&header, data, sizeof header);
    if (header.e_ident[EI_CLASS] != native) {
        return Err_Set(err, "expected ELF class %d, found %d", native, header.e_ident[EI_CLASS]);
    }
    if (header.e_phnum > 0 && header.e_phentsize != sizeof(ElfW(Phdr))) {
        return Err_Set(err, "expected program headers of %zu bytes, found %d", sizeof(ElfW(Phdr)),
                       header.e_phentsize);
    }
    uint64_t wanted = promised(&header, data, size);
    return wanted <= size || Err_Set(err, "expected a complete module, found %zu of %llu bytes",
                                     size, (unsigned long long)wanted);
}
