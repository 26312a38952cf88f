// Shots meet what their client shows. Players strafe, jump, duck and teleport, with the
// bones of a figure. A shooter computes from its snapshots alone what a ray meets in the shown
// world; the server's answer for that usercmd is the same, over bad networks, also at the edges of
// hitboxes.

#include "client/cl_local.h"
#include "collide/cmodel.h"
#include "core/server_local.h"
#include "game/figure_data.h"
#include "game/players.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "model/hitbox.h"
#include "move/meet.h"
#include "world/tick_time.h"

#include <string.h>

#define SHOOTERS    2
#define MAX_PLAYERS 34
#define REACH       3000.0f // qu
#define MAX_CMDS    4096    // expectations of a shooter, by tick

typedef struct {
    int64_t tick; // of the usercmd
    int32_t number, hitgroup;
} expected_t;

typedef struct {
    test_net_t net;
    rng_t rng;
    int32_t players;
    uint32_t made[SHOOTERS];
    expected_t next[SHOOTERS]; // of the next usercmd
    expected_t expected[SHOOTERS][MAX_CMDS];
    emesh_t file;
    model_t figure;
    int32_t shots, hits, near, wrong, late;
    int64_t old;     // usercmds whose view was too old
    int32_t rewound; // shots whose target has moved since by a quarter of its width
    char first[256]; // the first wrong shot
} range_t;

static range_t *range; // of the running test: a game's callbacks carry no context

// ---- the game ----

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)sv;
    const int32_t slot = World_EdictNumber(sv->world, player) - 1;
    player->origin = slot < SHOOTERS
                         ? Vector(-700.0f, -200.0f + 400.0f * (float)slot, 24.03125f)
                         : Vector(-300.0f + 120.0f * (float)((slot - SHOOTERS) % 8),
                                  -400.0f + 200.0f * (float)((slot - SHOOTERS) / 8), 24.03125f);
    player->solid = SOLID_SLIDEBOX;
    client->player.health = 100;
}

static void judge(sv_context_t *sv, const edict_t *player, const client_t *client,
                  const usercmd_t *cmd) {
    const int32_t slot = World_EdictNumber(sv->world, player) - 1;
    const expected_t *want = &range->expected[slot][cmd->tick % MAX_CMDS];
    if (want->tick != cmd->tick || want->number < 0) {
        return;
    }
    vec3_t forward;
    const vec3_t eye = sv->engine->eyes(sv, player);
    AngleVectors(client->player.angles, &forward, NULL, NULL);
    const vec3_t end = VectorMA(eye, REACH, forward);
    trace_t trace = sv->engine->trace_unlagged(sv, eye, vec3_zero, vec3_zero, end, true, player);
    const int32_t met = trace.entnum > 0 ? trace.entnum : 0;
    const int64_t age_ms = sv->world->time_ms - World_TickMs(sv->world) -
                           Ticks_TimeMs(World_TickRate(sv->world), cmd->view_tick, cmd->view_frac);
    range->shots++;
    const bool is_extrapolated = cmd->view_span >> 4 == 0; // no second snapshot
    if (age_ms > sv->world->cvars.sv_maxunlag_ms || is_extrapolated) {
        range->late++;
        return;
    }
    range->hits += met > 0;
    if (met != want->number || (met > 0 && trace.hitgroup != want->hitgroup)) {
        if (range->wrong++ == 0) {
            snprintf(range->first, sizeof range->first,
                     "tick %lld, view %lld + %d/65536, span %x: client %d shows %d (group %d), "
                     "the shot met %d (group %d)",
                     (long long)cmd->tick, (long long)cmd->view_tick, cmd->view_frac,
                     cmd->view_span, slot, want->number, want->hitgroup, met, trace.hitgroup);
        }
    }
    if (met > 0) {
        const edict_t *target = World_Edict(sv->world, met);
        const bounds_t then = sv->engine->box_unlagged(sv, target, player);
        range->rewound += fabsf(then.mins.x - target->absmin.x) > 8.0f ||
                          fabsf(then.mins.y - target->absmin.y) > 8.0f;
    }
}

static void step(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                 int32_t step_ms) {
    (void)step_ms;
    Game_Animate(sv, player, client);
    if (cmd->buttons & BUTTON_ATTACK) {
        judge(sv, player, client, cmd);
    }
}

static game_export_t make_game(void) {
    const game_export_t *reference = Game_Export();
    return (game_export_t){.api_version = GAME_API_VERSION,
                           .name = "range",
                           .client_join = join,
                           .client_step = step,
                           .models = reference->models,
                           .num_models = reference->num_models};
}

// ---- the shooters' clients ----

static vec3_t eye_of(const range_t *test, const player_state_t *self) {
    const float height = PM_ViewHeight(self, &Server_World(test->net.server)->cvars.move);
    return VectorAdd(self->origin, Vector(0.0f, 0.0f, height));
}

// Sweeps against an entity as the client shows it.
static trace_t trace_shown(const range_t *test, const cl_t *cl, int32_t number, vec3_t eye,
                           vec3_t end) {
    int64_t tick = 0;
    uint16_t frac = 0;
    pose_t pose;
    bounds_t box;
    cl_bones_t bones;
    trace_t none = {.fraction = 1.0f};
    if (!CL_ViewTime(cl, &tick, &frac) || !CL_EntityPose(cl, number, tick, frac, &pose) ||
        !CL_EntityBox(cl, number, tick, frac, &box.mins, &box.maxs)) {
        return none;
    }
    box = (bounds_t){VectorAdd(pose.origin, box.mins), VectorAdd(pose.origin, box.maxs)};
    const trace_t trace = CM_BoxBoxTrace(box, eye, end, vec3_zero, vec3_zero);
    const bool is_hit = trace.fraction < 1.0f || trace.startsolid;
    if (!is_hit || !CL_EntityBones(cl, number, tick, frac, &bones)) {
        return trace;
    }
    turned_box_t scratch[MAX_HITBOXES];
    pose_request_t request = {.animations = {bones.animations[0], bones.animations[1]},
                              .times_ms = {bones.times_ms[0], bones.times_ms[1]},
                              .blend = bones.blend};
    memcpy(request.controllers, bones.controllers, sizeof request.controllers);
    const cm_object_t at = {.origin = pose.origin, .angles = {0.0f, pose.angles.y, 0.0f}};
    const turned_box_t *boxes = Hitbox_PlaceAll(NULL, 0, &test->figure, &request, &at, scratch);
    return CM_PlacedTrace(&test->figure, boxes, eye, end, (bounds_t){vec3_zero, vec3_zero});
}

// Aims at a point in or beside a target, and notes what the ray meets in the shown world.
static void aim(range_t *test, int32_t slot) {
    cl_t *cl = test->net.clients[slot];
    const int32_t target =
        1 + SHOOTERS + (int32_t)(test->net.now_ms / 256 + slot) % (test->players - SHOOTERS);
    int64_t tick = 0;
    uint16_t frac = 0;
    pose_t pose;
    player_state_t self;
    if (!CL_ViewTime(cl, &tick, &frac) || !CL_EntityPose(cl, target, tick, frac, &pose) ||
        !CL_Predicted(cl, &self)) {
        return;
    }
    const vec3_t eye = eye_of(test, &self);
    const vec3_t at = VectorAdd(pose.origin, Vector(Rng_Range(&test->rng, -18.0f, 18.0f),
                                                    Rng_Range(&test->rng, -18.0f, 18.0f),
                                                    Rng_Range(&test->rng, -26.0f, 36.0f)));
    const vec3_t angles = VectorAngles(VectorSubtract(at, eye));
    const cl_input_t input = {.pitch = angles.x,
                              .yaw = AngleMod(angles.y - ShortToAngle((uint16_t)self.delta_yaw)),
                              .buttons = BUTTON_ATTACK};
    vec3_t forward;
    const vec3_t sent = {AngleNormalize180(ShortToAngle(AngleToShort(input.pitch))),
                         ShortToAngle((uint16_t)(AngleToShort(input.yaw) + self.delta_yaw)), 0.0f};
    AngleVectors(sent, &forward, NULL, NULL);
    const vec3_t end = VectorMA(eye, REACH, forward);
    const cm_object_t world = {.model = 0};
    trace_t best = CM_BoxTrace(test->net.server->map, &world, eye, end, vec3_zero, vec3_zero);
    pm_nearest_t hits = PM_NearestBegin(end, best.contents);
    PM_NearestAdd(&hits, best, EDICT_WORLD);
    for (int32_t number = 1; number <= test->players; number++) {
        if (number != slot + 1) {
            PM_NearestAdd(&hits, trace_shown(test, cl, number, eye, end), number);
        }
    }
    best = PM_NearestResult(&hits);
    test->next[slot] =
        (expected_t){.number = best.entnum > 0 ? best.entnum : 0, .hitgroup = best.hitgroup};
    CL_SetInput(cl, &input);
}

// Notes what the client expects of the usercmds that it has made.
static void note_cmds(range_t *test, int32_t slot) {
    const cl_cmds_t *cmds = &test->net.clients[slot]->cmds;
    for (; test->made[slot] != cmds->made; test->made[slot]++) {
        const usercmd_t *cmd = &cmds->list[test->made[slot] % CL_MAX_CMDS].cmd;
        expected_t *expected = &test->expected[slot][cmd->tick % MAX_CMDS];
        *expected = test->next[slot];
        expected->tick = cmd->tick;
    }
}

// ---- the targets ----

static void run_about(range_t *test, int32_t n) {
    if (Rng_Below(&test->rng, 60) != 0) {
        return;
    }
    static const float ways[] = {-400.0f, 0.0f, 400.0f};
    const uint8_t buttons[] = {0, 0, BUTTON_JUMP, BUTTON_DUCK};
    CL_SetInput(test->net.clients[n], &(cl_input_t){.forward = ways[Rng_Below(&test->rng, 3)],
                                                    .side = ways[Rng_Below(&test->rng, 3)],
                                                    .pitch = Rng_Range(&test->rng, -60.0f, 60.0f),
                                                    .yaw = Rng_Range(&test->rng, 0.0f, 360.0f),
                                                    .buttons = buttons[Rng_Below(&test->rng, 4)]});
}

static void teleport_one(range_t *test) {
    server_t *server = test->net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    const int32_t n =
        SHOOTERS + (int32_t)Rng_Below(&test->rng, (uint32_t)(test->players - SHOOTERS));
    edict_t *edict = World_Edict(server->world, n + 1);
    const bool is_short = Rng_Below(&test->rng, 2) == 0; // no distance tells of these
    const float reach = is_short ? 120.0f : 800.0f;
    vec3_t to = {Rng_Range(&test->rng, -reach, reach), Rng_Range(&test->rng, -reach, reach), 60.0f};
    to = is_short ? VectorClamp(VectorAdd(edict->origin, Vector(to.x, to.y, 0.0f)), 900.0f) : to;
    sv.engine->teleport(&sv, edict, to, vec3_zero, vec3_zero);
}

static void play(range_t *test, int64_t ms) {
    for (int64_t end = test->net.now_ms + ms; test->net.now_ms < end;) {
        for (int32_t n = 0; n < test->players; n++) {
            if (n < SHOOTERS) {
                aim(test, n);
            } else {
                run_about(test, n);
            }
        }
        if (test->net.now_ms % 1500 < TEST_NET_STEP_MS) {
            teleport_one(test);
        }
        TestNet_Step(&test->net);
        for (int32_t n = 0; n < SHOOTERS; n++) {
            note_cmds(test, n);
        }
    }
}

static void run_range(int32_t round_trip_ms, int32_t every, int32_t targets, int64_t ms) {
    static const test_map_t map = {.room = {{-1024, -1024, 0}, {1024, 1024, 512}}};
    const game_export_t game = make_game();
    const bool is_bad = round_trip_ms > 0;
    err_t err;
    range = calloc(1, sizeof *range);
    range->rng.state = (uint64_t)round_trip_ms + 5;
    range->players = SHOOTERS + targets;
    TestNet_Init(&range->net, &(test_net_config_t){.seed = (uint64_t)round_trip_ms + 1,
                                                   .conditions = {.delay_ms = round_trip_ms / 2,
                                                                  .jitter_ms = is_bad ? 12 : 0,
                                                                  .loss = is_bad ? 0.02f : 0.0f},
                                                   .max_clients = range->players,
                                                   .map = &map,
                                                   .game = &game});
    TestNet_ShowAll(&range->net);
    range->net.server->snapshot_ticks = every;
    Server_SetSendBones(range->net.server, SEND_PLAYERS_BONES);
    const uint8_t *bytes = (const uint8_t *)game_figure;
    assert_true(EMesh_Parse(&range->file, "figure", bytes, GAME_FIGURE_BYTES, &err));
    assert_true(Model_Read(&range->figure, &range->file, "figure", &err));
    for (int32_t n = 0; n < range->players; n++) {
        TestNet_AddClient(&range->net, "player");
        assert_true(TestNet_WaitActive(&range->net, 10000)); // so that client n has slot n
    }
    play(range, every > 1 ? 5000 : 1500); // until the clocks and the delay are settled
    range->shots = range->hits = range->wrong = range->late = range->rewound = 0;
    range->old = (int64_t)range->net.server->stats.views_old;
    play(range, ms);
    range->old = (int64_t)range->net.server->stats.views_old - range->old;
    print_message("%d ms, snapshots each %d: %d shots, %d hits, %d of what has moved, %d wrong, "
                  "%d late, %d views too old\n",
                  round_trip_ms, every, range->shots, range->hits, range->rewound, range->wrong,
                  range->late, (int)range->old);
    if (range->wrong > 0) {
        fail_msg("%d of %d shots: %s", range->wrong, range->shots, range->first);
    }
    assert_int_equal(range->net.server->stats.views_refused, 0);
    assert_true(range->shots > (int32_t)(ms / 8)); // two shooters, and a usercmd every 16 ms
    if (is_bad && every > 1) { // all that is shown is too old; a usercmd is counted as it arrives
        assert_true(range->late > range->shots * 9 / 10);
        assert_true(range->old > range->late * 9 / 10);
    } else {
        // After lost packets made usercmds late, a client sends them some ticks earlier for a
        // second (client/clock.h). With a round trip of 150 ms, their views can be too old.
        const int64_t cmds = range->players * ms / 16;
        assert_true(range->late * 100 <= range->shots);
        assert_true(range->old * 1000 <= (is_bad ? cmds : 0));
        assert_true(range->hits > range->shots / 4 && range->hits < range->shots * 9 / 10);
        assert_true(range->rewound > (round_trip_ms >= 100 ? range->hits / 4 : 0));
    }
    TestNet_Free(&range->net);
    free(range);
}

static void test_shots_meet_what_is_shown(void **state) {
    (void)state;
    const int32_t round_trips_ms[] = {0, 50, 100, 150};
    for (size_t i = 0; i < COUNTOF(round_trips_ms); i++) {
        run_range(round_trips_ms[i], 1, Test_IsLong() ? 32 : 4,
                  Test_IsLong()   ? 60000
                  : Test_IsSlow() ? 1000
                                  : 3000);
    }
}

// The same while the server is under strain (core/pace.c). With a longer round trip, all that is
// shown is older than sv_maxunlag_ms, and counted.
static void test_shots_between_rare_snapshots(void **state) {
    (void)state;
    run_range(0, 12, 4, Test_IsSlow() ? 1000 : 3000);
    run_range(100, 12, 4, 1000);
}

// Counts the moments at which a client shows an entity at x = 0 and at x = 100; fails between.
static void watch(test_net_t *net, int32_t number, int32_t at[2]) {
    for (int32_t ms = 0; ms < 400; ms += TEST_NET_STEP_MS) {
        int64_t tick;
        uint16_t frac;
        pose_t pose;
        TestNet_Step(net);
        assert_true(CL_ViewTime(net->clients[0], &tick, &frac));
        assert_true(CL_EntityPose(net->clients[0], number, tick, frac, &pose));
        assert_true(pose.origin.x == 0.0f || pose.origin.x == 100.0f);
        at[pose.origin.x == 0.0f ? 0 : 1]++;
    }
}

// A short teleport of a player and of an edict is shown as one, never as a way between. So are two
// or three in one tick.
static void test_a_short_teleport_is_no_movement(void **state) {
    (void)state;
    static const test_map_t map = {.room = {{-1024, -1024, 0}, {1024, 1024, 512}}};
    const game_export_t game = make_game();
    test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 3,
                                            .conditions = {.delay_ms = 20},
                                            .max_clients = 2,
                                            .map = &map,
                                            .game = &game});
    TestNet_ShowAll(&net);
    for (int32_t n = 0; n < 2; n++) {
        TestNet_AddClient(&net, "player");
        assert_true(TestNet_WaitActive(&net, 10000));
    }
    server_t *server = net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    edict_t *crate = sv.engine->spawn(&sv);
    crate->modelindex = 1;
    crate->solid = SOLID_BBOX;
    edict_t *const edicts[] = {World_Edict(server->world, 2), crate};
    for (int32_t i = 0; i < 2; i++) {
        const int32_t number = World_EdictNumber(server->world, edicts[i]);
        int32_t at[2] = {0, 0};
        for (int32_t k = 0; k < 6; k++) {
            sv = SV_Context(server->world, server->map, &server->game, server->events);
            for (int32_t more = k % 3; more >= 0; more--) {
                const float x = (k % 2 ? 100.0f : 0.0f) + 40.0f * (float)more;
                sv.engine->teleport(&sv, edicts[i], Vector(x, 200.0f, 60.0f), vec3_zero, vec3_zero);
            }
            for (int32_t ms = 0; k == 0 && ms < 2000; ms += TEST_NET_STEP_MS) {
                TestNet_Step(&net);
            }
            watch(&net, number, at);
        }
        assert_true(at[0] > 100 && at[1] > 100);
    }
    TestNet_Free(&net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_short_teleport_is_no_movement),
        cmocka_unit_test(test_shots_meet_what_is_shown),
        cmocka_unit_test(test_shots_between_rare_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
