// Tests of the delta code of one entity.

#include "lib/testing.h"

#include "base/hash.h"

#include "lib/states_fixture.h"
#include "proto/entity_fields.h"

#include <string.h>

#define BUFFER_BYTES   1024
#define MAX_STATE_BITS 5400 // limit that the snapshot writer assumes
#define MOVED_BITS     4    // bits of the groups of an entity that only moves

static entity_coding_t coding_of(int32_t elapsed_ms) {
    return (entity_coding_t){.elapsed_ms = elapsed_ms,
                             .fields = &TestStates_Schema()->scopes[SCOPE_CLIENT]};
}

// Returns a random time since the older state. Half of the results select the orders of old states.
static int32_t next_elapsed_ms(rng_t *rng) {
    return Rng_Below(rng, 2) ? ENTITY_EXPECT_MS : TestStates_Int(rng, 0, ENTITY_EXPECT_MS - 1);
}

static size_t write_bits(const entity_state_t *from, const entity_state_t *to, int32_t elapsed_ms,
                         uint8_t data[BUFFER_BYTES]) {
    const entity_coding_t coding = coding_of(elapsed_ms);
    msg_writer_t out = MSG_Writer(data, BUFFER_BYTES);
    Entity_Write(&out, from, to, &coding);
    size_t bits = MSG_BitsWritten(&out);
    assert_true(MSG_Finish(&out) > 0);
    return bits;
}

static bool read_back(const entity_state_t *from, entity_state_t *to, int32_t elapsed_ms,
                      const uint8_t *data, size_t size) {
    const entity_coding_t coding = coding_of(elapsed_ms);
    msg_reader_t in = MSG_Reader(data, size);
    *to = (entity_state_t){0};
    Entity_Read(&in, from, to, &coding);
    return MSG_ReadEnd(&in);
}

static void test_any_state_against_any_other(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        rng_t rng = {seed};
        int32_t elapsed_ms = next_elapsed_ms(&rng);
        entity_state_t from = TestStates_Entity(&rng, 7);
        entity_state_t to =
            Rng_Below(&rng, 2) ? TestStates_Entity(&rng, 7) : TestStates_NextEntity(&rng, &from);
        entity_state_t back;
        uint8_t data[BUFFER_BYTES];
        size_t bits = write_bits(&from, &to, elapsed_ms, data);
        if (!read_back(&from, &back, elapsed_ms, data, (bits + 7) / 8) ||
            memcmp(&back, &to, sizeof to) != 0) {
            fail_msg("seed %llu", (unsigned long long)seed);
        }
        if (!Entity_Equal(&from, &to)) {
            size_t cut = Rng_Below(&rng, (uint32_t)((bits + 7) / 8));
            assert_false(read_back(&from, &back, elapsed_ms, data, cut));
        }
    }
}

// Tests that a record arrives, and fits where the snapshot writer codes it, with both orders.
static void assert_fits(const entity_state_t *from, const entity_state_t *to) {
    const int32_t elapsed_ms[] = {100, ENTITY_EXPECT_MS};
    for (size_t i = 0; i < COUNTOF(elapsed_ms); i++) {
        uint8_t data[BUFFER_BYTES];
        entity_state_t back;
        const size_t bits = write_bits(from, to, elapsed_ms[i], data);
        assert_true(read_back(from, &back, elapsed_ms[i], data, (bits + 7) / 8));
        assert_memory_equal(&back, to, sizeof back);
        print_message("long record: %zu bits\n", bits);
        assert_true(bits < MAX_STATE_BITS);
    }
}

static void test_extremes(void **state) {
    (void)state;
    entity_state_t low = {.number = 1, .effects = INT32_MIN};
    entity_state_t high = {.number = 1, .effects = INT32_MAX};
    for (int32_t axis = 0; axis < 3; axis++) {
        low.origin[axis] = -ENTITY_MAX_ORIGIN;
        low.velocity[axis] = -ENTITY_MAX_VELOCITY;
        low.mins[axis] = low.maxs[axis] = -ENTITY_MAX_CORNER;
        high.origin[axis] = ENTITY_MAX_ORIGIN;
        high.velocity[axis] = ENTITY_MAX_VELOCITY;
        high.mins[axis] = high.maxs[axis] = ENTITY_MAX_CORNER;
        high.angles[axis] = 65535;
    }
    // Test the longest motion record, which replaces origin and angles.
    motion_t motion = {.kind = MOTION_SWING, .duration_ms = INT32_MAX, .parent = 65535};
    float *const floats[] = {&motion.base.origin.x, &motion.parent_base.origin.x};
    for (size_t i = 0; i < COUNTOF(floats); i++) {
        for (int32_t k = 0; k < 6; k++) {
            floats[i][k] = -1e-40f;
        }
    }
    motion.delta = motion.delta_angles = motion.bend = motion.base.origin;
    entity_state_t pusher = high;
    Entity_SetMotion(&pusher, &motion, INT64_MIN / 3);
    pusher.contents = CONTENTS_LADDER;
    pusher.surface_velocity = motion.base.origin;
    pusher.friction = 1e-30f;
    const float far_out[4] = {1e9f, -1e9f, 1e9f, -1e9f};
    entity_bones_t bones = {.skeleton = ENTITY_MAX_SKELETON,
                            .animations = {ENTITY_MAX_ANIMATIONS - 1, ENTITY_MAX_ANIMATIONS - 1},
                            .start_ms = {INT64_MIN / 3, INT64_MIN / 3},
                            .blend = 1.0f};
    memcpy(bones.controllers, far_out, sizeof far_out);
    Entity_SetBones(&pusher, &bones);
    Entity_SetBones(&high, &bones);
    pusher.model = high.model = ENTITY_MAX_MODEL;
    for (int32_t i = 0; i < MAX_SENT_FIELDS; i++) {
        const sent_field_t *field = &TestStates_Schema()->scopes[SCOPE_CLIENT].list[i];
        bool is_float = field->type == SENT_FLOAT;
        Fields_Set(&low, i, is_float ? 1 : Fields_Lowest(field));
        Fields_Set(&pusher, i, is_float ? INT32_MIN + 1 : Fields_Highest(field));
        Fields_Set(&high, i, pusher.fields[i]);
    }
    assert_fits(&low, &pusher);
    assert_fits(&low, &high);
    assert_fits(&high, &low);
}

static void test_steady_motion_is_cheap(void **state) {
    (void)state;
    uint8_t data[BUFFER_BYTES];
    entity_state_t from = {.number = 3, .origin = {16000, -3200, 400}, .velocity = {320, -100, 0}};
    assert_int_equal(write_bits(&from, &from, 0, data), MOVED_BITS);
    entity_state_t to = from;
    to.origin[0] += 320 * 16 * 96 / 1000;
    to.origin[1] += -100 * 16 * 96 / 1000;
    // An entity found where its velocity took it costs nothing but the group bits.
    assert_int_equal(write_bits(&from, &to, 96, data), MOVED_BITS);
    // One that stopped before costs the difference.
    assert_int_equal(write_bits(&from, &from, 96, data), MOVED_BITS + 16 + 14 + 1);
    // A jump under gravity costs only its velocity, because the mean of both velocities is exact.
    from.velocity[2] = 270;
    to.velocity[2] = 190;
    to.origin[2] += 230 * 16 * 100 / 1000;
    to.origin[0] = from.origin[0] + 320 * 16 * 100 / 1000;
    to.origin[1] = from.origin[1] - 100 * 16 * 100 / 1000;
    assert_int_equal(write_bits(&from, &to, 100, data), MOVED_BITS + (5 + 5 + 15));
}

// Tests that a velocity moves nothing out of the world, and nothing that has a motion record.
static void test_expected_origins(void **state) {
    (void)state;
    entity_state_t from = {.number = 3,
                           .origin = {ENTITY_MAX_ORIGIN - 1, -ENTITY_MAX_ORIGIN, 8},
                           .velocity = {1, -ENTITY_MAX_VELOCITY, 3}};
    const int32_t velocity[3] = {0, -ENTITY_MAX_VELOCITY, -6};
    int32_t origin[3];
    Entity_ExpectedOrigin(&from, velocity, ENTITY_EXPECT_MS, origin);
    assert_int_equal(origin[0], ENTITY_MAX_ORIGIN); // 0.5 qu/s: 1.6 of 1/16 qu
    assert_int_equal(origin[1], -ENTITY_MAX_ORIGIN);
    assert_int_equal(origin[2], 4); // 8 - 4.8, rounded towards zero
    assert_true(Entity_IsMoving(&from));
    from.motion = 1 + MOTION_NONE;
    Entity_ExpectedOrigin(&from, velocity, ENTITY_EXPECT_MS, origin);
    assert_memory_equal(origin, from.origin, sizeof origin);
    assert_false(Entity_IsMoving(&from));
}

static void test_flips_keep_within_range(void **state) {
    (void)state;
    int32_t valid = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        rng_t rng = {seed};
        entity_state_t from = TestStates_Entity(&rng, 9);
        entity_state_t to = TestStates_Entity(&rng, 9);
        entity_state_t back;
        uint8_t data[BUFFER_BYTES];
        size_t bits = write_bits(&from, &to, 100, data);
        for (size_t bit = 0; bit < bits; bit++) {
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            if (read_back(&from, &back, 100, data, (bits + 7) / 8)) {
                entity_state_t clamped = back;
                assert_false(Entity_Clamp(&clamped));
                uint8_t again[BUFFER_BYTES];
                assert_int_equal((write_bits(&from, &back, 100, again) + 7) / 8,
                                 (bits + 7) / 8); // there is only one encoding
                assert_memory_equal(again, data, (bits + 7) / 8);
                valid++;
            }
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
    }
    assert_true(valid > 1000);
}

static void test_clamp(void **state) {
    (void)state;
    rng_t rng = {12};
    entity_state_t good = TestStates_Entity(&rng, 5);
    entity_state_t held = good;
    assert_false(Entity_Clamp(&held));
    assert_memory_equal(&held, &good, sizeof good);
    held.type = ENTITY_TYPE_COUNT;
    held.origin[1] = INT32_MAX;
    held.angles[2] = 65536;
    held.mins[0] = 100;
    held.maxs[0] = 99;
    assert_true(Entity_Clamp(&held));
    assert_int_equal(held.type, ENTITY_TYPE_COUNT - 1);
    assert_int_equal(held.origin[1], ENTITY_MAX_ORIGIN);
    assert_int_equal(held.angles[2], 65535);
    assert_int_equal(held.maxs[0], 100);
    assert_int_equal(held.number, 5);
    assert_false(Entity_Clamp(&held));
}

static entity_state_t lift(void) {
    entity_state_t state = {.number = 9, .solid = SOLID_BSP, .type = ENTITY_BRUSH, .model = 3};
    motion_t motion = {.kind = MOTION_MOVE,
                       .duration_ms = 1500,
                       .base = {.origin = {64.0f, -128.5f, 0.0f}},
                       .delta = {0.0f, 0.0f, 192.0f}};
    Entity_SetMotion(&state, &motion, INT64_C(0x123456789a));
    return state;
}

static void test_records_arrive_to_the_bit(void **state) {
    (void)state;
    const entity_state_t nothing = {.number = 9};
    entity_state_t to = lift();
    entity_state_t back;
    uint8_t data[BUFFER_BYTES];
    size_t bits = write_bits(&nothing, &to, 0, data);
    assert_true(read_back(&nothing, &back, 0, data, (bits + 7) / 8));
    motion_t motion = Entity_Motion(&back);
    assert_true(motion.start_ms == INT64_C(0x123456789a));
    assert_true(motion.kind == MOTION_MOVE);
    assert_int_equal(motion.duration_ms, 1500);
    assert_memory_equal(&motion.base, &to.base, sizeof motion.base);
    // A motion that continues costs nothing; a new start costs a few bytes.
    assert_int_equal(write_bits(&to, &to, 16, data), MOVED_BITS);
    entity_state_t later = to;
    later.start_lo += 4000;
    bits = write_bits(&to, &later, 16, data);
    assert_true(bits <= GROUP_COUNT + 31 + 20);
}

// Tests records with one fault each.
static void test_records_that_cannot_be(void **state) {
    (void)state;
    for (int32_t i = 0; i < 14; i++) {
        entity_state_t bad = lift();
        switch (i) {
        case 0:
            bad.duration_ms = 0;
            break;
        case 1:
            bad.motion = 1 + MOTION_NONE; // has neither duration nor path
            break;
        case 2:
            bad.motion = ENTITY_NO_MOTION;
            break;
        case 3:
            bad.base.origin.x = NAN;
            break;
        case 4:
            bad.delta.y = INFINITY;
            break;
        case 5:
            bad.delta_angles.z = 2e6f;
            break;
        case 6:
            bad.parent = bad.number;
            break;
        case 7:
            bad.parent_base.angles.x = 1.0f; // offset without a parent
            break;
        case 8:
            bad.origin[1] = 1;
            break;
        case 9:
            bad.friction = -1.0f;
            break;
        case 10:
            bad.next_duration_ms = 1; // of no leg
            break;
        case 11:
            bad.next_wait_ms = 1; // of a leg without duration
            break;
        case 12:
            Entity_SetNext(&bad, &(leg_t){.wait_ms = 1, .duration_ms = 1, .delta = {NAN, 0, 0}});
            break;
        default:
            bad.surface_velocity.x = 1e6f;
            break;
        }
        const entity_state_t nothing = {.number = 9};
        entity_state_t back;
        uint8_t data[BUFFER_BYTES];
        size_t bits = write_bits(&nothing, &bad, 0, data);
        // Without a motion, the record is not even written.
        bool is_told = bad.motion != ENTITY_NO_MOTION;
        assert_int_equal(read_back(&nothing, &back, 0, data, (bits + 7) / 8), !is_told);
        assert_true(Entity_Clamp(&bad));
        assert_int_equal(bad.motion, ENTITY_NO_MOTION);
        assert_false(Entity_Clamp(&bad));
    }
}

// Tests followers with one fault each.
static void test_followers(void **state) {
    (void)state;
    for (int32_t i = 0; i < 9; i++) {
        const entity_state_t nothing = {.number = 9};
        entity_state_t follower = {
            .number = 9, .origin = {1, 2, 3}, .velocity = {4, 5, 6}, .angles = {7, 8, 9}};
        Entity_Follow(&follower, 5, i % 2 ? -1 : 127, (pose_t){{8.0f, -4.5f, 0.1f}, vec3_zero});
        int32_t *const zeros[] = {&follower.origin[1], &follower.velocity[2], &follower.angles[0],
                                  &follower.duration_ms, &follower.start_hi};
        if (i < 5) {
            *zeros[i] = 1;
        } else if (i == 5) {
            follower.parent = follower.number;
        } else if (i == 6) {
            follower.parent = 0;
        } else if (i == 7) {
            follower.base.angles.y = NAN;
        }
        entity_state_t back;
        uint8_t data[BUFFER_BYTES];
        size_t bits = write_bits(&nothing, &follower, 0, data);
        assert_int_equal(read_back(&nothing, &back, 0, data, (bits + 7) / 8), i == 8);
        assert_int_equal(Entity_Clamp(&follower), i < 8);
        assert_int_equal(follower.motion, i == 8 ? ENTITY_FOLLOWS : ENTITY_NO_MOTION);
        assert_true(i < 8 || Entity_Equal(&back, &follower));
    }
}

// ---- bones ----

static entity_state_t runner(void) {
    entity_state_t state = {.number = 9, .solid = SOLID_BBOX};
    Entity_SetBones(&state, &(entity_bones_t){.skeleton = 17,
                                              .animations = {1, 5},
                                              .start_ms = {INT64_C(0x123456789a), 7},
                                              .controllers = {-12.5f, 4.0f}});
    return state;
}

static void test_bones_arrive(void **state) {
    (void)state;
    const entity_state_t nothing = {.number = 9};
    const entity_state_t from = runner();
    entity_state_t back;
    uint8_t data[BUFFER_BYTES];
    size_t bits = write_bits(&nothing, &from, 0, data);
    assert_true(read_back(&nothing, &back, 0, data, (bits + 7) / 8));
    assert_memory_equal(&back, &from, sizeof back);
    entity_bones_t bones = Entity_Bones(&back);
    assert_int_equal(bones.skeleton, 17);
    assert_int_equal(bones.animations[0], 1);
    assert_true(bones.start_ms[0] == INT64_C(0x123456789a));
    assert_int_equal(bones.animations[1], -1); // with blend 0 the animation is not visible
    assert_true(bones.controllers[0] == -12.5f);
    assert_true(bones.controllers[1] == 4.0f);
    // A continued animation costs nothing, a new one a few bytes, its end only the model.
    assert_int_equal(write_bits(&from, &from, 16, data), MOVED_BITS);
    entity_state_t to = from;
    bones.animations[0] = 3;
    bones.start_ms[0] += 900;
    Entity_SetBones(&to, &bones);
    bits = write_bits(&from, &to, 16, data);
    print_message("another animation: %zu bits\n", bits - GROUP_COUNT);
    assert_true(bits <= GROUP_COUNT + 11 + 40);
    assert_true(read_back(&from, &back, 16, data, (bits + 7) / 8));
    assert_memory_equal(&back, &to, sizeof back);
    to = from;
    Entity_SetBones(&to, &(entity_bones_t){0});
    bits = write_bits(&from, &to, 16, data);
    assert_true(read_back(&from, &back, 16, data, (bits + 7) / 8));
    assert_memory_equal(&back, &to, sizeof back);
    assert_true(back.motion == ENTITY_NO_MOTION && back.skeleton == 0 && back.field_mask == 0);
}

static void test_bones_are_held(void **state) {
    (void)state;
    entity_state_t held = runner();
    Entity_SetBones(&held, &(entity_bones_t){.skeleton = 100000,
                                             .animations = {64, -7},
                                             .blend = NAN,
                                             .controllers = {NAN, INFINITY, -1e30f, 0.015f}});
    assert_false(Entity_Clamp(&held));
    entity_bones_t bones = Entity_Bones(&held);
    assert_int_equal(bones.skeleton, ENTITY_MAX_SKELETON);
    assert_true(bones.animations[0] == -1);
    assert_true(bones.animations[1] == -1);
    assert_true(bones.blend == 0.0f);
    assert_true(bones.controllers[0] == -8192.0f);
    assert_true(bones.controllers[1] == 8192.0f);
    assert_true(bones.controllers[2] == -8192.0f);
    assert_true(bones.controllers[3] == 0.0f);
    held.anim_blend = 256;
    assert_true(Entity_Clamp(&held));
    assert_int_equal(held.anim_blend, 255);
    held.skeleton = ENTITY_MAX_SKELETON + 1;
    assert_true(Entity_Clamp(&held));
    assert_int_equal(held.skeleton, ENTITY_MAX_SKELETON);
    // Without a skeleton, no bone moves.
    held.skeleton = 0;
    assert_true(Entity_Clamp(&held));
    assert_int_equal(held.anim_blend, 0);
    assert_false(Entity_Clamp(&held));
}

// Tests the hash of all bytes that 2,000 seeds write. If it changes, PROTO_VERSION must change.
static void test_bytes_stay(void **state) {
    (void)state;
    uint64_t hash = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        rng_t rng = {seed};
        entity_state_t from = TestStates_Entity(&rng, 7);
        entity_state_t to =
            Rng_Below(&rng, 2) ? TestStates_Entity(&rng, 7) : TestStates_NextEntity(&rng, &from);
        uint8_t data[BUFFER_BYTES];
        int32_t elapsed_ms = next_elapsed_ms(&rng);
        hash = Hash_Bytes(data, (write_bits(&from, &to, elapsed_ms, data) + 7) / 8, hash);
    }
    assert_int_equal(hash, UINT64_C(0x62f3e1470c5585fa));
}

// A receiver that loses the right to a field, and a record that begins, have 0, which a range may
// lack.
static void test_a_field_may_be_absent(void **state) {
    (void)state;
    const sent_fields_t scope = {
        .count = 2,
        .list = {{.name = "ammo", .type = SENT_INT, .lo = 5, .hi = 90},
                 {.name = "heat", .type = SENT_STEPS, .lo = -9, .hi = -2}}};
    const entity_state_t none = {.number = 3};
    entity_state_t some = none;
    Fields_Set(&some, 0, 7);
    Fields_Set(&some, 1, -9);
    const entity_state_t *const steps[] = {&none, &some, &none};
    for (int32_t i = 1; i < 3; i++) {
        uint8_t data[BUFFER_BYTES];
        msg_writer_t out = MSG_Writer(data, sizeof data);
        Fields_Write(&out, &scope, steps[i - 1], steps[i]);
        msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
        entity_state_t back = *steps[i - 1];
        Fields_Read(&in, &scope, steps[i - 1], &back);
        assert_true(MSG_ReadEnd(&in));
        assert_memory_equal(&back, steps[i], sizeof back);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_field_may_be_absent),
        cmocka_unit_test(test_any_state_against_any_other),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_steady_motion_is_cheap),
        cmocka_unit_test(test_expected_origins),
        cmocka_unit_test(test_flips_keep_within_range),
        cmocka_unit_test(test_clamp),
        cmocka_unit_test(test_records_arrive_to_the_bit),
        cmocka_unit_test(test_records_that_cannot_be),
        cmocka_unit_test(test_followers),
        cmocka_unit_test(test_bones_arrive),
        cmocka_unit_test(test_bones_are_held),
        cmocka_unit_test(test_bytes_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
