/// world/faults.h - log lines about faults of the game, at most one per burst.
//
// Memory:  the times of the last lines are in events_t, outside the world.
// Repeat:  the simulation never reads them.

#ifndef EDICTD_WORLD_FAULTS_H
#define EDICTD_WORLD_FAULTS_H

#include "world/running.h"

/// After a line, equal faults are only counted for this time. Faults are equal if function, format,
/// callback and class are.
#define FAULT_WINDOW_MS 5000

#define FAULT_PLACE_BYTES 128

/// Writes the callback that runs now: `edict 17 (trigger_hurt) in touch "hurt_touch"`; "" = none.
void SV_WritePlace(const sv_context_t *sv, char text[FAULT_PLACE_BYTES]);

/// Logs a fault of the callback that runs now. `function`: the engine's function that was called.
///
///     edict 17 (trigger_hurt) in touch "hurt_touch": remove: expected an edict, found NULL
void SV_ReportFault(const sv_context_t *sv, const char *function, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Logs a fault of an edict, found outside its callback. `kind` and `name`: of the callback, see
/// sv_running_t; "" = none.
void SV_ReportFaultOf(const sv_context_t *sv, const edict_t *edict, const char *kind,
                      const char *name, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
