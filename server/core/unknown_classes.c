#include "core/unknown_classes.h"

#include "base/near_name.h"

#include <stdio.h>
#include <string.h>

#define TAIL_BYTES 56 // end of the line, after the classes

void Unknown_Add(unknown_classes_t *unknown, const sv_context_t *sv, const char *classname) {
    sv->world->counters.unknown_classes++;
    unknown->num_entities++;
    for (int32_t i = 0; i < unknown->num_classes; i++) {
        if (strncmp(unknown->list[i].name, classname, MAX_KEY_BYTES - 1) == 0) {
            unknown->list[i].count++;
            return;
        }
    }
    if (unknown->num_classes == MAX_UNKNOWN_CLASSES) {
        unknown->is_full = true;
        return;
    }
    unknown_class_t *entry = &unknown->list[unknown->num_classes++];
    snprintf(entry->name, sizeof entry->name, "%.*s", MAX_KEY_BYTES - 1, classname);
    entry->count = 1;
    SV_EntityLabel(sv, entry->label);
}

static void find_hint(unknown_class_t *entry, const game_export_t *game) {
    near_name_t near = NearName_Start(entry->name);
    for (int32_t i = 0; i < game->num_spawns; i++) {
        NearName_Look(&near, game->spawns[i].classname);
    }
    (void)NearName_Hint(&near, entry->hint, sizeof entry->hint);
}

// Returns true if the line names `a` before `b`. A class with a hint is probably misspelt.
static bool is_before(const unknown_class_t *a, const unknown_class_t *b) {
    const bool has_hint = a->hint[0] != '\0';
    return has_hint != (b->hint[0] != '\0') ? has_hint : a->count > b->count;
}

static void sort(unknown_classes_t *unknown) {
    for (int32_t i = 1; i < unknown->num_classes; i++) {
        const unknown_class_t entry = unknown->list[i];
        int32_t at = i;
        for (; at > 0 && is_before(&entry, &unknown->list[at - 1]); at--) {
            unknown->list[at] = unknown->list[at - 1];
        }
        unknown->list[at] = entry;
    }
}

// Appends as many classes as fit. Returns their number.
static int32_t append_classes(const unknown_classes_t *unknown, char *text, size_t bytes) {
    size_t used = strlen(text);
    int32_t count = 0;
    for (; count < unknown->num_classes; count++) {
        const unknown_class_t *entry = &unknown->list[count];
        char item[MAX_KEY_BYTES + sizeof entry->hint + 16];
        const int32_t length = snprintf(item, sizeof item, "%s%s (%d%s)", count > 0 ? ", " : " ",
                                        entry->name, entry->count, entry->hint);
        if (used + (size_t)length >= bytes) {
            break;
        }
        memcpy(text + used, item, (size_t)length + 1);
        used += (size_t)length;
    }
    return count;
}

void Unknown_Report(unknown_classes_t *unknown, const sv_context_t *sv, const game_export_t *game) {
    char text[MAX_TEXT_BYTES], more[32] = "";
    char lists[32] = "all";
    if (unknown->num_classes == 0) {
        return;
    }
    for (int32_t i = 0; i < unknown->num_classes; i++) {
        unknown_class_t *entry = &unknown->list[i];
        find_hint(entry, game);
        Events_Log(sv->events, LOG_DEBUG, "%s: unknown class ignored, %d in this map%s",
                   entry->label, entry->count, entry->hint);
    }
    sort(unknown);
    snprintf(text, sizeof text,
             "%.63s: left out %d %s of %s%d %s unknown to game %.31s:", CM_Info(sv->map).name,
             unknown->num_entities, unknown->num_entities == 1 ? "entity" : "entities",
             unknown->is_full ? "more than " : "", unknown->num_classes,
             unknown->num_classes == 1 ? "class" : "classes", game->name);
    const int32_t named = append_classes(unknown, text, sizeof text - TAIL_BYTES);
    if (unknown->is_full || named < unknown->num_classes) {
        snprintf(more, sizeof more, ", and %s%d more", unknown->is_full ? "more than " : "",
                 unknown->num_classes - named);
    }
    if (unknown->is_full) {
        snprintf(lists, sizeof lists, "the first %d", MAX_UNKNOWN_CLASSES);
    }
    Events_Log(sv->events, LOG_WARN, "%s%s; edictd -d lists %s", text, more, lists);
}
