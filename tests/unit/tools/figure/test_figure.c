// The project's models: the game has their bytes, and they are well-formed.
#include "base/file.h"
#include "base/hash.h"
#include "figure/figure.h"
#include "game/figure_data.h"
#include "lib/gltf_fixture.h"
#include "lib/testing.h"

#include <stdlib.h>

#define FIGURE_HASH UINT64_C(0x6263d594a845379b)
#define DOG_HASH    UINT64_C(0x8c5231590f12b725)

/// Tests that the bytes of the model have the expected hash. The build makes the game's arrays from
/// them, and a changed byte changes where shots hit.
static void test_the_game_has_it(void **state) {
    (void)state;
    size_t size = 0;
    uint8_t *bytes = Figure_Bytes(&size);
    assert_non_null(bytes);
    assert_int_equal(size, GAME_FIGURE_BYTES);
    assert_memory_equal(bytes, game_figure, size);
    assert_int_equal(Hash_Bytes(game_figure, size, 0), FIGURE_HASH);
    free(bytes);
    bytes = Figure_DogBytes(&size);
    assert_non_null(bytes);
    assert_int_equal(size, GAME_DOG_BYTES);
    assert_memory_equal(bytes, game_dog, size);
    assert_int_equal(Hash_Bytes(game_dog, size, 0), DOG_HASH);
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
    assert_int_equal(Model_FindController(&model, "lift"), 1);
    free(bytes);
}

static void test_the_dog_reads(void **state) {
    (void)state;
    static const char *const names[] = {"stand", "walk", "attack", "die"};
    emesh_t file;
    model_t model;
    err_t err = {""};
    size_t size = 0;
    uint8_t *bytes = Figure_DogBytes(&size);
    assert_true(EMesh_Parse(&file, "dog", bytes, size, &err));
    assert_true(Model_Read(&model, &file, "dog", &err));
    assert_int_equal(model.num_animations, 4);
    for (int32_t i = 0; i < 4; i++) {
        assert_int_equal(Model_FindAnimation(&model, names[i]), i);
    }
    assert_int_equal(model.num_hitboxes, model.num_bones);
    free(bytes);
}

/// Tests that examples/figure.gltf is the player's figure; GOLDEN=1 writes it. The tests of
/// edict-mesh check that it compiles to the same model.
static void test_the_example_is_it(void **state) {
    (void)state;
    emesh_t file;
    model_t model;
    err_t err = {""};
    size_t size = 0;
    size_t found_size = 0;
    uint8_t *bytes = Figure_Bytes(&size);
    assert_true(EMesh_Parse(&file, "figure", bytes, size, &err));
    assert_true(Model_Read(&model, &file, "figure", &err));
    char *text = Gltf_OfModel(&model, &size);
    if (getenv("GOLDEN")) {
        assert_true(File_Write("examples/figure.gltf", text, size, &err));
    }
    uint8_t *found = File_Read("examples/figure.gltf", 1 << 20, &found_size, &err);
    assert_non_null(text);
    assert_non_null(found);
    assert_int_equal(size, found_size);
    assert_memory_equal(text, found, size);
    free(found);
    free(text);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_game_has_it),
        cmocka_unit_test(test_it_reads),
        cmocka_unit_test(test_the_dog_reads),
        cmocka_unit_test(test_the_example_is_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
