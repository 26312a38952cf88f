/// player_fixture.h - one player in a world of a few brushes, stepped by hand, to test single
/// rules.
//
// Header only, because each test program has its own room.

#ifndef EDICTD_TESTS_PLAYER_FIXTURE_H
#define EDICTD_TESTS_PLAYER_FIXTURE_H

#include "lib/brushes_fixture.h"
#include "lib/testing.h"

#define STEP_MS 8
#define FLOOR_Z 24.03125f // origin of a player standing at z 0

static test_brushes_t room;
static movevars_t vars;
static pm_touch_t touch;

/// Makes a floor at z 0 and a player standing on it.
static inline player_state_t stand_on_floor(void) {
    room = (test_brushes_t){0};
    vars = MoveVars_Default();
    TestBrushes_Box(&room, Vector(-2048, -2048, -64), Vector(2048, 2048, 0), CONTENTS_SOLID);
    return (player_state_t){
        .origin = Vector(0.0f, 0.0f, FLOOR_Z),
        .mins = PM_PLAYER_MINS,
        .maxs = PM_PLAYER_MAXS,
        .movetype = MOVETYPE_WALK,
        .groundentity = -1,
        .watertype = CONTENTS_EMPTY,
    };
}

static inline void step(player_state_t *player, float forward, uint32_t buttons) {
    pm_input_t input = {.angles = player->angles, .forward = forward, .buttons = buttons};
    pm_world_t world = TestBrushes_World(&room);
    PM_Move(player, &input, STEP_MS, &vars, &world, &touch);
}

static inline void walk(player_state_t *player, float forward, int32_t ms) {
    for (int32_t i = 0; i < ms; i += STEP_MS) {
        step(player, forward, 0);
    }
}

static inline void assert_near(float found, float expected, float within) {
    if (!(fabsf(found - expected) <= within)) {
        fail_msg("found %.9g, expected %.9g +- %g", (double)found, (double)expected,
                 (double)within);
    }
}

static inline bool on_ground(const player_state_t *player) {
    return (player->flags & PMF_ONGROUND) != 0;
}

#endif
