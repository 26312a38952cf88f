// Helpers of the game interface: clients and slots, spawning by class, edicts within a radius.

#include "lib/testing.h"
#include "lib/world_fixture.h"

#include "base/rng.h"
#include "core/core_local.h"
#include "world/block.h"
#include "world/link.h"

#include <math.h>
#include <string.h>

#define MAX_EDICT 600

// ---- a game with classes that spawn each other ----

typedef struct {
    int32_t spawned, deepest;
} vars_t;

static vars_t *vars_of(sv_context_t *sv) {
    return (vars_t *)sv->engine->world_vars(sv);
}

static void spawn_box(sv_context_t *sv, edict_t *self) {
    vars_of(sv)->spawned++;
    self->solid = SOLID_BBOX;
    self->mins = Vector(-8.0f, -8.0f, -8.0f);
    self->maxs = Vector(8.0f, 8.0f, 8.0f);
    self->touch = self->target != 0 ? 99 : 0; // a key that nobody set has its default
    sv->engine->link(sv, self, false);
}

static void spawn_brief(sv_context_t *sv, edict_t *self) {
    vars_of(sv)->spawned++;
    sv->engine->remove(sv, self);
}

static void spawn_nest(sv_context_t *sv, edict_t *self) {
    vars_of(sv)->spawned++;
    sv->engine->spawn_class(sv, "nest", self->origin, vec3_zero);
}

static const game_spawn_t spawns[] = {{.classname = "worldspawn", .spawn = spawn_box},
                                      {.classname = "box", .spawn = spawn_box},
                                      {.classname = "brief", .spawn = spawn_brief},
                                      {.classname = "nest", .spawn = spawn_nest},
                                      {.classname = "nothing"}};

static const game_export_t game = {.api_version = GAME_API_VERSION,
                                   .name = "helpers",
                                   .spawns = spawns,
                                   .num_spawns = (int32_t)COUNTOF(spawns)};

typedef struct {
    test_world_t test;
    sv_context_t sv;
} helped_t;

static void begin(helped_t *helped, int32_t max_clients) {
    err_t err = {{0}};
    const test_map_t room = {
        .room = {{-2048, -2048, 0}, {2048, 2048, 1024}}, .entities = "{}", .name = "room"};
    test_world_t *test = &helped->test;
    memset(helped, 0, sizeof *helped);
    assert_true(TestMap_Build(&test->map, &room));
    const world_params_t params = {
        .max_edicts = MAX_EDICT, .max_clients = max_clients, .bounds = test->map.models[0].bounds};
    test->world = World_Init(malloc(World_Bytes(&params)), &params);
    test->inputs = calloc(1, sizeof *test->inputs);
    test->events = calloc(1, sizeof *test->events);
    assert_true(SV_BindGame(test->world, &game, &test->game, &err));
    helped->sv = SV_Context(test->world, &test->map, &test->game, test->events);
}

static void must_be_sound(const helped_t *helped) {
    err_t err = {{0}};
    const world_t *world = helped->test.world;
    if (!World_Check(world, world->bytes, &err)) {
        fail_msg("%s", err.text);
    }
}

// ---- clients ----

static void test_clients_and_slots(void **state) {
    (void)state;
    helped_t helped;
    begin(&helped, 6);
    sv_context_t *sv = &helped.sv;
    const game_import_t *engine = sv->engine;
    assert_null(engine->next_client(sv, NULL));
    TestWorld_Join(&helped.test, 1, "one");
    TestWorld_Join(&helped.test, 4, "four");
    TestWorld_Join(&helped.test, 5, "five");
    TestWorld_Tick(&helped.test);
    static const int32_t slots[] = {1, 4, 5};
    client_t *client = NULL;
    for (size_t i = 0; i < COUNTOF(slots); i++) {
        client = engine->next_client(sv, client);
        assert_non_null(client);
        edict_t *player = engine->player(sv, client);
        assert_int_equal(engine->number(sv, player), slots[i] + 1);
        assert_ptr_equal(engine->client(sv, player), client);
        assert_int_equal(engine->slot(sv, player), slots[i]);
        assert_ptr_equal(engine->client_of_slot(sv, slots[i]), client);
    }
    assert_null(engine->next_client(sv, client));
    static const int32_t empty[] = {INT32_MIN, -1, 0, 2, 3, 6, INT32_MAX};
    for (size_t i = 0; i < COUNTOF(empty); i++) {
        assert_null(engine->client_of_slot(sv, empty[i]));
    }
    assert_int_equal(engine->slot(sv, World_Edict(sv->world, 3)), -1); // an empty slot's edict
    assert_int_equal(engine->slot(sv, engine->spawn(sv)), -1);
    TestWorld_Free(&helped.test);
}

// ---- spawn_class ----

static void test_spawns_by_class(void **state) {
    (void)state;
    helped_t helped;
    begin(&helped, 2);
    sv_context_t *sv = &helped.sv;
    const vec3_t origin = {100.0f, -50.0f, 30.0f};
    edict_t *box = sv->engine->spawn_class(sv, "box", origin, Vector(0.0f, 90.0f, 0.0f));
    assert_non_null(box);
    assert_string_equal(sv->engine->text(sv, box->classname), "box");
    assert_true(VectorCompare(box->origin, origin));
    assert_true(box->angles.y == 90.0f);
    assert_int_equal(box->touch, 0);
    assert_int_equal(vars_of(sv)->spawned, 1);
    assert_true(box->absmax.x == 109.0f); // linked by its spawn function
    assert_null(sv->engine->spawn_class(sv, "brief", origin, vec3_zero));
    assert_int_equal(vars_of(sv)->spawned, 2);
    assert_int_equal(helped.test.events->count, 0);
    TestWorld_Tick(&helped.test);
    must_be_sound(&helped);
    TestWorld_Free(&helped.test);
}

static void refuse(helped_t *helped, const char *classname, vec3_t origin, const char *why) {
    int32_t num_edicts = helped->sv.world->num_edicts;
    helped->sv.world->time_ms += 6000; // a new burst
    Events_Clear(helped->test.events);
    for (int32_t i = 0; i < 3; i++) {
        assert_null(helped->sv.engine->spawn_class(&helped->sv, classname, origin, vec3_zero));
    }
    assert_int_equal(TestWorld_CountEvents(&helped->test, EVENT_LOG, classname), 1);
    assert_int_equal(TestWorld_CountEvents(&helped->test, EVENT_LOG, why), 1);
    assert_int_equal(helped->sv.world->num_edicts, num_edicts);
}

static void test_refuses_what_no_map_could_spawn(void **state) {
    (void)state;
    helped_t helped;
    begin(&helped, 2);
    refuse(&helped, "boxx", vec3_zero, "expected a class of the game's table of spawns");
    refuse(&helped, "", vec3_zero, "expected a class of the game's table of spawns");
    refuse(&helped, "worldspawn", vec3_zero, "expected a class of the game's table of spawns");
    refuse(&helped, "nothing", vec3_zero, "expected a class with a spawn function");
    refuse(&helped, "box", Vector(NAN, 0.0f, 0.0f), "expected a position inside the world");
    refuse(&helped, "box", Vector(0.0f, 70000.0f, 0.0f), "expected a position inside the world");
    assert_int_equal(vars_of(&helped.sv)->spawned, 0);
    TestWorld_Free(&helped.test);
}

static void test_spawn_functions_nest_16_deep(void **state) {
    (void)state;
    helped_t helped;
    begin(&helped, 2);
    for (int32_t i = 1; i <= 3; i++) {
        assert_non_null(helped.sv.engine->spawn_class(&helped.sv, "nest", vec3_zero, vec3_zero));
        assert_int_equal(vars_of(&helped.sv)->spawned, 16 * i);
    }
    assert_int_equal(TestWorld_CountEvents(&helped.test, EVENT_LOG, "16 deep"), 1);
    // A full world: no edict, and the line of every full world.
    while (helped.sv.engine->spawn(&helped.sv)) {
        assert_true(helped.sv.world->num_edicts <= MAX_EDICT);
    }
    assert_null(helped.sv.engine->spawn_class(&helped.sv, "box", vec3_zero, vec3_zero));
    TestWorld_Free(&helped.test);
}

// ---- in_radius ----

static float distance_to(vec3_t point, const edict_t *edict) {
    vec3_t lo = VectorAdd(edict->origin, edict->mins);
    vec3_t hi = VectorAdd(edict->origin, edict->maxs);
    vec3_t nearest = VectorMin(VectorMax(point, lo), hi);
    return VectorLength(VectorSubtract(nearest, point));
}

// Spawns solids, triggers, linked and unlinked non-solids all over the room.
static void scatter(helped_t *helped, rng_t *rng) {
    sv_context_t *sv = &helped->sv;
    for (int32_t i = 0; i < 400; i++) {
        edict_t *edict = sv->engine->spawn(sv);
        float half = Rng_Range(rng, 0.0f, i % 20 == 0 ? 300.0f : 20.0f);
        edict->origin = Vector(Rng_Range(rng, -1500.0f, 1500.0f), Rng_Range(rng, -1500.0f, 1500.0f),
                               Rng_Range(rng, 20.0f, 900.0f));
        edict->mins = Vector(-half, -half, -half);
        edict->maxs = Vector(half, half, half);
        edict->flags |= i % 3 == 0 ? FL_ITEM : 0;
        edict->solid = i % 4 == 0 ? SOLID_NOT : i % 4 == 1 ? SOLID_TRIGGER : SOLID_BBOX;
        if (i % 8 != 0) {
            sv->engine->link(sv, edict, false);
        }
        if (i % 9 == 0) {
            sv->engine->remove(sv, edict);
        }
    }
}

static void test_finds_what_a_search_of_all_edicts_finds(void **state) {
    (void)state;
    helped_t helped;
    rng_t rng = {3};
    begin(&helped, 4);
    scatter(&helped, &rng);
    int32_t found_in_all = 0;
    for (int32_t round = 0; round < 200; round++) {
        const vec3_t point = {Rng_Range(&rng, -1600.0f, 1600.0f),
                              Rng_Range(&rng, -1600.0f, 1600.0f), Rng_Range(&rng, 0.0f, 1000.0f)};
        float radius = Rng_Range(&rng, 0.0f, 900.0f);
        int32_t list[MAX_EDICT];
        int32_t expected = 0;
        int32_t count = helped.sv.engine->in_radius(&helped.sv, point, radius, list, MAX_EDICT);
        for (int32_t i = 1; i < helped.sv.world->num_edicts; i++) {
            const edict_t *edict = helped.sv.engine->edict(&helped.sv, i);
            if (edict && distance_to(point, edict) <= radius) {
                assert_true(expected < count && list[expected] == i);
                expected++;
            }
        }
        assert_int_equal(count, expected);
        found_in_all += count;
        int32_t few[3] = {0, 0, 77};
        int32_t listed = helped.sv.engine->in_radius(&helped.sv, point, radius, few, 2);
        assert_int_equal(listed, count < 2 ? count : 2);
        assert_memory_equal(few, list, (size_t)listed * sizeof *few);
        assert_int_equal(few[2], 77);
    }
    assert_in_range(found_in_all, 2000, 200 * 400);
    TestWorld_Free(&helped.test);
}

static void test_no_radius_finds_nothing(void **state) {
    (void)state;
    helped_t helped;
    rng_t rng = {4};
    int32_t list[MAX_EDICT];
    begin(&helped, 4);
    scatter(&helped, &rng);
    const game_import_t *engine = helped.sv.engine;
    assert_int_equal(engine->in_radius(&helped.sv, vec3_zero, -1.0f, list, MAX_EDICT), 0);
    assert_int_equal(engine->in_radius(&helped.sv, vec3_zero, NAN, list, MAX_EDICT), 0);
    assert_int_equal(engine->in_radius(&helped.sv, Vector(NAN, 0, 0), 1.0f, list, MAX_EDICT), 0);
    assert_int_equal(engine->in_radius(&helped.sv, vec3_zero, 100.0f, list, 0), 0);
    int32_t all = engine->in_radius(&helped.sv, vec3_zero, INFINITY, list, MAX_EDICT);
    assert_int_equal(all, 400 - 45); // the removed ones are gone, and the map is not listed
    TestWorld_Free(&helped.test);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clients_and_slots),
        cmocka_unit_test(test_spawns_by_class),
        cmocka_unit_test(test_refuses_what_no_map_could_spawn),
        cmocka_unit_test(test_spawn_functions_nest_16_deep),
        cmocka_unit_test(test_finds_what_a_search_of_all_edicts_finds),
        cmocka_unit_test(test_no_radius_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
