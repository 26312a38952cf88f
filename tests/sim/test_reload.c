// The game module is replaced while a client joins, at every moment from its first datagram to its
// first snapshot. The client gets in, plays the new build, and receives the new build's numbers, as
// do the clients already playing.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"
#include "ops/game_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANN 0 // already plays
#define BOB 1 // joins

#define SCORE     7 // value that the game gives each joining player
#define MOST_MS   2000
#define JOIN_MS   10000
#define ANSWER_MS 400

static const sim_conditions_t slow = {.delay_ms = 20, .jitter_ms = 8};
static const sim_conditions_t bad = {
    .loss = 0.1f, .duplicate = 0.05f, .reorder = 0.05f, .delay_ms = 20, .jitter_ms = 20};

static const test_map_t room = {.room = {{-500, -500, 0}, {500, 500, 400}}};

static game_module_t open_module(const char *name) {
    game_module_t module;
    err_t err = {{0}};
    char path[512];
    snprintf(path, sizeof path, "%s/tests/modules/%s.so", Test_BuildFolder(), name);
    if (!GameModule_Load(&module, path, &err)) {
        fail_msg("%s", err.text);
    }
    return module;
}

static void run(test_net_t *net, int32_t ms) {
    for (int32_t i = 0; i < ms; i += TEST_NET_STEP_MS) {
        TestNet_Step(net);
    }
}

static void expect_answer(test_net_t *net, int32_t n, const char *text) {
    cl_event_t event;
    int32_t found = 0;
    while (CL_NextEvent(net->clients[n], &event)) {
    }
    assert_true(CL_Command(net->clients[n], "who"));
    for (int32_t ms = 0; ms < MOST_MS && found == 0; ms += ANSWER_MS) {
        run(net, ANSWER_MS);
        while (CL_NextEvent(net->clients[n], &event)) {
            found += event.type == CL_EVENT_PRINT && strcmp(event.text, text) == 0;
        }
    }
    assert_int_equal(found, 1);
}

static void expect_scores(const test_net_t *net, int32_t n) {
    for (int32_t about = ANN; about <= BOB; about++) {
        cl_value_t value;
        assert_true(CL_PlayerField(net->clients[n], CL_Slot(net->clients[about]), "score", &value));
        assert_int_equal(value.number, SCORE);
        assert_false(CL_PlayerField(net->clients[n], about, "secret", &value));
    }
}

static session_state_t bobs_state(const test_net_t *net) {
    for (int32_t peer = 0; peer < net->server->num_sessions; peer++) {
        const session_t *session = &net->server->sessions[peer];
        if (session->state != SESSION_FREE && session->slot != CL_Slot(net->clients[ANN])) {
            return session->state;
        }
    }
    return SESSION_FREE;
}

// Replaces the module `after_ms` after bob began to join. Returns the state of bob's session at
// that moment, or SESSION_LEAVING if bob played already.
static session_state_t join_over(sim_conditions_t conditions, int32_t after_ms, bool restart) {
    game_module_t one = open_module("tiny_one");
    game_module_t next = open_module(restart ? "tiny_fields" : "tiny_two");
    const char *answer = restart ? "other fields" : "the second build";
    test_net_t net;
    err_t err = {{0}};
    TestNet_Init(&net, &(test_net_config_t){.seed = (uint64_t)after_ms + 1,
                                            .conditions = conditions,
                                            .max_clients = 2,
                                            .map = &room,
                                            .game = one.game});
    TestNet_AddClient(&net, "ann");
    assert_true(TestNet_WaitActive(&net, JOIN_MS));
    TestNet_AddClient(&net, "bob");
    run(&net, after_ms);
    session_state_t moment = bobs_state(&net);
    bool plays = CL_State(net.clients[BOB]) == CL_ACTIVE;
    int64_t tick = Server_World(net.server)->tick;
    if (!Server_SetGame(net.server, next.game, restart, &err)) {
        fail_msg("after %d ms: %s", after_ms, err.text);
    }
    GameModule_Unload(&one); // nothing of it may be used any more
    run(&net, 1000);
    if (!TestNet_WaitActive(&net, JOIN_MS)) {
        fail_msg("after %d ms: bob does not get in: %s", after_ms, CL_Reason(net.clients[BOB]));
    }
    assert_true(restart || Server_World(net.server)->tick > tick); // the world continued
    for (int32_t n = ANN; n <= BOB; n++) {
        expect_answer(&net, n, answer);
        expect_scores(&net, n);
    }
    assert_int_equal(Server_NumPlayers(net.server), 2);
    assert_int_equal(Server_Stats(net.server).joins, 2); // once each
    assert_int_equal(Server_Stats(net.server).leaves, 0);
    assert_int_equal(Server_Stats(net.server).bad_packets, 0);
    TestNet_Free(&net);
    GameModule_Unload(&next);
    return plays ? SESSION_LEAVING : moment;
}

static void join_over_all(sim_conditions_t conditions, bool restart) {
    int32_t seen[SESSION_LEAVING + 1] = {0};
    int32_t step_ms = Test_IsLong() ? TEST_NET_STEP_MS : 2 * TEST_NET_STEP_MS;
    for (int32_t ms = 0; ms < MOST_MS && seen[SESSION_LEAVING] == 0; ms += step_ms) {
        seen[join_over(conditions, ms, restart)]++;
    }
    // Bob's first datagrams arrive together, so it is hardly ever connected without a slot.
    print_message("swapped before bob was there %d times, connected %d, loading %d, in the world "
                  "without a snapshot %d\n",
                  seen[SESSION_FREE], seen[SESSION_NEW], seen[SESSION_LOADING],
                  seen[SESSION_ACTIVE]);
    assert_true(seen[SESSION_FREE] > 0);
    assert_true(seen[SESSION_LOADING] > 0);
    assert_true(seen[SESSION_ACTIVE] > 0);
    assert_true(seen[SESSION_LEAVING] > 0);
}

static void test_a_client_joins_over_a_swap(void **state) {
    (void)state;
    join_over_all(slow, false);
}

static void test_a_client_joins_over_a_restart(void **state) {
    (void)state;
    join_over_all(slow, true);
}

static void test_the_same_on_a_bad_network(void **state) {
    (void)state;
    for (int32_t ms = 0; ms < 400; ms += 20) {
        join_over(bad, ms, false);
        join_over(bad, ms, true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_client_joins_over_a_swap),
        cmocka_unit_test(test_a_client_joins_over_a_restart),
        cmocka_unit_test(test_the_same_on_a_bad_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
