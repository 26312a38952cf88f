// Clients draw what the server hits: a figure of the map, a monster, players. From snapshots and
// their own files, clients place hitboxes where the server has them at that tick.

#include "core/server_local.h"
#include "game/figure_data.h"
#include "game/game.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "world/hitboxes.h"

#include <string.h>

#define HISTORY    64 // ticks
#define MAX_POSED  16
#define RUN_MS     6000
#define PLACE_NEAR 0.5f // qu; origins are sent in 1/16, angles in 1/182 degree, controllers in 1/32

static const char entities[] =
    "{\n\"classname\" \"worldspawn\"\n}\n"
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-300 0 25\"\n}\n"
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-300 300 25\"\n}\n"
    "{\n\"classname\" \"misc_model\"\n\"model\" \"models/figure.emesh\"\n\"animation\" \"run\"\n"
    "\"controllers\" \"12.5 3\"\n\"origin\" \"200 0 24\"\n\"angle\" \"90\"\n}\n"
    "{\n\"classname\" \"misc_model\"\n\"model\" \"models/dog.emesh\"\n\"origin\" \"200 200 "
    "24\"\n}\n"
    "{\n\"classname\" \"monster_army\"\n\"model\" \"models/figure.emesh\"\n"
    "\"origin\" \"300 -300 25\"\n\"angle\" \"180\"\n}\n"
    "{\n\"classname\" \"monster_dog\"\n\"origin\" \"300 300 25\"\n\"angle\" \"180\"\n}\n";

static void write_map(const char *folder) {
    TestNet_WriteModels(folder, entities, false);
}

/// An edict as the server has it after a tick.
typedef struct {
    int32_t number, skeleton;
    bool is_player;
    pose_request_t request;
    turned_box_t boxes[MAX_HITBOXES];
} posed_t;

typedef struct {
    test_net_t net;
    sv_context_t sv;
    int64_t noted; // tick
    struct {
        int64_t tick;
        int32_t count;
        posed_t list[MAX_POSED];
    } history[HISTORY];
    int64_t compared[2]; // tick, by client
    model_t figure, dog; // as loaded by a client
    emesh_t figure_file, dog_file;
    int exact, near, players; // number of comparisons
} play_t;

static void start(play_t *play, int32_t send_bones) {
    err_t err;
    char path[128];
    memset(play, 0, sizeof *play);
    TestNet_Init(&play->net, &(test_net_config_t){.seed = 8,
                                                  .conditions = {.delay_ms = 30, .loss = 0.05f},
                                                  .max_clients = 2,
                                                  .write_map = write_map});
    server_t *server = play->net.server;
    Server_SetSendBones(server, send_bones);
    assert_true(Server_SetCvar(server, "g_monsters", "1", &err));
    assert_true(Server_StartMap(server, "testmap", &err));
    TestNet_AddClient(&play->net, "ann");
    TestNet_AddClient(&play->net, "bob");
    assert_true(TestNet_WaitActive(&play->net, 10000));
    play->sv = SV_Context(server->world, server->map, &server->game, server->events);
    snprintf(path, sizeof path, "%s/models/figure.emesh", play->net.folder);
    assert_true(EMesh_Load(&play->figure_file, path, &err));
    assert_true(Model_Read(&play->figure, &play->figure_file, path, &err));
    snprintf(path, sizeof path, "%s/models/dog.emesh", play->net.folder);
    assert_true(EMesh_Load(&play->dog_file, path, &err));
    assert_true(Model_Read(&play->dog, &play->dog_file, path, &err));
}

static void end(play_t *play) {
    EMesh_Free(&play->figure_file);
    EMesh_Free(&play->dog_file);
    TestNet_Free(&play->net);
}

/// Records the pose of all edicts after the tick that just ran.
static void note(play_t *play) {
    const world_t *world = play->sv.world;
    if (world->tick == play->noted) {
        return;
    }
    play->noted = world->tick;
    play->history[world->tick % HISTORY].tick = world->tick;
    int32_t count = 0;
    for (int32_t i = 1; i < world->num_edicts; i++) {
        const edict_t *edict = World_Edict(world, i);
        const model_t *model = edict->inuse ? SV_Skeleton(&play->sv, edict) : NULL;
        if (!model || edict->visibility != VISIBLE_ALL || count == MAX_POSED) {
            continue;
        }
        posed_t *posed = &play->history[world->tick % HISTORY].list[count++];
        *posed = (posed_t){.number = i,
                           .skeleton = edict->skeleton,
                           .is_player = edict->flags & FL_CLIENT,
                           .request = SV_SkeletonRequest(world, edict)};
        cm_pose_t at = SV_SkeletonPlace(edict);
        model_pose_t pose;
        Pose_Evaluate(NULL, model, &posed->request, &pose);
        for (int32_t k = 0; k < model->num_hitboxes; k++) {
            posed->boxes[k] = Hitbox_Place(model, &pose, k, &at);
        }
    }
    play->history[world->tick % HISTORY].count = count;
}

/// Returns the client's file of a model, found by its name in the model list.
static const model_t *find_model(const play_t *play, const cl_t *cl, int32_t skeleton) {
    uint64_t hash = 0;
    const char *name = CL_SkeletonName(cl, skeleton, &hash);
    const model_t *model = strstr(name, "dog") ? &play->dog : &play->figure;
    assert_true(hash == model->hash);
    if (skeleton >= FIRST_MAP_SKELETON) {
        assert_string_equal(name, model == &play->dog ? "models/dog.emesh" : "models/figure.emesh");
    } else {
        assert_string_equal(name, model == &play->dog ? "dog" : "figure");
    }
    return model;
}

/// Places an entity's hitboxes from the client's data alone, and compares.
static void compare(play_t *play, const cl_t *cl, const posed_t *posed, int64_t tick) {
    cl_bones_t bones;
    pose_t where;
    assert_true(CL_EntityBones(cl, posed->number, tick, 0, &bones));
    assert_true(CL_EntityPose(cl, posed->number, tick, 0, &where));
    assert_int_equal(bones.skeleton, posed->skeleton);
    assert_int_equal(bones.animations[0], posed->request.animations[0]);
    assert_true(bones.times_ms[0] == posed->request.times_ms[0]);
    assert_true(fabsf(bones.blend - posed->request.blend) <= 0.5f / 255.0f + 1e-6f);
    if (bones.blend > 0.0f) {
        assert_int_equal(bones.animations[1], posed->request.animations[1]);
        assert_true(bones.times_ms[1] == posed->request.times_ms[1]);
    }
    const model_t *model = find_model(play, cl, bones.skeleton);
    pose_request_t request = {.animations = {bones.animations[0], bones.animations[1]},
                              .times_ms = {bones.times_ms[0], bones.times_ms[1]},
                              .blend = bones.blend};
    memcpy(request.controllers, bones.controllers, sizeof request.controllers);
    // A player's hitboxes stay upright.
    cm_object_t place = {.origin = where.origin, .angles = where.angles};
    place.angles = posed->is_player ? Vector(0.0f, where.angles.y, 0.0f) : place.angles;
    cm_pose_t at = CM_MakePose(&place);
    model_pose_t pose;
    Pose_Evaluate(NULL, model, &request, &pose);
    bool stands =
        posed->number > 2 &&
        strcmp(World_Text(play->sv.world, World_Edict(play->sv.world, posed->number)->classname),
               "misc_model") == 0;
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        turned_box_t box = Hitbox_Place(model, &pose, i, &at);
        if (stands) { // its fields are sent exactly, so it is drawn exactly
            assert_memory_equal(&box, &posed->boxes[i], sizeof box);
        }
        float off = VectorLength(VectorSubtract(box.middle, posed->boxes[i].middle));
        if (!(off < PLACE_NEAR)) {
            fail_msg("entity %d, tick %lld, box %d: %g away", posed->number, (long long)tick, i,
                     (double)off);
        }
    }
    *(stands ? &play->exact : posed->is_player ? &play->players : &play->near) += 1;
}

static void compare_all(play_t *play, int32_t client, int32_t send_bones) {
    const cl_t *cl = play->net.clients[client];
    int64_t tick = CL_ServerTick(cl);
    if (tick == play->compared[client] || play->history[tick % HISTORY].tick != tick) {
        return;
    }
    play->compared[client] = tick;
    for (int32_t i = 0; i < play->history[tick % HISTORY].count; i++) {
        const posed_t *posed = &play->history[tick % HISTORY].list[i];
        cl_bones_t bones;
        if (posed->number == CL_Slot(cl) + 1) {
            continue; // a client has its own player's state exactly
        }
        if (send_bones >= (posed->is_player ? SEND_PLAYERS_BONES : SEND_BONES)) {
            compare(play, cl, posed, tick);
        } else {
            assert_false(CL_EntityBones(cl, posed->number, tick, 0, &bones));
        }
    }
}

/// Ann runs about, ducks and shoots; bob looks around.
static void play_on(play_t *play, int32_t send_bones) {
    for (int64_t end_ms = play->net.now_ms + RUN_MS; play->net.now_ms < end_ms;) {
        float t = (float)(end_ms - play->net.now_ms);
        bool runs = (play->net.now_ms / 700) % 2 == 0;
        bool ducks = (play->net.now_ms / 900) % 3 == 0;
        CL_SetInput(play->net.clients[0],
                    &(cl_input_t){.forward = runs ? 300.0f : 0.0f,
                                  .up = ducks ? -300.0f : 0.0f,
                                  .yaw = t * 0.05f,
                                  .pitch = 20.0f * (runs ? 1.0f : -1.0f) + t * 0.002f,
                                  .buttons = BUTTON_ATTACK});
        CL_SetInput(play->net.clients[1], &(cl_input_t){.pitch = t * 0.005f, .yaw = t * 0.03f});
        TestNet_Step(&play->net);
        note(play);
        compare_all(play, 0, send_bones);
        compare_all(play, 1, send_bones);
    }
}

static void test_clients_see_what_is_hit(void **state) {
    (void)state;
    for (int32_t tell = SEND_NO_BONES; tell <= SEND_PLAYERS_BONES; tell++) {
        play_t *play = calloc(1, sizeof *play);
        assert_non_null(play);
        start(play, tell);
        play_on(play, tell);
        cl_stats_t stats;
        CL_Stats(play->net.clients[1], &stats);
        print_message("bones %d: %d of figures, %d of monsters, %d of players; %llu bytes\n", tell,
                      play->exact, play->near, play->players,
                      (unsigned long long)stats.snapshot_bytes);
        assert_int_equal(play->exact > 600, tell >= SEND_BONES);
        assert_int_equal(play->near > 400, tell >= SEND_BONES);
        assert_int_equal(play->players > 300, tell == SEND_PLAYERS_BONES);
        end(play);
        free(play);
    }
}

/// Between two ticks an animation continues; before its start time it shows its first frame.
static void test_times_between(void **state) {
    (void)state;
    play_t *play = calloc(1, sizeof *play);
    assert_non_null(play);
    start(play, SEND_BONES);
    const cl_t *cl = play->net.clients[0];
    const edict_t *figure = play->sv.engine->find_class(&play->sv, NULL, "misc_model");
    int32_t number = World_EdictNumber(play->sv.world, figure);
    int64_t tick = CL_ServerTick(cl);
    cl_bones_t at, half;
    assert_true(CL_EntityBones(cl, number, tick, 0, &at));
    assert_true(CL_EntityBones(cl, number, tick, 32768, &half));
    assert_true(half.times_ms[0] == at.times_ms[0] + Ticks_MaxMs(CL_TickRate(cl)) / 2);
    assert_true(at.controllers[0] == 12.5f);
    assert_true(at.controllers[1] == 3.0f);
    assert_int_equal(at.animations[0], FIGURE_DO_RUN);
    assert_int_equal(at.animations[1], -1);
    assert_false(CL_EntityBones(cl, 4000, tick, 0, &at));
    assert_string_equal(CL_SkeletonName(cl, 0, NULL), "");
    assert_string_equal(CL_SkeletonName(cl, 3, NULL), "");
    assert_string_equal(CL_SkeletonName(cl, FIRST_MAP_SKELETON + 2, NULL), "");
    assert_string_equal(CL_SkeletonName(cl, -1, NULL), "");
    end(play);
    free(play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clients_see_what_is_hit),
        cmocka_unit_test(test_times_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
