// join_alone - joins a server and walks 32 qu: C17 and C++17, with the installed header alone.
// Usage: join_alone HOST:PORT MAPS_FOLDER

#include <edict/client.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Returns the distance that the predicted player walks within 60 s, at most 32 qu. Joins again if
/// a busy machine ends the session.
static float walk(cl_t *cl, cl_address_t server) {
    cl_player_state_t start, player;
    cl_input_t input;
    float distance = 0.0f;
    bool has_start = false;
    memset(&input, 0, sizeof input);
    for (int64_t end_ms = clock_ms() + 60000; clock_ms() < end_ms && distance < 32.0f;) {
        if (CL_State(cl) == CL_DISCONNECTED) {
            printf("joining: %s\n", CL_Reason(cl));
            if (!CL_Connect(cl, server, "alone", false, NULL)) {
                break;
            }
            has_start = false;
        }
        input.forward = 320.0f;
        input.yaw += 1.0f;
        CL_SetInput(cl, &input);
        CL_Frame(cl, clock_ms());
        if (CL_State(cl) == CL_ACTIVE && CL_HasMap(cl) && CL_Predicted(cl, &player)) {
            start = has_start ? start : player;
            has_start = true;
            distance = hypotf(player.origin.x - start.origin.x, player.origin.y - start.origin.y);
        }
        struct timespec nap = {0, 2000000};
        nanosleep(&nap, NULL);
    }
    return distance;
}

int main(int argc, char **argv) {
    cl_err_t err;
    cl_address_t server;
    cl_config_t config;
    memset(&config, 0, sizeof config);
    err.text[0] = '\0';
    config.net = CL_NetCreate(NULL, &err);
    config.maps = CL_MapsCreate(argc == 3 ? argv[2] : "");
    cl_t *cl = config.net ? CL_Create(&config) : NULL;
    if (!cl || !CL_Resolve(argv[1], 27500, &server, &err)) {
        puts(err.text);
        return 1;
    }
    float distance = walk(cl, server);
    printf("version %s, state %d, map fault \"%s\", walked %g\n", CL_Version(), (int)CL_State(cl),
           CL_MapFault(cl), (double)distance);
    CL_Disconnect(cl);
    CL_Frame(cl, clock_ms());
    CL_Destroy(cl);
    config.net->destroy(config.net);
    CL_MapsDestroy(config.maps);
    return distance >= 32.0f ? 0 : 1;
}
