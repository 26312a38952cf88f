// Tests of the client library against a small server of the tests' own, on the simulated network.

#include "lib/testing.h"

#include "lib/client_scene_fixture.h"
#include "proto/entity_fields.h"
#include "state/movetype.h"

#include <stdlib.h>
#include <string.h>

static void test_joins_and_sees(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(1, client_scene_clean);
    cl_t *cl = ClientScene_Add(scene, true, 0);
    player_state_t player;
    entity_state_t entities[4];
    err_t err = {""};
    scene->mini.entities[0] = (entity_state_t){.number = 40, .type = ENTITY_GENERAL};
    scene->mini.entities[1] = (entity_state_t){.number = 41, .type = ENTITY_GENERAL};
    scene->mini.num_entities = 2;

    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    assert_int_equal(CL_Slot(cl), -1);
    assert_false(CL_Self(cl, &player) || CL_Predicted(cl, &player) || CL_Say(cl, "hi"));
    assert_false(CL_Connect(cl, client_scene_server, "a name that is much longer than is allowed",
                            false, &err));
    assert_true(CL_Connect(cl, client_scene_server, "anna", true, &err));
    assert_int_equal(CL_State(cl), CL_CONNECTING);
    assert_false(CL_Connect(cl, client_scene_server, "anna", false, &err));
    ClientScene_Run(scene, 500);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    assert_int_equal(CL_Slot(cl), 0);
    assert_int_equal(CL_TickRate(cl), MINI_RATE_MHZ);
    assert_string_equal(CL_MapName(cl), "room");
    assert_true(CL_HasMap(cl));
    assert_true(scene->mini.tick - CL_ServerTick(cl) <= 2);
    assert_true(CL_Self(cl, &player) && player.health == 100);
    assert_int_equal(CL_Entities(cl, entities, 4), CL_NumEntities(cl));
    assert_int_equal(entities[1].number, 41);
    assert_int_equal(CL_Entities(cl, entities, 1), 1);
    ClientScene_ExpectEvent(cl, CL_EVENT_CONNECTED, 0, "mini");
    ClientScene_ExpectEvent(cl, CL_EVENT_MAP, 1, "room");
    ClientScene_ExpectEvent(cl, CL_EVENT_ACTIVE, 0, "room");
    ClientScene_ExpectNoEvent(cl);

    const mini_peer_t *peer = &scene->mini.peers[0];
    assert_string_equal(peer->hello.name, "anna");
    assert_true(peer->hello.spectator && peer->ready.has_map);
    assert_true(CL_Say(cl, "hello all"));
    ClientScene_Run(scene, 50);
    assert_int_equal(peer->last.type, CTL_SAY);
    assert_string_equal(peer->last.u.text.text, "hello all");
    assert_true(CL_Command(cl, "give all"));
    ClientScene_Run(scene, 50);
    assert_int_equal(peer->last.type, CTL_COMMAND);
    CL_Disconnect(cl);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    ClientScene_Run(scene, 500);
    assert_int_equal(peer->leaves, 1);
    assert_int_equal(peer->left, NET_REASON_LEFT);
    ClientScene_ExpectNoEvent(cl);
    // A client can connect again.
    assert_true(CL_Connect(cl, client_scene_server, "berta", false, &err));
    ClientScene_Run(scene, 500);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    assert_int_equal(scene->mini.bad_packets, 0);
    ClientScene_Free(scene);
}

static void test_input_arrives_as_given(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(2, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
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
        ClientScene_Step(scene);
        impulse_seen = impulse_seen || peer->newest.impulse == 7;
    }
    assert_true(impulse_seen);
    assert_int_equal(peer->newest.impulse, 0); // an impulse is sent only once
    assert_int_equal(peer->newest.forward, 320);
    assert_int_equal(peer->newest.side, -MAX_WISH_SPEED);
    assert_int_equal(peer->newest.up, -MAX_WISH_SPEED);
    assert_int_equal(peer->newest.pitch, 65536 - 65536 / 12);
    assert_int_equal(peer->newest.yaw, 16384);
    assert_int_equal(peer->newest.buttons, BUTTON_ATTACK);
    // A button that was pressed and released between two commands is sent.
    CL_SetInput(cl, &(cl_input_t){.buttons = BUTTON_JUMP});
    CL_SetInput(cl, &(cl_input_t){.buttons = 0});
    bool jump_seen = false;
    for (int32_t i = 0; i < 20; i++) {
        ClientScene_Step(scene);
        jump_seen = jump_seen || (peer->newest.buttons & BUTTON_JUMP);
    }
    assert_true(jump_seen);
    assert_int_equal(peer->newest.buttons, 0);
    ClientScene_Free(scene);
}

// The fields of a map are those of the FIELDS before its MAP. Values that no snapshot has are 0.
static void test_fields_and_center_prints(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(50, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    cl_value_t value;
    assert_int_equal(CL_NumFields(cl, CL_SCOPE_PLAYER), 0);
    assert_false(CL_PlayerField(cl, 0, "score", &value));
    control_msg_t msg = {.type = CTL_CENTER};
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "you found a secret");
    MiniServer_Send(&scene->mini, 0, &msg);
    ClientScene_Run(scene, 50);
    ClientScene_ExpectEvent(cl, CL_EVENT_CENTER, 0, "you found a secret");
    msg = (control_msg_t){.type = CTL_FIELDS};
    msg.u.fields.scopes[SCOPE_CLIENT] = (sent_fields_t){
        .count = 2,
        .list = {{.name = "score", .type = SENT_INT, .flags = SENT_SCORE, .lo = -9, .hi = 9},
                 {.name = "armour", .type = SENT_STEPS, .hi = 8, .step = 0.5f}}};
    MiniServer_Send(&scene->mini, 0, &msg);
    ClientScene_Run(scene, 50);
    assert_int_equal(CL_NumFields(cl, CL_SCOPE_PLAYER), 0); // only the next map has them
    MiniServer_SendMap(&scene->mini);
    ClientScene_Run(scene, 200);
    assert_int_equal(CL_NumFields(cl, CL_SCOPE_PLAYER), 2);
    assert_int_equal(CL_NumFields(cl, CL_SCOPE_WORLD), 0);
    assert_string_equal(CL_Field(cl, CL_SCOPE_PLAYER, 1), "armour");
    assert_string_equal(CL_Field(cl, CL_SCOPE_PLAYER, 2), "");
    assert_string_equal(CL_ScoreField(cl), "score");
    assert_true(CL_PlayerField(cl, 3, "armour", &value) && value.number == 0);
    assert_true(value.type == CL_VALUE_FLOAT && value.real == 0.0f && value.text[0] == '\0');
    assert_false(CL_PlayerField(cl, 3, "ammo", &value) || CL_PlayerField(cl, -1, "score", &value));
    MiniServer_SendMap(&scene->mini); // without FIELDS
    ClientScene_Run(scene, 200);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    assert_false(CL_PlayerField(cl, 3, "armour", &value));
    assert_string_equal(CL_ScoreField(cl), "");
    ClientScene_Free(scene);
}

// Tests the poses to draw: they move smoothly, one snapshot late; pushers follow their motion
// records.
static void test_poses_to_draw(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(51, client_scene_clean);
    entity_state_t *list = scene->mini.entities;
    const motion_t lift = {.kind = MOTION_MOVE,
                           .duration_ms = 1000000,
                           .base = {.origin = {0.0f, 0.0f, 100.0f}},
                           .delta = {1000.0f, 0.0f, 0.0f}};
    const motion_t top = {.kind = MOTION_NONE,
                          .base = {.origin = {0.0f, 0.0f, 132.0f}},
                          .parent = 41,
                          .parent_base = lift.base};
    list[0] = (entity_state_t){.number = 40, .type = ENTITY_GENERAL, .angles = {0, 65000, 0}};
    list[1] = (entity_state_t){.number = 41, .type = ENTITY_BRUSH};
    list[2] = (entity_state_t){.number = 42, .type = ENTITY_BRUSH};
    Entity_SetMotion(&list[1], &lift, 0);
    Entity_SetMotion(&list[2], &top, 0);
    scene->mini.num_entities = 3;
    cl_t *cl = ClientScene_Join(scene, "anna");
    int64_t tick = 0;
    int64_t last_tick = 0;
    uint16_t frac = 0;
    float last_x = 0.0f;
    int32_t fractions = 0;
    for (int32_t i = 0; i < 200; i++) {
        int64_t before = scene->mini.tick;
        ClientScene_Step(scene);
        list[0].origin[0] += 32 * (int32_t)(scene->mini.tick - before); // 2 qu per tick
        list[0].angles[1] =
            (list[0].angles[1] + 100 * (int32_t)(scene->mini.tick - before)) & 0xffff;
        assert_true(CL_ViewTime(cl, &tick, &frac));
        if (i < 20) {
            continue; // the movement has just begun
        }
        float time = (float)tick + (float)frac / 65536.0f;
        pose_t pose, pusher, rider;
        assert_true(tick >= last_tick && tick >= CL_ServerTick(cl) - 3 &&
                    tick <= CL_ServerTick(cl));
        assert_true(CL_EntityPose(cl, 40, tick, frac, &pose));
        assert_true(CL_EntityPose(cl, 41, tick, frac, &pusher));
        assert_true(CL_EntityPose(cl, 42, tick, frac, &rider));
        assert_true(fabsf(pusher.origin.x - time * 0.016f) < 0.002f);
        assert_true(fabsf(rider.origin.x - pusher.origin.x) < 0.001f && rider.origin.z == 132.0f);
        assert_true(pose.origin.x >= last_x && (last_x == 0.0f || pose.origin.x - last_x < 3.0f));
        fractions += frac != 0 ? 1 : 0;
        last_x = pose.origin.x;
        last_tick = tick;
        assert_true(scene->mini.peers[0].newest.view_tick <= tick);
    }
    assert_true(fractions > 50 && scene->mini.peers[0].newest.view_tick > 0);
    pose_t pose;
    assert_false(CL_EntityPose(cl, 43, tick, frac, &pose));
    // CL_Entities gives the entities' positions at the newest snapshot, in the units of the
    // protocol.
    entity_state_t seen[4];
    assert_int_equal(CL_Entities(cl, seen, 4), 3);
    int32_t expected = (int32_t)(CL_ServerTick(cl) * 16 * 16 / 1000);
    assert_true(abs(seen[1].origin[0] - expected) <= 1 && seen[1].velocity[0] == 1);
    assert_int_equal(seen[2].origin[2], 132 * 16);
    ClientScene_Free(scene);
}

// Tests pushers that ride each other in a circle, pushers on missing edicts, and long chains of
// pushers: each has a pose, and the player's own prediction goes on.
static void test_riding_in_circles(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(52, client_scene_clean);
    scene->predicts = true;
    const int32_t count = MINI_ENTITIES;
    for (int32_t i = 0; i < count; i++) {
        motion_t motion = {.kind = MOTION_SPIN,
                           .duration_ms = 300,
                           .delta_angles = {0.0f, 90.0f, 10.0f},
                           .parent = i < 10    ? 100 + (i + 1) % 10
                                     : i == 10 ? 999
                                               : 100 + i - 1};
        entity_state_t *entity = &scene->mini.entities[i];
        *entity = (entity_state_t){.number = 100 + i, .solid = SOLID_BSP, .model = 1};
        Entity_SetMotion(entity, &motion, 0);
    }
    scene->mini.num_entities = count;
    cl_t *cl = ClientScene_Join(scene, "anna");
    ClientScene_Run(scene, 500);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    int64_t tick = CL_ServerTick(cl);
    for (int32_t i = 0; i < count; i++) {
        pose_t pose;
        assert_true(CL_EntityPose(cl, 100 + i, tick, 0, &pose));
        assert_true(VectorWithin(pose.origin, 1e6f));
    }
    ClientScene_Free(scene);
}

static const game_event_t boom = {GAME_EFFECT, 77,   9, true,   {1.0f, 2.0f, 3.0f},
                                  500,         0.2f, 2, {-5, 6}};

static void test_what_the_server_says(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(3, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    control_msg_t msg = {.type = CTL_PRINT};
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "a line");
    MiniServer_Send(&scene->mini, 0, &msg);
    msg = (control_msg_t){.type = CTL_PLAYER_INFO};
    msg.u.player_info = (ctl_player_info_t){.slot = 5, .inuse = true, .name = "otto"};
    MiniServer_Send(&scene->mini, 0, &msg);
    MiniServer_Send(&scene->mini, 0, &msg); // the second message changes nothing
    msg = (control_msg_t){.type = CTL_CHAT};
    msg.u.chat = (ctl_chat_t){.slot = 5, .text = "hi"};
    MiniServer_Send(&scene->mini, 0, &msg);
    ClientScene_Run(scene, 50);
    assert_string_equal(CL_PlayerName(cl, 5), "otto");
    assert_string_equal(CL_PlayerName(cl, 6), "");
    assert_string_equal(CL_PlayerName(cl, -1), "");
    msg = (control_msg_t){.type = CTL_EVENT};
    msg.u.event = (ctl_event_t){1234, boom};
    MiniServer_Send(&scene->mini, 0, &msg);
    msg = (control_msg_t){.type = CTL_PLAYER_INFO, .u.player_info = {.slot = 5}};
    MiniServer_Send(&scene->mini, 0, &msg);
    msg = (control_msg_t){.type = CTL_CHAT};
    msg.u.chat = (ctl_chat_t){.slot = 5, .text = "last line"};
    MiniServer_Send(&scene->mini, 0, &msg);
    ClientScene_Run(scene, 50);
    assert_string_equal(CL_PlayerName(cl, 5), "");
    msg = (control_msg_t){.type = CTL_GOODBYE};
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "the server goes down");
    MiniServer_Send(&scene->mini, 0, &msg);
    ClientScene_Run(scene, 500);
    ClientScene_ExpectEvent(cl, CL_EVENT_PRINT, 0, "a line");
    ClientScene_ExpectEvent(cl, CL_EVENT_JOINED, 5, "otto");
    cl_event_t event;
    assert_true(CL_NextEvent(cl, &event));
    assert_string_equal(event.text, "hi");
    assert_string_equal(event.name, "otto");
    assert_true(CL_NextEvent(cl, &event));
    assert_true(event.type == CL_EVENT_EFFECT && event.number == 77 && event.tick == 1234);
    assert_true(event.has_origin && VectorCompare(event.origin, boom.origin));
    assert_true(event.entity == 9 && event.range == 500 && event.args[1] == 6);
    ClientScene_ExpectEvent(cl, CL_EVENT_LEFT, 5, "otto");
    assert_true(CL_NextEvent(cl, &event)); // the name of a player who left is kept
    assert_string_equal(event.text, "last line");
    assert_string_equal(event.name, "otto");
    ClientScene_ExpectEvent(cl, CL_EVENT_DROPPED, 0, "the server goes down");
    ClientScene_ExpectNoEvent(cl);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    assert_string_equal(CL_Reason(cl), "the server goes down");
    ClientScene_Free(scene);
}

static void test_a_refusal_is_shown(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(4, client_scene_clean);
    cl_t *cl = ClientScene_Add(scene, true, 0);
    scene->mini.is_full = true;
    assert_true(CL_Connect(cl, client_scene_server, "anna", false, NULL));
    ClientScene_Run(scene, 500);
    assert_string_equal(CL_Reason(cl), "the server is full");
    ClientScene_ExpectEvent(cl, CL_EVENT_DROPPED, 0, "the server is full");
    ClientScene_Free(scene);
}

static void test_a_password_is_sent(void **state) {
    (void)state;
    char longest[65];
    err_t err;
    client_scene_t *scene = ClientScene_New(4, client_scene_clean);
    cl_t *cl = ClientScene_Add(scene, true, 0);
    memset(longest, 'x', sizeof longest);
    longest[64] = '\0';
    assert_false(CL_SetPassword(cl, longest, &err));
    assert_string_equal(err.text, "password of 64 bytes: expected at most 63");
    longest[63] = '\0';
    assert_true(CL_SetPassword(cl, longest, &err));
    assert_true(CL_Connect(cl, client_scene_server, "anna", false, NULL));
    ClientScene_Run(scene, 500);
    assert_string_equal(scene->mini.peers[0].hello.password, longest);
    ClientScene_Free(scene);
}

static void test_nobody_there(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(5, client_scene_clean);
    cl_t *cl = ClientScene_Add(scene, true, 0);
    const netaddr_t nobody = {0x0a0000ff, 27500, 0};
    assert_true(CL_Connect(cl, nobody, "anna", false, NULL));
    ClientScene_Run(scene, 60000);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    assert_true(CL_Reason(cl)[0] != '\0');
    ClientScene_Free(scene);
}

static void test_a_map_change_starts_anew(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(6, client_scene_rough);
    cl_t *cl = ClientScene_Join(scene, "anna");
    ClientScene_Run(scene, 2000);
    cl_event_t event;
    while (CL_NextEvent(cl, &event)) {
    }
    mini_peer_t *peer = &scene->mini.peers[0];
    scene->mini.tick = 5;
    peer->first_tick = -1;
    MiniServer_SendMap(&scene->mini);
    ClientScene_Run(scene, 3000);
    ClientScene_ExpectEvent(cl, CL_EVENT_MAP, 1, "room");
    ClientScene_ExpectEvent(cl, CL_EVENT_ACTIVE, 0, "room");
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    assert_int_equal(peer->ready.epoch, 2);
    assert_true(CL_ServerTick(cl) > 100 && CL_ServerTick(cl) < 300);
    assert_true(peer->first_tick > 5 && peer->first_tick < 60);
    assert_int_equal(peer->lost_cmds, 0);
    assert_int_equal(scene->mini.bad_packets, 0);
    ClientScene_Free(scene);
}

static void test_another_map_means_no_prediction(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(7, client_scene_clean);
    scene->mini.info.hash ^= 1; // now the client's map differs from the server's
    cl_t *cl = ClientScene_Join(scene, "anna");
    assert_false(CL_HasMap(cl));
    assert_false(scene->mini.peers[0].ready.has_map);
    player_state_t self;
    player_state_t predicted;
    CL_SetInput(cl, &(cl_input_t){.forward = 320.0f});
    ClientScene_Run(scene, 500);
    assert_true(CL_Self(cl, &self) && CL_Predicted(cl, &predicted));
    assert_memory_equal(&self, &predicted, sizeof self);
    assert_true(self.origin.x > 20.0f); // the player walks although the maps differ
    ClientScene_Free(scene);
}

// Makes the player run, turn, jump, and hit walls and boxes.
static void steer(cl_t *cl, int32_t n, int64_t now_ms) {
    CL_SetInput(cl, &(cl_input_t){.forward = 320.0f,
                                  .side = (now_ms / 700) % 3 == 0 ? 200.0f : 0.0f,
                                  .yaw = (float)(now_ms / 20 % 360) + 90.0f * (float)n,
                                  .buttons = (now_ms / 400) % 2 ? BUTTON_JUMP : 0});
}

static void test_prediction_is_exact(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(8, client_scene_rough);
    // One solid entity, absent from the map, blocks the path.
    scene->mini.entities[0] = (entity_state_t){.number = 50,
                                               .solid = SOLID_BBOX,
                                               .origin = {2000, 0, 400},
                                               .mins = {-256, -256, -384},
                                               .maxs = {256, 256, 512}};
    scene->mini.num_entities = 1;
    cl_t *cl = ClientScene_Join(scene, "anna");
    scene->predicts = true;
    for (int64_t end = scene->now_ms + 20000; scene->now_ms < end;) {
        steer(cl, 0, scene->now_ms);
        ClientScene_Step(scene);
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
    // The prediction is one round trip ahead.
    assert_false(VectorCompare(self.origin, predicted.origin));
    // Repeat with other movevars, which change during the session.
    control_msg_t msg = {.type = CTL_MOVEVARS};
    scene->mini.info.vars.sv_gravity = 400.0f;
    msg.u.movevars = (ctl_movevars_t){.tick = scene->mini.tick, .vars = scene->mini.info.vars};
    MiniServer_Send(&scene->mini, 0, &msg);
    ClientScene_Run(scene, 2000);
    CL_Stats(cl, &stats);
    uint64_t wrong = stats.mispredictions;
    for (int64_t end = scene->now_ms + 5000; scene->now_ms < end;) {
        steer(cl, 0, scene->now_ms);
        ClientScene_Step(scene);
    }
    CL_Stats(cl, &stats);
    assert_int_equal(stats.mispredictions, wrong);
    ClientScene_Free(scene);
}

static void test_no_command_is_lost_or_late(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(9, client_scene_rough);
    cl_t *cl = ClientScene_Join(scene, "anna");
    mini_peer_t *peer = &scene->mini.peers[0];
    for (int64_t end = scene->now_ms + 5000; scene->now_ms < end;) { // lets the clock settle
        steer(cl, 0, scene->now_ms);
        ClientScene_Step(scene);
    }
    uint32_t filled_ms = peer->filled_ms;
    int64_t late = peer->late_cmds;
    int64_t cmd_ms = peer->cmd_ms;
    int64_t tick = peer->last_tick;
    int64_t start_ms = scene->now_ms;
    for (int64_t end = scene->now_ms + 30000; scene->now_ms < end;) {
        steer(cl, 0, scene->now_ms);
        ClientScene_Step(scene);
    }
    assert_int_equal(peer->lost_cmds, 0);
    assert_int_equal(peer->filled_ms, filled_ms); // the server filled in no time
    assert_int_equal(peer->late_cmds, late);
    // The player's time equals the time of the ticks, apart from the shift of the clock.
    assert_int_equal(peer->cmd_ms - cmd_ms, (peer->last_tick - tick) * MINI_TICK_MS);
    int64_t drift_ms = peer->cmd_ms - cmd_ms - (scene->now_ms - start_ms);
    assert_true(drift_ms > -150 && drift_ms < 150);
    cl_stats_t stats;
    CL_Stats(cl, &stats);
    assert_int_equal(stats.cmds_skipped, 0);
    print_message("lead %d ms, rtt %d ms, %llu of %llu ticks seen\n", stats.lead_ms, stats.rtt_ms,
                  (unsigned long long)stats.snapshots,
                  (unsigned long long)stats.snapshots + stats.snapshots_missed);
    ClientScene_Free(scene);
}

static void test_commands_of_another_length(void **state) {
    (void)state;
    static const int32_t lengths[] = {5, 8, 11, 33, 100};
    for (size_t i = 0; i < COUNTOF(lengths); i++) {
        client_scene_t *scene = ClientScene_New(10 + i, client_scene_clean);
        cl_t *cl = ClientScene_Add(scene, true, lengths[i]);
        assert_true(CL_Connect(cl, client_scene_server, "anna", false, NULL));
        scene->predicts = true;
        for (int64_t end = scene->now_ms + 6000; scene->now_ms < end;) {
            steer(cl, 0, scene->now_ms);
            ClientScene_Step(scene);
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
        ClientScene_Free(scene);
    }
}

static void test_survives_outages(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(20, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    const netaddr_t own = {0x0a000100, 4000, 0};
    const mini_peer_t *peer = &scene->mini.peers[0];
    ClientScene_Run(scene, 2000);
    SimNet_SetPartition(scene->sim, client_scene_server, own, true);
    ClientScene_Run(scene, 2500);
    SimNet_SetPartition(scene->sim, client_scene_server, own, false);
    ClientScene_Run(scene, 3000);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    uint32_t filled_ms = peer->filled_ms;
    assert_true(filled_ms > 2000);
    ClientScene_Run(scene, 5000);
    assert_int_equal(peer->filled_ms, filled_ms); // the commands arrive in time again
    assert_int_equal(scene->mini.bad_packets, 0);
    // The client's program sleeps for two seconds.
    for (int32_t i = 0; i < 500; i++) {
        scene->now_ms += CLIENT_SCENE_STEP_MS;
        SimNet_Advance(scene->sim, scene->now_ms);
        MiniServer_Frame(&scene->mini, scene->now_ms);
    }
    ClientScene_Run(scene, 3000);
    filled_ms = peer->filled_ms;
    ClientScene_Run(scene, 3000);
    assert_int_equal(peer->filled_ms, filled_ms);
    cl_stats_t stats;
    CL_Stats(cl, &stats);
    assert_true(stats.cmds_skipped > 50);
    assert_true(stats.lead_ms < 200);
    // The server hangs for ten seconds and then continues.
    scene->mini.says_nothing = true;
    ClientScene_Run(scene, 10000);
    scene->mini.says_nothing = false;
    ClientScene_Run(scene, 3000);
    filled_ms = peer->filled_ms;
    ClientScene_Run(scene, 2000);
    assert_int_equal(peer->filled_ms, filled_ms);
    ClientScene_Free(scene);
}

static void test_many_in_one_process(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(21, client_scene_rough);
    cl_t *cls[CLIENT_SCENE_MAX];
    for (int32_t i = 0; i < CLIENT_SCENE_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "client%d", i);
        cls[i] = ClientScene_Join(scene, name);
    }
    for (int64_t end = scene->now_ms + 5000; scene->now_ms < end;) {
        for (int32_t i = 0; i < CLIENT_SCENE_MAX; i++) {
            steer(cls[i], i, scene->now_ms);
        }
        ClientScene_Step(scene);
    }
    bool slots[MINI_PEERS] = {false};
    for (int32_t i = 0; i < CLIENT_SCENE_MAX; i++) {
        player_state_t self;
        assert_int_equal(CL_State(cls[i]), CL_ACTIVE);
        assert_false(slots[CL_Slot(cls[i])]);
        slots[CL_Slot(cls[i])] = true;
        assert_true(CL_Self(cls[i], &self) && VectorLength(self.origin) > 30.0f);
    }
    ClientScene_Free(scene);
}

static void test_full_event_list_is_counted(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(50, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    control_msg_t msg = {.type = CTL_PRINT};
    for (int32_t i = 0; i < 300; i++) {
        snprintf(msg.u.text.text, sizeof msg.u.text.text, "%d", i);
        MiniServer_Send(&scene->mini, 0, &msg);
        ClientScene_Run(scene, 2 * CLIENT_SCENE_STEP_MS);
    }
    ClientScene_Run(scene, 500);
    cl_stats_t stats;
    CL_Stats(cl, &stats);
    assert_int_equal(stats.events_lost, 300 - 256);
    ClientScene_ExpectEvent(cl, CL_EVENT_PRINT, 0, "0");
    ClientScene_Free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joins_and_sees),
        cmocka_unit_test(test_input_arrives_as_given),
        cmocka_unit_test(test_what_the_server_says),
        cmocka_unit_test(test_fields_and_center_prints),
        cmocka_unit_test(test_poses_to_draw),
        cmocka_unit_test(test_riding_in_circles),
        cmocka_unit_test(test_a_refusal_is_shown),
        cmocka_unit_test(test_a_password_is_sent),
        cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_a_map_change_starts_anew),
        cmocka_unit_test(test_another_map_means_no_prediction),
        cmocka_unit_test(test_prediction_is_exact),
        cmocka_unit_test(test_no_command_is_lost_or_late),
        cmocka_unit_test(test_commands_of_another_length),
        cmocka_unit_test(test_survives_outages),
        cmocka_unit_test(test_many_in_one_process),
        cmocka_unit_test(test_full_event_list_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
