// Tests of keys as text.
#include "lib/testing.h"
#include "net/key_text.h"

#include <string.h>

static void test_round_trip(void **state) {
    (void)state;
    uint8_t key[KEY_BYTES], again[KEY_BYTES];
    char text[KEY_TEXT_BYTES];
    err_t err = {""};
    for (int32_t round = 0; round < 256; round++) {
        for (int32_t i = 0; i < KEY_BYTES; i++) {
            key[i] = (uint8_t)(round * 7 + i * 37);
        }
        Key_Format(key, text);
        assert_int_equal(strlen(text), 43);
        assert_true(Key_Parse("key", text, again, &err));
        assert_memory_equal(again, key, KEY_BYTES);
    }
    memset(key, 0xff, sizeof key);
    Key_Format(key, text);
    assert_string_equal(text, "__________________________________________8");
}

static void test_no_keys(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",   // 42 characters
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", // 44
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",  // bits beyond the 32nd byte
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+A",  // of another base64
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",  // padding
        "AAAAAAAAAAAAAAAAAAAAA AAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
    };
    uint8_t key[KEY_BYTES];
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        err_t err = {""};
        assert_false(Key_Parse("-k", texts[i], key, &err));
        assert_non_null(strstr(err.text, "-k: expected 43 characters of base64url"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_no_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
