/// core/names.c - chooses each player's name: unique, not empty, without invisible characters.

#include "base/str.h"
#include "core/server_local.h"
#include "world/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes "base (n)" without the blank; the base is cut to fit.
static void write_numbered(const char *base, int32_t n, char name[MAX_NAME_BYTES]) {
    char suffix[16];
    snprintf(suffix, sizeof suffix, "(%d)", n);
    snprintf(name, MAX_NAME_BYTES - strlen(suffix), "%s", base);
    Str_TrimCut(name);
    strlcat(name, suffix, MAX_NAME_BYTES);
}

// Returns n if a name is write_numbered(base, n), otherwise 0.
static int32_t number_of(const char *name, const char *base) {
    char same[MAX_NAME_BYTES];
    const char *open = strrchr(name, '(');
    int64_t n = open ? strtol(open + 1, NULL, 10) : 0;
    if (n < 1 || n > MAX_CLIENTS) {
        return 0;
    }
    write_numbered(base, (int32_t)n, same);
    return strcmp(name, same) == 0 ? (int32_t)n : 0;
}

void Names_Choose(const server_t *server, session_t *session, const char *wanted) {
    uint64_t used[MAX_CLIENTS / 64 + 1] = {0}; // 0: the base itself
    char base[MAX_NAME_BYTES];
    snprintf(base, sizeof base, "%s", wanted);
    Str_Clean(base);
    if (base[0] == '\0') {
        snprintf(base, sizeof base, "player %d", session->slot + 1);
    }
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        int32_t peer = server->peer_of_slot[slot];
        const char *name = peer >= 0 ? server->sessions[peer].name : "";
        int32_t n = number_of(name, base);
        if (peer >= 0 && &server->sessions[peer] != session && (n > 0 || strcmp(name, base) == 0)) {
            Bits_Set(used, n);
        }
    }
    int32_t n = 0;
    while (Bits_Get(used, n)) { // ends: fewer than MAX_CLIENTS others
        n++;
    }
    if (n == 0) {
        snprintf(session->name, sizeof session->name, "%s", base);
    } else {
        write_numbered(base, n, session->name);
    }
}
