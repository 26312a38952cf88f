#include "lib/feed_fixture.h"

#include "base/assert.h"
#include "game/game.h"
#include "lib/map_fixture.h"
#include "world/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char entities[] =
    "{ \"classname\" \"worldspawn\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-100 0 40\" }\n"
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"100 0 40\" }\n"
    "{ \"classname\" \"func_door\" \"model\" \"*1\" \"angle\" \"90\" }\n"
    "{ \"classname\" \"trigger_hurt\" \"model\" \"*2\" \"dmg\" \"10\" }\n";

// ---- the transport ----

static test_feed_t *from_base(transport_t *net) {
    return (test_feed_t *)net;
}

static void feed_poll(transport_t *net, int64_t now_ms, net_event_t *event) {
    test_feed_t *feed = from_base(net);
    (void)now_ms;
    *event = feed->next;
    feed->next = (net_event_t){.type = NET_NONE, .peer = -1};
    for (int32_t i = 0; i < FEED_PEERS && event->type == NET_NONE; i++) {
        if (feed->dropped[i]) {
            feed->connected[i] = feed->dropped[i] = false;
            *event = (net_event_t){.type = NET_LEFT, .peer = i, .reason = feed->reasons[i]};
        }
    }
}

static bool feed_send(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                      const void *data, size_t size) {
    test_feed_t *feed = from_base(net);
    err_t err;
    ASSERT(peer >= 0 && peer < FEED_PEERS);
    ASSERT(reliable == (channel == NET_CHANNEL_CONTROL));
    if (!feed->connected[peer] || feed->dropped[peer]) {
        return false;
    }
    if (channel == NET_CHANNEL_CONTROL) {
        control_msg_t msg;
        bool good = CTL_Read(&msg, false, data, size, &err);
        ASSERT(good);
        feed->epoch = msg.type == CTL_MAP ? msg.u.map.epoch : feed->epoch;
        feed->messages++;
    } else {
        ASSERT(channel == NET_CHANNEL_SNAPSHOT && size > 0 && size <= MAX_PACKET_BYTES);
        feed->snapshots++;
    }
    return true;
}

static bool feed_send_oob(transport_t *net, netaddr_t to, const void *data, size_t size) {
    (void)net;
    (void)to;
    (void)data;
    return size > 0;
}

static void feed_drop(transport_t *net, int32_t peer, net_reason_t reason) {
    test_feed_t *feed = from_base(net);
    ASSERT(peer >= 0 && peer < FEED_PEERS && reason < NET_REASON_COUNT);
    if (feed->connected[peer] && !feed->dropped[peer]) {
        feed->dropped[peer] = true;
        feed->reasons[peer] = reason;
    }
}

static void feed_flush(transport_t *net) {
    (void)net;
}

static netaddr_t feed_address(transport_t *net, int32_t peer) {
    (void)net;
    return (netaddr_t){.host = 0x7f320001u + (uint32_t)peer, .port = 4000};
}

static int32_t feed_rtt_ms(transport_t *net, int32_t peer) {
    (void)net;
    return peer;
}

static bool feed_is_sealed(transport_t *net, int32_t peer) {
    (void)net;
    (void)peer;
    return false;
}

static const uint8_t *feed_server_key(transport_t *net) {
    (void)net;
    return NULL;
}

static int64_t feed_half_open_ms(transport_t *net, int32_t peer, netaddr_t *from) {
    (void)net, (void)peer, (void)from;
    return -1;
}

static int64_t feed_silence_ms(transport_t *net, int32_t peer) {
    (void)net;
    return peer;
}

static void feed_admit(transport_t *net, int32_t peer, int32_t silence_ms) {
    test_feed_t *feed = from_base(net);
    ASSERT(feed->connected[peer] && (silence_ms == NET_BUSY_MS || silence_ms == NET_TIMEOUT_MS));
}

static const char *feed_drops(transport_t *net, int32_t i, uint64_t *count) {
    (void)net;
    *count = 1;
    return i == 0 ? "a reason" : NULL;
}

static int feed_descriptor(transport_t *net) {
    (void)net;
    return -1;
}

static net_counters_t feed_counters(transport_t *net) {
    (void)net;
    return (net_counters_t){0};
}

// ---- the server ----

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test feed: %s\n", what);
        abort();
    }
}

static void write_map(test_feed_t *feed) {
    const test_block_t blocks[] = {
        {.box = {{-200.0f, 100.0f, 0.0f}, {-100.0f, 120.0f, 100.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
        {.box = {{100.0f, 100.0f, 0.0f}, {200.0f, 200.0f, 50.0f}},
         .contents = CONTENTS_SOLID,
         .model = 2},
        {.box = {{-300.0f, -300.0f, 0.0f}, {300.0f, -200.0f, 80.0f}}, .contents = CONTENTS_WATER},
    };
    const test_map_t room = {.room = {{-300.0f, -300.0f, 0.0f}, {300.0f, 300.0f, 300.0f}},
                             .blocks = blocks,
                             .num_blocks = (int32_t)COUNTOF(blocks),
                             .entities = entities};
    feed->map_file = TestMap_File(&room, feed->map_path);
}

static const transport_more_t more_functions = {
    .send_oob = feed_send_oob,
    .address = feed_address,
    .half_open_ms = feed_half_open_ms,
    .admit = feed_admit,
    .counters = feed_counters,
    .drops = feed_drops,
};

void TestFeed_Init(test_feed_t *feed) {
    err_t err = {{0}};
    int32_t count = 0;
    *feed = (test_feed_t){.base = {.poll = feed_poll,
                                   .send = feed_send,
                                   .drop = feed_drop,
                                   .flush = feed_flush,
                                   .rtt_ms = feed_rtt_ms,
                                   .silence_ms = feed_silence_ms,
                                   .is_sealed = feed_is_sealed,
                                   .server_key = feed_server_key,
                                   .descriptor = feed_descriptor,
                                   .more = &more_functions},
                          .next = {.peer = -1},
                          .now_ms = 1000};
    write_map(feed);
    server_config_t config = {.game = Game_Export(),
                              .net = &feed->base,
                              .log = &feed->log,
                              .max_clients = FEED_CLIENTS,
                              .max_edicts = 64,
                              .snapshot_ticks = 1,
                              .cull_los = true,
                              .seed = 1,
                              .hostname = "feed",
                              .map_path = "."};
    const cvar_def_t *defs = GameCvars_Defs(&count);
    Cvar_Reset(defs, count, &config.cvars);
    feed->server = Server_Create(&config, &err);
    must(feed->server && Server_StartMap(feed->server, feed->map_path, &err), err.text);
}

/// Hands one event to the server.
static void deliver(test_feed_t *feed, net_event_t event) {
    feed->next = event;
    Server_Drain(feed->server, feed->now_ms);
}

void TestFeed_Connect(test_feed_t *feed, int32_t peer) {
    if (!feed->connected[peer]) {
        feed->connected[peer] = true;
        deliver(feed, (net_event_t){.type = NET_CONNECTED,
                                    .peer = peer,
                                    .from = feed_address(&feed->base, peer)});
    }
}

void TestFeed_Message(test_feed_t *feed, int32_t peer, uint8_t channel, const void *data,
                      size_t size) {
    if (feed->connected[peer] && !feed->dropped[peer]) {
        deliver(feed, (net_event_t){.type = NET_MESSAGE,
                                    .peer = peer,
                                    .channel = channel,
                                    .from = feed_address(&feed->base, peer),
                                    .data = data,
                                    .size = size});
    }
}

void TestFeed_Leave(test_feed_t *feed, int32_t peer, net_reason_t reason) {
    if (feed->connected[peer] && !feed->dropped[peer]) {
        feed->dropped[peer] = true;
        feed->reasons[peer] = reason;
        Server_Drain(feed->server, feed->now_ms);
    }
}

void TestFeed_Tick(test_feed_t *feed, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        feed->now_ms += Server_TickMs(feed->server);
        Server_Drain(feed->server, feed->now_ms);
        Server_Tick(feed->server, feed->now_ms);
    }
}

void TestFeed_Free(test_feed_t *feed) {
    for (int32_t i = 0; i < FEED_PEERS; i++) {
        TestFeed_Leave(feed, i, NET_REASON_TIMEOUT);
    }
    ASSERT(Server_NumClients(feed->server) == 0 && Server_NumPlayers(feed->server) == 0);
    Server_Destroy(feed->server);
    close(feed->map_file);
}
