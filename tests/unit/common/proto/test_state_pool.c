// Tests of rings that share a pool of states.

#include "lib/testing.h"

#include "lib/states_fixture.h"
#include "proto/player_codec.h"
#include "proto/ring_local.h"
#include "proto/snapshot_codec.h"

#include <malloc.h>
#include <string.h>

#define RATE_MHZ 62500
#define LINKS    6
#define ENTITIES 50

typedef struct {
    snapshot_ring_t *server, *client;
    int64_t acks[4]; // not yet received by the server
    snapshot_stats_t stats;
    bool lost_base;
} link_t;

typedef struct {
    rng_t rng;
    state_pool_t *pool;
    link_t links[LINKS];
    entity_state_t states[ENTITIES]; // shared
    uint32_t versions[ENTITIES];
    entity_state_t infos[2];
    bool has_versions;
    int64_t tick;
    uint64_t sum; // of the bytes sent
} scene_t;

static scene_t *begin(int32_t states) {
    scene_t *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->rng.state = 9;
    scene->pool = StatePool_Create(states);
    assert_non_null(scene->pool);
    for (int32_t i = 0; i < LINKS; i++) {
        scene->links[i].server = SnapshotRing_Create(SNAPSHOT_BACKUP, scene->pool);
        scene->links[i].client = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL);
        assert_true(scene->links[i].server && scene->links[i].client);
        SnapshotRing_Reset(scene->links[i].server, 1, RATE_MHZ, TestStates_Schema());
        SnapshotRing_Reset(scene->links[i].client, 1, RATE_MHZ, TestStates_Schema());
    }
    for (int32_t i = 0; i < ENTITIES; i++) {
        scene->states[i] = TestStates_Entity(&scene->rng, 1 + 3 * i);
    }
    return scene;
}

static void end(scene_t *scene) {
    for (int32_t i = 0; i < LINKS; i++) {
        SnapshotRing_Destroy(scene->links[i].server);
        SnapshotRing_Destroy(scene->links[i].client);
    }
    StatePool_Destroy(scene->pool);
    free(scene);
}

// Returns how many states the records of all rings hold.
static int32_t count_held(const scene_t *scene) {
    int32_t count = 0;
    for (int32_t i = 0; i < scene->pool->num_touched; i++) {
        count += scene->pool->refs[i] > 0 ? 1 : 0;
    }
    return count;
}

static void advance(scene_t *scene) {
    scene->tick++;
    for (int32_t i = 0; i < ENTITIES; i++) {
        const entity_state_t before = scene->states[i];
        scene->states[i] = TestStates_NextEntity(&scene->rng, &before);
        if (!Entity_Equal(&before, &scene->states[i]) || scene->tick == 1) {
            scene->versions[i] = (uint32_t)scene->tick;
        }
    }
    for (int32_t i = 0; i < 2; i++) {
        scene->infos[i].number = i == 0 ? RECORD_CLIENT(7) : RECORD_WORLD;
        if (Rng_Below(&scene->rng, 5) == 0) {
            TestStates_Fields(&scene->rng, &scene->infos[i]);
        }
    }
}

// Checks that both ends show the same entities, and the newest if nothing was deferred.
static void assert_same(const scene_t *scene, const link_t *link, const entity_state_t *own) {
    const entity_state_t *a[MAX_SNAPSHOT_ENTS], *b[MAX_SNAPSHOT_ENTS];
    entity_state_t moved[2][MAX_SNAPSHOT_ENTS];
    int32_t count = SnapshotRing_Entities(link->server, scene->tick, a, moved[0]);
    assert_int_equal(SnapshotRing_Entities(link->client, scene->tick, b, moved[1]), count);
    for (int32_t i = 0; i < count; i++) {
        assert_memory_equal(a[i], b[i], sizeof *a[i]);
    }
    for (int32_t i = 0; i < 2; i++) {
        const int32_t number = scene->infos[i].number;
        const entity_state_t *got = SnapshotRing_Record(link->client, scene->tick, number, NULL);
        const entity_state_t *sent = SnapshotRing_Record(link->server, scene->tick, number, NULL);
        assert_true(!got == !sent && (!got || Entity_Equal(got, sent)));
    }
    for (int32_t i = 0; i < ENTITIES && link->stats.num_deferred == 0; i++) {
        const int32_t number = scene->states[i].number;
        entity_state_t shown;
        const entity_state_t *got = SnapshotRing_Record(link->client, scene->tick, number, &shown);
        assert_true(got && Entity_Equal(got, number == own->number ? own : &scene->states[i]));
    }
}

// Sends a tick to a client. It receives entity `own` of the list in another state than the others.
// `arrives`: the client reads it, and its acknowledgement comes some snapshots later.
static void send(scene_t *scene, int32_t n, bool arrives) {
    link_t *link = &scene->links[n];
    const entity_state_t *order[ENTITIES];
    const entity_state_t *const infos[] = {&scene->infos[0], &scene->infos[1]};
    const snapshot_t now = {.tick = scene->tick,
                            .cmd_tick = scene->tick - 1,
                            .cmd_ran_ms = 16,
                            .player = Player_Default()};
    uint8_t data[MAX_MESSAGE_BYTES];
    entity_state_t own = scene->states[n];
    own.effects ^= 1 << 30;
    for (int32_t i = 0; i < ENTITIES; i++) {
        order[i] = i == n ? &own : &scene->states[i];
    }
    link->lost_base = SnapshotRing_DropOld(link->server, scene->tick);
    const snapshot_parts_t parts = {.now = &now,
                                    .entities = order,
                                    .num_entities = ENTITIES,
                                    .shared = scene->states,
                                    .num_shared = ENTITIES,
                                    .versions = scene->has_versions ? scene->versions : NULL,
                                    .infos = infos,
                                    .num_infos = 2};
    msg_writer_t out = MSG_Writer(data, n % 2 ? sizeof data : SNAPSHOT_MIN_BYTES);
    Snapshot_Write(&out, link->server, &parts, &link->stats);
    size_t size = MSG_Finish(&out);
    for (size_t i = 0; i < size; i++) {
        scene->sum = scene->sum * 31 + data[i];
    }
    int64_t ack = 0;
    if (arrives) {
        msg_reader_t in = MSG_Reader(data, size);
        err_t err = {""};
        if (Snapshot_Read(&in, link->client, &err) != SNAPSHOT_OK) {
            fail_msg("client %d, tick %d: %s", n, (int)scene->tick, err.text);
        }
        assert_same(scene, link, &own);
        ack = scene->tick;
    }
    int64_t *arrived = &link->acks[scene->tick % (int64_t)COUNTOF(link->acks)];
    if (*arrived > 0) {
        SnapshotRing_Ack(link->server, *arrived);
    }
    *arrived = ack;
}

// Sends ticks to clients with different losses. Each end agrees to the bit, whatever the others
// hold. Returns a sum of the bytes.
static uint64_t play(bool has_versions) {
    scene_t *scene = begin(4096);
    scene->has_versions = has_versions;
    for (int32_t tick = 0; tick < 300; tick++) {
        advance(scene);
        for (int32_t n = 0; n < LINKS; n++) {
            if (n < 3 || (tick + n) % 3 == 0) { // some have fewer snapshots
                send(scene, n, Rng_Below(&scene->rng, 10) >= (uint32_t)n);
            }
        }
    }
    const uint64_t sum = scene->sum;
    end(scene);
    return sum;
}

// Tests that versions save work, not bytes.
static void test_clients_share_states(void **state) {
    (void)state;
    assert_int_equal(play(true), play(false));
}

// Tests that a change, also one from nothing, is coded once for all clients of a tick, and that
// clients agree if the pool lacks space for more codes.
static void test_a_change_is_coded_once(void **state) {
    (void)state;
    scene_t *scene = begin(4096);
    pool_tick_t *now = scene->pool->now;
    int32_t most = 0;
    for (int32_t tick = 0; tick < 100; tick++) {
        advance(scene);
        for (int32_t n = 1; n < LINKS; n += 2) { // those with long snapshots
            send(scene, n, true);
            now->code_bytes = tick % 3 == 2 ? POOL_CODE_BYTES : now->code_bytes;
        }
        assert_true(now->num_changes <= ENTITIES); // three clients
        most = Q_MaxI(most, now->num_changes);
    }
    assert_true(most > ENTITIES / 2);
    end(scene);
}

// Tests that clients hold the same states: many take little more than one.
static void test_a_state_is_stored_once(void **state) {
    (void)state;
    int32_t held[2];
    for (int32_t links = 1; links <= LINKS; links += LINKS - 1) {
        scene_t *scene = begin(4096);
        for (int32_t tick = 0; tick < 100; tick++) {
            advance(scene);
            for (int32_t n = 0; n < links; n += 2) {
                send(scene, n | 1, true); // those with long snapshots
            }
        }
        held[links > 1] = count_held(scene);
        for (int32_t n = 0; n < LINKS; n++) {
            SnapshotRing_Reset(scene->links[n].server, 2, RATE_MHZ, TestStates_Schema());
        }
        assert_int_equal(count_held(scene), 0);
        end(scene);
    }
    print_message("%d states of one client, %d of three\n", held[0], held[1]);
    assert_true(held[1] < held[0] + held[0] / 2);
}

// Sets a state of an entity at rest, or of one that moves.
static void set_state(scene_t *scene, int32_t i, bool moves) {
    const entity_state_t *before = &scene->states[i];
    scene->states[i] = (entity_state_t){
        .number = 1 + i, .origin = {before->origin[0] + moves}, .velocity = {moves ? 320 : 0}};
    scene->versions[i] = (uint32_t)scene->tick;
}

// Sends a tick to the clients with long snapshots. Client n joins in tick 5 n.
static void send_to_joined(scene_t *scene) {
    for (int32_t n = 1; n < LINKS; n += 2) {
        if (scene->tick > 5 * n) {
            send(scene, n, true);
        }
    }
}

// Tests that clients that received entities at rest in different ticks soon hold the same states,
// and that both ends agree when some begin to move, however short the rest was.
static void test_a_state_at_rest_is_stored_once(void **state) {
    (void)state;
    scene_t *scene = begin(4096);
    scene->has_versions = true;
    advance(scene);
    for (int32_t i = 0; i < ENTITIES; i++) {
        set_state(scene, i, false);
    }
    for (; scene->tick < 30; scene->tick++) {
        send_to_joined(scene);
    }
    const int32_t early = count_held(scene);
    for (; scene->tick < 80; scene->tick++) {
        send_to_joined(scene);
    }
    print_message("%d states of three new clients, later %d\n", early, count_held(scene));
    assert_true(early > 2 * ENTITIES);
    assert_in_range(count_held(scene), ENTITIES, ENTITIES + 20); // with own states and info records
    for (; scene->tick < 2000; scene->tick++) {
        for (int32_t i = 0; i < ENTITIES; i++) {
            if (Rng_Below(&scene->rng, 20) == 0) {
                set_state(scene, i, Rng_Below(&scene->rng, 2) == 0);
            }
        }
        for (int32_t n = 1; n < LINKS; n += 2) { // they receive changes in different ticks
            if (Rng_Below(&scene->rng, 3) == 0) {
                send(scene, n, Rng_Below(&scene->rng, 10) > 0);
            }
        }
    }
    end(scene);
}

// Tests a pool that a client without acknowledgements fills: all go on.
static void test_a_full_pool(void **state) {
    (void)state;
    scene_t *scene = begin(5 * ENTITIES);
    int32_t fullest = 0;
    for (int32_t tick = 0; tick < 200; tick++) {
        advance(scene);
        for (int32_t n = 0; n < LINKS; n++) {
            send(scene, n, true);
            memset(scene->links[1].acks, 0, sizeof scene->links[1].acks);
        }
        fullest = Q_MaxI(fullest, count_held(scene));
    }
    assert_int_equal(SnapshotRing_Base(scene->links[1].server), 0);
    assert_true(fullest > 4 * ENTITIES);
    end(scene);
}

// Tests that a client that acknowledges nothing more keeps its baseline for at least a second, and
// longer in a pool that is nearly empty.
static void test_old_snapshots_are_dropped(void **state) {
    (void)state;
    for (int32_t states = 512; states <= 1 << 16; states <<= 7) {
        scene_t *scene = begin(states);
        int64_t lost_tick = 0;
        int32_t most = 0;
        while (lost_tick == 0 && scene->tick < 600) {
            advance(scene);
            send(scene, 1, scene->tick < 5);
            most = Q_MaxI(most, scene->pool->num_used);
            assert_int_equal(count_held(scene), scene->pool->num_used);
            assert_int_equal(scene->links[1].stats.num_unstored, 0);
            lost_tick = scene->links[1].lost_base ? scene->tick : 0;
        }
        print_message("%d of %d states: lost after %d ticks\n", most, states, (int)lost_tick);
        assert_in_range(lost_tick, states == 512 ? 63 : 400, states == 512 ? 100 : 505);
        assert_int_equal(scene->links[1].stats.base_tick, 0);
        end(scene);
    }
}

// Tests that the records of a client without acknowledgements take few pages, although its ring is
// full.
static void test_a_silent_client_takes_few_pages(void **state) {
    (void)state;
    scene_t *scene = begin(2 * SNAPSHOT_BACKUP * ENTITIES);
    const snapshot_ring_t *ring = scene->links[5].server;
    uintptr_t seen[2 * SNAPSHOT_BACKUP];
    int32_t count = 0;
    for (int32_t tick = 0; tick < 2 * SNAPSHOT_BACKUP; tick++) {
        advance(scene);
        send(scene, 5, false);
    }
    assert_int_equal(ring->end, SNAPSHOT_BACKUP);
    for (int32_t n = 0; n < ring->end * (ENTITIES + 2); n++) {
        const int32_t slot = n / (ENTITIES + 2), i = n % (ENTITIES + 2);
        const ring_record_t *record =
            i < ENTITIES ? Ring_Record(ring, slot, i) : Ring_Info(ring, slot, i - ENTITIES);
        const uintptr_t page = (uintptr_t)record / 4096;
        int32_t at = 0;
        while (at < count && seen[at] != page) {
            at++;
        }
        assert_in_range(at, 0, COUNTOF(seen) - 1);
        seen[at] = page;
        count += at == count ? 1 : 0;
    }
    assert_in_range(count, 1, 60); // a page for each snapshot's entities would be 128
    for (int32_t n = 1; n < MAX_SNAPSHOT_RECORDS; n++) { // most clients need only the first slots
        assert_ptr_equal(Ring_Record(ring, 0, n), Ring_Record(ring, 0, n - 1) + 1);
    }
    SnapshotRing_Reset(scene->links[5].server, 2, RATE_MHZ, TestStates_Schema());
    assert_int_equal(count_held(scene), 0); // no slot has overwritten another one
    end(scene);
}

// Tests that a state at rest is not compared again while its version stays.
static void test_versions(void **state) {
    (void)state;
    scene_t *scene = begin(4096);
    link_t *link = &scene->links[5]; // its packets have room for all
    scene->has_versions = true;
    advance(scene);
    for (int32_t i = 0; i < ENTITIES; i++) {
        scene->states[i] = (entity_state_t){.number = 1 + i, .velocity = {i % 2 * 100}};
        scene->versions[i] = 7;
    }
    for (; scene->tick < 12; scene->tick++) {
        send(scene, 5, true); // those with a velocity stand still: clients expect them elsewhere
        assert_int_equal(link->stats.num_deferred, 0);
    }
    const int32_t moving = link->stats.num_written;
    assert_int_equal(moving, ENTITIES / 2);
    scene->states[20].effects = 1;
    send(scene, 5, false);
    assert_int_equal(link->stats.num_written, moving); // not compared
    scene->tick++;
    scene->versions[20] = 8;
    send(scene, 5, true);
    assert_int_equal(link->stats.num_written, moving + 1);
    end(scene);
}

int main(void) {
    (void)mallopt(M_PERTURB, 0xa5); // new blocks are not zero
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clients_share_states),
        cmocka_unit_test(test_a_change_is_coded_once),
        cmocka_unit_test(test_a_state_is_stored_once),
        cmocka_unit_test(test_a_state_at_rest_is_stored_once),
        cmocka_unit_test(test_a_full_pool),
        cmocka_unit_test(test_old_snapshots_are_dropped),
        cmocka_unit_test(test_a_silent_client_takes_few_pages),
        cmocka_unit_test(test_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
