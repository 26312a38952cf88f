#include "states_fixture.h"

#include "base/limits.h"
#include "math/angles.h"
#include "proto/entity_fields.h"
#include "state/contents.h"

#include <string.h>

int32_t TestStates_Int(rng_t *rng, int32_t lo, int32_t hi) {
    uint64_t span = (uint64_t)((int64_t)hi - lo) + 1;
    return (int32_t)(lo + (int64_t)(Rng_Next(rng) % span));
}

static bool one_in(rng_t *rng, uint32_t count) {
    return Rng_Below(rng, count) == 0;
}

usercmd_t TestStates_NextCmd(rng_t *rng, const usercmd_t *before) {
    usercmd_t cmd = *before;
    int32_t step = one_in(rng, 10) ? TestStates_Int(rng, 0, 20) : 1;
    cmd.tick += step;
    cmd.view_tick += one_in(rng, 10) ? TestStates_Int(rng, 0, step) : step;
    if (one_in(rng, 4)) {
        cmd.view_frac = (uint16_t)Rng_Below(rng, 65536);
        cmd.view_span = (uint8_t)Rng_Below(rng, 256);
    }
    if (one_in(rng, 8)) {
        cmd.msec = (uint8_t)TestStates_Int(rng, 1, MAX_CMD_MSEC);
    }
    if (one_in(rng, 3)) {
        cmd.pitch = (uint16_t)Rng_Below(rng, 65536);
        cmd.yaw = (uint16_t)Rng_Below(rng, 65536);
    }
    if (one_in(rng, 5)) {
        cmd.forward = (int16_t)TestStates_Int(rng, -MAX_WISH_SPEED, MAX_WISH_SPEED);
        cmd.side = (int16_t)TestStates_Int(rng, -MAX_WISH_SPEED, MAX_WISH_SPEED);
        cmd.up = (int16_t)TestStates_Int(rng, -MAX_WISH_SPEED, MAX_WISH_SPEED);
    }
    if (one_in(rng, 5)) {
        cmd.buttons = (uint8_t)Rng_Below(rng, 256);
        cmd.impulse = (uint8_t)Rng_Below(rng, 256);
    }
    return cmd;
}

// Returns a float within +-limit; tiny, denormal and negative zero as often as large.
static float any_float(rng_t *rng, float limit) {
    for (;;) {
        uint32_t bits = (uint32_t)Rng_Next(rng);
        float value = 0.0f;
        memcpy(&value, &bits, sizeof value);
        if (fabsf(value) <= limit) {
            return value;
        }
    }
}

static vec3_t any_vector(rng_t *rng, float limit) {
    vec3_t v;
    v.x = any_float(rng, limit);
    v.y = any_float(rng, limit);
    v.z = any_float(rng, limit);
    return v;
}

static float any_angle(rng_t *rng) {
    return one_in(rng, 4) ? any_float(rng, 400.0f) : ShortToAngle((uint16_t)Rng_Below(rng, 65536));
}

// One statement for each draw: the order of evaluation in an expression is the compiler's.
player_state_t TestStates_Player(rng_t *rng) {
    static const int32_t movetypes[] = {MOVETYPE_NONE, MOVETYPE_NOCLIP, MOVETYPE_WALK,
                                        MOVETYPE_TOSS, MOVETYPE_FLY,    MOVETYPE_FOLLOW};
    player_state_t player = {.mins = PM_PLAYER_MINS, .maxs = PM_PLAYER_MAXS};
    player.origin = any_vector(rng, (float)MAX_WORLD_COORD);
    player.velocity = any_vector(rng, 10000.0f);
    player.angles.x = any_angle(rng);
    player.angles.y = any_angle(rng);
    player.angles.z = one_in(rng, 3) ? any_angle(rng) : 0.0f;
    player.pm_type = TestStates_Int(rng, 0, PM_TYPE_COUNT - 1);
    player.movetype = movetypes[TestStates_Int(rng, 0, COUNTOF(movetypes) - 1)];
    player.flags = (uint32_t)Rng_Next(rng);
    player.groundentity = TestStates_Int(rng, -1, MAX_EDICTS - 1);
    player.waterlevel = TestStates_Int(rng, 0, 3);
    player.watertype = TestStates_Int(rng, CONTENTS_LADDER, CONTENTS_EMPTY);
    player.waterjump_ms = TestStates_Int(rng, 0, 2000);
    player.jump_ms = TestStates_Int(rng, 0, INT32_MAX);
    player.step_ms = TestStates_Int(rng, 0, MAX_CMD_MSEC);
    player.step_buttons = (uint32_t)Rng_Next(rng);
    player.delta_yaw = TestStates_Int(rng, 0, 65535);
    player.health = TestStates_Int(rng, INT32_MIN, INT32_MAX);
    if (one_in(rng, 4)) {
        player.mins = any_vector(rng, 100.0f);
        player.maxs = VectorAdd(player.mins, Vector(1.0f, 0.0f, 50.0f));
    }
    return player;
}

player_state_t TestStates_NextPlayer(rng_t *rng, const player_state_t *before) {
    if (one_in(rng, 20)) {
        return TestStates_Player(rng);
    }
    player_state_t player = *before;
    if (!one_in(rng, 4)) {
        vec3_t step = {0.0f, 0.0f, 0.0f};
        step.x = Rng_Range(rng, -5.0f, 5.0f);
        step.y = Rng_Range(rng, -5.0f, 5.0f);
        vec3_t moved = VectorAdd(player.origin, step);
        player.origin = VectorWithin(moved, (float)MAX_WORLD_COORD) ? moved : player.origin;
        player.velocity = Vector(step.x * 60.0f, step.y * 60.0f, player.velocity.z);
        player.angles.y = ShortToAngle((uint16_t)Rng_Below(rng, 65536));
    }
    player.step_ms = TestStates_Int(rng, 0, 7);
    player.flags ^= one_in(rng, 10) ? PMF_ONGROUND : 0u;
    return player;
}

static float any_number(rng_t *rng, float limit) {
    return one_in(rng, 2) ? (float)TestStates_Int(rng, -4096, 4096) : any_float(rng, limit);
}

static vec3_t any_place(rng_t *rng, float limit) {
    vec3_t v;
    v.x = any_number(rng, limit);
    v.y = any_number(rng, limit);
    v.z = any_number(rng, limit);
    return v;
}

static pose_t any_pose(rng_t *rng) {
    vec3_t origin = any_place(rng, (float)ENTITY_MAX_DISTANCE);
    return (pose_t){origin, any_place(rng, (float)ENTITY_MAX_TURN)};
}

// Returns the state without a motion record.
static entity_state_t without_record(const entity_state_t *state) {
    entity_state_t plain = *state;
    size_t at = offsetof(entity_state_t, contents);
    memset((uint8_t *)&plain + at, 0, offsetof(entity_state_t, animations) - at);
    return plain;
}

// Returns a time of any magnitude.
static int64_t any_time_ms(rng_t *rng) {
    uint64_t bits = Rng_Next(rng);
    return (int64_t)(bits >> Rng_Below(rng, 64));
}

// Makes a pusher, a volume or a brush model at rest.
static void any_motion(rng_t *rng, entity_state_t *state) {
    motion_t motion = {.kind = TestStates_Int(rng, 0, MOTION_COUNT - 1)};
    motion.duration_ms = TestStates_Int(rng, 1, one_in(rng, 9) ? INT32_MAX : 5000);
    motion.base = any_pose(rng);
    motion.delta = any_place(rng, (float)ENTITY_MAX_DISTANCE);
    motion.delta_angles = any_place(rng, (float)ENTITY_MAX_TURN);
    motion.bend = one_in(rng, 3) ? any_place(rng, (float)ENTITY_MAX_DISTANCE) : motion.bend;
    if (one_in(rng, 3)) {
        motion.parent = state->number % (MAX_EDICTS - 1) + 1;
        motion.parent_base = any_pose(rng);
    }
    *state = without_record(state);
    Entity_SetMotion(state, &motion, any_time_ms(rng));
    if (motion.kind == MOTION_MOVE && one_in(rng, 2)) {
        leg_t leg = {.wait_ms = TestStates_Int(rng, 1, 5000)};
        leg.duration_ms = TestStates_Int(rng, 1, one_in(rng, 9) ? INT32_MAX : 5000);
        leg.delta = any_place(rng, (float)ENTITY_MAX_DISTANCE);
        leg.delta_angles = any_place(rng, (float)ENTITY_MAX_TURN);
        Entity_SetNext(state, &leg);
    }
    if (one_in(rng, 3)) {
        state->contents = TestStates_Int(rng, CONTENTS_LADDER, 0);
        state->surface_velocity = any_place(rng, (float)ENTITY_MAX_VELOCITY);
        state->friction = Rng_Range(rng, 0.0f, (float)ENTITY_MAX_FRICTION);
    }
}

// Makes a follower of another edict.
static void any_leader(rng_t *rng, entity_state_t *state) {
    pose_t pose = any_pose(rng); // first: compilers evaluate arguments in any order
    Entity_Follow(state, state->number % (MAX_EDICTS - 1) + 1,
                  TestStates_Int(rng, -1, ENTITY_MAX_BONES - 1), pose);
}

// Makes random bone values.
static void any_bones(rng_t *rng, entity_state_t *state) {
    entity_bones_t bones = {.skeleton = TestStates_Int(rng, 1, ENTITY_MAX_SKELETON)};
    bones.blend = Rng_Range(rng, -0.5f, 1.5f);
    for (int32_t i = 0; i < 2; i++) {
        bones.animations[i] = TestStates_Int(rng, -2, ENTITY_MAX_ANIMATIONS);
        bones.start_ms[i] = any_time_ms(rng);
    }
    for (int32_t i = 0; i < 4; i++) {
        bones.controllers[i] = any_number(rng, 1e9f);
    }
    Entity_SetBones(state, &bones);
}

static const sent_field_t some_fields[] = {
    {"number", SENT_INT, 0, INT32_MIN, INT32_MAX, 0.0f},
    {"percent", SENT_INT, 0, 0, 100, 0.0f},
    {"exact", SENT_FLOAT, 0, 0, 0, 0.0f},
    {"height", SENT_STEPS, 0, -4096, 4095, 0.25f},
    {"text", SENT_TEXT, 0, 0, 0, 0.0f},
    {"target", SENT_EDICT, 0, 0, 0, 0.0f},
};

const field_schema_t *TestStates_Schema(void) {
    static field_schema_t schema;
    for (int32_t scope = 0; scope < SCOPE_COUNT; scope++) {
        // The clients have as many fields as possible.
        sent_fields_t *fields = &schema.scopes[scope];
        const int32_t all = (int32_t)COUNTOF(some_fields);
        fields->count = scope == SCOPE_CLIENT ? MAX_SENT_FIELDS : all;
        for (int32_t i = 0; i < fields->count; i++) {
            fields->list[i] = some_fields[i % all];
        }
    }
    return &schema;
}

int32_t TestStates_Word(rng_t *rng, const sent_field_t *field) {
    int32_t word = 0;
    if (field->type == SENT_FLOAT) {
        float value = any_number(rng, 1e30f);
        memcpy(&word, &value, sizeof word);
        return word;
    }
    word = TestStates_Int(rng, Fields_Lowest(field), Fields_Highest(field));
    return one_in(rng, 3) ? 0 : word;
}

void TestStates_Fields(rng_t *rng, entity_state_t *state) {
    const sent_fields_t *scope = &TestStates_Schema()->scopes[Fields_Scope(state->number)];
    for (int32_t i = 0; i < scope->count; i++) {
        if (one_in(rng, 3)) {
            Fields_Set(state, i, TestStates_Word(rng, &scope->list[i]));
        }
    }
}

entity_state_t TestStates_Entity(rng_t *rng, int32_t number) {
    entity_state_t state = {.number = number};
    state.generation = TestStates_Int(rng, 0, ENTITY_MAX_GENERATION);
    state.type = TestStates_Int(rng, 0, ENTITY_TYPE_COUNT - 1);
    state.model = (uint16_t)(one_in(rng, 2) ? 0 : TestStates_Int(rng, 0, ENTITY_MAX_MODEL));
    state.solid = TestStates_Int(rng, 0, SOLID_COUNT - 1);
    state.effects = one_in(rng, 2) ? 0 : TestStates_Int(rng, INT32_MIN, INT32_MAX);
    state.owner = TestStates_Int(rng, 0, PROTO_MAX_CLIENTS);
    state.classname = TestStates_Int(rng, 0, NAMES_MAX - 1);
    for (int32_t axis = 0; axis < 3; axis++) {
        state.origin[axis] = TestStates_Int(rng, -ENTITY_MAX_ORIGIN, ENTITY_MAX_ORIGIN);
        state.velocity[axis] =
            one_in(rng, 2) ? 0 : TestStates_Int(rng, -ENTITY_MAX_VELOCITY, ENTITY_MAX_VELOCITY);
        state.angles[axis] = TestStates_Int(rng, 0, 65535);
        state.mins[axis] = TestStates_Int(rng, -ENTITY_MAX_CORNER, 0);
        state.maxs[axis] = TestStates_Int(rng, state.mins[axis], ENTITY_MAX_CORNER);
    }
    if (one_in(rng, 3)) {
        any_motion(rng, &state);
    } else if (one_in(rng, 8)) {
        any_leader(rng, &state);
    }
    if (one_in(rng, 4)) {
        any_bones(rng, &state);
    }
    if (one_in(rng, 2)) {
        TestStates_Fields(rng, &state);
    }
    return state;
}

entity_state_t TestStates_NextEntity(rng_t *rng, const entity_state_t *before) {
    if (one_in(rng, 50)) {
        return TestStates_Entity(rng, before->number);
    }
    entity_state_t state = *before;
    if (state.motion == ENTITY_FOLLOWS) {
        state.base.origin.z = one_in(rng, 20) ? 5.5f : state.base.origin.z;
    } else if (state.motion != ENTITY_NO_MOTION) {
        if (one_in(rng, 20)) {
            any_motion(rng, &state);
        }
    } else if (one_in(rng, 3)) {
        for (int32_t axis = 0; axis < 3; axis++) {
            int32_t moved = state.origin[axis] + TestStates_Int(rng, -90, 90);
            state.origin[axis] = Q_ClampI(moved, -ENTITY_MAX_ORIGIN, ENTITY_MAX_ORIGIN);
            state.velocity[axis] = TestStates_Int(rng, -320, 320);
        }
        state.angles[1] = TestStates_Int(rng, 0, 65535);
    }
    if (state.skeleton > 0 ? one_in(rng, 6) : one_in(rng, 60)) {
        any_bones(rng, &state);
    } else if (one_in(rng, 60)) {
        Entity_SetBones(&state, &(entity_bones_t){0});
    }
    if (one_in(rng, 20)) {
        state.effects ^= 1 << Rng_Below(rng, 8);
    }
    if (state.field_mask != 0 && one_in(rng, 4)) {
        TestStates_Fields(rng, &state);
    }
    return state;
}
