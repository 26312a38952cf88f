// Tests of the guard with sealed CONNECTs and sealed datagrams, which it does not open.
#include "lib/guard_fixture.h"

static void test_sealed_connect(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    uint8_t good[SEALED_BYTES];
    write_sealed(f, good);
    assert_dropped(f, good, sizeof good, GUARD_BAD_OOB); // this server does not seal
    f->guard.is_sealing = true;
    assert_int_equal(ask(f, good, sizeof good), GUARD_SEALED);
    for (size_t size = 10; size <= 90; size++) {
        assert_dropped(f, good, size, GUARD_BAD_OOB);
    }
    for (size_t bit = 0; bit < 8 * sizeof good; bit++) {
        uint8_t bytes[SEALED_BYTES];
        memcpy(bytes, good, sizeof bytes);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        memset(&f->buckets, 0, sizeof f->buckets);
        guard_action_t action = ask(f, bytes, sizeof bytes);
        if (bit / 8 >= 12 && bit / 8 < 19) {
            assert_int_equal(f->verdict.why, GUARD_BAD_COOKIE); // cookie, 24 bits of connectID
        } else if (bit / 8 == 10) {
            assert_int_equal(f->verdict.why, GUARD_BAD_OOB); // version
        } else if (bit / 8 > 10) {
            assert_int_equal(action, GUARD_SEALED); // what only the keys protect
        } else {
            assert_int_not_equal(action, GUARD_SEALED);
        }
    }
    f->from.port++; // the connectID belongs to one port
    assert_dropped(f, good, sizeof good, GUARD_BAD_COOKIE);
    f->from.port--;
    f->now_ms = 95999;
    assert_int_equal(ask(f, good, sizeof good), GUARD_SEALED);
    f->now_ms = 96000;
    assert_dropped(f, good, sizeof good, GUARD_BAD_COOKIE);
    f->now_ms = 80000;
    f->guard.is_server = false;
    assert_dropped(f, good, sizeof good, GUARD_NOT_SERVER);
    free(f);
}

/// Tests that only a limited number of sealed CONNECTs is opened, and that others keep their share.
static void test_sealed_rate(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    uint8_t bytes[SEALED_BYTES];
    int32_t opened = 0;
    f->guard.is_sealing = true;
    write_sealed(f, bytes);
    for (int32_t i = 0; i < 3000; i++) {
        f->now_ms += i >= 2000; // then a second
        opened += ask(f, bytes, sizeof bytes) == GUARD_SEALED;
        assert_true(f->verdict.action == GUARD_SEALED || f->verdict.why == GUARD_RATE);
    }
    assert_in_range(opened, 1024 + 250, 1024 + 251);
    opened = 0;
    for (int32_t i = 0; i < 30000; i++) {
        f->now_ms += i % 10 == 0; // 3 s, from everywhere
        f->from.host = somebody.host ^ (uint32_t)i << 8;
        write_sealed(f, bytes);
        opened += ask(f, bytes, sizeof bytes) == GUARD_SEALED;
    }
    assert_int_equal(f->verdict.why, GUARD_SEAL_RATE);
    assert_in_range(opened, 3000, 3000 + 1024 + 256);
    free(f);
}

/// Tests that a flood from 16 networks never refuses a network that has sent few sealed CONNECTs.
static void test_few_come_first(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    uint8_t bytes[SEALED_BYTES];
    int32_t opened = 0;
    f->guard.is_sealing = true;
    for (int32_t ms = 0; ms < 5000; ms++) {
        f->now_ms++;
        for (int32_t i = 0; i < 4; i++) { // 4,000 a second, four times what is opened
            f->from.host = somebody.host ^ (uint32_t)(4 * ms + i) % 16 << 8;
            write_sealed(f, bytes);
            opened += ask(f, bytes, sizeof bytes) == GUARD_SEALED;
        }
        if (ms % 100 == 99) {
            f->from.host = somebody.host ^ (uint32_t)(100 + ms / 100) << 8;
            write_sealed(f, bytes);
            assert_int_equal(ask(f, bytes, sizeof bytes), GUARD_SEALED);
        }
    }
    assert_in_range(opened, 4900, 5000 + 1024); // the others came out of the reserve
    free(f);
}

static void test_sealed_datagram(void **state) {
    (void)state;
    fixture_t *f = new_fixture();
    uint8_t bytes[64] = {0xc0}; // peer 0, sealed, with a sent time
    assert_dropped(f, bytes, sizeof bytes, GUARD_COMPRESSED);
    f->guard.is_sealing = true;
    assert_dropped(f, bytes, 27, GUARD_SHORT); // 8 and 20 bytes
    assert_int_equal(ask(f, bytes, 28), GUARD_PASS);
    bytes[1] = 32;
    assert_dropped(f, bytes, 28, GUARD_NO_PEER);
    bytes[0] = 0xcf;
    bytes[1] = 0xff; // a CONNECT is sealed otherwise
    assert_dropped(f, bytes, sizeof bytes, GUARD_COMPRESSED);
    free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sealed_connect),
        cmocka_unit_test(test_sealed_rate),
        cmocka_unit_test(test_few_come_first),
        cmocka_unit_test(test_sealed_datagram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
