// Absurd values from a host language: every function of edict/client.h returns, with a fault or a
// clamped result, and the session continues. The sanitized build checks the arithmetic.

#include "base/file.h"
#include "lib/client_scene_fixture.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int32_t numbers[] = {
    INT32_MIN, INT32_MIN + 1, -65536,        -2,       -1, 0, 1, 2, 31, 255, 1024,
    65535,     65536,         INT32_MAX - 1, INT32_MAX};
static const int64_t ticks[] = {INT64_MIN,        INT64_MIN + 1, -1,       0, 1, 1000, INT32_MAX,
                                INT64_C(1) << 40, INT64_MAX - 1, INT64_MAX};
static const float reals[] = {-INFINITY, -FLT_MAX, -1e9f, -1.0f,   -0.0f,    FLT_MIN,
                              1.0f,      1e9f,     1e30f, FLT_MAX, INFINITY, NAN};
static char long_text[4096];

static cl_vec3_t real_vector(size_t i) {
    return (cl_vec3_t){reals[i % COUNTOF(reals)], reals[(i / 3) % COUNTOF(reals)],
                       reals[(i / 7) % COUNTOF(reals)]};
}

static void test_fields_of_the_config(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(1, client_scene_clean);
    const netaddr_t address = {0x0a000050, 4000, 0};
    transport_t *net = SimNet_Transport(scene->sim, address, 4, false);
    int32_t made = 0;
    assert_null(CL_Create(&(cl_config_t){.net = NULL}));
    for (size_t i = 0; i < COUNTOF(numbers); i++) {
        const int32_t n = numbers[i];
        cl_t *cl = CL_Create(&(cl_config_t){.net = net, .cmd_ms = n});
        assert_int_equal(cl != NULL, n >= 0 && n <= CL_MAX_CMD_MS);
        made += cl != NULL;
        CL_Destroy(cl);
        cl = CL_Create(&(cl_config_t){.net = net, .interp_ms = n});
        assert_int_equal(cl != NULL, n <= CL_MAX_INTERP_MS);
        CL_Destroy(cl);
        cl = CL_Create(&(cl_config_t){.net = net, .silence_ms = n});
        assert_int_equal(cl != NULL, n >= 0);
        CL_Destroy(cl);
        cl = CL_Create(&(cl_config_t){.net = net, .smooth_ms = n});
        assert_int_equal(cl != NULL, n >= 0);
        CL_Destroy(cl);
        cl_err_t err;
        cl_transport_t *udp = CL_NetCreate(&(cl_net_config_t){.max_peers = n}, &err);
        assert_int_equal(udp != NULL, n < 4096);
        if (udp) {
            udp->destroy(udp);
        }
    }
    assert_int_equal(made, 4); // 0, 1, 2 and 31
    net->destroy(net);
    ClientScene_Free(scene);
}

static void call_with_numbers(cl_t *cl, int32_t n, uint16_t frac) {
    cl_entity_state_t entity = {.number = n, .classname = n, .type = n, .model = frac};
    cl_entity_state_t list[2];
    cl_player_row_t rows[2];
    cl_value_t value;
    cl_vec3_t mins, maxs;
    cl_pose_t pose;
    cl_bones_t bones;
    const int32_t room = n < 2 ? n : 2;
    assert_true(CL_Entities(cl, list, room) <= CL_NumEntities(cl));
    assert_true(CL_Players(cl, rows, room) <= 2);
    (void)CL_Player(cl, n, rows);
    (void)CL_PlayerName(cl, n)[0], (void)CL_Info(cl, n, "colour")[0], (void)CL_Info(cl, n, "")[0];
    (void)CL_SkeletonName(cl, n, NULL)[0];
    (void)CL_SoundName(cl, n)[0], (void)CL_EffectName(cl, n)[0];
    (void)CL_IsBrush(&entity);
    (void)CL_ClassName(cl, &entity)[0], (void)CL_ModelName(cl, &entity)[0];
    (void)CL_NumFields(cl, (cl_scope_t)n), (void)CL_Field(cl, (cl_scope_t)n, n)[0];
    (void)CL_Field(cl, CL_SCOPE_PLAYER, n)[0];
    (void)CL_EntityField(cl, n, "health", &value), (void)CL_PlayerField(cl, n, "ping", &value);
    (void)CL_WorldField(cl, long_text, &value);
    (void)CL_Entity(cl, n, &entity);
    const cl_player_state_t player = {.flags = (uint32_t)n, .duck_ms = n};
    assert_true(fabsf(CL_ViewHeight(cl, &player)) <= 128.0f);
    for (size_t i = 0; i < COUNTOF(ticks); i++) {
        (void)CL_TickMs(cl, ticks[i], frac);
        (void)CL_EntityPose(cl, n, ticks[i], frac, &pose);
        (void)CL_ShownPose(cl, n, ticks[i], &pose);
        (void)CL_EntityBox(cl, n, ticks[i], frac, &mins, &maxs);
        (void)CL_EntityBones(cl, n, ticks[i], frac, &bones);
    }
}

static void call_with_reals(cl_t *cl, cl_routes_t *routes, size_t i) {
    const cl_vec3_t v = real_vector(i), w = real_vector(i * 5 + 1);
    cl_vec3_t forward, right, up;
    cl_trace_t trace;
    cl_corner_t corners[4];
    CL_AngleVectors(v, &forward, &right, &up);
    (void)CL_VectorAngles(v);
    assert_true(CL_MapTrace(cl, v, w, w, v, &trace));
    assert_true(trace.fraction >= 0.0f && trace.fraction <= 1.0f);
    assert_true(isfinite(trace.end.x) && isfinite(trace.end.y) && isfinite(trace.end.z));
    (void)CL_MapContents(cl, v);
    (void)CL_Route(routes, cl, v, w, corners, numbers[i % COUNTOF(numbers)] < 4 ? 1 : 4);
    CL_SetInput(cl, &(cl_input_t){v.x, v.y, v.z, w.x, w.y, (uint8_t)i, (uint8_t)i});
}

static void call_with_texts(cl_t *cl) {
    cl_err_t err;
    assert_false(CL_SetSeal(cl, 77, NULL, &err));
    assert_false(CL_SetSeal(cl, CL_SEAL_REQUIRED, long_text, &err));
    assert_false(CL_SetPassword(cl, long_text, &err));
    assert_false(CL_SetInfo(cl, long_text, "x", &err));
    assert_false(CL_SetInfo(cl, "x", long_text, NULL));
    assert_false(CL_Connect(cl, (cl_address_t){0}, long_text, false, NULL));
    assert_false(CL_SetToken(cl, long_text, NULL));
    assert_false(CL_Resolve(long_text, 0, &(cl_address_t){0}, NULL));
    assert_false(CL_Resolve("", 0, &(cl_address_t){0}, NULL));
    assert_null(CL_NetCreate(&(cl_net_config_t){.network = long_text}, NULL));
    assert_null(CL_ModelRead("none", "x", 0, NULL));
    assert_null(CL_ModelRead("none", long_text, sizeof long_text, NULL));
    assert_null(CL_ModelRead("none", long_text, SIZE_MAX, NULL));
    CL_WhyLag(&(cl_net_graph_t){.silence_ms = INT32_MAX}, NULL, 0);
    char text[8];
    CL_WhyLag(&(cl_net_graph_t){.loss_up = NAN, .full = INFINITY, .rtt_ms = INT32_MIN}, text, 8);
    CL_WhyLag(&(cl_net_graph_t){.tick_worst_ms = FLT_MAX, .tick_ms = -FLT_MAX}, text, 8);
    assert_true(strlen(text) < sizeof text);
    cl_maps_t *maps = CL_MapsCreate(long_text);
    CL_MapsDestroy(maps);
    CL_MapsDestroy(NULL);
    CL_RoutesDestroy(NULL);
    CL_ModelFree(NULL);
    CL_Destroy(NULL);
}

static void test_every_function(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(2, client_scene_clean);
    memset(long_text, 'a', sizeof long_text - 1);
    cl_t *idle = ClientScene_Add(scene, true, 0);
    cl_t *cl = ClientScene_Join(scene, "anna");
    cl_routes_t *routes = CL_RoutesCreate();
    for (size_t i = 0; i < COUNTOF(numbers); i++) {
        call_with_numbers(idle, numbers[i], (uint16_t)(i * 5000));
        call_with_numbers(cl, numbers[i], (uint16_t)(i * 5000));
    }
    for (size_t i = 0; i < 7 * COUNTOF(reals); i++) {
        call_with_reals(cl, routes, i);
        ClientScene_Step(scene);
    }
    call_with_texts(cl);
    CL_SetInput(cl, &(cl_input_t){0});
    ClientScene_Run(scene, 500);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    CL_RoutesDestroy(routes);
    ClientScene_Free(scene);
}

// Results of the functions of the map for good values.
static void test_the_loaded_map(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(4, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    cl_routes_t *routes = CL_RoutesCreate();
    const cl_vec3_t zero = {0.0f, 0.0f, 0.0f};
    cl_player_state_t self;
    cl_trace_t trace;
    cl_corner_t corners[16];
    assert_true(CL_Self(cl, &self));
    cl_vec3_t below = self.origin;
    below.z -= 4096.0f;
    assert_true(CL_MapTrace(cl, self.origin, below, zero, zero, &trace));
    assert_true(trace.fraction < 1.0f && trace.normal.z == 1.0f && !trace.startsolid);
    assert_int_equal(CL_MapContents(cl, self.origin), CL_CONTENTS_EMPTY);
    below.z = trace.end.z - 1.0f;
    assert_int_equal(CL_MapContents(cl, below), CL_CONTENTS_SOLID);
    assert_true(CL_MapTrace(cl, below, self.origin, zero, zero, &trace));
    assert_true(trace.startsolid);
    int32_t calls = 0, count = -1;
    for (; count < 0 && calls < 1000; calls++) {
        count = CL_Route(routes, cl, self.origin, self.origin, corners, 16);
    }
    assert_true(count >= 0); // no route, or one of a place
    cl_t *idle = ClientScene_Add(scene, true, 0);
    assert_false(CL_MapTrace(idle, zero, below, zero, zero, &trace));
    assert_true(trace.fraction == 1.0f);
    assert_int_equal(CL_MapContents(idle, below), CL_CONTENTS_EMPTY);
    assert_int_equal(CL_Route(routes, idle, zero, zero, corners, 16), 0);
    CL_RoutesDestroy(routes);
    ClientScene_Free(scene);
}

static void test_every_clock(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(3, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "anna");
    cl_player_state_t self;
    for (size_t i = 0; i < COUNTOF(ticks); i++) {
        CL_Frame(cl, ticks[i]);
        (void)CL_Smoothed(cl, &self);
        cl_stats_t stats;
        CL_Stats(cl, &stats);
        cl_net_graph_t graph;
        CL_NetGraph(cl, &graph);
    }
    CL_Disconnect(cl);
    CL_Frame(cl, 0);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    ClientScene_Free(scene);
}

static void test_poses_of_a_model(void **state) {
    (void)state;
    char folder[] = "/tmp/edict-absurd-XXXXXX", path[64];
    size_t size = 0;
    assert_non_null(mkdtemp(folder));
    TestNet_WriteModels(folder, "", false);
    snprintf(path, sizeof path, "%s/models/dog.emesh", folder);
    void *data = File_Read(path, 1 << 20, &size, NULL);
    assert_non_null(data);
    cl_model_t *model = CL_ModelRead("dog", data, size, NULL);
    assert_non_null(model);
    for (size_t i = 0; i < 7 * COUNTOF(reals); i++) {
        const int32_t n = numbers[i % COUNTOF(numbers)];
        const cl_vec3_t v = real_vector(i);
        cl_bone_t bones[CL_MAX_BONES];
        CL_ModelPose(model,
                     &(cl_bones_t){.skeleton = n,
                                   .animations = {n, (int32_t)i % 3},
                                   .times_ms = {ticks[i % COUNTOF(ticks)], ticks[i / 9]},
                                   .blend = v.x,
                                   .controllers = {v.x, v.y, v.z, v.x}},
                     bones);
        assert_true(isfinite(bones[0].origin.x) && isfinite(bones[0].axes[0].x));
        (void)CL_ModelBone(model, n, NULL)[0], (void)CL_ModelAnimation(model, n, NULL)[0];
    }
    CL_ModelFree(model);
    free(data);
    snprintf(path, sizeof path, "rm -rf %s", folder);
    assert_int_equal(system(path), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_of_the_config), cmocka_unit_test(test_every_function),
        cmocka_unit_test(test_the_loaded_map),       cmocka_unit_test(test_every_clock),
        cmocka_unit_test(test_poses_of_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
