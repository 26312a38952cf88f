/// core/idle.c - removes a bot or an idle player if another player needs the slot.
//
// A player is idle without text messages and without changes of view, movement and buttons.

#include "core/server_local.h"

#include <stdio.h>

static bool is_same_input(const usercmd_t *a, const usercmd_t *b) {
    return a->pitch == b->pitch && a->yaw == b->yaw && a->forward == b->forward &&
           a->side == b->side && a->up == b->up && a->buttons == b->buttons &&
           a->impulse == b->impulse;
}

void Idle_NoteAction(const server_t *server, session_t *session) {
    session->active_ms = server->now_ms;
    session->has_acted = true;
}

void Idle_NoteCmd(const server_t *server, session_t *session, const usercmd_t *cmd) {
    if (!is_same_input(cmd, &session->last_cmd)) {
        Idle_NoteAction(server, session);
    }
    session->last_cmd = *cmd;
}

// Returns true if a player from an address has joined and done nothing since.
static bool has_passive_player(const server_t *server, uint32_t host) {
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        int32_t peer = server->peer_of_slot[slot];
        if (peer >= 0 && server->sessions[peer].address.host == host &&
            !server->sessions[peer].has_acted) {
            return true;
        }
    }
    return false;
}

// Drops the bot that joined last. Returns its slot, or -1 without bots.
static int32_t free_bot_slot(server_t *server) {
    int32_t newest = -1;
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        int32_t peer = server->peer_of_slot[slot];
        if (peer >= 0 && server->sessions[peer].is_bot &&
            (newest < 0 || server->sessions[peer].connected_ms >=
                               server->sessions[server->peer_of_slot[newest]].connected_ms)) {
            newest = slot;
        }
    }
    if (newest >= 0) {
        Session_Drop(server, server->peer_of_slot[newest], NET_REASON_IDLE,
                     "a person needs the slot");
    }
    return newest;
}

int32_t Idle_FreeSlot(server_t *server, uint32_t host) {
    int32_t slot_of_bot = free_bot_slot(server);
    if (slot_of_bot >= 0) {
        return slot_of_bot;
    }
    if (!Net_IsExempt(server->config.exempt, host) && has_passive_player(server, host)) {
        return -1;
    }
    int64_t oldest_ms = server->now_ms - (int64_t)server->config.idle_s * 1000;
    int32_t longest = -1;
    for (int32_t slot = 0; slot < server->config.max_clients && server->config.idle_s > 0; slot++) {
        int32_t peer = server->peer_of_slot[slot];
        if (peer >= 0 && server->sessions[peer].active_ms <= oldest_ms) {
            oldest_ms = server->sessions[peer].active_ms;
            longest = slot;
        }
    }
    if (longest >= 0) {
        char text[MAX_TEXT_BYTES];
        snprintf(text, sizeof text, "idle for %lld s, and another player needs the slot",
                 (long long)((server->now_ms - oldest_ms) / 1000));
        server->stats.idle_removed++;
        Session_Drop(server, server->peer_of_slot[longest], NET_REASON_IDLE, text);
    }
    return longest;
}
