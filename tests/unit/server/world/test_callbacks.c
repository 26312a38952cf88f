// Binding callbacks by name: stable ids, reloads, refusals.

#include "lib/testing.h"
#include "world/block.h"
#include "world/world.h"

#include <string.h>

static const world_params_t params = {.max_edicts = 8, .max_clients = 1};

static void a_think(sv_context_t *sv, edict_t *self) {
    (void)sv;
    (void)self;
}

static void a_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)sv;
    (void)self;
    (void)other;
    (void)trace;
}

static const callback_t first_table[] = {
    {.name = "door_think", .think = a_think},
    {.name = "door_touch", .touch = a_touch},
};

static void test_ids_are_stable(void **state) {
    (void)state;
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    callback_binding_t binding;
    err_t err;
    assert_true(Callbacks_Bind(world, first_table, COUNTOF(first_table), &binding, &err));
    int32_t think = Callbacks_Find(world, "door_think");
    int32_t touch = Callbacks_Find(world, "door_touch");
    assert_true(think > 0);
    assert_true(touch > 0);
    assert_true(think != touch);
    assert_int_equal(Callbacks_Find(world, "door"), 0);
    assert_int_equal(Callbacks_Find(world, ""), 0);
    assert_ptr_equal(binding.by_id[think], &first_table[0]);
    assert_null(binding.by_id[0]);
    // A new version of the game: another order, and one more callback.
    const callback_t second_table[] = {
        {.name = "new_think", .think = a_think},
        {.name = "door_touch", .touch = a_touch},
        {.name = "door_think", .think = a_think},
    };
    assert_true(Callbacks_Bind(world, second_table, COUNTOF(second_table), &binding, &err));
    assert_int_equal(Callbacks_Find(world, "door_think"), think);
    assert_int_equal(Callbacks_Find(world, "door_touch"), touch);
    assert_ptr_equal(binding.by_id[think], &second_table[2]);
    assert_ptr_equal(binding.by_id[Callbacks_Find(world, "new_think")], &second_table[0]);
    assert_true(World_Check(world, world->bytes, &err));
    // A version without a callback that the world uses: it is refused, and nothing changes.
    callback_binding_t before = binding;
    assert_false(Callbacks_Bind(world, first_table, COUNTOF(first_table), &binding, &err));
    assert_non_null(strstr(err.text, "new_think"));
    assert_memory_equal(&binding, &before, sizeof before);
    free(world);
}

static void test_refusals(void **state) {
    (void)state;
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    uint64_t hash = World_Hash(world);
    callback_binding_t binding;
    const callback_t bad[] = {
        {.name = NULL, .think = a_think},
        {.name = "", .think = a_think},
        {.name = "12345678901234567890123456789012", .think = a_think}, // 32 bytes
        {.name = "none"},
        {.name = "both", .think = a_think, .touch = a_touch},
    };
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        err_t err = {{0}};
        const callback_t table[] = {{.name = "good", .think = a_think}, bad[i]};
        assert_false(Callbacks_Bind(world, table, COUNTOF(table), &binding, &err));
        assert_true(err.text[0] != '\0');
        assert_int_equal(World_Hash(world), hash);
    }
    err_t err = {{0}};
    const callback_t twice[] = {{.name = "same", .think = a_think},
                                {.name = "same", .touch = a_touch}};
    assert_false(Callbacks_Bind(world, twice, COUNTOF(twice), &binding, &err));
    assert_non_null(strstr(err.text, "twice"));
    assert_int_equal(World_Hash(world), hash);
    free(world);
}

static void test_limit(void **state) {
    (void)state;
    world_t *world = World_Init(malloc(World_Bytes(&params)), &params);
    callback_binding_t binding;
    err_t err;
    char names[MAX_CALLBACKS][32];
    callback_t table[MAX_CALLBACKS];
    for (int32_t i = 0; i < MAX_CALLBACKS; i++) {
        snprintf(names[i], sizeof names[i], "function_with_a_long_name_%05d", i); // 31 bytes
        table[i] = (callback_t){.name = names[i], .think = a_think};
    }
    assert_false(Callbacks_Bind(world, table, MAX_CALLBACKS, &binding, &err));
    assert_true(Callbacks_Bind(world, table, MAX_CALLBACKS - 1, &binding, &err));
    assert_int_equal(Callbacks_Find(world, names[MAX_CALLBACKS - 2]), MAX_CALLBACKS - 1);
    assert_true(World_Check(world, world->bytes, &err));
    free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_are_stable),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
