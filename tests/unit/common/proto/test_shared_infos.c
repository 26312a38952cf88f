// Tests of info records that all clients of a server receive alike, but for some of their own.

#include "lib/testing.h"

#include "lib/states_fixture.h"
#include "proto/entity_fields.h"
#include "proto/player_codec.h"
#include "proto/snapshot_codec.h"

#include <string.h>

#define RATE_MHZ 62500
#define LINKS    4
#define INFOS    200
#define ALONE    300 // a record that only its own test has
#define SMALL    6   // snapshots of a client's ring that drops its baseline for a new one

typedef struct {
    snapshot_ring_t *server, *client;
    int64_t acks[4]; // not yet received by the server
    bool is_listed;  // receives a list of its own, as delayed spectators do
} link_t;

typedef struct {
    rng_t rng;
    state_pool_t *pool;
    link_t links[LINKS];
    entity_state_t states[MAX_SNAPSHOT_INFOS];
    shared_infos_t shared;
    entity_state_t own[2];
    int64_t tick;
    int32_t up_to_date; // snapshots that had all
} scene_t;

static scene_t *scene;

static int set_up(void **state) {
    (void)state;
    scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->rng.state = 77;
    scene->pool = StatePool_Create(LINKS * RING_STATES);
    assert_non_null(scene->pool);
    for (int32_t i = 0; i < LINKS; i++) {
        scene->links[i].server = SnapshotRing_Create(SNAPSHOT_BACKUP, scene->pool);
        scene->links[i].client = SnapshotRing_Create(i == 2 ? SMALL : SNAPSHOT_BACKUP, NULL);
        assert_true(scene->links[i].server && scene->links[i].client);
        SnapshotRing_Reset(scene->links[i].server, 1, RATE_MHZ, TestStates_Schema());
        SnapshotRing_Reset(scene->links[i].client, 1, RATE_MHZ, TestStates_Schema());
    }
    for (int32_t i = 0; i < MAX_SNAPSHOT_INFOS; i++) {
        scene->shared.recent[i] = (uint16_t)i;
        scene->states[i].number = MAX_EDICTS + i;
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (int32_t i = 0; i < LINKS; i++) {
        SnapshotRing_Destroy(scene->links[i].server);
        SnapshotRing_Destroy(scene->links[i].client);
    }
    StatePool_Destroy(scene->pool);
    free(scene);
    return 0;
}

// Changes a record, or removes it.
static void change(int32_t index) {
    shared_infos_t *shared = &scene->shared;
    int32_t at = 0;
    entity_state_t *state = &scene->states[index];
    if (shared->list[index] && Rng_Below(&scene->rng, 4) == 0) {
        *state = (entity_state_t){.number = state->number};
        shared->list[index] = Rng_Below(&scene->rng, 2) ? state : NULL;
    } else {
        TestStates_Fields(&scene->rng, state);
        shared->list[index] = state;
    }
    shared->ticks[index] = scene->tick;
    while (shared->recent[at] != index) {
        at++;
    }
    memmove(&shared->recent[1], &shared->recent[0], (size_t)at * sizeof shared->recent[0]);
    shared->recent[0] = (uint16_t)index;
}

// Returns what a client is to receive of a record, or NULL.
static const entity_state_t *wanted(const snapshot_parts_t *parts, int32_t number) {
    const entity_state_t *state =
        parts->shared_infos ? parts->shared_infos->list[number - MAX_EDICTS] : NULL;
    for (int32_t i = 0; i < parts->num_infos; i++) {
        state = parts->infos[i]->number == number ? parts->infos[i] : state;
    }
    return state && state->field_mask != 0 ? state : NULL;
}

static void check(const link_t *link, const snapshot_parts_t *parts,
                  const snapshot_stats_t *stats) {
    for (int32_t number = MAX_EDICTS; number <= RECORD_WORLD; number++) {
        const entity_state_t *sent = SnapshotRing_Record(link->server, scene->tick, number, NULL);
        const entity_state_t *got = SnapshotRing_Record(link->client, scene->tick, number, NULL);
        const entity_state_t *want = wanted(parts, number);
        assert_true(!sent == !got && (!got || Entity_Equal(sent, got)));
        if (stats->num_deferred == 0) {
            assert_true(!want == !got && (!got || Entity_Equal(want, got)));
        }
    }
    scene->up_to_date += stats->num_deferred == 0 ? 1 : 0;
}

// Sends a tick to a client. Returns how many records it had.
static int32_t send(link_t *link, bool arrives) {
    const snapshot_t now = {.tick = scene->tick,
                            .cmd_tick = scene->tick - 1,
                            .cmd_ran_ms = 16,
                            .player = Player_Default()};
    const entity_state_t *list[INFOS];
    uint8_t data[MAX_PACKET_BYTES];
    snapshot_stats_t stats;
    snapshot_parts_t parts = {.now = &now, .infos = list, .shared_infos = &scene->shared};
    for (int32_t i = 0; i < 2; i++) {
        if (scene->own[i].number != 0) {
            list[parts.num_infos++] = &scene->own[i];
        }
    }
    if (link->is_listed) {
        parts.shared_infos = NULL;
        parts.num_infos = 0;
        for (int32_t i = 1; i < INFOS; i += 2) {
            list[parts.num_infos++] = &scene->states[i];
        }
    }
    msg_writer_t out = MSG_Writer(data, sizeof data);
    Snapshot_Write(&out, link->server, &parts, &stats);
    msg_reader_t in = MSG_Reader(data, MSG_Finish(&out));
    int64_t *ack = &link->acks[scene->tick % (int64_t)COUNTOF(link->acks)];
    int64_t arrived = *ack;
    *ack = 0;
    if (arrives) {
        assert_int_equal(Snapshot_Read(&in, link->client, NULL), SNAPSHOT_OK);
        check(link, &parts, &stats);
        *ack = scene->tick;
    }
    if (arrived > 0) {
        SnapshotRing_Ack(link->server, arrived);
    }
    return stats.num_written;
}

// Tests that each client has what is meant for it, whatever got lost: records that change and go,
// records of its own that come and go, and lists instead of the shared records.
static void test_records_of_all_and_own(void **state) {
    (void)state;
    for (scene->tick = 1; scene->tick <= (Test_IsSlow() ? 200 : 600); scene->tick++) {
        for (int32_t i = 0; i < 3; i++) {
            change((int32_t)Rng_Below(&scene->rng, INFOS));
        }
        if (scene->tick % 100 == 50) {
            change(RECORD_WORLD - MAX_EDICTS);
        }
        for (int32_t i = 0; i < LINKS; i++) {
            for (int32_t k = 0; k < 2; k++) {
                scene->own[k] = (entity_state_t){0};
                if (Rng_Below(&scene->rng, 3) > 0) {
                    scene->own[k] = scene->states[10 * i + k];
                    TestStates_Fields(&scene->rng, &scene->own[k]);
                }
            }
            scene->links[i].is_listed = i == 3 && scene->tick / 40 % 2 == 1;
            if (scene->tick % (1 + i) == 0) {
                (void)send(&scene->links[i], Rng_Below(&scene->rng, 10) >= (uint32_t)i);
            }
        }
    }
    print_message("%d snapshots had all records\n", scene->up_to_date);
    assert_true(scene->up_to_date > 100);
}

// Tests that nothing is sent when nothing changes, also after the client lost its baseline.
static void test_nothing_changes(void **state) {
    (void)state;
    link_t *link = &scene->links[0];
    for (int32_t i = 0; i < 30; i++) {
        change(i);
    }
    for (scene->tick = 1; scene->tick < 40; scene->tick++) {
        int32_t sent = send(link, true);
        assert_true(scene->tick < 16 || sent == 0); // all records had their turn
    }
    SnapshotRing_Ack(link->server, 0);
    int32_t again = 0;
    for (int32_t i = 0; i < 8; i++, scene->tick++) {
        again += send(link, true);
    }
    assert_true(again >= 30);
}

// Tests that a client receives a record of all once it has no empty one of its own instead. No
// other record shares its word of marks.
static void test_an_empty_own_record(void **state) {
    (void)state;
    link_t *link = &scene->links[0];
    const int32_t number = MAX_EDICTS + ALONE;
    scene->tick = 1;
    do {
        change(ALONE);
    } while (scene->states[ALONE].field_mask == 0);
    for (; scene->tick < 20; scene->tick++) {
        const bool has_own = scene->tick < 10;
        scene->own[0] = (entity_state_t){.number = has_own ? number : 0};
        (void)send(link, true);
        assert_true(has_own == !SnapshotRing_Record(link->client, scene->tick, number, NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_records_of_all_and_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_changes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_an_empty_own_record, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
