// Nails at a running player, from a client 150 ms away that leads its target by what it shows. With
// g_projectile_unlag they meet it; without, they come too late.

#include "client/cl_local.h"
#include "core/server_local.h"
#include "game/game.h"
#include "game/players.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"

#define NAIL_SPEED 1000.0f // qu/s
#define NAIL       9       // damage
#define MUZZLE     8.0f    // qu
#define RUN_SPEED  320.0f  // qu/s

static client_t *client_of(const test_net_t *net, int32_t slot) {
    return World_Client(net->server->world, slot);
}

static void place(test_net_t *net, int32_t slot, vec3_t origin, float yaw) {
    server_t *server = net->server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    sv.engine->teleport(&sv, World_Edict(server->world, slot + 1), origin, Vector(0.0f, yaw, 0.0f),
                        vec3_zero);
}

static void steps(test_net_t *net, int32_t ms) {
    for (int32_t at = 0; at < ms; at += TEST_NET_STEP_MS) {
        TestNet_Step(net);
    }
}

// Aims at the point where the shown target will be when a nail arrives.
static void aim(test_net_t *net, uint8_t buttons) {
    cl_t *cl = net->clients[0];
    int64_t tick;
    uint16_t frac;
    pose_t older, shown;
    player_state_t self;
    if (!CL_ViewTime(cl, &tick, &frac) || !CL_EntityPose(cl, 2, tick, frac, &shown) ||
        !CL_EntityPose(cl, 2, tick - 1, frac, &older) || !CL_Predicted(cl, &self)) {
        return;
    }
    const float height = PM_ViewHeight(&self, &Server_World(net->server)->cvars.move);
    const vec3_t eye = VectorAdd(self.origin, Vector(0.0f, 0.0f, height));
    const vec3_t velocity = VectorScale(VectorSubtract(shown.origin, older.origin), 62.5f);
    vec3_t at = shown.origin;
    for (int32_t i = 0; i < 4; i++) {
        const float length = VectorLength(VectorSubtract(at, eye)) - MUZZLE;
        at = VectorMA(shown.origin, length / NAIL_SPEED, velocity);
    }
    const vec3_t angles = VectorAngles(VectorSubtract(at, eye));
    CL_SetInput(cl,
                &(cl_input_t){.pitch = angles.x,
                              .yaw = AngleMod(angles.y - ShortToAngle((uint16_t)self.delta_yaw)),
                              .buttons = buttons});
}

// Returns the share of nails that hit, in percent.
static int32_t shoot(const char *unlag) {
    static const test_map_t map = {.room = {{-1500, -1500, 0}, {1500, 1500, 256}}};
    test_net_t net;
    err_t err;
    TestNet_Init(&net,
                 &(test_net_config_t){
                     .seed = 5, .conditions = {.delay_ms = 75}, .max_clients = 2, .map = &map});
    TestNet_ShowAll(&net);
    assert_true(Server_SetCvar(net.server, "g_projectile_unlag", unlag, &err));
    for (int32_t n = 0; n < 2; n++) {
        TestNet_AddClient(&net, "player");
        assert_true(TestNet_WaitActive(&net, 10000));
    }
    steps(&net, 1000);
    place(&net, 0, Vector(-300.0f, 0.0f, 24.03125f), 0.0f);
    place(&net, 1, Vector(150.0f, -900.0f, 24.03125f), 90.0f);
    client_of(&net, 1)->player.health = 5000;
    player_fields_t *fields = Game_PlayerFields(client_of(&net, 0));
    fields->weapons |= 1 << WEAPON_NAILGUN;
    fields->weapon = WEAPON_NAILGUN;
    fields->ammo[AMMO_NAILS] = 200;
    steps(&net, 300);
    player_state_t self;
    assert_true(CL_Predicted(net.clients[1], &self));
    CL_SetInput(net.clients[1],
                &(cl_input_t){.forward = 400.0f,
                              .yaw = AngleMod(90.0f - ShortToAngle((uint16_t)self.delta_yaw))});
    steps(&net, 800);
    for (int32_t ms = 0; ms < 3000; ms += TEST_NET_STEP_MS) {
        aim(&net, BUTTON_ATTACK);
        TestNet_Step(&net);
        World_Edict(net.server->world, 2)->velocity = Vector(0.0f, RUN_SPEED, 0.0f); // no knocks
    }
    aim(&net, 0);
    steps(&net, 1200);
    const int32_t nails = 200 - fields->ammo[AMMO_NAILS];
    const int32_t hits = (5000 - client_of(&net, 1)->player.health) / NAIL;
    print_message("g_projectile_unlag %s: %d of %d nails hit\n", unlag, hits, nails);
    assert_true(nails >= 28);
    TestNet_Free(&net);
    return 100 * hits / nails;
}

static void test_nails_meet_a_running_player(void **state) {
    (void)state;
    assert_true(shoot("0") < 20);
    assert_true(shoot("400") > 95);
    assert_true(shoot("50") < 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nails_meet_a_running_player)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
