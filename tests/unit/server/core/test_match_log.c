// Log lines about players and the match: exact, on one line, impossible to forge, and bounded.

#include "lib/peer_fixture.h"
#include "lib/testing.h"

#include "core/game_api.h"
#include "core/server_local.h"

#include <stdlib.h>
#include <string.h>

// The prints of the test's game.
typedef struct {
    int32_t once, each;
} prints_t;

// "score N" logs N events, with texts that try to look like other lines. "flood N" logs N lines,
// then a fault, and sets a cvar. "print N" prints N lines to everybody at the end of the tick, and
// "each N" at the end of every tick.
static bool command(sv_context_t *sv, edict_t *player, client_t *client, const char *text) {
    const log_field_t fields[] = {{.key = "with a blank", .text = "a\n\"b\"\\ \xff"},
                                  {.key = "points", .number = -7},
                                  {.key = "cut", .text = text + 6}};
    for (int32_t i = strncmp(text, "score", 5) == 0 ? atoi(text + 6) : 0; i > 0; i--) {
        sv->engine->log_event(sv, "go=al", i % 2 ? player : NULL, fields, 3);
    }
    if (strncmp(text, "flood", 5) == 0) {
        for (int32_t i = atoi(text + 6); i > 0; i--) {
            sv->engine->log(sv, LOG_INFO, "flood");
        }
        (void)sv->engine->callback(sv, "typo");
        bool is_set = sv->engine->set_cvar(sv, "sv_gravity", "300");
        client->player.health = is_set ? 1 : -1;
    }
    if (strncmp(text, "print", 5) == 0) {
        ((prints_t *)sv->engine->world_vars(sv))->once = atoi(text + 6);
    }
    if (strncmp(text, "each", 4) == 0) {
        ((prints_t *)sv->engine->world_vars(sv))->each = atoi(text + 5);
    }
    return true;
}

static void frame(sv_context_t *sv) {
    prints_t *prints = sv->engine->world_vars(sv);
    for (int32_t i = prints->once + prints->each; i > 0; i--) {
        sv->engine->print(sv, EVENT_TO_ALL, "a line");
    }
    prints->once = 0;
}

static const game_export_t game = {
    .api_version = GAME_API_VERSION, .name = "score", .client_command = command, .frame = frame};

typedef struct {
    test_net_t net;
    test_peer_t eve;
    char lines[65536];
} scene_t;

static void keep_line(void *context, log_level_t level, const char *line) {
    scene_t *scene = context;
    size_t used = strlen(scene->lines);
    snprintf(scene->lines + used, sizeof scene->lines - used, "%s%s: %s\n",
             level == LOG_EVENT ? "event " : "", Log_LevelName(level), line);
}

static void begin(scene_t *scene, const char *name) {
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    const test_net_config_t config = {.seed = 1, .max_clients = 4, .map = &room, .game = &game};
    memset(scene, 0, sizeof *scene);
    TestNet_Init(&scene->net, &config);
    TestNet_WriteMap(&scene->net, &(test_map_t){.room = room.room, .name = "second"}, "second");
    scene->net.log = (log_t){keep_line, scene, LOG_INFO};
    TestPeer_Join(&scene->eve, &scene->net, 0, name);
}

static void end(scene_t *scene) {
    TestPeer_Free(&scene->eve);
    TestNet_Free(&scene->net);
}

static int32_t count_of(const scene_t *scene, const char *part) {
    int32_t count = 0;
    for (const char *at = scene->lines; (at = strstr(at, part)) != NULL; at++) {
        count++;
    }
    return count;
}

static void expect_line(const scene_t *scene, const char *line) {
    char whole[1024];
    snprintf(whole, sizeof whole, "event info: %s\n", line);
    if (count_of(scene, whole) != 1) {
        fail_msg("expected once: %sfound:\n%s", whole, scene->lines);
    }
}

// Neither a fault nor a cvar is lost in silence in a tick with many log lines.
static void test_a_flood_of_lines(void **state) {
    (void)state;
    static scene_t scene;
    begin(&scene, "eve");
    const server_t *server = scene.net.server;
    const int32_t *health = &World_Client(Server_World(server), 0)->player.health;
    TestPeer_Text(&scene.eve, CTL_COMMAND, "flood 8192");
    TestPeer_Run(&scene.eve, 100);
    assert_int_equal(*health, -1);
    assert_true(Server_Cvars(server)->move.sv_gravity == 800.0f);
    assert_int_equal(count_of(&scene, "info: flood\n"), 16);
    TestPeer_Run(&scene.eve, 6000); // faults are logged once in 5 s
    TestPeer_Text(&scene.eve, CTL_COMMAND, "flood 100");
    TestPeer_Run(&scene.eve, 100);
    assert_int_equal(*health, 1);
    assert_true(Server_Cvars(server)->move.sv_gravity == 300.0f);
    assert_int_equal(count_of(&scene, "callback: expected a name of the game's table"), 1);
    assert_int_equal(count_of(&scene, "dropped 84 log lines (maximum 16 of a level"), 1);
    end(&scene);
}

// A client receives a bounded number of lines in a tick, and how many were left out.
static void test_a_flood_of_prints(void **state) {
    (void)state;
    static scene_t scene;
    begin(&scene, "eve");
    int32_t heard = scene.eve.heard[CTL_PRINT];
    TestPeer_Text(&scene.eve, CTL_COMMAND, "print 500");
    TestPeer_Run(&scene.eve, 500);
    assert_int_equal(scene.eve.heard[CTL_PRINT], heard + 500);
    TestPeer_Text(&scene.eve, CTL_COMMAND, "print 5000");
    TestPeer_Run(&scene.eve, 500);
    assert_int_equal(scene.eve.heard[CTL_PRINT], heard + 500 + 512 + 1);
    assert_string_equal(scene.eve.last[CTL_PRINT].u.text.text, "and 4488 more lines");
    assert_int_equal(count_of(&scene, "left out 4488 prints for everybody"), 1);
    assert_false(scene.eve.left);
    end(&scene);
}

// Lets `num` clients join a game that prints more than they may receive. Returns how many lines the
// first of them hears in 32 ticks after the first one, and writes how many in the next 30.
static int32_t count_prints(int32_t num, int32_t *next) {
    static scene_t scene;
    static test_peer_t others[3];
    char line[80];
    begin(&scene, "eve");
    for (int32_t i = 1; i < num; i++) {
        TestPeer_Join(&others[i - 1], &scene.net, i, "other");
    }
    TestPeer_Run(&scene.eve, 1000); // the bucket is empty
    const int32_t before = scene.eve.heard[CTL_PRINT];
    TestPeer_Text(&scene.eve, CTL_COMMAND, "each 512");
    TestPeer_Run(&scene.eve, 528);
    const int32_t heard = scene.eve.heard[CTL_PRINT] - before;
    TestPeer_Run(&scene.eve, 480);
    *next = scene.eve.heard[CTL_PRINT] - before - heard;
    snprintf(line, sizeof line, "with %d players %d in a second)", num, 16384 / num);
    assert_int_equal(count_of(&scene, line), 1);
    assert_int_equal(Server_NumPlayers(scene.net.server), num);
    for (int32_t i = 1; i < num; i++) {
        TestPeer_Free(&others[i - 1]);
    }
    end(&scene);
    return heard;
}

// Clients receive 16,384 lines in a second together, of which a quarter may come at once.
static void test_prints_of_a_second(void **state) {
    (void)state;
    for (int32_t num = 1; num <= 4; num *= 2) {
        const int32_t burst = 4096 / num;
        const int32_t rate = 16384 / num;
        int32_t next;
        const int32_t heard = count_prints(num, &next);
        print_message("%d players hear %d lines, then %d\n", num, heard, next);
        assert_in_range(heard, (burst + rate * 512 / 1000) * 99 / 100,
                        (burst + rate * 512 / 1000) * 101 / 100);
        assert_in_range(next, rate * 480 / 1000 * 99 / 100, rate * 480 / 1000 * 101 / 100);
    }
}

// Lines that were left out on a map, or before all clients left, are not counted to others.
static void test_prints_of_before(void **state) {
    (void)state;
    for (int32_t leaves = 0; leaves < 2; leaves++) {
        static scene_t scene;
        err_t err;
        begin(&scene, "eve");
        server_t *server = scene.net.server;
        server->prints_noted_ms = server->now_ms; // the next line comes a second later
        TestPeer_Text(&scene.eve, CTL_COMMAND, "print 600");
        TestPeer_Run(&scene.eve, 100);
        assert_int_equal(server->prints_left_out, 88);
        if (leaves) {
            assert_true(Server_Kick(server, 0, "bye"));
            for (int32_t i = 0; i < 1000 && Server_NumClients(server) > 0; i++) {
                scene.net.now_ms += TEST_NET_STEP_MS; // without a tick, which would also forget
                SimNet_Advance(scene.net.sim, scene.net.now_ms);
                Server_Drain(server, scene.net.now_ms);
            }
            assert_int_equal(Server_NumClients(server), 0);
        } else {
            assert_true(Server_StartMap(server, "second", &err));
        }
        assert_int_equal(server->prints_left_out, 0);
        end(&scene);
    }
}

#define EVE "slot=0 name=\"x\\\" slot=9 name=\\\"bob\""

static void test_lines_cannot_be_forged(void **state) {
    (void)state;
    static scene_t scene;
    err_t err;
    control_msg_t msg = {.type = CTL_SAY, .u.text.team = true};
    begin(&scene, "x\" slot=9 name=\"bob");
    TestPeer_Text(&scene.eve, CTL_SAY, "hi\" text=\"no\\");
    TestPeer_Text(&scene.eve, CTL_SAY, "one\nedictd: info: chat slot=1\xe2\x80\xa8 \x1b[2J\xff");
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "to us");
    TestPeer_Send(&scene.eve, &msg);
    TestPeer_Run(&scene.eve, 100);
    Server_Say(scene.net.server, "a \"word\"\nof ours");
    TestPeer_Text(&scene.eve, CTL_COMMAND, "score 2");
    TestPeer_Run(&scene.eve, 100);
    assert_true(Server_StartMap(scene.net.server, "second", &err));
    TestPeer_Run(&scene.eve, 100);
    assert_true(Server_Kick(scene.net.server, 0, "too \"loud\""));
    Server_Shutdown(scene.net.server, "over");
    assert_non_null(strstr(scene.lines, "event info: join " EVE " address=\"10.0.9.0:"));
    assert_non_null(strstr(scene.lines, "event info: leave " EVE " address=\"10.0.9.0:"));
    assert_non_null(strstr(scene.lines, " reason=\"too \\\"loud\\\"\"\n"));
    expect_line(&scene, "chat " EVE " text=\"hi\\\" text=\\\"no\\\\\"");
    expect_line(&scene, "chat " EVE " text=\"one?edictd: info: chat slot=1 ?[2J?\"");
    expect_line(&scene, "team_chat " EVE " text=\"to us\" team=0");
    expect_line(&scene, "say text=\"a \\\"word\\\"\\nof ours\"");
    const char *rest = "with_a_blank=\"a\\n\\\"b\\\"\\\\ \xef\xbf\xbd\" points=-7 cut=\"2\"";
    char line[512];
    snprintf(line, sizeof line, "go_al " EVE " %s", rest);
    expect_line(&scene, line);
    snprintf(line, sizeof line, "go_al %s", rest);
    expect_line(&scene, line);
    assert_int_equal(
        count_of(&scene, "event info: map_start name=\"second\" format=\"BSP29\" hash=\""), 1);
    assert_int_equal(count_of(&scene, "event info: map_end name=\"testmap\" ticks="), 1);
    assert_int_equal(count_of(&scene, "event info: map_end name=\"second\" ticks="), 1);
    end(&scene);
}

// A name that looks like an event does not begin a line.
static void test_a_flood_names_the_slot_first(void **state) {
    (void)state;
    static scene_t scene;
    begin(&scene, "kill slot=1 name=\"a\"");
    for (int32_t i = 0; i < 9; i++) {
        TestPeer_Text(&scene.eve, CTL_SAY, "buy");
    }
    TestPeer_Run(&scene.eve, 100);
    assert_int_equal(count_of(&scene, "\nwarn: slot 0 (kill slot=1 name=\"a\") sends too many"), 1);
    assert_int_equal(
        count_of(&scene, "event info: chat slot=0 name=\"kill slot=1 name=\\\"a\\\"\""), 4);
    end(&scene);
}

static void test_a_text_that_does_not_fit_is_cut(void **state) {
    (void)state;
    static scene_t scene;
    char text[MAX_TEXT_BYTES];
    begin(&scene, "eve");
    snprintf(text, sizeof text, "score 1%*s\"end", 235, "");
    TestPeer_Text(&scene.eve, CTL_COMMAND, text);
    TestPeer_Run(&scene.eve, 100);
    const char *line = strstr(scene.lines, "go_al slot=0 ");
    assert_non_null(line);
    size_t length = strcspn(line, "\n");
    assert_true(length > MAX_TEXT_BYTES - 8);
    assert_true(length < MAX_TEXT_BYTES);
    assert_true(line[length - 1] == '"');
    end(&scene);
}

static void test_a_flood_of_events_is_counted(void **state) {
    (void)state;
    static scene_t scene;
    begin(&scene, "eve");
    for (int32_t i = 0; i < 5; i++) {
        TestPeer_Text(&scene.eve, CTL_COMMAND, "score 60");
    }
    TestPeer_Run(&scene.eve, 200);
    assert_int_equal(count_of(&scene, "go_al "), 200);
    TestPeer_Run(&scene.eve, 5200);
    assert_int_equal(count_of(&scene, "100 more events of the game in 5000 ms were not logged\n"),
                     1);
    TestPeer_Text(&scene.eve, CTL_COMMAND, "score 3");
    TestPeer_Run(&scene.eve, 100);
    assert_int_equal(count_of(&scene, "go_al "), 203);
    end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_flood_of_lines),
        cmocka_unit_test(test_a_flood_of_prints),
        cmocka_unit_test(test_prints_of_a_second),
        cmocka_unit_test(test_prints_of_before),
        cmocka_unit_test(test_lines_cannot_be_forged),
        cmocka_unit_test(test_a_flood_names_the_slot_first),
        cmocka_unit_test(test_a_text_that_does_not_fit_is_cut),
        cmocka_unit_test(test_a_flood_of_events_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
