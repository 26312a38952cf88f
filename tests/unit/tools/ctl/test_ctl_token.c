// edict-ctl token and key: the server accepts their tokens; key files; wrong orders.

#include "ctl/token.h"
#include "lib/testing.h"
#include "lib/token_fixture.h"
#include "net/key_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SERVER "ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1-f4CBgoM"
#define OTHER  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static void seed_of_tests(uint8_t seed[PASETO_SEED_BYTES]) {
    for (size_t i = 0; i < PASETO_SEED_BYTES; i++) {
        seed[i] = (uint8_t)i;
    }
}

static bool make(const token_order_t *order, char token[PASETO_BYTES], err_t *err) {
    uint8_t seed[PASETO_SEED_BYTES];
    seed_of_tests(seed);
    *err = (err_t){""};
    return CtlToken_Make(order, seed, TEST_TOKEN_NOW, token, err);
}

static void test_the_server_accepts_it(void **state) {
    (void)state;
    const token_order_t order = {.id = "steam:1",
                                 .name = "\"Änne\"",
                                 .servers = {OTHER, SERVER},
                                 .num_servers = 2,
                                 .for_s = 86400};
    char text[PASETO_BYTES], again[PASETO_BYTES];
    token_keys_t keys;
    token_t token;
    uint64_t use;
    err_t err;
    assert_true(Token_ParseKeys(TEST_TOKEN_KEY, &keys, &err));
    assert_true(make(&order, text, &err) && make(&order, again, &err));
    if (!Token_Verify(text, &keys, SERVER, TEST_TOKEN_NOW, &token, &err)) {
        fail_msg("%s", err.text);
    }
    assert_string_equal(token.id, "steam:1");
    assert_string_equal(token.name, "\"Änne\"");
    assert_int_equal(token.until_s, TEST_TOKEN_NOW + 86400);
    use = token.use;
    assert_true(Token_Verify(again, &keys, OTHER, TEST_TOKEN_NOW, &token, &err));
    assert_true(token.use != use);
}

static void test_wrong_orders(void **state) {
    (void)state;
    static const struct {
        token_order_t order;
        const char *why;
    } cases[] = {
        {{.id = "", .servers = {SERVER}, .num_servers = 1}, "--sub"},
        {{.id = "a b", .servers = {SERVER}, .num_servers = 1}, "--sub"},
        {{.id = "1234567890123456789012345678901234567890123456789012345678901234",
          .servers = {SERVER},
          .num_servers = 1},
         "--sub"},
        {{.id = "a", .name = "", .servers = {SERVER}, .num_servers = 1}, "--name"},
        {{.id = "a", .name = "\xff", .servers = {SERVER}, .num_servers = 1}, "UTF-8"},
        {{.id = "a", .name = "12345678901234567890123456789012", .num_servers = 0}, "--name"},
        {{.id = "a", .servers = {"27500"}, .num_servers = 1}, "--server"},
        {{.id = "a", .servers = {SERVER "="}, .num_servers = 1}, "--server"},
    };
    char token[PASETO_BYTES];
    err_t err;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        assert_false(make(&cases[i].order, token, &err));
        assert_non_null(strstr(err.text, cases[i].why));
    }
}

static void test_public_keys_are_no_options(void **state) {
    (void)state;
    uint8_t key[KEY_BYTES], last[KEY_BYTES] = {0};
    char text[KEY_TEXT_BYTES];
    for (int32_t i = 0; i < 1000; i++) {
        CtlToken_NewKey(key, i % 2, text);
        assert_int_equal(strlen(text), KEY_TEXT_BYTES - 1);
        assert_true(text[0] != '-');
        assert_memory_not_equal(key, last, sizeof key);
        memcpy(last, key, sizeof last);
    }
}

static void test_key_files(void **state) {
    (void)state;
    char folder[] = "/tmp/edictd-keys-XXXXXX", path[64];
    uint8_t key[KEY_BYTES] = {1, 2, 3}, again[KEY_BYTES];
    struct stat info;
    err_t err;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/server.key", folder);
    assert_false(KeyFile_Read(path, key, &err));
    assert_non_null(strstr(err.text, "No such file"));
    assert_true(KeyFile_Make(path, key, &err));
    assert_true(KeyFile_Read(path, again, &err));
    assert_memory_equal(key, again, sizeof key);
    assert_false(KeyFile_Make(path, again, &err)); // a key is never overwritten
    assert_non_null(strstr(err.text, "File exists"));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(info.st_size, 44);
    assert_int_equal(chmod(path, 0640), 0);
    assert_false(KeyFile_Read(path, again, &err));
    assert_non_null(strstr(err.text, "mode 0640"));
    assert_non_null(strstr(err.text, "chmod 600"));
    assert_int_equal(chmod(path, 0400), 0);
    assert_true(KeyFile_Read(path, again, &err));
    assert_int_equal(unlink(path), 0);
    assert_false(KeyFile_Read(folder, again, &err));
    assert_non_null(strstr(err.text, "expected a file"));
    assert_int_equal(rmdir(folder), 0);
}

static void test_faulty_key_files(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is_good;
    } cases[] = {{SERVER, true},        {SERVER "\n", true},   {SERVER "\n\n", false},
                 {SERVER "A\n", false}, {" " SERVER, false},   {"", false},
                 {"\n", false},         {SERVER "\r\n", false}};
    char path[] = "/tmp/edictd-key-XXXXXX";
    uint8_t key[KEY_BYTES];
    err_t err;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        size_t length = strlen(cases[i].text);
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, cases[i].text, length, 0), length);
        assert_int_equal(KeyFile_Read(path, key, &err), cases[i].is_good);
        assert_true(cases[i].is_good || strstr(err.text, "expected 43 characters"));
        assert_null(strstr(err.text, "ZGVm")); // the key is not shown
    }
    close(fd);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_server_accepts_it),      cmocka_unit_test(test_wrong_orders),
        cmocka_unit_test(test_public_keys_are_no_options), cmocka_unit_test(test_key_files),
        cmocka_unit_test(test_faulty_key_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
