// The client library against a small server of its own, on the simulated network.

#include "lib/testing.h"

#include "base/file.h"
#include "base/rng.h"
#include "client/maps.h"
#include "lib/test_map.h"
#include "lib/test_miniserver.h"
#include "state/movetype.h"

#include <string.h>
#include <unistd.h>

#define MAX_TEST_CLIENTS 4
#define STEP_MS          4

static const netaddr_t server_address = {0x0a000001, 27500, 0};
static const sim_conditions_t clean = {.delay_ms = 2};
static const sim_conditions_t rough = {
    .loss = 0.05f, .duplicate = 0.05f, .reorder = 0.05f, .delay_ms = 80, .jitter_ms = 40};

typedef struct {
    sim_net_t *sim;
    mini_server_t mini;
    cmap_t map;
    cl_maps_t *maps;
    char folder[64];
    cl_t *clients[MAX_TEST_CLIENTS];
    int32_t count;
    int64_t now_ms;
    bool predicts; // after every step
} scene_t;

// Boxes to bump into in a room around the origin.
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

static void write_map(const scene_t *scene, const test_map_t *test, const char *name) {
    char path[128];
    size_t size = 0;
    uint8_t *bytes = TestMap_Bytes(test, &size);
    snprintf(path, sizeof path, "%s/%s.bsp", scene->folder, name);
    assert_true(File_Write(path, bytes, size, NULL));
    free(bytes);
}

static scene_t *new_scene(uint64_t seed, sim_conditions_t conditions) {
    scene_t *scene = calloc(1, sizeof *scene);
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
    transport_t *net = SimNet_Transport(scene->sim, server_address, MINI_PEERS, true);
    assert_true(scene->maps && scene->sim && net);
    MiniServer_Init(&scene->mini, net, &scene->map);
    return scene;
}

static void free_scene(scene_t *scene) {
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

static cl_t *add_client(scene_t *scene, bool with_maps, int32_t cmd_ms) {
    const netaddr_t address = {0x0a000100u + (uint32_t)scene->count, 4000, 0};
    transport_t *net = SimNet_Transport(scene->sim, address, 2, false);
    assert_non_null(net);
    cl_t *cl = CL_Create(
        &(cl_config_t){.net = net, .maps = with_maps ? scene->maps : NULL, .cmd_ms = cmd_ms});
    assert_non_null(cl);
    scene->clients[scene->count++] = cl;
    return cl;
}

static void step(scene_t *scene) {
    scene->now_ms += STEP_MS;
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

static void run(scene_t *scene, int64_t ms) {
    for (int64_t end = scene->now_ms + ms; scene->now_ms < end;) {
        step(scene);
    }
}

// Joins and plays; the events until then are thrown away.
static cl_t *join(scene_t *scene, const char *name) {
    cl_event_t event;
    err_t err = {""};
    cl_t *cl = add_client(scene, true, 0);
    assert_true(CL_Connect(cl, server_address, name, false, &err));
    for (int32_t i = 0; i < 2500 && CL_State(cl) != CL_ACTIVE; i++) {
        step(scene);
    }
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    while (CL_NextEvent(cl, &event)) {
    }
    return cl;
}

static void expect_event(cl_t *cl, cl_event_type_t type, int32_t number, const char *text) {
    cl_event_t event = {.text = "nothing"};
    assert_true(CL_NextEvent(cl, &event));
    assert_string_equal(event.text, text);
    assert_int_equal(event.type, type);
    assert_int_equal(event.number, number);
}

static void expect_no_event(cl_t *cl) {
    cl_event_t event;
    assert_false(CL_NextEvent(cl, &event));
}

static void test_joins_and_sees(void **state) {
    (void)state;
    scene_t *scene = new_scene(1, clean);
    cl_t *cl = add_client(scene, true, 0);
    player_state_t player;
    entity_state_t entities[4];
    err_t err = {""};
    scene->mini.entities[0] = (entity_state_t){.number = 40, .type = ENTITY_GENERAL};
    scene->mini.entities[1] = (entity_state_t){.number = 41, .type = ENTITY_GENERAL};
    scene->mini.num_entities = 2;

    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    assert_int_equal(CL_Slot(cl), -1);
    assert_false(CL_Self(cl, &player) || CL_Predicted(cl, &player) || CL_Say(cl, "hi"));
    assert_false(
        CL_Connect(cl, server_address, "a name that is much longer than is allowed", false, &err));
    assert_true(CL_Connect(cl, server_address, "anna", true, &err));
    assert_int_equal(CL_State(cl), CL_CONNECTING);
    assert_false(CL_Connect(cl, server_address, "anna", false, &err));
    run(scene, 500);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    assert_int_equal(CL_Slot(cl), 0);
    assert_int_equal(CL_TickMs(cl), MINI_TICK_MS);
    assert_string_equal(CL_MapName(cl), "room");
    assert_true(CL_HasMap(cl));
    assert_true(scene->mini.tick - CL_ServerTick(cl) <= 2);
    assert_true(CL_Self(cl, &player) && player.health == 100);
    assert_int_equal(CL_Entities(cl, entities, 4), 2);
    assert_int_equal(entities[1].number, 41);
    assert_int_equal(CL_Entities(cl, entities, 1), 1);
    expect_event(cl, CL_EVENT_CONNECTED, 0, "mini");
    expect_event(cl, CL_EVENT_MAP, 1, "room");
    expect_event(cl, CL_EVENT_ACTIVE, 0, "room");
    expect_no_event(cl);

    const mini_peer_t *peer = &scene->mini.peers[0];
    assert_string_equal(peer->hello.name, "anna");
    assert_true(peer->hello.spectator && peer->ready.has_map);
    assert_true(CL_Say(cl, "hello all"));
    run(scene, 50);
    assert_int_equal(peer->last.type, CTL_SAY);
    assert_string_equal(peer->last.u.text.text, "hello all");
    assert_true(CL_Command(cl, "give all"));
    run(scene, 50);
    assert_int_equal(peer->last.type, CTL_COMMAND);
    CL_Disconnect(cl);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    run(scene, 500);
    assert_int_equal(peer->leaves, 1);
    assert_int_equal(peer->left, NET_REASON_LEFT);
    expect_no_event(cl);
    // And once more, on the same client.
    assert_true(CL_Connect(cl, server_address, "berta", false, &err));
    run(scene, 500);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    assert_int_equal(scene->mini.bad_packets, 0);
    free_scene(scene);
}

static void test_input_arrives_as_given(void **state) {
    (void)state;
    scene_t *scene = new_scene(2, clean);
    cl_t *cl = join(scene, "anna");
    const mini_peer_t *peer = &scene->mini.peers[0];
    CL_SetInput(cl, &(cl_input_t){.forward = 320.0f,
                                  .side = -1e9f,
                                  .up = NAN,
                                  .pitch = -30.0f,
                                  .yaw = 450.0f,
                                  .buttons = BUTTON_ATTACK,
                                  .impulse = 7});
    bool impulse_seen = false;
    for (int32_t i = 0; i < 50; i++) {
        step(scene);
        impulse_seen = impulse_seen || peer->newest.impulse == 7;
    }
    assert_true(impulse_seen);
    assert_int_equal(peer->newest.impulse, 0); // once only
    assert_int_equal(peer->newest.forward, 320);
    assert_int_equal(peer->newest.side, -MAX_WISH_SPEED);
    assert_int_equal(peer->newest.up, -MAX_WISH_SPEED);
    assert_int_equal(peer->newest.pitch, 65536 - 65536 / 12);
    assert_int_equal(peer->newest.yaw, 16384);
    assert_int_equal(peer->newest.buttons, BUTTON_ATTACK);
    // A button pressed and released between two commands is not lost.
    CL_SetInput(cl, &(cl_input_t){.buttons = BUTTON_JUMP});
    CL_SetInput(cl, &(cl_input_t){.buttons = 0});
    bool jump_seen = false;
    for (int32_t i = 0; i < 20; i++) {
        step(scene);
        jump_seen = jump_seen || (peer->newest.buttons & BUTTON_JUMP);
    }
    assert_true(jump_seen);
    assert_int_equal(peer->newest.buttons, 0);
    free_scene(scene);
}

static void test_what_the_server_says(void **state) {
    (void)state;
    scene_t *scene = new_scene(3, clean);
    cl_t *cl = join(scene, "anna");
    control_msg_t msg = {.type = CTL_PRINT};
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "a line");
    MiniServer_Send(&scene->mini, 0, &msg);
    msg = (control_msg_t){.type = CTL_PLAYER_INFO};
    msg.u.player_info = (ctl_player_info_t){.slot = 5, .inuse = true, .name = "otto"};
    MiniServer_Send(&scene->mini, 0, &msg);
    MiniServer_Send(&scene->mini, 0, &msg); // nothing new
    msg = (control_msg_t){.type = CTL_CHAT};
    msg.u.chat = (ctl_chat_t){.slot = 5, .text = "hi"};
    MiniServer_Send(&scene->mini, 0, &msg);
    run(scene, 50);
    assert_string_equal(CL_PlayerName(cl, 5), "otto");
    assert_string_equal(CL_PlayerName(cl, 6), "");
    assert_string_equal(CL_PlayerName(cl, -1), "");
    msg = (control_msg_t){.type = CTL_EFFECT};
    msg.u.effect =
        (ctl_effect_t){.tick = 1234, .number = 77, .origin = {1.0f, 2.0f, 3.0f}, .text = "boom"};
    MiniServer_Send(&scene->mini, 0, &msg);
    msg = (control_msg_t){.type = CTL_PLAYER_INFO};
    msg.u.player_info = (ctl_player_info_t){.slot = 5};
    MiniServer_Send(&scene->mini, 0, &msg);
    msg = (control_msg_t){.type = CTL_GOODBYE};
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "the server goes down");
    MiniServer_Send(&scene->mini, 0, &msg);
    run(scene, 500);
    expect_event(cl, CL_EVENT_PRINT, 0, "a line");
    expect_event(cl, CL_EVENT_JOINED, 5, "otto");
    expect_event(cl, CL_EVENT_CHAT, 5, "hi");
    cl_event_t event;
    assert_true(CL_NextEvent(cl, &event));
    assert_int_equal(event.type, CL_EVENT_EFFECT);
    assert_int_equal(event.number, 77);
    assert_int_equal(event.tick, 1234);
    assert_true(VectorCompare(event.origin, Vector(1.0f, 2.0f, 3.0f)));
    expect_event(cl, CL_EVENT_LEFT, 5, "otto");
    expect_event(cl, CL_EVENT_DROPPED, 0, "the server goes down");
    expect_no_event(cl);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    assert_string_equal(CL_Reason(cl), "the server goes down");
    free_scene(scene);
}

static void test_a_refusal_is_shown(void **state) {
    (void)state;
    scene_t *scene = new_scene(4, clean);
    cl_t *cl = add_client(scene, true, 0);
    scene->mini.is_full = true;
    assert_true(CL_Connect(cl, server_address, "anna", false, NULL));
    run(scene, 500);
    assert_string_equal(CL_Reason(cl), "the server is full");
    expect_event(cl, CL_EVENT_DROPPED, 0, "the server is full");
    free_scene(scene);
}

static void test_nobody_there(void **state) {
    (void)state;
    scene_t *scene = new_scene(5, clean);
    cl_t *cl = add_client(scene, true, 0);
    const netaddr_t nobody = {0x0a0000ff, 27500, 0};
    assert_true(CL_Connect(cl, nobody, "anna", false, NULL));
    run(scene, 60000);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    assert_true(CL_Reason(cl)[0] != '\0');
    free_scene(scene);
}

static void test_a_map_change_starts_anew(void **state) {
    (void)state;
    scene_t *scene = new_scene(6, rough);
    cl_t *cl = join(scene, "anna");
    run(scene, 2000);
    cl_event_t event;
    while (CL_NextEvent(cl, &event)) {
    }
    mini_peer_t *peer = &scene->mini.peers[0];
    scene->mini.tick = 5;
    peer->first_tick = -1;
    MiniServer_SendMap(&scene->mini);
    run(scene, 3000);
    expect_event(cl, CL_EVENT_MAP, 1, "room");
    expect_event(cl, CL_EVENT_ACTIVE, 0, "room");
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    assert_int_equal(peer->ready.epoch, 2);
    assert_true(CL_ServerTick(cl) > 100 && CL_ServerTick(cl) < 300);
    assert_true(peer->first_tick > 5 && peer->first_tick < 60);
    assert_int_equal(peer->lost_cmds, 0);
    assert_int_equal(scene->mini.bad_packets, 0);
    free_scene(scene);
}

static void test_another_map_means_no_prediction(void **state) {
    (void)state;
    scene_t *scene = new_scene(7, clean);
    scene->mini.info.hash ^= 1; // the server's is not ours
    cl_t *cl = join(scene, "anna");
    assert_false(CL_HasMap(cl));
    assert_false(scene->mini.peers[0].ready.has_map);
    player_state_t self;
    player_state_t predicted;
    CL_SetInput(cl, &(cl_input_t){.forward = 320.0f});
    run(scene, 500);
    assert_true(CL_Self(cl, &self) && CL_Predicted(cl, &predicted));
    assert_memory_equal(&self, &predicted, sizeof self);
    assert_true(self.origin.x > 20.0f); // he walks all the same

    err_t err = {""};
    assert_null(CL_MapsFind(scene->maps, "room", scene->mini.info.hash, &err));
    assert_non_null(strstr(err.text, "room.bsp: expected hash"));
    assert_null(CL_MapsFind(scene->maps, "nowhere", 1, &err));
    assert_non_null(strstr(err.text, "nowhere: no such file"));
    assert_null(CL_MapsFind(scene->maps, "../room", scene->map.hash, &err));
    assert_non_null(CL_MapsFind(scene->maps, "room", scene->map.hash, &err));
    free_scene(scene);
}

// Runs about, turning, jumping, against walls and boxes.
static void steer(cl_t *cl, int32_t n, int64_t now_ms) {
    CL_SetInput(cl, &(cl_input_t){.forward = 320.0f,
                                  .side = (now_ms / 700) % 3 == 0 ? 200.0f : 0.0f,
                                  .yaw = (float)(now_ms / 20 % 360) + 90.0f * (float)n,
                                  .buttons = (now_ms / 400) % 2 ? BUTTON_JUMP : 0});
}

static void test_prediction_is_exact(void **state) {
    (void)state;
    scene_t *scene = new_scene(8, rough);
    // One thing stands in the way that is not in the map.
    scene->mini.entities[0] = (entity_state_t){.number = 50,
                                               .solid = SOLID_BBOX,
                                               .origin = {2000, 0, 400},
                                               .mins = {-256, -256, -384},
                                               .maxs = {256, 256, 512}};
    scene->mini.num_entities = 1;
    cl_t *cl = join(scene, "anna");
    scene->predicts = true;
    for (int64_t end = scene->now_ms + 20000; scene->now_ms < end;) {
        steer(cl, 0, scene->now_ms);
        step(scene);
    }
    cl_stats_t stats;
    player_state_t self;
    player_state_t predicted;
    CL_Stats(cl, &stats);
    print_message("%llu predictions, %llu wrong\n", (unsigned long long)stats.predictions,
                  (unsigned long long)stats.mispredictions);
    assert_true(stats.predictions > 800);
    assert_int_equal(stats.mispredictions, 0);
    assert_true(CL_Self(cl, &self) && CL_Predicted(cl, &predicted));
    assert_false(VectorCompare(self.origin, predicted.origin)); // a round trip ahead
    // The same again with other movevars, changed under way.
    control_msg_t msg = {.type = CTL_MOVEVARS};
    scene->mini.info.vars.sv_gravity = 400.0f;
    msg.u.movevars = (ctl_movevars_t){.tick = scene->mini.tick, .vars = scene->mini.info.vars};
    MiniServer_Send(&scene->mini, 0, &msg);
    run(scene, 2000);
    CL_Stats(cl, &stats);
    uint64_t wrong = stats.mispredictions;
    for (int64_t end = scene->now_ms + 5000; scene->now_ms < end;) {
        steer(cl, 0, scene->now_ms);
        step(scene);
    }
    CL_Stats(cl, &stats);
    assert_int_equal(stats.mispredictions, wrong);
    free_scene(scene);
}

static void test_no_command_is_lost_or_late(void **state) {
    (void)state;
    scene_t *scene = new_scene(9, rough);
    cl_t *cl = join(scene, "anna");
    mini_peer_t *peer = &scene->mini.peers[0];
    for (int64_t end = scene->now_ms + 5000; scene->now_ms < end;) { // settles
        steer(cl, 0, scene->now_ms);
        step(scene);
    }
    uint32_t filled_ms = peer->filled_ms;
    int64_t late = peer->late_cmds;
    int64_t cmd_ms = peer->cmd_ms;
    int64_t tick = peer->last_tick;
    int64_t start_ms = scene->now_ms;
    for (int64_t end = scene->now_ms + 30000; scene->now_ms < end;) {
        steer(cl, 0, scene->now_ms);
        step(scene);
    }
    assert_int_equal(peer->lost_cmds, 0);
    assert_int_equal(peer->filled_ms, filled_ms); // nothing was made up for him
    assert_int_equal(peer->late_cmds, late);
    // His time is the ticks' time, and both are ours but for what the clock shifts.
    assert_int_equal(peer->cmd_ms - cmd_ms, (peer->last_tick - tick) * MINI_TICK_MS);
    int64_t drift_ms = peer->cmd_ms - cmd_ms - (scene->now_ms - start_ms);
    assert_true(drift_ms > -150 && drift_ms < 150);
    cl_stats_t stats;
    CL_Stats(cl, &stats);
    assert_int_equal(stats.cmds_skipped, 0);
    print_message("lead %d ms, rtt %d ms, %llu of %llu ticks seen\n", stats.lead_ms, stats.rtt_ms,
                  (unsigned long long)stats.snapshots,
                  (unsigned long long)(stats.snapshots + stats.snapshots_missed));
    free_scene(scene);
}

static void test_commands_of_another_length(void **state) {
    (void)state;
    static const int32_t lengths[] = {5, 8, 11, 33, 100};
    for (size_t i = 0; i < COUNTOF(lengths); i++) {
        scene_t *scene = new_scene(10 + i, clean);
        cl_t *cl = add_client(scene, true, lengths[i]);
        assert_true(CL_Connect(cl, server_address, "anna", false, NULL));
        scene->predicts = true;
        for (int64_t end = scene->now_ms + 6000; scene->now_ms < end;) {
            steer(cl, 0, scene->now_ms);
            step(scene);
        }
        const mini_peer_t *peer = &scene->mini.peers[0];
        cl_stats_t stats;
        CL_Stats(cl, &stats);
        assert_int_equal(scene->mini.bad_packets, 0);
        assert_int_equal(peer->lost_cmds, 0);
        assert_int_equal(peer->newest.msec, lengths[i]);
        assert_true(peer->cmd_ms > 5500);
        assert_true(stats.predictions > 20);
        assert_int_equal(stats.mispredictions, 0);
        free_scene(scene);
    }
}

static void test_survives_outages(void **state) {
    (void)state;
    scene_t *scene = new_scene(20, clean);
    cl_t *cl = join(scene, "anna");
    const netaddr_t own = {0x0a000100, 4000, 0};
    const mini_peer_t *peer = &scene->mini.peers[0];
    run(scene, 2000);
    SimNet_SetPartition(scene->sim, server_address, own, true);
    run(scene, 3000);
    SimNet_SetPartition(scene->sim, server_address, own, false);
    run(scene, 3000);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    uint32_t filled_ms = peer->filled_ms;
    assert_true(filled_ms > 2000);
    run(scene, 5000);
    assert_int_equal(peer->filled_ms, filled_ms); // in time again
    assert_int_equal(scene->mini.bad_packets, 0);
    // A program that sleeps for two seconds.
    for (int32_t i = 0; i < 500; i++) {
        scene->now_ms += STEP_MS;
        SimNet_Advance(scene->sim, scene->now_ms);
        MiniServer_Frame(&scene->mini, scene->now_ms);
    }
    run(scene, 3000);
    filled_ms = peer->filled_ms;
    run(scene, 3000);
    assert_int_equal(peer->filled_ms, filled_ms);
    cl_stats_t stats;
    CL_Stats(cl, &stats);
    assert_true(stats.cmds_skipped > 50);
    assert_true(stats.lead_ms < 200);
    // A server that hangs for ten seconds and lives on.
    scene->mini.says_nothing = true;
    run(scene, 10000);
    scene->mini.says_nothing = false;
    run(scene, 3000);
    filled_ms = peer->filled_ms;
    run(scene, 2000);
    assert_int_equal(peer->filled_ms, filled_ms);
    free_scene(scene);
}

static void test_many_in_one_process(void **state) {
    (void)state;
    scene_t *scene = new_scene(21, rough);
    cl_t *cls[MAX_TEST_CLIENTS];
    for (int32_t i = 0; i < MAX_TEST_CLIENTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "client%d", i);
        cls[i] = join(scene, name);
    }
    for (int64_t end = scene->now_ms + 5000; scene->now_ms < end;) {
        for (int32_t i = 0; i < MAX_TEST_CLIENTS; i++) {
            steer(cls[i], i, scene->now_ms);
        }
        step(scene);
    }
    bool slots[MINI_PEERS] = {false};
    for (int32_t i = 0; i < MAX_TEST_CLIENTS; i++) {
        player_state_t self;
        assert_int_equal(CL_State(cls[i]), CL_ACTIVE);
        assert_false(slots[CL_Slot(cls[i])]);
        slots[CL_Slot(cls[i])] = true;
        assert_true(CL_Self(cls[i], &self) && VectorLength(self.origin) > 30.0f);
    }
    free_scene(scene);
}

static void test_bad_bytes_end_the_session(void **state) {
    (void)state;
    static const struct {
        uint8_t channel;
        const char *bytes;
        size_t size;
        const char *reason;
    } cases[] = {
        {NET_CHANNEL_CONTROL, "\xff", 1, "type 255"},
        {NET_CHANNEL_CONTROL, "\x14\xff\xff", 3, "PRINT"},
        {NET_CHANNEL_CONTROL, "\x10\x01\x00\x00\x07\x00\x00", 7, "out of turn"}, // a 2nd WELCOME
        {NET_CHANNEL_CONTROL, "\x01", 1, "type 1"}, // what only clients say
        {NET_CHANNEL_SNAPSHOT, "\x01\x02", 2, "snapshot"},
        {NET_CHANNEL_USERCMD, "x", 1, "channel"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        scene_t *scene = new_scene(30 + i, clean);
        cl_t *cl = join(scene, "anna");
        scene->mini.says_nothing = true;
        MiniServer_SendRaw(&scene->mini, 0, cases[i].channel, cases[i].bytes, cases[i].size);
        run(scene, 500);
        assert_int_equal(CL_State(cl), CL_DISCONNECTED);
        if (!strstr(CL_Reason(cl), cases[i].reason)) {
            fail_msg("case %zu: %s", i, CL_Reason(cl));
        }
        assert_int_equal(scene->mini.peers[0].leaves, 1);
        assert_int_equal(scene->mini.peers[0].left, NET_REASON_BAD_DATA);
        cl_event_t event;
        assert_true(CL_NextEvent(cl, &event) && event.type == CL_EVENT_DROPPED);
        free_scene(scene);
    }
}

// A server gone mad: valid messages and snapshots with random bits flipped. Whatever comes of it,
// the client plays on or drops it.
static void test_flipped_bits_from_the_server(void **state) {
    (void)state;
    rng_t rng = {40};
    int32_t dropped = 0;
    int32_t rounds = Test_IsLong() ? 2000 : 60;
    for (int32_t round = 0; round < rounds; round++) {
        scene_t *scene = new_scene(100 + (uint64_t)round, clean);
        cl_t *cl = join(scene, "anna");
        scene->predicts = true;
        snapshot_ring_t *ring = SnapshotRing_Create(4, 3 * MAX_SNAPSHOT_ENTS);
        assert_non_null(ring);
        SnapshotRing_Reset(ring, scene->mini.info.epoch, MINI_TICK_MS);
        scene->mini.says_nothing = true;
        for (int32_t i = 0; i < 100; i++) {
            uint8_t data[MAX_PACKET_BYTES];
            snapshot_stats_t stats;
            snapshot_t now = {.tick = scene->mini.tick + i + 1,
                              .cmd_tick = scene->mini.tick,
                              .player = scene->mini.peers[0].player};
            entity_state_t box = {.number = 7, .solid = SOLID_BSP, .model = 1};
            const entity_state_t *order[] = {&box};
            msg_writer_t out = MSG_Writer(data, sizeof data);
            Snapshot_Write(&out, ring, &now, order, 1, &stats);
            size_t size = MSG_Finish(&out);
            data[Rng_Below(&rng, (uint32_t)size)] ^= (uint8_t)(1u << Rng_Below(&rng, 8));
            MiniServer_SendRaw(&scene->mini, 0, NET_CHANNEL_SNAPSHOT, data, size);
            scene->mini.net->flush(scene->mini.net);
            run(scene, STEP_MS);
        }
        dropped += CL_State(cl) == CL_DISCONNECTED ? 1 : 0;
        SnapshotRing_Destroy(ring);
        free_scene(scene);
    }
    assert_true(dropped > 0);
}

static void test_full_event_list_is_counted(void **state) {
    (void)state;
    scene_t *scene = new_scene(50, clean);
    cl_t *cl = join(scene, "anna");
    control_msg_t msg = {.type = CTL_PRINT};
    for (int32_t i = 0; i < 300; i++) {
        snprintf(msg.u.text.text, sizeof msg.u.text.text, "%d", i);
        MiniServer_Send(&scene->mini, 0, &msg);
        run(scene, 2 * STEP_MS);
    }
    run(scene, 500);
    cl_stats_t stats;
    CL_Stats(cl, &stats);
    assert_int_equal(stats.events_lost, 300 - 256);
    expect_event(cl, CL_EVENT_PRINT, 0, "0");
    free_scene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joins_and_sees),
        cmocka_unit_test(test_input_arrives_as_given),
        cmocka_unit_test(test_what_the_server_says),
        cmocka_unit_test(test_a_refusal_is_shown),
        cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_a_map_change_starts_anew),
        cmocka_unit_test(test_another_map_means_no_prediction),
        cmocka_unit_test(test_prediction_is_exact),
        cmocka_unit_test(test_no_command_is_lost_or_late),
        cmocka_unit_test(test_commands_of_another_length),
        cmocka_unit_test(test_survives_outages),
        cmocka_unit_test(test_many_in_one_process),
        cmocka_unit_test(test_bad_bytes_end_the_session),
        cmocka_unit_test(test_flipped_bits_from_the_server),
        cmocka_unit_test(test_full_event_list_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
