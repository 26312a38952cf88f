/// mapc/leak.h - reports leaks and entities outside the map.

#ifndef EDICTD_MAPC_LEAK_H
#define EDICTD_MAPC_LEAK_H

#include "mapc/fill.h"

/// Reports a leak and the entity where it starts. `fatal`: report an error, not a warning.
void MC_ReportLeak(mc_report_t *report, const mc_leak_t *leak, bool fatal);

/// Warns about an entity that stands outside the map.
void MC_WarnOutside(mc_report_t *report, const mc_seed_t *seed);

/// Writes the path of a leak as text, one point "x y z" per line. The caller frees *text; it is
/// NULL if out of memory.
void MC_LeakPoints(const mc_leak_t *leak, char **text, size_t *size);

#endif
