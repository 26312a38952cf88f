// Events of a tick: contents, truncation, the full list.

#include "world/events.h"

#include "lib/testing.h"
#include "world/client.h"

#include <string.h>

static void test_contents(void **state) {
    (void)state;
    events_t *events = calloc(1, sizeof *events);
    Events_Add(events, EVENT_PRINT, 3, 7, (vec3_t){1.0f, 2.0f, 3.0f}, "hello");
    Events_Log(events, LOG_WARN, "%s %d", "line", 5);
    assert_int_equal(events->count, 2);
    assert_int_equal(events->list[0].type, EVENT_PRINT);
    assert_int_equal(events->list[0].client, 3);
    assert_int_equal(events->list[0].number, 7);
    assert_true(events->list[0].origin.z == 3.0f);
    assert_string_equal(events->list[0].text, "hello");
    assert_int_equal(events->list[1].type, EVENT_LOG);
    assert_int_equal(events->list[1].level, LOG_WARN);
    assert_string_equal(events->list[1].text, "line 5");
    Events_Add(NULL, EVENT_PRINT, 0, 0, (vec3_t){0.0f, 0.0f, 0.0f}, "nobody listens");
    Events_Log(NULL, LOG_INFO, "nobody listens");
    free(events);
}

static void test_long_texts_are_cut(void **state) {
    (void)state;
    events_t *events = calloc(1, sizeof *events);
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    Events_Add(events, EVENT_CHAT, EVENT_TO_ALL, 0, (vec3_t){0.0f, 0.0f, 0.0f}, text);
    Events_Log(events, LOG_INFO, "%s", text);
    assert_int_equal(strlen(events->list[0].text), MAX_TEXT_BYTES - 1);
    assert_int_equal(strlen(events->list[1].text), MAX_TEXT_BYTES - 1);
    free(events);
}

static void test_full_list_counts(void **state) {
    (void)state;
    events_t *events = calloc(1, sizeof *events);
    for (int32_t i = 0; i < MAX_EVENTS + 10; i++) {
        Events_Log(events, LOG_INFO, "%d", i);
    }
    Events_Add(events, EVENT_PRINT, 0, 0, (vec3_t){0.0f, 0.0f, 0.0f}, "too late");
    assert_int_equal(events->count, MAX_EVENTS);
    assert_int_equal(events->dropped, 11);
    assert_string_equal(events->list[MAX_EVENTS - 1].text, "8191");
    free(events);
}

static void test_a_change_of_map_is_never_lost(void **state) {
    (void)state;
    events_t *events = calloc(1, sizeof *events);
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    for (int32_t i = 0; i < MAX_EVENTS; i++) {
        Events_Add(events, EVENT_PRINT, EVENT_TO_ALL, 0, zero, "noise");
    }
    Events_Add(events, EVENT_CHANGEMAP, EVENT_TO_ALL, 0, zero, "next");
    assert_int_equal(events->count, MAX_EVENTS);
    assert_int_equal(events->dropped, 1);
    assert_int_equal(events->list[MAX_EVENTS - 1].type, EVENT_CHANGEMAP);
    assert_string_equal(events->list[MAX_EVENTS - 1].text, "next");
    free(events);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents),
        cmocka_unit_test(test_long_texts_are_cut),
        cmocka_unit_test(test_full_list_counts),
        cmocka_unit_test(test_a_change_of_map_is_never_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
