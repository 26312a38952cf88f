// Monsters of the reference game: they see, chase, bite, spit, swim, patrol and die.

#include "core/core_local.h"
#include "game/game.h"
#include "game/players.h"
#include "lib/course_fixture.h"
#include "lib/events_fixture.h"
#include "lib/testing.h"
#include "lib/world_fixture.h"
#include "move/body.h"
#include "world/link.h"
#include "world/move.h"

#include <stdio.h>
#include <string.h>

// A hall with a wall across it at x 400..416 and a pool at y > 300, 200 deep.
static const test_block_t blocks[] = {
    {.box = {{400, -1000, 0}, {416, 200, 400}}, .contents = CONTENTS_SOLID},
    {.box = {{-1000, 300, 0}, {300, 1000, 200}}, .contents = CONTENTS_WATER},
};

typedef struct {
    test_world_t test;
    sv_context_t sv;
} hall_t;

static void build(hall_t *hall, const char *entities) {
    char text[2048];
    snprintf(text, sizeof text,
             "{ \"classname\" \"worldspawn\" }\n"
             "{ \"classname\" \"info_player_start\" \"origin\" \"0 0 24\" }\n%s",
             entities);
    const test_map_t map = {.room = {{-1000, -1000, 0}, {1000, 1000, 600}},
                            .blocks = blocks,
                            .num_blocks = (int32_t)COUNTOF(blocks),
                            .entities = text,
                            .brush_list = true};
    memset(hall, 0, sizeof *hall);
    TestWorld_Init(&hall->test, &map, 2);
    hall->sv = SV_Context(hall->test.world, &hall->test.map, &hall->test.game, hall->test.events);
    Game_Vars(&hall->sv)->monsters = 1;
    TestWorld_Join(&hall->test, 0, "ann");
    TestWorld_Tick(&hall->test);
}

static edict_t *add(hall_t *hall, const char *classname, vec3_t origin, float yaw,
                    const char *target) {
    edict_t *monster = hall->sv.engine->spawn(&hall->sv);
    assert_non_null(monster);
    monster->classname = hall->sv.engine->string(&hall->sv, classname);
    monster->target = target ? hall->sv.engine->string(&hall->sv, target) : 0;
    monster->origin = origin;
    monster->angles.y = yaw;
    Game_SpawnMonster(&hall->sv, monster);
    return monster;
}

static edict_t *player_of(hall_t *hall) {
    return World_Edict(hall->test.world, 1);
}

static int32_t health_of(hall_t *hall) {
    return World_Client(hall->test.world, 0)->player.health;
}

static void run(hall_t *hall, int32_t ms) {
    for (int32_t at = 0; at < ms; at += COURSE_TICK_MS) {
        TestWorld_Cmd(&hall->test, 0, (usercmd_t){.msec = COURSE_TICK_MS});
        TestWorld_Tick(&hall->test);
        assert_int_equal(hall->test.world->counters.quarantined, 0);
    }
}

static void test_none_without_the_cvar(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    game_vars_t *vars = Game_Vars(&hall.sv);
    Game_MapStarted(&hall.sv);
    assert_int_equal(TestWorld_CountEvents(&hall.test, EVENT_LOG, "left out"), 0);
    vars->monsters = 0;
    const edict_t *monster = add(&hall, "monster_dog", Vector(100, 0, 24), 0, NULL);
    assert_true(monster->flags & FL_KILLME);
    add(&hall, "monster_ogre", Vector(200, 0, 24), 0, NULL);
    Game_MapStarted(&hall.sv);
    assert_int_equal(TestWorld_CountEvents(&hall.test, EVENT_LOG,
                                           "2 monsters left out: g_monsters is 0; set g_monsters 1 "
                                           "and start the map again"),
                     1);
    TestWorld_Free(&hall.test);
}

static void test_a_dog_comes_and_bites(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    const edict_t *dog = add(&hall, "monster_dog", Vector(-300, 0, 24.1f), 0, NULL);
    run(&hall, 4000);
    assert_true(fabsf(dog->origin.x - player_of(&hall)->origin.x) < 64.0f);
    assert_true(health_of(&hall) < 80);
    run(&hall, 8000);
    assert_true(Game_PlayerFields(World_Client(hall.test.world, 0))->deaths > 0);
    TestWorld_Free(&hall.test);
}

// The cheat notarget: monsters do not notice the player, and forget the one that they chase.
static void test_notarget_is_ignored(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    const edict_t *dog = add(&hall, "monster_dog", Vector(-300, 0, 24.1f), 0, NULL);
    player_of(&hall)->flags |= FL_NOTARGET;
    run(&hall, 4000);
    assert_int_equal(health_of(&hall), 100);
    assert_true(fabsf(dog->origin.x + 300.0f) < 1.0f);
    player_of(&hall)->flags &= ~FL_NOTARGET;
    run(&hall, 4000);
    int32_t bitten = health_of(&hall);
    assert_true(bitten < 100);
    player_of(&hall)->flags |= FL_NOTARGET;
    run(&hall, 500); // a bite may be under way
    bitten = health_of(&hall);
    run(&hall, 3000);
    assert_int_equal(health_of(&hall), bitten);
    TestWorld_Free(&hall.test);
}

static void test_those_in_walls_are_told(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    add(&hall, "monster_dog", Vector(-300, 0, 24.1f), 0, NULL);
    add(&hall, "monster_ogre", Vector(390, 0, 30), 0, NULL); // 6 into the wall
    Game_CheckStuck(&hall.sv);
    assert_int_equal(TestWorld_CountEvents(&hall.test, EVENT_LOG, "starts in something solid"), 1);
    assert_int_equal(TestWorld_CountEvents(&hall.test, EVENT_LOG, "monster_ogre at 390 0 30"), 1);
    for (int32_t i = 0; i < 10; i++) {
        add(&hall, "monster_fish", Vector(400, -900.0f + 50.0f * (float)i, 100), 0, NULL);
    }
    Game_CheckStuck(&hall.sv);
    assert_int_equal(TestWorld_CountEvents(&hall.test, EVENT_LOG, "starts in something solid"),
                     1 + 8);
    assert_int_equal(TestWorld_CountEvents(&hall.test, EVENT_LOG, "3 more monsters"), 1);
    TestWorld_Free(&hall.test);
}

static void test_buggies_in_walls_are_told(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    const vec3_t places[] = {{-300.0f, 200.0f, 22.0f}, {990.0f, 300.0f, 30.0f}};
    for (size_t i = 0; i < COUNTOF(places); i++) {
        edict_t *buggy = hall.sv.engine->spawn(&hall.sv);
        buggy->classname = hall.sv.engine->string(&hall.sv, "misc_buggy");
        buggy->origin = places[i];
        Game_SpawnBuggy(&hall.sv, buggy);
    }
    Game_CheckStuck(&hall.sv);
    assert_int_equal(TestWorld_CountEvents(&hall.test, EVENT_LOG, "starts in something solid"), 1);
    assert_int_equal(TestWorld_CountEvents(&hall.test, EVENT_LOG, "misc_buggy at 990 300 31"), 1);
    TestWorld_Free(&hall.test);
}

static void test_nobody_sees_through_walls(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    const edict_t *dog = add(&hall, "monster_dog", Vector(600, -300, 24.1f), 180, NULL);
    vec3_t origin = dog->origin;
    run(&hall, 3000);
    assert_true(VectorLength(VectorSubtract(dog->origin, origin)) < 2.0f);
    assert_int_equal(health_of(&hall), 100);
    TestWorld_Free(&hall.test);
}

static void test_a_wizard_spits(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    const edict_t *wizard = add(&hall, "monster_wizard", Vector(-400, -200, 200), 0, NULL);
    run(&hall, 6000);
    assert_true(health_of(&hall) < 100 ||
                Game_PlayerFields(World_Client(hall.test.world, 0))->deaths);
    assert_true(wizard->origin.z > 40.0f); // the wizard flies
    TestWorld_Free(&hall.test);
}

static void test_a_fish_stays_in_the_water(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    const edict_t *fish = add(&hall, "monster_fish", Vector(-100, 600, 100), 270, NULL);
    for (int32_t i = 0; i < 40; i++) {
        run(&hall, 200);
        assert_int_equal(SV_PointContents(&hall.sv, fish->origin), CONTENTS_WATER);
    }
    assert_int_equal(health_of(&hall), 100); // the player stays on land
    TestCourse_Put(&hall.test, Vector(-100, 450, 100));
    run(&hall, 4000);
    assert_true(health_of(&hall) < 100 ||
                Game_PlayerFields(World_Client(hall.test.world, 0))->deaths);
    TestWorld_Free(&hall.test);
}

static void test_a_patrol(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "{\"classname\" \"path_corner\" \"targetname\" \"a\" \"target\" \"b\" \"origin\" "
                 "\"600 -600 24\"}"
                 "{\"classname\" \"path_corner\" \"targetname\" \"b\" \"target\" \"c\" \"origin\" "
                 "\"900 -600 24\"}"
                 "{\"classname\" \"path_corner\" \"targetname\" \"c\" \"target\" \"a\" \"origin\" "
                 "\"900 -100 24\"}");
    const edict_t *dog = add(&hall, "monster_dog", Vector(600, -100, 24.1f), 0, "a");
    bool seen[3] = {false};
    static const float corners[3][2] = {{600, -600}, {900, -600}, {900, -100}};
    for (int32_t i = 0; i < 600; i++) {
        run(&hall, 100);
        for (int32_t c = 0; c < 3; c++) {
            seen[c] = seen[c] || (fabsf(dog->origin.x - corners[c][0]) < 60.0f &&
                                  fabsf(dog->origin.y - corners[c][1]) < 60.0f);
        }
    }
    assert_true(seen[0]);
    assert_true(seen[1]);
    assert_true(seen[2]);
    TestWorld_Free(&hall.test);
}

static void test_what_hurts_it_becomes_its_enemy(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    edict_t *dog = add(&hall, "monster_dog", Vector(-700, 0, 24.1f), 180, NULL); // it looks away
    run(&hall, 2000);
    assert_true(dog->origin.x < -690.0f);
    Game_Damage(&hall.sv, dog, player_of(&hall), 5, "");
    run(&hall, 3000);
    assert_true(dog->origin.x > -400.0f);
    TestWorld_Free(&hall.test);
}

static void test_death(void **state) {
    (void)state;
    hall_t hall;
    build(&hall,
          "{\"classname\" \"trigger_relay\" \"targetname\" \"freed\" \"message\" \"it is dead\"}");
    edict_t *dog = add(&hall, "monster_dog", Vector(-700, 0, 24.1f), 180, "freed");
    edict_t *other = add(&hall, "monster_dog", Vector(-700, 200, 24.1f), 180, NULL);
    edict_ref_t ref = World_Ref(hall.test.world, dog);
    edict_ref_t other_ref = World_Ref(hall.test.world, other);
    Game_Damage(&hall.sv, dog, player_of(&hall), 30, "");
    assert_int_equal(TestWorld_CountEvents(&hall.test, EVENT_CENTERPRINT, "it is dead"), 1);
    assert_int_equal(dog->solid, SOLID_NOT);
    Game_Damage(&hall.sv, dog, player_of(&hall), 30, ""); // one call is enough
    assert_int_equal(TestWorld_CountEvents(&hall.test, EVENT_CENTERPRINT, "it is dead"), 1);
    Game_Damage(&hall.sv, other, player_of(&hall), 200, "");
    assert_int_equal(TestEvents_Effects(hall.test.world, hall.test.events, "gib"), 1);
    run(&hall, 200);
    assert_null(World_Deref(hall.test.world, other_ref));
    run(&hall, 9000);
    assert_null(World_Deref(hall.test.world, ref)); // the corpse is removed, too
    TestWorld_Free(&hall.test);
}

// ---- hitboxes ----

/// Shoots a point through `at`, from the side of the dog or from its front.
static trace_t shoot(hall_t *hall, const edict_t *dog, vec3_t at, bool from_front) {
    vec3_t way = from_front ? Vector(100.0f, 0.0f, 0.0f) : Vector(0.0f, 100.0f, 0.0f);
    vec3_t middle = VectorAdd(dog->origin, at);
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    return hall->sv.engine->trace_hitboxes(&hall->sv, VectorAdd(middle, way), zero, zero,
                                           VectorSubtract(middle, way), NULL);
}

static void test_shots_pass_between_its_legs(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    edict_t *dog = add(&hall, "monster_dog", Vector(-700, 0, 24.1f), 0, NULL);
    edict_t *wizard = add(&hall, "monster_wizard", Vector(-700, 300, 300), 0, NULL);
    int32_t number = World_EdictNumber(hall.test.world, dog);
    const vec3_t below = {-1.0f, 0.0f, -15.0f};
    for (int32_t i = 0; i < 30; i++) {
        run(&hall, 16); // it stands, because it has not seen a player yet
        assert_int_equal(shoot(&hall, dog, below, false).entnum, TRACE_NOTHING);
        assert_int_equal(shoot(&hall, dog, below, true).entnum, TRACE_NOTHING);
        trace_t trace = shoot(&hall, dog, Vector(0.0f, 0.0f, 1.0f), false);
        assert_int_equal(trace.entnum, number);
        assert_int_equal(trace.hitgroup, HIT_CHEST);
        assert_int_equal(shoot(&hall, dog, Vector(8.0f, 0.0f, 12.0f), false).hitgroup, HIT_HEAD);
        assert_int_equal(shoot(&hall, dog, Vector(5.0f, 4.0f, -15.0f), true).hitgroup,
                         HIT_LEFT_ARM);
        assert_int_equal(shoot(&hall, dog, Vector(-7.0f, -4.0f, -15.0f), false).hitgroup,
                         HIT_LEFT_LEG); // from its left
        trace =
            hall.sv.engine->trace(&hall.sv, VectorAdd(dog->origin, Vector(100, 0, -15)),
                                  (vec3_t){0, 0, 0}, (vec3_t){0, 0, 0}, dog->origin, true, NULL);
        assert_int_equal(trace.entnum, number); // a shot at the box still hits it
    }
    // A monster without a model is hit by its box.
    assert_int_equal(wizard->skeleton, 0);
    trace_t trace = shoot(&hall, wizard, Vector(-15.0f, 15.0f, 30.0f), true);
    assert_int_equal(trace.entnum, World_EdictNumber(hall.test.world, wizard));
    assert_int_equal(trace.hitgroup, HIT_GENERIC);
    TestWorld_Free(&hall.test);
}

/// The animation that clients see follows from the monster's action.
static void test_what_it_does_is_seen(void **state) {
    (void)state;
    enum { STAND, WALK, ATTACK, DIE, NUM_DOINGS };
    hall_t hall;
    int32_t ticks[NUM_DOINGS] = {0};
    int32_t wrong = 0;
    build(&hall, "");
    edict_t *dog = add(&hall, "monster_dog", Vector(-300, 0, 24.1f), 0, NULL);
    vec3_t before = dog->origin;
    for (int32_t i = 0; i < 300; i++) {
        int64_t began = dog->anim_start_ms[0];
        run(&hall, 16);
        assert_in_range(dog->animations[0], STAND, ATTACK);
        assert_true(dog->anim_start_ms[0] >= began);
        ticks[dog->animations[0]]++;
        bool moved = !VectorCompare(before, dog->origin);
        wrong += moved && dog->animations[0] != WALK ? 1 : 0;
        before = dog->origin;
    }
    assert_true(ticks[STAND] > 10);
    assert_true(ticks[WALK] > 20);
    assert_true(ticks[ATTACK] > 20);
    assert_true(wrong <= 30); // an attack animation plays to its end, even while the monster moves
    Game_Damage(&hall.sv, dog, player_of(&hall), 30, "");
    assert_int_equal(dog->animations[0], DIE);
    run(&hall, 1000);
    assert_int_equal(dog->animations[0], DIE);
    TestWorld_Free(&hall.test);
}

// The pool is 200 deep. A dog that cannot leave it has 12 s of air and then drowns; a fish lives.
static void test_dogs_drown_and_fish_do_not(void **state) {
    (void)state;
    hall_t hall;
    build(&hall, "");
    edict_t *dog = add(&hall, "monster_dog", Vector(-500, 900, 24), 0, NULL);
    edict_t *fish = add(&hall, "monster_fish", Vector(-300, 900, 100), 0, NULL);
    edict_t *zombie = add(&hall, "monster_zombie", Vector(-700, 900, 24), 0, NULL);
    run(&hall, 12000);
    assert_int_equal(Game_Fields(dog)->health, 25);
    run(&hall, 3000);
    assert_in_range(Game_Fields(dog)->health, 1, 24);
    run(&hall, 5000);
    assert_false(dog->flags & FL_MONSTER);
    assert_int_equal(Game_Fields(fish)->health, 25);
    assert_int_equal(Game_Fields(zombie)->health, 60);
    TestWorld_Free(&hall.test);
}

// A fall of 264 qu ends at 650 qu/s; faster landings hurt, as they hurt players. The damage depends
// neither on the time of the next think, which differs from edict to edict, nor on the mover.
static void test_monsters_fall(void **state) {
    (void)state;
    enum { OGRES = 5 + MOVER_COUNT };
    static const struct {
        float height;
        int32_t health;
    } falls[] = {{176, 200}, {255, 200}, {275, 195}, {330, 194}, {546, 190}};
    for (size_t i = 0; i < COUNTOF(falls); i++) {
        hall_t hall;
        edict_t *ogres[OGRES];
        build(&hall, "");
        float z = 24.0f + falls[i].height;
        for (int32_t n = 0; n < OGRES; n++) {
            ogres[n] =
                add(&hall, "monster_ogre", Vector(-900.0f + 100.0f * (float)n, 0, z), 0, NULL);
            ogres[n]->mover = (int16_t)(n < 5 ? MOVER_STEP : n - 5);
        }
        edict_t *boss = add(&hall, "monster_boss", Vector(-900, -500, z), 0, NULL);
        edict_t *wet = add(&hall, "monster_ogre", Vector(-900, 500, z), 0, NULL);
        player_of(&hall)->flags |= FL_NOTARGET;
        run(&hall, 1500);
        for (int32_t n = 0; n < OGRES; n++) {
            assert_true(ogres[n]->flags & FL_ONGROUND);
            assert_int_equal(Game_Fields(ogres[n])->health, falls[i].health);
        }
        assert_int_equal(Game_Fields(boss)->health, 500); // cannot fall
        assert_int_equal(Game_Fields(wet)->health, 200);
        run(&hall, 500); // hurt only once
        assert_int_equal(Game_Fields(ogres[0])->health, falls[i].health);
        TestWorld_Free(&hall.test);
    }
}

// Flowing water is water: it drowns and breaks a fall, but does not burn.
static void test_liquids_hurt_monsters(void **state) {
    (void)state;
    static const struct {
        int32_t contents, ms, health;
    } pools[] = {{CONTENTS_LAVA, 1440, 200 - 5 * 24},
                 {CONTENTS_SLIME, 1440, 200 - 12},
                 {CONTENTS_WATER, 17000, 200 - 2 - 4 - 6 - 8 - 10},
                 {CONTENTS_CURRENT_0, 17000, 200 - 2 - 4 - 6 - 8 - 10},
                 {CONTENTS_CURRENT_DOWN, 17000, 200 - 2 - 4 - 6 - 8 - 10}};
    for (size_t i = 0; i < COUNTOF(pools); i++) {
        const test_block_t pool = {.box = {{-400, -400, 0}, {400, 400, 200}},
                                   .contents = pools[i].contents};
        const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 600}},
                                .blocks = &pool,
                                .num_blocks = 1,
                                .entities = "{ \"classname\" \"worldspawn\" }\n",
                                .brush_list = true};
        hall_t hall = {0};
        TestWorld_Init(&hall.test, &map, 2);
        hall.sv = SV_Context(hall.test.world, &hall.test.map, &hall.test.game, hall.test.events);
        Game_Vars(&hall.sv)->monsters = 1;
        edict_t *ogre = add(&hall, "monster_ogre", Vector(0, 0, 24), 0, NULL);
        edict_t *boss = add(&hall, "monster_boss", Vector(100, 0, 24), 0, NULL);
        edict_t *diver = add(&hall, "monster_ogre", Vector(0, 200, 570), 0, NULL);
        bool is_water = pools[i].ms == 17000;
        int32_t diver_health = 0;
        for (int32_t ms = 0; ms < pools[i].ms; ms += COURSE_TICK_MS) { // thinks from 0.5 s on
            TestWorld_Tick(&hall.test);
            diver_health = ms < 3000 ? Game_Fields(diver)->health : diver_health;
        }
        assert_int_equal(Game_Fields(ogre)->health, pools[i].health);
        assert_int_equal(Game_Fields(boss)->health, 500);
        assert_true(!is_water || diver_health == 200);
        TestWorld_Free(&hall.test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_without_the_cvar),
        cmocka_unit_test(test_a_dog_comes_and_bites),
        cmocka_unit_test(test_notarget_is_ignored),
        cmocka_unit_test(test_those_in_walls_are_told),
        cmocka_unit_test(test_buggies_in_walls_are_told),
        cmocka_unit_test(test_nobody_sees_through_walls),
        cmocka_unit_test(test_a_wizard_spits),
        cmocka_unit_test(test_a_fish_stays_in_the_water),
        cmocka_unit_test(test_a_patrol),
        cmocka_unit_test(test_what_hurts_it_becomes_its_enemy),
        cmocka_unit_test(test_death),
        cmocka_unit_test(test_shots_pass_between_its_legs),
        cmocka_unit_test(test_what_it_does_is_seen),
        cmocka_unit_test(test_dogs_drown_and_fish_do_not),
        cmocka_unit_test(test_monsters_fall),
        cmocka_unit_test(test_liquids_hurt_monsters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
