// Tests round trips of 400 to 900 ms. The baseline follows the acknowledgements, the rate stays,
// entities do not go back to older places, and each event arrives once.

#include "client/cl_local.h"
#include "core/server_local.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "world/link.h"

#include <string.h>

#define MAX_MOVERS  400
#define MAX_EMITTED 1000 // events

static const test_map_t map = {.room = {{-2048, -2048, 0}, {2048, 2048, 512}},
                               .entities = "{ \"classname\" \"worldspawn\" }\n"
                                           "{ \"classname\" \"info_player_deathmatch\" "
                                           "\"origin\" \"0 0 30\" }\n"};

typedef struct {
    test_net_t net;
    sv_context_t sv;
    int32_t num_movers;
    edict_t *movers[MAX_MOVERS];
    int32_t shown[MAX_EDICTS]; // by edict: x of the client's newest snapshot, on the wire
    int32_t boom, num_events;
    uint8_t arrived[MAX_EMITTED];
    int64_t tick;
    int64_t updates, backs; // of shown
} play_t;

typedef struct {
    float rate_hz;
    int32_t delay_ms, movers;
    int32_t loss_percent;
} case_t;

static void begin(play_t *play, const case_t *config) {
    const test_net_config_t net = {
        .seed = 5,
        .conditions = {.delay_ms = config->delay_ms, .loss = (float)config->loss_percent / 100.0f},
        .max_clients = 1,
        .max_edicts = 1024,
        .map = &map,
        .rate_hz = config->rate_hz};
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net, &net);
    (void)TestNet_AddClient(&play->net, "far");
    assert_true(TestNet_WaitActive(&play->net, 20000));
    server_t *server = play->net.server;
    play->sv = SV_Context(server->world, server->map, &server->game, server->events);
    server->config.rates = (rate_bounds_t){1000, 0};
    play->boom = play->sv.engine->effect_index(&play->sv, "boom");
    play->num_movers = config->movers;
    for (int32_t i = 0; i < config->movers; i++) {
        play->movers[i] = play->sv.engine->spawn(&play->sv);
        play->movers[i]->type = ENTITY_PROJECTILE;
        play->movers[i]->origin =
            Vector(-1900.0f, -1000.0f + 50.0f * (float)(i % 40), 60.0f + 20.0f * (float)(i / 40));
        SV_LinkEdict(&play->sv, play->movers[i], false);
    }
}

// Moves all by 1 qu a tick. Emits an event in some ticks.
static void move(play_t *play) {
    for (int32_t i = 0; i < play->num_movers; i++) {
        play->movers[i]->origin.x += 1.0f;
        SV_LinkEdict(&play->sv, play->movers[i], false);
    }
    if (play->tick % 8 == 0 && play->num_events < MAX_EMITTED) {
        game_event_t event = {.kind = GAME_EFFECT,
                              .number = play->boom,
                              .has_origin = true,
                              .volume = 1.0f,
                              .range = 8000,
                              .num_args = 1};
        event.args[0] = play->num_events++;
        play->sv.engine->event(&play->sv, &event, NULL, false);
    }
}

static void look(play_t *play) {
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    cl_t *cl = play->net.clients[0];
    const int64_t newest = SnapshotRing_Newest(cl->ring);
    const int32_t count = SnapshotRing_Entities(cl->ring, newest, list, NULL);
    for (int32_t i = 0; i < count; i++) {
        int32_t *shown = &play->shown[list[i]->number];
        if (list[i]->type == ENTITY_PROJECTILE) {
            play->updates += list[i]->origin[0] > *shown ? 1 : 0;
            play->backs += *shown != 0 && list[i]->origin[0] < *shown ? 1 : 0;
            *shown = list[i]->origin[0];
        }
    }
    cl_event_t event;
    while (CL_NextEvent(cl, &event)) {
        if (event.type == CL_EVENT_EFFECT && event.number == play->boom) {
            play->arrived[event.args[0]]++;
        }
    }
}

static void run(play_t *play, int32_t ms) {
    for (int32_t i = 0; i < ms; i += TEST_NET_STEP_MS) {
        TestNet_Step(&play->net);
        assert_int_equal(CL_State(play->net.clients[0]), CL_ACTIVE);
        if (play->tick != play->sv.world->tick) {
            play->tick = play->sv.world->tick;
            move(play);
        }
        look(play);
    }
}

// Runs a case for 15 s. Counts from its sixth second on.
static void play_case(play_t *play, const case_t *config) {
    begin(play, config);
    run(play, 5000);
    play->backs = play->updates = 0;
    run(play, 10000);
    print_message("%g Hz, %d ms, %d entities: %lld updates, %lld back\n", (double)config->rate_hz,
                  2 * config->delay_ms, config->movers, (long long)play->updates,
                  (long long)play->backs);
}

// Tests that the baseline follows the acknowledgements. If server or client dropped each snapshot
// before its acknowledgement, the baseline would stay, and all changes since be sent again.
static void test_the_baseline_follows(void **state) {
    (void)state;
    static const case_t cases[] = {
        {62.5f, 200, 400, 0}, {62.5f, 450, 400, 0}, {128.0f, 450, 400, 0}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        static play_t play;
        const case_t *at = &cases[i];
        play_case(&play, at);
        const session_t *session = &play.net.server->sessions[0];
        const int32_t trip_ticks = (int32_t)(0.002f * (float)at->delay_ms * at->rate_hz);
        assert_in_range(play.tick - SnapshotRing_Base(session->ring), trip_ticks, trip_ticks + 4);
        // As many entities as with short round trips.
        const int64_t least = Q_MinI(at->movers, 350) * (int64_t)(10.0f * at->rate_hz);
        assert_true(play.updates > least * 9 / 10);
        TestNet_Free(&play.net);
    }
}

// Tests that a long path does not count as a full one.
static void test_the_rate_stays(void **state) {
    (void)state;
    static const case_t cases[] = {
        {62.5f, 450, 30, 0}, {128.0f, 350, 30, 0}, {128.0f, 450, 120, 0}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        static play_t play;
        play_case(&play, &cases[i]);
        assert_int_equal(play.net.server->sessions[0].rate.rate, RATE_MAX);
        assert_int_equal(Server_Stats(play.net.server).snapshots_skipped, 0);
        TestNet_Free(&play.net);
    }
}

// Tests that entities do not go back to where an older snapshot had them. If not all fit, some do,
// because those that wait for long come before those that are sent again.
static void test_nothing_goes_back(void **state) {
    (void)state;
    static const case_t cases[] = {
        {62.5f, 350, 120, 0}, {62.5f, 450, 120, 0}, {62.5f, 350, 400, 0}, {62.5f, 450, 400, 0}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        static play_t play;
        play_case(&play, &cases[i]);
        assert_true(play.backs <= (cases[i].movers > 200 ? play.updates * 5 / 200 : 0));
        TestNet_Free(&play.net);
    }
}

// Tests that events arrive once, though the server no longer waits for their acknowledgements. It
// sends few copies.
static void test_events_arrive_once(void **state) {
    (void)state;
    static const case_t cases[] = {{62.5f, 350, 30, 0}, {62.5f, 350, 30, 3}, {128.0f, 450, 400, 0}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        static play_t play;
        play_case(&play, &cases[i]);
        const int32_t emitted = play.num_events;
        play.num_events = MAX_EMITTED; // no more
        run(&play, 2000);
        const server_stats_t stats = Server_Stats(play.net.server);
        assert_true(emitted > 100);
        assert_in_range(stats.events_sent, emitted, 3 * emitted + 10);
        for (int32_t n = 0; n < emitted; n++) {
            assert_int_equal(play.arrived[n], 1);
        }
        TestNet_Free(&play.net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_baseline_follows),
        cmocka_unit_test(test_the_rate_stays),
        cmocka_unit_test(test_nothing_goes_back),
        cmocka_unit_test(test_events_arrive_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
