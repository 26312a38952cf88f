// Tests of BSP_ParseEntity: accepted texts, and the line number reported for a malformed text.

#include "bsp/entity_text.h"
#include "lib/testing.h"

#include <string.h>

static entity_def_t entity; // static because it is large

static entity_parser_t parser_of(const char *text) {
    return (entity_parser_t){text, text + strlen(text), 1};
}

static void test_entities(void **state) {
    (void)state;
    entity_parser_t parser = parser_of("{\n\"classname\" \"worldspawn\"\n\"wad\" \"a b.wad;c\"\n}\n"
                                       "// a comment {\n\r\n{ \"classname\"\t\"light\" "
                                       "\"classname\" \"second\" \"empty\" \"\" }{}");
    err_t err;
    assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), ENTITY_PARSED);
    assert_int_equal(entity.num_pairs, 2);
    assert_int_equal(entity.line, 1);
    assert_int_equal(entity.pairs[1].line, 3);
    assert_string_equal(BSP_EntityValue(&entity, "classname"), "worldspawn");
    assert_string_equal(BSP_EntityValue(&entity, "wad"), "a b.wad;c");
    assert_null(BSP_EntityValue(&entity, "origin"));
    assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), ENTITY_PARSED);
    assert_int_equal(entity.line, 7);
    assert_int_equal(entity.num_pairs, 3);
    // Two classnames: the first one counts.
    assert_string_equal(BSP_EntityValue(&entity, "classname"), "light");
    assert_string_equal(BSP_EntityValue(&entity, "empty"), "");
    assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), ENTITY_PARSED);
    assert_int_equal(entity.num_pairs, 0);
    assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), ENTITY_END);
    assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), ENTITY_END);
}

typedef struct {
    const char *text, *reason;
} bad_case_t;

static void test_errors(void **state) {
    (void)state;
    const bad_case_t cases[] = {
        {"\n\nclassname", "line 3: expected '{', found 'classname'"},
        {"}", "line 1: expected '{', found '}'"},
        {"\x01", "line 1: expected '{', found byte 0x01"},
        {"{\n", "line 2: expected a key in quotes or '}', found the end of the text"},
        {"{\n\"a\" \"b\"\n{", "line 3: expected a key in quotes or '}', found '{'"},
        {"{\n\"a\"\n}", "line 3: expected a value in quotes, found '}'"},
        {"{\n\"a\" b", "line 2: expected a value in quotes, found 'b'"},
        {"{\n\"a\" \"b", "line 2: expected a closing quote, found the end of the text"},
        {"{\n\"a", "line 2: expected a closing quote, found the end of the text"},
        {"{ \"a\" \"b\" /", "line 1: expected a key in quotes or '}', found '/'"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        entity_parser_t parser = parser_of(cases[i].text);
        err_t err = {{0}};
        assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), ENTITY_ERROR);
        assert_string_equal(err.text, cases[i].reason);
    }
    const char nul[] = "{ \"a\0b\" \"c\" }";
    entity_parser_t parser = {nul, nul + sizeof nul - 1, 1};
    err_t err = {{0}};
    assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), ENTITY_ERROR);
    assert_string_equal(err.text, "line 1: expected a closing quote, found byte 0x00");
}

/// Tests a key, a value and a number of keys at their limits and one beyond.
static void test_limits(void **state) {
    (void)state;
    static char text[MAX_VALUE_BYTES * 2 + MAX_ENTITY_KEYS * 16];
    for (int over = 0; over < 2; over++) {
        err_t err = {{0}};
        entity_parse_t expected = over ? ENTITY_ERROR : ENTITY_PARSED;
        snprintf(text, sizeof text, "{\n\"%0*d\" \"\"\n}", MAX_KEY_BYTES - 1 + over, 0);
        entity_parser_t parser = parser_of(text);
        assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), expected);
        snprintf(text, sizeof text, "{\n\"k\" \"%0*d\"\n}", MAX_VALUE_BYTES - 1 + over, 0);
        parser = parser_of(text);
        assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), expected);
        size_t used = 0;
        text[used++] = '{';
        for (int i = 0; i < MAX_ENTITY_KEYS + over; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "\"%d\" \"\"\n", i);
        }
        text[used] = '}';
        text[used + 1] = '\0';
        parser = parser_of(text);
        assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), expected);
    }
    err_t err = {{0}};
    snprintf(text, sizeof text, "{\n\n\"k\" \"%0*d\"\n}", MAX_VALUE_BYTES, 0);
    entity_parser_t parser = parser_of(text);
    assert_int_equal(BSP_ParseEntity(&parser, &entity, &err), ENTITY_ERROR);
    assert_string_equal(err.text,
                        "line 3: expected a value in quotes of at most 1023 bytes, found more");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entities),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
