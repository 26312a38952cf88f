/// core/import_events.c - the functions of game_import_t that print, log and emit events.

#include "core/import_local.h"
#include "world/faults.h"

#include <stdarg.h>
#include <stdio.h>

#define MAX_LOG_FIELDS 16 // fields of an event

static void print_as(sv_context_t *sv, const char *function, event_type_t type, int32_t client,
                     const char *text) {
    bool is_slot = client >= 0 && client < sv->world->max_clients;
    if (!Import_Given(sv, function, "a text", text)) {
        return;
    }
    if (client != EVENT_TO_ALL && !(is_slot && World_Client(sv->world, client)->inuse)) {
        SV_ReportFault(sv, function,
                       "expected EVENT_TO_ALL or the slot of a client, found %d for \"%.64s\"",
                       client, text);
        return;
    }
    Events_Add(sv->events, type, client, 0, (vec3_t){0}, text);
}

void Import_Print(sv_context_t *sv, int32_t client, const char *text) {
    print_as(sv, "print", EVENT_PRINT, client, text);
}

void Import_CenterPrint(sv_context_t *sv, int32_t client, const char *text) {
    print_as(sv, "center_print", EVENT_CENTERPRINT, client, text);
}

// Emits an event if its values are possible. The number 0 is that of a refused name: not sent.
static void emit(sv_context_t *sv, const char *function, const game_event_t *event,
                 const client_mask_t *clients, bool is_reliable) {
    if (!Import_Range(sv, function, "kind", event->kind, GAME_SOUND, GAME_EFFECT)) {
        return;
    }
    const int32_t table = event->kind == GAME_SOUND ? NAMES_SOUNDS : NAMES_EFFECTS;
    const int32_t count = sv->world->name_counts[table];
    if (Import_Range(sv, function, "number", event->number, 0, count) &&
        Import_Range(sv, function, "entity", event->entity, 0, sv->world->num_edicts - 1) &&
        Import_Range(sv, function, "num_args", event->num_args, 0, GAME_EVENT_ARGS) &&
        Import_Number(sv, function, "volume", event->volume) &&
        (!event->has_origin || Import_Vector(sv, function, "origin", event->origin))) {
        SV_Emit(sv, event, clients, is_reliable);
    }
}

void Import_Event(sv_context_t *sv, const game_event_t *event, const client_mask_t *clients,
                  bool is_reliable) {
    if (Import_Given(sv, "event", "an event", event)) {
        emit(sv, "event", event, clients, is_reliable);
    }
}

void Import_Effect(sv_context_t *sv, const edict_t *edict, vec3_t origin, int32_t number) {
    const char *function = "effect";
    if (!Import_Edict(sv, function, edict)) {
        return;
    }
    const game_event_t event = SV_EffectOf(sv, edict, origin, number);
    emit(sv, function, &event, NULL, false);
}

void Import_Sound(sv_context_t *sv, const edict_t *edict, int32_t number) {
    const char *function = "sound";
    if (!Import_Edict(sv, function, edict)) {
        return;
    }
    const game_event_t event = {.kind = GAME_SOUND,
                                .number = number,
                                .entity = World_EdictNumber(sv->world, edict),
                                .range = GAME_SOUND_RANGE,
                                .volume = 1.0f};
    emit(sv, function, &event, NULL, false);
}

void Import_Log(sv_context_t *sv, log_level_t level, const char *text) {
    const char *function = "log";
    if (Import_Range(sv, function, "level", (int64_t)level, LOG_ERROR, LOG_DEBUG) &&
        Import_Given(sv, function, "a text", text)) {
        Events_Log(sv->events, level, "%s", text);
    }
}

void Import_LogEvent(sv_context_t *sv, const char *name, const edict_t *player,
                     const log_field_t *fields, int32_t count) {
    const char *function = "log_event";
    char line[MAX_TEXT_BYTES];
    log_field_t all[2 + MAX_LOG_FIELDS];
    int32_t used = 0;
    if (!Import_Given(sv, function, "a name", name) || !Import_MayBeNull(sv, function, player) ||
        !Import_Range(sv, function, "count", count, 0, MAX_LOG_FIELDS) ||
        (count > 0 && !Import_Given(sv, function, "fields", fields))) {
        return;
    }
    const client_t *client = player ? World_ClientOf(sv->world, player) : NULL;
    if (client) {
        all[used++] =
            (log_field_t){.key = "slot", .number = World_EdictNumber(sv->world, player) - 1};
        all[used++] = (log_field_t){.key = "name", .text = client->name};
    }
    for (int32_t i = 0; i < count; i++) {
        if (!Import_Given(sv, function, "a key", fields[i].key)) {
            return;
        }
        all[used++] = fields[i];
    }
    Log_FormatEvent(line, sizeof line, name, all, used);
    Events_Log(sv->events, LOG_EVENT, "%s", line);
}

void Import_Warn(sv_context_t *sv, const edict_t *edict, const char *format, ...) {
    const char *function = "warn";
    char text[MAX_TEXT_BYTES];
    va_list args;
    if (!Import_Given(sv, function, "a format", format)) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (Import_Edict(sv, function, edict)) {
        SV_WarnEdict(sv, edict, "%s", text);
    }
}
