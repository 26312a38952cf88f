// Shots over UDP through edict-relay, in virtual time. A client aims exactly where it shows a
// strafing player: a round trip of 100 or 200 ms costs no damage. Without lag compensation it does.

#include "client/cl_local.h"
#include "core/server_local.h"
#include "game/game.h"
#include "game/players.h"
#include "lib/net_fixture.h"
#include "lib/testing.h"
#include "math/angles.h"
#include "relay/relay.h"

#include <stdio.h>

#define HEALTH    30000
#define CHEST     10.0f // qu above the origin
#define TURN_MS   350   // the target strafes so long to each side
#define SETTLE_MS 2000

typedef struct {
    test_net_t net;
    relay_t *relay;
} range_t;

static void step(range_t *range) {
    TestNet_Step(&range->net);
    Relay_Step(range->relay, range->net.now_ms);
    World_Edict(range->net.server->world, 2)->velocity.x = 0.0f; // no knocks
}

static void place(range_t *range, int32_t slot, vec3_t origin) {
    server_t *server = range->net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    sv.engine->teleport(&sv, World_Edict(server->world, slot + 1), origin, vec3_zero, vec3_zero);
}

// The target joins the server, the shooter the relay.
static void join(range_t *range, int32_t delay_ms) {
    static const test_map_t map = {.room = {{-1024, -1024, 0}, {1024, 1024, 512}}};
    char network[32];
    err_t err;
    TestNet_Init(&range->net,
                 &(test_net_config_t){.seed = 1, .max_clients = 2, .map = &map, .is_udp = true});
    TestNet_ShowAll(&range->net);
    snprintf(network, sizeof network, "delay=%d", delay_ms);
    const relay_config_t config = {.listen = {.host = range->net.address.host},
                                   .target = range->net.address,
                                   .network = network,
                                   .seed = 1};
    range->relay = Relay_Create(&config, &err);
    if (!range->relay) {
        fail_msg("%s", err.text);
    }
    const uint16_t ports[] = {Relay_Port(range->relay), range->net.address.port};
    for (int32_t n = 0; n < 2; n++) {
        range->net.address.port = ports[n];
        TestNet_AddClient(&range->net, n == 0 ? "shooter" : "target");
        for (int32_t ms = 0; ms < SETTLE_MS; ms += TEST_NET_STEP_MS) {
            step(range);
        }
        assert_int_equal(CL_State(range->net.clients[n]), CL_ACTIVE);
        assert_int_equal(CL_Slot(range->net.clients[n]), n);
    }
}

static void strafe(range_t *range) {
    const bool is_left = range->net.now_ms / TURN_MS % 2 == 0;
    CL_SetInput(range->net.clients[1], &(cl_input_t){.side = is_left ? 400.0f : -400.0f});
}

static void aim(range_t *range) {
    cl_t *cl = range->net.clients[0];
    int64_t tick;
    uint16_t frac;
    pose_t shown;
    player_state_t self;
    if (!CL_ViewTime(cl, &tick, &frac) || !CL_EntityPose(cl, 2, tick, frac, &shown) ||
        !CL_Predicted(cl, &self)) {
        return;
    }
    const float height = PM_ViewHeight(&self, &Server_World(range->net.server)->cvars.move);
    const vec3_t eye = VectorAdd(self.origin, Vector(0.0f, 0.0f, height));
    const vec3_t at = VectorAdd(shown.origin, Vector(0.0f, 0.0f, CHEST));
    const vec3_t angles = VectorAngles(VectorSubtract(at, eye));
    CL_SetInput(cl,
                &(cl_input_t){.pitch = angles.x,
                              .yaw = AngleMod(angles.y - ShortToAngle((uint16_t)self.delta_yaw)),
                              .buttons = BUTTON_ATTACK});
}

// Returns the damage in 3 s of lightning.
static int32_t shoot(int32_t round_trip_ms, const char *unlag_ms) {
    range_t range;
    err_t err;
    join(&range, round_trip_ms / 2);
    test_net_t *net = &range.net;
    assert_true(Server_SetCvar(net->server, "sv_maxunlag_ms", unlag_ms, &err));
    world_t *world = net->server->world;
    place(&range, 0, Vector(-150.0f, 0.0f, 24.03125f));
    place(&range, 1, Vector(150.0f, 0.0f, 24.03125f));
    World_Client(world, 1)->player.health = HEALTH;
    player_fields_t *fields = Game_PlayerFields(World_Client(world, 0));
    fields->weapons |= 1 << WEAPON_LIGHTNING;
    fields->weapon = WEAPON_LIGHTNING;
    fields->ammo[AMMO_CELLS] = 200;
    for (int32_t ms = 0; ms < 3600; ms += TEST_NET_STEP_MS) {
        strafe(&range);
        if (ms >= 600) {
            aim(&range);
        }
        step(&range);
    }
    const int32_t damage = HEALTH - World_Client(world, 1)->player.health;
    cl_stats_t stats;
    CL_Stats(net->clients[0], &stats);
    print_message("round trip %d ms, sv_maxunlag_ms %s: %d damage\n", stats.rtt_ms, unlag_ms,
                  damage);
    assert_true(abs(stats.rtt_ms - round_trip_ms) <= 30);
    assert_true(Relay_Stats(range.relay).directions[RELAY_UP].delivered > 100);
    TestNet_Free(net);
    Relay_Destroy(range.relay);
    return damage;
}

static void test_a_round_trip_costs_no_damage(void **state) {
    (void)state;
    const int32_t near_damage = shoot(2, "250");
    assert_true(near_damage > 500);
    for (int32_t round_trip_ms = 100; round_trip_ms <= 200; round_trip_ms += 100) {
        const int32_t damage = shoot(round_trip_ms, "250");
        assert_true(damage * 10 > near_damage * 9 && damage * 10 < near_damage * 11);
        assert_true(shoot(round_trip_ms, "0") * 2 < near_damage);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_round_trip_costs_no_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
