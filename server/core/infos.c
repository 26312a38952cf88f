/// core/infos.c - settings of players (USERINFO): name, colour, rate, and those of the game.
//
// Small changes of a ping are not sent, because with 1,000 players each snapshot would have one.
//
// A session has the settings; the world receives each as an input. A value that is not valid is
// refused; its sender receives the reason.

#include "base/str.h"
#include "core/server_local.h"

#include <stdio.h>
#include <string.h>

#define INFO_BURST    16   // maximum changes of settings at once, without the name
#define INFO_EVERY_MS 1500 // minimum interval of further changes; others receive each
#define COLOUR_DIGITS 6
#define PING_TICKS    64    // a client's ping is measured anew after these ticks
#define PING_CLIENTS  128   // every 128 clients add as long, because everybody receives each change
#define MAX_PING_MS   32767 // of SENT_ENGINE_ROWS
#define MAX_RATE      1000000000 // bytes/s

static const game_info_t engine_infos[INFO_GAME] = {
    [INFO_NAME] = {"name", "", "name of the player"},
    [INFO_COLOUR] = {"colour", "ffffff", "colour of the player, RRGGBB"},
    [INFO_RATE] = {"rate", "0", "wished bytes per second from the server; 0 = any"},
};

const game_info_t *SV_InfoOf(const game_export_t *game, int32_t number) {
    if (number < 0 || number >= INFO_GAME + game->num_userinfo) {
        return NULL;
    }
    return number < INFO_GAME ? &engine_infos[number] : &game->userinfo[number - INFO_GAME];
}

int32_t SV_InfoKey(const game_export_t *game, const char *key) {
    const game_info_t *info;
    for (int32_t number = 0; (info = SV_InfoOf(game, number)) != NULL; number++) {
        if (strcmp(info->key, key) == 0) {
            return number;
        }
    }
    return -1;
}

void SV_InfoDefaults(const game_export_t *game, char infos[CLIENT_INFOS][MAX_INFO_BYTES]) {
    memset(infos, 0, CLIENT_INFOS * MAX_INFO_BYTES);
    for (int32_t number = 1; SV_InfoOf(game, number); number++) {
        snprintf(infos[number - 1], MAX_INFO_BYTES, "%s", SV_InfoOf(game, number)->def);
    }
}

static bool is_valid(int32_t number, const char *value, err_t *err) {
    int64_t rate;
    if (number == INFO_COLOUR && (strlen(value) != COLOUR_DIGITS ||
                                  strspn(value, "0123456789abcdefABCDEF") != COLOUR_DIGITS)) {
        return Err_Set(err, "colour: expected six hexadecimal digits, found \"%s\"", value);
    }
    if (number == INFO_RATE && !Str_ToInt(value, 0, MAX_RATE, &rate)) {
        return Err_Set(err, "rate: expected 0..%d bytes/s, found \"%s\"", MAX_RATE, value);
    }
    return true;
}

// Stores a valid value. Returns false if the tick has no room for the input.
static bool store(server_t *server, session_t *session, int32_t number, const char *value) {
    input_t *input = session->joined ? Inputs_Add(server->inputs, INPUT_INFO, session->slot) : NULL;
    if (session->joined && !input) {
        return false;
    }
    if (input) {
        input->value = number;
        snprintf(input->text, sizeof input->text, "%s", value);
    }
    if (number != INFO_NAME) {
        snprintf(session->infos[number - 1], MAX_INFO_BYTES, "%s", value);
    }
    return true;
}

static bool rename_player(server_t *server, session_t *session, const char *wanted) {
    char before[MAX_NAME_BYTES];
    memcpy(before, session->name, sizeof before);
    Names_Choose(server, session, wanted);
    if (strcmp(before, session->name) == 0 || !Chat_ChargeLine(server, session, session->name) ||
        !store(server, session, INFO_NAME, session->name)) {
        memcpy(session->name, before, sizeof before);
        return false;
    }
    MatchLog_Visit(server, session, "rename", "before", before);
    return true;
}

// Applies one setting. Returns true if it has changed. Reports a refusal to the player.
static bool apply(server_t *server, session_t *session, const char *key, const char *wanted) {
    char value[MAX_INFO_BYTES];
    int32_t number = SV_InfoKey(server->config.game, key);
    err_t why = {{0}};
    snprintf(value, sizeof value, "%s", wanted);
    Str_Clean(value);
    if (number == INFO_NAME && session->token_name[0] == '\0') {
        return rename_player(server, session, value);
    }
    if (number == INFO_NAME) {
        Err_Set(&why, "not set: your name is that of your token");
    } else if (number < 0) {
        Err_Set(&why, "not set: this server has no setting \"%s\"", key);
    } else if (strcmp(session->infos[number - 1], value) == 0) {
        return false;
    } else if (is_valid(number, value, &why) &&
               !Bucket_Charge(&session->infos_empty_ms, server->now_ms, INFO_EVERY_MS,
                              (INFO_BURST - 1) * INFO_EVERY_MS)) {
        Session_NoteFlood(server, session, "changes of settings");
        Err_Set(&why, "not set: you change settings too fast; wait a few seconds");
    }
    if (why.text[0] != '\0') {
        Chat_Refuse(server, session, why.text);
        return false;
    }
    return store(server, session, number, value);
}

void Infos_Message(server_t *server, session_t *session, const ctl_infos_t *message) {
    bool is_changed = false;
    if ((session->state != SESSION_LOADING && session->state != SESSION_ACTIVE) ||
        !Chat_ChargeTexts(server, session, Q_MaxI(message->count, 1))) {
        return;
    }
    for (int32_t i = 0; i < message->count; i++) {
        is_changed |= apply(server, session, message->list[i].key, message->list[i].value);
    }
    if (is_changed) {
        Session_SendInfo(server, session);
    }
}

void Infos_AddInputs(server_t *server, const session_t *session) {
    for (int32_t number = 1; SV_InfoOf(server->config.game, number); number++) {
        const char *value = session->infos[number - 1];
        if (strcmp(value, SV_InfoOf(server->config.game, number)->def) == 0) {
            continue;
        }
        input_t *input = Inputs_Add(server->inputs, INPUT_INFO, session->slot);
        if (input) { // otherwise the world keeps the default
            input->value = number;
            snprintf(input->text, sizeof input->text, "%s", value);
        }
    }
}

void Infos_GameChanged(server_t *server, const game_export_t *before) {
    const game_export_t *game = server->config.game;
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        char now[CLIENT_INFOS][MAX_INFO_BYTES];
        session_t *session = &server->sessions[peer];
        SV_InfoDefaults(game, now);
        for (int32_t number = 1; SV_InfoOf(before, number); number++) {
            int32_t to = SV_InfoKey(game, SV_InfoOf(before, number)->key);
            if (to > 0) {
                memcpy(now[to - 1], session->infos[number - 1], MAX_INFO_BYTES);
            }
        }
        memcpy(session->infos, now, sizeof now);
        if (session->slot >= 0) {
            Session_SendInfo(server, session);
        }
    }
}

void Infos_AfterTick(server_t *server) {
    transport_t *net = server->config.net;
    const int32_t ping_ticks = PING_TICKS * (1 + server->num_clients / PING_CLIENTS);
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        session_t *session = &server->sessions[peer];
        if (session->slot < 0 || !session->joined) {
            continue;
        }
        const bool is_lost = session->state == SESSION_LOST; // has no connection to measure
        if (!is_lost &&
            (session->ping_ms < 0 || (server->world->tick + session->slot) % ping_ticks == 0)) {
            const int32_t now_ms = Q_ClampI(net->rtt_ms(net, peer), 0, MAX_PING_MS);
            const int32_t off_ms = now_ms - session->ping_ms;
            const bool is_near = (off_ms < 0 ? -off_ms : off_ms) <= 1 + now_ms / 16;
            session->ping_ms = session->ping_ms >= 0 && is_near ? session->ping_ms : now_ms;
        }
        const client_t *client = World_Client(server->world, session->slot);
        if (client->inuse && session->spectator != (client->spectator != 0) &&
            Bucket_Charge(&session->infos_empty_ms, server->now_ms, INFO_EVERY_MS,
                          (INFO_BURST - 1) * INFO_EVERY_MS)) {
            session->spectator = client->spectator != 0;
            Session_SendInfo(server, session);
        }
    }
}

void Infos_Write(const game_export_t *game, const session_t *session, ctl_infos_t *out) {
    out->count = 0;
    for (int32_t number = INFO_COLOUR; SV_InfoOf(game, number); number++) {
        const char *value = session->infos[number - 1];
        if (number != INFO_RATE && value[0] != '\0') {
            snprintf(out->list[out->count].key, CTL_INFO_KEY_BYTES, "%s",
                     SV_InfoOf(game, number)->key);
            snprintf(out->list[out->count++].value, MAX_INFO_BYTES, "%s", value);
        }
    }
}
