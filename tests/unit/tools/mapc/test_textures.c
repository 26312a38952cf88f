// Tests of textures: axes of Standard and Valve 220, WAD files, and the lump of textures.

#include "base/file.h"
#include "face_lumps.h"

#include <stdlib.h>
#include <unistd.h>

static map_text_t text; // static because it is large

static void compile(compiled_t *c, const mc_options_t *options) {
    Compile_Bytes(c, text.text, text.used, options);
    assert_non_null(c->result.bsp);
}

/// Finds a face by texture and normal.
static face_t find_face(const lumps_t *l, const char *texture, dvec_t normal) {
    face_t face;
    for (int32_t i = 0; i < Count_Faces(l); i++) {
        Read_Face(l, i, &face);
        if (strcmp(Face_Texture(l, &face), texture) == 0 && DV_Dot(face.normal, normal) > 0.999) {
            return face;
        }
    }
    fail_msg("no face has the texture %s", texture);
    return face;
}

/// A side in the source, and the texels that one of its points must have.
typedef struct {
    const char *source; ///< after the points of the side
    const char *name;
    dvec_t normal, point;
    double s, t;
} placed_t;

/// Checks the texels of the sides of a box from 0 to 64 in a room, each with its own texture.
static void check_placed(const placed_t *placed, size_t count) {
    static const char *const sides[] = {
        "( 0 0 0 ) ( 0 64 0 ) ( 0 0 64 )", "( 64 0 0 ) ( 64 0 64 ) ( 64 64 0 )",
        "( 0 0 0 ) ( 0 0 64 ) ( 64 0 0 )", "( 0 64 0 ) ( 64 64 0 ) ( 0 64 64 )",
        "( 0 0 0 ) ( 64 0 0 ) ( 0 64 0 )", "( 0 0 64 ) ( 0 64 64 ) ( 64 0 64 )",
    };
    static const dvec_t normals[] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                     {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, (const int[]){-64, -64, -64, 128, 128, 128}, "stone", -1);
    Text_Add(&text, "{\n");
    for (size_t i = 0; i < 6; i++) {
        const char *source = "plain 0 0 0 1 1";
        for (size_t k = 0; k < count; k++) {
            source = DV_Dot(normals[i], placed[k].normal) > 0.5 ? placed[k].source : source;
        }
        Text_Add(&text, "%s %s\n", sides[i], source);
    }
    Text_Add(&text, "}\n");
    Text_Close(&text);
    Text_Point(&text, "info_player_start", -32, -32, -32);
    compiled_t c;
    compile(&c, &(mc_options_t){0});
    assert_string_equal(c.said, "");
    lumps_t l = Lumps_Of(&c);
    for (size_t k = 0; k < count; k++) {
        face_t face = find_face(&l, placed[k].name, placed[k].normal);
        assert_float_equal(Face_Texel(&l, &face, placed[k].point, 0), placed[k].s, 0.001);
        assert_float_equal(Face_Texel(&l, &face, placed[k].point, 1), placed[k].t, 0.001);
    }
    Compile_Free(&c);
}

static void test_standard(void **state) {
    (void)state;
    // Floors and ceilings: s along +x, t along -y. Walls: s along +x or +y, t down.
    static const placed_t plain[] = {
        {"top 16 32 0 1 1", "top", {0, 0, 1}, {10, 20, 64}, 26, 12},
        {"low 0 0 0 2 0.5", "low", {0, 0, -1}, {10, 20, 0}, 5, -40},
        {"east 0 8 0 1 1", "east", {1, 0, 0}, {64, 10, 20}, 10, -12},
        {"north 5 0 0 -1 1", "north", {0, 1, 0}, {10, 64, 20}, -5, -20},
    };
    // A turn of 90 degrees takes s = x, t = -y to s = y, t = x; scale and offset come after it.
    static const placed_t turned[] = {
        {"top 1 2 90 2 1", "top", {0, 0, 1}, {10, 20, 64}, 11, 12},
        {"low 0 0 45 1 1", "low", {0, 0, -1}, {10, 20, 0}, 21.2132, -7.0711},
        {"west 0 0 -90 1 1", "west", {-1, 0, 0}, {0, 10, 20}, -20, -10},
        {"south 0 0 180 1 1", "south", {0, -1, 0}, {10, 0, 20}, -10, 20},
    };
    check_placed(plain, COUNTOF(plain));
    check_placed(turned, COUNTOF(turned));
}

static void test_valve(void **state) {
    (void)state;
    static const placed_t placed[] = {
        {"top [ 1 0 0 16 ] [ 0 -1 0 32 ] 45 1 1", "top", {0, 0, 1}, {10, 20, 64}, 26, 12},
        {"east [ 0 0.6 0.8 5 ] [ 0 0.8 -0.6 -5 ] 0 2 -0.5", "east", {1, 0, 0}, {64, 10, 20}, 16, 3},
        {"low [ 1 1 0 0 ] [ 0 1 0 0 ] 0 0 1", "low", {0, 0, -1}, {10, 20, 0}, 30, 20},
    };
    check_placed(placed, COUNTOF(placed));
}

/// Tests that a texture stays where the source has it when an origin brush moves the model.
static void test_origin(void **state) {
    (void)state;
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, (const int[]){0, 0, 0, 256, 256, 128}, "stone", -1);
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 32, 32, 32);
    Text_Open(&text, "func_rotating");
    Text_Box(&text, (const int[]){100, 100, 40, 140, 140, 80}, "metal");
    Text_Box(&text, (const int[]){110, 120, 50, 130, 140, 70}, "origin");
    Text_Close(&text);
    compiled_t c;
    compile(&c, &(mc_options_t){0});
    lumps_t l = Lumps_Of(&c);
    face_t face = find_face(&l, "metal", DV(0, 0, 1));
    // (104, 108, 80) of the source is (-16, -22, 20) from the origin (120, 130, 60).
    assert_float_equal(Face_Texel(&l, &face, DV(-16, -22, 20), 0), 104, 0.001);
    assert_float_equal(Face_Texel(&l, &face, DV(-16, -22, 20), 1), -108, 0.001);
    Compile_Free(&c);
}

/// Tests placements that no engine can draw: they get scale 1, and too large a face is not split.
static void test_bad_placement(void **state) {
    (void)state;
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, (const int[]){0, 0, 0, 256, 256, 128}, "fine 0 0 0 0.01 0.01 \n// ", -1);
    Text_Box(&text, (const int[]){0, 0, 0, 16, 16, 16}, "tiny 0 0 0 0.000001 1 \n// ");
    Text_Box(&text, (const int[]){32, 0, 0, 48, 16, 16},
             "zero [ 0 0 0 0 ] [ 0 1 0 0 ] 0 1 1 \n// ");
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 100, 100, 32);
    compiled_t c;
    compile(&c, &(mc_options_t){0});
    lumps_t l = Lumps_Of(&c);
    assert_non_null(strstr(c.said, "warning: texture \"tiny\": expected axes and offsets"));
    assert_non_null(strstr(c.said, "warning: texture \"zero\": expected axes and offsets"));
    face_t face = find_face(&l, "tiny", DV(0, 0, 1));
    assert_float_equal(Face_Texel(&l, &face, DV(7, 0, 16), 0), 7, 0.001);
    face = find_face(&l, "fine", DV(0, 0, -1));
    assert_true(Face_IsSpecial(&l, &face));
    assert_true(Face_Area(&face) > 1000.0); // a piece of 240 texels has 5.76
    Compile_Free(&c);
}

// ---- WAD files ----

typedef struct {
    uint8_t bytes[1 << 16];
    size_t used, num_entries;
    uint8_t entries[16][32];
    char path[64];
} wad_t;

static wad_t wad;

static void put_u32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static void start_wad(const char *magic) {
    memset(&wad, 0, sizeof wad);
    memcpy(wad.bytes, magic, 4);
    wad.used = 12;
}

static void add_entry(char type, const char *name, size_t start) {
    uint8_t *entry = wad.entries[wad.num_entries++];
    put_u32(entry, (uint32_t)start);
    put_u32(entry + 4, (uint32_t)(wad.used - start));
    put_u32(entry + 8, (uint32_t)(wad.used - start));
    entry[12] = (uint8_t)type;
    memcpy(entry + 16, name, strlen(name));
}

/// Adds a texture whose levels have the pixels first, first + 1, ... Returns its place.
static size_t add_texture(const char *name, uint32_t width, uint32_t height, uint8_t first) {
    size_t start = wad.used;
    uint8_t *at = wad.bytes + start;
    memcpy(at, name, strlen(name));
    put_u32(at + 16, width);
    put_u32(at + 20, height);
    size_t end = 40;
    for (uint32_t i = 0; i < 4; i++) {
        put_u32(at + 24 + i * 4, (uint32_t)end);
        size_t size = (size_t)(width >> i) * (height >> i);
        assert_true(start + end + size < sizeof wad.bytes - 2048);
        memset(at + end, first + (int)i, size);
        end += size;
    }
    wad.used += end;
    bool is_wad3 = wad.bytes[3] == '3';
    if (is_wad3) {
        wad.bytes[wad.used + 1] = 1; // 256 colours
        memset(wad.bytes + wad.used + 2, 200 + first, 768);
        wad.used += 770;
    }
    add_entry(is_wad3 ? 0x43 : 0x44, name, start);
    return start;
}

static void add_palette(void) {
    memset(wad.bytes + wad.used, 77, 768);
    wad.used += 768;
    add_entry(0x40, "PALETTE", wad.used - 768);
}

/// Writes the WAD to a new file.
static void save_wad(void) {
    put_u32(wad.bytes + 4, (uint32_t)wad.num_entries);
    put_u32(wad.bytes + 8, (uint32_t)wad.used);
    memcpy(wad.bytes + wad.used, wad.entries, wad.num_entries * 32);
    strlcpy(wad.path, "/tmp/edict_wad_XXXXXX", sizeof wad.path);
    int file = mkstemp(wad.path);
    assert_true(file >= 0);
    close(file);
    err_t err;
    assert_true(File_Write(wad.path, wad.bytes, wad.used + wad.num_entries * 32, &err));
}

/// Compiles a room of one texture with the WAD file, which it removes.
static void compile_with_wad(compiled_t *c, const char *texture, bool halflife) {
    const char *files[] = {wad.path};
    mc_options_t options = {.halflife = halflife, .wads = {.files = files, .num_files = 1}};
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, (const int[]){0, 0, 0, 128, 128, 128}, texture, -1);
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 32, 32, 32);
    compile(c, &options);
    unlink(wad.path);
}

static void compile_pool(compiled_t *c, const char *liquid, bool halflife) {
    const char *files[] = {wad.path};
    mc_options_t options = {.halflife = halflife, .wads = {.files = files, .num_files = 1}};
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, (const int[]){0, 0, 0, 128, 128, 128}, "stone", -1);
    Text_Box(&text, (const int[]){0, 0, 0, 128, 128, 16}, liquid);
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 32, 32, 64);
    compile(c, &options);
    unlink(wad.path);
}

/// Returns texture `number` of the lump of textures.
static const uint8_t *texture_at(const compiled_t *c, int32_t number) {
    lumps_t l = Lumps_Of(c);
    const uint8_t *lump = Lump_At(&l, LUMP_TEXTURES);
    assert_in_range(number, 0, Lumps_I32(lump) - 1);
    return lump + Lumps_I32(lump + 4 + number * 4);
}

static int32_t num_textures(const compiled_t *c) {
    lumps_t l = Lumps_Of(c);
    return Lumps_I32(Lump_At(&l, LUMP_TEXTURES));
}

/// Checks a texture of the file: size, and the pixels first, first + 1, ... of its levels.
static const uint8_t *check_texture(const uint8_t *at, uint32_t width, uint32_t height,
                                    uint8_t first) {
    assert_int_equal(Lumps_U32(at + 16), width);
    assert_int_equal(Lumps_U32(at + 20), height);
    const uint8_t *end = at + 40;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(Lumps_U32(at + 24 + i * 4), (uint32_t)(end - at));
        for (uint32_t k = 0; k < (width >> i) * (height >> i); k++) {
            assert_int_equal(*end++, first + i);
        }
    }
    return end;
}

static void test_wad2(void **state) {
    (void)state;
    compiled_t c;
    start_wad("WAD2");
    add_texture("OTHER", 16, 16, 90);
    add_texture("Brick1", 32, 48, 10);
    save_wad();
    compile_with_wad(&c, "BRICK1", false);
    assert_string_equal(c.said, "");
    assert_int_equal(num_textures(&c), 1);
    assert_string_equal((const char *)texture_at(&c, 0), "brick1");
    check_texture(texture_at(&c, 0), 32, 48, 10);
    Compile_Free(&c);
}

/// Tests Half-Life's maps: the palette comes from the texture, or from a lump of a WAD2.
static void test_palettes(void **state) {
    (void)state;
    compiled_t c;
    start_wad("WAD3");
    add_texture("brick", 16, 16, 10);
    save_wad();
    compile_with_wad(&c, "brick", true);
    assert_string_equal(c.said, "");
    const uint8_t *palette = check_texture(texture_at(&c, 0), 16, 16, 10);
    assert_int_equal(Lumps_U16(palette), 256);
    assert_int_equal(palette[2], 210);
    assert_int_equal(palette[2 + 767], 210);
    Compile_Free(&c);
    for (int with = 0; with < 2; with++) {
        start_wad("WAD2");
        add_texture("brick", 16, 16, 10);
        if (with) {
            add_palette();
        }
        save_wad();
        compile_with_wad(&c, "brick", true);
        if (with) {
            assert_string_equal(c.said, "");
            assert_int_equal(check_texture(texture_at(&c, 0), 16, 16, 10)[2], 77);
        } else {
            assert_non_null(strstr(c.said, "brick: expected a PALETTE in one of the WAD2 files"));
        }
        Compile_Free(&c);
    }
    start_wad("WAD3");
    add_texture("brick", 16, 16, 10);
    save_wad();
    compile_with_wad(&c, "brick", false);
    assert_non_null(strstr(c.said, ": expected a WAD2 for a Quake map, found a WAD3; WAD file"));
    Compile_Free(&c);
}

/// Tests a texture that no WAD has: one warning, and one colour that depends only on the name.
static void test_missing(void **state) {
    (void)state;
    compiled_t c;
    start_wad("WAD2");
    add_texture("brick", 16, 16, 10);
    save_wad();
    compile_with_wad(&c, "stone", false);
    assert_string_equal(c.said, "t.map: warning: texture \"stone\" is in no WAD file; a plain "
                                "colour is used\n");
    const uint8_t *at = texture_at(&c, 0);
    assert_int_equal(Lumps_U32(at + 16), 64);
    for (int32_t i = 0; i < 64 * 64 / 64 * 85; i++) {
        assert_int_equal(at[40 + i], at[40]);
    }
    Compile_Free(&c);
    // A sky has two pictures; engines read both.
    start_wad("WAD2");
    save_wad();
    compile_with_wad(&c, "sky9", false);
    assert_int_equal(Lumps_U32(texture_at(&c, 0) + 16), 256);
    assert_int_equal(Lumps_U32(texture_at(&c, 0) + 20), 128);
    Compile_Free(&c);
}

/// Tests that a used texture brings the other frames of its animation.
static void test_frames(void **state) {
    (void)state;
    compiled_t c;
    start_wad("WAD2");
    add_texture("+0lamp", 16, 16, 10);
    add_texture("+1lamp", 16, 16, 20);
    add_texture("+alamp", 16, 16, 30);
    add_texture("+3lamp", 16, 16, 40);
    save_wad();
    compile_with_wad(&c, "+1lamp", false);
    static const char *const names[] = {"+1lamp", "+0lamp", "+2lamp", "+3lamp", "+alamp"};
    assert_int_equal(num_textures(&c), COUNTOF(names));
    for (int32_t i = 0; i < (int32_t)COUNTOF(names); i++) {
        assert_string_equal((const char *)texture_at(&c, i), names[i]);
    }
    assert_non_null(strstr(c.said, "texture \"+2lamp\" is in no WAD file"));
    check_texture(texture_at(&c, 4), 16, 16, 30);
    Compile_Free(&c);
}

// Tests that plain liquids have the colour of their kind: lava is red, water blue.
static void test_plain_liquids(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int32_t row, channel; ///< row of Quake's palette; brightest channel of BSP30's
    } liquids[] = {{"*lava1", 4, 0}, {"!slime", 3, 1}, {"*water2", 13, 2}};
    for (int32_t i = 0; i < 2 * (int32_t)COUNTOF(liquids); i++) {
        const char *name = liquids[i / 2].name;
        bool halflife = i % 2 != 0;
        if (name[0] == '!' && !halflife) {
            continue;
        }
        compiled_t c;
        start_wad("WAD2");
        save_wad();
        compile_pool(&c, name, halflife);
        int32_t number = num_textures(&c) - 1;
        while (strcmp((const char *)texture_at(&c, number), name) != 0) {
            number--; // texture_at fails if none has the name
        }
        const uint8_t *texture = texture_at(&c, number);
        assert_int_equal(texture[40] / 16, liquids[i / 2].row);
        const uint8_t *colour = texture + 40 + 64 * 64 / 64 * 85 + 2;
        for (int32_t k = 0; halflife && k < 3; k++) {
            assert_true(k == liquids[i / 2].channel || colour[k] < colour[liquids[i / 2].channel]);
        }
        Compile_Free(&c);
    }
}

/// Compiles with the WAD as it is, and checks that the texture became a plain colour.
static void check_refused(const char *warning) {
    compiled_t c;
    save_wad();
    compile_with_wad(&c, "brick", false);
    if (!strstr(c.said, warning)) {
        fail_msg("expected \"%s\", found \"%s\"", warning, c.said);
    }
    assert_int_equal(Lumps_U32(texture_at(&c, 0) + 16), 64);
    Compile_Free(&c);
}

static void test_hostile(void **state) {
    (void)state;
    static const struct {
        size_t at; ///< in the texture, or 1000 + place in its entry
        uint32_t value;
        const char *warning;
    } lies[] = {
        {16, 0, "brick: expected a width and height"},
        {16, 24, "brick: expected a width and height"},
        {20, 0x80000000u, "brick: expected a width and height"},
        {16, 4096, "brick: expected four levels"},
        {24, 0, "brick: expected four levels"},
        {28, 0xffffffffu, "brick: expected four levels"},
        {1000, 0xfffffff0u, "brick: its bytes are compressed or beyond"},
        {1004, 0xffffffffu, "brick: its bytes are compressed or beyond"},
        {1004, 39, "brick: its bytes are compressed or beyond"},
        {1012, 0x44 | 1 << 8, "brick: its bytes are compressed or beyond"},
    };
    for (size_t i = 0; i < COUNTOF(lies); i++) {
        start_wad("WAD2");
        size_t start = add_texture("brick", 16, 16, 10);
        bool in_entry = lies[i].at >= 1000;
        uint8_t *base = in_entry ? wad.entries[0] : wad.bytes + start;
        put_u32(base + (in_entry ? lies[i].at - 1000 : lies[i].at), lies[i].value);
        check_refused(lies[i].warning);
    }
    start_wad("PACK");
    check_refused("expected WAD2 or WAD3 at the start");
}

/// Tests a file that is cut, and one that promises more entries than it has.
static void test_hostile_table(void **state) {
    (void)state;
    start_wad("WAD2");
    add_texture("brick", 16, 16, 10);
    save_wad();
    err_t err;
    mc_wad_t open;
    size_t size = wad.used + 32;
    assert_true(MC_OpenWad(&open, "t.wad", wad.bytes, size, &err));
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *bytes = malloc(cut + 1); // of the exact size, so that sanitizers see a read beyond
        assert_non_null(bytes);
        memcpy(bytes, wad.bytes, cut);
        assert_false(MC_OpenWad(&open, "t.wad", bytes, cut, &err));
        free(bytes);
    }
    put_u32(wad.bytes + 4, 0x7fffffff);
    assert_false(MC_OpenWad(&open, "t.wad", wad.bytes, size, &err));
    assert_non_null(strstr(err.text, "t.wad: expected 2147483647 entries at "));
    unlink(wad.path);
}

/// Tests the key "wad": the folder of the map, a folder given, the last part of a path.
static void test_key(void **state) {
    (void)state;
    start_wad("WAD2");
    add_texture("brick", 16, 16, 10);
    save_wad();
    const char *folders[] = {"/nowhere", "/tmp"};
    mc_options_t options = {.wads = {.folders = folders, .num_folders = 2}};
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Add(&text, "\"wad\" \"C:\\work\\%s;;none.wad\"\n", strrchr(wad.path, '/') + 1);
    Text_Room(&text, (const int[]){0, 0, 0, 128, 128, 128}, "brick", -1);
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 32, 32, 32);
    compiled_t c;
    compile(&c, &options);
    assert_string_equal(c.said, "t.map:3: warning: WAD file \"none.wad\" not found; its textures "
                                "become plain colours; give its folder with --wadpath\n");
    check_texture(texture_at(&c, 0), 16, 16, 10);
    Compile_Free(&c);
    unlink(wad.path);
}

/// Tests a name that is too long for the file: one warning, and a cut name.
static void test_long_name(void **state) {
    (void)state;
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, (const int[]){0, 0, 0, 128, 128, 128}, "Castle_wall_with_moss", -1);
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 32, 32, 32);
    compiled_t c;
    compile(&c, &(mc_options_t){0});
    assert_string_equal((const char *)texture_at(&c, 0), "castle_wall_wit");
    assert_int_equal(c.num_warnings, 1);
    Compile_Free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standard),      cmocka_unit_test(test_valve),
        cmocka_unit_test(test_origin),        cmocka_unit_test(test_bad_placement),
        cmocka_unit_test(test_wad2),          cmocka_unit_test(test_palettes),
        cmocka_unit_test(test_missing),       cmocka_unit_test(test_frames),
        cmocka_unit_test(test_plain_liquids), cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_hostile_table), cmocka_unit_test(test_key),
        cmocka_unit_test(test_long_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
