/// mapc/compile.h - compiles the text of a .map to the bytes of a .bsp.
//
// Floor:   tool. Everything else of the compiler.
// Memory:  everything is freed on return except the two blocks of the result, which the caller
//          frees.
// Errors:  reported line by line. Any input is safe: memory, depth, counts and nodes are bounded.
// Repeat:  the same text and options give the same bytes on every supported compiler.

#ifndef EDICTD_MAPC_COMPILE_H
#define EDICTD_MAPC_COMPILE_H

#include "mapc/report.h"

typedef struct {
    bool halflife;       ///< BSP30 with Half-Life's hulls 1..3
    bool bsp2;           ///< BSP2 even if the map fits BSP29
    bool leaktest;       ///< a leak is an error
    size_t memory_bytes; ///< maximum memory; 0 = MC_DEFAULT_MEMORY
} mc_options_t;

#define MC_DEFAULT_MEMORY ((size_t)2 << 30)

typedef enum {
    MC_COMPILED, ///< sealed
    MC_FAILED,   ///< an error was reported; there is no file
    MC_LEAKED    ///< a leak was reported; the file's outside is open
} mc_outcome_t;

typedef struct {
    uint8_t *bsp;      ///< the file, or NULL
    char *leak_points; ///< one "x y z" a line, from the entity to the void; NULL without a leak
    size_t bsp_size, leak_size;
} mc_result_t;

/// Compiles a map source.
mc_outcome_t MC_Compile(mc_result_t *result, const mc_options_t *options, mc_report_t *report,
                        const char *text, size_t size);

/// Frees the blocks of a result.
void MC_FreeResult(mc_result_t *result);

#endif
