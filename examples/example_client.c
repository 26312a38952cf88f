// example_client - joins a server, walks in a circle for ten seconds and prints what happens.
// Usage: edict-example HOST[:PORT] [MAPS_FOLDER]

#include <edict/client.h>

#include <stdio.h>
#include <time.h>

static int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void print_event(const cl_event_t *event) {
    static const char *const names[] = {"connected", "map",    "active", "print",  "center",
                                        "chat",      "sound",  "effect", "joined", "left",
                                        "info",      "ticket", "lost",   "back",   "reconnecting",
                                        "returned",  "dropped"};
    _Static_assert(sizeof names / sizeof names[0] == CL_EVENT_DROPPED + 1,
                   "a name for each cl_event_type_t");
    printf("%s %d: %s\n", names[event->type], event->number, event->text);
}

/// Returns true if the client was still in the game after ten seconds.
static bool play(cl_t *cl) {
    cl_player_state_t player;
    cl_event_t event;
    float yaw = 0.0f;
    int64_t next_print_ms = 0;
    for (int64_t end_ms = clock_ms() + 10000; clock_ms() < end_ms;) {
        CL_SetInput(cl, &(cl_input_t){.forward = 320.0f, .yaw = yaw});
        CL_Frame(cl, clock_ms());
        while (CL_NextEvent(cl, &event)) {
            print_event(&event);
        }
        if (clock_ms() >= next_print_ms && CL_Predicted(cl, &player)) {
            printf("tick %lld: at %.1f %.1f %.1f\n", (long long)CL_ServerTick(cl),
                   (double)player.origin.x, (double)player.origin.y, (double)player.origin.z);
            next_print_ms = clock_ms() + 1000;
        }
        if (CL_State(cl) == CL_DISCONNECTED) {
            break; // CL_Reason returns why
        }
        yaw += 0.5f;
        nanosleep(&(struct timespec){.tv_nsec = 4000000}, NULL);
    }
    return CL_State(cl) == CL_ACTIVE;
}

int main(int argc, char **argv) {
    cl_err_t err = {"no memory"};
    cl_address_t server;
    if (argc < 2 || !CL_Resolve(argv[1], 27500, &server, &err)) {
        fprintf(stderr, "edict-example: %s\nusage: edict-example HOST[:PORT] [MAPS_FOLDER]\n",
                argc < 2 ? "expected a server" : err.text);
        return 2;
    }
    cl_transport_t *net = CL_NetCreate(NULL, &err);
    cl_maps_t *maps = CL_MapsCreate(argc > 2 ? argv[2] : "build/maps");
    cl_t *cl = net ? CL_Create(&(cl_config_t){.net = net, .maps = maps}) : NULL;
    if (!cl || !CL_Connect(cl, server, "example", false, &err)) {
        fprintf(stderr, "edict-example: %s\n", err.text);
        return 1;
    }
    bool played = play(cl);
    if (!played) {
        const char *reason = CL_Reason(cl);
        fprintf(stderr, "edict-example: %s: %s\n", argv[1], reason[0] ? reason : "no answer");
    }
    CL_Disconnect(cl);
    CL_Frame(cl, clock_ms()); // sends the disconnect
    CL_Destroy(cl);
    net->destroy(net);
    CL_MapsDestroy(maps);
    return played ? 0 : 1;
}
