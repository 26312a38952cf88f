// Interned strings: ids, the full table, hostile ids.

#include "world/strings.h"

#include "base/rng.h"
#include "lib/testing.h"
#include "world/block.h"

#include <string.h>

static const world_params_t params = {.max_edicts = 8, .max_clients = 1};

static void test_ids(void **state) {
    (void)state;
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    assert_int_equal(World_String(world, ""), 0);
    assert_string_equal(World_Text(world, 0), "");
    int32_t a = World_String(world, "door");
    int32_t b = World_String(world, "doors");
    int32_t c = World_String(world, "oor"); // the end of another text is a text of its own
    assert_true(a > 0);
    assert_true(b > a);
    assert_true(c > b);
    assert_int_equal(World_String(world, "door"), a);
    assert_int_equal(World_String(world, "doors"), b);
    assert_int_equal(World_String(world, "oor"), c);
    assert_string_equal(World_Text(world, a), "door");
    assert_string_equal(World_Text(world, b), "doors");
    assert_int_equal(World_FindString(world, "door"), a);
    assert_int_equal(World_FindString(world, "oor"), c);
    int32_t bytes = world->strings_bytes;
    static const char *const none[] = {"", "d", "or", "doors ", "Door"};
    for (size_t i = 0; i < COUNTOF(none); i++) {
        assert_int_equal(World_FindString(world, none[i]), 0);
    }
    assert_int_equal(world->strings_bytes, bytes); // a lookup changes nothing
    const int32_t wrong[] = {-1, INT32_MIN, INT32_MAX, 65535, 65536};
    for (size_t i = 0; i < COUNTOF(wrong); i++) {
        assert_string_equal(World_Text(world, wrong[i]), "");
    }
    free(world);
}

static void test_full_table(void **state) {
    (void)state;
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    err_t err;
    char text[32];
    int32_t count = 0;
    int32_t ids[8000];
    for (;; count++) {
        snprintf(text, sizeof text, "text%d", count);
        ids[count] = World_String(world, text);
        if (ids[count] == 0) {
            break;
        }
    }
    assert_true(count > 5000);
    assert_true(count < 8000);
    assert_int_equal(world->counters.strings_full, 1);
    for (int32_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "text%d", i);
        assert_int_equal(World_String(world, text), ids[i]);
        assert_string_equal(World_Text(world, ids[i]), text);
        assert_int_equal(World_FindString(world, text), ids[i]);
    }
    snprintf(text, sizeof text, "text%d", count);
    assert_int_equal(World_FindString(world, text), 0);
    assert_int_equal(world->counters.strings_full, 1);
    assert_true(World_Check(world, world->bytes, &err));
    char *huge = calloc(1, 100000);
    memset(huge, 'x', 99999);
    assert_int_equal(World_String(world, huge), 0);
    assert_int_equal(world->counters.strings_full, 2);
    free(huge);
    free(world);
}

// The largest text that fits an empty table, and the smallest that does not.
static void test_exact_fit(void **state) {
    (void)state;
    char *text = calloc(1, MAX_STRINGS_BYTES + 1);
    err_t err;
    for (size_t length = MAX_STRINGS_BYTES - 8; length < MAX_STRINGS_BYTES; length++) {
        world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
        memset(text, 'y', length);
        int32_t id = World_String(world, text);
        bool fits = 1 + 3 + length + 1 <= MAX_STRINGS_BYTES;
        assert_int_equal(id != 0, fits);
        assert_int_equal(strlen(World_Text(world, id)), fits ? length : 0);
        assert_true(World_Check(world, world->bytes, &err));
        free(world);
    }
    free(text);
}

static void test_marks(void **state) {
    (void)state;
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    int32_t a = World_String(world, "a");
    int32_t b = World_String(world, "b");
    assert_true(Strings_MarkOnce(world, a));
    assert_false(Strings_MarkOnce(world, a));
    assert_true(Strings_MarkOnce(world, b));
    assert_true(Strings_MarkOnce(world, 0));
    assert_false(Strings_MarkOnce(world, 0));
    for (int32_t id = -10; id < 100; id++) {
        Strings_MarkOnce(world, id);
    }
    assert_string_equal(World_Text(world, a), "a");
    assert_string_equal(World_Text(world, b), "b");
    assert_string_equal(World_Text(world, 0), "");
    free(world);
}

// A damaged table is refused, or does no harm.
static void test_damaged_tables(void **state) {
    (void)state;
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    err_t err;
    char text[32];
    rng_t rng = {5};
    for (int32_t i = 0; i < 2000; i++) {
        snprintf(text, sizeof text, "text%d", i);
        World_String(world, text);
    }
    world_t *good = malloc(world->bytes);
    memcpy(good, world, world->bytes);
    int32_t refused = 0;
    for (int32_t round = 0; round < 2000; round++) {
        memcpy(world->strings, good->strings, sizeof good->strings);
        memcpy(world->string_buckets, good->string_buckets, sizeof good->string_buckets);
        uint8_t *at = round % 2 ? (uint8_t *)world->strings + Rng_Below(&rng, 20000)
                                : (uint8_t *)world->string_buckets + Rng_Below(&rng, 2048);
        *at = (uint8_t)Rng_Next(&rng);
        if (!World_Check(world, world->bytes, &err)) {
            refused++;
            continue;
        }
        for (int32_t i = 0; i < 50; i++) {
            snprintf(text, sizeof text, "text%u", Rng_Below(&rng, 3000));
            int32_t id = World_String(world, text);
            assert_true(id > 0);
            assert_true(strlen(World_Text(world, id)) < 70000);
        }
        world->strings_bytes = good->strings_bytes;
    }
    assert_true(refused > 100);
    free(good);
    free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_full_table),
        cmocka_unit_test(test_exact_fit),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_damaged_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
