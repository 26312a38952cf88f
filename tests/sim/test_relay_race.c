// A relay race, with tests/modules/relay.c as its game: four players in two teams, and an operator
// who starts races, over changes of map and a reload of the module.

#include "lib/console_fixture.h"
#include "lib/playing_fixture.h"

#include "core/server_local.h"

#define RED_1    0
#define BLUE_1   1
#define RED_2    2
#define BLUE_2   3
#define RUN_MS   8000 // for any run along the track
#define START_MS 6000

static const test_block_t blocks[] = {
    {.box = {{480, -300, 0}, {560, 300, 100}}, .contents = CONTENTS_SOLID, .model = 1}};

// Starts at x -450, the second runners at x 0, the finish at x 480. The hare's track is at y 250.
static const test_map_t track = {
    .room = {{-600, -300, 0}, {600, 300, 256}},
    .blocks = blocks,
    .num_blocks = (int32_t)COUNTOF(blocks),
    .entities = "{ \"classname\" \"worldspawn\" }"
                "{ \"classname\" \"info_player_start\" \"origin\" \"-520 -64 25\" }"
                "{ \"classname\" \"info_player_start\" \"origin\" \"-520 64 25\" }"
                "{ \"classname\" \"info_player_start\" \"origin\" \"0 -64 25\" }"
                "{ \"classname\" \"info_player_start\" \"origin\" \"0 64 25\" }"
                "{ \"classname\" \"relay_start\" \"origin\" \"-450 0 16\" }"
                "{ \"classname\" \"relay_hare\" \"origin\" \"0 250 25\" }"
                "{ \"classname\" \"trigger_finish\" \"model\" \"*1\" }"};

typedef struct {
    test_playing_t play;
    scene_t scene; // the operator
    game_module_t module;
    int32_t warnings; // lines of the log
} race_t;

static race_t race;

static void log_line(void *context, log_level_t level, const char *line) {
    race.warnings += level <= LOG_WARN ? 1 : 0;
    keep_line(context, level, line);
}

static void copy_module(void) {
    char path[512];
    size_t size = 0;
    err_t err;
    snprintf(path, sizeof path, "%s/tests/modules/relay.so", Test_BuildFolder());
    uint8_t *bytes = File_Read(path, 64u << 20, &size, &err);
    assert_non_null(bytes);
    assert_true(File_Write(path_of(&race.scene, "game.so"), bytes, size, &err));
    free(bytes);
}

static void start_server_of_race(void) {
    err_t err = {{0}};
    memset(&race, 0, sizeof race);
    set_up(&race.scene);
    copy_module();
    if (!GameModule_Load(&race.module, path_of(&race.scene, "game.so"), &err) ||
        !Console_SetGame(&race.scene.console, &race.module, &err)) {
        fail_msg("%s", err.text);
    }
    TestNet_Init(
        &race.play.net,
        &(test_net_config_t){.seed = 1, .max_clients = 4, .map = &track, .game = race.module.game});
    race.scene.log.write = log_line;
    race.play.net.log = race.scene.log;
    race.scene.console.server = race.play.net.server;
    snprintf(race.scene.console.host.sv_mappath, CVAR_STRING_BYTES, "%s", race.play.net.folder);
}

static void end_race(void) {
    TestNet_Free(&race.play.net);
    race.scene.console.server = NULL;
    tear_down(&race.scene);
    GameModule_Unload(&race.module);
}

static void wait_for(const char *text, int32_t limit_ms) {
    if (!TestPlaying_WaitFor(&race.play, RED_2, text, limit_ms)) {
        fail_msg("nobody reads \"%s\" in: %s", text, race.play.heard[RED_2]);
    }
}

static void join_all(void) {
    static const char *const names[] = {"ruth", "bert", "rosa", "bill"};
    for (int32_t i = 0; i < 4; i++) {
        TestNet_AddClient(&race.play.net, names[i]);
    }
    assert_true(TestNet_WaitActive(&race.play.net, 20000));
    TestPlaying_Run(&race.play, 200);
}

static int32_t legs_of(int32_t n) {
    cl_value_t value = {.number = -1};
    CL_PlayerField(race.play.net.clients[RED_2], CL_Slot(race.play.net.clients[n]), "legs", &value);
    return value.number;
}

static void command(int32_t n, const char *text) {
    assert_true(CL_Command(race.play.net.clients[n], text));
}

static void go_to(int32_t n, float x, float y) {
    assert_true(TestPlaying_Goto(&race.play, n, x, y, RUN_MS));
}

// Runs one race of two legs, which red wins. Bert of blue only reaches the middle.
static void run_race(int32_t number) {
    char text[64];
    test_playing_t *play = &race.play;
    TestPlaying_Forget(play);
    says(&race.scene, "race_start 2; race_start");
    wait_for("go", START_MS);
    assert_int_equal(TestPlaying_Heard(play, RED_2, "starting in 3"), 1);
    assert_int_equal(TestPlaying_Heard(play, RED_2, "starting in 1"), 1);
    assert_has(race.scene.text, "info: 2 runners in each team\ninfo: a race is running; race_stop");
    go_to(BLUE_1, -450.0f, 64.0f);
    go_to(RED_1, -450.0f, -64.0f);
    wait_for("ruth has the baton, leg 1", RUN_MS);
    assert_int_equal(TestPlaying_Heard(play, RED_2, "bert has the baton, leg 1"), 1);
    command(RED_1, "pass");
    assert_true(TestPlaying_WaitFor(play, RED_1, "nobody is near", RUN_MS));
    go_to(RED_1, -40.0f, -64.0f);
    command(RED_1, "pass");
    wait_for("rosa has the baton, leg 2", RUN_MS);
    command(RED_1, "pass");
    assert_true(TestPlaying_WaitFor(play, RED_1, "you have no baton", RUN_MS));
    TestPlaying_Press(play, RED_2, (cl_input_t){.forward = 320.0f});
    snprintf(text, sizeof text, "red wins race %d", number);
    wait_for(text, RUN_MS);
    TestPlaying_Press(play, RED_2, (cl_input_t){.forward = 0.0f});
    int32_t maps = play->maps[RED_2];
    for (int32_t ms = 0; ms < RUN_MS && play->maps[RED_2] == maps; ms += 100) {
        TestPlaying_Run(play, 100);
    }
    assert_int_equal(play->maps[RED_2], maps + 1); // the podium lasts 2 s, then the map restarts
    assert_true(TestNet_WaitActive(&play->net, 20000));
    TestPlaying_Run(play, 500);
    assert_int_equal(legs_of(RED_1), number); // kept
    assert_int_equal(legs_of(RED_2), number);
    assert_int_equal(legs_of(BLUE_1), 0);
    says(&race.scene, "standings");
    TestPlaying_Run(play, 100);
    snprintf(text, sizeof text, "info: red %d, blue 0, record ", number);
    assert_has(race.scene.text, text);
    snprintf(text, sizeof text, "info: rosa: %d legs\n", number);
    assert_has(race.scene.text, text);
}

static float record(void) {
    const char *value = strstr(says(&race.scene, "race_record_s"), "race_record_s = \"");
    assert_non_null(value);
    return strtof(value + strlen("race_record_s = \""), NULL);
}

static void test_two_races(void **state) {
    (void)state;
    start_server_of_race();
    assert_has(says(&race.scene, "standings"), "info: red 0, blue 0, record 0.000 s\n");
    says(&race.scene, "sv_gamecheck 1");
    join_all();
    assert_true(record() == 0.0f);
    run_race(1);
    float first = record();
    assert_true(first > 2.0f && first < 20.0f);
    copy_module();
    says(&race.scene, "game reload");
    run_race(2);
    assert_true(record() > 0.0f && record() <= first);
    assert_int_equal(race.play.drops, 0);
    assert_int_equal(race.warnings, 0);
    end_race();
}

// A baton that is thrown returns to its start. A runner who leaves drops the baton.
static void test_a_lost_baton(void **state) {
    (void)state;
    test_playing_t *play = &race.play;
    start_server_of_race();
    join_all();
    says(&race.scene, "sv_gamecheck 1; race_start 9");
    TestPlaying_Run(play, 100);
    assert_has(race.scene.text, "set_cvar: race_legs: expected a whole number in 1..8");
    assert_has(race.scene.text, "info: 9 legs are not possible\n");
    says(&race.scene, "race_start 1");
    wait_for("go", START_MS);
    assert_has(says(&race.scene, "race_legs"), "race_legs = \"1\"");
    go_to(RED_1, -450.0f, -64.0f);
    wait_for("ruth has the baton", RUN_MS);
    go_to(RED_2, 200.0f, -200.0f); // out of its path
    command(RED_1, "drop");
    wait_for("ruth drops the baton", RUN_MS);
    go_to(RED_1, -560.0f, -200.0f);
    wait_for("the red baton is back", RUN_MS);
    go_to(BLUE_1, -450.0f, 64.0f);
    wait_for("bert has the baton", RUN_MS);
    CL_Disconnect(play->net.clients[BLUE_1]);
    wait_for("bert drops the baton", RUN_MS);
    says(&race.scene, "race_stop");
    wait_for("the race is off", RUN_MS);
    TestPlaying_Forget(play);
    go_to(RED_2, 100.0f, 250.0f); // into the hare's path
    wait_for("the hare bumps into rosa", RUN_MS);
    assert_int_equal(race.warnings, 1); // race_start 9
    end_race();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_races),
        cmocka_unit_test(test_a_lost_baton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
