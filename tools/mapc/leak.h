/// mapc/leak.h - tells where a map is open.
//
// Floor:   tool. fill, report.
// Units:   qu.

#ifndef EDICTD_MAPC_LEAK_H
#define EDICTD_MAPC_LEAK_H

#include "mapc/fill.h"

/// Reports the leak as an error, with the class, place and line of the entity it starts from.
void MC_ReportLeak(mc_report_t *report, const mc_leak_t *leak);

/// The points as editors load them: one "x y z" a line, at most 64 qu apart, from the entity to
/// the void. *text is malloc'ed for the caller, NULL without memory.
void MC_LeakPoints(const mc_leak_t *leak, char **text, size_t *size);

#endif
