#include "lib/peer_fixture.h"

#include "proto/snapshot_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 5000

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test peer: %s\n", what);
        abort();
    }
}

static void hear(test_peer_t *peer, const net_event_t *event) {
    control_msg_t msg;
    err_t err;
    if (event->channel == NET_CHANNEL_SNAPSHOT) {
        peer->snapshots += event->size > SNAPSHOT_BUSY_BYTES;
        return;
    }
    must(CTL_Read(&msg, false, event->data, event->size, &err), err.text);
    peer->heard[msg.type]++;
    peer->last[msg.type] = msg;
    if (msg.type == CTL_PIECE && peer->on_piece) {
        peer->on_piece(peer, &msg.u.piece);
    }
}

static void listen(test_peer_t *peer) {
    net_event_t event;
    for (;;) {
        peer->transport->poll(peer->transport, peer->net->now_ms, &event);
        if (event.type == NET_NONE) {
            return;
        }
        if (event.type == NET_MESSAGE) {
            hear(peer, &event);
        } else if (event.type == NET_CONNECTED) {
            peer->connected = true;
        } else if (event.type == NET_LEFT) {
            peer->left = true;
            peer->reason = event.reason;
        }
    }
}

void TestPeer_Run(test_peer_t *peer, int32_t ms) {
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        TestNet_Step(peer->net);
        listen(peer);
    }
}

void TestPeer_Connect(test_peer_t *peer, test_net_t *net, int32_t number) {
    const netaddr_t own = {0x0a000900u + (uint32_t)number % 100, (uint16_t)(5000 + number / 100),
                           0};
    err_t err;
    *peer = (test_peer_t){.net = net, .transport = SimNet_Transport(net->sim, own, 1, false)};
    must(peer->transport != NULL, "no transport");
    peer->peer = peer->transport->connect(peer->transport, TestNet_ServerAddress(), &err);
    for (int32_t ms = 0; ms < PATIENCE_MS && !peer->connected; ms += TEST_NET_STEP_MS) {
        TestPeer_Run(peer, TEST_NET_STEP_MS);
    }
    must(peer->connected, "did not connect");
}

void TestPeer_Send(test_peer_t *peer, const control_msg_t *msg) {
    uint8_t data[MAX_MESSAGE_BYTES];
    size_t size = CTL_Write(msg, data);
    (void)peer->transport->send(peer->transport, peer->peer, NET_CHANNEL_CONTROL, true, data, size);
}

void TestPeer_Hello(test_peer_t *peer, const char *name) {
    control_msg_t msg = {.type = CTL_HELLO, .u.hello.version = PROTO_VERSION};
    snprintf(msg.u.hello.name, sizeof msg.u.hello.name, "%s", name);
    TestPeer_Send(peer, &msg);
}

void TestPeer_Ready(test_peer_t *peer, uint32_t epoch) {
    control_msg_t msg = {.type = CTL_READY};
    msg.u.ready.epoch = epoch ? epoch : peer->last[CTL_MAP].u.map.epoch;
    msg.u.ready.has_map = true;
    TestPeer_Send(peer, &msg);
}

void TestPeer_Text(test_peer_t *peer, control_type_t type, const char *text) {
    control_msg_t msg = {.type = type};
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "%s", text);
    TestPeer_Send(peer, &msg);
}

void TestPeer_Cmds(test_peer_t *peer, uint16_t first_seq, int32_t count, int64_t tick) {
    usercmd_packet_t packet = {
        .epoch = peer->last[CTL_MAP].u.map.epoch & 0xffu, .first_seq = first_seq, .count = count};
    for (int32_t i = 0; i < count; i++) {
        packet.cmds[i] = (usercmd_t){.tick = tick, .view_tick = tick, .msec = 16, .forward = 400};
    }
    uint8_t data[MAX_PACKET_BYTES];
    msg_writer_t msg = MSG_Writer(data, sizeof data);
    UserCmd_Write(&msg, &packet);
    (void)peer->transport->send(peer->transport, peer->peer, NET_CHANNEL_USERCMD, false, data,
                                MSG_Finish(&msg));
}

void TestPeer_Join(test_peer_t *peer, test_net_t *net, int32_t number, const char *name) {
    TestPeer_Connect(peer, net, number);
    TestPeer_Hello(peer, name);
    TestPeer_Run(peer, 100);
    TestPeer_Ready(peer, 0);
    for (int32_t ms = 0; ms < PATIENCE_MS && peer->snapshots == 0; ms += TEST_NET_STEP_MS) {
        TestPeer_Run(peer, TEST_NET_STEP_MS);
    }
    must(peer->snapshots > 0, "does not play");
}

void TestPeer_Free(test_peer_t *peer) {
    peer->transport->destroy(peer->transport);
}

void TestPeer_Serve(test_net_t *net, int32_t max_clients) {
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    const test_net_config_t config = {.seed = 1, .max_clients = max_clients, .map = &room};
    TestNet_Init(net, &config);
    TestNet_WriteMap(net, &(test_map_t){.room = room.room, .name = "second"}, "second");
}

void TestPeer_ServeTwo(test_net_t *net, test_peer_t *ann, test_peer_t *eve) {
    TestPeer_Serve(net, 4);
    TestPeer_Join(ann, net, 1, "ann");
    TestPeer_Join(eve, net, 0, "eve");
}

void TestPeer_EndTwo(test_net_t *net, test_peer_t *ann, test_peer_t *eve) {
    TestPeer_Free(eve);
    TestPeer_Free(ann);
    TestNet_Free(net);
}
