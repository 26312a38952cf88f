// Lists of neighbours: their queries visit what the area tree's do, in the same order.

#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "world/link.h"
#include "world/neighbours.h"

#include <string.h>

#define EDICTS  300
#define REGIONS 400
#define BOXES   20

typedef struct {
    int32_t numbers[EDICTS];
    int32_t count;
} visits_t;

static void note(void *context, int32_t number) {
    visits_t *visits = context;
    visits->numbers[visits->count++] = number;
}

static vec3_t random_point(rng_t *rng, float reach) {
    vec3_t at;
    at.x = Rng_Range(rng, -reach, reach);
    at.y = Rng_Range(rng, -reach, reach);
    at.z = Rng_Range(rng, 0.0f, reach);
    return at;
}

static bounds_t random_box(rng_t *rng, vec3_t around, float reach, float largest) {
    vec3_t mins = VectorAdd(around, random_point(rng, reach));
    return (bounds_t){mins, VectorAdd(mins, VectorScale(Vector(1.0f, 1.0f, 1.0f),
                                                        Rng_Range(rng, 0.0f, largest)))};
}

static void compare_triggers(const test_sim_t *sim, const neighbours_t *near, bounds_t box) {
    int32_t tree[EDICTS], list[EDICTS];
    int32_t of_tree = -1, of_list = -1;
    const int32_t count = SV_AreaEdicts(sim->world, box, AREA_TRIGGERS, tree, EDICTS / 3, &of_tree);
    assert_int_equal(Neighbours_Triggers(near, sim->world, box, list, EDICTS / 3, &of_list), count);
    assert_int_equal(of_list, of_tree);
    assert_memory_equal(list, tree, (size_t)count * sizeof tree[0]);
}

// `except`: a solid edict that the list does not have.
static void compare(const test_sim_t *sim, const neighbours_t *near, bounds_t box, area_kind_t kind,
                    int32_t except) {
    visits_t tree = {.count = 0};
    visits_t list = {.count = 0};
    Area_Visit(sim->world, box, (int32_t)kind, note, &tree);
    Neighbours_Visit(near, sim->world, box, kind, note, &list);
    for (int32_t i = 0; i < tree.count && list.count < tree.count; i++) {
        if (tree.numbers[i] == except) {
            memmove(&tree.numbers[i], &tree.numbers[i + 1],
                    (size_t)(--tree.count - i) * sizeof tree.numbers[0]);
        }
    }
    assert_int_equal(list.count, tree.count);
    assert_memory_equal(list.numbers, tree.numbers, (size_t)tree.count * sizeof tree.numbers[0]);
    assert_true(!Neighbours_AreNone(near, sim->world, box, kind) || tree.count == 0);
    if (kind == AREA_TRIGGERS) {
        compare_triggers(sim, near, box);
    }
}

static void test_lists_visit_what_the_tree_does(void **state) {
    (void)state;
    test_sim_t sim;
    rng_t rng = {5};
    int32_t within = 0;
    int32_t outside = 0;
    int32_t crowded = 0;
    TestSim_InitRoom(&sim, EDICTS + 8);
    for (int32_t i = 0; i < EDICTS; i++) {
        vec3_t at = random_point(&rng, i % 3 ? 100.0f : 900.0f); // a crowd in the middle
        edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_NONE, i % 2 ? SOLID_BBOX : SOLID_TRIGGER, at,
                                       Rng_Range(&rng, 1.0f, 60.0f));
        SV_LinkEdict(&sim.sv, edict, false);
    }
    for (int32_t i = 0; i < REGIONS; i++) {
        neighbours_t near;
        const bounds_t region = random_box(&rng, vec3_zero, 300.0f, 300.0f);
        const int32_t except = i % 4 ? (int32_t)Rng_Below(&rng, EDICTS) + 1 : 0;
        Neighbours_Fill(&near, sim.world, region, except);
        for (int32_t k = 0; k < BOXES; k++) {
            const bounds_t box = random_box(&rng, region.mins, 100.0f, 60.0f);
            const area_kind_t kind = k % 2 ? AREA_SOLID : AREA_TRIGGERS;
            crowded += near.counts[kind] < 0 ? 1 : 0;
            within += BoundsContain(region, box) ? 1 : 0;
            outside += BoundsContain(region, box) ? 0 : 1;
            compare(&sim, &near, box, kind, except);
        }
        Neighbours_Clear(&near);
        compare(&sim, &near, region, AREA_SOLID, 0);
        compare(&sim, NULL, region, AREA_TRIGGERS, 0);
    }
    print_message("within %d, outside %d, crowded %d\n", within, outside, crowded);
    assert_true(within > 200 && outside > 200 && crowded > 20);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_visit_what_the_tree_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
