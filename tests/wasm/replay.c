// replay - runs a session that record.mjs recorded of the WebAssembly library with the native one.
// Both must make the same calls of the transport, send the same bytes and predict the same bits.
//
// usage: replay FILE MAPS_FOLDER    prints the counts; exit status 1 at the first difference

#include "edict/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    cl_transport_t net; ///< first: the functions below receive this
    uint8_t *bytes, *at, *end;
    const uint8_t *body;
    uint16_t size; ///< bytes of the body
    int32_t peer;
    int32_t num_frames, num_sent, num_predicted;
} replay_t;

static void fail(const replay_t *replay, const char *what, char expected) {
    printf("replay: record at byte %td of %td, frame %d: %s, expected '%c'\n",
           replay->body ? replay->body - replay->bytes : 0, replay->end - replay->bytes,
           replay->num_frames, what, expected);
    exit(1);
}

/// Returns the type of the next record, 0 at the end.
static char peek(const replay_t *replay) {
    return replay->end - replay->at < 3 ? '\0' : (char)replay->at[0];
}

static const uint8_t *next(replay_t *replay, char type, size_t min_size) {
    char found[2] = {peek(replay), '\0'};
    if (found[0] != type) {
        fail(replay, found, type);
    }
    memcpy(&replay->size, replay->at + 1, 2);
    replay->body = replay->at + 3;
    replay->at += 3 + replay->size;
    if (replay->at > replay->end || replay->size < min_size) {
        fail(replay, "a record is too short", type);
    }
    return replay->body;
}

static void net_poll(cl_transport_t *net, int64_t now_ms, cl_net_event_t *event) {
    replay_t *replay = (replay_t *)net;
    (void)now_ms;
    *event = (cl_net_event_t){.type = CL_NET_NONE};
    if (peek(replay) == 'N') {
        next(replay, 'N', 0);
        return;
    }
    const uint8_t *body = next(replay, 'E', 9);
    memcpy(&event->type, body, 4);
    event->channel = body[4];
    memcpy(&event->reason, body + 5, 4);
    event->peer = replay->peer;
    event->data = body + 9;
    event->size = replay->size - 9u;
}

static bool net_send(cl_transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                     const void *data, size_t size) {
    replay_t *replay = (replay_t *)net;
    (void)peer;
    (void)reliable;
    const uint8_t *body = next(replay, 'W', 1);
    if (body[0] != channel || replay->size - 1u != size || memcmp(body + 1, data, size) != 0) {
        fail(replay, "other bytes were sent", 'W');
    }
    replay->num_sent++;
    return true;
}

static void net_drop(cl_transport_t *net, int32_t peer, uint32_t reason) {
    replay_t *replay = (replay_t *)net;
    (void)peer;
    if (memcmp(next(replay, 'D', 4), &reason, 4) != 0) {
        fail(replay, "another reason", 'D');
    }
}

static void net_flush(cl_transport_t *net) {
    (void)net;
}

static int32_t net_connect(cl_transport_t *net, cl_address_t to, cl_err_t *err) {
    replay_t *replay = (replay_t *)net;
    (void)to;
    (void)err;
    memcpy(&replay->peer, next(replay, 'C', 4), 4);
    return replay->peer;
}

static int32_t net_rtt_ms(cl_transport_t *net, int32_t peer) {
    int32_t rtt_ms;
    (void)peer;
    memcpy(&rtt_ms, next((replay_t *)net, 'R', 4), 4);
    return rtt_ms;
}

static int64_t net_silence_ms(cl_transport_t *net, int32_t peer) {
    double silence_ms;
    (void)peer;
    memcpy(&silence_ms, next((replay_t *)net, 'S', 8), 8);
    return (int64_t)silence_ms;
}

static bool net_is_sealed(cl_transport_t *net, int32_t peer) {
    (void)net;
    (void)peer;
    return false;
}

static const uint8_t *net_server_key(cl_transport_t *net) {
    (void)net;
    return NULL;
}

static void run_frame(replay_t *replay, cl_t *cl) {
    double now_ms;
    cl_event_t event;
    memcpy(&now_ms, next(replay, 'F', 8), 8);
    CL_Frame(cl, (int64_t)now_ms);
    while (CL_NextEvent(cl, &event)) {
    }
    replay->num_frames++;
}

static void check_predicted(replay_t *replay, cl_t *cl) {
    cl_player_state_t player;
    bool has_player = CL_Predicted(cl, &player);
    const uint8_t *body = next(replay, 'P', 0);
    if (replay->size != (has_player ? sizeof player : 0) ||
        (has_player && memcmp(body, &player, sizeof player) != 0)) {
        fail(replay, "another predicted player", 'P');
    }
    replay->num_predicted += has_player ? 1 : 0;
}

static void run_input(replay_t *replay, cl_t *cl) {
    const uint8_t *body = next(replay, 'I', 17);
    float numbers[4];
    memcpy(numbers, body, sizeof numbers);
    CL_SetInput(cl, &(cl_input_t){.forward = numbers[0],
                                  .side = numbers[1],
                                  .pitch = numbers[2],
                                  .yaw = numbers[3],
                                  .buttons = body[16]});
}

static void run(replay_t *replay, cl_t *cl) {
    for (char type = peek(replay); type != '\0'; type = peek(replay)) {
        if (type == 'F') {
            run_frame(replay, cl);
        } else if (type == 'I') {
            run_input(replay, cl);
        } else if (type == 'X') {
            next(replay, 'X', 0);
            CL_Disconnect(cl);
        } else {
            check_predicted(replay, cl);
        }
    }
}

static bool read_file(replay_t *replay, const char *path) {
    FILE *file = fopen(path, "rb");
    size_t room = (size_t)64 << 20;
    replay->bytes = malloc(room);
    size_t size = file && replay->bytes ? fread(replay->bytes, 1, room, file) : 0;
    if (file) {
        fclose(file);
    }
    replay->at = replay->bytes;
    replay->end = replay->bytes + size;
    return size > 0;
}

int main(int argc, char **argv) {
    replay_t replay = {.net = {.poll = net_poll,
                               .send = net_send,
                               .drop = net_drop,
                               .flush = net_flush,
                               .connect = net_connect,
                               .rtt_ms = net_rtt_ms,
                               .silence_ms = net_silence_ms,
                               .is_sealed = net_is_sealed,
                               .server_key = net_server_key}};
    cl_err_t err = {"out of memory"};
    if (argc != 3 || !read_file(&replay, argv[1])) {
        printf("usage: replay FILE MAPS_FOLDER\n");
        return 1;
    }
    cl_maps_t *maps = CL_MapsCreate(argv[2]);
    cl_t *cl = CL_Create(&(cl_config_t){.net = &replay.net, .maps = maps});
    if (!maps || !cl || !CL_Connect(cl, (cl_address_t){.host = 0}, "one", false, &err)) {
        printf("replay: %s\n", err.text);
        return 1;
    }
    run(&replay, cl);
    CL_Destroy(cl);
    CL_MapsDestroy(maps);
    free(replay.bytes);
    printf("replay: %d frames, %d messages sent, %d predicted players: the same bits\n",
           replay.num_frames, replay.num_sent, replay.num_predicted);
    return replay.num_sent > 100 && replay.num_predicted > 100 ? 0 : 1;
}
