// Tests which entities a client receives in the turns of a crowd.

#include "core/interest.h"
#include "core/priority.h"

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "world/bits.h"
#include "world/link.h"
#include "world/tick_time.h"

#include <string.h>

#define CLIENTS 3
#define NEAR_QU 50.0f
#define LONG_MS (2 * SIGHT_SEEN_MS + SIGHT_RETEST_MS)

static const test_block_t wall = {.box = {{-16, -1024, 0}, {16, 512, 256}},
                                  .contents = CONTENTS_SOLID};

static const test_map_t map = {
    .room = {{-1024, -1024, 0}, {1024, 1024, 256}},
    .blocks = &wall,
    .num_blocks = 1,
    .entities = "{ \"classname\" \"worldspawn\" }\n"
                "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-400 0 24\" }\n",
    .brush_list = true};

typedef struct {
    test_net_t net;
    sv_context_t sv;
    int32_t list[4096];
} play_t;

static void begin(play_t *play) {
    const test_net_config_t config = {.seed = 3, .max_clients = CLIENTS, .map = &map};
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net, &config);
    for (int32_t i = 0; i < CLIENTS; i++) {
        (void)TestNet_AddClient(&play->net, "player");
    }
    assert_true(TestNet_WaitActive(&play->net, 10000));
    server_t *server = play->net.server;
    play->sv = SV_Context(server->world, server->map, &server->game, server->events);
}

static void put(play_t *play, int32_t slot, float x, float y) {
    edict_t *edict = World_Edict(play->net.server->world, slot + 1);
    edict->origin = Vector(x, y, 24.0f);
    edict->velocity = vec3_zero;
    SV_LinkEdict(&play->sv, edict, false);
    SV_PlayerFromEdict(&play->sv, edict);
}

// Returns true if client 0 keeps an edict as it is, in a turn of a crowd that has room for one
// entity and takes them from number `first` to the next end of a block. Sets *received if the
// client receives the edict.
static bool is_aside(play_t *play, int32_t number, int32_t first, bool *received) {
    server_t *server = play->net.server;
    const session_t *session = &server->sessions[server->peer_of_slot[0]];
    turn_t turn = {.tick = server->world->tick,
                   .base_tick = SnapshotRing_Base(session->ring),
                   .rate_mhz = World_TickRate(server->world)};
    priority_t *priority = &server->priorities[0];
    priority->is_crowd = true;
    priority->room = 1;
    priority->backlog = priority->taken = 0;
    priority->near_qu = NEAR_QU;
    priority->next = first;
    turn.eye = World_Edict(server->world, 1)->origin;
    SendStates_Build(server);
    Interest_Tick(server);
    SendOrder_Build(server);
    const int32_t end = Bits_Words(server->world->num_edicts) * 64;
    server->round.next = (first + end - PRIORITY_BLOCK) % end; // all blocks before it are due
    priority->round_passed = server->round.passed;
    const int32_t view = SV_ViewSlot(server->world, 0);
    const int32_t count = Interest_List(server, session, view, &turn, play->list);
    *received = false;
    for (int32_t i = 0; i < count; i++) {
        *received = *received || server->states[play->list[i]].number == number;
    }
    return turn.aside && Bits_Get(turn.aside, number);
}

// Tests the turns of a crowd: a player waits without a test of its line of sight. Some do not wait:
// a player with followers, the followers, which must not be sent while the player is hidden,
// players that have just come near or jumped away, and the own and the watched player.
static void test_a_crowd_takes_turns(void **state) {
    (void)state;
    static play_t play;
    bool received = false;
    begin(&play);
    world_t *world = play.net.server->world;
    int32_t follower = 0;
    for (int32_t i = 0; i < 64; i++) {
        edict_t *edict = play.sv.engine->spawn(&play.sv);
        edict->origin = Vector(-400.0f, 600.0f + (float)i, 24.0f);
        edict->type = ENTITY_PROJECTILE;
        edict->movetype = i == 0 ? MOVETYPE_FOLLOW : MOVETYPE_NONE;
        edict->aiment = i == 0 ? World_Ref(world, World_Edict(world, 2)) : (edict_ref_t){0};
        follower = i == 0 ? World_EdictNumber(world, edict) : follower;
        SV_LinkEdict(&play.sv, edict, false);
    }
    const int32_t first = (follower / PRIORITY_BLOCK + 1) * PRIORITY_BLOCK;
    put(&play, 0, -400.0f, 700.0f);
    put(&play, 1, 400.0f, 700.0f);
    put(&play, 2, 400.0f, 600.0f);
    for (int32_t ms = 0; ms < 1000; ms += TEST_NET_STEP_MS) {
        TestNet_Step(&play.net);
    }
    assert_true(is_aside(&play, 3, first, &received)); // player 2
    assert_false(received);
    assert_false(is_aside(&play, 3, 0, &received)); // its turn
    assert_true(received);
    assert_false(is_aside(&play, 2, first, &received));
    assert_true(received);
    assert_false(is_aside(&play, follower, first, &received));
    assert_true(received);
    client_t *client = World_Client(world, 0);
    client->spectator = 1;
    client->watches = 3; // player 2
    assert_false(is_aside(&play, 3, first, &received));
    assert_true(received);
    assert_false(is_aside(&play, 1, first, &received)); // its own
    client->spectator = 0;
    client->watches = 0;
    for (float y = 700.0f; y >= -500.0f; y -= 200.0f) { // without a jump
        put(&play, 0, -400.0f, y);
        put(&play, 1, 400.0f, y);
        put(&play, 2, 400.0f, y - 100.0f);
        (void)is_aside(&play, 3, 0, &received);
    }
    for (int32_t ms = 0; ms < LONG_MS; ms += World_TickMs(world)) {
        (void)is_aside(&play, 3, 0, &received);
    }
    assert_false(received);
    assert_true(is_aside(&play, 3, first, &received));
    assert_false(is_aside(&play, 2, first, &received));
    assert_false(received);
    assert_false(is_aside(&play, follower, first, &received));
    assert_false(received);
    put(&play, 2, -400.0f + NEAR_QU + 1.0f, -500.0f);
    assert_true(is_aside(&play, 3, first, &received)); // it has jumped
    put(&play, 2, -400.0f + NEAR_QU - 1.0f, -500.0f);
    assert_false(is_aside(&play, 3, first, &received)); // it is near
    assert_true(received);
    world->tick += 30; // the jumps are forgotten
    assert_false(is_aside(&play, 3, first, &received));
    put(&play, 2, 400.0f, -500.0f);
    assert_false(is_aside(&play, 3, first, &received)); // it was near before it jumped
    assert_false(received);                             // it is hidden now
    put(&play, 2, 800.0f, -500.0f);
    assert_false(is_aside(&play, 3, first, &received)); // it jumps again
    world->tick += 30;
    assert_true(is_aside(&play, 3, first, &received)); // each client has had a turn
    TestNet_Free(&play.net);
}

// Returns true if client 0 keeps an edict as it is, `ticks` ticks later, in which nothing moves.
static bool is_aside_later(play_t *play, const edict_t *edict, int32_t ticks) {
    const int32_t number = World_EdictNumber(play->net.server->world, edict);
    bool is_kept = false, received = false;
    for (int32_t i = 0; i < ticks; i++) {
        play->net.server->world->tick++;
        is_kept = is_aside(play, number, (number / PRIORITY_BLOCK + 1) * PRIORITY_BLOCK, &received);
    }
    return is_kept;
}

#define NUM_RESTING 64

// Spawns edicts that rest, and runs a second.
static void spawn_resting(play_t *play, edict_t *edicts[NUM_RESTING]) {
    for (int32_t i = 0; i < NUM_RESTING; i++) {
        edicts[i] = play->sv.engine->spawn(&play->sv);
        edicts[i]->origin = Vector(-400.0f, 600.0f + (float)i, 24.0f);
        edicts[i]->type = ENTITY_PROJECTILE;
        SV_LinkEdict(&play->sv, edicts[i], false);
    }
    for (int32_t ms = 0; ms < 1000; ms += TEST_NET_STEP_MS) {
        TestNet_Step(&play->net);
    }
}

// Tests that all clients have a turn with a new edict that has the number of an old one.
static void test_new_edicts_do_not_wait(void **state) {
    (void)state;
    static play_t play;
    begin(&play);
    edict_t *edicts[NUM_RESTING];
    spawn_resting(&play, edicts);
    assert_true(is_aside_later(&play, edicts[30], 8));
    edicts[30]->generation++; // was removed, and its number given to another
    play.net.server->snapshot_ticks = 16;
    for (int32_t i = 0; i < 32; i++) {
        assert_false(is_aside_later(&play, edicts[30], 1));
    }
    assert_true(is_aside_later(&play, edicts[30], 1));
    TestNet_Free(&play.net);
}

// Tests that an edict at rest has no turns once the client has it, near or not, until it changes.
static void test_edicts_at_rest_have_no_turns(void **state) {
    (void)state;
    static play_t play;
    begin(&play);
    edict_t *edicts[NUM_RESTING];
    spawn_resting(&play, edicts);
    edict_t *edict = edicts[20];
    const int32_t number = World_EdictNumber(play.net.server->world, edict);
    const int32_t first = number / PRIORITY_BLOCK * PRIORITY_BLOCK;
    bool received = false;
    for (int32_t is_near = 0; is_near < 2; is_near++) {
        put(&play, 0, edict->origin.x + (is_near ? 0.0f : 200.0f), edict->origin.y);
        play.net.server->world->tick++;
        assert_true(is_aside(&play, number, first, &received));
        assert_false(received);
    }
    put(&play, 0, edict->origin.x + 200.0f, edict->origin.y);
    edict->effects++;
    World_MarkWritten(play.net.server->world, edict);
    for (int32_t i = 0; i < 8; i++) { // rests again, but the client has not received the change
        play.net.server->world->tick++;
        assert_true(is_aside(&play, number, first + PRIORITY_BLOCK, &received));
        assert_false(is_aside(&play, number, first, &received));
        assert_true(received);
    }
    TestNet_Free(&play.net);
}

// Tests that an edict that not all clients may see waits for no turn: a client that may not see it
// any more must lose it at once.
static void test_private_edicts_do_not_wait(void **state) {
    (void)state;
    static play_t play;
    begin(&play);
    edict_t *edicts[NUM_RESTING];
    spawn_resting(&play, edicts);
    assert_true(is_aside_later(&play, edicts[20], 8));
    edicts[20]->visibility = VISIBLE_BUT_CLIENT;
    edicts[20]->visible_to = 0;
    World_MarkWritten(play.net.server->world, edicts[20]);
    assert_false(is_aside_later(&play, edicts[20], 1));
    assert_true(is_aside_later(&play, edicts[30], 1));
    TestNet_Free(&play.net);
}

// Emits an effect of player `slot`, farther away than sounds are heard. Returns how many events
// client 0 receives of it.
static int32_t hears_of(play_t *play, int32_t slot) {
    server_t *server = play->net.server;
    const event_queue_t *queue = &server->event_queues[0];
    const int32_t before = queue->count;
    const edict_t *edict = World_Edict(server->world, slot + 1);
    play->sv.engine->effect(&play->sv, edict, edict->origin, 1);
    Send_Events(server, 0);
    return queue->count - before;
}

// Tests that a client receives no far effects of a player who goes behind a wall in a crowd, where
// the client keeps the player as it was until the player's turn.
static void test_effects_of_a_player_set_aside(void **state) {
    (void)state;
    static play_t play;
    bool received = false;
    begin(&play);
    const world_t *world = play.net.server->world;
    for (int32_t i = 0; i < 64; i++) {
        edict_t *edict = play.sv.engine->spawn(&play.sv);
        edict->origin = Vector(-900.0f, 600.0f + (float)i, 24.0f);
        edict->type = ENTITY_PROJECTILE;
        SV_LinkEdict(&play.sv, edict, false);
    }
    put(&play, 0, -900.0f, 700.0f);
    put(&play, 1, 900.0f, 700.0f);
    put(&play, 2, 900.0f, 600.0f);
    for (int32_t ms = 0; ms < 1000; ms += TEST_NET_STEP_MS) {
        TestNet_Step(&play.net);
    }
    assert_true(is_aside(&play, 3, 2 * PRIORITY_BLOCK, &received));
    assert_int_equal(hears_of(&play, 2), 1);
    for (float y = 600.0f; y >= -600.0f; y -= 200.0f) { // without a jump
        put(&play, 2, 900.0f, y);
        assert_true(is_aside(&play, 3, 2 * PRIORITY_BLOCK, &received));
    }
    for (int32_t ms = 0; ms < LONG_MS; ms += World_TickMs(world)) {
        assert_true(is_aside(&play, 3, 2 * PRIORITY_BLOCK, &received));
    }
    assert_int_equal(hears_of(&play, 2), 0);
    assert_int_equal(hears_of(&play, 1), 1);
    put(&play, 2, 900.0f, -400.0f); // it is hidden, and the client has it nearby
    assert_int_equal(hears_of(&play, 2), 0);
    client_t *client = World_Client(play.net.server->world, 0);
    client->spectator = 1;
    assert_int_equal(hears_of(&play, 2), 1);
    client->spectator = 0;
    client->team = World_Client(play.net.server->world, 2)->team = 1;
    assert_int_equal(hears_of(&play, 2), 1);
    client->team = 2;
    assert_int_equal(hears_of(&play, 2), 0);
    play.net.server->config.cull_los = false;
    assert_int_equal(hears_of(&play, 2), 1);
    TestNet_Free(&play.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_crowd_takes_turns),
        cmocka_unit_test(test_new_edicts_do_not_wait),
        cmocka_unit_test(test_edicts_at_rest_have_no_turns),
        cmocka_unit_test(test_private_edicts_do_not_wait),
        cmocka_unit_test(test_effects_of_a_player_set_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
