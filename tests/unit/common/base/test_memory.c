// Tests of arena allocation, whole-file reads, random numbers and hashes.

#include "lib/testing.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_arena_is_aligned_zeroed_and_bounded(void **state) {
    (void)state;
    arena_t arena;
    assert_true(Arena_Init(&arena, 256));
    uint8_t *a = Arena_Alloc(&arena, 3, 1);
    uint8_t *b = Arena_Alloc(&arena, 4, 8);
    assert_true(a);
    assert_true(b);
    assert_true(b - a == 16);
    assert_true((uintptr_t)b % 16 == 0);
    for (int i = 0; i < 32; i++) {
        assert_int_equal(b[i], 0);
    }
    assert_null(Arena_Alloc(&arena, 1, 1000));
    assert_null(Arena_Alloc(&arena, SIZE_MAX / 2, 3));
    assert_non_null(Arena_Alloc(&arena, 0, 8));
    Arena_Free(&arena);
    assert_null(Arena_Alloc(&arena, 1, 1));
}

// The bug was: a file of mode 0600 became readable by all, and a link became a file of its own.
static void test_a_written_file_keeps_its_mode(void **state) {
    (void)state;
    char folder[] = "/tmp/edictd-test-XXXXXX";
    char path[128], link[128];
    struct stat info;
    err_t err;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(link, sizeof link, "%s/b", folder);
    assert_true(File_Write(path, "hello", 5, &err));
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(symlink("a", link), 0);
    assert_true(File_Write(link, "hi", 2, &err));
    assert_true(lstat(link, &info) == 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_true(stat(path, &info) == 0);
    assert_true(info.st_size == 2);
    assert_int_equal(info.st_mode & 07777, 0600);
    unlink(link);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(File_Write(path, "hi", 2, &err));
    assert_non_null(strstr(err.text, "not a regular file"));
    unlink(path);
    rmdir(folder);
}

static void test_files_are_whole_and_bounded(void **state) {
    (void)state;
    char folder[] = "/tmp/edictd-test-XXXXXX";
    char path[128];
    err_t err;
    size_t size = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    assert_true(File_Write(path, "hello", 5, &err));
    assert_true(File_Write(path, "hi", 2, &err)); // replaces the old file
    uint8_t *data = File_Read(path, 10, &size, &err);
    assert_non_null(data);
    assert_int_equal(size, 2);
    assert_string_equal((char *)data, "hi");
    free(data);
    assert_null(File_Read(path, 1, &size, &err));
    assert_non_null(strstr(err.text, "at most 1"));
    assert_null(File_Read(folder, 10, &size, &err));
    assert_non_null(strstr(err.text, "not a regular file"));
    char detour[256];
    snprintf(detour, sizeof detour, "%s/../%s/a", folder, strrchr(folder, '/') + 1);
    assert_true(File_IsSame(path, detour));
    assert_false(File_IsSame(path, folder));
    unlink(path);
    assert_false(File_IsSame(path, detour)); // neither file exists
    assert_null(File_Read(path, 10, &size, &err));
    assert_int_equal(mkfifo(path, 0600), 0); // reading a FIFO must not hang
    assert_null(File_Read(path, 10, &size, &err));
    unlink(path);
    rmdir(folder);
}

static void test_rng_and_hash_are_the_known_ones(void **state) {
    (void)state;
    rng_t rng = {1234567};
    assert_true(Rng_Next(&rng) == UINT64_C(6457827717110365317)); // the paper's test vector
    assert_true(Rng_Next(&rng) == UINT64_C(3203168211198807973));
    for (int i = 0; i < 1000; i++) {
        assert_true(Rng_Below(&rng, 7) < 7);
        float f = Rng_Range(&rng, -1.0f, 1.0f);
        assert_true(f >= -1.0f);
        assert_true(f < 1.0f);
    }
    assert_true(Hash_Bytes("", 0, 0) == UINT64_C(0x2d06800538d394c2)); // XXH3_64bits("")
    assert_true(Hash_Bytes("a", 1, 0) != Hash_Bytes("a", 1, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_is_aligned_zeroed_and_bounded),
        cmocka_unit_test(test_a_written_file_keeps_its_mode),
        cmocka_unit_test(test_files_are_whole_and_bounded),
        cmocka_unit_test(test_rng_and_hash_are_the_known_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
