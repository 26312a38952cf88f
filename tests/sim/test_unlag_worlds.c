// Shots in the past against worlds that change at random. Targets rest, start, stop, ride,
// teleport, follow, change their box, stop being solid, and are removed. A reference judges each
// query by the states that the snapshots of then sent; the history must answer the same, bit for
// bit, at any time within a tick.

#include "collide/cmodel.h"
#include "core/server_local.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "move/pusher.h"
#include "physics/actions.h"
#include "state/shown.h"
#include "world/tick_time.h"

#include <string.h>

#define TARGETS  20
#define NUMBERS  64 // edict numbers
#define SAVED    64 // snapshots
#define MAX_BACK 14 // ticks

static const test_block_t blocks[] = {
    {.box = {{-160, -160, -16}, {160, 160, 0}}, .contents = CONTENTS_SOLID, .model = 1},
    {.box = {{40, 20, 0}, {104, 84, 1000}}, .contents = CONTENTS_SOLID}, // riders are left behind
};

static const test_map_t map = {.room = {{-2048, -2048, 0}, {2048, 2048, 1024}},
                               .blocks = blocks,
                               .num_blocks = COUNTOF(blocks),
                               .brush_list = true};

// A snapshot, as the server sends it. The pose of the train is exact, because clients compute it.
typedef struct {
    entity_state_t states[NUMBERS]; // number 0 = none
    pose_t train;
} saved_t;

typedef enum { REST, WALK, RIDE, FOLLOW, NUM_MODES } target_mode_t;

typedef struct {
    edict_ref_t ref;
    target_mode_t mode;
    int64_t until; // tick at which the mode ends
    vec3_t step;
    int64_t ghost_tick; // last tick in which it was not solid at some time
} target_t;

typedef struct {
    test_net_t net;
    rng_t rng;
    saved_t saved[SAVED];
    target_t targets[TARGETS];
    int32_t train;
    int32_t queries, shown, carried, hidden, hits, rests;
} range_t;

typedef struct {
    int64_t from, to;
    float share;
} view_t;

static range_t *range; // of the running test: a game's callbacks carry no context

// ---- the reference ----

static const entity_state_t *state_in(int64_t tick, const edict_t *edict, int32_t number) {
    const entity_state_t *state = &range->saved[tick % SAVED].states[number];
    return state->number == number && Shown_IsSameEdict(state->generation, edict->generation)
               ? state
               : NULL;
}

static pose_t pose_in(const entity_state_t *state, int64_t tick, const edict_t *train) {
    const pose_t pose = {Shown_Vector(state->origin),
                         Vector(ShortToAngle((uint16_t)state->angles[0]),
                                ShortToAngle((uint16_t)state->angles[1]),
                                ShortToAngle((uint16_t)state->angles[2]))};
    if (state->ground == 0) {
        return pose;
    }
    const pm_carry_t carry =
        PM_Carry(range->saved[tick % SAVED].train, (pose_t){train->origin, train->angles});
    range->carried++;
    return PM_CarryPose(&carry, pose, false);
}

// Returns the box of a target that the client shows; false = it shows none, or the target was not
// solid since.
static bool show(const world_t *world, const view_t *view, const target_t *target, bounds_t *box) {
    const edict_t *edict = World_Deref(world, target->ref);
    if (!edict || !World_IsLive(edict) || edict->solid != SOLID_BBOX) {
        return false;
    }
    const int32_t number = World_EdictNumber(world, edict);
    const edict_t *train = World_Edict(world, range->train);
    const entity_state_t *to = state_in(view->to, edict, number);
    const entity_state_t *from = state_in(view->from, edict, number);
    const int64_t tick = from ? view->from : view->to;
    from = from ? from : to;
    if (!to || target->ghost_tick >= tick) {
        return false;
    }
    const bool jumps = Shown_Teleports(from->generation) != Shown_Teleports(to->generation);
    pose_t pose = pose_in(from, tick, train);
    if (!jumps || view->share == 1.0f) {
        pose = Shown_Pose(pose, pose_in(to, view->to, train), view->share);
    }
    *box = (bounds_t){VectorAdd(pose.origin, Shown_Vector(from->mins)),
                      VectorAdd(pose.origin, Shown_Vector(from->maxs))};
    return true;
}

// ---- queries ----

static view_t look(const world_t *world, usercmd_t *cmd) {
    const int64_t back = 1 + (int64_t)Rng_Below(&range->rng, MAX_BACK);
    const int32_t before = (int32_t)Rng_Below(&range->rng, 4);
    const int32_t span = before + 1 + (int32_t)Rng_Below(&range->rng, 2);
    cmd->view_tick = world->tick - back;
    cmd->view_frac = (uint16_t)(Rng_Below(&range->rng, 4) == 0 ? 0 : Rng_Next(&range->rng));
    cmd->view_span = UserCmd_Span(before, span);
    view_t view = {.from = cmd->view_tick - before};
    view.to = view.from + span < world->tick ? view.from + span : world->tick;
    view.share = Shown_Share(view.to - view.from, before * 65536 + cmd->view_frac);
    return view;
}

static void expect_trace(sv_context_t *sv, const edict_t *shooter, const bounds_t boxes[],
                         const bool shown[], vec3_t at) {
    const vec3_t start = {Rng_Range(&range->rng, -1900.0f, 1900.0f),
                          Rng_Range(&range->rng, -1900.0f, 1900.0f), 1000.0f};
    const vec3_t end = VectorMA(start, 1.5f, VectorSubtract(at, start));
    trace_t want = sv->engine->trace(sv, start, vec3_zero, vec3_zero, end, false, shooter);
    for (int32_t i = 0; i < TARGETS; i++) {
        const int32_t number = (int32_t)range->targets[i].ref.index;
        if (!shown[i]) {
            continue;
        }
        const trace_t trace = CM_BoxBoxTrace(boxes[i], start, end, vec3_zero, vec3_zero);
        if (trace.fraction < want.fraction ||
            (trace.fraction < 1.0f && trace.fraction == want.fraction && number < want.entnum)) {
            want = trace;
            want.entnum = number;
        }
    }
    const trace_t found =
        sv->engine->trace_unlagged(sv, start, vec3_zero, vec3_zero, end, false, shooter);
    if (found.entnum != want.entnum || found.fraction != want.fraction) {
        fail_msg("tick %lld, view %lld + %d, span %x: the shot met %d at %g, expected %d at %g",
                 (long long)sv->world->tick,
                 (long long)World_Client(sv->world, 0)->last_cmd.view_tick,
                 World_Client(sv->world, 0)->last_cmd.view_frac,
                 World_Client(sv->world, 0)->last_cmd.view_span, found.entnum,
                 (double)found.fraction, want.entnum, (double)want.fraction);
    }
    range->hits += want.entnum > 0 && want.entnum != range->train;
}

static void expect_area(sv_context_t *sv, const edict_t *shooter, const bounds_t boxes[],
                        const bool shown[], vec3_t at) {
    int32_t list[NUMBERS];
    const vec3_t half = {30.0f, 30.0f, 30.0f};
    const bounds_t box = {VectorSubtract(at, half), VectorAdd(at, half)};
    const int32_t count = sv->engine->area_unlagged(sv, box, list, NUMBERS, shooter);
    for (int32_t i = 0; i < TARGETS; i++) {
        if (!World_Deref(sv->world, range->targets[i].ref)) {
            continue; // another target has its number
        }
        bool is_found = false;
        for (int32_t k = 0; k < count; k++) {
            is_found = is_found || list[k] == (int32_t)range->targets[i].ref.index;
        }
        if (is_found != (shown[i] && BoundsTouch(boxes[i], box))) {
            fail_msg("tick %lld, view %lld, span %x: target %d: in the area %d, shown %d",
                     (long long)sv->world->tick,
                     (long long)World_Client(sv->world, 0)->last_cmd.view_tick,
                     World_Client(sv->world, 0)->last_cmd.view_span, i, is_found, shown[i]);
        }
    }
}

// Compares what a random view shows with the reference.
static void query(sv_context_t *sv) {
    const edict_t *shooter = World_Edict(sv->world, 1);
    const view_t view = look(sv->world, &World_Client(sv->world, 0)->last_cmd);
    bounds_t boxes[TARGETS];
    bool shown[TARGETS];
    const int32_t aimed = (int32_t)Rng_Below(&range->rng, TARGETS);
    range->queries++;
    for (int32_t i = 0; i < TARGETS; i++) {
        shown[i] = show(sv->world, &view, &range->targets[i], &boxes[i]);
        range->shown += shown[i];
        range->hidden += !shown[i];
        if (shown[i]) {
            const edict_t *edict = World_Deref(sv->world, range->targets[i].ref);
            const bounds_t box = sv->engine->box_unlagged(sv, edict, shooter);
            if (memcmp(&box, &boxes[i], sizeof box) != 0) {
                fail_msg(
                    "tick %lld, view %lld to %lld: target %d is at %g %g %g, judged at %g %g %g",
                    (long long)sv->world->tick, (long long)view.from, (long long)view.to, i,
                    (double)boxes[i].mins.x, (double)boxes[i].mins.y, (double)boxes[i].mins.z,
                    (double)box.mins.x, (double)box.mins.y, (double)box.mins.z);
            }
        }
    }
    if (shown[aimed]) {
        const vec3_t middle = VectorScale(VectorAdd(boxes[aimed].mins, boxes[aimed].maxs), 0.5f);
        const vec3_t aside = {Rng_Range(&range->rng, -20.0f, 20.0f),
                              Rng_Range(&range->rng, -20.0f, 20.0f),
                              Rng_Range(&range->rng, -20.0f, 20.0f)};
        expect_trace(sv, shooter, boxes, shown, VectorAdd(middle, aside));
        expect_area(sv, shooter, boxes, shown, VectorAdd(middle, VectorScale(aside, 3.0f)));
    }
}

// ---- the scene ----

static vec3_t any_place(void) {
    return Vector(Rng_Range(&range->rng, -900.0f, 900.0f), Rng_Range(&range->rng, -900.0f, 900.0f),
                  Rng_Range(&range->rng, 40.0f, 700.0f));
}

static void resize(edict_t *edict) {
    const float half = (float)(4 + Rng_Below(&range->rng, 24));
    edict->mins = Vector(-half, -half, -half);
    edict->maxs = Vector(half, half, half * 1.3f);
}

static void spawn(sv_context_t *sv, target_t *target) {
    edict_t *edict = sv->engine->spawn(sv);
    assert_non_null(edict);
    edict->modelindex = 1;
    edict->solid = SOLID_BBOX;
    edict->origin = any_place();
    resize(edict);
    sv->engine->link(sv, edict, false);
    *target = (target_t){.ref = World_Ref(sv->world, edict), .ghost_tick = -1};
    assert_true(target->ref.index < NUMBERS);
}

static void begin(sv_context_t *sv, target_t *target, edict_t *edict) {
    target->mode = (target_mode_t)Rng_Below(&range->rng, NUM_MODES);
    const bool is_long = Rng_Below(&range->rng, 3) == 0; // longer than all recent periods
    target->until = sv->world->tick + (is_long ? 320 : 5 + (int64_t)Rng_Below(&range->rng, 40));
    target->step =
        Vector(Rng_Range(&range->rng, -12.0f, 12.0f), Rng_Range(&range->rng, -12.0f, 12.0f), 0.0f);
    range->rests += target->mode == REST && is_long;
    if (edict->movetype == MOVETYPE_FOLLOW) {
        sv->engine->follow(sv, edict, NULL, vec3_zero, vec3_zero);
    }
    edict->movetype = target->mode == RIDE ? MOVETYPE_TOSS : MOVETYPE_NONE;
    edict->velocity = vec3_zero;
    edict_t *leader = World_Deref(sv->world, range->targets[Rng_Below(&range->rng, TARGETS)].ref);
    if (target->mode == RIDE) {
        const vec3_t above = {Rng_Range(&range->rng, -90.0f, 90.0f),
                              Rng_Range(&range->rng, -90.0f, 90.0f), 60.0f};
        const vec3_t at = VectorAdd(World_Edict(sv->world, range->train)->origin, above);
        sv->engine->teleport(sv, edict, at, edict->angles, vec3_zero);
    } else if (target->mode == FOLLOW && leader && leader != edict) {
        (void)sv->engine->follow(sv, edict, leader, Vector(0.0f, 70.0f, 30.0f), vec3_zero);
    }
}

// Makes a target not solid. Half of the time it is solid again at once.
static void haunt(sv_context_t *sv, target_t *target, edict_t *edict) {
    edict->solid = Rng_Below(&range->rng, 2) ? SOLID_NOT : SOLID_TRIGGER;
    sv->engine->link(sv, edict, false);
    target->ghost_tick = sv->world->tick;
    if (Rng_Below(&range->rng, 2)) {
        edict->solid = SOLID_BBOX;
        sv->engine->link(sv, edict, false);
    }
}

static void change(sv_context_t *sv, target_t *target) {
    edict_t *edict = World_Deref(sv->world, target->ref);
    if (!edict || (edict->flags & FL_KILLME)) {
        spawn(sv, target);
        return;
    }
    if (edict->solid != SOLID_BBOX) {
        target->ghost_tick = sv->world->tick;
        edict->solid = Rng_Below(&range->rng, 6) ? edict->solid : SOLID_BBOX;
        sv->engine->link(sv, edict, false);
    }
    if (sv->world->tick >= target->until) {
        begin(sv, target, edict);
    }
    if (target->mode == WALK) {
        edict->origin = VectorClamp(VectorAdd(edict->origin, target->step), 1500.0f);
        sv->engine->link(sv, edict, false);
    }
    const bool is_quiet = target->mode == REST && target->until > sv->world->tick + 1;
    switch (is_quiet ? 99 : Rng_Below(&range->rng, 60)) {
    case 0:
        for (uint32_t n = 1 + Rng_Below(&range->rng, 3); n > 0; n--) {
            sv->engine->teleport(sv, edict, any_place(), edict->angles, vec3_zero);
        }
        break;
    case 1:
        haunt(sv, target, edict);
        break;
    case 2:
        resize(edict);
        sv->engine->link(sv, edict, false);
        break;
    case 3:
        edict->angles.y = Rng_Range(&range->rng, 0.0f, 360.0f);
        sv->engine->link(sv, edict, false);
        break;
    case 4:
        if (Rng_Below(&range->rng, 4) == 0) {
            sv->engine->remove(sv, edict);
        }
        break;
    default:
        break;
    }
}

static void start_train(sv_context_t *sv, edict_t *train) {
    const motion_t motion = {.kind = MOTION_SWING,
                             .duration_ms = 3000,
                             .delta = {150.0f, 90.0f, 120.0f},
                             .delta_angles = {0.0f, 140.0f, 0.0f},
                             .base = {train->origin, train->angles}};
    assert_true(SV_PusherStart(sv, train, &motion));
}

// Lets the train rest for longer than all recent periods, then swing again.
static void run_train(sv_context_t *sv) {
    edict_t *train = World_Edict(sv->world, range->train);
    const int64_t tick = sv->world->tick % 600;
    if (tick == 200) {
        SV_PusherStop(sv, train);
    } else if (tick == 400) {
        start_train(sv, train);
    }
}

static void frame(sv_context_t *sv) {
    if (range->train == 0 || sv->world->tick < SAVED) {
        return;
    }
    run_train(sv);
    query(sv); // after pushers and physics have moved
    for (int32_t i = 0; i < TARGETS; i++) {
        change(sv, &range->targets[i]);
        if (Rng_Below(&range->rng, 8) == 0) {
            query(sv);
        }
    }
    query(sv);
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)sv, (void)client;
    player->origin = Vector(-2000.0f, -2000.0f, 24.03125f);
    player->solid = SOLID_NOT;
}

static void add_train(sv_context_t *sv) {
    edict_t *edict = sv->engine->spawn(sv);
    edict->origin = Vector(0.0f, 0.0f, 300.0f);
    edict->movetype = MOVETYPE_PUSH;
    edict->solid = SOLID_BSP;
    edict->type = ENTITY_BRUSH;
    assert_true(sv->engine->set_model(sv, edict, 1));
    sv->engine->link(sv, edict, false);
    start_train(sv, edict);
    range->train = World_EdictNumber(sv->world, edict);
}

static void save(const server_t *server) {
    saved_t *saved = &range->saved[server->world->tick % SAVED];
    const edict_t *train = World_Edict(server->world, range->train);
    memset(saved, 0, sizeof *saved);
    saved->train = (pose_t){train->origin, train->angles};
    for (int32_t i = 0; i < server->num_states; i++) {
        if (server->states[i].number < NUMBERS) {
            saved->states[server->states[i].number] = server->states[i];
        }
    }
}

static void run(uint64_t seed, int64_t ticks) {
    const game_export_t game = {
        .api_version = GAME_API_VERSION, .name = "worlds", .client_join = join, .frame = frame};
    range = calloc(1, sizeof *range);
    range->rng.state = seed;
    TestNet_Init(&range->net,
                 &(test_net_config_t){.seed = seed, .max_clients = 1, .map = &map, .game = &game});
    server_t *server = range->net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    add_train(&sv);
    for (int32_t i = 0; i < TARGETS; i++) {
        spawn(&sv, &range->targets[i]);
    }
    TestNet_AddClient(&range->net, "shooter");
    assert_true(TestNet_WaitActive(&range->net, 10000));
    for (int64_t tick = server->world->tick, end = tick + ticks; tick < end;) {
        TestNet_Step(&range->net);
        if (server->world->tick != tick) {
            tick = server->world->tick;
            save(server);
        }
    }
    print_message("seed %llu: %d queries, %d boxes, %d carried, %d not shown, %d hits, "
                  "%d rests\n",
                  (unsigned long long)seed, range->queries, range->shown, range->carried,
                  range->hidden, range->hits, range->rests);
    assert_int_equal(server->world->counters.history_full, 0);
    assert_int_equal(server->world->counters.history_short, 0);
    assert_true(range->hits > range->queries / 4 && range->carried > range->queries / 10);
    assert_true(range->hidden > range->queries / 10);
    TestNet_Free(&range->net);
    free(range);
}

static void test_random_worlds(void **state) {
    (void)state;
    const uint64_t seeds = Test_IsLong() ? 40 : Test_IsSlow() ? 1 : 6;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        run(seed, 1200);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_worlds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
