// Changes of map with players, through a landmark and without. Predicting clients walk from one
// room to another and back.

#include "lib/playing_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"
#include "game/players.h"
#include "math/angles.h"
#include "world/block.h"
#include "world/move.h"

#include <stdlib.h>
#include <string.h>

#define ANN      0
#define BOB      1
#define CAT      2
#define RUN      320.0f
#define EXACT    0.01f // qu, of the position relative to the landmark
#define LIMIT_MS 6000
#define QUAD_MS  60000

static const vec3_t landmark_a = {400, 0, 0};
static const vec3_t landmark_b = {2100, 1256, -300};

// Room A: the exit is at its east end, and a transition volume fills its east half.
static const test_block_t blocks_a[] = {
    {.box = {{440, -128, 0}, {480, 128, 128}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{0, -256, 0}, {512, 256, 200}}, .contents = CONTENTS_SOLID, .model = 2}};
// Room B: the exit is at its west end.
static const test_block_t blocks_b[] = {
    {.box = {{2010, 1128, -300}, {2040, 1384, -172}}, .contents = CONTENTS_SOLID, .model = 1}};

#define ROOM_A                                                                                     \
    "{ \"classname\" \"worldspawn\" }"                                                             \
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"-120 0 25\" }"                        \
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"120 0 25\" }"                         \
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"0 120 25\" }"
#define EXIT(keys) "{ \"classname\" \"trigger_changelevel\" \"model\" \"*1\" " keys " }"
#define MARK(at)                                                                                   \
    "{ \"classname\" \"info_landmark\" \"targetname\" \"hall\" "                                   \
    "\"origin\" \"" at "\" }"
#define TO_B                                                                                       \
    EXIT("\"map\" \"b\" \"landmark\" \"hall\" \"changetarget\" \"bell\" \"changedelay\" \"1\"")
#define IN_B(more)                                                                                 \
    "{ \"classname\" \"worldspawn\" }"                                                             \
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"2500 1256 -275\" }"                   \
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"2600 1256 -275\" }"                   \
    "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"2700 1256 -275\" }"                   \
    "{ \"classname\" \"trigger_relay\" \"targetname\" \"bell\" \"target\" \"clapper\" }"           \
    "{ \"classname\" \"trigger_relay\" \"targetname\" \"clapper\" \"killtarget\" \"rope\" }"       \
    "{ \"classname\" \"info_notnull\" \"targetname\" \"rope\" }" more

static const test_map_t room_b = {
    .room = {{2000, 1000, -300}, {3000, 1512, -44}},
    .blocks = blocks_b,
    .num_blocks = 1,
    .name = "b",
    .entities = IN_B(EXIT("\"map\" \"testmap\" \"landmark\" \"hall\"") MARK("2100 1256 -300"))};

// Starts ann and bob in room A with these entities, in teams.
static void set_up(test_playing_t *play, const char *entities, const test_map_t *b) {
    err_t err;
    const test_map_t a = {.room = {{-512, -256, 0}, {512, 256, 256}},
                          .blocks = blocks_a,
                          .num_blocks = (int32_t)COUNTOF(blocks_a),
                          .entities = entities,
                          .format = b ? b->format : NULL};
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net, &(test_net_config_t){.seed = 5, .max_clients = 4, .map = &a});
    if (b) {
        TestNet_WriteMap(&play->net, b, "b");
    }
    assert_true(Server_SetCvar(play->net.server, "teamplay", "1", &err));
    TestNet_AddClient(&play->net, "ann");
    TestNet_AddClient(&play->net, "bob");
    assert_true(TestNet_WaitActive(&play->net, 20000));
    TestPlaying_Run(play, 500);
}

static player_fields_t *fields_of(const test_playing_t *play, int32_t n) {
    return Game_PlayerFields(TestPlaying_Client(play, n));
}

static session_t *session_of(const test_playing_t *play, int32_t n) {
    const server_t *server = play->net.server;
    return &server->sessions[server->peer_of_slot[CL_Slot(play->net.clients[n])]];
}

// Gives a player things that a new player does not have.
static void equip(const test_playing_t *play, int32_t n) {
    player_fields_t *fields = fields_of(play, n);
    fields->weapons |= 1 << WEAPON_ROCKETS;
    fields->weapon = WEAPON_ROCKETS;
    fields->ammo[AMMO_ROCKETS] = 17;
    fields->armour = 42;
    fields->armour_percent = 60;
    fields->frags = 7;
    fields->deaths = 2;
    fields->power_ms[POWER_QUAD] = Server_World(play->net.server)->time_ms + QUAD_MS;
    TestPlaying_Client(play, n)->player.health = 63;
}

static void expect_equipped(const test_playing_t *play, int32_t n) {
    const player_fields_t *fields = fields_of(play, n);
    int64_t quad_ms = fields->power_ms[POWER_QUAD] - Server_World(play->net.server)->time_ms;
    assert_true(fields->weapons & 1 << WEAPON_ROCKETS);
    assert_int_equal(fields->weapon, WEAPON_ROCKETS);
    assert_int_equal(fields->ammo[AMMO_ROCKETS], 17);
    assert_int_equal(fields->armour, 42);
    assert_int_equal(fields->armour_percent, 60);
    assert_int_equal(fields->frags, 7);
    assert_int_equal(fields->deaths, 2);
    assert_true(quad_ms > QUAD_MS - 20000 && quad_ms < QUAD_MS);
    assert_int_equal(TestPlaying_Client(play, n)->player.health, 63);
}

static bool runs(const test_playing_t *play, const char *map) {
    return strcmp(Server_Map(play->net.server)->name, map) == 0;
}

// Holds an input until the server runs this map. `last`: the player's last state before.
static void hold_to_map(test_playing_t *play, int32_t n, cl_input_t input, const char *map,
                        player_state_t *last) {
    for (int32_t ms = 0; ms < LIMIT_MS && !runs(play, map); ms += TEST_NET_STEP_MS) {
        *last = TestPlaying_Client(play, n)->player;
        TestPlaying_Press(play, n, input);
        TestPlaying_Run(play, TEST_NET_STEP_MS);
    }
    assert_true(runs(play, map));
}

static void walk_to_map(test_playing_t *play, int32_t n, float yaw, const char *map,
                        player_state_t *last) {
    hold_to_map(play, n, (cl_input_t){.forward = RUN, .yaw = yaw}, map, last);
}

// Runs until the tick in which a client's player is in the new world.
static void wait_joined(test_playing_t *play, int32_t n) {
    for (int32_t ms = 0; ms < LIMIT_MS && !TestPlaying_Client(play, n)->inuse;
         ms += TEST_NET_STEP_MS) {
        TestPlaying_Run(play, TEST_NET_STEP_MS);
    }
    assert_true(TestPlaying_Client(play, n)->inuse);
}

// Returns how far a player is from where it was before the change, relative to the landmarks.
static float moved(const test_playing_t *play, int32_t n, vec3_t offset, vec3_t landmark) {
    return VectorLength(
        VectorSubtract(TestPlaying_Client(play, n)->player.origin, VectorAdd(landmark, offset)));
}

static bool is_stuck(const test_playing_t *play, int32_t n) {
    server_t *server = play->net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    return SV_TestEdictPosition(&sv, World_Edict(server->world, CL_Slot(play->net.clients[n]) + 1));
}

static uint64_t mispredictions(const test_playing_t *play, int32_t n) {
    cl_stats_t stats;
    CL_Stats(play->net.clients[n], &stats);
    return stats.mispredictions;
}

// Walks bob through an exit. Ann, who stands somewhere else, goes along.
static void go_through(test_playing_t *play, float yaw, const char *map, vec3_t from, vec3_t to) {
    player_state_t last;
    player_state_t ann = TestPlaying_Client(play, ANN)->player;
    walk_to_map(play, BOB, yaw, map, &last);
    vec3_t offset = session_of(play, BOB)->from.offset;
    vec3_t expected = VectorSubtract(last.origin, from);
    assert_true(VectorLength(VectorSubtract(offset, expected)) < RUN * 0.02f); // a tick's walk
    assert_true(VectorLength(last.velocity) > 250.0f);
    wait_joined(play, BOB);
    assert_true(moved(play, BOB, offset, to) < EXACT);
    vec3_t velocity = TestPlaying_Client(play, BOB)->player.velocity;
    assert_true(VectorLength(VectorSubtract(velocity, last.velocity)) < 32.0f);
    wait_joined(play, ANN);
    assert_true(moved(play, ANN, VectorSubtract(ann.origin, from), to) < EXACT);
    TestPlaying_Run(play, 500);
    assert_true(fabsf(AngleMod(TestPlaying_Client(play, BOB)->player.angles.y) - yaw) < 0.1f);
    expect_equipped(play, BOB);
    assert_int_equal(fields_of(play, BOB)->team, 2);
    assert_int_equal(fields_of(play, ANN)->team, 1);
    assert_int_equal(fields_of(play, ANN)->weapon, WEAPON_SHOTGUN);
    assert_int_equal(TestPlaying_Stat(play, ANN, BOB, "frags"), 7); // ann's client knows it, too
    assert_int_equal(TestPlaying_Stat(play, ANN, BOB, "team"), 2);
    assert_true(World_Edict(play->net.server->world, CL_Slot(play->net.clients[BOB]) + 1)->effects &
                EFFECT_QUAD);
    assert_false(is_stuck(play, BOB) || is_stuck(play, ANN));
}

static void test_walk_there_and_back(void **state) {
    (void)state;
    static test_playing_t play;
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), &room_b);
    assert_true(TestPlaying_Goto(&play, ANN, 360.0f, -170.0f, LIMIT_MS));
    assert_true(TestPlaying_Goto(&play, BOB, 300.0f, 60.0f, LIMIT_MS));
    equip(&play, BOB);
    go_through(&play, 0.0f, "b", landmark_a, landmark_b);
    assert_int_equal(mispredictions(&play, BOB), 0);
    assert_true(TestPlaying_Goto(&play, BOB, 2300.0f, 1200.0f, LIMIT_MS));
    assert_true(runs(&play, "b"));
    go_through(&play, 180.0f, "testmap", landmark_b, landmark_a);
    assert_int_equal(mispredictions(&play, BOB), 0);
    assert_int_equal(play.drops, 0);
    TestNet_Free(&play.net);
}

static int32_t count_named(const test_playing_t *play, const char *name) {
    const world_t *world = Server_World(play->net.server);
    int32_t id = World_FindString(world, name);
    int32_t count = 0;
    for (int32_t i = 1; i < world->num_edicts; i++) {
        const edict_t *edict = World_Edict(world, i);
        count += id != 0 && edict->targetname == id && World_IsLive(edict) ? 1 : 0;
    }
    return count;
}

// The exit's changetarget rings the bell of the other map a second after the change, once.
static void test_changetarget_fires_in_the_other_map(void **state) {
    (void)state;
    static test_playing_t play;
    player_state_t last;
    set_up(&play,
           ROOM_A TO_B MARK("400 0 0") "{ \"classname\" \"trigger_relay\" \"targetname\" \"bell\" "
                                       "\"killtarget\" \"rope\" }"
                                       "{ \"classname\" \"info_notnull\" \"targetname\" \"rope\" }",
           &room_b);
    walk_to_map(&play, BOB, 0.0f, "b", &last);
    assert_int_equal(count_named(&play, "rope"), 1);
    while (Server_World(play.net.server)->time_ms < 960) {
        TestPlaying_Run(&play, TEST_NET_STEP_MS);
    }
    assert_int_equal(count_named(&play, "rope"), 1);
    TestPlaying_Run(&play, 200);
    assert_int_equal(count_named(&play, "rope"), 0);
    assert_int_equal(
        ((const game_vars_t *)(const void *)play.net.server->world->game)->change_target, 0);
    TestNet_Free(&play.net);
}

// A plain change of map keeps the team; score and equipment start again.
static void test_plain_change(void **state) {
    (void)state;
    static test_playing_t play;
    err_t err;
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), &room_b);
    assert_true(CL_Command(play.net.clients[ANN], "team blue")); // both blue: nobody would be again
    TestPlaying_Run(&play, 500);
    assert_true(TestPlaying_Respawn(&play, ANN, LIMIT_MS));
    equip(&play, BOB);
    assert_true(Server_StartMap(play.net.server, "b", &err));
    wait_joined(&play, ANN);
    wait_joined(&play, BOB);
    for (int32_t n = ANN; n <= BOB; n++) {
        const player_fields_t *fields = fields_of(&play, n);
        assert_int_equal(fields->team, 2);
        assert_int_equal(fields->frags, 0);
        assert_int_equal(fields->deaths, 0);
        assert_int_equal(fields->weapon, WEAPON_SHOTGUN);
        assert_int_equal(fields->armour, 0);
        assert_int_equal(TestPlaying_Client(&play, n)->player.health, PLAYER_HEALTH);
    }
    TestNet_Free(&play.net);
}

// Two players who arrive at one position stand beside each other; neither is stuck.
static void test_two_into_one_place(void **state) {
    (void)state;
    static test_playing_t play;
    player_state_t last;
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), &room_b);
    equip(&play, BOB);
    walk_to_map(&play, BOB, 0.0f, "b", &last);
    session_of(&play, ANN)->from = session_of(&play, BOB)->from;
    vec3_t offset = session_of(&play, BOB)->from.offset;
    wait_joined(&play, ANN);
    wait_joined(&play, BOB);
    assert_false(is_stuck(&play, ANN) || is_stuck(&play, BOB));
    bool ann_first = moved(&play, ANN, offset, landmark_b) < EXACT;
    assert_true(ann_first || moved(&play, BOB, offset, landmark_b) < EXACT);
    float other = moved(&play, ann_first ? BOB : ANN, offset, landmark_b);
    assert_true(other > 32.0f && other < 400.0f);
    expect_equipped(&play, BOB);
    TestNet_Free(&play.net);
}

// Walks bob to map b, ducked. Checks that it has its equipment and stands free at a spawn point.
static void expect_spawn_point(test_playing_t *play) {
    player_state_t last;
    err_t err;
    equip(play, BOB);
    assert_true(Server_SetCvar(play->net.server, "sv_duckmode", "1", &err));
    hold_to_map(play, BOB, (cl_input_t){.forward = RUN, .buttons = BUTTON_DUCK}, "b", &last);
    wait_joined(play, BOB);
    assert_false(is_stuck(play, BOB));
    const player_state_t *player = &TestPlaying_Client(play, BOB)->player;
    assert_true(player->origin.x > 2450.0f);
    assert_int_equal(last.flags & ~player->flags & PMF_DUCKED, PMF_DUCKED);
    assert_float_equal(player->maxs.z, 32.0f, 0.0f);
    expect_equipped(play, BOB);
}

static void test_landmark_missing(void **state) {
    (void)state;
    static test_playing_t play;
    test_map_t b = room_b;
    set_up(&play, ROOM_A TO_B, &b); // in the old map
    expect_spawn_point(&play);
    TestNet_Free(&play.net);
    b.entities = IN_B(EXIT("\"map\" \"testmap\" \"landmark\" \"hall\""));
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), &b); // in the new map
    expect_spawn_point(&play);
    TestNet_Free(&play.net);
}

// A landmark whose surroundings are solid in the new map, and one outside the world.
static void test_position_inside_solid(void **state) {
    (void)state;
    static test_playing_t play;
    static const char *const places[] = {MARK("1500 1256 -300"), MARK("65000 65000 65000"),
                                         MARK("-65536 65536 -65536")};
    for (size_t i = 0; i < COUNTOF(places); i++) {
        char entities[4096];
        test_map_t b = room_b;
        snprintf(entities, sizeof entities, "%s%s", IN_B(""), places[i]);
        b.entities = entities;
        b.num_blocks = 0;
        set_up(&play, ROOM_A TO_B MARK("400 0 0"), &b);
        expect_spawn_point(&play);
        TestNet_Free(&play.net);
    }
}

// Only players inside the trigger_transition keep their place; the others keep their equipment.
static void test_transition_volume(void **state) {
    (void)state;
    static test_playing_t play;
    player_state_t last;
    set_up(&play,
           ROOM_A TO_B MARK("400 0 0") "{ \"classname\" \"trigger_transition\" \"model\" \"*2\" "
                                       "\"targetname\" \"hall\" }",
           &room_b);
    assert_true(TestPlaying_Goto(&play, ANN, -200.0f, -150.0f, LIMIT_MS));
    equip(&play, ANN);
    walk_to_map(&play, BOB, 0.0f, "b", &last);
    vec3_t offset = session_of(&play, BOB)->from.offset;
    wait_joined(&play, BOB);
    assert_true(moved(&play, BOB, offset, landmark_b) < EXACT);
    wait_joined(&play, ANN);
    assert_true(TestPlaying_Client(&play, ANN)->player.origin.x > 2450.0f);
    expect_equipped(&play, ANN);
    TestNet_Free(&play.net);
}

static void count_refused(void *context, log_level_t level, const char *line) {
    (void)level;
    *(int32_t *)context += strstr(line, "cannot start") ? 1 : 0;
}

// If the map does not exist, the old map continues with one log line. The exit works again later.
static void test_missing_map(void **state) {
    (void)state;
    static test_playing_t play;
    player_state_t last;
    int32_t refused = 0;
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), NULL);
    play.net.log = (log_t){count_refused, &refused, LOG_INFO};
    equip(&play, BOB);
    assert_true(TestPlaying_Goto(&play, BOB, 460.0f, 0.0f, LIMIT_MS)); // stands inside the exit
    TestPlaying_Run(&play, 14000);
    assert_true(runs(&play, "testmap"));
    expect_equipped(&play, BOB);
    assert_int_equal(play.drops, 0);
    assert_int_equal(refused, 1);
    assert_true(TestPlaying_Goto(&play, BOB, 300.0f, 0.0f, LIMIT_MS));
    TestPlaying_Run(&play, 1000);
    TestNet_WriteMap(&play.net, &room_b, "b");
    walk_to_map(&play, BOB, 0.0f, "b", &last);
    assert_int_equal(refused, 1);
    TestNet_Free(&play.net);
}

// The bell does not ring: the running map is not the one that the exit led to.
static void expect_silence(test_playing_t *play) {
    wait_joined(play, BOB);
    TestPlaying_Run(play, 3000);
    assert_int_equal(count_named(play, "rope"), 1);
    TestNet_Free(&play->net);
}

static void test_missing_map_rings_nowhere(void **state) {
    (void)state;
    static test_playing_t play;
    err_t err;
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), NULL);
    TestPlaying_Press(&play, BOB, (cl_input_t){.forward = RUN, .yaw = 0.0f});
    TestPlaying_Run(&play, 3000);
    assert_true(runs(&play, "testmap"));
    TestNet_WriteMap(&play.net, &room_b, "b");
    assert_true(Server_StartMap(play.net.server, "b", &err));
    expect_silence(&play);
}

// sv_maplist replaces the exit's map.
static void test_replaced_map_rings_nowhere(void **state) {
    (void)state;
    static test_playing_t play;
    player_state_t last;
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), &room_b);
    TestNet_WriteMap(&play.net, &room_b, "c");
    Server_SetHost(play.net.server, "test", play.net.folder, "c", 1);
    walk_to_map(&play, BOB, 0.0f, "c", &last);
    expect_silence(&play);
}

// A player ducks into a room in which nobody can stand, and stands up outside.
static void test_ducked_player_arrives_ducked(void **state) {
    (void)state;
    static test_playing_t play;
    static const char *const modes[][2] = {{"BSP29", "1"}, {"BSP30", "2"}};
    static const test_block_t low[] = {
        {.box = {{2010, 1128, -300}, {2040, 1384, -172}}, .contents = CONTENTS_SOLID, .model = 1},
        {.box = {{2000, 1000, -258}, {2400, 1512, -200}}, .contents = CONTENTS_SOLID}};
    for (size_t i = 0; i < COUNTOF(modes); i++) {
        err_t err;
        player_state_t last;
        test_map_t b = room_b;
        cl_input_t duck = {.buttons = BUTTON_DUCK};
        b.blocks = low;
        b.num_blocks = (int32_t)COUNTOF(low);
        b.format = modes[i][0];
        b.brush_list = true;
        set_up(&play, ROOM_A TO_B MARK("400 0 0"), &b);
        assert_true(Server_SetCvar(play.net.server, "sv_duckmode", modes[i][1], &err));
        assert_true(TestPlaying_Goto(&play, BOB, 370.0f, 0.0f, LIMIT_MS));
        TestPlaying_Press(&play, BOB, duck);
        TestPlaying_Run(&play, 600);
        duck.forward = RUN;
        hold_to_map(&play, BOB, duck, "b", &last);
        assert_true(last.flags & PMF_DUCKED);
        vec3_t offset = session_of(&play, BOB)->from.offset;
        wait_joined(&play, BOB);
        assert_true(moved(&play, BOB, offset, landmark_b) < EXACT);
        TestPlaying_Press(&play, BOB, (cl_input_t){.yaw = 0.0f});
        TestPlaying_Run(&play, 1000);
        assert_false(is_stuck(&play, BOB));
        assert_true(TestPlaying_Client(&play, BOB)->player.flags & PMF_DUCKED);
        assert_true(TestPlaying_Goto(&play, BOB, 2460.0f, 1200.0f, LIMIT_MS));
        assert_false(TestPlaying_Client(&play, BOB)->player.flags & PMF_DUCKED);
        assert_int_equal(mispredictions(&play, BOB), 0);
        TestNet_Free(&play.net);
    }
}

// Cheats that are switched on end with the map.
static void test_cheats_end_with_the_map(void **state) {
    (void)state;
    static const char *const cheats[] = {"god", "notarget", "fly"};
    static test_playing_t play;
    player_state_t last;
    err_t err;
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), &room_b);
    assert_true(Server_SetCvar(play.net.server, "sv_cheats", "1", &err));
    const int32_t number = CL_Slot(play.net.clients[BOB]) + 1;
    const uint32_t flags = FL_GODMODE | FL_NOTARGET;
    for (int32_t i = 0; i < 3; i++) {
        assert_true(CL_Command(play.net.clients[BOB], cheats[i]));
    }
    TestPlaying_Run(&play, 200);
    assert_int_equal(World_Edict(play.net.server->world, number)->flags & flags, flags);
    walk_to_map(&play, BOB, 0.0f, "b", &last);
    assert_int_equal(last.movetype, MOVETYPE_FLY);
    wait_joined(&play, BOB);
    TestPlaying_Run(&play, 200);
    assert_int_equal(World_Edict(play.net.server->world, number)->flags & flags, 0);
    assert_int_equal(TestPlaying_Client(&play, BOB)->player.movetype, MOVETYPE_WALK);
    TestNet_Free(&play.net);
}

// A spectator stays one, a dead player spawns anew, and clients that join during the change
// play.
static void test_others(void **state) {
    (void)state;
    static test_playing_t play;
    player_state_t last;
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), &room_b);
    equip(&play, ANN);
    assert_true(CL_Command(play.net.clients[ANN], "spectate"));
    TestPlaying_Run(&play, 200);
    assert_true(TestPlaying_Goto(&play, BOB, 380.0f, 0.0f, LIMIT_MS));
    TestNet_AddClient(&play.net, "cat");
    TestNet_AddClient(&play.net, "dan");
    walk_to_map(&play, BOB, 0.0f, "b", &last);
    assert_true(TestNet_WaitActive(&play.net, 20000));
    TestPlaying_Run(&play, 500);
    assert_int_equal(TestPlaying_Client(&play, ANN)->spectator, 1);
    assert_int_equal(TestPlaying_Client(&play, ANN)->player.pm_type, PM_SPECTATOR);
    for (int32_t n = CAT; n <= 3; n++) {
        assert_int_equal(TestPlaying_Client(&play, n)->player.health, PLAYER_HEALTH);
        assert_int_equal(fields_of(&play, n)->frags, 0);
        assert_false(is_stuck(&play, n));
    }
    TestPlaying_Client(&play, CAT)->player.health = 0; // as if dead
    fields_of(&play, CAT)->armour = 99;
    assert_true(TestPlaying_Goto(&play, BOB, 2300.0f, 1200.0f, LIMIT_MS));
    walk_to_map(&play, BOB, 180.0f, "testmap", &last);
    wait_joined(&play, CAT);
    assert_int_equal(TestPlaying_Client(&play, CAT)->player.health, PLAYER_HEALTH);
    assert_int_equal(fields_of(&play, CAT)->armour, 0);
    TestNet_Free(&play.net);
}

// A player who arrives inside an exit stays until it has been outside.
static void test_exits_do_not_exchange_players(void **state) {
    (void)state;
    static test_playing_t play;
    player_state_t last;
    static const test_block_t wide = {
        .box = {{2010, 1128, -300}, {2300, 1384, -172}}, .contents = CONTENTS_SOLID, .model = 1};
    test_map_t b = room_b;
    b.blocks = &wide;
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), &b);
    walk_to_map(&play, BOB, 0.0f, "b", &last);
    wait_joined(&play, BOB);
    TestPlaying_Press(&play, BOB, (cl_input_t){.yaw = 0.0f});
    TestPlaying_Run(&play, 3000);
    assert_true(runs(&play, "b"));
    assert_true(TestPlaying_Client(&play, BOB)->player.origin.x < 2250.0f); // still inside it
    assert_true(TestPlaying_Goto(&play, BOB, 2400.0f, 1256.0f, LIMIT_MS));
    TestPlaying_Run(&play, 1000);
    walk_to_map(&play, BOB, 180.0f, "testmap", &last);
    TestNet_Free(&play.net);
}

// The inputs alone carry the players over: a copy of the new world at tick 0 that runs the same
// inputs has the same hash after every tick.
static void test_a_replay_of_the_inputs_agrees(void **state) {
    (void)state;
    static test_playing_t play;
    static inputs_t inputs;
    static events_t events;
    player_state_t last;
    set_up(&play, ROOM_A TO_B MARK("400 0 0"), &room_b);
    equip(&play, BOB);
    walk_to_map(&play, BOB, 0.0f, "b", &last);
    test_net_t *net = &play.net;
    server_t *server = net->server;
    assert_int_equal(server->world->tick, 0);
    size_t bytes = (size_t)server->world->bytes;
    world_t *copy = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(copy);
    memcpy(copy, server->world, bytes);
    game_binding_t game = server->game;
    game.poses = NULL;
    game.caches = NULL;
    game.running = NULL;
    for (int32_t tick = 0; tick < 200; net->now_ms += TEST_NET_STEP_MS) {
        SimNet_Advance(net->sim, net->now_ms);
        Server_Drain(server, net->now_ms);
        if (net->now_ms >= net->next_tick_ms) {
            inputs = *server->inputs;
            Server_Tick(server, net->now_ms);
            net->next_tick_ms += Server_TickMs(server);
            events.count = 0;
            SV_Frame(copy, server->map, &game, &inputs, &events);
            assert_true(World_Hash(copy) == World_Hash(server->world));
            tick++;
        }
        CL_Frame(net->clients[ANN], net->now_ms);
        CL_Frame(net->clients[BOB], net->now_ms);
    }
    expect_equipped(&play, BOB);
    free(copy);
    TestNet_Free(&play.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk_there_and_back),
        cmocka_unit_test(test_changetarget_fires_in_the_other_map),
        cmocka_unit_test(test_plain_change),
        cmocka_unit_test(test_two_into_one_place),
        cmocka_unit_test(test_landmark_missing),
        cmocka_unit_test(test_position_inside_solid),
        cmocka_unit_test(test_transition_volume),
        cmocka_unit_test(test_missing_map),
        cmocka_unit_test(test_missing_map_rings_nowhere),
        cmocka_unit_test(test_replaced_map_rings_nowhere),
        cmocka_unit_test(test_ducked_player_arrives_ducked),
        cmocka_unit_test(test_cheats_end_with_the_map),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_exits_do_not_exchange_players),
        cmocka_unit_test(test_a_replay_of_the_inputs_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
