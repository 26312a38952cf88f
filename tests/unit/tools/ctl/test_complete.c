// Tests which word of a line is completed, and with what.

#include "ctl/complete.h"
#include "lib/testing.h"

#include <string.h>

static words_t words;

static void add(const char *list) {
    words.count = 0;
    words.used = 0;
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ",");
        Words_Add(&words, at, length);
        at += length + (at[length] == ',' ? 1 : 0);
    }
}

static void test_finds_the_word(void **state) {
    static const struct {
        const char *line;
        complete_kind_t kind;
        size_t start;
        const char *prefix;
        bool quoted;
    } cases[] = {
        {"", COMPLETE_NAME, 0, "", false},
        {"  st", COMPLETE_NAME, 2, "st", false},
        {"set ", COMPLETE_CVAR, 4, "", false},
        {"\tset\tsv_g", COMPLETE_CVAR, 5, "sv_g", false},
        {"set sv_gravity 8", COMPLETE_NOTHING, 15, "8", false},
        {"say x;map a", COMPLETE_MAP, 10, "a", false},
        {"map a;", COMPLETE_NAME, 6, "", false},
        {"map a ; help ki", COMPLETE_NAME, 13, "ki", false},
        {"kick \"big b", COMPLETE_PLAYER, 5, "big b", true},
        {"kick \"a;b\" x", COMPLETE_NOTHING, 11, "x", false},
        {"\"kick\" a", COMPLETE_PLAYER, 7, "a", false},
        {"maps f", COMPLETE_MAP, 5, "f", false},
        {"mapsx f", COMPLETE_NOTHING, 6, "f", false},
        {"status ", COMPLETE_NOTHING, 7, "", false},
        {";;;", COMPLETE_NAME, 3, "", false},
        {"\"", COMPLETE_NAME, 0, "", true},
        {"\"\"", COMPLETE_NOTHING, 2, "", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        complete_t at = Complete_Parse(cases[i].line, strlen(cases[i].line));
        print_message("%s\n", cases[i].line);
        assert_int_equal(at.kind, cases[i].kind);
        assert_int_equal(at.start, cases[i].start);
        assert_int_equal(at.quoted, cases[i].quoted);
        assert_string_equal(at.prefix, cases[i].prefix);
    }
    assert_int_equal(Complete_Parse("map arena", 3).kind, COMPLETE_NAME); // only up to the cursor
}

// Completes the end of `line` with the words of `list`. Returns the replacement, "" without words.
static const char *completed(const char *line, const char *list, char text[WORD_BYTES]) {
    complete_t at = Complete_Parse(line, strlen(line));
    add(list);
    Words_Keep(&words, &at);
    text[0] = '\0';
    if (words.count > 0) {
        Words_Common(&words, &at, text);
    }
    return text;
}

static void test_completes_the_word(void **state) {
    char text[WORD_BYTES];
    (void)state;
    assert_string_equal(completed("st", "say,status,set", text), "status ");
    assert_string_equal(completed("s", "sv_b,sv_a,x,sv_b", text), "sv_");
    assert_int_equal(words.count, 2);
    assert_string_equal(words.list[0], "sv_a");
    assert_string_equal(completed("x", "say,status", text), "");
    assert_string_equal(completed("kick b", "big bob,ann", text), "\"big bob\" ");
    assert_string_equal(completed("kick b", "big bob,big ben", text), "\"big b");
    assert_string_equal(completed("kick \"big b", "big bob,big ben", text), "\"big b");
    assert_string_equal(completed("kick \"a", "ann", text), "\"ann\" ");
    assert_string_equal(completed("kick \"a", "a\"b", text), ""); // quotes cannot hold it
    assert_string_equal(completed("kick a", "a\"b", text), "a\"b ");
    assert_string_equal(completed("kick h", "http://x;y", text), "\"http://x;y\" ");
    assert_string_equal(completed("kick x", "x\xc3\xa4,x\xc3\xb6", text), "x"); // whole characters
}

static void test_words_are_bounded(void **state) {
    char word[WORD_BYTES + 1];
    (void)state;
    add("");
    for (int32_t i = 0; i < 2 * WORDS_MAX; i++) {
        Words_Add(&words, "abc", 3);
    }
    assert_int_equal(words.count, WORDS_MAX);
    add("");
    memset(word, 'x', sizeof word);
    Words_Add(&words, word, sizeof word);
    Words_Add(&words, word, 0);
    Words_Add(&words, "a\x1b[2J", 5);
    Words_Add(&words, "a\xff", 2);
    Words_Add(&words, "a\xc3\xa4", 2); // half a character
    assert_int_equal(words.count, 0);
    for (int32_t i = 0; i < WORDS_MAX; i++) {
        Words_Add(&words, word, WORD_BYTES - 8);
    }
    assert_in_range(words.count, WORDS_BYTES / WORD_BYTES, WORDS_MAX / 4);
    assert_in_range(words.used, 1, WORDS_BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_word),
        cmocka_unit_test(test_completes_the_word),
        cmocka_unit_test(test_words_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
