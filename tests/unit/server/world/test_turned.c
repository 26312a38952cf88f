// Turned brush models: doors, triggers and volumes of any shape, on maps with and without brush
// lists.

#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "move/pmove.h"
#include "world/block.h"

#include <string.h>
#include <time.h>

static const vec3_t zero = {0.0f, 0.0f, 0.0f};

enum { MODEL_DOOR = 1, MODEL_CORNER, MODEL_WATER, MODEL_CLIP, NUM_LAYOUTS = 2 };

/// Maximum error of a hit with the hull of a turned model without brushes, for a player's box
/// turned about z (docs/physics.md, "Collision").
#define TURNED_HULL_ERROR 6.7f

static int32_t touches;

static void count_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv, (void)self, (void)other, (void)trace;
    touches++;
}

static const callback_t functions[] = {{.name = "count", .touch = count_touch}};

/// Builds a room with a pool. *1: a door, 8 thick. *2: two bars that form a corner. *3: a block of
/// water. *4: a clip brush.
static void set_up(test_sim_t *sim, bool brush_list, int32_t max_edicts) {
    const test_block_t blocks[] = {
        {.box = {{-500.0f, 300.0f, 0.0f}, {500.0f, 500.0f, 64.0f}}, .contents = CONTENTS_SLIME},
        {.box = {{-4.0f, -128.0f, 0.0f}, {4.0f, 128.0f, 128.0f}},
         .contents = CONTENTS_SOLID,
         .model = MODEL_DOOR},
        {.box = {{0.0f, 0.0f, 0.0f}, {128.0f, 16.0f, 64.0f}},
         .contents = CONTENTS_SOLID,
         .model = MODEL_CORNER},
        {.box = {{0.0f, 0.0f, 0.0f}, {16.0f, 128.0f, 64.0f}},
         .contents = CONTENTS_SOLID,
         .model = MODEL_CORNER},
        {.box = {{-64.0f, -16.0f, -16.0f}, {64.0f, 16.0f, 16.0f}},
         .contents = CONTENTS_WATER,
         .model = MODEL_WATER},
        {.box = {{-8.0f, -8.0f, 0.0f}, {8.0f, 8.0f, 128.0f}},
         .contents = CONTENTS_CLIP,
         .model = MODEL_CLIP},
    };
    TestSim_Init(sim,
                 &(test_map_t){.room = {{-512.0f, -512.0f, 0.0f}, {512.0f, 512.0f, 512.0f}},
                               .blocks = blocks,
                               .num_blocks = (int32_t)COUNTOF(blocks),
                               .brush_list = brush_list},
                 max_edicts);
    TestSim_Bind(sim, functions, (int32_t)COUNTOF(functions));
    touches = 0;
}

static edict_t *add_model(test_sim_t *sim, int32_t model, solid_t solid, vec3_t origin,
                          vec3_t angles) {
    edict_t *edict = TestSim_Spawn(sim, MOVETYPE_PUSH, solid, origin, 0.0f);
    edict->model = model;
    edict->mins = sim->map.models[model].bounds.mins;
    edict->maxs = sim->map.models[model].bounds.maxs;
    edict->angles = angles;
    edict->touch = solid == SOLID_TRIGGER ? Callbacks_Find(sim->world, "count") : 0;
    SV_LinkEdict(&sim->sv, edict, false);
    return edict;
}

static edict_t *add_player(test_sim_t *sim, vec3_t origin) {
    edict_t *player = TestSim_Spawn(sim, MOVETYPE_WALK, SOLID_SLIDEBOX, origin, 0.0f);
    player->mins = PM_PLAYER_MINS;
    player->maxs = PM_PLAYER_MAXS;
    return player;
}

// ---- sweeps ----

static void test_sweep_to_a_turned_door(void **state) {
    (void)state;
    for (int32_t layout = 0; layout < NUM_LAYOUTS; layout++) {
        test_sim_t sim;
        set_up(&sim, layout == 1, 16);
        const float tolerance = layout == 1 ? 0.01f : TURNED_HULL_ERROR;
        edict_t *door = add_model(&sim, MODEL_DOOR, SOLID_BSP, Vector(200.0f, 0.0f, 0.0f), zero);
        for (int32_t yaw = -80; yaw <= 80; yaw += 5) {
            door->angles.y = (float)yaw;
            SV_LinkEdict(&sim.sv, door, false);
            float c = cosf((float)yaw * 3.14159265f / 180.0f);
            float s = sinf((float)yaw * 3.14159265f / 180.0f);
            trace_t trace = SV_Move(&sim.sv, Vector(-100.0f, 0.0f, 40.0f), PM_PLAYER_MINS,
                                    PM_PLAYER_MAXS, Vector(200.0f, 0.0f, 40.0f), MOVE_NORMAL, NULL);
            assert_int_equal(trace.entnum, World_EdictNumber(sim.world, door));
            // The door faces -x and is turned. The corner of the box that is farthest along the
            // path stops at the door's face.
            assert_true(fabsf(trace.plane.normal.x + c) < 1e-4f);
            assert_true(fabsf(trace.plane.normal.y + s) < 1e-4f);
            float stop = 200.0f - (4.0f + CM_DIST_EPSILON + 16.0f * (c + fabsf(s))) / c;
            assert_true(fabsf(trace.endpos.x - stop) * c < tolerance);
            // A point sweep is exact with and without brushes.
            trace = SV_Move(&sim.sv, Vector(-100.0f, 0.0f, 40.0f), zero, zero,
                            Vector(200.0f, 0.0f, 40.0f), MOVE_NORMAL, NULL);
            stop = 200.0f - (4.0f + CM_DIST_EPSILON) / c;
            assert_true(fabsf(trace.endpos.x - stop) < 0.01f);
        }
        TestSim_Free(&sim);
    }
}

static void test_standing_in_a_turned_door(void **state) {
    (void)state;
    for (int32_t layout = 0; layout < NUM_LAYOUTS; layout++) {
        test_sim_t sim;
        set_up(&sim, layout == 1, 16);
        edict_t *door = add_model(&sim, MODEL_DOOR, SOLID_BSP, zero, zero);
        edict_t *player = add_player(&sim, Vector(0.0f, 100.0f, 24.1f));
        assert_ptr_equal(SV_TestEdictPosition(&sim.sv, player), door);
        door->angles.y = 90.0f;
        SV_LinkEdict(&sim.sv, door, false);
        assert_null(SV_TestEdictPosition(&sim.sv, player));
        player->origin = Vector(100.0f, 0.0f, 24.1f);
        assert_ptr_equal(SV_TestEdictPosition(&sim.sv, player), door);
        if (layout == 0) { // the hull's box would turn with the door
            TestSim_Free(&sim);
            continue;
        }
        door->angles = Vector(90.0f, 0.0f, 0.0f); // it fell forward: it extends along +x, 4 high
        SV_LinkEdict(&sim.sv, door, false);
        assert_ptr_equal(SV_TestEdictPosition(&sim.sv, player), door);
        player->origin.z = 28.1f;
        assert_null(SV_TestEdictPosition(&sim.sv, player));
        door->angles.x = -90.0f; // it fell backwards
        SV_LinkEdict(&sim.sv, door, false);
        player->origin.z = 24.1f;
        assert_null(SV_TestEdictPosition(&sim.sv, player));
        player->origin.x = -100.0f;
        assert_ptr_equal(SV_TestEdictPosition(&sim.sv, player), door);
        TestSim_Free(&sim);
    }
}

// ---- walking along a door ----

static trace_t walk_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    return SV_Move(&((test_sim_t *)context)->sv, start, mins, maxs, end, MOVE_NORMAL, NULL);
}

static contents_t walk_contents(void *context, vec3_t point) {
    return SV_PointContents(&((test_sim_t *)context)->sv, point);
}

// A player runs into a door that is open by an angle, and slides along it to its end with the speed
// that the angle allows.
static void check_slide(test_sim_t *sim, float yaw) {
    edict_t *door = add_model(sim, MODEL_DOOR, SOLID_BSP, zero, Vector(0.0f, yaw, 0.0f));
    const pm_world_t world = {.context = sim, .trace = walk_trace, .point_contents = walk_contents};
    const movevars_t vars = MoveVars_Default();
    player_state_t player = {.origin = {-200.0f, yaw > 0.0f ? -20.0f : 20.0f, 24.03125f},
                             .mins = PM_PLAYER_MINS,
                             .maxs = PM_PLAYER_MAXS,
                             .movetype = MOVETYPE_WALK,
                             .groundentity = -1,
                             .watertype = CONTENTS_EMPTY};
    const pm_input_t input = {.forward = 320.0f};
    pm_touch_t touch;
    vec3_t along = {-sinf(yaw * 3.14159265f / 180.0f), cosf(yaw * 3.14159265f / 180.0f), 0.0f};
    int32_t touching = 0;
    int32_t slow = 0;
    int32_t stuck = 0;
    float expected = 320.0f * fabsf(along.x);
    for (int32_t ms = 0; ms < 4000 && player.origin.x < 100.0f; ms += 8) {
        vec3_t before = player.origin;
        PM_Move(&player, &input, 8, &vars, &world, &touch);
        float speed = VectorLength(VectorSubtract(player.origin, before)) / 0.008f;
        bool touches_door = false;
        for (int32_t i = 0; i < touch.count; i++) {
            touches_door |= touch.entnums[i] == World_EdictNumber(sim->world, door);
        }
        touching += touches_door;
        stuck += !PM_PositionIsFree(&player, &world);
        slow += touches_door && touching > 10 && speed < 0.85f * expected;
    }
    assert_true(touching > 25);
    assert_int_equal(slow, 0);
    assert_int_equal(stuck, 0);
    assert_true(player.origin.x >= 100.0f); // the player passed the end of the door
    SV_RemoveEdict(&sim->sv, door);
    SV_FreeRemoved(&sim->sv);
}

static void test_slide_along_a_turned_door(void **state) {
    (void)state;
    for (int32_t layout = 0; layout < NUM_LAYOUTS; layout++) {
        for (int32_t solids = CM_SOLIDS_AUTO; solids <= CM_SOLIDS_BRUSHES; solids++) {
            test_sim_t sim;
            set_up(&sim, layout == 1, 16);
            sim.world->cvars.move.sv_solids = solids;
            for (float yaw = 30.0f; yaw < 80.0f; yaw += 7.0f) { // includes 37
                check_slide(&sim, yaw);
                check_slide(&sim, -yaw);
            }
            TestSim_Free(&sim);
        }
    }
}

// ---- links ----

static void test_linked_box_of_a_turned_model(void **state) {
    (void)state;
    test_sim_t sim;
    set_up(&sim, false, 16);
    edict_t *door = add_model(&sim, MODEL_DOOR, SOLID_BSP, Vector(10.0f, 20.0f, 30.0f), zero);
    assert_true(VectorCompare(door->absmin, Vector(5.0f, -109.0f, 29.0f)));
    assert_true(VectorCompare(door->absmax, Vector(15.0f, 149.0f, 159.0f)));
    door->angles.y = 90.0f; // +y of the model now points along -x
    SV_LinkEdict(&sim.sv, door, false);
    assert_true(VectorCompare(door->absmin, Vector(-119.0f, 15.0f, 29.0f)));
    assert_true(VectorCompare(door->absmax, Vector(139.0f, 25.0f, 159.0f)));
    door->solid = SOLID_TRIGGER;
    SV_LinkEdict(&sim.sv, door, false);
    assert_true(VectorCompare(door->absmin, Vector(-119.0f, 15.0f, 29.0f)));
    door->angles = Vector(360.0f, -720.0f, 0.0f); // whole turns count as no rotation
    SV_LinkEdict(&sim.sv, door, false);
    assert_true(VectorCompare(door->absmin, Vector(5.0f, -109.0f, 29.0f)));
    door->angles = Vector(30.0f, 45.0f, 60.0f);
    SV_LinkEdict(&sim.sv, door, false);
    for (int32_t i = 0; i < 8;
         i++) { // every corner of the turned box is inside, and a corner is at each face
        vec3_t f;
        vec3_t r;
        vec3_t u;
        AngleVectors(door->angles, &f, &r, &u);
        vec3_t c = {i & 1 ? 4.0f : -4.0f, i & 2 ? 128.0f : -128.0f, i & 4 ? 128.0f : 0.0f};
        vec3_t at = VectorMA(VectorMA(VectorScale(f, c.x), -c.y, r), c.z, u);
        at = VectorAdd(at, door->origin);
        assert_true(at.x >= door->absmin.x + 0.99f);
        assert_true(at.x <= door->absmax.x - 0.99f);
        assert_true(at.y >= door->absmin.y + 0.99f);
        assert_true(at.y <= door->absmax.y - 0.99f);
        assert_true(at.z >= door->absmin.z + 0.99f);
        assert_true(at.z <= door->absmax.z - 0.99f);
    }
    assert_true(door->absmax.x - door->absmin.x < 260.0f);
    edict_t *box = add_player(&sim, zero); // a box is never turned
    box->angles = Vector(0.0f, 45.0f, 0.0f);
    SV_LinkEdict(&sim.sv, box, false);
    assert_true(VectorCompare(box->absmax, Vector(17.0f, 17.0f, 33.0f)));
    TestSim_Free(&sim);
}

// ---- triggers ----

static int32_t touches_at(test_sim_t *sim, edict_t *player, vec3_t origin) {
    touches = 0;
    player->origin = origin;
    SV_LinkEdict(&sim->sv, player, true);
    return touches;
}

static void test_triggers_by_true_shape(void **state) {
    (void)state;
    for (int32_t layout = 0; layout < NUM_LAYOUTS; layout++) {
        test_sim_t sim;
        set_up(&sim, layout == 1, 16);
        edict_t *corner = add_model(&sim, MODEL_CORNER, SOLID_TRIGGER, zero, zero);
        edict_t *player = add_player(&sim, zero);
        assert_int_equal(touches_at(&sim, player, Vector(100.0f, 0.0f, 24.0f)), 1);
        assert_int_equal(touches_at(&sim, player, Vector(0.0f, 100.0f, 24.0f)), 1);
        // Positions within the trigger's box but not in the trigger, and just next to one of its
        // bars.
        assert_int_equal(touches_at(&sim, player, Vector(80.0f, 80.0f, 24.0f)), 0);
        assert_int_equal(touches_at(&sim, player, Vector(100.0f, 31.9f, 24.0f)), 1);
        assert_int_equal(touches_at(&sim, player, Vector(100.0f, 32.1f, 24.0f)), 0);
        corner->flags |= FL_ITEM; // the margin of items applies to boxes only
        SV_LinkEdict(&sim.sv, corner, false);
        assert_int_equal(touches_at(&sim, player, Vector(100.0f, 32.1f, 24.0f)), 0);
        corner->angles.y = 180.0f;
        SV_LinkEdict(&sim.sv, corner, false);
        assert_int_equal(touches_at(&sim, player, Vector(100.0f, 0.0f, 24.0f)), 0);
        assert_int_equal(touches_at(&sim, player, Vector(-100.0f, 0.0f, 24.0f)), 1);
        assert_int_equal(touches_at(&sim, player, Vector(-80.0f, -80.0f, 24.0f)), 0);
        corner->angles = Vector(0.0f, 45.0f, 0.0f); // the bars along +x +y and -x +y
        SV_LinkEdict(&sim.sv, corner, false);
        assert_int_equal(touches_at(&sim, player, Vector(70.0f, 70.0f, 24.0f)), 1);
        assert_int_equal(touches_at(&sim, player, Vector(-70.0f, 70.0f, 24.0f)), 1);
        assert_int_equal(touches_at(&sim, player, Vector(0.0f, 110.0f, 24.0f)), 0);
        // As a pusher, it touches triggers with a box: the box around the turned model.
        edict_t *door = add_model(&sim, MODEL_DOOR, SOLID_BSP, Vector(0.0f, 300.0f, 0.0f), zero);
        assert_int_equal(SV_Touches(&sim.sv, corner, door), 0);
        door->origin.y = 100.0f;
        SV_LinkEdict(&sim.sv, door, false);
        if (layout == 1) { // its box fits no hull
            assert_int_equal(SV_Touches(&sim.sv, corner, door), 1);
            assert_int_equal(SV_Touches(&sim.sv, door, corner), 1);
        }
        TestSim_Free(&sim);
    }
}

static void test_many_triggers_in_one_spot(void **state) {
    (void)state;
    const int32_t count = 10000;
    for (int32_t turned = 0; turned < 2; turned++) {
        test_sim_t sim;
        set_up(&sim, true, count + 16);
        for (int32_t i = 0; i < count; i++) {
            add_model(&sim, MODEL_CORNER, SOLID_TRIGGER, zero,
                      Vector(0.0f, turned ? 45.0f : 0.0f, 0.0f));
        }
        edict_t *player = add_player(&sim, zero);
        clock_t start = clock();
        // In the box around all of it, but in no part of its shape.
        vec3_t beside = turned ? Vector(0.0f, 110.0f, 24.0f) : Vector(80.0f, 80.0f, 24.0f);
        assert_int_equal(touches_at(&sim, player, beside), 0);
        assert_int_equal(touches_at(&sim, player, Vector(0.0f, 0.0f, 24.0f)), MAX_TOUCHES);
        SV_PointContents(&sim.sv, Vector(80.0f, 80.0f, 24.0f));
        double ms = (double)(clock() - start) * 1000.0 / CLOCKS_PER_SEC;
        print_message("10,000 triggers%s: %.2f ms for two links and a point\n",
                      turned ? ", turned" : "", ms);
        assert_true(ms < 500.0);
        TestSim_Free(&sim);
    }
}

// ---- volumes ----

static void test_volumes(void **state) {
    (void)state;
    for (int32_t layout = 0; layout < NUM_LAYOUTS; layout++) {
        test_sim_t sim;
        set_up(&sim, layout == 1, 16);
        const vec3_t at = {50.0f, 0.0f, 100.0f};
        edict_t *water =
            add_model(&sim, MODEL_WATER, SOLID_TRIGGER, Vector(0.0f, 0.0f, 100.0f), zero);
        // Without contents it is no volume.
        assert_int_equal(SV_PointContents(&sim.sv, at), CONTENTS_EMPTY);
        water->contents = CONTENTS_LADDER;
        assert_int_equal(SV_PointContents(&sim.sv, at), CONTENTS_LADDER);
        assert_int_equal(SV_PointContents(&sim.sv, Vector(50.0f, 20.0f, 100.0f)), CONTENTS_EMPTY);
        water->angles.y = 45.0f;
        SV_LinkEdict(&sim.sv, water, false);
        assert_int_equal(SV_PointContents(&sim.sv, at), CONTENTS_EMPTY);
        assert_int_equal(SV_PointContents(&sim.sv, Vector(40.0f, 40.0f, 100.0f)), CONTENTS_LADDER);
        edict_t *second =
            add_model(&sim, MODEL_WATER, SOLID_TRIGGER, Vector(0.0f, 0.0f, 100.0f), zero);
        second->contents = CONTENTS_WATER;
        assert_int_equal(SV_PointContents(&sim.sv, at), CONTENTS_WATER);
        assert_int_equal(SV_PointContents(&sim.sv, Vector(0.0f, 0.0f, 100.0f)), CONTENTS_LADDER);
        second->contents = 12345; // an error of the game
        assert_int_equal(SV_PointContents(&sim.sv, at), CONTENTS_EMPTY);
        // The map's own slime has priority over a volume; solid has priority over both.
        water->origin = Vector(0.0f, 400.0f, 32.0f);
        water->angles = zero;
        SV_LinkEdict(&sim.sv, water, false);
        assert_int_equal(SV_PointContents(&sim.sv, Vector(0.0f, 400.0f, 32.0f)), CONTENTS_SLIME);
        assert_int_equal(SV_PointContents(&sim.sv, Vector(0.0f, 400.0f, -8.0f)), CONTENTS_SOLID);
        add_model(&sim, MODEL_DOOR, SOLID_BSP, Vector(0.0f, 400.0f, 0.0f),
                  Vector(0.0f, 90.0f, 0.0f));
        assert_int_equal(SV_PointContents(&sim.sv, Vector(60.0f, 400.0f, 32.0f)), CONTENTS_SOLID);
        assert_int_equal(SV_PointContents(&sim.sv, Vector(60.0f, 410.0f, 32.0f)), CONTENTS_SLIME);
        edict_t *ladder =
            add_model(&sim, MODEL_CLIP, SOLID_TRIGGER, Vector(0.0f, -300.0f, 0.0f), zero);
        ladder->contents = CONTENTS_LADDER;
        // Hull 0 has no clip brushes.
        assert_int_equal(SV_PointContents(&sim.sv, Vector(0.0f, -300.0f, 40.0f)),
                         layout == 1 ? CONTENTS_LADDER : CONTENTS_EMPTY);
        TestSim_Free(&sim);
    }
}

// With brushes, boxes of any size collide exactly, and no misfit is reported.
static void test_misfits_go_by_brushes(void **state) {
    (void)state;
    for (int32_t layout = 0; layout < NUM_LAYOUTS; layout++) {
        test_sim_t sim;
        set_up(&sim, layout == 1, 16);
        edict_t *crate =
            TestSim_Spawn(&sim, MOVETYPE_TOSS, SOLID_BBOX, Vector(0.0f, 0.0f, 100.0f), 10.0f);
        trace_t trace = SV_Move(&sim.sv, crate->origin, crate->mins, crate->maxs,
                                Vector(0.0f, 0.0f, -100.0f), MOVE_NORMAL, crate);
        assert_int_equal(sim.world->counters.hull_misfit, layout == 0);
        // The hull's box stands on the same floor; its width differs.
        assert_true(fabsf(trace.endpos.z - 10.0f - CM_DIST_EPSILON) < 0.01f);
        trace = SV_Move(&sim.sv, crate->origin, crate->mins, crate->maxs,
                        Vector(600.0f, 0.0f, 100.0f), MOVE_NORMAL, crate);
        float stop = layout == 1 ? 502.0f : 490.0f;
        assert_true(fabsf(trace.endpos.x + CM_DIST_EPSILON - stop) < 0.01f);
        sim.world->cvars.move.sv_solids = CM_SOLIDS_HULLS;
        crate->classname = World_String(sim.world, "other");
        SV_Move(&sim.sv, crate->origin, crate->mins, crate->maxs, zero, MOVE_NORMAL, crate);
        assert_int_equal(sim.world->counters.hull_misfit, layout == 0 ? 2 : 1);
        TestSim_Free(&sim);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep_to_a_turned_door),
        cmocka_unit_test(test_standing_in_a_turned_door),
        cmocka_unit_test(test_slide_along_a_turned_door),
        cmocka_unit_test(test_linked_box_of_a_turned_model),
        cmocka_unit_test(test_triggers_by_true_shape),
        cmocka_unit_test(test_many_triggers_in_one_spot),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_misfits_go_by_brushes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
