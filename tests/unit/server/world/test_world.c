// The world block as a whole: equal bytes in any memory, copies as saved states, hashes, hostile
// blocks.

#include "world/world.h"

#include "base/rng.h"
#include "lib/sim_fixture.h"
#include "lib/testing.h"
#include "world/area.h"
#include "world/block.h"
#include "world/client.h"
#include "world/tick_time.h"

#include <string.h>

static const world_params_t small = {
    .max_edicts = 300,
    .max_clients = 4,
    .seed = 77,
    .map_hash = 5,
    .bounds = {{-512.0f, -512.0f, -64.0f}, {512.0f, 512.0f, 64.0f}},
};

// ---- layout ----

static void test_no_byte_of_old_memory_stays(void **state) {
    (void)state;
    size_t bytes = World_Bytes(&small);
    uint8_t *a = malloc(bytes);
    uint8_t *b = malloc(bytes);
    rng_t rng = {1};
    for (size_t i = 0; i < bytes; i++) {
        a[i] = (uint8_t)Rng_Next(&rng);
        b[i] = (uint8_t)Rng_Next(&rng);
    }
    World_Init(a, &small);
    World_Init(b, &small);
    assert_memory_equal(a, b, bytes);
    free(a);
    free(b);
}

static void test_first_contents(void **state) {
    (void)state;
    err_t err;
    world_t *world = World_Init(malloc(World_Bytes(&small)), &small);
    assert_int_equal(world->tick, 0);
    assert_int_equal(world->num_edicts, small.max_clients + 1);
    assert_int_equal(World_TickMs(world), 16);
    assert_true(world->cvars.move.sv_gravity == 800.0f);
    const edict_t *map = World_Deref(world, (edict_ref_t){0, 1});
    assert_ptr_equal(map, World_Edict(world, EDICT_WORLD));
    assert_null(World_Deref(world, (edict_ref_t){0, 0}));
    assert_true(World_Check(world, World_Bytes(&small), &err));
    free(world);
}

static void test_sizes(void **state) {
    (void)state;
    world_params_t params = {.max_edicts = 2, .max_clients = 1};
    assert_true(World_Bytes(&params) >= sizeof(world_t) + 2 * sizeof(edict_t) + sizeof(client_t));
    params = (world_params_t){
        .max_edicts = MAX_EDICTS,
        .max_clients = MAX_CLIENTS,
        .bounds = {{-65536.0f, -65536.0f, -65536.0f}, {65536.0f, 65536.0f, 65536.0f}}};
    assert_true(World_Bytes(&params) < 79u * 1024 * 1024);
}

// ---- a world in motion ----

static void spawn_think(sv_context_t *sv, edict_t *self) {
    edict_t *shot = SV_SpawnEdict(sv);
    if (shot) {
        shot->movetype = (int32_t)Rng_Below(&sv->world->rng, MOVETYPE_COUNT);
        shot->solid = shot->movetype == MOVETYPE_NONE ? SOLID_TRIGGER : SOLID_BBOX;
        shot->mins = Vector(-4.0f, -4.0f, -4.0f);
        shot->maxs = Vector(4.0f, 4.0f, 4.0f);
        shot->origin = Vector(Rng_Range(&sv->world->rng, -900.0f, 900.0f), 0.0f, 500.0f);
        shot->velocity = Vector(Rng_Range(&sv->world->rng, -900.0f, 900.0f),
                                Rng_Range(&sv->world->rng, -900.0f, 900.0f), 300.0f);
        shot->avelocity = Vector(0.0f, 90.0f, 0.0f);
        shot->owner = World_Ref(sv->world, self);
        shot->think = Callbacks_Find(sv->world, "remove");
        shot->touch = Callbacks_Find(sv->world, "bump");
        SV_SetNextThink(sv, shot, SV_Time(sv) + 1 + Rng_Below(&sv->world->rng, 900));
        SV_LinkEdict(sv, shot, false);
    }
    SV_SetNextThink(sv, self, SV_Time(sv) + 10);
}

static void remove_think(sv_context_t *sv, edict_t *self) {
    SV_RemoveEdict(sv, self);
}

static void bump_touch(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace) {
    (void)trace;
    self->effects++;
    if (World_EdictNumber(sv->world, other) != EDICT_WORLD && self->effects > 20) {
        SV_RemoveEdict(sv, other);
    }
}

static const callback_t functions[] = {
    {.name = "spawn", .think = spawn_think},
    {.name = "remove", .think = remove_think},
    {.name = "bump", .touch = bump_touch},
};

static void start_storm(test_sim_t *sim) {
    TestSim_InitRoom(sim, 400);
    TestSim_Bind(sim, functions, COUNTOF(functions));
    for (int32_t i = 0; i < 4; i++) {
        edict_t *edict = TestSim_Spawn(sim, MOVETYPE_NONE, SOLID_NOT, (vec3_t){0}, 0.0f);
        edict->think = Callbacks_Find(sim->world, "spawn");
        SV_SetNextThink(&sim->sv, edict, 1 + i);
    }
}

static void run_storm(test_sim_t *sim, int32_t ticks) {
    start_storm(sim);
    for (int32_t tick = 0; tick < ticks; tick++) {
        TestSim_Tick(sim);
    }
}

static void test_two_worlds_in_one_process(void **state) {
    (void)state;
    test_sim_t a;
    test_sim_t b;
    start_storm(&a);
    start_storm(&b);
    bool changed = false;
    uint64_t last = 0;
    for (int32_t tick = 0; tick < 400; tick++) {
        uint64_t hash = TestSim_Tick(&a);
        assert_int_equal(hash, TestSim_Tick(&b));
        changed |= tick > 0 && hash != last;
        last = hash;
    }
    assert_true(changed);
    assert_int_equal(World_Hash(a.world), World_Hash(b.world));
    assert_true(a.world->num_edicts > 50);
    TestSim_Free(&a);
    TestSim_Free(&b);
}

// A copy that is restored later continues to exactly the same bytes.
static void test_copy_is_a_snapshot(void **state) {
    (void)state;
    test_sim_t sim;
    uint64_t hashes[300];
    run_storm(&sim, 200);
    world_t *copy = TestSim_Copy(&sim);
    uint64_t at_copy = World_Hash(copy);
    for (int32_t tick = 0; tick < 300; tick++) {
        hashes[tick] = TestSim_Tick(&sim);
    }
    world_t *end = TestSim_Copy(&sim);
    assert_int_not_equal(World_Hash(end), at_copy);
    memset(sim.world, 0xee, sim.world->bytes);
    memcpy(sim.world, copy, copy->bytes);
    assert_int_equal(World_Hash(sim.world), at_copy);
    for (int32_t tick = 0; tick < 300; tick++) {
        assert_int_equal(TestSim_Tick(&sim), hashes[tick]);
    }
    assert_memory_equal(sim.world, end, end->bytes);
    free(copy);
    free(end);
    TestSim_Free(&sim);
}

// The block may be at any address: nothing in it depends on the address.
static void test_block_may_move(void **state) {
    (void)state;
    test_sim_t sim;
    run_storm(&sim, 100);
    world_t *moved = TestSim_Copy(&sim);
    uint64_t stays[100];
    for (int32_t tick = 0; tick < 100; tick++) {
        stays[tick] = TestSim_Tick(&sim);
    }
    free(sim.world);
    sim.world = moved;
    sim.sv.world = moved;
    for (int32_t tick = 0; tick < 100; tick++) {
        assert_int_equal(TestSim_Tick(&sim), stays[tick]);
    }
    TestSim_Free(&sim);
}

// ---- the tick hash ----

static void test_tick_hash_sees_what_was_written(void **state) {
    (void)state;
    test_sim_t sim;
    TestSim_InitRoom(&sim, 300);
    edict_t *edict = TestSim_Spawn(&sim, MOVETYPE_NONE, SOLID_NOT, (vec3_t){0}, 0.0f);
    World_TickHash(sim.world);
    world_t *copy = TestSim_Copy(&sim);
    World_MarkWritten(sim.world, edict);
    uint64_t before = World_TickHash(sim.world);
    memcpy(sim.world, copy, copy->bytes);
    edict->game[127] ^= 1;
    World_MarkWritten(sim.world, edict);
    World_MarkWritten(sim.world, edict); // marking twice is allowed
    assert_int_not_equal(World_TickHash(sim.world), before);
    memcpy(sim.world, copy, copy->bytes);
    World_MarkWritten(sim.world, edict);
    assert_int_equal(World_TickHash(sim.world), before);
    free(copy);
    TestSim_Free(&sim);
}

// Changes one byte of each part that the hash must cover, and of the one part that it must not.
static void test_tick_hash_sees_the_fixed_part(void **state) {
    (void)state;
    world_t *world = World_Init(malloc(World_Bytes(&small)), &small);
    client_t *client = World_Client(world, 2);
    client->inuse = 1;
    client->queue_count = 1;
    client->queue[0].msec = 10;
    uint64_t plain = World_TickHash(world);
    assert_int_equal(World_TickHash(world), plain);
    uint8_t *seen[] = {(uint8_t *)&world->tick,
                       (uint8_t *)&world->time_ms,
                       (uint8_t *)&world->rng,
                       (uint8_t *)&world->cvars,
                       (uint8_t *)&world->counters.quarantined,
                       &world->game[WORLD_GAME_BYTES - 1],
                       (uint8_t *)&client->credit_ms,
                       (uint8_t *)&client->queue[0].yaw,
                       (uint8_t *)&client->player.velocity,
                       &client->game[CLIENT_GAME_BYTES - 1]};
    for (size_t i = 0; i < COUNTOF(seen); i++) {
        *seen[i] ^= 1;
        assert_int_not_equal(World_TickHash(world), plain);
        *seen[i] ^= 1;
        assert_int_equal(World_TickHash(world), plain);
    }
    World_String(world, "a new text");
    assert_int_not_equal(World_TickHash(world), plain);
    plain = World_TickHash(world);
    world->tick_hash = 123;
    assert_int_equal(World_TickHash(world), plain);
    client->queue[1].yaw = 9; // an unused entry
    assert_int_equal(World_TickHash(world), plain);
    World_Client(world, 3)->credit_ms = 9; // an unused slot
    assert_int_equal(World_TickHash(world), plain);
    free(world);
}

// ---- hostile blocks ----

static void test_check_refuses(void **state) {
    (void)state;
    test_sim_t sim;
    err_t err;
    run_storm(&sim, 200);
    world_t *w = sim.world;
    world_t *good = TestSim_Copy(&sim);
    assert_true(World_Check(w, w->bytes, &err) && !World_Check(w, w->bytes - 1, &err));
    assert_false(World_Check(w, sizeof *w - 1, &err));
    edict_t *edict = World_Edict(w, 10);
    struct {
        void *at;
        size_t size;
    } fields[] = {
        {&w->magic, 8},
        {&w->bytes, 8},
        {&w->max_edicts, 4},
        {&w->max_clients, 4},
        {&w->num_edicts, 4},
        {&w->first_free, 4},
        {&w->ofs_edicts, 8},
        {&w->ofs_clients, 8},
        {&w->ofs_area, 8},
        {&w->ofs_active, 8},
        {&w->ofs_timers, 8},
        {&w->ofs_written, 8},
        {&w->ofs_grounds, 8},
        {&w->ofs_history, 8},
        {&w->cvars, 4},
        {&w->num_timers, 4},
        {&w->num_written, 4},
        {&w->num_callbacks, 4},
        {&w->strings_bytes, 4},
        {&w->num_killed, 4},
        {&w->think_time_ms, 8},
        {&w->touch_depth, 4},
        {(uint8_t *)w + w->ofs_area + offsetof(area_t, ofs_cells), 4},
        {&edict->inuse, 4},
        {World_Client(w, 0)->name, 32},
        {&w->names_hash, 8},
        {&w->tick, 8},
        {&w->callback_names[1][0], 1},
        {&w->cvars.move.sv_gravity, 4},
    };
    for (size_t i = 0; i < COUNTOF(fields); i++) {
        memset(fields[i].at, 0xff, fields[i].size);
        err.text[0] = '\0';
        assert_false(World_Check(w, good->bytes, &err));
        assert_true(err.text[0] != '\0');
        memcpy(w, good, good->bytes);
    }
    w->tick = TICKS_MAX_COUNT;
    assert_true(World_Check(w, good->bytes, &err));
    w->tick = TICKS_MAX_COUNT + 1; // the times of such ticks would overflow
    assert_false(World_Check(w, good->bytes, &err));
    w->tick = good->tick;
    w->time_ms = INT64_MAX;
    assert_false(World_Check(w, good->bytes, &err));
    free(good);
    TestSim_Free(&sim);
}

// Blocks that World_Check accepts are safe to run; the sanitizers check that.
static void test_damaged_blocks_do_no_harm(void **state) {
    (void)state;
    test_sim_t sim;
    err_t err;
    rng_t rng = {12345};
    int32_t accepted = 0;
    int32_t rounds = Test_IsLong() ? 20000 : 600;
    run_storm(&sim, 200);
    world_t *good = TestSim_Copy(&sim);
    size_t parts = (size_t)(good->bytes - good->ofs_edicts);
    for (int32_t round = 0; round < rounds; round++) {
        memcpy(sim.world, good, good->bytes);
        for (int32_t i = 0; i < 1 + round % 3; i++) {
            size_t at = round % 2 ? Rng_Next(&rng) % good->bytes
                                  : good->ofs_edicts + Rng_Next(&rng) % parts;
            ((uint8_t *)sim.world)[at] ^= (uint8_t)(1u << Rng_Below(&rng, 8));
        }
        if (World_Check(sim.world, good->bytes, &err)) {
            accepted++;
            TestSim_Tick(&sim);
            TestSim_Tick(&sim);
        }
    }
    assert_true(accepted > rounds / 4);
    assert_true(accepted < rounds);
    free(good);
    TestSim_Free(&sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_byte_of_old_memory_stays),
        cmocka_unit_test(test_first_contents),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_two_worlds_in_one_process),
        cmocka_unit_test(test_copy_is_a_snapshot),
        cmocka_unit_test(test_block_may_move),
        cmocka_unit_test(test_tick_hash_sees_what_was_written),
        cmocka_unit_test(test_tick_hash_sees_the_fixed_part),
        cmocka_unit_test(test_check_refuses),
        cmocka_unit_test(test_damaged_blocks_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
