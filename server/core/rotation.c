/// core/rotation.c - the operator's list of maps (sv_maplist) and the next map.
//
// Repeat:  no tick reads the list. A game only reports that its match is over; the new world begins
//          between two ticks, as after the command `map`.
//
// server->map_turn is the index of the next map. When a map of the list starts, map_turn becomes
// the index after that map. A name may appear repeatedly.

#include "core/map_file.h"
#include "core/server_local.h"

#include <stdio.h>
#include <string.h>

#define SEPARATORS " \t,"

// Copies the next word of a list and moves *at past it. Returns false at the end.
static bool next_word(const char **at, char word[CVAR_STRING_BYTES]) {
    const char *start = *at + strspn(*at, SEPARATORS);
    size_t length = strcspn(start, SEPARATORS);
    *at = start + length;
    snprintf(word, CVAR_STRING_BYTES, "%.*s", (int)length, start);
    return length > 0;
}

int32_t Rotation_Count(const char *list) {
    char word[CVAR_STRING_BYTES];
    int32_t count = 0;
    while (next_word(&list, word)) {
        count++;
    }
    return count;
}

bool Rotation_Entry(const char *list, int32_t index, char name[CVAR_STRING_BYTES]) {
    bool found = true;
    for (int32_t i = 0; i <= index && found; i++) {
        found = next_word(&list, name);
    }
    return found && index >= 0;
}

// Returns the length of the file name in a path, without ending. *start receives the name.
static int bare_name(const char *path, const char **start) {
    const char *slash = strrchr(path, '/');
    *start = slash ? slash + 1 : path;
    const char *dot = strrchr(*start, '.');
    return (int)(dot && dot > *start ? (size_t)(dot - *start) : strlen(*start));
}

bool Rotation_Has(const char *list, const char *name) {
    char entry[CVAR_STRING_BYTES];
    const char *bare = NULL;
    const char *listed = NULL;
    int length = bare_name(name, &bare);
    while (next_word(&list, entry)) {
        if (bare_name(entry, &listed) == length && strncmp(listed, bare, (size_t)length) == 0) {
            return true;
        }
    }
    return false;
}

void Rotation_Started(server_t *server, const char *name) {
    char entry[CVAR_STRING_BYTES];
    int32_t count = Rotation_Count(server->map_list);
    for (int32_t i = 0; i < count; i++) {
        int32_t index = (server->map_turn + i) % count;
        if (Rotation_Entry(server->map_list, index, entry) &&
            (strcmp(entry, name) == 0 || strcmp(entry, CM_Info(server->map).name) == 0)) {
            server->map_turn = (index + 1) % count;
            return;
        }
    }
}

void Rotation_Set(server_t *server, const char *list) {
    char entry[CVAR_STRING_BYTES];
    char path[MAX_PATH_BYTES];
    err_t err;
    if (strcmp(list, server->map_list) == 0) {
        return;
    }
    snprintf(server->map_list, sizeof server->map_list, "%s", list);
    server->map_turn = 0;
    if (server->world) {
        Rotation_Started(server, server->map_arg);
    }
    for (const char *at = server->map_list; next_word(&at, entry);) {
        if (!MapFile_Find(entry, server->map_path, path, &err)) {
            Log_Print(server->config.log, LOG_WARN, "sv_maplist: %s", err.text);
        }
    }
}

bool Server_NextMap(server_t *server, err_t *err) {
    char name[CVAR_STRING_BYTES];
    err_t why;
    int32_t count = Rotation_Count(server->map_list);
    if (count == 0) {
        return Err_Set(err, "sv_maplist is empty: expected names of maps, separated by spaces");
    }
    for (int32_t i = 0; i < count; i++) {
        int32_t index = (server->map_turn + i) % count;
        Rotation_Entry(server->map_list, index, name);
        int32_t turn = server->map_turn;
        server->map_turn = index;
        if (Server_StartMap(server, name, &why)) {
            return true;
        }
        server->map_turn = turn;
        Log_Print(server->config.log, LOG_WARN, "sv_maplist: %s; skipped", why.text);
    }
    return Err_Set(err, "sv_maplist: none of its %d maps can be started", count);
}
