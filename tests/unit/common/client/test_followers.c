// Tests where a client draws followers, and the velocity of a pusher.

#include "lib/client_scene_fixture.h"
#include "lib/testing.h"

#include "proto/entity_fields.h"

static bool is_at(pose_t pose, float x, float y, float z) {
    return VectorLength(VectorSubtract(pose.origin, Vector(x, y, z))) < 0.01f;
}

// Tests followers of an entity, of another follower, and of the own player; a circle and a missing
// leader; and the record of the own player.
static void test_followers(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(53, client_scene_clean);
    entity_state_t *list = scene->mini.entities;
    const pose_t ahead = {{10.0f, 0.0f, 5.0f}, {0.0f, 45.0f, 0.0f}};
    const int32_t leaders[] = {40, 41, 1, 45, 44, 99};
    list[0] = (entity_state_t){.number = 1, .type = ENTITY_PLAYER, .owner = 1, .classname = 7};
    list[1] = (entity_state_t){
        .number = 40, .origin = {1600, 0, 0}, .velocity = {77, 0, 0}, .angles = {0, 16384, 0}};
    for (int32_t i = 0; i < 6; i++) {
        list[2 + i] = (entity_state_t){.number = 41 + i, .generation = 3};
        Entity_Follow(&list[2 + i], leaders[i], -1, ahead);
    }
    scene->mini.num_entities = 8;
    cl_t *cl = ClientScene_Join(scene, "anna");
    ClientScene_Run(scene, 500);
    int64_t tick = CL_ServerTick(cl);
    pose_t pose;
    player_state_t self;
    assert_int_equal(CL_Slot(cl), 0);
    assert_true(CL_Predicted(cl, &self));
    assert_true(CL_EntityPose(cl, 41, tick, 0, &pose));
    assert_true(is_at(pose, 100.0f, 10.0f, 5.0f)); // the leader faces +y
    assert_true(fabsf(pose.angles.y - 135.0f) < 0.01f);
    assert_true(CL_EntityPose(cl, 42, tick, 0, &pose));
    assert_true(is_at(pose, 100.0f - 7.071f, 10.0f + 7.071f, 10.0f));
    assert_true(CL_EntityPose(cl, 43, tick, 0, &pose));
    assert_true(is_at(pose, self.origin.x + 10.0f, self.origin.y, self.origin.z + 5.0f));
    assert_false(CL_EntityPose(cl, 44, tick, 0, &pose)); // 44 and 45 follow each other
    assert_false(CL_EntityPose(cl, 46, tick, 0, &pose)); // 99 is missing
    assert_false(CL_EntityPose(cl, 1, tick, 0, &pose));
    entity_state_t seen[8];
    assert_int_equal(CL_NumEntities(cl), 7); // the snapshot also has the own player
    assert_int_equal(CL_Entities(cl, seen, 8), 7);
    assert_int_equal(seen[1].number, 41);
    assert_int_equal(seen[1].origin[1], 160);
    assert_int_equal(seen[1].velocity[0], 77);
    assert_true(CL_Entity(cl, 1, &seen[0]));
    assert_int_equal(seen[0].classname, 7);
    assert_true(CL_Entity(cl, 44, &seen[0]));
    assert_int_equal(seen[0].motion, ENTITY_FOLLOWS);
    assert_true(CL_Entity(cl, 46, &seen[0]));
    assert_false(CL_Entity(cl, 39, &seen[0]));
    CL_Disconnect(cl); // the session's entities go with it
    assert_int_equal(CL_NumEntities(cl) + CL_Entities(cl, seen, 8), 0);
    assert_false(CL_Entity(cl, 41, &seen[0]));
    assert_false(CL_EntityPose(cl, 41, tick, 0, &pose));
    ClientScene_Free(scene);
}

// Tests that a pusher whose motion begins anew in every tick, as a train at its corners, has the
// velocity of the new motion.
static void test_velocity_of_a_new_motion(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(53, client_scene_clean);
    entity_state_t *train = &scene->mini.entities[0];
    motion_t motion = {.kind = MOTION_MOVE, .duration_ms = 20, .delta = {-4.0f, 0.0f, 2.0f}};
    *train = (entity_state_t){.number = 41, .type = ENTITY_BRUSH};
    scene->mini.num_entities = 1;
    cl_t *cl = ClientScene_Join(scene, "anna");
    for (int32_t i = 0; i < 100; i++) {
        Entity_SetMotion(train, &motion, (scene->mini.tick + 1) * 16);
        ClientScene_Step(scene);
    }
    entity_state_t seen;
    assert_int_equal(CL_Entities(cl, &seen, 1), 1);
    assert_int_equal(seen.velocity[0], -200);
    assert_int_equal(seen.velocity[2], 100);
    ClientScene_Free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_followers),
        cmocka_unit_test(test_velocity_of_a_new_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
