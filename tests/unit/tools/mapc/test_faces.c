// Tests of the faces that a map is drawn from: shape, area, edges, lists of nodes and leafs.

#include "base/file.h"
#include "bsp/faces.h"
#include "face_lumps.h"
#include "mapc/drawing.h"
#include "mapc/portal.h"

#include <stdlib.h>

#define NEAR 0.03 // qu; the compiler welds vertices within 0.02

static map_text_t text; // static because it is large

/// The faces of a compiled map.
typedef struct {
    lumps_t lumps;
    face_t *faces;
    int32_t count;
} drawn_t;

static drawn_t read_faces(const compiled_t *c) {
    drawn_t d = {.lumps = Lumps_Of(c)};
    d.count = Count_Faces(&d.lumps);
    d.faces = calloc((size_t)d.count + 1, sizeof *d.faces);
    assert_non_null(d.faces);
    for (int32_t i = 0; i < d.count; i++) {
        Read_Face(&d.lumps, i, &d.faces[i]);
    }
    return d;
}

/// Checks that a face is in its plane, convex, and clockwise as seen from its front. In the fan of
/// triangles around its first corner, which engines draw, no triangle is flat.
static void check_shape(const face_t *f) {
    assert_true(f->bright);
    assert_true(Face_Area(f) > 0.0);
    for (int32_t i = 0; i < f->count; i++) {
        dvec_t before = f->points[(i + f->count - 1) % f->count];
        dvec_t after = f->points[(i + 1) % f->count];
        dvec_t out = DV_Cross(f->normal, DV_Sub(after, before));
        double bulge = DV_Dot(DV_Sub(f->points[i], before), out) / DV_Length(out);
        assert_true(fabs(DV_Dot(f->points[i], f->normal) - f->dist) < NEAR);
        assert_true(bulge > -NEAR);
    }
    dvec_t turn = DV(0, 0, 0);
    for (int32_t i = 2; i < f->count; i++) {
        dvec_t triangle =
            DV_Cross(DV_Sub(f->points[i - 1], f->points[0]), DV_Sub(f->points[i], f->points[0]));
        assert_true(DV_Length(triangle) > 0.01);
        turn = DV_Add(turn, triangle);
    }
    assert_true(DV_Dot(turn, f->normal) < 0.0);
}

/// Checks that software engines can light a face: at most 16 samples of 16 texels on each axis.
static void check_extent(const lumps_t *l, const face_t *f) {
    for (int32_t axis = 0; axis < 2 && !Face_IsSpecial(l, f); axis++) {
        float lo = 1e30f;
        float hi = -1e30f;
        for (int32_t i = 0; i < f->count; i++) {
            float texel = (float)Face_Texel(l, f, f->points[i], axis);
            lo = fminf(lo, texel);
            hi = fmaxf(hi, texel);
        }
        assert_true(ceilf(hi / 16.0f) - floorf(lo / 16.0f) <= 16.0f);
    }
}

/// Checks that each edge is used at most once in each direction.
static void check_edges(const drawn_t *d) {
    int32_t edges = Lump_Bytes(&d->lumps, LUMP_EDGES) / (d->lumps.wide ? 8 : 4);
    bool *used = calloc((size_t)edges * 2, sizeof *used);
    assert_non_null(used);
    for (int32_t i = 0; i < d->count; i++) {
        for (int32_t k = 0; k < d->faces[i].count; k++) {
            int32_t at = edges + d->faces[i].surfedges[k];
            assert_false(used[at]);
            used[at] = true;
        }
    }
    free(used);
}

/// Returns true if a vertex is on the edge between two others.
static bool is_inside_edge(dvec_t p, dvec_t from, dvec_t to) {
    dvec_t edge = DV_Sub(to, from);
    double length = DV_Length(edge);
    double along = DV_Dot(DV_Sub(p, from), edge) / length;
    dvec_t off = DV_Sub(p, DV_MA(from, along / length, edge));
    return along > NEAR && along < length - NEAR && DV_Length(off) < 0.015;
}

/// Checks that no vertex of a model is inside an edge of one of its faces.
static void check_junctions(const drawn_t *d, int32_t first, int32_t end) {
    int32_t vertices = Lump_Bytes(&d->lumps, LUMP_VERTEXES) / 12;
    bool *used = calloc((size_t)vertices, sizeof *used);
    assert_non_null(used);
    for (int32_t i = first; i < end; i++) {
        for (int32_t k = 0; k < d->faces[i].count; k++) {
            used[d->faces[i].vertices[k]] = true;
        }
    }
    for (int32_t i = first; i < end; i++) {
        const face_t *f = &d->faces[i];
        for (int32_t k = 0; k < f->count; k++) {
            for (int32_t v = 0; v < vertices; v++) {
                assert_false(used[v] && is_inside_edge(Vertex_At(&d->lumps, v), f->points[k],
                                                       f->points[(k + 1) % f->count]));
            }
        }
    }
    free(used);
}

/// Checks the lists of the nodes: together all faces, each in its node's plane.
static void check_nodes(const drawn_t *d) {
    const lumps_t *l = &d->lumps;
    const size_t bytes = l->wide ? 44 : 24;
    int32_t listed = 0;
    for (int32_t i = 0; i < Lump_Bytes(l, LUMP_NODES) / (int32_t)bytes; i++) {
        const uint8_t *at = Lump_At(l, LUMP_NODES) + (size_t)i * bytes;
        const uint8_t *list = at + (l->wide ? 36 : 20);
        int32_t first = Index_At(l, list, 0);
        for (int32_t k = 0; k < Index_At(l, list, 1); k++, listed++) {
            assert_in_range(first + k, 0, d->count - 1);
            assert_int_equal(d->faces[first + k].plane, Lumps_I32(at));
        }
    }
    assert_int_equal(listed, d->count);
}

/// Checks that every face is in the list of a leaf, and that only open leafs have lists.
static void check_leafs(const drawn_t *d) {
    const lumps_t *l = &d->lumps;
    const size_t bytes = l->wide ? 44 : 28;
    bool *marked = calloc((size_t)d->count + 1, sizeof *marked);
    assert_non_null(marked);
    for (int32_t i = 0; i < Lump_Bytes(l, LUMP_LEAFS) / (int32_t)bytes; i++) {
        const uint8_t *at = Lump_At(l, LUMP_LEAFS) + (size_t)i * bytes;
        const uint8_t *list = at + (l->wide ? 32 : 20);
        bool open = Lumps_I32(at) != CONTENTS_SOLID && Lumps_I32(at) != CONTENTS_SKY;
        assert_true(open || Index_At(l, list, 1) == 0);
        for (int32_t k = 0; k < Index_At(l, list, 1); k++) {
            int32_t face = Index_At(l, Lump_At(l, LUMP_MARKSURFACES), Index_At(l, list, 0) + k);
            assert_in_range(face, 0, d->count - 1);
            marked[face] = true;
        }
    }
    for (int32_t i = 0; i < d->count; i++) {
        assert_true(marked[i]);
    }
    free(marked);
}

/// Returns the area at which contents change, as seen from open leafs: from the portals of the tree
/// in the file. No brush and no face takes part.
static double portal_area(const drawn_t *d, int32_t root) {
    const lumps_t *l = &d->lumps;
    size_t budget = (size_t)1 << 30;
    mc_fail_t fail;
    if (setjmp(fail.where)) {
        fail_msg("%s", fail.text);
    }
    mc_pools_t pools = {{.budget_bytes = &budget, .fail = &fail},
                        {.budget_bytes = &budget, .fail = &fail}};
    mc_planes_t *table = calloc(1, sizeof *table);
    assert_non_null(table);
    MC_InitPlanes(table, &pools.keep);
    mc_tree_t tree = {.table = table, .root = root};
    tree.bounds = (dbounds_t){{-9000, -9000, -9000}, {9000, 9000, 9000}};
    const size_t node_bytes = l->wide ? 44 : 24;
    for (int32_t i = 0; i < Lump_Bytes(l, LUMP_PLANES) / 20; i++) {
        const uint8_t *at = Lump_At(l, LUMP_PLANES) + (size_t)i * 20;
        table->planes =
            MC_Grow(&pools.keep, table->planes, table->count, &table->room, sizeof *table->planes);
        table->planes[table->count++] = (dplane_t){Read_Vector(at), (double)Lumps_F32(at + 12)};
    }
    for (int32_t i = 0; i < Lump_Bytes(l, LUMP_NODES) / (int32_t)node_bytes; i++) {
        const uint8_t *at = Lump_At(l, LUMP_NODES) + (size_t)i * node_bytes;
        MC_AddNode(&tree, &pools.keep, Lumps_I32(at));
        mc_node_t *node = &tree.nodes[i];
        for (int32_t h = 0; h < 2; h++) {
            node->children[h] =
                l->wide ? Lumps_I32(at + 4 + h * 4) : (int16_t)Lumps_U16(at + 4 + h * 2);
        }
    }
    const size_t leaf_bytes = l->wide ? 44 : 28;
    for (int32_t i = 0; i < Lump_Bytes(l, LUMP_LEAFS) / (int32_t)leaf_bytes; i++) {
        MC_AddLeaf(&tree, &pools.keep, Lumps_I32(Lump_At(l, LUMP_LEAFS) + (size_t)i * leaf_bytes));
    }
    mc_portals_t portals;
    MC_FindPortals(&portals, &pools, &tree, MC_MIN_PORTAL_WIDTH);
    double area = 0.0;
    for (size_t i = 0; i < portals.count; i++) {
        const mc_portal_t *p = &portals.portals[i];
        for (int32_t h = 0; h < 2; h++) {
            contents_t seen_from =
                p->leafs[h] < 0 ? CONTENTS_SOLID : tree.leafs[p->leafs[h]].contents;
            contents_t beyond =
                p->leafs[1 - h] < 0 ? seen_from : tree.leafs[p->leafs[1 - h]].contents;
            bool open = seen_from != CONTENTS_SOLID && seen_from != CONTENTS_SKY;
            area += open && seen_from != beyond ? MC_WindingArea(p->winding) : 0.0;
        }
    }
    MC_FreePool(&pools.keep);
    MC_FreePool(&pools.temp);
    free(table);
    return area;
}

/// Checks all that holds for every map. The area is not compared if textures of tools hide sides.
static void check_map(const compiled_t *c, bool all_drawn) {
    drawn_t d = read_faces(c);
    const lumps_t *l = &d.lumps;
    err_t err;
    bsp_faces_t read;
    if (!Faces_Parse(&read, "t.bsp", c->result.bsp, c->result.bsp_size, &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(read.num_faces, d.count);
    Faces_Free(&read);
    assert_int_equal(Lump_Bytes(l, LUMP_LIGHTING), 0);
    for (int32_t i = 0; i < d.count; i++) {
        check_shape(&d.faces[i]);
        check_extent(l, &d.faces[i]);
    }
    check_edges(&d);
    check_nodes(&d);
    check_leafs(&d);
    int32_t next = 0;
    for (int32_t m = 0; m < c->map.num_models; m++) {
        const uint8_t *model = Lump_At(l, LUMP_MODELS) + (size_t)m * 64;
        int32_t count = Lumps_I32(model + 60);
        assert_true(count == 0 || Lumps_I32(model + 56) == next);
        double area = 0.0;
        for (int32_t i = next; i < next + count; i++) {
            area += Face_Area(&d.faces[i]);
        }
        double wanted = all_drawn ? portal_area(&d, Lumps_I32(model + 36)) : area;
        if (fabs(area - wanted) > 0.0002 * wanted + 1.0) {
            fail_msg("model %d: the faces have %.1f square qu, the tree %.1f", m, area, wanted);
        }
        check_junctions(&d, next, next + count);
        next += count;
    }
    assert_int_equal(next, d.count);
    free(d.faces);
}

/// Writes a room with a pillar on the floor, a pool, a ramp against a wall and a sky.
static void write_room(map_text_t *t) {
    static const int room[6] = {0, 0, 0, 512, 512, 256};
    static const int pillar[6] = {200, 200, -16, 264, 248, 100};
    static const int pool[6] = {320, 0, 0, 512, 160, 40};
    static const int sky[6] = {64, 300, 240, 192, 480, 256};
    static const int shelf[6] = {480, 300, 90, 530, 420, 100};
    t->used = 0;
    Text_Open(t, "worldspawn");
    Text_Room(t, room, "stone", -1);
    Text_Box(t, pillar, "Pillar");
    Text_Box(t, pool, "*water");
    Text_Box(t, sky, "sky1");
    Text_Box(t, shelf, "shelf");
    Text_Box(t, (const int[]){8, 490, 200, 258, 512, 256}, "beam");
    Text_Add(t, "{\n( 400 340 0 ) ( 440 300 0 ) ( 400 340 9 ) diamond 0 0 0 1 1\n"
                "( 440 300 0 ) ( 400 260 0 ) ( 440 300 9 ) diamond 0 0 0 1 1\n"
                "( 400 260 0 ) ( 360 300 0 ) ( 400 260 9 ) diamond 0 0 0 1 1\n"
                "( 360 300 0 ) ( 400 340 0 ) ( 360 300 9 ) diamond 0 0 0 1 1\n"
                "( 0 0 0 ) ( 64 0 0 ) ( 0 64 0 ) diamond 0 0 0 1 1\n"
                "( 0 0 64 ) ( 0 64 64 ) ( 64 0 64 ) diamond 0 0 0 1 1\n}\n");
    Text_Add(t, "{\n( 0 0 0 ) ( 0 64 0 ) ( 0 0 64 ) a 0 0 0 1 1\n"
                "( 0 0 0 ) ( 0 0 64 ) ( 64 0 0 ) a 0 0 0 1 1\n"
                "( 0 96 0 ) ( 64 96 0 ) ( 0 96 64 ) a 0 0 0 1 1\n"
                "( 0 0 0 ) ( 64 0 0 ) ( 0 64 0 ) a 0 0 0 1 1\n"
                "( 0 0 64 ) ( 0 64 64 ) ( 64 0 0 ) a 0 0 0 1 1\n}\n");
    Text_Close(t);
    Text_Point(t, "info_player_start", 400, 400, 32);
    Text_Open(t, "func_wall");
    Text_Add(t, "\"targetname\" \"w\"\n");
    Text_Box(t, (const int[]){20, 200, 20, 60, 500, 60}, "metal");
    Text_Close(t);
}

/// Returns the area of all faces of a texture that face along a direction.
static double area_of(const drawn_t *d, const char *texture, dvec_t normal) {
    double area = 0.0;
    for (int32_t i = 0; i < d->count; i++) {
        bool named = strcmp(Face_Texture(&d->lumps, &d->faces[i]), texture) == 0;
        area += named && DV_Dot(d->faces[i].normal, normal) > 0.999 ? Face_Area(&d->faces[i]) : 0.0;
    }
    return area;
}

static void test_room(void **state) {
    (void)state;
    static const mc_options_t formats[] = {{0}, {.bsp2 = true}, {.halflife = true}};
    write_room(&text);
    for (size_t i = 0; i < COUNTOF(formats); i++) {
        compiled_t c;
        Compile_Bytes(&c, text.text, text.used, &formats[i]);
        assert_string_equal(c.said, "");
        check_map(&c, true);
        drawn_t d = read_faces(&c);
        dvec_t up = DV(0, 0, 1);
        dvec_t down = DV(0, 0, -1);
        // The pillar, the diamond and the ramp hide a part of the floor; the pool does not.
        assert_float_equal(area_of(&d, "stone", up), 512 * 512 - 64 * 48 - 64 * 96 - 80 * 40, 0.01);
        assert_float_equal(area_of(&d, "pillar", up), 64 * 48, 0.01);
        assert_float_equal(area_of(&d, "pillar", down), 0.0, 0.01);
        assert_float_equal(area_of(&d, "*water", up), 192 * 160, 0.01);
        assert_float_equal(area_of(&d, "*water", down), 192 * 160, 0.01);
        assert_float_equal(area_of(&d, "sky1", down), 128 * 180, 0.01);
        assert_float_equal(area_of(&d, "sky1", up), 0.0, 0.01);
        assert_float_equal(area_of(&d, "shelf", up), 32 * 120, 0.01);
        assert_float_equal(area_of(&d, "metal", up), 40 * 300, 0.01);
        free(d.faces);
        Compile_Free(&c);
    }
}

/// Tests that a map with a leak shows its outside, too, and that tools' textures have no faces.
static void test_leak_and_tools(void **state) {
    (void)state;
    compiled_t c;
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, (const int[]){0, 0, 0, 256, 256, 128}, "stone", 5);
    Text_Box(&text, (const int[]){64, 64, 32, 96, 96, 64}, "skip");
    Text_Box(&text, (const int[]){128, 64, 32, 160, 96, 64}, "clip");
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 32, 32, 32);
    Compile_Text(&c, &text, false);
    assert_int_equal(c.outcome, MC_LEAKED);
    check_map(&c, false);
    drawn_t d = read_faces(&c);
    assert_float_equal(area_of(&d, "stone", DV(0, 0, -1)), 288 * 288, 0.01);
    for (int32_t i = 0; i < d.count; i++) {
        assert_string_equal(Face_Texture(&d.lumps, &d.faces[i]), "stone");
    }
    free(d.faces);
    Compile_Free(&c);
}

/// Tests faces with many T-junctions: a sky is not split, but the walls around it are. Engines take
/// at most 60 corners.
static void test_many_corners(void **state) {
    (void)state;
    compiled_t c;
    text.used = 0;
    Text_Open(&text, "worldspawn");
    Text_Room(&text, (const int[]){0, 0, 0, 8192, 4096, 64}, "stone", 5);
    Text_Box(&text, (const int[]){-16, -16, 64, 8208, 4112, 80}, "sky1");
    Text_Add(&text, "{\n( 0 0 0 ) ( 0 64 0 ) ( 0 0 64 ) a 0 0 0 1 1\n"
                    "( 0 0 0 ) ( 0 0 64 ) ( 64 0 0 ) a 0 0 0 1 1\n"
                    "( 0 0 64 ) ( 0 64 64 ) ( 64 0 64 ) a 0 0 0 1 1\n"
                    "( 0 0 0 ) ( 64 0 0 ) ( 0 64 0 ) a 0 0 0 1 1\n"
                    "( 0 4096 0 ) ( 8192 0 0 ) ( 0 4096 64 ) a 0 0 0 1 1\n}\n");
    Text_Close(&text);
    Text_Point(&text, "info_player_start", 8000, 4000, 32);
    Compile_Text(&c, &text, false);
    assert_string_equal(c.said, "");
    check_map(&c, true);
    drawn_t d = read_faces(&c);
    int32_t skies = 0;
    for (int32_t i = 0; i < d.count; i++) {
        skies += strcmp(Face_Texture(&d.lumps, &d.faces[i]), "sky1") == 0;
    }
    assert_in_range(skies, 2, 8); // a triangle with more than 60 corners
    free(d.faces);
    Compile_Free(&c);
}

/// Compiles a map of the repository and checks its faces.
static void check_file(const char *path) {
    err_t err;
    size_t size;
    uint8_t *source = File_Read(path, (size_t)1 << 24, &size, &err);
    if (!source) {
        fail_msg("%s", err.text);
        return;
    }
    compiled_t c;
    Compile_Bytes(&c, (const char *)source, size, &(mc_options_t){0});
    check_map(&c, strstr((const char *)source, "trigger") == NULL);
    Compile_Free(&c);
    free(source);
}

static void test_maps(void **state) {
    (void)state;
    check_file("maps/slopes.map");
    check_file("maps/turn.map");
}

static winding_t *make_winding(mc_pool_t *pool, const double (*points)[2], int32_t count) {
    winding_t *w = MC_Alloc(pool, 1, sizeof *w + (size_t)count * sizeof(dvec_t));
    for (int32_t i = 0; i < count; i++) {
        w->points[w->num_points++] = DV(points[i][0], points[i][1], 0);
    }
    return w;
}

/// Tests a corner so sharp that its edge passes the next corner: the tip is left out.
static void test_spike(void **state) {
    (void)state;
    static const double points[4][2] = {{0, 0}, {10, 0}, {9.95, 0.015}, {5, 8}};
    size_t budget = (size_t)1 << 24;
    mc_fail_t fail;
    mc_pools_t pools = {{.budget_bytes = &budget, .fail = &fail},
                        {.budget_bytes = &budget, .fail = &fail}};
    mc_polygon_t polygon = {.winding = make_winding(&pools.keep, points, 4)};
    mc_polygons_t list = {&polygon, 1, 1};
    mc_drawing_t drawing;
    int32_t first[2];
    MC_InitDrawing(&drawing, &pools.keep);
    MC_AddFaces(&drawing, &pools, &list, first);
    assert_int_equal(drawing.num_faces, 1);
    assert_int_equal(drawing.faces[0].num_edges, 3);
    MC_FreePool(&pools.keep);
    MC_FreePool(&pools.temp);
}

/// Merges two polygons in the plane z = 0. Returns the corners of the result; 0: they stay apart.
static int32_t merged_corners(const double (*a)[2], int32_t num_a, const double (*b)[2],
                              int32_t num_b, bool same_texture) {
    size_t budget = (size_t)1 << 24;
    mc_fail_t fail;
    mc_pools_t pools = {{.budget_bytes = &budget, .fail = &fail},
                        {.budget_bytes = &budget, .fail = &fail}};
    dplane_t plane = {{0, 0, 1}, 0};
    mc_planes_t table = {.planes = &plane, .count = 1};
    mc_polygon_t polygons[2] = {{.texinfo = 0}, {.texinfo = same_texture ? 0 : 1}};
    polygons[0].winding = make_winding(&pools.keep, a, num_a);
    polygons[1].winding = make_winding(&pools.keep, b, num_b);
    mc_polygons_t list = {polygons, 2, 2};
    MC_MergePolygons(&list, &pools, &table);
    int32_t corners = list.count == 1 ? polygons[0].winding->num_points : 0;
    MC_FreePool(&pools.keep);
    MC_FreePool(&pools.temp);
    return corners;
}

static void test_merge(void **state) {
    (void)state;
    static const double box[4][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}};
    static const double right[4][2] = {{4, 0}, {8, 0}, {8, 4}, {4, 4}};
    static const double wide[4][2] = {{4, 0}, {8, -3}, {8, 4}, {4, 4}}; // concave at (4, 0)
    static const double high[4][2] = {{4, 0}, {8, 0}, {8, 7}, {4, 4}};  // concave at (4, 4)
    static const double tip[3][2] = {{4, 0}, {8, 2}, {4, 4}};
    static const double half[4][2] = {{4, 0}, {8, 0}, {8, 2}, {4, 2}};
    assert_int_equal(merged_corners(box, 4, right, 4, true), 4); // straight corners go
    assert_int_equal(merged_corners(right, 4, box, 4, true), 4);
    assert_int_equal(merged_corners(box, 4, tip, 3, true), 5);
    assert_int_equal(merged_corners(box, 4, wide, 4, true), 0);
    assert_int_equal(merged_corners(wide, 4, box, 4, true), 0);
    assert_int_equal(merged_corners(box, 4, high, 4, true), 0);
    assert_int_equal(merged_corners(high, 4, box, 4, true), 0);
    assert_int_equal(merged_corners(box, 4, half, 4, true), 0);
    assert_int_equal(merged_corners(box, 4, right, 4, false), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room),         cmocka_unit_test(test_leak_and_tools),
        cmocka_unit_test(test_many_corners), cmocka_unit_test(test_merge),
        cmocka_unit_test(test_spike),        cmocka_unit_test(test_maps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
