// test_figure.c - the player model: it is what the game has, and it is well made.
#include "figure/figure.h"
#include "game/figure_data.h"
#include "lib/testing.h"

#include <stdlib.h>

static void test_the_game_has_it(void **state) {
    (void)state;
    size_t size = 0;
    uint8_t *bytes = Figure_Bytes(&size);
    assert_non_null(bytes);
    assert_int_equal(size, GAME_FIGURE_BYTES);
    assert_memory_equal(bytes, game_figure, size); // edict-figure --c server/game/figure_data.c
    free(bytes);
}

static void test_it_reads(void **state) {
    (void)state;
    emesh_t file;
    model_t model;
    err_t err = {""};
    size_t size = 0;
    uint8_t *bytes = Figure_Bytes(&size);
    assert_true(EMesh_Parse(&file, "figure", bytes, size, &err));
    assert_true(Model_Read(&model, &file, "figure", &err));
    assert_int_equal(Model_FindAnimation(&model, "stand"), FIGURE_DO_STAND);
    assert_int_equal(Model_FindAnimation(&model, "run"), FIGURE_DO_RUN);
    assert_int_equal(Model_FindAnimation(&model, "crouch"), FIGURE_DO_CROUCH);
    assert_int_equal(Model_FindAnimation(&model, "die"), FIGURE_DO_DIE);
    assert_int_equal(Model_FindController(&model, "aim"), 0);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_game_has_it),
        cmocka_unit_test(test_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
