// Tests which snapshots a client receives: in which ticks, of how many bytes, with which entities.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "core/server_local.h"
#include "world/block.h"

#include <string.h>

#define CLIENTS 8
#define EVERY   4 // sv_snapshot_ticks
#define CROWD   1000

static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};

typedef struct {
    test_net_t net;
    rng_t rng;
    bool (*send)(transport_t *net, int32_t peer, uint8_t channel, bool reliable, const void *data,
                 size_t size);
    int32_t num_sent;            // snapshots of a step
    int32_t queued, most_queued; // snapshots between two flushes
    int64_t sent_tick[CLIENTS];  // of the newest snapshot
    int64_t sent_bytes[CLIENTS]; // of all snapshots
} play_t;

static play_t *the_play; // of send_noted()

static bool send_noted(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                       const void *data, size_t size) {
    if (channel == NET_CHANNEL_SNAPSHOT && size > SNAPSHOT_BUSY_BYTES) {
        the_play->num_sent++;
        the_play->queued++;
        the_play->most_queued = Q_MaxI(the_play->most_queued, the_play->queued);
        the_play->sent_tick[peer] = Server_World(the_play->net.server)->tick;
        the_play->sent_bytes[peer] += (int64_t)size;
    }
    return the_play->send(net, peer, channel, reliable, data, size);
}

static void flush_noted(transport_t *net) {
    (void)net;
    the_play->queued = 0;
}

static void begin_on(play_t *play, const test_map_t *map, int32_t clients) {
    const test_net_config_t config = {.seed = 1,
                                      .max_clients = CLIENTS,
                                      .max_edicts = 1200,
                                      .map = map,
                                      .conditions = {.delay_ms = 15}};
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net, &config);
    the_play = play;
    play->send = play->net.server_net->send;
    play->net.server_net->send = send_noted;
    play->net.server_net->flush = flush_noted;
    for (int32_t i = 0; i < clients; i++) {
        (void)TestNet_AddClient(&play->net, "player");
    }
    assert_true(TestNet_WaitActive(&play->net, 3000));
}

static void begin(play_t *play, int32_t clients) {
    begin_on(play, &room, clients);
}

static void test_turns_are_spread_over_the_slots(void **state) {
    (void)state;
    static play_t play;
    int64_t last[CLIENTS];
    begin(&play, CLIENTS);
    Server_SetHost(play.net.server, "budget", play.net.folder, "", EVERY);
    for (int32_t i = 0; i < 50; i++) {
        TestNet_Step(&play.net);
    }
    memcpy(last, play.sent_tick, sizeof last);
    for (int32_t i = 0; i < 200; i++) {
        const int64_t tick = Server_World(play.net.server)->tick;
        play.num_sent = 0;
        TestNet_Step(&play.net);
        const bool ran = Server_World(play.net.server)->tick > tick;
        assert_int_equal(play.num_sent, ran ? CLIENTS / EVERY : 0);
        for (int32_t peer = 0; peer < CLIENTS; peer++) {
            if (play.sent_tick[peer] != last[peer]) {
                assert_int_equal(play.sent_tick[peer] - last[peer], EVERY);
                last[peer] = play.sent_tick[peer];
            }
        }
    }
    TestNet_Free(&play.net);
}

// The first clients do not wait for the snapshots of all others.
static void test_snapshots_leave_in_batches(void **state) {
    (void)state;
    static play_t play;
    begin(&play, CLIENTS);
    play.most_queued = play.num_sent = 0;
    while (play.num_sent < 10 * CLIENTS) {
        TestNet_Step(&play.net);
        assert_int_equal(play.queued, 0);
    }
    assert_int_equal(play.most_queued, CLIENTS / 2);
    TestNet_Free(&play.net);
}

static void run_ms(play_t *play, int32_t ms) {
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        TestNet_Step(&play->net);
    }
}

// Returns the bytes/s that a client receives as snapshots, with headers.
static int64_t measured_rate(play_t *play, int32_t peer) {
    uint64_t skipped = play->net.server->stats.snapshots_skipped;
    play->num_sent = 0;
    play->sent_bytes[peer] = 0;
    run_ms(play, 4000);
    skipped = play->net.server->stats.snapshots_skipped - skipped;
    assert_in_range(play->num_sent + (int64_t)skipped, 249, 251); // of one client
    return (play->sent_bytes[peer] + (int64_t)play->num_sent * RATE_HEADERS) / 4;
}

static void test_a_wished_rate(void **state) {
    (void)state;
    static play_t play;
    static const char *const refused[] = {"2147483648", "-1", "fast", "1e4"};
    begin(&play, 1);
    cl_t *client = play.net.clients[0];
    Server_SetRates(play.net.server, (rate_bounds_t){1000, RATE_MAX});
    int64_t all = measured_rate(&play, 0);
    assert_int_equal(play.net.server->stats.snapshots_skipped, 0);
    assert_true(CL_SetInfo(client, "rate", "2000", NULL));
    run_ms(&play, 400);
    for (size_t i = 0; i < COUNTOF(refused); i++) {
        int64_t rate = measured_rate(&play, 0);
        assert_in_range(rate, 1800, 2000 + MAX_PACKET_BYTES / 4);
        assert_true(CL_SetInfo(client, "rate", refused[i], NULL));
    }
    Server_SetRates(play.net.server, (rate_bounds_t){3000, 100000});
    run_ms(&play, 4000);
    assert_in_range(measured_rate(&play, 0), 2700, 3300); // not less than the operator's bound
    assert_true(CL_SetInfo(client, "rate", "0", NULL));
    run_ms(&play, 4000);
    assert_in_range(measured_rate(&play, 0), all * 9 / 10, all * 11 / 10);
    TestNet_Free(&play.net);
}

// Moves a crowd at random, as far as every entity differs from what clients expect.
static void shake(play_t *play, edict_t *const *crowd) {
    world_t *world = play->net.server->world;
    for (int32_t i = 0; i < CROWD; i++) {
        crowd[i]->origin.x = (float)Rng_Below(&play->rng, 1000) - 500.0f;
        crowd[i]->velocity.y = (float)Rng_Below(&play->rng, 320);
        crowd[i]->angles.y = (float)Rng_Below(&play->rng, 65536) * (360.0f / 65536.0f);
        World_MarkWritten(world, crowd[i]);
    }
}

// Notes at which time a client last received another place of each entity.
static void note_changes(play_t *play, int64_t changed_ms[CROWD], int32_t first) {
    static entity_state_t list[MAX_SNAPSHOT_ENTS];
    static int32_t shown[CROWD];
    int32_t count = CL_Entities(play->net.clients[0], list, MAX_SNAPSHOT_ENTS);
    assert_true(count >= CROWD);
    for (int32_t i = 0; i < count; i++) {
        int32_t n = list[i].number - first;
        if (n >= 0 && n < CROWD && shown[n] != list[i].angles[1]) {
            shown[n] = list[i].angles[1];
            changed_ms[n] = play->net.now_ms;
        }
    }
}

static void test_a_crowd_that_changes_all_the_time(void **state) {
    (void)state;
    static play_t play;
    edict_t *crowd[CROWD];
    int64_t changed_ms[CROWD] = {0};
    int64_t longest_ms = 0;
    begin(&play, 1);
    server_t *server = play.net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    Server_SetHost(server, "budget", play.net.folder, "", 3); // 20.8 snapshots/s
    for (int32_t i = 0; i < CROWD; i++) {
        crowd[i] = sv.engine->spawn(&sv);
        assert_non_null(crowd[i]);
        crowd[i]->origin = (vec3_t){0.0f, (float)(i % 100) * 10.0f - 500.0f, 32.0f};
        crowd[i]->type = ENTITY_PROJECTILE;
        sv.engine->link(&sv, crowd[i], false);
    }
    run_ms(&play, 3000);
    server->priorities[0].longest_wait_ms = 0; // that of a thousand new entities
    play.num_sent = 0;
    play.sent_bytes[0] = 0;
    for (int32_t ms = 0; ms < 4000; ms += TEST_NET_STEP_MS) {
        shake(&play, crowd);
        TestNet_Step(&play.net);
        note_changes(&play, changed_ms, World_EdictNumber(server->world, crowd[0]));
        for (int32_t i = 0; i < CROWD && ms > 1500; i++) {
            longest_ms = play.net.now_ms - changed_ms[i] > longest_ms
                             ? play.net.now_ms - changed_ms[i]
                             : longest_ms;
        }
    }
    print_message("%d entities, %d bytes a snapshot: longest wait %d ms, at the client %d ms\n",
                  CROWD, (int)(play.sent_bytes[0] / play.num_sent),
                  server->priorities[0].longest_wait_ms, (int)longest_ms);
    assert_true(play.sent_bytes[0] / play.num_sent > MAX_PACKET_BYTES - 50); // full
    assert_in_range(server->priorities[0].longest_wait_ms, 300, 1000);
    assert_in_range(longest_ms, 300, 1000);
    TestNet_Free(&play.net);
}

static const test_block_t crate_block = {
    .box = {{-24, -340, 1}, {24, -292, 49}}, .contents = CONTENTS_SOLID, .model = 1};

static const test_map_t crate_room = {
    .room = {{-512, -512, 0}, {512, 512, 256}},
    .blocks = &crate_block,
    .num_blocks = 1,
    .entities = "{ \"classname\" \"worldspawn\" }\n"
                "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"0 -400 30\" }\n"
                "{ \"classname\" \"func_pushable\" \"model\" \"*1\" }\n",
    .brush_list = true};

// A player pushes a crate while a thousand other entities change: what the player predicts by comes
// first in each snapshot.
static void test_what_the_receiver_predicts_by_comes_first(void **state) {
    (void)state;
    static play_t play;
    edict_t *crowd[CROWD];
    cl_stats_t before, after;
    begin_on(&play, &crate_room, 1);
    server_t *server = play.net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    for (int32_t i = 0; i < CROWD; i++) {
        crowd[i] = sv.engine->spawn(&sv);
        assert_non_null(crowd[i]);
        crowd[i]->origin = (vec3_t){0.0f, (float)(i % 100) * 10.0f - 500.0f, 32.0f};
        crowd[i]->type = ENTITY_PROJECTILE;
        sv.engine->link(&sv, crowd[i], false);
    }
    const edict_t *crate = sv.engine->find_class(&sv, NULL, "func_pushable");
    const float was = crate->absmin.y;
    run_ms(&play, 3000);
    CL_Stats(play.net.clients[0], &before);
    play.num_sent = 0;
    play.sent_bytes[0] = 0;
    for (int32_t ms = 0; ms < 5000; ms += TEST_NET_STEP_MS) {
        player_state_t player;
        shake(&play, crowd);
        CL_SetInput(play.net.clients[0], &(cl_input_t){.forward = 300.0f, .yaw = 90.0f});
        TestNet_Step(&play.net);
        assert_true(CL_Predicted(play.net.clients[0], &player));
    }
    CL_Stats(play.net.clients[0], &after);
    assert_true(play.sent_bytes[0] / play.num_sent > MAX_PACKET_BYTES - 50); // full
    assert_true(crate->absmin.y > was + 200.0f);
    assert_true(after.predictions - before.predictions > 250);
    assert_int_equal(after.corrected, before.corrected);
    TestNet_Free(&play.net);
}

// Measures snapshots in which only the receiver moves: it runs, turns and jumps.
static void test_only_the_receiver_moves(void **state) {
    (void)state;
    static play_t play;
    int64_t most = 0;
    begin(&play, CLIENTS);
    run_ms(&play, 3000);
    play.num_sent = 0;
    play.sent_bytes[0] = 0;
    int64_t before = 0;
    for (int32_t ms = 0; ms < 4000; ms += TEST_NET_STEP_MS) {
        const cl_input_t input = {.forward = 320.0f,
                                  .side = ms / 1000 % 2 ? 320.0f : 0.0f,
                                  .buttons = ms / 500 % 2 ? BUTTON_JUMP : 0,
                                  .yaw = (float)(play.net.now_ms / 3 % 360)};
        CL_SetInput(play.net.clients[0], &input);
        TestNet_Step(&play.net);
        most = play.sent_bytes[0] - before > most ? play.sent_bytes[0] - before : most;
        before = play.sent_bytes[0];
    }
    print_message("%d bytes, at most %d\n", (int)(play.sent_bytes[0] * CLIENTS / play.num_sent),
                  (int)most);
    assert_in_range(most, 20, 40);
    TestNet_Free(&play.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_are_spread_over_the_slots),
        cmocka_unit_test(test_snapshots_leave_in_batches),
        cmocka_unit_test(test_a_wished_rate),
        cmocka_unit_test(test_only_the_receiver_moves),
        cmocka_unit_test(test_a_crowd_that_changes_all_the_time),
        cmocka_unit_test(test_what_the_receiver_predicts_by_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
