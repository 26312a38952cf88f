// A decoder in Python, written from common/proto/README.md alone, reads every message of a recorded
// match and finds the values that the C code finds.

#include "base/rng.h"
#include "client/cl_local.h"
#include "core/server_local.h"
#include "lib/download_fixture.h"
#include "lib/net_fixture.h"
#include "lib/recording_fixture.h"
#include "lib/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAYERS 8
#define PLAY_MS 3000 // three times a match

static void fight(test_net_t *net, rng_t *rng) {
    for (int64_t end = net->now_ms + PLAY_MS; net->now_ms < end;) {
        TestNet_Step(net);
        for (int32_t i = 0; i < net->num_clients && net->now_ms % 256 == 0; i++) {
            cl_input_t input = {.forward = Rng_Float(rng) * 640.0f - 320.0f,
                                .side = Rng_Float(rng) * 640.0f - 320.0f,
                                .yaw = Rng_Float(rng) * 360.0f,
                                .pitch = Rng_Float(rng) * 60.0f - 30.0f,
                                .buttons = (uint8_t)(Rng_Float(rng) * 16.0f),
                                .impulse = (uint8_t)(Rng_Float(rng) * 10.0f)};
            CL_SetInput(net->clients[i], &input);
        }
    }
}

// Sends messages of every kind that a client sends.
static void talk(test_net_t *net) {
    err_t err;
    for (int32_t i = 0; i < net->num_clients; i++) {
        assert_true(CL_Say(net->clients[i], "hello \"all\" \\ äöü"));
        assert_true(CL_SayTeam(net->clients[i], "to the flag"));
        assert_true(CL_Command(net->clients[i], "kill"));
    }
    assert_true(CL_SetInfo(net->clients[0], "colour", "ff0080", &err));
    assert_true(CL_SetInfo(net->clients[1], "name", "Ærøskøbing", &err));
}

static edict_t *add(test_net_t *net, const char *classname) {
    server_t *server = net->server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    edict_t *edict = sv.engine->spawn(&sv);
    assert_non_null(edict);
    edict->classname = sv.engine->string(&sv, classname);
    sv.engine->link(&sv, edict, false);
    return edict;
}

// Returns the number of a class at the recorded client, 0 = unknown.
static int32_t class_number(const test_net_t *net, const char *name) {
    const cl_t *cl = net->clients[0];
    for (int32_t n = 1; n <= cl->names.counts[NAMES_CLASSES]; n++) {
        if (strcmp(Client_Name(cl, NAMES_CLASSES, n), name) == 0) {
            return n;
        }
    }
    return 0;
}

static void start(test_net_t *net, const char *path, const char *gametype, float rate_hz) {
    err_t err;
    TestNet_Init(
        net, &(test_net_config_t){.seed = 13,
                                  .conditions = {.loss = 0.05f, .delay_ms = 40, .jitter_ms = 10},
                                  .max_clients = PLAYERS,
                                  .map_file = path,
                                  .rate_hz = rate_hz});
    assert_true(Server_SetCvar(net->server, "g_monsters", "1", &err));
    assert_true(Server_SetCvar(net->server, "g_gametype", gametype, &err));
    assert_true(Server_StartMap(net->server, "testmap", &err)); // with the cvars above
    for (int32_t i = 0; i < PLAYERS; i++) {
        TestNet_AddClient(net, "runner");
    }
}

// Runs the decoder on a recording.
static void decode(const char *file) {
    char command[256];
    snprintf(command, sizeof command, "python3 tests/protocol/decode.py %s", file);
    assert_int_equal(system(command), 0);
}

// Records a match with a change of map, and runs the decoder on the recording.
static void decode_match(const char *map, const char *gametype, float rate_hz) {
    char path[256];
    test_net_t net;
    test_recording_t recording;
    rng_t rng = {1309};
    char file[] = "/tmp/edictd-recording-XXXXXX";
    err_t err;
    snprintf(path, sizeof path, "%s/maps/%s.bsp", Test_BuildFolder(), map);
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not there\n", path);
        skip();
    }
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    start(&net, path, gametype, rate_hz);
    TestRecording_Start(&recording, file);
    TestRecording_Tap(&recording, net.client_nets[0]);
    assert_true(TestNet_WaitActive(&net, 5000));
    edict_t *secret = add(&net, "secret"); // not for the recorded client
    secret->visibility = VISIBLE_BUT_CLIENT;
    secret->visible_to = (uint16_t)CL_Slot(net.clients[0]);
    for (int32_t i = 0; i < 100; i++) {
        TestNet_Step(&net);
    }
    (void)add(&net, "open"); // the next number
    fight(&net, &rng);
    talk(&net);
    assert_int_equal(class_number(&net, "secret"), 0);
    secret->visibility = VISIBLE_CLIENT;
    fight(&net, &rng);
    int32_t number = class_number(&net, "secret"); // it was a placeholder
    assert_true(number > 0 && number < class_number(&net, "open"));
    assert_true(Server_StartMap(net.server, "testmap", &err));
    fight(&net, &rng);
    TestNet_Free(&net);
    TestRecording_End(&recording);
    print_message("%s: %d messages, %d snapshots\n", map, recording.messages, recording.snapshots);
    assert_int_equal(recording.bad, 0);
    assert_true(recording.snapshots > 200);
    decode(file);
    (void)remove(file);
}

static void test_a_download(void **state) {
    (void)state;
    enum { BYTES = 50000 };
    char file[] = "/tmp/edictd-recording-XXXXXX", folder[96];
    test_net_t net;
    test_recording_t recording;
    err_t err;
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    TestNet_Init(&net, &(test_net_config_t){.seed = 17,
                                            .conditions = {.loss = 0.05f, .delay_ms = 20},
                                            .max_clients = 2,
                                            .map_file = TestDownload_Map(BYTES),
                                            .download_rate = 500000});
    TestDownload_RemoveMap();
    cl_maps_t *full = net.maps;
    net.maps = CL_MapsCreate("/nonexistent");
    snprintf(folder, sizeof folder, "%s/downloads", net.folder);
    assert_true(CL_MapsDownload(net.maps, folder, &err));
    TestNet_AddClient(&net, "late");
    TestRecording_Start(&recording, file);
    TestRecording_Tap(&recording, net.client_nets[0]);
    assert_true(TestNet_WaitActive(&net, 5000));
    assert_true(CL_HasMap(net.clients[0]));
    CL_Destroy(net.clients[0]); // before its maps
    net.clients[0] = NULL;
    CL_MapsDestroy(net.maps);
    net.maps = full;
    TestNet_Free(&net);
    TestRecording_End(&recording);
    assert_int_equal(recording.bad, 0);
    assert_true(recording.messages > BYTES / CTL_PIECE_BYTES + 4); // PIECEs, a GET, HELLO, ...
    decode(file);
    (void)remove(file);
}

static void test_a_deathmatch(void **state) {
    (void)state;
    decode_match("foundry", "0", 62.5f);
}

static void test_capture_the_flag(void **state) {
    (void)state;
    decode_match("foundry", "1", 77.0f);
}

static void test_vehicles_and_lifts(void **state) {
    (void)state;
    decode_match("tracks", "0", 30.0f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_deathmatch), cmocka_unit_test(test_capture_the_flag),
        cmocka_unit_test(test_vehicles_and_lifts), cmocka_unit_test(test_a_download)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
