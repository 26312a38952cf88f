// Log lines about faults of the game: their text, and one line a burst.

#include "world/faults.h"

#include "lib/testing.h"
#include "world/block.h"
#include "world/events.h"
#include "world/link.h"

#include <string.h>

typedef struct {
    sv_context_t sv;
    sv_running_t running;
    edict_t *edict;
} scene_t;

static void start(scene_t *scene) {
    const world_params_t params = {.max_edicts = 8, .max_clients = 1};
    *scene = (scene_t){.sv = {.world = World_Init(malloc(World_Bytes(&params)), &params),
                              .events = calloc(1, sizeof(events_t)),
                              .running = &scene->running}};
    scene->edict = SV_SpawnEdict(&scene->sv);
    scene->edict->classname = World_String(scene->sv.world, "probe");
}

static void end(scene_t *scene) {
    free(scene->sv.world);
    free(scene->sv.events);
}

static void expect(const scene_t *scene, int32_t count, const char *text) {
    const events_t *events = scene->sv.events;
    assert_int_equal(events->count, count);
    assert_int_equal(events->list[count - 1].level, LOG_WARN);
    assert_string_equal(events->list[count - 1].text, text);
}

static void test_lines(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    SV_ReportFault(&scene.sv, "remove", "expected %d", 1);
    expect(&scene, 1, "remove: expected 1");
    SV_EnterGame(&scene.sv, "think", "tick", scene.edict);
    SV_ReportFault(&scene.sv, "remove", "expected %d", 2);
    expect(&scene, 2, "edict 2 (probe) in think \"tick\": remove: expected 2");
    SV_EnterGame(&scene.sv, "client_step", "", scene.edict);
    SV_ReportFault(&scene.sv, "", "expected %d", 3);
    expect(&scene, 3, "edict 2 (probe) in client_step: expected 3");
    SV_EnterGame(&scene.sv, "frame", "", NULL);
    SV_ReportFault(&scene.sv, "remove", "expected %d", 4);
    expect(&scene, 4, "frame: remove: expected 4");
    SV_ReportFaultOf(&scene.sv, scene.edict, "touch", "hurt", "expected %d", 5);
    expect(&scene, 5, "edict 2 (probe) in touch \"hurt\": expected 5");
    SV_ReportFaultOf(&scene.sv, scene.edict, "", "", "expected %d", 6);
    expect(&scene, 6, "edict 2 (probe): expected 6");
    scene.sv.running = NULL;
    SV_ReportFault(&scene.sv, "link", "expected %d", 7);
    expect(&scene, 7, "link: expected 7");
    events_t *events = scene.sv.events;
    scene.sv.events = NULL; // nobody listens
    SV_ReportFault(&scene.sv, "", "expected %d", 8);
    scene.sv.events = events;
    end(&scene);
}

/// A fault that repeats is logged once in FAULT_WINDOW_MS, with the number of lines left out. Other
/// faults, and the same fault of another class or callback, have lines of their own.
static void test_one_line_a_burst(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    SV_EnterGame(&scene.sv, "think", "tick", scene.edict);
    for (int32_t i = 0; i < 1000; i++) {
        SV_ReportFault(&scene.sv, "remove", "expected %d", i);
        SV_ReportFault(&scene.sv, "link", "expected %d", i);
    }
    assert_int_equal(scene.sv.events->count, 2);
    scene.running.name = "tock";
    SV_ReportFault(&scene.sv, "remove", "expected %d", 1);
    scene.running.classname = "other";
    SV_ReportFault(&scene.sv, "remove", "expected %d", 1);
    SV_EnterGame(&scene.sv, "think", "tick", scene.edict);
    assert_int_equal(scene.sv.events->count, 4);
    scene.sv.world->time_ms += FAULT_WINDOW_MS - 1;
    SV_ReportFault(&scene.sv, "remove", "expected %d", 1);
    assert_int_equal(scene.sv.events->count, 4);
    scene.sv.world->time_ms += 1;
    SV_ReportFault(&scene.sv, "remove", "expected %d", 2);
    expect(&scene, 5,
           "edict 2 (probe) in think \"tick\": remove: expected 2 (and 1000 more since the last "
           "line)");
    end(&scene);
}

/// More kinds of faults than the table has room for do not flood the log.
static void test_many_kinds(void **state) {
    (void)state;
    scene_t scene;
    char name[32];
    start(&scene);
    SV_EnterGame(&scene.sv, "think", name, scene.edict);
    for (int32_t burst = 1; burst <= 2; burst++) {
        for (int32_t i = 0; i < 1000; i++) {
            snprintf(name, sizeof name, "tick%d", burst * i);
            SV_ReportFault(&scene.sv, "remove", "expected %d", i);
        }
        assert_int_equal(scene.sv.events->count, burst * MAX_FAULT_KINDS);
        scene.sv.world->time_ms += FAULT_WINDOW_MS;
    }
    end(&scene);
}

/// A quarantine names the callback that linked the edict.
static void test_a_quarantine(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    for (int32_t i = 0; i < 2; i++) {
        edict_t *crate = SV_SpawnEdict(&scene.sv);
        crate->classname = World_String(scene.sv.world, "crate");
        crate->origin.x = -70000.0f;
        SV_LinkEdict(&scene.sv, crate, false);
        expect(&scene, 1 + i,
               i == 0 ? "edict 3 (crate) is quarantined: its origin is outside the world "
                        "(origin -70000 0 0, velocity 0 0 0, box 0 0 0 to 0 0 0, movetype 0)"
                      : "edict 4 (crate) is quarantined: its origin is outside the world; found by "
                        "edict 2 (probe) in think \"tick\" "
                        "(origin -70000 0 0, velocity 0 0 0, box 0 0 0 to 0 0 0, movetype 0)");
        SV_EnterGame(&scene.sv, "think", "tick", scene.edict);
    }
    end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_one_line_a_burst),
        cmocka_unit_test(test_many_kinds),
        cmocka_unit_test(test_a_quarantine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
