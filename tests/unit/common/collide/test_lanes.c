// Tests that Lanes_Max, Lanes_Min and Lanes_Bits return the bits of plain C, also for NaN and
// negative zero.

#include "base/rng.h"
#include "collide/lanes.h"
#include "lib/testing.h"

#include <string.h>

static uint32_t random_bits(rng_t *rng) {
    static const uint32_t odd[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0xffc00001, 0x00000001, 0x80000001,
                                   0x7f7fffff, 0x3f800000, 0xbf800000, 0x7f800001};
    uint32_t any = Rng_Below(rng, 65536) << 16 | Rng_Below(rng, 65536);
    return Rng_Below(rng, 2) ? odd[Rng_Below(rng, (uint32_t)COUNTOF(odd))] : any;
}

static lanes_t random_floats(rng_t *rng) {
    uint32_t bits[4];
    lanes_t floats;
    for (int i = 0; i < 4; i++) {
        bits[i] = random_bits(rng);
    }
    memcpy(&floats, bits, sizeof floats);
    return floats;
}

static void test_same_bits(void **state) {
    (void)state;
    rng_t rng = {3};
    for (int i = 0; i < 100000; i++) {
        lanes_t a = random_floats(&rng);
        lanes_t b = random_floats(&rng);
        lanes_t max = Lanes_Max(a, b);
        lanes_t min = Lanes_Min(a, b);
        lanes_t plain_max = Lanes_Select(a > b, a, b);
        lanes_t plain_min = Lanes_Select(a < b, a, b);
        assert_memory_equal(&max, &plain_max, sizeof max);
        assert_memory_equal(&min, &plain_min, sizeof min);
        lanes_mask_t less = a < b;
        for (int lane = 0; lane < 4; lane++) {
            assert_int_equal(Lanes_Bits(less) >> lane & 1, a[lane] < b[lane]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
