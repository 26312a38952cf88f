/// Sets of pushers against a simple model. The model stores, for each pusher, the number of the
/// pusher it rides on and the number of its set, and visits all pushers for each change. Prints the
/// seeds.

#include "lib/testing.h"

#include "base/rng.h"
#include "lib/sim_fixture.h"
#include "world/block.h"
#include "world/pushers.h"

#include <stdio.h>
#include <time.h>

#define NUM_PUSHERS 40
#define NUM_STEPS   20000
#define CHECK_EACH  50
#define MANY        4000
#define MOST_S      2.0

typedef struct {
    test_sim_t sim;
    rng_t rng;
    edict_t *edicts[NUM_PUSHERS];
    int32_t parents[NUM_PUSHERS]; // -1 = none
    int32_t sets[NUM_PUSHERS];    // any number; equal for all pushers of a set
    int32_t last_set;
} set_model_t;

// ---- the model ----

static bool rides_on(const set_model_t *model, int32_t rider, int32_t pusher) {
    for (; rider >= 0; rider = model->parents[rider]) {
        if (rider == pusher) {
            return true;
        }
    }
    return false;
}

static void merge(set_model_t *model, int32_t a, int32_t b) {
    int32_t gone = model->sets[b];
    for (int32_t i = 0; i < NUM_PUSHERS; i++) {
        model->sets[i] = model->sets[i] == gone ? model->sets[a] : model->sets[i];
    }
}

static void take_out(set_model_t *model, int32_t pusher) {
    model->parents[pusher] = -1;
    model->last_set++;
    for (int32_t i = 0; i < NUM_PUSHERS; i++) {
        model->sets[i] = rides_on(model, i, pusher) ? model->last_set : model->sets[i];
    }
}

// ---- both ----

static void spawn(set_model_t *model, int32_t i) {
    model->edicts[i] =
        TestSim_Spawn(&model->sim, MOVETYPE_PUSH, SOLID_NOT, Vector((float)i, 0.0f, 100.0f), 8.0f);
    model->parents[i] = -1;
    model->sets[i] = ++model->last_set;
}

static void glue(set_model_t *model, int32_t child, int32_t parent) {
    bool may = !rides_on(model, parent, child);
    assert_true(SV_PusherGlue(&model->sim.sv, model->edicts[child], model->edicts[parent]) == may);
    if (may) {
        if (model->parents[child] >= 0) {
            take_out(model, child);
        }
        merge(model, parent, child);
        model->parents[child] = parent;
    }
}

static void replace(set_model_t *model, int32_t gone, bool at_once) {
    if (at_once) {
        SV_FreeEdict(&model->sim.sv, model->edicts[gone]);
    } else {
        SV_RemoveEdict(&model->sim.sv, model->edicts[gone]);
        SV_FreeRemoved(&model->sim.sv);
    }
    for (int32_t i = 0; i < NUM_PUSHERS; i++) {
        if (model->parents[i] == gone) {
            take_out(model, i);
        }
    }
    spawn(model, gone);
}

static void step(set_model_t *model) {
    int32_t a = (int32_t)Rng_Below(&model->rng, NUM_PUSHERS);
    int32_t b = (int32_t)Rng_Below(&model->rng, NUM_PUSHERS);
    switch (Rng_Below(&model->rng, 8)) {
    case 0:
        SV_PusherTeam(&model->sim.sv, model->edicts[a], model->edicts[b]);
        merge(model, b, a);
        break;
    case 1:
    case 2:
    case 3:
        glue(model, a, b);
        break;
    case 4:
    case 5:
        SV_PusherUnglue(&model->sim.sv, model->edicts[a]);
        if (model->parents[a] >= 0) {
            take_out(model, a);
        }
        break;
    default:
        replace(model, a, b % 2 == 0);
        break;
    }
}

static int32_t index_of(const set_model_t *model, const edict_t *edict) {
    for (int32_t i = 0; i < NUM_PUSHERS; i++) {
        if (model->edicts[i] == edict) {
            return i;
        }
    }
    return -1;
}

// Walks each set from its first member: each member occurs once, and after the pusher it rides on.
static void compare(const set_model_t *model) {
    const world_t *world = model->sim.world;
    int32_t met[NUM_PUSHERS] = {0};
    for (int32_t i = 0; i < NUM_PUSHERS; i++) {
        const edict_t *parent = Pushers_Parent(world, model->edicts[i]);
        assert_int_equal(parent ? index_of(model, parent) : -1, model->parents[i]);
        edict_t *root = Pushers_Root(world, model->edicts[i]);
        if (root != model->edicts[i]) {
            continue;
        }
        for (edict_t *at = root; at; at = Pushers_Next(world, at)) {
            int32_t k = index_of(model, at);
            assert_true(k >= 0);
            assert_true(model->sets[k] == model->sets[i]);
            assert_true(met[k] == 0);
            assert_true(model->parents[k] < 0 || met[model->parents[k]] != 0);
            assert_ptr_equal(Pushers_Root(world, at), root);
            met[k]++;
        }
    }
    for (int32_t i = 0; i < NUM_PUSHERS; i++) {
        assert_int_equal(met[i], 1);
        for (int32_t k = 0; k < i; k++) { // different sets are not joined
            assert_true(
                (model->sets[i] == model->sets[k]) ==
                (Pushers_Root(world, model->edicts[i]) == Pushers_Root(world, model->edicts[k])));
        }
    }
}

static void test_against_the_simple_way(void **state) {
    (void)state;
    static set_model_t model;
    for (uint64_t seed = 1; seed <= (Test_IsLong() ? 100u : 3u); seed++) {
        TestSim_InitRoom(&model.sim, NUM_PUSHERS + 8);
        model.rng = (rng_t){.state = seed};
        for (int32_t i = 0; i < NUM_PUSHERS; i++) {
            spawn(&model, i);
        }
        for (int32_t i = 0; i < NUM_STEPS; i++) {
            step(&model);
            compare(&model);
            if (i % CHECK_EACH == 0) {
                TestSim_Tick(&model.sim);
                err_t err = {{0}};
                if (!World_Check(model.sim.world, model.sim.world->bytes, &err)) {
                    fail_msg("seed %d, step %d: %s", (int)seed, i, err.text);
                }
            }
        }
        printf("seed %d: %d steps among %d pushers\n", (int)seed, NUM_STEPS, NUM_PUSHERS);
        TestSim_Free(&model.sim);
    }
}

// ---- large sets ----

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static edict_t *many[MANY];

static void spawn_many(test_sim_t *sim) {
    for (int32_t i = 0; i < MANY; i++) {
        many[i] = TestSim_Spawn(sim, MOVETYPE_PUSH, SOLID_NOT, Vector(0, 0, 100), 8.0f);
    }
}

static void remove_many(test_sim_t *sim, bool backwards) {
    for (int32_t i = 0; i < MANY; i++) {
        SV_RemoveEdict(&sim->sv, many[backwards ? MANY - 1 - i : i]);
    }
    TestSim_Tick(sim);
}

// Tests any shape and order. The limit is a hundred times the expected time (bench_pushers);
// walking the whole set for each member took 0.25 s per change.
static void test_thousands_are_joined_and_removed_in_any_order(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, MANY + 8);
    double start = cpu_seconds();
    for (int32_t round = 0; round < 8; round++) {
        spawn_many(&sim);
        for (int32_t i = 1; i < MANY; i++) {
            int32_t from = round & 1 ? MANY - i : i;
            if (round & 2) {
                assert_true(SV_PusherGlue(&sim.sv, many[from], many[from - 1]));
            } else {
                SV_PusherTeam(&sim.sv, many[from], many[from - 1]);
            }
        }
        edict_t *root = Pushers_Root(sim.world, many[MANY - 1]);
        int32_t count = 0;
        for (const edict_t *at = root; at; at = Pushers_Next(sim.world, at)) {
            count++;
        }
        assert_int_equal(count, MANY);
        remove_many(&sim, round & 4);
    }
    double took = cpu_seconds() - start;
    err_t err;
    assert_true(World_Check(sim.world, sim.world->bytes, &err));
    printf("8 sets of %d pushers joined and removed: %.3f s\n", MANY, took);
    assert_true(took < MOST_S);
    TestSim_Free(&sim);
}

// Removes the first member each time; the other members stay connected as before.
static void test_thousands_are_let_go_one_by_one(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, MANY + 8);
    spawn_many(&sim);
    double start = cpu_seconds();
    for (int32_t i = 1; i < MANY; i++) {
        assert_true(SV_PusherGlue(&sim.sv, many[i], many[i - 1]));
    }
    for (int32_t i = 1; i < MANY; i++) {
        SV_PusherUnglue(&sim.sv, many[i]);
        assert_int_equal(many[i - 1]->pusher_set, 0);
        assert_true(i == MANY - 1 || many[i]->pusher_set > 0);
    }
    double took = cpu_seconds() - start;
    printf("a tower of %d pushers taken off one by one: %.3f s\n", MANY, took);
    assert_true(took < MOST_S);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_the_simple_way),
        cmocka_unit_test(test_thousands_are_joined_and_removed_in_any_order),
        cmocka_unit_test(test_thousands_are_let_go_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
