// Tests of the command line of edict-bot: accepted options, refused options and their error texts.

#include "bot/args.h"

#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_WORDS 32

/// Splits the line at blanks and parses it; '_' stands for an empty word.
static bool parse(const char *line, bot_args_t *out, err_t *err) {
    static const char program[] = "edict-bot";
    char text[256];
    char *argv[MAX_WORDS] = {text};
    int argc = 1;
    strlcpy(text, program, sizeof text);
    size_t used = sizeof program;
    strlcpy(text + used, line, sizeof text - used);
    for (char *word = strtok(text + used, " "); word; word = strtok(NULL, " ")) {
        assert_true(argc < MAX_WORDS);
        argv[argc++] = strcmp(word, "_") == 0 ? word + 1 : word;
    }
    optind = 0; // getopt_long starts again
    bool ok = Args_Parse(argc, argv, out, err);
    // The texts are in a buffer of this function, so they are compared here.
    if (ok && out->load == 0) {
        assert_non_null(strstr(out->script, "walk.lua"));
        out->script = "walk.lua";
        out->maps = out->maps ? "maps" : NULL;
        out->password = out->password && strcmp(out->password, "key") == 0 ? "key" : NULL;
        out->junit = out->junit && strstr(out->junit, "x.xml") ? "x.xml" : NULL;
    }
    return ok;
}

// The options with which a server starts its bots.
static void takes_what_a_server_gives(void **state) {
    (void)state;
    bot_args_t args;
    err_t err = {""};
    setenv("EDICT_PASSWORD", "key", 1);
    assert_true(parse("-q -t 0 --until-eof -c localhost -i 7 walk.lua", &args, &err));
    assert_string_equal(args.password, "key");
    assert_true(args.until_eof);
    assert_int_equal(args.first, 7);
    assert_int_equal(args.limit_s, 0);
    assert_true(parse("-P other -c localhost walk.lua", &args, &err));
    assert_null(args.password); // the option wins
    unsetenv("EDICT_PASSWORD");
    assert_true(parse("-c localhost walk.lua", &args, &err));
    assert_null(args.password);
    assert_false(args.until_eof);
    assert_int_equal(args.first, 1);
}

static void takes_a_server_to_start(void **state) {
    (void)state;
    bot_args_t args;
    err_t err = {""};
    assert_true(parse("-n 2 walk.lua -- -g x +map y", &args, &err));
    assert_int_equal(args.num_server_args, 4);
    assert_int_equal(args.count, 2);
    assert_true(parse("walk.lua +map y", &args, &err));
    assert_int_equal(args.num_server_args, 2);
    assert_true(parse("-c localhost walk.lua", &args, &err));
    assert_null(args.server_args);
    assert_null(args.control);
    assert_true(parse("-c localhost --control 27500 walk.lua", &args, &err));
    assert_non_null(args.control);
    assert_false(parse("--control 27500 walk.lua +map y", &args, &err));
    assert_non_null(strstr(err.text, "expected -c HOST:PORT as well"));
}

static void takes_keys(void **state) {
    (void)state;
    bot_args_t args;
    err_t err = {""};
    assert_true(parse("-c localhost --key n1OKrUVJyA782FDA1LPMS-ZdCB405a9aEamrschpuBk walk.lua",
                      &args, &err));
    assert_non_null(args.server_key);
    assert_true(parse("-c localhost --no-seal walk.lua", &args, &err));
    assert_int_equal(args.seal, CL_SEAL_OFF);
    assert_false(
        parse("-c localhost -k n1OKrUVJyA782FDA1LPMS-ZdCB405a9aEamrschpuBk --no-seal walk.lua",
              &args, &err));
    assert_non_null(strstr(err.text, "leave out --no-seal"));
    assert_false(
        parse("-c localhost -k n1OKrUVJyA782FDA1LPMS-ZdCB405a9aEamrschpuB walk.lua", &args, &err));
    assert_non_null(strstr(err.text, "-k: server key: expected 43 characters of base64url"));
}

static void takes_a_network(void **state) {
    (void)state;
    bot_args_t args;
    err_t err = {""};
    assert_true(parse("-c localhost --network wifi,loss=5 walk.lua", &args, &err));
    assert_string_equal(args.network, "wifi,loss=5");
    assert_false(parse("-c localhost --network wifi,lose=5 walk.lua", &args, &err));
    assert_non_null(strstr(err.text, "unknown key in \"lose=5\""));
    assert_false(parse("-c localhost --load 8 --network wifi", &args, &err));
}

static void takes_a_load(void **state) {
    (void)state;
    bot_args_t args;
    err_t err = {""};
    assert_true(parse("-c localhost --load 1000 --seconds 9", &args, &err));
    assert_int_equal(args.load, 1000);
    assert_int_equal(args.limit_s, 9);
    assert_int_equal(args.join_s, 5);
    assert_false(args.burst);
    assert_true(parse("-c 127.3.2.1:9 --load 33 --join-seconds 1 --burst", &args, &err));
    assert_int_equal(args.join_s, 1);
    assert_true(args.burst);
    assert_true(parse("-c 192.0.2.1 --load 32", &args, &err));
    assert_false(parse("-c 192.0.2.1 --load 33", &args, &err));
    assert_non_null(strstr(err.text, "expected a server in 127.0.0.0/8"));
    assert_false(parse("-c localhost --load 8 walk.lua", &args, &err));
    assert_non_null(strstr(err.text, "no script"));
    assert_false(parse("--load 8", &args, &err));
    assert_false(parse("-c localhost --load 8 --seconds 0", &args, &err));
    assert_non_null(strstr(err.text, "at least 1 s"));
    assert_false(parse("-c localhost --load 8 -n 2", &args, &err));
    assert_false(parse("-c localhost --load 8 -j results.xml", &args, &err));
    assert_non_null(strstr(err.text, "they need a script"));
    assert_false(parse("-c localhost --load 1025", &args, &err));
}

static void takes_defaults(void **state) {
    (void)state;
    bot_args_t args;
    err_t err = {""};
    assert_true(parse("-c 127.0.0.1:4000 walk.lua", &args, &err));
    assert_int_equal(args.server.host, 0x7f000001);
    assert_int_equal(args.server.port, 4000);
    assert_int_equal(args.count, 1);
    assert_int_equal(args.limit_s, 60);
    assert_int_equal(args.seed, 1);
    assert_false(args.quiet);
    assert_false(args.status);
    assert_null(args.maps);
    assert_null(args.password);
    assert_null(args.server_key);
    assert_int_equal(args.seal, CL_SEAL_OFFERED);
    assert_null(args.junit);
    assert_int_equal(args.local.host, 0);
    assert_true(parse("-b 127.0.0.2 -c 127.0.0.1 walk.lua", &args, &err));
    assert_int_equal(args.local.host, 0x7f000002);
    assert_int_equal(args.local.port, 0);
}

/// Tests names that only the resolver knows: it ignores case, Net_ParseAddress does not.
static void resolves_host_names(void **state) {
    (void)state;
    bot_args_t args;
    err_t err = {""};
    if (!parse("-c LocalHost:4000 walk.lua", &args, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(args.server.host, 0x7f000001);
    assert_int_equal(args.server.port, 4000);
    assert_true(parse("-c LOCALHOST walk.lua", &args, &err));
    assert_int_equal(args.server.port, BOT_DEFAULT_PORT);
}

static void takes_every_option_in_any_order(void **state) {
    (void)state;
    static const char *const lines[] = {
        "-c localhost -n 32 -t 5 -S 99 -m maps -j x.xml -P key -q --status walk.lua",
        "walk.lua --stat -q -Pkey -mmaps -jx.xml -S99 -t5 -n32 -clocalhost",
        "-q --status -P key -n 32 -t 5 -S 99 -m maps --junit x.xml -c localhost:27500 -- walk.lua",
        ("-n 1 -n 32 -t 5 -S 99 -m maps -j x.xml -c 10.0.0.1 -c localhost -q --status "
         "-P key -- -walk.lua"),
    };
    for (size_t i = 0; i < COUNTOF(lines); i++) {
        bot_args_t args;
        err_t err = {""};
        assert_true(parse(lines[i], &args, &err));
        assert_int_equal(args.server.host, 0x7f000001);
        assert_int_equal(args.server.port, BOT_DEFAULT_PORT);
        assert_int_equal(args.count, 32);
        assert_non_null(args.password);
        assert_int_equal(args.limit_s, 5);
        assert_int_equal(args.seed, 99);
        assert_true(args.quiet);
        assert_true(args.status);
        assert_string_equal(args.maps, "maps");
        assert_string_equal(args.junit, "x.xml");
    }
}

/// Returns the exit status of a process that parses the line, or -1 if parsing returns.
static int exit_status(const char *line) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        bot_args_t args;
        err_t err;
        parse(line, &args, &err);
        _exit(100);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 100 ? -1 : WEXITSTATUS(status);
}

static void exits_after_help_and_wrong_options(void **state) {
    (void)state;
    static const struct {
        const char *line;
        int status;
    } cases[] = {
        {"-h", 0},
        {"-n 3 --help -x", 0},
        {"-V", 0},
        {"-x --help", 2},
        {"-c", 2},
        {"walk.lua -c localhost -n", 2},
        {"-c localhost walk.lua --junit", 2},
        {"-c localhost --no-such walk.lua", 2},
        {"-c localhost -qx walk.lua", 2},
        {"-c localhost --help=3 walk.lua", 2},
        {"-c localhost walk.lua", -1},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        int status = exit_status(cases[i].line);
        if (status != cases[i].status) {
            fail_msg("\"%s\": expected exit status %d, found %d", cases[i].line, cases[i].status,
                     status);
        }
    }
}

static void refuses_with_a_reason(void **state) {
    (void)state;
    static const struct {
        const char *line, *reason;
    } cases[] = {
        {"", "expected a server"},
        {"walk.lua", "expected a server"},
        {"-c localhost", "expected one script, found 0"},
        {"-c localhost walk.lua run.lua", "expected one script, found 2"},
        {"-c localhost -T tokens walk.lua", "-T: expected -k"},
        {"-c localhost -n 0 walk.lua", "-n: expected a number in 1..512, found \"0\""},
        {"-c localhost -n 513 walk.lua", "found \"513\""},
        {"-c localhost -n -1 walk.lua", "found \"-1\""},
        {"-c localhost -n 8x walk.lua", "found \"8x\""},
        {"-c localhost -n _ walk.lua", "-n: expected a number"},
        {"-c localhost -i 0 walk.lua", "-i: expected a number in 1..512"},
        {"-c localhost -t -1 walk.lua", "-t: expected a number in 0..86400"},
        {"-c localhost -t 1.5 walk.lua", "found \"1.5\""},
        {"-c localhost -S -1 walk.lua", "-S: expected a number"},
        {"-c localhost -S 99999999999999999999 walk.lua", "-S: expected a number"},
        {"-c localhost:0x walk.lua", "0x"},
        {"-c LocalHost:0x walk.lua", "expected a port 1..65535"},
        {"-c LocalHost:65536 walk.lua", "expected a port 1..65535"},
        {"-c LocalHost:123456789012 walk.lua", "expected a port 1..65535"},
        {"-c no..host walk.lua", "host \"no..host\": "}, // the name is never sent to a server
        {"-c 1.2.3 walk.lua", "is not an IPv4 address"},
        {"-c :80 walk.lua", "is not an IPv4 address"},
        {"-c fe80::1 walk.lua", "IPv6 is not supported"},
        {"-c ::1 walk.lua", "IPv"},
        {"-c localhost - -- - walk.lua", "expected one script"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        bot_args_t args;
        err_t err = {""};
        if (parse(cases[i].line, &args, &err) || !strstr(err.text, cases[i].reason)) {
            fail_msg("\"%s\": expected \"%s\", found \"%s\"", cases[i].line, cases[i].reason,
                     err.text);
        }
    }
}

static void looks_for_folders(void **state) {
    (void)state;
    static const struct {
        const char *folders, *missing; // NULL: all folders exist
    } cases[] = {
        {NULL, NULL},
        {"/", NULL},
        {"/:/tmp:", NULL},
        {"::", NULL},
        {"/no/such", "/no/such"},
        {"/tmp:/no/such:/", "/no/such"},
        {"/dev/null", "/dev/null"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        err_t err = {""};
        bool good = Args_CheckFolders(cases[i].folders, &err);
        assert_int_equal(good, cases[i].missing == NULL);
        char said[64];
        snprintf(said, sizeof said, "-m: \"%s\" is no folder", cases[i].missing);
        assert_true(good || strstr(err.text, said));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_server_to_start),
        cmocka_unit_test(takes_what_a_server_gives),
        cmocka_unit_test(takes_a_network),
        cmocka_unit_test(takes_a_load),
        cmocka_unit_test(takes_defaults),
        cmocka_unit_test(takes_keys),
        cmocka_unit_test(resolves_host_names),
        cmocka_unit_test(takes_every_option_in_any_order),
        cmocka_unit_test(exits_after_help_and_wrong_options),
        cmocka_unit_test(refuses_with_a_reason),
        cmocka_unit_test(looks_for_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
