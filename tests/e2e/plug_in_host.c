// plug_in_host - loads the client library at run time, as a game engine loads a plug-in, and joins.
// Usage: plug_in_host LIBRARY HOST:PORT local|namespace
//   local: dlopen with RTLD_LOCAL; namespace: dlmopen into a namespace of its own
// Prints "joined", or the library's error. Compiled with WITH_ENET, the program has connections of
// its own before, and prints "own ENet works" if they carry messages after the library is unloaded.

#include <edict/client.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

#ifdef WITH_ENET
#include <enet/enet.h>

enum { OWN_BATCH = 20, OWN_BYTES = 700 };

typedef struct {
    ENetHost *server, *client;
    ENetPeer *peer;
    bool is_connected;
    int num_received;
} own_t;

static bool own_send(own_t *own) {
    static const char data[OWN_BYTES];
    for (int i = 0; i < OWN_BATCH; i++) {
        ENetPacket *packet = enet_packet_create(data, sizeof data, ENET_PACKET_FLAG_RELIABLE);
        if (!packet || enet_peer_send(own->peer, 0, packet) != 0) {
            return false;
        }
    }
    return true;
}

/// Services both ends for up to 20 s. Returns true when both are connected and `wanted` messages
/// have arrived.
static bool own_receive(own_t *own, int wanted) {
    for (int i = 0; i < 10000 && !(own->is_connected && own->num_received == wanted); i++) {
        ENetEvent event;
        enet_time_set((enet_uint32)clock_ms()); // the clock that CL_Frame gets
        while (enet_host_service(own->client, &event, 0) > 0) {
            own->is_connected |= event.type == ENET_EVENT_TYPE_CONNECT;
        }
        while (enet_host_service(own->server, &event, 0) > 0) {
            if (event.type == ENET_EVENT_TYPE_RECEIVE) {
                own->num_received += event.packet->dataLength == OWN_BYTES;
                enet_packet_destroy(event.packet);
            }
        }
        nap();
    }
    return own->is_connected && own->num_received == wanted;
}

/// Connects, exchanges messages, and leaves more of them in the queue.
static bool own_begin(own_t *own) {
    ENetAddress address = {.host = htonl(0x7f000001u)};
    enet_time_set((enet_uint32)clock_ms());
    own->server = enet_host_create(&address, 2, 1, 0, 0);
    own->client = enet_host_create(NULL, 1, 1, 0, 0);
    if (!own->server || !own->client ||
        enet_socket_get_address(own->server->socket, &address) != 0) {
        return false;
    }
    own->peer = enet_host_connect(own->client, &address, 1, 0);
    return own->peer && own_receive(own, 0) && own_send(own) && own_receive(own, OWN_BATCH) &&
           own_send(own);
}

/// Frees what ENet allocated before the library was loaded, and allocates more.
static bool own_end(own_t *own) {
    bool works =
        own_receive(own, 2 * OWN_BATCH) && own_send(own) && own_receive(own, 3 * OWN_BATCH);
    enet_host_destroy(own->client);
    enet_host_destroy(own->server);
    return works;
}
#endif

static void *find(void *library, const char *name) {
    void *symbol = dlsym(library, name);
    if (!symbol) {
        printf("no %s\n", name);
        fflush(stdout);
        _Exit(1);
    }
    return symbol;
}

#define FUNCTION(name) __typeof__(name) *name##_ = (__typeof__(name) *)find(library, #name)

static void play(void *library, const char *to) {
    FUNCTION(CL_Resolve);
    FUNCTION(CL_NetCreate);
    FUNCTION(CL_Create);
    FUNCTION(CL_Connect);
    FUNCTION(CL_Frame);
    FUNCTION(CL_State);
    FUNCTION(CL_Disconnect);
    FUNCTION(CL_Destroy);
    cl_err_t err = {""};
    cl_address_t server;
    cl_transport_t *net = NULL;
    if (!CL_Resolve_(to, 27500, &server, &err) || !(net = CL_NetCreate_(NULL, &err))) {
        puts(err.text);
        return;
    }
    cl_t *cl = CL_Create_(&(cl_config_t){.net = net});
    bool asks = cl && CL_Connect_(cl, server, "plugged", false, &err);
    for (int i = 0; asks && i < 10000 && CL_State_(cl) < CL_ACTIVE; i++) {
        CL_Frame_(cl, clock_ms());
        nap();
    }
    puts(asks && CL_State_(cl) == CL_ACTIVE ? "joined" : "not joined");
    CL_Disconnect_(cl);
    CL_Frame_(cl, clock_ms());
    CL_Destroy_(cl);
    net->destroy(net);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        return 2;
    }
#ifdef WITH_ENET
    own_t own = {0};
    if (!own_begin(&own)) {
        puts("own ENet does not connect");
        return 1;
    }
#endif
    bool is_local = strcmp(argv[3], "local") == 0;
    void *library = is_local ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)
                             : dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        puts(dlerror());
        return 1;
    }
    play(library, argv[2]);
    dlclose(library);
#ifdef WITH_ENET
    puts(own_end(&own) ? "own ENet works" : "own ENet is disturbed");
#endif
    return 0;
}
