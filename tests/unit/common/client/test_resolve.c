// Tests of CL_Resolve. The resolver is the getaddrinfo below, so no name leaves the machine; a host
// of the real resolver is in tests/unit/tools/bot/test_args.c.

#include "edict/client.h"
#include "lib/testing.h"
#include "net/transport.h"

#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

#define MAX_FOUND 3

static const struct {
    const char *name;
    uint32_t hosts[MAX_FOUND]; ///< IPv4 addresses
    bool has_ipv6;
    int fault; ///< of a host without IPv4
} hosts[] = {
    {.name = "one.example", .hosts = {0x0a000007u}},
    {.name = "three.example", .hosts = {0xc0000201u, 0x0a000002u, 0x7f000003u}, .has_ipv6 = true},
    {.name = "six.example", .has_ipv6 = true, .fault = EAI_FAIL},
    {.name = "late.example", .has_ipv6 = true, .fault = EAI_AGAIN},
    {.name = "broken.example", .fault = EAI_FAIL},
};

static int32_t calls, lists; ///< calls of getaddrinfo, and lists that were not freed

/// Replaces the resolver of libc.
int getaddrinfo(const char *name, const char *service, const struct addrinfo *wanted,
                struct addrinfo **found) {
    static struct addrinfo list[MAX_FOUND];
    static struct sockaddr_in addresses[MAX_FOUND];
    assert_null(service);
    calls++;
    for (size_t i = 0; i < COUNTOF(hosts); i++) {
        if (strcmp(hosts[i].name, name) != 0) {
            continue;
        }
        if (wanted->ai_family == AF_INET ? hosts[i].hosts[0] == 0 : !hosts[i].has_ipv6) {
            return hosts[i].fault;
        }
        for (int32_t n = 0; n < MAX_FOUND; n++) {
            addresses[n] = (struct sockaddr_in){.sin_family = AF_INET,
                                                .sin_addr.s_addr = htonl(hosts[i].hosts[n])};
            list[n] = (struct addrinfo){.ai_family = wanted->ai_family,
                                        .ai_addr = (struct sockaddr *)&addresses[n],
                                        .ai_addrlen = sizeof addresses[n]};
        }
        for (int32_t n = 0; n + 1 < MAX_FOUND && hosts[i].hosts[n + 1] != 0; n++) {
            list[n].ai_next = &list[n + 1];
        }
        lists++;
        *found = list;
        return 0;
    }
    return EAI_NONAME;
}

void freeaddrinfo(struct addrinfo *list) {
    assert_non_null(list);
    lists--;
}

static void resolves(void **state) {
    (void)state;
    static const struct {
        const char *text;
        netaddr_t expected;
        int32_t calls;
    } cases[] = {
        {"127.0.0.1", {.host = 0x7f000001u, .port = 27500}, 0},
        {"10.1.2.3:99", {.host = 0x0a010203u, .port = 99}, 0},
        {"localhost", {.host = 0x7f000001u, .port = 27500}, 0},
        {"localhost:1", {.host = 0x7f000001u, .port = 1}, 0},
        {"one.example", {.host = 0x0a000007u, .port = 27500}, 1},
        {"one.example:65535", {.host = 0x0a000007u, .port = 65535}, 1},
        {"three.example", {.host = 0xc0000201u, .port = 27500}, 1}, // the first of several
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        netaddr_t found = {.zero = 9};
        err_t err = {""};
        calls = lists = 0;
        if (!CL_Resolve(cases[i].text, 27500, &found, &err)) {
            fail_msg("%s: %s", cases[i].text, err.text);
        }
        assert_memory_equal(&found, &cases[i].expected, sizeof found);
        assert_int_equal(calls, cases[i].calls);
        assert_int_equal(lists, 0);
    }
}

static void refuses(void **state) {
    (void)state;
    char long_name[301] = "";
    memset(long_name, 'a', sizeof long_name - 1);
    const struct {
        const char *text, *why;
        int32_t calls;
    } cases[] = {
        {"no-such-host.invalid", "host \"no-such-host.invalid\": unknown host; expected", 2},
        {"six.example:80", "host \"six.example\" has only IPv6 addresses", 2},
        {"late.example", "host \"late.example\": no name server answered", 1},
        {"broken.example", gai_strerror(EAI_FAIL), 2},
        {"one.example:", "address \"one.example:\": expected a port 1..65535", 0},
        {"one.example:0", "expected a port 1..65535", 0},
        {"one.example:65536", "expected a port 1..65535", 0},
        {"one.example:655351234567890123456789012345678901", "expected a port 1..65535", 0},
        {"localhost:0", "expected a port 1..65535", 0},
        {"1.2.3", "is not an IPv4 address", 0},
        {"", "is not an IPv4 address", 0},
        {":80", "is not an IPv4 address", 0},
        {"::1", "IPv6 is not supported", 0},
        {"[::1]:27500", "IPv6 is not supported", 0},
        {long_name, "host name of 300 characters: expected at most 253", 0},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        const netaddr_t before = {.host = 7, .port = 8};
        netaddr_t found = before;
        err_t err = {""};
        calls = lists = 0;
        assert_false(CL_Resolve(cases[i].text, 27500, &found, &err));
        if (!strstr(err.text, cases[i].why)) {
            fail_msg("%s: expected \"%s\", found \"%s\"", cases[i].text, cases[i].why, err.text);
        }
        assert_memory_equal(&found, &before, sizeof found);
        assert_int_equal(calls, cases[i].calls);
        assert_int_equal(lists, 0);
        assert_false(CL_Resolve(cases[i].text, 27500, &found, NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolves),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
