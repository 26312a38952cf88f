// Tests of edict-mesh: glTF files that refer to missing vertices or bytes. Each is refused with one
// line that names the spot, wherever the bytes are. Also files that stay accepted, and random
// bytes.

#include "collide/mesh/mesh.h"
#include "lib/testing.h"
#include "mesh/soup.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

/// Location of the buffer: in the text, in a file beside it, in a .glb.
typedef enum { IN_TEXT, BESIDE, IN_GLB } home_t;

/// Describes a file with 8 vertices and 18 indices in mesh 2, "crate". A field left 0 has a valid
/// value.
typedef struct {
    home_t home;
    int bytes;     // bytes of an index: 1, 2 or 4; 0: 2
    uint32_t last; // last index
    const char *accessor, *view, *primitive;
    int cut; // bytes missing at the end of the buffer
    const char *reason;
} file_t;

static char folder[] = "/tmp/edictd-gltf-XXXXXX";
static char text_path[128], glb_path[128], buffer_path[128];

static int make_folder(void **state) {
    (void)state;
    bool made = mkdtemp(folder);
    snprintf(text_path, sizeof text_path, "%s/x.gltf", folder);
    snprintf(glb_path, sizeof glb_path, "%s/x.glb", folder);
    snprintf(buffer_path, sizeof buffer_path, "%s/a buffer.bin", folder);
    return made ? 0 : 1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

// ---- making files ----

enum { COUNT = 18, PLACES_BYTES = 96, MAX_BUFFER = PLACES_BYTES + 4 * COUNT };

/// Fills the buffer. Returns its size.
static size_t make_buffer(const file_t *file, uint8_t buffer[MAX_BUFFER]) {
    size_t bytes = file->bytes > 0 ? (size_t)file->bytes : 2;
    float places[8][3];
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            places[i][j] = (float)(i >> j & 1);
        }
    }
    memcpy(buffer, places, PLACES_BYTES);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t index = i == COUNT - 1 ? file->last : i * 3 % 8;
        memcpy(buffer + PLACES_BYTES + i * bytes, &index, bytes);
    }
    return PLACES_BYTES + COUNT * bytes - (size_t)file->cut;
}

/// Returns the JSON text, allocated with malloc.
static char *make_text(const file_t *file, const uint8_t *buffer, size_t size) {
    static const int types[] = {5123, 5121, 5123, 0, 5125};
    char coded[sodium_base64_ENCODED_LEN(MAX_BUFFER, sodium_base64_VARIANT_ORIGINAL)];
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    sodium_bin2base64(coded, sizeof coded, buffer, size, sodium_base64_VARIANT_ORIGINAL);
    fprintf(out,
            "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
            "\"nodes\":[{\"mesh\":2},{\"mesh\":1},{\"mesh\":0}],\"meshes\":["
            "{\"name\":\"good\",\"primitives\":[{\"attributes\":{\"POSITION\":0}}]},"
            "{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]},"
            "{\"name\":\"crate\",\"primitives\":[{\"attributes\":{\"POSITION\":0}%s}]}],",
            file->primitive ? file->primitive : ",\"indices\":1");
    fprintf(out,
            "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":8,"
            "\"type\":\"VEC3\"},{\"componentType\":%d,\"type\":\"SCALAR\",%s}],",
            types[file->bytes], file->accessor ? file->accessor : "\"bufferView\":1,\"count\":18");
    fprintf(out, "\"bufferViews\":[{\"buffer\":0,\"byteLength\":96},");
    if (file->view) {
        fprintf(out, "{%s}],", file->view);
    } else {
        fprintf(out, "{\"buffer\":0,\"byteOffset\":96,\"byteLength\":%zu}],",
                size + (size_t)file->cut - PLACES_BYTES);
    }
    fprintf(out, "\"buffers\":[{\"byteLength\":%zu", size + (size_t)file->cut);
    if (file->home == IN_TEXT) {
        fprintf(out, ",\"uri\":\"data:application/octet-stream;base64,%s\"", coded);
    } else if (file->home == BESIDE) {
        fputs(",\"uri\":\"a buffer.bin\"", out);
    }
    fputs("}]}", out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void put_uint(uint8_t *at, size_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i) & 255);
    }
}

/// Returns a whole .glb, allocated with malloc.
static uint8_t *make_glb(const char *text, const uint8_t *buffer, size_t size, size_t *glb_size) {
    size_t length = (strlen(text) + 3) / 4 * 4;
    size_t padded = (size + 3) / 4 * 4;
    *glb_size = 28 + length + padded;
    uint8_t *glb = calloc(1, *glb_size);
    assert_non_null(glb);
    memcpy(glb, "glTF\2", 5);
    put_uint(glb + 8, *glb_size);
    put_uint(glb + 12, length);
    memcpy(glb + 16, "JSON", 4);
    memset(glb + 20, ' ', length);
    memcpy(glb + 20, text, strlen(text));
    put_uint(glb + 20 + length, padded);
    memcpy(glb + 24 + length, "BIN", 4);
    memcpy(glb + 28 + length, buffer, size);
    return glb;
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/// Writes such a file, imports it and deletes it.
static bool import(const file_t *file, err_t *err) {
    uint8_t buffer[MAX_BUFFER];
    size_t size = make_buffer(file, buffer);
    char *text = make_text(file, buffer, size);
    const char *path = file->home == IN_GLB ? glb_path : text_path;
    if (file->home == IN_GLB) {
        size_t glb_size;
        uint8_t *glb = make_glb(text, buffer, size, &glb_size);
        write_file(path, glb, glb_size);
        free(glb);
    } else {
        write_file(path, text, strlen(text));
        write_file(buffer_path, buffer, size);
    }
    me_soup_t soup;
    bool good = ME_Import(&soup, NULL, path, &(me_import_t){.scale = 1.0, .any_up = true}, err);
    ME_FreeSoup(&soup);
    free(text);
    unlink(path);
    unlink(buffer_path);
    return good;
}

/// Expects an error "path: reason".
static void refuse(const file_t *file) {
    err_t err = {{0}};
    const char *path = file->home == IN_GLB ? glb_path : text_path;
    size_t length = strlen(path);
    if (import(file, &err) || strncmp(err.text, path, length) != 0 ||
        strncmp(err.text + length, ": ", 2) != 0 ||
        strcmp(err.text + length + 2, file->reason) != 0) {
        fail_msg("expected \"%s\", found \"%s\"", file->reason, err.text);
    }
}

static void accept(const file_t *file) {
    err_t err = {{0}};
    if (!import(file, &err)) {
        fail_msg("%s", err.text);
    }
}

// ---- indices ----

static void test_indices(void **state) {
    (void)state;
    for (home_t home = IN_TEXT; home <= IN_GLB; home++) {
        for (int bytes = 1; bytes <= 4; bytes *= 2) {
            char most[96];
            file_t file = {.home = home, .bytes = bytes, .last = 7};
            accept(&file);
            file.last = 8;
            file.reason = "mesh 2 \"crate\": primitive 0: triangle 5: expected vertices 0..7, "
                          "found 8";
            refuse(&file);
            file.last = UINT32_MAX >> (32 - 8 * bytes);
            snprintf(most, sizeof most, "%.*s%u", (int)strlen(file.reason) - 1, file.reason,
                     file.last);
            file.reason = most;
            refuse(&file);
        }
    }
}

static const file_t bad_indices[] = {
    // The name of the shape depends on the mode. The last index is in the last shape.
    {.primitive = ",\"indices\":1,\"mode\":0",
     .reason = "mesh 2 \"crate\": primitive 0: point 17: expected vertices 0..7, found 9"},
    {.primitive = ",\"indices\":1,\"mode\":1",
     .reason = "mesh 2 \"crate\": primitive 0: line 8: expected vertices 0..7, found 9"},
    {.primitive = ",\"indices\":1,\"mode\":3",
     .reason = "mesh 2 \"crate\": primitive 0: line 16: expected vertices 0..7, found 9"},
    {.primitive = ",\"indices\":1,\"mode\":5",
     .reason = "mesh 2 \"crate\": primitive 0: triangle 15: expected vertices 0..7, found 9"},
    {.primitive = ",\"indices\":1,\"mode\":6",
     .reason = "mesh 2 \"crate\": primitive 0: triangle 15: expected vertices 0..7, found 9"},
    // Primitives before the bad one, and a name that would disturb a terminal.
    {.primitive = "},{\"attributes\":{\"POSITION\":0},\"indices\":1",
     .reason = "mesh 2 \"crate\": primitive 1: triangle 5: expected vertices 0..7, found 9"},
    {.primitive = "}]},{\"name\":\"\\u001b\\n\",\"primitives\":[{\"attributes\":{\"POSITION\":0},"
                  "\"indices\":1",
     .reason = "mesh 3 \"\\x1b\\n\": primitive 0: triangle 5: expected vertices 0..7, found 9"},
    {.primitive = "}]},{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1",
     .reason = "mesh 3: primitive 0: triangle 5: expected vertices 0..7, found 9"},
    // 6 indices, 6 bytes apart, from the third on: the last one is the last index of the file.
    {.accessor = "\"bufferView\":1,\"count\":6,\"byteOffset\":4",
     .view = "\"buffer\":0,\"byteOffset\":96,\"byteLength\":36,\"byteStride\":6",
     .reason = "mesh 2 \"crate\": primitive 0: triangle 1: expected vertices 0..7, found 9"},
};

static void test_bad_indices(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(bad_indices); i++) {
        file_t file = bad_indices[i];
        file.last = 9;
        refuse(&file);
    }
}

static void test_good_indices(void **state) {
    (void)state;
    static const file_t files[] = {
        {.last = 7},
        {.last = 9, .primitive = ""},                             // no indices
        {.last = 9, .accessor = "\"bufferView\":1,\"count\":17"}, // only 15 of them form triangles
        {.last = 9, .accessor = "\"bufferView\":1,\"count\":15,\"byteOffset\":0.0"},
    };
    for (size_t i = 0; i < COUNTOF(files); i++) {
        accept(&files[i]);
    }
    me_soup_t soup;
    err_t err = {{0}};
    if (!ME_Import(&soup, NULL, "examples/figure.gltf",
                   &(me_import_t){.scale = 32.0, .any_up = true}, &err)) {
        fail_msg("%s", err.text);
    }
    ME_FreeSoup(&soup);
}

/// Tests faults that only libassimp can detect: one line without a spot.
static void test_left_to_the_library(void **state) {
    (void)state;
    const file_t sparse = {
        .last = 7,
        .accessor = "\"bufferView\":1,\"count\":18,\"sparse\":{\"count\":1,\"indices\":{"
                    "\"bufferView\":0,\"componentType\":5123},\"values\":{\"bufferView\":0,"
                    "\"byteOffset\":14}}",
        .reason = "expected triangle corners within range: Warn,  T0: Some faces had out-of-range "
                  "indices. Those faces were dropped."};
    refuse(&sparse);
}

// ---- accessors ----

static const file_t bad_accessors[] = {
    {.accessor = "\"bufferView\":1,\"count\":19",
     .reason = "accessor 1: expected an end within the 36 bytes of bufferView 1, found it at byte "
               "38"},
    {.accessor = "\"bufferView\":1,\"count\":18,\"byteOffset\":2",
     .reason = "accessor 1: expected an end within the 36 bytes of bufferView 1, found it at byte "
               "38"},
    {.view = "\"buffer\":0,\"byteOffset\":96,\"byteLength\":36,\"byteStride\":3",
     .reason = "accessor 1: expected an end within the 36 bytes of bufferView 1, found it at byte "
               "53"},
    {.view = "\"buffer\":0,\"byteOffset\":97,\"byteLength\":36",
     .reason = "accessor 1: bufferView 1: expected an end within the 132 bytes of buffer 0, found "
               "it at byte 133"},
    {.home = BESIDE,
     .cut = 1,
     .reason = "accessor 1: bufferView 1: expected an end within the 131 bytes of buffer 0, found "
               "it at byte 132"},
    {.cut = 1,
     .reason = "accessor 1: bufferView 1: expected an end within the 131 bytes of buffer 0, found "
               "it at byte 132"},
    {.home = IN_GLB,
     .cut = 4,
     .reason = "accessor 1: bufferView 1: expected an end within the 128 bytes of buffer 0, found "
               "it at byte 132"},
    // The largest numbers: the end is near 2^62.
    {.accessor = "\"bufferView\":1,\"count\":2147483647,\"byteOffset\":2147483647",
     .view = "\"buffer\":0,\"byteOffset\":2147483647,\"byteLength\":2147483647,"
             "\"byteStride\":2147483647",
     .reason = "accessor 1: expected an end within the 2147483647 bytes of bufferView 1, found it "
               "at byte 4611686014132420611"},
    {.view = "\"buffer\":0,\"byteOffset\":2147483647,\"byteLength\":2147483647",
     .reason = "accessor 1: bufferView 1: expected an end within the 132 bytes of buffer 0, found "
               "it at byte 4294967294"},
    {.accessor = "\"bufferView\":1,\"count\":2147483648",
     .reason = "accessor 1: expected \"count\" as a whole number 0..2147483647, found 2147483648"},
    {.accessor = "\"bufferView\":1,\"count\":9223372036854775807",
     .reason = "accessor 1: expected \"count\" as a whole number 0..2147483647, found "
               "9.2233720368547758e+18"},
    {.accessor = "\"bufferView\":1,\"count\":1e300",
     .reason = "accessor 1: expected \"count\" as a whole number 0..2147483647, found "
               "1.0000000000000001e+300"},
    {.accessor = "\"bufferView\":1,\"count\":18,\"byteOffset\":-2",
     .reason = "accessor 1: expected \"byteOffset\" as a whole number 0..2147483647, found -2"},
    {.accessor = "\"bufferView\":1,\"count\":18,\"byteOffset\":0.5",
     .reason = "accessor 1: expected \"byteOffset\" as a whole number 0..2147483647, found 0.5"},
    {.view = "\"buffer\":0,\"byteOffset\":96,\"byteLength\":\"36\"",
     .reason = "accessor 1: expected \"byteLength\" as a whole number 0..2147483647, found nan"},
};

static void test_bad_accessors(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNTOF(bad_accessors); i++) {
        file_t file = bad_accessors[i];
        file.last = 7;
        refuse(&file);
    }
}

// ---- bytes ----

/// Checks a copy of exact size, so that ASan reports a read beyond its end.
static bool check(const uint8_t *bytes, size_t size, err_t *err) {
    uint8_t *copy = malloc(size + (size == 0));
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    err->text[0] = '\0';
    bool good = ME_CheckGltf("no/such/x.glb", copy, size, err);
    assert_true(good == (err->text[0] == '\0'));
    assert_true(good || strncmp(err->text, "no/such/x.glb: ", 15) == 0);
    assert_null(strchr(err->text, '\n'));
    free(copy);
    return good;
}

/// Tests a file cut short anywhere, and with each byte changed: refused in one line, or passed on
/// to libassimp.
static void test_any_bytes(void **state) {
    (void)state;
    const file_t file = {.home = IN_GLB, .last = 7};
    uint8_t buffer[MAX_BUFFER];
    size_t buffer_size = make_buffer(&file, buffer);
    char *text = make_text(&file, buffer, buffer_size);
    size_t size;
    uint8_t *glb = make_glb(text, buffer, buffer_size, &size);
    size_t refused = 0;
    err_t err;
    assert_true(check(glb, size, &err));
    for (size_t i = 0; i < size; i++) {
        uint8_t was = glb[i];
        refused += check(glb, i, &err) ? 0 : 1;
        glb[i] ^= 0x80;
        refused += check(glb, size, &err) ? 0 : 1;
        glb[i] = was == '1' ? '9' : 0xff;
        refused += check(glb, size, &err) ? 0 : 1;
        glb[i] = was;
    }
    assert_true(refused > 132); // at least all files with a short buffer
    free(glb);
    free(text);
}

/// Tests many primitives with the same indices: those beyond the limit are not read.
static void test_bounded_work(void **state) {
    (void)state;
    enum { MANY = 3 << 20, PRIMITIVES = 4 * MAX_MESH_TRIANGLES / MANY };
    char *coded = malloc(MANY / 3 * 4 + 5);
    assert_non_null(coded);
    memset(coded, 'A', MANY / 3 * 4);
    memcpy(coded + MANY / 3 * 4, "CQ==", 5); // the last byte is 9
    for (int shared = PRIMITIVES - 1; shared <= PRIMITIVES; shared++) {
        char *text = NULL;
        size_t size = 0;
        err_t err;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        fprintf(out,
                "{\"buffers\":[{\"byteLength\":%d,\"uri\":\"data:;base64,%s\"}],\"bufferViews\":"
                "[{\"buffer\":0,\"byteLength\":%d}],\"accessors\":[{\"count\":8},{\"bufferView\":0,"
                "\"componentType\":5121,\"type\":\"SCALAR\",\"count\":%d},{\"bufferView\":0,"
                "\"byteOffset\":%d,\"componentType\":5121,\"type\":\"SCALAR\",\"count\":%d}],"
                "\"meshes\":[{\"primitives\":[",
                MANY + 1, coded, MANY + 1, MANY, 1, MANY);
        for (int i = 0; i < shared; i++) {
            fputs("{\"attributes\":{\"POSITION\":0},\"indices\":1},", out);
        }
        fputs("{\"attributes\":{\"POSITION\":0},\"indices\":2}]}]}", out);
        assert_int_equal(fclose(out), 0);
        assert_true(check((const uint8_t *)text, size, &err) == (shared == PRIMITIVES));
        free(text);
    }
    free(coded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_indices),       cmocka_unit_test(test_bad_indices),
        cmocka_unit_test(test_good_indices),  cmocka_unit_test(test_left_to_the_library),
        cmocka_unit_test(test_bad_accessors), cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_bounded_work),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
