// Tests the rings of several connections against a plain model: a copy of every stored snapshot,
// and a count of all holds on states. Snapshots get lost; acknowledgements are late, out of order
// or lost, for long times too.

#include "lib/testing.h"

#include "lib/states_fixture.h"
#include "proto/entity_fields.h"
#include "proto/player_codec.h"
#include "proto/ring_local.h"
#include "proto/snapshot_codec.h"

#include <string.h>

#define EPOCH     9
#define RATE_MHZ  62500
#define LINKS     3
#define COUNT     200 // entities
#define WORDS     (COUNT / 64 + 1)
#define INFOS     20
#define MAX_DELAY 40 // of an acknowledgement, ticks
#define CHECK_ALL 29 // ticks from one check of all slots to the next

enum { SERVER, CLIENT, ENDS };

typedef struct {
    int32_t states;      // of the shared pool, 0 = each ring has its own
    int32_t slots[ENDS]; // snapshots of each ring
    int32_t ticks;
} setting_t;

// A snapshot as its client shows it: entities, then info records.
typedef struct {
    int64_t tick;
    int32_t num_entities, num_records;
    entity_state_t *list;
} copy_t;

typedef struct {
    int64_t tick, arrives;
} ack_t;

typedef struct {
    snapshot_ring_t *rings[ENDS];
    copy_t copies[ENDS][SNAPSHOT_BACKUP]; // by slot
    uint64_t visible[WORDS];
    ack_t acks[MAX_DELAY + 1]; // not yet received by the server
    int32_t num_acks;
    int64_t silent_until;
} link_t;

// A snapshot in work.
typedef struct {
    uint64_t held[WORDS], current[WORDS], kept[WORDS];
    const entity_state_t *entities[COUNT], *infos[INFOS];
    uint16_t order[COUNT];
    uint8_t fates[COUNT];
    snapshot_stats_t stats;
    uint8_t data[MAX_PACKET_BYTES];
    size_t size;
} packet_t;

typedef struct {
    int32_t read, no_base, lost_base, current, unstored;
} totals_t;

typedef struct {
    uint64_t seed;
    rng_t rng;
    const setting_t *setting;
    state_pool_t *pool; // NULL = each ring has its own
    link_t links[LINKS];
    int32_t at; // link in work
    int64_t tick;
    entity_state_t world[COUNT + 1]; // by number
    uint32_t versions[COUNT + 1];
    entity_state_t info_states[INFOS];
    shared_infos_t infos;
    packet_t packet;
    const entity_state_t *list[MAX_SNAPSHOT_RECORDS];
    entity_state_t moved[MAX_SNAPSHOT_ENTS];
    totals_t totals;
} scene_t;

static bool one_in(scene_t *scene, uint32_t count) {
    return Rng_Below(&scene->rng, count) == 0;
}

static bool has(const uint64_t *bits, int32_t number) {
    return bits[number / 64] >> (number % 64) & 1;
}

static void flip(uint64_t *bits, int32_t number) {
    bits[number / 64] ^= UINT64_C(1) << (number % 64);
}

static void check(const scene_t *scene, bool holds, const char *fault) {
    if (!holds) {
        fail_msg("seed %d, tick %d, link %d: %s", (int)scene->seed, (int)scene->tick, scene->at,
                 fault);
    }
}

// ---- the world ----

static void change_entity(scene_t *scene, int32_t number, bool stops) {
    entity_state_t *state = &scene->world[number];
    const entity_state_t before = *state;
    if (one_in(scene, 50)) {
        *state = TestStates_Entity(&scene->rng, number);
    }
    if (state->motion == ENTITY_NO_MOTION) {
        state->origin[0] = TestStates_Int(&scene->rng, 0, 2000);
        state->velocity[1] = TestStates_Int(&scene->rng, -300, 300);
    }
    if (stops) {
        memset(state->velocity, 0, sizeof state->velocity);
    }
    if (!Entity_Equal(&before, state)) {
        scene->versions[number] = (uint32_t)scene->tick;
    }
}

// Changes an info record, and makes it the first of the recent ones.
static void change_info(scene_t *scene, int32_t index) {
    shared_infos_t *infos = &scene->infos;
    int32_t at = 0;
    TestStates_Fields(&scene->rng, &scene->info_states[index]);
    infos->list[index] = &scene->info_states[index];
    infos->ticks[index] = scene->tick;
    while (infos->recent[at] != index) {
        at++;
    }
    memmove(&infos->recent[1], &infos->recent[0], (size_t)at * sizeof infos->recent[0]);
    infos->recent[0] = (uint16_t)index;
}

// Changes the world. A third of the entities rests most of the time, the others rarely.
static void advance(scene_t *scene) {
    scene->tick++;
    for (int32_t number = 1; number <= COUNT; number++) {
        const bool is_calm = number % 3 == 0;
        const bool rests = is_calm && !Entity_IsMoving(&scene->world[number]);
        if (scene->tick == 1 || one_in(scene, rests ? 200 : 4)) {
            change_entity(scene, number, is_calm && one_in(scene, 2));
        }
    }
    for (int32_t i = 0; i < INFOS; i++) {
        if (one_in(scene, 50)) {
            change_info(scene, i);
        }
    }
}

static void begin(scene_t *scene, const setting_t *setting, uint64_t seed) {
    memset(scene, 0, sizeof *scene);
    scene->seed = seed;
    scene->rng.state = seed;
    scene->setting = setting;
    scene->pool = setting->states > 0 ? StatePool_Create(setting->states) : NULL;
    assert_true(scene->pool || setting->states == 0);
    for (int32_t n = 0; n < LINKS * ENDS; n++) {
        const int32_t end = n % ENDS;
        state_pool_t *pool = end == SERVER ? scene->pool : NULL;
        snapshot_ring_t *ring = SnapshotRing_Create(setting->slots[end], pool);
        assert_non_null(ring);
        SnapshotRing_Reset(ring, EPOCH, RATE_MHZ, TestStates_Schema());
        scene->links[n / ENDS].rings[end] = ring;
    }
    for (int32_t number = 1; number <= COUNT; number++) {
        scene->world[number].number = number;
    }
    for (int32_t i = 0; i < MAX_SNAPSHOT_INFOS; i++) {
        scene->infos.recent[i] = (uint16_t)i;
    }
    for (int32_t i = 0; i < INFOS; i++) {
        scene->info_states[i].number = MAX_EDICTS + i;
    }
}

static void end(scene_t *scene) {
    for (int32_t n = 0; n < LINKS * ENDS; n++) {
        link_t *link = &scene->links[n / ENDS];
        SnapshotRing_Destroy(link->rings[n % ENDS]);
        for (int32_t slot = 0; slot < SNAPSHOT_BACKUP; slot++) {
            free(link->copies[n % ENDS][slot].list);
        }
    }
    check(scene, !scene->pool || scene->pool->num_used == 0, "rings left states in the pool");
    StatePool_Destroy(scene->pool);
}

// ---- the model ----

// Lists all records of a snapshot. Returns their number.
static int32_t list_records(scene_t *scene, const snapshot_ring_t *ring, int64_t tick,
                            int32_t *num_entities) {
    int32_t count = SnapshotRing_Entities(ring, tick, scene->list, scene->moved);
    *num_entities = count;
    for (int32_t i = 0; i < INFOS; i++) {
        const entity_state_t *info = SnapshotRing_Record(ring, tick, MAX_EDICTS + i, NULL);
        if (info) {
            scene->list[count++] = info;
        }
    }
    return count;
}

// Stores a copy of the newest snapshot of a ring. Returns it.
static const copy_t *save_newest(scene_t *scene, int32_t end) {
    link_t *link = &scene->links[scene->at];
    const snapshot_ring_t *ring = link->rings[end];
    copy_t *copy = &link->copies[end][ring->newest];
    free(copy->list);
    copy->tick = scene->tick;
    copy->num_records = list_records(scene, ring, scene->tick, &copy->num_entities);
    copy->list = calloc((size_t)copy->num_records + 1, sizeof *copy->list);
    assert_non_null(copy->list);
    for (int32_t i = 0; i < copy->num_records; i++) {
        copy->list[i] = *scene->list[i];
    }
    return copy;
}

// Checks that the slots of a ring are as they were stored.
static void check_slots(scene_t *scene, int32_t end) {
    const link_t *link = &scene->links[scene->at];
    const snapshot_ring_t *ring = link->rings[end];
    for (int32_t slot = 0; slot < ring->num_slots; slot++) {
        const copy_t *copy = &link->copies[end][slot];
        if (ring->ticks[slot] == 0) {
            continue;
        }
        int32_t num_entities = 0;
        check(scene, ring->ticks[slot] == copy->tick, "a slot has the tick of another snapshot");
        const int32_t count = list_records(scene, ring, copy->tick, &num_entities);
        const bool has_infos = ring->slots[slot].has_infos;
        check(scene, num_entities == copy->num_entities, "a slot has other entities");
        check(scene, count == (has_infos ? copy->num_records : num_entities),
              "a slot has other info records");
        for (int32_t i = 0; i < count; i++) {
            check(scene, memcmp(scene->list[i], &copy->list[i], sizeof copy->list[i]) == 0,
                  "a record of a slot has changed");
        }
    }
}

static void count_hold(const scene_t *scene, const snapshot_ring_t *ring, ring_record_t record,
                       int32_t *holds) {
    if (record >= 0) {
        check(scene, record < ring->pool->num_touched, "a record has a state outside the pool");
        check(scene, ring->pool->states[record].state.number == Ring_Number(ring, record),
              "a state has another number beside it");
        holds[record]++;
    }
}

// Counts the holds of all records of a ring on states of its pool.
static void count_holds(const scene_t *scene, const snapshot_ring_t *ring, int32_t *holds) {
    int32_t pinned = ring->num_new;
    for (int32_t slot = 0; slot < ring->num_slots; slot++) {
        const ring_slot_t *s = &ring->slots[slot];
        check(scene, ring->ticks[slot] != 0 || s->count + s->num_infos + s->num_new == 0,
              "a free slot has records");
        pinned += s->num_new;
        for (int32_t n = 0; n < s->count; n++) {
            count_hold(scene, ring, *Ring_Record(ring, slot, n), holds);
        }
        for (int32_t n = 0; n < s->num_infos; n++) {
            count_hold(scene, ring, *Ring_Info(ring, slot, n), holds);
        }
    }
    for (int32_t i = 0; i < MAX_SNAPSHOT_INFOS; i++) {
        const ring_record_t record = Ring_RecordOf(ring->infos[i] - 1, MAX_EDICTS + i);
        check(scene, Ring_Number(ring, record) == MAX_EDICTS + i,
              "a record has the state of another number");
        count_hold(scene, ring, record, holds);
    }
    check(scene, pinned == ring->num_pinned, "a ring has another number of pinned states");
}

// Checks the references of a pool of these rings.
static void check_holds(const scene_t *scene, snapshot_ring_t *const *rings, int32_t num_rings) {
    const state_pool_t *pool = rings[0]->pool;
    int32_t *holds = calloc((size_t)pool->num_touched + 1, sizeof *holds);
    int32_t used = 0;
    assert_non_null(holds);
    for (int32_t i = 0; i < num_rings; i++) {
        count_holds(scene, rings[i], holds);
    }
    for (int32_t i = 0; i < pool->num_touched; i++) {
        check(scene, holds[i] == Q_MaxI(pool->refs[i], 0), "a state has another number of holds");
        used += holds[i] > 0 ? 1 : 0;
    }
    check(scene, used == pool->num_used, "a pool has another number of used states");
    free(holds);
}

static void check_all(scene_t *scene) {
    snapshot_ring_t *servers[LINKS];
    for (scene->at = 0; scene->at < LINKS; scene->at++) {
        const link_t *link = &scene->links[scene->at];
        check_slots(scene, SERVER);
        check_slots(scene, CLIENT);
        check_holds(scene, &link->rings[CLIENT], 1);
        servers[scene->at] = link->rings[SERVER];
        if (!scene->pool) {
            check_holds(scene, &servers[scene->at], 1);
        }
    }
    if (scene->pool) {
        check_holds(scene, servers, LINKS);
    }
}

// ---- snapshots ----

// Checks SnapshotRing_Held against the baseline and the world.
static void check_sets(scene_t *scene) {
    const snapshot_ring_t *ring = scene->links[scene->at].rings[SERVER];
    packet_t *packet = &scene->packet;
    SnapshotRing_Held(ring, scene->versions, packet->held, packet->current, WORDS);
    for (int32_t number = 1; number <= COUNT; number++) {
        const entity_state_t *base =
            SnapshotRing_Record(ring, SnapshotRing_Base(ring), number, NULL);
        check(scene, has(packet->held, number) == (base != NULL), "a wrong entity is held");
        if (has(packet->current, number)) {
            check(scene,
                  base && Entity_Equal(base, &scene->world[number]) && !Entity_IsMoving(base),
                  "a wrong entity is current");
            scene->totals.current++;
        }
    }
}

// Lists the visible entities, except some of the held ones, which the client keeps. Returns their
// number.
static int32_t list_entities(scene_t *scene) {
    link_t *link = &scene->links[scene->at];
    packet_t *packet = &scene->packet;
    int32_t count = 0;
    memset(packet->kept, 0, sizeof packet->kept);
    for (int32_t number = 1; number <= COUNT; number++) {
        if (one_in(scene, 80)) {
            flip(link->visible, number); // appears or vanishes
        }
        if (!has(link->visible, number)) {
            continue;
        }
        if (has(packet->held, number) && one_in(scene, has(packet->current, number) ? 2 : 3)) {
            flip(packet->kept, number);
        } else {
            packet->entities[count++] = &scene->world[number];
        }
    }
    const int32_t first = (int32_t)Rng_Below(&scene->rng, COUNT);
    for (int32_t i = 0; i < count; i++) {
        packet->order[i] = (uint16_t)((first + i) % count);
    }
    return count;
}

// Lists some info records, for rings without a shared pool. Returns their number.
static int32_t list_infos(scene_t *scene) {
    int32_t count = 0;
    for (int32_t i = 0; !scene->pool && i < INFOS; i++) {
        if (scene->infos.list[i] && !one_in(scene, 10)) {
            scene->packet.infos[count++] = scene->infos.list[i];
        }
    }
    return count;
}

// Checks the snapshot that was written. Its `count` entities were listed.
static void check_written(scene_t *scene, int32_t count) {
    const snapshot_ring_t *ring = scene->links[scene->at].rings[SERVER];
    const packet_t *packet = &scene->packet;
    const int64_t base_tick = packet->stats.base_tick;
    uint64_t listed[WORDS] = {0};
    for (int32_t i = 0; i < count; i++) {
        const entity_state_t *now = packet->entities[i];
        const entity_state_t *shown =
            SnapshotRing_Record(ring, scene->tick, now->number, scene->moved);
        flip(listed, now->number);
        if (packet->fates[i] == ITEM_SENT || packet->fates[i] == ITEM_SAME) {
            check(scene, shown && Entity_Equal(shown, now), "a client shows an old state");
        } else {
            check(scene, has(packet->held, now->number) == (shown != NULL), "a deferred one went");
        }
    }
    for (int32_t number = 1; number <= COUNT; number++) {
        const entity_state_t *after = SnapshotRing_Record(ring, scene->tick, number, NULL);
        const entity_state_t *before = SnapshotRing_Record(ring, base_tick, number, NULL);
        if (has(packet->kept, number)) {
            check(scene, after && after == before, "a kept entity changed");
        } else if (!has(listed, number)) {
            check(scene, !after || after == before, "an entity appeared that was not listed");
        }
    }
}

// Writes the snapshot of a tick. Returns a copy of what its client has then.
static const copy_t *write_snapshot(scene_t *scene) {
    link_t *link = &scene->links[scene->at];
    packet_t *packet = &scene->packet;
    const bool is_shared = scene->pool != NULL;
    const snapshot_t now = {.tick = scene->tick, .player = Player_Default()};
    const bool lost_base = SnapshotRing_DropOld(link->rings[SERVER], scene->tick);
    check_sets(scene);
    const int32_t count = list_entities(scene);
    const snapshot_parts_t parts = {.now = &now,
                                    .entities = packet->entities,
                                    .num_entities = count,
                                    .order = packet->order,
                                    .fates = packet->fates,
                                    .kept = packet->kept,
                                    .shared = is_shared ? scene->world : NULL,
                                    .num_shared = is_shared ? COUNT + 1 : 0,
                                    .versions = is_shared ? scene->versions : NULL,
                                    .infos = packet->infos,
                                    .num_infos = list_infos(scene),
                                    .shared_infos = is_shared ? &scene->infos : NULL,
                                    .is_crowded = one_in(scene, 4)};
    const int32_t size = TestStates_Int(&scene->rng, SNAPSHOT_MIN_BYTES, MAX_PACKET_BYTES);
    msg_writer_t out = MSG_Writer(packet->data, (size_t)size);
    Snapshot_Write(&out, link->rings[SERVER], &parts, &packet->stats);
    packet->size = MSG_Finish(&out);
    check_written(scene, count);
    const copy_t *copy = save_newest(scene, SERVER);
    check(scene, copy->num_entities == packet->stats.num_entities, "a wrong number of entities");
    scene->totals.lost_base += lost_base ? 1 : 0;
    scene->totals.unstored += packet->stats.num_unstored;
    return copy;
}

// Reads the snapshot that was written, and sometimes a part of it before. Returns the tick that the
// client acknowledges, 0 = it lacks the baseline.
static int64_t read_snapshot(scene_t *scene, const copy_t *sent) {
    snapshot_ring_t *ring = scene->links[scene->at].rings[CLIENT];
    const packet_t *packet = &scene->packet;
    err_t err = {""};
    if (one_in(scene, 50)) {
        msg_reader_t cut = MSG_Reader(packet->data, Rng_Below(&scene->rng, (uint32_t)packet->size));
        check(scene, Snapshot_Read(&cut, ring, &err) != SNAPSHOT_OK, "a part of a message is read");
    }
    msg_reader_t in = MSG_Reader(packet->data, packet->size);
    const snapshot_result_t result = Snapshot_Read(&in, ring, &err);
    if (result == SNAPSHOT_NO_BASE) {
        scene->totals.no_base++;
        return 0;
    }
    check(scene, result == SNAPSHOT_OK, err.text);
    const copy_t *got = save_newest(scene, CLIENT);
    check(scene,
          got->num_entities == sent->num_entities && got->num_records == sent->num_records &&
              memcmp(got->list, sent->list, (size_t)got->num_records * sizeof *got->list) == 0,
          "the client shows another snapshot");
    scene->totals.read++;
    return scene->tick;
}

static void receive_acks(scene_t *scene) {
    link_t *link = &scene->links[scene->at];
    int32_t left = 0;
    for (int32_t i = 0; i < link->num_acks; i++) {
        if (link->acks[i].arrives <= scene->tick) {
            SnapshotRing_Ack(link->rings[SERVER], link->acks[i].tick);
        } else {
            link->acks[left++] = link->acks[i];
        }
    }
    link->num_acks = left;
}

// Sends a snapshot, which may get lost, and an acknowledgement, which is late or gets lost.
static void send(scene_t *scene) {
    link_t *link = &scene->links[scene->at];
    receive_acks(scene);
    if (one_in(scene, 400)) { // begins anew, as after a change of the map
        SnapshotRing_Reset(link->rings[SERVER], EPOCH, RATE_MHZ, TestStates_Schema());
        SnapshotRing_Reset(link->rings[CLIENT], EPOCH, RATE_MHZ, TestStates_Schema());
        link->num_acks = 0;
    }
    const copy_t *sent = write_snapshot(scene);
    if (link->silent_until < scene->tick && one_in(scene, 300)) {
        link->silent_until = scene->tick + TestStates_Int(&scene->rng, 50, 800);
    }
    const bool is_silent = scene->tick <= link->silent_until;
    if (one_in(scene, is_silent ? 2 : 5)) {
        return;
    }
    const int64_t ack = read_snapshot(scene, sent);
    if (!is_silent && !one_in(scene, 4)) {
        const int64_t delay = Rng_Below(&scene->rng, MAX_DELAY);
        assert_true(link->num_acks < (int32_t)COUNTOF(link->acks));
        link->acks[link->num_acks++] = (ack_t){ack, scene->tick + delay};
    }
}

// Sends ticks to all clients, each of them most of the ticks. Returns what happened.
static totals_t play(const setting_t *setting) {
    static scene_t scene;
    totals_t sum = {0};
    for (uint64_t seed = 1; seed <= (Test_IsLong() ? 40 : Test_IsSlow() ? 3 : 6); seed++) {
        begin(&scene, setting, seed);
        while (scene.tick < setting->ticks) {
            advance(&scene);
            for (scene.at = 0; scene.at < LINKS; scene.at++) {
                if (!one_in(&scene, 4)) {
                    send(&scene);
                }
            }
            if (scene.tick % CHECK_ALL == 0) {
                check_all(&scene);
            }
        }
        end(&scene);
        sum.read += scene.totals.read;
        sum.no_base += scene.totals.no_base;
        sum.lost_base += scene.totals.lost_base;
        sum.current += scene.totals.current;
        sum.unstored += scene.totals.unstored;
    }
    print_message("%d snapshots read, %d without baseline, %d baselines dropped, %d entities "
                  "current, %d records not stored\n",
                  sum.read, sum.no_base, sum.lost_base, sum.current, sum.unstored);
    return sum;
}

static void test_own_pools(void **state) {
    (void)state;
    const totals_t sum = play(&(setting_t){0, {SNAPSHOT_BACKUP, SNAPSHOT_BACKUP}, 1000});
    assert_true(sum.read > 1000);
    assert_int_equal(sum.no_base + sum.unstored, 0);
}

// Tests rings of clients that drop baselines before the server has the acknowledgements.
static void test_small_rings(void **state) {
    (void)state;
    const totals_t own = play(&(setting_t){0, {SNAPSHOT_BACKUP, 8}, 1000});
    const totals_t shared = play(&(setting_t){1 << 14, {8, 3}, 1000});
    assert_true(own.read > 500 && shared.read > 500);
    assert_true(own.no_base > 0 && shared.no_base > 0);
}

static void test_shared_pool(void **state) {
    (void)state;
    const totals_t sum = play(&(setting_t){1 << 14, {SNAPSHOT_BACKUP, SNAPSHOT_BACKUP}, 1000});
    assert_true(sum.read > 1000 && sum.current > 10000);
    assert_int_equal(sum.no_base + sum.unstored, 0);
}

// Tests a pool so small that rings drop snapshots while they write the next one.
static void test_full_pool(void **state) {
    (void)state;
    const totals_t some = play(&(setting_t){800, {SNAPSHOT_BACKUP, SNAPSHOT_BACKUP}, 1000});
    const totals_t few = play(&(setting_t){400, {SNAPSHOT_BACKUP, SNAPSHOT_BACKUP}, 1000});
    assert_true(some.read > 1000 && some.current > 10000);
    assert_true(few.read > 1000 && few.lost_base > 0 && few.unstored > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_pools),
        cmocka_unit_test(test_small_rings),
        cmocka_unit_test(test_shared_pool),
        cmocka_unit_test(test_full_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
