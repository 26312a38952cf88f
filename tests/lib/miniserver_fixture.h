/// miniserver_fixture.h - a minimal server, written from common/proto/README.md without the
/// server's code, so that client and protocol are tested independently.
//
// It moves each player through a map with pmove and records what it receives.

#ifndef EDICTD_TESTS_MINISERVER_FIXTURE_H
#define EDICTD_TESTS_MINISERVER_FIXTURE_H

#include "collide/cmap.h"
#include "lib/sim_net.h"
#include "proto/control.h"
#include "proto/snapshot_codec.h"
#include "proto/usercmd_codec.h"

#define MINI_TICK_MS  16
#define MINI_RATE_MHZ 62500
#define MINI_PEERS    8
#define MINI_ENTITIES 64

typedef struct {
    bool connected, playing;
    ctl_hello_t hello;
    ctl_ready_t ready;
    control_msg_t last; ///< newest control message of any type
    snapshot_ring_t *ring;
    usercmd_t queue[MAX_CMD_QUEUE];
    int32_t queued;
    uint16_t next_seq;
    int64_t cmd_tick;
    int32_t ran_ms, starved_ms;
    uint32_t filled_ms;
    player_state_t player;
    // Counts:
    int64_t cmds, cmd_ms, lost_cmds, late_cmds, packets, no_acks;
    int64_t first_tick, last_tick; ///< ticks named by the received usercmds
    usercmd_t newest;
    net_reason_t left; ///< reason of the disconnect
    int32_t leaves;
} mini_peer_t;

typedef struct {
    transport_t *net;
    const cmap_t *map;
    ctl_map_t info; ///< contents of MAP; after a change call MiniServer_SendMap
    int64_t tick, next_tick_ms;
    bool says_nothing; ///< receives everything, sends no snapshots
    bool is_full;      ///< refuses every HELLO
    mini_peer_t peers[MINI_PEERS];
    entity_state_t entities[MINI_ENTITIES];
    int32_t num_entities;
    int32_t bad_packets;
    int32_t snapshot_bytes_max; ///< budget, 0 = MAX_PACKET_BYTES
    int32_t snapshot_ticks;     ///< ticks from one snapshot to the next; 0 = 1
    int64_t snapshots;          ///< sent
    snapshot_stats_t stats;     ///< of the last one
} mini_server_t;

/// Starts a server on that transport. The caller owns the map.
void MiniServer_Init(mini_server_t *mini, transport_t *net, const cmap_t *map);

/// Receives pending messages and runs the tick when it is due.
void MiniServer_Frame(mini_server_t *mini, int64_t now_ms);

void MiniServer_Send(mini_server_t *mini, int32_t peer, const control_msg_t *msg);

/// Sends raw bytes.
void MiniServer_SendRaw(mini_server_t *mini, int32_t peer, uint8_t channel, const void *data,
                        size_t size);

/// Starts `info` again for all clients, with the next epoch.
void MiniServer_SendMap(mini_server_t *mini);

void MiniServer_Free(mini_server_t *mini);

#endif
