// A client that lies about its view, through a whole server: it sends random views, acknowledges
// all snapshots or none, and joins while the target already moves. Its shots meet only states that
// it was sent, at most sv_maxunlag_ms old.

#include "core/server_local.h"
#include "lib/peer_fixture.h"
#include "lib/testing.h"
#include "world/tick_time.h"

#define SHOTS 600
#define BACK  40 // ticks before now that a lie names; sv_maxunlag_ms is 16 of them

typedef enum { TELLS_TRUTH, ACKS_ALL, ACKS_NONE } habit_t;

typedef struct {
    test_net_t net;
    rng_t rng;
    int32_t target, judged;
    int64_t first_tick;        // of the snapshots that the client was sent
    float off_path;            // farthest place at which the target was judged, from its path
    int64_t oldest, too_early; // age of the oldest state in ticks; states before the first
    int32_t in_future;
} range_t;

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static range_t *range; // of the running test: a game's callbacks carry no context

// Returns where the target is in the snapshot of a tick: it advances along x, and turns along y.
static vec3_t path(int64_t tick) {
    const int64_t at = tick % 10;
    return Vector(-3900.0f + 4.0f * (float)tick, 8.0f * (float)(at < 5 ? at : 10 - at), 100.0f);
}

static void frame(sv_context_t *sv) {
    edict_t *target = World_Edict(sv->world, range->target);
    target->origin = path(sv->world->tick + 1);
    sv->engine->link(sv, target, false);
}

static void step(sv_context_t *sv, edict_t *player, client_t *client, const usercmd_t *cmd,
                 int32_t step_ms) {
    (void)client, (void)step_ms;
    if (!(cmd->buttons & BUTTON_ATTACK) || range->first_tick == 0) {
        return;
    }
    const edict_t *target = World_Edict(sv->world, range->target);
    const bounds_t box = sv->engine->box_unlagged(sv, target, player);
    const vec3_t at = VectorScale(VectorAdd(box.mins, box.maxs), 0.5f);
    const float ticks = (at.x + 3900.0f) / 4.0f;
    const int64_t tick = (int64_t)floorf(ticks + 0.001f);
    const float y = path(tick).y + (path(tick + 1).y - path(tick).y) * (ticks - (float)tick);
    range->judged++;
    range->off_path = fabsf(at.y - y) > range->off_path ? fabsf(at.y - y) : range->off_path;
    range->oldest = larger(range->oldest, sv->world->tick - tick);
    range->too_early += tick < range->first_tick;
    range->in_future += tick > sv->world->tick;
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)sv, (void)client;
    player->origin = Vector(0.0f, -500.0f, 24.03125f);
    player->solid = SOLID_SLIDEBOX;
}

static usercmd_t claim(habit_t habit, int64_t now) {
    usercmd_t cmd = {.tick = now, .msec = 16, .buttons = BUTTON_ATTACK};
    cmd.view_frac = (uint16_t)Rng_Next(&range->rng);
    if (habit == TELLS_TRUTH) {
        cmd.view_tick = larger(now - 6, range->first_tick);
        cmd.view_span = now - 6 >= range->first_tick ? UserCmd_Span(0, 1) : 0;
    } else {
        cmd.view_tick = larger(now - (int64_t)Rng_Below(&range->rng, BACK), 1);
        cmd.view_span = (uint8_t)Rng_Next(&range->rng);
    }
    return cmd;
}

static void shoot(test_peer_t *peer, habit_t habit, uint16_t seq) {
    const int64_t now = range->net.server->world->tick;
    usercmd_packet_t packet = {.epoch = peer->last[CTL_MAP].u.map.epoch & 0xffu,
                               .ack_tick = habit == ACKS_NONE ? 0 : now,
                               .first_seq = seq,
                               .count = 1,
                               .cmds = {claim(habit, now)}};
    uint8_t data[MAX_PACKET_BYTES];
    msg_writer_t msg = MSG_Writer(data, sizeof data);
    UserCmd_Write(&msg, &packet);
    assert_true(peer->transport->send(peer->transport, peer->peer, NET_CHANNEL_USERCMD, false, data,
                                      MSG_Finish(&msg)));
}

static uint64_t run(const char *name, habit_t habit) {
    static const test_map_t map = {.room = {{-4000, -1000, 0}, {4000, 1000, 256}}};
    const game_export_t game = {.api_version = GAME_API_VERSION,
                                .name = "lies",
                                .client_join = join,
                                .client_step = step,
                                .frame = frame};
    test_peer_t peer;
    range = calloc(1, sizeof *range);
    range->rng.state = 11;
    TestNet_Init(&range->net,
                 &(test_net_config_t){.seed = 1, .max_clients = 1, .map = &map, .game = &game});
    TestNet_ShowAll(&range->net);
    server_t *server = range->net.server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    edict_t *target = sv.engine->spawn(&sv);
    target->modelindex = 1;
    target->solid = SOLID_BBOX;
    target->origin = path(0);
    target->mins = Vector(-8.0f, -8.0f, -8.0f);
    target->maxs = Vector(8.0f, 8.0f, 8.0f);
    sv.engine->link(&sv, target, false);
    range->target = World_EdictNumber(server->world, target);
    TestPeer_Join(&peer, &range->net, 0, "liar");
    range->first_tick = server->world->tick;
    for (int32_t i = 0; i < SHOTS; i++) {
        shoot(&peer, habit, (uint16_t)i);
        TestPeer_Run(&peer, 16);
    }
    const uint64_t refused = server->stats.views_refused;
    print_message("%s: %d shots judged, %llu views refused; the oldest %lld ticks old, off the "
                  "path by up to %g qu\n",
                  name, range->judged, (unsigned long long)refused, (long long)range->oldest,
                  (double)range->off_path);
    assert_true(range->judged >= SHOTS - 4 && !peer.left);
    assert_int_equal(range->too_early, 0);
    assert_int_equal(range->in_future, 0);
    assert_true(range->oldest <= 16);
    TestPeer_Free(&peer);
    TestNet_Free(&range->net);
    return refused;
}

static void test_a_lie_meets_what_was_sent(void **state) {
    (void)state;
    assert_int_equal(run("tells the truth", TELLS_TRUTH), 0);
    assert_true(range->off_path < 0.1f);
    free(range);
    assert_true(run("lies, acknowledges all", ACKS_ALL) > SHOTS / 4);
    assert_true(range->off_path < 0.1f);
    free(range);
    assert_true(run("lies, acknowledges none", ACKS_NONE) > SHOTS / 4);
    assert_true(range->off_path < 0.1f);
    free(range);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_lie_meets_what_was_sent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
