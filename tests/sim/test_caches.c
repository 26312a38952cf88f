// Query caches around players change no bit. Two worlds get the same inputs, one with caches kept
// from tick to tick, one without. Meanwhile sv_solids changes, players leave, others take their
// slots, and finally another map is loaded at the same address.

#include "bsp/bsp.h"
#include "collide/cache.h"
#include "core/frame.h"
#include "game/game.h"
#include "lib/testing.h"
#include "world/block.h"

#include <string.h>

enum { PLAYERS = 6, TICK_MS = 16 };

typedef struct {
    world_t *world;
    game_binding_t game;
    events_t *events;
} side_t;

typedef struct {
    cmap_t map; // shared by both worlds
    inputs_t *inputs;
    side_t sides[2];
    cm_cache_t caches[PLAYERS]; // of world 1
    rng_t rng;
} match_t;

static void add_join(match_t *match, int32_t slot) {
    input_t *join = Inputs_Add(match->inputs, INPUT_JOIN, slot);
    snprintf(join->text, sizeof(join->text), "player%d", slot);
}

static void start_map(match_t *match, uint64_t seed) {
    err_t err = {{0}};
    const world_params_t params = {.max_edicts = 1024,
                                   .max_clients = PLAYERS,
                                   .seed = seed,
                                   .map_hash = match->map.hash,
                                   .bounds = match->map.models[0].bounds};
    for (int32_t i = 0; i < 2; i++) {
        side_t *side = &match->sides[i];
        side->events = calloc(1, sizeof(events_t));
        side->world = World_Init(malloc(World_Bytes(&params)), &params);
        assert_true(side->events);
        assert_true(side->world);
        if (!SV_BindGame(side->world, Game_Export(), &side->game, &err) ||
            !SV_SpawnEntities(side->world, &match->map, &side->game, side->events, &err)) {
            fail_msg("%s: %s", match->map.name, err.text);
        }
        assert_null(side->game.caches);
    }
    for (int32_t i = 0; i < PLAYERS; i++) {
        CM_CacheBegin(&match->caches[i], &match->map, CM_SOLIDS_AUTO);
    }
    match->sides[1].game.caches = match->caches;
    match->inputs->count = 0;
    for (int32_t i = 0; i < PLAYERS; i++) {
        add_join(match, i);
    }
}

static void end_map(match_t *match) {
    for (int32_t i = 0; i < 2; i++) {
        free(match->sides[i].world);
        free(match->sides[i].events);
    }
    CM_FreeMap(&match->map);
}

static void add_commands(match_t *match, int64_t tick) {
    static const int16_t speeds[3] = {400, 0, -400};
    for (int32_t i = 0; i < PLAYERS; i++) {
        rng_t *rng = &match->rng;
        bool idle = (tick / 50 + i) % 4 == 0; // repeats the same queries
        input_t *input = Inputs_Add(match->inputs, INPUT_USERCMD, i);
        input->cmd = (usercmd_t){.tick = tick,
                                 .msec = TICK_MS,
                                 .yaw = (uint16_t)(tick * 37 * (i + 1) + i * 9000),
                                 .forward = idle ? 0 : speeds[Rng_Below(rng, 12) / 8],
                                 .buttons = !idle && Rng_Below(rng, 20) == 0 ? BUTTON_JUMP : 0};
    }
}

static void play(match_t *match, int32_t ticks) {
    for (int32_t tick = 0; tick < ticks; tick++) {
        if (tick > 0) {
            add_commands(match, match->sides[0].world->tick);
        }
        if (tick % 200 == 199) {
            Inputs_Add(match->inputs, INPUT_LEAVE, tick / 200 % PLAYERS);
        }
        if (tick % 200 == 10 && tick > 200) {
            add_join(match, tick / 200 % PLAYERS);
        }
        for (int32_t i = 0; i < 2; i++) {
            side_t *side = &match->sides[i];
            side->world->cvars.move.sv_solids = tick / 300 % 3;
            Events_Clear(side->events);
            SV_Frame(side->world, &match->map, &side->game, match->inputs, side->events);
        }
        match->inputs->count = 0;
        assert_int_equal(match->sides[0].world->tick_hash, match->sides[1].world->tick_hash);
    }
    vec3_t a = World_Client(match->sides[0].world, 1)->player.origin;
    vec3_t b = World_Client(match->sides[1].world, 1)->player.origin;
    assert_memory_equal(&a, &b, sizeof a);
}

static void test_same_bits(void **state) {
    (void)state;
    static const char *const names[] = {"lqdm2", "lqdm12", "lq_e0m1", "lqdm4_hl"};
    match_t *match = calloc(1, sizeof *match);
    assert_non_null(match);
    match->inputs = calloc(1, sizeof(inputs_t));
    assert_non_null(match->inputs);
    match->rng = (rng_t){4};
    int32_t used = 0;
    int32_t num_maps = 0;
    for (size_t i = 0; i < COUNTOF(names); i++) {
        char path[200];
        err_t err = {{0}};
        snprintf(path, sizeof(path), "../shared/data/bsp/%s.bsp", names[i]);
        if (!BSP_Load(&match->map, path, &err)) {
            print_message("SKIPPED: %s\n", err.text);
            continue;
        }
        num_maps++;
        start_map(match, i);
        play(match, Test_IsLong() ? 40000 : 1200);
        for (int32_t slot = 0; slot < PLAYERS; slot++) {
            used += match->caches[slot].map == &match->map && match->caches[slot].is_filled &&
                    match->caches[slot].hull.hull.maxs[3] == 1.0f;
        }
        end_map(match);
    }
    assert_true(used >= num_maps);
    free(match->inputs);
    free(match);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
