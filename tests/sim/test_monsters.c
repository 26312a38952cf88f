// Monsters on the project's maps, through the whole simulation: stairs, slopes, water, every map at
// random.

#include "bsp/bsp.h"
#include "core/core_local.h"
#include "game/game.h"
#include "lib/testing.h"
#include "physics/actions.h"
#include "physics/physics.h"
#include "world/block.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_TICKS   6 // ticks between two steps of a monster: about 0.1 s
#define MONSTERS     24
#define MAX_STARTS   64
#define RANDOM_TICKS 5000

static const vec3_t walker_mins = {-16.0f, -16.0f, -24.0f};
static const vec3_t walker_maxs = {16.0f, 16.0f, 32.0f};

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t game;
    inputs_t *inputs;
    events_t *events;
    sv_context_t sv;
} match_t;

static bool start(match_t *match, const char *name) {
    char path[512];
    err_t err = {{0}};
    snprintf(path, sizeof(path), "%s/maps/%s.bsp", Test_BuildFolder(), name);
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: %s is not compiled (make maps)\n", path);
        return false;
    }
    *match =
        (match_t){.inputs = calloc(1, sizeof(inputs_t)), .events = calloc(1, sizeof(events_t))};
    assert_true(match->inputs);
    assert_true(match->events);
    if (!BSP_Load(&match->map, path, &err)) {
        fail_msg("%s: %s", name, err.text);
    }
    const world_params_t params = {.max_edicts = 2048,
                                   .max_clients = 1,
                                   .seed = 7,
                                   .map_hash = match->map.hash,
                                   .bounds = match->map.models[0].bounds};
    match->world = World_Init(malloc(World_Bytes(&params)), &params);
    assert_non_null(match->world);
    if (!SV_BindGame(match->world, Game_Export(), &match->game, &err) ||
        !SV_SpawnEntities(match->world, &match->map, &match->game, match->events, &err)) {
        fail_msg("%s: %s", name, err.text);
    }
    match->sv = SV_Context(match->world, &match->map, &match->game, match->events);
    return true;
}

static void end(match_t *match) {
    CM_FreeMap(&match->map);
    free(match->world);
    free(match->inputs);
    free(match->events);
}

static void run(match_t *match, int32_t ticks) {
    for (int32_t i = 0; i < ticks; i++) {
        Events_Clear(match->events);
        SV_Frame(match->world, &match->map, &match->game, match->inputs, match->events);
        Inputs_Clear(match->inputs);
    }
}

static edict_t *add(match_t *match, vec3_t origin, uint32_t flags) {
    edict_t *edict = SV_SpawnEdict(&match->sv);
    assert_non_null(edict);
    edict->movetype = MOVETYPE_STEP;
    edict->solid = SOLID_SLIDEBOX;
    edict->origin = origin;
    edict->mins = walker_mins;
    edict->maxs = walker_maxs;
    edict->flags |= FL_MONSTER | flags;
    edict->yaw_speed = 90.0f;
    SV_LinkEdict(&match->sv, edict, false);
    return edict;
}

static void march(match_t *match, edict_t *edict, float yaw, int32_t steps) {
    for (int32_t i = 0; i < steps; i++) {
        run(match, STEP_TICKS);
        SV_WalkMove(&match->sv, edict, yaw, 8.0f, NULL);
        assert_null(SV_TestEdictPosition(&match->sv, edict));
    }
}

// Four rows of steps: monsters climb 8, 16 and 18 high to the shelf and walk down again; 19 stops
// them.
static void test_stairs(void **state) {
    (void)state;
    match_t match;
    if (!start(&match, "stairs")) {
        skip();
    }
    const struct {
        float y, shelf;
    } rows[] = {{-160.0f, 56.0f}, {-64.0f, 112.0f}, {32.0f, 126.0f}, {128.0f, -1.0f}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        edict_t *dog = add(&match, Vector(-100.0f, rows[i].y, 25.0f), 0);
        run(&match, 20);
        march(&match, dog, 0.0f, 46);
        if (rows[i].shelf < 0.0f) {
            assert_true(dog->origin.x <= -16.0f);
            assert_true(dog->origin.x > -30.0f);
        } else {
            assert_true(fabsf(dog->origin.z - rows[i].shelf - 24.0f) < 0.1f);
            assert_true(dog->origin.x > 230.0f);
            march(&match, dog, 180.0f, 46);
            assert_true(fabsf(dog->origin.z - 24.0f) < 0.1f);
        }
        assert_true(dog->origin.y == rows[i].y);
        assert_true((dog->flags & FL_ONGROUND));
    }
    end(&match);
}

// Monsters walk up 30 and 45 degrees to the shelf, and down. They never leave the shelf over its
// other end.
static void test_slopes(void **state) {
    (void)state;
    match_t match;
    if (!start(&match, "slopes")) {
        skip();
    }
    for (float y = -144.0f; y < 0.0f; y += 128.0f) {
        edict_t *dog = add(&match, Vector(-100.0f, y, 25.0f), 0);
        run(&match, 20);
        march(&match, dog, 0.0f, 80);
        assert_true(fabsf(dog->origin.z - 112.0f - 24.0f) < 0.1f);
        assert_true(dog->origin.x > 350.0f);
        assert_true(dog->origin.x <= 384.0f - 16.0f + 0.1f);
        march(&match, dog, 180.0f, 60);
        assert_true(fabsf(dog->origin.z - 24.0f) < 0.1f);
    }
    end(&match);
}

// A fish hunts a player on the bank. A dog falls into the pool and comes out by the steps.
static void test_water(void **state) {
    (void)state;
    match_t match;
    if (!start(&match, "water")) {
        skip();
    }
    edict_t *fish = add(&match, Vector(-200.0f, 0.0f, -70.0f), FL_SWIM);
    edict_t *bait = add(&match, Vector(0.0f, 200.0f, 25.0f), 0);
    fish->mins = Vector(-16.0f, -16.0f, -16.0f);
    fish->maxs = Vector(16.0f, 16.0f, 16.0f);
    for (int32_t i = 0; i < 300; i++) {
        run(&match, STEP_TICKS);
        SV_MoveToGoal(&match.sv, fish, bait, 10.0f, NULL);
        assert_int_equal(SV_PointContents(&match.sv, fish->origin), CONTENTS_WATER);
        assert_null(SV_TestEdictPosition(&match.sv, fish));
    }
    SV_RemoveEdict(&match.sv, fish);
    edict_t *dog = add(&match, Vector(-150.0f, -96.0f, 60.0f), 0);
    run(&match, 36);
    assert_true(dog->waterlevel == 3);
    assert_true(dog->velocity.z > -330.0f); // water slows it, otherwise it would fall at 460
    run(&match, 100);
    assert_true((dog->flags & FL_ONGROUND));
    assert_true(fabsf(dog->origin.z + 128.0f - 24.0f) < 0.1f);
    march(&match, dog, 180.0f, 45);
    assert_true(fabsf(dog->origin.z - 24.0f) < 0.1f);
    assert_true(dog->waterlevel == 0);
    end(&match);
}

static int32_t find_starts(const match_t *match, vec3_t *starts) {
    int32_t count = 0;
    for (int32_t i = 1; i < match->world->num_edicts && count < MAX_STARTS; i++) {
        const edict_t *edict = World_Edict(match->world, i);
        const char *name = World_Text(match->world, edict->classname);
        if (World_IsLive(edict) && strncmp(name, "info_player", 11) == 0) {
            starts[count++] = edict->origin;
        }
    }
    return count;
}

// Only a teleporter may put one monster inside another.
static bool has_teleporter(const match_t *match) {
    for (int32_t i = 1; i < match->world->num_edicts; i++) {
        const edict_t *edict = World_Edict(match->world, i);
        if (strcmp(World_Text(match->world, edict->classname), "trigger_teleport") == 0) {
            return true;
        }
    }
    return false;
}

// A launcher may spawn its next missile inside a player; the missile moves from the next tick on.
static bool is_just_thrown(const match_t *match, const edict_t *edict) {
    return edict->type == ENTITY_PROJECTILE &&
           edict->spawn_tick_lo == (int32_t)((match->world->tick - 1) & 0x7fffffff);
}

/// All monsters chase one of the starts; the target changes from time to time. No monster is ever
/// inside anything solid, hangs in the air, or is removed.
static void chase_about(match_t *match, const char *name, int32_t ticks) {
    static const uint32_t kinds[] = {0, 0, 0, FL_FLY};
    vec3_t starts[MAX_STARTS];
    edict_ref_t monsters[MONSTERS];
    double walked = 0.0;
    bool teleports = has_teleporter(match);
    int32_t count = find_starts(match, starts);
    assert_true(count > 0);
    edict_t *goal = add(match, starts[0], FL_FLY);
    goal->solid = SOLID_NOT;
    SV_LinkEdict(&match->sv, goal, false);
    int32_t num_monsters = 0;
    for (int32_t i = 0; i < MONSTERS && i < count * 3; i++) { // in order of the starts
        vec3_t at = starts[i % count];
        at.z += 60.0f * (float)(i / count);
        edict_t *edict = add(match, at, kinds[i % (int32_t)COUNTOF(kinds)]);
        if (SV_TestEdictPosition(&match->sv, edict)) {
            SV_RemoveEdict(&match->sv, edict);
        } else {
            monsters[num_monsters++] = World_Ref(match->world, edict);
        }
    }
    assert_true(num_monsters > 0);
    rng_t rng = {11};
    for (int32_t tick = 0; tick < ticks; tick++) {
        run(match, 1);
        if (tick % 300 == 0) {
            goal->origin = starts[Rng_Below(&rng, (uint32_t)count)];
            SV_LinkEdict(&match->sv, goal, false);
        }
        for (int32_t i = tick % STEP_TICKS; i < num_monsters; i += STEP_TICKS) {
            edict_t *edict = World_Deref(match->world, monsters[i]);
            if (!edict) {
                continue; // killed by a trap
            }
            vec3_t was = edict->origin;
            SV_MoveToGoal(&match->sv, edict, goal, 10.0f, NULL);
            walked += (double)VectorLength(VectorSubtract(edict->origin, was));
            const edict_t *in = SV_TestEdictPosition(&match->sv, edict);
            if (in && !(teleports && (in->flags & FL_MONSTER)) && !is_just_thrown(match, in)) {
                fail_msg("%s: monster %d at %g %g %g is in edict %d, tick %d", name, i,
                         (double)edict->origin.x, (double)edict->origin.y, (double)edict->origin.z,
                         World_EdictNumber(match->world, in), tick);
            }
        }
    }
    int32_t standing = 0;
    int32_t left = 0;
    for (int32_t i = 0; i < num_monsters; i++) {
        const edict_t *edict = World_Deref(match->world, monsters[i]);
        left += edict ? 1 : 0;
        standing += edict && (edict->flags & (FL_ONGROUND | FL_FLY)) ? 1 : 0;
    }
    print_message("%s: %d monsters, %d left, %d stand or fly, %.0f qu each\n", name, num_monsters,
                  left, standing, walked / num_monsters);
    assert_int_equal(match->world->counters.quarantined, 0);
    assert_true(standing >= left - 2); // at most two may be in the air
    assert_true(left == 0 || walked / num_monsters > 100.0);
}

static void test_every_map(void **state) {
    (void)state;
    glob_t found;
    assert_int_equal(glob("maps/*.map", 0, NULL, &found), 0);
    int32_t checked = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char name[64];
        const char *base = strrchr(found.gl_pathv[i], '/') + 1;
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(base, "."), base);
        match_t match;
        if (start(&match, name)) {
            int32_t ticks = Test_IsLong() ? 20 * RANDOM_TICKS : RANDOM_TICKS;
            chase_about(&match, name, Test_IsSlow() ? ticks / 2 : ticks);
            end(&match);
            checked++;
        }
    }
    globfree(&found);
    if (checked == 0) {
        skip();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stairs),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_water),
        cmocka_unit_test(test_every_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
