#include "miniserver_fixture.h"

#include "move/pmove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 100 // longest time without a usercmd

void MiniServer_SendRaw(mini_server_t *mini, int32_t peer, uint8_t channel, const void *data,
                        size_t size) {
    mini->net->send(mini->net, peer, channel, channel == NET_CHANNEL_CONTROL, data, size);
}

void MiniServer_Send(mini_server_t *mini, int32_t peer, const control_msg_t *msg) {
    uint8_t data[MAX_MESSAGE_BYTES];
    size_t size = CTL_Write(msg, data);
    MiniServer_SendRaw(mini, peer, NET_CHANNEL_CONTROL, data, size);
}

void MiniServer_Init(mini_server_t *mini, transport_t *net, const cmap_t *map) {
    memset(mini, 0, sizeof *mini);
    mini->net = net;
    mini->map = map;
    mini->tick = 1000;
    mini->info = (ctl_map_t){
        .epoch = 1, .hash = map->hash, .rate_mhz = MINI_RATE_MHZ, .vars = MoveVars_Default()};
    snprintf(mini->info.name, sizeof mini->info.name, "%s", map->name);
}

static void send_map(mini_server_t *mini, int32_t n) {
    mini_peer_t *peer = &mini->peers[n];
    control_msg_t msg = {.type = CTL_MAP};
    mini->info.tick = mini->tick;
    msg.u.map = mini->info;
    SnapshotRing_Reset(peer->ring, mini->info.epoch, mini->info.rate_mhz, NULL);
    peer->playing = false;
    peer->queued = 0;
    peer->next_seq = 0;
    peer->filled_ms = 0;
    MiniServer_Send(mini, n, &msg);
}

void MiniServer_SendMap(mini_server_t *mini) {
    mini->info.epoch++;
    for (int32_t n = 0; n < MINI_PEERS; n++) {
        if (mini->peers[n].ring) {
            send_map(mini, n);
        }
    }
}

static void welcome(mini_server_t *mini, int32_t n, const ctl_hello_t *hello) {
    mini_peer_t *peer = &mini->peers[n];
    control_msg_t msg = {.type = CTL_WELCOME};
    peer->hello = *hello;
    peer->ring = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
    if (!peer->ring) {
        abort();
    }
    msg.u.welcome = (ctl_welcome_t){.version = PROTO_VERSION, .slot = n, .max_clients = MINI_PEERS};
    snprintf(msg.u.welcome.server, sizeof msg.u.welcome.server, "mini");
    MiniServer_Send(mini, n, &msg);
    send_map(mini, n);
}

static void start_playing(mini_server_t *mini, mini_peer_t *peer, const ctl_ready_t *ready) {
    peer->ready = *ready;
    if (ready->epoch != mini->info.epoch) {
        return;
    }
    peer->playing = true;
    peer->cmd_tick = mini->tick;
    peer->ran_ms = 0;
    peer->starved_ms = 0;
    peer->player = (player_state_t){.origin = {0.0f, 0.0f, 25.0f},
                                    .mins = PM_PLAYER_MINS,
                                    .maxs = PM_PLAYER_MAXS,
                                    .movetype = MOVETYPE_WALK,
                                    .groundentity = -1,
                                    .watertype = CONTENTS_EMPTY,
                                    .health = 100};
}

static void control(mini_server_t *mini, int32_t n, const net_event_t *event) {
    mini_peer_t *peer = &mini->peers[n];
    control_msg_t msg;
    if (!CTL_Read(&msg, true, event->data, event->size, NULL)) {
        mini->bad_packets++;
        return;
    }
    peer->last = msg;
    if (msg.type == CTL_HELLO && mini->is_full) {
        msg = (control_msg_t){.type = CTL_REFUSED};
        msg.u.refused = (ctl_refused_t){.version = 10, .text = "the server is full"};
        MiniServer_Send(mini, n, &msg);
    } else if (msg.type == CTL_HELLO) {
        welcome(mini, n, &msg.u.hello);
    } else if (msg.type == CTL_READY) {
        start_playing(mini, peer, &msg.u.ready);
    }
}

static void queue_cmd(mini_peer_t *peer, const usercmd_t *cmd) {
    if (peer->cmds == 0 || peer->first_tick < 0) {
        peer->first_tick = cmd->tick;
    }
    peer->last_tick = cmd->tick;
    peer->newest = *cmd;
    peer->cmds++;
    peer->cmd_ms += cmd->msec;
    if (cmd->tick < peer->cmd_tick || peer->queued == MAX_CMD_QUEUE) {
        peer->late_cmds++;
        return;
    }
    peer->queue[peer->queued++] = *cmd;
}

static void usercmds(mini_server_t *mini, int32_t n, const net_event_t *event) {
    mini_peer_t *peer = &mini->peers[n];
    msg_reader_t in = MSG_Reader(event->data, event->size);
    usercmd_packet_t packet;
    if (!UserCmd_Read(&in, &packet, NULL)) {
        mini->bad_packets++;
        return;
    }
    if (!peer->playing || packet.epoch != (mini->info.epoch & 0xff)) {
        return;
    }
    peer->packets++;
    peer->no_acks += packet.ack_tick == 0 ? 1 : 0;
    SnapshotRing_Ack(peer->ring, packet.ack_tick);
    int32_t lost = 0;
    int32_t first = UserCmd_FirstNew(&packet, peer->next_seq, &lost);
    peer->lost_cmds += lost;
    for (int32_t i = first; i < packet.count; i++) {
        queue_cmd(peer, &packet.cmds[i]);
    }
    if (first < packet.count) {
        peer->next_seq = (uint16_t)(packet.first_seq + packet.count);
    }
}

static void transport_event(mini_server_t *mini, const net_event_t *event) {
    if (event->type == NET_OOB) {
        return;
    }
    mini_peer_t *peer = &mini->peers[event->peer];
    if (event->type == NET_CONNECTED) {
        peer->connected = true;
    } else if (event->type == NET_LEFT) {
        SnapshotRing_Destroy(peer->ring);
        peer->ring = NULL;
        peer->connected = peer->playing = false;
        peer->left = event->reason;
        peer->leaves++;
    } else if (event->channel == NET_CHANNEL_CONTROL) {
        control(mini, event->peer, event);
    } else if (event->channel == NET_CHANNEL_USERCMD) {
        usercmds(mini, event->peer, event);
    }
}

static trace_t trace_map(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    const mini_server_t *mini = context;
    trace_t trace = CM_BoxTrace(mini->map, &(cm_object_t){.model = 0}, start, end, mins, maxs);
    trace.entnum = trace.fraction < 1.0f || trace.startsolid ? 0 : TRACE_NOTHING;
    for (int32_t i = 0; i < mini->num_entities; i++) {
        const entity_state_t *state = &mini->entities[i];
        vec3_t origin = {(float)state->origin[0] / 16.0f, (float)state->origin[1] / 16.0f,
                         (float)state->origin[2] / 16.0f};
        bounds_t box = {VectorAdd(origin, Vector(-16.0f, -16.0f, -24.0f)),
                        VectorAdd(origin, Vector(16.0f, 16.0f, 32.0f))};
        trace_t next = CM_BoxBoxTrace(box, start, end, mins, maxs);
        if (next.fraction < trace.fraction) {
            trace = next;
            trace.entnum = state->number;
        }
    }
    return trace;
}

static contents_t map_contents(void *context, vec3_t point) {
    return CM_PointContents(((const mini_server_t *)context)->map, 0, point);
}

static void run_player(mini_server_t *mini, mini_peer_t *peer) {
    const pm_world_t world = {.context = mini, .trace = trace_map, .point_contents = map_contents};
    bool ran = false;
    while (peer->queued > 0 && peer->queue[0].tick <= mini->tick) {
        usercmd_t cmd = peer->queue[0];
        memmove(&peer->queue[0], &peer->queue[1], (size_t)(--peer->queued) * sizeof cmd);
        PM_RunCommand(&peer->player, &cmd, cmd.msec, &mini->info.vars, &world, NULL);
        peer->ran_ms = (cmd.tick == peer->cmd_tick ? peer->ran_ms : 0) + cmd.msec;
        peer->cmd_tick = cmd.tick;
        ran = true;
    }
    peer->starved_ms = ran ? 0 : peer->starved_ms + MINI_TICK_MS;
    if (peer->starved_ms >= TIMEOUT_MS) {
        peer->filled_ms += MINI_TICK_MS; // the time passes without the player
        peer->cmd_tick = mini->tick + 1;
        peer->ran_ms = 0;
    }
}

static void send_snapshot(mini_server_t *mini, int32_t n) {
    mini_peer_t *peer = &mini->peers[n];
    const entity_state_t *order[MINI_ENTITIES];
    uint8_t data[MAX_PACKET_BYTES];
    snapshot_t now = {.tick = mini->tick,
                      .cmd_tick = peer->cmd_tick,
                      .cmd_ran_ms = peer->ran_ms,
                      .filled_ms = peer->filled_ms,
                      .dropped_cmds = (uint32_t)peer->late_cmds,
                      .player = peer->player};
    for (int32_t i = 0; i < peer->queued; i++) {
        now.cmd_queued_ms += peer->queue[i].msec;
    }
    for (int32_t i = 0; i < mini->num_entities; i++) {
        order[i] = &mini->entities[i];
    }
    size_t budget = mini->snapshot_bytes_max ? (size_t)mini->snapshot_bytes_max : sizeof data;
    msg_writer_t out = MSG_Writer(data, budget);
    const snapshot_parts_t parts = {
        .now = &now, .entities = order, .num_entities = mini->num_entities};
    Snapshot_Write(&out, peer->ring, &parts, &mini->stats);
    mini->snapshots++;
    MiniServer_SendRaw(mini, n, NET_CHANNEL_SNAPSHOT, data, MSG_Finish(&out));
}

void MiniServer_Frame(mini_server_t *mini, int64_t now_ms) {
    net_event_t event;
    for (;;) {
        mini->net->poll(mini->net, now_ms, &event);
        if (event.type == NET_NONE) {
            break;
        }
        transport_event(mini, &event);
    }
    if (now_ms < mini->next_tick_ms) {
        return;
    }
    mini->next_tick_ms = now_ms + MINI_TICK_MS;
    for (int32_t n = 0; n < MINI_PEERS; n++) {
        if (mini->peers[n].playing) {
            run_player(mini, &mini->peers[n]);
        }
    }
    mini->tick++;
    bool is_turn = mini->snapshot_ticks == 0 || mini->tick % mini->snapshot_ticks == 0;
    for (int32_t n = 0; n < MINI_PEERS; n++) {
        if (mini->peers[n].playing && !mini->says_nothing && is_turn) {
            send_snapshot(mini, n);
        }
    }
    mini->net->flush(mini->net);
}

void MiniServer_Free(mini_server_t *mini) {
    for (int32_t n = 0; n < MINI_PEERS; n++) {
        SnapshotRing_Destroy(mini->peers[n].ring);
    }
}
