/// mapc/compile.h - compiles the text of a .map source to the bytes of a .bsp file.
//
// Memory:  the caller frees the result with MC_FreeResult.
// Errors:  reports each error with a line. Any input is safe: memory, depth and counts have limits.
// Repeat:  the same text and options give the same bytes on every supported compiler.

#ifndef EDICTD_MAPC_COMPILE_H
#define EDICTD_MAPC_COMPILE_H

#include "mapc/report.h"
#include "mapc/vis.h"
#include "mapc/wads.h"

typedef struct {
    bool halflife;        ///< writes BSP30 with Half-Life's hulls 1..3
    bool bsp2;            ///< writes BSP2 even if the map fits BSP29
    bool leaktest;        ///< treats a leak as an error
    size_t memory_bytes;  ///< maximum memory; 0 = MC_DEFAULT_MEMORY
    mc_vis_options_t vis; ///< zero threads count as one
    mc_wad_places_t wads; ///< where to find textures
} mc_options_t;

#define MC_DEFAULT_MEMORY ((size_t)2 << 30)

typedef enum {
    MC_COMPILED, ///< success; the map is sealed
    MC_FAILED,   ///< an error was reported; there is no file
    MC_LEAKED    ///< success, but a leak was reported: the space outside the map is not solid
} mc_outcome_t;

typedef struct {
    uint8_t *bsp;      ///< the bytes of the file; NULL if there is none
    char *leak_points; ///< path of the leak, one "x y z" per line; NULL = no leak
    size_t bsp_size, leak_size;
} mc_result_t;

mc_outcome_t MC_Compile(mc_result_t *result, const mc_options_t *options, mc_report_t *report,
                        const char *text, size_t size);

void MC_FreeResult(mc_result_t *result);

#endif
