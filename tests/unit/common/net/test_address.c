#include "base/rng.h"
#include "lib/testing.h"
#include "net/transport.h"

#include <string.h>

static void test_good(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t host;
        uint16_t port;
    } cases[] = {
        {"127.0.0.1", 0x7f000001u, 27500},
        {"127.0.0.1:1", 0x7f000001u, 1},
        {"localhost", 0x7f000001u, 27500},
        {"localhost:65535", 0x7f000001u, 65535},
        {"10.20.30.40:27501", 0x0a141e28u, 27501},
        {"255.255.255.255", 0xffffffffu, 27500},
        {"0.0.0.0:80", 0, 80},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        netaddr_t out = {0};
        err_t err = {""};
        assert_true(Net_ParseAddress(cases[i].text, 27500, &out, &err));
        assert_int_equal(out.host, cases[i].host);
        assert_int_equal(out.port, cases[i].port);
        assert_int_equal(out.zero, 0);
    }
}

static void test_bad(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "not an IPv4"},
        {"1.2.3", "not an IPv4"},
        {"1.2.3.4.5", "not an IPv4"},
        {"1.2.3.256", "not an IPv4"},
        {"1.2.3.-4", "not an IPv4"},
        {"1.2.3.+4", "not an IPv4"},
        {"1.2.3.04", "not an IPv4"},
        {"1.2.3. 4", "not an IPv4"},
        {"1..3.4", "not an IPv4"},
        {"example.org", "not an IPv4"},
        {"1.2.3.4:", "expected a port 1..65535"},
        {"1.2.3.4:0", "expected a port 1..65535"},
        {"1.2.3.4:65536", "expected a port 1..65535"},
        {"1.2.3.4:080", "expected a port 1..65535"},
        {"1.2.3.4:80 ", "expected a port 1..65535"},
        {":80", "not an IPv4"},
        {"::1", "IPv6 is not supported, only IPv4"},
        {"[::1]:27500", "IPv6 is not supported, only IPv4"},
        {"2001:db8::7", "IPv6 is not supported, only IPv4"},
        {"::ffff:1.2.3.4", "IPv6 is not supported, only IPv4"},
        {"111111111111111111111111111111111111111111", "more than 31 characters"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        netaddr_t out = {.host = 7, .port = 8};
        err_t err = {""};
        assert_false(Net_ParseAddress(cases[i].text, 27500, &out, &err));
        assert_non_null(strstr(err.text, cases[i].why));
        assert_non_null(strstr(err.text, cases[i].text));
        assert_int_equal(out.host, 7);
        assert_int_equal(out.port, 8);
    }
}

static void test_round_trip(void **state) {
    (void)state;
    rng_t rng = {.state = 11};
    for (int32_t i = 0; i < 10000; i++) {
        netaddr_t in = {.host = (uint32_t)Rng_Next(&rng),
                        .port = (uint16_t)(1 + Rng_Below(&rng, 65535))};
        netaddr_t out = {0};
        char text[22];
        err_t err = {""};
        Net_FormatAddress(in, text, sizeof text);
        assert_true(Net_ParseAddress(text, 1, &out, &err));
        assert_memory_equal(&in, &out, sizeof in);
    }
}

static void test_reasons(void **state) {
    (void)state;
    for (int32_t i = 0; i < NET_REASON_COUNT; i++) {
        for (int32_t j = 0; j < i; j++) {
            assert_string_not_equal(Net_ReasonText((net_reason_t)i),
                                    Net_ReasonText((net_reason_t)j));
        }
        assert_string_not_equal(Net_ReasonText((net_reason_t)i), "unknown reason");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
