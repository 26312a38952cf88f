// The movetypes of clients on a simulated network: walk, noclip, fly, toss and none are predicted
// bit for bit over random commands, with every profile, in a hall with stairs, water, a lift and a
// turntable. A follower is carried by its leader.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "core/server_local.h"
#include "math/angles.h"
#include "move/profiles.h"
#include "physics/actions.h"

#include <string.h>

#define NEWS_MS 400 // longer than the round trip: the client knows what the test has changed

static const test_block_t blocks[] = {
    {.box = {{-96, -96, -16}, {96, 96, 0}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{-96, -96, -16}, {96, 96, 0}}, .contents = CONTENTS_SOLID, .model = 2},
    {.box = {{-512, -512, 0}, {-256, 512, 96}}, .contents = CONTENTS_WATER},
    {.box = {{128, -512, 0}, {160, -128, 16}}, .contents = CONTENTS_SOLID}, // stairs
    {.box = {{160, -512, 0}, {192, -128, 32}}, .contents = CONTENTS_SOLID},
    {.box = {{192, -512, 0}, {224, -128, 48}}, .contents = CONTENTS_SOLID},
    {.box = {{224, -512, 0}, {320, -128, 64}}, .contents = CONTENTS_SOLID},
    {.box = {{-192, -512, 0}, {-160, -64, 256}}, .contents = CONTENTS_SOLID}, // walls
    {.box = {{-160, 96, 0}, {-32, 128, 256}}, .contents = CONTENTS_SOLID},
    {.box = {{-160, -512, 0}, {512, 512, 200}}, .contents = CONTENTS_SOLID, .model = 3}, // ice
};

static const test_map_t map = {.room = {{-512, -512, 0}, {512, 512, 512}},
                               .blocks = blocks,
                               .num_blocks = COUNTOF(blocks),
                               .entities = "{\n\"classname\" \"worldspawn\"\n}\n"
                                           "{\n\"classname\" \"info_player_deathmatch\"\n"
                                           "\"origin\" \"420 0 30\"\n}\n"
                                           "{\n\"classname\" \"func_friction\"\n"
                                           "\"model\" \"*3\"\n}\n",
                               .brush_list = true};

typedef struct {
    test_net_t net;
    sv_context_t sv;
    rng_t rng;
    edict_t *player, *lift, *table;
    client_t *client;
    cl_input_t input;
    int64_t next_input_ms;
    int64_t was_wet, was_grounded, was_riding, was_in_solid, ticks; ///< seen on the server
    float seen_yaw;
} run_t;

static edict_t *add_pusher(run_t *run, int32_t model, vec3_t origin, motion_t motion) {
    edict_t *edict = run->sv.engine->spawn(&run->sv);
    assert_non_null(edict);
    edict->origin = origin;
    edict->movetype = MOVETYPE_PUSH;
    edict->solid = SOLID_BSP;
    edict->type = ENTITY_BRUSH;
    assert_true(run->sv.engine->set_model(&run->sv, edict, model));
    run->sv.engine->link(&run->sv, edict, false);
    motion.base = (pose_t){edict->origin, edict->angles};
    assert_true(SV_PusherStart(&run->sv, edict, &motion));
    return edict;
}

// Sets the cvars of a profile as the console does; the box stays that of the map's hulls.
static void set_profile(server_t *server, const char *profile) {
    int32_t count = 0;
    const cvar_def_t *defs = GameCvars_Defs(&count);
    game_cvars_t wanted = server->world->cvars;
    assert_true(PM_Profile(profile, &wanted.move));
    PM_FitBody(&wanted.move, false);
    for (int32_t i = 0; i < count; i++) {
        char value[CVAR_STRING_BYTES];
        err_t err;
        Cvar_Format(&defs[i], &wanted, value, sizeof value);
        assert_true(defs[i].offset < offsetof(game_cvars_t, move) ||
                    Server_SetCvar(server, defs[i].name, value, &err));
    }
}

static void init(run_t *run, uint64_t seed, int32_t delay_ms, const char *profile, float rate_hz) {
    const test_net_config_t config = {.seed = seed,
                                      .conditions = {.delay_ms = delay_ms},
                                      .max_clients = 2,
                                      .map = &map,
                                      .rate_hz = rate_hz};
    memset(run, 0, sizeof *run);
    run->rng = (rng_t){seed};
    TestNet_Init(&run->net, &config);
    server_t *server = run->net.server;
    run->sv = SV_Context(server->world, server->map, &server->game, server->events);
    set_profile(server, profile);
    run->lift =
        add_pusher(run, 1, Vector(0.0f, -256.0f, 180.0f),
                   (motion_t){.kind = MOTION_SWING, .duration_ms = 4000, .delta = {0, 0, 60}});
    run->table = add_pusher(
        run, 2, Vector(256.0f, 256.0f, 16.0f),
        (motion_t){.kind = MOTION_SPIN, .duration_ms = 6000, .delta_angles = {0, 360, 0}});
    TestNet_AddClient(&run->net, "mover");
    assert_true(TestNet_WaitActive(&run->net, 5000));
    run->player = World_Edict(server->world, 1);
    run->client = World_Client(server->world, 0);
    assert_int_equal(run->client->player.pm_type, PM_NORMAL);
}

// Chooses new random input every 20 to 300 ms.
static void choose_input(run_t *run) {
    rng_t *rng = &run->rng;
    if (run->net.now_ms < run->next_input_ms) {
        return;
    }
    run->next_input_ms = run->net.now_ms + 20 + (int64_t)Rng_Below(rng, 280);
    run->input = (cl_input_t){.pitch = Rng_Range(rng, -60.0f, 60.0f),
                              .yaw = Rng_Range(rng, 0.0f, 360.0f),
                              .forward = Rng_Range(rng, -100.0f, 400.0f),
                              .side = Rng_Range(rng, -200.0f, 200.0f),
                              .up = Rng_Range(rng, -250.0f, 250.0f),
                              .buttons = (Rng_Below(rng, 4) == 0 ? BUTTON_JUMP : 0u) |
                                         (Rng_Below(rng, 5) == 0 ? BUTTON_DUCK : 0u)};
}

static bool rides(const run_t *run) {
    const world_t *world = run->sv.world;
    int32_t ground = run->client->player.groundentity;
    return ground == World_EdictNumber(world, run->lift) ||
           ground == World_EdictNumber(world, run->table);
}

static void play(run_t *run, int64_t ms) {
    test_net_t *net = &run->net;
    player_state_t predicted;
    for (int64_t end = net->now_ms + ms; net->now_ms < end;) {
        choose_input(run);
        CL_SetInput(net->clients[0], &run->input);
        TestNet_Step(net);
        assert_true(CL_Predicted(net->clients[0], &predicted));
        run->seen_yaw = predicted.angles.y;
        sv_context_t *sv = &run->sv;
        run->ticks++;
        run->was_wet += run->client->player.waterlevel >= 2;
        run->was_grounded += (run->client->player.flags & PMF_ONGROUND) != 0;
        run->was_riding += rides(run);
        run->was_in_solid += sv->engine->is_stuck(sv, run->player);
    }
}

static const vec3_t starts[] = {{0, -256, 330}, {256, 256, 60},   {-400, 0, 60}, {90, -300, 60},
                                {-100, 0, 100}, {-280, 300, 140}, {0, 300, 60},  {280, -200, 120}};

// Puts the player somewhere at a velocity, with a movetype, and lets the client hear of it.
static void start(run_t *run, movetype_t movetype, size_t place, vec3_t velocity) {
    run->sv.engine->teleport(&run->sv, run->player, starts[place % COUNTOF(starts)],
                             Vector(0.0f, 0.0f, 0.0f), velocity);
    run->player->movetype = (int32_t)movetype;
    play(run, NEWS_MS);
}

static uint64_t mispredictions(const run_t *run, uint64_t *predictions) {
    cl_stats_t stats;
    CL_Stats(run->net.clients[0], &stats);
    *predictions = stats.predictions;
    return stats.mispredictions;
}

typedef struct {
    movetype_t movetype;
    const char *name;
    bool wet, grounded, riding, in_solid; ///< whether some ticks must show this
    bool moves;
} case_t;

static const case_t cases[] = {
    {MOVETYPE_WALK, "walk", true, true, true, false, true},
    {MOVETYPE_NOCLIP, "noclip", false, false, false, true, true},
    {MOVETYPE_FLY, "fly", true, false, false, false, true},
    {MOVETYPE_TOSS, "toss", true, true, true, false, true},
    {MOVETYPE_NONE, "none", false, false, false, false, false},
};

static void one_run(const case_t *how, uint64_t seed, int32_t delay_ms, float rate_hz, run_t *run) {
    uint64_t before, after;
    init(run, seed, delay_ms, PM_ProfileName((int32_t)(seed % 5)), rate_hz);
    play(run, 1500); // the usercmd clock settles
    run->ticks = run->was_wet = run->was_grounded = run->was_riding = run->was_in_solid = 0;
    for (size_t i = 0; i < COUNTOF(starts); i++) {
        rng_t *rng = &run->rng;
        vec3_t thrown = Vector(Rng_Range(rng, -300.0f, 300.0f), Rng_Range(rng, -300.0f, 300.0f),
                               Rng_Range(rng, 100.0f, 300.0f));
        bool is_thrown = how->movetype == MOVETYPE_TOSS && i >= 2; // the others fall onto pushers
        start(run, how->movetype, i, is_thrown ? thrown : vec3_zero);
        vec3_t at = run->player->origin;
        float yaw = run->seen_yaw;
        uint64_t wrong = mispredictions(run, &before);
        play(run, 2500);
        assert_int_equal(mispredictions(run, &after), wrong);
        assert_true(after > before + (rate_hz < 40.0f ? 30 : 100));
        assert_int_equal(run->client->player.movetype, how->movetype);
        assert_int_equal(run->sv.world->counters.unstuck, 0);
        if (!how->moves) {
            assert_true(VectorCompare(run->player->origin, at));
            assert_true(run->seen_yaw != yaw);
        } else if (how->movetype != MOVETYPE_TOSS) {
            assert_false(VectorCompare(run->player->origin, at));
        }
    }
    TestNet_Free(&run->net);
}

static void test_each_movetype_is_predicted_to_the_bit(void **state) {
    (void)state;
    static const int32_t delays_ms[] = {0, 20, 90};
    for (size_t c = 0; c < COUNTOF(cases); c++) {
        const case_t *how = &cases[c];
        int64_t wet = 0, grounded = 0, riding = 0, in_solid = 0;
        int32_t rounds = Test_IsLong() ? 90 : Test_IsSlow() ? 3 : 6;
        for (int32_t round = 0; round < rounds; round++) {
            run_t run;
            one_run(how, 100 * c + (uint64_t)round + 1,
                    delays_ms[(Test_IsSlow() ? round : round / 2) % 3], 62.5f, &run);
            wet += run.was_wet;
            grounded += run.was_grounded;
            riding += run.was_riding;
            in_solid += run.was_in_solid;
        }
        print_message("%s: in water %lld, on ground %lld, riding %lld, in solid %lld steps\n",
                      how->name, (long long)wet, (long long)grounded, (long long)riding,
                      (long long)in_solid);
        assert_true((wet > 0) == how->wet || how->movetype == MOVETYPE_NONE);
        assert_true((grounded > 0) == how->grounded || how->movetype == MOVETYPE_NONE);
        assert_true((riding > 0) == how->riding || how->movetype == MOVETYPE_NONE);
        assert_true((in_solid > 0) == how->in_solid || how->movetype == MOVETYPE_NONE);
    }
}

// Before its flight, this player walks into a wall by the last bit of its origin, with "drop".
static void test_a_walk_that_ends_on_a_wall(void **state) {
    (void)state;
    run_t run;
    one_run(&cases[1], 154, 90, 62.5f, &run);
}

// Walks at the tick rates that people use, over steps, through water and on pushers.
static void test_walking_is_predicted_at_every_rate(void **state) {
    (void)state;
    static const float rates_hz[] = {20, 30, 60, 62.5f, 64, 72, 77, 100, 128};
    for (size_t i = 0; i < COUNTOF(rates_hz); i += Test_IsSlow() ? 3 : 1) {
        run_t run, other;
        one_run(&cases[0], i + 1, 30, rates_hz[i], &run);
        one_run(&cases[1], i + 2, 0, rates_hz[i], &other);
        print_message("%g Hz: %lld ms wet, %lld on ground, %lld riding\n", (double)rates_hz[i],
                      (long long)run.was_wet * TEST_NET_STEP_MS,
                      (long long)run.was_grounded * TEST_NET_STEP_MS,
                      (long long)run.was_riding * TEST_NET_STEP_MS);
        assert_true(run.was_wet > 0);
        assert_true(run.was_grounded > 0);
        assert_true(run.was_riding > 0);
    }
}

// A seated player: in every tick its origin is exactly the leader's pose plus the offset. The
// client receives it, turns its own view, and counts no misprediction. When the leader is removed,
// the player walks again.
static void test_a_follower_is_carried(void **state) {
    (void)state;
    run_t run;
    uint64_t predictions;
    init(&run, 7, 20, "quake", 62.5f);
    play(&run, 1500);
    const vec3_t seat = {20.0f, 10.0f, 30.0f};
    assert_true(SV_Follow(&run.sv, run.player, run.table, seat, vec3_zero));
    play(&run, NEWS_MS);
    uint64_t wrong = mispredictions(&run, &predictions);
    vec3_t first = run.player->origin;
    float yaw = run.seen_yaw;
    for (int32_t i = 0; i < 300; i++) {
        play(&run, TEST_NET_STEP_MS);
        vec3_t forward, right, up;
        AngleVectors(run.table->angles, &forward, &right, &up);
        vec3_t expected = VectorMA(run.table->origin, seat.x, forward);
        expected = VectorMA(VectorMA(expected, -seat.y, right), seat.z, up);
        assert_true(VectorCompare(run.player->origin, expected));
        assert_true(VectorCompare(run.client->player.origin, expected));
    }
    player_state_t self;
    assert_true(CL_Self(run.net.clients[0], &self));
    assert_int_equal(self.movetype, MOVETYPE_FOLLOW);
    assert_int_equal(self.carrier, World_EdictNumber(run.sv.world, run.table));
    assert_int_equal(mispredictions(&run, &predictions), wrong);
    assert_true(VectorLength(VectorSubtract(run.player->origin, first)) > 10.0f);
    assert_true(run.seen_yaw != yaw);
    run.sv.engine->remove(&run.sv, run.table);
    play(&run, NEWS_MS);
    assert_int_equal(run.player->movetype, MOVETYPE_WALK);
    wrong = mispredictions(&run, &predictions);
    vec3_t at = run.player->origin;
    play(&run, 2000);
    assert_int_equal(mispredictions(&run, &predictions), wrong);
    assert_false(VectorCompare(run.player->origin, at));
    TestNet_Free(&run.net);
}

// Article 001 over the network, on a map whose hulls are solid outside: a client flies out of the
// map with the command noclip, switches it off there, and is back where it began. One correction
// later it predicts its walk again.
static void test_leaving_noclip_outside_the_map(void **state) {
    (void)state;
    static const test_map_t hulls = {.room = {{-256, -256, 0}, {256, 256, 256}},
                                     .entities = "{\n\"classname\" \"worldspawn\"\n}\n"
                                                 "{\n\"classname\" \"info_player_start\"\n"
                                                 "\"origin\" \"0 0 30\"\n}\n"};
    const test_net_config_t config = {
        .seed = 3, .conditions = {.delay_ms = 40}, .max_clients = 2, .map = &hulls};
    run_t run = {.net = {0}};
    err_t err;
    uint64_t predictions;
    TestNet_Init(&run.net, &config);
    server_t *server = run.net.server;
    run.sv = SV_Context(server->world, server->map, &server->game, server->events);
    assert_true(Server_SetCvar(server, "sv_cheats", "1", &err));
    TestNet_AddClient(&run.net, "mapper");
    assert_true(TestNet_WaitActive(&run.net, 5000));
    run.player = World_Edict(server->world, 1);
    run.client = World_Client(server->world, 0);
    run.lift = run.table = run.player;
    run.next_input_ms = INT64_MAX; // no random input
    play(&run, 1500);
    const vec3_t start = run.player->origin;
    assert_true(CL_Command(run.net.clients[0], "noclip"));
    play(&run, NEWS_MS);
    run.input = (cl_input_t){.forward = 400.0f, .up = 50.0f};
    play(&run, 1500);
    assert_true(run.player->origin.x > 400.0f);
    assert_true(run.was_in_solid > 100);
    run.input = (cl_input_t){0};
    play(&run, NEWS_MS); // commands under way would make it walk
    assert_true(CL_Command(run.net.clients[0], "noclip"));
    play(&run, NEWS_MS);
    assert_true(VectorCompare(run.player->origin, start));
    player_state_t predicted;
    assert_true(CL_Predicted(run.net.clients[0], &predicted));
    assert_true(VectorCompare(predicted.origin, start));
    assert_int_equal(server->world->counters.unstuck, 1);
    uint64_t wrong = mispredictions(&run, &predictions);
    run.input = (cl_input_t){.forward = 400.0f};
    play(&run, 400);
    assert_true(run.player->origin.x > start.x + 50.0f);
    assert_true(run.player->origin.x < 256.0f);
    assert_int_equal(mispredictions(&run, &predictions), wrong);
    TestNet_Free(&run.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_movetype_is_predicted_to_the_bit),
        cmocka_unit_test(test_a_walk_that_ends_on_a_wall),
        cmocka_unit_test(test_walking_is_predicted_at_every_rate),
        cmocka_unit_test(test_a_follower_is_carried),
        cmocka_unit_test(test_leaving_noclip_outside_the_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
