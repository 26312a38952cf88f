/// core/name_tables.c - sends the tables of names: those of the game, and those made here.

#include "core/server_local.h"

#include <stdio.h>
#include <string.h>

#define LOG_WINDOW_MS 5000

static int32_t refuse(server_t *server, names_table_t table, const char *name) {
    made_names_t *made = &server->made_names;
    if (Log_BurstAllows(&made->burst, server->now_ms, LOG_WINDOW_MS)) {
        char shown[NAME_TEXT_BYTES];
        const bool is_class = table == NAMES_CLASSES;
        Str_Printable(shown, sizeof shown, name);
        Log_Print(server->config.log, LOG_WARN,
                  "%s \"%s\": clients receive no name; expected 1 to 63 bytes of UTF-8 without "
                  "control characters, at most %d %s, and %d bytes of classes and texts%s",
                  is_class ? "class" : "text", shown, NAMES_MAX - 1, is_class ? "classes" : "texts",
                  NAMES_BYTES - NAMES_GAME_BYTES, made->burst.more);
    }
    return 0;
}

int32_t NameTables_Number(server_t *server, names_table_t table, int32_t string_id) {
    ASSERT(table >= NAMES_OF_GAME);
    made_names_t *made = &server->made_names;
    const int32_t row = (int32_t)table - NAMES_OF_GAME;
    const char *name = World_Text(server->world, string_id);
    if (name[0] == '\0') {
        return 0;
    }
    uint16_t *number = &made->numbers[row][string_id]; // in range, or the text would be ""
    if (*number == 0) {
        const bool fits = World_FindString(server->world, name) == string_id &&
                          Names_IsValid(name) && made->counts[row] < NAMES_MAX - 1 &&
                          made->bytes + Names_Cost(name) <= NAMES_BYTES - NAMES_GAME_BYTES;
        *number = NAMES_MAX;
        if (fits) {
            *number = (uint16_t)++made->counts[row];
            made->ids[row][*number] = (uint16_t)string_id;
            made->bytes += Names_Cost(name);
        }
    }
    return *number < NAMES_MAX ? *number : refuse(server, table, name);
}

static int32_t count_of(const server_t *server, int32_t table) {
    return table < NAMES_OF_GAME ? server->world->name_counts[table]
                                 : server->made_names.counts[table - NAMES_OF_GAME];
}

static const char *name_of(const server_t *server, int32_t table, int32_t number) {
    const uint16_t *ids = table < NAMES_OF_GAME ? server->world->name_ids[table]
                                                : server->made_names.ids[table - NAMES_OF_GAME];
    return World_Text(server->world, ids[number]);
}

// Sends as many names as fit in a message.
static void send_some(server_t *server, int32_t peer, int32_t table) {
    int32_t *sent = &server->sessions[peer].names_sent[table];
    control_msg_t msg = {.type = CTL_NAMES, .u.names = {.table = table, .first = *sent + 1}};
    char *at = msg.u.names.texts;
    int32_t cost = 0;
    while (*sent < count_of(server, table)) {
        const char *name = name_of(server, table, *sent + 1);
        cost += Names_Cost(name);
        if (cost > CTL_NAMES_BYTES) {
            break;
        }
        memcpy(at, name, strlen(name) + 1);
        at += strlen(name) + 1;
        msg.u.names.count++;
        ++*sent;
    }
    Session_Send(server, peer, &msg);
}

void NameTables_Send(server_t *server, int32_t peer) {
    const session_t *session = &server->sessions[peer];
    for (int32_t table = 0; table < NAMES_TABLES; table++) {
        while (session->names_sent[table] < count_of(server, table)) {
            send_some(server, peer, table);
        }
    }
}

void NameTables_SendAll(server_t *server) {
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        const session_state_t state = server->sessions[peer].state;
        if (state == SESSION_LOADING || state == SESSION_ACTIVE) {
            NameTables_Send(server, peer);
        }
    }
}
