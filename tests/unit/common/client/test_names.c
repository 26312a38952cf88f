// Tables of names at a client, from honest and hostile servers.

#include "lib/testing.h"

#include "lib/client_scene_fixture.h"

#include "client/cl_local.h"
#include "proto/msg.h"

#include <string.h>

static client_scene_t *start(cl_t **cl) {
    client_scene_t *scene = ClientScene_New(1, client_scene_clean);
    *cl = ClientScene_Join(scene, "anna");
    return scene;
}

static void send_names(client_scene_t *scene, int32_t table, int32_t first, int32_t count,
                       const char *pattern) {
    control_msg_t msg = {.type = CTL_NAMES,
                         .u.names = {.table = table, .first = first, .count = count}};
    char *at = msg.u.names.texts;
    for (int32_t i = 0; i < count; i++) {
        at += sprintf(at, pattern, first + i) + 1;
    }
    MiniServer_Send(&scene->mini, 0, &msg);
    scene->mini.net->flush(scene->mini.net);
    ClientScene_Run(scene, 20);
}

static void test_names(void **state) {
    (void)state;
    cl_t *cl = NULL;
    client_scene_t *scene = start(&cl);
    entity_state_t entity = {.number = 9, .model = 3, .classname = 2};
    assert_string_equal(CL_ClassName(cl, &entity), ""); // the snapshot comes before the names
    send_names(scene, NAMES_CLASSES, 1, 2, "class%d");
    send_names(scene, NAMES_MODELS, 1, 2, "model%d");
    assert_string_equal(CL_ClassName(cl, &entity), "class2");
    assert_string_equal(CL_ModelName(cl, &entity), "");
    send_names(scene, NAMES_MODELS, 3, 1, "model%d");
    assert_string_equal(CL_ModelName(cl, &entity), "model3");
    entity.solid = SOLID_BSP;
    assert_string_equal(CL_ModelName(cl, &entity), "");
    send_names(scene, NAMES_SOUNDS, 1, 1, "sound%d");
    send_names(scene, NAMES_EFFECTS, 1, 1, "effect%d");
    assert_string_equal(CL_SoundName(cl, 1), "sound1");
    assert_string_equal(CL_EffectName(cl, 1), "effect1");
    static const int32_t unknown[] = {0, -1, 2, NAMES_MAX, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < COUNTOF(unknown); i++) {
        assert_string_equal(CL_SoundName(cl, unknown[i]), "");
    }
    MiniServer_SendMap(&scene->mini);
    ClientScene_Run(scene, 20);
    assert_string_equal(CL_SoundName(cl, 1), "");
    send_names(scene, NAMES_SOUNDS, 1, 1, "again%d");
    assert_string_equal(CL_SoundName(cl, 1), "again1");
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    ClientScene_Free(scene);
}

static void expect_dropped(client_scene_t *scene, const cl_t *cl, const char *why) {
    ClientScene_Run(scene, 50);
    assert_int_equal(CL_State(cl), CL_DISCONNECTED);
    assert_non_null(strstr(CL_Reason(cl), why));
    ClientScene_Free(scene);
}

static void test_out_of_order(void **state) {
    (void)state;
    static const int32_t firsts[] = {1, 2, 4, NAMES_MAX - 1}; // twice, overlapping, a gap
    for (size_t i = 0; i < COUNTOF(firsts); i++) {
        cl_t *cl = NULL;
        client_scene_t *scene = start(&cl);
        send_names(scene, NAMES_TEXTS, 1, 2, "text%d");
        assert_int_equal(CL_State(cl), CL_ACTIVE);
        send_names(scene, NAMES_TEXTS, firsts[i], 1, "text%d");
        expect_dropped(scene, cl, "names that do not continue their table");
    }
}

// Sends a NAMES message of "|"-separated names.
static void send_texts(client_scene_t *scene, int32_t table, int32_t first, const char *texts) {
    control_msg_t msg = {.type = CTL_NAMES,
                         .u.names = {.table = table, .first = first, .count = 1}};
    for (size_t i = 0; texts[i] != '\0'; i++) {
        msg.u.names.texts[i] = texts[i] == '|' ? '\0' : texts[i];
        msg.u.names.count += texts[i] == '|' ? 1 : 0;
    }
    MiniServer_Send(&scene->mini, 0, &msg);
    scene->mini.net->flush(scene->mini.net);
    ClientScene_Run(scene, 20);
}

static void expect_classes(const cl_t *cl, const char *const names[5]) {
    for (int32_t i = 0; i < 5; i++) {
        assert_string_equal(Client_Name(cl, NAMES_CLASSES, 1 + i), names[i]);
    }
}

// A name replaces a placeholder once. A message may fill placeholders and continue the table.
static void test_placeholders(void **state) {
    (void)state;
    cl_t *cl = NULL;
    client_scene_t *scene = start(&cl);
    send_texts(scene, NAMES_CLASSES, 1, "|one|||four");
    expect_classes(cl, (const char *[]){"", "one", "", "", "four"});
    assert_int_equal(cl->names.cost, 5 * 2 + 3 + 4);
    send_texts(scene, NAMES_CLASSES, 3, "two|three");
    send_texts(scene, NAMES_CLASSES, 1, "zero");
    expect_classes(cl, (const char *[]){"zero", "one", "two", "three", "four"});
    send_texts(scene, NAMES_TEXTS, 1, "|");
    send_texts(scene, NAMES_TEXTS, 2, "b|c|");
    assert_int_equal(cl->names.counts[NAMES_TEXTS], 4);
    assert_string_equal(Client_Name(cl, NAMES_TEXTS, 3), "c");
    assert_int_equal(cl->names.cost, 9 * 2 + 4 + 3 + 3 + 5 + 4 + 2);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    ClientScene_Free(scene);
}

static void test_bad_placeholders(void **state) {
    (void)state;
    static const struct {
        int32_t first;
        const char *texts;
    } cases[] = {
        {1, "other"}, // for a name
        {1, "a"},     // the same name
        {2, ""},      // a second placeholder
        {2, "b|c"},   // "c" is there
        {2, "b|"},    // the same
        {5, "e"},     // a gap
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        cl_t *cl = NULL;
        client_scene_t *scene = start(&cl);
        send_texts(scene, NAMES_TEXTS, 1, "a||c");
        assert_int_equal(CL_State(cl), CL_ACTIVE);
        send_texts(scene, NAMES_TEXTS, cases[i].first, cases[i].texts);
        expect_dropped(scene, cl, "names that do not continue their table");
    }
}

// Placeholders count when their names come.
static void test_placeholders_of_too_many_bytes(void **state) {
    (void)state;
    char name[NAME_TEXT_BYTES];
    cl_t *cl = NULL;
    client_scene_t *scene = start(&cl);
    snprintf(name, sizeof name, "%062d", 0);
    for (int32_t i = 0; i < NAMES_BYTES / 64; i++) {
        send_texts(scene, NAMES_CLASSES, 1 + i, "");
    }
    for (int32_t i = 0; i < NAMES_BYTES / 64; i++) {
        send_texts(scene, NAMES_CLASSES, 1 + i, name);
    }
    assert_int_equal(cl->names.cost, NAMES_BYTES);
    assert_string_equal(Client_Name(cl, NAMES_CLASSES, NAMES_BYTES / 64), name);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    send_texts(scene, NAMES_TEXTS, 1, "");
    expect_dropped(scene, cl, "too many");
}

static void test_too_many_bytes(void **state) {
    (void)state;
    cl_t *cl = NULL;
    client_scene_t *scene = start(&cl);
    for (int32_t i = 0; i < NAMES_BYTES / 64; i++) {
        send_names(scene, i % NAMES_TABLES, 1 + i / NAMES_TABLES, 1, "%062d");
    }
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    send_names(scene, NAMES_MODELS, 1 + cl->names.counts[NAMES_MODELS], 1, "x");
    expect_dropped(scene, cl, "too many");
}

// Writes a NAMES message with any values, followed by a name of `length` bytes.
static size_t write_raw(uint8_t data[256], uint32_t table, uint32_t first, uint32_t count,
                        uint32_t length) {
    msg_writer_t out = MSG_Writer(data, 256);
    MSG_WriteBits(&out, CTL_NAMES, 8);
    MSG_WriteBits(&out, table, 3);
    MSG_WriteBits(&out, first - 1, 10);
    MSG_WriteBits(&out, count - 1, 10);
    MSG_WriteBits(&out, length, 16);
    for (uint32_t i = 0; i < length; i++) {
        MSG_WriteBits(&out, 'x', 8);
    }
    return MSG_Finish(&out);
}

static void test_bad_messages(void **state) {
    (void)state;
    uint8_t data[256];
    control_msg_t msg;
    err_t err;
    size_t size = write_raw(data, 0, 1, 1, 63);
    assert_true(CTL_Read(&msg, false, data, size, &err));
    for (size_t cut = 0; cut < size; cut++) {
        assert_false(CTL_Read(&msg, false, data, cut, &err));
    }
    size = write_raw(data, 0, NAMES_MAX - 1, 1, 5); // the last number
    assert_true(CTL_Read(&msg, false, data, size, &err));
    size = write_raw(data, NAMES_CLASSES, 1, 1, 0); // classes and texts have placeholders
    assert_true(CTL_Read(&msg, false, data, size, &err));
    const uint32_t bad[][4] = {
        {NAMES_TABLES, 1, 1, 5}, {7, 1, 1, 5},  {0, NAMES_MAX, 1, 5}, {0, NAMES_MAX - 1, 2, 5},
        {0, 1, NAMES_MAX, 5},    {0, 1, 1, 64}, {2, 1, 1, 0},         {0, 1, 2, 5},
        {0, 2, NAMES_MAX - 1, 5}};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        size = write_raw(data, bad[i][0], bad[i][1], bad[i][2], bad[i][3]);
        assert_false(CTL_Read(&msg, false, data, size, &err));
    }
    size = write_raw(data, 0, 1, 1, 5);
    data[7] ^= 'x' ^ '\n'; // bits of two characters change
    assert_false(CTL_Read(&msg, false, data, size, &err));
}

// One message has at most CTL_NAMES_BYTES.
static void test_a_long_message(void **state) {
    (void)state;
    for (uint32_t count = 366; count <= 367; count++) {
        uint8_t data[2048];
        control_msg_t msg;
        err_t err;
        msg_writer_t out = MSG_Writer(data, sizeof data);
        MSG_WriteBits(&out, CTL_NAMES, 8);
        MSG_WriteBits(&out, 0, 13);
        MSG_WriteBits(&out, count - 1, 10);
        for (uint32_t i = 0; i < count; i++) {
            MSG_WriteBits(&out, 1, 16);
            MSG_WriteBits(&out, 'x', 8);
        }
        const bool fits = count * 3 <= CTL_NAMES_BYTES;
        assert_int_equal(CTL_Read(&msg, false, data, MSG_Finish(&out), &err), fits);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_too_many_bytes),
        cmocka_unit_test(test_bad_messages),
        cmocka_unit_test(test_a_long_message),
        cmocka_unit_test(test_placeholders),
        cmocka_unit_test(test_bad_placeholders),
        cmocka_unit_test(test_placeholders_of_too_many_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
