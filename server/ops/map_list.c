#include "ops/map_list.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lists the maps of one folder.
static int32_t list_folder(const char *folder, const char *prefix, map_list_line_fn line_fn,
                           void *context) {
    struct dirent **entries = NULL;
    int32_t shown = 0;
    int count = scandir(folder, &entries, NULL, alphasort); // -1: the folder cannot be read
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        const char *dot = strrchr(name, '.');
        bool is_map = dot && (strcmp(dot, ".bsp") == 0 || strcmp(dot, ".emesh") == 0);
        if (is_map && strncmp(name, prefix, strlen(prefix)) == 0) {
            char line[1024];
            snprintf(line, sizeof line, "%.*s (%s/%s)", (int)(dot - name), name, folder, name);
            line_fn(context, line);
            shown++;
        }
        free(entries[i]);
    }
    free(entries);
    return shown;
}

int32_t MapList_Print(const char *folders, const char *prefix, map_list_line_fn line_fn,
                      void *context) {
    int32_t shown = 0;
    for (const char *at = folders; *at != '\0';) {
        char folder[512];
        size_t length = strcspn(at, ":");
        if (length < sizeof folder) {
            snprintf(folder, sizeof folder, "%.*s", (int)length, at);
            shown += list_folder(folder, prefix, line_fn, context);
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return shown;
}
