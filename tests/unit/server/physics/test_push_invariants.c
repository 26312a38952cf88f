// Pushing invariants (docs/physics.md, "Invariants") that a caller can violate: each trips its
// ASSERT.

#include "lib/pushers_fixture.h"
#include "lib/trips.h"
#include "physics/push_local.h"

static push_t push_of_nothing(void) {
    return (push_t){.sv = &sim.sv, .saved = {-1, -1}, .riders = {-1, -1}};
}

// A push that starts in the middle of a set would not move the parts before it.
static void test_a_push_starts_at_the_root(void **state) {
    (void)state;
    edict_t *first = spawn_pusher(PILLAR, Vector(-100, 0, 0));
    edict_t *second = spawn_pusher(PILLAR, Vector(100, 0, 0));
    SV_PusherTeam(&sim.sv, second, first);
    edict_t *root = Pushers_Root(sim.world, first);
    edict_t *other = root == first ? second : first;
    edict_t *part = NULL;
    edict_t *obstacle = NULL;
    assert_trips("Pushers_Root", SV_PushMove(&sim.sv, other, false, &part, &obstacle));
    assert_true(SV_PushMove(&sim.sv, root, false, &part, &obstacle));
}

static void test_only_parts_carry(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    push_t push = push_of_nothing();
    assert_trips("Push_IsPart", Push_CarryOf(&push, World_EdictNumber(sim.world, lift)));
    assert_trips("Push_IsPart", Push_CarryOf(&push, EDICT_WORLD));
    assert_false(Push_IsPart(&push, -1));
}

static void test_the_world_is_never_pushed(void **state) {
    (void)state;
    push_t push = push_of_nothing();
    assert_trips("number > 0", Push_Save(&push, World_Edict(sim.world, EDICT_WORLD)));
    assert_false(Push_IsPushed(World_Edict(sim.world, EDICT_WORLD)));
}

// An edict is saved once, however often it is found. After a push, no saved state remains.
static void test_a_push_leaves_no_saves(void **state) {
    (void)state;
    edict_t *lift = spawn_pusher(PLATFORM, Vector(0, 0, 16));
    edict_t *crate = spawn_crate(Vector(40, 40, 16));
    ticks(10);
    move_to(lift, Vector(0, 0, 300), 90, 1000);
    const push_save_t none = {.next = 0};
    for (int32_t t = 0; t < 80; t++) {
        ticks(1);
        for (int32_t i = 1; i < sim.world->max_edicts; i++) {
            assert_memory_equal(World_PushSave(sim.world, i), &none, sizeof none);
        }
    }
    push_t push = push_of_nothing();
    const push_save_t *save = Push_Save(&push, crate);
    vec3_t was = crate->origin;
    crate->origin.x += 5.0f;
    assert_ptr_equal(Push_Save(&push, crate), save);
    assert_true(VectorCompare(save->origin, was));
    *World_PushSave(sim.world, push.saved.first) = none;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_a_push_starts_at_the_root),
        TEST(test_only_parts_carry),
        TEST(test_the_world_is_never_pushed),
        TEST(test_a_push_leaves_no_saves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
