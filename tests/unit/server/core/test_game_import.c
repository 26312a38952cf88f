// Calls with bad arguments change nothing, and log one line with edict, class and callback.

#include "core/core_local.h"
#include "lib/import_calls.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"
#include "physics/physics.h"
#include "world/block.h"
#include "world/faults.h"
#include "world/running.h"

#include <math.h>
#include <string.h>

enum { MAX_CLIENTS_HERE = 2, MAX_EDICTS_HERE = 16 };

static int32_t depth, deepest, uses;
static int64_t think_after_ms; // thinks set the next think so much later

static void count_use(void) {
    uses++;
    depth++;
    deepest = depth > deepest ? depth : deepest;
}

/// Fires itself: a chain without an end.
static void use_self(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    count_use();
    sv->engine->use(sv, self, other, activator);
    depth--;
}

/// Fires itself twice: without a limit of the tick, 2^64 uses.
static void use_twice(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    count_use();
    sv->engine->use(sv, self, other, activator);
    sv->engine->use(sv, self, other, activator);
    depth--;
}

static void busy_think(sv_context_t *sv, edict_t *self) {
    sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + think_after_ms);
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)sv, (void)client;
    player->origin = Vector(0.0f, 0.0f, 64.0f);
}

static const callback_t callbacks[] = {{.name = "use_self", .use = use_self},
                                       {.name = "use_twice", .use = use_twice},
                                       {.name = "busy_think", .think = busy_think}};
static const cvar_def_t cvars[] = {
    {.name = "motto", .type = CVAR_STRING, .def = "", .max = 40, .unit = "", .help = "a text"}};
static const game_spawn_t spawns[] = {{.classname = "info_player_start"}};
static const game_export_t game = {.api_version = GAME_API_VERSION,
                                   .name = "faulty",
                                   .callbacks = callbacks,
                                   .num_callbacks = COUNTOF(callbacks),
                                   .spawns = spawns,
                                   .num_spawns = 1,
                                   .cvars = {cvars, COUNTOF(cvars)},
                                   .client_join = join};

// ---- a world of it ----

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t binding;
    inputs_t *inputs;
    events_t *events;
    sv_running_t running;
    sv_context_t sv;
    edict_t *self;   // whose think runs
    edict_t *player; // of slot 0; slot 1 is empty
    edict_t *freed;
} scene_t;

static void start_with(scene_t *scene, const game_export_t *with) {
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    err_t err = {{0}};
    *scene = (scene_t){.inputs = calloc(1, sizeof *scene->inputs),
                       .events = calloc(1, sizeof *scene->events)};
    assert_true(TestMap_Build(&scene->map, &room));
    const world_params_t params = {.max_edicts = MAX_EDICTS_HERE,
                                   .max_clients = MAX_CLIENTS_HERE,
                                   .bounds = scene->map.models[0].bounds};
    scene->world = World_Init(malloc(World_Bytes(&params)), &params);
    assert_true(SV_BindGame(scene->world, with, &scene->binding, &err));
    scene->binding.running = &scene->running;
    assert_true(SV_SpawnEntities(scene->world, &scene->map, &scene->binding, scene->events, &err));
    Inputs_Add(scene->inputs, INPUT_JOIN, 0);
    SV_Frame(scene->world, &scene->map, &scene->binding, scene->inputs, scene->events);
    Inputs_Clear(scene->inputs);
    scene->sv = SV_Context(scene->world, &scene->map, &scene->binding, scene->events);
    scene->player = World_Edict(scene->world, 1);
    scene->self = SV_SpawnEdict(&scene->sv);
    scene->self->classname = World_String(scene->world, "probe");
    scene->freed = SV_SpawnEdict(&scene->sv);
    SV_FreeEdict(&scene->sv, scene->freed);
    SV_EnterGame(&scene->sv, "think", "busy_think", scene->self);
    Events_Clear(scene->events);
}

static void start(scene_t *scene) {
    start_with(scene, &game);
}

static void end(scene_t *scene) {
    err_t err;
    if (!World_Check(scene->world, scene->world->bytes, &err)) {
        fail_msg("%s", err.text);
    }
    CM_FreeMap(&scene->map);
    free(scene->world);
    free(scene->inputs);
    free(scene->events);
}

static void tick(scene_t *scene) {
    Events_Clear(scene->events);
    SV_Frame(scene->world, &scene->map, &scene->binding, scene->inputs, scene->events);
}

static int32_t logged(const scene_t *scene, const char *text) {
    int32_t count = 0;
    for (int32_t i = 0; i < scene->events->count; i++) {
        const event_t *event = &scene->events->list[i];
        count += event->type == EVENT_LOG && strstr(event->text, text) ? 1 : 0;
    }
    return count;
}

// ---- the table: each call has one bad argument ----

#define SLOT(function) (offsetof(game_import_t, function) / sizeof(void (*)(void)))

/// The function that a row calls.
typedef struct {
    const char *function;
    size_t slot;
    uint32_t flags;
} row_t;

/// Which rows to call: with one of the flags `only` (0 = any), and with none of `but`.
typedef struct {
    uint32_t only, but;
} pick_t;

static bool is_picked(pick_t pick, uint32_t flags) {
    return (flags & pick.but) == 0 && (pick.only == 0 || (flags & pick.only) != 0);
}

#define CALL(function, flags, args)                                                                \
    if (row-- == 0) {                                                                              \
        if (is_picked(pick, flags)) {                                                              \
            (void)sv->engine->function args;                                                       \
        }                                                                                          \
        return (row_t){#function, SLOT(function), flags};                                          \
    }
#define CALL_PLAIN(function, args) CALL(function, ANY, args)

// Makes call `row` of a table, if it is picked. Returns no function after the last row.
static row_t call_edict(scene_t *scene, int32_t row, pick_t pick, edict_t *bad) {
    sv_context_t *sv = &scene->sv;
    EDICT_CALLS(CALL)
    return (row_t){.function = NULL};
}

static row_t call_vector(scene_t *scene, int32_t row, vec3_t v) {
    sv_context_t *sv = &scene->sv;
    const pick_t pick = {0, 0};
    int32_t list[4];
    VECTOR_CALLS(CALL_PLAIN)
    return (row_t){.function = NULL};
}

static row_t call_value(scene_t *scene, int32_t row) {
    sv_context_t *sv = &scene->sv;
    const pick_t pick = {0, 0};
    int32_t list[4];
    VALUE_CALLS(CALL_PLAIN)
    return (row_t){.function = NULL};
}

// ---- the check of each call ----

// Begins a new burst. Returns the hash of the world before the call.
static uint64_t before(scene_t *scene) {
    scene->world->time_ms += 2 * FAULT_WINDOW_MS;
    Events_Clear(scene->events);
    return World_Hash(scene->world);
}

static void check(const scene_t *scene, uint64_t hash, row_t row, const char *found) {
    char line[128];
    snprintf(line, sizeof line, "edict %d (probe) in think \"busy_think\": %s: ",
             World_EdictNumber(scene->world, scene->self), row.function);
    if (scene->events->count != 1 || scene->events->num_emissions != 0 ||
        logged(scene, line) != 1 || logged(scene, "expected ") != 1 || logged(scene, found) != 1) {
        for (int32_t i = 0; i < scene->events->count; i++) {
            print_message("  %s\n", scene->events->list[i].text);
        }
        fail_msg("%s with %s: expected one line \"%s\"", row.function, found, line);
    }
    if (World_Hash(scene->world) != hash) {
        fail_msg("%s with %s changed the world", row.function, found);
    }
}

static void check_edicts(scene_t *scene, pick_t pick, edict_t *bad, const char *found) {
    int32_t count = 0;
    for (int32_t i = 0;; i++) {
        uint64_t hash = before(scene);
        row_t row = call_edict(scene, i, pick, bad);
        if (!row.function) {
            break;
        }
        if (is_picked(pick, row.flags)) {
            check(scene, hash, row, found);
            count++;
        }
    }
    assert_true(count > 1);
}

static void test_bad_edicts(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    edict_t *edicts = World_Edict(scene.world, 0);
    const pick_t all = {0, 0};
    const char *no_edict = "found a pointer that is no edict";
    check_edicts(&scene, (pick_t){.but = NULL_}, NULL, "found NULL");
    check_edicts(&scene, all, (edict_t *)(uintptr_t)64, no_edict);
    check_edicts(&scene, all, (edict_t *)(UINTPTR_MAX - 7), no_edict);
    check_edicts(&scene, all, edicts - 1, no_edict);
    check_edicts(&scene, all, edicts + scene.world->num_edicts, no_edict);
    check_edicts(&scene, all, (edict_t *)((uintptr_t)edicts + 8),
                 "found a pointer into the middle of edict 0");
    check_edicts(&scene, all, scene.freed, "found edict 4, which is not in use");
    check_edicts(&scene, all, edicts + 2, "found edict 2, which is not in use");
    check_edicts(&scene, (pick_t){.only = ENTITY}, edicts, "found edict 0, which is the map");
    check_edicts(&scene, (pick_t){.only = PUSHER}, scene.self,
                 "found edict 3 (probe) with movetype 0");
    check_edicts(&scene, (pick_t){.only = PLAYER}, scene.self, "found edict 3 (probe)");
    end(&scene);
}

static void test_bad_vectors(void **state) {
    (void)state;
    scene_t scene;
    const vec3_t bad[] = {{NAN, 0.0f, 0.0f}, {INFINITY, 1.0f, 1.0f}, {-INFINITY, NAN, 0.0f}};
    start(&scene);
    for (size_t b = 0; b < COUNTOF(bad); b++) {
        for (int32_t i = 0;; i++) {
            uint64_t hash = before(&scene);
            row_t row = call_vector(&scene, i, bad[b]);
            if (!row.function) {
                break;
            }
            check(&scene, hash, row, ", found ");
        }
    }
    end(&scene);
}

static void test_bad_values(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    for (int32_t i = 0;; i++) {
        uint64_t hash = before(&scene);
        row_t row = call_value(&scene, i);
        if (!row.function) {
            break;
        }
        check(&scene, hash, row, "found ");
    }
    end(&scene);
}

/// A new function of the engine needs a row of a table.
static void test_the_tables_have_every_function(void **state) {
    (void)state;
    bool has[sizeof(game_import_t) / sizeof(void (*)(void))] = {false};
    scene_t scene;
    start(&scene);
    const pick_t none = {.only = 1u << 31};
    row_t row;
    for (int32_t i = 0; (row = call_edict(&scene, i, none, NULL)).function; i++) {
        has[row.slot] = true;
    }
    for (int32_t i = 0; (row = call_vector(&scene, i, vec3_zero)).function; i++) {
        has[row.slot] = true;
    }
    for (int32_t i = 0; (row = call_value(&scene, i)).function; i++) {
        has[row.slot] = true;
    }
#define SAFE(function) has[SLOT(function)] = true;
    SAFE_CALLS(SAFE)
    for (size_t i = 0; i < COUNTOF(has); i++) {
        if (!has[i]) {
            fail_msg("function %zu of game_import_t is in none of the tables above", i);
        }
    }
    end(&scene);
}

// ---- uses, thinks, strings ----

static void use_from_engine(scene_t *scene, const char *name) {
    uses = depth = deepest = 0;
    scene->self->use = scene->sv.engine->callback(&scene->sv, name);
    scene->sv.engine->use(&scene->sv, scene->self, scene->self, NULL);
    assert_int_equal(depth, 0);
    assert_int_equal(deepest, GAME_USE_DEPTH);
    assert_int_equal(scene->sv.use_depth, 0);
}

/// A use that fires itself ends at a fixed depth, and its number in a tick is limited.
static void test_runaway_uses(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    use_from_engine(&scene, "use_self");
    assert_int_equal(uses, GAME_USE_DEPTH);
    assert_int_equal(scene.events->count, 1);
    assert_int_equal(logged(&scene, "edict 3 (probe) in use \"use_self\": use: expected at most 64 "
                                    "uses inside each other"),
                     1);
    use_from_engine(&scene, "use_twice");
    assert_int_equal(uses, GAME_USES_TICK - GAME_USE_DEPTH);
    assert_int_equal(scene.events->count, 2);
    scene.world->time_ms += FAULT_WINDOW_MS;
    scene.sv.engine->use(&scene.sv, scene.self, scene.self, NULL);
    assert_int_equal(logged(&scene, "use: expected at most 65536 uses in a tick, found one more"),
                     1);
    end(&scene);
}

/// A think in the past runs, and is logged; so are thinks over the budget of a tick.
static void test_thinks(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    world_t *world = scene.world;
    const game_import_t *engine = scene.sv.engine;
    world->time_ms = 1000;
    uint64_t hash = World_Hash(world);
    engine->next_think(&scene.sv, scene.self, 0);
    assert_true(World_Hash(world) == hash);
    scene.self->think = engine->callback(&scene.sv, "busy_think");
    engine->next_think(&scene.sv, scene.self, 1000);
    assert_int_equal(scene.events->count, 0);
    engine->next_think(&scene.sv, scene.self, 999);
    assert_int_equal(scene.events->count, 1);
    assert_int_equal(logged(&scene, "next_think: expected 0 or a time from 1000 ms on, found 999 "
                                    "ms for edict 3 (probe)"),
                     1);
    assert_int_equal(scene.self->nextthink_ms, 999);
    think_after_ms = 1; // 16 thinks a tick
    tick(&scene);
    tick(&scene);
    assert_int_equal(logged(&scene, "edict 3 (probe) in think \"busy_think\": expected at most 8 "
                                    "thinks in a tick"),
                     1);
    assert_int_equal(scene.events->count, 1);
    tick(&scene);
    assert_int_equal(scene.events->count, 0); // the same burst
    end(&scene);
}

static void test_a_full_string_table(void **state) {
    (void)state;
    scene_t scene;
    char text[200];
    int32_t count = 0;
    start(&scene);
    do {
        memset(text, 'a', sizeof text);
        snprintf(text, sizeof text, "%d", count++);
        text[strlen(text)] = '-';
        text[sizeof text - 1] = '\0';
    } while (scene.sv.engine->string(&scene.sv, text) != 0);
    assert_true(count > 100);
    assert_int_equal(scene.sv.engine->string(&scene.sv, text), 0);
    assert_int_equal(scene.sv.engine->string(&scene.sv, ""), 0);
    assert_int_equal(scene.events->count, 1);
    assert_int_equal(logged(&scene, "(probe) in think \"busy_think\": string: expected texts of"),
                     1);
    end(&scene);
}

// Spawns edict 3 and teleports it before the first tick.
static void spawn_far(sv_context_t *sv) {
    edict_t *edict = SV_SpawnEdict(sv);
    edict->classname = World_String(sv->world, "traveller");
    sv->engine->teleport(sv, edict, Vector(100.0f, 0.0f, 64.0f), vec3_zero, vec3_zero);
}

static void test_teleports_before_the_first_tick(void **state) {
    (void)state;
    scene_t scene;
    game_export_t with = game;
    with.map_started = spawn_far;
    start_with(&scene, &with);
    edict_t *edict = World_Edict(scene.world, 3);
    assert_int_equal(edict->flags & FL_TELEPORT, FL_TELEPORT_STEP);
    scene.sv.engine->teleport(&scene.sv, edict, vec3_zero, vec3_zero, vec3_zero);
    assert_int_equal(edict->flags & FL_TELEPORT, 2 * FL_TELEPORT_STEP); // a later one counts again
    end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_edicts),
        cmocka_unit_test(test_bad_vectors),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_the_tables_have_every_function),
        cmocka_unit_test(test_runaway_uses),
        cmocka_unit_test(test_thinks),
        cmocka_unit_test(test_a_full_string_table),
        cmocka_unit_test(test_teleports_before_the_first_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
