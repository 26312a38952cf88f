/// mapc/leak.h - reports leaks and entities outside the map.

#ifndef EDICTD_MAPC_LEAK_H
#define EDICTD_MAPC_LEAK_H

#include "mapc/fill.h"

/// Reports the leak with the entity where it starts: as an error if `fatal`, else as a warning.
void MC_ReportLeak(mc_report_t *report, const mc_leak_t *leak, bool fatal);

/// Warns about an entity that stands outside the map.
void MC_WarnOutside(mc_report_t *report, const mc_seed_t *seed);

/// Writes the path as editors read it: one "x y z" per line, at most 64 qu apart, from the entity
/// to the void. The caller frees *text; it is NULL if out of memory.
void MC_LeakPoints(const mc_leak_t *leak, char **text, size_t *size);

#endif
