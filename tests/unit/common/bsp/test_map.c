// Tests of Map_Load: compiled maps with meshes placed in them, worlds that are a mesh, and refused
// files.

#include "base/file.h"
#include "base/rng.h"
#include "bsp/map_local.h"
#include "lib/emesh_fixture.h"
#include "lib/map_fixture.h"
#include "lib/model_fixture.h"
#include "lib/testing.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/edictd-map-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text) {
    err_t err;
    assert_true(File_Write(path_of(name), text, strlen(text), &err));
}

static void write_room(const char *name, const char *entities) {
    const test_block_t block = {
        .box = {{-8.0f, -8.0f, -8.0f}, {8.0f, 8.0f, 8.0f}}, .contents = CONTENTS_SOLID, .model = 1};
    size_t size = 0;
    err_t err;
    uint8_t *bytes =
        TestMap_Bytes(&(test_map_t){.room = {{-256.0f, -256.0f, 0.0f}, {256.0f, 256.0f, 256.0f}},
                                    .blocks = &block,
                                    .num_blocks = 1,
                                    .entities = entities},
                      &size);
    assert_true(File_Write(path_of(name), bytes, size, &err));
    free(bytes);
}

static void write_box(const char *name, float size, uint32_t flags, contents_t contents) {
    built_mesh_t box;
    TestEmesh_Box(&box, (bounds_t){{-size, -size, -size}, {size, size, size}}, flags, contents);
    TestEmesh_Write(path_of(name), &box, 1);
}

#define WORLD "{\n\"classname\" \"worldspawn\"\n}\n"
#define MESH(file)                                                                                 \
    "{\n\"classname\" \"func_mesh\"\n\"origin\" \"1 2 3\"\n\"model\" \"" file "\"\n}\n"

static void test_recovers_brushes(void **state) {
    (void)state;
    cmap_t map;
    err_t err = {{0}};
    write_room("recovered.bsp", WORLD);
    assert_true(Map_LoadInto(&map, path_of("recovered.bsp"), &err));
    assert_int_equal(CM_Info(&map).num_recovered, 6 + 1);
    const vec3_t half = {5.0f, 5.0f, 5.0f};
    assert_true(CM_UsesBrushes(&map, CM_SOLIDS_AUTO, VectorNegate(half), half));
    const bounds_t player = CM_HullSize(HULLSET_QUAKE, 1);
    assert_false(CM_UsesBrushes(&map, CM_SOLIDS_AUTO, player.mins, player.maxs));
    CM_FreeMap(&map);
}

static void test_placed_meshes(void **state) {
    (void)state;
    cmap_t map;
    err_t err = {{0}};
    mkdir(path_of("meshes"), 0755);
    write_box("meshes/rock.emesh", 16.0f, 0, CONTENTS_SOLID);
    write_box("pool.emesh", 32.0f, MESH_VOLUME, CONTENTS_WATER);
    write_room("room.bsp", WORLD MESH("meshes/rock.emesh") MESH("pool.emesh") MESH("*1")
                               MESH("meshes/rock.emesh") MESH("progs/armor.mdl"));
    if (!Map_LoadInto(&map, path_of("room.bsp"), &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(map.num_models, 2 + 2); // each file is loaded once
    assert_int_equal(Map_FindModel(&map, "*1"), 1);
    assert_int_equal(Map_FindModel(&map, "meshes/rock.emesh"), 2);
    assert_int_equal(Map_FindModel(&map, "pool.emesh"), 3);
    static const char *const none[] = {"*0", "*2", "*4", "*-1", "*", "", "rock.emesh", "*1x"};
    for (size_t i = 0; i < COUNTOF(none); i++) {
        assert_int_equal(Map_FindModel(&map, none[i]), -1);
    }
    assert_int_equal(map.models[1].kind, MODEL_BSP);
    assert_int_equal(map.models[2].kind, MODEL_MESH);
    assert_true(map.models[2].bounds.maxs.y == 16.0f);
    assert_true(map.models[3].bounds.mins.z == -32.0f);
    // The map's own models are unchanged.
    assert_int_equal(CM_PointContents(&map, 0, Vector(0.0f, 0.0f, 100.0f)), CONTENTS_EMPTY);
    assert_int_equal(CM_PointContents(&map, 1, Vector(0.0f, 0.0f, 0.0f)), CONTENTS_SOLID);
    // The rock is solid at its origin. The pool is water and not solid.
    const cm_object_t rock = {.model = 2, .origin = {100.0f, 0.0f, 100.0f}};
    const vec3_t half = {8.0f, 8.0f, 8.0f};
    trace_t trace = CM_BoxTrace(&map, &rock, Vector(0.0f, 0.0f, 100.0f),
                                Vector(200.0f, 0.0f, 100.0f), VectorNegate(half), half);
    assert_true(fabsf(trace.endpos.x - (76.0f - CM_DIST_EPSILON)) < 0.001f);
    const cm_object_t pool = {.model = 3, .origin = {100.0f, 0.0f, 100.0f}};
    trace = CM_BoxTrace(&map, &pool, Vector(0.0f, 0.0f, 100.0f), Vector(200.0f, 0.0f, 100.0f),
                        VectorNegate(half), half);
    assert_true(trace.fraction == 1.0f);
    assert_false(trace.startsolid);
    assert_int_equal(CM_Contents(&map, &pool, Vector(110.0f, 3.0f, 120.0f)), CONTENTS_WATER);
    assert_true(CM_BoxTouches(&map, &pool, Vector(110.0f, 3.0f, 120.0f), VectorNegate(half), half));
    CM_FreeMap(&map);
    CM_FreeMap(&map); // a zeroed map may be freed
}

/// Tests the hash: equal hashes mean that server and client have the same meshes.
static void test_hash(void **state) {
    (void)state;
    cmap_t map;
    cmap_t plain;
    err_t err;
    write_box("a.emesh", 16.0f, 0, CONTENTS_SOLID);
    write_room("plain.bsp", WORLD MESH("*1"));
    assert_true(Map_LoadInto(&map, path_of("plain.bsp"), &err));
    assert_true(BSP_Load(&plain, path_of("plain.bsp"), &err));
    assert_true(map.hash == plain.hash); // without meshes: the hash of the file
    CM_FreeMap(&map);
    CM_FreeMap(&plain);
    write_room("meshed.bsp", WORLD MESH("a.emesh"));
    uint64_t hashes[3];
    for (int32_t i = 0; i < 3; i++) {
        if (i == 1) {
            write_box("a.emesh", 17.0f, 0, CONTENTS_SOLID);
        }
        assert_true(Map_LoadInto(&map, path_of("meshed.bsp"), &err));
        hashes[i] = map.hash;
        CM_FreeMap(&map);
    }
    assert_true(hashes[0] != hashes[1]);
    assert_true(hashes[1] == hashes[2]);
}

/// Tests that files with bones are numbered separately from files with triangles, and are part of
/// the hash.
static void test_skeletons(void **state) {
    (void)state;
    cmap_t map;
    err_t err = {{0}};
    built_mesh_t box;
    test_model_t *model = TestModel_Make(1, 12, 9);
    mkdir(path_of("models"), 0755);
    write_box("rock.emesh", 16.0f, 0, CONTENTS_SOLID);
    assert_true(File_Write(path_of("models/man.emesh"), model->bytes, model->size, &err));
    TestEmesh_Box(&box, (bounds_t){{-4.0f, -4.0f, -4.0f}, {4.0f, 4.0f, 4.0f}}, 0, CONTENTS_SOLID);
    TestEmesh_WriteBoth(path_of("models/statue.emesh"), &box, model->bytes, model->size);
    write_room("bones.bsp", WORLD MESH("models/man.emesh") MESH("rock.emesh")
                                MESH("models/statue.emesh") MESH("models/man.emesh"));
    if (!Map_LoadInto(&map, path_of("bones.bsp"), &err)) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(map.num_models, 2 + 2);
    assert_int_equal(map.num_skeletons, 2);
    assert_int_equal(Map_FindModel(&map, "models/man.emesh"), -1);
    assert_int_equal(Map_FindModel(&map, "rock.emesh"), 2);
    assert_int_equal(Map_FindModel(&map, "models/statue.emesh"), 3);
    assert_int_equal(Map_FindSkeleton(&map, "models/man.emesh"), 0);
    assert_int_equal(Map_FindSkeleton(&map, "rock.emesh"), -1);
    assert_int_equal(Map_FindSkeleton(&map, "models/statue.emesh"), 1);
    for (int32_t i = 0; i < 2; i++) {
        assert_true(map.skeletons[i].hash == model->read.hash);
        assert_int_equal(map.skeletons[i].num_bones, 12);
        assert_string_equal(map.skeletons[i].animations[3].name, "animation 3");
    }
    uint64_t hash = map.hash;
    CM_FreeMap(&map);
    model->hitboxes[8].group ^= 1; // one bit of a hitbox
    TestModel_Write(model);
    assert_true(File_Write(path_of("models/man.emesh"), model->bytes, model->size, &err));
    assert_true(Map_LoadInto(&map, path_of("bones.bsp"), &err));
    assert_true(map.hash != hash);
    CM_FreeMap(&map);
    TestModel_Free(model);
}

/// Tests the limit of the number of skeletons, with one file under many names.
static void test_too_many_skeletons(void **state) {
    (void)state;
    cmap_t map;
    err_t err = {{0}};
    test_model_t *model = TestModel_Make(2, 1, 1);
    char *text = calloc(MAX_MAP_SKELETONS + 2, 64);
    assert_non_null(text);
    assert_true(File_Write(path_of("m0.emesh"), model->bytes, model->size, &err));
    size_t used = (size_t)sprintf(text, WORLD);
    for (int32_t i = 0; i <= MAX_MAP_SKELETONS; i++) {
        char name[32];
        char first[128];
        snprintf(name, sizeof name, "m%d.emesh", i);
        snprintf(first, sizeof first, "%s", path_of("m0.emesh"));
        assert_true(i == 0 || link(first, path_of(name)) == 0);
        if (i == MAX_MAP_SKELETONS) {
            write_room("many.bsp", text);
            assert_true(Map_LoadInto(&map, path_of("many.bsp"), &err));
            assert_int_equal(map.num_skeletons, MAX_MAP_SKELETONS);
            CM_FreeMap(&map);
        }
        used += (size_t)sprintf(text + used, "{\n\"classname\" \"a\"\n\"model\" \"%s\"\n}\n", name);
    }
    write_room("many.bsp", text);
    assert_false(Map_LoadInto(&map, path_of("many.bsp"), &err));
    assert_non_null(strstr(err.text, "expected at most 256 files with bones, found more"));
    free(text);
    TestModel_Free(model);
}

typedef struct {
    const char *entities, *reason;
} bad_t;

static void test_bad_meshes(void **state) {
    (void)state;
    static const bad_t bads[] = {
        {WORLD MESH("../a.emesh"), "bad.bsp: entities: line 7: model \"../a.emesh\": expected a "
                                   "path without empty names"},
        {WORLD MESH("/tmp/a.emesh"), "expected a relative path below"},
        {WORLD MESH("x/../a.emesh"), "expected a path without empty names"},
        {WORLD MESH("x//a.emesh"), "expected a path without empty names"},
        {WORLD MESH("x\\\\a.emesh"), "expected a relative path below"},
        {WORLD MESH("a.emesh") MESH("missing.emesh"), "line 12: model \"missing.emesh\": "},
        {WORLD MESH("damaged.emesh"), "damaged.emesh: byte 16: header: expected the checksum"},
        {WORLD MESH("bones.emesh"), "bones.emesh: skeleton: byte 0: expected at least 16 bytes"},
        {WORLD MESH("boneless.emesh"),
         "expected a mesh or hitboxes to collide with, found neither"},
        {WORLD MESH("a.emesh") MESH("loop.emesh"),
         "bad.bsp: entities: line 12: model \"loop.emesh\": "},
        {WORLD MESH("loop.emesh"), "loop.emesh: skeleton: byte 48: bone 0: expected a parent"},
    };
    size_t size = 0;
    err_t err;
    write_box("a.emesh", 16.0f, 0, CONTENTS_SOLID);
    uint8_t *bytes = File_Read(path_of("a.emesh"), MAX_EMESH_BYTES, &size, &err);
    bytes[size - 1] ^= 1;
    assert_true(File_Write(path_of("damaged.emesh"), bytes, size, &err));
    free(bytes);
    const uint8_t bones[3] = {1, 2, 3};
    bytes = EMesh_Bytes(&(emesh_section_t){EMESH_SKELETON, bones, sizeof bones}, 1, &size);
    assert_true(File_Write(path_of("bones.emesh"), bytes, size, &err));
    free(bytes);
    test_model_t *model = TestModel_Make(3, 4, 2);
    model->model.num_hitboxes = 0;
    model->model.num_animations = model->model.num_frames = 0;
    TestModel_Write(model);
    assert_true(File_Write(path_of("boneless.emesh"), model->bytes, model->size, &err));
    model->bones[0].parent = 2;
    TestModel_Write(model);
    assert_true(File_Write(path_of("loop.emesh"), model->bytes, model->size, &err));
    TestModel_Free(model);
    for (size_t i = 0; i < COUNTOF(bads); i++) {
        cmap_t map;
        err = (err_t){{0}};
        write_room("bad.bsp", bads[i].entities);
        if (Map_LoadInto(&map, path_of("bad.bsp"), &err) || !strstr(err.text, bads[i].reason)) {
            fail_msg("%zu: expected \"%s\", found \"%s\"", i, bads[i].reason, err.text);
        }
        assert_null(map.models);
    }
    cmap_t map;
    assert_false(Map_LoadInto(&map, path_of("bones.emesh"), &err));
    assert_non_null(strstr(err.text, "expected a mesh to collide with, found none"));
    write_text("a.ent", WORLD MESH("missing.emesh"));
    assert_false(Map_LoadInto(&map, path_of("a.emesh"), &err));
    assert_non_null(strstr(err.text, "/a.ent: entities: line 7: model \"missing.emesh\": "));
    assert_int_equal(unlink(path_of("a.ent")), 0);
    assert_false(Map_LoadInto(&map, path_of("damaged.emesh"), &err));
    assert_false(Map_LoadInto(&map, path_of("no/such.emesh"), &err));
    assert_false(Map_LoadInto(&map, folder, &err));
    write_text("short.bsp", "EM");
    assert_false(Map_LoadInto(&map, path_of("short.bsp"), &err));
}

/// Returns the origin of the only start in the map's entities.
static vec3_t start_of(const cmap_t *map) {
    vec3_t at;
    const char *origin = strstr(map->entities, "\"origin\" \"");
    assert_non_null(origin);
    assert_int_equal(sscanf(origin, "\"origin\" \"%f %f %f\"", &at.x, &at.y, &at.z), 3);
    return at;
}

static void test_world_of_mesh(void **state) {
    (void)state;
    cmap_t map;
    err_t err = {{0}};
    built_mesh_t parts[2];
    TestEmesh_Terrain(&parts[0]);
    TestEmesh_Box(&parts[1], (bounds_t){{-900.0f, -900.0f, -500.0f}, {-300.0f, -300.0f, 0.0f}},
                  MESH_VOLUME, CONTENTS_WATER);
    TestEmesh_Write(path_of("terrain.emesh"), parts, 2);
    if (!Map_LoadInto(&map, path_of("terrain.emesh"), &err)) {
        fail_msg("%s", err.text);
    }
    assert_string_equal(map.name, "terrain");
    assert_string_equal(map.format, "EMESH");
    assert_int_equal(map.num_models, 1);
    assert_int_equal(map.models[0].num_more_meshes, 1);
    assert_true(map.models[0].bounds.maxs.x == 1024.0f);
    assert_true(map.models[0].bounds.mins.z == -500.0f);
    assert_int_equal(CM_PointLeaf(&map, Vector(0.0f, 0.0f, 100.0f)), 1);
    assert_int_equal(CM_PointContents(&map, 0, Vector(-500.0f, -500.0f, -5.0f)), CONTENTS_WATER);
    assert_int_equal(CM_PointContents(&map, 0, Vector(-500.0f, -500.0f, 5.0f)), CONTENTS_EMPTY);
    // The start added by default is on the ground in the middle of the map.
    const cm_object_t place = {.model = 0};
    const vec3_t mins = {-16.0f, -16.0f, -36.0f};
    const vec3_t maxs = {16.0f, 16.0f, 36.0f};
    vec3_t start = start_of(&map);
    trace_t trace =
        CM_BoxTrace(&map, &place, start, VectorAdd(start, Vector(0.0f, 0.0f, -1.0f)), mins, maxs);
    assert_false(trace.startsolid);
    assert_true(trace.fraction < 1.0f);
    assert_true(start.x == 0.0f);
    assert_true(start.y == 0.0f);
    assert_true(fabsf(start.z - 36.0f - TestEmesh_Height(0.0f, 0.0f)) < 10.0f);
    uint64_t hash = map.hash;
    CM_FreeMap(&map);
    // With a file of entities beside it, the world has these entities and the meshes placed by
    // them, and another hash.
    write_box("crate.emesh", 16.0f, 0, CONTENTS_SOLID);
    write_text("terrain.ent", WORLD MESH("crate.emesh"));
    assert_true(Map_LoadInto(&map, path_of("terrain.emesh"), &err));
    assert_string_equal(map.entities, WORLD MESH("crate.emesh"));
    assert_int_equal(map.entities_bytes, strlen(WORLD MESH("crate.emesh")));
    assert_int_equal(map.num_models, 2);
    assert_int_equal(Map_FindModel(&map, "crate.emesh"), 1);
    assert_true(map.hash != hash);
    CM_FreeMap(&map);
    assert_true(File_Write(path_of("terrain.ent"), "{\n\0}", 4, &err));
    assert_false(Map_LoadInto(&map, path_of("terrain.emesh"), &err));
    assert_non_null(strstr(err.text, "terrain.ent: byte 2: expected text, found a zero"));
    write_text("terrain.ent", WORLD MESH("../crate.emesh"));
    assert_false(Map_LoadInto(&map, path_of("terrain.emesh"), &err));
    remove(path_of("terrain.ent"));
}

/// Tests a mesh with a hole in its middle: the start is on the ground nearest to it.
static void test_start_beside_a_hole(void **state) {
    (void)state;
    cmap_t map;
    err_t err;
    const vec3_t corners[6] = {{-200.0f, -100.0f, 10.0f}, {-100.0f, -100.0f, 10.0f},
                               {-150.0f, 100.0f, 10.0f},  {300.0f, -100.0f, 50.0f},
                               {400.0f, -100.0f, 50.0f},  {350.0f, 100.0f, 50.0f}};
    const int32_t triangles[2][3] = {{0, 1, 2}, {3, 4, 5}};
    built_mesh_t mesh;
    assert_true(
        Mesh_Build(&mesh, &(mesh_source_t){corners, triangles, 6, 2, 0, CONTENTS_SOLID}, &err));
    TestEmesh_Write(path_of("hole.emesh"), &mesh, 1);
    assert_true(Map_LoadInto(&map, path_of("hole.emesh"), &err));
    vec3_t start = start_of(&map); // the middle of the mesh is at x = 100
    assert_true(fabsf(start.x + 150.0f) < 1.0f || fabsf(start.x - 350.0f) < 1.0f);
    assert_true(start.z > 45.0f);
    assert_true(start.z < 90.0f);
    CM_FreeMap(&map);
}

// ---- models that turn about their middle ----

/// Loads a map file with model *1 at `offset`, of a turning entity with this key.
static void load_blade(cmap_t *map, const test_map_t *base, vec3_t offset, const char *key) {
    char text[256];
    size_t size = 0;
    err_t err = {""};
    const vec3_t half = {70.0f, 20.0f, 33.0f};
    const vec3_t low = {10.0f, 60.0f, 12.0f};
    const vec3_t middle = {140.5f, -150.0f, 155.0f};
    vec3_t at = VectorAdd(middle, offset);
    const test_block_t blocks[] = {{.box = {VectorSubtract(at, half), VectorAdd(at, half)},
                                    .contents = CONTENTS_SOLID,
                                    .model = 1},
                                   {.box = {VectorSubtract(at, low), VectorAdd(at, low)},
                                    .contents = CONTENTS_SOLID,
                                    .model = 1}};
    test_map_t test = *base;
    snprintf(text, sizeof text,
             "{\"classname\" \"worldspawn\"}\n"
             "{\"classname\" \"func_rotating\" \"model\" \"*1\" %s}\n",
             key);
    test.blocks = blocks;
    test.num_blocks = (int32_t)COUNTOF(blocks);
    test.entities = text;
    uint8_t *bytes = TestMap_Bytes(&test, &size);
    assert_true(File_Write(path_of("blade.bsp"), bytes, size, &err));
    free(bytes);
    if (!Map_LoadInto(map, path_of("blade.bsp"), &err)) {
        fail_msg("%s", err.text);
    }
}

static vec3_t random_point(rng_t *rng, float size) {
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

/// Compares the two models by a sweep and by points, in one pose.
static int32_t compare(const cmap_t *a, const cmap_t *b, const cm_object_t *object, rng_t *rng) {
    vec3_t start = VectorAdd(object->origin, random_point(rng, 150.0f));
    vec3_t end = VectorAdd(object->origin, random_point(rng, 60.0f));
    vec3_t size = random_point(rng, 20.0f);
    size = Rng_Below(rng, 3) ? Vector(fabsf(size.x), fabsf(size.y), fabsf(size.z)) : vec3_zero;
    trace_t one = CM_BoxTrace(a, object, start, end, VectorNegate(size), size);
    trace_t two = CM_BoxTrace(b, object, start, end, VectorNegate(size), size);
    // At an edge, a rounded pose may decide otherwise.
    bool same = one.startsolid == two.startsolid && fabsf(one.fraction - two.fraction) < 1e-3f &&
                VectorLength(VectorSubtract(one.plane.normal, two.plane.normal)) < 1e-3f;
    cm_contact_t contacts[8];
    const bounds_t box = {VectorSubtract(end, size), VectorAdd(end, size)};
    same = same && CM_Contents(a, object, end) == CM_Contents(b, object, end) &&
           CM_BoxTouches(a, object, end, VectorNegate(size), size) ==
               CM_BoxTouches(b, object, end, VectorNegate(size), size) &&
           CM_Overlap(a, object, box, contacts, 8) == CM_Overlap(b, object, box, contacts, 8);
    return same ? 0 : 1;
}

/// A model without an ORIGIN brush is, in any pose, what it is with one in its middle: in all
/// formats, with brushes of the file and with recovered ones.
static void test_turns_about_its_middle(void **state) {
    (void)state;
    static const char *const formats[] = {"BSP29", "BSP2", "BSP30"};
    const vec3_t middle = {140.5f, -150.0f, 155.0f};
    for (int32_t i = 0; i < 6; i++) {
        const test_map_t base = {.room = {{-500, -500, 0}, {500, 500, 400}},
                                 .format = formats[i / 2],
                                 .brush_list = i % 2 == 0};
        cmap_t without, with;
        rng_t rng = {(uint64_t)i + 1};
        int32_t differences = 0;
        load_blade(&without, &base, vec3_zero, "");
        load_blade(&with, &base, VectorNegate(middle), "\"origin\" \"140.5 -150 155\"");
        assert_true(VectorCompare(CM_ModelPivot(&without, 1), middle));
        assert_true(VectorCompare(CM_ModelPivot(&with, 1), vec3_zero));
        bounds_t bounds = CM_ModelBounds(&without, 1);
        assert_true(VectorCompare(bounds.mins, CM_ModelBounds(&with, 1).mins));
        assert_true(VectorCompare(bounds.maxs, CM_ModelBounds(&with, 1).maxs));
        for (int32_t n = 0; n < 5000; n++) {
            cm_object_t object = {.model = 1,
                                  .solids = (int32_t)Rng_Below(&rng, 3),
                                  .origin = VectorAdd(middle, random_point(&rng, 30.0f))};
            object.angles = n % 4 == 0 ? vec3_zero : random_point(&rng, 180.0f);
            differences += compare(&without, &with, &object, &rng);
        }
        print_message("%s %d: %d of 5000 differ\n", formats[i / 2], i % 2, differences);
        assert_true(differences <= 10);
        CM_FreeMap(&without);
        CM_FreeMap(&with);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovers_brushes),
        cmocka_unit_test(test_placed_meshes),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_world_of_mesh),
        cmocka_unit_test(test_start_beside_a_hole),
        cmocka_unit_test(test_skeletons),
        cmocka_unit_test(test_too_many_skeletons),
        cmocka_unit_test(test_turns_about_its_middle),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
