/// client_scene_fixture.h - clients and a mini server in a room, on the simulated network.
//
// Each function fails the running cmocka test on an error.

#ifndef EDICTD_TESTS_CLIENT_SCENE_FIXTURE_H
#define EDICTD_TESTS_CLIENT_SCENE_FIXTURE_H

#include "base/limits.h"
#include "edict/client.h"
#include "lib/miniserver_fixture.h"
#include "net/transport.h"
#include "state/entity_state.h"
#include "state/game_event.h"
#include "state/player_state.h"
#include "state/ticks.h"
#include "state/usercmd.h"

#define CLIENT_SCENE_MAX     4
#define CLIENT_SCENE_STEP_MS 4

extern const netaddr_t client_scene_server;
extern const sim_conditions_t client_scene_clean; ///< 2 ms
extern const sim_conditions_t client_scene_rough; ///< 80 +- 40 ms, 5 % lost, doubled, out of order

typedef struct {
    sim_net_t *sim;
    mini_server_t mini;
    cmap_t map; ///< "room": boxes to bump into around the origin
    cl_maps_t *maps;
    char folder[64];
    cl_t *clients[CLIENT_SCENE_MAX];
    transport_t *nets[CLIENT_SCENE_MAX]; ///< theirs
    int32_t count;
    int64_t now_ms;
    bool predicts; ///< predict each client after every step
} client_scene_t;

client_scene_t *ClientScene_New(uint64_t seed, sim_conditions_t conditions);
void ClientScene_Free(client_scene_t *scene);

/// Adds an unconnected client.
cl_t *ClientScene_Add(client_scene_t *scene, bool with_maps, int32_t cmd_ms);

/// Adds a client that plays; discards the events until then.
cl_t *ClientScene_Join(client_scene_t *scene, const char *name);

/// Runs CLIENT_SCENE_STEP_MS of virtual time, or more.
void ClientScene_Step(client_scene_t *scene);
void ClientScene_Run(client_scene_t *scene, int64_t ms);

/// Fails unless the next event is this one (ExpectNoEvent: unless there is none).
void ClientScene_ExpectEvent(cl_t *cl, cl_event_type_t type, int32_t number, const char *text);
void ClientScene_ExpectNoEvent(cl_t *cl);

#endif
