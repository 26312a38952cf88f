// Tests of command lines and cvars.

#include "lib/testing.h"

#include "base/cmd.h"
#include "base/cvar.h"

#include <string.h>

typedef struct {
    int32_t whole;
    float real;
    char text[CVAR_STRING_BYTES];
} values_t;

static const cvar_def_t defs[] = {
    {"whole", CVAR_INT, 0, "5", -10, 10, "ms", "a whole number", offsetof(values_t, whole)},
    {"real", CVAR_FLOAT, 0, "0.1", 0, 1, "", "a number", offsetof(values_t, real)},
    {"text", CVAR_STRING, 0, "abc", 0, 0, "", "a text", offsetof(values_t, text)},
};

static void test_words_and_quotes(void **state) {
    (void)state;
    cmd_args_t args;
    assert_true(Cmd_Split("  map \"a b\"  x\"y // not this", &args, NULL));
    assert_int_equal(args.argc, 3);
    assert_string_equal(args.argv[1], "a b");
    assert_string_equal(args.argv[2], "x\"y");
    assert_string_equal(args.argv[3], "");
    assert_true(Cmd_Split("// nothing", &args, NULL));
    assert_int_equal(args.argc, 0);
    assert_true(Cmd_Split("say \"\" \"closed\"", &args, NULL));
    assert_int_equal(args.argc, 3);
    assert_string_equal(args.argv[2], "closed");
    err_t err;
    assert_false(Cmd_Split("set sv_hostname \"my server // the name", &args, &err));
    assert_string_equal(err.text, "expected a closing \" for the one after \"sv_hostname\", found "
                                  "the end of the line");
    assert_false(Cmd_Split("\"map", &args, &err));
    assert_non_null(strstr(err.text, "for the one after \"\", found"));
}

static void test_lines_are_bounded(void **state) {
    (void)state;
    cmd_args_t args;
    err_t err;
    char line[MAX_CMD_LINE + 10];
    memset(line, 'a', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    assert_false(Cmd_Split(line, &args, &err));
    for (size_t i = 0; i < 400; i++) {
        line[i] = i % 2 ? ' ' : 'a';
    }
    line[400] = '\0';
    assert_false(Cmd_Split(line, &args, &err));
    assert_non_null(strstr(err.text, "words"));
}

static void test_commands_of_a_line(void **state) {
    (void)state;
    char command[MAX_CMD_LINE];
    const char *rest = Cmd_Next("a \"x;y\"; b // c ; d", command);
    assert_string_equal(command, "a \"x;y\"");
    rest = Cmd_Next(rest, command);
    assert_string_equal(command, " b // c ; d");
    assert_null(rest);
}

static bool run_nothing(void *context, const cmd_args_t *args, err_t *err) {
    (void)args;
    (void)err;
    *(int *)context += 1;
    return true;
}

// Tests that a quote or a comment starts only where a word starts, as Cmd_Split has it.
static void test_quotes_and_comments_inside_words(void **state) {
    (void)state;
    char command[MAX_CMD_LINE];
    const char *rest = Cmd_Next("map maps//a.bsp; say it\"s late; \"a;b\"c;d //;e", command);
    assert_string_equal(command, "map maps//a.bsp");
    rest = Cmd_Next(rest, command);
    assert_string_equal(command, " say it\"s late");
    rest = Cmd_Next(rest, command);
    assert_string_equal(command, " \"a;b\"c");
    rest = Cmd_Next(rest, command);
    assert_string_equal(command, "d //;e");
    assert_null(rest);
}

static void test_dispatch_counts_arguments(void **state) {
    (void)state;
    static const cmd_def_t cmds[] = {{"one", "A", "", 1, 1, run_nothing, ROLE_WATCH},
                                     {"many", "", "", 0, -1, run_nothing, ROLE_ADMIN}};
    int runs = 0;
    cmd_args_t args;
    err_t err;
    assert_null(Cmd_Find(cmds, 2, "two"));
    Cmd_Split("one", &args, NULL);
    assert_false(Cmd_Run(Cmd_Find(cmds, 2, "one"), &runs, &args, &err));
    assert_string_equal(err.text, "usage: one A");
    Cmd_Split("many a b c", &args, NULL);
    assert_true(Cmd_Run(Cmd_Find(cmds, 2, "many"), &runs, &args, &err));
    assert_int_equal(runs, 1);
}

static void test_cvars_check_type_and_range(void **state) {
    (void)state;
    values_t values;
    err_t err;
    char text[CVAR_STRING_BYTES];
    Cvar_Reset(defs, 3, &values);
    assert_int_equal(values.whole, 5);
    assert_true(values.real == 0.1f);
    assert_false(Cvar_Set(&defs[0], &values, "11", &err));
    assert_string_equal(err.text, "whole: expected a whole number in -10..10 ms, found \"11\"");
    assert_false(Cvar_Set(&defs[0], &values, "1.5", &err));
    assert_false(Cvar_Set(&defs[1], &values, "nan", &err));
    assert_int_equal(values.whole, 5);
    assert_true(Cvar_Set(&defs[1], &values, "0.3", &err));
    Cvar_Format(&defs[1], &values, text, sizeof text);
    float before = values.real;
    assert_true(Cvar_Set(&defs[1], &values, text, &err));
    assert_true(values.real == before);
    assert_true(Cvar_Set(&defs[2], &values, "", &err));
    assert_string_equal(values.text, "");
    char longer[CVAR_STRING_BYTES + 1];
    memset(longer, 'x', sizeof longer);
    longer[CVAR_STRING_BYTES] = '\0';
    assert_false(Cvar_Set(&defs[2], &values, longer, &err));
    assert_null(Cvar_Find(defs, 3, "Whole"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_and_quotes),
        cmocka_unit_test(test_lines_are_bounded),
        cmocka_unit_test(test_commands_of_a_line),
        cmocka_unit_test(test_quotes_and_comments_inside_words),
        cmocka_unit_test(test_dispatch_counts_arguments),
        cmocka_unit_test(test_cvars_check_type_and_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
