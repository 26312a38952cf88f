// Shots at riders of lifts, trains and turntables, and shots from a train. A client shows pushers
// at the tick of its next usercmd, and riders at their place on them. The server judges each shot
// with the same boxes, bit for bit: aiming into the shown box hits, aiming 4 qu beside it hits
// nobody.

#include "client/cl_local.h"
#include "collide/cmodel.h"
#include "core/server_local.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "physics/actions.h"
#include "world/history.h"
#include "world/tick_time.h"

#include <string.h>

#define SHOOTERS 2    // the first stands on the floor, the second on a train
#define PLAYERS  6    // the third to sixth ride
#define PUSHERS  5    // the shooter's train, and those of the others
#define MAX_CMDS 4096 // expectations of a shooter, by tick
#define BESIDE   4.0f // qu between a shot that must miss and the shown box

static const test_block_t blocks[] = {
    {.box = {{-128, -128, -16}, {128, 128, 0}}, .contents = CONTENTS_SOLID, .model = 1},
};

static const test_map_t map = {.room = {{-2048, -2048, 0}, {2048, 2048, 2048}},
                               .blocks = blocks,
                               .num_blocks = COUNTOF(blocks),
                               .brush_list = true};

// The world that a client showed when it made a usercmd.
typedef struct {
    int64_t tick;
    int64_t aimed_tick; // of the next usercmd as the client knew it; a correction may skip one
    int32_t target;     // to be hit, or with `misses` to be missed
    bool misses;
    bool is_shown[PLAYERS + 1];
    bounds_t boxes[PLAYERS + 1];
    pose_t pushers[PUSHERS];
} shown_t;

typedef struct {
    test_net_t net;
    rng_t rng;
    int32_t pushers[PUSHERS]; // edict numbers
    uint32_t made[SHOOTERS];
    shown_t next[SHOOTERS];
    shown_t shown[SHOOTERS][MAX_CMDS];
    int32_t shots, hits, carried, late;
    int32_t wrong_boxes, wrong_pushers, wrong_hits, wrong_misses;
} range_t;

static range_t *range; // of the running test: a game's callbacks carry no context

// ---- the game ----

static const vec3_t stations[PUSHERS] = {{-900.0f, 0.0f, 256.0f},
                                         {200.0f, -700.0f, 700.0f},
                                         {200.0f, 0.0f, 256.0f},
                                         {200.0f, 600.0f, 256.0f},
                                         {800.0f, 0.0f, 700.0f}};

static const motion_t motions[PUSHERS] = {
    {.kind = MOTION_SWING, .duration_ms = 4000, .delta = {0.0f, 200.0f, 0.0f}},
    {.kind = MOTION_SWING, .duration_ms = 4000, .delta = {0.0f, 0.0f, 400.0f}}, // 628 qu/s
    {.kind = MOTION_SWING, .duration_ms = 5000, .delta = {50.0f, 250.0f, 0.0f}},
    {.kind = MOTION_SPIN, .duration_ms = 2000, .delta_angles = {0.0f, 360.0f, 0.0f}},
    {.kind = MOTION_SWING, .duration_ms = 3000, .delta = {0.0f, 120.0f, 200.0f}}};

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    const int32_t slot = World_EdictNumber(sv->world, player) - 1;
    const vec3_t at = slot > 0 ? World_Edict(sv->world, range->pushers[slot - 1])->origin
                               : Vector(-900.0f, 900.0f, 0.0f);
    player->origin = VectorAdd(at, Vector(slot > 1 ? 40.0f : 0.0f, 0.0f, 24.03125f));
    player->solid = SOLID_SLIDEBOX;
    client->player.health = 100;
}

static void compare_shown(sv_context_t *sv, const edict_t *player, const shown_t *shown) {
    for (int32_t i = 0; i < PUSHERS; i++) {
        const edict_t *pusher = World_Edict(sv->world, range->pushers[i]);
        range->wrong_pushers += !VectorCompare(pusher->origin, shown->pushers[i].origin) ||
                                !VectorCompare(pusher->angles, shown->pushers[i].angles);
    }
    for (int32_t n = 1; n <= PLAYERS; n++) {
        const edict_t *edict = World_Edict(sv->world, n);
        if (edict != player && shown->is_shown[n]) {
            const bounds_t box = sv->engine->box_unlagged(sv, edict, player);
            range->wrong_boxes += memcmp(&box, &shown->boxes[n], sizeof box) != 0;
            range->carried += SV_ShownGround(sv->world, edict) != NULL;
        }
    }
}

static void judge(sv_context_t *sv, const edict_t *player, const client_t *client,
                  const usercmd_t *cmd) {
    const int32_t slot = World_EdictNumber(sv->world, player) - 1;
    const shown_t *shown = &range->shown[slot][cmd->tick % MAX_CMDS];
    if (shown->tick != cmd->tick || shown->target == 0) {
        return;
    }
    const int32_t rate_mhz = World_TickRate(sv->world);
    const int64_t age_ms = Ticks_EndMs(rate_mhz, sv->world->tick) -
                           Ticks_TimeMs(rate_mhz, cmd->view_tick, cmd->view_frac);
    const bool extrapolates = cmd->view_span >> 4 == 0 && (cmd->view_span | cmd->view_frac) > 0;
    range->shots++;
    if (age_ms > sv->world->cvars.sv_maxunlag_ms || extrapolates || cmd->tick != sv->world->tick ||
        cmd->tick != shown->aimed_tick) {
        range->late++;
        return;
    }
    compare_shown(sv, player, shown);
    vec3_t forward;
    const vec3_t eye = sv->engine->eyes(sv, player);
    AngleVectors(client->player.angles, &forward, NULL, NULL);
    const vec3_t end = VectorMA(eye, 3000.0f, forward);
    const trace_t trace =
        sv->engine->trace_unlagged(sv, eye, vec3_zero, vec3_zero, end, false, player);
    const trace_t wall = sv->engine->trace(sv, eye, vec3_zero, vec3_zero, end, false, player);
    const trace_t box = CM_BoxBoxTrace(shown->boxes[shown->target], eye, end, vec3_zero, vec3_zero);
    const bool is_free = box.fraction < wall.fraction;
    range->hits += trace.entnum == shown->target;
    range->wrong_hits += !shown->misses && is_free && trace.entnum != shown->target;
    range->wrong_misses += shown->misses && trace.entnum > 0 && trace.entnum <= PLAYERS;
}

static void step(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                 int32_t step_ms) {
    (void)step_ms;
    if (cmd->buttons & BUTTON_ATTACK) {
        judge(sv, player, client, cmd);
    }
}

static void add_pushers(range_t *test) {
    server_t *server = test->net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    for (int32_t i = 0; i < PUSHERS; i++) {
        edict_t *edict = sv.engine->spawn(&sv);
        assert_non_null(edict);
        edict->origin = stations[i];
        edict->movetype = MOVETYPE_PUSH;
        edict->solid = SOLID_BSP;
        edict->type = ENTITY_BRUSH;
        assert_true(sv.engine->set_model(&sv, edict, 1));
        sv.engine->link(&sv, edict, false);
        motion_t motion = motions[i];
        motion.base = (pose_t){edict->origin, edict->angles};
        assert_true(SV_PusherStart(&sv, edict, &motion));
        test->pushers[i] = World_EdictNumber(server->world, edict);
    }
}

// ---- the shooters' clients ----

// Returns the eye after the next usercmd: a train carries the second shooter once more.
static vec3_t next_eye(const range_t *test, cl_t *cl, int32_t slot, const player_state_t *self) {
    const float height = PM_ViewHeight(self, &Server_World(test->net.server)->cvars.move);
    vec3_t eye = VectorAdd(self->origin, Vector(0.0f, 0.0f, height));
    pose_t was, is;
    if (slot == 1 && CL_ShownPose(cl, test->pushers[0], CL_CmdTick(cl), &was) &&
        CL_ShownPose(cl, test->pushers[0], CL_CmdTick(cl) + 1, &is)) {
        eye = VectorAdd(eye, VectorSubtract(is.origin, was.origin));
    }
    return eye;
}

static bool note_shown(range_t *test, cl_t *cl, shown_t *shown) {
    int64_t tick = 0;
    uint16_t frac = 0;
    pose_t pose;
    bool all = CL_ViewTime(cl, &tick, &frac);
    for (int32_t i = 0; i < PUSHERS; i++) {
        all = all && CL_ShownPose(cl, test->pushers[i], CL_CmdTick(cl) + 1, &shown->pushers[i]);
    }
    for (int32_t n = 1; n <= PLAYERS; n++) {
        bounds_t *box = &shown->boxes[n];
        shown->is_shown[n] = CL_ShownPose(cl, n, CL_CmdTick(cl) + 1, &pose) &&
                             CL_EntityBox(cl, n, tick, frac, &box->mins, &box->maxs);
        *box = (bounds_t){VectorAdd(pose.origin, box->mins), VectorAdd(pose.origin, box->maxs)};
    }
    return all;
}

// Aims into the shown box of a rider, or beside it.
static void aim(range_t *test, int32_t slot) {
    cl_t *cl = test->net.clients[slot];
    const int32_t target =
        1 + SHOOTERS + (int32_t)(test->net.now_ms / 64 + slot) % (PLAYERS - SHOOTERS);
    player_state_t self;
    shown_t *shown = &test->next[slot];
    *shown = (shown_t){.aimed_tick = CL_CmdTick(cl) + 1, .misses = Rng_Below(&test->rng, 2) == 0};
    if (!CL_Predicted(cl, &self) || !note_shown(test, cl, shown) || !shown->is_shown[target]) {
        return;
    }
    shown->target = target;
    const bounds_t box = shown->boxes[target];
    const vec3_t half = VectorScale(VectorSubtract(box.maxs, box.mins), 0.5f);
    const vec3_t middle = VectorAdd(box.mins, half);
    const vec3_t eye = next_eye(test, cl, slot, &self);
    vec3_t forward, right;
    AngleVectors(VectorAngles(VectorSubtract(middle, eye)), &forward, &right, NULL);
    const float width = half.x * fabsf(right.x) + half.y * fabsf(right.y);
    // The edge of a box is up to 1 % nearer than its middle, so it seems wider.
    const float aside = shown->misses ? width * 1.03f + BESIDE : half.x * 0.9f;
    const vec3_t at = VectorMA(middle, Rng_Below(&test->rng, 2) ? aside : -aside, right);
    const vec3_t angles = VectorAngles(VectorSubtract(at, eye));
    const cl_input_t input = {.pitch = angles.x,
                              .yaw = AngleMod(angles.y - ShortToAngle((uint16_t)self.delta_yaw)),
                              .buttons = BUTTON_ATTACK};
    CL_SetInput(cl, &input);
}

static void note_cmds(range_t *test, int32_t slot) {
    const cl_cmds_t *cmds = &test->net.clients[slot]->cmds;
    for (; test->made[slot] != cmds->made; test->made[slot]++) {
        const usercmd_t *cmd = &cmds->list[test->made[slot] % CL_MAX_CMDS].cmd;
        shown_t *shown = &test->shown[slot][cmd->tick % MAX_CMDS];
        *shown = test->next[slot];
        shown->tick = cmd->tick;
    }
}

// Walks to and fro over the middle of the platform, and hops.
static void run_about(range_t *test, int32_t n) {
    cl_t *cl = test->net.clients[n];
    player_state_t self;
    pose_t pose;
    if (Rng_Below(&test->rng, 20) != 0 || !CL_Predicted(cl, &self) ||
        !CL_ShownPose(cl, test->pushers[n - 1], CL_CmdTick(cl), &pose)) {
        return;
    }
    const vec3_t way = VectorSubtract(pose.origin, self.origin);
    const float yaw = VectorAngles(Vector(way.x, way.y, 0.0f)).y;
    CL_SetInput(cl, &(cl_input_t){.forward = Rng_Below(&test->rng, 3) ? 100.0f : 0.0f,
                                  .yaw = AngleMod(yaw - ShortToAngle((uint16_t)self.delta_yaw)),
                                  .buttons = Rng_Below(&test->rng, 12) ? 0 : BUTTON_JUMP});
}

static void play(range_t *test, int64_t ms) {
    for (int64_t end = test->net.now_ms + ms; test->net.now_ms < end;) {
        for (int32_t n = 0; n < PLAYERS; n++) {
            if (n < SHOOTERS) {
                aim(test, n);
            } else {
                run_about(test, n);
            }
        }
        TestNet_Step(&test->net);
        for (int32_t n = 0; n < SHOOTERS; n++) {
            note_cmds(test, n);
        }
    }
}

static void run_range(int32_t round_trip_ms, int64_t ms) {
    const game_export_t game = {.api_version = GAME_API_VERSION,
                                .name = "riders",
                                .client_join = join,
                                .client_step = step};
    const bool is_bad = round_trip_ms > 0;
    range = calloc(1, sizeof *range);
    range->rng.state = (uint64_t)round_trip_ms + 3;
    TestNet_Init(&range->net, &(test_net_config_t){.seed = (uint64_t)round_trip_ms + 1,
                                                   .conditions = {.delay_ms = round_trip_ms / 2,
                                                                  .jitter_ms = is_bad ? 8 : 0,
                                                                  .loss = is_bad ? 0.02f : 0.0f},
                                                   .max_clients = PLAYERS,
                                                   .map = &map,
                                                   .game = &game});
    TestNet_ShowAll(&range->net);
    add_pushers(range);
    for (int32_t n = 0; n < PLAYERS; n++) {
        TestNet_AddClient(&range->net, "player");
        assert_true(TestNet_WaitActive(&range->net, 10000)); // so that client n has slot n
    }
    play(range, 1500); // until the clocks are settled
    range->shots = range->hits = range->carried = range->late = 0;
    range->wrong_boxes = range->wrong_pushers = range->wrong_hits = range->wrong_misses = 0;
    play(range, ms);
    print_message("%d ms: %d shots, %d hits, %d boxes of riders, %d late; wrong: %d boxes, %d "
                  "pushers, %d hits, %d misses\n",
                  round_trip_ms, range->shots, range->hits, range->carried, range->late,
                  range->wrong_boxes, range->wrong_pushers, range->wrong_hits, range->wrong_misses);
    assert_int_equal(range->wrong_boxes, 0);
    assert_int_equal(range->wrong_pushers, 0);
    assert_int_equal(range->wrong_hits, 0);
    assert_int_equal(range->wrong_misses, 0);
    assert_int_equal(range->net.server->stats.views_refused, 0);
    assert_true(range->late * 50 <= range->shots);
    assert_true(range->shots > (int32_t)(ms / 9)); // two shooters, and a usercmd every 16 ms
    assert_true(range->hits > range->shots / 5 && range->hits < range->shots * 2 / 3);
    assert_true(range->carried > range->shots);
    TestNet_Free(&range->net);
    free(range);
}

static void test_riders_are_met_where_they_are_shown(void **state) {
    (void)state;
    const int32_t round_trips_ms[] = {0, 50, 100, 150};
    for (size_t i = 0; i < COUNTOF(round_trips_ms); i++) {
        run_range(round_trips_ms[i], Test_IsLong() ? 60000 : Test_IsSlow() ? 800 : 3000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_riders_are_met_where_they_are_shown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
