// sv_gamecheck: what a game writes to the wrong place or does not link is logged with edict, class
// and callback. The check changes nothing.

#include "core/core_local.h"

#include "lib/map_fixture.h"
#include "lib/match_fixture.h"
#include "lib/testing.h"
#include "physics/physics.h"
#include "world/block.h"
#include "world/faults.h"
#include "world/gamecheck.h"

#include <string.h>

enum { NUM_CLIENTS = 3, NUM_EDICTS = 16 };

// ---- a game with a field in the middle of each room ----

static const game_field_t here[] = {{.name = "here", .type = FIELD_VECTOR, .offset = 8}};
static const cvar_def_t cvars[] = {
    {.name = "laps", .def = "3", .max = 9, .unit = "", .help = "laps", .offset = 40}};
static const game_spawn_t spawns[] = {{.classname = "info_player_start"}};

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)sv, (void)client;
    player->origin = Vector(0.0f, 0.0f, 64.0f);
}

static const game_export_t game = {.api_version = GAME_API_VERSION,
                                   .name = "faulty",
                                   .edict_fields = {here, 1},
                                   .client_fields = {here, 1},
                                   .world_fields = {here, 1},
                                   .cvars = {cvars, 1},
                                   .spawns = spawns,
                                   .num_spawns = 1,
                                   .client_join = join};

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t binding;
    inputs_t *inputs;
    events_t *events;
    gamecheck_t *check;
    sv_running_t running;
    sv_context_t sv;
    edict_t *self, *next; // two edicts side by side
} scene_t;

static gamecheck_t *make_check(int32_t max_edicts) {
    gamecheck_t *check = NULL;
    return calloc(1, sizeof *check + (size_t)max_edicts * sizeof *check->edicts);
}

static void tick(scene_t *scene) {
    SV_Frame(scene->world, &scene->map, &scene->binding, scene->inputs, scene->events);
    Inputs_Clear(scene->inputs);
}

static edict_t *spawn(scene_t *scene, const char *classname) {
    edict_t *edict = SV_SpawnEdict(&scene->sv);
    edict->classname = World_String(scene->world, classname);
    edict->mins = Vector(-8.0f, -8.0f, -8.0f);
    edict->maxs = Vector(8.0f, 8.0f, 8.0f);
    return edict;
}

static void start(scene_t *scene) {
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    err_t err = {{0}};
    *scene = (scene_t){.inputs = calloc(1, sizeof *scene->inputs),
                       .events = calloc(1, sizeof *scene->events),
                       .check = make_check(NUM_EDICTS)};
    assert_true(TestMap_Build(&scene->map, &room));
    const world_params_t params = {.max_edicts = NUM_EDICTS,
                                   .max_clients = NUM_CLIENTS,
                                   .bounds = scene->map.models[0].bounds};
    scene->world = World_Init(malloc(World_Bytes(&params)), &params);
    assert_true(SV_BindGame(scene->world, &game, &scene->binding, &err));
    scene->binding.running = &scene->running;
    SV_BindCheck(&scene->binding, scene->check);
    assert_true(SV_SpawnEntities(scene->world, &scene->map, &scene->binding, scene->events, &err));
    Inputs_Add(scene->inputs, INPUT_JOIN, 0);
    Inputs_Add(scene->inputs, INPUT_JOIN, 1);
    tick(scene);
    scene->sv = SV_Context(scene->world, &scene->map, &scene->binding, scene->events);
    scene->self = spawn(scene, "probe");
    scene->next = spawn(scene, "crate");
    assert_int_equal(scene->events->count, 0);
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
    free(scene->check);
}

// Expects `count` new lines; each names the callback of `self` and has `text`.
static void expect(scene_t *scene, int32_t count, const char *text) {
    const char *who = "edict 4 (probe) in think \"tick\": sv_gamecheck: expected ";
    for (int32_t i = 0; i < scene->events->count; i++) {
        const char *line = scene->events->list[i].text;
        if (strncmp(line, who, strlen(who)) != 0 || !strstr(line, text)) {
            fail_msg("expected \"%s...%s\", found \"%s\"", who, text, line);
        }
    }
    if (scene->events->count != count) {
        fail_msg("%s: expected %d lines, found %d", text, count, scene->events->count);
    }
    Events_Clear(scene->events);
    scene->world->time_ms += FAULT_WINDOW_MS; // a new burst
}

// ---- writes to the wrong place ----

// Writes 4 bytes in a think of `self`, and later undoes it.
static void write_and_expect(scene_t *scene, void *at, const char *text) {
    uint32_t before;
    memcpy(&before, at, sizeof before);
    const uint32_t wrong = before ^ 0x01020304u;
    for (int32_t i = 0; i < 2; i++) { // the second time, it is the old news of another callback
        sv_running_t outer = SV_EnterGame(&scene->sv, "think", "tick", scene->self);
        memcpy(at, &wrong, sizeof wrong);
        SV_LeaveGame(&scene->sv, outer);
        assert_true(i > 0 || strstr(scene->sv.running->fault, text) != NULL);
        expect(scene, i == 0 ? 1 : 0, text);
    }
    memcpy(at, &before, sizeof before);
    sv_running_t outer = SV_EnterGame(&scene->sv, "think", "tick", scene->self);
    SV_LeaveGame(&scene->sv, outer);
    expect(scene, 0, "");
}

static void *after(void *thing, size_t bytes) {
    return (void *)((uintptr_t)thing + bytes);
}

static void test_writes_over_the_room(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    edict_t *self = scene.self;
    client_t *clients = World_Client(scene.world, 0);
    const size_t size = sizeof *self;
    write_and_expect(&scene, after(self, size),
                     "after edict->game of edict 4, which has 320 bytes");
    write_and_expect(&scene, after(self, size + 4), "after edict->game of edict 4, ");
    // After the last edict is a slot that was never in use.
    write_and_expect(&scene, after(scene.next, size), "after edict->game of edict 5, ");
    write_and_expect(&scene, after(scene.next, size + 16), "edict 6, which is not in use");
    write_and_expect(&scene, after(scene.next, size + 300), "edict 6, which is not in use");
    write_and_expect(&scene, after(scene.next, 2 * size - 4), "edict 6, which is not in use");
    // A player's edict; slot 2 and edict 3 are empty.
    write_and_expect(&scene, after(World_Edict(scene.world, 2), size + 40),
                     "edict 3, which is not in use");
    write_and_expect(&scene, after(scene.world, offsetof(world_t, game) + WORLD_GAME_BYTES),
                     "after world_vars of world 0, which has 4096 bytes");
    write_and_expect(&scene, after(clients, sizeof *clients),
                     "after client->game of slot 0, which has 256 bytes");
    write_and_expect(&scene, World_Edict(scene.world, 0), "after world_vars of world 0, ");
    write_and_expect(&scene, after(World_Edict(scene.world, NUM_EDICTS - 1), size),
                     "after edict->game of edict 15");
    write_and_expect(&scene, clients, "after edict->game of edict 15, which has 320 bytes");
    write_and_expect(&scene, (uint8_t *)scene.world + scene.world->ofs_area,
                     "after client->game of slot 2, ");
    write_and_expect(&scene, after(clients, 3 * sizeof *clients),
                     "after client->game of slot 2, which has 256 bytes");
    end(&scene);
}

static void test_bytes_without_a_field(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    client_t *client = World_Client(scene.world, 1);
    write_and_expect(&scene, scene.self->game,
                     "edict->game of edict 4 that no field covers, found "
                     "another value at offset 0");
    write_and_expect(&scene, scene.self->game + 20, "offset 20");
    write_and_expect(&scene, scene.next->game + EDICT_GAME_BYTES - 4, "of edict 5 ");
    write_and_expect(&scene, client->game + 4, "client->game of slot 1 that no field covers");
    write_and_expect(&scene, scene.world->game + 44, "world_vars of world 0 that no field covers");
    // Fields and cvars are no faults.
    sv_running_t outer = SV_EnterGame(&scene.sv, "think", "tick", scene.self);
    memset(scene.self->game + 8, 1, 12);
    memset(client->game + 8, 1, 12);
    memset(scene.world->game + 8, 1, 12);
    memset(scene.world->game + 40, 1, 4);
    SV_LeaveGame(&scene.sv, outer);
    expect(&scene, 0, "");
    end(&scene);
}

// A game that kept the pointer of an edict that was freed.
static void test_writes_to_a_freed_edict(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    SV_FreeEdict(&scene.sv, scene.next);
    write_and_expect(&scene, &scene.next->velocity, "edict 5, which is not in use");
    write_and_expect(&scene, &scene.next->inuse, "edict->game of edict 4");
    end(&scene);
}

/// Tests nested callbacks: the fault names the callback that wrote, not its caller or callee.
static void test_the_right_callback_is_named(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    for (int32_t i = 0; i < 3; i++) {
        sv_running_t outer = SV_EnterGame(&scene.sv, "use", "outer", scene.next);
        sv_running_t middle = SV_EnterGame(&scene.sv, "think", "tick", scene.self);
        scene.self->game[0] = i == 0;
        sv_running_t inner = SV_EnterGame(&scene.sv, "touch", "inner", scene.next);
        SV_LeaveGame(&scene.sv, inner);
        scene.self->game[4] = i == 1;
        SV_LeaveGame(&scene.sv, middle);
        SV_LeaveGame(&scene.sv, outer);
        expect(&scene, i < 2 ? 1 : 0, "edict->game of edict 4");
        scene.self->game[0] = scene.self->game[4] = 0;
        GameCheck_Look(&scene.sv);
    }
    end(&scene);
}

// ---- links ----

typedef enum { NO_LINK, LINK_AT_ONCE, LINK_LATER } when_t;

// Changes `next` in a think of `self`. Returns after the end of the tick.
static void change(scene_t *scene, const edict_t *to, when_t when) {
    sv_running_t outer = SV_EnterGame(&scene->sv, "think", "tick", scene->self);
    *scene->next = *to;
    if (when == LINK_AT_ONCE) {
        SV_LinkEdict(&scene->sv, scene->next, false);
    }
    SV_LeaveGame(&scene->sv, outer);
    if (when == LINK_LATER) {
        SV_LinkEdict(&scene->sv, scene->next, false);
    }
    GameCheck_EndTick(&scene->sv);
}

static void expect_unlinked(scene_t *scene, const edict_t *to) {
    const char *line = "found none of edict 5 (crate)";
    const edict_t from = *scene->next;
    change(scene, to, NO_LINK);
    expect(scene, 1, line);
    change(scene, scene->next, NO_LINK);
    expect(scene, 0, line); // nothing new
    change(scene, &from, LINK_LATER);
    change(scene, to, LINK_LATER); // the engine linked it in the same tick
    change(scene, &from, LINK_AT_ONCE);
    change(scene, to, LINK_AT_ONCE);
    expect(scene, 0, line);
}

static void test_changes_without_a_link(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    edict_t to = *scene.next;
    to.origin = Vector(10.0f, 20.0f, 64.0f);
    change(&scene, &to, NO_LINK); // no solid: nothing to link
    expect(&scene, 0, "");
    for (int32_t solid = SOLID_TRIGGER; solid <= SOLID_SLIDEBOX; solid++) {
        to = *scene.next;
        to.solid = solid;
        expect_unlinked(&scene, &to);
        to = *scene.next;
        to.origin.x += 1.0f;
        expect_unlinked(&scene, &to);
        to = *scene.next;
        to.maxs.z += 1.0f;
        expect_unlinked(&scene, &to);
        to = *scene.next;
        to.solid = SOLID_NOT;
        expect_unlinked(&scene, &to);
    }
    to = *scene.next;
    to.angles.y = 90.0f; // a box does not turn
    change(&scene, &to, NO_LINK);
    expect(&scene, 0, "");
    end(&scene);
}

// ---- nothing changes ----

static int32_t num_lines(const events_t *events) {
    int32_t lines = 0;
    for (int32_t i = 0; i < events->count; i++) {
        if (events->list[i].type == EVENT_LOG && events->list[i].level == LOG_WARN) {
            print_message("  %s\n", events->list[i].text);
            lines++;
        }
    }
    return lines;
}

/// A match of the reference game has no faults, and the same hashes with and without the check.
static void test_a_match_has_the_same_hashes(void **state) {
    (void)state;
    const test_match_config_t config = {.gametype = 0, .fraglimit = 0};
    test_match_t plain, checked;
    sv_running_t running[2] = {{.kind = NULL}};
    if (!TestMatch_Start(&plain, &config) || !TestMatch_Start(&checked, &config)) {
        skip();
    }
    gamecheck_t *check = make_check(checked.world->max_edicts);
    plain.game.running = &running[0];
    checked.game.running = &running[1];
    SV_BindCheck(&checked.game, check);
    const int32_t ticks = Test_IsSlow() ? 60 : 300;
    for (int32_t i = 0; i < ticks; i++) {
        TestMatch_Play(&plain, 1);
        TestMatch_Play(&checked, 1);
        assert_true(plain.world->tick_hash == checked.world->tick_hash);
        assert_int_equal(num_lines(checked.events), 0);
        assert_int_equal(num_lines(plain.events), 0);
    }
    assert_true(World_Hash(plain.world) == World_Hash(checked.world));
    assert_ptr_equal(check->world, checked.world); // it looked
    // Each look is progress for the watchdog, which else ends the server in a slow tick.
    assert_true(running[1].entries - running[0].entries > 4 * (uint32_t)ticks);
    TestMatch_Free(&plain);
    TestMatch_Free(&checked);
    free(check);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writes_over_the_room),
        cmocka_unit_test(test_bytes_without_a_field),
        cmocka_unit_test(test_writes_to_a_freed_edict),
        cmocka_unit_test(test_the_right_callback_is_named),
        cmocka_unit_test(test_changes_without_a_link),
        cmocka_unit_test(test_a_match_has_the_same_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
