/// core/unknown_classes.h - counts the entities of a map whose class the game lacks.
//
// Memory:  a fixed list in the caller's memory. Classes beyond it are only counted.

#ifndef EDICTD_CORE_UNKNOWN_CLASSES_H
#define EDICTD_CORE_UNKNOWN_CLASSES_H

#include "core/core_local.h"

#define MAX_UNKNOWN_CLASSES 64 // per map

typedef struct {
    char name[MAX_KEY_BYTES];
    int32_t count;
    char label[ENTITY_LABEL_BYTES]; ///< of the first entity of the class
    char hint[96];                  ///< `; did you mean "NAME"?`, or ""
} unknown_class_t;

typedef struct {
    unknown_class_t list[MAX_UNKNOWN_CLASSES];
    int32_t num_classes;
    int32_t num_entities;
    bool is_full; ///< a class is missing in the list
} unknown_classes_t;

/// Counts sv->map_entity, whose class the game lacks.
void Unknown_Add(unknown_classes_t *unknown, const sv_context_t *sv, const char *classname);

/// Logs one warning about all classes, and a debug line for each one in the list.
/// Sorts the list: classes with a hint first, then by count.
void Unknown_Report(unknown_classes_t *unknown, const sv_context_t *sv, const game_export_t *game);

#endif
