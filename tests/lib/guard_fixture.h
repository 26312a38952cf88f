/// guard_fixture.h - a guard, and datagrams for it. They are written as common/net/README.md
/// describes them, without the program's own constants.

#ifndef EDICTD_TESTS_GUARD_FIXTURE_H
#define EDICTD_TESTS_GUARD_FIXTURE_H

#include "lib/testing.h"
#include "net/guard.h"

#include <string.h>

#define CONNECT_BYTES 56
#define REQUEST_BYTES 96
#define SEALED_BYTES  146

static const guard_t server_guard = {.key = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
                                     .max_peers = 32,
                                     .is_server = true,
                                     .has_checksum = true};

static const netaddr_t somebody = {.host = 0xc0a80117u, .port = 40000}; // 192.168.1.23

typedef struct {
    guard_t guard;
    guard_buckets_t buckets;
    guard_verdict_t verdict;
    netaddr_t from;
    int64_t now_ms;
} fixture_t;

static inline fixture_t *new_fixture(void) {
    fixture_t *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->guard = server_guard;
    f->from = somebody;
    f->now_ms = 80000; // the first ms of epoch 10
    return f;
}

static inline guard_action_t ask(fixture_t *f, const uint8_t *data, size_t size) {
    // Pass an exact copy on the heap, so that ASan sees each read beyond its end.
    uint8_t *copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, data, size);
    guard_datagram_t in = {.data = copy, .size = size, .from = f->from, .now_ms = f->now_ms};
    Guard_Check(&f->guard, &f->buckets, &in, &f->verdict);
    free(copy);
    assert_true((f->verdict.action == GUARD_DROP) == (f->verdict.why != GUARD_OK));
    assert_true((f->verdict.action == GUARD_REPLY) == (f->verdict.reply_size > 0));
    assert_true(f->verdict.reply_size <= size);
    return f->verdict.action;
}

static inline void assert_dropped(fixture_t *f, const uint8_t *data, size_t size, guard_why_t why) {
    assert_int_equal(ask(f, data, size), GUARD_DROP);
    assert_int_equal(f->verdict.why, why);
}

static inline void write_request(uint8_t bytes[REQUEST_BYTES]) {
    static const uint8_t request[REQUEST_BYTES] = {0xff, 0xff, 0xff, 0xff, 'g',  'e',
                                                   't',  'c',  'o',  'o',  'k',  'i',
                                                   'e',  2,    0xde, 0xad, 0xbe, 0xef};
    memcpy(bytes, request, REQUEST_BYTES);
}

/// Writes a sealed CONNECT for the guard, which does not open it.
static inline void write_sealed(fixture_t *f, uint8_t bytes[SEALED_BYTES]) {
    static const uint8_t start[12] = {0xff, 0xff, 0xff, 0xff, 's', 'e', 'a', 'l', 'e', 'd', 1, 10};
    memset(bytes, 0x77, SEALED_BYTES);
    memcpy(bytes, start, sizeof start);
    uint32_t numbers[2] = {Guard_Cookie(&f->guard, f->from.host, f->now_ms / GUARD_EPOCH_MS),
                           Guard_GivenID(&f->guard, f->from, f->now_ms / GUARD_EPOCH_MS)};
    for (int32_t i = 0; i < 8; i++) {
        bytes[12 + i] = (uint8_t)(numbers[i / 4] >> (24 - i % 4 * 8));
    }
}

#endif
