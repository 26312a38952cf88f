// fuzz_session.c - a hostile client, and three others, against the sessions of a whole server.
//
// Input:      steps of u8 kind, u8 peer, then by kind: nothing (connect, leave), u8 ticks, u8 size
//             and bytes of a raw message, or bytes for the fields of a well-formed one.
// Invariants: everything that is sent decodes; the world stays valid; no slot is left over.

#include "base/assert.h"
#include "core/server_local.h"
#include "lib/feed_fixture.h"
#include "proto/usercmd_codec.h"
#include "world/block.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_STEPS 400 // of one input
#define MAX_TICKS 200
#define GRACE_MS  100

typedef struct {
    const uint8_t *at, *end;
} bytes_t;

static uint8_t next(bytes_t *in) {
    return in->at < in->end ? *in->at++ : 0;
}

static void next_text(bytes_t *in, char *text, size_t size) {
    size_t length = next(in) % size;
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)next(in);
    }
    text[length] = '\0';
}

static void send_control(test_feed_t *feed, int32_t peer, const control_msg_t *msg) {
    uint8_t bytes[MAX_MESSAGE_BYTES];
    TestFeed_Message(feed, peer, NET_CHANNEL_CONTROL, bytes, CTL_Write(msg, bytes));
}

static void send_hello(test_feed_t *feed, int32_t peer, bytes_t *in) {
    control_msg_t msg = {.type = CTL_HELLO};
    uint8_t flags = next(in);
    msg.u.hello.version = flags & 2 ? next(in) : PROTO_VERSION;
    msg.u.hello.spectator = flags & 1;
    if ((flags & 4) && feed->server->num_sessions > 0) {
        int32_t of = next(in) % feed->server->num_sessions;
        msg.u.hello.rejoin = feed->server->sessions[of].rejoin;
    }
    next_text(in, msg.u.hello.name, sizeof msg.u.hello.name);
    send_control(feed, peer, &msg);
}

static void send_ready(test_feed_t *feed, int32_t peer, bytes_t *in) {
    control_msg_t msg = {.type = CTL_READY};
    uint8_t flags = next(in);
    msg.u.ready.epoch = feed->epoch + (flags & 2 ? 1 : 0);
    msg.u.ready.has_map = flags & 1;
    send_control(feed, peer, &msg);
}

static void send_text(test_feed_t *feed, int32_t peer, bytes_t *in) {
    static const char *const commands[] = {
        "",       "kill",   "give all", "spectate",          "join",
        "name x", "team 2", "vote",     "setpos 1e9 nan -5", "impulse 255"};
    control_msg_t msg = {.type = next(in) % 2 ? CTL_SAY : CTL_COMMAND};
    uint8_t which = next(in);
    if (which % 2) {
        strlcpy(msg.u.text.text, commands[which / 2 % COUNTOF(commands)], MAX_TEXT_BYTES);
    } else {
        next_text(in, msg.u.text.text, MAX_TEXT_BYTES);
    }
    send_control(feed, peer, &msg);
}

static void send_infos(test_feed_t *feed, int32_t peer, bytes_t *in) {
    static const char *const keys[] = {"name", "colour", "rate", "autoswitch", "skin", ""};
    control_msg_t msg = {.type = CTL_USERINFO};
    msg.u.userinfo.count = next(in) % (MAX_INFO_KEYS + 1);
    for (int32_t i = 0; i < msg.u.userinfo.count; i++) {
        strlcpy(msg.u.userinfo.list[i].key, keys[next(in) % COUNTOF(keys)], CTL_INFO_KEY_BYTES);
        next_text(in, msg.u.userinfo.list[i].value, MAX_INFO_BYTES);
    }
    send_control(feed, peer, &msg);
}

static int16_t next_speed(bytes_t *in) {
    return (int16_t)((next(in) - 128) * 63);
}

static void send_usercmds(test_feed_t *feed, int32_t peer, bytes_t *in) {
    uint8_t bytes[MAX_PACKET_BYTES];
    usercmd_packet_t packet = {.epoch = feed->epoch & 0xff};
    int64_t tick = Server_World(feed->server)->tick + next(in) - 16;
    packet.count = next(in) % MAX_CMDS_PACKET + 1;
    packet.first_seq = (uint16_t)(next(in) | next(in) << 8);
    packet.ack_tick = next(in) % 2 && tick > 0 ? Q_MaxI((int32_t)tick - next(in) % 64, 1) : 0;
    for (int32_t i = 0; i < packet.count; i++) {
        usercmd_t *cmd = &packet.cmds[i];
        cmd->tick = (tick > 0 ? tick : 0) + i / 2;
        cmd->view_tick = cmd->tick - (cmd->tick > 8 ? next(in) % 8 : 0);
        cmd->msec = (uint8_t)(next(in) % MAX_CMD_MSEC + 1);
        cmd->buttons = next(in);
        cmd->impulse = next(in);
        cmd->pitch = (uint16_t)(next(in) << 8);
        cmd->yaw = (uint16_t)(next(in) << 8);
        cmd->forward = next_speed(in);
        cmd->side = next_speed(in);
        cmd->up = next_speed(in);
    }
    msg_writer_t msg = MSG_Writer(bytes, sizeof bytes);
    UserCmd_Write(&msg, &packet);
    size_t size = MSG_Finish(&msg);
    uint8_t damage = next(in);
    if (damage % 4 == 0 && size > 0) {
        bytes[damage % size] ^= next(in);
    }
    TestFeed_Message(feed, peer, NET_CHANNEL_USERCMD, bytes, size);
}

// Sends a copy of exact size, so that ASan reports a read beyond its end.
static void send_raw(test_feed_t *feed, int32_t peer, bytes_t *in) {
    uint8_t channel = next(in) % 5;
    size_t size = next(in);
    size_t left = (size_t)(in->end - in->at);
    size = size < left ? size : left;
    uint8_t *copy = malloc(size > 0 ? size : 1);
    ASSERT(copy);
    memcpy(copy, in->at, size);
    in->at += size;
    TestFeed_Message(feed, peer, channel, copy, size);
    free(copy);
}

static void step(test_feed_t *feed, bytes_t *in, int32_t *ticks) {
    uint8_t kind = next(in) % 10;
    int32_t peer = next(in) % FEED_PEERS;
    switch (kind) {
    case 0:
        TestFeed_Connect(feed, peer);
        break;
    case 1:
        TestFeed_Leave(feed, peer, next(in) % NET_REASON_COUNT);
        break;
    case 2:
        send_raw(feed, peer, in);
        break;
    case 3:
        send_hello(feed, peer, in);
        break;
    case 4:
        send_ready(feed, peer, in);
        break;
    case 5:
        send_text(feed, peer, in);
        break;
    case 6:
        send_usercmds(feed, peer, in);
        break;
    case 7:
        if (next(in) % 8 == 0) {
            err_t err;
            bool good = Server_StartMap(feed->server, feed->map_path, &err);
            ASSERT(good);
        }
        break;
    case 9:
        send_infos(feed, peer, in);
        break;
    default:
        if (*ticks < MAX_TICKS) {
            int32_t count = next(in) % 16 + 1;
            *ticks += count;
            TestFeed_Tick(feed, count);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    test_feed_t feed;
    bytes_t in = {data, data + size};
    int32_t ticks = 0;
    TestFeed_Init(&feed);
    Server_SetGrace(feed.server, GRACE_MS);
    TestFeed_Connect(&feed, 0); // most inputs must get this far
    for (int32_t i = 0; i < MAX_STEPS && in.at < in.end; i++) {
        step(&feed, &in, &ticks);
    }
    Server_SetGrace(feed.server, 0); // nobody waits any more
    TestFeed_Tick(&feed, 1);
    const world_t *world = Server_World(feed.server);
    err_t err;
    bool good = World_Check(world, world->bytes, &err);
    ASSERT(good);
    TestFeed_Free(&feed);
    return 0;
}
