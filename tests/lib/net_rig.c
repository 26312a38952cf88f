#include "lib/net_rig.h"

#include "lib/testing.h"
#include "net/enet_transport.h"

#include <string.h>

transport_t *NetRig_Make(net_rig_t *rig, int32_t max_peers, bool is_server, uint16_t port) {
    if (rig->is_sim) {
        netaddr_t at = {.host = is_server ? 0x0a000001u : 0x0a010000u + port, .port = port};
        return SimNet_Transport(rig->sim, at, max_peers, is_server);
    }
    enet_transport_config_t config = {
        .bind = {.host = 0x7f000001u}, .max_peers = max_peers, .is_server = is_server};
    err_t err = {""};
    transport_t *net = EnetTransport_Create(&config, &err);
    if (!net) {
        print_error("%s\n", err.text);
    }
    return net;
}

net_rig_t NetRig_Open(bool is_sim, int32_t max_peers, int32_t num_clients) {
    net_rig_t rig = {.is_sim = is_sim, .now_ms = 5000, .num_clients = num_clients};
    if (is_sim) {
        rig.sim = SimNet_Create(7, (sim_conditions_t){.delay_ms = 10, .jitter_ms = 3});
        SimNet_Advance(rig.sim, rig.now_ms);
    }
    rig.server = NetRig_Make(&rig, max_peers, true, 27500);
    assert_non_null(rig.server);
    rig.server_address = (netaddr_t){.host = 0x0a000001u, .port = 27500};
    if (!is_sim) {
        rig.server_address =
            (netaddr_t){.host = 0x7f000001u, .port = EnetTransport_Port(rig.server)};
    }
    for (int32_t i = 0; i < num_clients; i++) {
        rig.clients[i] = NetRig_Make(&rig, 1, false, (uint16_t)(1000 + i));
        assert_non_null(rig.clients[i]);
    }
    return rig;
}

void NetRig_Close(net_rig_t *rig) {
    for (int32_t i = 0; i < rig->num_clients; i++) {
        if (rig->clients[i]) {
            rig->clients[i]->destroy(rig->clients[i]);
        }
    }
    if (rig->server) {
        rig->server->destroy(rig->server);
    }
    SimNet_Destroy(rig->sim);
}

void NetRig_Listen(const net_rig_t *rig, transport_t *net, net_heard_t *heard) {
    net_event_t event;
    for (net->poll(net, rig->now_ms, &event); event.type != NET_NONE;
         net->poll(net, rig->now_ms, &event)) {
        heard->connected += event.type == NET_CONNECTED;
        heard->left += event.type == NET_LEFT;
        heard->messages += event.type == NET_MESSAGE;
        heard->oob += event.type == NET_OOB;
        heard->last_peer = event.peer;
        heard->from = event.from;
        if (event.type == NET_LEFT) {
            heard->reason = event.reason;
        }
        if (event.type == NET_MESSAGE || event.type == NET_OOB) {
            assert_non_null(event.data);
            assert_in_range(event.size, 0, sizeof heard->data);
            memcpy(heard->data, event.data, event.size);
            heard->size = event.size;
            heard->channel = event.channel;
        }
    }
}

void NetRig_Advance(net_rig_t *rig) {
    rig->now_ms += NET_RIG_STEP_MS;
    if (rig->is_sim) {
        SimNet_Advance(rig->sim, rig->now_ms);
    }
}

void NetRig_Run(net_rig_t *rig, int32_t ms, net_heard_t *server, net_heard_t *clients) {
    static net_heard_t scratch;
    for (int64_t end = rig->now_ms + ms; rig->now_ms < end;) {
        NetRig_Advance(rig);
        if (rig->server) {
            NetRig_Listen(rig, rig->server, server ? server : &scratch);
        }
        for (int32_t i = 0; i < rig->num_clients; i++) {
            if (rig->clients[i]) {
                NetRig_Listen(rig, rig->clients[i], clients ? &clients[i] : &scratch);
            }
        }
    }
}

int32_t NetRig_Join(net_rig_t *rig, int32_t client) {
    err_t err = {""};
    int32_t peer = rig->clients[client]->connect(rig->clients[client], rig->server_address, &err);
    assert_int_equal(peer, 0);
    net_heard_t server = {0};
    static net_heard_t clients[NET_RIG_CLIENTS];
    memset(clients, 0, sizeof clients);
    NetRig_Run(rig, 400, &server, clients);
    assert_int_equal(server.connected, 1);
    assert_int_equal(clients[client].connected, 1);
    return server.last_peer;
}
