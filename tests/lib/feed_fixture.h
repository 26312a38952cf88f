/// feed_fixture.h - a server of the reference game in a small room, fed with transport events by
/// hand. Checks everything that the server sends.

#ifndef EDICTD_TESTS_FEED_FIXTURE_H
#define EDICTD_TESTS_FEED_FIXTURE_H

#include "core/server.h"
#include "proto/control.h"

#define FEED_CLIENTS 4
#define FEED_PEERS   (FEED_CLIENTS + SERVER_SPARE_PEERS)

typedef struct {
    transport_t base; ///< first, so that a transport_t * points to this
    server_t *server;
    log_t log;
    int64_t now_ms;
    int map_file; ///< descriptor of the map in memory
    char map_path[64];
    net_event_t next; ///< NET_NONE: none waits
    bool connected[FEED_PEERS], dropped[FEED_PEERS];
    net_reason_t reasons[FEED_PEERS];
    uint32_t epoch; ///< of the last MAP that was sent
    int32_t messages, snapshots;
} test_feed_t;

/// Starts a server on a room with a door, a trigger and a monster. Aborts on failure.
void TestFeed_Init(test_feed_t *feed);

/// Connects a peer; does nothing if it is connected.
void TestFeed_Connect(test_feed_t *feed, int32_t peer);

/// Delivers a message of a connected peer that was not dropped; otherwise does nothing.
void TestFeed_Message(test_feed_t *feed, int32_t peer, uint8_t channel, const void *data,
                      size_t size);

/// Ends the connection of a peer, as a time-out does.
void TestFeed_Leave(test_feed_t *feed, int32_t peer, net_reason_t reason);

/// Runs ticks.
void TestFeed_Tick(test_feed_t *feed, int32_t count);

/// Disconnects all peers, checks that nobody is left, and frees the server.
void TestFeed_Free(test_feed_t *feed);

#endif
