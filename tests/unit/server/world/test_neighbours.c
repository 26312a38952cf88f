// Lists of neighbours: their queries visit what the area tree's do, in the same order.

#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "world/link.h"
#include "world/neighbours.h"

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

static void compare(const test_sim_t *sim, const neighbours_t *near, bounds_t box,
                    area_kind_t kind) {
    visits_t tree = {.count = 0};
    visits_t list = {.count = 0};
    Area_Visit(sim->world, box, (int32_t)kind, note, &tree);
    Neighbours_Visit(near, sim->world, box, kind, note, &list);
    assert_int_equal(list.count, tree.count);
    assert_memory_equal(list.numbers, tree.numbers, (size_t)tree.count * sizeof tree.numbers[0]);
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
        Neighbours_Fill(&near, sim.world, region);
        for (int32_t k = 0; k < BOXES; k++) {
            const bounds_t box = random_box(&rng, region.mins, 100.0f, 60.0f);
            const area_kind_t kind = k % 2 ? AREA_SOLID : AREA_TRIGGERS;
            crowded += near.counts[kind] < 0 ? 1 : 0;
            within += BoundsContain(region, box) ? 1 : 0;
            outside += BoundsContain(region, box) ? 0 : 1;
            compare(&sim, &near, box, kind);
        }
        Neighbours_Clear(&near);
        compare(&sim, &near, region, AREA_SOLID);
        compare(&sim, NULL, region, AREA_TRIGGERS);
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
