// Test of how small snapshots are: bytes for each moving player, with everything that players of a
// match cause.

#include "lib/runners_fixture.h"
#include "lib/testing.h"

#define NUM_TICKS 1000

// Sounds, fields and the receiver's own state included: at most 9 B for each player that moves
// among 32. Among 8, the receiver's own state is a larger part.
static void test_bytes_of_moving_players(void **state) {
    (void)state;
    static const struct {
        int32_t players;
        double most_bytes;
    } cases[] = {{8, 10.5}, {32, 9.0}, {64, 9.0}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        runners_t *match = Runners_Create(cases[i].players, true);
        for (int64_t tick = 1; tick <= NUM_TICKS; tick++) {
            Runners_Tick(match, tick);
        }
        const double bytes = (double)match->bytes / (double)match->moving;
        print_message("%d players: %.2f B for each that moves\n", cases[i].players, bytes);
        assert_true(match->moving > (uint64_t)(cases[i].players - 1) * NUM_TICKS / 2);
        assert_true(bytes <= cases[i].most_bytes);
        Runners_Destroy(match);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_of_moving_players),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
