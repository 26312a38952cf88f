// Finds the leaders in chains of followers. test_follow.c tests the order and removals.

#include "world/followers.h"

#include "lib/sim_fixture.h"
#include "lib/testing.h"

#include "world/block.h"
#include "world/client.h"

#define CHAIN 4

// Spawns edicts of which each follows the one before.
static void spawn_chain(test_sim_t *sim, edict_t *chain[CHAIN]) {
    for (int32_t i = 0; i < CHAIN; i++) {
        chain[i] = TestSim_Spawn(sim, MOVETYPE_NOCLIP, SOLID_NOT, Vector(0.0f, 0.0f, 99.0f), 4.0f);
        if (i > 0) {
            assert_true(SV_Follow(&sim->sv, chain[i], chain[i - 1], vec3_zero, vec3_zero));
        }
    }
}

static void test_root(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *chain[CHAIN];
    TestSim_InitRoom(&sim, 64);
    spawn_chain(&sim, chain);
    for (int32_t i = 0; i < CHAIN; i++) {
        const leaders_t leaders = Followers_Leaders(sim.world, chain[i]);
        assert_ptr_equal(leaders.root, chain[0]);
        assert_null(leaders.player);
    }
    SV_RemoveEdict(&sim.sv, chain[1]);
    assert_ptr_equal(Followers_Leaders(sim.world, chain[1]).root, chain[0]); // until the tick ends
    TestSim_Tick(&sim);
    chain[2]->movetype = MOVETYPE_FOLLOW; // as if the tick had not detached it
    assert_null(Followers_Leaders(sim.world, chain[2]).root);
    assert_null(Followers_Leaders(sim.world, chain[3]).root);
    TestSim_Free(&sim);
}

// A player in a vehicle holds something: the player is its nearest leader with a client, the
// vehicle its root.
static void test_player(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *chain[CHAIN];
    TestSim_InitRoom(&sim, 64);
    spawn_chain(&sim, chain);
    edict_t *player = World_Edict(sim.world, 1);
    World_Client(sim.world, 0)->inuse = 1;
    *player = (edict_t){.inuse = 1, .generation = 1, .movetype = MOVETYPE_FOLLOW};
    player->aiment = World_Ref(sim.world, chain[1]);
    chain[2]->aiment = World_Ref(sim.world, player);
    for (int32_t i = 0; i < CHAIN; i++) {
        const leaders_t leaders = Followers_Leaders(sim.world, chain[i]);
        assert_ptr_equal(leaders.root, chain[0]);
        assert_ptr_equal(leaders.player, i < 2 ? NULL : player);
    }
    assert_null(Followers_Leaders(sim.world, player).player); // it leads others only
    World_Client(sim.world, 0)->inuse = 0;
    assert_null(Followers_Leaders(sim.world, chain[3]).player);
    TestSim_Free(&sim);
}

// The links of a circle, as in a hostile block, lead nowhere.
static void test_circle(void **state) {
    (void)state;
    test_sim_t sim;
    edict_t *chain[CHAIN];
    TestSim_InitRoom(&sim, 64);
    spawn_chain(&sim, chain);
    chain[0]->movetype = MOVETYPE_FOLLOW;
    chain[0]->aiment = World_Ref(sim.world, chain[CHAIN - 1]);
    const leaders_t leaders = Followers_Leaders(sim.world, chain[2]);
    assert_null(leaders.root);
    assert_null(leaders.player);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_root), cmocka_unit_test(test_player),
                                       cmocka_unit_test(test_circle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
