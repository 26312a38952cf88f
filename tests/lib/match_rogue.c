// match_rogue.c - lies of clients, and what the server must have refused after each drain.

#include "client/cl_local.h"
#include "core/server_local.h"
#include "lib/match_run.h"

#include <string.h>

#define STALE_IMPULSE 251 // only commands of a wrong epoch have it
#define LIE_MS        90  // between two lies of a rogue, of each kind

// ---- lies ----

static void send_stale_cmd(match_t *match, cl_t *cl) {
    if (cl->cmds.made == cl->cmds.first) {
        return;
    }
    usercmd_packet_t packet = {.epoch = cl->map.epoch - 1,
                               .ack_tick = SnapshotRing_Newest(cl->ring),
                               .first_seq = (uint16_t)cl->cmds.made,
                               .count = 1};
    packet.cmds[0] = Client_Cmd(cl, cl->cmds.made - 1)->cmd;
    packet.cmds[0].impulse = STALE_IMPULSE;
    uint8_t data[MAX_PACKET_BYTES];
    msg_writer_t msg = MSG_Writer(data, sizeof data);
    UserCmd_Write(&msg, &packet);
    const size_t size = MSG_Finish(&msg);
    if (size > 0) {
        cl->config.net->send(cl->config.net, cl->peer, NET_CHANNEL_USERCMD, false, data, size);
        match->house->counts.lies++;
    }
}

// Names the map that the client plays: stale if the server has started another one meanwhile.
static void send_old_ready(match_t *match, cl_t *cl) {
    control_msg_t ready = {.type = CTL_READY};
    ready.u.ready.epoch = cl->map.epoch;
    ready.u.ready.has_map = cl->cmap != NULL;
    match->house->counts.lies += Client_Send(cl, &ready) ? 1 : 0;
}

void Match_Lie(match_t *match, int32_t n) {
    match_client_t *client = &match->clients[n];
    cl_t *cl = client->cl;
    if ((match->plan->seed + (uint64_t)n) % 3 != 0 || CL_State(cl) != CL_ACTIVE ||
        match->is_healed || match->now_ms < client->next_lie_ms) {
        return;
    }
    client->next_lie_ms = match->now_ms + LIE_MS;
    send_stale_cmd(match, cl);
    send_old_ready(match, cl);
    // The next commands claim to show a snapshot of the future.
    cl->view.cmd_tick = SnapshotRing_Newest(cl->ring);
    cl->view.cmd_frac = 0;
    cl->view.cmd_span = UserCmd_Span(0, 15);
}

// ---- what the server must have refused ----

static void check_inputs(match_t *match) {
    const inputs_t *inputs = match->server->inputs;
    for (int32_t i = 0; i < inputs->count; i++) {
        const input_t *input = &inputs->list[i];
        const usercmd_t *cmd = &input->cmd;
        if (input->type != INPUT_USERCMD) {
            continue;
        }
        if (cmd->impulse == STALE_IMPULSE) {
            Match_Fault(match, "slot %d: the server takes a usercmd of another epoch",
                        input->client);
        }
        const int64_t from = cmd->view_tick - (cmd->view_span & 15);
        const int64_t to = from + (cmd->view_span >> 4);
        if (cmd->view_span >> 4 != 0 && to > match->server->world->tick) {
            Match_Fault(match, "slot %d: the server takes a view of tick %lld in tick %lld",
                        input->client, (long long)to, (long long)match->server->world->tick);
        }
    }
}

static bool was_in(const queued_event_t *event, int64_t tick) {
    const int64_t bit = tick - event->first_tick;
    return event->first_tick > 0 && bit >= 0 && bit < 64 && (event->snapshots >> bit & 1) != 0;
}

static void check_queue(match_t *match, const session_t *session) {
    const event_queue_t *queue = &match->server->event_queues[session->slot];
    const int64_t base = SnapshotRing_Base(session->ring);
    for (int32_t i = 0; i < queue->count && base > 0; i++) {
        if (was_in(&queue->list[(queue->first + i) % MAX_QUEUED_EVENTS], base)) {
            Match_Fault(match, "slot %d: an event of the acknowledged tick %lld still waits",
                        session->slot, (long long)base);
        }
    }
}

// Each key lets a client return once: afterwards no session may be found by it.
static void check_keys(match_t *match, match_client_t *client, int32_t peer) {
    const rejoin_key_t *key = &client->cl->back.key;
    const bool has_old = memcmp(&client->old_key, &(rejoin_key_t){{0}}, sizeof *key) != 0;
    if (has_old && Rejoin_Find(match->server, peer, &client->old_key) >= 0) {
        Match_Fault(match, "slot %d: a rejoin key is good for a second client",
                    CL_Slot(client->cl));
    }
    match->house->counts.old_keys += has_old ? 1 : 0;
}

void Match_CheckSessions(match_t *match) {
    const server_t *server = match->server;
    check_inputs(match);
    for (int32_t n = 0; n < match->plan->num_clients; n++) {
        match_client_t *client = &match->clients[n];
        const session_t *session = client->cl ? Match_Session(match, client) : NULL;
        if (!session || session->state != SESSION_ACTIVE) {
            continue;
        }
        const cl_t *cl = client->cl;
        if (cl->has_map_info && cl->map.epoch != server->epoch && CL_State(cl) == CL_ACTIVE) {
            Match_Fault(match, "client %d is active in epoch %u, but never was ready for it", n,
                        server->epoch);
        }
        check_queue(match, session);
        if (CL_State(cl) == CL_ACTIVE) {
            check_keys(match, client, (int32_t)(session - server->sessions));
        }
    }
}

void Match_CheckEvents(match_t *match, int32_t n, int32_t slot, int64_t tick) {
    const event_queue_t *queue = &match->server->event_queues[slot];
    const event_window_t *window = &match->clients[n].cl->received_events;
    for (int32_t i = 0; i < queue->count; i++) {
        const queued_event_t *event = &queue->list[(queue->first + i) % MAX_QUEUED_EVENTS];
        const int32_t at = event->seq % EVENT_WINDOW;
        if (was_in(event, tick) && (window->seen[at / 64] >> (at % 64) & 1) == 0) {
            Match_Fault(match, "client %d did not take event %d of tick %lld", n, event->seq,
                        (long long)tick);
        }
    }
}
