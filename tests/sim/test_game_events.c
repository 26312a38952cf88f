// Sounds and effects over a bad network: each arrives once, in time, at the clients that may
// receive it. A flood of them costs nobody the connection nor the entities.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"

#include <string.h>

#define CLIENTS   3
#define MAX_IDS   200000
#define LOG_LINES "sounds and effects (maximum"

static const test_block_t wall = {.box = {{1400, 1000, 0}, {1416, 3000, 512}},
                                  .contents = CONTENTS_SOLID};
static const test_map_t map = {.room = {{-4096, -4096, 0}, {4096, 4096, 512}},
                               .blocks = &wall,
                               .num_blocks = 1,
                               .entities = "{\n\"classname\" \"worldspawn\"\n}\n"
                                           "{\n\"classname\" \"info_player_deathmatch\"\n"
                                           "\"origin\" \"0 0 30\"\n}\n"
                                           "{\n\"classname\" \"info_player_deathmatch\"\n"
                                           "\"origin\" \"1000 0 30\"\n}\n"
                                           "{\n\"classname\" \"info_player_deathmatch\"\n"
                                           "\"origin\" \"3000 0 30\"\n}\n"};

typedef struct {
    test_net_t net;
    sv_context_t sv;
    int32_t log_lines;                  ///< about dropped events
    int32_t boom;                       ///< number of the test's effect
    int32_t news_ms;                    ///< arrival of the line "news"
    int32_t num_ids;                    ///< events emitted; args[0] is the number of each
    int32_t sent_ms[MAX_IDS];           ///< time of emission
    uint8_t times[CLIENTS][MAX_IDS];    ///< how often each arrived
    uint16_t took_ms[CLIENTS][MAX_IDS]; ///< delay of the first arrival
    cl_event_t last[CLIENTS];
} play_t;

static void count_line(void *context, log_level_t level, const char *line) {
    (void)level;
    ((play_t *)context)->log_lines += strstr(line, LOG_LINES) ? 1 : 0;
}

static play_t *start(uint64_t seed, sim_conditions_t conditions) {
    play_t *play = calloc(1, sizeof *play);
    assert_non_null(play);
    TestNet_Init(&play->net,
                 &(test_net_config_t){
                     .seed = seed, .conditions = conditions, .max_clients = CLIENTS, .map = &map});
    play->net.log = (log_t){count_line, play, LOG_WARN};
    for (int32_t i = 0; i < CLIENTS; i++) {
        TestNet_AddClient(&play->net, "player");
        assert_true(TestNet_WaitActive(&play->net, 30000));
        assert_int_equal(CL_Slot(play->net.clients[i]), i);
    }
    server_t *server = play->net.server;
    play->sv = SV_Context(server->world, server->map, &server->game, server->events);
    for (int32_t i = 0; i < CLIENTS; i++) {
        const vec3_t places[CLIENTS] = {
            {0.0f, 0.0f, 30.0f}, {1000.0f, 0.0f, 30.0f}, {3000.0f, 0.0f, 30.0f}};
        play->sv.engine->teleport(&play->sv, World_Edict(server->world, i + 1), places[i],
                                  vec3_zero, vec3_zero);
    }
    play->boom = play->sv.engine->effect_index(&play->sv, "boom");
    return play;
}

static void end(play_t *play) {
    TestNet_Free(&play->net);
    free(play);
}

static void hear(play_t *play, int32_t client) {
    cl_event_t event;
    while (CL_NextEvent(play->net.clients[client], &event)) {
        if (event.type == CL_EVENT_EFFECT && event.number == play->boom) {
            int32_t id = event.args[0];
            assert_in_range(id, 0, play->num_ids - 1);
            if (play->times[client][id]++ == 0) {
                play->took_ms[client][id] = (uint16_t)(play->net.now_ms - play->sent_ms[id]);
            }
            play->last[client] = event;
        } else if (event.type == CL_EVENT_PRINT && strcmp(event.text, "news") == 0) {
            play->news_ms = (int32_t)play->net.now_ms;
        }
    }
}

static void run(play_t *play, int32_t ms) {
    for (int32_t i = 0; i < ms; i += TEST_NET_STEP_MS) {
        TestNet_Step(&play->net);
        for (int32_t c = 0; c < CLIENTS; c++) {
            assert_int_equal(CL_State(play->net.clients[c]), CL_ACTIVE);
            hear(play, c);
        }
    }
}

// Emits a numbered effect for the next tick. Returns its number.
static int32_t emit(play_t *play, game_event_t event, const client_mask_t *clients, bool reliable) {
    assert_true(play->num_ids < MAX_IDS);
    event.kind = GAME_EFFECT;
    event.number = play->boom;
    event.volume = 1.0f;
    event.num_args = Q_MaxI(event.num_args, 1);
    event.args[0] = play->num_ids;
    play->sent_ms[play->num_ids] = (int32_t)play->net.now_ms;
    play->sv.engine->event(&play->sv, &event, clients, reliable);
    return play->num_ids++;
}

static const game_event_t near_by = {
    .has_origin = true, .origin = {500.0f, 0.0f, 40.0f}, .range = 8000};

static edict_t *add(play_t *play, vec3_t origin) {
    edict_t *edict = play->sv.engine->spawn(&play->sv);
    assert_non_null(edict);
    edict->origin = origin;
    play->sv.engine->link(&play->sv, edict, false);
    return edict;
}

// Emits two events a tick for `ms` at this loss. Returns the share that arrived within 500 ms.
static double share_in_time(float loss, int32_t ms) {
    play_t *play = start(7, (sim_conditions_t){.delay_ms = 200});
    SimNet_SetConditions(play->net.sim, (sim_conditions_t){.delay_ms = 200, .loss = loss});
    for (int32_t i = 0; i < ms; i += 16) {
        emit(play, near_by, NULL, false);
        emit(play, near_by, NULL, false);
        run(play, 16);
    }
    run(play, 3000);
    int32_t in_time = 0;
    for (int32_t c = 0; c < CLIENTS; c++) {
        for (int32_t id = 0; id < play->num_ids; id++) {
            assert_true(play->times[c][id] <= 1);
            in_time += play->times[c][id] == 1 && play->took_ms[c][id] <= 500 ? 1 : 0;
        }
    }
    double share = (double)in_time / (CLIENTS * play->num_ids);
    assert_int_equal(Server_Stats(play->net.server).events_dropped, 0);
    end(play);
    return share;
}

static void test_each_arrives_once_and_in_time(void **state) {
    (void)state;
    assert_true(share_in_time(0.0f, 10000) >= 1.0);
    assert_true(share_in_time(0.1f, 60000) >= 0.999);
    assert_true(share_in_time(0.4f, 20000) >= 0.95);
}

// Runs until all numbers of events were used once, and some twice.
static void test_numbers_wrap(void **state) {
    (void)state;
    play_t *play = start(8, (sim_conditions_t){.delay_ms = 20, .loss = 0.02f, .reorder = 0.05f});
    for (int32_t tick = 0; tick < 5000; tick++) {
        for (int32_t i = 0; i < 16; i++) {
            emit(play, (game_event_t){.entity = 1, .range = 8000}, NULL, false);
        }
        run(play, 16);
    }
    run(play, 2000);
    int32_t lost = 0;
    for (int32_t c = 0; c < CLIENTS; c++) {
        for (int32_t id = 0; id < play->num_ids; id++) {
            assert_true(play->times[c][id] <= 1);
            lost += 1 - play->times[c][id];
        }
    }
    assert_true(play->num_ids > UINT16_MAX + 10000);
    assert_true(lost < play->num_ids / 1000);
    assert_true(Server_Stats(play->net.server).events_stale <= (uint64_t)lost);
    end(play);
}

// Emits 5,000 events in each of ten ticks. Snapshots still carry the entities.
static void flood(game_event_t event, bool reliable) {
    play_t *play = start(9, (sim_conditions_t){.delay_ms = 40, .loss = 0.02f});
    edict_t *edict = add(play, Vector(100.0f, 100.0f, 100.0f));
    int32_t number = World_EdictNumber(play->sv.world, edict);
    run(play, 500);
    server_stats_t before = Server_Stats(play->net.server);
    int32_t moved = 0;
    int32_t news_ms = 0;
    for (int32_t tick = 0; tick < 60; tick++) {
        for (int32_t i = 0; tick < 10 && i < 5000; i++) {
            emit(play, event, NULL, reliable);
        }
        if (tick == 9) { // behind 50,000 events
            play->sv.engine->print(&play->sv, 1, "news");
            news_ms = (int32_t)play->net.now_ms;
        }
        entity_state_t state = {0};
        edict->origin.x = 100.0f + (float)tick;
        run(play, 16);
        assert_true(CL_Entity(play->net.clients[1], number, &state));
        moved += state.origin[0] >= (100 + tick - 6) * ENTITY_ORIGIN_SCALE ? 1 : 0;
    }
    server_stats_t after = Server_Stats(play->net.server);
    uint64_t bytes = after.event_bytes - before.event_bytes;
    uint64_t snapshots = after.snapshots - before.snapshots;
    assert_true(bytes > 0 && bytes <= snapshots * (MAX_PACKET_BYTES / 3));
    assert_true(moved > 50);
    assert_in_range(play->news_ms - news_ms, 40, 300); // or sent again once
    assert_true(after.events_dropped > before.events_dropped + 10 * 4000);
    assert_int_equal(play->log_lines, 1); // once a burst
    end(play);
}

static int32_t heard_by(const play_t *play, int32_t id) {
    int32_t mask = 0;
    for (int32_t c = 0; c < CLIENTS; c++) {
        mask |= play->times[c][id] > 0 ? 1 << c : 0;
    }
    return mask;
}

// Emits more effects in a tick than a snapshot can carry. `step`: from one place to the next.
static void keep_the_nearest(int32_t step) {
    enum { COUNT = 500 };
    play_t *play = start(10, (sim_conditions_t){.delay_ms = 20});
    int32_t near = 0, far = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        const int32_t place = i * step % COUNT; // each once
        const vec3_t at = {(float)(place * 2 - 1000), 0.0f, 30.0f};
        emit(play, (game_event_t){.has_origin = true, .origin = at, .range = 1024}, NULL, false);
    }
    run(play, 600);
    for (int32_t i = 0; i < COUNT; i++) {
        const int32_t place = i * step % COUNT;
        const bool is_near = place >= COUNT - MAX_SNAPSHOT_EVENTS;
        near += is_near && play->times[0][i] == 1 ? 1 : 0;
        far += !is_near && play->times[0][i] > 0 ? 1 : 0;
    }
    assert_int_equal(near, MAX_SNAPSHOT_EVENTS);
    assert_int_equal(far, 0);
    assert_in_range(Server_Stats(play->net.server).events_dropped, COUNT - MAX_SNAPSHOT_EVENTS,
                    CLIENTS * COUNT);
    end(play);
}

static void test_the_nearest_are_kept(void **state) {
    (void)state;
    keep_the_nearest(37);  // mixed
    keep_the_nearest(1);   // from far to near
    keep_the_nearest(499); // from near to far
}

// Events that no client receives push none out that a client waits for.
static void test_events_for_nobody(void **state) {
    (void)state;
    play_t *play = start(18, (sim_conditions_t){.delay_ms = 20});
    const client_mask_t first = {{1}}, nobody = {{0}};
    const game_event_t far = {.kind = GAME_EFFECT, .number = play->boom, .volume = 1.0f};
    play->net.server->snapshot_ticks = 12;
    for (int32_t tick = 0; tick < 60; tick++) {
        emit(play, (game_event_t){.range = 0}, &first, false);
        for (int32_t i = 0; i < 2000; i++) {
            play->sv.engine->event(&play->sv, &far, &nobody, false);
        }
        run(play, 16);
    }
    run(play, 600);
    for (int32_t id = 0; id < play->num_ids; id++) {
        assert_int_equal(play->times[0][id], 1);
    }
    assert_int_equal(Server_Stats(play->net.server).events_stale, 0);
    end(play);
}

// A flood of near effects drops neither those that the game sends reliably, nor those without
// range, such as the signal that starts a round for some players.
static void test_a_flood_drops_no_important_event(void **state) {
    (void)state;
    play_t *play = start(17, (sim_conditions_t){.delay_ms = 20});
    const client_mask_t first = {{1}};
    const vec3_t far = {-4000.0f, 0.0f, 30.0f};
    int32_t ids[40];
    const game_event_t flood = {.has_origin = true, .origin = {0.0f, 8.0f, 30.0f}, .range = 1024};
    for (int32_t i = 0; i < 2 * MAX_SNAPSHOT_EVENTS; i++) {
        emit(play, flood, NULL, false);
    }
    for (int32_t i = 0; i < (int32_t)COUNTOF(ids); i++) { // more than are sent at once
        const bool is_reliable = i > 0;
        const game_event_t event = {
            .has_origin = true, .origin = far, .range = is_reliable ? 8000 : 0};
        ids[i] = emit(play, event, &first, is_reliable);
    }
    run(play, 600);
    int32_t kept = 0;
    for (int32_t id = 0; id < 2 * MAX_SNAPSHOT_EVENTS; id++) {
        kept += play->times[0][id];
    }
    for (size_t i = 0; i < COUNTOF(ids); i++) {
        assert_int_equal(heard_by(play, ids[i]), 1);
    }
    assert_int_equal(kept, MAX_SNAPSHOT_EVENTS);
    assert_true(Server_Stats(play->net.server).events_dropped > 0);
    end(play);
}

// Effects that are not in view neither take the room of those that are, nor count as dropped.
static void test_only_what_is_received_takes_room(void **state) {
    (void)state;
    enum { HIDDEN = 2 * MAX_SNAPSHOT_EVENTS, SEEN = MAX_SNAPSHOT_EVENTS / 2 };
    play_t *play = start(16, (sim_conditions_t){.delay_ms = 20});
    World_Edict(play->sv.world, 3)->visibility = VISIBLE_NOBODY;
    run(play, 500);
    const client_mask_t first = {{1}};
    game_event_t event = {
        .entity = 3, .has_origin = true, .origin = {2000.0f, 0.0f, 30.0f}, .range = 8000};
    for (int32_t i = 0; i < HIDDEN; i++) {
        emit(play, event, &first, false);
    }
    event.entity = 0;
    event.origin.x = 3000.0f;
    for (int32_t i = 0; i < SEEN; i++) {
        emit(play, event, &first, false);
    }
    run(play, 500);
    for (int32_t i = 0; i < HIDDEN + SEEN; i++) {
        assert_int_equal(play->times[0][i], i < HIDDEN ? 0 : 1);
    }
    assert_int_equal(Server_Stats(play->net.server).events_dropped, 0);
    end(play);
}

static void test_floods(void **state) {
    (void)state;
    flood(near_by, false);
    flood(near_by, true);
    flood((game_event_t){.range = 0}, false); // for everybody, so reliable
}

static void test_receivers(void **state) {
    (void)state;
    play_t *play = start(10, (sim_conditions_t){.delay_ms = 20});
    int32_t ids[2][8];
    for (int32_t reliable = 0; reliable < 2; reliable++) {
        for (int32_t mask = 0; mask < 8; mask++) {
            const client_mask_t clients = {.bits = {(uint64_t)mask}};
            ids[reliable][mask] = emit(play, near_by, &clients, reliable);
        }
    }
    run(play, 500);
    for (int32_t i = 0; i < 16; i++) {
        assert_int_equal(heard_by(play, ids[i / 8][i % 8]), i % 8);
    }
    const int32_t ranges[] = {0, 400, 600, 3000};
    const int32_t heard[] = {7, 0, 3, 7};
    for (size_t i = 0; i < COUNTOF(ranges); i++) {
        game_event_t event = near_by; // 500 qu from two players, 2,500 from the third
        event.range = ranges[i];
        int32_t id = emit(play, event, NULL, false);
        run(play, 500);
        assert_int_equal(heard_by(play, id), heard[i]);
    }
    end(play);
}

// Tests that a client receives no place of a shot behind a wall, where another player may be, if it
// is too far away to be heard. It receives hits of the wall itself.
static void test_hits_behind_a_wall(void **state) {
    (void)state;
    play_t *play = start(18, (sim_conditions_t){.delay_ms = 20});
    run(play, 500);
    game_event_t hit = {
        .entity = 2, .has_origin = true, .origin = {2000.0f, 1000.0f, 60.0f}, .range = 8000};
    const int32_t in_view = emit(play, hit, NULL, false);
    hit.origin.y = 1500.0f;
    const int32_t behind = emit(play, hit, NULL, false);
    hit.origin.x = wall.box.mins.x;
    const int32_t on_wall = emit(play, hit, NULL, false);
    run(play, 500);
    assert_int_equal(heard_by(play, in_view), 7);
    assert_int_equal(heard_by(play, on_wall), 3); // without the client behind it
    assert_int_equal(heard_by(play, behind), 6);  // without the first client
    end(play);
}

// A client that may not see an edict receives the place of its events, in snapshots and reliably.
static void test_events_of_an_edict(void **state) {
    (void)state;
    play_t *play = start(11, (sim_conditions_t){.delay_ms = 20});
    edict_t *edict = add(play, Vector(200.0f, 50.0f, 60.0f));
    int32_t number = World_EdictNumber(play->sv.world, edict);
    edict->visibility = VISIBLE_CLIENT;
    edict->visible_to = 1;
    run(play, 500);
    for (int32_t reliable = 0; reliable < 2; reliable++) {
        game_event_t event = {.entity = number, .range = 8000};
        int32_t id = emit(play, event, NULL, reliable == 1);
        run(play, 500);
        assert_int_equal(heard_by(play, id), 7);
        for (int32_t c = 0; c < CLIENTS; c++) {
            assert_int_equal(play->last[c].entity, c == 1 ? number : 0);
            assert_true(play->last[c].has_origin);
            assert_true(VectorCompare(play->last[c].origin, edict->origin));
        }
    }
    // An edict that is gone has a place only.
    const vec3_t place = edict->origin;
    emit(play, (game_event_t){.entity = number, .range = 8000}, NULL, false);
    play->sv.engine->remove(&play->sv, edict);
    run(play, 500);
    for (int32_t c = 0; c < CLIENTS; c++) {
        assert_int_equal(play->last[c].entity, 0);
        assert_true(VectorCompare(play->last[c].origin, place));
    }
    // An event of the player itself, and one that happens nowhere.
    emit(play, (game_event_t){.entity = 2, .range = 8000}, NULL, false);
    run(play, 500);
    player_state_t player;
    assert_true(CL_Self(play->net.clients[1], &player));
    assert_int_equal(play->last[1].entity, 2);
    assert_true(VectorCompare(play->last[1].origin, player.origin));
    assert_int_equal(play->last[0].entity, 2);
    emit(play, (game_event_t){.range = 0, .num_args = 3, .args = {0, -7, INT32_MIN}}, NULL, false);
    run(play, 500);
    assert_false(play->last[2].has_origin);
    assert_true(play->last[2].args[1] == -7 && play->last[2].args[2] == INT32_MIN);
    assert_string_equal(play->last[2].text, "boom");
    end(play);
}

// An event that all clients hear has no place, except for clients that have its edict.
static void test_no_place_of_what_all_hear(void **state) {
    (void)state;
    play_t *play = start(14, (sim_conditions_t){.delay_ms = 20});
    edict_t *edict = add(play, Vector(200.0f, 50.0f, 60.0f));
    edict->visibility = VISIBLE_CLIENT;
    edict->visible_to = 1;
    run(play, 500);
    const client_mask_t all = {.bits = {7}};
    for (int32_t reliable = 0; reliable < 2; reliable++) {
        const game_event_t event = {.entity = World_EdictNumber(play->sv.world, edict)};
        int32_t id = emit(play, event, &all, reliable == 1);
        run(play, 500);
        assert_int_equal(heard_by(play, id), 7);
        for (int32_t c = 0; c < CLIENTS; c++) {
            assert_int_equal(play->last[c].entity, c == 1 ? event.entity : 0);
            assert_int_equal(play->last[c].has_origin, c == 1);
        }
    }
    end(play);
}

// An event of an edict that leaves with this snapshot has a place.
static void test_edicts_that_leave(void **state) {
    (void)state;
    play_t *play = start(16, (sim_conditions_t){.delay_ms = 20});
    server_t *server = play->net.server;
    const edict_t *edict = add(play, Vector(200.0f, 50.0f, 60.0f));
    const int32_t number = World_EdictNumber(play->sv.world, edict);
    run(play, 500);
    const session_t *last = &server->sessions[server->peer_of_slot[CLIENTS - 1]];
    const emitted_t what = {.event = {.kind = GAME_EFFECT, .entity = number, .range = 8000},
                            .generation = edict->generation,
                            .place = edict->origin};
    assert_true(EventQueue_Add(&server->event_queues[CLIENTS - 1],
                               EventLog_Add(server->event_log, &what), false, server->world->tick));
    int32_t before = 0;
    while (server->order[before]->number < number) {
        before++;
    }
    uint64_t aside[MAX_EDICTS / 64] = {0};
    Bits_Set(aside, number);
    static const bool has_turn[] = {false, true, false}, waits[] = {false, false, true};
    for (size_t i = 0; i < COUNTOF(waits); i++) {
        snapshot_events_t events;
        queued_event_t *chosen[MAX_SNAPSHOT_EVENTS];
        const turn_t turn = {.spots = server->turn_spots,
                             .count = before + has_turn[i],
                             .aside = waits[i] ? aside : NULL};
        Send_ChooseEvents(server, last, &turn, &events, chosen);
        assert_int_equal(events.count, 1);
        assert_int_equal(events.list[0].event.entity, number);
        assert_int_equal(events.list[0].event.has_origin, !has_turn[i] && !waits[i]);
    }
    end(play);
}

// An effect of a player that a client does not have is sent only within hearing.
static void test_effects_of_hidden_players(void **state) {
    (void)state;
    play_t *play = start(15, (sim_conditions_t){.delay_ms = 20});
    edict_t *player = World_Edict(play->sv.world, 3); // 2,000 qu from client 1
    const int32_t ranges[] = {8000, 8000, 1500};
    const float places[] = {3000.0f, 2020.0f, 3000.0f}; // of the effect
    const int32_t seen[] = {7, 7, 4};
    const int32_t hidden[] = {4, 6, 4};
    for (int32_t turn = 0; turn < 2; turn++) {
        player->visibility = turn == 0 ? VISIBLE_ALL : VISIBLE_NOBODY;
        run(play, 500);
        for (size_t i = 0; i < COUNTOF(places); i++) {
            const game_event_t event = {.entity = 3,
                                        .has_origin = true,
                                        .origin = {places[i], 0.0f, 30.0f},
                                        .range = ranges[i]};
            int32_t id = emit(play, event, NULL, false);
            run(play, 500);
            assert_int_equal(heard_by(play, id), turn == 0 ? seen[i] : hidden[i]);
        }
    }
    end(play);
}

// When a player teleports, clients that have it where it was do not learn its new place by an
// effect there, unless they hear it: neither by one of the player nor by one of its followers.
static void test_effects_of_teleports(void **state) {
    (void)state;
    play_t *play = start(16, (sim_conditions_t){.delay_ms = 20});
    edict_t *player = World_Edict(play->sv.world, 3);
    edict_t *weapon = add(play, player->origin);
    edict_t *muzzle = add(play, player->origin);
    weapon->visibility = muzzle->visibility = VISIBLE_ALL;
    assert_true(play->sv.engine->follow(&play->sv, weapon, player, vec3_zero, vec3_zero));
    assert_true(play->sv.engine->follow(&play->sv, muzzle, weapon, vec3_zero, vec3_zero));
    const int32_t numbers[] = {3, World_EdictNumber(play->sv.world, weapon),
                               World_EdictNumber(play->sv.world, muzzle)};
    run(play, 500);
    for (size_t turn = 0; turn < 2 * COUNTOF(numbers); turn++) {
        const bool at_exit = turn % 2 == 1;
        const vec3_t old = player->origin;
        const vec3_t new = {3000.0f, at_exit ? 0.0f : 1500.0f, 30.0f};
        const game_event_t event = {.entity = numbers[turn / 2],
                                    .has_origin = true,
                                    .origin = at_exit ? new : old,
                                    .range = 8000};
        play->sv.engine->teleport(&play->sv, player, new, vec3_zero, vec3_zero);
        int32_t id = emit(play, event, NULL, false);
        run(play, 500);
        assert_int_equal(heard_by(play, id), at_exit ? 4 : 7);
        id = emit(play, event, NULL, false);
        run(play, 500);
        assert_int_equal(heard_by(play, id), 7); // all have the new place
    }
    end(play);
}

// A spectator that may not see players hears nothing of them either.
static void test_spectators(void **state) {
    (void)state;
    play_t *play = start(13, (sim_conditions_t){.delay_ms = 20});
    play->sv.engine->set_spectator(&play->sv, World_Edict(play->sv.world, 3), true);
    for (int32_t spectate = 0; spectate < 3; spectate++) {
        play->sv.world->cvars.sv_spectate = spectate;
        int32_t placed = emit(play, near_by, NULL, false);
        int32_t nowhere = emit(play, (game_event_t){.range = 0}, NULL, false);
        run(play, 500);
        assert_int_equal(heard_by(play, placed), spectate == 2 ? 7 : 3);
        assert_int_equal(heard_by(play, nowhere), 7);
    }
    end(play);
}

static void test_lines_in_the_middle_of_the_screen(void **state) {
    (void)state;
    play_t *play = start(12, (sim_conditions_t){.delay_ms = 20});
    cl_event_t event = {0};
    play->sv.engine->center_print(&play->sv, 1, "first\nsecond\tline");
    for (int32_t i = 0; i < 100; i++) {
        TestNet_Step(&play->net);
    }
    while (event.type != CL_EVENT_CENTER || !strstr(event.text, "first")) {
        assert_true(CL_NextEvent(play->net.clients[1], &event));
    }
    assert_string_equal(event.text, "first\nsecond?line");
    end(play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_arrives_once_and_in_time),
        cmocka_unit_test(test_numbers_wrap),
        cmocka_unit_test(test_floods),
        cmocka_unit_test(test_events_for_nobody),
        cmocka_unit_test(test_the_nearest_are_kept),
        cmocka_unit_test(test_a_flood_drops_no_important_event),
        cmocka_unit_test(test_only_what_is_received_takes_room),
        cmocka_unit_test(test_receivers),
        cmocka_unit_test(test_hits_behind_a_wall),
        cmocka_unit_test(test_events_of_an_edict),
        cmocka_unit_test(test_no_place_of_what_all_hear),
        cmocka_unit_test(test_effects_of_hidden_players),
        cmocka_unit_test(test_effects_of_teleports),
        cmocka_unit_test(test_edicts_that_leave),
        cmocka_unit_test(test_spectators),
        cmocka_unit_test(test_lines_in_the_middle_of_the_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
