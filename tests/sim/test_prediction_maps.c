// A client walks, jumps, swims, rides and uses at random on our maps, on the simulated
// network. Its predictions, as they were first shown, equal the server's result, bit for bit, at
// round trips of 0 to 150 ms, 30 to 240 frames a second and clocks that drift by 200 ppm. Excused
// are those shortly after something that no client could know: the game moved, hurt or killed the
// player, another edict came near, or the game started a pusher.

#include "lib/predict_fixture.h"
#include "lib/testing.h"

#include "game/game.h"
#include "world/tick_time.h"

#include <string.h>

#define EXCUSE_MS  200    // added to the round trip
#define NEAR       400.0f // qu; edicts and pushers further away do not move the player
#define MAX_MOVERS 512

/// State of a pusher in the last tick.
typedef struct {
    motion_t motion;
    leg_t next;
    int32_t solid;
} mover_t;

typedef struct {
    test_predict_t base;
    int64_t next_input_ms;
    mover_t movers[MAX_MOVERS];
    player_state_t player; ///< after the last tick
    uint64_t rode, swam;
} run_t;

// ---- what no client can know ----

// Returns true if a pusher's motion is not the one that clients knew.
static bool is_news(const run_t *run, const edict_t *edict, const mover_t *was) {
    const motion_t *now = &edict->motion;
    const int64_t tick_ms = World_TickMs(run->base.sv.world);
    bool goes_on = now->start_ms == was->motion.start_ms && now->kind == was->motion.kind;
    bool is_next = was->next.wait_ms > 0 && now->kind == MOTION_MOVE &&
                   now->start_ms == was->motion.start_ms + was->next.wait_ms;
    bool has_ended = now->kind == MOTION_NONE && was->motion.kind == MOTION_MOVE &&
                     run->base.sv.world->time_ms - tick_ms >=
                         was->motion.start_ms + was->motion.duration_ms + edict->lag_ms - tick_ms;
    return edict->solid != was->solid || !(goes_on || is_next || has_ended);
}

static bool is_near(const edict_t *edict, const edict_t *player) {
    const vec3_t reach = {NEAR, NEAR, NEAR};
    return BoundsTouch(
        (bounds_t){edict->absmin, edict->absmax},
        (bounds_t){VectorSubtract(player->absmin, reach), VectorAdd(player->absmax, reach)});
}

static bool edict_is_news(run_t *run, int32_t number, const edict_t *player) {
    const edict_t *edict = World_Edict(run->base.sv.world, number);
    mover_t *was = &run->movers[number];
    const bool is_pusher = edict->movetype == MOVETYPE_PUSH;
    bool news = is_pusher ? is_news(run, edict, was) : edict->solid != was->solid;
    *was = (mover_t){edict->motion, edict->next, edict->solid};
    if (!is_near(edict, player)) {
        return false;
    }
    return news || (edict->flags & FL_MONSTER) || edict->type == ENTITY_PROJECTILE;
}

static bool player_is_news(const run_t *run, const player_state_t *now) {
    const player_state_t *was = &run->player;
    return now->pm_type == PM_DEAD || now->pm_type == PM_FROZEN || now->health != was->health ||
           now->gravity != was->gravity || ((now->flags ^ was->flags) & PMF_TELEPORT) ||
           now->movetype != was->movetype;
}

static void look(void *context) {
    run_t *run = context;
    const world_t *world = run->base.sv.world;
    const player_state_t *now = &World_Client(world, 0)->player;
    const edict_t *player = World_Edict(world, 1);
    const edict_t *ground = World_Edict(world, Q_MaxI(now->groundentity, 0));
    bool news = player_is_news(run, now);
    for (int32_t i = 3; i < world->num_edicts && i < MAX_MOVERS; i++) {
        const bool is_used = World_Edict(world, i)->inuse != 0;
        news |= is_used && edict_is_news(run, i, player);
    }
    if (news) {
        run->base.excused_ms = run->base.net.now_ms + run->base.line->round_trip_ms + EXCUSE_MS;
    }
    run->rode += now->groundentity > 0 && ground->movetype == MOVETYPE_PUSH;
    run->swam += now->waterlevel > 1;
    run->player = *now;
}

// ---- a run ----

// Chooses new random input every 20 to 900 ms; mostly walks on.
static void choose(void *context, int32_t client, cl_input_t *input) {
    run_t *run = context;
    rng_t *rng = &run->base.rng;
    (void)client;
    if (run->base.net.now_ms < run->next_input_ms) {
        return;
    }
    run->next_input_ms = run->base.net.now_ms + 20 + (int64_t)Rng_Below(rng, 880);
    *input = (cl_input_t){.yaw = Rng_Range(rng, 0.0f, 360.0f),
                          .pitch = Rng_Range(rng, -40.0f, 40.0f),
                          .forward = Rng_Range(rng, -50.0f, 400.0f),
                          .side = Rng_Range(rng, -150.0f, 150.0f),
                          .buttons = (uint8_t)((Rng_Below(rng, 5) == 0 ? BUTTON_JUMP : 0) |
                                               (Rng_Below(rng, 10) == 0 ? BUTTON_DUCK : 0) |
                                               (Rng_Below(rng, 6) == 0 ? BUTTON_USE : 0))};
}

/// Counts of all runs.
typedef struct {
    test_predicted_t predicted;
    uint64_t rode, swam;
} sum_t;

static void run_map(const char *name, const test_line_t *line, uint64_t seed, int64_t ms,
                    sum_t *sum) {
    const test_predict_config_t config = {.look = look, .choose = choose};
    const test_scene_t scene = {name, NULL, name};
    run_t run = {.rode = 0};
    TestPredict_Run(&run.base, &config, &scene, line, seed, ms);
    assert_int_equal(CL_Slot(run.base.clients[0]), 0);
    assert_true(TestPredict_Sum(&run.base).all * 45 > (uint64_t)ms);
    TestPredict_Add(&run.base, &sum->predicted);
    sum->rode += run.rode;
    sum->swam += run.swam;
    TestPredict_Free(&run.base);
}

// All of maps/ but those with monsters or models.
static const char *const maps[] = {"arena",  "buggy",   "clip",     "doors",  "foundry", "hurt",
                                   "lift",   "link_a",  "link_b",   "push",   "sight",   "slopes",
                                   "spawns", "stairs",  "teleport", "tracks", "train",   "trigger",
                                   "turn",   "volumes", "walk1",    "wall",   "water"};

static void test_each_map_is_predicted(void **state) {
    (void)state;
    sum_t sum = {0};
    const test_predicted_t *predicted = &sum.predicted;
    const size_t rounds = Test_IsLong() ? TEST_PREDICT_LINES : 1;
    const size_t step_maps = Test_IsSlow() ? 6 : 1;
    const int64_t ms = Test_IsLong() ? 60000 : 6000;
    for (size_t i = 0; i < rounds; i++) {
        for (size_t m = 0; m < COUNTOF(maps); m += step_maps) {
            run_map(maps[m], &test_predict_lines[(i + m) % TEST_PREDICT_LINES], 1 + i * 100 + m, ms,
                    &sum);
        }
    }
    print_message(
        "%llu of %llu predictions differ, %llu more are excused; the players rode in %llu "
        "ticks and swam in %llu\n",
        (unsigned long long)predicted->wrong, (unsigned long long)predicted->all,
        (unsigned long long)predicted->excused, (unsigned long long)sum.rode,
        (unsigned long long)sum.swam);
    assert_true(predicted->excused * 20 < predicted->all);
    assert_int_equal(predicted->wrong, 0);
}

// A player walks against the beam of the map turn. Turned, the beam exceeds the bounds that its
// model has in the map file.
static void test_turned_models_are_found_where_the_server_finds_them(void **state) {
    (void)state;
    sum_t sum = {0};
    run_map("turn", &test_predict_lines[4], 19, 60000, &sum);
    assert_int_equal(sum.predicted.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_map_is_predicted),
        cmocka_unit_test(test_turned_models_are_found_where_the_server_finds_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
