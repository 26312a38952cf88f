/// peer_fixture.h - a connection to a server of net_fixture.h that sends any message.

#ifndef EDICTD_TESTS_PEER_FIXTURE_H
#define EDICTD_TESTS_PEER_FIXTURE_H

#include "lib/net_fixture.h"
#include "proto/control.h"
#include "proto/usercmd_codec.h"

#define TEST_PEER_TYPES 33

/// A connection, and the messages it has received.
typedef struct test_peer_s {
    test_net_t *net;
    transport_t *transport;
    int32_t peer;
    bool connected, left;
    net_reason_t reason;            ///< reason of leaving
    int32_t heard[TEST_PEER_TYPES]; ///< number of control messages by type
    control_msg_t last[TEST_PEER_TYPES];
    int32_t snapshots;
    void (*on_piece)(struct test_peer_s *peer, const ctl_piece_t *piece); ///< NULL = none
} test_peer_t;

/// Connects peer `number` and waits until it is connected. Each number has an address of its own;
/// 100 + `number` is another port of the same address.
void TestPeer_Connect(test_peer_t *peer, test_net_t *net, int32_t number);

/// Sends a control message.
void TestPeer_Send(test_peer_t *peer, const control_msg_t *msg);
void TestPeer_Hello(test_peer_t *peer, const char *name);
/// Sends READY of an epoch; 0 = of the last MAP received.
void TestPeer_Ready(test_peer_t *peer, uint32_t epoch);
void TestPeer_Text(test_peer_t *peer, control_type_t type, const char *text);

/// Sends usercmds of the last MAP's epoch: `count` of 16 ms for tick `tick`, numbered from
/// first_seq.
void TestPeer_Cmds(test_peer_t *peer, uint16_t first_seq, int32_t count, int64_t tick);

/// Runs `ms`; the peer receives.
void TestPeer_Run(test_peer_t *peer, int32_t ms);

/// Sends HELLO and READY and waits until the peer plays.
void TestPeer_Join(test_peer_t *peer, test_net_t *net, int32_t number, const char *name);

/// Starts a server on an empty room; the map "second" is there, too.
void TestPeer_Serve(test_net_t *net, int32_t max_clients);

/// Starts a server of four slots, on which ann (at the address of peer 1) and eve (of peer 0) play.
void TestPeer_ServeTwo(test_net_t *net, test_peer_t *ann, test_peer_t *eve);
void TestPeer_EndTwo(test_net_t *net, test_peer_t *ann, test_peer_t *eve);

void TestPeer_Free(test_peer_t *peer);

#endif
