// Tests of edict-probe move: its tables, their faults, and its world of brush entities.

#include "lib/map_fixture.h"
#include "lib/testing.h"
#include "probe/move.h"

#include <string.h>

static const char entities[] = "{\n\"classname\" \"worldspawn\"\n}\n"
                               "{\n\"classname\" \"func_door\"\n\"model\" \"*1\"\n"
                               "\"origin\" \"100 0 0\"\n}\n"
                               "{\n\"classname\" \"trigger_push\"\n\"model\" \"*1\"\n}\n";

typedef struct {
    cmap_t map;
    moves_t *moves;
    char rows[4096]; // "traj:number" of each row
    player_state_t last;
} fixture_t;

static fixture_t fixture;

static void build(const char *entity_text) {
    const test_block_t blocks[] = {
        {.box = {{-16.0f, -200.0f, 0.0f}, {16.0f, 200.0f, 100.0f}},
         .contents = CONTENTS_SOLID,
         .model = 1},
    };
    const test_map_t room = {.room = {{-512.0f, -512.0f, 0.0f}, {512.0f, 512.0f, 256.0f}},
                             .blocks = blocks,
                             .num_blocks = (int32_t)COUNTOF(blocks),
                             .entities = entity_text};
    assert_true(TestMap_Build(&fixture.map, &room));
    fixture.moves = calloc(1, sizeof *fixture.moves);
    assert_non_null(fixture.moves);
    fixture.rows[0] = '\0';
}

static int setup(void **state) {
    (void)state;
    err_t err;
    build(entities);
    assert_true(Moves_Init(fixture.moves, &fixture.map, &err));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    Moves_Free(fixture.moves);
    free(fixture.moves);
    CM_FreeMap(&fixture.map);
    return 0;
}

static bool note_row(void *context, const move_start_t *start) {
    (void)context;
    size_t used = strlen(fixture.rows);
    snprintf(fixture.rows + used, sizeof fixture.rows - used, " %s:%d", start->traj,
             (int)start->cmd);
    fixture.last = start->player;
    return true;
}

static bool read_starts(const char *text, err_t *err) {
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", text);
    FILE *in = fmemopen(copy, strlen(copy), "r");
    bool good = Moves_ReadStarts(fixture.moves, in, "starts", err);
    fclose(in);
    return good;
}

static bool run(const char *text, err_t *err) {
    FILE *in = tmpfile();
    assert_non_null(in);
    fputs(text, in);
    rewind(in);
    bool good = Moves_Run(fixture.moves, in, "cmds", note_row, NULL, err);
    fclose(in);
    return good;
}

/// Adds `count` commands of a trajectory that walks along +x.
static void add_cmds(char *text, size_t size, const char *traj, int32_t first, int32_t count) {
    if (text[0] == '\0') {
        snprintf(text, size, "traj,cmd,msec,pitch,yaw,forward,side,up,buttons\n");
    }
    for (int32_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s,%d,20,0,0,400,0,0,0\n", traj, first + i);
    }
}

static void test_rows_after_ten(void **state) {
    (void)state;
    err_t err;
    char text[16384] = "";
    assert_true(read_starts("traj,x,y,z\na,0,-300,24.5\nb,0,-300,24.5\n", &err));
    add_cmds(text, sizeof text, "a", 0, 10);
    add_cmds(text, sizeof text, "b", 100, 5);
    add_cmds(text, sizeof text, "a", 10, 15);
    add_cmds(text, sizeof text, "b", 105, 5);
    assert_true(run(text, &err));
    assert_string_equal(fixture.rows, " a:9 a:19 b:109");
}

static void test_brush_entities_stop(void **state) {
    (void)state;
    err_t err;
    char text[16384] = "";
    assert_int_equal(fixture.moves->world.num_solids, 1); // the trigger is not solid
    assert_true(read_starts("traj,mode,x,y,z\nw,world,0,0,24.5\nb,bmodels,0,0,24.5\n", &err));
    add_cmds(text, sizeof text, "w", 0, 40);
    assert_true(run(text, &err));
    assert_true(fixture.last.origin.x > 180.0f); // through the door at x = 84..116
    text[0] = '\0';
    add_cmds(text, sizeof text, "b", 0, 40);
    assert_true(run(text, &err));
    assert_true(fixture.last.origin.x > 67.0f);
    assert_true(fixture.last.origin.x <= 68.0f);
    pm_world_t world = fixture.moves->pm_worlds[1];
    assert_int_equal(world.point_contents(world.context, Vector(100.0f, 0.0f, 50.0f)),
                     CONTENTS_SOLID);
    world = fixture.moves->pm_worlds[0];
    assert_int_equal(world.point_contents(world.context, Vector(100.0f, 0.0f, 50.0f)),
                     CONTENTS_EMPTY);
}

static void test_state_columns(void **state) {
    (void)state;
    err_t err;
    assert_true(read_starts(
        "traj,x,y,z,vx,vy,vz,onground,groundmodel,waterlevel,watertype,jump_held,jump_msec,"
        "waterjumptime\nq,1,2,3,4,5,-6,1,2,3,-5,1,26,1.86999989\n",
        &err));
    const player_state_t *player = &fixture.moves->starts[0].player;
    assert_true(VectorCompare(player->velocity, Vector(4.0f, 5.0f, -6.0f)));
    assert_int_equal(player->flags, PMF_ONGROUND | PMF_JUMP_HELD);
    assert_int_equal(player->groundentity, 2);
    assert_int_equal(player->waterlevel, 3);
    assert_int_equal(player->watertype, CONTENTS_LAVA);
    assert_int_equal(player->jump_ms, 26);
    assert_int_equal(player->waterjump_ms, 1870);
}

/// Tests that stopping after ten commands and starting from the written row gives the same bits as
/// continuing.
static void test_windows_join(void **state) {
    (void)state;
    err_t err;
    char text[16384] = "";
    assert_true(read_starts("traj,x,y,z\na,0,-300,60\n", &err));
    add_cmds(text, sizeof text, "a", 0, 20);
    assert_true(run(text, &err));
    player_state_t whole = fixture.last;
    Moves_Free(fixture.moves);
    text[0] = '\0';
    assert_true(read_starts("traj,x,y,z\na,0,-300,60\n", &err));
    add_cmds(text, sizeof text, "a", 0, 10);
    assert_true(run(text, &err));
    char row[512];
    const player_state_t *p = &fixture.last;
    snprintf(row, sizeof row,
             "traj,x,y,z,vx,vy,vz,onground,jump_held,jump_msec\n"
             "a,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%d,%d\n",
             (double)p->origin.x, (double)p->origin.y, (double)p->origin.z, (double)p->velocity.x,
             (double)p->velocity.y, (double)p->velocity.z, (p->flags & PMF_ONGROUND) != 0,
             (p->flags & PMF_JUMP_HELD) != 0, p->jump_ms);
    Moves_Free(fixture.moves);
    assert_true(read_starts(row, &err));
    text[0] = '\0';
    add_cmds(text, sizeof text, "a", 10, 10);
    assert_true(run(text, &err));
    assert_memory_equal(&fixture.last, &whole, sizeof whole);
}

static void test_sub_steps(void **state) {
    (void)state;
    err_t err;
    char text[16384] = "";
    fixture.moves->vars.pm_step_ms = 8;
    assert_true(read_starts("traj,x,y,z\na,0,-300,60\n", &err));
    add_cmds(text, sizeof text, "a", 0, 11);
    assert_true(run(text, &err));
    assert_int_equal(fixture.moves->starts[0].player.step_ms, 220 % 8);
}

static void expect_bad_starts(const char *text, const char *reason) {
    err_t err;
    Moves_Free(fixture.moves);
    assert_false(read_starts(text, &err));
    assert_string_equal(err.text, reason);
}

static void expect_bad_cmds(const char *row, const char *reason) {
    err_t err;
    char text[512];
    Moves_Free(fixture.moves);
    assert_true(read_starts("traj,x,y,z\na,0,-300,60\n", &err));
    snprintf(text, sizeof text, "traj,cmd,msec,pitch,yaw,forward,side,up,buttons\n%s\n", row);
    assert_false(run(text, &err));
    assert_string_equal(err.text, reason);
}

static void test_bad_tables(void **state) {
    (void)state;
    expect_bad_starts("traj,x,y\n", "starts:1: expected a column z, found none");
    expect_bad_starts("traj,x,y,z\na,0,0,70000\n",
                      "starts:2: column z: expected a number within +-65536, found \"70000\"");
    expect_bad_starts("traj,x,y,z,mode\na,0,0,0,sky\n",
                      "starts:2: column mode: expected world or bmodels, found \"sky\"");
    expect_bad_starts("traj,x,y,z,vx\na,0,0,0,nan\n",
                      "starts:2: column vx: expected a number, found \"nan\"");
    expect_bad_starts("traj,x,y,z,waterjumptime\na,0,0,0,11\n",
                      "starts:2: column waterjumptime: expected a number 0..10, found \"11\"");
    expect_bad_starts("traj,x,y,z\nb,0,0,0\na,0,0,0\nb,0,0,0\n",
                      "starts:4: column traj: expected each traj once, found b in line 2");
    expect_bad_cmds("b,0,13,0,0,0,0,0,0",
                    "cmds:2: column traj: expected a traj of the table of starts, found \"b\"");
    expect_bad_cmds("a,0,0,0,0,0,0,0,0",
                    "cmds:2: column msec: expected a whole number 1..100, found \"0\"");
    expect_bad_cmds("a,0,13,0,0,9000,0,0,0",
                    "cmds:2: column forward: expected a number -8191..8191, found \"9000\"");
    expect_bad_cmds("a,5,13,0,0,0,0,0,0\na,5,13,0,0,0,0,0,0",
                    "cmds:3: column cmd: expected a whole number 6..2147483647, found \"5\"");
}

static void test_bad_entities(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"{\n\"classname\" \"func_door\"\n\"model\" \"*7\"\n}\n",
         "testmap: entities: line 1: expected a model *1..*1, found \"*7\""},
        {"{\n\"classname\" \"func_wall\"\n\"model\" \"*1\"\n\"origin\" \"1 2\"\n}\n",
         "testmap: entities: line 1: expected three numbers, found \"1 2\""},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        err_t err;
        teardown(NULL);
        build(cases[i].text);
        assert_false(Moves_Init(fixture.moves, &fixture.map, &err));
        assert_string_equal(err.text, cases[i].reason);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows_after_ten, setup, teardown),
        cmocka_unit_test_setup_teardown(test_brush_entities_stop, setup, teardown),
        cmocka_unit_test_setup_teardown(test_state_columns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_windows_join, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sub_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_tables, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_entities, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
