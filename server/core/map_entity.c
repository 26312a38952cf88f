/// core/map_entity.c - identifies an entity of the map in warnings to its author:
///
///     arena.bsp: entity 17 (trigger_hurt at 64 0 24; arena.map:210): target "x" matches no entity
//
// Cost:    the first label of a map start reads both texts; later labels search a list of entities.

#include "base/hash.h"
#include "core/core_local.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the line in the .map file ----

/// A position in an entity text, or in a .map file, where entities also contain brushes.
typedef struct {
    const char *begin, *at, *end;
    int32_t line;
    char classname[MAX_KEY_BYTES]; // of the entity read last
    int32_t start;                 // line of the opening brace
} scan_t;

// Copies the quoted word at scan->at, cut to the buffer, and moves scan->at after the word.
static void read_word(scan_t *scan, char word[MAX_KEY_BYTES]) {
    size_t length = 0;
    for (scan->at++; scan->at < scan->end && *scan->at != '"' && *scan->at != '\n'; scan->at++) {
        if (length < MAX_KEY_BYTES - 1) {
            word[length++] = *scan->at;
        }
    }
    word[length] = '\0';
    scan->at += scan->at < scan->end && *scan->at == '"' ? 1 : 0;
}

// Returns true for a brace that is a whole word. A texture name may begin with a brace: "{grate".
static bool is_brace(const scan_t *scan) {
    static const char around[] = " \t\r\n\"{}";
    const char *at = scan->at;
    return (*at == '{' || *at == '}') && (at == scan->begin || strchr(around, at[-1])) &&
           (at + 1 == scan->end || strchr(around, at[1]));
}

static bool next_entity(scan_t *scan) {
    char word[MAX_KEY_BYTES];
    int32_t depth = 0;
    bool is_class = false; // the next word is the class
    scan->classname[0] = '\0';
    while (scan->at < scan->end) {
        char byte = *scan->at;
        if (byte == '"' && depth == 1) {
            read_word(scan, word);
            if (is_class) {
                snprintf(scan->classname, sizeof scan->classname, "%s", word);
            }
            is_class = !is_class && strcmp(word, "classname") == 0;
            continue;
        }
        if (byte == '/' && scan->end - scan->at > 1 && scan->at[1] == '/') {
            const char *newline = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
            scan->at = newline ? newline : scan->end;
            continue;
        }
        byte = *scan->at == '\n' || is_brace(scan) ? byte : ' ';
        scan->at++;
        scan->line += byte == '\n' ? 1 : 0;
        scan->start = byte == '{' && depth == 0 ? scan->line : scan->start;
        depth += byte == '{' ? 1 : byte == '}' ? -1 : 0;
        if (byte == '}' && depth <= 0) {
            return true;
        }
    }
    return false;
}

static void list_entities(entity_lines_t *lines, const char *text, size_t bytes) {
    scan_t scan = {text, text, text + bytes, 1, "", 0};
    while (next_entity(&scan)) {
        if (lines->count == lines->capacity) {
            int32_t capacity = lines->capacity ? lines->capacity * 2 : 256;
            entity_line_t *grown = realloc(lines->list, (size_t)capacity * sizeof *grown);
            if (!grown) {
                return; // later entities have no line
            }
            lines->list = grown;
            lines->capacity = capacity;
        }
        lines->list[lines->count++] =
            (entity_line_t){Hash_Bytes(scan.classname, strlen(scan.classname), 0), scan.start};
    }
}

// Returns the source line of the entity, or 0. Compilers drop entities, so the third door of the
// map counts as the third door of the source.
static int32_t source_line(const sv_context_t *sv) {
    map_entity_t *entity = sv->map_entity;
    entity_lines_t *map = &entity->map_lines, *source = &entity->source_lines;
    int32_t nth = 0;
    if (entity->source && map->count == 0) {
        const cm_info_t info = CM_Info(sv->map);
        list_entities(map, info.entities, info.entities_bytes);
        list_entities(source, entity->source, strlen(entity->source));
    }
    if (entity->number >= map->count) {
        return 0;
    }
    for (int32_t i = 0; i < entity->number; i++) {
        nth += map->list[i].class_hash == map->list[entity->number].class_hash ? 1 : 0;
    }
    for (int32_t i = 0; i < source->count; i++) {
        if (source->list[i].class_hash == map->list[entity->number].class_hash && nth-- == 0) {
            return source->list[i].line;
        }
    }
    return 0;
}

// ---- the label ----

static void add_place(const sv_context_t *sv, const map_entity_t *entity, char *text,
                      size_t bytes) {
    const char *origin = BSP_EntityValue(&entity->def, "origin");
    const char *name = BSP_EntityValue(&entity->def, "model");
    int32_t model = 0;
    size_t used = strlen(text);
    if (origin) {
        snprintf(text + used, bytes - used, " at %.30s", origin);
    } else if (name && sscanf(name, "*%6d", &model) == 1 && model > 0 &&
               model < CM_NumModels(sv->map)) {
        bounds_t box = CM_ModelBounds(sv->map, model);
        vec3_t at = VectorScale(VectorAdd(box.mins, box.maxs), 0.5f);
        at = VectorAdd(at, CM_ModelPivot(sv->map, model));
        snprintf(text + used, bytes - used, " at %g %g %g", (double)at.x, (double)at.y,
                 (double)at.z);
    }
}

static const char *map_ending(const sv_context_t *sv) {
    return CM_IsMesh(sv->map, 0) ? "emesh" : "bsp";
}

void SV_EntityLabel(const sv_context_t *sv, char text[ENTITY_LABEL_BYTES]) {
    const map_entity_t *entity = sv->map_entity;
    const char *classname = BSP_EntityValue(&entity->def, "classname");
    int32_t line = source_line(sv);
    snprintf(text, ENTITY_LABEL_BYTES, "%.40s.%s: entity %d (%.40s", CM_Info(sv->map).name,
             map_ending(sv), entity->number, classname ? classname : "no classname");
    add_place(sv, entity, text, ENTITY_LABEL_BYTES);
    size_t used = strlen(text);
    if (line > 0) {
        snprintf(text + used, ENTITY_LABEL_BYTES - used, "; %.40s.map:%d)", CM_Info(sv->map).name,
                 line);
    } else {
        strlcat(text, ")", ENTITY_LABEL_BYTES);
    }
}

void SV_WarnEntity(const sv_context_t *sv, const char *format, ...) {
    char label[ENTITY_LABEL_BYTES];
    char text[MAX_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    SV_EntityLabel(sv, label);
    Events_Log(sv->events, LOG_WARN, "%s: %s", label, text);
}

void SV_WarnEdict(sv_context_t *sv, const edict_t *edict, const char *format, ...) {
    char text[MAX_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (sv->map_entity && sv->map_entity->edict == edict) {
        SV_WarnEntity(sv, "%s", text);
        return;
    }
    vec3_t at = edict->model > 0 ? VectorScale(VectorAdd(edict->absmin, edict->absmax), 0.5f)
                                 : edict->origin;
    Events_Log(sv->events, LOG_WARN, "%.40s.%s: edict %d (%.40s at %g %g %g): %s",
               CM_Info(sv->map).name, map_ending(sv), World_EdictNumber(sv->world, edict),
               World_Text(sv->world, edict->classname), (double)at.x, (double)at.y, (double)at.z,
               text);
}
