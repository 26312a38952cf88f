/// net_fixture.h - a whole server and its clients on a simulated network, in virtual time.

#ifndef EDICTD_TESTS_NET_FIXTURE_H
#define EDICTD_TESTS_NET_FIXTURE_H

#include "base/limits.h"
#include "core/server.h"
#include "edict/client.h"
#include "lib/map_fixture.h"
#include "lib/sim_net.h"
#include "lib/token_fixture.h"
#include "net/enet_transport.h"
#include "net/transport.h"
#include "state/entity_state.h"
#include "state/game_event.h"
#include "state/player_state.h"
#include "state/ticks.h"
#include "state/usercmd.h"

#define TEST_NET_CLIENTS 1024
#define TEST_NET_STEP_MS 4

typedef struct {
    sim_net_t *sim;
    bool is_udp;
    impair_conditions_t impair; ///< of each client, with is_udp
    netaddr_t address;          ///< of the server
    transport_t *server_net;
    server_t *server;
    cl_maps_t *maps;
    transport_t *client_nets[TEST_NET_CLIENTS];
    cl_t *clients[TEST_NET_CLIENTS];
    int32_t num_clients;
    int64_t now_ms;
    int64_t next_tick_ms;
    char folder[64]; ///< temporary folder with the map
    log_t log;
} test_net_t;

typedef struct {
    uint64_t seed;
    sim_conditions_t conditions;
    int32_t max_clients;
    const test_map_t *map; ///< NULL if map_file or write_map is set
    const char *map_file;  ///< path of a real map
    /// Writes testmap.bsp, or testmap.emesh and its files, into the folder.
    void (*write_map)(const char *folder);
    const game_export_t *game; ///< NULL = the reference game
    const netranges_t *exempt; ///< sv_proxies
    const char *auth_keys;     ///< sv_authkeys; set = sv_auth token, at TEST_TOKEN_NOW
    const uint8_t *ticket_key;
    server_allow_fn *allows; ///< NULL = every player id may join
    void *allow_context;
    float rate_hz;            ///< sv_tickrate; 0 = the default
    int32_t max_edicts;       ///< 0 = 1,024
    int32_t download_rate;    ///< sv_download_rate; 0 = sv_allowdownload 0
    const char *download_url; ///< sv_downloadurl; NULL = none
    /// ENet on loopback sockets, in the same virtual time. It only uses delay and jitter.
    bool is_udp;
} test_net_config_t;

/// Starts a server on the map. Aborts on failure.
void TestNet_Init(test_net_t *net, const test_net_config_t *config);

/// Returns the server's listening address.
netaddr_t TestNet_ServerAddress(void);

/// Returns the address of a client on the simulated network.
netaddr_t TestNet_ClientAddress(int32_t n);

/// Lets everybody see everything: drops the map's visibility and switches sv_cull_los off. Call it
/// before the first tick of a map.
void TestNet_ShowAll(test_net_t *net);

/// Adds a client at its own address and starts to connect. Returns its number.
int32_t TestNet_AddClient(test_net_t *net, const char *name);

/// Runs TEST_NET_STEP_MS of virtual time: the network, the server (with its ticks), every client.
void TestNet_Step(test_net_t *net);

/// Steps until all clients are active; false after limit_ms.
bool TestNet_WaitActive(test_net_t *net, int64_t limit_ms);

/// Writes another map into the folder that server and clients search.
void TestNet_WriteMap(test_net_t *net, const test_map_t *map, const char *name);

/// Writes testmap.bsp, a room of 1,000 x 1,000 x 400 qu with these entities, and the reference
/// game's models as models/figure.emesh and models/dog.emesh. `all_dogs`: both files have the dog.
void TestNet_WriteModels(const char *folder, const char *entities, bool all_dogs);

void TestNet_Free(test_net_t *net);

#endif
