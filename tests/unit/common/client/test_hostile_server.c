// Tests of a hostile server that sends invalid data: the session ends with a reason, or continues.

#include "lib/testing.h"

#include "base/rng.h"
#include "lib/client_scene_fixture.h"
#include "proto/entity_fields.h"
#include "state/movetype.h"

#include <string.h>

static void test_bad_bytes_end_the_session(void **state) {
    (void)state;
    static const uint8_t welcome[27] = {0x10, PROTO_VERSION, 0, 0, 7 << 2};
    static const struct {
        uint8_t channel;
        const void *bytes;
        size_t size;
        const char *reason;
    } cases[] = {
        {NET_CHANNEL_CONTROL, "\xff", 1, "found 255"},
        {NET_CHANNEL_CONTROL, "\x14\xff\xff", 3, "PRINT"},
        {NET_CHANNEL_CONTROL, welcome, sizeof welcome, "wrong time"}, // the second one
        {NET_CHANNEL_CONTROL, "\x01", 1, "found 1"}, // message type that only clients send
        {NET_CHANNEL_SNAPSHOT, "\x01\x02", 2, "snapshot"},
        {NET_CHANNEL_USERCMD, "x", 1, "channel"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        client_scene_t *scene = ClientScene_New(30 + i, client_scene_clean);
        cl_t *cl = ClientScene_Join(scene, "anna");
        scene->mini.says_nothing = true;
        MiniServer_SendRaw(&scene->mini, 0, cases[i].channel, cases[i].bytes, cases[i].size);
        ClientScene_Run(scene, 500);
        assert_int_equal(CL_State(cl), CL_DISCONNECTED);
        if (!strstr(CL_Reason(cl), cases[i].reason)) {
            fail_msg("case %zu: %s", i, CL_Reason(cl));
        }
        assert_ptr_equal(strstr(CL_Reason(cl), CL_BAD_DATA), CL_Reason(cl));
        assert_int_equal(scene->mini.peers[0].leaves, 1);
        assert_int_equal(scene->mini.peers[0].left, NET_REASON_BAD_DATA);
        cl_event_t event;
        assert_true(CL_NextEvent(cl, &event));
        assert_true(event.type == CL_EVENT_DROPPED);
        ClientScene_Free(scene);
    }
}

// Tests a server that sends messages and snapshots with random bits flipped: the client must play
// on or end the session with a reason.
static void test_flipped_bits_from_the_server(void **state) {
    (void)state;
    rng_t rng = {40};
    int32_t dropped = 0;
    int32_t posed = 0;
    int32_t rounds = Test_IsLong() ? 2000 : 60;
    for (int32_t round = 0; round < rounds; round++) {
        client_scene_t *scene = ClientScene_New(100 + (uint64_t)round, client_scene_clean);
        cl_t *cl = ClientScene_Join(scene, "anna");
        scene->predicts = true;
        snapshot_ring_t *ring = SnapshotRing_Create(4, NULL);
        assert_non_null(ring);
        SnapshotRing_Reset(ring, scene->mini.info.epoch, MINI_RATE_MHZ, NULL);
        scene->mini.says_nothing = true;
        for (int32_t i = 0; i < 100; i++) {
            uint8_t data[MAX_PACKET_BYTES];
            snapshot_stats_t stats;
            snapshot_t now = {.tick = scene->mini.tick + i + 1,
                              .cmd_tick = scene->mini.tick,
                              .player = scene->mini.peers[0].player};
            entity_state_t boxes[2] = {{.number = 7, .solid = SOLID_BSP, .model = 1},
                                       {.number = 8, .solid = SOLID_BSP, .model = 1}};
            const motion_t motions[2] = {
                {.kind = MOTION_SWING,
                 .duration_ms = 900,
                 .delta = {0.0f, 0.0f, 40.0f},
                 .parent = 8},
                {.kind = MOTION_SPIN, .duration_ms = 700 + i, .delta_angles = {0.0f, 90.0f, 0.0f}}};
            for (int32_t k = 0; k < 2; k++) {
                Entity_SetMotion(&boxes[k], &motions[k], i * 100);
            }
            entity_state_t figure = {.number = 9, .solid = SOLID_BBOX};
            Entity_SetBones(&figure, &(entity_bones_t){.skeleton = 1 + i % 40,
                                                       .animations = {i % 5, 2},
                                                       .start_ms = {i * 90, INT64_MIN},
                                                       .blend = 0.5f});
            entity_state_t crate = {.number = 10, .solid = SOLID_BBOX, .maxs = {700, 700, 700}};
            const entity_loose_t loose = {.origin = {4.0f * (float)i, 0.0f, 30.0f},
                                          .velocity = {0.0f, 200000.0f, -1e-30f},
                                          .gravity = i % 2 ? -260000.0f : 1.0f,
                                          .ground = i % 12,
                                          .carries = true,
                                          .yaw = 1e6f,
                                          .is_vehicle = i % 3 == 0};
            assert_true(Entity_SetLoose(&crate, &loose) || loose.ground == crate.number);
            const entity_state_t *order[] = {&boxes[0], &boxes[1], &figure, &crate};
            msg_writer_t out = MSG_Writer(data, sizeof data);
            Snapshot_Write(&out, ring,
                           &(snapshot_parts_t){.now = &now, .entities = order, .num_entities = 4},
                           &stats);
            size_t size = MSG_Finish(&out);
            data[Rng_Below(&rng, (uint32_t)size)] ^= (uint8_t)(1u << Rng_Below(&rng, 8));
            MiniServer_SendRaw(&scene->mini, 0, NET_CHANNEL_SNAPSHOT, data, size);
            scene->mini.net->flush(scene->mini.net);
            ClientScene_Run(scene, CLIENT_SCENE_STEP_MS);
            cl_bones_t bones;
            if (CL_EntityBones(cl, 9, CL_ServerTick(cl), 0, &bones)) {
                assert_true(bones.times_ms[0] >= 0);
                assert_true(bones.times_ms[1] >= 0);
                assert_non_null(CL_SkeletonName(cl, bones.skeleton, NULL));
                posed++;
            }
        }
        dropped += CL_State(cl) == CL_DISCONNECTED ? 1 : 0;
        SnapshotRing_Destroy(ring);
        ClientScene_Free(scene);
    }
    assert_true(dropped > 0);
    assert_true(posed > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_bytes_end_the_session),
        cmocka_unit_test(test_flipped_bits_from_the_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
