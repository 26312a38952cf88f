/// bot/load_client.h - a client of the load program: joins, sends random commands, decodes all that
/// it receives.
//
// Neither predicts nor loads maps, and keeps no names or players: a thousand fit on a core.
// Memory:  a ring of snapshots per client; the caller owns transports and statistics.

#ifndef EDICTD_BOT_LOAD_CLIENT_H
#define EDICTD_BOT_LOAD_CLIENT_H

#include "base/rng.h"
#include "bot/load_stats.h"
#include "client/clock.h"
#include "net/transport.h"
#include "proto/fields.h"
#include "proto/snapshot_ring.h"
#include "proto/usercmd_codec.h"

#define LOAD_CMDS 8 // commands in a packet: as many as the client library repeats

typedef enum { LOAD_WAITING, LOAD_CONNECTING, LOAD_JOINING, LOAD_ACTIVE, LOAD_GONE } load_state_t;

/// Input of the next commands.
typedef struct {
    int32_t cmds_left;
    float yaw, turn; ///< degrees; degrees per command
    int16_t forward, side;
    uint8_t buttons;
} load_play_t;

typedef struct {
    load_state_t state;
    int32_t index, peer;
    transport_t *net;
    load_stats_t *stats;
    snapshot_ring_t *ring; ///< NULL before the first map
    uint32_t epoch;
    uint32_t first, made; ///< commands first..made-1 have not run yet
    bool wants_full;      ///< the baseline is lost
    int64_t newest;       ///< tick of the newest snapshot
    int64_t heard_ns;     ///< its arrival; 0 = none
    uint64_t snapshots;   ///< decoded while measuring
    cl_clock_t clock;
    rng_t rng;
    load_play_t play;
    usercmd_t cmds[LOAD_CMDS]; ///< command n is cmds[n % LOAD_CMDS]
    const char *password;
    field_schema_t schema, next_schema;
} load_client_t;

/// Handles an event of the client's peer that was received at now_ns.
void LoadClient_Event(load_client_t *client, const net_event_t *event, int64_t now_ns);

/// Creates and sends the commands that are due at now_ms.
void LoadClient_SendCmds(load_client_t *client, int64_t now_ms);

#endif
