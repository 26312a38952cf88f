#include "world/faults.h"

#include "base/hash.h"
#include "world/events.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Returns the burst of a kind of faults, or the last one if all are taken.
static log_burst_t *burst_of(fault_bursts_t *faults, uint64_t kind, int64_t now_ms) {
    int32_t free = MAX_FAULT_KINDS - 1;
    for (int32_t i = MAX_FAULT_KINDS - 1; i >= 0; i--) {
        if (faults->kinds[i] == kind) {
            return &faults->bursts[i];
        }
        free = now_ms >= faults->bursts[i].quiet_until_ms ? i : free;
    }
    if (now_ms >= faults->bursts[free].quiet_until_ms) {
        faults->kinds[free] = kind;
        faults->bursts[free].suppressed = 0;
    }
    return &faults->bursts[free];
}

static uint64_t hash_text(const char *text, uint64_t seed) {
    return Hash_Bytes(text, strlen(text), seed);
}

// Writes "edict 17 (trigger_hurt) in touch "hurt_touch"".
static void write_place(const sv_running_t *at, char *text, size_t bytes) {
    const char *quote = at->name[0] ? "\"" : "";
    size_t used = 0;
    text[0] = '\0';
    if (at->edict >= 0) {
        snprintf(text, bytes, "edict %d (%.40s)%s", at->edict, at->classname,
                 at->kind[0] ? " in " : "");
        used = strlen(text);
    }
    snprintf(text + used, bytes - used, "%s%s%s%.40s%s", at->kind, at->name[0] ? " " : "", quote,
             at->name, quote);
}

void SV_WritePlace(const sv_context_t *sv, char text[FAULT_PLACE_BYTES]) {
    text[0] = '\0';
    if (sv->running && sv->running->kind) {
        write_place(sv->running, text, FAULT_PLACE_BYTES);
    }
}

static void report(const sv_context_t *sv, const sv_running_t *at, const char *function,
                   const char *format, va_list args) {
    events_t *events = sv->events;
    const int64_t now_ms = sv->world->time_ms;
    char place[FAULT_PLACE_BYTES], text[MAX_TEXT_BYTES];
    if (!events) {
        return;
    }
    uint64_t kind = hash_text(at->kind, hash_text(format, hash_text(function, 1)));
    kind = hash_text(at->classname, hash_text(at->name, kind));
    log_burst_t *burst = burst_of(&events->faults, kind, now_ms);
    if (Log_BurstAllows(burst, now_ms, FAULT_WINDOW_MS)) {
        vsnprintf(text, sizeof text, format, args);
        write_place(at, place, sizeof place);
        char *last = events->faults.last;
        snprintf(last, sizeof events->faults.last, "%s%s%s%s%s%s", place, place[0] ? ": " : "",
                 function, function[0] ? ": " : "", text, burst->more);
        Events_Log(events, LOG_WARN, "%s", last);
        if (sv->running) {
            sv->running->fault = last;
        }
    }
}

void SV_ReportFault(const sv_context_t *sv, const char *function, const char *format, ...) {
    sv_running_t at = {.kind = NULL};
    va_list args;
    if (sv->running) {
        at = *sv->running;
    }
    if (!at.kind) {
        at = (sv_running_t){.kind = "", .name = "", .edict = -1, .classname = ""};
    }
    va_start(args, format);
    report(sv, &at, function, format, args);
    va_end(args);
}

void SV_ReportFaultOf(const sv_context_t *sv, const edict_t *edict, const char *kind,
                      const char *name, const char *format, ...) {
    const sv_running_t at = {.kind = kind,
                             .name = name,
                             .edict = World_EdictNumber(sv->world, edict),
                             .classname = World_Text(sv->world, edict->classname)};
    va_list args;
    va_start(args, format);
    report(sv, &at, "", format, args);
    va_end(args);
}
