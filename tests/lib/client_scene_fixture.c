#include "client_scene_fixture.h"

#include "lib/testing.h"

#include "base/file.h"
#include "lib/map_fixture.h"

#include <string.h>
#include <unistd.h>

const netaddr_t client_scene_server = {0x0a000001, 27500, 0};
const sim_conditions_t client_scene_clean = {.delay_ms = 2};
const sim_conditions_t client_scene_rough = {
    .loss = 0.05f, .duplicate = 0.05f, .reorder = 0.05f, .delay_ms = 80, .jitter_ms = 40};

// Builds a room around the origin with boxes to bump into.
static test_map_t room(void) {
    static test_block_t blocks[6];
    for (int32_t i = 0; i < 6; i++) {
        float x = (float)(i % 3 - 1) * 300.0f;
        float y = i < 3 ? 200.0f : -200.0f;
        blocks[i] = TestMap_Box(Vector(x - 40.0f, y - 40.0f, 0.0f),
                                Vector(x + 40.0f, y + 40.0f, 16.0f + 30.0f * (float)(i % 2)));
    }
    return (test_map_t){.room = {{-512.0f, -512.0f, 0.0f}, {512.0f, 512.0f, 256.0f}},
                        .blocks = blocks,
                        .num_blocks = 6,
                        .name = "room"};
}

static void write_map(const client_scene_t *scene, const test_map_t *test, const char *name) {
    char path[128];
    size_t size = 0;
    uint8_t *bytes = TestMap_Bytes(test, &size);
    snprintf(path, sizeof path, "%s/%s.bsp", scene->folder, name);
    assert_true(File_Write(path, bytes, size, NULL));
    free(bytes);
}

client_scene_t *ClientScene_New(uint64_t seed, sim_conditions_t conditions) {
    client_scene_t *scene = calloc(1, sizeof *scene);
    char path[128];
    err_t err = {""};
    assert_non_null(scene);
    snprintf(scene->folder, sizeof scene->folder, "/tmp/edictd-client-XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
    test_map_t test = room();
    write_map(scene, &test, "room");
    snprintf(path, sizeof path, "%s/room.bsp", scene->folder);
    if (!BSP_Load(&scene->map, path, &err)) {
        fail_msg("%s", err.text);
    }
    scene->maps = CL_MapsCreate(scene->folder);
    scene->sim = SimNet_Create(seed, conditions);
    transport_t *net = SimNet_Transport(scene->sim, client_scene_server, MINI_PEERS, true);
    assert_true(scene->maps);
    assert_true(scene->sim);
    assert_true(net);
    MiniServer_Init(&scene->mini, net, &scene->map);
    return scene;
}

void ClientScene_Free(client_scene_t *scene) {
    char command[128];
    for (int32_t i = 0; i < scene->count; i++) {
        CL_Destroy(scene->clients[i]);
    }
    MiniServer_Free(&scene->mini);
    SimNet_Destroy(scene->sim);
    CL_MapsDestroy(scene->maps);
    CM_FreeMap(&scene->map);
    snprintf(command, sizeof command, "rm -rf %s", scene->folder);
    assert_int_equal(system(command), 0);
    free(scene);
}

cl_t *ClientScene_Add(client_scene_t *scene, bool with_maps, int32_t cmd_ms) {
    const netaddr_t address = {0x0a000100u + (uint32_t)scene->count, 4000, 0};
    transport_t *net = SimNet_Transport(scene->sim, address, 2, false);
    assert_non_null(net);
    cl_t *cl = CL_Create(
        &(cl_config_t){.net = net, .maps = with_maps ? scene->maps : NULL, .cmd_ms = cmd_ms});
    assert_non_null(cl);
    scene->nets[scene->count] = net;
    scene->clients[scene->count++] = cl;
    return cl;
}

void ClientScene_Step(client_scene_t *scene) {
    scene->now_ms += CLIENT_SCENE_STEP_MS;
    SimNet_Advance(scene->sim, scene->now_ms);
    MiniServer_Frame(&scene->mini, scene->now_ms);
    for (int32_t i = 0; i < scene->count; i++) {
        player_state_t player;
        CL_Frame(scene->clients[i], scene->now_ms);
        if (scene->predicts) {
            (void)CL_Predicted(scene->clients[i], &player);
        }
    }
}

void ClientScene_Run(client_scene_t *scene, int64_t ms) {
    for (int64_t end = scene->now_ms + ms; scene->now_ms < end;) {
        ClientScene_Step(scene);
    }
}

// Joins and plays; discards the events until then.
cl_t *ClientScene_Join(client_scene_t *scene, const char *name) {
    cl_event_t event;
    err_t err = {""};
    cl_t *cl = ClientScene_Add(scene, true, 0);
    assert_true(CL_Connect(cl, client_scene_server, name, false, &err));
    for (int32_t i = 0; i < 2500 && CL_State(cl) != CL_ACTIVE; i++) {
        ClientScene_Step(scene);
    }
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    while (CL_NextEvent(cl, &event)) {
    }
    return cl;
}

void ClientScene_ExpectEvent(cl_t *cl, cl_event_type_t type, int32_t number, const char *text) {
    cl_event_t event = {.text = "nothing"};
    assert_true(CL_NextEvent(cl, &event));
    assert_string_equal(event.text, text);
    assert_int_equal(event.type, type);
    assert_int_equal(event.number, number);
}

void ClientScene_ExpectNoEvent(cl_t *cl) {
    cl_event_t event;
    assert_false(CL_NextEvent(cl, &event));
}
