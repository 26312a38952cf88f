// Clients draw what follows a player, or a bone, where it belongs in every frame, with 200 ms of
// delay and loss.

#include "client/cl_local.h"
#include "core/server_local.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "physics/actions.h"
#include "world/hitboxes.h"

#include <string.h>

#define RUN_MS  8000
#define HISTORY 64   // ticks
#define NEAR    0.1f // qu

static const char entities[] =
    "{\n\"classname\" \"worldspawn\"\n}\n"
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-300 0 25\"\n}\n"
    "{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"-300 300 25\"\n}\n"
    "{\n\"classname\" \"misc_model\"\n\"model\" \"models/figure.emesh\"\n\"animation\" \"run\"\n"
    "\"origin\" \"200 0 24\"\n\"angle\" \"70\"\n}\n";

static void write_map(const char *folder) {
    TestNet_WriteModels(folder, entities, false);
}

typedef struct {
    test_net_t net;
    sv_context_t sv;
    const model_t *figure;
    edict_t *flag, *glove, *hand; // they follow ann, the figure's bone, and ann's bone
    struct {
        int64_t tick;
        vec3_t glove, hand;
        vec3_t held; ///< hand, as seen by ann
    } history[HISTORY];
    int32_t own, far, gloves, hands;      // number of comparisons
    float own_max, far_max, on_bones_max; // qu
    float own_hand_max;                   // qu
    int32_t own_hands;
} play_t;

static const model_t *find_skeleton(void *context, const char *name, uint64_t hash) {
    const play_t *play = context;
    return strcmp(name, "figure") == 0 && play->figure->hash == hash ? play->figure : NULL;
}

static edict_t *attach(play_t *play, edict_t *leader, const char *bone, vec3_t offset) {
    edict_t *edict = SV_SpawnEdict(&play->sv);
    assert_true(edict && leader);
    assert_true(SV_Follow(&play->sv, edict, leader, offset, Vector(0.0f, 30.0f, 0.0f)));
    assert_true(SV_FollowBone(&play->sv, edict, bone));
    return edict;
}

static void start(play_t *play) {
    err_t err;
    TestNet_Init(&play->net, &(test_net_config_t){.seed = 9,
                                                  .conditions = {.delay_ms = 100, .loss = 0.02f},
                                                  .max_clients = 2,
                                                  .write_map = write_map});
    server_t *server = play->net.server;
    Server_SetSendBones(server, SEND_PLAYERS_BONES);
    assert_true(Server_StartMap(server, "testmap", &err));
    TestNet_AddClient(&play->net, "ann");
    TestNet_AddClient(&play->net, "bob");
    for (int32_t i = 0; i < 2; i++) {
        play->net.clients[i]->config.find_skeleton = find_skeleton;
        play->net.clients[i]->config.find_context = play;
    }
    assert_true(TestNet_WaitActive(&play->net, 10000));
    play->sv = SV_Context(server->world, server->map, &server->game, server->events);
    edict_t *ann = World_Edict(server->world, 1);
    edict_t *figure = play->sv.engine->find_class(&play->sv, NULL, "misc_model");
    play->figure = SV_SkeletonModel(&play->sv, ann->skeleton);
    assert_non_null(play->figure);
    const char *bone = play->figure->bones[play->figure->num_bones - 1].name;
    play->flag = attach(play, ann, "", Vector(-10.0f, 0.0f, 24.0f));
    play->glove = attach(play, figure, bone, Vector(3.0f, 1.0f, 2.0f));
    play->hand = attach(play, ann, bone, Vector(3.0f, 1.0f, 2.0f));
}

// Returns a position as seen by a player: forward, left, up.
static vec3_t seen_from(vec3_t origin, float yaw, vec3_t at) {
    float turn_rad = yaw * 3.14159265f / 180.0f;
    vec3_t to = VectorSubtract(at, origin);
    return Vector(to.x * cosf(turn_rad) + to.y * sinf(turn_rad),
                  to.y * cosf(turn_rad) - to.x * sinf(turn_rad), to.z);
}

static void note(play_t *play) {
    int64_t tick = play->sv.world->tick;
    play->history[tick % HISTORY].tick = tick;
    play->history[tick % HISTORY].glove = play->glove->origin;
    play->history[tick % HISTORY].hand = play->hand->origin;
    const edict_t *ann = World_Edict(play->sv.world, 1);
    play->history[tick % HISTORY].held = seen_from(ann->origin, ann->angles.y, play->hand->origin);
}

// Returns how far the flag is from its place above and behind a player.
static float flag_off(vec3_t origin, float yaw, vec3_t flag) {
    float turn_rad = yaw * 3.14159265f / 180.0f;
    vec3_t place = {origin.x - 10.0f * cosf(turn_rad), origin.y - 10.0f * sinf(turn_rad),
                    origin.z + 24.0f};
    return VectorLength(VectorSubtract(place, flag));
}

// Ann draws her own player where it is predicted.
static void look_as_ann(play_t *play) {
    cl_t *cl = play->net.clients[0];
    player_state_t self;
    int64_t tick;
    uint16_t frac;
    pose_t flag;
    if (CL_Predicted(cl, &self) && CL_ViewTime(cl, &tick, &frac) &&
        CL_EntityPose(cl, World_EdictNumber(play->sv.world, play->flag), tick, frac, &flag)) {
        float off = flag_off(self.origin, self.angles.y, flag.origin);
        play->own_max = fmaxf(play->own_max, off);
        play->own++;
    }
    pose_t hand;
    tick = CL_ServerTick(cl);
    if (play->history[tick % HISTORY].tick == tick && CL_Predicted(cl, &self) &&
        CL_EntityPose(cl, World_EdictNumber(play->sv.world, play->hand), tick, 0, &hand)) {
        vec3_t held = seen_from(self.origin, self.angles.y, hand.origin);
        vec3_t off = VectorSubtract(held, play->history[tick % HISTORY].held);
        play->own_hand_max = fmaxf(play->own_hand_max, VectorLength(off));
        play->own_hands++;
    }
}

// Bob draws ann late, between two snapshots.
static void look_as_bob(play_t *play) {
    const cl_t *cl = play->net.clients[1];
    const world_t *world = play->sv.world;
    int64_t tick;
    uint16_t frac;
    pose_t flag, ann, hand, glove;
    if (CL_ViewTime(cl, &tick, &frac) && CL_EntityPose(cl, 1, tick, frac, &ann) &&
        CL_EntityPose(cl, World_EdictNumber(world, play->flag), tick, frac, &flag)) {
        play->far_max = fmaxf(play->far_max, flag_off(ann.origin, ann.angles.y, flag.origin));
        play->far++;
    }
    tick = CL_ServerTick(cl);
    if (play->history[tick % HISTORY].tick != tick) {
        return;
    }
    if (CL_EntityPose(cl, World_EdictNumber(world, play->glove), tick, 0, &glove)) {
        vec3_t off = VectorSubtract(glove.origin, play->history[tick % HISTORY].glove);
        play->on_bones_max = fmaxf(play->on_bones_max, VectorLength(off));
        play->gloves++;
    }
    if (CL_EntityPose(cl, World_EdictNumber(world, play->hand), tick, 0, &hand)) {
        vec3_t off = VectorSubtract(hand.origin, play->history[tick % HISTORY].hand);
        play->on_bones_max = fmaxf(play->on_bones_max, VectorLength(off));
        play->hands++;
    }
}

static void test_followers_are_drawn_where_they_belong(void **state) {
    (void)state;
    play_t *play = calloc(1, sizeof *play);
    assert_non_null(play);
    start(play);
    for (int64_t end_ms = play->net.now_ms + RUN_MS; play->net.now_ms < end_ms;) {
        float t = (float)(end_ms - play->net.now_ms);
        CL_SetInput(play->net.clients[0],
                    &(cl_input_t){.forward = 320.0f, .yaw = t * 0.05f, .pitch = 10.0f});
        TestNet_Step(&play->net);
        note(play);
        look_as_ann(play);
        look_as_bob(play);
    }
    print_message("own flag off by at most %.3f qu (%d frames), ann's by %.3f (%d), on bones by "
                  "%.3f (%d, %d)\n",
                  (double)play->own_max, play->own, (double)play->far_max, play->far,
                  (double)play->on_bones_max, play->gloves, play->hands);
    assert_true(play->own > 1000);
    assert_true(play->far > 1000);
    assert_true(play->gloves > 1000);
    assert_true(play->hands > 1000);
    assert_true(play->own_max < NEAR);
    assert_true(play->far_max < NEAR);
    assert_true(play->on_bones_max < NEAR);
    assert_true(play->own_hands > 1000);
    assert_true(play->own_hand_max < NEAR);
    TestNet_Free(&play->net);
    free(play);
}

// Returns the origin of a follower in the space of a player: forward, left, up.
static vec3_t beside(vec3_t origin, float yaw, vec3_t follower) {
    float turn_rad = yaw * 3.14159265f / 180.0f;
    vec3_t d = VectorSubtract(follower, origin);
    return Vector(d.x * cosf(turn_rad) + d.y * sinf(turn_rad),
                  d.y * cosf(turn_rad) - d.x * sinf(turn_rad), d.z);
}

// Tests with the default of sv_send_bones that a thing on a player's bone stays at the bone of the
// bind pose, and that a follower that only its player sees follows the player.
static void test_players_without_bones(void **state) {
    (void)state;
    play_t *play = calloc(1, sizeof *play);
    assert_non_null(play);
    start(play);
    Server_SetSendBones(play->net.server, SEND_BONES);
    play->flag->visibility = VISIBLE_CLIENT; // of slot 0: ann
    cl_t *cl = play->net.clients[0];
    vec3_t first = vec3_zero;
    int32_t frames = 0;
    for (int32_t i = 0; i < 1400; i++) {
        CL_SetInput(cl, &(cl_input_t){.forward = 320.0f, .yaw = (float)i * 0.3f});
        TestNet_Step(&play->net);
        if (i < 400) {
            continue; // snapshots from before the changes
        }
        look_as_ann(play);
        player_state_t self;
        int64_t tick;
        uint16_t frac;
        pose_t hand;
        if (CL_Predicted(cl, &self) && CL_ViewTime(cl, &tick, &frac) &&
            CL_EntityPose(cl, World_EdictNumber(play->sv.world, play->hand), tick, frac, &hand)) {
            vec3_t at = beside(self.origin, self.angles.y, hand.origin);
            first = frames++ == 0 ? at : first;
            assert_true(VectorLength(VectorSubtract(at, first)) < NEAR);
        }
    }
    assert_true(frames > 900 && first.z < -10.0f); // the shin
    assert_true(play->own > 900 && play->own_max < NEAR);
    TestNet_Free(&play->net);
    free(play);
}

// Tests that a client receives of its own edict only what its player state lacks.
static void test_the_own_edict(void **state) {
    (void)state;
    play_t *play = calloc(1, sizeof *play);
    assert_non_null(play);
    start(play);
    for (int32_t i = 0; i < 200; i++) {
        CL_SetInput(play->net.clients[0], &(cl_input_t){.forward = 320.0f});
        TestNet_Step(&play->net);
    }
    entity_state_t own, seen;
    assert_true(CL_Entity(play->net.clients[0], 1, &own));
    assert_true(CL_Entity(play->net.clients[1], 1, &seen));
    assert_string_equal(CL_ClassName(play->net.clients[0], &own), "player");
    assert_true(seen.velocity[0] != 0);
    assert_true(seen.mins[0] != 0);
    entity_state_t expected = {.number = 1,
                               .generation = seen.generation,
                               .type = ENTITY_PLAYER,
                               .model = seen.model,
                               .skeleton = seen.skeleton,
                               .solid = seen.solid,
                               .effects = seen.effects,
                               .owner = 1,
                               .classname = seen.classname,
                               .field_mask = own.field_mask};
    memcpy(expected.animations, own.animations, sizeof own - offsetof(entity_state_t, animations));
    assert_memory_equal(&own, &expected, sizeof own);
    TestNet_Free(&play->net);
    free(play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_followers_are_drawn_where_they_belong),
        cmocka_unit_test(test_players_without_bones),
        cmocka_unit_test(test_the_own_edict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
