/// core/chat.c - limits texts of players: rates, mutes, and lines that others see.
//
// Errors:  ignores and counts a text above a rate, and reports it to the sender once per burst.

#include "base/str.h"
#include "core/delay.h"

#include <stdio.h>
#include <string.h>

#define TEXT_BURST    20   // maximum texts of any kind at once
#define TEXT_EVERY_MS 100  // minimum interval of further texts
#define LINE_BURST    4    // maximum lines at once that others see
#define LINE_EVERY_MS 1500 // minimum interval of further lines; people type short lines this fast
#define LINE_BYTE_MS  25   // minimum interval per byte of a longer line: 40 bytes per second
#define HINT_EVERY_MS 5000 // minimum interval between two refusals sent to a client

void Chat_Refuse(server_t *server, session_t *session, const char *why) {
    control_msg_t msg = {.type = CTL_PRINT};
    if (Log_BurstAllows(&session->refusals, server->now_ms, HINT_EVERY_MS)) {
        snprintf(msg.u.text.text, sizeof msg.u.text.text, "%s", why);
        Session_Send(server, server->peer_of_slot[session->slot], &msg);
    }
}

static bool is_muted(server_t *server, session_t *session) {
    char text[MAX_TEXT_BYTES] = "not sent: you are muted until the map changes";
    if (session->muted_until_ms <= server->now_ms) {
        return false;
    }
    if (session->muted_until_ms != MUTED_THIS_MAP) {
        snprintf(text, sizeof text, "not sent: you are muted for %lld more seconds",
                 (long long)(session->muted_until_ms - server->now_ms + 999) / 1000);
    }
    server->stats.muted_lines++;
    Chat_Refuse(server, session, text);
    return true;
}

bool Chat_ChargeLine(server_t *server, session_t *session, const char *text) {
    int64_t typing_ms = (int64_t)strlen(text) * LINE_BYTE_MS;
    if (is_muted(server, session)) {
        return false;
    }
    if (Bucket_Charge(&session->chat_empty_ms, server->now_ms,
                      typing_ms > LINE_EVERY_MS ? typing_ms : LINE_EVERY_MS,
                      (LINE_BURST - 1) * LINE_EVERY_MS)) {
        return true;
    }
    Session_NoteFlood(server, session, "chat lines");
    Chat_Refuse(server, session, "not sent: you write too fast; wait a few seconds");
    return false;
}

bool Chat_ChargeTexts(server_t *server, session_t *session, int32_t count) {
    Idle_NoteAction(server, session);
    if (Bucket_Charge(&session->texts_empty_ms, server->now_ms, count * TEXT_EVERY_MS,
                      (TEXT_BURST - count) * TEXT_EVERY_MS)) {
        return true;
    }
    Session_NoteFlood(server, session, "texts");
    return false;
}

void Chat_Text(server_t *server, session_t *session, input_type_t type, const ctl_text_t *text) {
    char line[MAX_TEXT_BYTES];
    bool is_chat = type == INPUT_CHAT;
    if (session->state != SESSION_ACTIVE) {
        server->stats.stale_packets++;
        return;
    }
    if (!Chat_ChargeTexts(server, session, 1)) {
        return;
    }
    snprintf(line, sizeof line, "%s", text->text);
    if (is_chat) {
        Str_Clean(line);
    }
    if (is_chat && (line[0] == '\0' || !Chat_ChargeLine(server, session, line))) {
        return;
    }
    if (!is_chat && Delay_Follow(server, session, line)) {
        return;
    }
    input_t *input = Inputs_Add(server->inputs, type, session->slot);
    if (input) {
        input->value = is_chat ? text->team : server->delay != NULL; // see SV_RunFollow
        snprintf(input->text, sizeof input->text, "%s", line);
        if (is_chat) {
            MatchLog_Chat(server, session, line, text->team);
        }
    }
}

// ---- mutes ----

void Chat_Join(server_t *server, session_t *session) {
    const address_t *address = Addresses_Get(&server->addresses, session->address.host);
    session->muted_until_ms = address->muted_until_ms;
    session->chat_empty_ms = address->chat_empty_ms;
}

void Chat_Leave(server_t *server, const session_t *session) {
    address_t *address = Addresses_Get(&server->addresses, session->address.host);
    if (address->chat_empty_ms < session->chat_empty_ms) {
        address->chat_empty_ms = session->chat_empty_ms;
    }
}

void Chat_MapChanged(server_t *server) {
    Addresses_MapChanged(&server->addresses);
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        int64_t *until_ms = &server->sessions[peer].muted_until_ms;
        *until_ms = *until_ms == MUTED_THIS_MAP ? 0 : *until_ms;
    }
}

bool Server_Mute(server_t *server, int32_t slot, uint32_t host, int64_t for_ms) {
    int64_t until_ms = for_ms == MUTE_THIS_MAP ? MUTED_THIS_MAP
                       : for_ms > 0            ? server->now_ms + for_ms
                                               : 0;
    bool is_shared = slot >= 0 && Net_IsExempt(server->config.exempt, host);
    if (!is_shared && !Addresses_Mute(&server->addresses, host, until_ms, server->now_ms)) {
        return false;
    }
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        session_t *session = &server->sessions[peer];
        if (slot >= 0 ? session->slot == slot : session->address.host == host) {
            session->muted_until_ms = until_ms;
        }
    }
    return true;
}

void Server_PrintMutes(const server_t *server, void (*print)(void *context, const char *line),
                       void *context) {
    for (int32_t i = 0; i < MAX_ADDRESSES; i++) {
        const address_t *address = &server->addresses.list[i];
        int64_t left_ms = address->muted_until_ms - server->now_ms;
        char host[NET_RANGE_BYTES], line[80];
        Net_FormatRange((netrange_t){address->host, 32}, host);
        if (address->muted_until_ms == MUTED_THIS_MAP) {
            snprintf(line, sizeof line, "muted %s until the map changes", host);
        } else {
            snprintf(line, sizeof line, "muted %s for %lld more s", host,
                     (long long)(left_ms + 999) / 1000);
        }
        if (left_ms > 0) {
            print(context, line);
        }
    }
}
