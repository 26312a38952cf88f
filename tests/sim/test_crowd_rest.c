// Tests that entities at rest take no turns from a crowd that moves beside them, and that clients
// still receive their changes.

#include "lib/mass_fixture.h"
#include "lib/testing.h"

#include "world/block.h"

#define EVERY       4 // ticks between two snapshots of a client
#define CLIENTS     200
#define MAX_RESTING 1600
#define RUN_TICKS   1000
#define JUDGE_TICKS 400

// Measured in the last ticks of a run.
typedef struct {
    int32_t snapshots, bytes; // of a snapshot
    int32_t wait_ms;
} result_t;

static void spawn_resting(mass_t *mass, edict_t *edicts[MAX_RESTING], int32_t count) {
    server_t *server = mass->server;
    sv_context_t sv = SV_Context(server->world, server->map, &server->game, server->events);
    for (int32_t i = 0; i < count; i++) {
        edict_t *edict = edicts[i] = sv.engine->spawn(&sv);
        assert_non_null(edict);
        edict->origin = (vec3_t){(float)(i % 50) * 60 - 1500, (float)(i / 50) * 60 - 1000, 100};
        edict->type = ENTITY_PROJECTILE;
        sv.engine->link(&sv, edict, false);
    }
}

static result_t judge(mass_t *mass, int32_t ticks) {
    result_t result = {0};
    for (int32_t i = 0; i < mass->num_clients; i++) {
        mass->clients[i].snapshots = mass->clients[i].bytes = 0;
        mass->server->priorities[i].longest_wait_ms = 0;
    }
    TestMass_Run(mass, ticks);
    for (int32_t i = 0; i < mass->num_clients; i++) {
        result.snapshots += mass->clients[i].snapshots;
        result.bytes += mass->clients[i].bytes / mass->clients[i].snapshots;
        result.wait_ms = Q_MaxI(result.wait_ms, mass->server->priorities[i].longest_wait_ms);
    }
    result.bytes /= mass->num_clients;
    print_message("%d snapshots of %d bytes, longest wait %d ms\n", result.snapshots, result.bytes,
                  result.wait_ms);
    return result;
}

static result_t run(int32_t num_resting) {
    mass_t *mass = TestMass_Create(CLIENTS, EVERY);
    edict_t *edicts[MAX_RESTING];
    spawn_resting(mass, edicts, num_resting);
    TestMass_Join(mass);
    TestMass_Run(mass, RUN_TICKS - JUDGE_TICKS);
    const result_t result = judge(mass, JUDGE_TICKS);
    TestMass_Free(mass);
    return result;
}

// Tests that all clients soon have the changes of entities that have long been at rest.
static void test_changes_arrive(void **state) {
    (void)state;
    mass_t *mass = TestMass_Create(CLIENTS, EVERY);
    edict_t *edicts[MAX_RESTING];
    spawn_resting(mass, edicts, MAX_RESTING);
    TestMass_Join(mass);
    TestMass_Run(mass, RUN_TICKS - JUDGE_TICKS);
    for (int32_t i = 0; i < MAX_RESTING; i += 7) {
        edicts[i]->effects = 5;
        World_MarkWritten(mass->server->world, edicts[i]);
    }
    TestMass_Run(mass, 48); // 0.8 s
    for (int32_t n = 0; n < CLIENTS; n++) {
        const snapshot_ring_t *ring = mass->server->sessions[n].ring;
        for (int32_t i = 0; i < MAX_RESTING; i++) {
            const int32_t number = World_EdictNumber(mass->server->world, edicts[i]);
            const entity_state_t *got =
                SnapshotRing_Record(ring, SnapshotRing_Base(ring), number, NULL);
            assert_non_null(got);
            assert_int_equal(got->effects, i % 7 == 0 ? 5 : 0);
        }
    }
    TestMass_Free(mass);
}

static void test_rest_costs_no_turns(void **state) {
    (void)state;
    const result_t alone = run(0);
    const result_t beside = run(MAX_RESTING);
    assert_int_equal(beside.snapshots, alone.snapshots);
    assert_in_range(alone.wait_ms, EVERY * 16, 1000);
    assert_in_range(beside.wait_ms, EVERY * 16, alone.wait_ms + alone.wait_ms / 4);
    assert_in_range(beside.bytes, alone.bytes * 9 / 10, MAX_PACKET_BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_costs_no_turns),
        cmocka_unit_test(test_changes_arrive),
    };
    // Sanitizers see the same calls in the second one, which takes a third of the time.
    const struct CMUnitTest slow[] = {cmocka_unit_test(test_changes_arrive)};
    return Test_IsSlow() ? cmocka_run_group_tests(slow, NULL, NULL)
                         : cmocka_run_group_tests(tests, NULL, NULL);
}
