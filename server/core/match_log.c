/// core/match_log.c - log lines about players and the match, as events (Log_Event).
//
// Limits:  40 joins, leaves and renames, and 200 events of the game, in 5 s; more are only counted.

#include "core/server_local.h"

#include <stdio.h>

#define WINDOW_MS       5000
#define MAX_VISIT_LINES 40
#define MAX_MATCH_LINES 200

// Returns true if a line may be logged, otherwise counts it.
static bool allows(server_t *server, log_window_t *window, int32_t max) {
    if (server->now_ms >= window->until_ms) {
        MatchLog_Report(server);
        *window = (log_window_t){.until_ms = server->now_ms + WINDOW_MS};
    }
    bool may = window->lines < max;
    window->lines += may ? 1 : 0;
    window->hidden += may ? 0 : 1;
    return may;
}

static void report(server_t *server, log_window_t *window, const char *what) {
    if (window->hidden > 0 && server->now_ms >= window->until_ms) {
        Log_Print(server->config.log, LOG_INFO, "%d more %s in %d ms were not logged",
                  window->hidden, what, WINDOW_MS);
        window->hidden = 0;
    }
}

void MatchLog_Report(server_t *server) {
    report(server, &server->visits, "joins, leaves and renames");
    report(server, &server->match_lines, "events of the game");
}

void MatchLog_Visit(server_t *server, const session_t *session, const char *event, const char *key,
                    const char *text) {
    char address[32];
    if (allows(server, &server->visits, MAX_VISIT_LINES)) {
        Net_FormatAddress(session->address, address, sizeof address);
        log_field_t fields[5] = {{.key = "slot", .number = session->slot},
                                 {.key = "name", .text = session->name},
                                 {.key = "address", .text = address}};
        int32_t count = 3;
        if (session->id[0] != '\0') {
            fields[count++] = (log_field_t){.key = "id", .text = session->id};
        }
        if (text) {
            fields[count++] = (log_field_t){.key = key, .text = text};
        }
        Log_Event(server->config.log, event, fields, count);
    }
}

void MatchLog_Chat(server_t *server, const session_t *session, const char *text, bool to_team) {
    const client_t *client = World_Client(server->world, session->slot);
    const log_field_t fields[] = {{.key = "slot", .number = session->slot},
                                  {.key = "name", .text = session->name},
                                  {.key = "text", .text = text},
                                  {.key = "team", .number = client->team}};
    Log_Event(server->config.log, to_team ? "team_chat" : "chat", fields, to_team ? 4 : 3);
}

void MatchLog_Map(server_t *server, bool is_start) {
    const cm_info_t info = CM_Info(server->map);
    const world_t *world = server->world;
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)info.hash);
    const log_field_t started[] = {
        {.key = "name", .text = info.name},
        {.key = "format", .text = info.format},
        {.key = "hash", .text = hash},
        {.key = "entities", .number = world->num_edicts - 1 - world->max_clients}};
    const log_field_t ended[] = {{.key = "name", .text = info.name},
                                 {.key = "ticks", .number = world->tick}};
    Log_Event(server->config.log, is_start ? "map_start" : "map_end", is_start ? started : ended,
              is_start ? 4 : 2);
}

void MatchLog_Game(server_t *server, const char *line) {
    if (allows(server, &server->match_lines, MAX_MATCH_LINES)) {
        Log_Print(server->config.log, LOG_EVENT, "%s", line);
    }
}
