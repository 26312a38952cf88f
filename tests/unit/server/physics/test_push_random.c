// Random pushers: teams, glue, motions of every kind, with walkers, crates and tossed edicts
// between them. No edict is ever pushed into the map or left inside a pusher, a blocked set has not
// moved by a bit, and the world block stays valid.

#include "lib/pushers_fixture.h"

#include "base/rng.h"

#define NUM_PUSHERS 8
#define NUM_THINGS  24

typedef struct {
    rng_t rng;
    edict_t *pushers[NUM_PUSHERS], *things[NUM_THINGS];
    int64_t blocked, in_map, in_pusher, looks, moved;
} game_t;

static vec3_t random_vector(rng_t *rng, float limit) {
    float x = Rng_Range(rng, -limit, limit);
    float y = Rng_Range(rng, -limit, limit);
    return Vector(x, y, Rng_Range(rng, -limit, limit));
}

static void new_motion(game_t *game, edict_t *pusher) {
    rng_t *rng = &game->rng;
    motion_t motion = {.kind = MOTION_MOVE + (int32_t)Rng_Below(rng, 3),
                       .duration_ms = 100 + (int32_t)Rng_Below(rng, 4000)};
    motion.base = (pose_t){pusher->origin, pusher->angles};
    vec3_t to = random_vector(rng, 250.0f);
    to.z = fabsf(to.z) + 16.0f;
    bool swings = motion.kind == MOTION_SWING;
    motion.delta = swings ? random_vector(rng, 40.0f) : VectorSubtract(to, pusher->origin);
    uint32_t turn = Rng_Below(rng, 4);
    if (turn == 1) {
        motion.delta_angles.y = Rng_Range(rng, -180.0f, 180.0f);
    } else if (turn == 2) {
        motion.delta_angles = random_vector(rng, swings ? 30.0f : 60.0f);
    }
    if (Rng_Below(rng, 3) == 0) {
        motion.bend = random_vector(rng, 60.0f);
    }
    assert_true(SV_PusherStart(&sim.sv, pusher, &motion));
}

static void place(game_t *game, edict_t *edict) {
    for (int32_t i = 0; i < 100; i++) {
        edict->origin = random_vector(&game->rng, 330.0f);
        edict->origin.z = 60.0f + fabsf(edict->origin.z);
        if (!SV_TestEdictPosition(&sim.sv, edict)) {
            break;
        }
    }
    edict->velocity = random_vector(&game->rng, 200.0f);
    SV_SetGround(&sim.sv, edict, NULL);
    SV_LinkEdict(&sim.sv, edict, false);
    SV_WakeEdict(&sim.sv, edict);
}

static void spawn_all(game_t *game) {
    static const int32_t models[] = {PLATFORM, DOOR, CEILING, PILLAR};
    for (int32_t i = 0; i < NUM_PUSHERS; i++) {
        vec3_t at = random_vector(&game->rng, 300.0f);
        at.z = fabsf(at.z) + 16.0f;
        game->pushers[i] = spawn_pusher(models[i % 4], at);
    }
    SV_PusherTeam(&sim.sv, game->pushers[0], game->pushers[5]);
    assert_true(SV_PusherGlue(&sim.sv, game->pushers[1], game->pushers[2]));
    assert_true(SV_PusherGlue(&sim.sv, game->pushers[3], game->pushers[1]));
    for (int32_t i = 0; i < NUM_THINGS; i++) {
        game->things[i] = i % 2 ? spawn_walker(zero) : spawn_crate(zero);
        if (i % 8 == 2) {
            game->things[i]->movetype = MOVETYPE_BOUNCE;
        }
        place(game, game->things[i]);
    }
}

static bool in_map(const edict_t *edict) {
    const cm_object_t map = {.solids = sim.world->cvars.move.sv_solids};
    return CM_BoxTrace(&sim.map, &map, edict->origin, edict->origin, edict->mins, edict->maxs)
        .startsolid;
}

// A box can end up inside a pusher: it was spawned there, or a pusher turned a corner into it,
// because boxes do not turn.
static void look(game_t *game, edict_t *edict) {
    const edict_t *in = SV_TestEdictPosition(&sim.sv, edict);
    game->looks++;
    game->in_map += in_map(edict) ? 1 : 0;
    game->in_pusher += in && in->movetype == MOVETYPE_PUSH ? 1 : 0;
}

static void run(game_t *game, int32_t num_ticks) {
    for (int32_t i = 0; i < num_ticks; i++) {
        vec3_t was[NUM_PUSHERS];
        int32_t effects[NUM_PUSHERS];
        int64_t lags[NUM_PUSHERS];
        for (int32_t k = 0; k < NUM_PUSHERS; k++) {
            was[k] = game->pushers[k]->origin;
            effects[k] = game->pushers[k]->effects;
            lags[k] = game->pushers[k]->lag_ms;
        }
        TestSim_Tick(&sim);
        for (int32_t k = 0; k < NUM_PUSHERS; k++) {
            edict_t *pusher = game->pushers[k];
            bool stood = pusher->lag_ms > lags[k];
            assert_true(!stood || VectorCompare(pusher->origin, was[k]));
            assert_true(stood || pusher->effects == effects[k]);
            game->blocked += pusher->effects - effects[k];
            game->moved += VectorCompare(pusher->origin, was[k]) ? 0 : 1;
        }
        for (int32_t k = 0; k < NUM_THINGS; k++) {
            look(game, game->things[k]);
        }
        edict_t *pusher = game->pushers[Rng_Below(&game->rng, NUM_PUSHERS)];
        if (i % 16 == 0) {
            new_motion(game, pusher);
        }
        if (i % 64 == 0) {
            place(game, game->things[Rng_Below(&game->rng, NUM_THINGS)]);
        }
    }
}

static void test_nobody_is_pushed_into_anything(void **state) {
    (void)state;
    int32_t rounds = Test_IsLong() ? 2000 : Test_IsSlow() ? 8 : 20;
    int64_t looks = 0;
    int64_t moved = 0;
    int64_t blocked = 0;
    for (int32_t round = 0; round < rounds; round++) {
        game_t game = {.rng = {(uint64_t)round + 1}};
        sim.world->cvars.move.sv_solids = round % 2 ? 2 : 0;
        spawn_all(&game);
        run(&game, 1500);
        if (game.in_map + game.in_pusher > 0 || game.moved < 1000) {
            fail_msg("seed %d: %lld times in the map, %lld in a pusher, %lld moves", round + 1,
                     (long long)game.in_map, (long long)game.in_pusher, (long long)game.moved);
        }
        looks += game.looks;
        moved += game.moved;
        blocked += game.blocked;
        err_t err = {{0}};
        assert_true(World_Check(sim.world, sim.world->bytes, &err));
        assert_int_equal(sim.world->counters.quarantined, 0);
        TestSim_Free(&sim);
        setup(NULL);
    }
    printf("%lld looks, %lld moves, %lld times blocked: nobody in the map or a pusher\n",
           (long long)looks, (long long)moved, (long long)blocked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_nobody_is_pushed_into_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
