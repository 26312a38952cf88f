// Tests of edict-mesh: triangles without area, duplicate triangles, too many in one spot, and the
// line of the first of them in the file.

#include "lib/testing.h"
#include "mesh/soup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/edictd-excess-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static void import(me_soup_t *soup, const char *name, const char *text) {
    char path[128];
    err_t err = {{0}};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_true(fclose(file) == 0);
    const me_import_t options = {.scale = 3.0, .any_up = true};
    bool good = ME_Import(soup, NULL, path, &options, &err);
    unlink(path);
    if (!good) {
        fail_msg("%s", err.text);
    }
}

/// Checks the count of a note, and the end of its place.
static void assert_place(const me_note_t *note, int32_t count, const char *place) {
    size_t length = strlen(note->place);
    assert_int_equal(note->count, count);
    assert_true(length >= strlen(place));
    assert_string_equal(note->place + length - strlen(place), place);
}

#define CORNERS "v 0 0 0\nv 1.7 0 0\nv 0 0.1 0\nv 1.7 0.1 0\n"

static void test_clean(void **state) {
    (void)state;
    me_soup_t soup;
    // A triangle with the opposite winding is another triangle.
    import(&soup, "a.obj", CORNERS "f 1 2 3\nf 1 3 2\nf 2 4 3\n");
    assert_int_equal(soup.num_triangles, 3);
    assert_place(&soup.flats, 0, "");
    assert_place(&soup.doubles, 0, "");
    ME_FreeSoup(&soup);
}

static void test_lines_of_an_obj(void **state) {
    (void)state;
    me_soup_t soup;
    // Lines 8 and 9 are flat. Lines 11 and 13 repeat line 7 with another material that is solid
    // too, and so does one half of the quad in line 14. The corners of line 15 are in none of
    // these.
    import(&soup, "a.obj",
           CORNERS "v 0.85 0 0\n# five corners\nf 1 2 3\nf 1 1 2\nf 1 5 2\nusemtl stone\n"
                   "f -3 -5/1 \\\n-4\nf 2 3//1 1\nf 2 3 1 4\nf 2 5 3\n");
    assert_place(&soup.flats, 2, "a.obj:8");
    assert_place(&soup.doubles, 3, "a.obj:11");
    assert_int_equal(soup.num_triangles, 5);
    ME_FreeSoup(&soup);
}

/// Tests a million duplicates: one triangle remains.
static void test_many_times(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    me_soup_t soup;
    char *text = calloc(COUNT + 16, sizeof "f 1 2 3\n");
    strcpy(text, CORNERS);
    char *at = text + strlen(text);
    for (int32_t i = 0; i < COUNT; i++) {
        at = stpcpy(at, i % 3 == 0 ? "f 1 2 3\n" : i % 3 == 1 ? "f 2 3 1\n" : "f 3 1 2\n");
    }
    import(&soup, "many.obj", text);
    free(text);
    assert_place(&soup.doubles, COUNT - 1, "many.obj:6");
    assert_int_equal(soup.num_triangles, 1);
    ME_FreeSoup(&soup);
}

/// Tests the places in a glTF file: the mesh and the triangle's number in it.
static void test_gltf(void **state) {
    (void)state;
    me_soup_t soup;
    // Corners (0 0 0) (1 0 0) (0 1 0); indices 0 1 2, 0 0 1, 1 2 0.
    import(&soup, "a.gltf",
           "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
           "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"name\":\"rock\",\"primitives\":[{"
           "\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
           "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
           "{\"bufferView\":1,\"componentType\":5121,\"count\":9,\"type\":\"SCALAR\"}],"
           "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,"
           "\"byteLength\":9}],\"buffers\":[{\"byteLength\":45,\"uri\":"
           "\"data:application/octet-stream;base64,"
           "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAECAAABAQIA\"}]}");
    assert_place(&soup.flats, 1, "a.gltf: mesh \"rock\": triangle 1");
    assert_place(&soup.doubles, 1, "a.gltf: mesh \"rock\": triangle 2");
    assert_int_equal(soup.num_triangles, 2);
    ME_FreeSoup(&soup);
}

/// Tests a fan of thin triangles around one point.
static void test_crowd(void **state) {
    (void)state;
    static vec3_t vertices[ME_CROWD + 3];
    static int32_t indices[ME_CROWD + 1][3];
    vertices[0] = Vector(-100.0f, 40.0f, 900.0f);
    for (int32_t i = 0; i < ME_CROWD + 2; i++) {
        vertices[i + 1] = Vector(-100.0f, 41.0f, 900.0f + (float)i / 1024.0f);
    }
    for (int32_t i = 0; i < ME_CROWD + 1; i++) {
        indices[i][1] = i + 1;
        indices[i][2] = i + 2;
    }
    me_soup_t soup = {.vertices = vertices,
                      .indices = indices,
                      .num_vertices = ME_CROWD + 3,
                      .num_triangles = ME_CROWD};
    vec3_t at = {0};
    assert_int_equal(ME_Crowd(&soup, &at), 0);
    soup.num_triangles++;
    assert_int_equal(ME_Crowd(&soup, &at), ME_CROWD + 1);
    assert_true(VectorCompare(at, Vector(-112.0f, 48.0f, 912.0f)));
    // The last triangle ends elsewhere.
    vertices[ME_CROWD + 2].x = 65536.0f;
    assert_int_equal(ME_Crowd(&soup, &at), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),      cmocka_unit_test(test_lines_of_an_obj),
        cmocka_unit_test(test_many_times), cmocka_unit_test(test_gltf),
        cmocka_unit_test(test_crowd),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
