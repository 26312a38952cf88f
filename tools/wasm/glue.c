#include "wasm/glue.h"

#include <stdlib.h>
#include <string.h>

#define MAX_MESSAGE_BYTES 8192 // from the server (edict/types.h)
#define KEY_BYTES         32

typedef struct {
    cl_transport_t base; ///< first: the library sees only this
    int32_t id;
    bool has_key;
    uint8_t key[KEY_BYTES];             ///< of the server
    uint8_t message[MAX_MESSAGE_BYTES]; ///< of the last event
} js_net_t;

static const js_net_t *js(const cl_transport_t *net) {
    return (const js_net_t *)net;
}

static void net_poll(cl_transport_t *net, int64_t now_ms, cl_net_event_t *event) {
    js_net_t *self = (js_net_t *)net;
    *event = (cl_net_event_t){.type = CL_NET_NONE};
    event->size = Js_Poll(self->id, (double)now_ms, event, self->message, sizeof self->message);
    event->data = self->message;
}

static bool net_send(cl_transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                     const void *data, size_t size) {
    return Js_Send(js(net)->id, peer, channel, reliable, data, size);
}

static void net_drop(cl_transport_t *net, int32_t peer, uint32_t reason) {
    Js_Drop(js(net)->id, peer, reason);
}

static void net_flush(cl_transport_t *net) {
    Js_Flush(js(net)->id);
}

static int32_t net_connect(cl_transport_t *net, cl_address_t to, cl_err_t *err) {
    cl_err_t none;
    return Js_Connect(js(net)->id, to.host, to.port, err ? err : &none);
}

static int32_t net_rtt_ms(cl_transport_t *net, int32_t peer) {
    return Js_RttMs(js(net)->id, peer);
}

static int64_t net_silence_ms(cl_transport_t *net, int32_t peer) {
    double silence_ms = Js_SilenceMs(js(net)->id, peer);
    return silence_ms > 0.0 && silence_ms < 1e15 ? (int64_t)silence_ms : 0;
}

static void net_set_seal(cl_transport_t *net, uint32_t seal, const uint8_t *server_key) {
    js_net_t *self = (js_net_t *)net;
    self->has_key = server_key != NULL;
    if (server_key) {
        memcpy(self->key, server_key, KEY_BYTES);
    }
    Js_SetSeal(self->id, seal, server_key);
}

static bool net_is_sealed(cl_transport_t *net, int32_t peer) {
    return Js_IsSealed(js(net)->id, peer);
}

static const uint8_t *net_server_key(cl_transport_t *net) {
    return js(net)->has_key ? js(net)->key : NULL;
}

static int net_descriptor(cl_transport_t *net) {
    (void)net;
    return -1;
}

static void net_traffic(cl_transport_t *net, cl_traffic_t *traffic) {
    *traffic = (cl_traffic_t){0};
    Js_Traffic(js(net)->id, traffic);
}

cl_transport_t *Js_TransportCreate(int32_t id) {
    static const cl_transport_t functions = {
        .poll = net_poll,
        .send = net_send,
        .drop = net_drop,
        .flush = net_flush,
        .connect = net_connect,
        .rtt_ms = net_rtt_ms,
        .silence_ms = net_silence_ms,
        .set_seal = net_set_seal,
        .is_sealed = net_is_sealed,
        .server_key = net_server_key,
        .descriptor = net_descriptor,
        .traffic = net_traffic,
        .destroy = Js_TransportDestroy,
    };
    js_net_t *self = calloc(1, sizeof *self);
    if (!self) {
        return NULL;
    }
    self->base = functions;
    self->id = id;
    return &self->base;
}

void Js_TransportDestroy(cl_transport_t *net) {
    free(net);
}

// ---- maps ----

static const void *storage_open(void *context, const char *path, size_t *size) {
    return Js_Open((int32_t)(intptr_t)context, path, size);
}

static void storage_close(void *context, const void *data) {
    (void)context;
    free((void *)(uintptr_t)data);
}

cl_maps_t *Js_MapsCreate(int32_t id) {
    const cl_storage_t storage = {storage_open, storage_close, (void *)(intptr_t)id};
    return CL_MapsCreateFrom(&storage);
}
