// Entities that a client may receive: the visibility of the map, and line of sight between players,
// with walls, doors, glass, margins, hold, teams, spectators and followers; visibility that lies.

#include "core/interest.h"

#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "lib/vis_fixture.h"

#include "base/file.h"
#include "collide/cmap.h"
#include "core/sight.h"
#include "world/bits.h"
#include "world/link.h"
#include "world/tick_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CLIENTS   40
#define LONG_MS   (2 * SIGHT_SEEN_MS + SIGHT_RETEST_MS)
#define HIDDEN_MS 2048

// A wall along y from -1,024 to 512 with an opening from -64 to 64, which model 1 closes.
static const test_block_t blocks[] = {
    {.box = {{-16, -1024, 0}, {16, -64, 256}}, .contents = CONTENTS_SOLID},
    {.box = {{-16, 64, 0}, {16, 512, 256}}, .contents = CONTENTS_SOLID},
    {.box = {{-16, -64, 0}, {16, 64, 256}}, .contents = CONTENTS_SOLID, .model = 1}};

#define START                                                                                      \
    "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"info_player_deathmatch\"\n"            \
    "\"origin\" \"-400 0 24\"\n}\n"
#define WALL "{\n\"classname\" \"func_wall\"\n\"model\" \"*1\"\n"

static test_map_t map_with(const char *entities) {
    return (test_map_t){.room = {{-1024, -1024, 0}, {1024, 1024, 256}},
                        .blocks = blocks,
                        .num_blocks = COUNTOF(blocks),
                        .entities = entities,
                        .brush_list = true};
}

typedef struct {
    test_net_t net;
    server_t *server;
    sv_context_t sv;
    int32_t list[4096];
    int32_t count;
} play_t;

static void begin(play_t *play, const test_net_config_t *config, int32_t clients) {
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net, config);
    for (int32_t i = 0; i < clients; i++) {
        TestNet_AddClient(&play->net, "player");
    }
    assert_true(TestNet_WaitActive(&play->net, 10000));
    play->server = play->net.server;
    play->sv = SV_Context(play->server->world, play->server->map, &play->server->game,
                          play->server->events);
    for (int32_t slot = 0; slot < clients; slot++) {
        play->server->sessions[play->server->peer_of_slot[slot]].ping_ms = 0;
    }
}

static void begin_with(play_t *play, const char *entities, int32_t clients) {
    const test_map_t map = map_with(entities);
    begin(play, &(test_net_config_t){.seed = 3, .max_clients = CLIENTS, .map = &map}, clients);
}

static void put(play_t *play, int32_t slot, float x, float y) {
    edict_t *edict = World_Edict(play->server->world, slot + 1);
    edict->origin = Vector(x, y, 24.0f);
    edict->velocity = vec3_zero;
    SV_LinkEdict(&play->sv, edict, false);
    SV_PlayerFromEdict(&play->sv, edict);
}

// Puts players 0 and 1 at y, at x = -400 and 400.
static void put_both(play_t *play, float y) {
    put(play, 0, -400.0f, y);
    put(play, 1, 400.0f, y);
}

static void tick(play_t *play) {
    SendStates_Build(play->server);
    Interest_Tick(play->server);
}

// Returns true if the client in `slot` receives an edict now.
static bool receives(play_t *play, int32_t slot, int32_t number) {
    turn_t now = {0};
    server_t *server = play->server;
    const int32_t peer = server->peer_of_slot[slot], view = SV_ViewSlot(server->world, slot);
    bool found = false;
    play->count = Interest_List(server, &server->sessions[peer], view, &now, play->list);
    for (int32_t i = 0; i < play->count; i++) {
        assert_true(i == 0 || play->list[i] > play->list[i - 1]);
        found = found || server->states[play->list[i]].number == number;
    }
    return found;
}

// Runs ticks. Returns the time until `slot` no longer receives the edict; `ms` = it always does.
static int32_t ms_until_gone(play_t *play, int32_t slot, int32_t number, int32_t ms) {
    const int32_t tick_ms = World_TickMs(play->server->world);
    for (int32_t at = 0; at < ms; at += tick_ms) {
        tick(play);
        if (!receives(play, slot, number)) {
            return at;
        }
    }
    return ms;
}

static bool sees(play_t *play, int32_t slot, int32_t other) {
    for (int32_t ms = 0; ms < LONG_MS; ms += World_TickMs(play->server->world)) {
        tick(play);
        (void)receives(play, slot, other + 1);
    }
    const bool first = ms_until_gone(play, slot, other + 1, LONG_MS) >= LONG_MS;
    assert_int_equal(first, ms_until_gone(play, other, slot + 1, LONG_MS) >= LONG_MS);
    return first;
}

static edict_t *the_wall(play_t *play) {
    edict_t *wall = play->sv.engine->find_class(&play->sv, NULL, "func_wall");
    assert_non_null(wall);
    return wall;
}

static void test_walls_and_margins(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n", 2);
    put_both(&play, -500.0f);
    assert_false(sees(&play, 0, 1));
    put_both(&play, 700.0f); // both beyond the end of the wall
    assert_true(sees(&play, 0, 1));
    // Both are 52 qu behind the end of the wall. An eye may move 26 qu at a ping of 0 ms, 106 qu
    // at 250 ms; a box of 16 qu may move 10 qu.
    put_both(&play, 460.0f);
    assert_false(sees(&play, 0, 1));
    play.server->sessions[play.server->peer_of_slot[1]].ping_ms = 250; // of one of both
    assert_true(sees(&play, 0, 1));
    put_both(&play, 330.0f);
    assert_false(sees(&play, 0, 1));
    World_Edict(play.server->world, 1)->velocity = Vector(0.0f, 1600.0f, 0.0f);
    assert_true(sees(&play, 0, 1));
    TestNet_Free(&play.net);
}

static void test_doors_and_glass(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n", 2);
    edict_t *door = the_wall(&play);
    put_both(&play, 0.0f);
    assert_false(sees(&play, 0, 1));
    door->origin.z += 1.0f; // starts to open: visible in the same tick
    SV_LinkEdict(&play.sv, door, false);
    assert_int_equal(ms_until_gone(&play, 0, 2, 50), 50);
    door->origin.z += 250.0f;
    SV_LinkEdict(&play.sv, door, false);
    assert_true(sees(&play, 0, 1));
    door->origin.z = 0.0f;
    SV_LinkEdict(&play.sv, door, false);
    assert_false(sees(&play, 0, 1));
    door->solid = SOLID_NOT;
    SV_LinkEdict(&play.sv, door, false);
    assert_true(sees(&play, 0, 1));
    TestNet_Free(&play.net);
    static const char *const keys[] = {"\"rendermode\" \"2\"", "\"alpha\" \"0.5\"",
                                       "\"see_through\" \"1\""};
    for (size_t i = 0; i < COUNTOF(keys); i++) {
        char entities[512];
        snprintf(entities, sizeof entities, "%s%s%s\n}\n", START, WALL, keys[i]);
        begin_with(&play, entities, 2);
        put_both(&play, 0.0f);
        assert_true(sees(&play, 0, 1));
        TestNet_Free(&play.net);
    }
}

// A door begins to open as another one comes to rest, so the number of blockers stays the same.
static void test_doors_take_turns(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n" WALL "}\n", 2);
    edict_t *door = the_wall(&play);
    edict_t *other = play.sv.engine->find_class(&play.sv, door, "func_wall");
    put_both(&play, 0.0f);
    for (int32_t i = 0; i < 40; i++) {
        other->origin.y = 800.0f + (float)i;
        SV_LinkEdict(&play.sv, other, false);
        assert_true(ms_until_gone(&play, 0, 2, 1) == 0 || i < 10);
    }
    door->origin.z += 1.0f;
    SV_LinkEdict(&play.sv, door, false);
    assert_int_equal(ms_until_gone(&play, 0, 2, 50), 50);
    TestNet_Free(&play.net);
}

static void test_hold(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n", 2);
    for (int32_t phase = 0; phase < 20; phase++) {
        put_both(&play, 580.0f);
        tick(&play);
        for (int32_t i = 0; i < 30 + phase; i++) {
            assert_true(receives(&play, 0, 2));
            tick(&play);
        }
        put_both(&play, 460.0f); // less than TELEPORT_QU
        tick(&play);
        put_both(&play, 350.0f);
        const int32_t ms = ms_until_gone(&play, 0, 2, 1000);
        assert_in_range(ms, 0, SIGHT_SEEN_MS);
    }
    put_both(&play, 580.0f);
    assert_true(sees(&play, 0, 1));
    put(&play, 1, 400.0f, -700.0f); // a teleport
    assert_int_equal(ms_until_gone(&play, 0, 2, 1000), 0);
    TestNet_Free(&play.net);
}

static void test_teams_and_spectators(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n", 3);
    world_t *world = play.server->world;
    put_both(&play, -500.0f);
    put(&play, 2, 500.0f, -500.0f);
    assert_false(sees(&play, 0, 1));
    World_Client(world, 0)->team = World_Client(world, 1)->team = 2;
    assert_true(sees(&play, 0, 1));
    assert_false(sees(&play, 0, 2));
    World_Client(world, 2)->team = 2 + MAX_CLIENTS; // in the list of the same remainder
    assert_false(sees(&play, 0, 2));
    World_Client(world, 1)->team = 0;
    assert_false(sees(&play, 0, 1));
    World_Client(world, 0)->team = 0;
    World_Client(world, 0)->spectator = 1; // flies freely
    assert_int_equal(ms_until_gone(&play, 0, 2, LONG_MS), LONG_MS);
    world->cvars.sv_spectate = 1; // blind
    tick(&play);
    assert_false(receives(&play, 0, 2));
    world->cvars.sv_spectate = 2;
    World_Client(world, 0)->watches = 2 + 1;
    tick(&play);
    assert_true(receives(&play, 0, 2)); // beside the watched player
    assert_true(receives(&play, 0, 3)); // the watched player
    put(&play, 1, -400.0f, -500.0f);
    assert_true(ms_until_gone(&play, 0, 2, LONG_MS) < LONG_MS);
    TestNet_Free(&play.net);
}

static void test_mates_need_no_rays(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n", 2);
    put_both(&play, -500.0f);
    World_Client(play.server->world, 0)->team = World_Client(play.server->world, 1)->team = 2;
    const uint64_t rays = play.server->stats.sight_rays;
    assert_true(sees(&play, 0, 1));
    assert_int_equal(play.server->stats.sight_rays, rays);
    World_Client(play.server->world, 1)->team = 3;
    assert_false(sees(&play, 0, 1));
    assert_true(play.server->stats.sight_rays > rays);
    TestNet_Free(&play.net);
}

// A pair that brushes and a door hide at rest is tested seldom, but at once if one is pushed.
static void test_hidden_pairs_wait(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n", 2);
    put_both(&play, 0.0f);
    assert_false(sees(&play, 0, 1));
    int32_t tests = 0;
    for (int32_t ms = 0; ms < HIDDEN_MS; ms += 16) {
        const uint64_t before = play.server->stats.sight_rays;
        assert_int_equal(ms_until_gone(&play, 0, 2, 1), 0);
        tests += play.server->stats.sight_rays > before;
    }
    assert_in_range(tests, 2, 8);
    World_Edict(play.server->world, 1)->velocity = Vector(0.0f, 2000.0f, 0.0f);
    const uint64_t rays = play.server->stats.sight_rays;
    (void)ms_until_gone(&play, 0, 2, 1);
    assert_true(play.server->stats.sight_rays > rays);
    TestNet_Free(&play.net);
}

static void test_an_eye_in_solid_sees(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n", 2);
    World_Edict(play.server->world, 1)->movetype = MOVETYPE_NOCLIP;
    put(&play, 1, 400.0f, -500.0f);
    for (int32_t i = 1; i < 100; i++) {
        const float x = (float)(i % 17 * 5 - 80);
        put(&play, 0, x, -500.0f);
        assert_int_equal(ms_until_gone(&play, 0, 2, 1), x > -16.0f);
    }
    TestNet_Free(&play.net);
}

static int64_t resident_kib(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long long pages = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %lld", &pages), 1);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static void test_unused_slots_take_no_memory(void **state) {
    (void)state;
    play_t play;
    const test_map_t map = map_with(START);
    const test_net_config_t config = {
        .seed = 3, .max_clients = MAX_CLIENTS, .map = &map, .max_edicts = 2048};
    assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0); // count pages, not large ones
    begin(&play, &config, 0);
    tick(&play);
    const int64_t before_kib = resident_kib();
    for (int32_t slot = 0; slot < 2; slot++) {
        World_Client(play.server->world, slot)->inuse = true;
        World_Client(play.server->world, slot)->joined_tick = 1;
    }
    for (int32_t i = 0; i < MAX_CLIENTS + 100; i++) { // each slot has its turn
        tick(&play);
    }
    assert_true(resident_kib() - before_kib < 1024);
    TestNet_Free(&play.net);
    assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
}

static void test_followers_share_their_player(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n", 2);
    put_both(&play, -500.0f);
    int32_t numbers[2];
    for (int32_t i = 0; i < 2; i++) { // the second follows the first, which follows player 1
        edict_t *edict = play.sv.engine->spawn(&play.sv);
        numbers[i] = World_EdictNumber(play.server->world, edict);
        edict->origin = Vector(400.0f, -500.0f, 40.0f);
        edict->movetype = MOVETYPE_FOLLOW;
        edict->aiment =
            World_Ref(play.server->world, World_Edict(play.server->world, i == 0 ? 2 : numbers[0]));
    }
    assert_false(sees(&play, 0, 1));
    assert_false(receives(&play, 0, numbers[0]));
    assert_false(receives(&play, 0, numbers[1]));
    assert_true(receives(&play, 1, numbers[0])); // its own
    assert_true(receives(&play, 1, numbers[1]));
    put_both(&play, 700.0f);
    assert_true(sees(&play, 0, 1));
    assert_true(receives(&play, 0, numbers[0]));
    assert_true(receives(&play, 0, numbers[1]));
    TestNet_Free(&play.net);
}

static void test_rays_are_bounded(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n", CLIENTS);
    for (int32_t i = 0; i < 200; i++) {
        const server_stats_t before = play.server->stats;
        int32_t most = 0;
        for (int32_t slot = 0; slot < CLIENTS && i % 100 == 0; slot++) {
            const float y = i == 0 ? -28.0f : -600.0f; // at the door, which needs many rays
            put(&play, slot, slot % 2 ? 400.0f : -400.0f, y + 2.0f * (float)slot);
        }
        tick(&play);
        for (int32_t slot = 0; slot < CLIENTS; slot++) {
            (void)receives(&play, slot, 1);
            most = Q_MaxI(most, play.count);
        }
        const server_stats_t *now = &play.server->stats;
        const bool is_over = now->sight_over > before.sight_over;
        assert_true(now->sight_rays - before.sight_rays < SIGHT_RAYS_TICK + 1024);
        assert_true(i > 0 || most > CLIENTS / 2); // counts as visible at first, and
        assert_true(i != 1 || is_over);           // is counted at the end of the tick
        assert_true(i < 190 || (!is_over && most == CLIENTS / 2)); // the wall, without itself
    }
    TestNet_Free(&play.net);
}

// A player who comes into sight is received soon, also if those before it in the list use all rays.
static void test_rays_for_the_last(void **state) {
    (void)state;
    play_t play;
    begin_with(&play, START WALL "}\n", CLIENTS);
    int32_t in_sight_ms = 0;
    bool is_received = false;
    for (int32_t i = 0; i < 200 && !is_received; i++) {
        const float path = i < 100 ? 0.0f : (float)Q_MinI((i - 100) * 100, 1300);
        for (int32_t slot = 0; slot < CLIENTS - 2 && i % 100 == 0; slot++) {
            const float y = i == 0 ? -600.0f : -28.0f; // at last at the door, which needs many rays
            put(&play, slot, slot % 2 ? 400.0f : -400.0f, y + 2.0f * (float)slot);
        }
        put(&play, CLIENTS - 2, -400.0f, path - 600.0f);
        put(&play, CLIENTS - 1, 400.0f, path - 600.0f);
        tick(&play);
        for (int32_t slot = 0; slot < CLIENTS - 2; slot++) {
            (void)receives(&play, slot, 1);
        }
        const bool is_in_list = receives(&play, CLIENTS - 2, CLIENTS);
        assert_true(i != 99 || !is_in_list);
        is_received = is_in_list && i >= 100;
        in_sight_ms += path < 1300.0f ? 0 : World_TickMs(play.server->world);
    }
    assert_true(play.server->stats.sight_over > 0);
    assert_in_range(in_sight_ms, 0, SIGHT_STALE_MS + SIGHT_RETEST_MS);
    TestNet_Free(&play.net);
}

// ---- the map's visibility ----

static void arena_path(char path[512]) {
    snprintf(path, 512, "%s/maps/arena.bsp", Test_BuildFolder());
}

static bounds_t box_of(const edict_t *edict, float by) {
    return BoundsOfSweep(edict->origin, edict->origin, edict->mins, edict->maxs, by);
}

static void test_visibility_of_the_map(void **state) {
    (void)state;
    play_t play;
    char path[512];
    arena_path(path);
    begin(&play, &(test_net_config_t){.seed = 3, .max_clients = 2, .map_file = path}, 1);
    const world_t *world = play.server->world;
    const edict_t *spot = NULL;
    int32_t hidden = 0;
    for (int32_t turn = 0; turn < 8; turn++) {
        spot = play.sv.engine->find_class(&play.sv, spot, "info_player_deathmatch");
        assert_non_null(spot);
        World_Edict(world, 1)->origin = spot->origin;
        tick(&play);
        for (int32_t number = 2; number < world->num_edicts; number++) {
            const edict_t *edict = World_Edict(world, number);
            const bounds_t eye = box_of(World_Edict(world, 1), 0.0f);
            if (!World_IsLive(edict) || !SV_IsVisible(world, edict, 0) ||
                edict->solid == SOLID_BSP) {
                continue;
            }
            const bool is_received = receives(&play, 0, number);
            // Margins: at most 42 qu of the eye, 8 of an edict and 0.1 s of its movement, and twice
            // a slack of 24.
            const float margin = 58.0f + 0.1f * VectorLength(edict->velocity);
            assert_true(is_received || !TestVis_Sees(play.server->map, eye, box_of(edict, 0.0f)));
            assert_true(!is_received ||
                        TestVis_Sees(play.server->map, box_of(World_Edict(world, 1), 92.0f),
                                     box_of(edict, margin)));
            hidden += is_received ? 0 : 1;
        }
    }
    assert_true(hidden > 20);
    TestNet_Free(&play.net);
}

// Gives a map 65,536 clusters. Those of the file are the last ones, in reverse.
static void enlarge(cmap_t *map) {
    const int32_t count = map->num_clusters;
    int32_t *rows = malloc(CM_MAX_CLUSTERS * sizeof *rows);
    uint8_t *data = calloc((size_t)count + 1, CM_MAX_PVS_BYTES);
    uint8_t row[CM_MAX_PVS_BYTES];
    assert_true(rows && data);
    for (int32_t i = 0; i < CM_MAX_CLUSTERS; i++) {
        rows[i] = count * CM_MAX_PVS_BYTES; // sees only itself
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t at = CM_MAX_CLUSTERS - 1 - i;
        rows[at] = i * CM_MAX_PVS_BYTES;
        memset(row, 0, CM_PVSBytes(map));
        CM_AddPVS(map, i, row);
        for (int32_t other = 0; other < count; other++) {
            const int32_t bit = CM_MAX_CLUSTERS - 1 - other;
            data[rows[at] + bit / 8] |= (uint8_t)(CM_InPVS(row, other) << bit % 8);
        }
    }
    for (int32_t i = 0; i < map->num_leafs; i++) {
        int32_t *cluster = &map->leafs[i].cluster;
        *cluster = *cluster < 0 ? *cluster : CM_MAX_CLUSTERS - 1 - *cluster;
    }
    map->num_clusters = CM_MAX_CLUSTERS;
    map->vis_rows = rows;
    map->visdata = data;
    map->is_vis_packed = false;
}

static void test_65536_clusters(void **state) {
    (void)state;
    play_t play;
    char path[512];
    arena_path(path);
    begin(&play, &(test_net_config_t){.seed = 3, .max_clients = 2, .map_file = path}, 1);
    int32_t counts[8] = {0}, sums[8] = {0};
    const edict_t *spots[8];
    for (int32_t turn = 0; turn < 16; turn++) {
        const int32_t at = turn < 8 ? turn : 15 - turn;
        const edict_t *last = at > 0 ? spots[at - 1] : NULL;
        spots[at] = play.sv.engine->find_class(&play.sv, last, "info_player_deathmatch");
        World_Edict(play.server->world, 1)->origin = spots[at]->origin;
        if (turn == 8) { // at the same place
            enlarge(play.server->map);
            Interest_StartMap(play.server);
        }
        tick(&play);
        (void)receives(&play, 0, 0);
        for (int32_t i = 0; i < play.count; i++) {
            sums[at] += (turn < 8 ? 1 : -1) * play.list[i];
        }
        counts[at] += turn < 8 ? play.count : -play.count;
        assert_true(play.count > 0 && play.count < play.server->num_states);
    }
    for (int32_t i = 0; i < 8; i++) {
        assert_int_equal(counts[i], 0);
        assert_int_equal(sums[i], 0);
    }
    free(play.server->map->vis_rows);
    free(play.server->map->visdata);
    TestNet_Free(&play.net);
}

static void write_lie(const char *folder) {
    enum { AT_VIS = 4 + 8 * 4, AT_LEAFS = 4 + 8 * 10, LEAF_BYTES = 28 };
    char path[512];
    size_t size = 0;
    err_t err;
    arena_path(path);
    uint8_t *bytes = File_Read(path, MAX_MAP_BYTES, &size, &err);
    assert_non_null(bytes);
    const int32_t lie = getenv("EDICTD_TEST_LIE")[0] - '0';
    uint32_t at_leafs = 0;
    memcpy(&at_leafs, bytes + AT_LEAFS, sizeof at_leafs);
    if (lie == 0) { // out of range
        memset(bytes + at_leafs + 3 * LEAF_BYTES + 4, 0x7f, 4);
    } else if (lie == 1) { // truncated
        memset(bytes + AT_VIS + 4, 0, 4);
        bytes[AT_VIS + 4] = 9;
    } else { // a row without end
        uint32_t at_vis = 0;
        uint32_t vis_bytes = 0;
        memcpy(&at_vis, bytes + AT_VIS, sizeof at_vis);
        memcpy(&vis_bytes, bytes + AT_VIS + 4, sizeof vis_bytes);
        memset(bytes + at_vis, 0, vis_bytes);
    }
    snprintf(path, sizeof path, "%s/testmap.bsp", folder);
    assert_true(File_Write(path, bytes, size, &err));
    free(bytes);
}

static void test_visibility_that_lies(void **state) {
    (void)state;
    for (int32_t lie = 0; lie < 3; lie++) {
        play_t play;
        const char name[2] = {(char)('0' + lie), '\0'};
        setenv("EDICTD_TEST_LIE", name, 1);
        begin(&play, &(test_net_config_t){.seed = 3, .max_clients = 2, .write_map = write_lie}, 1);
        assert_false(CM_HasVis(play.server->map));
        const world_t *world = play.server->world;
        tick(&play);
        for (int32_t number = 2; number < world->num_edicts; number++) {
            const edict_t *edict = World_Edict(world, number);
            assert_true(!World_IsLive(edict) || !SV_IsVisible(world, edict, 0) ||
                        receives(&play, 0, number));
        }
        TestNet_Free(&play.net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls_and_margins),
        cmocka_unit_test(test_doors_and_glass),
        cmocka_unit_test(test_doors_take_turns),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_teams_and_spectators),
        cmocka_unit_test(test_mates_need_no_rays),
        cmocka_unit_test(test_hidden_pairs_wait),
        cmocka_unit_test(test_an_eye_in_solid_sees),
        cmocka_unit_test(test_unused_slots_take_no_memory),
        cmocka_unit_test(test_followers_share_their_player),
        cmocka_unit_test(test_rays_are_bounded),
        cmocka_unit_test(test_rays_for_the_last),
        cmocka_unit_test(test_visibility_of_the_map),
        cmocka_unit_test(test_65536_clusters),
        cmocka_unit_test(test_visibility_that_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
