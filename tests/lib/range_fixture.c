#include "lib/range_fixture.h"

#include "lib/testing.h"
#include "world/client.h"
#include "world/link.h"

void TestRange_Link(test_range_t *range, edict_t *edict, vec3_t origin) {
    edict->origin = origin;
    SV_LinkEdict(&range->sim.sv, edict, false);
}

void TestRange_Init(test_range_t *range, int32_t max_edicts) {
    TestSim_InitRoom(&range->sim, max_edicts);
    world_t *world = range->sim.world;
    World_Client(world, 0)->inuse = 1;
    range->shooter = SV_SpawnEdictAt(&range->sim.sv, 1);
    range->shooter->flags = FL_CLIENT;
    range->shooter->solid = SOLID_SLIDEBOX;
    TestRange_Link(range, range->shooter, Vector(-500.0f, 0.0f, 500.0f));
    range->target = TestSim_Spawn(&range->sim, MOVETYPE_NONE, SOLID_BBOX,
                                  Vector(100.0f, 0.0f, 100.0f), TEST_RANGE_HALF);
    SV_LinkEdict(&range->sim.sv, range->target, false);
}

void TestRange_Run(test_range_t *range, int32_t ticks) {
    for (int32_t i = 0; i < ticks; i++) {
        TestSim_Tick(&range->sim);
        const float y = 8.0f * (float)range->sim.world->tick;
        TestRange_Link(range, range->target, Vector(100.0f, y, 100.0f));
        // Written after the tick's end: the next tick records it, for snapshot tick + 1.
    }
}

void TestRange_Look(test_range_t *range, int64_t tick, uint16_t frac) {
    usercmd_t *cmd = &World_Client(range->sim.world, 0)->last_cmd;
    cmd->view_tick = tick;
    cmd->view_frac = frac;
    cmd->view_span = UserCmd_Span(0, 1);
}

trace_t TestRange_Shoot(test_range_t *range, float y, move_type_t type) {
    return SV_MoveUnlagged(&range->sim.sv, Vector(-400.0f, y, 100.0f), vec3_zero, vec3_zero,
                           Vector(1100.0f, y, 100.0f), type, range->shooter);
}

void TestRange_ExpectAt(test_range_t *range, float y) {
    const int32_t number = World_EdictNumber(range->sim.world, range->target);
    assert_int_equal(TestRange_Shoot(range, y - TEST_RANGE_HALF + 0.125f, MOVE_NORMAL).entnum,
                     number);
    assert_int_equal(TestRange_Shoot(range, y + TEST_RANGE_HALF - 0.125f, MOVE_NORMAL).entnum,
                     number);
    assert_int_equal(TestRange_Shoot(range, y - TEST_RANGE_HALF - 0.125f, MOVE_NORMAL).entnum,
                     EDICT_WORLD);
    assert_int_equal(TestRange_Shoot(range, y + TEST_RANGE_HALF + 0.125f, MOVE_NORMAL).entnum,
                     EDICT_WORLD);
}
