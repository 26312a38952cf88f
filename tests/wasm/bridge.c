// bridge - the library's UDP transport behind standard input and output, for session.mjs.
//
// Frames: u32 bytes that follow, u8 type, then little-endian fields. `peer`: chosen by the program.
//   in   'c' peer i32, host u32, port u16: connect
//        's' peer i32, channel u8, reliable u8, message
//        'd' peer i32, reason u32: drop
//   out  'e' type u32, peer i32, channel u8, reason u32, message
//        'r' peer i32, round trip i32, silence i32: ms, every STATUS_MS while connected
// Ends when standard input does, after the goodbyes.

#include "base/types.h"
#include "edict/client.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FRAME = 16384, NUM_PEERS = 8, STATUS_MS = 10, GOODBYE_MS = 500 };

typedef struct {
    cl_transport_t *net;
    int32_t peers[NUM_PEERS]; ///< of the transport; -1 = unused
    uint8_t in[4 * MAX_FRAME];
    size_t used;
} bridge_t;

static int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void fail(const char *why) {
    fprintf(stderr, "bridge: %s\n", why);
    exit(1);
}

static void put(uint8_t type, const void *head, size_t head_size, const void *data, size_t size) {
    uint32_t length = (uint32_t)(1 + head_size + size);
    if (fwrite(&length, 4, 1, stdout) != 1 || fputc(type, stdout) == EOF ||
        (head_size > 0 && fwrite(head, head_size, 1, stdout) != 1) ||
        (size > 0 && fwrite(data, size, 1, stdout) != 1)) {
        fail("the program ended");
    }
}

static void put_event(uint32_t type, int32_t peer, const cl_net_event_t *event) {
    uint8_t head[13];
    memcpy(head, &type, 4);
    memcpy(head + 4, &peer, 4);
    head[8] = event->channel;
    memcpy(head + 9, &event->reason, 4);
    put('e', head, sizeof head, event->data, type == CL_NET_MESSAGE ? event->size : 0);
}

static void connect_peer(bridge_t *bridge, int32_t peer, const uint8_t *data) {
    cl_address_t to = {.host = 0};
    cl_err_t err;
    memcpy(&to.host, data, 4);
    memcpy(&to.port, data + 4, 2);
    bridge->peers[peer] = bridge->net->connect(bridge->net, to, &err);
    if (bridge->peers[peer] < 0) {
        put_event(CL_NET_LEFT, peer, &(cl_net_event_t){.type = CL_NET_LEFT});
    }
}

static void frame(bridge_t *bridge, const uint8_t *data, size_t size) {
    cl_transport_t *net = bridge->net;
    int32_t peer = -1;
    uint32_t reason = 0;
    if (size >= 7) {
        memcpy(&peer, data + 1, 4);
    }
    if (peer < 0 || peer >= NUM_PEERS || (data[0] != 's' && size < 9)) {
        fail("expected a frame with a peer");
    }
    int32_t ours = bridge->peers[peer];
    if (data[0] == 'c' && size == 11) {
        connect_peer(bridge, peer, data + 5);
    } else if (data[0] == 's' && ours >= 0) {
        (void)net->send(net, ours, data[5], data[6] != 0, data + 7, size - 7);
    } else if (data[0] == 'd' && ours >= 0) {
        memcpy(&reason, data + 5, 4);
        net->drop(net, ours, reason);
    }
}

/// Reads and runs frames. Returns false at the end of the input.
static bool read_frames(bridge_t *bridge) {
    ssize_t got = read(STDIN_FILENO, bridge->in + bridge->used, sizeof bridge->in - bridge->used);
    uint32_t length = 0;
    size_t at = 0;
    if (got <= 0) {
        return false;
    }
    bridge->used += (size_t)got;
    while (bridge->used - at >= 4) {
        memcpy(&length, bridge->in + at, 4);
        if (length > MAX_FRAME) {
            fail("a frame is too long");
        }
        if (bridge->used - at - 4 < length) {
            break;
        }
        frame(bridge, bridge->in + at + 4, length);
        at += 4 + length;
    }
    memmove(bridge->in, bridge->in + at, bridge->used - at);
    bridge->used -= at;
    return true;
}

static void receive(bridge_t *bridge) {
    cl_net_event_t event;
    for (;;) {
        bridge->net->poll(bridge->net, clock_ms(), &event);
        if (event.type == CL_NET_NONE) {
            return;
        }
        for (int32_t peer = 0; peer < NUM_PEERS; peer++) {
            if (bridge->peers[peer] == event.peer) {
                put_event(event.type, peer, &event);
                bridge->peers[peer] = event.type == CL_NET_LEFT ? -1 : event.peer;
            }
        }
    }
}

static void put_status(bridge_t *bridge) {
    cl_transport_t *net = bridge->net;
    for (int32_t peer = 0; peer < NUM_PEERS; peer++) {
        if (bridge->peers[peer] >= 0) {
            int32_t status[3] = {peer, net->rtt_ms(net, bridge->peers[peer]),
                                 (int32_t)net->silence_ms(net, bridge->peers[peer])};
            put('r', status, sizeof status, NULL, 0);
        }
    }
}

int main(void) {
    static bridge_t bridge;
    cl_err_t err;
    bridge.net = CL_NetCreate(NULL, &err);
    if (!bridge.net) {
        fail(err.text);
    }
    memset(bridge.peers, 0xff, sizeof bridge.peers);
    int64_t end_ms = INT64_MAX, status_ms = 0;
    while (clock_ms() < end_ms) {
        struct pollfd fds[2] = {{.fd = bridge.net->descriptor(bridge.net), .events = POLLIN},
                                {.fd = end_ms == INT64_MAX ? STDIN_FILENO : -1, .events = POLLIN}};
        (void)poll(fds, 2, STATUS_MS / 2);
        receive(&bridge);
        if (fds[1].revents != 0 && !read_frames(&bridge)) {
            end_ms = clock_ms() + GOODBYE_MS;
        }
        bridge.net->flush(bridge.net);
        if (clock_ms() >= status_ms + STATUS_MS) {
            put_status(&bridge);
            status_ms = clock_ms();
        }
        if (end_ms == INT64_MAX && fflush(stdout) != 0) {
            fail("the program ended");
        }
    }
    bridge.net->destroy(bridge.net);
    return 0;
}
