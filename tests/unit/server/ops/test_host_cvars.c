// The daemon's own cvars: a valid table, and defaults that start a server.

#include "lib/testing.h"

#include "base/limits.h"
#include "core/server.h"
#include "ops/host_cvars.h"

#include <string.h>

static void test_names_are_unique(void **state) {
    (void)state;
    int32_t num_host = 0, num_game = 0;
    const cvar_def_t *host = HostCvars_Defs(&num_host);
    const cvar_def_t *game = GameCvars_Defs(&num_game);
    for (int32_t i = 0; i < num_host; i++) {
        assert_ptr_equal(Cvar_Find(host, num_host, host[i].name), &host[i]);
        assert_null(Cvar_Find(game, num_game, host[i].name));
        assert_true(strlen(host[i].help) > 5);
    }
}

// Every byte of the struct belongs to exactly one cvar.
static void test_the_table_covers_the_struct(void **state) {
    (void)state;
    uint8_t owners[sizeof(host_cvars_t)] = {0};
    int32_t count = 0;
    const cvar_def_t *defs = HostCvars_Defs(&count);
    for (int32_t i = 0; i < count; i++) {
        size_t size = defs[i].type == CVAR_STRING ? CVAR_STRING_BYTES : 4;
        assert_true(defs[i].offset + size <= sizeof owners);
        for (size_t n = 0; n < size; n++) {
            owners[defs[i].offset + n]++;
        }
    }
    for (size_t i = 0; i < sizeof owners; i++) {
        assert_int_equal(owners[i], 1);
    }
}

static void test_defaults_and_ranges(void **state) {
    (void)state;
    static host_cvars_t host;
    int32_t count = 0;
    const cvar_def_t *defs = HostCvars_Defs(&count);
    memset(&host, 0xa5, sizeof host);
    Cvar_Reset(defs, count, &host);
    assert_int_equal(host.net_port, 27500);
    assert_int_equal(host.sv_maxclients, 32);
    assert_int_equal(host.net_checksum, 1);
    assert_int_equal(host.log_level, LOG_INFO);
    assert_string_equal(host.log_file, "");
    static const struct {
        const char *name, *value;
        bool good;
    } cases[] = {{"net_port", "65535", true},        {"net_port", "65536", false},
                 {"net_port", "-1", false},          {"sv_maxclients", "1024", true},
                 {"sv_maxclients", "0", false},      {"sv_maxclients", "1025", false},
                 {"sv_maxedicts", "65536", true},    {"sv_maxedicts", "65537", false},
                 {"sv_snapshot_ticks", "0", false},  {"sv_maxrate", "0", false},
                 {"log_level", "4", false},          {"sv_seed", "2147483647", true},
                 {"sv_seed", "1.5", false},          {"log_format", "json", true},
                 {"log_format", "text|json", false}, {"log_format", "", false},
                 {"log_format", "js", false}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const cvar_def_t *def = Cvar_Find(defs, count, cases[i].name);
        err_t err = {{0}};
        assert_non_null(def);
        assert_int_equal(Cvar_Check(def, cases[i].value, &err), cases[i].good);
        assert_true(cases[i].good || strstr(err.text, cases[i].name));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_the_table_covers_the_struct),
        cmocka_unit_test(test_defaults_and_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
