// Four floats at a time: the processor's own instructions give the bits of the plain ones.

#include "base/rng.h"
#include "collide/float4.h"
#include "lib/testing.h"

#include <string.h>

static uint32_t random_bits(rng_t *rng) {
    static const uint32_t odd[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0xffc00001, 0x00000001, 0x80000001,
                                   0x7f7fffff, 0x3f800000, 0xbf800000, 0x7f800001};
    uint32_t any = Rng_Below(rng, 65536) << 16 | Rng_Below(rng, 65536);
    return Rng_Below(rng, 2) ? odd[Rng_Below(rng, (uint32_t)COUNTOF(odd))] : any;
}

static float4_t random_floats(rng_t *rng) {
    uint32_t bits[4];
    float4_t floats;
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
        float4_t a = random_floats(&rng);
        float4_t b = random_floats(&rng);
        float4_t max = Float4_Max(a, b);
        float4_t min = Float4_Min(a, b);
        float4_t plain_max = Float4_PlainMax(a, b);
        float4_t plain_min = Float4_PlainMin(a, b);
        assert_memory_equal(&max, &plain_max, sizeof max);
        assert_memory_equal(&min, &plain_min, sizeof min);
        int4_t less = a < b;
        assert_int_equal(Float4_Bits(less), Float4_PlainBits(less));
        for (int lane = 0; lane < 4; lane++) {
            assert_int_equal(Float4_Bits(less) >> lane & 1, a[lane] < b[lane]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
