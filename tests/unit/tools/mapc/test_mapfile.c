// Tests of reading .map sources: formats, and the message for each kind of mistake.

#include "lib/testing.h"
#include "mapc/mapfile.h"

#include <string.h>

typedef struct {
    mc_fail_t fail;
    size_t budget_bytes;
    mc_pool_t pool;
    mc_map_t map;
    char said[4096];
} reading_t;

static void take(void *context, const char *text) {
    reading_t *r = context;
    strlcat(r->said, text, sizeof r->said);
    strlcat(r->said, "\n", sizeof r->said);
}

static bool read_bytes(reading_t *r, const char *text, size_t size) {
    memset(r, 0, sizeof *r);
    r->budget_bytes = (size_t)64 << 20;
    r->pool = (mc_pool_t){.budget_bytes = &r->budget_bytes, .fail = &r->fail};
    mc_report_t report = {.line = take, .context = r, .name = "t.map"};
    if (setjmp(r->fail.where) != 0) {
        return false;
    }
    return MC_ReadMap(&r->map, &r->pool, &report, text, size);
}

static bool read_text(reading_t *r, const char *text) {
    return read_bytes(r, text, strlen(text));
}

static const char BOX_STANDARD[] = "{\n"
                                   "( 0 0 0 ) ( 0 64 0 ) ( 0 0 64 ) stone 0 0 0 1 1\n"
                                   "( 64 0 0 ) ( 64 0 64 ) ( 64 64 0 ) stone 0 0 0 1 1\n"
                                   "( 0 0 0 ) ( 0 0 64 ) ( 64 0 0 ) stone 0 0 0 1 1\n"
                                   "( 0 64 0 ) ( 64 64 0 ) ( 0 64 64 ) stone 0 0 0 1 1\n"
                                   "( 0 0 0 ) ( 64 0 0 ) ( 0 64 0 ) stone 0 0 0 1 1\n"
                                   "( 0 0 64 ) ( 0 64 64 ) ( 64 0 64 ) stone 0 0 0 1 1\n"
                                   "}\n";

static void test_standard(void **state) {
    (void)state;
    reading_t r;
    char text[2048];
    snprintf(text, sizeof text, "{\n\"classname\" \"worldspawn\"\n%s}\n", BOX_STANDARD);
    assert_true(read_text(&r, text));
    assert_int_equal(r.map.num_entities, 1);
    assert_int_equal(r.map.num_brushes, 1);
    assert_string_equal(MC_ClassOf(&r.map.entities[0]), "worldspawn");
    const mc_mapbrush_t *brush = &r.map.entities[0].brushes[0];
    assert_int_equal(brush->num_faces, 6);
    assert_int_equal(brush->line, 3);
    assert_int_equal(brush->faces[5].line, 9);
    assert_string_equal(brush->faces[0].texture, "stone");
    assert_true(brush->faces[1].points[2].x == 64.0);
    assert_true(brush->faces[1].points[2].y == 64.0);
    MC_FreePool(&r.pool);
}

/// Tests Valve 220, floats, exponents, quoted and odd texture names, comments, CR LF, no blanks
/// around marks, a byte order mark, flags after the scale.
static void test_dialects(void **state) {
    (void)state;
    reading_t r;
    assert_true(read_text(
        &r, "\xEF\xBB\xBF// Game: Quake\r\n{ // the world\r\n\"classname\" \"worldspawn\"\r\n"
            "\"message\" \"caf\xe9 // not a comment { } \"\r\n{\r\n"
            "(-0.5 1.25e1 -2.22045e-16)( 0 0 1)(1 0 0) {fence [ 1 0 0 -8.5 ] [ 0 -1 0 0 ] 0 1 1\r\n"
            "( 0 0 0 ) ( 0 0 1 ) ( 1 0 0 ) \"wall with blanks\" [ 1 0 0 0 ] [ 0 -1 0 0 ] 0 1 1\r\n"
            "( 0 0 0 ) ( 0 0 1 ) ( 1 0 0 ) *water(1) 0 0 0 1 1 0 512 7\r\n"
            "( 0 0 0 ) ( 0 0 1 ) ( 1 0 0 ) +0button 0 0 0 1 1 // end\r\n}\r\n}"));
    const mc_mapbrush_t *brush = &r.map.entities[0].brushes[0];
    assert_int_equal(brush->num_faces, 4);
    assert_string_equal(brush->faces[0].texture, "{fence");
    assert_string_equal(brush->faces[1].texture, "wall with blanks");
    assert_string_equal(brush->faces[2].texture, "*water(1)");
    assert_string_equal(brush->faces[3].texture, "+0button");
    assert_true(brush->faces[0].points[0].y == 12.5);
    assert_string_equal(MC_ValueOf(&r.map.entities[0], "message"), "caf\xe9 // not a comment { } ");
    assert_non_null(strstr(r.said, "t.map:8: warning: numbers after the texture's scale"));
    MC_FreePool(&r.pool);
}

/// Tests each mistake and its whole message.
static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "t.map:1: error: expected an entity of class worldspawn, found none\n"},
        {"\n\nhello", "t.map:3: error: expected { of an entity, found hello\n"},
        {"{\n\"classname\" \"worldspawn\"\n",
         "t.map:3: error: expected a quoted key, { or }, found the end of the file\n"},
        {"{\nclassname \"worldspawn\"\n}",
         "t.map:2: error: expected a quoted key, { or }, found classname\n"},
        {"{\n\"classname\" 7\n}", "t.map:2: error: expected the quoted value of a key, found 7\n"},
        {"{\n\"classname\" \"worldspawn\n\"\n}",
         "t.map:2: error: expected a closing quote, found the end of the line\n"},
        {"{\n\"class\x01name\" \"worldspawn\"\n}",
         "t.map:2: error: expected a quoted key, { or }, found a control character in "
         "\"class\\x01name\"\n"},
        {"{\n\"\" \"worldspawn\"\n}", "t.map:2: error: expected a key of 1 to 65535 bytes and a "
                                      "value of at most 65535, found 0 and 10\n"},
        {"{\n\"classname\" \"light\"\n}\n",
         "t.map:1: error: expected worldspawn as the class of the first entity, found \"light\"\n"},
        {"{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"worldspawn\"\n}\n",
         "t.map:4: error: expected one worldspawn, found a second\n"},
        {"{\n{\n( 0 0 0 ) ( 1 0 0 ) ( 0 x 0 ) a 0 0 0 1 1\n}\n}",
         "t.map:3: error: expected a coordinate of a plane's point, found x\n"},
        {"{\n{\n( 0 0 0 ) ( 1 0 0 ) ( 0 nan 0 ) a 0 0 0 1 1\n}\n}",
         "t.map:3: error: expected a coordinate of a plane's point, found nan\n"},
        {"{\n{\n( 0 0 0 ) ( 1 0 0 ) ( 0 1e7 0 ) a 0 0 0 1 1\n}\n}",
         "t.map:3: error: expected a coordinate of a plane's point within +-1000000, found 1e7\n"},
        {"{\n{\n( 0 0 0 ) ( 1 0 0 ( 0 1 0 ) a 0 0 0 1 1\n}\n}",
         "t.map:3: error: expected ) of a plane's point, found (\n"},
        {"{\n{\n( 0 0 0 ) ( 1 0 0 ) ( 0 1 0 )\n",
         "t.map:4: error: expected a texture name, found the end of the file\n"},
        {"{\n{\n( 0 0 0 ) ( 1 0 0 ) ( 0 1 0 ) a 0 0 0 1\n}\n}",
         "t.map:4: error: expected a number of the texture's placement, found }\n"},
        {"{\n{\n( 0 0 0 ) ( 1 0 0 ) ( 0 1 0 ) a [ 1 0 0 ] [ 0 1 0 0 ] 0 1 1\n}\n}",
         "t.map:3: error: expected a number of a texture axis, found ]\n"},
        {"{\n{\nbrushDef\n{\n}\n}\n}",
         "t.map:3: error: expected \"(\" (next side) or \"}\" (end of the brush) of a Standard or "
         "Valve 220 brush, found brushDef\n"},
        {"{\n\"classname\" \"worldspawn\"\n}\n}",
         "t.map:4: error: expected { of an entity, found }\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reading_t r;
        assert_false(read_text(&r, cases[i].text));
        assert_string_equal(r.said, cases[i].said);
        MC_FreePool(&r.pool);
    }
}

static void test_nul_byte(void **state) {
    (void)state;
    static const char text[] = "{\n\"classname\" \"world\0spawn\"\n}\n";
    reading_t r;
    assert_false(read_bytes(&r, text, sizeof text - 1));
    assert_non_null(strstr(r.said, "t.map:2: error: expected the quoted value of a key, found a "
                                   "control character"));
    MC_FreePool(&r.pool);
}

static void test_too_many_sides(void **state) {
    (void)state;
    static char text[1 << 14];
    size_t used = (size_t)snprintf(text, sizeof text, "{\n{\n");
    for (int i = 0; i <= MC_MAX_FACES; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "( 0 0 %d ) ( 1 0 %d ) ( 0 1 %d ) a 0 0 0 1 1\n", i, i, i);
    }
    reading_t r;
    assert_false(read_text(&r, text));
    assert_string_equal(r.said,
                        "t.map:131: error: expected at most 128 sides of a brush, found more\n");
    MC_FreePool(&r.pool);
}

/// Tests every prefix of a good map: it is refused with one line, or is a good map itself.
static void test_every_truncation(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, "{\n\"classname\" \"worldspawn\"\n%s}\n", BOX_STANDARD);
    size_t whole = strlen(text);
    for (size_t size = 0; size < whole; size++) {
        reading_t r;
        bool good = read_bytes(&r, text, size);
        assert_true(good == (size == whole - 1)); // only the last newline is missing
        const char *newline = strchr(r.said, '\n');
        assert_true(good ? r.said[0] == 0 : newline && newline[1] == 0);
        MC_FreePool(&r.pool);
    }
}

static void test_vector(void **state) {
    (void)state;
    dvec_t v;
    assert_true(MC_ParseVector(" 1 -2.5 3e2 ", &v));
    assert_true(v.x == 1.0);
    assert_true(v.y == -2.5);
    assert_true(v.z == 300.0);
    assert_false(MC_ParseVector("1 2", &v));
    assert_false(MC_ParseVector("1 2 3 4", &v));
    assert_false(MC_ParseVector("1 2 x", &v));
    assert_false(MC_ParseVector("", &v));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standard),       cmocka_unit_test(test_dialects),
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_nul_byte),
        cmocka_unit_test(test_too_many_sides), cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
