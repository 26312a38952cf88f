// Tests of NearName: "Did you mean" suggestions.

#include "lib/testing.h"

#include "base/near_name.h"

#include <string.h>

static const char *nearest(const char *text) {
    static const char *const names[] = {"info_player_deathmatch",
                                        "info_player_start",
                                        "fraglimit",
                                        "timelimit",
                                        "map",
                                        "maps",
                                        "say"};
    near_name_t best = NearName_Start(text);
    for (size_t i = 0; i < COUNTOF(names); i++) {
        NearName_Look(&best, names[i]);
    }
    return best.name ? best.name : "";
}

static void test_finds_what_was_meant(void **state) {
    (void)state;
    assert_string_equal(nearest("fraglimt"), "fraglimit");   // one letter left out
    assert_string_equal(nearest("fragglimit"), "fraglimit"); // one letter too many
    assert_string_equal(nearest("farglimit"), "fraglimit");  // two letters swapped
    assert_string_equal(nearest("FRAGLIMID"), "fraglimit");  // other case, one letter changed
    assert_string_equal(nearest("info_player_deathmach"), "info_player_deathmatch");
    assert_string_equal(nearest("mpa"), "map");
    assert_string_equal(nearest("mapz"), "map"); // two names are equally near: the first one counts
    assert_string_equal(nearest("sya"), "say");
}

static void test_names_nothing_that_is_far(void **state) {
    (void)state;
    char longer[200];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_string_equal(nearest("monster_dog"), "");
    assert_string_equal(nearest("frg_lmt"), "");
    assert_string_equal(nearest("q"), "");
    assert_string_equal(nearest(""), "");
    assert_string_equal(nearest(longer), "");
}

static void test_the_hint(void **state) {
    (void)state;
    char hint[96];
    near_name_t best = NearName_Start("fraglimt");
    assert_string_equal(NearName_Hint(&best, hint, sizeof hint), "");
    NearName_Look(&best, "fraglimit");
    assert_string_equal(NearName_Hint(&best, hint, sizeof hint), "; did you mean \"fraglimit\"?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_what_was_meant),
        cmocka_unit_test(test_names_nothing_that_is_far),
        cmocka_unit_test(test_the_hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
