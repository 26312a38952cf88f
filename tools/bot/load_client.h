/// bot/load_client.h - a client of the load program: plays at random by edict/client.h alone.
//
//     socket of many clients --> event of a peer --> load_client_t.event --> net.poll --> CL_Frame
//
// Predicts nothing and loads no map: a thousand fit on a core.
// Memory:  a cl_t; the caller owns the socket and the statistics. Do not move a load_client_t.

#ifndef EDICTD_BOT_LOAD_CLIENT_H
#define EDICTD_BOT_LOAD_CLIENT_H

#include "bot/load_play.h"
#include "bot/load_stats.h"
#include "edict/client.h"

typedef struct {
    cl_transport_t net; ///< one connection of `socket`; first, because it is cast to load_client_t
    cl_transport_t *socket;
    int32_t peer;         ///< the server in `socket`
    cl_net_event_t event; ///< for the next net.poll
    cl_t *cl;
    load_stats_t *stats;
    bool is_gone;       ///< its session ended, or could not begin
    int64_t heard_ns;   ///< arrival of the newest snapshot; 0 = none of this map
    int64_t cmd_tick;   ///< of the newest command
    uint64_t snapshots; ///< so far
    cl_stats_t before;  ///< the library's counters when the measurement began
    rng_t rng;
    load_play_t play;
} load_client_t;

/// Creates a client that shares a socket, whose polls and flushes are the caller's. Returns false
/// if out of memory.
bool LoadClient_Create(load_client_t *client, cl_transport_t *socket, load_stats_t *stats,
                       uint64_t seed);

/// Counts a session that ended, or could not begin.
void LoadClient_Lose(load_client_t *client, const char *reason);

/// Calls CL_Frame at frame_ms, and chooses the input of the next command.
void LoadClient_Frame(load_client_t *client, int64_t frame_ms);

#endif
