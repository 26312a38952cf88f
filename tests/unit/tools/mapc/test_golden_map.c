// Tests that one small map gives the same bits on every compiler (tests/golden/mapc.txt).

#include "lib/golden_fixture.h"
#include "map_text.h"

/// Writes a side: three points, clockwise seen from outside.
static void add_side(map_text_t *t, const double p[9]) {
    Text_Add(t, "( %.4f %.4f %.4f ) ( %.4f %.4f %.4f ) ( %.4f %.4f %.4f ) stone 0 0 0 1 1\n", p[0],
             p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]);
}

/// Writes an upright prism over the given corners (counter-clockwise from above) with a tilted top.
static void add_prism(map_text_t *t, const double (*corners)[2], int count, double z,
                      double height) {
    Text_Add(t, "{\n");
    for (int i = 0; i < count; i++) {
        const double *a = corners[i];
        const double *b = corners[(i + 1) % count];
        const double side[9] = {b[0], b[1], z, a[0], a[1], z, a[0], a[1], z + 1.0};
        add_side(t, side);
    }
    const double *c = corners[0];
    const double top[9] = {c[0] + 1.0, c[1],       z + height + 0.5, c[0], c[1], z + height,
                           c[0],       c[1] + 1.0, z + height + 0.25};
    const double bottom[9] = {c[0], c[1] + 1.0, z, c[0], c[1], z, c[0] + 1.0, c[1], z};
    add_side(t, top);
    add_side(t, bottom);
    Text_Add(t, "}\n");
}

static void write_source(map_text_t *t) {
    static const int room[6] = {0, 0, 0, 384, 384, 192};
    static const int pool[6] = {256, 256, 0, 384, 384, 40};
    static const int slab[6] = {32, 300, 60, 96, 340, 68};
    static const double rock[5][2] = {
        {100.25, 90.5}, {150.75, 80.125}, {190.5, 120.0625}, {160.0, 180.3}, {110.7, 150.9}};
    static const double tower[3][2] = {{240.0, 60.0}, {330.1, 100.7}, {280.4, 170.2}};
    Text_Open(t, "worldspawn");
    Text_Room(t, room, "stone", -1);
    Text_Box(t, pool, "*water");
    add_prism(t, rock, 5, 0.0, 40.0);
    add_prism(t, tower, 3, -8.0, 90.0);
    Text_Close(t);
    Text_Point(t, "info_player_start", 40, 40, 40);
    Text_Open(t, "func_wall");
    Text_Box(t, slab, "metal");
    Text_Close(t);
}

static void print_map(test_golden_t *golden, const cmap_t *map) {
    TestGolden_Print(golden, "%s nodes %d leafs %d hull nodes %d models %d\n", map->format,
                     map->num_nodes, map->num_leafs, map->num_clipnodes, map->num_models);
    for (int32_t i = 0; i < map->num_planes; i++) {
        TestGolden_Print(golden, "plane %d", i);
        TestGolden_Vector(golden, "normal", map->planes[i].normal);
        TestGolden_Print(golden, " dist %a\n", (double)map->planes[i].dist);
    }
    for (int32_t i = 0; i < map->num_clipnodes; i++) {
        const clipnode_t *node = &map->clipnodes[i];
        TestGolden_Print(golden, "node %d plane %d dist %a children %d %d\n", i, node->plane,
                         (double)node->dist, node->children[0], node->children[1]);
    }
    for (int32_t i = 0; i < map->num_models; i++) {
        TestGolden_Print(golden, "model %d", i);
        TestGolden_Vector(golden, "mins", map->models[i].bounds.mins);
        TestGolden_Vector(golden, "maxs", map->models[i].bounds.maxs);
        for (int32_t hull = 0; hull < CM_NumHulls(map->hullset); hull++) {
            TestGolden_Print(golden, " %d", map->models[i].hulls[hull].root);
        }
        TestGolden_Print(golden, "\n");
    }
    TestGolden_Print(golden, "file %016llx\n", (unsigned long long)map->hash);
}

static void test_same_bits(void **state) {
    (void)state;
    static map_text_t text;
    test_golden_t golden = {0};
    write_source(&text);
    for (int half = 0; half < 2; half++) {
        compiled_t c;
        Compile_Text(&c, &text, half == 1);
        assert_string_equal(c.said, "");
        // The middle of the rock and of the tower is solid; above their tilted tops is air.
        assert_int_equal(Contents_At(&c, 0, 0, 140, 130, 30), CONTENTS_SOLID);
        assert_int_equal(Contents_At(&c, 0, 0, 285, 110, 70), CONTENTS_SOLID);
        assert_int_equal(Contents_At(&c, 0, 0, 285, 110, 150), CONTENTS_EMPTY);
        assert_int_equal(Contents_At(&c, 0, 0, 300, 300, 20), CONTENTS_WATER);
        print_map(&golden, &c.map);
        Compile_Free(&c);
    }
    assert_true(TestGolden_Check(&golden, "mapc.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
