// Models with bones that a map names: keys, boxes, shots that hit them, refused models.

#include "base/file.h"
#include "bsp/map.h"
#include "core/core_local.h"
#include "game/figure_data.h"
#include "game/game.h"
#include "lib/emesh_fixture.h"
#include "lib/testing.h"
#include "lib/world_fixture.h"
#include "math/angles.h"
#include "world/hitboxes.h"
#include "world/link.h"
#include "world/move.h"

#include <string.h>
#include <sys/stat.h>

#define TICK_MS   16
#define HEAD_BONE 3 // of the figure

static char folder[] = "/tmp/edictd-models-XXXXXX";

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/// Writes three files: a figure; a figure with a small box of triangles; triangles only.
static int make_folder(void **state) {
    (void)state;
    err_t err = {{0}};
    built_mesh_t box;
    const bounds_t small = {{-4.0f, -4.0f, -24.0f}, {4.0f, 4.0f, 0.0f}};
    const uint8_t *figure = (const uint8_t *)game_figure;
    if (!mkdtemp(folder) || mkdir(path_of("models"), 0755) != 0 ||
        !File_Write(path_of("models/figure.emesh"), figure, GAME_FIGURE_BYTES, &err)) {
        return 1;
    }
    TestEmesh_Box(&box, small, 0, CONTENTS_SOLID);
    TestEmesh_WriteBoth(path_of("models/statue.emesh"), &box, figure, GAME_FIGURE_BYTES);
    TestEmesh_Box(&box, small, 0, CONTENTS_SOLID);
    TestEmesh_Write(path_of("models/rock.emesh"), &box, 1);
    TestEmesh_Box(&box, small, MESH_VOLUME, CONTENTS_WATER);
    TestEmesh_Write(path_of("models/pool.emesh"), &box, 1);
    return 0;
}

static int remove_folder(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/// Builds a world with a start and these entities. Keys are written with ' instead of ".
static void init(test_world_t *test, const char *entities) {
    char text[4096];
    size_t size = 0;
    err_t err = {{0}};
    snprintf(text, sizeof text,
             "{'classname' 'worldspawn'}\n"
             "{'classname' 'info_player_deathmatch' 'origin' '-100 0 25'}\n%s",
             entities);
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == '\'' ? '"' : *at;
    }
    const test_map_t map = {.room = {{-500, -500, 0}, {500, 500, 400}}, .entities = text};
    uint8_t *bytes = TestMap_Bytes(&map, &size);
    assert_true(File_Write(path_of("room.bsp"), bytes, size, &err));
    free(bytes);
    memset(test, 0, sizeof *test);
    TestWorld_InitFile(test, path_of("room.bsp"), 2);
}

static sv_context_t context(test_world_t *test) {
    return SV_Context(test->world, &test->map, &test->game, test->events);
}

/// Returns the edict at an x coordinate, or NULL.
static edict_t *at_x(const test_world_t *test, float x) {
    for (int32_t i = test->world->max_clients + 1; i < test->world->num_edicts; i++) {
        edict_t *edict = World_Edict(test->world, i);
        if (World_IsLive(edict) && edict->origin.x == x) {
            return edict;
        }
    }
    return NULL;
}

static int32_t number_of(const test_world_t *test, const edict_t *edict) {
    return World_EdictNumber(test->world, edict);
}

/// Shoots a point along +y through a point.
static trace_t shoot(test_world_t *test, vec3_t through, move_type_t type) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    sv_context_t sv = context(test);
    vec3_t from = {through.x, -490.0f, through.z};
    vec3_t to = {through.x, 490.0f, through.z};
    return SV_Move(&sv, from, zero, zero, to, type, NULL);
}

static turned_box_t box_of(test_world_t *test, const edict_t *edict, int32_t hitbox) {
    sv_context_t sv = context(test);
    const model_t *model = SV_Skeleton(&sv, edict);
    assert_non_null(model);
    pose_request_t request = SV_SkeletonRequest(test->world, edict);
    cm_pose_t at = SV_SkeletonPlace(edict);
    model_pose_t pose;
    Pose_Evaluate(NULL, model, &request, &pose);
    return Hitbox_Place(model, &pose, hitbox, &at);
}

static const char two_figures[] =
    "{'classname' 'misc_model' 'animation' 'run' 'controllers' '20' 'origin' '100 0 24'\n"
    " 'model' 'models/figure.emesh'}\n"
    "{'classname' 'misc_model' 'model' 'models/statue.emesh' 'origin' '200 0 24'}\n"
    "{'classname' 'misc_model' 'model' 'models/figure.emesh' 'origin' '300 0 24'\n"
    " 'animation' 'die'}\n"
    "{'classname' 'misc_model' 'model' 'models/tree.md3' 'origin' '400 0 24' 'animation' 'x'}\n";

static void test_keys(void **state) {
    (void)state;
    test_world_t test;
    init(&test, two_figures);
    assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, ""), 0);
    const edict_t *running = at_x(&test, 100.0f);
    const edict_t *statue = at_x(&test, 200.0f);
    const edict_t *dying = at_x(&test, 300.0f);
    assert_true(running);
    assert_true(statue);
    assert_true(dying);
    assert_true(!at_x(&test, 400.0f)); // a client's model
    assert_int_equal(running->skeleton, FIRST_MAP_SKELETON);
    assert_int_equal(running->animations[0], FIGURE_DO_RUN);
    assert_true(running->controllers[0] == 20.0f);
    assert_true(running->controllers[1] == 0.0f);
    assert_int_equal(running->solid, SOLID_BBOX);
    assert_int_equal(statue->skeleton, FIRST_MAP_SKELETON + 1);
    assert_int_equal(statue->animations[0], 0);
    assert_int_equal(statue->solid, SOLID_BSP);
    assert_int_equal(dying->skeleton, FIRST_MAP_SKELETON); // the same file
    assert_int_equal(dying->animations[0], FIGURE_DO_DIE);
    assert_true(dying->maxs.z < running->maxs.z + 2.0f);
    assert_true(dying->mins.x < running->mins.x - 10.0f);
    TestWorld_Free(&test);
}

typedef struct {
    const char *entity, *said;
} bad_t;

static void test_bad_keys_are_named(void **state) {
    (void)state;
    static const bad_t bads[] = {
        {"'model' 'models/figure.emesh' 'animation' 'fly'",
         "room.bsp: entity 2 (misc_model at 100 0 24): animation: expected \"stand\", \"run\", "
         "\"crouch\", \"die\", "
         "found "
         "\"fly\""},
        {"'model' 'models/figure.emesh' 'animation' ''", "\"die\", found \"\""},
        {"'model' 'models/figure.emesh' 'controllers' '1 2 3'",
         "controllers: expected a number for each of its 2 controllers \"aim\", \"lift\", found "
         "\"1 2 3\""},
        {"'model' 'models/figure.emesh' 'controllers' '1 2 3 4 5'", "found \"1 2 3 4 5\""},
        {"'model' 'models/figure.emesh' 'controllers' 'nan'", "found \"nan\""},
        {"'model' 'models/figure.emesh' 'controllers' ''", "controllers: expected a number"},
        {"'model' 'models/rock.emesh' 'animation' 'run'",
         "animation: expected no value, because the model has no bones, found \"run\""},
        {"'model' 'models/rock.emesh' 'controllers' '1'",
         "controllers: expected no value, because the model has no bones, found \"1\""},
    };
    for (size_t i = 0; i < COUNTOF(bads); i++) {
        char text[256];
        test_world_t test;
        snprintf(text, sizeof text, "{'classname' 'misc_model' 'origin' '100 0 24' %s}\n",
                 bads[i].entity);
        init(&test, text);
        if (TestWorld_CountEvents(&test, EVENT_LOG, bads[i].said) != 1) {
            fail_msg("expected \"%s\", found \"%s\"", bads[i].said,
                     test.events->count ? test.events->list[0].text : "nothing");
        }
        const edict_t *edict = at_x(&test, 100.0f); // the edict exists, as without the key
        assert_true(edict);
        assert_true(edict->animations[0] == 0);
        assert_true(edict->controllers[0] == 0.0f);
        TestWorld_Free(&test);
    }
}

/// Shots hit the edict where its bones are in that tick. Boxes collide with its box.
static void test_hits(void **state) {
    (void)state;
    test_world_t test;
    init(&test, two_figures);
    const edict_t *edict = at_x(&test, 100.0f);
    int32_t number = number_of(&test, edict);
    bool hand_moved = false;
    for (int32_t i = 0; i < 120; i++) {
        TestWorld_Tick(&test);
        vec3_t head = box_of(&test, edict, HEAD_BONE).middle;
        trace_t trace = shoot(&test, head, MOVE_HITBOXES);
        assert_int_equal(trace.entnum, number);
        assert_int_equal(trace.hitgroup, HIT_HEAD);
        assert_int_equal(trace.bone, HEAD_BONE + 1);
        // Above a shoulder there is only the box.
        vec3_t beside = {edict->origin.x, 0.0f, head.z};
        beside.x = head.x - 12.0f;
        trace = shoot(&test, beside, MOVE_HITBOXES);
        assert_int_not_equal(trace.hitgroup, HIT_HEAD);
        assert_int_equal(shoot(&test, beside, MOVE_NORMAL).entnum, number);
        // A shot hits a swinging shin where it is in that tick, and not where it was.
        vec3_t shin = box_of(&test, edict, 9).middle;
        trace = shoot(&test, shin, MOVE_HITBOXES);
        assert_true(trace.hitgroup == HIT_LEFT_LEG || trace.hitgroup == HIT_RIGHT_LEG);
        hand_moved = hand_moved || fabsf(shin.x - edict->origin.x) > 8.0f;
    }
    assert_true(hand_moved);
    TestWorld_Free(&test);
}

/// The edict's box contains all hitboxes at each step of each animation, at any rotation.
static void test_the_box_holds_it(void **state) {
    (void)state;
    static const char *const animations[] = {"stand", "run", "crouch", "die"};
    float out = 0.0f;
    for (int32_t i = 0; i < 4 * 5; i++) {
        char text[256];
        test_world_t test;
        snprintf(text, sizeof text,
                 "{'classname' 'misc_model' 'origin' '100 0 200' 'model' 'models/figure.emesh'\n"
                 "'animation' '%s' 'angles' '%d %d 10' 'controllers' '-25'}\n",
                 animations[i / 5], i % 5 * 20, i % 5 * 25);
        init(&test, text);
        edict_t *edict = at_x(&test, 100.0f);
        for (int32_t step = 0; step < 300; step++) {
            test.world->time_ms = step * POSE_STEP_MS;
            for (int32_t n = 0; n < 12; n++) {
                turned_box_t box = box_of(&test, edict, n);
                for (int32_t corner = 0; corner < 8; corner++) {
                    vec3_t at = VectorSubtract(box.middle, edict->origin);
                    at = VectorMA(at, corner & 1 ? box.half.x : -box.half.x, box.axes[0]);
                    at = VectorMA(at, corner & 2 ? box.half.y : -box.half.y, box.axes[1]);
                    at = VectorMA(at, corner & 4 ? box.half.z : -box.half.z, box.axes[2]);
                    vec3_t over =
                        VectorMax(VectorSubtract(at, edict->maxs), VectorSubtract(edict->mins, at));
                    out = over.x > out ? over.x : out;
                    out = over.y > out ? over.y : out;
                    out = over.z > out ? over.z : out;
                }
            }
        }
        TestWorld_Free(&test);
    }
    print_message("%.3f qu stick out of the boxes\n", (double)out);
    assert_true(out == 0.0f);
}

/// Triangles collide; bones are for shots.
static void test_both(void **state) {
    (void)state;
    test_world_t test;
    init(&test, two_figures);
    sv_context_t sv = context(&test);
    const edict_t *edict = at_x(&test, 200.0f);
    int32_t number = number_of(&test, edict);
    TestWorld_Tick(&test);
    vec3_t head = box_of(&test, edict, HEAD_BONE).middle;
    assert_int_equal(shoot(&test, head, MOVE_NORMAL).entnum, TRACE_NOTHING); // no triangle is there
    // The linked box is the box of the triangles. A hitbox outside of it is not hit.
    assert_int_equal(shoot(&test, head, MOVE_HITBOXES).entnum, TRACE_NOTHING);
    vec3_t shin = box_of(&test, edict, 9).middle;
    shin.x = edict->origin.x;
    trace_t trace = shoot(&test, shin, MOVE_HITBOXES);
    assert_int_equal(trace.entnum, number);
    assert_true(trace.hitgroup == HIT_LEFT_LEG || trace.hitgroup == HIT_RIGHT_LEG);
    trace = shoot(&test, shin, MOVE_NORMAL);
    assert_int_equal(trace.entnum, number);
    assert_int_equal(trace.hitgroup, 0);
    assert_true(fabsf(trace.endpos.y - (edict->origin.y - 4.0f - CM_DIST_EPSILON)) < 0.01f);
    // A player's box stops at the triangles.
    const vec3_t mins = {-16.0f, -16.0f, -24.0f};
    const vec3_t maxs = {16.0f, 16.0f, 32.0f};
    trace = SV_Move(&sv, Vector(200.0f, -200.0f, 25.0f), mins, maxs, Vector(200.0f, 0.0f, 25.0f),
                    MOVE_NORMAL, NULL);
    assert_true(fabsf(trace.endpos.y - (-20.0f - CM_DIST_EPSILON)) < 0.01f);
    TestWorld_Free(&test);
}

static void test_health(void **state) {
    (void)state;
    test_world_t test;
    init(&test, "{'classname' 'misc_model' 'model' 'models/figure.emesh' 'origin' '100 0 24'\n"
                " 'health' '50' 'target' 'lamp'}\n"
                "{'classname' 'misc_model' 'model' 'models/figure.emesh' 'origin' '200 0 24'}\n"
                "{'classname' 'light' 'targetname' 'lamp' 'origin' '300 0 24'}\n");
    sv_context_t sv = context(&test);
    edict_t *edict = at_x(&test, 100.0f);
    edict_t *other = at_x(&test, 200.0f);
    const edict_t *lamp = at_x(&test, 300.0f);
    Game_Damage(&sv, edict, NULL, 40, "");
    Game_Damage(&sv, other, NULL, 400, "");
    TestWorld_Tick(&test);
    assert_true(at_x(&test, 100.0f) == edict);
    assert_true(at_x(&test, 200.0f) == other);
    assert_int_equal(lamp->effects & 1, 0);
    Game_Damage(&sv, edict, NULL, 10, "");
    TestWorld_Tick(&test);
    assert_null(at_x(&test, 100.0f));
    assert_non_null(at_x(&test, 200.0f));
    assert_int_equal(lamp->effects & 1, 1);
    TestWorld_Free(&test);
}

/// If a class needs a closed volume and the model has none, a line is logged; other classes need
/// none.
static void test_volumes_without_an_inside(void **state) {
    (void)state;
    static const char *const classes[] = {"trigger_hurt", "func_water", "func_ladder"};
    for (size_t i = 0; i < COUNTOF(classes); i++) {
        char text[256];
        test_world_t test;
        snprintf(text, sizeof text,
                 "{'classname' '%s' 'model' 'models/pool.emesh'}\n"
                 "{'classname' 'func_mesh' 'model' 'models/rock.emesh'}\n"
                 "{'classname' '%s' 'model' 'models/rock.emesh'}\n",
                 classes[i], classes[i]);
        init(&test, text);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "--volume"), 1);
        snprintf(text, sizeof text, "room.bsp: entity 4 (%s): model: expected", classes[i]);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, text), 1);
        TestWorld_Free(&test);
    }
}

/// A monster with a model of the map plays the animations that the model has.
static void test_a_monster_with_a_model(void **state) {
    (void)state;
    test_world_t test;
    init(&test, "{'classname' 'func_static' 'model' 'models/figure.emesh'}\n");
    assert_int_equal(
        TestWorld_CountEvents(&test, EVENT_LOG, "has no model of brushes or triangles"), 1);
    sv_context_t sv = context(&test);
    Game_Vars(&sv)->monsters = 1;
    edict_t *dog = sv.engine->spawn(&sv);
    dog->classname = sv.engine->string(&sv, "monster_dog");
    dog->origin = Vector(100.0f, 0.0f, 25.0f);
    dog->skeleton = FIRST_MAP_SKELETON;
    Game_SpawnMonster(&sv, dog);
    assert_int_equal(dog->skeleton, FIRST_MAP_SKELETON);
    assert_int_equal(dog->animations[0], FIGURE_DO_STAND);
    for (int32_t i = 0; i < 100; i++) {
        TestWorld_Tick(&test);
    }
    Game_Damage(&sv, dog, NULL, 26, "");
    assert_int_equal(dog->animations[0], FIGURE_DO_DIE);
    TestWorld_Free(&test);
}

/// An attack animation plays to its end whatever the monster does meanwhile; then the monster
/// stands.
static void test_an_attack_is_seen(void **state) {
    (void)state;
    test_world_t test;
    init(&test, "");
    sv_context_t sv = context(&test);
    Game_Vars(&sv)->monsters = 1;
    edict_t *dog = sv.engine->spawn(&sv);
    dog->classname = sv.engine->string(&sv, "monster_dog");
    dog->origin = Vector(100.0f, 0.0f, 25.0f);
    Game_SpawnMonster(&sv, dog);
    int32_t attack = sv.engine->animation(&sv, DOG_MODEL, "attack");
    int32_t stand = sv.engine->animation(&sv, DOG_MODEL, "stand");
    assert_true(attack >= 0);
    assert_true(stand >= 0);
    assert_true(dog->animations[0] == stand);
    test.world->time_ms = 10000;
    dog->animations[0] = attack;
    dog->anim_start_ms[0] = 10000;
    test.world->time_ms = 10290;
    Game_MonsterThink(&sv, dog);
    assert_int_equal(dog->animations[0], attack);
    test.world->time_ms = 10310;
    Game_MonsterThink(&sv, dog);
    assert_int_equal(dog->animations[0], stand);
    assert_int_equal(dog->anim_start_ms[0], 10310);
    TestWorld_Free(&test);
}

/// A monster collides with its own box and its hitboxes; the triangles of its model are ignored.
static void test_a_monsters_triangles_count_for_nothing(void **state) {
    (void)state;
    test_world_t test;
    init(&test, "{'classname' 'func_static' 'model' 'models/statue.emesh' 'origin' '-300 0 24'}\n");
    sv_context_t sv = context(&test);
    Game_Vars(&sv)->monsters = 1;
    edict_t *dog = sv.engine->spawn(&sv);
    dog->classname = sv.engine->string(&sv, "monster_dog");
    dog->origin = Vector(100.0f, 0.0f, 25.0f);
    dog->skeleton = FIRST_MAP_SKELETON;
    assert_true(sv.engine->set_model(&sv, dog, Map_FindModel(&test.map, "models/statue.emesh")));
    Game_SpawnMonster(&sv, dog);
    assert_int_not_equal(dog->type, ENTITY_BRUSH);
    bounds_t box = {VectorAdd(dog->origin, dog->mins), VectorAdd(dog->origin, dog->maxs)};
    assert_true(VectorCompare(VectorMin(dog->absmin, box.mins), dog->absmin));
    assert_true(VectorCompare(VectorMax(dog->absmax, box.maxs), dog->absmax));
    vec3_t shin = box_of(&test, dog, 9).middle;
    vec3_t side = {dog->origin.x + dog->maxs.x - 1.0f, 0.0f, dog->origin.z};
    assert_int_equal(shoot(&test, shin, MOVE_HITBOXES).entnum, number_of(&test, dog));
    assert_int_equal(shoot(&test, side, MOVE_NORMAL).entnum, number_of(&test, dog));
    TestWorld_Free(&test);
}

/// A rock in the hand of a figure: the keys movewith and bone. A shot hits it where the hand is. An
/// unknown bone is named, and the rock stays.
static void test_in_a_hand(void **state) {
    (void)state;
    for (int32_t i = 0; i < 2; i++) {
        test_world_t test;
        char text[512];
        snprintf(
            text, sizeof text,
            "{'classname' 'misc_model' 'origin' '100 0 40' 'angles' '0 90 0' 'targetname' 'ogre' "
            "'model' 'models/figure.emesh' 'animation' 'run'}\n"
            "{'classname' 'misc_model' 'origin' '-300 0 100' 'movewith' 'ogre' 'bone' '%s' "
            "'model' 'models/rock.emesh'}\n",
            i == 0 ? "right hand" : "tail");
        init(&test, text);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "model has no bone \"tail\""), i);
        assert_int_equal(TestWorld_CountEvents(&test, EVENT_LOG, "it cannot follow that bone"), i);
        sv_context_t sv = context(&test);
        edict_t *ogre = at_x(&test, 100.0f);
        edict_t *rock = ogre + 1;
        for (int32_t n = 0; n < 100; n++) {
            pose_t hand;
            TestWorld_Tick(&test);
            assert_true(SV_BonePose(&sv, ogre, "right hand", &hand));
            vec3_t at = i == 0 ? hand.origin : Vector(-300.0f, 0.0f, 100.0f);
            assert_true(VectorLength(VectorSubtract(rock->origin, at)) < 0.01f);
        }
        assert_int_equal(rock->movetype, i == 0 ? MOVETYPE_FOLLOW : MOVETYPE_NONE);
        // The rock is a box of triangles that reaches 24 below its origin.
        vec3_t up;
        AngleVectors(rock->angles, NULL, NULL, &up);
        vec3_t inside = VectorMA(rock->origin, -20.0f, up);
        assert_int_equal(shoot(&test, inside, MOVE_HITBOXES).entnum, number_of(&test, rock));
        TestWorld_Free(&test);
    }
}

/// Other edicts that are boxes in the game also ignore their triangles.
static void test_boxes_stay_boxes(void **state) {
    (void)state;
    static const char *const classes[] = {"misc_buggy", "weapon_nailgun", "misc_explobox"};
    for (size_t i = 0; i < COUNTOF(classes); i++) {
        test_world_t test;
        char text[128];
        snprintf(text, sizeof text,
                 "{'classname' '%s' 'origin' '100 0 30' 'model' 'models/rock.emesh'}\n",
                 classes[i]);
        init(&test, text);
        const edict_t *edict = at_x(&test, 100.0f);
        assert_non_null(edict);
        assert_int_equal(edict->type, ENTITY_GENERAL);
        assert_int_equal(edict->model, 0);
        vec3_t mins = VectorAdd(edict->origin, edict->mins);
        vec3_t maxs = VectorAdd(edict->origin, edict->maxs);
        assert_true(VectorCompare(VectorMin(edict->absmin, mins), edict->absmin));
        assert_true(VectorCompare(VectorMax(edict->absmax, maxs), edict->absmax));
        TestWorld_Free(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_bad_keys_are_named),
        cmocka_unit_test(test_hits),
        cmocka_unit_test(test_the_box_holds_it),
        cmocka_unit_test(test_both),
        cmocka_unit_test(test_health),
        cmocka_unit_test(test_volumes_without_an_inside),
        cmocka_unit_test(test_a_monster_with_a_model),
        cmocka_unit_test(test_an_attack_is_seen),
        cmocka_unit_test(test_a_monsters_triangles_count_for_nothing),
        cmocka_unit_test(test_in_a_hand),
        cmocka_unit_test(test_boxes_stay_boxes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
