// Linking invariants (docs/physics.md, "Invariants") that a caller or a damaged block can violate:
// each trips its ASSERT.

#include "lib/sim_fixture.h"
#include "lib/trips.h"
#include "world/area_local.h"
#include "world/chain.h"
#include "world/world_local.h"

static test_sim_t sim;
static edict_t *first, *second;

static int set_up(void **state) {
    (void)state;
    TestSim_InitRoom(&sim, 16);
    first = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 64.0f), 8.0f);
    second = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_BBOX, Vector(0.0f, 0.0f, 64.0f), 8.0f);
    SV_LinkEdict(&sim.sv, first, false);
    SV_LinkEdict(&sim.sv, second, false);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    TestSim_Free(&sim);
    return 0;
}

static int32_t number_of(const edict_t *edict) {
    return World_EdictNumber(sim.world, edict);
}

static void test_lists_of_cells(void **state) {
    (void)state;
    area_t *area = area_of(sim.world);
    area_node_t *nodes = area_nodes(area);
    assert_trips("num_cells", Area_ChangeCell(sim.world, number_of(first), -1));
    nodes[number_of(first)].prev = 0; // the edict is the second of the list
    assert_trips("*head == number", SV_UnlinkEdict(&sim.sv, first));
    assert_trips("nodes[next].prev == number", SV_UnlinkEdict(&sim.sv, second));
}

static void test_counts_of_levels(void **state) {
    (void)state;
    area_t *area = area_of(sim.world);
    for (int32_t level = 0; level < AREA_LEVELS; level++) {
        area->stock[AREA_SOLID][level].count = 0;
    }
    assert_trips("stock->count > 0", SV_UnlinkEdict(&sim.sv, first));
}

static void test_slots(void **state) {
    (void)state;
    assert_trips("number >= 0", World_Edict(sim.world, -1));
    assert_trips("number < world->max_edicts", World_Edict(sim.world, 16));
    assert_trips("max_clients", SV_SpawnEdictAt(&sim.sv, 0));
    sim.world->first_free = 1; // the slot of a client
    assert_trips("number > world->max_clients", SV_SpawnEdict(&sim.sv));
    sim.world->first_free = number_of(first);
    assert_trips("inuse == 0", SV_SpawnEdict(&sim.sv));
    sim.world->first_free = -1;
    SV_FreeEdict(&sim.sv, first);
    assert_trips("edict->inuse", SV_FreeEdict(&sim.sv, first));
}

static void test_ground(void **state) {
    (void)state;
    assert_trips("edict != ground", SV_SetGround(&sim.sv, first, first));
}

static void test_timers(void **state) {
    (void)state;
    SV_SetNextThink(&sim.sv, first, 100);
    World_TimerHeap(sim.world)[1].number = number_of(second);
    assert_trips("number == number", SV_SetNextThink(&sim.sv, first, 200));
}

static void test_timers_of_edicts(void **state) {
    (void)state;
    first->timers = MAX_EDICT_TIMERS + 1;
    assert_trips("timer > 0", SV_SetNextThink(&sim.sv, first, 200));
}

static void test_chains(void **state) {
    (void)state;
    int32_t head = 0;
    Chain_Append(sim.world, &head, first);
    assert_trips("chain_prev == 0", Chain_Append(sim.world, &head, first));
    Chain_Append(sim.world, &head, second);
    second->chain_prev = number_of(second);
    assert_trips("chain_prev == number", Chain_Remove(sim.world, &head, first));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_lists_of_cells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_counts_of_levels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slots, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ground, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_timers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_timers_of_edicts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_chains, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
