#include "mapc/leak.h"

#include <stdio.h>
#include <stdlib.h>

#define POINT_SPACING 64.0 // qu
#define LINE_BYTES    128  // room for a line of three numbers

/// Writes "entity 17 (light at 64 0 24)".
static const char *seed_name(const mc_seed_t *seed, char *text, size_t size) {
    dvec_t p = seed->origin;
    snprintf(text, size, "entity %d (%.40s at %g %g %g)", seed->number, MC_ClassOf(seed->entity),
             p.x, p.y, p.z);
    return text;
}

void MC_ReportLeak(mc_report_t *report, const mc_leak_t *leak, bool fatal) {
    char name[LINE_BYTES];
    seed_name(leak->seed, name, sizeof name);
    if (fatal) {
        MC_Error(report, leak->seed->entity->line,
                 "leak: %s reaches the outside; no map is written (--leaktest)", name);
    } else {
        MC_Warn(report, leak->seed->entity->line,
                "leak: %s reaches the outside; the outside stays open", name);
    }
}

void MC_WarnOutside(mc_report_t *report, const mc_seed_t *seed) {
    char name[LINE_BYTES];
    MC_Warn(
        report, seed->entity->line, "%s is outside the map%s", seed_name(seed, name, sizeof name),
        seed->enclosed ? " or in a room that leaks; move it, or close the leak (see the .pts file)"
                       : "; move it inside or delete it");
}

/// Returns how many points to write from a to b, without b.
static int32_t steps_between(dvec_t a, dvec_t b) {
    double steps = ceil(DV_Length(DV_Sub(b, a)) / POINT_SPACING);
    return steps < 1.0 ? 1 : steps > 4096.0 ? 4096 : (int32_t)steps;
}

void MC_LeakPoints(const mc_leak_t *leak, char **text, size_t *size) {
    size_t lines = 1;
    for (int32_t i = 0; i + 1 < leak->num_points; i++) {
        lines += (size_t)steps_between(leak->points[i], leak->points[i + 1]);
    }
    size_t room = lines * LINE_BYTES;
    *size = 0;
    *text = malloc(room);
    if (!*text) {
        return;
    }
    for (int32_t i = 0; i < leak->num_points; i++) {
        dvec_t a = leak->points[i];
        dvec_t b = leak->points[i + 1 < leak->num_points ? i + 1 : i];
        int32_t steps = steps_between(a, b);
        for (int32_t k = 0; k < steps; k++) {
            dvec_t p = DV_MA(a, (double)k / (double)steps, DV_Sub(b, a));
            int length = snprintf(*text + *size, room - *size, "%.3f %.3f %.3f\n", p.x + 0.0,
                                  p.y + 0.0, p.z + 0.0);
            *size += length > 0 ? (size_t)length : 0;
        }
    }
}
