// Many short matches with random networks and events. Each is reproducible from its seed:
// MATCH_SEED=n runs one match and prints its plan. MATCH_COUNT=n runs n matches from seed
// MATCH_FIRST on. KOTH_FIRST and KOTH_COUNT are those of the second
// game; KOTH_FIRST=n KOTH_COUNT=1 MATCH_COUNT=0 repeats one of its matches.

#include "lib/match_run.h"
#include "lib/testing.h"
#include "ops/game_module.h"

#include <malloc.h>
#include <stdlib.h>

#define WARM       100          // matches before memory is measured: clients keep the loaded maps
#define MAX_GROWTH (512 * 1024) // bytes; the allocator's own caches
#define SHOWN      5            // faults until the test stops

static match_house_t house;

static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

static uint64_t wanted_matches(void) {
    return from_environment("MATCH_COUNT", Test_IsLong() ? 10000 : Test_IsSlow() ? 20 : 300);
}

static size_t memory_used(void) {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void report(void) {
    const match_counts_t *c = &house.counts;
    print_message("%llu matches, %llu ticks, %llu maps, %llu downloads; %llu joins, %llu lost, "
                  "%llu returns, %llu "
                  "drops; healed in %llu ms on average\n",
                  (unsigned long long)c->matches, (unsigned long long)c->ticks,
                  (unsigned long long)c->maps, (unsigned long long)c->downloads,
                  (unsigned long long)c->joins, (unsigned long long)c->lost,
                  (unsigned long long)c->returns, (unsigned long long)c->drops,
                  (unsigned long long)(c->settled_ms / c->matches));
    print_message("%llu snapshots, %llu compared when received, %llu when acknowledged, %llu with "
                  "the world, %llu not kept; %llu entities; %llu of %llu predictions differ\n",
                  (unsigned long long)c->snapshots, (unsigned long long)c->compared,
                  (unsigned long long)c->acked, (unsigned long long)c->truths,
                  (unsigned long long)c->not_kept, (unsigned long long)c->entities,
                  (unsigned long long)c->mispredictions, (unsigned long long)c->predictions);
    print_message("%llu sounds and effects received, %llu sent; %llu lies, %llu old keys tried\n",
                  (unsigned long long)c->noises, (unsigned long long)c->queued,
                  (unsigned long long)c->lies, (unsigned long long)c->old_keys);
}

static void test_one_match(void **state) {
    (void)state;
    const uint64_t seed = from_environment("MATCH_SEED", 1);
    uint64_t hash = 0, again = 0;
    assert_true(Matches_Run(&house, seed, &hash));
    house.is_loud = false;
    assert_true(Matches_Run(&house, seed, &again));
    assert_true(hash == again); // a seed repeats its match
}

static void test_matches(void **state) {
    (void)state;
    const uint64_t first = from_environment("MATCH_FIRST", 1), count = wanted_matches();
    size_t before = 0;
    int32_t faults = 0;
    for (uint64_t i = 0; i < count && faults < SHOWN; i++) {
        faults += Matches_Run(&house, first + i, NULL) ? 0 : 1;
        before = i == WARM ? memory_used() : before;
    }
    report();
    assert_int_equal(faults, 0);
    if (count > WARM) {
        print_message("memory: %lld bytes more than after %d matches\n",
                      (long long)memory_used() - (long long)before, WARM);
        assert_true(memory_used() <= before + MAX_GROWTH);
    }
    // The matches are not tame.
    assert_true(house.counts.compared > house.counts.snapshots * 9 / 10);
    // A usercmd that ran twice or was lost is a misprediction.
    assert_true(count <= WARM || house.counts.mispredictions * 100 < house.counts.predictions * 3);
    // Sounds and effects get lost only on bad networks and in a change of map.
    assert_true(count <= WARM || house.counts.noises * 100 > house.counts.queued * 91);
    assert_true(count <= WARM || (house.counts.returns > 0 && house.counts.drops > 0));
    assert_true(count <= WARM || (house.counts.lies > 0 && house.counts.old_keys > 0));
}

static void test_king_of_the_hill(void **state) {
    (void)state;
    const uint64_t first = from_environment("KOTH_FIRST", 1);
    const uint64_t most = Test_IsLong() ? 500 : Test_IsSlow() ? 5 : 40;
    const uint64_t count = from_environment("KOTH_COUNT", most);
    const game_export_t *before = house.game;
    char path[512];
    game_module_t module;
    err_t err = {{0}};
    int32_t faults = 0;
    snprintf(path, sizeof path, "%s/game_koth.so", Test_BuildFolder());
    if (!GameModule_Load(&module, path, &err)) {
        fail_msg("%s (make modules)", err.text);
    }
    house.counts = (match_counts_t){0};
    house.game = module.game;
    for (uint64_t i = 0; i < count && faults < SHOWN; i++) {
        faults += Matches_Run(&house, first + i, NULL) ? 0 : 1;
    }
    house.game = before;
    GameModule_Unload(&module);
    report();
    assert_int_equal(faults, 0);
}

int main(void) {
    const struct CMUnitTest one[] = {cmocka_unit_test(test_one_match)};
    const struct CMUnitTest all[] = {cmocka_unit_test(test_one_match),
                                     cmocka_unit_test(test_matches),
                                     cmocka_unit_test(test_king_of_the_hill)};
    mallopt(M_MMAP_THRESHOLD,
            256 * 1024); // large blocks are fresh pages, which calloc need not clear
    Matches_Open(&house);
    const int result = getenv("MATCH_SEED") ? cmocka_run_group_tests(one, NULL, NULL)
                                            : cmocka_run_group_tests(all, NULL, NULL);
    Matches_Close(&house);
    return result;
}
