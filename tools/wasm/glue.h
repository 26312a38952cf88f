/// wasm/glue.h - functions that the program around the WebAssembly module brings, in JavaScript.
//
// `id`: number of a transport or storage, chosen by the program. edict_client.mjs implements all.

#ifndef EDICTD_WASM_GLUE_H
#define EDICTD_WASM_GLUE_H

#include "edict/client.h"

#define JS(name) __attribute__((import_module("edict"), import_name(name)))

/// Reports a fault of the library; the module ends after it.
JS("bug") void Js_Bug(const char *text);

// ---- a transport: as cl_transport_t describes ----

/// Writes an event, and its message to `data`. Returns the bytes of the message.
JS("poll")
size_t Js_Poll(int32_t id, double now_ms, cl_net_event_t *event, uint8_t *data, size_t room);
JS("send")
bool Js_Send(int32_t id, int32_t peer, int32_t channel, bool reliable, const void *data,
             size_t size);
JS("drop") void Js_Drop(int32_t id, int32_t peer, uint32_t reason);
JS("flush") void Js_Flush(int32_t id);
JS("connect") int32_t Js_Connect(int32_t id, uint32_t host, uint32_t port, cl_err_t *err);
JS("rtt_ms") int32_t Js_RttMs(int32_t id, int32_t peer);
JS("silence_ms") double Js_SilenceMs(int32_t id, int32_t peer);
JS("set_seal") void Js_SetSeal(int32_t id, uint32_t seal, const uint8_t *server_key);
JS("is_sealed") bool Js_IsSealed(int32_t id, int32_t peer);
JS("traffic") void Js_Traffic(int32_t id, cl_traffic_t *traffic);

/// Returns the bytes of a file in a block of malloc, or NULL.
JS("open") void *Js_Open(int32_t id, const char *path, size_t *size);

// ---- what the program calls besides the client library ----

/// Creates a transport with the functions above, or NULL if out of memory. Free it by `destroy`.
cl_transport_t *Js_TransportCreate(int32_t id);
void Js_TransportDestroy(cl_transport_t *net);

/// Creates an empty list of maps, read by Js_Open. Returns NULL if out of memory.
cl_maps_t *Js_MapsCreate(int32_t id);

#endif
