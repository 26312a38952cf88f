// Worlds with triangle meshes, whole servers and clients on the simulated network. Eight players
// walk on a terrain that is one mesh. Meshes are rocks, lifts, turntables, water and triggers of a
// compiled map. Clients predict the server's result, bit for bit.

#include "base/file.h"
#include "core/server_local.h"
#include "lib/emesh_fixture.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "move/profiles.h"
#include "world/block.h"

#include <string.h>

#define PLAYERS 8
#define FEET    24.0f // below the origin of a player
#define NEWS_MS 60    // longer than the round trip of the machines' client

static void path_in(char path[128], const char *folder, const char *name) {
    snprintf(path, 128, "%s/%s", folder, name);
}

static void write_text(const char *folder, const char *name, const char *text) {
    char path[128];
    err_t err;
    path_in(path, folder, name);
    assert_true(File_Write(path, text, strlen(text), &err));
}

static void write_box(const char *folder, const char *name, bounds_t box, uint32_t flags,
                      contents_t contents) {
    char path[128];
    built_mesh_t mesh;
    path_in(path, folder, name);
    TestEmesh_Box(&mesh, box, flags, contents);
    TestEmesh_Write(path, &mesh, 1);
}

/// Writes the half of a box under the diagonal from its lower left to its upper right, seen from
/// above.
static void write_wedge(const char *folder, const char *name) {
    const vec3_t corners[6] = {{-64.0f, -64.0f, -32.0f}, {64.0f, -64.0f, -32.0f},
                               {64.0f, 64.0f, -32.0f},   {-64.0f, -64.0f, 96.0f},
                               {64.0f, -64.0f, 96.0f},   {64.0f, 64.0f, 96.0f}};
    const int32_t triangles[8][3] = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                                     {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
    char path[128];
    built_mesh_t mesh;
    err_t err = {{0}};
    path_in(path, folder, name);
    assert_true(Mesh_Build(
        &mesh, &(mesh_source_t){corners, triangles, 6, 8, MESH_VOLUME, CONTENTS_SOLID}, &err));
    TestEmesh_Write(path, &mesh, 1);
}

// ---- the terrain ----

static vec3_t spot(int32_t i) {
    vec3_t at = {(float)(i % 4) * 450.0f - 700.0f, (float)(i / 4) * 900.0f - 500.0f, 0.0f};
    at.z = TestEmesh_Height(at.x, at.y) + 60.0f;
    return at;
}

/// Writes a terrain with a pool, eight starts, and a rock before each start.
static void write_terrain(const char *folder) {
    char path[128];
    char text[4096];
    built_mesh_t parts[2];
    path_in(path, folder, "testmap.emesh");
    TestEmesh_Terrain(&parts[0]);
    TestEmesh_Box(&parts[1], (bounds_t){{-1000.0f, -1000.0f, -50.0f}, {-300.0f, -300.0f, 70.0f}},
                  MESH_VOLUME, CONTENTS_WATER);
    TestEmesh_Write(path, parts, 2);
    write_box(folder, "rock.emesh", (bounds_t){{-20.0f, -30.0f, -80.0f}, {20.0f, 30.0f, 80.0f}}, 0,
              CONTENTS_SOLID);
    size_t used = (size_t)snprintf(text, sizeof text, "{\n\"classname\" \"worldspawn\"\n}\n");
    for (int32_t i = 0; i < PLAYERS; i++) {
        vec3_t at = spot(i);
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"%g %g %g\"\n}\n"
            "{\n\"classname\" \"misc_model\"\n\"model\" \"rock.emesh\"\n\"angle\" \"%d\"\n"
            "\"origin\" \"%g %g %g\"\n}\n",
            (double)at.x, (double)at.y, (double)at.z, i * 20, (double)(at.x + 120.0f),
            (double)(at.y + 60.0f), (double)at.z);
    }
    write_text(folder, "testmap.ent", text);
}

/// Each player walks in circles over hills and against its own rock, and hops.
static void steer(test_net_t *net) {
    for (int32_t i = 0; i < net->num_clients; i++) {
        player_state_t predicted;
        float seconds = (float)net->now_ms / 1000.0f;
        bool hops = (net->now_ms + i * 400) % 2400 < 100;
        const cl_input_t input = {.forward = 320.0f,
                                  .yaw = AngleMod((float)(i * 37) + 75.0f * seconds),
                                  .buttons = hops ? BUTTON_JUMP : 0};
        CL_SetInput(net->clients[i], &input);
        assert_true(CL_Predicted(net->clients[i], &predicted));
    }
}

/// Returns true if there is ground below the player, and the player is not in it.
static bool is_above_ground(const cmap_t *map, vec3_t origin) {
    const cm_object_t place = {.model = 0, .solids = CM_SOLIDS_AUTO};
    const vec3_t point = {0.0f, 0.0f, 0.0f};
    vec3_t down = VectorAdd(origin, Vector(0.0f, 0.0f, -600.0f));
    trace_t trace = CM_BoxTrace(map, &place, origin, down, point, point);
    return trace.fraction < 1.0f && trace.endpos.z <= origin.z - FEET + 0.1f;
}

typedef struct {
    float distance[PLAYERS];
    int32_t swims, airborne, steps;
    uint64_t predictions, wrong;
    uint64_t wrong_alone; // mispredictions with no other player near (others are not predictable)
    // Counts of each client so far.
    uint64_t counted[PLAYERS];
    int64_t met_ms[PLAYERS];
} walked_t;

#define NEAR 120.0f // qu; another player this near may collide

static void look_at_players(test_net_t *net, vec3_t *last, walked_t *walked) {
    const world_t *world = Server_World(net->server);
    for (int32_t i = 0; i < net->num_clients; i++) {
        const player_state_t *player = &World_Client(world, CL_Slot(net->clients[i]))->player;
        if (!is_above_ground(Server_Map(net->server), player->origin)) {
            fail_msg("player %d left the world at %g %g %g", i, (double)player->origin.x,
                     (double)player->origin.y, (double)player->origin.z);
        }
        walked->distance[i] += VectorLength(VectorSubtract(player->origin, last[i]));
        walked->swims += player->waterlevel >= 2 ? 1 : 0;
        walked->airborne += (player->flags & PMF_ONGROUND) ? 0 : 1;
        walked->steps++;
        last[i] = player->origin;
    }
}

static bool is_near_another(const vec3_t *places, int32_t count, int32_t i) {
    for (int32_t n = 0; n < count; n++) {
        if (n != i && VectorLength(VectorSubtract(places[n], places[i])) < NEAR) {
            return true;
        }
    }
    return false;
}

static void count_wrong(test_net_t *net, const vec3_t *places, walked_t *walked) {
    for (int32_t i = 0; i < net->num_clients; i++) {
        cl_stats_t stats;
        CL_Stats(net->clients[i], &stats);
        if (is_near_another(places, net->num_clients, i)) {
            walked->met_ms[i] = net->now_ms;
        }
        bool alone = net->now_ms - walked->met_ms[i] > 500;
        walked->wrong_alone += alone ? stats.mispredictions - walked->counted[i] : 0;
        walked->counted[i] = stats.mispredictions;
    }
}

static void walk(test_net_t *net, int64_t ms, walked_t *walked) {
    vec3_t last[PLAYERS] = {{0}};
    const world_t *world = Server_World(net->server);
    int64_t tick = world->tick;
    for (int32_t i = 0; i < net->num_clients; i++) {
        last[i] = World_Client(world, CL_Slot(net->clients[i]))->player.origin;
    }
    for (int64_t end = net->now_ms + ms; net->now_ms < end;) {
        steer(net);
        TestNet_Step(net);
        if (world->tick != tick) {
            tick = world->tick;
            look_at_players(net, last, walked);
            count_wrong(net, last, walked);
        }
    }
    for (int32_t i = 0; i < net->num_clients; i++) {
        cl_stats_t stats;
        CL_Stats(net->clients[i], &stats);
        walked->predictions += stats.predictions;
        walked->wrong += stats.mispredictions;
    }
}

static void set_profile(server_t *server, const char *profile) {
    movevars_t vars;
    err_t err;
    char value[16];
    assert_true(PM_Profile(profile, &vars));
    snprintf(value, sizeof value, "%d", vars.sv_movemode);
    assert_true(Server_SetCvar(server, "sv_movemode", value, &err));
}

static uint64_t walk_terrain(const char *profile, sim_conditions_t conditions, walked_t *walked) {
    test_net_t net;
    TestNet_Init(&net, &(test_net_config_t){.seed = 3,
                                            .conditions = conditions,
                                            .max_clients = PLAYERS,
                                            .write_map = write_terrain});
    assert_string_equal(Server_Map(net.server)->format, "EMESH");
    assert_int_equal(Server_Map(net.server)->num_models, 2);
    set_profile(net.server, profile);
    for (int32_t i = 0; i < PLAYERS; i++) {
        TestNet_AddClient(&net, "walker");
    }
    assert_true(TestNet_WaitActive(&net, 10000));
    for (int32_t i = 0; i < PLAYERS; i++) {
        assert_true(CL_HasMap(net.clients[i]));
    }
    *walked = (walked_t){0};
    walk(&net, Test_IsLong() ? 120000 : Test_IsSlow() ? 6000 : 10000, walked);
    assert_int_equal(Server_World(net.server)->counters.unstuck, 0);
    assert_int_equal(Server_World(net.server)->counters.quarantined, 0);
    assert_int_equal(Server_World(net.server)->counters.hull_misfit, 0);
    uint64_t hash = World_Hash(Server_World(net.server));
    TestNet_Free(&net);
    return hash;
}

static void test_eight_walk_on_a_terrain(void **state) {
    (void)state;
    const sim_conditions_t near = {.delay_ms = 20};
    const sim_conditions_t bad = {.loss = 0.03f, .delay_ms = 60, .jitter_ms = 20};
    walked_t walked;
    uint64_t hash = walk_terrain("quake", near, &walked);
    print_message(
        "%llu of %llu predictions differ, %llu with nobody near; %d of %d player ticks in water, "
        "%d in the air\n",
        (unsigned long long)walked.wrong, (unsigned long long)walked.predictions,
        (unsigned long long)walked.wrong_alone, walked.swims, walked.steps, walked.airborne);
    for (int32_t i = 0; i < PLAYERS; i++) {
        assert_true(walked.distance[i] > 1000.0f);
    }
    assert_true(walked.predictions > 2000);
    assert_true(walked.wrong_alone == 0);
    assert_true(walked.swims > 0);
    assert_true(walked.airborne > 0);
    assert_true(walked.airborne * 2 < walked.steps);
    walked_t again;
    assert_true(walk_terrain("quake", near, &again) == hash);
    walk_terrain("quake", bad, &walked);
    assert_true(walked.predictions > 1000);
}

// The profiles that move players by the movers of articles 003 and 004 are predicted as well.
static void test_movers_on_a_terrain(void **state) {
    (void)state;
    static const char *const profiles[] = {"sweep", "drop"};
    for (size_t p = 0; p < COUNTOF(profiles); p++) {
        walked_t walked;
        walk_terrain(profiles[p], (sim_conditions_t){.delay_ms = 20}, &walked);
        float least = INFINITY;
        for (int32_t i = 0; i < PLAYERS; i++) {
            least = walked.distance[i] < least ? walked.distance[i] : least;
        }
        print_message("%s: %llu of %llu predictions differ, %llu with nobody near; %d of %d player "
                      "ticks in water, %d in the air; at least %.0f qu each\n",
                      profiles[p], (unsigned long long)walked.wrong,
                      (unsigned long long)walked.predictions,
                      (unsigned long long)walked.wrong_alone, walked.swims, walked.steps,
                      walked.airborne, (double)least);
        assert_true(least > 1000.0f);
        assert_true(walked.predictions > 2000 && walked.wrong_alone == 0);
        assert_true(walked.airborne * 2 < walked.steps);
    }
}

// ---- meshes in a compiled map ----

#define LIFT_AT   "0 0 -8"
#define SPIN_AT   "512 0 4"
#define WEDGE_AT  "0 512 0"
#define POOL_AT   "0 -512 0"
#define ROCK_AT   "-512 0 0"
#define LIFT_RISE 120.0f // its height of 128 less the part that stays visible

static const char machine_entities[] =
    "{\n\"classname\" \"worldspawn\"\n}\n"
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-300 -300 25\"\n}\n"
    "{\n\"classname\" \"func_door\"\n\"model\" \"meshes/lift.emesh\"\n\"origin\" \"" LIFT_AT "\"\n"
    "\"angle\" \"-1\"\n\"speed\" \"100\"\n\"wait\" \"1\"\n\"lip\" \"8\"\n}\n"
    "{\n\"classname\" \"func_rotating\"\n\"model\" \"meshes/plate.emesh\"\n"
    "\"origin\" \"" SPIN_AT "\"\n\"speed\" \"60\"\n\"spawnflags\" \"1\"\n}\n"
    "{\n\"classname\" \"trigger_hurt\"\n\"model\" \"meshes/wedge.emesh\"\n"
    "\"origin\" \"" WEDGE_AT "\"\n\"dmg\" \"7\"\n}\n"
    "{\n\"classname\" \"func_water\"\n\"model\" \"meshes/pool.emesh\"\n"
    "\"origin\" \"" POOL_AT "\"\n\"skin\" \"-4\"\n}\n"
    "{\n\"classname\" \"func_mesh\"\n\"model\" \"meshes/rock.emesh\"\n"
    "\"origin\" \"" ROCK_AT "\"\n\"angles\" \"0 45 0\"\n}\n"
    "{\n\"classname\" \"misc_model\"\n\"model\" \"models/tree.md3\"\n\"origin\" \"300 300 0\"\n}\n"
    "{\n\"classname\" \"func_mesh\"\n\"origin\" \"300 300 0\"\n}\n";

static void write_machines(const char *folder) {
    char path[128];
    size_t size = 0;
    err_t err;
    char command[160];
    uint8_t *bytes = TestMap_Bytes(
        &(test_map_t){.room = {{-1024.0f, -1024.0f, 0.0f}, {1024.0f, 1024.0f, 1024.0f}},
                      .entities = machine_entities,
                      .brush_list = true},
        &size);
    path_in(path, folder, "testmap.bsp");
    assert_true(bytes);
    assert_true(File_Write(path, bytes, size, &err));
    free(bytes);
    snprintf(command, sizeof command, "mkdir %s/meshes", folder);
    assert_int_equal(system(command), 0);
    const bounds_t lift = {{-64.0f, -64.0f, -112.0f}, {64.0f, 64.0f, 16.0f}};
    const bounds_t plate = {{-128.0f, -128.0f, -4.0f}, {128.0f, 128.0f, 4.0f}};
    const bounds_t block = {{-64.0f, -64.0f, 0.0f}, {64.0f, 64.0f, 128.0f}};
    write_box(folder, "meshes/lift.emesh", lift, 0, CONTENTS_SOLID);
    write_box(folder, "meshes/plate.emesh", plate, 0, CONTENTS_SOLID);
    write_box(folder, "meshes/pool.emesh", block, MESH_VOLUME, CONTENTS_SOLID);
    write_box(folder, "meshes/rock.emesh", block, 0, CONTENTS_SOLID);
    write_wedge(folder, "meshes/wedge.emesh");
}

typedef struct {
    test_net_t net;
    sv_context_t sv;
    float forward, yaw;
    uint64_t predictions, wrong; // counts before this moment
} machines_t;

static void start_machines(machines_t *m, int32_t delay_ms) {
    memset(m, 0, sizeof *m);
    TestNet_Init(&m->net, &(test_net_config_t){.seed = 5,
                                               .conditions = {.delay_ms = delay_ms},
                                               .max_clients = 2,
                                               .write_map = write_machines});
    server_t *server = m->net.server;
    m->sv = SV_Context(server->world, server->map, &server->game, server->events);
    TestNet_AddClient(&m->net, "rider");
    assert_true(TestNet_WaitActive(&m->net, 5000));
    assert_true(CL_HasMap(m->net.clients[0]));
}

static player_state_t *player_of(machines_t *m) {
    return &World_Client(m->net.server->world, 0)->player;
}

static void put(machines_t *m, float x, float y, float z) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    m->sv.engine->teleport(&m->sv, World_Edict(m->sv.world, 1), Vector(x, y, z), zero, zero);
}

static void play(machines_t *m, int64_t ms) {
    for (int64_t end = m->net.now_ms + ms; m->net.now_ms < end;) {
        player_state_t predicted;
        CL_SetInput(m->net.clients[0], &(cl_input_t){.forward = m->forward, .yaw = m->yaw});
        TestNet_Step(&m->net);
        assert_true(CL_Predicted(m->net.clients[0], &predicted));
    }
}

/// Returns the number of mispredictions since the last call.
static uint64_t wrong_since(machines_t *m, uint64_t *predictions) {
    cl_stats_t stats;
    CL_Stats(m->net.clients[0], &stats);
    uint64_t wrong = stats.mispredictions - m->wrong;
    *predictions = stats.predictions - m->predictions;
    m->wrong = stats.mispredictions;
    m->predictions = stats.predictions;
    return wrong;
}

// Rides the lift up and down. Mispredictions count unless the lift has just started or stopped,
// which the client does not know yet.
static void ride_lift(const char *profile) {
    machines_t m;
    uint64_t predictions;
    uint64_t counted = 0;
    uint64_t wrong = 0;
    int64_t news_ms = 0;
    motion_t known = {0};
    start_machines(&m, 10);
    set_profile(m.net.server, profile);
    put(&m, 10.0f, 5.0f, 8.0f + 25.0f);
    play(&m, 200); // the client hears of both
    (void)wrong_since(&m, &predictions);
    float lowest = 1000.0f;
    float highest = 0.0f;
    int32_t turns = 0;
    for (int32_t i = 0; i < 2000; i++) {
        m.yaw = (float)i;
        m.forward = i % 500 < 100 ? 100.0f : 0.0f; // walks and stands on it
        play(&m, TEST_NET_STEP_MS);
        const player_state_t *player = player_of(&m);
        bool was_up = highest > 8.0f + FEET + LIFT_RISE - 1.0f;
        lowest = was_up && player->origin.z < lowest ? player->origin.z : lowest;
        highest = player->origin.z > highest ? player->origin.z : highest;
        turns += player->groundentity > 0 ? 1 : 0;
        const motion_t *motion = &World_Edict(m.sv.world, Q_MaxI(player->groundentity, 0))->motion;
        news_ms = memcmp(motion, &known, sizeof known) != 0 ? m.net.now_ms + NEWS_MS : news_ms;
        known = *motion;
        uint64_t differ = wrong_since(&m, &predictions);
        wrong += m.net.now_ms > news_ms ? differ : 0;
        counted += m.net.now_ms > news_ms ? predictions : 0;
    }
    assert_true(fabsf(highest - (8.0f + FEET + LIFT_RISE)) < 1.0f);
    assert_true(lowest < 8.0f + FEET + 15.0f); // and down, until it opens for the player again
    assert_true(turns > 1800);                 // the player stood on it
    print_message("lift, %s: %llu of %llu predictions differ\n", profile, (unsigned long long)wrong,
                  (unsigned long long)counted);
    assert_true(counted > 300);
    assert_true(wrong == 0);
    assert_int_equal(m.sv.world->counters.unstuck, 0);
    TestNet_Free(&m.net);
}

static void test_lift_of_a_mesh(void **state) {
    (void)state;
    ride_lift("quake");
    ride_lift("sweep");
    ride_lift("drop");
}

static void test_turntable_of_a_mesh(void **state) {
    (void)state;
    machines_t m;
    uint64_t predictions;
    start_machines(&m, 40);
    put(&m, 512.0f + 90.0f, 0.0f, 8.0f + 25.0f);
    play(&m, 1000);
    (void)wrong_since(&m, &predictions);
    vec3_t start = player_of(&m)->origin;
    float farthest = 0.0f;
    for (int32_t i = 0; i < 300; i++) {
        play(&m, 10);
        vec3_t at = player_of(&m)->origin;
        float radius = VectorLength(VectorSubtract(at, Vector(512.0f, 0.0f, at.z)));
        float away = VectorLength(VectorSubtract(at, start));
        farthest = away > farthest ? away : farthest;
        assert_true(fabsf(radius - 90.0f) < 2.0f);
        assert_true(fabsf(at.z - start.z) < 0.5f);
    }
    assert_true(farthest > 170.0f); // half way around
    uint64_t wrong = wrong_since(&m, &predictions);
    print_message("turntable: %llu of %llu predictions differ\n", (unsigned long long)wrong,
                  (unsigned long long)predictions);
    assert_true(predictions > 100);
    assert_true(wrong == 0);
    assert_int_equal(m.sv.world->counters.unstuck, 0);
    TestNet_Free(&m.net);
}

static void test_trigger_of_a_mesh(void **state) {
    (void)state;
    machines_t m;
    start_machines(&m, 10);
    put(&m, -40.0f, 512.0f + 40.0f, 25.0f); // inside its box, outside its shape
    play(&m, 2000);
    assert_int_equal(player_of(&m)->health, 100);
    put(&m, 40.0f, 512.0f - 40.0f, 25.0f);
    play(&m, 1500);
    assert_true(player_of(&m)->health < 100);
    assert_true((100 - player_of(&m)->health) % 7 == 0);
    TestNet_Free(&m.net);
}

static void test_water_and_rocks_of_meshes(void **state) {
    (void)state;
    machines_t m;
    uint64_t predictions;
    start_machines(&m, 10);
    put(&m, 0.0f, -512.0f, 40.0f);
    play(&m, 300);
    assert_int_equal(player_of(&m)->waterlevel, 3);
    assert_int_equal(player_of(&m)->watertype, CONTENTS_SLIME);
    put(&m, 90.0f, -512.0f, 40.0f); // beside it
    play(&m, 300);
    assert_int_equal(player_of(&m)->waterlevel, 0);
    // Against the edge of the rock, which is turned by 45 degrees: 90.5 from its middle. The middle
    // of the box's side meets it, so the box does not slide off.
    put(&m, -512.0f + 300.0f, 0.0f, 25.0f);
    play(&m, 500);
    (void)wrong_since(&m, &predictions);
    m.forward = 200.0f;
    m.yaw = 180.0f;
    play(&m, 1500);
    assert_true(fabsf(player_of(&m)->origin.x - (-512.0f + 90.51f + 16.0f)) < 0.2f);
    assert_int_equal(wrong_since(&m, &predictions), 0);
    assert_true(predictions > 50);
    TestNet_Free(&m.net);
}

/// Entities without a mesh, or with a missing file, are logged and skipped.
static void test_what_is_spawned(void **state) {
    (void)state;
    machines_t m;
    start_machines(&m, 10);
    int32_t models[8] = {0};
    int32_t num_meshes = 0;
    for (int32_t i = 2; i < m.sv.world->num_edicts; i++) {
        const edict_t *edict = World_Edict(m.sv.world, i);
        if (World_IsLive(edict) && edict->model > 0) {
            assert_true(edict->model < 6);
            models[edict->model]++;
            num_meshes++;
        }
        if (World_IsLive(edict)) {
            assert_string_not_equal(World_Text(m.sv.world, edict->classname), "misc_model");
        }
    }
    assert_int_equal(num_meshes, 5);
    for (int32_t i = 1; i < 6; i++) {
        assert_int_equal(models[i], 1);
    }
    TestNet_Free(&m.net);
}

/// A client whose mesh differs from the server's has no map to predict on.
static void test_other_mesh_other_map(void **state) {
    (void)state;
    machines_t m;
    start_machines(&m, 10);
    err_t err = {{0}};
    write_box(m.net.folder, "meshes/rock.emesh",
              (bounds_t){{-64.0f, -64.0f, 0.0f}, {64.0f, 64.0f, 100.0f}}, 0, CONTENTS_SOLID);
    cl_maps_t *maps = CL_MapsCreate(m.net.folder);
    cl_t *other = CL_Create(&(cl_config_t){
        .net = SimNet_Transport(m.net.sim, (netaddr_t){0x0a000102, 4000, 0}, 2, false),
        .maps = maps});
    m.net.clients[m.net.num_clients++] = other;
    assert_true(CL_Connect(other, TestNet_ServerAddress(), "other", false, &err));
    assert_true(TestNet_WaitActive(&m.net, 5000));
    assert_true(CL_HasMap(m.net.clients[0]));
    assert_true(!CL_HasMap(other));
    TestNet_Free(&m.net);
    CL_MapsDestroy(maps);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eight_walk_on_a_terrain),
        cmocka_unit_test(test_movers_on_a_terrain),
        cmocka_unit_test(test_lift_of_a_mesh),
        cmocka_unit_test(test_turntable_of_a_mesh),
        cmocka_unit_test(test_trigger_of_a_mesh),
        cmocka_unit_test(test_water_and_rocks_of_meshes),
        cmocka_unit_test(test_what_is_spawned),
        cmocka_unit_test(test_other_mesh_other_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
