// Everybody at once: all players join, die, respawn and leave in one tick each. Nobody is lost or
// killed by it, and no event is dropped. 64 players and two spawn points; 1,024 and eight with
// EDICTD_LONG=1. Then the same for clients of a server, and a change of map: 24, or 128.

#include "core/core_local.h"
#include "game/players.h"
#include "lib/events_fixture.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "lib/world_fixture.h"
#include "world/block.h"
#include "world/move.h"

#define TICK_MS       16
#define MAX_WAIT_MS   20000 // until all have found room
#define SPAWN_CLASS   "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"%d %d 25\" }\n"
#define PLAYER_SPACE  96.0f // qu; side of the square that each player has in the room
#define EDICTS_OF_ONE 3     // a player, its backpack, and one to spare

typedef struct {
    test_world_t test;
    rng_t rng;
    int32_t players;
} crowd_t;

static void start(crowd_t *crowd) {
    static char text[4096];
    crowd->players = Test_IsLong() ? 1024 : Test_IsSlow() ? 32 : 64;
    crowd->rng = (rng_t){3};
    float half = 0.5f * PLAYER_SPACE * sqrtf((float)crowd->players);
    int32_t used = snprintf(text, sizeof text, "{ \"classname\" \"worldspawn\" }\n");
    for (int32_t i = 0; i < (crowd->players > 64 ? 8 : 2); i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, SPAWN_CLASS,
                         (i % 4 * 2 - 3) * (int32_t)half / 4, (i / 4 * 2 - 1) * (int32_t)half / 2);
    }
    const test_map_t map = {.room = {{-half, -half, 0.0f}, {half, half, 512.0f}}, .entities = text};
    assert_true(TestMap_Build(&crowd->test.map, &map));
    TestWorld_Start(&crowd->test, EDICTS_OF_ONE * crowd->players + 64, crowd->players, NULL, NULL);
}

static client_t *client_of(const crowd_t *crowd, int32_t slot) {
    return World_Client(crowd->test.world, slot);
}

// Runs a tick in which all players walk. Checks that no list was full.
static void tick(crowd_t *crowd) {
    world_t *world = crowd->test.world;
    for (int32_t i = 0; i < crowd->players; i++) {
        if (client_of(crowd, i)->inuse) {
            const usercmd_t cmd = {.msec = TICK_MS,
                                   .forward = 320,
                                   .yaw = (uint16_t)Rng_Below(&crowd->rng, 65536),
                                   .tick = world->tick};
            TestWorld_Cmd(&crowd->test, i, cmd);
        }
    }
    TestWorld_Tick(&crowd->test);
    assert_int_equal(crowd->test.events->dropped, 0);
    assert_int_equal(crowd->test.events->emissions_dropped, 0);
    assert_int_equal(world->counters.inputs_dropped, 0);
    assert_int_equal(world->counters.edicts_full, 0);
    assert_int_equal(world->counters.quarantined, 0);
}

static void add_all(crowd_t *crowd, input_type_t type, const char *text) {
    for (int32_t i = 0; i < crowd->players; i++) {
        input_t *input = Inputs_Add(crowd->test.inputs, type, i);
        assert_non_null(input);
        snprintf(input->text, sizeof input->text, text, i);
    }
}

static int32_t alive(const crowd_t *crowd) {
    int32_t count = 0;
    for (int32_t i = 0; i < crowd->players; i++) {
        const client_t *client = client_of(crowd, i);
        count += client->player.health > 0 && client->player.pm_type == PM_NORMAL ? 1 : 0;
    }
    return count;
}

static int32_t deaths(const crowd_t *crowd) {
    int32_t sum = 0;
    for (int32_t i = 0; i < crowd->players; i++) {
        sum += Game_PlayerFields(client_of(crowd, i))->deaths;
    }
    return sum;
}

// Runs until all are alive, and then checks that nobody is inside another player.
static void wait_for_all(crowd_t *crowd, const char *what) {
    int32_t ms = 0;
    for (; alive(crowd) < crowd->players; ms += TICK_MS) {
        assert_true(ms < MAX_WAIT_MS);
        tick(crowd);
    }
    sv_context_t sv =
        SV_Context(crowd->test.world, &crowd->test.map, &crowd->test.game, crowd->test.events);
    for (int32_t i = 0; i < crowd->players; i++) {
        assert_null(SV_TestEdictPosition(&sv, World_Edict(crowd->test.world, i + 1)));
    }
    print_message("%d players: all alive %d ms after all %s\n", crowd->players, ms, what);
}

static void check_world(const crowd_t *crowd) {
    err_t err;
    const world_t *world = crowd->test.world;
    assert_true(World_Check(world, world->bytes, &err));
}

static void test_all_at_once(void **state) {
    (void)state;
    crowd_t crowd;
    start(&crowd);
    add_all(&crowd, INPUT_JOIN, "p%d");
    wait_for_all(&crowd, "joined");
    assert_int_equal(deaths(&crowd), 0);
    add_all(&crowd, INPUT_TEXT, "kill");
    tick(&crowd);
    assert_int_equal(deaths(&crowd), crowd.players);
    assert_int_equal(alive(&crowd), 0);
    assert_int_equal(TestWorld_CountEvents(&crowd.test, EVENT_PRINT, "gave up"), crowd.players);
    assert_int_equal(TestEvents_Effects(crowd.test.world, crowd.test.events, "death"),
                     crowd.players);
    check_world(&crowd);
    wait_for_all(&crowd, "died");
    assert_int_equal(deaths(&crowd), crowd.players);
    add_all(&crowd, INPUT_LEAVE, "left");
    tick(&crowd);
    assert_int_equal(TestWorld_CountEvents(&crowd.test, EVENT_PRINT, " left"), crowd.players);
    for (int32_t i = 0; i < crowd.players; i++) {
        assert_false(client_of(&crowd, i)->inuse);
        assert_false(World_Edict(crowd.test.world, i + 1)->inuse);
    }
    check_world(&crowd);
    add_all(&crowd, INPUT_JOIN, "q%d"); // the slots are free again
    wait_for_all(&crowd, "joined again");
    assert_int_equal(deaths(&crowd), 0);
    TestWorld_Free(&crowd.test);
}

// ---- clients ----

// Returns how many clients play and are alive, as the server has it.
static int32_t clients_alive(const test_net_t *net) {
    const world_t *world = Server_World(net->server);
    int32_t count = 0;
    for (int32_t slot = 0; slot < world->max_clients; slot++) {
        count += World_Client(world, slot)->player.health > 0 ? 1 : 0;
    }
    return count;
}

static void wait_alive(test_net_t *net, int32_t wanted) {
    for (int64_t end = net->now_ms + MAX_WAIT_MS; clients_alive(net) != wanted;) {
        assert_true(net->now_ms < end);
        TestNet_Step(net);
    }
}

static void test_all_clients_at_once(void **state) {
    (void)state;
    static test_net_t net;
    const int32_t count = Test_IsLong() ? 128 : Test_IsSlow() ? 8 : 24;
    const test_map_t map = {.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 256.0f}}};
    const test_net_config_t config = {
        .seed = 1, .conditions = {.delay_ms = 20}, .max_clients = count, .map = &map};
    err_t err;
    TestNet_Init(&net, &config);
    TestNet_WriteMap(&net, &(test_map_t){.room = map.room, .name = "second"}, "second");
    for (int32_t i = 0; i < count; i++) {
        char name[MAX_NAME_BYTES];
        snprintf(name, sizeof name, "p%d", i);
        const cl_input_t input = {.forward = 320.0f, .yaw = (float)(i * 37 % 360)};
        CL_SetInput(net.clients[TestNet_AddClient(&net, name)], &input); // away from the start
    }
    assert_true(TestNet_WaitActive(&net, MAX_WAIT_MS));
    wait_alive(&net, count);
    for (int32_t i = 0; i < count; i++) {
        assert_true(CL_Command(net.clients[i], "kill"));
    }
    wait_alive(&net, 0);
    wait_alive(&net, count);
    assert_true(Server_StartMap(net.server, "second", &err));
    assert_true(TestNet_WaitActive(&net, MAX_WAIT_MS));
    wait_alive(&net, count);
    for (int32_t i = 0; i < count; i++) {
        assert_string_equal(CL_MapName(net.clients[i]), "second");
        CL_Disconnect(net.clients[i]);
    }
    for (int64_t end = net.now_ms + MAX_WAIT_MS; Server_NumClients(net.server) > 0;) {
        assert_true(net.now_ms < end);
        TestNet_Step(&net);
    }
    const uint64_t dropped = Server_Stats(net.server).events_dropped;
    assert_true(count > 64 ? dropped > 0 : dropped == 0); // 256 effects may wait for a client
    assert_int_equal(Server_NetCounters(net.server).send_failed, 0);
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_all_clients_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
