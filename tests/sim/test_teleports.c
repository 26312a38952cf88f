// Teleports in several ticks between two snapshots, back and forth by less than clients take for a
// jump: the client never shows the entity between the places, and never smooths the own player
// from one to the other. Also at the largest sv_snapshot_ticks.

#include "core/server_local.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "physics/actions.h"

#include <string.h>

#define PLACES 3     // by turns
#define SIDE   50.0f // qu between two places; corrections of up to 64 qu are smoothed
#define REST   70    // ticks between two series of teleports

static const test_map_t map = {.room = {{-2048, -2048, 0}, {2048, 2048, 1024}}};

typedef struct {
    test_net_t net;
    int32_t number;  // of the entity that teleports
    int32_t in_row;  // ticks of a series with a teleport
    int32_t at;      // place of the last teleport
    int32_t moments; // compared
    int32_t places;  // bit i: the client has shown place i
} scene_t;

static scene_t *scene; // of the running test: a game's callbacks carry no context

static vec3_t place(int32_t i, float y) {
    return Vector(300.0f + SIDE * (float)i, y, 24.03125f);
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)sv;
    player->origin = place(0, 0.0f);
    player->solid = SOLID_SLIDEBOX;
    client->player.health = 100;
}

static void frame(sv_context_t *sv) {
    const int64_t tick = sv->world->tick % (REST + scene->in_row);
    if (scene->number == 0 || tick >= scene->in_row) {
        return;
    }
    scene->at = (scene->at + 1) % PLACES;
    edict_t *entity = World_Edict(sv->world, scene->number);
    edict_t *player = World_Edict(sv->world, 1);
    sv->engine->teleport(sv, entity, place(scene->at, 200.0f), vec3_zero, vec3_zero);
    sv->engine->teleport(sv, player, place(scene->at, 0.0f), vec3_zero, vec3_zero);
}

// Returns the place with an x, or -1.
static int32_t place_of(float x) {
    for (int32_t i = 0; i < PLACES; i++) {
        if (fabsf(x - place(i, 0.0f).x) < 0.1f) {
            return i;
        }
    }
    return -1;
}

static void compare(scene_t *test) {
    cl_t *cl = test->net.clients[0];
    int64_t tick;
    uint16_t frac;
    cl_pose_t pose;
    player_state_t player;
    if (!CL_ViewTime(cl, &tick, &frac) || !CL_EntityPose(cl, test->number, tick, frac, &pose) ||
        !CL_Smoothed(cl, &player)) {
        return;
    }
    const int32_t at = place_of(pose.origin.x);
    if (at < 0 || place_of(player.origin.x) < 0) {
        fail_msg("%d teleports in a row: the entity is shown at %g, the player at %g", test->in_row,
                 (double)pose.origin.x, (double)player.origin.x);
    }
    test->places |= 1 << at;
    test->moments++;
}

static void run(int32_t snapshot_ticks, int32_t in_row) {
    const game_export_t game = {
        .api_version = GAME_API_VERSION, .name = "teleports", .client_join = join, .frame = frame};
    scene = calloc(1, sizeof *scene);
    scene->in_row = in_row;
    TestNet_Init(&scene->net, &(test_net_config_t){.seed = (uint64_t)in_row,
                                                   .conditions = {.delay_ms = 30},
                                                   .max_clients = 1,
                                                   .map = &map,
                                                   .game = &game});
    TestNet_ShowAll(&scene->net);
    server_t *server = scene->net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    edict_t *entity = sv.engine->spawn(&sv);
    entity->modelindex = 1;
    entity->origin = place(0, 200.0f);
    sv.engine->link(&sv, entity, false);
    TestNet_AddClient(&scene->net, "one");
    assert_true(TestNet_WaitActive(&scene->net, 10000));
    Server_SetHost(server, "teleports", scene->net.folder, "", snapshot_ticks);
    for (int32_t i = 0; i < 500; i++) {
        TestNet_Step(&scene->net);
    }
    scene->number = World_EdictNumber(server->world, entity);
    for (int32_t i = 0; i < 2500; i++) {
        TestNet_Step(&scene->net);
        compare(scene);
    }
    assert_true(scene->moments > 1000 && (scene->places & (scene->places - 1)) != 0);
    TestNet_Free(&scene->net);
    free(scene);
}

static void test_teleports_between_snapshots(void **state) {
    (void)state;
    const int32_t intervals[] = {1, 2, 3, 5, 32};
    for (size_t i = 0; i < COUNTOF(intervals); i++) {
        for (int32_t in_row = 1; in_row <= intervals[i]; in_row += in_row < 5 ? 1 : 9) {
            run(intervals[i], in_row);
        }
        run(intervals[i], intervals[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_teleports_between_snapshots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
