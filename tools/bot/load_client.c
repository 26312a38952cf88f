#include "bot/load_client.h"

#include <string.h>
#include <time.h>

#define COUNT_EVERY 8     // snapshots whose entities are counted, one of so many
#define SILENCE_MS  10000 // a server under load may be silent for longer than one for players

// ---- a connection of the shared socket, without functions that only CL_Set* call ----

static void net_poll(cl_transport_t *base, int64_t now_ms, cl_net_event_t *event) {
    (void)now_ms;
    load_client_t *client = (load_client_t *)base;
    *event = client->event;
    client->event.type = CL_NET_NONE;
}

static bool net_send(cl_transport_t *base, int32_t peer, uint8_t channel, bool reliable,
                     const void *data, size_t size) {
    cl_transport_t *socket = ((load_client_t *)base)->socket;
    return socket->send(socket, peer, channel, reliable, data, size);
}

static void net_drop(cl_transport_t *base, int32_t peer, uint32_t reason) {
    cl_transport_t *socket = ((load_client_t *)base)->socket;
    socket->drop(socket, peer, reason);
}

static void net_flush(cl_transport_t *base) {
    (void)base; // the load program flushes once for all clients of a socket
}

static int32_t net_connect(cl_transport_t *base, cl_address_t to, cl_err_t *err) {
    load_client_t *client = (load_client_t *)base;
    client->peer = client->socket->connect(client->socket, to, err);
    return client->peer;
}

static int32_t net_rtt_ms(cl_transport_t *base, int32_t peer) {
    cl_transport_t *socket = ((load_client_t *)base)->socket;
    return socket->rtt_ms(socket, peer);
}

static int64_t net_silence_ms(cl_transport_t *base, int32_t peer) {
    cl_transport_t *socket = ((load_client_t *)base)->socket;
    return socket->silence_ms(socket, peer);
}

static bool net_is_sealed(cl_transport_t *base, int32_t peer) {
    cl_transport_t *socket = ((load_client_t *)base)->socket;
    return socket->is_sealed(socket, peer);
}

static void net_traffic(cl_transport_t *base, cl_traffic_t *traffic) {
    (void)base;
    *traffic = (cl_traffic_t){0}; // known of the socket only
}

bool LoadClient_Create(load_client_t *client, cl_transport_t *socket, load_stats_t *stats,
                       uint64_t seed) {
    *client = (load_client_t){.net = {.poll = net_poll,
                                      .send = net_send,
                                      .drop = net_drop,
                                      .flush = net_flush,
                                      .connect = net_connect,
                                      .rtt_ms = net_rtt_ms,
                                      .silence_ms = net_silence_ms,
                                      .is_sealed = net_is_sealed,
                                      .traffic = net_traffic},
                              .socket = socket,
                              .stats = stats,
                              .rng = {seed}};
    client->cl = CL_Create(
        &(cl_config_t){.net = &client->net, .silence_ms = SILENCE_MS, .no_reconnect = true});
    return client->cl != NULL;
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Measures intervals from arrival to arrival, without the delays of this program.
static void new_snapshot(load_client_t *client) {
    load_stats_t *stats = client->stats;
    const int64_t arrived_ns = now_ns() - client->event.waited_us * INT64_C(1000);
    if (client->heard_ns > 0) {
        LoadTimes_Add(&stats->intervals, arrived_ns - client->heard_ns);
    }
    client->heard_ns = arrived_ns;
    if (client->snapshots++ % COUNT_EVERY == 0) {
        stats->counted++;
        stats->entities += (uint64_t)CL_NumEntities(client->cl);
    }
}

void LoadClient_Lose(load_client_t *client, const char *reason) {
    client->is_gone = true;
    client->stats->left++;
    client->stats->errors += strncmp(reason, CL_BAD_DATA, strlen(CL_BAD_DATA)) == 0;
    LoadStats_Note(client->stats, reason);
}

void LoadClient_Frame(load_client_t *client, int64_t frame_ms) {
    cl_t *cl = client->cl;
    const int64_t before = CL_ServerTick(cl);
    cl_event_t event;
    if (client->is_gone || CL_State(cl) == CL_DISCONNECTED) {
        return; // not connected yet, or an event after the client's end
    }
    CL_Frame(cl, frame_ms);
    while (CL_NextEvent(cl, &event)) { // its text needs no answer
    }
    const int64_t tick = CL_ServerTick(cl);
    if (CL_State(cl) == CL_DISCONNECTED) {
        LoadClient_Lose(client, CL_Reason(cl));
    } else if (tick == 0) {
        client->heard_ns = 0; // loads a map
    } else if (tick != before) {
        new_snapshot(client);
    }
    if (tick > 0 && CL_CmdTick(cl) != client->cmd_tick) {
        client->cmd_tick = CL_CmdTick(cl);
        const cl_input_t input = LoadPlay_Next(&client->play, &client->rng);
        CL_SetInput(client->cl, &input);
    }
}
