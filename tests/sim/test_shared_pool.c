// Tests that clients do not harm each other through what they share: the pool of states, and the
// round of crowds. Some acknowledge nothing new, some are slow, and many have entities at rest.

#include "lib/mass_fixture.h"
#include "lib/testing.h"

#include "proto/pool_local.h"
#include "world/block.h"

#define EVERY       8 // ticks between two snapshots of a client
#define STATES      (1 << 15)
#define CLIENTS     256
#define HONEST      64
#define RUN_TICKS   (Test_IsSlow() ? 500 : 1000)
#define JUDGE_TICKS 250

// Measured of the honest clients in the last ticks of a run, and of the pool in all of them.
typedef struct {
    int32_t snapshots, bytes; // of a snapshot
    int32_t wait_ms, base_ticks;
    int32_t used; // percent, at most
} result_t;

// ---- clients ----

static int64_t acks_nothing(mass_t *mass, int32_t client) {
    (void)mass, (void)client;
    return 0;
}

// Acknowledges all snapshots for a while of its own, then a tick before, which the server ignores:
// the same one again would count as a loss, and lower the rate.
static int64_t acks_no_more(mass_t *mass, int32_t client) {
    mass_client_t *c = &mass->clients[client];
    if (mass->server->world->tick < 60 + 3 * client) {
        c->named = c->newest;
        return c->newest;
    }
    return c->named > 0 ? c->named - 1 : 0;
}

// Acknowledges each snapshot just before its slot is needed.
static int64_t acks_late(mass_t *mass, int32_t client) {
    return TestMass_Sent(mass, client, SNAPSHOT_BACKUP - 8);
}

// ---- runs ----

static mass_t *create(int32_t clients, int32_t states) {
    mass_t *mass = TestMass_Create(clients, EVERY);
    StatePool_Destroy(mass->server->pool);
    mass->server->pool = StatePool_Create(states);
    assert_non_null(mass->server->pool);
    return mass;
}

// Runs ticks, the last JUDGE_TICKS of them with an eye on the first clients.
static result_t run(mass_t *mass, int32_t ticks, int32_t judged) {
    const state_pool_t *pool = mass->server->pool;
    result_t result = {0};
    for (int32_t tick = 0; tick < ticks; tick++) {
        for (int32_t i = 0; i < mass->num_clients && tick == ticks - JUDGE_TICKS; i++) {
            mass->clients[i].snapshots = mass->clients[i].bytes = 0;
            mass->server->priorities[i].longest_wait_ms = 0;
        }
        TestMass_Run(mass, 1);
        const int32_t used = (int32_t)(pool->num_used * INT64_C(100) / pool->num_states);
        result.used = Q_MaxI(result.used, used);
    }
    for (int32_t i = 0; i < judged; i++) {
        const int64_t base = SnapshotRing_Base(mass->server->sessions[i].ring);
        result.snapshots += mass->clients[i].snapshots;
        result.bytes += mass->clients[i].bytes;
        result.wait_ms = Q_MaxI(result.wait_ms, mass->server->priorities[i].longest_wait_ms);
        result.base_ticks = Q_MaxI(result.base_ticks, (int32_t)(mass->server->world->tick - base));
    }
    result.bytes /= Q_MaxI(result.snapshots, 1);
    return result;
}

static void print(const char *what, result_t result) {
    print_message("%-13s %d snapshots of %d bytes, longest wait %d ms, oldest baseline %d ticks; "
                  "pool at most %d %% full\n",
                  what, result.snapshots, result.bytes, result.wait_ms, result.base_ticks,
                  result.used);
}

static result_t run_with(const char *what, int64_t (*acks)(mass_t *mass, int32_t client)) {
    mass_t *mass = create(CLIENTS, STATES);
    for (int32_t i = HONEST; i < CLIENTS; i++) {
        mass->clients[i].acks = acks;
    }
    TestMass_Join(mass);
    const result_t result = run(mass, RUN_TICKS, HONEST);
    print(what, result);
    assert_int_equal(mass->num_dropped, 0);
    assert_int_equal(mass->server->stats.states_unstored, 0);
    TestMass_Free(mass);
    return result;
}

// Tests that three of four clients cannot slow down the others, whatever they acknowledge.
static void test_silent_clients(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int64_t (*acks)(mass_t *mass, int32_t client);
    } rows[] = {{"nothing", acks_nothing}, {"no more", acks_no_more}, {"late", acks_late}};
    const result_t honest = run_with("all", NULL);
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        const result_t got = run_with(rows[i].what, rows[i].acks);
        assert_int_equal(got.snapshots, honest.snapshots);
        assert_true(got.base_ticks <= honest.base_ticks);
        assert_in_range(got.wait_ms, 0, honest.wait_ms + honest.wait_ms / 4);
        assert_in_range(got.used, 0, 95);
    }
}

// Tests that clients who join one after the other do not fill the pool with entities at rest.
static void test_many_at_rest(void **state) {
    (void)state;
    enum { AT_REST = 500, FEW = 64 };
    mass_t *mass = create(FEW, FEW * AT_REST / 2);
    server_t *server = mass->server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    for (int32_t i = 0; i < AT_REST; i++) {
        edict_t *edict = sv.engine->spawn(&sv);
        assert_non_null(edict);
        edict->origin = (vec3_t){(float)(i % 50) * 60 - 1500, (float)(i / 50) * 60 - 1500, 100};
        edict->type = ENTITY_PROJECTILE;
        sv.engine->link(&sv, edict, false);
    }
    for (int32_t i = 0; i < FEW; i++) {
        TestMass_JoinSome(mass, i, i + 1);
        TestMass_Run(mass, 7);
    }
    const result_t result = run(mass, RUN_TICKS / 2, FEW);
    print("at rest", result);
    assert_int_equal(server->stats.states_unstored, 0);
    assert_in_range(server->pool->num_used, AT_REST, 4 * AT_REST);
    assert_true(result.base_ticks <= 2 * EVERY);
    TestMass_Free(mass);
}

// Tests that clients with the minimum rate and much loss do not slow down the round of the others.
static void test_slow_clients(void **state) {
    (void)state;
    int32_t wait_ms[2];
    for (int32_t is_slow = 0; is_slow < 2; is_slow++) {
        mass_t *mass = create(CLIENTS, STATES);
        mass->server->config.rates = (rate_bounds_t){2000, RATE_MAX};
        for (int32_t i = HONEST; i < CLIENTS && is_slow; i++) {
            mass->clients[i].rate = "1"; // as low as the server allows
            mass->clients[i].loss = 0.3f;
            mass->clients[i].delay_ticks = 20;
        }
        TestMass_Join(mass);
        const result_t result = run(mass, RUN_TICKS, HONEST);
        print(is_slow ? "beside slow" : "alone", result);
        assert_true(!is_slow || mass->clients[HONEST].snapshots < result.snapshots / HONEST);
        wait_ms[is_slow] = result.wait_ms;
        TestMass_Free(mass);
    }
    assert_in_range(wait_ms[0], 1, 600);
    assert_in_range(wait_ms[1], 1, wait_ms[0] + wait_ms[0] / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silent_clients),
        cmocka_unit_test(test_slow_clients),
        cmocka_unit_test(test_many_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
