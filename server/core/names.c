/// core/names.c - chooses each player's name: unique, not empty, without invisible characters.

#include "base/str.h"
#include "core/server_local.h"

#include <stdio.h>
#include <string.h>

static bool is_taken(const server_t *server, const session_t *session, const char *name) {
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        int32_t peer = server->peer_of_slot[slot];
        if (peer >= 0 && &server->sessions[peer] != session &&
            strcmp(server->sessions[peer].name, name) == 0) {
            return true;
        }
    }
    return false;
}

void Names_Choose(const server_t *server, session_t *session, const char *wanted) {
    char base[MAX_NAME_BYTES];
    snprintf(base, sizeof base, "%s", wanted);
    Str_Clean(base);
    if (base[0] == '\0') {
        snprintf(base, sizeof base, "player %d", session->slot + 1);
    }
    snprintf(session->name, sizeof session->name, "%s", base);
    for (int32_t n = 1; is_taken(server, session, session->name);
         n++) { // MAX_CLIENTS tries always suffice
        char suffix[16];
        snprintf(suffix, sizeof suffix, "(%d)", n);
        snprintf(session->name, sizeof session->name - strlen(suffix), "%s", base);
        Str_TrimCut(session->name);
        strlcat(session->name, suffix, sizeof session->name);
    }
}
