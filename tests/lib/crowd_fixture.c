#include "lib/crowd_fixture.h"

#include "lib/testing.h"

#include "bsp/bsp.h"
#include "core/server_local.h"
#include "state/player_state.h"

#include <string.h>
#include <unistd.h>

#define SLOW_SPEED 60.0f  // qu/s: the bot walks against something
#define TURN_IN    40     // ticks from one random turn to the next, about
#define TELEPORT   128.0f // qu in a tick: more than a player can move
#define RAISE      27.0f  // height of a player's origin above a destination

static void walk(test_crowd_t *crowd, int32_t n) {
    player_state_t self;
    cl_t *cl = crowd->net.clients[n];
    if (!CL_Self(cl, &self)) {
        return;
    }
    const vec3_t v = self.velocity;
    if (v.x * v.x + v.y * v.y < SLOW_SPEED * SLOW_SPEED || Rng_Below(&crowd->rng, TURN_IN) == 0) {
        crowd->yaws[n] = Rng_Range(&crowd->rng, 0.0f, 360.0f);
    }
    const bool jumps = Rng_Below(&crowd->rng, 30) == 0;
    const bool shoots = crowd->shoots && Rng_Below(&crowd->rng, 20) == 0;
    const bool is_dead = self.health <= 0;
    CL_SetInput(cl, &(cl_input_t){.forward = 320.0f,
                                  .yaw = crowd->yaws[n],
                                  .buttons = (uint8_t)((jumps ? BUTTON_JUMP : 0) |
                                                       (shoots || is_dead ? BUTTON_ATTACK : 0))});
}

static void find_exits(test_crowd_t *crowd) {
    const server_t *server = crowd->net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    const edict_t *trigger = NULL;
    while ((trigger = sv.engine->find_class(&sv, trigger, "trigger_teleport")) != NULL) {
        const char *name = sv.engine->text(&sv, trigger->target);
        const edict_t *to = sv.engine->find_target(&sv, NULL, name);
        assert_true(to && crowd->num_exits < CROWD_EXITS);
        crowd->exits[crowd->num_exits++] = (crowd_exit_t){
            {trigger->absmin, trigger->absmax}, VectorAdd(to->origin, Vector(0.0f, 0.0f, RAISE))};
    }
}

bool TestCrowd_Start(test_crowd_t *crowd, const crowd_config_t *config) {
    char path[512];
    err_t err;
    memset(crowd, 0, sizeof *crowd);
    snprintf(path, sizeof path, "%s/maps/%s.bsp", Test_BuildFolder(),
             config->map ? config->map : "sight");
    if (config->map && strchr(config->map, '/')) {
        snprintf(path, sizeof path, "%s", config->map);
    }
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not there\n", path);
        return false;
    }
    assert_true(BSP_Load(&crowd->map, path, &err));
    crowd->rng.state = config->seed;
    TestNet_Init(&crowd->net, &(test_net_config_t){.seed = config->seed,
                                                   .conditions = {.delay_ms = config->delay_ms},
                                                   .max_clients = config->bots,
                                                   .map_file = path});
    find_exits(crowd);
    crowd->send = crowd->net.server_net->send;
    if (config->tap) {
        crowd->net.server_net->send = config->tap;
    }
    for (int32_t i = 0; i < config->bots; i++) {
        TestNet_AddClient(&crowd->net, "bot");
        assert_true(TestNet_WaitActive(&crowd->net, 10000));
        assert_int_equal(CL_Slot(crowd->net.clients[i]), i);
    }
    return true;
}

void TestCrowd_Step(test_crowd_t *crowd) {
    test_net_t *net = &crowd->net;
    net->now_ms += CROWD_STEP_MS;
    SimNet_Advance(net->sim, net->now_ms);
    Server_Drain(net->server, net->now_ms);
    Server_Tick(net->server, net->now_ms);
    for (int32_t i = 0; i < net->num_clients; i++) {
        cl_event_t event;
        if (!crowd->stands) {
            walk(crowd, i);
        }
        CL_Frame(net->clients[i], net->now_ms);
        while (CL_NextEvent(net->clients[i], &event)) {
        }
        assert_int_equal(CL_State(net->clients[i]), CL_ACTIVE);
    }
    net->next_tick_ms = net->now_ms + CROWD_STEP_MS;
    TestCrowd_Note(crowd);
}

static void note_doors(const world_t *world, const crowd_scene_t *before, crowd_scene_t *scene) {
    for (int32_t number = 1; number < world->num_edicts; number++) {
        const edict_t *edict = World_Edict(world, number);
        if (World_IsLive(edict) && edict->solid == SOLID_BSP && edict->model >= 1 &&
            strcmp(World_Text(world, edict->classname), "func_wall") != 0) {
            assert_true(scene->num_doors < CROWD_DOORS);
            const cm_object_t *was = &before->doors[scene->num_doors].object;
            const bool moved = !VectorCompare(edict->origin, was->origin) ||
                               !VectorCompare(edict->angles, was->angles);
            scene->doors[scene->num_doors++] = (crowd_door_t){
                number,
                {.origin = edict->origin, .angles = edict->angles, .model = edict->model},
                moved};
        }
    }
}

const crowd_scene_t *TestCrowd_Note(test_crowd_t *crowd) {
    const world_t *world = Server_World(crowd->net.server);
    crowd_scene_t *scene = &crowd->scenes[world->tick % CROWD_HISTORY];
    if (scene->tick == world->tick) {
        return scene;
    }
    *scene = (crowd_scene_t){.tick = world->tick};
    for (int32_t slot = 0; slot < world->max_clients; slot++) {
        const client_t *client = World_Client(world, slot);
        const edict_t *edict = World_Edict(world, slot + 1);
        const crowd_player_t *before =
            &crowd->scenes[(world->tick + CROWD_HISTORY - 1) % CROWD_HISTORY].players[slot];
        const float moved = VectorLength(VectorSubtract(edict->origin, before->origin));
        scene->players[slot] =
            (crowd_player_t){.is_in = client->inuse && edict->inuse,
                             .is_spectator = client->spectator,
                             .lives = client->player.pm_type != PM_DEAD,
                             .view = SV_ViewSlot(world, slot),
                             .team = client->team,
                             .origin = edict->origin,
                             .velocity = edict->velocity,
                             .mins = edict->mins,
                             .maxs = edict->maxs,
                             .put_tick = moved > TELEPORT ? world->tick : before->put_tick};
    }
    note_doors(world, &crowd->scenes[(world->tick + CROWD_HISTORY - 1) % CROWD_HISTORY], scene);
    return scene;
}

const crowd_scene_t *TestCrowd_Scene(const test_crowd_t *crowd, int64_t tick) {
    const crowd_scene_t *scene = &crowd->scenes[tick % CROWD_HISTORY];
    return scene->tick == tick ? scene : NULL;
}

bool TestCrowd_IsClear(const test_crowd_t *crowd, const crowd_scene_t *scene, vec3_t from,
                       vec3_t to, bool moving) {
    const cm_object_t world = {.model = 0};
    const bounds_t line = BoundsOfSweep(from, to, vec3_zero, vec3_zero, 1.0f);
    if (CM_BoxTrace(&crowd->map, &world, from, to, vec3_zero, vec3_zero).fraction < 1.0f) {
        return false;
    }
    for (int32_t i = 0; i < scene->num_doors; i++) {
        const crowd_door_t *door = &scene->doors[i];
        bounds_t box = CM_ModelBounds(&crowd->map, door->object.model);
        box.mins = VectorAdd(box.mins, door->object.origin);
        box.maxs = VectorAdd(box.maxs, door->object.origin);
        if ((moving || !door->moves) && BoundsTouch(box, line) &&
            CM_BoxTrace(&crowd->map, &door->object, from, to, vec3_zero, vec3_zero).fraction <
                1.0f) {
            return false;
        }
    }
    return true;
}

bool TestCrowd_SeesBox(const test_crowd_t *crowd, const crowd_scene_t *scene, vec3_t eye,
                       bounds_t box, bool moving) {
    const vec3_t middle = VectorScale(VectorAdd(box.mins, box.maxs), 0.5f);
    bool sees = TestCrowd_IsClear(crowd, scene, eye, middle, moving);
    for (int32_t i = 0; i < 8 && !sees; i++) {
        const vec3_t corner =
            Vector(i & 1 ? box.maxs.x : box.mins.x, i & 2 ? box.maxs.y : box.mins.y,
                   i & 4 ? box.mins.z : box.maxs.z);
        sees = TestCrowd_IsClear(crowd, scene, eye, corner, moving);
    }
    return sees;
}

vec3_t TestCrowd_Eye(vec3_t origin) {
    return VectorAdd(origin, Vector(0.0f, 0.0f, PM_VIEW_HEIGHT));
}

void TestCrowd_Free(test_crowd_t *crowd) {
    TestNet_Free(&crowd->net);
    CM_FreeMap(&crowd->map);
}
