#include "lib/net_fixture.h"

#include "base/file.h"
#include "collide/cmap.h"
#include "core/server_local.h"
#include "game/figure_data.h"
#include "game/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const netaddr_t server_address = {0x0a000001, 27500, 0};

netaddr_t TestNet_ServerAddress(void) {
    return server_address;
}

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test net: %s\n", what);
        abort();
    }
}

static void print_line(void *context, log_level_t level, const char *line) {
    (void)context;
    printf("%s: %s\n", Log_LevelName(level), line);
}

void TestNet_WriteMap(test_net_t *net, const test_map_t *map, const char *name) {
    char path[128];
    size_t size = 0;
    err_t err;
    uint8_t *bytes = TestMap_Bytes(map, &size);
    snprintf(path, sizeof path, "%s/%s.bsp", net->folder, name);
    must(bytes && File_Write(path, bytes, size, &err), "cannot write the map");
    free(bytes);
}

static void prepare_map(test_net_t *net, const test_net_config_t *config) {
    err_t err;
    snprintf(net->folder, sizeof net->folder, "/tmp/edictd-net-XXXXXX");
    must(mkdtemp(net->folder) != NULL, "no temporary folder");
    if (config->map) {
        TestNet_WriteMap(net, config->map, "testmap");
        return;
    }
    if (config->write_map) {
        config->write_map(net->folder);
        return;
    }
    char path[128];
    size_t size = 0;
    uint8_t *bytes = File_Read(config->map_file, MAX_MAP_BYTES, &size, &err);
    must(bytes != NULL, "cannot read the map");
    snprintf(path, sizeof path, "%s/testmap.bsp", net->folder);
    must(File_Write(path, bytes, size, &err), "cannot copy the map");
    free(bytes);
}

static transport_t *open_net(test_net_t *net, netaddr_t address, int32_t max_peers,
                             bool is_server) {
    err_t err = {{0}};
    if (!net->is_udp) {
        return SimNet_Transport(net->sim, address, max_peers, is_server);
    }
    transport_t *udp =
        EnetTransport_Create(&(enet_transport_config_t){.bind = {.host = 0x7f000001u},
                                                        .max_peers = max_peers,
                                                        .is_server = is_server,
                                                        .impair = is_server ? NULL : &net->impair},
                             &err);
    must(udp != NULL, err.text);
    return udp;
}

void TestNet_Init(test_net_t *net, const test_net_config_t *config) {
    err_t err = {{0}};
    int32_t count = 0;
    memset(net, 0, sizeof *net);
    prepare_map(net, config);
    net->log = (log_t){print_line, NULL, getenv("EDICTD_TEST_LOG") ? LOG_DEBUG : LOG_ERROR};
    net->sim = SimNet_Create(config->seed, config->conditions);
    net->is_udp = config->is_udp;
    net->impair = (impair_conditions_t){.seed = config->seed,
                                        .delay_ms = config->conditions.delay_ms,
                                        .jitter_ms = config->conditions.jitter_ms};
    net->now_ms = net->next_tick_ms = net->is_udp ? 5000 : 0;
    net->server_net = open_net(net, server_address, config->max_clients + SERVER_SPARE_PEERS, true);
    net->address = server_address;
    if (net->is_udp) {
        net->address =
            (netaddr_t){.host = 0x7f000001u, .port = EnetTransport_Port(net->server_net)};
    }
    net->maps = CL_MapsCreate(net->folder);
    server_config_t server = {.game = config->game ? config->game : Game_Export(),
                              .net = net->server_net,
                              .exempt = config->exempt,
                              .log = &net->log,
                              .max_clients = config->max_clients,
                              .max_edicts = config->max_edicts ? config->max_edicts : 1024,
                              .snapshot_ticks = 1,
                              .rates = {RATE_MAX, RATE_MAX}, // losses are not of a narrow path
                              .cull_los = true,
                              .seed = config->seed,
                              .hostname = "test",
                              .auth = config->auth_keys ? AUTH_TOKEN : AUTH_PASSWORD,
                              .auth_keys = config->auth_keys,
                              .ticket_key = config->ticket_key,
                              .ticket_s = 3600,
                              .allows = config->allows,
                              .allow_context = config->allow_context,
                              .allow_download = config->download_rate > 0,
                              .download_rate = config->download_rate,
                              .download_url = config->download_url,
                              .map_path = net->folder};
    const cvar_def_t *defs = GameCvars_Defs(&count);
    Cvar_Reset(defs, count, &server.cvars);
    if (config->rate_hz > 0.0f) {
        server.cvars.sv_tickrate = config->rate_hz;
    }
    net->server = Server_Create(&server, &err);
    must(net->server && Server_StartMap(net->server, "testmap", &err), err.text);
    Server_SetTime(net->server, TEST_TOKEN_NOW);
}

void TestNet_ShowAll(test_net_t *net) {
    net->server->map->num_clusters = 0;
    Server_SetCullLos(net->server, false);
}

netaddr_t TestNet_ClientAddress(int32_t n) {
    return (netaddr_t){.host = 0x0a000100u + (uint32_t)n, .port = 4000};
}

int32_t TestNet_AddClient(test_net_t *net, const char *name) {
    int32_t n = net->num_clients++;
    err_t err = {{0}};
    must(n < TEST_NET_CLIENTS, "too many clients");
    net->client_nets[n] = open_net(net, TestNet_ClientAddress(n), 2, false);
    net->clients[n] = CL_Create(&(cl_config_t){.net = net->client_nets[n], .maps = net->maps});
    must(net->clients[n] && CL_Connect(net->clients[n], net->address, name, false, &err), err.text);
    return n;
}

void TestNet_Step(test_net_t *net) {
    net->now_ms += TEST_NET_STEP_MS;
    SimNet_Advance(net->sim, net->now_ms);
    Server_Drain(net->server, net->now_ms);
    if (net->now_ms >= net->next_tick_ms) {
        Server_Tick(net->server, net->now_ms);
        net->next_tick_ms += Server_TickMs(net->server);
    }
    for (int32_t i = 0; i < net->num_clients; i++) {
        if (net->clients[i]) {
            CL_Frame(net->clients[i], net->now_ms);
        }
    }
}

bool TestNet_WaitActive(test_net_t *net, int64_t limit_ms) {
    for (int64_t end = net->now_ms + limit_ms; net->now_ms < end;) {
        TestNet_Step(net);
        int32_t active = 0;
        for (int32_t i = 0; i < net->num_clients; i++) {
            active += net->clients[i] && CL_State(net->clients[i]) == CL_ACTIVE ? 1 : 0;
        }
        if (active == net->num_clients) {
            return true;
        }
    }
    return false;
}

static void write_model(const char *folder, const char *name, const void *bytes, size_t size) {
    char path[128];
    err_t err;
    snprintf(path, sizeof path, "%s/models/%s.emesh", folder, name);
    must(File_Write(path, bytes, size, &err), "cannot write a model");
}

void TestNet_WriteModels(const char *folder, const char *entities, bool all_dogs) {
    char path[128];
    size_t size = 0;
    err_t err;
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}}, .entities = entities};
    uint8_t *bytes = TestMap_Bytes(&map, &size);
    snprintf(path, sizeof path, "%s/testmap.bsp", folder);
    must(bytes && File_Write(path, bytes, size, &err), "cannot write the map");
    free(bytes);
    snprintf(path, sizeof path, "%s/models", folder);
    must(mkdir(path, 0755) == 0, "cannot make a folder");
    write_model(folder, "figure", all_dogs ? game_dog : game_figure,
                all_dogs ? GAME_DOG_BYTES : GAME_FIGURE_BYTES);
    write_model(folder, "dog", game_dog, GAME_DOG_BYTES);
}

void TestNet_Free(test_net_t *net) {
    char command[128];
    for (int32_t i = 0; i < net->num_clients; i++) {
        CL_Destroy(net->clients[i]);
    }
    Server_Destroy(net->server);
    CL_MapsDestroy(net->maps);
    for (int32_t i = 0; net->is_udp && i < net->num_clients; i++) {
        net->client_nets[i]->destroy(net->client_nets[i]);
    }
    if (net->is_udp) {
        net->server_net->destroy(net->server_net);
    }
    SimNet_Destroy(net->sim);
    snprintf(command, sizeof command, "rm -rf %s", net->folder);
    must(system(command) == 0, "cannot remove the temporary folder");
}
