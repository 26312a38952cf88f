#include "bot/load_client.h"

#include "math/angles.h"
#include "proto/control.h"
#include "proto/snapshot_codec.h"

#include <stdio.h>
#include <string.h>

#define RING_SNAPSHOTS 32 // possible baselines: half a second of snapshots at 62.5 Hz
#define COUNT_EVERY    8  // snapshots whose entities are counted, one of so many
#define SPEED          320
#define PLAY_CMDS      16 // a player does the same for 16 to 63 commands

// Ends the session. `text`: the reason; an error is a message that does not decode.
static void lose(load_client_t *client, bool is_error, const char *text) {
    LoadStats_Note(client->stats, text);
    client->stats->errors += is_error;
    client->stats->left += 1;
    client->state = LOAD_GONE;
    client->net->drop(client->net, client->peer, is_error ? NET_REASON_BAD_DATA : NET_REASON_LEFT);
}

static void send_control(load_client_t *client, const control_msg_t *msg) {
    uint8_t data[MAX_MESSAGE_BYTES];
    size_t size = CTL_Write(msg, data);
    client->net->send(client->net, client->peer, NET_CHANNEL_CONTROL, true, data, size);
}

static void say_hello(load_client_t *client) {
    control_msg_t msg = {.type = CTL_HELLO};
    msg.u.hello.version = PROTO_VERSION;
    snprintf(msg.u.hello.name, sizeof msg.u.hello.name, "load%d", client->index);
    if (client->password) {
        strlcpy(msg.u.hello.password, client->password, sizeof msg.u.hello.password);
    }
    client->state = LOAD_JOINING;
    send_control(client, &msg);
}

static void new_map(load_client_t *client, const ctl_map_t *map) {
    control_msg_t ready = {.type = CTL_READY};
    if (!client->ring) {
        client->ring = SnapshotRing_Create(RING_SNAPSHOTS, NULL);
    }
    if (!client->ring) {
        lose(client, false, "out of memory for the snapshots");
        return;
    }
    client->schema = client->next_schema;
    memset(&client->next_schema, 0, sizeof client->next_schema);
    client->epoch = map->epoch;
    client->first = client->made = 0;
    client->wants_full = false;
    client->heard_ns = client->newest = 0;
    SnapshotRing_Reset(client->ring, map->epoch, map->rate_mhz, &client->schema);
    Clock_Reset(&client->clock, map->rate_mhz, 0);
    ready.u.ready.epoch = map->epoch;
    send_control(client, &ready);
}

static void control_message(load_client_t *client, const net_event_t *event) {
    control_msg_t msg;
    err_t err;
    if (!CTL_Read(&msg, false, event->data, event->size, &err)) {
        lose(client, true, err.text);
    } else if (msg.type == CTL_FIELDS) {
        client->next_schema = msg.u.fields;
    } else if (msg.type == CTL_MAP) {
        new_map(client, &msg.u.map);
    } else if (msg.type == CTL_REFUSED) {
        lose(client, false, msg.u.refused.text);
    } else if (msg.type == CTL_GOODBYE) {
        lose(client, false, msg.u.text.text);
    }
}

static void new_snapshot(load_client_t *client, const net_event_t *event, int64_t now_ns) {
    const entity_state_t *entities[MAX_SNAPSHOT_ENTS];
    load_stats_t *stats = client->stats;
    int64_t tick = SnapshotRing_Newest(client->ring);
    const snapshot_t *snapshot = SnapshotRing_Find(client->ring, tick);
    client->snapshots++;
    stats->snapshots++;
    stats->snapshot_bytes += event->size;
    client->newest = tick;
    if (client->snapshots % COUNT_EVERY == 0) {
        stats->counted++;
        stats->entities += (uint64_t)SnapshotRing_Entities(client->ring, tick, entities, NULL);
    }
    if (client->heard_ns > 0) {
        LoadTimes_Add(&stats->intervals, now_ns - client->heard_ns);
    }
    client->heard_ns = now_ns;
    client->state = LOAD_ACTIVE;
    client->wants_full = false;
    int32_t rtt_ms = client->net->rtt_ms(client->net, client->peer);
    if (Clock_Snapshot(&client->clock, snapshot, now_ns / 1000000, rtt_ms)) {
        client->first = client->made;
    }
    while (client->first != client->made &&
           client->cmds[client->first % LOAD_CMDS].tick < snapshot->cmd_tick) {
        client->first++;
    }
}

static void snapshot_message(load_client_t *client, const net_event_t *event, int64_t now_ns) {
    err_t err;
    msg_reader_t msg = MSG_Reader(event->data, event->size);
    if (event->size == SNAPSHOT_BUSY_BYTES || !client->ring) {
        return;
    }
    snapshot_result_t result = Snapshot_Read(&msg, client->ring, &err);
    if (result == SNAPSHOT_OK) {
        new_snapshot(client, event, now_ns);
    } else if (result == SNAPSHOT_BAD) {
        lose(client, true, err.text);
    } else {
        client->stats->stale++;
        client->wants_full = client->wants_full || result == SNAPSHOT_NO_BASE;
    }
}

void LoadClient_Event(load_client_t *client, const net_event_t *event, int64_t now_ns) {
    if (client->state == LOAD_GONE || client->state == LOAD_WAITING) {
        return; // an event after the client's end
    }
    if (event->type == NET_CONNECTED) {
        say_hello(client);
    } else if (event->type == NET_LEFT) {
        LoadStats_Note(client->stats, Net_ReasonText(event->reason));
        client->stats->left += 1;
        client->state = LOAD_GONE;
    } else if (event->type == NET_MESSAGE && event->channel == NET_CHANNEL_SNAPSHOT) {
        snapshot_message(client, event, now_ns);
    } else if (event->type == NET_MESSAGE) {
        control_message(client, event);
    }
}

// Chooses what the player does next.
static void play(load_client_t *client) {
    load_play_t *play = &client->play;
    rng_t *rng = &client->rng;
    play->cmds_left = PLAY_CMDS + (int32_t)Rng_Below(rng, 3 * PLAY_CMDS);
    play->turn = Rng_Range(rng, -3.0f, 3.0f);
    play->forward = Rng_Below(rng, 8) > 0 ? SPEED : -SPEED;
    play->side = (int16_t)((int32_t)Rng_Below(rng, 3) * SPEED - SPEED);
    play->buttons = (uint8_t)((Rng_Below(rng, 5) < 2 ? BUTTON_ATTACK : 0) |
                              (Rng_Below(rng, 3) < 1 ? BUTTON_JUMP : 0));
}

static void make_cmd(load_client_t *client) {
    load_play_t *now = &client->play;
    if (now->cmds_left-- <= 0) {
        play(client);
    }
    // A jump, and the respawn of a dead player, need a new press of the button.
    uint8_t buttons = client->made % 16 < 12 ? now->buttons : 0;
    uint8_t msec = 0;
    int64_t tick = Clock_NextTick(&client->clock, &msec);
    int64_t newest = client->newest;
    now->yaw = AngleMod(now->yaw + now->turn);
    client->cmds[client->made++ % LOAD_CMDS] =
        (usercmd_t){.tick = tick,
                    .view_tick = newest < tick ? newest : tick,
                    .msec = msec,
                    .buttons = buttons,
                    .yaw = AngleToShort(now->yaw),
                    .forward = now->forward,
                    .side = now->side};
    if (client->made - client->first > LOAD_CMDS) {
        client->first = client->made - LOAD_CMDS;
    }
}

static void send_packet(load_client_t *client) {
    usercmd_packet_t packet = {.epoch = client->epoch,
                               .first_seq = (uint16_t)client->first,
                               .count = (int32_t)(client->made - client->first)};
    packet.ack_tick = client->wants_full ? 0 : client->newest;
    for (int32_t i = 0; i < packet.count; i++) {
        packet.cmds[i] = client->cmds[(client->first + (uint32_t)i) % LOAD_CMDS];
    }
    uint8_t data[MAX_PACKET_BYTES];
    msg_writer_t msg = MSG_Writer(data, sizeof data);
    UserCmd_Write(&msg, &packet);
    client->net->send(client->net, client->peer, NET_CHANNEL_USERCMD, false, data,
                      MSG_Finish(&msg));
    client->stats->cmds++;
}

void LoadClient_SendCmds(load_client_t *client, int64_t now_ms) {
    int32_t skipped = 0;
    if (client->state != LOAD_ACTIVE) {
        return;
    }
    int32_t due = Q_MinI(Clock_Due(&client->clock, now_ms, &skipped), LOAD_CMDS);
    if (skipped > 0) {
        client->first = client->made; // commands of a packet have no gaps in their ticks
    }
    for (int32_t i = 0; i < due; i++) {
        make_cmd(client);
    }
    if (due > 0) {
        send_packet(client);
    }
}
