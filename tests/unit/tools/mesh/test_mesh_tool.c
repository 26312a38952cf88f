// Tests of edict-mesh: the results for OBJ and glTF, refused files and their error texts.

#include "lib/testing.h"
#include "mesh/parts.h"
#include "model/emesh_write.h"

#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/edictd-mesh-XXXXXX";
static char path[128];

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

/// Writes a text to a file of this name, imports the file and deletes it.
static bool import_with(me_soup_t *soup, const char *name, const char *text,
                        const me_import_t *options, err_t *err) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_true(fclose(file) == 0);
    bool good = ME_Import(soup, NULL, path, options, err);
    unlink(path);
    return good;
}

static bool import_text(me_soup_t *soup, const char *name, const char *text, err_t *err) {
    return import_with(soup, name, text, &(me_import_t){.scale = 1.0, .any_up = true}, err);
}

// ---- OBJ ----

/// A box of 2 x 2 x 2 as quads that face out, its corners from -1 to 1.
#define BOX_VERTICES                                                                               \
    "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
#define BOX_SIDES "f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
#define BOX_FACES BOX_SIDES "f 4 3 2 1\nf 5 6 7 8\n"

static void test_obj(void **state) {
    (void)state;
    me_soup_t soup;
    err_t err = {{0}};
    const me_import_t twice = {.scale = 2.0, .any_up = true};
    assert_true(import_with(&soup, "box.OBJ", "# a box\n" BOX_VERTICES "usemtl stone\n" BOX_FACES,
                            &twice, &err));
    assert_int_equal(soup.num_triangles, 12);
    assert_int_equal(soup.num_vertices, 8); // the faces share corners
    assert_int_equal(soup.num_other, 0);
    for (int32_t i = 0; i < 12; i++) {
        const int32_t *index = soup.indices[i];
        vec3_t a = soup.vertices[index[0]];
        vec3_t u = VectorSubtract(soup.vertices[index[1]], a);
        vec3_t v = VectorSubtract(soup.vertices[index[2]], a);
        assert_int_equal(soup.contents[i], CONTENTS_SOLID);
        assert_true(DotProduct(CrossProduct(u, v), a) > 0.0f); // the triangle faces out
        assert_true(fabsf(a.x) == 2.0f);
        assert_true(fabsf(a.y) == 2.0f);
        assert_true(fabsf(a.z) == 2.0f);
    }
    ME_FreeSoup(&soup);
    ME_FreeSoup(&soup);
}

/// Tests negative numbers, texture coordinates, joined lines, -0, CR LF, lines and points.
static void test_obj_ways_to_write(void **state) {
    (void)state;
    me_soup_t soup;
    err_t err = {{0}};
    const char *text = "v 0 0 0\r\nv 8 0 0\r\nv 0 8 0\r\nvt 0 0\r\nvn 0 0 1\r\n"
                       "f 1/1/1 2/1/1 3//1\r\nv 8 8 -0 1.0\nv -0 0 0\n"
                       "f -4/1 -2 -3\nf 5 \\\n 2 4\n# a comment\nl 1 2\n";
    assert_true(import_text(&soup, "odd.obj", text, &err));
    assert_int_equal(soup.num_triangles, 3);
    assert_int_equal(soup.num_vertices, 4); // 0 0 0 occurs twice
    assert_int_equal(soup.num_other, 1);
    ME_FreeSoup(&soup);
}

typedef struct {
    const char *name, *text, *reason;
} bad_t;

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static const bad_t bad_files[] = {
    {"a.obj", TRIANGLE "f 1 2 4\n",
     "a.obj:4: corner 3: expected a vertex 1..3, or -1..-3 "
     "backwards, found \"4\""},
    {"a.obj", TRIANGLE "f 1 2 0\n", "a.obj:4: corner 3: expected a vertex"},
    {"a.obj", TRIANGLE "\\\n\nf 1/1 2/2 -4/4\n", "a.obj:6: corner 3: expected a vertex"},
    {"a.obj", TRIANGLE "f 1 2 x\n", "a.obj:4: corner 3: expected a vertex 1..3"},
    {"a.obj", TRIANGLE "f 1 2 3 # no comment\n", "a.obj:4: corner 4: expected a vertex 1..3"},
    {"a.obj", TRIANGLE "f 1 2 3.5\n", "a.obj:4: corner 3: expected a vertex 1..3"},
    {"a.obj", TRIANGLE "f 1 2\n", "a.obj:4: face: expected at least 3 corners, found 2"},
    {"a.obj", TRIANGLE "f 99999999999999999999 1 2\n", "a.obj:4: corner 1: expected a vertex"},
    {"a.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n",
     "a.obj:2: vertex 2: expected three finite numbers, found \"nan\""},
    {"a.obj", "v 0 0 0\nv 0 1e999 0\nv 0 1 0\nf 1 2 3\n",
     "a.obj:2: vertex 2: expected three finite numbers, found \"1e999\""},
    {"a.obj", "v 0 0 0\nv 0 0\nv 0 1 0\nf 1 2 3\n",
     "a.obj:2: vertex 2: expected three finite numbers, found \"\""},
    {"a.obj", "v 0 0 0\nv 0 0 70000\nv 0 1 0\nf 1 2 3\n",
     "expected coordinates within +-65536, found 0 0 70000 (scale 1)"},
    {"a.obj", TRIANGLE, "a.obj: expected faces (lines \"f ...\"), found none"},
    {"a.obj", "", "a.obj: expected faces (lines \"f ...\"), found none"},
    {"a.obj", TRIANGLE "usemtl hint\nf 1 2 3\nl 1 2\n",
     "a.obj: expected triangles, found none (left out: 1 points and lines, 1 triangles because of "
     "their "
     "material)"},
    {"a.stl", "solid x", "a.stl: expected a file with the ending .obj, .gltf, .glb or .mdl"},
    {"a.gltf", "{}", "a.gltf: "},
    {"a.gltf", "{\"asset\":{\"version\":\"2.0\"},\"nod",
     "a.gltf: expected a glTF 2.0 file (JSON with"},
    {"a.glb", "glTF", "a.glb: "},
};

static void test_bad_files(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(bad_files); i++) {
        const bad_t *bad = &bad_files[i];
        me_soup_t soup;
        err_t err = {{0}};
        if (import_text(&soup, bad->name, bad->text, &err) || !strstr(err.text, bad->reason)) {
            fail_msg("%zu: expected \"%s\", found \"%s\"", i, bad->reason, err.text);
        }
        assert_null(soup.vertices);
        assert_null(strchr(err.text, '\n'));
    }
    me_soup_t soup;
    err_t err;
    assert_false(ME_Import(&soup, NULL, "no/such.obj", &(me_import_t){.scale = 1.0}, &err));
}

// ---- glTF ----

static void base64(const uint8_t *bytes, size_t size, char *out) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t v = (uint32_t)bytes[i] << 16 | (i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0u) |
                     (i + 2 < size ? bytes[i + 2] : 0u);
        for (int j = 0; j < 4; j++) {
            *out++ = i + (size_t)j > size ? '=' : letters[v >> (18 - 6 * j) & 63];
        }
    }
    *out = '\0';
}

/// Writes two triangles of a square in the xz plane (y up, facing up), below a node; `third` is the
/// last corner of the second triangle.
static void gltf_text(char *text, size_t size, const char *node, uint16_t third) {
    struct {
        float places[4][3];
        uint16_t corners[6];
    } data = {{{0, 0, 0}, {0, 0, 4}, {4, 0, 4}, {4, 0, 0}}, {0, 1, 2, 0, 2, third}};
    char coded[128];
    assert_int_equal(sizeof data, 60);
    base64((const uint8_t *)&data, sizeof data, coded);
    int length = snprintf(
        text, size,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"children\":[1],\"translation\":[10,20,30]},{\"mesh\":0%s}],"
        "\"materials\":[{\"name\":\"clip\"}],"
        "\"meshes\":[{\"name\":\"square\",\"primitives\":[{\"attributes\":{\"POSITION\":0},"
        "\"indices\":1,\"material\":0}]}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
        "{\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":48},"
        "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12}],"
        "\"buffers\":[{\"byteLength\":60,\"uri\":\"data:application/octet-stream;base64,%s\"}]}",
        node, coded);
    assert_true(length > 0);
    assert_true((size_t)length < size);
}

/// Checks that all triangles of the soup face up (z), and that one corner is at `far_corner`.
static void check_square(const me_soup_t *soup, vec3_t far_corner) {
    bool found = false;
    assert_int_equal(soup->num_triangles, 2);
    assert_int_equal(soup->num_vertices, 4);
    for (int32_t i = 0; i < 2; i++) {
        const int32_t *index = soup->indices[i];
        vec3_t a = soup->vertices[index[0]];
        vec3_t u = VectorSubtract(soup->vertices[index[1]], a);
        vec3_t v = VectorSubtract(soup->vertices[index[2]], a);
        assert_true(CrossProduct(u, v).z > 0.0f);
        assert_int_equal(soup->contents[i], CONTENTS_CLIP);
    }
    for (int32_t i = 0; i < 4; i++) {
        found = found || VectorCompare(soup->vertices[i], far_corner);
    }
    assert_true(found);
}

static void test_gltf(void **state) {
    (void)state;
    char text[2048];
    me_soup_t soup;
    err_t err = {{0}};
    gltf_text(text, sizeof text, "", 3);
    assert_true(import_text(&soup, "square.gltf", text, &err));
    check_square(&soup, Vector(14.0f, -34.0f, 20.0f)); // x = 10 + 4, y = -(30 + 4), z = 20
    ME_FreeSoup(&soup);
    // Mirrored by its node, the square still faces up.
    gltf_text(text, sizeof text, ",\"scale\":[-1,1,1]", 3);
    assert_true(import_text(&soup, "square.gltf", text, &err));
    check_square(&soup, Vector(6.0f, -34.0f, 20.0f));
    ME_FreeSoup(&soup);
    // A quarter turn around the file's y.
    gltf_text(text, sizeof text, ",\"rotation\":[0,0.70710678,0,0.70710678],\"scale\":[2,2,2]", 3);
    assert_true(import_with(&soup, "square.gltf", text,
                            &(me_import_t){.scale = 0.5, .any_up = true}, &err));
    assert_int_equal(soup.num_triangles, 2);
    ME_FreeSoup(&soup);
    gltf_text(text, sizeof text, "", 3);
    assert_true(
        import_with(&soup, "square.gltf", text, &(me_import_t){.scale = 1.0, .z_up = true}, &err));
    assert_true(soup.vertices[0].x == 10.0f);
    assert_true(soup.vertices[0].y == 20.0f);
    ME_FreeSoup(&soup);
}

static void test_bad_gltf(void **state) {
    (void)state;
    char text[2048];
    me_soup_t soup;
    err_t err = {{0}};
    gltf_text(text, sizeof text, "", 9);
    assert_false(import_text(&soup, "square.gltf", text, &err));
    assert_non_null(strstr(err.text, "square.gltf: mesh 0 \"square\": primitive 0: triangle 1: "
                                     "expected vertices 0..3, found 9"));
    gltf_text(text, sizeof text, ",\"scale\":[1e38,1e38,1e38]", 3);
    assert_false(import_text(&soup, "square.gltf", text, &err));
    assert_non_null(strstr(err.text, "mesh \"square\": vertex 1: expected coordinates within"));
}

// ---- parts ----

static void test_contents_of_materials(void **state) {
    (void)state;
    me_soup_t soup;
    me_parts_t parts;
    err_t err = {{0}};
    const char *text =
        BOX_VERTICES "usemtl *Lava1\n" BOX_FACES "v 0 0 9\nv 9 0 9\nv 0 9 9\nv 3 3 9\n"
                     "usemtl grass\nf 9 10 11\nusemtl clip\nf -4 -2 -3\nf -4 -1 -4\n"
                     "usemtl sky1\nf -3 -2 -4\nusemtl hint\nf -3 -2 -4\n";
    assert_true(import_text(&soup, "mix.obj", text, &err));
    assert_int_equal(soup.num_by_material, 1);
    assert_true(ME_Build(&parts, "mix.obj", &soup, &(me_build_t){.one_sided = true}, &err));
    assert_int_equal(parts.num_parts, 4);
    const contents_t contents[] = {CONTENTS_SOLID, CONTENTS_LAVA, CONTENTS_SKY, CONTENTS_CLIP};
    const int32_t triangles[] = {1, 12, 1, 1};
    for (int32_t i = 0; i < 4; i++) {
        const mesh_t *mesh = &parts.parts[i].mesh;
        bool is_lava = contents[i] == CONTENTS_LAVA;
        assert_int_equal(mesh->contents, contents[i]);
        assert_int_equal(mesh->num_triangles, triangles[i]);
        assert_int_equal(mesh->num_vertices, is_lava ? 8 : i == 3 ? 4 : 3);
        assert_int_equal(mesh->flags, is_lava ? MESH_VOLUME : MESH_ONE_SIDED);
    }
    assert_int_equal(parts.parts[3].num_dropped, 1); // two corners at one point
    assert_false(parts.faces_in);
    ME_FreeParts(&parts);
    ME_FreeSoup(&soup);
}

static void test_volumes(void **state) {
    (void)state;
    me_soup_t soup;
    me_parts_t parts;
    err_t err = {{0}};
    const me_build_t water = {.is_volume = true, .contents = CONTENTS_WATER};
    assert_true(import_text(&soup, "box.obj", BOX_VERTICES BOX_FACES, &err));
    assert_true(ME_Build(&parts, "box.obj", &soup, &water, &err));
    assert_int_equal(parts.num_parts, 1);
    assert_int_equal(parts.parts[0].mesh.contents, CONTENTS_WATER);
    assert_int_equal(parts.parts[0].mesh.flags, MESH_VOLUME);
    assert_false(parts.faces_in);
    ME_FreeParts(&parts);
    ME_FreeSoup(&soup);
    // A box without its lid; a box with one side wound the wrong way; a box turned inside out.
    assert_true(import_text(&soup, "box.obj", BOX_VERTICES BOX_SIDES "f 4 3 2 1\n", &err));
    assert_false(ME_Build(&parts, "box.obj", &soup, &water, &err));
    assert_non_null(strstr(err.text, "box.obj: water: expected a closed volume, found 4 open "
                                     "edges, the first from ("));
    assert_non_null(strstr(err.text, " 1)"));
    ME_FreeSoup(&soup);
    assert_true(
        import_text(&soup, "box.obj", BOX_VERTICES BOX_SIDES "f 4 3 2 1\nf 8 7 6 5\n", &err));
    assert_false(ME_Build(&parts, "box.obj", &soup, &water, &err));
    assert_non_null(strstr(err.text, "found 4 open edges"));
    ME_FreeSoup(&soup);
    assert_true(import_text(&soup, "box.obj",
                            BOX_VERTICES "f 5 6 2 1\nf 6 7 3 2\nf 7 8 4 3\nf 8 5 1 4\n"
                                         "f 1 2 3 4\nf 8 7 6 5\n",
                            &err));
    assert_true(ME_Build(&parts, "box.obj", &soup, &water, &err));
    assert_true(parts.faces_in);
    ME_FreeParts(&parts);
    ME_FreeSoup(&soup);
    // A file without any area.
    assert_true(import_text(&soup, "line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", &err));
    assert_false(ME_Build(&parts, "line.obj", &soup, &(me_build_t){0}, &err));
    assert_non_null(strstr(err.text, "line.obj: solid: mesh: none of the 1 triangles has an area"));
    ME_FreeSoup(&soup);
}

static void test_contents_names(void **state) {
    (void)state;
    contents_t contents = CONTENTS_EMPTY;
    assert_true(ME_ContentsNamed("ladder", &contents));
    assert_int_equal(contents, CONTENTS_LADDER);
    assert_string_equal(ME_ContentsName(CONTENTS_SLIME), "slime");
    assert_false(ME_ContentsNamed("Water", &contents));
}

/// Tests that equal input gives equal bytes.
static void test_same_bytes(void **state) {
    (void)state;
    uint8_t *bytes[2];
    size_t sizes[2];
    for (int32_t i = 0; i < 2; i++) {
        me_soup_t soup;
        me_parts_t parts;
        err_t err = {{0}};
        assert_true(import_text(&soup, "box.obj", BOX_VERTICES BOX_FACES, &err));
        assert_true(ME_Build(&parts, "box.obj", &soup, &(me_build_t){0}, &err));
        bytes[i] = EMesh_MeshBytes(&parts.parts[0].mesh, 1, &sizes[i]);
        ME_FreeParts(&parts);
        ME_FreeSoup(&soup);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_obj),        cmocka_unit_test(test_obj_ways_to_write),
        cmocka_unit_test(test_bad_files),  cmocka_unit_test(test_gltf),
        cmocka_unit_test(test_bad_gltf),   cmocka_unit_test(test_contents_of_materials),
        cmocka_unit_test(test_volumes),    cmocka_unit_test(test_contents_names),
        cmocka_unit_test(test_same_bytes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
