// The buggy on the simulated network. A client gets in, drives over hills, jumps and steps, and
// gets out. Its prediction equals the server's result, bit for bit, and other clients see driver
// and buggy.

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "core/server_local.h"
#include "game/game.h"
#include "math/angles.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRIVER    0
#define LOOKER    1
#define SLACK_MS  200 // added to the round trip until a client predicts with news it received
#define ROUND_MS  60000
#define MAX_DRIFT 24.0f // qu between driver and buggy as others see them

typedef struct {
    sim_conditions_t link;
    int32_t cmd_ms;
    const char *name;
} scene_t;

typedef struct {
    test_net_t net;
    sv_context_t sv;
    int32_t target, stuck_ms, back_ms;
    float highest;     ///< qu
    float steepest;    ///< degrees that the buggy leaned, as the other client sees it
    int32_t flown;     ///< steps in which the driver was in the air
    int32_t seen;      ///< steps in which the other client saw both
    int32_t reached;   ///< waypoints
    float path;        ///< qu
    float drift;       ///< largest distance between both, as the other client sees it
    cl_stats_t before; ///< counts at the time when prediction had settled
} run_t;

// Over the ridge and the jump, up the bank and down its steep end, over the steps and the mound.
static const vec3_t course[] = {
    {0, 0, 0},      {680, 0, 0},     {1080, 160, 0}, {700, 320, 0},   {160, 480, 0},
    {180, 640, 0},  {640, 640, 0},   {960, 640, 0},  {1150, 560, 0},  {1100, 240, 0},
    {500, 320, 0},  {100, 500, 0},   {-60, 640, 0},  {-320, 640, 0},  {-680, 560, 0},
    {-700, 300, 0}, {-600, -500, 0}, {100, -640, 0}, {512, -640, 0},  {860, -560, 0},
    {800, -320, 0}, {500, -400, 0},  {100, -420, 0}, {-500, -480, 0}, {-1000, -100, 0}};

static float larger(float a, float b) {
    return a > b ? a : b;
}

static bool map_path(char path[512]) {
    snprintf(path, 512, "%s/maps/buggy.bsp", Test_BuildFolder());
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not there\n", path);
        return false;
    }
    return true;
}

static const client_t *driver_of(const run_t *run) {
    return World_Client(run->sv.world, CL_Slot(run->net.clients[DRIVER]));
}

static edict_t *edict_of(run_t *run, int32_t client) {
    return World_Edict(run->sv.world, CL_Slot(run->net.clients[client]) + 1);
}

static edict_t *buggy_of(run_t *run) {
    return run->sv.engine->find_class(&run->sv, NULL, "misc_buggy");
}

static void start(run_t *run, const scene_t *scene, const char *path, uint64_t seed) {
    const test_net_config_t config = {
        .seed = seed, .conditions = scene->link, .max_clients = 4, .map_file = path};
    memset(run, 0, sizeof *run);
    TestNet_Init(&run->net, &config);
    server_t *server = run->net.server;
    run->sv = SV_Context(server->world, server->map, &server->game, server->events);
    TestNet_AddClient(&run->net, "driver");
    TestNet_AddClient(&run->net, "looker");
    test_net_t *net = &run->net;
    CL_Destroy(net->clients[DRIVER]);
    err_t err;
    net->clients[DRIVER] = CL_Create(&(cl_config_t){.net = net->client_nets[DRIVER],
                                                    .maps = net->maps,

                                                    .cmd_ms = scene->cmd_ms});
    assert_non_null(net->clients[DRIVER]);
    assert_true(CL_Connect(net->clients[DRIVER], TestNet_ServerAddress(), "driver", false, &err));
    assert_true(TestNet_WaitActive(net, 20000));
}

static void play(run_t *run, int64_t ms, const cl_input_t *input) {
    for (int64_t end = run->net.now_ms + ms; run->net.now_ms < end;) {
        CL_SetInput(run->net.clients[DRIVER], input);
        TestNet_Step(&run->net);
    }
}

// Puts the player beside the first buggy and presses the use button.
static void get_in(run_t *run, int64_t round_trip_ms) {
    vec3_t beside = VectorAdd(buggy_of(run)->origin, Vector(0.0f, 60.0f, 6.0f));
    run->sv.engine->teleport(&run->sv, edict_of(run, DRIVER), beside, Vector(0.0f, 0.0f, 0.0f),
                             Vector(0.0f, 0.0f, 0.0f));
    run->sv.engine->teleport(&run->sv, edict_of(run, LOOKER), Vector(-1200.0f, 800.0f, 25.0f),
                             Vector(0.0f, 0.0f, 0.0f), Vector(0.0f, 0.0f, 0.0f)); // out of the path
    play(run, 1500, &(cl_input_t){0});
    play(run, 100, &(cl_input_t){.buttons = BUTTON_USE});
    play(run, round_trip_ms, &(cl_input_t){0});
    assert_int_equal(driver_of(run)->player.pm_type, PM_DRIVING);
}

// Measures what the other client sees of driver and buggy.
static void look(run_t *run) {
    entity_state_t seen[MAX_SNAPSHOT_ENTS];
    int32_t count = CL_Entities(run->net.clients[LOOKER], seen, MAX_SNAPSHOT_ENTS);
    int32_t buggy_number = World_EdictNumber(run->sv.world, buggy_of(run));
    const entity_state_t *driver = NULL;
    const entity_state_t *buggy = NULL;
    for (int32_t i = 0; i < count; i++) {
        driver = seen[i].owner == CL_Slot(run->net.clients[DRIVER]) + 1 ? &seen[i] : driver;
        buggy = seen[i].number == buggy_number ? &seen[i] : buggy;
    }
    if (!driver || !buggy) {
        return;
    }
    run->seen++;
    float apart[3];
    for (int32_t k = 0; k < 3; k++) {
        apart[k] = (float)(driver->origin[k] - buggy->origin[k]) / ENTITY_ORIGIN_SCALE;
    }
    run->drift = larger(run->drift, VectorLength(Vector(apart[0], apart[1], apart[2])));
    float pitch = AngleMod(ShortToAngle((uint16_t)buggy->angles[0]) + 180.0f) - 180.0f;
    run->steepest = larger(run->steepest, fabsf(pitch));
}

// Steers towards the next waypoint, slower in bends; backs out of a corner.
static cl_input_t steer(run_t *run, const player_state_t *car) {
    vec3_t to = VectorSubtract(course[run->target], car->origin);
    if (to.x * to.x + to.y * to.y < 110.0f * 110.0f) {
        run->target = (run->target + 1) % (int32_t)COUNTOF(course);
        run->reached++;
    }
    float wanted = VectorAngles(Vector(to.x, to.y, 0.0f)).y;
    float off = AngleMod(wanted - car->heading + 180.0f) - 180.0f;
    float side = Q_ClampF(-off * 10.0f, -320.0f, 320.0f);
    float speed = VectorLength(car->velocity);
    float bend = speed > 250.0f ? -320.0f : 120.0f;
    run->stuck_ms = speed < 20.0f ? run->stuck_ms + TEST_NET_STEP_MS : 0;
    bool in_circle = fabsf(off) > 60.0f && VectorLength(Vector(to.x, to.y, 0.0f)) < 260.0f;
    bool turns_back = run->stuck_ms > 600 || (in_circle && run->back_ms < -1000);
    run->back_ms = turns_back ? 1400 : run->back_ms - TEST_NET_STEP_MS;
    if (run->back_ms > 0) {
        return (cl_input_t){.forward = -320.0f, .side = -side};
    }
    return (cl_input_t){.forward = fabsf(off) > 25.0f ? bend : 320.0f,
                        .side = side,
                        .yaw = AngleMod(car->heading + 90.0f)};
}

static void drive(run_t *run, int64_t ms) {
    test_net_t *net = &run->net;
    player_state_t car;
    assert_true(CL_Predicted(net->clients[DRIVER], &car));
    CL_Stats(net->clients[DRIVER], &run->before);
    for (int64_t end = net->now_ms + ms; net->now_ms < end;) {
        cl_input_t input = steer(run, &car);
        CL_SetInput(net->clients[DRIVER], &input);
        vec3_t was = car.origin;
        TestNet_Step(net);
        assert_true(CL_Predicted(net->clients[DRIVER], &car));
        assert_int_equal(car.pm_type, PM_DRIVING);
        run->path += VectorLength(VectorSubtract(car.origin, was));
        run->highest = larger(run->highest, car.origin.z);
        run->flown += car.flags & PMF_ONGROUND ? 0 : 1;
        look(run);
    }
}

static void test_a_drive_is_predicted_to_the_bit(void **state) {
    (void)state;
    static const scene_t scenes[] = {
        {{.delay_ms = 0}, 0, "no delay"},
        {{.delay_ms = 40}, 11, "80 ms away"},
        {{.delay_ms = 100}, 33, "200 ms away, commands of 33 ms"},
        {{.delay_ms = 40, .jitter_ms = 4, .loss = 0.02f}, 16, "80 ms away, 2 % lost"},
    };
    char path[512];
    if (!map_path(path)) {
        skip();
    }
    for (size_t i = 0; i < COUNTOF(scenes); i++) {
        run_t run;
        cl_stats_t stats;
        int64_t round_trip_ms = 2 * (scenes[i].link.delay_ms + scenes[i].link.jitter_ms) + SLACK_MS;
        start(&run, &scenes[i], path, 1 + i);
        get_in(&run, round_trip_ms);
        drive(&run, Test_IsLong() ? 10 * ROUND_MS : ROUND_MS);
        CL_Stats(run.net.clients[DRIVER], &stats);
        uint64_t wrong = stats.mispredictions - run.before.mispredictions;
        uint64_t all = stats.predictions - run.before.predictions;
        uint64_t late =
            stats.filled_ms - run.before.filled_ms + stats.dropped_cmds - run.before.dropped_cmds;
        print_message("%s: %llu of %llu predictions differ (late %llu); %.0f qu, %d places, up to "
                      "%.0f, %d steps in the air, leaned %.0f degrees, apart %.1f\n",
                      scenes[i].name, (unsigned long long)wrong, (unsigned long long)all,
                      (unsigned long long)late, (double)run.path, run.reached, (double)run.highest,
                      run.flown, (double)run.steepest, (double)run.drift);
        assert_true(all > 500);
        assert_true(late == 0);
        assert_int_equal(wrong, 0);
        assert_true(run.path > 6000.0f);
        assert_true(run.reached >= (int32_t)COUNTOF(course));
        assert_true(run.highest > 140.0f); // the ridge
        assert_true(run.flown > 50);       // the jump
        assert_true(run.steepest > 20.0f);
        assert_true(run.steepest < 45.0f);
        assert_true(run.seen > 1000);
        assert_true(run.drift < MAX_DRIFT);
        assert_int_equal(run.sv.world->counters.unstuck, 0);
        assert_int_equal(run.sv.world->counters.quarantined, 0);
        // The driver gets out and stands; the buggy stays where it was left.
        play(&run, 3000, &(cl_input_t){.buttons = BUTTON_JUMP});
        play(&run, 100, &(cl_input_t){.buttons = BUTTON_USE});
        play(&run, round_trip_ms + 500, &(cl_input_t){0});
        player_state_t player;
        assert_true(CL_Predicted(run.net.clients[DRIVER], &player));
        assert_int_equal(player.pm_type, PM_NORMAL);
        assert_true(player.maxs.z == 32.0f);
        assert_int_equal(buggy_of(&run)->solid, SOLID_BBOX);
        vec3_t apart = VectorSubtract(buggy_of(&run)->origin, player.origin);
        assert_true(VectorLength(apart) < 90.0f);
        CL_Stats(run.net.clients[DRIVER], &run.before);
        play(&run, 1000, &(cl_input_t){.forward = 200.0f, .yaw = 77.0f});
        CL_Stats(run.net.clients[DRIVER], &stats);
        assert_int_equal(stats.mispredictions, run.before.mispredictions);
        TestNet_Free(&run.net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_drive_is_predicted_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
