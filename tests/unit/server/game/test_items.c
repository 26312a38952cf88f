// Backpacks of dead players, gibs, g_weaponstay, and the range of explosions.

#include "lib/arena_fixture.h"
#include "lib/testing.h"

#include "core/core_local.h"
#include "game/players.h"

#include <string.h>

#define HERE  ((vec3_t){-100.0f, 0.0f, ARENA_FLOOR})
#define THERE ((vec3_t){100.0f, 0.0f, ARENA_FLOOR})

static void set_up(test_world_t *test, const char *entities) {
    TestArena_Init(test, 3, entities, NULL, NULL);
    TestArena_Join(test, 0, "ann", HERE);
    TestArena_Join(test, 1, "bob", THERE);
}

static void hurt(test_world_t *test, int32_t slot, int32_t damage) {
    sv_context_t sv = SV_Context(test->world, &test->map, &test->game, test->events);
    Game_HurtBy(&sv, World_Edict(test->world, slot + 1), World_Edict(test->world, 1), damage,
                "was hit");
}

// ---- backpacks ----

static void test_a_pack_has_what_he_held(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, NULL);
    player_fields_t *bob = TestArena_Fields(&test, 1);
    bob->weapons |= 1 << WEAPON_ROCKETS;
    bob->weapon = WEAPON_ROCKETS;
    bob->ammo[AMMO_ROCKETS] = 7;
    bob->ammo[AMMO_CELLS] = 50;
    hurt(&test, 1, 100);
    TestArena_Run(&test, 1000, "");
    const edict_t *pack = TestArena_Find(&test, "item_backpack");
    assert_non_null(pack);
    assert_true(pack->origin.x == 100.0f);
    assert_true(pack->origin.z < 30.0f); // the backpack fell
    TestArena_Put(&test, 0, THERE);
    TestArena_Run(&test, 48, "");
    const player_fields_t *ann = TestArena_Fields(&test, 0);
    assert_int_equal(ann->weapon, WEAPON_ROCKETS); // better than the weapon she had
    assert_int_equal(ann->ammo[AMMO_ROCKETS], 7);
    assert_int_equal(ann->ammo[AMMO_CELLS], 0);
    assert_null(TestArena_Find(&test, "item_backpack"));
    TestWorld_Free(&test);
}

static void test_a_full_pocket_takes_no_more(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, NULL);
    TestArena_Fields(&test, 0)->ammo[AMMO_SHELLS] = 95;
    hurt(&test, 1, 100); // 25 shells
    TestArena_Put(&test, 0, THERE);
    TestArena_Run(&test, 1000, "");
    assert_int_equal(TestArena_Fields(&test, 0)->ammo[AMMO_SHELLS], 100);
    assert_int_equal(TestArena_Count(&test, "item_backpack"), 0);
    TestWorld_Free(&test);
}

// An empty backpack is not dropped. The axe has no ammunition, and a player may have fired all of
// it.
static void test_who_had_nothing_leaves_nothing(void **state) {
    (void)state;
    for (int axe = 0; axe < 2; axe++) {
        test_world_t test;
        set_up(&test, NULL);
        TestArena_Fields(&test, 1)->weapon = axe ? WEAPON_AXE : WEAPON_SHOTGUN;
        TestArena_Fields(&test, 1)->ammo[AMMO_SHELLS] = axe ? 25 : 0;
        hurt(&test, 1, 100);
        TestArena_Run(&test, 16, "");
        assert_int_equal(TestArena_Fields(&test, 1)->deaths, 1);
        assert_int_equal(TestArena_Count(&test, "item_backpack"), 0);
        TestWorld_Free(&test);
    }
}

// Dead players do not pick up their own backpack; after a minute it vanishes.
static void test_a_pack_does_not_lie_there_for_ever(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, NULL);
    hurt(&test, 1, 100);
    TestArena_Run(&test, 900, "");
    assert_int_equal(TestArena_Count(&test, "item_backpack"), 1);
    TestArena_Tell(&test, 1, "spectate"); // otherwise she would respawn there
    TestArena_Run(&test, 58500, "");
    assert_int_equal(TestArena_Count(&test, "item_backpack"), 1);
    TestArena_Run(&test, 1000, "");
    assert_int_equal(TestArena_Count(&test, "item_backpack"), 0);
    TestWorld_Free(&test);
}

// ---- spawnflags ----

// Spawnflags make a health box rotten or mega, and an ammunition box big.
static void test_spawnflags_of_items(void **state) {
    (void)state;
    static const struct {
        const char *classname;
        int32_t flags, health, ammo, amount;
    } cases[] = {
        {"item_health", 0, 75, 0, 0},
        {"item_health", 1, 65, 0, 0},
        {"item_health", 2, 150, 0, 0},
        {"item_shells", 0, 50, AMMO_SHELLS, 45},
        {"item_shells", 1, 50, AMMO_SHELLS, 65},
        {"item_spikes", 0, 50, AMMO_NAILS, 25},
        {"item_spikes", 1, 50, AMMO_NAILS, 50},
        {"item_rockets", 0, 50, AMMO_ROCKETS, 5},
        {"item_rockets", 1, 50, AMMO_ROCKETS, 10},
        {"item_cells", 0, 50, AMMO_CELLS, 12},
        {"item_cells", 1, 50, AMMO_CELLS, 24},
        {"item_weapon", 1, 50, AMMO_SHELLS, 45},
        {"item_weapon", 9, 50, AMMO_SHELLS, 65},
        {"item_weapon", 2, 50, AMMO_ROCKETS, 5},
        {"item_weapon", 10, 50, AMMO_ROCKETS, 10},
        {"item_weapon", 4, 50, AMMO_NAILS, 25},
        {"item_weapon", 12, 50, AMMO_NAILS, 50},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char entity[256];
        test_world_t test;
        snprintf(entity, sizeof entity,
                 "{ \"classname\" \"%s\" \"origin\" \"-116 -16 8\" \"spawnflags\" \"%d\" }",
                 cases[i].classname, cases[i].flags);
        set_up(&test, entity);
        World_Client(test.world, 0)->player.health = 50;
        TestArena_Run(&test, 200, "");
        TestArena_Put(&test, 0, HERE);
        TestArena_Run(&test, 48, "");
        assert_int_equal(TestArena_Health(&test, 0), cases[i].health);
        assert_int_equal(TestArena_Fields(&test, 0)->ammo[cases[i].ammo], cases[i].amount);
        TestWorld_Free(&test);
    }
}

// A sigil gives nothing, but fires its target.
static void test_a_sigil(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, "{ \"classname\" \"item_sigil\" \"origin\" \"-100 0 8\" \"target\" \"c\" }"
                  "{ \"classname\" \"trigger_counter\" \"targetname\" \"c\" \"target\" \"x\" "
                  "\"count\" \"9\" }");
    TestArena_Run(&test, 200, "");
    TestArena_Put(&test, 0, HERE);
    TestArena_Run(&test, 48, "");
    const edict_t *counter = TestArena_Find(&test, "trigger_counter");
    assert_int_equal(((const fields_t *)(const void *)counter->game)->count, 8);
    assert_int_equal(TestArena_Find(&test, "item_sigil")->solid, SOLID_NOT); // it was taken
    TestWorld_Free(&test);
}

// ---- gibs ----

// A kill with 40 points to spare makes gibs. They fly, fall and vanish.
static void test_gibs(void **state) {
    (void)state;
    static const struct {
        int32_t health, damage, gibs;
    } cases[] = {{100, 100, 0}, {100, 139, 0}, {100, 140, 3},
                 {10, 49, 0},   {10, 50, 3},   {100, 50000, 0}}; // a telefrag leaves no gibs
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        test_world_t test;
        set_up(&test, NULL);
        World_Client(test.world, 1)->player.health = cases[i].health;
        hurt(&test, 1, cases[i].damage);
        TestArena_Run(&test, 16, "");
        assert_int_equal(TestArena_Count(&test, "gib"), cases[i].gibs);
        TestArena_Run(&test, 5900, "");
        assert_int_equal(TestArena_Count(&test, "gib"), cases[i].gibs);
        const edict_t *gib = TestArena_Find(&test, "gib");
        assert_true(!gib || (gib->origin.z > -1.0f && gib->origin.z < 10.0f));
        TestArena_Run(&test, 160, "");
        assert_int_equal(TestArena_Count(&test, "gib"), 0);
        TestWorld_Free(&test);
    }
}

// If no edict is free for gibs or a backpack, the player dies nevertheless.
static void test_a_full_world_has_no_gibs(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, NULL);
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    while (SV_SpawnEdict(&sv)) {
    }
    uint64_t full = test.world->counters.edicts_full;
    hurt(&test, 1, 500);
    TestArena_Run(&test, 16, "");
    assert_int_equal(TestArena_Health(&test, 1), 0);
    assert_true(test.world->counters.edicts_full > full); // the failure is counted
    TestWorld_Free(&test);
}

// ---- weapons that stay ----

static const char launcher[] = "{ \"classname\" \"weapon_rocketlauncher\" \"origin\" \"0 400 8\" }"
                               "{ \"classname\" \"item_rockets\" \"origin\" \"-16 -416 8\" }";

static void test_weapons_go_and_come_back(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, launcher);
    const edict_t *weapon = TestArena_Find(&test, "weapon_rocketlauncher");
    TestArena_Put(&test, 0, Vector(0, 400, ARENA_FLOOR));
    TestArena_Run(&test, 48, "");
    assert_int_equal(weapon->visibility, VISIBLE_NOBODY);
    TestArena_Put(&test, 0, HERE);
    TestArena_Run(&test, 29800, "");
    assert_int_equal(weapon->visibility, VISIBLE_NOBODY);
    TestArena_Run(&test, 500, "");
    assert_int_equal(weapon->visibility, VISIBLE_ALL);
    TestWorld_Free(&test);
}

// With g_weaponstay every player gets a weapon once; other items vanish as usual.
static void test_weapons_stay(void **state) {
    (void)state;
    test_world_t test;
    set_up(&test, launcher);
    TestArena_Vars(&test)->weaponstay = 1;
    const edict_t *weapon = TestArena_Find(&test, "weapon_rocketlauncher");
    for (int32_t slot = 0; slot < 2; slot++) {
        TestArena_Put(&test, slot, Vector(0, 400, ARENA_FLOOR));
        TestArena_Run(&test, 1000, "");
        assert_int_equal(TestArena_Fields(&test, slot)->weapon, WEAPON_ROCKETS);
        assert_int_equal(TestArena_Fields(&test, slot)->ammo[AMMO_ROCKETS], 5); // only once
        assert_int_equal(weapon->visibility, VISIBLE_ALL);
        TestArena_Put(&test, slot, slot ? HERE : THERE);
        TestArena_Run(&test, 16, "");
    }
    TestArena_Put(&test, 0, Vector(0, -400, ARENA_FLOOR));
    TestArena_Run(&test, 1000, "");
    assert_int_equal(TestArena_Fields(&test, 0)->ammo[AMMO_ROCKETS], 10);
    assert_int_equal(TestArena_Find(&test, "item_rockets")->visibility, VISIBLE_NOBODY);
    TestWorld_Free(&test);
}

// ---- explosions ----

// An explosion hurts all edicts near it, even 700 boxes at one point.
static void test_an_explosion_reaches_all(void **state) {
    (void)state;
    enum { BOXES = 700 };
    test_world_t test;
    set_up(&test, NULL);
    sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
    edict_t *boxes[BOXES];
    for (int i = 0; i < BOXES; i++) {
        boxes[i] = SV_SpawnEdict(&sv);
        assert_non_null(boxes[i]);
        boxes[i]->solid = SOLID_BBOX;
        boxes[i]->mins = Vector(-4, -4, -4);
        boxes[i]->maxs = Vector(4, 4, 4);
        boxes[i]->origin = Vector((float)(i % 10), (float)(i / 10) - 35.0f, 100);
        Game_Fields(boxes[i])->health = Game_Fields(boxes[i])->max_health = 1000;
        sv.engine->link(&sv, boxes[i], false);
    }
    edict_t *bomb = SV_SpawnEdict(&sv);
    bomb->origin = Vector(5, 0, 140);
    sv.engine->link(&sv, bomb, false);
    Game_RadiusDamage(&sv, bomb, NULL, boxes[7], 120, "was blown up");
    for (int i = 0; i < BOXES; i++) {
        int32_t lost = 1000 - Game_Fields(boxes[i])->health;
        assert_true(boxes[i] == boxes[7] ? lost == 0 : lost > 80 && lost < 120);
    }
    TestWorld_Free(&test);
}

// The damage falls by half a point per unit, ends 40 units beyond its own value, and is 0 behind a
// wall.
static void test_how_far_an_explosion_reaches(void **state) {
    (void)state;
    static const struct {
        float x;
        int32_t lost;
    } cases[] = {{0, 100}, {50, 75}, {100, 50}, {139, 30}, {141, 0}, {300, 0}};
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        test_world_t test;
        set_up(&test, NULL);
        sv_context_t sv = SV_Context(test.world, &test.map, &test.game, test.events);
        World_Client(test.world, 1)->player.health = 1000;
        edict_t *bob = World_Edict(test.world, 2);
        TestArena_Put(&test, 1, Vector(cases[i].x, 0, 496));
        sv.engine->link(&sv, bob, false);
        edict_t *bomb = SV_SpawnEdict(&sv);
        bomb->origin = Vector(0, 0, 500); // the middle of a player is 4 above its origin
        sv.engine->link(&sv, bomb, false);
        Game_RadiusDamage(&sv, bomb, NULL, NULL, 100, "was blown up");
        assert_int_equal(1000 - TestArena_Health(&test, 1), cases[i].lost);
        TestWorld_Free(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pack_has_what_he_held),
        cmocka_unit_test(test_a_full_pocket_takes_no_more),
        cmocka_unit_test(test_who_had_nothing_leaves_nothing),
        cmocka_unit_test(test_a_pack_does_not_lie_there_for_ever),
        cmocka_unit_test(test_spawnflags_of_items),
        cmocka_unit_test(test_a_sigil),
        cmocka_unit_test(test_gibs),
        cmocka_unit_test(test_a_full_world_has_no_gibs),
        cmocka_unit_test(test_weapons_go_and_come_back),
        cmocka_unit_test(test_weapons_stay),
        cmocka_unit_test(test_an_explosion_reaches_all),
        cmocka_unit_test(test_how_far_an_explosion_reaches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
